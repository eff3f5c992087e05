"""Registry: kinds of one part of a document that are told apart by their field ``type``.

A type is looked up where a document names it, so that only kinds that are named are imported: among Andante's own,
what a program has registered, and the installed packages' entry points in the group ``andante.<kinds>``. A plug-in that
cannot be used is told there, and nowhere else. Andante's own are members of the published schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Generic, TypeVar, Union, cast, get_args

from pydantic import Discriminator, GetCoreSchemaHandler, GetJsonSchemaHandler, Tag, TypeAdapter, ValidationInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, PydanticKnownError, core_schema

from andante.documents.part import Part
from andante.documents.plugged import read_part
from andante.documents.problems import DocumentError
from andante.errors import AndanteError
from andante.plugins.register import Register

P = TypeVar("P", bound=Part)


class Registry(Register[type[P]], Generic[P]):
    """The kinds of a part; as an annotation it makes a field hold one of them, ``Annotated[Base, registry]``.

    Args:
        kinds: What they are, in the plural; the entry points' group is ``andante.<kinds>``.
        singular: What one is called in messages.
        base: Class of all of them.
        shipped: Andante's own by type: where each is, ``"package.module:attribute"`` below ``andante``.
        default: Type of a part that does not say its own; empty: it must.
        in_schema: Whether the published schema has the fields of Andante's own; otherwise it asks for a ``type`` only,
            and no kind is imported before a document names it.
    """

    def __init__(
        self,
        kinds: str,
        singular: str,
        base: type[Part],
        shipped: Mapping[str, str],
        default: str = "",
        *,
        in_schema: bool = True,
    ) -> None:
        self._base, self._default, self._in_schema = cast("type[P]", base), default, in_schema
        super().__init__(kinds, singular, self._of_base, shipped, named=_type_of)

    @property
    def kinds(self) -> dict[str, type[P]]:
        """Andante's own kinds and those that a program has registered, by type; they are imported for it."""
        return {name: self[name] for name in (*self._shipped, *self._added)}

    @property
    def by_type(self) -> object:
        """Annotation of a field that may hold any of the kinds within one of them: each is looked up by its type."""
        return _Others(self)

    def add(self, kind: type[P]) -> None:
        """Add a kind of a running program by its own type.

        Raises:
            DocumentError: The type is no `Literal` of one name.
            PluginError: Another kind has this type.
        """
        self.register(_type_of(kind), kind)

    def _of_base(self, thing: object) -> type[P]:
        if not (isinstance(thing, type) and issubclass(thing, self._base)):
            raise DocumentError(f"is no {self.singular}", value=str(thing), limit=f"a {self._base.__name__}")
        _type_of(thing)
        return thing

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return handler.generate_schema(Annotated[Any, _Others(self, members=self._in_schema)])

    def published(self) -> CoreSchema:
        """What the published schema is made from: one member for each of Andante's own kinds."""
        tagged = tuple(Annotated[self[name], Tag(name)] for name in self._shipped)
        any_of: Any = Annotated[Union[tagged], Discriminator(self.named)]  # noqa: UP007 - of a tuple
        return TypeAdapter(any_of).core_schema

    def look_up(self, value: Any, info: ValidationInfo) -> P:
        """A part of the kind that it names, Andante's own or an installed package's."""
        if isinstance(value, str) and value in self:
            written = f"{{type: {value}}}"
            raise PydanticCustomError("mapping", "a name alone has no fields, write {written}", {"written": written})
        name = self.named(value)
        if name not in self:
            legal = ", ".join(map(repr, self.names)) or "none"
            raise PydanticKnownError(
                "union_tag_invalid", {"discriminator": "type", "tag": name, "expected_tags": legal}
            )
        try:
            kind = self[name]
        except AndanteError as error:
            raise PydanticCustomError("plugin", "{problem}", {"problem": str(error)}) from None
        if isinstance(value, kind):
            return value
        return read_part(self, name, kind, value, info)

    def named(self, value: object) -> str:
        """Type of the kind that a value is of: what it says, or the default; for what is no part an empty text."""
        named = value.get("type", self._default) if isinstance(value, Mapping) else getattr(value, "type", "")
        return str(named)


class _Others:
    """What a field may hold: a part of any kind.

    Args:
        registry: The kinds.
        members: Whether the published schema has the fields of Andante's own kinds.
    """

    def __init__(self, registry: Registry[Any], *, members: bool = False) -> None:
        self.registry, self._members = registry, members

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(
            self.registry.look_up,
            serialization=core_schema.plain_serializer_function_ser_schema(_plain, info_arg=True),
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        if self._members:
            return handler(self.registry.published())
        return {"type": "object", "properties": {"type": {"type": "string"}}, "required": ["type"]}


def registry_in(annotation: object) -> Registry[Any] | None:
    """The kinds that an annotation of a field lets it hold; None: it is no such annotation."""
    found = annotation.registry if isinstance(annotation, _Others) else annotation
    return found if isinstance(found, Registry) else None


def _plain(value: Any, info: Any) -> Any:
    return value.model_dump(
        mode=info.mode,
        by_alias=info.by_alias,
        exclude_unset=info.exclude_unset,
        exclude_defaults=info.exclude_defaults,
        exclude_none=info.exclude_none,
    )


def _type_of(kind: type[Part]) -> str:
    """The name of a kind.

    Raises:
        DocumentError: Its field ``type`` is no `Literal` of one name.
    """
    field = kind.model_fields.get("type")
    names = get_args(None if field is None else field.annotation)
    if len(names) != 1:
        raise DocumentError(
            "the field type must be a Literal of one name",
            place=kind.__name__,
            value=None if field is None else str(field.annotation),
        )
    return str(names[0])
