"""`andante plan` and `andante walk` as a user meets them."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from andante.cli.app import app
from andante.runs.logs.log import Log

SHORT = ("--board", "flat", "--goal", "0.5,0")


def call(*words: str):
    return CliRunner().invoke(app, list(words))


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("walk")
    return call("walk", *SHORT, "--seed", "3", "--out", str(folder), "--json"), folder


@pytest.mark.parametrize("name", ["walk", "plan"])
def test_every_option_says_what_it_is(name: str) -> None:
    commands = get_command(app).commands
    assert [each.name for each in commands[name].params if not each.help] == []


@pytest.mark.slow
def test_a_plan_names_its_footsteps_in_order_and_draws_them(tmp_path: Path) -> None:
    picture, file = tmp_path / "plan.png", tmp_path / "plan.json"
    done = call("plan", *SHORT, "--draw", str(picture), "--out", str(file))
    assert done.exit_code == 0, done.output
    assert picture.read_bytes().startswith(b"\x89PNG")
    plan = json.loads(file.read_text())
    assert set(plan["feet"]) == {"FL", "FR", "HL", "HR"}
    times = [(step["lift_off"], step["touchdown"]) for step in plan["footsteps"]]
    # One foot at a time.
    assert all(begin < end for begin, end in times)
    assert all(end <= begin for (_, end), (begin, _) in pairwise(times))
    ends = {step["foot"]: step["place"][0] for step in plan["footsteps"]}
    assert all(ends[foot] > place[0] + 0.1 for foot, place in plan["feet"].items())
    # The goal is 0.5 m along the board; the middle of the feet comes to within 2 cm of it.
    assert sum(ends.values()) / 4 > 0.48 - 1e-3
    assert plan["speed"] > 0.05
    # What a joint has left to its declared limit: a plan never goes beyond one.
    assert 0.0 <= plan["slack"] < 1.0


def test_no_way_over_a_wall_is_refused_with_reason_and_exit_code(tmp_path: Path) -> None:
    board = tmp_path / "wall.csv"
    board.write_text("\n".join(f"{0.05 * i} {0.05 * j - 0.3} {0.3 * (i == 11)}" for i in range(21) for j in range(13)))
    done = call("plan", "--board", str(board), "--json")
    assert done.exit_code == 1
    refused = json.loads(done.stdout)
    assert refused["verdict"] == "fail"
    assert refused["reason"]
    assert "footsteps" not in refused


@pytest.mark.slow
def test_a_search_without_enough_work_is_refused_and_says_that_more_may_help() -> None:
    mesa = ("plan", "--board", "mesa", "--difficulty", "1", "--seed", "2")
    few = call(*mesa, "--effort", "0.1")
    assert few.exit_code == 1
    assert "more effort may find some" in few.output
    assert call(*mesa).exit_code == 0
    assert call(*mesa, "--effort", "0").exit_code == 2
    idle = call("walk", "--robot", "spirit40", "--twist", "0.5,0,0", "--effort", "2")
    assert idle.exit_code == 2
    assert "--effort" in idle.output


@pytest.mark.slow
def test_a_walk_arrives_within_its_limits_and_tells_its_story(walked) -> None:
    done, folder = walked
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    walk = result["metrics"]["walk"]
    assert (walk["end"], walk["breaches"], walk["clamps"]) == ("arrived", [], 0)
    assert walk["length"] == pytest.approx(0.35, abs=0.01)
    assert walk["speed"] == pytest.approx(walk["way"] / (walk["time"] + walk["overtime"]))
    assert 0.0 < walk["waited"] < 2.0
    assert walk["planned"] >= 4
    assert 0.0 < walk["command_rate"] <= 1.0
    texts = [moment["text"] for moment in result["story"]]
    assert texts[0].startswith("walks ")
    assert any(text.startswith("arrived: ") for text in texts)
    assert {path.name for path in folder.iterdir()} >= {"log.mcap", "metrics.json", "report.html", "walk.png"}


@pytest.mark.slow
def test_the_report_shows_the_pictures(walked) -> None:
    _, folder = walked
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert '"pictures":[["The walk","iVBOR' in page
    assert '"walk.end":"arrived"' in page


@pytest.mark.slow
def test_what_is_recorded_is_the_same_again(walked, tmp_path: Path) -> None:
    _, folder = walked
    again = call("walk", *SHORT, "--seed", "3", "--out", str(tmp_path), "--no-report", "--json")
    assert again.exit_code == 0
    logs = [Log.open(each / "log.mcap") for each in (folder, tmp_path)]
    for channel in ("sensors", "command", "truth"):
        assert np.array_equal(logs[0].rows(channel).rows, logs[1].rows(channel).rows)
    first, second = (json.loads((each / "metrics.json").read_text())["metrics"]["walk"] for each in (folder, tmp_path))
    for walk in (first, second):
        # The only figures by a clock.
        for name in ("planning", "replanning", "overtime", "speed"):
            del walk[name]
    assert first == second


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--board", "rokcs"], "there is no such board; got 'rokcs'; did you mean 'rocks'?"),
        (["--robot", "litledog"], "there is no such robot; got 'litledog'; did you mean 'littledog'?"),
        (["--board", "floor"], "there is no such board; got 'floor'"),
        (["--twist", "0.1,0"], "--twist: another number of values is needed; got '0.1,0'; limit: 3 with commas"),
        (["--twist", "0.1,0,0", "--goal", "1,0"], "goal: means nothing to a robot that is steered; got (1.0, 0.0)"),
        (["--twist", "0.1,0,0", "--set", "height=3cm"], "values: means nothing to a robot that is steered"),
        (
            ["--twist", "0.1,0,0", "--controller", "crawl"],
            "this controller follows no twist; got 'crawl'; legal: reactive-crawl, trot",
        ),
        (["--twist", "3,0,0"], "steering.forward: the trot cannot go so fast within the robot's limits; got '3 m/s'"),
        (["--controller", "crowl"], "there is no such controller for a walk; got 'crowl'; did you mean 'crawl'?"),
        (["--start", "5,0"], "the start is off the board; got [5.0, 0.0]; limit: x 0.000 to 2.004"),
        (["--goal", "0.1,0.9"], "the goal is off the board; got [0.1, 0.9]"),
        (["--goal", "0,0"], "the goal is not ahead of the start; a robot sets out along x; got [0.0, 0.0]"),
        (["--goal", "1,2,3"], "--goal: another number of values is needed; got '1,2,3'"),
        (["--difficulty", "2"], "rocks: difficulty is out of range; got 2.0; limit: 0 to 1"),
        (["--set", "heigth=3"], "board 'rocks' has no such parameter; got 'heigth'; did you mean 'height'?"),
        (["--set", "height=x"], "--set: give NAME=NUMBER; got 'height=x'; for example height=7.5cm yaw=20deg"),
        (["--pose-noise", "-1,0"], "--pose-noise: noise is not below zero; got '-1,0'"),
        (["--torque", "0"], "limits.torque: "),
        (["--robot", "ers7"], "ers7.FL: the leg's closed form needs axes along x, y and y at zero angles"),
        (["--robot", "nao"], "nao: walks are for robots on four feet; got ('left', 'right')"),
        (["--map-correlation", "30"], "map_correlation: a map without errors has none that are alike; got 0.03"),
        (
            ["--controller", "trot", "--map-shift", "5"],
            "registration: means nothing to a robot that does not plan; got 0.005; --controller crawl",
        ),
        (
            ["--load", "force"],
            "there is no such way to tell servos of their load; got 'force'; legal: torque, position",
        ),
        (["--gains", "soft"], "robot 'littledog' has no such set of gains; got 'soft'; legal: stiff"),
        (["--board", "none.csv"], "none.csv: the file cannot be read"),
    ],
)
def test_bad_input_is_refused_with_one_message(words: list[str], message: str, tmp_path: Path) -> None:
    done = call("walk", *words, "--out", str(tmp_path / "out"))
    assert done.exit_code == 2, done.output
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_map_with_a_hole_is_walked_and_the_hole_is_told(tmp_path: Path) -> None:
    board = tmp_path / "hole.csv"
    heights = {(i, j): "nan" if (i, j) == (3, 2) else "0" for i in range(9) for j in range(7)}
    board.write_text("\n".join(f"{0.1 * i} {0.1 * j} {height}" for (i, j), height in heights.items()))
    done = call("plan", "--board", str(board))
    assert done.exit_code == 0
    assert "1 of 63 nodes (1.6 %) are unknown" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "asked", "within"),
    [
        (("--twist", "0.25,0,0"), (0.25, 0.0, 0.0), (0.02, 0.02, 0.03)),
        (("--twist", "0.05,0.04,0.4"), (0.05, 0.04, 0.4), (0.02, 0.02, 0.05)),
        (("--twist", "0.04,0,0", "--controller", "reactive-crawl"), (0.04, 0.0, 0.0), (0.01, 0.01, 0.03)),
        (("--twist", "0.2,0,0", "--board", "rolling", "--difficulty", "0.2"), (0.2, 0.0, 0.0), (0.03, 0.03, 0.1)),
    ],
)
def test_a_steered_robot_does_what_is_asked_for_the_seconds_and_stands(
    words: tuple[str, ...], asked: tuple[float, ...], within: tuple[float, ...], tmp_path: Path
) -> None:
    done = call("walk", *words, "--seconds", "3", "--no-report", "--json", "--out", str(tmp_path))
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert result["asked"] == list(asked)
    assert (np.abs(np.subtract(result["reached"], asked)) <= within).all(), result["reached"]
    assert 3.0 < result["metrics"]["done_at"] < 6.0
    assert result["metrics"]["walk"] is None
