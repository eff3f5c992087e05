"""Phase: the steps of the safety sequence, in their order."""

from __future__ import annotations

from enum import StrEnum


class Phase(StrEnum):
    """A step of the safety sequence."""

    MEASURE = "measure"
    """All joints are off, and it is looked at what the robot measures."""
    HOLD = "hold"
    """The measured posture is held while gains rise."""
    APPROACH = "approach"
    """The first posture of the motion is approached slowly."""
    SETTLE = "settle"
    """That posture is held."""
    RUN = "run"
    """The motion."""
    RELEASE = "release"
    """The sitting posture is approached slowly."""
    FADE = "fade"
    """Gains fall."""
    DAMP = "damp"
    """All joints are braked by their speed only."""
    OFF = "off"
    """All joints are off."""
