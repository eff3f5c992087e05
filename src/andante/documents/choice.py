"""Choice: a field that holds a part by the name under which its class is registered.

In a document it is a name, or a mapping with the name as ``type`` and values for the fields of the class. Names are
looked up when a document is read, so that what a program or a package registers later is known at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from andante.documents.plugged import read_part
from andante.errors import AndanteError
from andante.plugins.errors import PluginError
from andante.plugins.register import Register

S = TypeVar("S", bound=BaseModel)
_TAG = "type"


class NameIn:
    """As an annotation of a text it asks for a name in a register."""

    def __init__(self, register: Register[Any]) -> None:
        self._register = register

    @property
    def names(self) -> tuple[str, ...]:
        """The legal names."""
        return self._register.names

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(lambda value: read_name(self._register, value))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string"}


class Choice(NameIn, Generic[S]):
    """As an annotation it makes a field hold an instance of a registered class: ``Annotated[Base, Choice(register)]``.

    Args:
        register: The classes by name.
    """

    def __init__(self, register: Register[type[S]]) -> None:
        super().__init__(register)
        self._kinds = register

    def name(self, part: object) -> str:
        """The name under which the class of a part is registered; empty where it is not."""
        for name in self._register.names:
            with suppress(PluginError):
                if self._register[name] is type(part):
                    return name
        return ""

    def named(self, value: object) -> str:
        """The name that a value of a document says; empty where it says none."""
        named = value.get(_TAG) if isinstance(value, Mapping) else value
        return named if isinstance(named, str) else ""

    def kinds_of(self, value: object) -> list[type[S]]:
        """The class that a value of a document names; none where it names none that can be used."""
        name = self.named(value)
        if name not in self._kinds:
            return []
        with suppress(AndanteError):
            return [self._kinds[name]]
        return []

    @property
    def what(self) -> str:
        """What is chosen."""
        return self._kinds.singular

    def told(self, part: object) -> str:
        """A part for messages: what it is and its name, with the package that brings it."""
        name = self.name(part)
        return self._kinds.told(name) if name else f"{self._kinds.singular} {type(part).__name__!r}"

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(
            self._read, serialization=core_schema.plain_serializer_function_ser_schema(self._plain, info_arg=True)
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        tagged = {"type": "object", "properties": {_TAG: {"type": "string"}}, "required": [_TAG]}
        return {"anyOf": [{"type": "string"}, tagged]}

    def _read(self, value: object, info: core_schema.ValidationInfo) -> S:
        if isinstance(value, BaseModel):
            if not self.name(value):
                raise PydanticCustomError(
                    "registered", "register the class {kind} first", {"kind": type(value).__name__}
                )
            return value  # type: ignore[return-value]
        name, fields = value, {}
        if isinstance(value, Mapping):
            name, fields = value.get(_TAG), {key: item for key, item in value.items() if key != _TAG}
        known = read_name(self._kinds, name)
        return read_part(self._kinds, known, self._kinds[known], fields, info)

    def _plain(self, part: S, info: core_schema.SerializationInfo) -> str | dict[str, Any]:
        fields = part.model_dump(mode=info.mode, context=info.context, exclude_defaults=True)
        return {_TAG: self.name(part), **fields} if fields else self.name(part)


def read_name(register: Register[Any], value: object) -> str:
    """A name in a register whose thing can be used.

    Raises:
        PydanticCustomError: There is none of this name, or its plug-in cannot be used.
    """
    if not isinstance(value, str):
        raise PydanticCustomError("string_type", "a name is needed")
    if not register.names:
        raise PydanticCustomError("plugin", "no {kind} is registered", {"kind": register.singular})
    if value not in register:
        expected = " or ".join(map(repr, register.names))
        raise PydanticCustomError("literal_error", "unknown name", {"expected": expected, "register": register.kind})
    try:
        register[value]
    except AndanteError as error:
        raise PydanticCustomError("plugin", "{problem}", {"problem": str(error)}) from None
    return value
