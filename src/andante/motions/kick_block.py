"""From the path of a kick to keyframes: leg inverse kinematics with the centre of mass over the carrying foot.

All is planned on the ground, seen from the sole that carries the robot. The torso's place over the ground is what puts
the centre of mass where it belongs: it is moved by the centre's error until that vanishes, which converges because the
legs, which move against the torso, weigh less than the rest. So leg and torso move against each other, and the swing
pushes the robot neither forward nor back. The arms turn against the yaw of the swinging leg.
"""

from __future__ import annotations

import math

import numpy as np

from andante.kinematics.forward import Kinematics
from andante.kinematics.leg import biped_legs
from andante.kinematics.nao_leg import LegsSolution, solve_legs
from andante.motions.errors import MotionError
from andante.motions.foot_kick import FootKick
from andante.motions.interpolation import require_whole_ticks
from andante.motions.keyframe import Block, Interpolation, Keyframe
from andante.motions.parts import TorsoWindow, WindowRange
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.spatial.arrays import Array
from andante.spatial.rotations import rotation_x, rotation_y

_LEANING = WindowRange(min=math.radians(-45.0), max=math.radians(45.0))
_WINDOW = TorsoWindow(pitch=_LEANING, roll=_LEANING)
"""Who leans farther has fallen, and lets go."""
_CLOSE = 1e-7
"""The centre of mass is where it belongs to this [m]."""
_ROUNDS = 60
_ROUNDING = 1e-9
_TIP = 0.002
"""Points of the outline that lie this near to the foremost one are the foot's tip [m]."""
_CARRYING, _KICKING = 0, 1
"""Places of the two feet among the robot's."""
_PITCHES = (("LShoulderPitch", -1.0), ("RShoulderPitch", 1.0))
_ROLLS = (("LShoulderRoll", 1.0), ("RShoulderRoll", -1.0))


def kick_block(robot: Robot, kick: FootKick, posture: str = "stand", note: str = "") -> Block:
    """A kick as keyframes from and to a posture.

    Args:
        robot: A robot with a NAO's legs and shoulders.
        kick: The kick.
        posture: Name of the posture.
        note: Note of the block.

    Raises:
        MotionError: Keyframes that are no whole ticks, a joint beyond its limits, or a centre of mass that cannot be
            brought where it belongs.
        LegGeometryError: The robot's legs are of another kind.
        UnreachableError: A leg cannot put its foot where the kick wants it.
    """
    require_whole_ticks(kick.step, robot.tick, "a kick")
    count = round(kick.end / kick.step)
    rows = kick_postures(robot, kick, np.linspace(kick.step, kick.end, count), posture)
    still = {name for name, column in zip(robot.joint_names, rows.T, strict=True) if np.ptp(column) == 0.0}
    keyframes = []
    for number, row in enumerate(rows):
        joints = dict(zip(robot.joint_names, row.tolist(), strict=True))
        if number:
            joints = {name: angle for name, angle in joints.items() if name not in still}
        keyframes.append(
            Keyframe(duration=kick.step, joints=joints, window=_WINDOW, window_start=None if number else _WINDOW)
        )
    stiffness = dict.fromkeys(robot.groups, 1.0)
    return Block(base_stiffness=stiffness, keyframes=tuple(keyframes), interpolation=Interpolation.LINEAR, note=note)


def kick_postures(robot: Robot, kick: FootKick, times: Array, posture: str = "stand") -> Array:
    """Joint angles at moments of a kick, (n, nj) [rad]; see `kick_block`."""
    planner = _Planner(robot, kick, robot.posture(posture))
    return np.array([planner.posture(time) for time in times.tolist()])


def ball_place(robot: Robot, kick: FootKick, radius: float, posture: str = "stand") -> tuple[float, float]:
    """Where a ball of that radius must lie for the kick, x and y from the torso's origin [m].

    The foot's tip touches it in the moment of the strike.
    """
    foot, kinematics = robot.feet[_KICKING], Kinematics(robot)
    kinematics.update(robot.posture(posture))
    place, _ = kinematics.pose(foot.site)
    tip = max((x for x, _ in foot.outline), default=foot.radius)
    across = [y for x, y in foot.outline if x > tip - _TIP]
    middle = sum(across) / len(across) if across else 0.0
    return float(place[0] + kick.strike_x + tip + radius), float(place[1] + middle)


class _Planner:
    """Postures of one kick, each solved near the one before; places are seen from the carrying sole [m]."""

    def __init__(self, robot: Robot, kick: FootKick, base: Vector) -> None:
        self._robot, self._kick, self._base = robot, kick, base
        self._legs, self._kinematics = biped_legs(robot), Kinematics(robot)
        self._carrying, self._kicking = (list(leg.indices) for leg in self._legs)
        self._kinematics.update(base)
        soles = [self._kinematics.pose(foot.site)[0] for foot in robot.feet]
        carried = soles[_CARRYING]
        self._home, self._upright, self._com = soles[_KICKING] - carried, -carried, self._kinematics.com() - carried
        """Kicking sole, torso and centre of mass in the stand, (3,) each."""
        self._torso = self._upright.copy()
        self._near = (base[self._carrying], base[self._kicking])

    def posture(self, time: float) -> Vector:
        """The joints at a moment, (nj,) [rad]."""
        kick, carrying, com = self._kick, self._carrying, self._com[:2]
        weight, forward, lifted = kick.weight(time), kick.forward(time), kick.lifted(time)
        joints = self._with_arms(weight, forward)
        pitch, roll = kick.lean_pitch * weight + kick.rock * forward, kick.lean_roll * weight
        torso = rotation_y(pitch) @ rotation_x(roll)
        foot = self._home + np.array([forward, 0.0, kick.height(time)])
        sole = rotation_x(-kick.roll * lifted) @ rotation_y(kick.pitch(time))
        goal = com + weight * (np.array(kick.com) - com) + np.array([kick.carry * forward, 0.0])
        self._torso[2] = self._upright[2] - kick.crouch * weight
        for _ in range(_ROUNDS):
            solution = self._solve(torso, foot, sole)
            joints[carrying], joints[self._kicking] = solution.left, solution.right
            self._kinematics.update(joints)
            error = goal - (self._torso + torso @ self._kinematics.com())[:2]
            if float(np.abs(error).max()) < _CLOSE:
                break
            self._torso[:2] += error
        else:
            raise MotionError(
                "no posture puts the centre of mass over the carrying foot",
                place=f"kick at {time:.3f} s",
                value=goal.tolist(),
                limit=f"{_CLOSE:g} m after {_ROUNDS} rounds",
            )
        self._near = (solution.left, solution.right)
        joints[carrying[1]] += kick.sag * weight
        self._require_limits(joints, time)
        return joints

    def _require_limits(self, joints: Vector, time: float) -> None:
        """The legs come from inverse kinematics within the limits; arms and what is added to them need not."""
        robot = self._robot
        excess = np.maximum(robot.lower - joints, joints - robot.upper)
        worst = int(np.argmax(excess))
        if excess[worst] > _ROUNDING:
            low, high = math.degrees(robot.lower[worst]), math.degrees(robot.upper[worst])
            what, value = f"a kick bends {robot.joint_names[worst]} too far", round(math.degrees(joints[worst]), 2)
            raise MotionError(what, place=f"kick at {time:.3f} s", value=value, limit=f"{low:.2f}..{high:.2f} deg")

    def _with_arms(self, weight: float, forward: float) -> Vector:
        joints = self._base.copy()
        for name, sign in _PITCHES:
            joints[self._robot.index(name)] += sign * self._kick.arms * forward
        for name, sign in _ROLLS:
            joints[self._robot.index(name)] += sign * self._kick.spread * weight
        return joints

    def _solve(self, torso: Array, foot: Vector, sole: Array) -> LegsSolution:
        """Both legs for the torso's rotation and the kicking sole's pose; the carrying sole is the origin."""
        back = torso.T
        return solve_legs(
            self._legs,
            (-back @ self._torso, back),
            (back @ (foot - self._torso), back @ sole),
            ratio=0.0,
            reference=self._near,
        )
