"""What a dynamic quadruped refuses before anything moves: models, wishes and numbers, by their messages."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from andante.control.controller import ControlError
from andante.errors import AndanteError
from andante.planning.quadruped.body import QuadrupedBody, QuadrupedError
from andante.planning.quadruped.gait import GaitError, gait_of
from andante.robots.robot import Robot
from andante.runs.build import build
from andante.runs.errors import ScenarioError
from andante.runs.scenario_files import validated
from andante.runs.tasks.quadruped.task import NOISE, QuadrupedTask, QuadrupedTaskError, quadruped_task, torque_walker
from andante.runs.tasks.quadruped.torque_driven import TICK, torque_driven

AHEAD = (0.3, 0.0, 0.0)


@pytest.fixture(scope="module", name="spirit")
def _spirit() -> Robot:
    return Robot.load("spirit40")


def quadruped(*, hips: int = 3, feet: bool = True, trunk: str = "6") -> str:
    """Four legs of so many joints, with ball feet or with calves that have no shape."""
    legs = ""
    for name, x, y in (("FL", 0.2, 0.1), ("FR", 0.2, -0.1), ("RL", -0.2, 0.1), ("RR", -0.2, -0.1)):
        ball = '<geom type="sphere" size="0.02" pos="0 0 -0.2"/>' if feet else ""
        parts = (("hip", "1 0 0", "0 0.05 0" if y > 0 else "0 -0.05 0"), ("thigh", "0 1 0", "0 0 -0.2"))
        opened = ""
        place = f"{x} {y} 0"
        for part, axis, next_place in parts[3 - hips :]:
            opened += f"""<body name="{name}_{part}" pos="{place}"><joint name="{name}_{part}" axis="{axis}"
                range="-90 90"/><inertial pos="0 0 -0.05" mass="0.5" diaginertia="1e-3 1e-3 1e-3"/>"""
            place = next_place
        legs += f"""{opened}<body name="{name}_calf" pos="{place}"><joint name="{name}_calf" axis="0 1 0"
            range="-150 0"/><inertial pos="0 0 -0.1" mass="0.2" diaginertia="1e-3 1e-3 1e-4"/>{ball}</body>"""
        legs += "</body>" * len(parts[3 - hips :])
    return f"""<mujoco model="quad"><worldbody><body name="trunk" pos="0 0 0.4"><freejoint/>
        <inertial pos="0 0 0" mass="{trunk}" diaginertia="0.05 0.1 0.1"/>{legs}</body></worldbody></mujoco>"""


def hexapod() -> str:
    """Six legs, 18 joints."""
    legs = ""
    for number, (x, y) in enumerate((x, y) for x in (0.3, 0.0, -0.3) for y in (0.1, -0.1)):
        legs += f"""<body name="l{number}a" pos="{x} {y} 0"><joint name="l{number}a" axis="1 0 0" range="-90 90"/>
          <inertial pos="0 0 0" mass="0.5" diaginertia="1e-3 1e-3 1e-3"/>
          <body name="l{number}b" pos="0 {y / 2} 0"><joint name="l{number}b" axis="0 1 0" range="-90 90"/>
          <inertial pos="0 0 -0.1" mass="0.5" diaginertia="1e-3 1e-3 1e-3"/>
          <body name="l{number}c" pos="0 0 -0.2"><joint name="l{number}c" axis="0 1 0" range="-150 0"/>
          <inertial pos="0 0 -0.1" mass="0.2" diaginertia="1e-3 1e-3 1e-4"/>
          <geom type="sphere" size="0.02" pos="0 0 -0.2"/></body></body></body>"""
    return f"""<mujoco model="hexapod"><worldbody><body name="trunk" pos="0 0 0.4"><freejoint/>
        <inertial pos="0 0 0" mass="6" diaginertia="0.05 0.1 0.1"/>{legs}</body></worldbody></mujoco>"""


def refused(tmp_path: Path, text: str) -> str:
    """Why a run with a model of this text cannot be built."""
    path = tmp_path / "model.xml"
    path.write_text(text)
    with pytest.raises(AndanteError) as caught:
        build(QuadrupedTask(str(path), AHEAD).scenario())
    return str(caught.value)


def test_a_model_of_four_legs_and_twelve_joints_is_built(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(quadruped())
    parts = build(QuadrupedTask(str(path), AHEAD).scenario())
    assert torque_walker(Robot.load(path))
    assert len(parts.robot.joints) == 12
    assert parts.robot.tick == TICK
    assert set(parts.robot.postures) >= {"ready", "sit"}


def test_a_model_without_feet_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, quadruped(feet=False)) == "quad: FL: a foot has no shape to stand on; got 'FL_calf'"


def test_a_model_of_eight_joints_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, quadruped(hips=2)) == "robot 'quad' has not twelve joints; got 8; limit: 12"


def test_a_model_of_six_legs_is_refused(tmp_path: Path) -> None:
    message = refused(tmp_path, hexapod())
    assert "has 6 feet and 18 joints" in message
    assert "limit: FL, FR, HL, HR" in message


def test_a_model_without_mass_is_refused(tmp_path: Path) -> None:
    message = refused(tmp_path, quadruped(trunk="0"))
    assert "mass and inertia of moving bodies must be larger" in message
    assert "trunk" in message


def test_legs_of_another_kind_are_refused(spirit: Robot) -> None:
    with pytest.raises(QuadrupedError, match="'nao' has 2 feet and 26 joints, a quadruped four and twelve"):
        torque_driven(Robot.load("nao"))
    with pytest.raises(QuadrupedError, match="'spirit40' has not twelve joints; got 11; limit: 12"):
        QuadrupedBody.of(replace(spirit, joints=spirit.joints[:-1], servos=spirit.servos[:-1]))


def test_what_torque_control_needs_is_there(spirit: Robot) -> None:
    ready = torque_driven(spirit)
    assert ready.tick == 0.002
    assert ready.delay_ticks >= 1
    body = QuadrupedBody.of(spirit)
    stretched = body.legs.table.lengths.sum(axis=1).mean()
    # Standing, the hips are 0.66 of the stretched leg above the feet; sitting, 0.35.
    for name, share in (("ready", 0.66), ("sit", 0.35)):
        angles = body.legs.angles(ready.posture(name))
        feet = np.array([leg.place(each) for leg, each in zip(body.legs.legs, angles, strict=True)])
        assert (body.hips[:, 2] - feet[:, 2]).mean() == pytest.approx(share * stretched, rel=1e-3)
        assert np.ptp(feet[:, 2]) < 1e-6


TASKS: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, "nothing is asked of the robot; give a twist, a goal or a board"),
    "both": ({"twist": AHEAD, "goal": (1.0, 0.0)}, "goal: a robot that is steered has no goal; got (1.0, 0.0)"),
    "gait": (
        {"twist": AHEAD, "gait": "hop"},
        "there is no such gait; got 'hop'; legal: trot, running-trot, walk, pace, bound, pronk, gallop",
    ),
    "friction": ({"twist": AHEAD, "friction": 0.0}, "friction: must be above zero; got 0.0"),
    "seconds": ({"twist": AHEAD, "seconds": -1.0}, "seconds: must be above zero; got -1.0"),
    "strength": ({"twist": AHEAD, "strength": float("nan")}, "strength: must be a finite number; got nan"),
}


@pytest.mark.parametrize("name", TASKS)
def test_wishes_that_cannot_be_are_named(name: str) -> None:
    wishes, message = TASKS[name]
    with pytest.raises(QuadrupedTaskError) as caught:
        QuadrupedTask("spirit40", **wishes)
    assert str(caught.value) == message


def choice(**wishes: Any) -> QuadrupedTask:
    """What a command line without anything asks for, but for these."""
    words: dict[str, Any] = {"robot": "spirit40", "board": None, "difficulty": 0.5, "seed": 0, "seconds": 2.0}
    words |= dict.fromkeys(("twist", "gait", "push", "start", "goal", "friction"))
    return quadruped_task(words | {"blind": False, "payload": 0.0, "values": ()} | wishes)


TEXTS = {
    "--twist: is no finite number; got 'nan'": {"twist": "nan,0,0"},
    "--twist: another number of values is needed; got '0.1,0'; limit: 3 with commas": {"twist": "0.1,0"},
    "--push: another number of values is needed; got '1,2'; limit: 4 with commas": {"twist": "0,0,0", "push": "1,2"},
    "--goal: is no finite number; got 'inf'": {"goal": "inf,0"},
}


@pytest.mark.parametrize("message", TEXTS)
def test_numbers_of_a_command_line_are_named(message: str) -> None:
    with pytest.raises(AndanteError) as caught:
        choice(**TEXTS[message])
    assert str(caught.value) == message


def test_a_command_line_without_a_wish_trots_ahead() -> None:
    assert choice().twist == (0.5, 0.0, 0.0)
    assert choice(board="floor").twist == (0.5, 0.0, 0.0)
    assert choice(board="flat").twist is None


def test_a_board_and_a_twist_go_together() -> None:
    scenario = choice(board="flat", twist="0.2,0,0").scenario()
    assert scenario.world.terrain is not None
    assert scenario.controller.goal is None
    assert [change.forward for change in scenario.controller.steering] == [0.2, 0.0]
    assert scenario.success.walk is None
    assert build(scenario).controller is not None


def test_a_goal_needs_a_map_that_holds_it() -> None:
    with pytest.raises(ControlError) as caught:
        build(QuadrupedTask("spirit40", goal=(3.0, 0.0)).scenario())
    assert str(caught.value) == "controller.goal: a way to a goal needs a map; got (3.0, 0.0)"
    with pytest.raises(AndanteError) as caught:
        build(QuadrupedTask("spirit40", goal=(30.0, 0.0), board="flat").scenario())
    assert str(caught.value).startswith("the map does not hold the goal; got [30.0, 0.0]; limit: x 0.000 to 4.620")


@pytest.mark.parametrize("twist", [(1000.0, 0.0, 0.0), (0.0, -20.0, 0.0), (0.0, 0.0, 100.0)])
def test_speeds_beyond_what_the_joints_can_do_are_refused(twist: tuple[float, float, float]) -> None:
    with pytest.raises(ControlError) as caught:
        build(QuadrupedTask("spirit40", twist).scenario())
    pattern = r"^controller\.steering\[0\]: robot 'spirit40' cannot walk or turn so fast: its hips move at .* m/s; got"
    assert re.match(pattern, str(caught.value))
    assert "by the speed of its pitch joints" in str(caught.value)


def test_gaits_of_a_scenario_are_checked() -> None:
    data = QuadrupedTask("spirit40", AHEAD).scenario().model_dump(exclude_unset=True)
    data["controller"]["gaits"] = [{"time": 1.0}, {"time": 1.0, "gait": "walk"}]
    with pytest.raises(ScenarioError, match="times of the gaits rise"):
        validated(data)
    data["controller"]["gaits"] = [{"gait": "hop"}]
    with pytest.raises(GaitError, match="there is no such gait; got 'hop'"):
        build(validated(data))
    with pytest.raises(GaitError):
        gait_of("")


def test_the_scenario_says_what_the_task_asks() -> None:
    task = QuadrupedTask("spirit40", AHEAD, seconds=3.0, noise=0.5, payload=3.0, slope=0.2, push=(1.0, 0.0, 35.0, 0.0))
    world = task.scenario().world
    assert world.noise.gyro == pytest.approx(0.5 * NOISE["gyro"])
    assert world.slope == pytest.approx(np.arctan(0.2))
    assert world.payload is not None
    assert world.payload.mass == 3.0
    assert [tuple(push.impulse) for push in world.pushes] == [(0.0, 35.0, 0.0)]
    steering = task.scenario().controller.steering
    assert [(change.time, change.forward) for change in steering] == [(0.5, 0.3), (3.5, 0.0)]
