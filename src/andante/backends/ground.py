"""What the floor may be: friction by material, carpet."""

from __future__ import annotations

import math
from typing import Self

from pydantic import model_validator

from andante.backends.config_parts import NumberRange, check_range
from andante.documents.part import Part
from andante.documents.quantities import Duration, NonNegative


class Materials(Part):
    """Factors on the world's friction by material; each range is drawn once per run."""

    sole: NumberRange = 1.0
    """Rubber soles: all collision shapes of the feet's bodies."""
    shell: NumberRange = 1.0
    """Plastic shells: all others."""

    @model_validator(mode="after")
    def _ranges(self) -> Self:
        for name in ("sole", "shell"):
            check_range(f"materials.{name}", getattr(self, name), 0.0, math.inf)
        return self


class Carpet(Part):
    """A soft floor that resists rolling and turning; sliding is the world's ``friction``.

    The defaults are an assumption: a NAO's sole sinks in by some tenths of a millimetre, a hand by a millimetre.
    """

    torsion: NonNegative = 0.01
    """Torque against turning on the spot over the normal force [m]; 0 on a hard floor."""
    rolling: NonNegative = 0.003
    """Torque against rolling over the normal force [m]; 0 on a hard floor."""
    contact_time: Duration = 0.016
    """Time constant of its contacts [s], in place of `Solver.contact_time`."""
    give: NonNegative = 0.002
    """Depth over which the pile stiffens [m] (width of MuJoCo's solimp)."""
