"""GuardSettings: what the guard allows."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from andante.documents.quantities import Angle, Duration, Positive, PositiveAngle, Share
from andante.documents.settings import Settings
from andante.documents.validation import contradiction


class GuardSettings(Settings):
    """What the guard allows."""

    place: ClassVar[str] = "guard"

    velocity_scale: Positive = 1.0
    """Share of the joints' speed limits that commands may use."""
    acceleration_scale: Positive = 1.0
    """Share of the joints' acceleration limits that commands may use."""
    gain_scale: Positive = 4.0
    """Cap of kp and kd as a multiple of the servo's gains at full stiffness."""
    stale_hold: Duration = 0.1
    """Sensor time may stand still this long before the posture is held [s]."""
    stale_limp: Duration = 1.0
    """Sensor time may stand still this long before all joints go off [s]."""
    fall: Literal["none", "soften"] = "none"
    """What happens when the torso tips over: nothing, or gains are lowered for ``fall_duration``."""
    fall_tilt: Annotated[Angle, Field(gt=0.0, le=math.pi)] = math.radians(55.0)
    """Tilt of the torso from upright that counts as falling [rad]."""
    fall_rearm: PositiveAngle = math.radians(25.0)
    """Tilt below which the fall reaction is armed again [rad]."""
    fall_gain: Share = 0.1
    """Factor on kp and kd while falling."""
    fall_duration: Duration = 0.6
    """Time for which the gains stay lowered [s]."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.stale_limp < self.stale_hold:
            raise contradiction(
                "joints cannot go off before the posture is held",
                field="stale_limp",
                value=self.stale_limp,
                limit=f">= stale_hold = {self.stale_hold}",
            )
        if self.fall_rearm >= self.fall_tilt:
            raise contradiction(
                "tilts must be ordered",
                field="fall_rearm",
                value=(self.fall_rearm, self.fall_tilt),
                limit="0 < fall_rearm < fall_tilt <= pi",
            )
        return self
