"""MotionError: what the motions room raises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from andante.errors import AndanteError
from andante.motions.keyframe import Block
from andante.motions.library import Motion, MotionLibrary
from andante.robots.robot import Robot

T = TypeVar("T")


class MotionError(AndanteError):
    """A motion names something that does not exist, or cannot be sampled or edited as asked."""


def motion_of(library: MotionLibrary, name: str, place: str = "motions") -> Motion:
    """A motion by name.

    Raises:
        MotionError: The library has no such motion; names ``place``.
    """
    return _entry(library.motions, name, "the library has no such motion", place)


def block_of(library: MotionLibrary, name: str, place: str = "blocks") -> Block:
    """A block by name.

    Raises:
        MotionError: The library has no such block; names ``place``.
    """
    return _entry(library.blocks, name, "the library has no such block", place)


def group_of(robot: Robot, name: str, place: str) -> tuple[str, ...]:
    """The joints of a group.

    Raises:
        MotionError: The robot has no such group; names ``place``.
    """
    return _entry(robot.groups, name, f"robot {robot.name!r} has no such joint group", place)


def _entry(entries: Mapping[str, T], name: str, missing: str, place: str) -> T:
    found = entries.get(name)
    if found is None:
        raise MotionError(missing, place=place, value=name, legal=entries)
    return found
