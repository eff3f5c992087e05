"""HandCheck: signs, order and units of joints, shown by a hand that turns them one by one while all joints are off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from andante.control.arming.speeds import SpeedCheck
from andante.robots.records import Sensors, Vector
from andante.robots.robot import Robot
from andante.robots.tree import upwards

TURNED = 0.2
"""A joint counts as turned by so much [rad]."""
_SHOWN = 0.45
"""A hand turns a joint by so much at most [rad]."""
_UNTOUCHED = 0.02
"""Until a joint has turned by so much no hand has turned one: speeds are added up from there [rad]."""
_ALONG = 0.05
"""A joint that turns by so much is turned along, by a limb that leaned on another one or swings [rad]."""
_MOMENT, _FARTHER = 1.0, 1.2
"""Where two joints turn, all is seen after such a time [s]; one that is held, and that is not so many times nearer than
the one that was asked for, was turned in its place."""
_RIVAL = 0.5
"""A joint that turned by such a share of what the one that was asked for turned may be the one that a hand turned: a
limp limb swings farther than the joint above it is turned."""
_AT_ONCE = 1.5
"""No hand turns a joint by so much between two readings [rad]."""
_WAYS = (("goes forward", "goes backward"), ("goes to the left", "goes to the right"), ("goes up", "goes down"))
_TURNS = (
    ("rolls to the right", "rolls to the left"),
    ("pitches down", "pitches up"),
    ("turns to the left", "turns to the right"),
)


@dataclass(frozen=True)
class HandFinding:
    """What a hand showed of one joint."""

    joint: str
    """The joint that was asked for."""
    good: bool
    """Whether it, and no other, turned the right way."""
    text: str
    """What was seen."""
    hold: tuple[str, ...] = ()
    """Joints that turned too: to be held still while it is asked again; nothing has been shown then."""


class HandCheck:
    """Compares what a hand is asked to turn with what is measured.

    Args:
        robot: The robot.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self.joints = tuple(name for index, name in enumerate(robot.joint_names) if int(robot.leaders[index]) == index)
        """The joints that are asked for, in order."""
        self._speeds = SpeedCheck(robot.joint_names)
        self._begin: Vector | None = None
        self._before: Vector | None = None
        self._peak: Vector = np.zeros(len(robot.joint_names))
        self._both, self._held = 0.0, tuple[str, ...]()

    def direction(self, joint: str, sensors: Sensors) -> float:
        """1 or -1: the way in which it meets fewer other limbs, which would turn too; else that with more room."""
        index = self._robot.index(joint)
        angle, low, high = float(sensors.position[index]), *(float(stops[index]) for stops in self._robot.stops)
        roomy = 1.0 if high - angle >= angle - low else -1.0
        room = high - angle if roomy < 0.0 else angle - low
        if room < 1.5 * TURNED:
            return roomy
        return roomy if self._met(index, roomy, sensors) <= self._met(index, -roomy, sensors) else -roomy

    def _met(self, index: int, way: float, sensors: Sensors) -> int:
        """How often the robot touches itself where a joint is turned."""
        (low, high), count = self._robot.stops, 0
        for share in (0.5, 1.0):
            angles = sensors.position.copy()
            turned = float(np.clip(angles[index] + share * way * _SHOWN, low[index], high[index]))
            angles[self._robot.leaders == self._robot.leaders[index]] = turned
            touching = self._robot.model.geom_bodyid[self._placed(angles).contact.geom]
            count += int((touching != 0).all(axis=1).sum())
        return count

    def _placed(self, angles: Vector) -> mujoco.MjData:
        """All positions and contacts at joint angles."""
        model = self._robot.model
        data = mujoco.MjData(model)
        data.qpos[[model.joint(name).qposadr[0] for name in self._robot.joint_names]] = angles
        mujoco.mj_forward(model, data)
        return data

    def words(self, joint: str, direction: float, sensors: Sensors) -> str:
        """Which way that is, by where the far end of what the joint moves goes, seen from the torso."""
        model, data = self._robot.model, self._placed(sensors.position)
        number = int(model.joint(joint).id)
        body = int(model.jnt_bodyid[number])
        below = [each for each in range(model.nbody) if body in upwards(model, each)]
        anchor, axis = data.xanchor[number], data.xaxis[number]
        far = max(below, key=lambda each: float(np.linalg.norm(np.cross(axis, data.xipos[each] - anchor))))
        base = data.xmat[int(model.body(self._robot.base_body).id)].reshape(3, 3)
        turn = base.T @ axis * direction
        way = base.T @ np.cross(axis, data.xipos[far] - anchor) * direction
        moved, words = (turn, _TURNS) if float(np.linalg.norm(way)) < 0.02 else (way, _WAYS)
        main = int(np.argmax(np.abs(moved)))
        return f"so that its end {words[main][0 if moved[main] > 0.0 else 1]}"

    def begin(self, sensors: Sensors, held: Sequence[str] = ()) -> None:
        """The hand is asked to turn the next joint; others that turned as far before are held still."""
        self._held = tuple(held)
        self._begin = self._before = sensors.position.copy()
        self._peak, self._both = np.zeros(len(self._begin)), 0.0

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
        asked, own = robot.index(joint), robot.leaders == robot.leaders[robot.index(joint)]
        farther = np.abs(moved) > np.abs(self._peak)
        self._peak[farther] = moved[farther]
        far = np.abs(self._peak)
        if far.max() < _UNTOUCHED:
            self._speeds.begin()
        self._speeds.see(sensors)
        others = np.where(own, 0.0, far)
        other = int(np.argmax(others))
        if max(far[asked], far[other]) < TURNED:
            return None
        # A limb that leaned on the other one, or hangs from it, turns too; whoever is held does not.
        if min(far[asked], far[other]) >= _ALONG:
            self._both = self._both or sensors.time
            if sensors.time - self._both < _MOMENT:
                return None
        names = robot.joint_names
        for index in map(robot.index, self._held):
            if others[index] >= max(far[asked] / _FARTHER, _ALONG):
                return HandFinding(joint, False, f"{names[index]} turned in its place: wrong order of joints")
        rivals = np.flatnonzero(others >= max(_RIVAL * far[asked], 2.0 * _ALONG))
        if len(rivals):
            told = tuple(names[index] for index in rivals[np.argsort(-others[rivals])])
            return HandFinding(joint, False, f"{' and '.join(told)} turned too: hold still, turn {joint} again", told)
        if self._peak[asked] * direction < 0.0:
            return HandFinding(joint, False, "it turned the other way: wrong sign")
        if self._speeds.amiss:
            return HandFinding(joint, False, self._speeds.amiss)
        return HandFinding(joint, True, f"turned by {self._peak[asked]:.2f} rad")
