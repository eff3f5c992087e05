"""Settings as people type them at a command: NAME=VALUE, with the unit behind the number."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar, get_args, get_origin

from pydantic.fields import FieldInfo

from andante.documents.quantities import Quantity
from andante.documents.settings import Settings, SettingsError

S = TypeVar("S", bound=Settings)

_DEG = math.pi / 180.0
UNITS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "angle": {"rad": 1.0, "deg": _DEG},
        "angular_velocity": {"rad/s": 1.0, "deg/s": _DEG},
        "time": {"s": 1.0, "ms": 1e-3},
        "length": {"m": 1.0, "cm": 1e-2, "mm": 1e-3},
        "speed": {"m/s": 1.0},
        "rate": {"1/s": 1.0},
    }
)
"""SI value of the units that may follow a number, by what it measures."""
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?) ?([^\d\s].*)?")


def changed_by(settings: S, pairs: Sequence[str], option: str) -> S:
    """Settings with others values, typed as NAME=VALUE.

    Numbers are in SI units, or have their unit behind them (`8deg`, `2500ms`); lists of names have commas.

    Args:
        settings: What to change.
        pairs: The changes.
        option: Name of the command's option, for messages.

    Raises:
        SettingsError: No such setting, a value that is none, a unit of something else, or as `Settings`.
    """
    fields = type(settings).model_fields
    values: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = (part.strip() for part in pair.partition("="))
        if not equals or not text:
            raise SettingsError("give NAME=VALUE", place=option, value=pair)
        if name not in fields:
            raise SettingsError("there is no such setting", place=option, value=name, legal=fields)
        values[name] = _value(text, fields[name], f"{option} {name}")
    return settings.changed(**values) if values else settings


def _value(text: str, field: FieldInfo, place: str) -> Any:
    dimension = _dimension(field)
    if dimension is None:
        if get_origin(field.annotation) is tuple:
            if get_args(field.annotation)[0] is not str:
                raise SettingsError("this setting cannot be typed", place=place, value=text)
            return tuple(part.strip() for part in text.split(",") if part.strip())
        return text
    units = UNITS.get(dimension, {})
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise SettingsError("is no number", place=place, value=text, legal=units)
    unit = (found[2] or "").strip()
    if unit and unit not in units:
        raise SettingsError("is no unit of this setting", place=place, value=unit, legal=units)
    return float(found[1]) * units.get(unit, 1.0)


def _dimension(field: FieldInfo) -> str | None:
    """What a setting measures; None for one that is no number."""
    kinds = [*field.metadata, *(kind for part in get_args(field.annotation) for kind in get_args(part))]
    return next((kind.dimension for kind in kinds if isinstance(kind, Quantity)), None)
