"""MotionError: what the motions room raises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from andante.errors import AndanteError
from andante.motions.keyframe import Block
from andante.motions.library import Motion, MotionLibrary

T = TypeVar("T")


class MotionError(AndanteError):
    """A motion names something that does not exist, or cannot be sampled or edited as asked."""


def motion_of(library: MotionLibrary, name: str) -> Motion:
    """A motion by name.

    Raises:
        MotionError: The library has no such motion.
    """
    return _entry(library.motions, name, "motion", "motions")


def block_of(library: MotionLibrary, name: str, place: str = "blocks") -> Block:
    """A block by name.

    Raises:
        MotionError: The library has no such block; names ``place``.
    """
    return _entry(library.blocks, name, "block", place)


def _entry(entries: Mapping[str, T], name: str, kind: str, place: str) -> T:
    found = entries.get(name)
    if found is None:
        raise MotionError(f"the library has no such {kind}", place=place, value=name, legal=entries)
    return found
