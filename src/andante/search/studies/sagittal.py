"""A humanoid as seen from its side: legs by flexion, knee bend and dorsiflexion, arms by where the hand is.

Whatever the joints are called and however their zeros and axes lie, these angles mean the same for every robot with two
legs of three joints that pitch, and two arms. Angles of links are measured from straight down, forward positive.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from andante.motions.editing.mirror import mirror_posture, partner_joint
from andante.robots.parts import Foot
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.search.errors import SearchError

_PITCHES = 0.9
"""Share of a joint's axis across the robot from which on it pitches."""
_SAMPLES, _WAYS = 200, 10
"""Postures of an arm that are looked at, and how many of them ways begin from."""
_ANKLE = 1.0
"""Largest turn of an ankle from square to the shank [rad]."""
SIDES = ("left", "right")


@dataclass(frozen=True)
class LegJoints:
    """The three joints of a leg that pitch, and how they lie at zero."""

    names: tuple[str, str, str]
    """Hip, knee, ankle."""
    signs: tuple[float, float, float]
    """+1 where the axis points left."""
    zero: tuple[float, float, float]
    """Angles of thigh and shank from straight down, and of the toes above the level, with all joints at 0 [rad]."""
    rolls: tuple[tuple[str, float], ...] = ()
    """Joints that turn about the forward axis, from the hip on, each with +1 where its axis points forward."""
    turns: tuple[tuple[str, float], ...] = ()
    """Joints that turn about the vertical axis, each with +1 where its axis points up."""


@dataclass(frozen=True)
class ArmJoints:
    """The joints of an arm that can move its hand."""

    names: tuple[str, ...]
    """Joints from the shoulder outwards."""
    shoulder: Vector
    """Where the arm begins, in the torso frame, (3,) [m]."""
    length: float
    """From there to the hand, stretched [m]."""
    hand_body: int
    """The body at its end."""
    hand: Vector
    """The farthest point of it, in its own frame, (3,) [m]."""


class Sagittal:
    """One robot as seen from its side.

    Args:
        robot: The robot.
        need: What needs the limbs, for messages.

    Raises:
        SearchError: It has no two legs with three joints that pitch, no arms, or no posture in which it stands.
    """

    def __init__(self, robot: Robot, need: str) -> None:
        self.robot, self._need = robot, need
        self.model = robot.model
        self._data = mujoco.MjData(self.model)
        self._addresses = [int(self.model.jnt_qposadr[self.model.joint(name).id]) for name in robot.joint_names]
        if "legs" in robot.doubts:
            raise self._lacks("two legs", robot.doubts["legs"])
        if "stand" not in robot.postures and "feet" in robot.doubts:
            raise self._lacks("two feet to stand on", robot.doubts["feet"])
        for side in SIDES:
            if f"{side}_leg" in robot.groups and len(robot.groups.get(f"{side}_arm", ())) < 2:
                has = ", ".join(name for name in robot.groups if name != "all") or "none"
                raise self._lacks("arms of two joints or more", f"its groups: {has}")
        if "stand" not in robot.postures:
            raise self._lacks("a posture in which it stands", robot.doubts.get("stand", "give one in a pack"))
        self.stand: Vector = robot.posture("stand")
        self._put(np.zeros(len(robot.joints)))
        self.legs = {side: self._leg(side) for side in SIDES}
        self.arms = {side: self._arm(side) for side in SIDES}

    @property
    def height(self) -> float:
        """Height of the base over the soles where it stands [m]."""
        self._put(self.stand)
        soles = [float(self._data.site(foot.site).xpos[2]) - foot.radius for foot in self.robot.feet]
        return float(self._data.body(self.robot.base_body).xpos[2]) - min(soles)

    def com_ahead(self, angles: Vector) -> float:
        """How far the centre of mass lies ahead of the middle of the soles, which are flat on the ground [m]."""
        lengths = [0.5 * (front - back) for front, back in map(_ends, self.robot.feet)]
        return self.com_over_sole(angles) * max(sum(lengths) / len(lengths), 1e-6)

    def leg(self, angles: Vector, flexion: float, knee: float, dorsiflexion: float) -> Vector:
        """A posture, (nj,), with both legs so: thigh forward, knee bent, toes up towards the shank [rad]."""
        found = angles.copy()
        for leg in self.legs.values():
            (hip, bend, ankle), (thigh, shank, toes) = leg.signs, leg.zero
            wanted = (
                -hip * (flexion - thigh),
                bend * (shank - thigh + knee),
                -ankle * (dorsiflexion + shank - toes),
            )
            found[self._rows(leg.names)] = [self._inside(*each) for each in zip(leg.names, wanted, strict=True)]
        return found

    def one_leg(self, angles: Vector, side: str, flexion: float, knee: float, left: float, turn: float) -> Vector:
        """A posture, (nj,), with one leg so: thigh forward, knee bent, leg and toes to the left, foot square [rad].

        A leg without a joint that rolls or turns stays straight there.
        """
        found, leg = angles.copy(), self.legs[side]
        rows = self._rows(leg.names)
        found[rows] = self.leg(angles, flexion, knee, 0.0)[rows]
        for names, angle in ((leg.rolls, left), (leg.turns, turn)):
            for name, sign in names[:1]:
                found[self.robot.index(name)] = self._inside(name, sign * angle)
        return found

    def reach_one(self, postures: Sequence[Vector], hands: Sequence[tuple[float, float]], side: str) -> list[Vector]:
        """Postures, (nj,) each, in which one hand is so, as `reach` has both."""
        found = [posture.copy() for posture in postures]
        for posture, angles in zip(found, self._way(postures, hands, side, -0.1), strict=True):
            posture[self._rows(self.arms[side].names)] = angles
        return found

    def com_over_sole(self, angles: Vector) -> float:
        """How far the centre of mass lies ahead of the soles' middle along them, over half of their length.

        The soles are taken as flat on the ground, whatever the torso's tilt is then.
        """
        self._put(angles)
        found = []
        for foot in self.robot.feet:
            site = self._data.site(foot.site)
            front, back = _ends(foot)
            toes = np.array(site.xmat).reshape(3, 3)[:, 0]
            ahead = float((self._data.subtree_com[0] - np.array(site.xpos)) @ toes)
            found.append((ahead - 0.5 * (front + back)) / max(0.5 * (front - back), 1e-6))
        return sum(found) / len(found)

    def arms_over_soles(self, angles: Vector) -> float:
        """How high arms that hang straight down would end over the soles, which are flat on the ground, over their
        length; below 0 they could push into it."""
        self._put(angles)
        site = self._data.site(self.robot.feet[0].site)
        up = np.array(site.xmat).reshape(3, 3)[:, 2]
        heights = []
        for arm in self.arms.values():
            shoulder = np.array(self._data.xanchor[self.model.joint(arm.names[0]).id])
            heights.append(float((shoulder - np.array(site.xpos)) @ up) / max(arm.length, 1e-6) - 1.0)
        return sum(heights) / len(heights)

    def balanced(self, angles: Vector, flexion: float, knee: float, ahead: float) -> Vector:
        """The posture of `leg` whose ankles bring the centre of mass so far ahead, as `com_over_sole` tells it.

        Ankles that cannot come so far go to their limit.
        """
        low, high = -_ANKLE, _ANKLE
        for _ in range(30):
            middle = 0.5 * (low + high)
            if self.com_over_sole(self.leg(angles, flexion, knee, middle)) < ahead:
                low = middle
            else:
                high = middle
        return self.leg(angles, flexion, knee, 0.5 * (low + high))

    def reach(
        self, postures: Sequence[Vector], hands: Sequence[tuple[float, float]], elbow: float = -0.5
    ) -> list[Vector]:
        """Postures, (nj,) each, in which both hands are so; arms go from each to the next on a short way.

        Args:
            postures: The postures with other arms.
            hands: For each the direction of the hand from the shoulder, from straight down, forward positive [rad], and
                its distance as a share of the arm.
            elbow: Where the middle of the arm shall rather be: ahead, as a share of the arm; below 0 behind.
        """
        found = [posture.copy() for posture in postures]
        left = self._way(postures, hands, "left", elbow)
        names, right = self._mirrored(left)
        if right is None:
            names, right = self.arms["right"].names, self._way(postures, hands, "right", elbow)
        for at, posture in enumerate(found):
            posture[self._rows(self.arms["left"].names)] = left[at]
            posture[self._rows(names)] = right[at]
        return found

    def _mirrored(self, left: Vector) -> tuple[Sequence[str], Vector | None]:
        """Joints of the right arm, and the mirror image of the left arm's angles, (k, n); None: there is none."""
        names = [partner_joint(self.robot, name) for name in self.arms["left"].names]
        if set(names) != set(self.arms["right"].names):
            return names, None
        rows = self._rows(names)
        signs = mirror_posture(np.ones(len(self.robot.joints)), self.robot)[rows]
        return names, np.clip(signs * left, self.robot.lower[rows], self.robot.upper[rows])

    def _way(self, postures: Sequence[Vector], hands: Sequence[tuple[float, float]], side: str, elbow: float) -> Vector:
        """Angles of an arm in each posture, (k, n): of several ways through all hands the shortest that comes near."""
        arm = self.arms[side]
        rows = self._rows(arm.names)
        lower, upper = self.robot.lower[rows], self.robot.upper[rows]
        # Wrists of some models are held by a range of a hundredth of a degree.
        inside = np.minimum(1e-3, 0.25 * (upper - lower))
        low, high = np.maximum(lower + inside, -math.pi), np.minimum(upper - inside, math.pi)
        rng = np.random.default_rng(0)
        misses = [self._misses(arm, posture, *hand, elbow) for posture, hand in zip(postures, hands, strict=True)]
        tries = low + (high - low) * rng.random((_SAMPLES, len(rows)))
        middle = np.clip(np.zeros(len(rows)), low, high)
        costs = [float((misses[0](each, middle, 0.0) ** 2).sum()) for each in tries]
        best, least = np.tile(middle, (len(postures), 1)), math.inf
        for at in np.argsort(costs, kind="stable")[:_WAYS]:
            way: list[Vector] = []
            total, before, near = 0.0, tries[int(at)], 0.01
            for miss in misses:
                angles, missed = _solved(miss, before, low, high, near)
                total += missed + (0.0 if not way else 0.02 * float(np.abs(angles - before).max()))
                way.append(angles)
                before, near = angles, 0.03
            if total < least - 1e-9:
                best, least = np.array(way), total
        return best

    def _misses(
        self, arm: ArmJoints, posture: Vector, angle: float, share: float, elbow: float
    ) -> Callable[[Vector, Vector, float], Vector]:
        """What is wrong with angles of an arm, as a function of them, of those before and of how much these count."""
        side = 1.0 if arm.shoulder[1] > 0.0 else -1.0
        out, distance = 0.12 * arm.length * side, share * arm.length
        flat = math.sqrt(max(distance**2 - out**2, 1e-6))
        wanted = arm.shoulder + np.array([flat * math.sin(angle), out, -flat * math.cos(angle)])
        rows = self._rows(arm.names)
        joint = int(self.model.joint(arm.names[min(2, len(arm.names) - 1)]).id)
        working = posture.copy()

        def misses(values: Vector, before: Vector, near: float) -> Vector:
            working[rows] = values
            self._put(working)
            place = self._data.xpos[arm.hand_body] + self._data.xmat[arm.hand_body].reshape(3, 3) @ arm.hand
            middle = self._data.xanchor[joint] - arm.shoulder
            inward = min(side * float(middle[1]), 0.0) / arm.length
            bend = float(middle[0]) / arm.length - elbow
            return np.concatenate([(place - wanted) / arm.length, [0.06 * bend, inward], near * (values - before)])

        return misses

    def _leg(self, side: str) -> LegJoints:
        joints = self.robot.groups.get(f"{side}_leg", ())
        foot = next((foot for foot in self.robot.feet if foot.name == side), None)
        pitching = [name for name in joints if abs(self._data.joint(name).xaxis[1]) > _PITCHES]
        if foot is None or len(pitching) < 3:
            told = f"{side}_leg: {', '.join(pitching) or 'none'}"
            raise self._lacks("two legs with three joints that pitch, and feet", f"joints that pitch: {told}")
        names = (pitching[0], pitching[1], pitching[2])
        hip, knee, ankle = (np.array(self._data.joint(name).xanchor) for name in names)
        site = self._data.site(foot.site).xmat
        signs = tuple(float(np.sign(self._data.joint(name).xaxis[1])) for name in names)
        zero = (_from_down(knee - hip), _from_down(ankle - knee), math.atan2(site[6], site[0]))
        # Only before the knee: an ankle's roll does not move the leg.
        above = joints[: joints.index(names[1])]
        rolls, turns = (
            tuple(
                (name, float(np.sign(self._data.joint(name).xaxis[axis])))
                for name in above
                if abs(self._data.joint(name).xaxis[axis]) > _PITCHES
            )
            for axis in (0, 2)
        )
        return LegJoints(names, (signs[0], signs[1], signs[2]), zero, rolls, turns)

    def _arm(self, side: str) -> ArmJoints:
        names = self.robot.groups[f"{side}_arm"]
        first = self.model.joint(names[0])
        shoulder = np.array(self._data.xanchor[first.id])
        bodies = [int(self.model.joint(name).bodyid[0]) for name in names]
        points: list[tuple[float, int, Vector]] = []
        for body in bodies:
            rotation, origin = self._data.xmat[body].reshape(3, 3), self._data.xpos[body]
            for geom in range(self.model.ngeom):
                if int(self.model.geom_bodyid[geom]) != body or not (
                    self.model.geom_contype[geom] or self.model.geom_conaffinity[geom]
                ):
                    continue
                turn = self._data.geom_xmat[geom].reshape(3, 3)
                box = self.model.geom_aabb[geom]
                for corner in np.stack(np.meshgrid(*[(-1.0, 1.0)] * 3), -1).reshape(-1, 3):
                    place = self._data.geom_xpos[geom] + turn @ (box[:3] + corner * box[3:])
                    points.append((float(np.linalg.norm(place - shoulder)), body, rotation.T @ (place - origin)))
        if not points:
            raise self._lacks("arms that can touch the ground", f"nothing of {side}_arm collides")
        own = [each for each in points if each[1] == max(each[1] for each in points)]
        farthest = max(each[0] for each in own)
        # The middle of the corners at the end: the palm, not one finger's corner.
        ends = [each for each in own if each[0] > farthest - 0.15 * max(farthest, 1e-6)]
        hand = np.mean([each[2] for each in ends], axis=0)
        anchors = [shoulder, *(np.array(self._data.xanchor[self.model.joint(name).id]) for name in names[1:])]
        body = own[0][1]
        palm = self._data.xpos[body] + self._data.xmat[body].reshape(3, 3) @ hand
        length = sum(float(np.linalg.norm(two - one)) for one, two in zip(anchors, [*anchors[1:], palm], strict=True))
        return ArmJoints(tuple(names), shoulder, length, body, hand)

    def _rows(self, names: Sequence[str]) -> list[int]:
        return [self.robot.index(name) for name in names]

    def _inside(self, name: str, angle: float) -> float:
        """An angle brought into the joint's limits, by whole turns where that helps."""
        index = self.robot.index(name)
        low, high = float(self.robot.lower[index]), float(self.robot.upper[index])
        turned = min(
            (angle + turn for turn in (0.0, 2 * math.pi, -2 * math.pi)), key=lambda a: max(low - a, a - high, 0.0)
        )
        return min(max(turned, low), high)

    def _put(self, angles: Vector) -> None:
        self._data.qpos[:] = 0.0
        base = int(self.model.jnt_qposadr[self.model.body(self.robot.base_body).jntadr[0]])
        self._data.qpos[base + 3] = 1.0
        self._data.qpos[self._addresses] = angles
        mujoco.mj_kinematics(self.model, self._data)
        mujoco.mj_comPos(self.model, self._data)

    def _lacks(self, what: str, why: str) -> SearchError:
        return SearchError(f"{self._need} needs {what}", place=f"robot {self.robot.name!r}", remedy=why)


def _solved(
    misses: Callable[[Vector, Vector, float], Vector], before: Vector, low: Vector, high: Vector, near: float
) -> tuple[Vector, float]:
    """The angles that miss least, from where the search begins, and how much they miss."""
    from scipy.optimize import least_squares

    result = least_squares(lambda values: misses(values, before, near), np.clip(before, low, high), bounds=(low, high))
    return result.x, float((misses(result.x, before, 0.0) ** 2).sum())


def _ends(foot: Foot) -> tuple[float, float]:
    """Front and back end of a sole in its frame [m]."""
    xs = [corner[0] for corner in foot.outline] or [0.0]
    return max(xs), min(xs)


def _from_down(link: Vector) -> float:
    return math.atan2(float(link[0]), -float(link[2]))


def posture_map(robot: Robot, angles: Vector) -> Mapping[str, float]:
    """Angles by joint, rounded as documents have them [rad]."""
    return {name: round(float(angle), 6) for name, angle in zip(robot.joint_names, angles, strict=True)}
