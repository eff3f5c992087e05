"""Limbs of a robot without a pack: the branches of its tree of joints, and which of them reach the ground.

A branch is a limb of its own where the tree splits into two or more branches that are at least as long as the way to
the split, counted in joints: a waist of one to three joints belongs to the trunk when two legs or two arms follow, and
fingers belong to their arm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, takewhile

import mujoco
import numpy as np

from andante.robots.bare.shapes import lowest_point, sole
from andante.robots.records import Vector
from andante.robots.tree import joints_of, upwards

_MOST_ABOVE = 0.25
"""How far above the lowest limb another foot may end, as a share of the base's height over the lowest."""
_ENDS_LEVEL = 0.05
"""A body further out counts as the end of a leg where its lowest point is at most this share of the base's height above
the lowest one: shanks often reach down as far as the ball at their end."""
_LEG_JOINTS, _SHORT_LEG_JOINTS = 3, 2
"""Fewest joints of a leg; of legs where no limb has so many, as those of small quadrupeds with eight servos."""
_TOES_LEVEL = 0.01
"""A sole behind an end is a foot with toes where it is at most so much higher, as a share of the base's height."""
_BESIDE, _FINGERS = 2, 3
"""Fewest joints of a limb beside the middle plane, where a head is, and of the fingers of a hand."""
_ABOVE = 0.1
"""How far above the trunk's centre of mass arms begin, over how far they hang down."""
_LEG = re.compile(r"hip|thigh|knee|calf|shank|shin|ankle|foot|feet|(?<![a-z])legs?(?![a-z])")
"""What is called so is no arm, however high it begins."""


@dataclass(frozen=True)
class Limb:
    """A branch of the tree of joints."""

    joints: tuple[int, ...]
    """Its hinges on the way to its end, from the trunk outwards, as joint numbers of the model."""
    bodies: tuple[int, ...]
    """All its bodies, parents before children."""
    end: int
    """The body at its end."""
    low: float
    """Height of its end's lowest point in the reference posture [m]."""
    others: tuple[int, ...] = ()
    """Hinges of side branches, such as fingers."""


@dataclass(frozen=True, eq=False)
class BodyTree:
    """A robot's tree of bodies and joints in its reference posture."""

    model: mujoco.MjModel
    """The compiled model."""
    data: mujoco.MjData
    """Its reference posture."""
    base: int
    """Body number of the base."""

    @cached_property
    def children(self) -> dict[int, list[int]]:
        """Bodies right below each body of the robot."""
        below: dict[int, list[int]] = {self.base: []}
        for body in range(self.base + 1, self.model.nbody):
            parent = int(self.model.body_parentid[body])
            if parent in below:
                below[parent].append(body)
                below[body] = []
        return below

    def hinges(self, body: int) -> list[int]:
        """Joint numbers between a body and its parent."""
        return [j for j in joints_of(self.model, body) if self.model.jnt_type[j] == mujoco.mjtJoint.mjJNT_HINGE]

    def below(self, body: int) -> list[int]:
        """A body and all below it, parents before children."""
        return [body, *(found for child in self.children[body] for found in self.below(child))]

    def depth(self, body: int) -> int:
        """Most hinges on a way from the body's own joints to a leaf."""
        return len(self.hinges(body)) + max((self.depth(child) for child in self.children[body]), default=0)

    def chain(self, body: int) -> list[int]:
        """Hinges from the base to a body, in this order."""
        return [joint for each in reversed(self._way(body)) for joint in self.hinges(each)]

    def rotation(self, body: int) -> Vector:
        """Rotation of a body in the reference posture, (3, 3)."""
        return np.array(self.data.xmat[body]).reshape(3, 3)

    def names(self, joints: tuple[int, ...] | list[int]) -> tuple[str, ...]:
        """Names of joints."""
        return tuple(self.model.joint(joint).name for joint in joints)

    @cached_property
    def limbs(self) -> tuple[Limb, ...]:
        """All limbs, in the model's order."""
        return tuple(limb for child in self.children[self.base] for limb in self._limbs_from(child))

    @cached_property
    def trunk_joints(self) -> tuple[int, ...]:
        """Hinges that belong to no limb: a waist or a spine."""
        inside = {joint for limb in self.limbs for body in limb.bodies for joint in self.hinges(body)}
        return tuple(j for body in self.below(self.base) for j in self.hinges(body) if j not in inside)

    @cached_property
    def feet(self) -> tuple[Limb, ...]:
        """Limbs of three or more joints whose ends are lowest in the reference posture; of two, where none has more."""
        legs = [limb for limb in self.limbs if len(limb.joints) >= _LEG_JOINTS]
        short = not legs
        if short:
            legs = [limb for limb in self.limbs if len(limb.joints) == _SHORT_LEG_JOINTS]
        if not legs:
            return ()
        lowest = min(limb.low for limb in legs)
        reach = max(self._base_height - lowest, 1e-6)
        feet = tuple(limb for limb in legs if limb.low <= lowest + _MOST_ABOVE * reach)
        # An arm on a stand has two joints as well, and no other beside it.
        return feet if len(feet) > 1 or not short else ()

    @cached_property
    def legs(self) -> tuple[Limb, ...]:
        """The feet's limbs; none where they are the arms of an upper body."""
        return () if two_arms(self) else self.feet

    @cached_property
    def _base_height(self) -> float:
        """Height of the base; of the bodies' mean where it is a point on the ground below them all [m]."""
        height = float(self.data.xpos[self.base, 2])
        heights = [float(self.data.xpos[body, 2]) for body in self.below(self.base)]
        return height if min(heights) < height else sum(heights) / len(heights)

    def _limbs_from(self, start: int) -> Iterator[Limb]:
        """The limbs below a body; ``start`` itself is on the way to them."""
        if self.depth(start) == 0:
            return
        body, passed = start, len(self.hinges(start))
        while True:
            branches = [child for child in self.children[body] if self.depth(child) > 0]
            if sum(self.depth(child) >= max(passed, 2) for child in branches) >= 2:
                for child in branches:
                    yield from self._limbs_from(child)
                return
            if len(branches) != 1:
                break
            body = branches[0]
            passed += len(self.hinges(body))
        yield self._limb(start)

    def _limb(self, start: int) -> Limb:
        bodies = self.below(start)
        shared = len(self.chain(start)) - len(self.hinges(start))
        reaching = [b for b in bodies if len(self.chain(b)) - shared >= _LEG_JOINTS] or bodies
        low = {body: lowest_point(self.model, self.data, body) for body in reaching}
        touching = {body: height for body, height in low.items() if height is not None}
        heights = touching or {body: float(self.data.xpos[body, 2]) for body in reaching}
        bound = min(heights.values()) + _ENDS_LEVEL * abs(self._base_height - min(heights.values()))
        end = max((body for body, height in heights.items() if height <= bound), key=lambda body: len(self._way(body)))
        lowest = heights[end]
        end = self._carrying(end, [body for body, height in heights.items() if height <= bound])
        end = self._before_toes(end, low, shared)
        joints = self.chain(end)[shared:]
        others = tuple(joint for body in bodies for joint in self.hinges(body) if joint not in joints)
        return Limb(tuple(joints), tuple(bodies), end, lowest, others)

    def _carrying(self, end: int, touching: list[int]) -> int:
        """The body that stands on several fixed ones, as a foot on its cleats; else the end itself."""
        parent = int(self.model.body_parentid[end])
        fixed = [b for b in touching if int(self.model.body_parentid[b]) == parent and not self.model.body_jntnum[b]]
        return parent if len(fixed) > 1 and end in fixed else end

    def _before_toes(self, end: int, low: Mapping[int, float | None], shared: int) -> int:
        """The foot whose toes a leg ends in, where its own sole is on the same level; else the end itself."""
        foot = int(self.model.body_parentid[end])
        height, behind = low.get(end), low.get(foot)
        if height is None or behind is None or not self.hinges(end):
            return end
        if len(self.chain(foot)) - shared <= _LEG_JOINTS:
            return end
        if abs(behind - height) > _TOES_LEVEL * abs(self._base_height - height):
            return end
        return foot if sole(self.model, self.data, foot) is not None else end

    def _way(self, body: int) -> list[int]:
        """A body and those between it and the base, nearest first."""
        return list(takewhile(lambda each: each != self.base, upwards(self.model, body)))


def leg_length(tree: BodyTree, limb: Limb, place: Vector) -> float:
    """Length of a stretched leg [m]: from joint to joint and on to ``place`` (3,), each as seen from the side."""
    points = [np.array(tree.data.xanchor[joint]) for joint in limb.joints] + [place]
    axes = tree.rotation(tree.base)
    return float(sum(np.linalg.norm(((b - a) @ axes)[[0, 2]]) for a, b in pairwise(points)))


def two_arms(tree: BodyTree) -> bool:
    """Whether the two limbs that end lowest are arms: there are no others, they begin above the trunk's centre of mass,
    or branch into fingers, and no name of theirs is one of a leg."""
    limbs = tree.feet
    if len(limbs) != 2 or any(_called_legs(tree, limb) for limb in limbs):
        return False
    middle, left = np.array(tree.data.xpos[tree.base]), tree.rotation(tree.base)[:, 1]
    side = {limb.end: abs(float((tree.data.xpos[limb.end] - middle) @ left)) for limb in tree.limbs}
    least = 0.5 * min(side[limb.end] for limb in limbs)
    if any(len(limb.joints) >= _BESIDE and side[limb.end] > least for limb in tree.limbs if limb not in limbs):
        return False
    if all(len(limb.others) >= _FINGERS for limb in limbs):
        return True
    of_limbs = {body for limb in limbs for body in limb.bodies}
    trunk = [body for body in tree.below(tree.base) if body not in of_limbs]
    mass = np.array(tree.model.body_mass)[trunk]
    if not mass.sum() > 0.0:
        return False
    centre = float(mass @ np.array(tree.data.xipos)[trunk, 2]) / float(mass.sum())
    high = min(float(tree.data.xanchor[limb.joints[0]][2]) for limb in limbs)
    return high - centre > _ABOVE * (high - min(limb.low for limb in limbs))


def _called_legs(tree: BodyTree, limb: Limb) -> bool:
    names = [*tree.names(limb.joints), *(tree.model.body(body).name for body in limb.bodies)]
    return any(_LEG.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()) for name in names)
