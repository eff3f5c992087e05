"""What design tools could not tell: whether a motion falls, when and to which side."""

from __future__ import annotations

import math

import pytest

from andante.motions.checks.aibo.run import check_aibo
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.robots.robot import Robot
from andante.runs.checks.physics_check import PhysicsRules, check_physics, run_physics


@pytest.fixture(scope="module")
def ers7() -> Robot:
    return Robot.load("ers7")


def lifting(side: str) -> MotionLibrary:
    """Raises both legs of a side to the horizontal: every angle is legal, and the robot falls to that side."""
    joints = {f"{side}FJ1": 95.0, f"{side}FJ3": 0.0, f"{side}RJ1": 95.0, f"{side}RJ3": 0.0}
    targets = {name: math.radians(value) for name, value in joints.items()}
    block = Block(keyframes=(Keyframe(duration=0.8, joints=targets, interpolation="sine_min_to_max"),))
    return MotionLibrary(robot="ers7", motions={"lift": Motion(blocks=("b",))}, blocks={"b": block})


@pytest.mark.parametrize(("side", "name"), [("L", "left"), ("R", "right")])
def test_a_motion_that_is_legal_by_angle_but_falls_is_told_with_time_and_side(
    ers7: Robot, side: str, name: str
) -> None:
    document = lifting(side)
    assert not [f for f in check_aibo(document, ers7, only=["limit", "coupling", "speed"]) if f.severity == "error"]
    (finding, *_) = check_physics(document, ers7, PhysicsRules(seeds=(0, 1)))
    assert (finding.rule, finding.severity, finding.motion, finding.value) == ("falls", "error", "lift", name)
    assert finding.time is not None
    assert 0.1 < finding.time < 1.8
    assert finding.message.startswith(f"falls {name} in 2 of 2 runs, first after {finding.time:.2f} s with seed")


def test_a_motion_that_may_fall_is_not_blamed(ers7: Robot) -> None:
    rules = PhysicsRules(seeds=(0,), may_fall=frozenset({"lift"}))
    assert [f.rule for f in check_physics(lifting("L"), ers7, rules) if f.rule == "falls"] == []


def test_a_still_motion_passes_and_its_loads_are_known(ers7: Robot) -> None:
    still = MotionLibrary(
        robot="ers7",
        motions={"rest": Motion(blocks=("b",))},
        blocks={"b": Block(keyframes=(Keyframe(duration=0.4, joints={"Pan": 0.0}),))},
    )
    assert check_physics(still, ers7, PhysicsRules(seeds=(0,))) == []
    run = run_physics(still, ers7, "rest", 3)
    assert run.finished
    assert run.fall_time is None
    assert run.load_times[0.9][0] == 0.0
    strict = PhysicsRules(seeds=(0,), high_load=0.05, high_load_time=0.2)
    (finding,) = check_physics(still, ers7, strict)
    assert (finding.rule, finding.severity) == ("sustained-load", "warning")
    assert finding.joint in ers7.joint_names
