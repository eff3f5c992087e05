"""Robots, places and options that a dynamic quadruped cannot walk with: each is named, and nothing moves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from bad_quadrupeds import FOUR, quadruped
from typer.testing import CliRunner

from andante.backends.terrain import TerrainChoice
from andante.cli.app import app
from andante.errors import AndanteError
from andante.planning.quadruped.body import QuadrupedBody
from andante.robots.robot import Robot
from andante.runs.build import load_declared
from andante.runs.execute import run_scenario
from andante.runs.tasks.quadruped.task import QuadrupedTask, QuadrupedTaskError
from andante.terrain.boards.course import BoardKind
from andante.terrain.boards.make import BOARDS


def written(folder: Path, **what: Any) -> Path:
    path = folder / "box.xml"
    path.write_text(quadruped(**what))
    return path


@pytest.mark.parametrize(
    ("what", "message"),
    [
        (
            {"roll": False},
            "robot 'box' has not twelve joints; got 8; limit: 12",
        ),
        (
            {"legs": (*FOUR, "ML", "MR")},
            "robot 'box' has 6 feet and 18 joints, a quadruped four and twelve; got ('FL_calf', 'FR_calf', 'RL_calf',"
            " 'RR_calf', 'ML_calf', 'MR_calf'); limit: FL, FR, HL, HR",
        ),
        (
            {"legs": FOUR[:3]},
            "robot 'box' has 3 feet and 9 joints, a quadruped four and twelve; got ('FL_calf', 'FR_calf', 'RL_calf');"
            " limit: FL, FR, HL, HR",
        ),
        (
            {"pitch": 0.5},
            "robot 'box' cannot hold its hips at 0.66 of its stretched legs: FL: FL_pitch: the foot's place needs a"
            " joint beyond its limit; got '48.7 deg'; limit: -28.6 to 28.6 deg",
        ),
    ],
)
def test_a_robot_with_other_legs_is_named_with_what_it_has(what: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(AndanteError) as raised:
        QuadrupedBody.of(Robot.load(written(tmp_path, **what)))
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ({"mass": False}, "mass and inertia of moving bodies must be larger than mjMINVAL"),
        ({"base": '<joint type="slide"/>'}, "the root body hangs on a joint; a legged robot needs a free base"),
    ],
)
def test_a_model_without_mass_or_free_base_is_refused(what: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(AndanteError, match=message):
        Robot.load(written(tmp_path, **what))


@pytest.mark.slow
def test_what_was_assumed_of_a_bare_model_is_told_with_the_run(tmp_path: Path) -> None:
    path = written(tmp_path, ranges=False)
    result = run_scenario(QuadrupedTask(str(path), (0.2, 0.0, 0.0), seconds=0.2).scenario(), tmp_path / "run")
    topics = [note.partition(":")[0] for note in result.notes]
    assert topics == [
        "feet",
        "imu",
        "position limits",
        "speeds",
        "torque-speed limits",
        "joint friction",
        "rotors",
        "servos",
        "control",
    ]
    assert "joint friction: the file has no dry friction of any joint, and none is assumed" in result.notes
    assert any(note.endswith("RR_roll, RR_pitch") for note in result.notes if note.startswith("position limits"))


@pytest.mark.slow
def test_a_packed_robot_has_nothing_to_tell(tmp_path: Path) -> None:
    assert run_scenario(QuadrupedTask("spirit40", (0.2, 0.0, 0.0), seconds=0.2).scenario(), tmp_path).notes == ()


def test_a_robot_starts_where_the_board_says_or_where_it_is_told_to_on_the_board() -> None:
    task = QuadrupedTask("spirit40", (0.2, 0.0, 0.0), board="step-10", start=(0.5, 0.25))
    assert (task.scenario().world.start.x, task.scenario().world.start.y) == (0.5, 0.25)
    rocks = QuadrupedTask("spirit40", (0.2, 0.0, 0.0), board="rocks").scenario()
    assert rocks.world.terrain is not None
    assert (rocks.world.start.x, rocks.world.start.y) == rocks.world.terrain.load().start
    # A lane of LittleDog's size has no room for the feet of a larger robot; worlds have lengths of their own.
    assert rocks.world.terrain.leg_length == pytest.approx(0.432)
    assert task.scenario().world.terrain.leg_length == TerrainChoice(board="flat").leg_length
    BOARDS.register("sills", BoardKind("sills", "sills", {"height": (0.0, 0.02)}, lambda course: None))
    try:
        own = QuadrupedTask("spirit40", (0.2, 0.0, 0.0), board="sills").scenario()
        assert own.world.terrain.leg_length == pytest.approx(0.432)
    finally:
        BOARDS.unregister("sills")
    with pytest.raises(QuadrupedTaskError) as raised:
        QuadrupedTask("spirit40", (0.2, 0.0, 0.0), board="step-10", start=(100.0, 0.0)).scenario()
    assert str(raised.value) == (
        "start: the start is off the board; got [100.0, 0.0]; limit: x -2.000 to 7.000, y -2.000 to 2.000 m"
    )


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        (("--start", "3,0"), "--start: means nothing to a robot on the level floor; got '3,0'"),
        (("--set", "height=1"), "--set: means nothing to a robot on the level floor; got {'height': 1.0}"),
        (("--torque", "3"), "--torque: means nothing to a dynamic quadruped; got 3.0"),
        (("--speed-limit", "3"), "--speed-limit: means nothing to a dynamic quadruped; got 3.0"),
        (("--map-window", "2"), "--map-window: means nothing to a dynamic quadruped; got 2.0"),
        (("--pose-noise", "1,1"), "--pose-noise: means nothing to a dynamic quadruped; got '1,1'"),
        (("--controller", "trot", "--gait", "bound"), "--gait: means nothing to the controller trot; got 'bound'"),
        (("--controller", "trot", "--blind"), "--blind: means nothing to the controller trot; got True"),
        (("--board", "step-10", "--goal", "50,0"), "the map is smaller than the plan"),
    ],
)
def test_options_that_would_change_nothing_are_refused(wishes: tuple[str, ...], message: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    steering = () if "--goal" in wishes else ("--twist", "0.1,0,0")
    done = CliRunner().invoke(app, ["walk", "--robot", "spirit40", *wishes, *steering, "--out", str(folder)])
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())
    assert not folder.exists()


def test_a_file_that_is_missing_is_named_as_a_file(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["walk", "--robot", "nowhere/go2.xml", "--twist", "0.1,0,0"])
    assert done.exit_code == 2
    assert done.stderr == "andante: nowhere/go2.xml: there is no such file of a robot\n"
    done = CliRunner().invoke(app, ["walk", "--robot", "spirit", "--twist", "0.1,0,0"])
    assert "there is no such robot; got 'spirit'; did you mean 'spirit40'?" in done.stderr


@pytest.mark.slow
def test_a_robot_by_path_walks_as_declared(tmp_path: Path) -> None:
    scenario = QuadrupedTask(str(written(tmp_path)), (0.2, 0.0, 0.0), seconds=0.5).scenario()
    robot = load_declared(scenario)
    assert robot.sources["control"].startswith("assumption: torques at 500 Hz, delay 1 tick")
    assert run_scenario(scenario, tmp_path / "run").passed
