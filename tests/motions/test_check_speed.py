"""What the checks leave out to be quick changes nothing that they find."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.kinematics.collision import Clearances
from andante.motions.checks.aibo.context import AiboContext, _nearest_to_all
from andante.motions.checks.aibo.rules import AiboRules
from andante.motions.checks.strides import FAR, Strides
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.robots.robot import Robot


@pytest.fixture(scope="module")
def ers7() -> Robot:
    return Robot.load("ers7")


def swings(robot: Robot, seed: int, keys: int = 4) -> MotionLibrary:
    """A motion through postures drawn from all that the joints can do."""
    draw = np.random.default_rng(seed)
    frames = [
        Keyframe(
            duration=0.4,
            joints={
                joint.name: float(draw.uniform(max(joint.lower, -1.8), min(joint.upper, 1.8)))
                for joint in robot.joints
                if draw.random() < 0.6
            },
        )
        for _ in range(keys)
    ]
    return MotionLibrary(
        robot=robot.name, motions={"m": Motion(blocks=("b",))}, blocks={"b": Block(keyframes=tuple(frames))}
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("limit", [0.002, 0.012])
def test_strides_find_what_a_look_at_every_sample_finds(ers7: Robot, seed: int, limit: float) -> None:
    context = AiboContext(swings(ers7, seed), ers7, AiboRules())
    strides, far, near = Strides(ers7, limit), Clearances(ers7, FAR), Clearances(ers7, limit)
    for played, segment in context.segments():
        position, rows = played.trajectory.position, played.looked_at(segment)
        found = {
            (row, each.first, each.second) for row, close in strides.look(position, rows, far.at) for each in close
        }
        every = {(row, each.first, each.second) for row in rows.tolist() for each in near.at(position[row])}
        assert found == every


def test_the_scene_of_the_strides_has_collisions(ers7: Robot) -> None:
    near = Clearances(ers7, 0.012)
    met = 0
    for seed in range(6):
        for played, segment in AiboContext(swings(ers7, seed), ers7, AiboRules()).segments():
            met += sum(bool(near.at(played.trajectory.position[row])) for row in played.looked_at(segment).tolist())
    assert met > 100


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=1, max_size=40))
def test_the_value_nearest_to_all_is_the_brute_one(values: list[tuple[int, bool]]) -> None:
    angles = np.array([value for value, _ in values], dtype=float)
    shown = np.array([named for _, named in values])
    chosen = _nearest_to_all(np.where(shown, angles, math.nan), shown)
    if shown.any():
        sums = [
            np.abs(angles[shown] - angle).sum() if named else math.inf
            for angle, named in zip(angles, shown, strict=True)
        ]
        assert chosen == int(np.argmin(sums))


def test_couplings_of_many_postures_agree_with_those_of_one(ers7: Robot) -> None:
    draw = np.random.default_rng(3)
    postures = draw.uniform(ers7.lower - 0.2, ers7.upper + 0.2, (4000, len(ers7.joints)))
    columns = dict(zip(ers7.joint_names, postures.T, strict=True))
    for coupling in ers7.couplings:
        one = [
            coupling.breach(dict(zip(ers7.joint_names, posture.tolist(), strict=True)), 0.01) is not None
            for posture in postures
        ]
        assert coupling.broken(columns, 0.01).tolist() == one
        assert 0 < sum(one) < len(one)
