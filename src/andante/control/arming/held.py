"""HeldPosture: whether joints stay where they were found while gains rise; one wrong reading is no joint that left."""

from __future__ import annotations

import numpy as np

from andante.robots.records import Command, Sensors, Vector
from andante.robots.robot import Robot

_LEAP = 0.5
"""A joint that is nearer than this share of the limit in one reading and beyond it in the next has leapt."""
_AGREEING = 3
"""One that has leapt must be beyond the limit in so many readings in a row."""
_MOST = 5
"""So many leaps that came back are those of an encoder that is not to be trusted."""
_FASTER = 1.5
"""No joint turns at so many times its largest speed by itself."""
_MOST_NAMED = 4


def held_where_found(robot: Robot, angles: Vector, beyond: float) -> tuple[Command, str]:
    """The command by which a robot is held where it is measured, and what is not held, in words; empty: everything is.

    No joint is asked for an angle beyond its limits. One that is measured farther beyond them would be turned to them
    with all its strength: it is only braked, where its servo can do that.

    Args:
        robot: The robot.
        angles: Measured angles, (nj,) [rad].
        beyond: A joint may be so far beyond its limits and is held at them [rad].
    """
    command = robot.held(np.clip(angles, robot.lower, robot.upper))
    loose = np.flatnonzero(np.abs(angles - command.position) > beyond)
    command.kp[loose] = 0.0
    if not loose.size:
        return command, ""
    named = [
        f"{robot.joint_names[j]} at {angles[j]:.2f} rad ({robot.lower[j]:.2f} to {robot.upper[j]:.2f})"
        for j in loose[:_MOST_NAMED].tolist()
    ]
    more = f" and {loose.size - _MOST_NAMED} more" if loose.size > _MOST_NAMED else ""
    return command, f"not held, as they are measured beyond their limits: {', '.join(named)}{more}"


class HeldPosture:
    """Watches over a posture that is held.

    Args:
        robot: The robot.
        limit: Distance from its place from which on a joint has left it [rad].
    """

    def __init__(self, robot: Robot, limit: float) -> None:
        self._robot, self._limit = robot, limit
        self.begin(np.zeros(len(robot.joints)), Sensors(robot.sensors_layout))

    def begin(self, angles: Vector, sensors: Sensors) -> None:
        """Hold a posture.

        Args:
            angles: Its angles, (nj,) [rad].
            sensors: The last reading before.
        """
        self._angles, self._last = angles, sensors
        self._beyond, self._leaps = 0, 0
        self._leapt, self._impossible = "", False
        self.passed_over = ""
        """What was misread and passed over with the last reading, in words; empty: nothing."""
        self.doubtful = False
        """Whether a joint reads as beyond the limit, which is not believed yet."""

    def see(self, sensors: Sensors) -> str:
        """Take a reading and give why the posture is not held, in words; empty: it is, as far as is known."""
        last, self._last = self._last, sensors
        away = np.abs(sensors.position - self._angles)
        worst = int(np.nanargmax(away))
        name, by, limit = self._robot.joint_names[worst], float(away[worst]), f"(limit {self._limit:g})"
        self.passed_over = ""
        if by <= self._limit:
            if self._beyond:
                self.passed_over = f"{self._leapt}: passed over, as it came back"
            self._beyond, self.doubtful = 0, False
            return ""
        step = abs(float(sensors.position[worst] - last.position[worst]))
        if not self._beyond:
            self._leapt = ""
            if step > _LEAP * self._limit:
                self._leaps += 1
                self._leapt = f"{name} read {by:.2f} rad away from its place {limit} in the midst of others"
                reach = _FASTER * float(self._robot.max_velocity[worst]) * (sensors.time - last.time)
                self._impossible = step > reach
        self._beyond += 1
        self.doubtful = bool(self._leapt) and self._beyond < _AGREEING and self._leaps < _MOST
        if self.doubtful:
            return ""
        if self._leaps >= _MOST:
            return f"{self._leapt}, and so it did {self._leaps} times: look at its encoder, its plug and its wire"
        if self._leapt and self._impossible:
            return (
                f"{name} reads {by:.2f} rad away from its place {limit}, by a leap from one reading to the next that is"
                " faster than it can turn: its encoder has slipped, or its slot is another joint's now"
            )
        return (
            f"{name} left its place by {by:.2f} rad as gains rose {limit}: it is loaded, or commands reach another"
            " joint or the other way"
        )
