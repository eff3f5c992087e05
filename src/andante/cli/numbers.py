"""Lists of numbers on the command line."""

from __future__ import annotations

import math

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
