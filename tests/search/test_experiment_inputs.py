"""Files that an experiment names count as its input: nobody goes on with results of others."""

from __future__ import annotations

from andante.runs.motion_libraries import library_path
from andante.search.experiment.inputs import files_named
from andante.search.experiment.registry import EXPERIMENTS, experiment_named
from andante.search.experiment.suite import suite_of
from andante.search.suite import read_options

SMALL = """\
format: andante.experiment
version: 1
name: floors
what: Does a NAO stand on any floor?
play: {library: nao-basics, motions: [stand]}
axes:
  strength:
    variants:
      weak: {set: {world.servo_strength: 0.8}}
      strong: {set: {world.servo_strength: 1.2}}
figures:
  on its feet: {metric: fell, is: false, at_least: 0.9}
seeds: {first: 7, count: 2}
"""


def test_files_that_a_document_names_count_as_its_input(tmp_path):
    (tmp_path / "mine.yaml").write_bytes(library_path("nao-basics").read_bytes())
    scenario = "controller: {type: keyframes, library: mine.yaml, motions: [stand]}"
    head = "format: andante.scenario\nversion: 1\nname: stands\nrobot: nao\n"
    (tmp_path / "stands.yaml").write_text(f"{head}{scenario}\n", encoding="utf-8")
    play = SMALL.replace("library: nao-basics", "library: mine.yaml")
    named = SMALL.replace("play: {library: nao-basics, motions: [stand]}", "scenario: stands.yaml")
    variant = SMALL.replace("world.servo_strength: 1.2", "controller.library: mine.yaml")
    for text in (play, named, variant):
        (tmp_path / "floors.yaml").write_text(text, encoding="utf-8")
        suite = suite_of(experiment_named(str(tmp_path / "floors.yaml")))
        before = suite.about(read_options(suite.options, {}))["input"]
        assert list(before) == [str(tmp_path / "mine.yaml")]
    (tmp_path / "mine.yaml").write_bytes(library_path("nao-basics").read_bytes() + b"# changed\n")
    assert suite.about(read_options(suite.options, {}))["input"] != before
    shipped = suite_of(EXPERIMENTS["motion"])
    assert shipped.about(read_options(shipped.options, {"library": "nao", "motion": ("wave",)}))["input"] == {}


def test_a_text_too_long_for_a_name_is_no_file():
    assert not list(files_named({"set": {"a.b": "x" * 300 + ".yaml", "c": ["y/" * 200]}}))


def test_a_folder_of_motions_that_a_variant_names_is_looked_for_beside_the_document_and_counts(tmp_path, monkeypatch):
    (tmp_path / "mymotions").mkdir()
    (tmp_path / "mymotions" / "mine.yaml").write_bytes(library_path("nao-basics").read_bytes())
    text = SMALL.replace("world.servo_strength: 1.2", "controller.library: mymotions")
    (tmp_path / "floors.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir("/")
    suite = suite_of(experiment_named(str(tmp_path / "floors.yaml")))
    assert list(suite.about(read_options(suite.options, {}))["input"]) == [str(tmp_path / "mymotions")]
