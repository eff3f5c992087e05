"""The body's estimator on motion capture, tick by tick, against the same in rotations of scipy and plain numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from andante.control.estimation.estimator import BodyEstimator, EstimatorSettings
from andante.control.estimation.state import imu_mount
from andante.kinematics.leg_table import LeggedBody
from andante.robots.robot import Robot
from andante.spatial.gravity import GRAVITY
from andante.spatial.rotations import from_rpy, to_matrix

SETTINGS = EstimatorSettings(
    capture_position=0.004, capture_orientation=0.01, imu_tilt=0.008, stance_drift=0.0005, stance_scale=0.06,
    flight_drift=0.003, gyro_drift=0.002, bias_gain=0.01, memory=0.1,
)  # fmt: skip
USUAL = {
    "capture_position": 0.003, "capture_orientation": 0.0087, "imu_tilt": 0.006, "stance_drift": 0.00025,
    "stance_scale": 0.05, "flight_drift": 0.002, "gyro_drift": 0.0006, "bias_gain": 0.002, "memory": 0.3,
}  # fmt: skip


@pytest.fixture(scope="module")
def dog():
    return LeggedBody.of(Robot.load("littledog"))


def quaternion_of(rotation):
    x, y, z, w = rotation.as_quat()
    return np.array([w, x, y, z])


class Plain:
    """The estimator by its description; poses of the past are kept and corrected one by one."""

    def __init__(self, dog, settings):
        self.dog, self.s = dog, settings
        self.mount = Rotation.from_matrix(to_matrix(imu_mount(dog.robot)[1]))
        self.rows = np.array([leg.indices for leg in dog.legs])
        self.turn, self.place, self.way = Rotation.identity(), np.zeros(3), np.zeros(2)
        self.velocity, self.bias, self.slip = np.zeros(3), np.zeros(3), np.zeros(4)
        self.variance = self.turn_variance = 1.0
        self.time, self.captured, self.past = None, -math.inf, []
        self.angles, self.touched = np.zeros((4, 3)), np.zeros(4, bool)

    def feet(self, angles):
        return np.array([leg.place(own) for leg, own in zip(self.dog.legs, angles, strict=True)])

    def links(self, angles, before, turn):
        """By how much each last link has turned, in the world's axes (nl, 3)."""
        signs, found = self.dog.table.signs, []
        for leg in range(4):
            change = signs[leg] * (angles[leg] - before[leg])
            roll = Rotation.from_rotvec([signs[leg, 0] * angles[leg, 0], 0.0, 0.0])
            own = np.array([change[0], 0.0, 0.0]) + roll.apply([0.0, change[1] + change[2], 0.0])
            found.append(self.turn.apply(own) + turn)
        return np.array(found)

    def update(self, sensors, standing):
        s = self.s
        angles = sensors.position[self.rows]
        angles = angles if np.isfinite(angles).all() else self.angles
        contact = np.array(sensors.contact) > 0.5
        contact = contact if standing is None else contact & standing
        time, imu = sensors.time, np.array(sensors.orientation)
        oriented = np.isfinite(imu).all() and np.linalg.norm(imu) > 0.5
        step = 0.0 if self.time is None else float(np.clip(time - self.time, 0.0, 0.1))
        if self.time is None and oriented:
            self.turn = Rotation.from_quat(imu[[1, 2, 3, 0]]) * self.mount.inv()
        before = self.turn
        if step > 0.0:
            gyro = np.array(sensors.gyro)
            if np.isfinite(gyro).all():
                self.turn = self.turn * Rotation.from_rotvec(step * (self.mount.apply(gyro) - self.bias))
                self.turn_variance += s.gyro_drift**2 * step / 0.01
            if oriented:
                up = self.mount.apply(Rotation.from_quat(imu[[1, 2, 3, 0]]).inv().apply([0.0, 0.0, 1.0]))
                error = np.cross(up, self.turn.inv().apply([0.0, 0.0, 1.0]))
                self.turn = self.turn * Rotation.from_rotvec(error * s.gyro_drift / (s.gyro_drift + s.imu_tilt))
                self.bias = self.bias - s.bias_gain * error
            self.move(sensors, angles, contact, before, step)
        self.time, self.angles, self.touched = time, angles, contact
        self.past.append([time, self.place, self.turn])
        self.past = [each for each in self.past if each[0] >= time - s.memory]
        self.capture(sensors)
        self.feet_now = self.place + self.turn.apply(self.feet(angles))
        self.contact = contact

    def move(self, sensors, angles, contact, before, step):
        s, radius = self.s, self.dog.table.radius
        turn = (self.turn * before.inv()).as_rotvec()
        rolled = np.cross(self.links(angles, self.angles, turn), [0.0, 0.0, 1.0]) * radius[:, None]
        ways = rolled - (self.turn.apply(self.feet(angles)) - before.apply(self.feet(self.angles)))
        standing, rest = contact & self.touched, np.array(sensors.accelerometer)
        falling = np.zeros(3)
        if np.isfinite(rest).all():
            falling = self.turn.apply(self.mount.apply(rest)) - [0.0, 0.0, GRAVITY]
        self.velocity = self.velocity + step * falling
        slip = np.zeros(4)
        if standing.any():
            way = np.median(ways[standing], axis=0)
            drift = s.stance_drift * step / 0.01 + s.stance_scale * np.linalg.norm(way)
            self.velocity = 0.7 * self.velocity + 0.3 * way / step
            slip = np.linalg.norm(ways - way, axis=1) / step
        else:
            way, drift = step * self.velocity, s.flight_drift * step / 0.01
        self.slip = np.where(standing, 0.7 * self.slip + 0.3 * slip, 0.0)
        self.place = self.place + way
        ahead = self.turn.as_matrix()[:2, 0] / np.linalg.norm(self.turn.as_matrix()[:2, 0])
        self.way = self.way + np.array([ahead @ way[:2], ahead[0] * way[1] - ahead[1] * way[0]])
        self.variance += drift**2

    def capture(self, sensors):
        s, taken = self.s, sensors.pose_time
        if not (sensors.tracked and sensors.pose_valid and self.captured < taken <= sensors.time):
            return
        place, pose = np.array(sensors.pose_position), np.array(sensors.pose_orientation)
        if not (np.isfinite(place).all() and np.isfinite(pose).all()):
            return
        first, self.captured = self.captured == -math.inf, taken
        then = min(self.past, key=lambda each: abs(each[0] - taken))
        gain = 1.0 if first else self.variance / (self.variance + s.capture_position**2)
        # Two measurements of one thing: their information adds up.
        self.variance = 1.0 / (1.0 / self.variance + 1.0 / s.capture_position**2)
        shift = gain * (place - then[1])
        gain = 1.0 if first else self.turn_variance / (self.turn_variance + s.capture_orientation**2)
        self.turn_variance = 1.0 / (1.0 / self.turn_variance + 1.0 / s.capture_orientation**2)
        turn = gain * (Rotation.from_quat(pose[[1, 2, 3, 0]]) * then[2].inv()).as_rotvec()
        for each in self.past:
            each[1], each[2] = each[1] + shift, Rotation.from_rotvec(turn) * each[2]
        self.place, self.turn = self.place + shift, Rotation.from_rotvec(turn) * self.turn
        self.bias = self.bias - s.bias_gain * self.turn.inv().apply(turn)


def some(dog, rng, tick, time):
    """Readings of no path, some of them none."""
    sensors = dog.robot.sensors()
    sensors["time"][:] = time
    sensors["position"][:] = dog.joints(np.array([0.1, -0.6, 1.2]) + 0.02 * rng.normal(0.0, 1.0, (4, 3)))
    sensors["gyro"][:] = rng.normal(0.0, 0.5, 3)
    sensors["accelerometer"][:] = rng.normal([0.0, 0.0, GRAVITY], 1.0)
    sensors["orientation"][:] = from_rpy(rng.normal([0.1, -0.1, 0.4], 0.02))
    sensors["contact"][:] = rng.choice([0.0, 1.0, 1.0, 1.0], 4) if tick % 6 else 0.0
    sensors["pose_position"][:] = rng.normal(0.0, 0.01, 3)
    sensors["pose_orientation"][:] = from_rpy(rng.normal([0.1, -0.1, 0.4], 0.02))
    # Captures of two ticks ago, sometimes of long ago, of the future, or the same again.
    sensors["pose_time"][:] = time - 0.02 + rng.choice([0.0, 0.0, 0.0, -0.3, 0.021, 0.02])
    sensors["pose_valid"][:] = float(rng.random() < 0.5)
    for name in ("position", "gyro", "orientation", "accelerometer", "pose_position", "pose_orientation"):
        if rng.random() < 0.06:
            sensors[name][rng.integers(len(sensors[name]))] = math.nan
    if rng.random() < 0.06:
        sensors["orientation"][:] *= 0.45
    return sensors


@pytest.mark.parametrize("seed", range(6))
def test_the_estimate_is_that_of_its_description(dog, seed):
    rng, time = np.random.default_rng(seed), 1.0
    estimator, plain = BodyEstimator(dog, SETTINGS), Plain(dog, SETTINGS)
    captures = 0
    for tick in range(120):
        time += float(rng.choice([0.01, 0.01, 0.01, 0.02, 0.0, 0.25])) if tick else 0.0
        sensors = some(dog, rng, tick, time)
        if tick == 0 and seed % 3:
            # No number, and one that is no orientation.
            sensors["orientation"][:] *= (1.0, math.nan, 0.4)[seed % 3]
        standing = None if tick % 4 else rng.random(4) < 0.6
        state = estimator.update(sensors, standing)
        was = plain.captured
        plain.update(sensors, standing)
        captures += plain.captured > was
        np.testing.assert_allclose(state.position, plain.place, atol=1e-8, err_msg=f"{tick}")
        np.testing.assert_allclose(state.rotation, plain.turn.as_matrix(), atol=1e-8, err_msg=f"{tick}")
        np.testing.assert_allclose(to_matrix(state.orientation), plain.turn.as_matrix(), atol=1e-8)
        np.testing.assert_allclose(state.velocity, plain.velocity, atol=1e-6)
        np.testing.assert_allclose(state.feet, plain.feet_now, atol=1e-8)
        np.testing.assert_allclose(state.slip, plain.slip, atol=1e-6)
        np.testing.assert_allclose(state.way, plain.way, atol=1e-8)
        assert state.contact.tolist() == plain.contact.tolist()
        assert state.spread == pytest.approx(math.sqrt(plain.variance), rel=1e-9)
        assert state.blind == pytest.approx(time - plain.captured)
        assert state.time == time
    assert captures > 20


def test_defaults_are_those_that_figures_were_measured_with():
    assert EstimatorSettings().model_dump() == USUAL


def test_a_state_tells_its_heading_and_the_centre_of_mass(dog):
    sensors = some(dog, np.random.default_rng(0), 1, 1.0)
    sensors["orientation"][:] = from_rpy(np.array([0.2, -0.1, 2.5]))
    sensors["pose_valid"][:] = 0.0
    sensors["position"][:] = dog.robot.posture("stand")
    state = BodyEstimator(dog).update(sensors)
    assert state.yaw == pytest.approx(2.5)
    from andante.kinematics.forward import Kinematics

    kinematics = Kinematics(dog.robot)
    kinematics.update(np.array(sensors.position))
    base, turn = kinematics.pose("imu")
    wanted = state.rotation @ turn.T @ (kinematics.com() - base)
    np.testing.assert_allclose(state.com - state.position, wanted, atol=1e-9)
