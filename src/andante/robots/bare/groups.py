"""Joint groups of a robot without a pack (legs by their feet, arms by their sides, head, waist), and left and right."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np

from andante.robots.bare.limbs import BodyTree, Limb, two_arms
from andante.robots.parts import Foot, Mirror
from andante.robots.tree import joints_of, upwards

_HEAD = re.compile(r"head|neck", re.IGNORECASE)
_SPINE = re.compile(r"spine|waist|torso|trunk|lumbar|chest|abdomen|thorax|thoracic", re.IGNORECASE)
_CENTRED = 0.15
"""How far from the middle plane a head may be, as a share of the distance between the feet and the base."""


def guess_groups(tree: BodyTree, feet: tuple[Foot, ...], sources: dict[str, str]) -> dict[str, tuple[str, ...]]:
    """Joint groups by name; joints that belong to no limb of a known kind are in ``all`` only.

    ``FL``, ``FR``, ``HL``, ``HR`` for four legs, ``left_leg`` and ``right_leg`` for two, ``legs`` for all of them;
    ``left_arm``, ``right_arm`` and ``arms``; ``head``; ``waist`` for joints between the base and several limbs, and
    for those in the middle plane that are called so.
    """
    model = tree.model
    groups: dict[str, tuple[str, ...]] = {}
    by_body = {foot.body: foot.name for foot in feet}
    legs = [limb for limb in tree.feet if model.body(limb.end).name in by_body]
    for limb in legs:
        name = by_body[model.body(limb.end).name]
        groups[f"{name}_leg" if name in ("left", "right") else name] = tree.names(limb.joints + limb.others)
    if legs:
        groups["legs"] = tuple(name for joints in list(groups.values()) for name in joints)
    if len(legs) == 2 or two_arms(tree):
        groups |= _upper_body(tree, [limb for limb in tree.limbs if limb not in legs])
    waist = tree.names(tree.trunk_joints) + groups.pop("waist", ())
    if waist:
        groups["waist"] = waist
    if groups:
        told = ", ".join(f"{name} {len(joints)}" for name, joints in groups.items())
        sources["groups"] = f"guessed by the branches of the model (joints): {told}"
    return groups


def _upper_body(tree: BodyTree, limbs: list[Limb]) -> dict[str, tuple[str, ...]]:
    """Head, arms and spine of a robot on two legs, or of an upper body."""
    groups: dict[str, tuple[str, ...]] = {}
    reach = abs(float(tree.data.xpos[tree.base, 2]) - min(limb.low for limb in tree.feet))
    for limb in limbs:
        joints = limb.joints + limb.others
        names = tree.names(joints)
        side = _side(tree, limb)
        if abs(side) <= _CENTRED * reach:
            if any(_HEAD.search(name) for name in names) or len(joints) <= 3:
                # A spine that carries no arms is a branch like a neck.
                spine = tuple(name for name in names if _SPINE.search(name))
                for name, part in (("head", tuple(each for each in names if each not in spine)), ("waist", spine)):
                    groups |= {name: groups.get(name, ()) + part} if part else {}
        elif len(limb.joints) >= 2:
            name = "left_arm" if side > 0.0 else "right_arm"
            groups[name] = groups.get(name, ()) + names
    arms = groups.get("left_arm", ()) + groups.get("right_arm", ())
    return groups | ({"arms": arms} if arms else {})


def middle_joints(tree: BodyTree) -> list[int]:
    """Joints of the trunk, and those of branches in the middle plane, such as a head."""
    reach = abs(float(tree.data.xpos[tree.base, 2]) - min(limb.low for limb in tree.feet))
    centred = [limb for limb in tree.limbs if abs(_side(tree, limb)) <= _CENTRED * reach]
    return [*tree.trunk_joints, *(joint for limb in centred for joint in limb.joints + limb.others)]


def _side(tree: BodyTree, limb: Limb) -> float:
    """How far to the left of the base a limb's end is in the reference posture [m]."""
    away = np.array(tree.data.xpos[limb.end]) - np.array(tree.data.xpos[tree.base])
    return float((away @ tree.rotation(tree.base))[1])


_TURNED = np.array([-1.0, 1.0, -1.0])
"""A rotation axis keeps its y and turns its x and z in a mirror that exchanges left and right."""
_ALIKE = 0.01
"""How far a joint may be from the other's mirror image, as a share of the farthest joint's distance from the base."""
_PARALLEL = 0.98
"""Least cosine between a joint's axis and the other's mirror image."""
_SIDES = (
    *(("FL", "FR"), ("HL", "HR"), ("RL", "RR"), ("LF", "RF"), ("LH", "RH")),
    *(("left", "right"), ("Left", "Right"), ("L", "R"), ("l", "r")),
)


def guess_mirror(names: list[str], model: Any) -> Mirror:
    """Pairs of joints whose names differ in the side only; signs by the joints' axes with all joints at zero.

    Joints without such a name are pairs where one is the other's mirror image in place and axis.
    """
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    pairs: list[tuple[str, str]] = []
    partner: dict[str, str] = {}
    for name in names:
        other = next((o for o in _other_sides(name) if o in names and o not in partner), None)
        if other is not None and name not in partner:
            pairs.append((name, other))
            partner[name], partner[other] = other, name
    for name, other in _images([name for name in names if name not in partner], data, model):
        pairs.append((name, other))
        partner[name], partner[other] = other, name
    negate = set()
    for name in names:
        mirrored = data.joint(name).xaxis * _TURNED
        if float(mirrored @ data.joint(partner.get(name, name)).xaxis) < 0.0:
            negate.add(name)
    return Mirror(tuple(pairs), frozenset(negate))


def _images(names: list[str], data: Any, model: Any) -> Iterator[tuple[str, str]]:
    """Joints on the left, each with the one on the right that is its mirror image."""
    free = np.flatnonzero(np.array(model.jnt_type) == mujoco.mjtJoint.mjJNT_FREE)
    if not names or not len(free):
        return
    base = np.array(data.xpos[int(model.jnt_bodyid[free[0]])])
    places = {name: np.array(data.joint(name).xanchor) - base for name in names}
    size = max(float(np.linalg.norm(place)) for place in places.values())
    left = [name for name in names if places[name][1] > _ALIKE * size]
    right = [name for name in names if places[name][1] < -_ALIKE * size]
    for name in left:
        place, axis = places[name] * (1.0, -1.0, 1.0), data.joint(name).xaxis * _TURNED
        found = [
            other
            for other in right
            if float(np.linalg.norm(places[other] - place)) < _ALIKE * size
            and abs(float(data.joint(other).xaxis @ axis)) > _PARALLEL
        ]
        if len(found) > 1:
            # Joints of a shoulder share one place, and two may be parallel: those of equal rank are a pair.
            found = [other for other in found if _rank(model, other) == _rank(model, name)]
        if len(found) == 1:
            right.remove(found[0])
            yield name, found[0]


def _rank(model: Any, name: str) -> int:
    """How many joints there are from the base to a joint."""
    return sum(len(joints_of(model, body)) for body in upwards(model, int(model.joint(name).bodyid[0])))


def _other_sides(name: str) -> Iterator[str]:
    """What a left joint's name could be on the right side, the surest guess first."""
    for left, right in _SIDES:
        for at in range(len(name)):
            if name.startswith(left, at):
                yield name[:at] + right + name[at + len(left) :]
