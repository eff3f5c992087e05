"""YAML text as a tree of nodes that know where they stand.

A strict, small part of YAML 1.2: mappings with text keys, sequences and scalars. Anchors, aliases and tags are refused
(they can make a tiny file expand to gigabytes or run code), so are duplicate keys and several documents in one file.
Plain scalars follow the YAML 1.2 core schema: ``off`` and ``no`` are texts, not booleans.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from andante.documents.problems import DocumentError

MAX_DEPTH = 64
"""Deepest nesting of mappings and sequences that is read."""

# libyaml where PyYAML was built with it, else the same events from pure Python, about ten times slower.
_PARSER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

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


# Shared by all nodes that have none, so that a scalar costs no containers.
_NO_ENTRIES: dict[str, Node] = {}
_NO_ITEMS: list[Node] = []


class Node:
    """A mapping, sequence or scalar, its plain Python value and its place in the text."""

    __slots__ = ("column", "data", "end", "entries", "flow", "items", "keys", "line", "start")

    def __init__(self, data: Any, start: int, end: int, line: int, column: int, flow: bool) -> None:
        self.data = data
        """dict, list, str, int, float, bool or None."""
        self.start = start
        """Offset of the first character."""
        self.end = end
        """Offset after the last character (of a block collection: after its last entry's last character)."""
        self.line = line
        """Line, from 1."""
        self.column = column
        """Column, from 1."""
        self.flow = flow
        """True: a collection written in braces or brackets."""
        self.entries: dict[str, Node] = _NO_ENTRIES
        """Nodes of a mapping's values by key."""
        self.keys: dict[str, Node] = _NO_ENTRIES
        """Nodes of a mapping's keys."""
        self.items: list[Node] = _NO_ITEMS
        """Nodes of a sequence's items."""

    def child(self, step: str | int) -> Node | None:
        """The child under a key or index, or None."""
        if isinstance(step, str):
            return self.entries.get(step)
        return self.items[step] if 0 <= step < len(self.items) else None


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


def parse_tree(text: str, place: str) -> Node:
    """Parse one YAML document.

    Args:
        text: The document.
        place: Name of the file for messages.

    Raises:
        DocumentError: Not YAML, or YAML outside the part described above.
    """
    parser = _PARSER(text)
    try:
        return _Builder(parser, place).document()
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


class _Builder:
    """Builds the tree from the parser's events, without recursion deeper than MAX_DEPTH."""

    def __init__(self, parser: Any, place: str) -> None:
        self._events: Iterator[Any] = iter(parser.get_event, None)
        self._place = place

    def document(self) -> Node:
        next(self._events)  # stream start
        if isinstance(next(self._events), yaml.StreamEndEvent):
            raise DocumentError("the document is empty", place=self._place)
        root = self._node(next(self._events), 1)
        next(self._events)  # document end
        event = next(self._events)
        if not isinstance(event, yaml.StreamEndEvent):
            raise self._refusal("a second document in the same file", event)
        return root

    def _node(self, event: Any, depth: int) -> Node:
        if isinstance(event, yaml.AliasEvent):
            raise self._refusal("aliases (*name) are not allowed", event)
        if event.anchor is not None:
            raise self._refusal("anchors (&name) are not allowed", event)
        if event.tag is not None:
            raise self._refusal("tags (!name) are not allowed", event)
        mark: Any = event.start_mark
        if isinstance(event, yaml.ScalarEvent):
            value = event.value
            if event.implicit[0]:
                try:
                    value = plain_scalar(value)
                except ValueError as error:
                    raise self._refusal(str(error), event) from error
            return Node(value, mark.index, _end(event), mark.line + 1, mark.column + 1, False)
        if depth > MAX_DEPTH:
            raise self._refusal("nested too deeply", event, limit=f"{MAX_DEPTH} levels")
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(event, depth)
        return self._sequence(event, depth)

    def _mapping(self, start: Any, depth: int) -> Node:
        mark: Any = start.start_mark
        data: dict[str, Any] = {}
        node = Node(data, mark.index, mark.index, mark.line + 1, mark.column + 1, bool(start.flow_style))
        node.entries, node.keys = {}, {}
        end = mark.index
        for event in self._events:
            if isinstance(event, yaml.MappingEndEvent):
                node.end = _end(event) if node.flow else end
                return node
            if not isinstance(event, yaml.ScalarEvent):
                raise self._refusal("a key must be a text", event)
            key = event.value
            key_node = self._node(event, depth)
            if key in data:
                raise self._refusal(f"the key {key!r} stands twice (first in line {node.keys[key].line})", event)
            child = self._node(next(self._events), depth + 1)
            node.keys[key] = key_node
            data[key] = child.data
            node.entries[key] = child
            end = max(child.end, key_node.end)
        raise self._refusal("a mapping does not end", start)

    def _sequence(self, start: Any, depth: int) -> Node:
        mark: Any = start.start_mark
        data: list[Any] = []
        children: list[Node] = []
        node = Node(data, mark.index, mark.index, mark.line + 1, mark.column + 1, bool(start.flow_style))
        node.items = children
        for event in self._events:
            if isinstance(event, yaml.SequenceEndEvent):
                node.end = _end(event) if node.flow else (children[-1].end if children else mark.index)
                return node
            child = self._node(event, depth + 1)
            data.append(child.data)
            children.append(child)
        raise self._refusal("a sequence does not end", start)

    def _refusal(self, what: str, event: Any, limit: str = "") -> DocumentError:
        mark: Any = event.start_mark
        return DocumentError(what, place=f"{self._place}:{mark.line + 1}:{mark.column + 1}", limit=limit)


def _end(event: Any) -> int:
    return int(event.end_mark.index)
