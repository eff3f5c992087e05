"""FootMotion: the feet's commanded places in the base's frame, never out of reach and never too fast.

Controllers say where each foot should be at the end of the tick. The feet go there in straight lines as far as the
joints' limits and rates allow, so that what is commanded is always an exact solution of the inverse kinematics.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from andante.control.controller import ControlError
from andante.kernels import entry, kernel
from andante.kinematics.com_ik import evaluate
from andante.kinematics.leg_forward import foot_places
from andante.kinematics.leg_kernels import leg_angles
from andante.kinematics.leg_table import LeggedBody, LegTable
from andante.robots.records import Command, Sensors, Vector
from andante.spatial.arrays import Array, Array1, Array2, Flags, Flags1

_NOWHERE = np.zeros(3)
_NOT_TURNED = np.eye(3)
_ROUNDING = 1e-9
_HALVINGS = 8


class TickLimits(NamedTuple):
    """What joints of the legs may do in one tick."""

    most: Array2
    """Largest change of an angle, (nl, 3) [rad]."""
    change: Array2
    """Largest change of that change from tick to tick, at least ``most``, (nl, 3) [rad]."""
    rooms: Array1
    """Angle that joints of a leg keep from their limits, (nl,) [rad]."""


@kernel
def _allowed(
    table: LegTable, limits: TickLimits, leg: int, way: Array, share: float, angles: Array, steps: Array, trial: Array
) -> bool:
    """Whether a foot may go a share of its way (from, to; (2, 3)) in this tick; its angles there into ``trial``."""
    x = way[0, 0] + share * (way[1, 0] - way[0, 0])
    y = way[0, 1] + share * (way[1, 1] - way[0, 1])
    z = way[0, 2] + share * (way[1, 2] - way[0, 2])
    if leg_angles(table, leg, x, y, z, trial) < limits.rooms[leg]:
        return False
    slow = True
    for joint in range(3):
        step = trial[joint] - angles[leg, joint]
        slow = slow and abs(step) <= limits.most[leg, joint]
        slow = slow and abs(step - steps[leg, joint]) <= limits.change[leg, joint]
    return slow


@entry
def advance(
    table: LegTable,
    limits: TickLimits,
    places: Array2,
    angles: Array2,
    steps: Array2,
    goals: Array2,
    together: Flags1,
    shares: Array1,
) -> None:
    """Move feet in straight lines towards their goals as far as limits and rates of their joints allow.

    Standing still is always allowed, since no joint is faster than it can stop within a tick.

    Args:
        table: The legs.
        limits: What their joints may do.
        places: Places in the base's frame, changed in place, (nl, 3) [m].
        angles: Their joint angles, changed in place, (nl, 3) [rad].
        steps: How far the joints went in the last tick, changed in place, (nl, 3) [rad].
        goals: Where the feet should go, (nl, 3) [m].
        together: Feet that go the same share of their ways (those on the ground), (nl,).
        shares: Gets the share of its way that each foot went, (nl,).
    """
    count = len(places)
    trial, way = np.empty(3), np.empty((2, 3))
    common = 1.0
    for leg in range(count):
        way[0], way[1] = places[leg], goals[leg]
        low, high = 0.0, common if together[leg] else 1.0
        if not _allowed(table, limits, leg, way, high, angles, steps, trial):
            for _ in range(_HALVINGS):
                middle = 0.5 * (low + high)
                if _allowed(table, limits, leg, way, middle, angles, steps, trial):
                    low = middle
                else:
                    high = middle
            high = low
        shares[leg] = high
        if together[leg]:
            common = high
    for leg in range(count):
        # A part of an allowed way need not be allowed where limits are not convex: then the feet stay.
        way[0], way[1] = places[leg], goals[leg]
        if together[leg] and not _allowed(table, limits, leg, way, common, angles, steps, trial):
            common = 0.0
    for leg in range(count):
        share = common if together[leg] else shares[leg]
        shares[leg] = share
        way[0], way[1] = places[leg], goals[leg]
        if share > 0.0 and _allowed(table, limits, leg, way, share, angles, steps, trial):
            for axis in range(3):
                places[leg, axis] += share * (goals[leg, axis] - places[leg, axis])
                steps[leg, axis] = trial[axis] - angles[leg, axis]
                angles[leg, axis] = trial[axis]
        else:
            shares[leg] = 0.0
            steps[leg] = 0.0


class FootMotion:
    """Commanded places of all feet.

    Args:
        body: The robot.
        period: Time of a tick [s].
        rate: Share of the joints' speed limits that is used.
        room: Angle that joints keep from their limits [rad].

    Raises:
        ControlError: A rate that is not above 0 and at most 1, or a room below 0.
    """

    def __init__(self, body: LeggedBody, period: float, rate: float = 0.95, room: float = 0.01) -> None:
        if not 0.0 < rate <= 1.0:
            raise ControlError("a share of the speed limits is needed", place="rate", value=rate, limit="0 to 1")
        if not 0.0 <= room < 0.5:
            raise ControlError("room to the limits is needed", place="room", value=room, limit="0 to 0.5 rad")
        self.body, self.period = body, period
        robot = body.robot
        self._rows = np.array([leg.indices for leg in body.legs])
        change = 0.98 * period**2 * robot.max_acceleration[self._rows]
        most = np.minimum(rate * period * robot.max_velocity[self._rows], change)
        count = len(body.legs)
        self._room = room
        self._limits = TickLimits(most, change, np.full(count, room))
        self.places: Array = np.zeros((count, 3))
        """Commanded places in the base's frame, (nl, 3) [m]."""
        self.angles: Array = np.zeros((count, 3))
        """Their joint angles, (nl, 3) [rad]."""
        self._steps: Array = np.zeros((count, 3))
        self.com: Array = np.zeros(3)
        """Centre of mass in the base's frame at these angles, (3,) [m]."""
        self.shares: Array = np.ones(count)
        """Share of its way that each foot went in the last tick, (nl,)."""
        self._scratch = np.empty((count, 3))

    def begin(self, sensors: Sensors) -> None:
        """Take the measured posture for the commanded one."""
        lower, upper = self.body.robot.lower[self._rows], self.body.robot.upper[self._rows]
        self.angles = np.clip(sensors.position[self._rows], lower, upper)
        self._steps = np.zeros_like(self.angles)
        self.places = self.measured(self.angles)
        # A start posture may be nearer to a limit than walking goes; it may leave, but not come nearer.
        self._limits = self._limits._replace(rooms=np.minimum(self._room, self._left()))
        self._weigh()

    def measured(self, angles: Array) -> Array:
        """Places of the feet in the base's frame, (nl, 3) [m], at leg angles (nl, 3) [rad]."""
        places = np.empty_like(self.places)
        foot_places(self.body.table, np.ascontiguousarray(angles), places)
        return places

    def leg_rows(self, joints: Vector) -> Array:
        """The legs' part of a joint array (nj,), as (nl, 3)."""
        return np.ascontiguousarray(joints[self._rows])

    def move(self, goals: Array, together: Flags) -> None:
        """Move the feet towards their goals (nl, 3) [m]; those in ``together`` (nl,) go equal shares of their ways."""
        steps = self._steps
        advance(self.body.table, self._limits, self.places, self.angles, steps, goals, together, self.shares)
        rooms = self._limits.rooms
        if (rooms < self._room).any():
            self._limits = self._limits._replace(rooms=np.minimum(self._room, np.maximum(rooms, self._left())))
        self._weigh()

    def command(self, lead: float = 1.0) -> Command:
        """Positions at full gains, joints of no leg held where the body's description has them.

        Args:
            lead: Share of the joints' commanded speed that is asked of the servos too, so that their damping does not
                hold the legs back.
        """
        command = self.body.robot.held(self.body.joints(self.angles))
        command.velocity[self._rows] = self._steps * (lead / self.period)
        return command

    def _weigh(self) -> None:
        evaluate(self.body.table, _NOWHERE, self.places, _NOT_TURNED, self._scratch, self.com)

    def _left(self) -> Array:
        """Smallest angle left to a limit of each leg, less what rounding takes, (nl,) [rad]."""
        room = np.empty(len(self.places))
        for leg, (x, y, z) in enumerate(self.places):
            room[leg] = leg_angles(self.body.table, leg, x, y, z, self._scratch[leg]) - _ROUNDING
        return room
