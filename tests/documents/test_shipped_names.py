"""What a shipped name means where something of that name lies in the folder that one works in."""

from __future__ import annotations

import pytest

from andante.errors import AndanteError
from andante.formats.registry import convert
from andante.runs.motion_libraries import library_path, load_motions
from andante.runs.scenario_files import load_scenario
from andante.search.studies.files import load_study

SCENARIO = """\
format: andante.scenario
version: 1
units: {angle: deg, time: s, length: m}
name: a
robot: nao
controller: {type: keyframes, library: nao, motions: [stand]}
"""


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_folder_that_holds_no_motions_hides_no_library(tmp_path):
    (tmp_path / "nao").mkdir()
    (tmp_path / "nao/pack.yaml").write_text("format: andante.robot")
    assert "wave" in load_motions("nao").motions
    (tmp_path / "a.yaml").write_text(SCENARIO)
    scenario = load_scenario(tmp_path / "a.yaml")
    assert (scenario.robot, scenario.controller.library) == ("nao", "nao")
    assert load_study("getup", robot="nao").robot == "nao"


def test_a_folder_of_motions_by_a_shipped_name_is_not_chosen_in_silence_nor_passed_over(tmp_path):
    convert(library_path("nao"), tmp_path / "nao", target_format="csv", motions=["stand"])
    with pytest.raises(AndanteError, match=r"two may be meant, a shipped motion library .* say ./nao for the one here"):
        load_motions("nao")
    assert set(load_motions("./nao").motions) == set(load_motions(tmp_path / "nao").motions) == {"stand"}
    (tmp_path / "a.yaml").write_text(SCENARIO)
    with pytest.raises(AndanteError, match="two may be meant"):
        load_scenario(tmp_path / "a.yaml")
    # A document that comes with Andante means what comes with Andante.
    assert load_scenario("sit-and-stand").controller.library == "nao-basics"
