"""Parts of documents whose classes may be a plug-in's: what its own code does wrong is told with its name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from pydantic import BaseModel
from pydantic_core import PydanticCustomError, core_schema

from andante.errors import AndanteError
from andante.plugins.errors import PluginError
from andante.plugins.raised import ASKED_TO_END
from andante.plugins.register import Register

M = TypeVar("M", bound=BaseModel)


def read_part(register: Register[Any], name: str, kind: type[M], value: object, info: core_schema.ValidationInfo) -> M:
    """A part of a document by its class.

    Raises:
        ValidationError: Something in it is not legal.
        PydanticCustomError: The class is a plug-in's, whose own code raised.
    """
    try:
        if info.mode == "json":
            return kind.model_validate_json(json.dumps(value), strict=True, context=info.context)
        return kind.model_validate(value, context=info.context)
    except (AndanteError, ValueError, *ASKED_TO_END):
        raise
    except BaseException as error:
        with _told(), register.blame(name):
            raise error


@contextmanager
def _told() -> Iterator[None]:
    """What a plug-in did wrong is told with the place in the document."""
    try:
        yield
    except PluginError as error:
        raise PydanticCustomError("plugin", "{problem}", {"problem": str(error)}) from error
