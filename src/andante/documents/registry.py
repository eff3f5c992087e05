"""Registry: kinds of one part of a document that are told apart by their field ``type``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Generic, TypeVar, Union, get_args

from pydantic import Discriminator, GetCoreSchemaHandler, Tag
from pydantic_core import CoreSchema

from andante.documents.part import Part
from andante.documents.problems import DocumentError

P = TypeVar("P", bound=Part)


class Registry(Generic[P]):
    """The kinds of a part; as an annotation it makes a field hold one of them, ``Annotated[Base, registry]``.

    A model that has such a field is rebuilt after a later registration (`BaseModel.model_rebuild` with ``force``).

    Args:
        default: Type of a part that does not say its own; empty: it must.
    """

    def __init__(self, default: str = "") -> None:
        self._default = default
        self.kinds: dict[str, type[P]] = {}
        """Registered kinds by type."""

    def register(self, kind: type[P]) -> None:
        """Add a kind; its field ``type`` is a `Literal` of one name.

        Raises:
            DocumentError: The type is no `Literal` of one name, or another kind has it.
        """
        declared = kind.model_fields["type"].annotation
        names = get_args(declared)
        if len(names) != 1:
            raise DocumentError(
                "the field type must be a Literal of one name", place=kind.__name__, value=str(declared)
            )
        (name,) = names
        if self.kinds.setdefault(name, kind) is not kind:
            raise DocumentError("two kinds cannot have one type", place=kind.__name__, value=name)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        members = tuple(Annotated[kind, Tag(name)] for name, kind in self.kinds.items())
        return handler.generate_schema(Annotated[Union[members], Discriminator(self.named)])  # noqa: UP007

    def named(self, value: object) -> str:
        """Type of the kind that a value is of: what it says, or the default; for what is no part an empty text."""
        named = value.get("type", self._default) if isinstance(value, Mapping) else getattr(value, "type", "")
        return str(named)
