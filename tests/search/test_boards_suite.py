"""The suite of boards: scores by hand, named rows, and what the command prints and refuses."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.runs.tasks.walk.metrics import WalkMetrics
from andante.runs.tasks.walk.task import WalkTask
from andante.search.suites.boards import board_rows, boards_figure, csv_text, failures, programme_score, table
from andante.search.suites.boards_table import ROWS, BoardBars
from andante.search.suites.boards_trial import BoardTrial


def trial(seed: int, speed: float, end: str = "arrived", label: str = "rocks") -> BoardTrial:
    return BoardTrial(
        label,
        WalkTask(seed=seed),
        WalkMetrics(
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
        ),
    )


def test_the_programme_counts_the_best_two_of_three() -> None:
    assert programme_score([0.10, 0.0, 0.14]) == pytest.approx(0.12)
    # Two groups of three; the seventh run is left over.
    assert programme_score([0.10, 0.0, 0.14, 0.2, 0.2, 0.1, 0.5]) == pytest.approx(0.16)
    assert programme_score([0.1, 0.1]) is None


def test_walks_that_fail_count_as_speed_zero_in_the_plain_mean() -> None:
    trials = [trial(0, 0.12), trial(1, 0.12), trial(2, 0.2, "fell")]
    rows = {row.name: row for row in board_rows(trials, BoardBars(at_least=0.6, speed=0.10, planning=1.0))}
    arrived = rows["all boards: arrived"]
    assert (arrived.value, arrived.ok) == (pytest.approx(2 / 3), True)
    # Wilson's interval of 2 of 3.
    assert arrived.interval == pytest.approx((0.2077, 0.9385), abs=1e-4)
    speed = rows["all boards: speed, plain mean"]
    assert (speed.value, speed.asked, speed.ok) == (pytest.approx(8.0), ">= 10", False)
    assert rows["rocks: programme score"].value == pytest.approx(12.0)
    assert rows["rocks: missed footholds"].value == pytest.approx(0.05)
    assert rows["rocks: energy, mean"].value == pytest.approx(50.0)
    assert rows["rocks: planning, longest"].ok is False
    assert failures(trials) == [{"seed": 2, "reasons": ["rocks: fell: why 2"]}]


def test_a_void_run_misses_what_is_asked_even_where_enough_arrive() -> None:
    rows = {row.name: row for row in board_rows([trial(0, 0.1), trial(1, 0.1, "void")], BoardBars(at_least=0.5))}
    assert rows["all boards: arrived"].ok
    assert rows["all boards: void runs"].ok is False


def test_the_table_has_a_line_per_board_and_the_csv_a_line_per_walk() -> None:
    trials = [trial(0, 0.12), trial(1, 0.1, "fell", "logs")]
    lines = table(trials)
    assert len(lines) == 4
    assert lines[2].split()[:4] == ["rocks", "1/1", "12.0", "12.0"]
    assert lines[3].split()[:3] == ["logs", "0/1", "0.0"]
    rows = list(csv.DictReader(io.StringIO(csv_text(trials))))
    assert [row["end"] for row in rows] == ["arrived", "fell"]
    assert rows[0]["speed"] == "0.12"


def test_the_rows_ask_what_the_table_asks() -> None:
    ten = ROWS["ten-boards"]
    assert len(ten.walks) == 10
    assert {task.difficulty for task in ten.walks.values()} == {0.5}
    assert (ten.seeds, ten.asked.at_least, ten.asked.speed) == (30, 0.97, 0.13)
    noise = {task.pose_noise for task in ten.walks.values()}
    assert noise == {(0.003, math.radians(0.5))}
    turned = ROWS["step-10.8-yaw"].walks["mesa 10.8"]
    assert turned.values == {"height": 0.108, "yaw": pytest.approx(math.radians(20.0))}


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if not row.robot])
def test_every_row_makes_scenarios(name: str) -> None:
    task = next(iter(ROWS[name].walks.values()))
    scenario = task.scenario()
    assert scenario.success.walk is not None
    assert scenario.timeout == 120.0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--row", "blocks-6"], "there is no such row of boards; got 'blocks-6'; did you mean 'blocks-5'?"),
        (["--row", "solo12"], "this row walks solo12, which does not come with Andante; give its MJCF or URDF"),
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
    (axes,) = boards_figure([trial(0, 0.12), trial(1, 0.1, "fell"), trial(2, 0.08, label="logs")]).axes
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
    assert data["runs"][0]["end"] == "arrived"
    assert data["runs"][0]["breaches"] == []
    assert 0.03 < data["runs"][0]["speed"] < 0.07
    assert files["a.png"].read_bytes().startswith(b"\x89PNG")
    assert files["a.csv"].read_text().count("\n") == 2
