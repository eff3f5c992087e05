"""Feet of a robot without a pack: what ends its legs, where it touches the ground, and whether left and right agree."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np

from andante.robots.bare.limbs import BodyTree, Limb, leg_length, two_arms
from andante.robots.bare.shapes import SphereShape, ball, colliding, fixed_to, points, sole
from andante.robots.bare.side_words import in_english
from andante.robots.parts import Foot
from andante.robots.records import Vector

FOOT_ORDER = ("FL", "FR", "HL", "HR", "left", "right")
_SIDE = re.compile(r"(?:^|_)(l|left|r|right)(?:_|$)", re.IGNORECASE)
_TURNS = 4.0 * math.pi
"""A joint that turns further is no ankle [rad]."""
_TILTED = 0.3
"""Most of a wheel's axis along the vertical, of 1."""
_ROUND = 0.1
"""How far a wheel may be from round and from centred on its axis, as a share of its radius."""
_SHIN = 0.25
"""Least length of a shin that ends in a point foot, as a share of its leg's."""
_SYMMETRIC = 0.1
"""How far a foot may be from the mirror image of the other, as a share of the feet's distance from the base."""


def guess_feet(spec: Any, tree: BodyTree, sources: dict[str, str], doubts: dict[str, str]) -> tuple[Foot, ...]:
    """The feet, each with a new site in ``spec``: the centre of a ball, or the sole below the ankle.

    Args:
        spec: The robot as editable specification.
        tree: The same, compiled, in its reference posture.
        sources: Where numbers come from, by topic.
        doubts: What may be guessed wrong, by topic.
    """
    limbs = tree.feet
    if not limbs:
        doubts["feet"] = _no_legs(tree)
        return ()
    if two_arms(tree):
        ends = ", ".join(f"{tree.model.body(limb.end).name} {len(limb.joints)}" for limb in limbs)
        doubts["legs"] = f"no legs: what ends lowest are two arms, which begin high or end in fingers (joints: {ends})"
        return ()
    centre = np.array(tree.data.xpos[tree.base])
    axes = tree.rotation(tree.base)
    local = [(foot_place(tree, limb)[0] - centre) @ axes for limb in limbs]
    bodies = [tree.model.body(limb.end).name for limb in limbs]
    names = _names(local) or bodies
    feet = [_foot(spec, tree, limb, name, body) for name, limb, body in zip(names, limbs, bodies, strict=True)]
    told = [f"{foot.name} {foot.body} ({_kind(tree, limb)})" for foot, limb in zip(feet, limbs, strict=True)]
    least = "three" if max(len(limb.joints) for limb in limbs) > 2 else "two"
    sources["feet"] = f"guessed, lowest ends of limbs with {least} or more joints: " + ", ".join(told)
    doubt = _doubt(names, local) or _other_side(names, bodies)
    if lacking_soles(tree):
        body = lacking_soles(tree)[0]
        doubt = f"{body} ends a leg with an ankle, and its shapes have no level underside"
        if not colliding(tree.model, tree.model.body(body).id):
            doubt = f"{body} ends a leg, and nothing of it collides: the file gives it no collision shape to stand on"
    beyond = _without_shapes(tree)
    if beyond:
        doubt = (
            f"{', '.join(beyond)} end legs, and nothing of them collides, so that what is before them counts as feet"
        )
    wheels = _wheels(tree)
    if wheels:
        doubt = f"{', '.join(wheels)} end legs in wheels, which roll; here each is held like an ankle"
    if doubt:
        doubts["feet"] = doubt
    return tuple(sorted(feet, key=lambda foot: FOOT_ORDER.index(foot.name) if foot.name in FOOT_ORDER else 9))


def foot_place(tree: BodyTree, limb: Limb) -> tuple[Vector, float]:
    """Where a leg ends in the reference posture, (3,) in the world, and the radius of its ball [m]: the centre of the
    ball, or the point of the sole below the ankle and 0."""
    flat = _sole(tree, limb)
    if flat is None:
        found = _ball(tree, limb)
        return found.centre, found.radius
    ankle = np.array(tree.data.xanchor[limb.joints[-1]])
    return np.array([ankle[0], ankle[1], flat[0]]), 0.0


def lacking_soles(tree: BodyTree) -> list[str]:
    """Bodies that end a leg with an ankle but have no level sole in the reference posture. A robot on four legs or more
    stands on balls, however many joints are above them, and so does one on two whose balls are far from any joint."""
    lacking = [limb for limb in tree.feet if len(limb.joints) > 3 and _sole(tree, limb) is None]
    if len(tree.feet) == 4:
        lacking = [limb for limb in lacking if not _ball(tree, limb).exact]
    elif len(tree.feet) > 4 or all(_on_point(tree, limb) for limb in tree.feet):
        lacking = []
    return [tree.model.body(limb.end).name for limb in lacking]


def _ball(tree: BodyTree, limb: Limb) -> SphereShape:
    return ball(tree.model, tree.data, limb.end, np.array(tree.data.xanchor[limb.joints[-1]]))


def _on_point(tree: BodyTree, limb: Limb) -> bool:
    """Whether a leg ends in a ball at the far end of its shin, with no ankle near it."""
    found, knee = _ball(tree, limb), np.array(tree.data.xanchor[limb.joints[-1]])
    away = float(np.linalg.norm(found.centre - knee))
    return found.exact and away > _SHIN * leg_length(tree, limb, found.centre)


def _without_shapes(tree: BodyTree) -> list[str]:
    """Bodies that a joint moves farther out than the feet, and of which nothing collides, as feet that the file only
    draws."""
    found = []
    for limb in tree.feet:
        out = [body for body in tree.below(limb.end)[1:] if tree.hinges(body)]
        if out and not any(colliding(tree.model, each) for body in out for each in tree.below(body)):
            found.append(tree.model.body(out[-1]).name)
    return found


def _wheels(tree: BodyTree) -> list[str]:
    """Bodies that end a leg and are wheels: they turn on and on about an axis that lies level in the middle of them."""
    found = []
    for limb in tree.feet:
        joint = limb.joints[-1]
        if limb.end not in fixed_to(tree.model, int(tree.model.jnt_bodyid[joint])):
            continue
        turn = float(np.ptp(tree.model.jnt_range[joint])) if tree.model.jnt_limited[joint] else math.inf
        axis = np.array(tree.data.xaxis[joint])
        surface = [points(tree.model, tree.data, geom) for geom in colliding(tree.model, limb.end)]
        if turn <= _TURNS or abs(axis[2]) > _TILTED or not surface:
            continue
        away = np.concatenate(surface) - np.array(tree.data.xanchor[joint])
        reach = [away @ side for side in (np.cross(axis, (0.0, 0.0, 1.0)), np.array([0.0, 0.0, 1.0]))]
        ends = [sign * float((sign * along).max()) for along in reach for sign in (1.0, -1.0)]
        if np.ptp(np.abs(ends)) <= _ROUND * max(np.abs(ends)) and ends[0] > 0.0 > ends[1] and ends[2] > 0.0 > ends[3]:
            found.append(tree.model.body(limb.end).name)
    return found


def _sole(tree: BodyTree, limb: Limb) -> tuple[float, Vector] | None:
    # One of four legs of three joints has no ankle to put a sole flat on the ground with, nor has one of six or eight.
    legs = len(tree.feet)
    flat = legs == 2 or (len(limb.joints) > 3 and legs < 5)
    return sole(tree.model, tree.data, limb.end) if flat else None


def _no_legs(tree: BodyTree) -> str:
    """Why there are no feet: what limbs there are, and how many joints they have."""
    told = [f"{tree.model.body(limb.end).name} {len(limb.joints)}" for limb in tree.limbs]
    found = f"; limbs and their joints: {', '.join(told)}" if told else ""
    return f"no limb of three or more joints was found{found}"


def _foot(spec: Any, tree: BodyTree, limb: Limb, name: str, body: str) -> Foot:
    site = f"{name}_foot_site"
    while spec.site(site) is not None:
        site += "_"
    rotation, origin = tree.rotation(limb.end), np.array(tree.data.xpos[limb.end])
    flat, (place, radius) = _sole(tree, limb), foot_place(tree, limb)
    if flat is None:
        spec.body(body).add_site(name=site, pos=(rotation.T @ (place - origin)).tolist())
        return Foot(name, body, site, radius=radius)
    # The sole's frame is that of the ground in the reference posture, whatever the foot's own frame is.
    spec.body(body).add_site(name=site, pos=(rotation.T @ (place - origin)).tolist(), quat=_quaternion(rotation.T))
    outline = tuple((round(float(x - place[0]), 6), round(float(y - place[1]), 6)) for x, y in flat[1])
    return Foot(name, body, site, outline=outline)


def _quaternion(rotation: Vector) -> list[float]:
    found = np.zeros(4)
    mujoco.mju_mat2Quat(found, np.ascontiguousarray(rotation).ravel())
    return [float(x) for x in found]


def _kind(tree: BodyTree, limb: Limb) -> str:
    flat = _sole(tree, limb)
    if flat is not None:
        low, high = flat[1].min(axis=0), flat[1].max(axis=0)
        return f"sole {100.0 * (high[0] - low[0]):.3g} x {100.0 * (high[1] - low[1]):.3g} cm"
    found = _ball(tree, limb)
    if not found.radius:
        return "a point, for nothing of it collides"
    return f"ball of radius {1e3 * found.radius:.3g} mm" + ("" if found.exact else ", as large as fits its shape")


def _names(places: Sequence[Vector]) -> list[str] | None:
    """FL, FR, HL, HR or left, right by the places in the base's frame (3,); None where these names do not fit."""
    if len(places) == 4:
        names = [("F" if x > 0 else "H") + ("L" if y > 0 else "R") for x, y, _ in places]
    else:
        names = ["left" if y > 0 else "right" for _, y, _ in places]
    return names if len(set(names)) == len(names) else None


def _doubt(names: Sequence[str], places: Sequence[Vector]) -> str:
    """Why the feet may be wrong; empty where each has its mirror image."""
    if len(places) not in (2, 4):
        return f"{len(places)} feet were found where two or four were expected"
    by_name = dict(zip(names, places, strict=True))
    for left, right in (("FL", "FR"), ("HL", "HR"), ("left", "right")):
        if (left in by_name) != (right in by_name):
            return f"{left} and {right} were not both found"
        if left in by_name:
            away = float(np.linalg.norm(by_name[left] - by_name[right] * (1.0, -1.0, 1.0)))
            if away > _SYMMETRIC * float(np.linalg.norm(by_name[left])):
                return f"{left} and {right} are no mirror images of each other: {1e3 * away:.0f} mm apart"
    if not any(name in FOOT_ORDER for name in names):
        return "the feet are not left and right of the base"
    return ""


def _other_side(names: Sequence[str], bodies: Sequence[str]) -> str:
    """Why left and right may be exchanged: bodies that say the other side; some bases look along -x."""
    for name, body in zip(names, bodies, strict=True):
        told, guessed = _SIDE.search(in_english(body)), name[:1].upper() if name in ("left", "right") else name[-1:]
        if name in FOOT_ORDER and told and told[1][0].upper() != guessed:
            return (
                f"{name} is {body}, whose name says the other side: the base's x axis may point backwards, or its y"
                " axis to the right"
            )
    return ""
