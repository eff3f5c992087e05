"""A message of a page to the studio: its base, how it is read, and how a text that is none is answered."""

from __future__ import annotations

import json
import math
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from andante.studio.errors import StudioError

MAX_MESSAGE = 1 << 20
"""Longest message of a page [bytes]."""

_LARGEST_REQUEST = 2**53
_DEPTH = 24

Name = Annotated[str, Field(max_length=200)]
FileName = Annotated[str, Field(min_length=1, max_length=1000)]
Index = Annotated[int, Field(ge=0, le=1_000_000)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Fields = Annotated[dict[Name, Any], Field(max_length=200)]


class Message(BaseModel):
    """Something that a page asks for."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    request: Annotated[int, Field(ge=0, le=_LARGEST_REQUEST)] = 0
    """Number by which the page knows the answer."""

    @model_validator(mode="after")
    def _finite(self) -> Self:
        _refuse_endless(self.model_dump(), 0)
        return self


def read_message(text: str | bytes, adapter: TypeAdapter[Any]) -> Any:
    """The message in a text.

    Args:
        text: The text.
        adapter: What may be asked.

    Raises:
        StudioError: It is none of those.
    """
    try:
        return adapter.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        raise StudioError(f"the message is refused: {first['msg']}", place=place[:200]) from None


def request_of(text: str | bytes) -> int:
    """The number by which a page knows the answer to a message that is refused; 0 where it says none."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return 0
    number = data.get("request") if isinstance(data, dict) else None
    if not isinstance(number, int) or isinstance(number, bool):
        return 0
    return number if 0 <= number <= _LARGEST_REQUEST else 0


def _refuse_endless(data: Any, depth: int) -> None:
    """Refuse numbers that are none and data that is nested without end, wherever they stand.

    Raises:
        ValueError: There is one.
    """
    if depth > _DEPTH:
        raise ValueError("nested too deeply")
    if isinstance(data, float):
        if not math.isfinite(data):
            raise ValueError("a number is not finite")
    elif isinstance(data, dict | list | tuple):
        for value in data.values() if isinstance(data, dict) else data:
            _refuse_endless(value, depth + 1)
