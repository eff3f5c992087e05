"""What code that others wrote answers while a program runs: one error that names it, whatever it did."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from andante.plugins.errors import PluginError
from andante.plugins.raised import ASKED_TO_END, text_of

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
    except ASKED_TO_END:
        raise
    # Code of others raises what it likes; who asked is told whose it was.
    except BaseException as error:
        raise PluginError(f"raised {type(error).__name__}: {text_of(error, 200)}", place=who) from error


def subclass_of(base: type, what: str) -> Callable[[object], Any]:
    """What takes only subclasses of a class of `andante.extend` into a register.

    Args:
        base: The class.
        what: What such classes are of, in the plural.
    """

    def accept(thing: object) -> Any:
        if isinstance(thing, type) and issubclass(thing, base):
            return thing
        raise PluginError(f"is no class of {what}", value=thing, limit=f"a subclass of andante.extend.{base.__name__}")

    return accept


def yes_or_no(value: object) -> bool:
    """Whether code of others says yes: True, False, 1 or 0 of Python or numpy; None is no.

    Raises:
        TypeError: It says something else: every word is true to Python, "no" as well.
    """
    if isinstance(value, (np.generic, np.ndarray)) and value.ndim == 0:
        value = value.item()
    if value is None or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise TypeError(f"it gives {value!r:.80} ({type(value).__name__}), not True or False")


def plain_data(value: object, name: str = "", *, finite: bool = True, what: str = "metric") -> Any:
    """What code of others tells, as plain data for JSON; numbers and arrays of numpy become Python's.

    Args:
        value: What it tells.
        name: What that is called, for messages.
        finite: Whether numbers that are NaN or infinite are refused.
        what: What one of them is called there.

    Raises:
        ValueError: A number in it is NaN or infinite.
        TypeError: Something in it is no plain data, or two names of a mapping read alike, as 1 and "1".
    """
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if finite and isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"its {what} {name!r} is {'NaN' if math.isnan(value) else value}")
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        raise ValueError(f"its {what} {name!r} is larger than any number")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        _refuse_names_alike(value, name, what)
        return {
            str(key): plain_data(each, f"{name}.{key}" if name else str(key), finite=finite, what=what)
            for key, each in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [plain_data(each, f"{name}.{number}", finite=finite, what=what) for number, each in enumerate(value)]
    raise TypeError(f"its {what} {name!r} is a {type(value).__name__}, no number, text, list or mapping")


def finite_or_none(value: Any) -> Any:
    """Plain data in which None stands for numbers that are NaN or infinite."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: finite_or_none(each) for key, each in value.items()}
    return [finite_or_none(each) for each in value] if isinstance(value, list) else value


def _refuse_names_alike(given: Mapping[Any, Any], name: str, what: str) -> None:
    """Refuse a mapping of which JSON, whose names are text, would keep one of two numbers without a word.

    Raises:
        TypeError: Two of its names are the same text.
    """
    known: dict[str, Any] = {}
    for key in given:
        other = known.setdefault(str(key), key)
        if other is not key:
            whole = f"{name}.{key}" if name else str(key)
            raise TypeError(f"its {what} {whole!r} is there twice, as {other!r} and as {key!r}; name them apart")


def all_of(kind: type[T], given: object) -> tuple[T, ...]:
    """Things of a class that code of others gives.

    Raises:
        TypeError: It gives something else.
    """
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"it gives a {type(given).__name__} in place of several {kind.__name__}")
    found = tuple(given)
    for each in found:
        if not isinstance(each, kind):
            raise TypeError(f"it gives a {type(each).__name__}, no {kind.__name__}")
    return found


def finite_array(
    who: str, what: str, value: object, shape: tuple[int, ...], *, exact: bool = False
) -> NDArray[np.float64]:
    """An answer as an array.

    Args:
        who: Kind and name of what answered.
        what: What the array is.
        value: The answer.
        shape: The shape.
        exact: Whether arrays that broadcast to the shape will not do.

    Raises:
        PluginError: No numbers, another shape, or numbers that are not finite.
    """
    given: Any = value
    shape_given = getattr(given, "shape", None)
    shown = type(given).__name__ if shape_given is None else f"shape {shape_given}"
    try:
        if np.iscomplexobj(given):
            shown = "complex numbers"
            raise TypeError
        array = np.broadcast_to(numbers := np.asarray(given, dtype=np.float64), shape)
        if exact and numbers.shape != shape:
            raise ValueError
    except (TypeError, ValueError):
        raise PluginError(f"gave no {what}", place=who, value=shown, limit=f"numbers of shape {shape}") from None
    if not np.isfinite(array).all():
        first = tuple(int(each) for each in np.argwhere(~np.isfinite(array))[0])
        raise PluginError(f"gave {what} that are not finite", place=f"{who}, {first}", value=float(array[first]))
    return array
