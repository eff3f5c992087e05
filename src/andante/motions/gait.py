"""A walking gait as a block of keyframes: one cycle that begins and ends in a posture.

Every foot starts at its home, the place where the posture has it, and is back there after one cycle, so that cycles can
follow one another, a walk can begin and stop at any of them, and no other motion has to know where in the gait it is.
The body moves and turns evenly; each foot stays where it stands on the ground except in its own share of the cycle, in
which it is lifted to where its home will be at the end. Meanwhile the body leans away from the foot that is in the air.

With u the share of the cycle, T(u) the body's way on the ground until then and home h, a foot is at
``T(u)^-1 (h + step(u) (T(1) h - h)) - lean(u) + lift(u)`` in the body's frame.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.kinematics.forward import Kinematics
from andante.kinematics.pitch_roll_leg import pitch_roll_legs
from andante.motions.errors import MotionError
from andante.motions.interpolation import require_whole_ticks
from andante.motions.keyframe import Block, Interpolation, Keyframe
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.spatial.arrays import Array


@dataclass(frozen=True)
class KeyframeGait:
    """How a robot on four feet walks; lengths in metres, times in seconds."""

    period: float
    """Length of a cycle [s]; a whole number of the robot's ticks."""
    keys: int
    """Keyframes of a cycle; they divide it evenly."""
    stride: float
    """Way of the body in a cycle [m]; negative walks backwards."""
    lift: float
    """Height of a foot at the middle of its step [m]."""
    swings: tuple[tuple[str, float, float], ...]
    """Foot, and the shares of the cycle at which it leaves the ground and touches it again."""
    sway: float = 0.0
    """How far the body leans to the side away from a foot in the air [m]."""
    surge: float = 0.0
    """How far it leans fore or aft away from it [m]."""
    side: float = 0.0
    """Way of the body to the left in a cycle [m]."""
    turn: float = 0.0
    """Turn of the body to the left in a cycle [rad]."""

    def __post_init__(self) -> None:
        if not (self.period > 0.0 and self.keys >= 4):
            raise MotionError("a gait needs time and keyframes", value=(self.period, self.keys), limit="> 0 s and >= 4")
        for name, start, end in self.swings:
            if not 0.0 <= start < end <= 1.0:
                what, limit = "a step lies within one cycle", "0 <= from < to <= 1"
                raise MotionError(what, place=f"swings.{name}", value=(start, end), limit=limit)


ERS7_WALK = KeyframeGait(
    period=1.12,
    keys=28,
    stride=0.054,
    lift=0.010,
    swings=(("HR", 0.0, 0.25), ("FR", 0.25, 0.5), ("HL", 0.5, 0.75), ("FL", 0.75, 1.0)),
    sway=0.012,
    surge=0.004,
    # Trim: without it the feet's slip turns the robot by -1.9 deg in each cycle, in simulation.
    turn=math.radians(1.6),
)
"""The crawl of the library ``ers7``: about as fast as the joints' speed limits allow with one foot in the air."""


def gait_block(robot: Robot, gait: KeyframeGait, posture: str = "walk", note: str = "") -> Block:
    """One cycle of a gait from and to a posture.

    Args:
        robot: A robot whose legs `andante.kinematics.pitch_roll_leg` solves.
        gait: The gait.
        posture: Name of the posture.
        note: Note of the block.

    Raises:
        MotionError: A foot that the robot does not have or that never steps, or keyframes that are no whole ticks.
        LegGeometryError: The robot's legs are of another kind.
        LegReachError: A leg cannot put its foot where the gait wants it.
    """
    duration = gait.period / gait.keys
    require_whole_ticks(duration, robot.tick, "a gait")
    shares = np.arange(1, gait.keys + 1) / gait.keys
    angles = gait_angles(robot, gait, shares, posture)
    used = [index for leg in pitch_roll_legs(robot) for index in leg.indices]
    keyframes = []
    for number, row in enumerate(angles):
        joints = {robot.joint_names[index]: float(row[index]) for index in used}
        if number == 0:
            joints = {**robot.postures[posture], **joints}
        keyframes.append(Keyframe(duration=duration, joints=joints))
    stiffness = dict.fromkeys(robot.groups, 1.0)
    return Block(base_stiffness=stiffness, keyframes=tuple(keyframes), interpolation=Interpolation.LINEAR, note=note)


def gait_angles(robot: Robot, gait: KeyframeGait, shares: Array, posture: str = "walk") -> Array:
    """Joint angles at shares of a cycle, (n, nj) [rad]; see `gait_block`."""
    legs = pitch_roll_legs(robot)
    names = [leg.name for leg in legs]
    swings = {name: (start, end) for name, start, end in gait.swings}
    if set(swings) != set(names) or len(swings) != len(gait.swings):
        stepping = [name for name, *_ in gait.swings]
        raise MotionError("every foot takes one step in a cycle", place="swings", value=stepping, legal=names)
    base = robot.posture(posture)
    ground = _ground(robot, base)
    homes = np.array([leg.place(base[list(leg.indices)]) for leg in legs]) @ ground
    goals = _moved(homes, gait, 1.0)
    leans = _leans(gait, swings, dict(zip(names, homes, strict=True)))
    rows = np.tile(base, (len(shares), 1))
    for leg, home, goal in zip(legs, homes, goals, strict=True):
        near = base[list(leg.indices)]
        start, end = swings[leg.name]
        for row, share in enumerate(shares.tolist()):
            ratio = min(max((share - start) / (end - start), 0.0), 1.0)
            place = _seen(home + _smooth(ratio) * (goal - home), gait, share) - _at(leans, share)
            place[2] += gait.lift * math.sin(math.pi * ratio) ** 2
            near = leg.solve(ground @ place, near)
            rows[row, list(leg.indices)] = near
    return rows


def _moved(places: Array, gait: KeyframeGait, share: float) -> Array:
    """Where places of the body, (n, 3) [m], are on the ground after a share of the cycle."""
    c, s = math.cos(gait.turn * share), math.sin(gait.turn * share)
    turned = places @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    return np.asarray(turned + np.array([gait.stride, gait.side, 0.0]) * share)


def _seen(place: Vector, gait: KeyframeGait, share: float) -> Vector:
    """Where a place on the ground, (3,) [m], is in the body's frame after a share of the cycle."""
    x, y, z = place - np.array([gait.stride, gait.side, 0.0]) * share
    c, s = math.cos(gait.turn * share), math.sin(gait.turn * share)
    return np.array([c * x + s * y, c * y - s * x, z])


def _ground(robot: Robot, posture: Vector) -> Array:
    """Axes of the level ground in the base's frame, (3, 3), columns forward, left and up."""
    kinematics = Kinematics(robot)
    kinematics.update(posture)
    feet = np.array([kinematics.pose(foot.site)[0] for foot in robot.feet])
    middle = feet.mean(axis=0)
    _, _, axes = np.linalg.svd(feet - middle)
    up = axes[2] * np.sign(axes[2][2])
    left = np.cross(up, [1.0, 0.0, 0.0])
    left /= np.linalg.norm(left)
    return np.stack([np.cross(left, up), left, up], axis=-1)


def _leans(gait: KeyframeGait, swings: dict[str, tuple[float, float]], homes: dict[str, Vector]) -> Array:
    """Shares of the cycle and the body's way at each, (n, 4): 0 at both ends, away from the lifted foot in a step."""
    middle = np.mean(list(homes.values()), axis=0)
    rows = [np.zeros(4), np.array([1.0, 0.0, 0.0, 0.0])]
    for name, (start, end) in swings.items():
        away = -np.sign(homes[name] - middle)
        rows.append(np.array([0.5 * (start + end), gait.surge * away[0], gait.sway * away[1], 0.0]))
    return np.array(sorted(rows, key=lambda row: float(row[0])))


def _at(leans: Array, share: float) -> Vector:
    """The body's way at a share of the cycle, (3,) [m]."""
    after = min(max(int(np.searchsorted(leans[:, 0], share)), 1), len(leans) - 1)
    low, high = leans[after - 1], leans[after]
    ratio = (share - low[0]) / (high[0] - low[0])
    return np.asarray(low[1:] + _smooth(ratio) * (high[1:] - low[1:]))


def _smooth(ratio: float) -> float:
    """From 0 to 1, level at both ends."""
    return 0.5 - 0.5 * math.cos(math.pi * ratio)
