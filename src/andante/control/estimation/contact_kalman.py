"""ContactKalman: where base and feet are and how they move, from IMU, joint encoders and foot switches alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import ClassVar

import numpy as np

from andante.control.estimation.contact_kernels import advance
from andante.control.estimation.contact_memory import (
    FOOT,
    FORCE,
    GYRO,
    LEG_OUTPUTS,
    OUTPUTS,
    PLACE,
    SPEED,
    TURN,
    YAW,
    ContactMemory,
    ContactModel,
    empty_memory,
)
from andante.control.estimation.floating_base import NOTHING, Doubt, EstimateHealth, FloatingBase, health_of
from andante.control.estimation.state import Feet, imu_mount
from andante.documents.quantities import (
    FixedDuration,
    NonNegative,
    NonNegativeAngle,
    NonNegativeAngularVelocity,
    NonNegativeFixedTime,
    NonNegativeLength,
    NonNegativeSpeed,
    NonNegativeTime,
    Positive,
    PositiveAngle,
    PositiveLength,
    PositiveSpeed,
)
from andante.documents.settings import Settings, filled
from andante.kinematics.leg_table import LeggedBody
from andante.robots.records import Sensors
from andante.spatial.arrays import Array
from andante.spatial.gravity import GRAVITY
from andante.spatial.rotations import from_rpy, to_matrix
from andante.terrain.height_map import TerrainError

Ground = Callable[[Array], Array]
"""Heights of the ground (n,) [m] at points (n, 2) [m], as `HeightMap.at`; NaN, or a `TerrainError`: not known there."""
_LONGEST = 0.1
"""Longest step that is integrated at once [s]."""
_SLOPE = 0.02
"""Half the distance over which the slope below a foot is taken [m]."""
_CROSS = _SLOPE * np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
_FAR = 1e4
"""Beyond this the filter counts places from its start [m]: it multiplies them with errors of the attitude, which in the
coordinates of surveys takes more digits than numbers have."""
_STEEPEST = 1.0
"""Slope above which a foot stands at an edge, where its height is not known."""


class ContactKalmanSettings(Settings):
    """How far each reading is believed (standard deviations), and when no longer, whatever the robot's size."""

    place: ClassVar[str] = "estimator"

    gyro: NonNegativeAngularVelocity = 0.01
    """Noise of a reading of the gyro [rad/s]."""
    accelerometer: NonNegative = 0.15
    """Noise of a reading of the accelerometer [m/s^2]."""
    impact: NonNegative = 0.3
    """Share of the change between two readings of the accelerometer that counts as error: impacts fall between."""
    gyro_offset: NonNegativeAngularVelocity = 0.005
    """Offset that the gyro may have [rad/s]."""
    accelerometer_offset: NonNegative = 0.05
    """Offset that the accelerometer may have [m/s^2]."""
    gyro_walk: NonNegative = 1e-4
    """How fast that offset of the gyro wanders [rad/s in the first second]."""
    accelerometer_walk: NonNegative = 1e-3
    """How fast that of the accelerometer wanders [m/s^2 in the first second]."""
    encoder: NonNegativeAngle = 0.0005
    """Noise of a joint angle [rad]."""
    encoder_rate: NonNegativeAngularVelocity = 0.03
    """Noise of a joint rate [rad/s]."""
    leg: PositiveLength = 0.001
    """Other errors of a foot's place as seen from the base: play, bending, deformation [m]."""
    leg_speed: PositiveSpeed = 0.02
    """Other errors of the velocity over a standing foot [m/s]."""
    foot_drift: NonNegativeLength = 0.01
    """How far a standing foot creeps in a second besides rolling [m]; it grows with the root of time."""
    landing: NonNegativeTime = 0.02
    """Time after touchdown in which a foot is believed less [s]."""
    landing_drift: NonNegativeLength = 0.1
    """How far it may creep then, as ``foot_drift`` [m]."""
    landing_speed: NonNegativeSpeed = 0.3
    """Error of the velocity over it at touchdown [m/s]."""
    ground: PositiveLength = 0.01
    """Error of the height of the ground, where a map gives it [m]."""
    ground_interval: NonNegativeFixedTime = 0.25
    """Time between two measurements of the height of a foot that stays [s]; the map's error stays, too."""
    tilt: PositiveAngle = 0.02
    """Error of the IMU's own tilt [rad]."""
    tilt_time: NonNegativeFixedTime = 1.0
    """Time in which that error changes [s]; readings within it count as one."""
    gate: Positive = 12.0
    """Squared error in standard deviations above which a foot counts as slipping: chance stays below in 99 %."""
    early: NonNegativeTime = 0.02
    """Time for which a foot must touch and be still before it carries although it swings by plan [s]."""
    still: PositiveSpeed = 0.2
    """Speed over the ground below which a foot whose switch is not to be trusted, or which swings by plan, counts as
    standing [m/s]."""
    moving: PositiveSpeed = 0.4
    """Speed above which a foot cannot be standing [m/s]."""
    switch_timeout: NonNegativeFixedTime = 0.06
    """Time for which a switch may contradict the foot's motion before it counts as stuck [s]."""
    repeat: NonNegativeFixedTime = 0.03
    """Time for which a sensor may repeat itself, while encoders change, before it counts as frozen [s]."""
    contradiction: NonNegativeFixedTime = 0.06
    """Time for which all feet that touch may contradict the IMU, as feet that slide do, before the velocity is given
    up; if they do for twice as long, the state is no longer trusted [s]."""
    askew: NonNegativeFixedTime = 0.05
    """Time for which the IMU's own tilt may contradict the filter's before the state is no longer trusted [s]."""
    doubted: NonNegativeFixedTime = 0.5
    """Time for which these tilts may differ before tilt and offsets are found anew [s]."""
    strain: Positive = 3.0
    """Mean squared error of the velocities over standing feet, in standard deviations, above which this is told as a
    contradiction. Chance gives 3 where noises are stated exactly; these state them larger."""
    strain_time: FixedDuration = 0.2
    """Time over which that mean is taken [s]."""
    flight: NonNegativeFixedTime = 0.5
    """Time without a foot that carries after which this is reported [s]."""
    blind: NonNegativeFixedTime = 0.05
    """Time without gyro for which the state is trusted [s]."""
    blind_rate: NonNegativeAngularVelocity = 1.0
    """Angular velocity that a base may have unseen while there is no gyro [rad/s]."""
    blind_force: NonNegative = 5.0
    """Acceleration that it may have while there is no accelerometer [m/s^2]."""
    blind_time: FixedDuration = 0.1
    """Time in which these change [s]."""
    worst_speed: PositiveSpeed = 0.25
    """Standard deviation of a velocity above which the state is no longer trusted [m/s]."""
    worst_tilt: PositiveAngle = 0.1
    """Standard deviation of roll or pitch above which it is not [rad]."""
    start_tilt: PositiveAngle = 0.03
    """Error of the tilt at the start [rad]."""
    start_speed: PositiveSpeed = 0.1
    """Error of the start's belief that the robot rests [m/s]."""
    rolling: NonNegative = 1.0
    """Share of a ball foot's rolling that is counted; 0: feet are points."""


class ContactKalman:
    """Fuses the sensors of one robot on three-joint legs, tick by tick, without anything that sees it from outside.

    The world begins below the first place of the base, with the heading that the IMU gives then; afterwards the IMU's
    heading is not used, since without a magnetometer it drifts as its gyro does.

    Args:
        body: The robot.
        settings: How far each reading is believed.
        ground: Heights of the ground; None: not known, and the height drifts with the way.
    """

    def __init__(
        self, body: LeggedBody, settings: ContactKalmanSettings | None = None, ground: Ground | None = None
    ) -> None:
        self.body, self.settings = body, settings or ContactKalmanSettings()
        self._ground = ground
        robot, count = body.robot, len(body.legs)
        slices = robot.sensors_layout.slices
        rows = np.array([leg.indices for leg in body.legs])
        starts = np.array([slices[name].start for name in ("position", "velocity", "health")])
        self._columns = starts[:, None, None] + rows
        self._imu = slice(slices["orientation"].start, slices["accelerometer"].stop)
        self._switches = slices["contact"]
        self._names = tuple(leg.name for leg in body.legs)
        lever, mount = imu_mount(robot)
        turn = np.ascontiguousarray(to_matrix(mount))
        self._model = filled(ContactModel, self.settings, mount=turn, lever=lever, gravity=GRAVITY)
        self._no_plan = np.full(count, -1.0)
        self._well = EstimateHealth(legs=(NOTHING,) * count, names=self._names)
        self._start: tuple[Array | None, float | None] = None, None
        self.reset()

    def reset(self, position: Array | None = None, yaw: float | None = None) -> None:
        """Forget everything; the next update is the first.

        Args:
            position: Where the base then is, (3,) [m]; None: above the origin, its feet on the ground.
            yaw: Its heading then [rad]; None: as the IMU has it.
        """
        self._start = None if position is None else np.array(position, dtype=np.float64), yaw
        self._origin: Array | None = None
        if position is not None and float(np.abs(position[:2]).max()) > _FAR:
            self._origin = np.array([*np.round(position[:2]), 0.0])
            self._start = position - self._origin, yaw
        self._memory: ContactMemory = empty_memory(len(self.body.legs))
        self._time: float | None = None
        self._good: Array | None = None
        self._restarted = False
        self._state: FloatingBase | None = None

    def update(self, sensors: Sensors, standing: Feet | None = None) -> FloatingBase:
        """The state after one more tick; readings that are not finite are left out and named in its health.

        Args:
            sensors: What is measured; a record of the same time as the last changes nothing.
            standing: Feet that may stand by the controller's plan, (nl,); None: all whose switch is closed.
        """
        time, memory = sensors.time, self._memory
        if not math.isfinite(time):
            if self._state is not None:
                return self._state
            time = 0.0
        step = 0.0
        if self._time is not None:
            step = min(time - self._time, _LONGEST)
            if not step > 0.0 and self._state is not None:
                return self._state
        vector = sensors.vector
        readings, imu, switches = vector[self._columns], vector[self._imu], vector[self._switches]
        plan = self._no_plan if standing is None else standing.astype(np.float64)
        if self._time is None:
            self._begin(readings, imu, switches)
        self._time = time
        if self._ground is not None:
            self._survey(switches)
        advance(self.body.table, self._model, memory, readings, imu, switches, plan, step)
        if memory.output[34] < 0.5:
            self._restart(readings, imu, switches, plan)
        return self._told(time)

    def _told(self, time: float) -> FloatingBase:
        out = self._memory.output.copy()
        legs = out[OUTPUTS:].reshape(-1, LEG_OUTPUTS)
        self._good = out
        place, feet = out[0:3], legs[:, :3]
        if self._origin is not None:
            place, feet = place + self._origin, feet + self._origin
        doubts = int(out[32])
        if doubts == 0 and out[33] > 0.5 and not self._restarted:
            health = self._well
        else:
            if self._restarted:
                doubts |= int(Doubt.RESTARTED)
            health = health_of(bool(out[33] > 0.5), doubts, tuple(legs[:, 5].tolist()), self._names)
        self._restarted = False
        self._state = FloatingBase(
            time,
            place,
            out[3:12].reshape(3, 3),
            out[12:15],
            out[15:18],
            out[18:21],
            feet,
            legs[:, 3] > 0.5,
            legs[:, 4],
            out[21:30],
            out[30:32],
            health,
        )
        return self._state

    def _survey(self, switches: Array) -> None:
        """Look up height and slope below each foot that has just come down."""
        memory = self._memory
        for leg in np.flatnonzero((switches > 0.5) & (memory.closed == 0.0)).tolist():
            heights = self._heights(memory.feet[leg, :2] + _CROSS)
            east = (heights[1] - heights[2]) / (2.0 * _SLOPE)
            north = (heights[3] - heights[4]) / (2.0 * _SLOPE)
            if not math.hypot(east, north) < _STEEPEST:
                memory.ground[leg] = 0.0, 0.0, 1.0, math.nan
                continue
            size = math.sqrt(1.0 + east * east + north * north)
            # The ball touches beside the point below its centre.
            centre = heights[0] + self.body.table.radius[leg] * size
            memory.ground[leg] = -east / size, -north / size, 1.0 / size, centre

    def _heights(self, points: Array) -> Array:
        """Heights (n,) [m] at points (n, 2) [m]; NaN where nothing is known."""
        if self._ground is None:
            return np.full(len(points), math.nan)
        try:
            return self._ground(points if self._origin is None else points + self._origin[:2])
        except TerrainError:
            return np.full(len(points), math.nan)

    def _begin(self, readings: Array, imu: Array, switches: Array) -> None:
        memory, model, settings = self._memory, self._model, self.settings
        rotation, sure = _attitude(imu, model.mount)
        position, yaw = self._start
        if yaw is not None:
            turn = yaw - math.atan2(rotation[1, 0], rotation[0, 0])
            rotation = to_matrix(from_rpy([0.0, 0.0, turn])) @ rotation
            memory.clocks[YAW] = yaw
        else:
            memory.clocks[YAW] = math.atan2(rotation[1, 0], rotation[0, 0])
        finite = np.isfinite(readings[0]).all(axis=1)
        places = np.array(
            [leg.place(readings[0, row] if finite[row] else np.zeros(3)) for row, leg in enumerate(self.body.legs)]
        )
        feet = places @ rotation.T
        if position is None:
            height = float(self._heights(np.zeros((1, 2)))[0])
            height = height if math.isfinite(height) else 0.0
            down = finite & (switches > 0.5)
            use = down if down.any() else finite
            lowest = float(np.mean((feet[:, 2] - self.body.table.radius)[use])) if use.any() else 0.0
            position = np.array([0.0, 0.0, height - lowest])
        place = position + rotation @ model.lever
        memory.rotation[:] = rotation
        memory.motion[1] = place
        memory.feet[:] = position + feet
        memory.imu[0] = _finite(model.mount @ imu[4:7])
        memory.imu[1] = _finite(model.mount @ imu[7:10])
        memory.output[:2] = position[:2]
        tilt = settings.start_tilt if sure else 1.0
        _open(memory, place, tilt, settings)

    def _restart(self, readings: Array, imu: Array, switches: Array, plan: Array) -> None:
        """Begin anew where the estimate was last a number."""
        good, self._start = self._good, (None, None)
        self._memory = memory = empty_memory(len(self.body.legs))
        if good is not None:
            self._start = good[:3].copy(), float(good[14])
        self._begin(readings, imu, switches)
        if good is not None:
            memory.clocks[1:3] = good[30:32]
        advance(self.body.table, self._model, memory, readings, imu, switches, plan, 0.0)
        self._restarted = True


def _open(memory: ContactMemory, place: Array, tilt: float, settings: ContactKalmanSettings) -> None:
    """The covariance at the start: the world is where the robot begins; tilt, velocity and offsets are uncertain."""
    covariance = memory.covariance
    turn = np.diag([tilt**2, tilt**2, 1e-8])
    x, y, z = place
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    # The place is known, so its error in the filter's sense is the attitude's seen from there.
    covariance[TURN : TURN + 3, TURN : TURN + 3] = turn
    covariance[PLACE : PLACE + 3, TURN : TURN + 3] = cross @ turn
    covariance[TURN : TURN + 3, PLACE : PLACE + 3] = turn @ cross.T
    covariance[PLACE : PLACE + 3, PLACE : PLACE + 3] = cross @ turn @ cross.T + 1e-8 * np.eye(3)
    for first, spread in (
        (SPEED, settings.start_speed),
        (GYRO, settings.gyro_offset),
        (FORCE, settings.accelerometer_offset),
    ):
        covariance[first : first + 3, first : first + 3] = spread**2 * np.eye(3)
    for first in range(FOOT, len(covariance), 3):
        covariance[first : first + 3] = covariance[PLACE : PLACE + 3]
        covariance[:, first : first + 3] = covariance[:, PLACE : PLACE + 3]


def _attitude(imu: Array, mount: Array) -> tuple[Array, bool]:
    """Base to world by the IMU's first reading, (3, 3), and whether it is one: its orientation, else its weight."""
    quaternion = imu[:4]
    size = float(quaternion @ quaternion)
    if 0.25 < size < 4.0:
        return to_matrix(quaternion / math.sqrt(size)) @ mount.T, True
    up = mount @ imu[7:10]
    size = float(np.sqrt(up @ up))
    if not 0.5 * GRAVITY < size < 2.0 * GRAVITY:
        return np.eye(3), False
    up = up / size
    ahead = np.array([1.0, 0.0, 0.0]) - up[0] * up
    if float(ahead @ ahead) < 1e-6:
        return np.eye(3), False
    ahead /= np.sqrt(ahead @ ahead)
    return np.stack([ahead, np.cross(up, ahead), up]), True


def _finite(vector: Array) -> Array:
    return np.where(np.isfinite(vector), vector, 0.0)
