"""Experiments: one document, one runner; the same bytes in any number of processes, and one message for bad input."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import andante
from andante.cli.app import app
from andante.errors import AndanteError
from andante.runs.motion_libraries import library_path
from andante.search.errors import SearchError
from andante.search.executor import InProcess, Processes
from andante.search.experiment.cases import groups_of
from andante.search.experiment.document import Experiment
from andante.search.experiment.registry import EXPERIMENTS, SHIPPED, experiment_named
from andante.search.experiment.suite import asked_of, suite_of
from andante.search.experiment.trial import drawn_values
from andante.search.suite import read_options

SMALL = """\
format: andante.experiment
version: 1
name: floors
what: Does a NAO stand on any floor?
play: {library: nao-basics, motions: [stand]}
set: {timeout: 1.0, settle: 0.1, success.finishes: false}
spread: [{path: world.friction, uniform: [0.3, 0.9]}]
axes:
  strength:
    variants:
      weak: {set: {world.servo_strength: 0.8}}
      strong: {set: {world.servo_strength: 1.2}}
figures:
  on its feet: {metric: fell, is: false, at_least: 0.9}
  tilt, largest: {metric: max_tilt, statistic: largest, convert: deg, digits: 4}
  floor, mean: {metric: drawn.world.friction, statistic: mean, digits: 6, pooled: true}
seeds: {first: 7, count: 2}
"""


def bench(*words):
    return CliRunner().invoke(app, ["bench", *map(str, words)])


@pytest.fixture
def floors(tmp_path):
    path = tmp_path / "floors.yaml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def changed(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", SHIPPED)
def test_the_shipped_experiments_can_be_run_as_they_stand(name):
    experiment = EXPERIMENTS[name]
    assert experiment.name == name
    assert experiment.what == SHIPPED[name]
    suite = suite_of(experiment)
    given = {"library": "nao", "motion": ("stand",), "scenario": "get-up"}
    required = {key: given[key] for key, field in suite.options.model_fields.items() if field.is_required()}
    assert suite.cases(read_options(suite.options, {**required, "seeds": 1}))


def test_a_file_is_run_to_its_rows(floors):
    done = bench(floors, "--json")
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    assert [row["name"] for row in data["rows"]] == [
        "weak: on its feet",
        "weak: tilt, largest",
        "strong: on its feet",
        "strong: tilt, largest",
        "floor, mean",
    ]
    assert data["rows"][0]["value"] == 1.0
    assert [row["n"] for row in data["rows"]] == [2, 2, 2, 2, 4]
    # Both variants stand on the floors of their seeds.
    drawn = [each["metrics"]["drawn"]["world.friction"] for cell in data["cells"] for each in cell["trials"]]
    wanted = [np.random.default_rng([seed, 0]).uniform(0.3, 0.9) for seed in (7, 8)]
    assert drawn == [*wanted, *wanted]
    assert data["rows"][-1]["value"] == round(sum(wanted) / 2, 6)
    # Of two seeds, however many variants: t(0.975, 1) = 12.7062.
    half = 12.7062 * abs(wanted[1] - wanted[0]) / 2
    assert data["rows"][-1]["interval"] == pytest.approx([sum(wanted) / 2 - half, sum(wanted) / 2 + half], abs=1e-4)


@pytest.mark.slow
def test_any_number_of_processes_gives_the_same_bytes(floors):
    suite = suite_of(experiment_named(str(floors)))
    options = suite.options()
    texts = [json.dumps(suite.run(options, each).data()) for each in (InProcess(), Processes(2))]
    assert texts[0] == texts[1]


def test_axes_that_make_too_many_combinations_are_refused(floors):
    variants = ", ".join(f"v{number}: {{}}" for number in range(101))
    axes = "".join(f"  more{number}: {{variants: {{{variants}}}}}\n" for number in range(3))
    done = bench(changed(floors, "axes:\n", f"axes:\n{axes}"))
    assert done.exit_code == 2
    assert "the axes make too many combinations; got 2060602; limit: 10000" in done.stderr


def test_a_program_benches_a_file(floors):
    report = andante.bench(floors, seeds=1, settings=["world.friction=0.5"])
    assert [row.name for row in report.rows][:1] == ["weak: on its feet"]
    assert [trial["seed"] for trial in report.about["cells"][0]["trials"]] == [7]
    with pytest.raises(SearchError, match="--seeds: Input should be greater than or equal to 1; got 0"):
        andante.bench(floors, seeds=0)


@pytest.mark.slow
def test_an_interrupted_experiment_goes_on(floors, tmp_path, monkeypatch):
    suite = suite_of(experiment_named(str(floors)))
    whole = json.dumps(suite.run(suite.options(), InProcess()).data())
    journal = tmp_path / "floors.journal"
    from andante.search.journal import StudyJournal

    cases = suite.cases(suite.options())
    kept = StudyJournal(journal, suite.about(suite.options()))
    suite.made(cases[:2], InProcess(), kept)
    kept._file.close()
    out = tmp_path / "floors.json"
    done = bench(floors, "--journal", journal, "--resume", "--out", out)
    assert done.exit_code == 0, done.output
    assert json.loads(out.read_text())["rows"] == json.loads(whole)["rows"]
    assert not journal.exists()


def test_values_by_path_change_scenario_and_experiment(floors):
    done = bench(floors, "--set", "world.servo_strength=1", "--set", "figures.'on its feet'.at_least=0.5", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["rows"][0]["asked"] == ">= 0.5"
    suite = suite_of(experiment_named(str(floors)))
    asked = asked_of(experiment_named(str(floors)), suite.options(set=("world.solver.impratio=5", "seeds.count=3")))
    assert groups_of(asked)[0].setup.base.world.solver.impratio == 5.0
    assert asked.seeds.count == 3


def test_seeds_by_path_are_told_their_options(floors):
    for part in ("axes.floor", "spread[0].uniform", "faults"):
        done = bench(floors, "--set", f"{part}=1")
        assert done.exit_code == 2
        assert f"this part of an experiment stands in its file alone; got '{part}'; change it there" in done.stderr
    done = bench(floors, "--set", "seeds.count=3")
    assert done.exit_code == 2
    assert "seeds have options of their own; got 'seeds.count=3'; give --seeds or --first-seed" in done.output


def test_a_value_meets_those_that_were_given_before_it(floors):
    suite = suite_of(experiment_named(str(floors)))
    values = ("backend.type=drake", "backend.settings.contact=sap")
    asked = asked_of(experiment_named(str(floors)), suite.options(set=values))
    for group in groups_of(asked):
        assert group.setup.scenario(7)[0].backend.settings.contact == "sap"
    with pytest.raises(AndanteError, match="backend has no such field; got 'settings'"):
        asked_of(experiment_named(str(floors)), suite.options(set=values[::-1]))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "timeout: 1.0",
            "tiemout: 1.0",
            "the document has no such field; got 'tiemout'; did you mean 'timeout'?",
        ),
        ("timeout: 1.0", "weights: 1.0", "the document has no such field; got 'weights'"),
        ("timeout: 1.0", "timeout: -1.0", "timeout: is not legal; got -1.0; limit: above 0"),
        ("path: world.friction,", "path: world.fricton,", "did you mean 'friction'?"),
        ("uniform: [0.3", "uniform: [-0.3", "spread world.friction: the spread crosses a bound (uniform [-0.3, 0.9])"),
        ("uniform: [0.3, 0.9]", "uniform: [0.9, 0.3]", "the lowest value stands first, got [0.9, 0.3]"),
        ("uniform: [0.3, 0.9]", "uniform: [0.3, 0.9], choice: [1]", "give one of uniform, normal and choice"),
        ("metric: max_tilt", "metric: max_tlt", "no trial has such a metric; got 'max_tlt'; did you mean 'max_tilt'?"),
        ("metric: max_tilt", "metric: get-up.tries", "no trial has such a metric; got 'get-up'"),
        ("metric: drawn.world.friction", "metric: drawn.world.slope", "nothing of this path is drawn"),
        (
            "on its feet: {",
            "'{floor}': {",
            "nothing of this name is known to a figure's name; got '{floor}'; legal: strength",
        ),
        ("seeds: {", "options: {seeds: {help: x, sets: [world.friction]}}\nseeds: {", "every experiment has an option"),
        ("seeds: {", "options: {a-b: {help: x, sets: [world.friction]}}\nseeds: {", "options.a-b"),
        (
            "seeds: {",
            "observers: {get-upp: {}}\nseeds: {",
            "there is no such observer; got 'get-upp'; did you mean 'get-up'",
        ),
        (
            "seeds: {",
            "again: {more: {where: {passed: true}, set: {world.fricton: 1}, metric: passed}}\nseeds: {",
            "did you mean 'friction'?",
        ),
        ("count: 2", "count: 0", "seeds.count is not legal; got 0; limit: at least 1"),
        ("statistic: largest", "statistic: biggest", "legal: share, count, sum"),
        (
            "play: {library: nao-basics, motions: [stand]}",
            "note: x",
            "give one of scenario, play, walk, quadruped, got none",
        ),
        ("library: nao-basics", "library: nao-basic", "no such motion library"),
        (
            "set: {world.servo_strength: 0.8}",
            "set: {world.servo_strength: -1}",
            "servo_strength needs 0 <= low <= high",
        ),
    ],
)
def test_bad_input_is_one_message_before_the_first_trial(floors, old, new, message, monkeypatch):
    monkeypatch.setattr("andante.search.experiment.trial._once", lambda *_: pytest.fail("a trial was run"))
    done = bench(changed(floors, old, new))
    assert done.exit_code == 2, done.output
    assert message in done.stderr
    assert len(done.stderr) < 2000


def test_a_seed_draws_the_same_whatever_else_is_drawn_after_it():
    experiment = Experiment.model_validate(
        {
            "name": "x",
            "scenario": "get-up",
            "figures": {"passed": {"metric": "passed"}},
            "spread": [
                {"path": "world.friction", "normal": [0.5, 0.1]},
                {"path": "world.start.yaw", "choice": [0.0, 1.0, 2.0]},
            ],
        }
    )
    first = drawn_values(experiment.spread, 3, 9)
    assert first == drawn_values(experiment.spread, 3, 9)
    assert first["world.friction"] == drawn_values(experiment.spread[:1], 3, 9)["world.friction"]
    assert {drawn_values(experiment.spread, seed, 9)["world.start.yaw"] for seed in range(30)} == {0.0, 1.0, 2.0}


def test_a_file_that_is_none_is_told():
    for name in ("nowhere.yaml", "nowhere"):
        refused = bench(name)
        assert refused.exit_code == 2
        assert refused.stderr.count("\n") == 1
    with pytest.raises(AndanteError, match=r"nowhere\.yaml"):
        experiment_named("nowhere.yaml")
    assert Path(EXPERIMENTS["motion"].name).name == "motion"


COMPARED = """\
format: andante.experiment
version: 1
name: leaning
play: {library: nao-basics, motions: [stand]}
set: {timeout: 0.3, success.finishes: false}
figures: {tilt: {metric: max_tilt, statistic: mean, convert: deg}}
compare: {tilt: {metric: max_tilt, convert: deg, better: less, least: 0.5}}
subject: library
options: {library: {help: Motion library., sets: [play.library]}}
"""


@pytest.mark.slow
def test_two_versions_are_compared_by_values_by_path(tmp_path):
    file = tmp_path / "leaning.yaml"
    file.write_text(COMPARED, encoding="utf-8")
    words = ["compare", "nao-basics", "nao-basics", "--suite", file, "--seeds", "1", "--json"]
    done = bench(*words, "--set", "world.friction=0.6", "--of-second", "set=world.start.pitch=5deg")
    # One pair tells no difference by chance.
    assert done.exit_code == 2, done.output
    (difference,) = json.loads(done.stdout)["differences"]
    assert difference["second"] - difference["first"] > 1.0
    same = json.loads(bench(*words, "--set", "world.friction=0.6").stdout)["differences"][0]
    assert same["size"] == 0.0
    assert same["first"] == difference["first"]
    refused = bench(*words, "--set", "world.fricton=0.6")
    assert refused.exit_code == 2
    assert "did you mean 'friction'?" in refused.stderr


@pytest.mark.slow
def test_a_quadruped_is_watched_in_any_experiment(tmp_path):
    file = tmp_path / "masses.yaml"
    text = """\
        format: andante.experiment
        version: 1
        name: masses
        quadruped: {robot: spirit40, twist: [0.4, 0, 0], seconds: 1.2}
        observers: {quadruped: {}}
        figures:
          upright: {metric: quadruped.upright}
          error: {metric: "quadruped.error[0]", absolute: true, statistic: largest}
    """
    file.write_text(textwrap.dedent(text), encoding="utf-8")
    suite = suite_of(experiment_named(str(file)))
    (case,) = suite.cases(suite.options(seeds=1, values=("quadruped.payload=1.5",)))
    assert case.setup.base.payload == 1.5
    first, again = (suite.trial(case.setup, 0) for _ in range(2))
    # Parts are used again from trial to trial, and leave nothing behind.
    assert first == again
    assert first.metrics["quadruped"]["upright"] is True
    assert abs(first.metrics["quadruped"]["error"][0]) < 0.1
    changed(file, "quadruped.upright", "quadruped.uprigt")
    wrong = suite_of(experiment_named(str(file)))
    with pytest.raises(SearchError, match="this observer tells no such metric; got 'uprigt'; did you mean 'upright'"):
        wrong.cases(wrong.options())


def test_files_are_seen_from_the_experiment(tmp_path, monkeypatch):
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "mine.yaml").write_text(library_path("nao-basics").read_text(encoding="utf-8"), encoding="utf-8")
    text = SMALL.replace("set: {timeout", "set: {controller.library: mine.yaml, timeout")
    file = folder / "floors.yaml"
    file.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    group = groups_of(experiment_named("there/floors.yaml"))[0]
    assert group.setup.base.controller.library == str((folder / "mine.yaml").resolve())


def drawn_scenarios(path, *values):
    """The scenarios of an experiment's groups for seed 3, and what was drawn for them."""
    experiment = experiment_named(str(path))
    options = read_options(suite_of(experiment).options, {"values": values})
    return [group.setup.scenario(3) for group in groups_of(asked_of(experiment, options))]


def test_a_value_that_is_asked_for_is_overruled_by_no_variant_and_no_draw(floors):
    for scenario, drawn in drawn_scenarios(floors, "world.friction=0.4", "world.servo_strength=0.9"):
        assert scenario.world.friction == 0.4
        assert scenario.world.servo_strength == 0.9
        assert drawn == {"world.friction": 0.4}


def test_a_get_up_has_the_delay_that_is_asked_for_in_every_spread():
    experiment = EXPERIMENTS["getup"]
    for spread in experiment.axes["spread"].variants:
        options = read_options(suite_of(experiment).options, {"spread": spread, "values": ["world.command_delay=1"]})
        for group in groups_of(asked_of(experiment, options)):
            assert group.setup.scenario(3)[0].world.command_delay == 1


def test_a_part_of_what_seeds_draw_is_refused(floors):
    changed(
        floors, "path: world.friction, uniform: [0.3, 0.9]", "path: world.noise, choice: [{gyro: 0.1}, {gyro: 0.2}]"
    )
    changed(floors, "drawn.world.friction, statistic: mean", "max_tilt, statistic: mean")
    with pytest.raises(SearchError, match=r"--set world.noise.gyro: each seed draws what this belongs to"):
        drawn_scenarios(floors, "world.noise.gyro=0.3")


FLOORS = {
    "play": {"library": "nao-basics", "motions": ["stand"]},
    "axes": {"strength": {"variants": {"a": {}, "b": {}}}},
}


@pytest.mark.parametrize(
    ("figure", "message"),
    [
        ({"statistic": "lost"}, r"f\.against: names the variant that lost is compared with"),
        ({"statistic": "lost", "against": "c"}, r"f\.against: is no variant; got 'c'; legal: a, b"),
        ({"statistic": "lost", "against": "a", "pooled": True}, r"f\.against: variants that count together"),
        ({"against": "a"}, r"f\.against: is for lost only; got 'a'"),
        ({"statistic": "ratio", "is": True}, r"f\.per: a ratio is of two numbers"),
    ],
)
def test_a_reference_that_is_not_there_is_told_before_the_first_trial(figure, message):
    figures = {"f": {"metric": "fell", "is": False, **figure}}
    for part in ({"figures": figures}, {"figures": {"x": {"metric": "fell"}}, "columns": figures}):
        if part.get("columns") and figure.get("pooled"):
            continue
        with pytest.raises(SearchError, match=message):
            groups_of(Experiment.model_validate({"name": "x", **FLOORS, **part}))
    alone = {
        "name": "x",
        "play": FLOORS["play"],
        "figures": {"f": {"metric": "fell", "statistic": "lost", "against": "a"}},
    }
    with pytest.raises(SearchError, match="is no variant; got 'a'"):
        groups_of(Experiment.model_validate(alone))


@pytest.mark.slow
def test_what_is_lost_is_told_beside_a_judge_and_left_out_without_its_reference(floors):
    text = floors.read_text(encoding="utf-8").partition("figures:")[0]
    figures = "figures: {lost: {metric: fell, is: false, statistic: lost, against: weak}, feet: {metric: fell}}\n"
    floors.write_text(f"{text}{figures}seeds: {{first: 7, count: 1}}\n", encoding="utf-8")
    names = [row.name for row in andante.bench(floors).rows]
    assert names == ["weak: feet", "strong: lost", "strong: feet"]
    twins = bench(floors, "--twins")
    assert (twins.exit_code, twins.exception) == (0, None), twins.output
    assert "strong: lost" in twins.output
    alone = floors.read_text(encoding="utf-8").replace("  strength:\n", "  strength:\n    chosen: [strong]\n")
    floors.write_text(alone, encoding="utf-8")
    assert [row.name for row in andante.bench(floors).rows] == ["strong: feet"]


def test_a_table_of_columns_needs_no_bar_and_tells_numbers_in_full(floors):
    text = floors.read_text(encoding="utf-8")
    head, _, _ = text.partition("figures:")
    columns = "columns: {tilt: {metric: max_tilt, statistic: mean}, on: {metric: fell, is: false}}\n"
    floors.write_text(f"{head}figures: {{feet: {{metric: fell}}}}\n{columns}seeds: {{first: 7, count: 1}}\n", "utf-8")
    done = bench(floors)
    assert done.exit_code == 0, done.output
    (weak,) = [line.split() for line in done.output.splitlines() if line.startswith("weak")]
    assert 0.0 < float(weak[1]) < 0.5
    assert weak[2] == "1/1"


def test_a_normal_draw_beyond_a_bound_is_refused_before_the_first_trial(floors, tmp_path):
    """Its mean is legal, and it has no ends: a bench ended at the seed that drew a friction below zero."""
    changed(floors, "uniform: [0.3, 0.9]", "normal: [0.5, 0.4]")
    done = bench(floors, "--seeds", 4, "--first-seed", 7, "--out", tmp_path / "out.json")
    assert done.exit_code == 2
    assert "spread world.friction: seed 8 draws what crosses a bound (normal [0.5, 0.4])" in done.output
    assert "friction needs 0 <= low" in done.output
    assert not (tmp_path / "out.json.journal").exists()
    suite = suite_of(experiment_named(str(floors)))
    assert len(suite.cases(read_options(suite.options, {"seeds": 1}))) == 2


@pytest.mark.slow
def test_results_of_two_documents_of_one_name_tell_in_what_they_differ(floors, tmp_path):
    """They were compared as if their trials had run in the same worlds."""
    changed(floors, "seeds:", "compare: {upright: {metric: passed, succeeds: true}}\nseeds:")
    history = tmp_path / "history"
    for out in ("first.json", "second.json"):
        done = bench(floors, "--save", "--history", history, "--out", tmp_path / out)
        assert done.exit_code == 0, done.output
        changed(floors, "timeout: 1.0", "timeout: 0.5") if out == "first.json" else None
    for pair in ((tmp_path / "first.json", tmp_path / "second.json"), ("last~1", "last")):
        done = bench("compare", *pair, "--suite", floors, "--history", history)
        assert "experiment: set.timeout: 1.0; second: 0.5\n" in done.output, done.output
        assert done.output.count("experiment: ") == 1
    done = bench("compare", "last", "last", "--suite", floors, "--history", history)
    assert "experiment: " not in done.output
