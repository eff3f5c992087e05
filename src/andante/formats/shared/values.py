"""Typed access to a tree's nodes: numbers, texts, objects and lists, each error with line, column and place."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from andante.errors import nearest_name, shorten
from andante.formats.bhuman.grammar import Array, Literal, Node, Reading, Record, under
from andante.formats.shared.numbers import LARGEST, LONGEST

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_LONGEST_NUMBER = 64
_WORDS = {"true": True, "false": False, "null": None}


@dataclass(frozen=True)
class Nodes(Reading):
    """The values of one JSON file."""

    def record(
        self, node: Node, inside: str, required: Collection[str] = (), optional: Collection[str] | None = None
    ) -> Record:
        """An object; with ``optional`` given, other names than these and the required ones are refused."""
        if not isinstance(node, Record):
            raise self.error(f"an object {{...}} is expected here, not {_kind(node)}", node, inside)
        if optional is not None:
            legal = (*required, *optional)
            for name in node.fields:
                if name not in legal:
                    raise self.error("the name is unknown", node.names[name], inside, value=name, legal=legal)
        for name in required:
            if name not in node.fields:
                raise self.error(f"{name!r} is missing", node, inside, legal=tuple(required))
        return node

    def array(self, node: Node, inside: str) -> Array:
        """A list."""
        if not isinstance(node, Array):
            raise self.error(f"a list [...] is expected here, not {_kind(node)}", node, inside)
        return node

    def text(self, node: Node, inside: str) -> str:
        """A text in quotes."""
        if not isinstance(node, Literal) or not node.quoted:
            raise self.error(f"a text in quotes is expected here, not {_kind(node)}", node, inside)
        return node.text

    def number(self, node: Node, inside: str, low: float = -LARGEST, high: float = LARGEST) -> float:
        """A number inside bounds."""
        if not isinstance(node, Literal) or node.quoted or not _is_number(node.text):
            raise self.error(f"a number is expected here, not {_kind(node)}", node, inside)
        value = float(node.text)
        if not low <= value <= high:
            raise self.error("the number is out of range", node, inside, value=node.text, limit=f"{low:g} to {high:g}")
        return value

    def integer(self, node: Node, inside: str, low: int, high: int) -> int:
        """A whole number inside bounds."""
        value = self.number(node, inside, low, high)
        if value != math.floor(value):
            raise self.error("a whole number is expected here", node, inside, value=value)
        return int(value)

    def duration(self, node: Node, inside: str, unit: float = 1.0) -> float:
        """A duration of 0 or more, ``unit`` seconds each [s]."""
        value = self.number(node, inside, 0.0, LONGEST / unit)
        return value if unit == 1.0 else value / (1.0 / unit)

    def hint(self, name: str, legal: Collection[str]) -> str:
        """`; did you mean ...?`, or nothing."""
        nearest = nearest_name(name, legal)
        return f"; did you mean {nearest!r}?" if nearest is not None else ""


def _is_number(text: str) -> bool:
    return len(text) <= _LONGEST_NUMBER and _NUMBER.fullmatch(text) is not None


def _kind(node: Node) -> str:
    if isinstance(node, Record):
        return "an object"
    if isinstance(node, Array):
        return "a list"
    return f"the text {shorten(repr(node.text), 40)}" if node.quoted else shorten(repr(node.text), 40)


def plain_json(node: Node, reading: Reading, inside: str) -> Any:
    """A node as plain JSON data, for keeping it as it is.

    Raises:
        FormatError: A bare word is no JSON value, or a number is too large.
    """
    if isinstance(node, Record):
        return {name: plain_json(value, reading, under(inside, name)) for name, value in node.fields.items()}
    if isinstance(node, Array):
        return [plain_json(item, reading, f"{inside}[{index}]") for index, item in enumerate(node.items)]
    if node.quoted:
        return node.text
    if node.text in _WORDS:
        return _WORDS[node.text]
    if not _is_number(node.text) or not math.isfinite(float(node.text)):
        raise reading.error("this is no JSON value", node, inside, value=node.text)
    return json_number(node.text)


def json_number(text: str) -> float | int:
    """The number of a JSON text, whole ones as int."""
    return int(text) if text.lstrip("-").isdigit() else float(text)
