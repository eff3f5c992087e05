"""What code that others wrote answers while a program runs: one error that names it, whatever it did."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from andante.errors import shorten
from andante.plugins.errors import PluginError

T = TypeVar("T")


def answer_of(who: str, question: Callable[[], T]) -> T:
    """What a function returns.

    Args:
        who: Kind and name of what is asked, for messages: ``foothold rule 'low-ground'``.
        question: Calls it.

    Raises:
        PluginError: It raised.
    """
    try:
        return question()
    # Code of others raises what it likes; who asked is told whose it was.
    except Exception as error:
        raise PluginError(f"raised {type(error).__name__}: {shorten(str(error), 200)}", place=who) from error


def finite_array(who: str, what: str, value: object, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """An answer as an array.

    Args:
        who: Kind and name of what answered.
        what: What the array is.
        value: The answer; arrays that broadcast to the shape will do.
        shape: The shape.

    Raises:
        PluginError: No numbers, another shape, or numbers that are not finite.
    """
    try:
        array = np.broadcast_to(np.asarray(value, dtype=np.float64), shape)
    except (TypeError, ValueError):
        given = getattr(value, "shape", None)
        shown = type(value).__name__ if given is None else f"shape {given}"
        raise PluginError(f"gave no {what}", place=who, value=shown, limit=f"numbers of shape {shape}") from None
    if not np.isfinite(array).all():
        first = tuple(int(each) for each in np.argwhere(~np.isfinite(array))[0])
        raise PluginError(f"gave {what} that are not finite", place=f"{who}, {first}", value=float(array[first]))
    return array
