"""SensorSuite: measures the simulated robot, adds seeded noise, and holds measurements back for the latency."""

from __future__ import annotations

import math
from collections.abc import Callable

import mujoco
import numpy as np

from andante.backends.backend import BackendError
from andante.backends.lateness import Lateness
from andante.backends.model_builder import ModelIndex
from andante.backends.motion_capture import MotionCapture
from andante.backends.sensing_kernels import read_sensors
from andante.backends.streams import Streams
from andante.backends.world import SensorNoise, WorldConfig
from andante.kernels.held import HeldArrays
from andante.robots.parts import Foot
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.spatial.rotations import exp, multiply

_NO_GAP: Vector = np.zeros(0)


def cell_table(foot: Foot) -> Vector:
    """How the force of each cell of a foot follows from the load and its moments, (n, 3); see `press_cells`."""
    positions = np.array([(1.0, x, y) for _, x, y in foot.cells]).reshape(-1, 3)
    # Least norm solution of: sum f = load, sum f x = load x, sum f y = load y.
    return np.linalg.pinv(positions.T) if len(positions) else np.zeros((0, 3))


class SensorSuite:
    """All sensors of one robot.

    ``health`` (what the drivers report per joint) and ``tamper`` (falsifies each measurement) are the seams for faults.
    """

    def __init__(
        self, robot: Robot, config: WorldConfig, model: mujoco.MjModel, data: mujoco.MjData, index: ModelIndex
    ) -> None:
        self._data, self._index = data, index
        self._size = robot.sensors_layout.size
        part = robot.sensors_layout.slices
        self._position, self._orientation = part["position"], part["orientation"]
        self._imu = slice(part["orientation"].start, part["accelerometer"].stop)
        fields = ("position", "velocity", "effort", "health", "orientation", "contact", "force")
        places = np.array([part[name].start for name in fields], dtype=np.int64)
        self._force = part["force"]
        self.health: Vector = np.ones(len(robot.joints))
        self.tamper: Callable[[Vector], None] | None = None
        self.gap: Vector | None = None
        """How far each motor and its encoder are ahead of the link, (nu,) [rad]; None: nowhere."""
        joints = np.array([index.qpos, index.qvel, index.motor_of_joint], dtype=np.int64)
        tables = [cell_table(foot) for foot in robot.feet]
        ends = np.cumsum([0, *(len(table) for table in tables)])
        feet = np.column_stack([index.foot_sites, ends[:-1], ends[1:]]).astype(np.int64).reshape(-1, 3)
        cells = np.concatenate([np.zeros((0, 3)), *tables])
        state = (data.qpos, data.qvel, data.actuator_force, data.sensordata, data.site_xpos, data.site_xmat)
        self._sources = HeldArrays(places, joints, feet, cells, *state)
        self._first_read = index.imu.start
        self._threshold = config.contact_threshold
        self._presses = _presses(robot, config, part["buttons"].start)
        self._spread, self._offset_spread = _spreads(robot, config.noise)
        self._noisy = bool(self._spread.any())
        self._noisy_orientation, self._noisy_force = config.noise.orientation > 0.0, config.noise.force > 0.0
        self._offset: Vector | None = None
        self._draw: Vector = np.zeros(self._size)
        self._rng = self._loss_rng = np.random.default_rng(0)
        self._loss, self._last_imu = config.noise.imu_loss, np.zeros(10)
        self._turn_spread = config.noise.orientation_offset
        self._turn: Vector | None = None
        self._first, self._exact = True, False
        tracked = robot.motion_capture
        self._pose = slice(part["pose_position"].start, self._size) if tracked else slice(self._size, self._size)
        self._capture: MotionCapture | None = None
        if tracked:
            self._capture = MotionCapture(config.noise.pose, data.xpos[index.base], data.xquat[index.base])
        self.lateness = Lateness(robot, config)

    def reset(self, random: Streams) -> None:
        """Forget all measurements and draw the constant offsets of this run."""
        if self._capture is not None:
            self._capture.reset(random.pose)
        rng, imu_rng = random.noise, random.imu
        self._rng, self._loss_rng = rng, imu_rng
        self.lateness.reset(random.timing)
        turn = imu_rng.standard_normal(3) * self._turn_spread
        self._turn = exp(turn) if self._turn_spread > 0.0 else None
        self._first = True
        self._offset = rng.standard_normal(self._size) * self._offset_spread if self._offset_spread.any() else None
        others = self._capture is not None or self._presses or self._noisy or self._loss > 0.0
        self._exact = not others and self._offset is None and self._turn is None

    @property
    def joint_offset(self) -> Vector:
        """How much too far the encoders read in this run, (nj,) [rad]."""
        return np.zeros(len(self.health)) if self._offset is None else self._offset[self._position].copy()

    def measure(self, time: float) -> Vector:
        """A new vector with everything measured now, noise included."""
        vector = np.zeros(self._size)
        vector[0] = time
        gap = _NO_GAP if self.gap is None else self.gap
        read_sensors.now(self._sources.table, vector, self.health, gap, self._first_read, self._threshold)
        if self._exact and self.tamper is None:
            return vector
        if self._capture is not None:
            self._capture.measure(time, vector[self._pose])
        for first, last, at in self._presses:
            if first <= time < last:
                vector[at] = 1.0
        if self._offset is not None:
            vector += self._offset
        if self._turn is not None:
            vector[self._orientation] = multiply(vector[self._orientation], self._turn)
        if self._noisy:
            self._add_noise(vector)
        if self._loss > 0.0:
            self._lose_imu(vector)
        if self.tamper is not None:
            self.tamper(vector)
        return vector

    def _lose_imu(self, vector: Vector) -> None:
        if self._loss_rng.random() < self._loss and not self._first:
            vector[self._imu] = self._last_imu
        self._first = False
        self._last_imu[:] = vector[self._imu]

    def _add_noise(self, vector: Vector) -> None:
        self._rng.standard_normal(out=self._draw)
        self._draw *= self._spread
        vector += self._draw
        if self._noisy_orientation:
            quaternion = vector[self._orientation]
            quaternion /= math.sqrt(quaternion.dot(quaternion))
        if self._noisy_force:
            forces = vector[self._force]
            np.maximum(forces, 0.0, out=forces)


def _spreads(robot: Robot, noise: SensorNoise) -> tuple[Vector, Vector]:
    """Standard deviation per value of Sensors: of the white noise, and of the constant offsets."""
    white, constant = robot.sensors(), robot.sensors()
    for name in ("position", "velocity", "effort", "gyro", "accelerometer", "force"):
        white[name][:] = getattr(noise, name)
    # A rotation by a small angle changes the unit quaternion by half of it; the radial part is normalised away.
    white["orientation"][:] = 0.5 * noise.orientation
    for name in ("position", "gyro", "accelerometer"):
        constant[name][:] = getattr(noise, f"{name}_offset")
    return white.vector, constant.vector


def _presses(robot: Robot, config: WorldConfig, first: int) -> list[tuple[float, float, int]]:
    """Begin, end and place in the vector of every scripted button press."""
    presses = []
    for press in config.presses:
        if press.button not in robot.buttons:
            raise BackendError("the robot has no such button", value=press.button, legal=robot.buttons)
        presses.append((press.time, press.time + press.duration, first + robot.buttons.index(press.button)))
    return presses
