"""What people type at a command: numbers, and values and settings by name, with the unit behind the number."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, TypeVar, get_args, get_origin

from pydantic.fields import FieldInfo

from andante.documents.parameters import dimension_of
from andante.documents.quantities import UNITS
from andante.documents.settings import Settings, SettingsError
from andante.errors import AndanteError

S = TypeVar("S", bound=Settings)

_LENGTHS_AND_ANGLES = {**UNITS["angle"], "mm": 1e-3, "cm": 1e-2, "m": 1.0}
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?) ?([^\d\s].*)?")


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
        value = _number(part)
        if not math.isfinite(value):
            raise NumbersError("is no finite number", place=name, value=part)
        values.append(value)
    return tuple(values)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def named_values(pairs: Sequence[str], option: str) -> dict[str, float]:
    """Values by name from NAME=NUMBER; a unit may follow the number: m, cm, mm, rad, deg (else SI).

    Raises:
        NumbersError: A pair without a name, or no finite number.
    """
    values = {}
    for pair in pairs:
        key, equals, text = (part.strip() for part in pair.partition("="))
        unit = next((each for each in _LENGTHS_AND_ANGLES if text.endswith(each)), "")
        value = _number(text.removesuffix(unit)) * _LENGTHS_AND_ANGLES.get(unit, 1.0)
        if not (key and equals and math.isfinite(value)):
            raise NumbersError(
                "give NAME=NUMBER", place=option, value=pair, remedy="for example height=7.5cm yaw=20deg"
            )
        values[key] = value
    return values


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
    dimension = dimension_of(field)
    if not dimension:
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
