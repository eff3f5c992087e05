"""What the documents of a simulated world are made of: vectors, counts and ranges."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from andante.documents.quantities import Angle, Number

Vector3 = tuple[Number, Number, Number]
"""Three finite numbers."""


def _counted(value: object) -> object:
    """Tell of a number with decimals, which somebody means in seconds, that ticks are counted."""
    if isinstance(value, float) and not value.is_integer():
        raise PydanticCustomError("ticks", "must be a whole number of control ticks, no time in seconds")
    return value


Ticks = Annotated[int, Field(ge=0, le=1000), BeforeValidator(_counted)]
"""A number of control ticks."""
NumberRange = Number | tuple[Number, Number]
"""A number, or the range from which the seed draws it."""
AngleRange = Angle | tuple[Angle, Angle]
"""An angle, or the range from which the seed draws it [rad]."""


def bounds(value: float | tuple[float, float]) -> tuple[float, float]:
    """Low and high end of a number or a range."""
    return value if isinstance(value, tuple) else (value, value)


def check_range(name: str, value: float | tuple[float, float], least: float, most: float) -> None:
    """Refuse a range that is empty or leaves what is allowed.

    Raises:
        ValueError: It is; the message names the field.
    """
    low, high = bounds(value)
    if not least <= low <= high <= most:
        top = "" if most == np.inf else f" <= {most:.4g}"
        raise ValueError(f"{name} needs {least:.4g} <= low <= high{top}, got {low:g} and {high:g}")


def draw(rng: np.random.Generator, value: float | tuple[float, float]) -> float:
    """A number as it is, or one drawn uniformly from its range; both take one draw from ``rng``."""
    return float(rng.uniform(*bounds(value)))
