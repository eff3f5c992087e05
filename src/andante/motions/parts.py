"""What all parts of a motion document share: the frozen base, ranges and torso windows."""

from __future__ import annotations

from typing import Literal

from andante.documents.part import Part
from andante.documents.quantities import Angle, Length, Number


class AngleRange(Part):
    """A range of angles; circular: with min above max it means everything outside (max, min)."""

    min: Angle
    """Lower end [rad]."""
    max: Angle
    """Upper end [rad]."""


class NumberRange(Part):
    """A range of plain numbers."""

    min: Number
    """Lower end."""
    max: Number
    """Upper end."""


class LengthRange(Part):
    """A range of lengths."""

    min: Length
    """Lower end [m]."""
    max: Length
    """Upper end [m]."""


Bound = Angle | Literal["keep"]
"""A window's end: an angle, or the value in force."""


class WindowRange(Part):
    """One direction of a torso window."""

    min: Bound
    """Lower end [rad] or keep."""
    max: Bound
    """Upper end [rad] or keep."""


class TorsoWindow(Part):
    """Torso angles inside which a motion goes on; outside it breaks up."""

    pitch: WindowRange
    """Allowed pitch, + forward."""
    roll: WindowRange
    """Allowed roll."""


_WIDE = 2000.0 * 0.017453292519943295
NO_WINDOW = TorsoWindow(pitch=WindowRange(min=-_WIDE, max=_WIDE), roll=WindowRange(min=-_WIDE, max=_WIDE))
"""The window that nothing leaves (+-2000 degrees, the original's 'never')."""
