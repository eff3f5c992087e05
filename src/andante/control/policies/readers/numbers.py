"""Numbers in the files of other programs; anything else is refused with its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from andante.control.policies.contract import PolicyError

_LARGEST = float(np.finfo(np.float32).max)


def number(value: Any, place: str) -> float:
    """One number.

    Raises:
        PolicyError: It is none.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise PolicyError("a number is needed", place=place, value=value)
    return float(value)


def several(value: Any, place: str) -> float | tuple[float, ...]:
    """One number, or a list of them.

    Raises:
        PolicyError: It is neither.
    """
    return row(value, place) if isinstance(value, (list, tuple)) else number(value, place)


def row(value: Any, place: str, count: int | None = None) -> tuple[float, ...]:
    """A list of numbers, of a length where one is asked.

    Raises:
        PolicyError: It is none, or of another length.
    """
    if not isinstance(value, (list, tuple)):
        raise PolicyError("a list of numbers is needed", place=place, value=value)
    if count is not None and len(value) != count:
        raise PolicyError("a list has another length", place=place, value=len(value), limit=str(count))
    return tuple(number(each, place) for each in value)


def clip(value: Any, scale: float | tuple[float, ...], place: str) -> Any:
    """Bounds of a term that is cut before it is scaled, as Isaac Lab does, made those after; ``none`` for null.

    Raises:
        PolicyError: They are no pair.
    """
    if value is None:
        return "none"
    bounds = row(value, place, 2)
    scales = scale if isinstance(scale, tuple) else (scale,)
    each = tuple(tuple(sorted(factor * bound for bound in bounds)) for factor in scales)
    return each[0] if len(set(each)) == 1 else each


def clip_of_numbers(
    pairs: Sequence[Any], scales: Sequence[float], offsets: Sequence[float], place: str
) -> tuple[tuple[float, float], ...]:
    """Bounds of the network's numbers from those of what is made of them, ``offset + scale * number``, of each joint.

    A negative scale turns them round; where nothing is cut, no 32-bit number is larger.

    Raises:
        PolicyError: They are no pairs, or not one for each joint, or a scale is 0, so that no number makes them.
    """
    if len(pairs) != len(scales) or len(scales) != len(offsets):
        raise PolicyError("a list has another length", place=place, value=len(pairs), limit=str(len(scales)))
    found = []
    for pair, scale, offset in zip(pairs, scales, offsets, strict=True):
        if not scale:
            raise PolicyError("targets are cut that no number changes, as their scale is 0", place=place, value=pair)
        ends = [(end - offset) / scale for end in row(pair, place, 2)]
        low, high = (round(min(max(end, -_LARGEST), _LARGEST), 9) for end in (ends if scale >= 0.0 else ends[::-1]))
        found.append((low, high))
    return tuple(found)


def add_shape(term: dict[str, Any], said: Any, history: int, place: str, *, scaled_first: bool = False) -> None:
    """Add scale, clip and history to a term as Isaac Lab has them; of several observations the oldest comes first.

    Raises:
        PolicyError: Scale or clip is none that can be.
    """
    scale = said.get("scale")
    term["scale"] = 1.0 if scale is None else several(scale, f"{place}.scale")
    term["clip"] = clip(said.get("clip"), 1.0 if scaled_first else term["scale"], f"{place}.clip")
    term["history"] = history
    if history > 1:
        term["order"] = "oldest-first"


def ranges(said: Any, place: str) -> dict[str, Any]:
    """Ranges of commands as Isaac Lab names them.

    Raises:
        PolicyError: One of the three is missing or is no pair.
    """
    names = {"forward": "lin_vel_x", "lateral": "lin_vel_y", "turn": "ang_vel_z"}
    return {name: {"range": row(said.get(theirs), f"{place}.{theirs}", 2)} for name, theirs in names.items()}
