"""SensorSuite: measures the simulated robot, adds seeded noise, and holds measurements back for the latency."""

from __future__ import annotations

import math
from collections.abc import Callable

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.backends.backend import BackendError
from andante.backends.lateness import Lateness
from andante.backends.model_builder import ModelIndex
from andante.backends.motion_capture import MotionCapture
from andante.backends.streams import Streams
from andante.backends.world import SensorNoise, WorldConfig
from andante.robots.parts import Foot
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.spatial.rotations import exp, multiply


class PressureCells:
    """The pressure cells of one foot, over which the force under it spreads.

    The sole is a rigid plate on equal springs, one per cell: the force of a cell is ``a + b x + c y``, with a, b, c
    from the load and its moments. Cells only push, so negative ones are cut and the rest scaled; the sum stays the
    load.
    """

    def __init__(self, foot: Foot) -> None:
        positions = np.array([(1.0, x, y) for _, x, y in foot.cells]).reshape(-1, 3)
        self.count = len(positions)
        # Least norm solution of: sum f = load, sum f x = load x, sum f y = load y.
        self._spread = [tuple(row) for row in np.linalg.pinv(positions.T).tolist()] if self.count else []

    def read(self, load: float, moment_x: float, moment_y: float) -> list[float]:
        """Force per cell [N] from the normal force [N] and the moments about the sole's x and y axes [N m]."""
        if load <= 0.0 or not self.count:
            return [0.0] * self.count
        forces = [a * load - b * moment_y + c * moment_x for a, b, c in self._spread]
        total = 0.0
        for i, force in enumerate(forces):
            if force < 0.0:
                forces[i] = 0.0
            else:
                total += force
        if total <= 0.0:
            return [load / self.count] * self.count
        scale = load / total
        return [force * scale for force in forces]


class SensorSuite:
    """All sensors of one robot.

    ``health`` (what the drivers report per joint) and ``tamper`` (falsifies each measurement) are the seams for faults.
    """

    def __init__(
        self, robot: Robot, config: WorldConfig, model: mujoco.MjModel, data: mujoco.MjData, index: ModelIndex
    ) -> None:
        self._size = robot.sensors_layout.size
        part = robot.sensors_layout.slices
        self._position, self._velocity, self._effort = part["position"], part["velocity"], part["effort"]
        self._imu = slice(part["orientation"].start, part["accelerometer"].stop)
        self._orientation, self._feet_first = part["orientation"], part["contact"].start
        self._force = part["force"]
        self.health: Vector = np.ones(len(robot.joints))
        self._health = part["health"]
        self.tamper: Callable[[Vector], None] | None = None
        self.gap: Vector | None = None
        """How far each motor and its encoder are ahead of the link, (nu,) [rad]; None: nowhere."""
        self._qpos, self._qvel = _rows(index.qpos), _rows(index.qvel)
        self._torque = _rows(index.motor_of_joint)
        self._data_qpos, self._data_qvel, self._actuator_force = data.qpos, data.qvel, data.actuator_force
        self._imu_data, self._feet_data = data.sensordata[index.imu], data.sensordata[index.feet]
        self._site_position, self._site_matrix = data.site_xpos, data.site_xmat
        self._feet = [(int(site), PressureCells(foot)) for site, foot in zip(index.foot_sites, robot.feet, strict=True)]
        self._threshold = config.contact_threshold
        self._presses = _presses(robot, config, part["buttons"].start)
        self._spread, self._offset_spread = _spreads(robot, config.noise)
        self._noisy = bool(self._spread.any())
        self._noisy_orientation, self._noisy_force = config.noise.orientation > 0.0, config.noise.force > 0.0
        self._released = [0.0] * len(robot.buttons)
        self._offset: Vector | None = None
        self._draw: Vector = np.zeros(self._size)
        self._rng = self._loss_rng = np.random.default_rng(0)
        self._loss, self._last_imu = config.noise.imu_loss, np.zeros(10)
        self._turn_spread = config.noise.orientation_offset
        self._turn: Vector | None = None
        self._first = True
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

    @property
    def joint_offset(self) -> Vector:
        """How much too far the encoders read in this run, (nj,) [rad]."""
        return np.zeros(len(self.health)) if self._offset is None else self._offset[self._position].copy()

    def measure(self, time: float) -> Vector:
        """A new vector with everything measured now, noise included."""
        vector = np.empty(self._size)
        vector[0] = time
        position = self._data_qpos[self._qpos]
        vector[self._position] = position if self.gap is None else position + self.gap[self._torque]
        vector[self._velocity] = self._data_qvel[self._qvel]
        vector[self._effort] = self._actuator_force[self._torque]
        vector[self._health] = self.health
        vector[self._imu] = self._imu_data
        vector[self._feet_first : self._pose.start] = self._measure_feet()
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

    def _measure_feet(self) -> list[float]:
        """Contact per foot, force per cell, and zeros for the buttons."""
        contacts: list[float] = []
        cells: list[float] = []
        sums = self._feet_data.tolist()
        start = 0
        for site, pressure in self._feet:
            # MuJoCo gives the force that the foot exerts; the sole feels its opposite.
            found, fx, fy, fz, tx, ty, tz, px, py, pz = sums[start : start + 10]
            start += 10
            if not found:
                contacts.append(0.0)
                cells += [0.0] * pressure.count
                continue
            contacts.append(1.0 if math.sqrt(fx * fx + fy * fy + fz * fz) > self._threshold else 0.0)
            if pressure.count:
                sx, sy, sz = self._site_position[site].tolist()
                xx, yx, zx, xy, yy, zy, xz, yz, zz = self._site_matrix[site].tolist()
                rx, ry, rz = px - sx, py - sy, pz - sz
                mx, my, mz = tx + ry * fz - rz * fy, ty + rz * fx - rx * fz, tz + rx * fy - ry * fx
                cells += pressure.read(
                    -(zx * fx + zy * fy + zz * fz),
                    -(xx * mx + xy * my + xz * mz),
                    -(yx * mx + yy * my + yz * mz),
                )
        return contacts + cells + self._released

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


def _rows(index: NDArray[np.intp]) -> slice | NDArray[np.intp]:
    """The same selection as a slice where it is one run, which copies faster."""
    first = int(index[0]) if len(index) else 0
    if np.array_equal(index, np.arange(first, first + len(index))):
        return slice(first, first + len(index))
    return index


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
