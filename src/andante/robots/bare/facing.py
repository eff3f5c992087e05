"""Which way the base of a robot looks, and where its up is.

Everything else takes a base's x axis as its front, its y axis as its left and its z axis as up. Some models have other
axes; their base is turned. Up is where the body is over four legs that hang down to one level, or over two with level
soles beneath them; left is where one leg is beside the other; and feet are longer in front of the ankle than behind it.
Of four legs the names tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import mujoco
import numpy as np

from andante.robots.bare.limbs import BodyTree, Limb, two_arms
from andante.robots.bare.shapes import lowest_point, sole
from andante.robots.bare.side_words import in_english
from andante.robots.records import Vector

IMU = "imu"
"""Name of the site where a bare robot's IMU is."""
_AHEAD, _ASIDE = "front|fore|hind|rear|back|f|h|r|b", "left|right|l|r"
_CORNER = re.compile(rf"(?<![a-z])(?:({_AHEAD})[_. -]?({_ASIDE})|({_ASIDE})[_. -]?({_AHEAD}))(?![a-z])")
"""Names of corners, such as FL, RearRight, left_front, LH; of two letters r is rear before l and r, right before f."""
_SIDE = re.compile(rf"(?<![a-z])(?:{_ASIDE})(?![a-z])")
"""Names of sides, such as left_foot, FootR, l-ankle."""
_LONGER = 1.5
"""How many times as long as the toes a heel must be, for the toes to be the heel."""
_HANGS = 0.6
"""Least height of a standing robot's hips over its feet, over the stretched length of its legs."""
_LOW = 0.4
"""A base whose origin is lower over the feet, over the same length, is a point on the ground and no trunk."""
_LEVEL = 0.1
"""How far the ends of four legs that hang down may be apart in height, over the same length."""
_MANY = 6
"""Fewest legs of a robot that cannot be one on two or four."""
_ALONG = 0.9
"""Least share of a joint's axis along an axis of the base that it is said to be along."""
SAME = np.eye(3)
"""The base's own axes."""
_HERE = np.zeros(3)
"""The base's own origin."""
_HALF = np.diag([-1.0, -1.0, 1.0])
"""Half a turn about the vertical axis."""
_QUARTER = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
"""A quarter turn about it: columns are the new axes."""
_DOWN = np.diag([1.0, -1.0, -1.0])
"""Axes whose up is -z of the base, as boats and aircraft have it: rows are front, left and up."""
_UPS = (
    np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]).T,
    np.array([[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]]).T,
    np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).T,
    np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]).T,
    _DOWN,
)
"""Axes whose up is x, -x, y, -y and -z of the base: rows are front, left and up."""


def base_axes(tree_of: Callable[[Vector], BodyTree]) -> Vector:
    """Front, left and up of a robot's base as columns in its own frame, (3, 3); the identity where they are its axes.

    Another up is only taken where the base's own leaves no legs to stand on and another one does: four rather than two,
    since a robot on four legs stands on its hind pair, too, where its front is taken for its up.

    Args:
        tree_of: Gives the robot's tree of bodies with these axes as those of the world.
    """
    turn = SAME
    tree = tree_of(turn)
    # Four legs stand as they are; which way they look only their names tell. Where left and right are exchanged, too,
    # their base has its up below it.
    if len(tree.feet) == 4 and not _lies(tree):
        over = tree_of(_DOWN) if names_tell(tree) and _turn_by_names(tree) is None else tree
        if over is not tree and _on_four_legs(over) and _turn_by_names(over) is not None:
            return _DOWN @ _axes_by_names(over)
        return _axes_by_names(tree)
    if len(tree.feet) >= _MANY:
        # Of six legs or eight some two stand in other axes, too.
        return _axes_by_names(tree)
    if not _on_two_legs(tree):
        others = [(up, tree_of(up)) for up in _UPS]
        for up, other in others:
            if _on_four_legs(other):
                return up @ _axes_by_names(other)
        # Where a file has nothing to stand on, the places of bodies tell what legs there are.
        every = [(turn, tree), *others]
        told = [each for each in others if _on_two_legs(each[1])]
        told = told or [each for each in every if _over_two_points(each[1])]
        turn, tree = told[0] if told else (turn, tree)
    if _legs_along(tree):
        turn = turn @ _QUARTER
        tree = tree_of(turn)
    return turn @ _HALF if looks_backwards(tree) else turn


def _axes_by_names(tree: BodyTree) -> Vector:
    """Axes for four legs whose names tell each corner and agree on one turn about the vertical; else by their axes."""
    if not names_tell(tree):
        return _QUARTER if _legs_walk_along_y(tree) else SAME
    turn = _turn_by_names(tree)
    return SAME if turn is None else turn


def _turn_by_names(tree: BodyTree) -> Vector | None:
    """The turn about the vertical with which four legs are where their names tell; None where there is none."""
    corners = [(limb, corner) for limb in tree.feet if (corner := _corner(tree, limb)) is not None]
    told = [corner for _, corner in corners]
    base = np.array(tree.data.xpos[tree.base])
    ends = np.array([tree.data.xanchor[limb.joints[0]] for limb, _ in corners]) - base
    ends -= ends.mean(axis=0)
    turn = SAME
    for _ in range(4):
        seen = ends @ turn
        if [("F" if x > 0 else "H") + ("L" if y > 0 else "R") for x, y, _ in seen] == told:
            return turn
        turn = turn @ _QUARTER
    return None


def names_tell(tree: BodyTree) -> bool:
    """Whether the names of four legs tell each corner; a robot may have others between them, which tell none."""
    told = [corner for limb in tree.feet if (corner := _corner(tree, limb)) is not None]
    return len(told) == 4 == len(set(told)) and (len(tree.feet) == 4 or len(tree.feet) >= _MANY)


def _legs_walk_along_y(tree: BodyTree) -> bool:
    """Whether all legs roll about the base's y, and pitch and bend about its x: they swing along y."""
    axes = [np.abs([tree.data.xaxis[joint] for joint in limb.joints]) for limb in tree.feet]
    return all(len(leg) == 3 and leg[0, 1] > _ALONG and (leg[1:, 0] > _ALONG).all() for leg in axes)


def _corner(tree: BodyTree, limb: Limb) -> str | None:
    """The corner that the names of a leg's end and joints tell, such as FL; None where they tell none."""
    names = [tree.model.body(limb.end).name, *tree.names(limb.joints)]
    for name in names:
        found = _CORNER.search(in_english(name))
        if found:
            ahead, side = (found[1], found[2]) if found[1] else (found[4], found[3])
            return ("F" if ahead.startswith("f") else "H") + side[0].upper()
    return None


def base_origin(tree: BodyTree) -> Vector:
    """Where the origin of a robot's base belongs, (3,) [m] in the world's axes from where it is: between the hips of
    two or four legs for a root such as ``base_footprint``, which lies between the feet; else where it is."""
    if not (_on_four_legs(tree) or (_on_two_legs(tree) and not two_arms(tree))):
        return np.zeros(3)
    place = np.array(tree.data.xpos[tree.base])
    grounds = [lowest_point(tree.model, tree.data, limb.end) or 0.0 for limb in tree.feet]
    lengths = [_length(tree, limb, ground) for limb, ground in zip(tree.feet, grounds, strict=True)]
    if place[2] - min(grounds) >= _LOW * min(lengths):
        return np.zeros(3)
    hips = np.mean([tree.data.xanchor[limb.joints[0]] for limb in tree.feet], axis=0)
    return np.asarray(hips - place)


def _on_two_legs(tree: BodyTree) -> bool:
    """Whether the robot ends in two legs that hang down from its base, with level soles."""
    limbs = tree.feet
    if len(limbs) != 2:
        return False
    for limb in limbs:
        flat = sole(tree.model, tree.data, limb.end)
        height = float(tree.data.xanchor[limb.joints[0], 2])
        if flat is None or height - flat[0] < _HANGS * _length(tree, limb, flat[0]):
            return False
    return True


def _over_two_points(tree: BodyTree) -> bool:
    """Whether two limbs of which nothing collides hang down side by side to one level, as mirror images."""
    limbs = tree.feet
    if len(limbs) != 2 or any(lowest_point(tree.model, tree.data, limb.end) is not None for limb in limbs):
        return False
    lengths = [_length(tree, limb, limb.low) for limb in limbs]
    hang = all(
        float(tree.data.xanchor[limb.joints[0], 2]) - limb.low >= _HANGS * length
        for limb, length in zip(limbs, lengths, strict=True)
    )
    return hang and abs(limbs[0].low - limbs[1].low) <= _LEVEL * min(lengths) and not two_arms(tree)


def _lies(tree: BodyTree) -> bool:
    """Whether the arms and legs of a robot of which nothing collides are level, so that it may lie on its back."""
    bare = all(lowest_point(tree.model, tree.data, limb.end) is None for limb in tree.feet)
    return bare and not names_tell(tree) and not _on_four_legs(tree)


def _on_four_legs(tree: BodyTree) -> bool:
    """Whether the robot ends in four legs that hang down from its base to one level."""
    if len(tree.feet) != 4:
        return False
    lengths = [_length(tree, limb, limb.low) for limb in tree.feet]
    lows = [limb.low for limb in tree.feet]
    hang = all(
        float(tree.data.xanchor[limb.joints[0], 2]) - limb.low >= _HANGS * length
        for limb, length in zip(tree.feet, lengths, strict=True)
    )
    return hang and max(lows) - min(lows) <= _LEVEL * min(lengths)


def _length(tree: BodyTree, limb: Limb, ground: float) -> float:
    """Length of a leg from joint to joint and on to the ground [m]."""
    points = [np.array(tree.data.xanchor[joint]) for joint in limb.joints]
    return sum(float(np.linalg.norm(b - a)) for a, b in pairwise(points)) + abs(float(points[-1][2]) - ground)


def _legs_along(tree: BodyTree) -> bool:
    """Whether two legs begin one before the other along the world's x, and not beside each other."""
    limbs = tree.feet
    if len(limbs) != 2:
        return False
    one, other = (np.array(tree.data.xanchor[limb.joints[0]]) for limb in limbs)
    apart = one - other
    return bool(abs(apart[0]) > 2.0 * abs(apart[1]))


def looks_backwards(tree: BodyTree) -> bool:
    """Whether both soles reach much further along the world's -x from their ankles than along x, and no names tell that
    left is left already, as of ankles whose feet have no shape."""
    limbs = tree.feet
    if len(limbs) != 2 or _sides_agree(tree):
        return False
    for limb in limbs:
        flat = sole(tree.model, tree.data, limb.end)
        if flat is None:
            return False
        ahead = (flat[1] - np.array(tree.data.xanchor[limb.joints[-1]])[:2])[:, 0]
        front, back = max(float(ahead.max()), 0.0), max(float(-ahead.min()), 0.0)
        if back <= _LONGER * front:
            return False
    return True


def _sides_agree(tree: BodyTree) -> bool:
    """Whether the names of two legs tell left and right, and both are where they say."""
    seen = []
    for limb in tree.feet:
        names = [tree.model.body(limb.end).name, *tree.names(limb.joints)]
        told = next((found for name in names if (found := _SIDE.search(in_english(name)))), None)
        if told is None:
            return False
        aside = float(tree.data.xanchor[limb.joints[0], 1] - tree.data.xpos[tree.base, 1])
        seen.append((told[0][0] == "l") == (aside > 0.0))
    return all(seen)


def turn_base(base: Any, axes: Vector, origin: Vector = _HERE) -> None:
    """Give the frame of a base body other axes and another origin; what is in it stays where it is.

    Only an IMU keeps its turn against the base, whose front it is to tell.

    Args:
        base: The body of an editable specification, without other joints than a free one.
        axes: The new axes as columns in the old frame, (3, 3).
        origin: The new origin in the new axes, from the old one, (3,) [m].
    """
    inside = [*base.bodies, *base.geoms, *base.sites, *base.cameras, *base.lights, *base.frames]
    back = np.zeros(4)
    mujoco.mju_mat2Quat(back, np.ascontiguousarray(axes.T).ravel())
    turned = base.add_frame(pos=(-origin).tolist(), quat=back.tolist())
    for element in inside:
        if element.frame is None and element.name != IMU:
            element.set_frame(turned)
    for site in base.sites:
        if site.name == IMU:
            site.pos = axes.T @ np.array(site.pos, dtype=float) - origin
    base.ipos = axes.T @ np.array(base.ipos, dtype=float) - origin
    quat = np.zeros(4)
    mujoco.mju_mulQuat(quat, back, np.array(base.iquat, dtype=float))
    base.iquat = quat
    full = np.array(base.fullinertia, dtype=float)
    if np.isfinite(full).all():
        xx, yy, zz, xy, xz, yz = full
        tensor = axes.T @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ axes
        base.fullinertia = [*np.diag(tensor), tensor[0, 1], tensor[0, 2], tensor[1, 2]]
        base.iquat = (1.0, 0.0, 0.0, 0.0)


def told_axes(axes: Vector, *, named: bool = False, legs: int = 2) -> str:
    """Why a base was turned, for people; empty where it was not.

    Args:
        axes: As of `base_axes`.
        named: The names of its legs told it; four legs without such names do not tell front from hind.
        legs: How many legs it has.
    """
    if np.allclose(axes, SAME):
        return ""
    if np.allclose(axes, _HALF) and not named:
        return "turned by half a turn about z: its feet were longer behind the ankles than in front of them"
    names = [("-" if column.min() < -0.5 else "") + "xyz"[int(np.argmax(np.abs(column)))] for column in axes.T]
    by = "the names of its legs" if named else "its legs and feet"
    doubt = "" if named or legs != 4 else "; or its front and its hind are exchanged, which no name tells"
    return f"turned: by {by} its front was along {names[0]}, its left along {names[1]}, its up {names[2]}{doubt}"
