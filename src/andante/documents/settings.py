"""Settings: what a user may change in a controller, estimator or guard, stated once.

A field's type says what its number is (`Length`, `Speed`, `Share`, ...). From it come the bounds, the units in which
documents give it, its entry in the published schema, and how it grows with the robot. Two robots of one shape whose
lengths differ by the factor s move alike under the same gravity when their times differ by sqrt(s) (equal Froude
number v^2 / (g l)): then speeds differ by sqrt(s) too, rates by 1 / sqrt(s), accelerations and angles not at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ValidationError

from andante.documents.part import Part
from andante.documents.quantities import Quantity
from andante.documents.validation import first_problem
from andante.errors import AndanteError

T = TypeVar("T")
_GROWING = ("length", "time", "speed", "rate", "angular_velocity")


class SettingsError(AndanteError):
    """A setting is not legal, or settings contradict each other."""


class Settings(Part):
    """Base of all settings: frozen, checked where they are made, in code and in documents alike.

    Raises:
        SettingsError: There is no such setting, a value is not legal, or values contradict each other.
    """

    place: ClassVar[str] = "settings"
    """Name in front of a field's in messages."""

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise first_problem(SettingsError, error, type(self), self.place) from None

    # As a part of a document it is validated by the document, which knows lines and units.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def of(cls, part: BaseModel) -> Self:
        """These settings as they stand among the fields of a larger part."""
        return cls(**{name: getattr(part, name) for name in cls.model_fields})

    def changed(self, **values: Any) -> Self:
        """The same with other values.

        Raises:
            SettingsError: As at construction.
        """
        return type(self)(**{**dict(self), **values})

    def with_value(self, path: str, value: Any) -> Self:
        """The same with one other value; names of settings within settings are joined by dots: ``trot.height``.

        Raises:
            SettingsError: As at construction.
        """
        name, _, rest = path.partition(".")
        inner = getattr(self, name, None)
        return self.changed(**{name: inner.with_value(rest, value) if rest and isinstance(inner, Settings) else value})

    def scaled(self, size: float) -> Self:
        """The same for a robot that is ``size`` times as large as the one that they are for."""
        return self.grown(size, *_GROWING)

    def grown(self, size: float, *dimensions: str) -> Self:
        """The same with only the fields of some dimensions (`Quantity.dimension`) as a robot of that size has them."""
        root = math.sqrt(size)
        factors = {"length": size, "time": root, "speed": root, "rate": 1.0 / root, "angular_velocity": 1.0 / root}
        values = {}
        for name, field in type(self).model_fields.items():
            for kind in field.metadata:
                if isinstance(kind, Quantity) and kind.scales and kind.dimension in dimensions:
                    values[name] = getattr(self, name) * factors[kind.dimension]
        return self.model_copy(update=values)


def filled(kind: Callable[..., T], *sources: object, **own: object) -> T:
    """A named tuple for kernels: numbers of its own, the others by their names from the first source that has them."""
    for source in sources:
        own = {name: getattr(source, name) for name in kind.__annotations__ if hasattr(source, name)} | own
    return kind(**own)
