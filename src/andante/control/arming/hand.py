"""HandCheck: signs, order and units of joints, shown by a hand that turns them one by one while all joints are off."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from andante.robots.records import Sensors, Vector
from andante.robots.robot import Robot

TURNED = 0.2
"""A joint counts as turned by so much [rad]."""
_AT_ONCE = 1.5
"""No hand turns a joint by so much between two readings [rad]."""
_WORDS = (("forward", "backward"), ("to the left", "to the right"), ("up", "down"))


@dataclass(frozen=True)
class HandFinding:
    """What a hand showed of one joint."""

    joint: str
    """The joint that was asked for."""
    good: bool
    """Whether it, and no other, turned the right way."""
    text: str
    """What was seen."""


class HandCheck:
    """Compares what a hand is asked to turn with what is measured.

    Args:
        robot: The robot.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self.joints = tuple(name for index, name in enumerate(robot.joint_names) if int(robot.leaders[index]) == index)
        """The joints that are asked for, in order."""
        self._begin: Vector | None = None
        self._before: Vector | None = None

    def direction(self, joint: str, sensors: Sensors) -> float:
        """1 or -1: the way in which the joint has more room."""
        index = self._robot.index(joint)
        angle, (low, high) = float(sensors.position[index]), self._robot.stops
        return 1.0 if high[index] - angle >= angle - low[index] else -1.0

    def words(self, joint: str, direction: float, sensors: Sensors) -> str:
        """Which way that is, by where the far end of what the joint moves goes, seen from the torso."""
        model = self._robot.model
        data = mujoco.MjData(model)
        for name, angle in zip(self._robot.joint_names, sensors.position.tolist(), strict=True):
            data.qpos[model.joint(name).qposadr[0]] = angle
        mujoco.mj_forward(model, data)
        number = int(model.joint(joint).id)
        body = int(model.jnt_bodyid[number])
        below = [each for each in range(model.nbody) if _is_below(model, each, body)]
        anchor, axis = data.xanchor[number], data.xaxis[number]
        far = max(below, key=lambda each: float(np.linalg.norm(np.cross(axis, data.xipos[each] - anchor))))
        base = data.xmat[int(model.body(self._robot.base_body).id)].reshape(3, 3)
        turn = base.T @ axis * direction
        way = base.T @ np.cross(axis, data.xipos[far] - anchor) * direction
        if float(np.linalg.norm(way)) < 0.02:
            main = int(np.argmax(np.abs(turn)))
            about = ("rolls", "pitches", "turns")[main]
            side = (("to the right", "to the left"), ("down", "up"), ("to the left", "to the right"))[main]
            return f"so that its end {about} {side[0] if turn[main] > 0.0 else side[1]}"
        main = int(np.argmax(np.abs(way)))
        return f"so that its end goes {_WORDS[main][0] if way[main] > 0.0 else _WORDS[main][1]}"

    def begin(self, sensors: Sensors) -> None:
        """The hand is asked to turn the next joint."""
        self._begin = self._before = sensors.position.copy()

    def see(self, joint: str, direction: float, sensors: Sensors) -> HandFinding | None:
        """What was shown, as soon as any joint has turned; None before."""
        robot = self._robot
        if self._begin is None or self._before is None:
            self.begin(sensors)
            return None
        angles = sensors.position
        leap = np.abs(angles - self._before)
        self._before = angles.copy()
        moved = angles - self._begin
        if not np.isfinite(moved).all() or leap.max() > _AT_ONCE:
            worst = robot.joint_names[int(np.nanargmax(leap))]
            return HandFinding(joint, False, f"{worst} leapt by {np.nanmax(leap):.1f} rad: wrong unit?")
        asked = robot.index(joint)
        turned = int(np.argmax(np.abs(moved)))
        if abs(moved[turned]) < TURNED:
            return None
        if int(robot.leaders[turned]) != asked:
            return HandFinding(joint, False, f"{robot.joint_names[turned]} turned in its place: wrong order of joints")
        if moved[asked] * direction < 0.0:
            return HandFinding(joint, False, "it turned the other way: wrong sign")
        return HandFinding(joint, True, f"turned by {moved[asked]:.2f} rad")


def _is_below(model: mujoco.MjModel, body: int, above: int) -> bool:
    while body > 0:
        if body == above:
            return True
        body = int(model.body_parentid[body])
    return False
