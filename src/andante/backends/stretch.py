"""Stretch: collision shapes a little longer or shorter than the model says, as a frozen document."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from andante.backends.config_parts import NumberRange, check_range
from andante.documents.part import Part
from andante.documents.quantities import Length


class Stretch(Part):
    """Shapes of the robot stretched along one axis of their body; masses and joints stay.

    What lies at coordinate c along the axis comes to ``about + factor (c - about)``.
    """

    geoms: Annotated[tuple[str, ...], Field(min_length=1)]
    """Names of the shapes; they share one factor."""
    axis: Literal["x", "y", "z"]
    """Axis of the shapes' body."""
    factor: NumberRange
    """Factor, or the range from which it is drawn once per run; 0.5 to 2."""
    about: Length = 0.0
    """Coordinate that stays [m]."""

    @model_validator(mode="after")
    def _range(self) -> Self:
        check_range("factor", self.factor, 0.5, 2.0)
        return self
