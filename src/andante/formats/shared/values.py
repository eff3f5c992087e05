"""Typed access to a tree's nodes: numbers, texts, objects and lists, each error with line, column and place."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Unpack

from andante.documents.problems import Details
from andante.errors import shorten
from andante.formats.bhuman.grammar import Array, AttributeRecord, GrammarReader, Literal, Node, under
from andante.formats.report import FormatError, ReadReport
from andante.formats.shared.json_text import parse_json
from andante.formats.shared.numbers import LARGEST, LONGEST

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_LONGEST_NUMBER = 64
_WORDS = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a JSON file with its place."""

    node: Node
    reading: GrammarReader
    inside: str = ""
    """Dotted path of the value."""

    @classmethod
    def of_text(cls, text: str, file: str, report: ReadReport) -> Value:
        """The value of a whole file.

        Raises:
            FormatError: The text is no JSON.
        """
        root, source = parse_json(text, file)
        return cls(root, GrammarReader(source, report))

    def error(self, what: str, **more: Unpack[Details]) -> FormatError:
        """An error at the value; ``more`` as `FormatError` has it."""
        return self.reading.error(what, self.node, self.inside, **more)

    def warn(self, text: str, inside: str | None = None) -> None:
        """Put down a remark at the value; ``inside`` where another path than its own is told."""
        self.reading.warn(text, self.node, self.inside if inside is None else inside)

    def record(self, required: Collection[str] = (), optional: Collection[str] | None = None) -> dict[str, Value]:
        """The members of an object; with ``optional`` given, other names than these and the required are refused."""
        if not isinstance(self.node, AttributeRecord):
            raise self.error(f"an object {{...}} is expected here, not {_kind(self.node)}")
        if optional is not None:
            legal = (*required, *optional)
            for name in self.node.fields:
                if name not in legal:
                    place = self.node.names[name]
                    raise self.reading.error("the name is unknown", place, self.inside, value=name, legal=legal)
        for name in required:
            if name not in self.node.fields:
                raise self.error(f"{name!r} is missing", legal=tuple(required))
        return {name: Value(node, self.reading, under(self.inside, name)) for name, node in self.node.fields.items()}

    def array(self) -> list[Value]:
        """The members of a list."""
        if not isinstance(self.node, Array):
            raise self.error(f"a list [...] is expected here, not {_kind(self.node)}")
        return [Value(item, self.reading, f"{self.inside}[{index}]") for index, item in enumerate(self.node.items)]

    def text(self) -> str:
        """A text in quotes."""
        if not isinstance(self.node, Literal) or not self.node.quoted:
            raise self.error(f"a text in quotes is expected here, not {_kind(self.node)}")
        return self.node.text

    def number(self, low: float = -LARGEST, high: float = LARGEST) -> float:
        """A number inside bounds."""
        if not isinstance(self.node, Literal) or self.node.quoted or not _is_number(self.node.text):
            raise self.error(f"a number is expected here, not {_kind(self.node)}")
        value = float(self.node.text)
        if not low <= value <= high:
            raise self.error("the number is out of range", value=self.node.text, limit=f"{low:g} to {high:g}")
        return value

    def integer(self, low: int, high: int) -> int:
        """A whole number inside bounds."""
        value = self.number(low, high)
        if value != math.floor(value):
            raise self.error("a whole number is expected here", value=value)
        return int(value)

    def duration(self) -> float:
        """A duration of 0 or more [s]."""
        return self.number(0.0, LONGEST)

    def plain(self) -> Any:
        """The value as plain JSON data, for keeping it as it is.

        Raises:
            FormatError: A bare word is no JSON value, or a number is too large.
        """
        if isinstance(self.node, AttributeRecord):
            return {name: value.plain() for name, value in self.record().items()}
        if isinstance(self.node, Array):
            return [item.plain() for item in self.array()]
        text = self.node.text
        if self.node.quoted:
            return text
        if text in _WORDS:
            return _WORDS[text]
        if not _is_number(text) or not math.isfinite(float(text)):
            raise self.error("this is no JSON value", value=text)
        return int(text) if text.lstrip("-").isdigit() else float(text)


def _is_number(text: str) -> bool:
    return len(text) <= _LONGEST_NUMBER and _NUMBER.fullmatch(text) is not None


def _kind(node: Node) -> str:
    if isinstance(node, AttributeRecord):
        return "an object"
    if isinstance(node, Array):
        return "a list"
    return f"the text {shorten(repr(node.text), 40)}" if node.quoted else shorten(repr(node.text), 40)
