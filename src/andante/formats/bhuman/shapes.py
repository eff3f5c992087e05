"""The containers of a configuration file: records, enum-indexed records, arrays, optional values.

A shape is read into plain dictionaries and lists and written from them; what the entries mean is in `schema`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from andante.errors import nearest_name, shorten
from andante.formats.bhuman.grammar import Array, AttributeRecord, GrammarReader, Literal, Node, under
from andante.formats.bhuman.names import IDENTIFIER_RULE, is_identifier
from andante.formats.bhuman.scalars import Kind

NOTE = "note"
"""Key under which a record's comment stands among its values."""
INLINE = "*"
"""Key of a record whose values stand among those of the one around it."""
MAX_OWN_NAMES = 1000
"""Most names beyond the release's that a record may have; the releases themselves have 33 at most."""


def _record(node: Node, reading: GrammarReader, inside: str) -> AttributeRecord:
    if isinstance(node, AttributeRecord):
        return node
    found = "an array" if isinstance(node, Array) else f"{node.text!r}"
    raise reading.error(f"a record {{...}} is expected here, not {found}", node, inside)


def _array(node: Node, reading: GrammarReader, inside: str) -> Array:
    if isinstance(node, Array):
        return node
    found = "a record" if isinstance(node, AttributeRecord) else f"{node.text!r}"
    raise reading.error(f"an array [...] is expected here, not {found}", node, inside)


def _check_names(record: AttributeRecord, legal: tuple[str, ...], reading: GrammarReader, inside: str) -> None:
    for name in record.fields:
        if name not in legal:
            raise reading.error("the attribute is unknown", record.names[name], inside, value=name, legal=legal)


def _check_own_names(
    record: AttributeRecord, release: tuple[str, ...], title: str, reading: GrammarReader, inside: str
) -> None:
    """Refuse names that no enumeration can list, and tell of those that the release does not have."""
    own = [name for name in record.fields if name not in release]
    # Only a name without an entry can be what a misspelt one means.
    absent = [name for name in release if name not in record.fields]
    for count, name in enumerate(own):
        offset = record.names[name]
        if not is_identifier(name):
            raise reading.error(
                f"this cannot be the name of {title}", offset, inside, value=name, limit=IDENTIFIER_RULE, legal=release
            )
        if count == MAX_OWN_NAMES:
            raise reading.error(
                "the release does not have so many of these names", offset, inside, value=name, limit=f"{count} more"
            )
        nearest = nearest_name(name, absent)
        hint = f"; did you mean {nearest!r}?" if nearest is not None else ""
        reading.warn(f"{shorten(repr(name))} is {title} that the release does not have{hint}", offset, inside)


@dataclass(frozen=True)
class AttributeShape:
    """An attribute of a record."""

    name: str
    kind: Kind
    default: Any
    """Value where the attribute is missing."""
    to: str = ""
    """Key of its value, which is the field's name in a library; empty: the attribute's name."""

    @property
    def key(self) -> str:
        """Key of its value."""
        return self.to or self.name


@dataclass(frozen=True)
class RecordOf:
    """A record with the given attributes, written in their order."""

    fields: tuple[AttributeShape, ...]
    noted: bool = False
    """The comment behind the opening brace is kept under `NOTE`."""

    @property
    def defaults(self) -> dict[str, Any]:
        """Default of every attribute by key."""
        values: dict[str, Any] = {}
        for field in self.fields:
            _put(values, field.key, field.default)
        return values

    def read(self, node: Node, reading: GrammarReader, inside: str) -> dict[str, Any]:
        """Return the values by key, defaults for the missing attributes."""
        record = _record(node, reading, inside)
        _check_names(record, tuple(field.name for field in self.fields), reading, inside)
        values: dict[str, Any] = {}
        for field in self.fields:
            child = record.fields.get(field.name)
            if child is None:
                reading.warn(f"the attribute {field.name!r} is missing; its default is kept", record, inside)
                _put(values, field.key, field.default)
            else:
                _put(values, field.key, field.kind.read(child, reading, under(inside, field.name)))
        if self.noted:
            values[NOTE] = record.note
        elif record.note:
            reading.warn("the comment is not kept", record, inside)
        return values

    def write(self, value: Mapping[str, Any]) -> AttributeRecord:
        """Write all attributes."""
        fields = {
            field.name: field.kind.write(value if field.key == INLINE else value[field.key]) for field in self.fields
        }
        return AttributeRecord(fields, note=value[NOTE] if self.noted else "")


def record(*fields: AttributeShape, noted: bool = False) -> RecordOf:
    """A record with these attributes."""
    return RecordOf(fields, noted)


def _put(values: dict[str, Any], key: str, value: Any) -> None:
    if key == INLINE:
        values.update(value)
    else:
        values[key] = value


@dataclass(frozen=True)
class TupleOf:
    """A record of numbers whose names are those of coordinates."""

    names: str
    kind: Kind

    @property
    def _record(self) -> RecordOf:
        return record(*(AttributeShape(name, self.kind, 0.0) for name in self.names))

    def read(self, node: Node, reading: GrammarReader, inside: str) -> tuple[Any, ...]:
        """Return the values in order, 0 for missing ones."""
        return tuple(self._record.read(node, reading, inside).values())

    def write(self, value: Sequence[Any]) -> AttributeRecord:
        """Write all of them."""
        return self._record.write(dict(zip(self.names, value, strict=True)))


@dataclass(frozen=True)
class RecordByName:
    """A record with one attribute per name of an enumeration; only those present are returned."""

    names: Mapping[str, str]
    """Meaning of each legal name."""
    kind: Kind
    extended: str = ""
    """What an entry is called, where teams add names of their own, which mean themselves; empty: nobody does."""

    def read(self, node: Node, reading: GrammarReader, inside: str) -> dict[str, Any]:
        """Return the values by meaning, in the order of the file."""
        record = _record(node, reading, inside)
        if self.extended:
            _check_own_names(record, tuple(self.names), self.extended, reading, inside)
        else:
            _check_names(record, tuple(self.names), reading, inside)
        values = {
            self.names.get(name, name): self.kind.read(child, reading, under(inside, name))
            for name, child in record.fields.items()
        }
        missing = [name for name, meaning in self.names.items() if meaning not in values]
        if missing:
            reading.warn(f"attributes are missing: {', '.join(dict.fromkeys(missing))}", record, inside)
        if record.note:
            reading.warn("the comment is not kept", record, inside)
        return values

    def write(self, value: Mapping[str, Any]) -> AttributeRecord:
        """Write the values in their own order; the original does not mind it."""
        names = {meaning: name for name, meaning in reversed(list(self.names.items()))}
        return AttributeRecord({names.get(meaning, meaning): self.kind.write(item) for meaning, item in value.items()})


@dataclass(frozen=True)
class ListOf:
    """An array of any length, or of a fixed one."""

    kind: Kind
    size: int | None = None

    def read(self, node: Node, reading: GrammarReader, inside: str) -> list[Any]:
        """Return the elements."""
        array = _array(node, reading, inside)
        if self.size is not None and len(array.items) != self.size:
            raise reading.error(
                "the array has the wrong number of elements",
                array,
                inside,
                value=len(array.items),
                limit=f"{self.size}",
            )
        return [self.kind.read(item, reading, f"{inside}[{index}]") for index, item in enumerate(array.items)]

    def write(self, value: list[Any]) -> Array:
        """Write the elements."""
        return Array([self.kind.write(item) for item in value])


@dataclass(frozen=True)
class OptionalOf:
    """An array of no or one element: a value that may be absent."""

    kind: Kind

    def read(self, node: Node, reading: GrammarReader, inside: str) -> Any:
        """Return the element or None."""
        array = _array(node, reading, inside)
        if len(array.items) > 1:
            raise reading.error(
                "the array has too many elements", array.items[1], inside, value=len(array.items), limit="0 or 1"
            )
        return self.kind.read(array.items[0], reading, f"{inside}[0]") if array.items else None

    def write(self, value: Any) -> Array:
        """Write one element or none."""
        return Array([] if value is None else [self.kind.write(value)])


def records_in(node: AttributeRecord | Array) -> Iterator[AttributeRecord]:
    """All records of a tree, for telling dialects apart."""
    if isinstance(node, AttributeRecord):
        yield node
    for child in node.items if isinstance(node, Array) else node.fields.values():
        if not isinstance(child, Literal):
            yield from records_in(child)
