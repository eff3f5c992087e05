"""A small document model with everything that documents use: units, unions, tuples, nested parts."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from andante.documents.quantities import Angle, Duration, Length, Stiffness


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    angle: Angle = 0.0
    """An angle."""
    length: Length = 0.0
    """A length."""
    target: Angle | Literal["off", "ignore"] = "ignore"
    """An angle or a word."""
    colour: Colour = Colour.RED
    """A colour."""
    note: str = ""
    """Free text."""


class Sheet(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    format: Literal["test.sheet"] = "test.sheet"
    """Kind."""
    version: Literal[1] = 1
    """Version."""
    title: str
    """Title."""
    duration: Duration = 1.0
    """Duration."""
    share: Stiffness = 1.0
    """A share."""
    count: int = Field(default=0, ge=0)
    """A count."""
    on: bool = False
    """A switch."""
    parts: tuple[Part, ...] = ()
    """Parts in order."""
    named: dict[str, Part] = Field(default_factory=dict)
    """Parts by name."""
    angles: dict[str, Angle] = Field(default_factory=dict)
    """Angles by name."""
    words: tuple[str, ...] = ()
    """Words."""
