"""Forces of feet against worked values, and legs that push against legs that hold, with friction between."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gait_runs import assert_within_limits, rubbed, walk
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.control.compliance.stand import Sway, SwayingStand, VirtualModel
from andante.control.controller import ControlError
from andante.control.legs.weight import ForceDistribution
from andante.documents.settings import SettingsError

FEET = np.array([[0.1, 0.08, -0.12], [0.1, -0.08, -0.12], [-0.1, 0.08, -0.12], [-0.1, -0.08, -0.12]])
UP = np.array([0.0, 0.0, 1.0])


def test_the_weight_in_the_middle_is_shared_evenly():
    forces, missing = ForceDistribution().solve(FEET, UP, np.array([0.0, 0.0, 40.0, 0.0, 0.0, 0.0]))
    assert forces == pytest.approx(np.tile([0.0, 0.0, 10.0], (4, 1)), abs=0.02)
    assert missing < 0.02


def test_a_moment_is_carried_by_the_side_that_it_presses_down():
    # 0.8 N m about x over a track of 0.16 m: 2.5 N more on each left foot, 2.5 N less on each right one.
    forces, _ = ForceDistribution().solve(FEET, UP, np.array([0.0, 0.0, 40.0, 0.8, 0.0, 0.0]))
    assert forces[:, 2] == pytest.approx([12.5, 7.5, 12.5, 7.5], abs=0.05)


def test_three_feet_carry_what_their_levers_say():
    # Without HR the weight over the middle of the diagonal FR-HL rests on that diagonal.
    forces, missing = ForceDistribution().solve(FEET[:3], UP, np.array([0.0, 0.0, 40.0, 0.0, 0.0, 0.0]))
    assert forces[:, 2] == pytest.approx([0.0, 20.0, 20.0], abs=0.1)
    assert missing < 0.1


@given(st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_feet_only_push_inside_their_cones(seed):
    rng = np.random.default_rng(seed)
    wrench = rng.normal(scale=(20.0, 20.0, 40.0, 3.0, 3.0, 3.0))
    normals = UP + rng.normal(scale=0.2, size=(4, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    forces, missing = ForceDistribution(friction=0.4).solve(FEET, normals, wrench)
    along = np.sum(forces * normals, axis=1)
    across = np.linalg.norm(forces - along[:, None] * normals, axis=1)
    assert (along >= -1e-9).all()
    assert (across <= 0.4 * along + 1e-9).all()
    total = np.concatenate([forces.sum(axis=0), np.cross(FEET, forces).sum(axis=0) / 0.1])
    assert np.linalg.norm(total - np.concatenate([wrench[:3], wrench[3:] / 0.1])) == pytest.approx(missing, abs=1e-6)


def test_what_friction_does_not_allow_is_missing():
    _, missing = ForceDistribution(friction=0.3).solve(FEET, UP, np.array([30.0, 0.0, 30.0, 0.0, 0.0, 0.0]))
    assert missing > 10.0
    forces, missing = ForceDistribution().solve(FEET[:0], UP, np.array([0.0, 0.0, 7.0, 0.0, 0.0, 0.0]))
    assert forces.shape == (0, 3)
    assert missing == pytest.approx(7.0)


def test_the_virtual_model_is_springs_dampers_and_weight():
    model = VirtualModel(along=10.0, along_damping=2.0, height=20.0, height_damping=4.0, tilt=5.0, tilt_damping=1.0)
    wrench = model.wrench(
        2.0,
        np.array([0.1, 0.2, 0.3]),
        np.array([0.01, 0.0, 0.02]),
        np.array([0.0, 0.1, 0.1]),
        np.array([0.1, 0.0, 0.0]),
        np.array([0.0, 0.5, 0.0]),
    )
    assert wrench == pytest.approx([0.2, -0.4, 2.0 * (0.4 - 0.4 + 9.81), 0.05, -0.1, 0.0])


def errors(legs: str, friction: float) -> tuple[float, float]:
    """Root mean square errors of the height [m] and of the attitude [rad] over a sway, after its soft begin."""
    found = []
    robot = rubbed(friction)
    stand = SwayingStand(robot, Sway(along=0.02, side=0.015, height=0.02, duration=6.0), legs)
    result = walk(stand, 8.0, robot=robot, each=lambda time, c: found.append(c.telemetry.vector.copy()))
    assert result.done
    assert_within_limits(result.commands, robot)
    rows = np.array(found)[200:]
    return math.sqrt(np.mean(rows[:, 5] ** 2)), math.sqrt(np.mean(np.sum(rows[:, 6:8] ** 2, axis=1)))


@pytest.mark.slow
def test_friction_spoils_compliant_legs_and_hardly_stiff_ones():
    compliant = [errors("compliant", friction) for friction in (0.0, 0.05, 0.2)]
    stiff = [errors("stiff", friction) for friction in (0.0, 0.2)]
    heights = [height for height, _ in compliant]
    assert heights[0] < 0.002
    assert heights[1] > 2.0 * heights[0]
    assert heights[2] > 1.5 * heights[1]
    # Position control wins as soon as there is friction, and loses little by it.
    assert stiff[1][0] < 1.3 * stiff[0][0] < heights[1]
    assert stiff[1][1] < min(tilt for _, tilt in compliant[1:])


def test_after_a_reset_the_same_sensors_give_the_same_bytes():
    stand = SwayingStand(rubbed(0.02), Sway(height=0.01))
    first = walk(stand, 0.5, robot=rubbed(0.02))
    stand.reset()
    again = np.array([stand.step(sensors).vector for sensors in first.sensors])
    assert again.tobytes() == first.commands.tobytes()


def test_bad_settings_are_named():
    with pytest.raises(ControlError, match="legs: unknown kind of legs"):
        SwayingStand(rubbed(0.0), Sway(), "soft")
    with pytest.raises(ControlError, match="friction: the distribution of forces"):
        ForceDistribution(friction=0.0)
    with pytest.raises(SettingsError, match=r"virtual\.tilt"):
        VirtualModel(tilt=-1.0)
