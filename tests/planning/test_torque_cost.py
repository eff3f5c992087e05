"""Strain of a pose: loads by the lever rule, torques against MuJoCo's joint axes, easier poses for weaker joints."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from andante.documents.settings import SettingsError
from andante.kernels import entry
from andante.kinematics.com_ik import com_ik
from andante.kinematics.forward import Kinematics
from andante.kinematics.leg_table import LeggedBody
from andante.planning.course import KnownCourse
from andante.planning.feasibility.carrying import leg_strength, may_overload, three_loads, torque_excess
from andante.planning.plans import Footstep, FootstepPlan
from andante.planning.stances.choose import choose_stances
from andante.planning.stances.settings import StanceSettings
from andante.robots.declared import with_limits
from andante.robots.robot import Robot
from andante.spatial.rotations import from_rpy, to_matrix
from andante.terrain.elevation_map import ElevationMap

# Inner kernels, compiled for calls from Python.
torque_excess = entry(torque_excess.py_func)
three_loads = entry(three_loads.py_func)

ROBOT = Robot.load("littledog")
BODY = LeggedBody.of(ROBOT)
LEG, RADIUS = BODY.leg_length, float(BODY.table.radius[0])
HOME = np.array([[0.07 * x, 0.08 * y, RADIUS] for x in (1, -1) for y in (1, -1)])
FLAT = ElevationMap(np.zeros((260, 121)), (-0.3, -0.3), 0.005)
FL, FR, HL, HR = range(4)


@pytest.mark.parametrize(
    ("place", "loads"),
    [
        # Feet at (3, 0), (0, 0), (0, 3): the lever rule gives x / 3 and y / 3.
        ((1.0, 1.0), (0.0, 1 / 3, 1 / 3, 1 / 3)),
        ((0.5, 0.25), (0.0, 1 / 6, 3 / 4, 1 / 12)),
        ((3.0, 0.0), (0.0, 1.0, 0.0, 0.0)),
        ((1.5, -0.3), (0.0, 0.5 / 1.1, 0.6 / 1.1, 0.0)),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_three_feet_share_the_weight_by_their_levers(place, loads, turned):
    feet = np.array([[9.0, 9.0, 0.0], [3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 3.0, 0.0]])
    x, y = place
    if turned:
        feet, x, y = feet[:, [1, 0, 2]], y, x
    found = np.empty(4)
    three_loads(feet, 0, x, y, found)
    np.testing.assert_allclose(found, loads, atol=1e-12)


def _torques(pose_com, rpy, feet, swing):
    """Torques of legs without weight, from the joints' axes in MuJoCo and the loads of the feet, (4, 3) [N m]."""
    rotation = to_matrix(from_rpy(rpy))
    angles = com_ik(BODY, pose_com, feet, rotation, tolerance=1e-9).angles
    kinematics = Kinematics(ROBOT)
    kinematics.update(BODY.joints(angles))
    loads = np.empty(4)
    three_loads(feet, swing, *pose_com[:2], loads)
    torques = np.zeros((4, 3))
    for row, leg in enumerate(BODY.legs):
        # Kinematics has the base level, so the weight leans instead.
        force = rotation.T @ [0.0, 0.0, loads[row] * BODY.table.total_mass * 9.81]
        foot = kinematics.pose(ROBOT.feet[row].site)[0]
        for joint, name in enumerate(leg.joints):
            number = ROBOT.model.joint(name).id
            anchor, axis = kinematics.data.xanchor[number], kinematics.data.xaxis[number]
            torques[row, joint] = axis @ np.cross(foot - anchor, force)
    return angles, torques


@pytest.mark.parametrize("rpy", [(0.0, 0.0, 0.0), (0.1, -0.2, 0.0)])
def test_strain_is_the_excess_over_a_share_of_the_torque(rpy):
    com = np.array([-0.02, 0.01, HOME[0, 2] + 0.6 * LEG])
    angles, torques = _torques(com, np.array(rpy), HOME, FR)
    table = BODY.table._replace(mass=np.zeros((4, 3)))
    pose = np.concatenate([com, rpy])
    torques[FR] = 0.0
    most = np.abs(torques).max()

    def strain(strength, share=0.7):
        return torque_excess(table, np.full((4, 3), strength), share, HOME, FR, pose, np.ascontiguousarray(angles))

    assert strain(most / 0.699) == 0.0
    shares = np.abs(torques) / most
    # The joint with the most adds 1 where it needs all it has.
    assert strain(most) == pytest.approx((np.maximum(shares - 0.7, 0.0) ** 2).sum() / 0.3**2, rel=1e-6)
    assert strain(most) >= 1.0
    assert strain(0.9 * most) > strain(most)


def test_strength_is_what_joints_publish_or_servos_give():
    assert (leg_strength(LeggedBody.of(with_limits(ROBOT, torque=1.2))) == 1.2).all()
    servos = tuple(replace(servo, max_torque=0.5) for servo in ROBOT.servos)
    assert (leg_strength(LeggedBody.of(replace(ROBOT, servos=servos))) == 0.5).all()


def _walk(torque, settings=None):
    body = LeggedBody.of(with_limits(ROBOT, torque=torque))
    pose = com_ik(body, [0.0, 0.0, RADIUS + 0.66 * LEG], HOME)
    course = KnownCourse(body, FLAT, HOME, pose.position, pose.rotation, (0.9, 0.0))
    places, steps = HOME.copy(), []
    for number in range(12):
        leg = (HR, FR, HL, FL)[number % 4]
        # A foot that goes out and back makes legs that stand far from their hips.
        places[leg, :2] += [0.1 if number > 3 else 0.025 * (number + 1), 0.02 if number % 8 < 4 else -0.02]
        steps.append(Footstep(leg, places[leg].copy(), RADIUS + 0.02))
    footsteps = FootstepPlan(HOME, tuple(steps))
    return footsteps, choose_stances(course, footsteps, settings)


def _shares(footsteps, chosen, torque):
    stances = footsteps.stances()
    return np.array(
        [
            np.abs(_torques(chosen.com[n, end], chosen.rpy[n, end], stances[n + end], step.leg)[1]).max() / torque
            for n, step in enumerate(footsteps.steps)
            for end in (0, 1)
        ]
    )


def test_weak_joints_get_poses_that_need_less_of_them():
    weak, (footsteps, strong) = _walk(0.9)[1], _walk(2.5)
    before, after = _shares(footsteps, strong, 0.9), _shares(footsteps, weak, 0.9)
    assert before.max() > 1.1
    assert after.max() < 0.95
    assert (weak.margin > 0.0).all()
    assert (weak.slack > 0.0).all()


def test_strong_joints_change_nothing():
    assert not may_overload(BODY.table, np.full((4, 3), 100.0), 0.7)
    assert may_overload(BODY.table, leg_strength(BODY), 0.7)
    _, without = _walk(2.5, StanceSettings(torque_weight=0.0))
    for torque in (2.5, 100.0):
        _, chosen = _walk(torque)
        np.testing.assert_array_equal(chosen.com, without.com)
        np.testing.assert_array_equal(chosen.rpy, without.rpy)


def test_all_torque_cannot_be_for_free():
    with pytest.raises(SettingsError) as caught:
        StanceSettings(carry=1.0)
    assert str(caught.value) == "stances.carry: is not legal; got 1.0; limit: below 1"
    with pytest.raises(SettingsError):
        StanceSettings(torque_weight=math.nan)
