"""Feet never go where the joints cannot, nor faster; kinematics and statics against MuJoCo's and differences."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.control.controller import ControlError
from andante.control.legs.foot_motion import FootMotion
from andante.control.legs.four_legs import four_legged, nominal_stance
from andante.kernels import entry
from andante.kinematics.leg_forward import foot_jacobian, foot_places, holding_torques
from andante.robots.robot import Robot

# Inner kernels, compiled for calls from Python.
foot_jacobian = entry(foot_jacobian.py_func)

DOG = Robot.load("littledog")
BODY = four_legged(DOG)
LOWER, UPPER = BODY.angles(DOG.lower), BODY.angles(DOG.upper)


def drawn(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(LOWER, UPPER)


def standing() -> FootMotion:
    motion = FootMotion(BODY, DOG.tick)
    sensors = DOG.sensors()
    sensors.position[:] = DOG.posture("stand")
    motion.begin(sensors)
    return motion


@given(st.integers(0, 10_000))
@settings(deadline=None)
def test_places_are_those_of_the_legs(seed):
    angles, places = drawn(seed), np.empty((4, 3))
    foot_places(BODY.table, angles, places)
    for leg, each, place in zip(BODY.legs, angles, places, strict=True):
        assert place == pytest.approx(leg.place(each), abs=1e-12)


@pytest.mark.slow
@given(st.integers(0, 10_000), st.integers(0, 3))
@settings(deadline=None)
def test_the_jacobian_is_the_difference_of_places(seed, leg):
    angles, jacobian = drawn(seed), np.empty((3, 3))
    foot_jacobian(BODY.table, leg, angles, jacobian)
    for joint in range(3):
        step = np.zeros(3)
        step[joint] = 1e-6
        slope = (BODY.legs[leg].place(angles[leg] + step) - BODY.legs[leg].place(angles[leg] - step)) / 2e-6
        assert jacobian[:, joint] == pytest.approx(slope, abs=1e-8)


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_holding_torques_are_mujocos(seed):
    rng = np.random.default_rng(seed)
    model, data = DOG.model, mujoco.MjData(DOG.model)
    joints, forces = rng.uniform(DOG.lower, DOG.upper), rng.normal(size=(4, 3))
    turn = rng.normal(size=4)
    data.qpos[3:7] = turn / np.linalg.norm(turn)
    for name, angle in zip(DOG.joint_names, joints, strict=True):
        data.joint(name).qpos[0] = angle
    mujoco.mj_fwdPosition(model, data)
    # Gravity alone: at rest the bias force holds no constraint.
    mujoco.mj_rne(model, data, 0, wanted := np.zeros(model.nv))
    rotation = data.body(DOG.base_body).xmat.reshape(3, 3)
    for foot, force in zip(DOG.feet, forces, strict=True):
        jacobian = np.zeros((3, model.nv))
        mujoco.mj_jacSite(model, data, jacobian, None, model.site(foot.site).id)
        wanted -= jacobian.T @ (rotation @ force)
    torques = np.empty((4, 3))
    holding_torques(BODY.table, BODY.angles(joints), rotation.T @ [0.0, 0.0, 1.0], forces, torques)
    rows = [int(model.joint(name).dofadr[0]) for name in DOG.joint_names]
    assert BODY.joints(torques) == pytest.approx(wanted[rows], abs=1e-10)


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_whatever_is_asked_limits_hold(seed):
    rng = np.random.default_rng(seed)
    motion, together = standing(), rng.random(4) < 0.6
    before, step = motion.angles.copy(), np.zeros((4, 3))
    home = motion.places.copy()
    for _ in range(25):
        motion.move(home + rng.normal(scale=0.15, size=(4, 3)), together)
        change = motion.angles - before
        assert (np.abs(change) <= DOG.tick * BODY.angles(DOG.max_velocity)).all()
        assert (np.abs(change - step) <= DOG.tick**2 * BODY.angles(DOG.max_acceleration)).all()
        assert (motion.angles >= LOWER).all()
        assert (motion.angles <= UPPER).all()
        for leg, angles, place in zip(BODY.legs, motion.angles, motion.places, strict=True):
            assert leg.place(angles) == pytest.approx(place, abs=1e-9)
        assert np.ptp(motion.shares[together]) <= 1e-12 if together.any() else True
        before, step = motion.angles.copy(), change


def test_a_small_way_is_gone_in_full_and_a_far_one_later():
    motion, alone = standing(), np.zeros(4, dtype=bool)
    goals = motion.places + np.array([0.0, 0.0, 0.002])
    motion.move(goals, alone)
    assert motion.places == pytest.approx(goals, abs=1e-12)
    goals = motion.places + np.array([0.05, 0.0, 0.01])
    for _ in range(12):
        motion.move(goals, alone)
    assert motion.places == pytest.approx(goals, abs=1e-9)


def test_the_nominal_stance_is_its_own_mirror_image():
    home = nominal_stance(BODY, 0.7, 0.9, 0.04)
    assert home[[1, 0, 3, 2]] * (1.0, -1.0, 1.0) == pytest.approx(home, abs=1e-12)
    # Pitch axes are 0.202 m apart lengthwise; 0.0751 + 0.1020 m of leg; legs hang 0.03625 + 0.0236 m beside the middle.
    assert home[0] == pytest.approx([0.9 * 0.101, 0.03625 + 0.0236 + 0.02, -0.7 * 0.1771], abs=2e-4)


@pytest.mark.parametrize(("rate", "room", "text"), [(0.0, 0.01, "a share of the speed limits"), (1.0, -0.1, "room to")])
def test_bad_settings_are_named(rate, room, text):
    with pytest.raises(ControlError, match=text):
        FootMotion(BODY, 0.01, rate, room)


def test_robots_with_other_legs_are_named():
    with pytest.raises(ControlError, match="robot 'nao' has not the four legs of this gait"):
        four_legged(Robot.load("nao"))
