"""A URDF's chain of virtual joints from the world to a base: three slides and three hinges with links of no weight.

URDF has a ``floating`` joint, but many programs read none, so such files bring a free base in parts (`base_x_joint` to
`base_yaw_joint`). Here it becomes one floating joint, and so does a ``planar`` one, by which planners of motions on the
floor hang a base in the world.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from andante.robots.records import Vector
from andante.spatial.rotations import from_rpy, to_matrix

_LIGHT = 0.01
"""Largest share of the robot's mass that the links of the chain may have together."""
_APART = 0.9
"""Least volume that three unit axes span, which is 1 where they are at right angles."""
_LONGEST = 12
"""Most links of such a chain, those of fixed joints in it counted."""
_FREE = 3
_ROOT = "world"
"""What MuJoCo calls a URDF's root link on which a floating joint is free."""


@dataclass(frozen=True)
class VirtualBase:
    """A chain that was replaced."""

    base: str
    """The link that is free now."""
    joints: tuple[str, ...]
    """The joints that it had against the world."""
    mass: float
    """Mass of the links between them, which are left out [kg]."""
    planar: bool = False
    """Whether it moves on the floor only."""

    def told(self) -> str:
        """What was done, in one line."""
        if self.planar:
            return (
                f"assumption: {self.base!r}, which joint {self.joints[0]!r} lets move on the floor only, is free here"
            )
        weight = f"; the links between them, {1000.0 * self.mass:.3g} g, are left out" if self.mass else ""
        return f"the joints {', '.join(self.joints)} against the world leave {self.base!r} free: one free joint{weight}"


def free_virtual_base(root: Element) -> VirtualBase | None:
    """Replace such joints at the root of a URDF by a floating one; None where there is none, and nothing is changed.

    Args:
        root: The URDF, whose numbers may be anything.
    """
    links = {link.get("name", ""): link for link in root.findall("link")}
    below: dict[str, list[Element]] = {}
    for joint in root.findall("joint"):
        below.setdefault(_end(joint, "parent"), []).append(joint)
    children = {_end(joint, "child") for joint in root.findall("joint")}
    tops = [name for name in links if name not in children]
    if len(tops) != 1:
        return None
    chain = _chain(tops[0], links, below)
    moving = [joint for joint in chain if joint.get("type") != "fixed"]
    planar = bool(moving) and _on_the_floor(moving[0])
    if planar:
        chain, moving = chain[: chain.index(moving[0]) + 1], moving[:1]
    elif len(moving) < 2 * _FREE or not _is_free(chain):
        return None
    base = _end(chain[-1], "child")
    carriers = [_end(joint, "parent") for joint in chain]
    mass = sum(_mass(links[name]) for name in carriers)
    if not mass <= _LIGHT * sum(map(_mass, links.values())):
        return None
    for element in (*chain, *(links[name] for name in carriers)):
        root.remove(element)
    if _ROOT not in links or _ROOT in carriers:
        SubElement(root, "link", {"name": _ROOT})
        floating = SubElement(root, "joint", {"name": "andante_root", "type": "floating"})
        SubElement(floating, "parent", {"link": _ROOT})
        SubElement(floating, "child", {"link": base})
    return VirtualBase(base, tuple(joint.get("name", "") for joint in moving), mass, planar)


def _chain(top: str, links: dict[str, Element], below: dict[str, list[Element]]) -> list[Element]:
    """Joints from the root on, one after the other on links that have no shape, until six of them move."""
    chain: list[Element] = []
    name = top
    while len(chain) < _LONGEST and sum(joint.get("type") != "fixed" for joint in chain) < 2 * _FREE:
        joints = below.get(name, [])
        link = links.get(name)
        if len(joints) != 1 or link is None or link.find("collision") is not None:
            break
        chain.append(joints[0])
        name = _end(joints[0], "child")
    return chain


def _on_the_floor(joint: Element) -> bool:
    """Whether a joint is a planar one in the level plane, which many files mean that name no axis."""
    axis = joint.find("axis")
    across = _numbers("0 0 1" if axis is None else axis.get("xyz", "0 0 1"))
    return joint.get("type") == "planar" and bool(abs(across[2]) > _APART * np.linalg.norm(across))


def _is_free(chain: Sequence[Element]) -> bool:
    """Whether three slides and three hinges span all directions, with all of them at zero."""
    turn = np.eye(3)
    slides, hinges = [], []
    for joint in chain:
        origin, axis = joint.find("origin"), joint.find("axis")
        turn = turn @ to_matrix(from_rpy(_numbers("0 0 0" if origin is None else origin.get("rpy", "0 0 0"))))
        along = _numbers("1 0 0" if axis is None else axis.get("xyz", "1 0 0"))
        kind = joint.get("type")
        if kind == "prismatic":
            slides.append(turn @ along)
        elif kind in ("revolute", "continuous"):
            hinges.append(turn @ along)
        elif kind != "fixed":
            return False
    return all(len(axes) == _FREE and _volume(axes) > _APART for axes in (slides, hinges))


def _volume(axes: Sequence[Vector]) -> float:
    lengths = [float(np.linalg.norm(axis)) for axis in axes]
    if not all(0.0 < length < math.inf for length in lengths):
        return 0.0
    return abs(float(np.linalg.det([axis / length for axis, length in zip(axes, lengths, strict=True)])))


def _end(joint: Element, which: str) -> str:
    found = joint.find(which)
    return "" if found is None else found.get("link", "")


def _mass(link: Element) -> float:
    """Mass of a link [kg]; 0 where it says none, infinite where that is no number."""
    mass = link.find("inertial/mass")
    try:
        return 0.0 if mass is None else float(mass.get("value", "0"))
    except ValueError:
        return math.inf


def _numbers(text: str) -> Vector:
    """Three numbers; zeros where they are none, so that no axis comes of them."""
    try:
        found = np.array([float(word) for word in text.split()])
    except ValueError:
        return np.zeros(3)
    return found if found.shape == (3,) and np.isfinite(found).all() else np.zeros(3)
