"""The elements of an SDF: its text as a tree, and numbers, poses and names in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

import numpy as np

from andante.robots.parts import RobotError
from andante.spatial.arrays import Array
from andante.spatial.rotations import from_rpy, to_matrix

VERSIONS = tuple(f"1.{minor}" for minor in range(4, 13))
"""Versions that are read; older ones mean other things by the same words."""
_OLDER = ("", "1.0", "1.1", "1.2", "1.3")
_FORMATS = ("euler_rpy", "quat_xyzw")
_LARGEST = 1e12
"""Largest number that is read, of whatever unit."""
_LONGEST = 200
"""Most characters of a name."""
_TRUE, _FALSE = ("true", "1"), ("false", "0")


def parsed(text: str) -> Element:
    """The root of a text that was looked at; prefixes need no declaration, as Gazebo asks for none."""
    builder = TreeBuilder()
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, attributes: builder.start(name, attributes)
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.Parse(text, True)
    return builder.close()


def version_of(root: Element, path: object) -> int:
    """The second number of an SDF's version.

    Raises:
        RobotError: There is none, or it is not read.
    """
    text = (root.get("version") or "").strip()
    if text not in VERSIONS:
        remedy = "let Gazebo bring it up to date: gz sdf -p FILE > NEW.sdf" if text in _OLDER else ""
        # As legal names they would make a guess of what was meant by 1.2.
        limit = f"{VERSIONS[0]} to {VERSIONS[-1]}"
        raise RobotError(
            "this version of SDF is not read", place=f"{path}: sdf: version", value=text, limit=limit, remedy=remedy
        )
    return int(text.partition(".")[2])


def word(element: Element, name: str, place: str) -> str:
    """The text of a child that must be there.

    Raises:
        RobotError: It is missing or empty.
    """
    text = (element.findtext(name) or "").strip()
    if not text:
        raise RobotError(f"<{name}> is missing", place=place)
    return text


def name_of(element: Element, place: str) -> str:
    """The name of a link, joint, frame or model.

    Raises:
        RobotError: It is missing, too long, or one of those that SDF keeps for itself.
    """
    return own_name((element.get("name") or "").strip(), place, element.tag)


def own_name(name: str, place: str, tag: str) -> str:
    """A name, looked at as `name_of` does.

    Raises:
        RobotError: It is empty, too long, or one of those that SDF keeps for itself.
    """
    if not name or len(name) > _LONGEST or name == "world" or (name.startswith("__") and name.endswith("__")):
        limit = f"at most {_LONGEST} characters, not world, no __ at both ends"
        raise RobotError(f"a <{tag}> needs a name of its own", place=place, value=name[:_LONGEST], limit=limit)
    return name


def flag(element: Element, name: str, place: str) -> bool:
    """Whether a child is there and says true.

    Raises:
        RobotError: It says neither true nor false.
    """
    text = (element.findtext(name) or "").strip().lower()
    if text not in (*_TRUE, *_FALSE, ""):
        raise RobotError("is neither true nor false", place=f"{place}: {name}", value=text, legal=("true", "false"))
    return text in _TRUE


def number(element: Element | None, name: str, place: str, *, missing: float | None = None) -> float:
    """A finite number that a child has.

    Raises:
        RobotError: It is none, or missing where nothing stands for it.
    """
    found = None if element is None else element.find(name)
    if found is None:
        if missing is None:
            raise RobotError(f"<{name}> is missing", place=place)
        return missing
    return vector(found.text, 1, f"{place}: {name}")[0]


def vector(text: str | None, count: int, place: str) -> tuple[float, ...]:
    """So many finite numbers of a text.

    Raises:
        RobotError: They are not so many, no numbers, not finite, or beyond 1e12, whose powers overflow.
    """
    try:
        found = [float(each) for each in (text or "").split()]
    except ValueError:
        found = []
    if len(found) != count or not all(abs(each) <= _LARGEST for each in found):
        limit = f"{'a finite number' if count == 1 else f'{count} finite numbers'} of at most {_LARGEST:g}"
        raise RobotError("is out of range", place=place, value=(text or "").strip(), limit=limit)
    return tuple(found)


def transform(rotation: Array, position: Sequence[float] | Array) -> Array:
    """A rotation (3, 3) and a position (3,) [m] as one matrix (4, 4)."""
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation, position
    return matrix


def inverse(matrix: Array) -> Array:
    """The inverse of a rigid transform (4, 4)."""
    turn = matrix[:3, :3].T
    return transform(turn, -turn @ matrix[:3, 3])


def reference(element: Element | None) -> str:
    """The frame against which a ``<pose>`` is given; empty: what is usual for it."""
    return "" if element is None else (element.get("relative_to") or element.get("frame") or "").strip()


def pose(element: Element | None, place: str) -> Array:
    """The transform (4, 4) of a ``<pose>`` [m]; that of None, and of an empty one, changes nothing.

    Raises:
        RobotError: Other numbers than six, or seven of a quaternion, or an unknown format of rotations.
    """
    if element is None or not (element.text or "").strip():
        return np.eye(4)
    kind = element.get("rotation_format", "euler_rpy").strip()
    where = f"{place}: pose"
    if kind == "quat_xyzw":
        *position, x, y, z, w = vector(element.text, 7, where)
        length = math.sqrt(w * w + x * x + y * y + z * z)
        if not 1e-6 < length < math.inf:
            raise RobotError("the quaternion has no length", place=where, value=(element.text or "").strip())
        return transform(to_matrix([w / length, x / length, y / length, z / length]), position)
    if kind != "euler_rpy":
        raise RobotError("there is no such format of rotations", place=where, value=kind, legal=_FORMATS)
    numbers = vector(element.text, 6, where)
    turn = np.radians(numbers[3:]) if element.get("degrees", "").strip() in _TRUE else np.array(numbers[3:])
    return transform(to_matrix(from_rpy(turn)), numbers[:3])
