"""YAML text as a tree of nodes that know where they stand.

A strict, small part of YAML 1.2: mappings with text keys, sequences and scalars. Anchors, aliases and tags are refused
(they can make a tiny file expand to gigabytes or run code), so are duplicate keys and several documents in one file.
Plain scalars follow the YAML 1.2 core schema: ``off`` and ``no`` are texts, not booleans.
"""

from __future__ import annotations

import gc
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import accumulate
from typing import Any

import yaml

from andante.documents.problems import DocumentError

MAX_DEPTH = 64
"""Deepest nesting of mappings and sequences that is read."""
MAX_NODES = 700_000
"""Most keys and values that are read; a library of 10,000 keyframes of 26 joints has 0.56 million."""
_NO_ANCHORS = (
    "write the value out where it stands again; Python's yaml.safe_dump writes anchors for lists that are one object,"
    " and json.dump never does"
)
MAX_KEYS = 100_000
"""Most keys of one mapping that are read; a library has some hundred blocks."""

# libyaml where PyYAML was built with it, else the same events from pure Python, about ten times slower.
_PARSER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_OTHER_ENDS = "\r\x85\u2028\u2029"
_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_BASED = re.compile(r"0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_SPECIAL = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_MAX_DIGITS = 300


# Shared by all scalars, so that they cost no containers.
_NO_ENTRIES: dict[str, Node] = {}
_NO_ITEMS: list[Node] = []


@contextmanager
def collection_paused() -> Iterator[None]:
    """No search of Python for circles of garbage while a large document is read.

    Half a million new objects without a circle among them would be looked through again and again, which takes half
    of the time and more.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


class Places:
    """Lines and columns of offsets in a text; looked up only where a message needs them."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _starts(self) -> list[int]:
        if not any(mark in self._text for mark in _OTHER_ENDS):
            return [0, *accumulate(len(line) + 1 for line in self._text.split("\n")[:-1])]
        return [0, *(found.end() for found in _LINE_END.finditer(self._text))]

    def line(self, offset: int) -> int:
        """Line of an offset, from 1."""
        return bisect_right(self._starts, offset)

    def column(self, offset: int) -> int:
        """Column of an offset, from 1."""
        return offset - self._starts[self.line(offset) - 1] + 1


class Node:
    """A mapping, sequence or scalar, its plain Python value and its place in the text.

    A document of 10,000 keyframes has half a million nodes, so a scalar's costs as little as it can.
    """

    __slots__ = ("data", "end", "places", "start")

    flow: bool = False
    """True: a collection written in braces or brackets."""
    entries: dict[str, Node] = _NO_ENTRIES
    """Nodes of a mapping's values by key."""
    keys: dict[str, Node] = _NO_ENTRIES
    """Nodes of a mapping's keys."""
    items: list[Node] = _NO_ITEMS
    """Nodes of a sequence's items."""

    def __init__(self, data: Any, start: int, end: int, places: Places) -> None:
        self.data = data
        """dict, list, str, int, float, bool or None."""
        self.start = start
        """Offset of the first character."""
        self.end = end
        """Offset after the last character (of a block collection: after its last entry's last character)."""
        self.places = places
        """The text's lines."""

    @property
    def line(self) -> int:
        """Line, from 1."""
        return self.places.line(self.start)

    @property
    def column(self) -> int:
        """Column, from 1."""
        return self.places.column(self.start)

    def child(self, step: str | int) -> Node | None:
        """The child under a key or index, or None."""
        if isinstance(step, str):
            return self.entries.get(step)
        return self.items[step] if 0 <= step < len(self.items) else None


class _Mapping(Node):
    """Keeps the places of its keys as numbers: few messages name one, and a document has as many as it has values."""

    __slots__ = ("_keys", "_spans", "entries", "flow")

    def __init__(self, data: dict[str, Any], start: int, places: Places, flow: bool) -> None:
        self.data, self.start, self.end, self.places, self.flow = data, start, start, places, flow
        self.entries: dict[str, Node] = {}
        self._spans: list[int] = []
        self._keys: dict[str, Node] | None = None

    @property
    def keys(self) -> dict[str, Node]:  # type: ignore[override]
        """Nodes of the keys."""
        if self._keys is None:
            spans, places = self._spans, self.places
            self._keys = {key: Node(key, spans[2 * k], spans[2 * k + 1], places) for k, key in enumerate(self.data)}
        return self._keys


class _Sequence(Node):
    __slots__ = ("flow", "items")


def plain_scalar(text: str) -> Any:
    """The value of an unquoted scalar by the YAML 1.2 core schema.

    Raises:
        ValueError: A number with more digits than any real quantity has.
    """
    if text in _SPECIAL:
        return _SPECIAL[text]
    first = text[0]
    if first.isdigit() or first in "-+.":
        if len(text) > _MAX_DIGITS and (_INTEGER.match(text) or _FLOAT.match(text) or _BASED.match(text)):
            raise ValueError(f"a number of more than {_MAX_DIGITS} characters")
        if _INTEGER.match(text):
            return int(text)
        if _FLOAT.match(text):
            return float(text)
        if _BASED.match(text):
            return int(text, 0)
    return text


def parse_tree(text: str, place: str, *, dumped: bool = False) -> Node:
    """Parse one YAML document.

    Args:
        text: The document.
        place: Name of the file for messages.
        dumped: Python dumped its objects into it: tags of Python's types are passed over, and an alias is the very
            node that it names, which is not copied.

    Raises:
        DocumentError: Not YAML, or YAML outside the part described above.
    """
    check_separators(text, place)
    parser = _PARSER(text)
    try:
        with collection_paused():
            return _Builder(parser, text, place, dumped).document()
    except yaml.reader.ReaderError as error:
        raise DocumentError(
            "the text holds a character that no text file has",
            place=place,
            value=f"character {error.character!r} at {error.position}",
            remedy="is this really a YAML document?",
        ) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{place}:{mark.line + 1}:{mark.column + 1}" if mark is not None else place
        what = ", ".join(part for part in (error.context, error.problem) if part)
        raise DocumentError(f"not readable as YAML: {what}", place=where) from error
    except yaml.YAMLError as error:
        raise DocumentError(f"not readable as YAML: {error}", place=place) from error
    finally:
        parser.dispose()


def check_separators(text: str, place: str) -> None:
    """Refuse a document of too many values before any is read: lines and commas part them, and are quickly counted.

    Raises:
        DocumentError: It has more than `MAX_NODES` lines and commas, those in comments and texts included.
    """
    if (count := text.count("\n") + text.count(",")) > MAX_NODES:
        raise DocumentError("has too many lines and commas", place=place, value=count, limit=f"{MAX_NODES}")


def entries(data: object) -> int:
    """How many keys and values plain data has, as `MAX_NODES` counts them."""
    if isinstance(data, dict):
        return 1 + len(data) + sum(map(entries, data.values()))
    if isinstance(data, (list, tuple)):
        return 1 + sum(map(entries, data))
    return 1


class _Builder:
    """Builds the tree from the parser's events, without recursion deeper than MAX_DEPTH."""

    def __init__(self, parser: Any, text: str, place: str, dumped: bool) -> None:
        self._next: Callable[[], Any] = parser.get_event
        self._dumped, self._named = dumped, dict[str, Node]()
        self._places = Places(text)
        self._place = place
        self._left = MAX_NODES

    def document(self) -> Node:
        event: Any
        self._next()  # stream start
        if isinstance(self._next(), yaml.StreamEndEvent):
            raise DocumentError("the document is empty", place=self._place)
        root = self._node(self._next(), 1)
        self._next()  # document end
        event = self._next()
        if not isinstance(event, yaml.StreamEndEvent):
            raise self._refusal("a second document in the same file", event)
        return root

    def _node(self, event: Any, depth: int) -> Node:
        if event.__class__ is yaml.ScalarEvent and event.anchor is None and event.tag is None:
            return self._scalar(event)
        if self._dumped:
            return self._dumped_node(event, depth)
        if isinstance(event, yaml.AliasEvent):
            raise self._refusal("aliases (*name) are not allowed", event, remedy=_NO_ANCHORS)
        if event.anchor is not None:
            raise self._refusal("anchors (&name) are not allowed", event, remedy=_NO_ANCHORS)
        if event.tag is not None:
            raise self._refusal("tags (!name) are not allowed", event)
        return self._collection(event, depth)

    def _collection(self, event: Any, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self._refusal("nested too deeply", event, limit=f"{MAX_DEPTH} levels")
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(event, depth)
        return self._sequence(event, depth)

    def _dumped_node(self, event: Any, depth: int) -> Node:
        """A node of a dump, with its tag passed over; a name counts from the node's end on, so there are no circles."""
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._named:
                raise self._refusal(f"there is no node {event.anchor!r} before its alias", event)
            return self._named[event.anchor]
        if event.tag is not None and not event.tag.startswith("tag:yaml.org,2002:"):
            raise self._refusal("a tag of no type of Python", event)
        scalar = isinstance(event, yaml.ScalarEvent)
        node = self._scalar(event) if scalar else self._collection(event, depth)
        if event.anchor is not None:
            self._named[event.anchor] = node
        return node

    def _scalar(self, event: Any) -> Node:
        self._left -= 1
        if self._left < 0:
            raise self._refusal("the document has too many entries", event, limit=f"{MAX_NODES}")
        value = event.value
        if event.implicit[0]:
            try:
                value = plain_scalar(value)
            except ValueError as error:
                raise self._refusal(str(error), event) from error
        return Node(value, event.start_mark.index, event.end_mark.index, self._places)

    def _mapping(self, start: Any, depth: int) -> Node:
        self._left -= 1
        data: dict[str, Any] = {}
        end = start.start_mark.index
        node = _Mapping(data, end, self._places, bool(start.flow_style))
        entries, spans = node.entries, node._spans
        following, scalar, over = self._next, yaml.ScalarEvent, yaml.MappingEndEvent
        while (event := following()) is not None:
            kind: type = event.__class__
            if kind is over:
                node.end = event.end_mark.index if node.flow else end
                return node
            if kind is not scalar:
                raise self._refusal("a key must be a text", event)
            key = event.value
            if event.anchor is not None or event.tag is not None:
                self._node(event, depth)  # which refuses it
            if key in data:
                raise self._refusal(f"the key {key!r} stands twice (first in line {node.keys[key].line})", event)
            self._left -= 1
            if len(data) == MAX_KEYS:
                raise self._refusal("a mapping has too many keys", event, limit=f"{MAX_KEYS}")
            closed = event.end_mark.index
            spans += (event.start_mark.index, closed)
            event = following()
            plain = event.__class__ is scalar and event.anchor is None and event.tag is None
            child = self._scalar(event) if plain else self._node(event, depth + 1)
            data[key] = child.data
            entries[key] = child
            end = child.end if child.end > closed else closed
        raise self._refusal("a mapping does not end", start)

    def _sequence(self, start: Any, depth: int) -> Node:
        self._left -= 1
        data: list[Any] = []
        children: list[Node] = []
        node = _Sequence(data, start.start_mark.index, start.start_mark.index, self._places)
        node.flow, node.items = bool(start.flow_style), children
        following, scalar, over = self._next, yaml.ScalarEvent, yaml.SequenceEndEvent
        while (event := following()) is not None:
            kind: type = event.__class__
            if kind is over:
                node.end = event.end_mark.index if node.flow else (children[-1].end if children else node.start)
                return node
            plain = kind is scalar and event.anchor is None and event.tag is None
            child = self._scalar(event) if plain else self._node(event, depth + 1)
            data.append(child.data)
            children.append(child)
        raise self._refusal("a sequence does not end", start)

    def _refusal(self, what: str, event: Any, limit: str = "", remedy: str = "") -> DocumentError:
        mark: Any = event.start_mark
        return DocumentError(what, place=f"{self._place}:{mark.line + 1}:{mark.column + 1}", limit=limit, remedy=remedy)
