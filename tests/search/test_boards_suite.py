"""The suite of boards: scores by hand, named rows, and what the command prints and refuses."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import asdict

import numpy as np
import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.errors import AndanteError
from andante.runs.tasks.walk.metrics import WalkMetrics
from andante.search.experiment.cases import Group, groups_of, table_of
from andante.search.experiment.document import Experiment
from andante.search.experiment.registry import EXPERIMENTS
from andante.search.experiment.suite import columns_of, rows_of
from andante.search.experiment.trial import ENDED, TrialResult
from andante.search.rows import Row
from andante.search.suites.boards import SUITE, BoardOptions, asked, csv_text
from andante.search.suites.boards_picture import boards_figure

ROWS = EXPERIMENTS["boards"].tables


def trial(seed: int, speed: float, end: str = "arrived") -> TrialResult:
    walk = WalkMetrics(
        end=end,  # type: ignore[arg-type]
        reason="" if end == "arrived" else f"why {seed}",
        length=1.7,
        way=1.6,
        time=12.0,
        waited=0.4,
        overtime=0.0,
        speed=speed if end == "arrived" else 0.0,
        aside=0.02,
        steps=40,
        planned=40,
        misses=2,
        worst_miss=0.03,
        slip=0.1,
        worst_slip=0.05,
        margin=0.004,
        low_support=0.1,
        energy=80.0,
        transport=1.9,
        brushes={"trunk": 0.1},
        planning=1.2,
        replanning=0.04,
        command_rate=0.99,
        clamps=0,
        breaches=(),
    )
    return TrialResult(seed, end == "arrived", (), {"walk": asdict(walk)})


def boards(*names: str, **asked_of: float) -> tuple[Experiment, list[Group]]:
    experiment = asked(BoardOptions(boards=",".join(names), **asked_of))
    return experiment, groups_of(experiment)


def rows(trials: list[TrialResult], **asked_of: float) -> dict[str, Row]:
    return {row.name: row for row in rows_of(*boards("rocks", **asked_of), {"rocks": trials})}


def test_the_programme_counts_the_best_two_of_three() -> None:
    def score(*speeds: float) -> float | None:
        found = rows([trial(seed, speed) for seed, speed in enumerate(speeds)]).get("rocks: programme score")
        return None if found is None else found.value

    assert score(0.10, 0.0, 0.14) == pytest.approx(12.0)
    # Two groups of three; the seventh run is left over.
    assert score(0.10, 0.0, 0.14, 0.2, 0.2, 0.1, 0.5) == pytest.approx(16.0)
    assert score(0.1, 0.1) is None


def test_walks_that_fail_count_as_speed_zero_in_the_plain_mean() -> None:
    found = rows([trial(0, 0.12), trial(1, 0.12), trial(2, 0.2, "fell")], at_least=0.6, speed=10.0)
    arrived = found["all boards: arrived"]
    assert (arrived.value, arrived.ok) == (pytest.approx(2 / 3), True)
    # Wilson's interval of 2 of 3.
    assert arrived.interval == pytest.approx((0.2077, 0.9385), abs=1e-4)
    speed = found["all boards: speed, plain mean"]
    assert (speed.value, speed.asked, speed.ok) == (pytest.approx(8.0), ">= 10", False)
    assert found["rocks: programme score"].value == pytest.approx(12.0)
    assert found["rocks: missed footholds"].value == pytest.approx(0.05)
    assert found["rocks: energy, mean"].value == pytest.approx(50.0)
    assert found["rocks: other parts touch, mean"].value == pytest.approx(0.1)


def ended(seed: int) -> TrialResult:
    """A walk that was ended at a limit."""
    why = "ended after 60 s, the limit of a trial"
    return TrialResult(seed, False, (why,), {"passed": False, ENDED: why})


def test_a_walk_that_was_ended_is_part_of_no_mean_and_of_no_three() -> None:
    trials = [trial(0, 0.10), ended(1), trial(2, 0.14), trial(3, 0.2), trial(4, 0.16), trial(5, 0.1)]
    found = rows(trials)
    assert (found["rocks: arrived"].value, found["rocks: arrived"].n) == (pytest.approx(5 / 6), 6)
    assert (found["rocks: speed, plain mean"].value, found["rocks: speed, plain mean"].n) == (pytest.approx(14.0), 5)
    # Only the second three is whole; the trials behind the one that was ended made threes of their own.
    assert found["rocks: programme score"].value == pytest.approx(18.0)
    assert "rocks: programme score" not in rows(trials[:3])


def test_a_board_of_which_all_walks_were_ended_costs_no_other_its_table() -> None:
    """It ended the bench: no trial tells this figure."""
    results = {"rocks": [ended(0), ended(1)], "logs": [trial(0, 0.1), trial(1, 0.12)]}
    lines = columns_of(*boards("rocks", "logs"), results)
    assert lines[3].split()[:4] == ["rocks", "0/2", "-", "-"]
    assert lines[4].split()[:3] == ["logs", "2/2", "11.0"]
    report = SUITE.report(BoardOptions(boards="rocks,logs", seeds=2), results)
    assert report.text[-1].startswith("2 of the trials ended by a limit")
    with pytest.raises(AndanteError, match="no trial tells this figure that was not ended at a limit"):
        SUITE.report(BoardOptions(boards="rocks", seeds=2, speed=5.0), {"rocks": results["rocks"]})


def test_the_picture_and_the_file_of_walks_tell_those_that_were_ended() -> None:
    results = {"rocks": [trial(0, 0.12), ended(1), trial(2, 0.08)], "logs": [ended(0)]}
    (axes,) = boards_figure(results).axes
    bars = [line.get_xdata()[0] for line in axes.get_lines() if line.get_linewidth() == 3.0 and len(line.get_xdata())]
    assert bars == pytest.approx([10.0])
    assert [text.get_text() for text in axes.texts] == [
        "2 of 3 arrived, 1 ended at a limit",
        "0 of 1 arrived, 1 ended at a limit",
    ]
    found = list(csv.DictReader(io.StringIO(csv_text(results))))
    assert [(row["seed"], row["end"], row["speed"]) for row in found] == [
        ("0", "arrived", "0.12"),
        ("1", "ended", ""),
        ("2", "arrived", "0.08"),
        ("0", "ended", ""),
    ]
    assert csv_text({"logs": [ended(0)]}).splitlines()[0] == "board,seed,end,reason"


def test_a_void_run_misses_what_is_asked_even_where_enough_arrive() -> None:
    found = rows([trial(0, 0.1), trial(1, 0.1, "void")], at_least=0.5)
    assert found["all boards: arrived"].ok
    assert found["all boards: void runs"].ok is False


def test_the_table_has_a_line_per_board_and_the_csv_a_line_per_walk() -> None:
    results = {"rocks": [trial(0, 0.12)], "logs": [trial(1, 0.1, "fell")]}
    lines = columns_of(*boards("rocks", "logs"), results)
    assert lines[0] == ""
    assert lines[1].split()[:3] == ["boards", "arrived", "mean"]
    assert lines[2].split()[:3] == ["cm/s", "cm/s", "cm/s"]
    assert lines[3].split()[:4] == ["rocks", "1/1", "12.0", "12.0"]
    assert lines[4].split()[:3] == ["logs", "0/1", "0.0"]
    assert len({len(line) for line in (lines[1], *lines[3:])}) == 1
    found = list(csv.DictReader(io.StringIO(csv_text(results))))
    assert [row["end"] for row in found] == ["arrived", "fell"]
    assert found[0]["speed"] == "0.12"


def test_the_report_shows_what_is_asked_and_all_boards_together() -> None:
    results = {"rocks": [trial(0, 0.1)]}
    report = SUITE.report(BoardOptions(boards="rocks", seeds=1), results)
    assert {row.name.partition(":")[0] for row in report.shown} == {"all boards"}
    assert report.where == "All results in simulation."


def test_the_rows_ask_what_the_table_asks() -> None:
    ten = table_of(EXPERIMENTS["boards"], "ten-boards")
    tasks = [group.setup.base for group in groups_of(ten)]
    assert len(tasks) == 10
    assert {task.difficulty for task in tasks} == {0.5}
    assert (ten.seeds.count, ten.figures["all boards: arrived"].at_least) == (30, 0.97)
    assert ten.figures["all boards: speed, plain mean"].at_least == 13.0
    assert {task.pose_noise for task in tasks} == {(0.003, math.radians(0.5))}
    turned = {group.title: group.setup.base for group in groups_of(table_of(EXPERIMENTS["boards"], "step-10.8-yaw"))}
    assert turned["mesa 10.8"].values == {"height": 0.108, "yaw": pytest.approx(math.radians(20.0))}


def test_what_is_asked_beside_a_row_counts_or_is_refused() -> None:
    """A row was walked by its own controller, whatever was asked."""
    for given in ({"row": "gap-14", "controller": "trot"}, {"row": "step-12", "difficulty": 0.2}):
        (name,) = given.keys() - {"row"}
        tasks = [case.setup.trial.base for case in SUITE.cases(BoardOptions(seeds=1, **given))]
        assert {getattr(task, name) for task in tasks} == {given[name]}
    with pytest.raises(AndanteError, match="--boards: means nothing to a row"):
        SUITE.cases(BoardOptions(row="gap-14", boards="rocks"))


def test_what_is_asked_for_changes_the_walks_of_a_row() -> None:
    changes = ("length=2m", "world.gravity=[0,0,-9]")
    options = BoardOptions(row="friction-0.4", friction=0.6, map_error=4.0, pose_noise="2,1", set=changes)
    (case, *_) = SUITE.cases(options)
    task = case.setup.trial.base
    assert (task.friction, task.map_error) == (0.6, 0.004)
    assert task.pose_noise == (0.002, pytest.approx(math.radians(1.0)))
    assert task.values == {"height": 0.035, "length": 2.0}
    scenario, _ = case.setup.trial.scenario(5)
    assert scenario.world.gravity == (0.0, 0.0, -9.0)
    assert (scenario.seed, scenario.world.terrain.seed) == (5, 5)


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if not row.robot])
def test_every_row_makes_scenarios(name: str) -> None:
    scenario, _ = groups_of(table_of(EXPERIMENTS["boards"], name))[0].setup.scenario(0)
    assert scenario.success.walk is not None
    assert scenario.timeout == 120.0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--row", "blocks-6"], "there is no such row; got 'blocks-6'; did you mean 'blocks-5'?"),
        (
            ["--row", "solo12"],
            "this table is for solo12, which does not come with Andante; got 'solo12'; give its MJCF or URDF",
        ),
        (["--boards", "roks"], "there is no such board; got 'roks'; did you mean 'rocks'?"),
        (["--boards", "rocks", "--set", "hight=1cm"], "board 'rocks' has no such parameter; got 'hight'; did you mean"),
    ],
)
def test_bad_input_is_refused_with_one_message(words: list[str], message: str) -> None:
    done = CliRunner().invoke(app, ["bench", "boards", *words])
    assert done.exit_code == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_picture_has_a_dot_per_walk_at_its_speed_and_the_plain_mean() -> None:
    (axes,) = boards_figure({"rocks": [trial(0, 0.12), trial(1, 0.1, "fell")], "logs": [trial(2, 0.08)]}).axes
    lines = {line.get_label(): line for line in axes.get_lines()}
    assert lines["arrived"].get_xdata() == pytest.approx([12.0, 8.0])
    assert list(lines["fell"].get_xdata()) == [0.0]
    assert np.round(lines["arrived"].get_ydata()).tolist() == [0.0, 1.0]
    bars = [line.get_xdata()[0] for line in axes.get_lines() if line.get_linewidth() == 3.0 and len(line.get_xdata())]
    assert bars == pytest.approx([6.0, 8.0])
    assert [label.get_text() for label in axes.get_yticklabels()] == ["rocks", "logs"]
    assert [text.get_text() for text in axes.texts] == ["1 of 2 arrived, 1 fell", "1 of 1 arrived"]
    assert axes.get_xlabel() == "speed to the goal [cm/s]"


@pytest.mark.slow
def test_the_command_walks_and_writes(tmp_path) -> None:
    board = tmp_path / "level.csv"
    board.write_text("\n".join(f"{0.1 * i} {0.1 * j - 0.3} 0" for i in range(9) for j in range(7)))
    files = {name: tmp_path / name for name in ("a.png", "a.csv", "a.json")}
    words = ["--boards", str(board), "--controller", "reactive-crawl", "--seeds", "1", "--at-least", "1"]
    for option, name in (("--picture", "a.png"), ("--csv", "a.csv"), ("--out", "a.json")):
        words += [option, str(files[name])]
    done = CliRunner().invoke(app, ["bench", "boards", *words])
    assert done.exit_code == 0, done.output
    assert "All results in simulation." in done.stdout
    data = json.loads(files["a.json"].read_text())
    walk = data["cells"][0]["trials"][0]["metrics"]["walk"]
    assert (walk["end"], walk["breaches"]) == ("arrived", [])
    assert 0.03 < walk["speed"] < 0.07
    assert files["a.png"].read_bytes().startswith(b"\x89PNG")
    assert files["a.csv"].read_text().count("\n") == 2
