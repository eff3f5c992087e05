"""Standing posture of a robot without a pack: one of its file's keyframes where that stands, else one with bent
knees, else the one in which its file draws it.

A posture stands where all feet are on one plane below the base, soles flat on it, nothing else reaches down to it, the
centre of mass is above the feet, and joints that are tied have angles that agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import mujoco
import numpy as np

from andante.robots.bare.closing import closing_ties, gaps
from andante.robots.bare.limbs import BodyTree, Limb, leg_length
from andante.robots.bare.shapes import lowest_point
from andante.robots.parts import Foot, Joint
from andante.robots.passive import joint_ties, tied_angle
from andante.robots.records import Vector
from andante.spatial.polygons import convex_hull, signed_distance

NAMES = ("stand", "standing", "home")
"""Names of keyframes that are meant to be stands, the surest first."""
_OPEN = 1e-3
"""From such a gap on what a file closes is closed by turning joints [m]."""
_CROUCH, _UPRIGHT = 0.77, 0.96
"""Height of the hips over the feet as a share of the leg's length: on balls, and on soles; a robot that walks on four
legs of its planner's proportions stands at the first."""
_LEVEL = 0.03
"""How far feet may be apart in height, and another part below them, as a share of the leg's length."""
_FLAT = 0.05
"""How far a sole may be from flat on the ground [rad]."""
_LOWEST = 0.4
"""Least height of the base above the feet, as a share of the leg's length."""
_MARGIN = 0.5
"""Least distance of the centre of mass from the edge of the feet's outline, over that of the outline's middle."""
_SAG = 1.5
"""How much further from the ankles the centre of mass comes to rest than the posture puts it: r / (r - 1) for ankles
that are r = 3 times as stiff as the weight needs."""
_ROOM = 0.01
"""Least distance of a joint that does not carry from its limits [rad]."""
_SHORTEST = 1e-3
"""Least length of a leg [m]; joints of a limb may all lie in one place."""
_MOST_STEPS = 100
"""Most steps of the search for a leg's angles; legs of robots take some ten to thirty."""
_APART = 0.02
"""How far a joint may be from the angle that a tie wants of it [rad]."""
_FIRST = 10.0
"""How much more than the place of the foot its level sole and the ties of its joints count, where there are ties: a leg
with fewer angles to choose can do without the place."""
_BEND = 0.5
"""Bend of the knees at which the search for a posture begins [rad]."""


@dataclass(frozen=True)
class Leg:
    """A leg as the search for a standing posture sees it, all in the world with all joints at zero."""

    limb: Limb
    """Its joints."""
    foot: Foot
    """Its foot."""
    length: float
    """Length from the first joint to the foot, seen from the side [m]."""
    hip: Vector
    """The first axis that pitches, (3,) [m]."""
    pitches: tuple[int, ...]
    """Joints that pitch, from the hip outwards."""


def legs_of(
    tree: BodyTree, limbs: Sequence[Limb], feet: Sequence[Foot], place: Mapping[str, Vector]
) -> tuple[Leg, ...]:
    """The legs of a robot, in the order of its feet.

    Args:
        tree: The robot with all joints at zero.
        limbs: The limbs that end in its feet.
        feet: Its feet.
        place: Where each foot's site is, (3,) in the world [m].
    """
    by_body = {tree.model.body(limb.end).name: limb for limb in limbs}
    found = []
    for foot in feet:
        limb = by_body[foot.body]
        axes = {joint: np.array(tree.data.xaxis[joint]) @ tree.rotation(tree.base) for joint in limb.joints}
        pitches = tuple(joint for joint, axis in axes.items() if abs(axis[1]) > 0.9)
        hip = np.array(tree.data.xanchor[pitches[0] if pitches else limb.joints[0]])
        length = max(leg_length(tree, limb, place[foot.name]), _SHORTEST)
        found.append(Leg(limb, foot, length, hip, pitches))
    return tuple(found)


def standing(
    model: mujoco.MjModel,
    base: str,
    limbs: Sequence[Limb],
    feet: Sequence[Foot],
    joints: Sequence[Joint],
    keyframes: Mapping[str, Mapping[str, float]],
    sources: dict[str, str],
    doubts: dict[str, str],
) -> dict[str, float] | None:
    """Joint angles of a standing posture by name [rad]; None where none was found.

    Args:
        model: The robot with the sites of its feet.
        base: Its base body.
        limbs: The limbs that end in its feet.
        feet: Its feet.
        joints: Its joints and their limits.
        keyframes: Joint angles of the file's keyframes by name [rad].
        sources: Where numbers come from, by topic.
        doubts: What may be guessed wrong, by topic.
    """
    if not feet:
        doubts["stand"] = "a robot without feet does not stand"
        return None
    body = _Body(model, base, limbs, feet, joints)
    why = []
    for name in sorted((name for name in keyframes if name in NAMES), key=NAMES.index):
        angles = np.array([keyframes[name].get(joint.name, 0.0) for joint in joints])
        fault = body.fault(angles)
        if not fault:
            sources["stand"] = f"keyframe {name!r} of the file"
            return {joint.name: float(angle) for joint, angle in zip(joints, angles, strict=True)}
        why.append(f"keyframe {name!r} does not stand: {fault}")
    share = _CROUCH if not body.soled else _UPRIGHT
    how = f"computed: feet below the body, legs bent to {share:g} of their length"
    angles = body.crouch(drawn=True)
    fault = body.fault(angles)
    if fault and body.fault(angles := body.crouch(drawn=False)):
        # Legs that are spread, as those of six-legged robots, do not stand below their hips.
        how, angles = "all joints at zero, as the file draws it", np.zeros(len(joints))
        if body.fault(angles):
            doubts["stand"] = "; ".join([*why, f"the computed posture does not stand: {fault}"])
            return None
    sources["stand"] = "; ".join([how, *why])
    # Rounded up, an angle at a limit would be beyond it.
    return {
        joint.name: min(max(round(float(angle), 6), joint.lower), joint.upper)
        for joint, angle in zip(joints, angles, strict=True)
    }


class _Body:
    """A robot whose posture is looked at and changed."""

    def __init__(
        self, model: mujoco.MjModel, base: str, limbs: Sequence[Limb], feet: Sequence[Foot], joints: Sequence[Joint]
    ) -> None:
        self.model, self.data = model, mujoco.MjData(model)
        self.base = int(model.body(base).id)
        self.feet, self.joints = feet, joints
        self.soled = any(foot.outline for foot in feet)
        self._numbers = [int(model.joint(joint.name).id) for joint in joints]
        self._places = [int(model.jnt_qposadr[number]) for number in self._numbers]
        self._index = {number: index for index, number in enumerate(self._numbers)}
        self._ties = joint_ties(model)
        self._closing = closing_ties(model)
        self._low = np.array([joint.lower for joint in joints])
        self._high = np.array([joint.upper for joint in joints])
        self.put(np.zeros(len(joints)))
        self.tree = BodyTree(model, self.data, self.base)
        self.legs = legs_of(self.tree, limbs, feet, {foot.name: self.place(foot) for foot in feet})

    def put(self, angles: Vector) -> None:
        """Take joint angles, (nj,) [rad]; the base stays upright where it is."""
        self.data.qpos[:] = self.model.qpos0
        free = int(self.model.jnt_qposadr[self.model.body_jntadr[self.base]])
        self.data.qpos[free : free + 7] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        self.data.qpos[self._places] = angles
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)

    def _slack(self, tie: int) -> float:
        """How far the first joint of a tie is from the angle that it wants [rad]."""
        place = self.model.jnt_qposadr[self.model.eq_obj1id[tie]]
        return float(self.data.qpos[place]) - tied_angle(self.model, self.data.qpos, tie)

    def _agreeing(self, angles: Vector, most: float) -> Vector:
        """Angles with those of tied joints as the ties want them, where they are at most so far from it [rad]."""
        found = angles.copy()
        for tie in self._ties:
            self.put(found)
            if abs(self._slack(tie)) <= most:
                row = self._index[int(self.model.eq_obj1id[tie])]
                found[row] = np.clip(tied_angle(self.model, self.data.qpos, tie), self._low[row], self._high[row])
        return found

    def place(self, foot: Foot) -> Vector:
        """Where a foot's site is, (3,) [m]."""
        return np.array(self.data.site(foot.site).xpos)

    def soles(self) -> Vector:
        """Points with which the feet touch the ground, (n, 3) [m]."""
        points = []
        for foot in self.feet:
            site = self.data.site(foot.site)
            if foot.outline:
                flat = np.column_stack([np.array(foot.outline), np.zeros(len(foot.outline))])
                points.append(site.xpos + flat @ np.array(site.xmat).reshape(3, 3).T)
            else:
                points.append((site.xpos - (0.0, 0.0, foot.radius))[None])
        return np.concatenate(points)

    def fault(self, angles: Vector) -> str:
        """Why a posture is no stand; empty where it is one."""
        over = np.maximum(self._low - angles, angles - self._high)
        worst = int(np.argmax(over))
        if over[worst] > 1e-3:
            return f"{self.joints[worst].name} is beyond its limits"
        self.put(angles)
        for tie in self._ties:
            away = self._slack(tie)
            if abs(away) > _APART:
                name = self.model.joint(int(self.model.eq_obj1id[tie])).name
                return f"{name} is tied, and {abs(away):.2f} rad from the angle that this wants"
        length = float(np.mean([leg.length for leg in self.legs]))
        soles = self.soles()
        ground = float(soles[:, 2].min())
        if np.ptp(soles[:, 2]) > _LEVEL * length:
            return f"the feet are {1e3 * float(np.ptp(soles[:, 2])):.0f} mm apart in height"
        for foot in self.feet:
            up = np.array(self.data.site(foot.site).xmat).reshape(3, 3)[2, 2]
            if foot.outline and up < np.cos(_FLAT):
                return f"the sole of {foot.name} is not flat on the ground"
        if float(self.data.xpos[self.base, 2]) - ground < _LOWEST * length:
            return "the base is too low above the feet"
        for number in self.tree.below(self.base):
            low = lowest_point(self.model, self.data, number)
            if low is not None and low < ground - _LEVEL * length:
                return f"{self.model.body(number).name} is below the feet"
        com = np.array(self.data.subtree_com[self.base])[:2]
        hull = convex_hull(soles[:, :2])
        if self.soled:
            # Ankles give way to a centre of mass beside them, and it moves on.
            ankles = np.mean([self.place(foot)[:2] for foot in self.feet], axis=0)
            com = ankles + _SAG * (com - ankles)
        margin, most = signed_distance(hull, np.stack([com, hull.mean(axis=0)]))
        if most <= 0.0:
            return "the feet touch the ground in points on one line"
        if margin < _MARGIN * most:
            return (
                f"the centre of mass is {1e3 * margin:.0f} mm inside the feet's outline, which has {1e3 * most:.0f} mm"
            )
        return ""

    def crouch(self, *, drawn: bool) -> Vector:
        """A posture with the feet below the hips and bent legs, (nj,) [rad].

        Args:
            drawn: Legs are as long as they hang down with all joints at zero; otherwise as long as they can be. Some
                models have their legs folded, or level, there.
        """
        # A joint that stands at its very limit is pressed against its stop, and has no room to be moved smoothly to it.
        room = np.minimum(_ROOM, 0.25 * (self._high - self._low))
        angles = np.clip(np.zeros(len(self.joints)), self._low + room, self._high - room)
        angles = self._agreeing(angles, np.inf)
        targets = []
        self.put(np.zeros(len(self.joints)))
        for leg in self.legs:
            place = self.place(leg.foot)
            share = _UPRIGHT if leg.foot.outline else _CROUCH
            # The way from the hip's axis down, which the foot's own height of the ball does not change.
            place[2] = leg.hip[2] + share * (place[2] - leg.hip[2] if drawn else -self._reach_of(leg))
            place[0] = leg.hip[0]
            targets.append(place)
        shift = 0.0
        for _ in range(3):
            for leg, target in zip(self.legs, targets, strict=True):
                angles = self._reach(angles, leg, target + np.array([shift, 0.0, 0.0]))
            if not self.soled:
                break
            # On soles the centre of mass is to come to rest above their middle, once the ankles have given way.
            self.put(angles)
            soles = self.soles()[:, 0]
            ankle = float(np.mean([self.place(leg.foot)[0] for leg in self.legs]))
            middle = 0.5 * float(soles.min() + soles.max())
            shift += float(self.data.subtree_com[self.base, 0]) - (ankle + (middle - ankle) / _SAG)
        # What the search left between tied joints is less than their drives would fight about.
        return self._closed(self._agreeing(angles, _APART))

    def _closed(self, angles: Vector) -> Vector:
        """Angles with those of joints beside the way to a foot, such as motors of an ankle's rods, changed so that what
        the file closes is closed; the same where they cannot."""
        self.put(angles)
        before = gaps(self.model, self.data, self._closing)
        on_way = {joint for leg in self.legs for joint in leg.limb.joints}
        tied = {int(self.model.eq_obj1id[tie]) for tie in self._ties}
        rows = [self._index[number] for number in self._numbers if number not in on_way | tied]
        if not rows or np.abs(before).max(initial=0.0) < _OPEN:
            return angles
        from scipy.optimize import least_squares

        posture = angles.copy()
        start = np.clip(angles[rows], self._low[rows] + 1e-6, self._high[rows] - 1e-6)

        def misses(values: Vector) -> Vector:
            posture[rows] = values
            self.put(posture)
            # What no chain needs stays where it is.
            return np.concatenate([gaps(self.model, self.data, self._closing), 1e-5 * (values - start)])

        found = least_squares(misses, start, bounds=(self._low[rows], self._high[rows]), max_nfev=_MOST_STEPS).x
        after = misses(found)[: len(before)]
        return posture if np.abs(after).max() < np.abs(before).max() else angles

    def _reach_of(self, leg: Leg) -> float:
        """Length of a stretched leg from its first axis that pitches to its foot, seen from the side [m]."""
        joints = leg.pitches or leg.limb.joints
        points = [np.array(self.tree.data.xanchor[joint]) for joint in joints] + [self.place(leg.foot)]
        return float(sum(np.linalg.norm((b - a)[[0, 2]]) for a, b in pairwise(points)))

    def _reach(self, angles: Vector, leg: Leg, target: Vector) -> Vector:
        """The angles with those of a leg changed so that its foot is at a place, (3,) [m], and its sole level."""
        from scipy.optimize import least_squares

        rows = [self._index[number] for number in leg.limb.joints]
        first = self._bent(angles, leg)
        low, high = self._low[rows], self._high[rows]
        start = np.clip(first[rows], low + 1e-6, high - 1e-6)
        posture = angles.copy()

        def misses(values: Vector) -> Vector:
            posture[rows] = values
            self.put(posture)
            site = self.data.site(leg.foot.site)
            away = (np.array(site.xpos) - target) / leg.length
            turned = np.array(site.xmat).reshape(3, 3)
            flat = [turned[0, 2], turned[1, 2], turned[1, 0]] if leg.foot.outline else []
            first = [*flat, *(self._slack(tie) for tie in self._ties)] if self._ties else []
            return np.concatenate([away, _FIRST * np.array(first) if first else flat, 1e-4 * (values - start)])

        tight = {"xtol": 1e-12, "ftol": 1e-12, "gtol": 1e-12}
        posture[rows] = least_squares(misses, start, bounds=(low, high), max_nfev=_MOST_STEPS, **tight).x
        return posture

    def _bent(self, angles: Vector, leg: Leg) -> Vector:
        """Angles with a bent knee, from which the search leads to a leg that bends that way."""
        found = angles.copy()
        if len(leg.pitches) < 2:
            return found
        hip, knee = leg.pitches[0], leg.pitches[1]
        self.put(np.zeros(len(self.joints)))
        anchors = [np.array(self.data.xanchor[joint])[[0, 2]] for joint in (hip, knee)]
        end = np.array(self.data.xanchor[leg.pitches[2]]) if len(leg.pitches) > 2 else self.place(leg.foot)
        upper, lower = anchors[1] - anchors[0], end[[0, 2]] - anchors[1]
        sign = {joint: float(np.sign(self.data.xaxis[joint, 1])) for joint in leg.pitches}
        # Turning about y takes z towards x: the angle of a link in that sense.
        direction = [float(np.arctan2(link[0], link[1])) for link in (upper, lower)]
        stretched = (direction[0] - direction[1] + np.pi) % (2.0 * np.pi) - np.pi
        bend = self._bend_side(knee, sign[knee], stretched, leg)
        row = self._index[knee]
        turn = (stretched + bend * 2.0 * _BEND) * sign[knee]
        middle = 0.5 * (self._low[row] + self._high[row])
        found[row] = middle + (turn - middle + np.pi) % (2.0 * np.pi) - np.pi
        # The thigh turns so that the leg as a whole hangs straight down.
        down = (np.pi - direction[0] + np.pi) % (2.0 * np.pi) - np.pi
        found[self._index[hip]] = (down - bend * _BEND) * sign[hip]
        for joint in leg.pitches[2:3]:
            found[self._index[joint]] = -bend * _BEND * sign[joint]
        return found

    def _bend_side(self, knee: int, sign: float, stretched: float, leg: Leg) -> float:
        """To which side the knee's limits let it bend further, +1 forward; where both are alike, as the kinematics of
        three-joint legs has it: front knees backward, hind knees and those of two-legged robots forward."""
        row = self._index[knee]
        low, high = sorted((sign * self._low[row], sign * self._high[row]))
        room = {}
        for side in (-1.0, 1.0):
            bends = []
            for turn in (-2.0 * np.pi, 0.0, 2.0 * np.pi):
                ends = sorted((side * (low - stretched + turn), side * (high - stretched + turn)))
                bends.append(min(ends[1], np.pi) - max(ends[0], 0.0))
            room[side] = max(bends)
        if abs(room[1.0] - room[-1.0]) > 1e-6:
            return max(room, key=lambda side: room[side])
        return -1.0 if leg.foot.name in ("FL", "FR") else 1.0
