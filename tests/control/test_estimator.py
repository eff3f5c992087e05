"""Body estimator: exact without errors, better than motion capture alone with them, and at home with drop-outs."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from crawl_plan import level_walk, littledog

from andante.control.estimation.estimator import BodyEstimator, EstimatorSettings
from andante.documents.settings import SettingsError
from andante.kinematics.forward import Kinematics
from andante.kinematics.leg_forward import carrying_torques, leg_places, rolled
from andante.spatial.rotations import angle_between, exp, from_rpy, multiply, to_matrix

_TICK = 0.01


@pytest.fixture(scope="module")
def body():
    """LittleDog on points: the plan's feet do not roll either, so that nothing is left but the estimator's errors."""
    body = littledog()
    return dataclasses.replace(body, table=body.table._replace(radius=np.zeros(4)))


@pytest.fixture(scope="module")
def walk(body):
    return level_walk(body, 6)


def readings(body, walk, *, noise=0.0, turn=0.0, latency=0, hidden=(), seed=0, lean=(0.0, 0.0, 0.0)):
    """What perfect joints and an IMU read on a plan, with motion capture as asked; yields (tick, sensors, place)."""
    rng = np.random.default_rng(seed)
    orientation = from_rpy(lean)
    spin = to_matrix(orientation)
    for tick in range(len(walk.com)):
        sensors = body.robot.sensors()
        sensors["time"][:] = tick * _TICK
        sensors["position"][:] = body.joints(walk.angles[tick])
        sensors["orientation"][:] = orientation
        before = max(min(tick, len(walk.com) - 2), 1)
        push = (walk.position[before + 1] - 2.0 * walk.position[before] + walk.position[before - 1]) / _TICK**2
        sensors["accelerometer"][:] = spin.T @ (push + np.array([0.0, 0.0, 9.81]))
        sensors["contact"][:] = [walk.swinging[tick] != leg for leg in range(4)]
        taken = tick - latency
        while taken >= 0 and taken in hidden:
            taken -= 1
        if taken >= 0:
            sensors["pose_position"][:] = spin @ walk.position[taken] + noise * rng.standard_normal(3)
            sensors["pose_orientation"][:] = multiply(orientation, exp(turn * rng.standard_normal(3)))
            sensors["pose_time"][:] = taken * _TICK
            sensors["pose_valid"][:] = tick not in hidden
        yield tick, sensors, spin @ walk.position[tick]


def errors(body, walk, settings=None, **how):
    estimator = BodyEstimator(body, settings)
    rows = []
    for _, sensors, place in readings(body, walk, **how):
        state = estimator.update(sensors)
        rows.append([*(state.position - place), angle_between(state.orientation, from_rpy(how.get("lean", (0, 0, 0))))])
    return np.array(rows)


def test_without_errors_the_estimate_is_the_pose(body, walk):
    assert np.abs(errors(body, walk)).max() < 1e-6


def test_noise_is_much_reduced(body, walk):
    rows = errors(body, walk, noise=0.003, turn=math.radians(0.5))[100:]
    assert np.sqrt(np.mean(rows[:, :3] ** 2, axis=0)).max() < 0.0015
    assert np.sqrt(np.mean(rows[:, 3] ** 2)) < 0.5 * math.sqrt(3.0) * math.radians(0.5)


def test_latency_costs_no_lag(body, walk):
    moving = errors(body, walk, latency=5)[20:]
    assert np.abs(moving[:, :3]).max() < 1e-4


def test_feet_carry_the_pose_through_a_drop_out(body, walk):
    rows = errors(body, walk, noise=0.003, hidden=range(150, 200))
    # Nothing is added to the error while blind: steps are slow against it.
    drift = rows[150:200, :3] - rows[149, :3]
    assert np.abs(drift).max() < 1e-4


def test_the_pose_of_a_leaning_body_is_found(body, walk):
    rows = errors(body, walk, lean=(0.0, 0.0, 0.7))
    assert np.abs(rows[5:, :3]).max() < 1e-6


def test_readings_that_are_no_numbers_are_left_out(body, walk):
    estimator = BodyEstimator(body)
    for tick, sensors, place in readings(body, walk):
        if tick % 7 == 3:
            for name in ("gyro", "orientation", "accelerometer", "pose_position"):
                sensors[name][:] = math.nan
        state = estimator.update(sensors)
        assert np.isfinite(state.position).all()
        assert np.isfinite(state.feet).all()
        assert np.linalg.norm(state.position - place) < 1e-3


def test_the_same_readings_give_the_same_bytes(body, walk):
    estimator = BodyEstimator(body)

    def run():
        estimator.reset()
        return b"".join(estimator.update(s).position.tobytes() for _, s, _ in readings(body, walk, noise=0.003, seed=4))

    assert run() == run()


def test_a_slipping_foot_is_seen_and_does_not_carry_the_body_along(body, walk):
    estimator = BodyEstimator(body)
    fast = 0.0
    for tick, sensors, place in readings(body, walk, hidden=range(5, 20)):
        if tick >= 20:
            break
        if 8 <= tick < 13:
            # The foot goes 4 mm a tick to the left: its roll joint turns while nothing else moves.
            sensors["position"][body.robot.index("FL_roll")] += 0.04 * (tick - 7)
        state = estimator.update(sensors)
        fast = max(fast, float(state.slip[0]))
        assert np.linalg.norm(state.position - place) < 2e-4
    assert fast > 0.2


def test_settings_are_checked():
    with pytest.raises(SettingsError, match=r"estimator\.imu_tilt.*-1"):
        EstimatorSettings(imu_tilt=-1.0)


def test_places_agree_with_the_model(body):
    rng = np.random.default_rng(1)
    kinematics = Kinematics(body.robot)
    feet, com = np.empty((4, 3)), np.empty(3)
    for _ in range(20):
        joints = rng.uniform(0.8 * body.robot.lower, 0.8 * body.robot.upper)
        leg_places(body.table, body.angles(joints), feet, com)
        kinematics.update(joints)
        base, turn = kinematics.pose("imu")
        for row, foot in enumerate(body.robot.feet):
            np.testing.assert_allclose(turn.T @ (kinematics.pose(foot.site)[0] - base), feet[row], atol=1e-12)
        np.testing.assert_allclose(turn.T @ (kinematics.com() - base), com, atol=1e-12)


def test_carrying_torques_agree_with_virtual_work(body):
    """tau . dq = -f . dp_foot - sum m g . dp_link for every small turn of a joint."""
    rng = np.random.default_rng(2)
    table = body.table
    for _ in range(10):
        angles = body.angles(rng.uniform(0.8 * body.robot.lower, 0.8 * body.robot.upper))
        turn = to_matrix(from_rpy(rng.uniform(-0.5, 0.5, 3)))
        forces = rng.uniform(-20.0, 20.0, (4, 3))
        torques = np.empty((4, 3))
        carrying_torques(table, angles, turn, forces, torques)
        for leg in range(4):
            for joint in range(3):
                work = []
                for step in (-1e-6, 1e-6):
                    moved = angles.copy()
                    moved[leg, joint] += step
                    feet, com = np.empty((4, 3)), np.empty(3)
                    leg_places(table, moved, feet, com)
                    weight = table.total_mass * 9.81 * (turn @ com)[2]
                    work.append(weight - float((forces * (feet @ turn.T)).sum()))
                assert torques[leg, joint] == pytest.approx((work[1] - work[0]) / 2e-6, abs=1e-6)


def test_a_ball_rolls_by_its_radius_times_the_turn():
    body, ways = littledog(), np.empty((4, 3))
    zero = np.zeros((4, 3))
    rolled(body.table, zero, zero, np.eye(3), np.array([0.0, 0.1, 0.0]), ways)
    np.testing.assert_allclose(ways[:, 0], 0.1 * body.table.radius, atol=1e-15)
    rolled(body.table, zero, np.tile([0.0, 0.2, -0.1], (4, 1)), np.eye(3), np.zeros(3), ways)
    np.testing.assert_allclose(ways[:, 0], 0.1 * body.table.radius, atol=1e-15)
    rolled(body.table, zero, zero, np.eye(3), np.array([0.1, 0.0, 0.0]), ways)
    np.testing.assert_allclose(ways[:, 1], -0.1 * body.table.radius, atol=1e-15)
