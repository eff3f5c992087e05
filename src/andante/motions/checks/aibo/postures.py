"""Postures that a library declares itself: where its motions begin and end under one name.

Sony's motions say by their names in which posture they begin and end (``a_stand#sit_slowly``), and begin with their
first key. What "sit" is, is then what the motions of one archive have in common, which need not be the posture of that
name in a robot's pack.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ANY = "any"
"""Name of a posture that stands for every one; what begins or ends so is not compared."""


@dataclass(frozen=True, eq=False)
class Witness:
    """One end of a motion, which shows what the posture of a name is."""

    motion: str
    """The motion."""
    verb: str
    """``begins`` or ``ends``."""
    joints: NDArray[np.bool_]
    """The joints that the motion names, (nj,)."""
    position: NDArray[np.float64]
    """The posture, (nj,) [rad]."""


@dataclass(frozen=True, eq=False)
class OwnPosture:
    """A posture as a library has it."""

    position: NDArray[np.float64]
    """Angle per joint, (nj,) [rad]; NaN where no motion names the joint."""
    source: tuple[str, ...]
    """Per joint the motion that shows it, (nj,)."""
    count: NDArray[np.int64]
    """How many ends show each joint, (nj,)."""


def own_posture(witnesses: Sequence[Witness]) -> OwnPosture:
    """The posture that ends of motions have in common: per joint the angle that is nearest to all, the first of equals.

    Args:
        witnesses: At least one.
    """
    position = np.array([witness.position for witness in witnesses])
    named = np.array([witness.joints for witness in witnesses])
    angles = np.where(named, position, np.nan)
    way = np.abs(angles[:, None, :] - angles[None, :, :])
    total = np.where(named, np.nansum(way, axis=1), np.inf)
    chosen = np.argmin(total, axis=0)
    return OwnPosture(
        angles[chosen, np.arange(angles.shape[1])],
        tuple(witnesses[index].motion for index in chosen),
        named.sum(axis=0),
    )
