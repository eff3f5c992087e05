"""Balancing by the capture point, as blocks of a motion document ask for it.

The capture point of a linear inverted pendulum is x + v / omega with omega = sqrt(g / height): where the foot would
have to be for the centre of mass to come to rest over it (Pratt et al., "Capture Point", Humanoids 2006).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from andante.documents.part import Part
from andante.documents.quantities import Angle, Length, Number, Seconds

MOST_GAIN = 10.0
"""Largest size of a gain [rad/m]: above it a centimetre of noise moves a joint by more than 5 degrees."""

Gain = Annotated[Number, Field(ge=-MOST_GAIN, le=MOST_GAIN)]


class CapturePointBalance(Part):
    """How ankles and hips answer to a capture point that is not where the keyframes' ``com_goal`` wants it.

    The error is the capture point minus the goal, both relative to the middle of the soles as the robot describes them.
    Gains are for joints that turn about the forward and left axis, whatever the sign of the robot's own axes.
    """

    ankle_pitch: Gain = 2.0
    """Change of the ankle pitches per error ahead [rad/m]; above 0 the toes press down in a fall forward."""
    hip_pitch: Gain = 0.0
    """Change of the hip pitches per error ahead [rad/m]."""
    ankle_roll: Gain = 0.0
    """Change of the ankle rolls per error to the right [rad/m]; above 0 it pushes back."""
    blend: Annotated[Seconds, Field(ge=0.0, le=10.0)] = 0.2
    """Time in which the feedback comes into force, and changes as hands leave the ground [s]."""
    hands: Annotated[Number, Field(ge=0.0, le=1.0)] = 1.0
    """Share of the feedback in force while a hand is on the ground, judged by the joints' angles."""
    max_error: Annotated[Length, Field(gt=0.0, le=1.0)] = 0.25
    """Errors are cut off here [m]."""
    max_correction: Annotated[Angle, Field(gt=0.0, le=1.0)] = 0.45
    """Corrections of a joint are cut off here [rad]."""

    @property
    def gains(self) -> Mapping[str, float]:
        """Gain by the role of a joint, without its side [rad/m]."""
        return {"ankle_pitch": self.ankle_pitch, "hip_pitch": self.hip_pitch, "ankle_roll": self.ankle_roll}
