"""Numbers as people type them: lists, and values by name."""

from __future__ import annotations

import math
from collections.abc import Sequence

from andante.errors import AndanteError


class NumbersError(AndanteError):
    """A list of numbers cannot be read."""


def numbers(text: str, count: int | None, name: str) -> tuple[float, ...]:
    """Finite numbers separated by commas.

    Args:
        text: What was typed.
        count: How many there must be; None: any number.
        name: The option or argument, for messages.

    Raises:
        NumbersError: Another number of them, or something that is no finite number.
    """
    parts = text.split(",")
    if count is not None and len(parts) != count:
        raise NumbersError("another number of values is needed", place=name, value=text, limit=f"{count} with commas")
    values = []
    for part in parts:
        try:
            value = float(part)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise NumbersError("is no finite number", place=name, value=part)
        values.append(value)
    return tuple(values)


_UNITS = {"deg": math.radians(1.0), "rad": 1.0, "mm": 1e-3, "cm": 1e-2, "m": 1.0}


def named_values(pairs: Sequence[str], option: str) -> dict[str, float]:
    """Values by name from NAME=NUMBER; a unit may follow the number: m, cm, mm, rad, deg (else SI).

    Raises:
        NumbersError: A pair without a name, or no finite number.
    """
    values = {}
    for pair in pairs:
        key, equals, text = (part.strip() for part in pair.partition("="))
        unit = next((each for each in _UNITS if text.endswith(each)), "")
        try:
            value = float(text.removesuffix(unit)) * _UNITS.get(unit, 1.0)
        except ValueError:
            value = math.nan
        if not (key and equals and math.isfinite(value)):
            raise NumbersError(
                "give NAME=NUMBER", place=option, value=pair, remedy="for example height=7.5cm yaw=20deg"
            )
        values[key] = value
    return values
