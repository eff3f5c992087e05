"""The scalars of a configuration file: numbers, truth values, angles and names, read strictly and written canonically.

Numbers are written with six significant digits, as the original does (`%g`), wherever six digits say the value; an
edited value that needs more keeps up to twelve, which the original reads as well. Reading is stricter than the
original, which takes anything that is no number for 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from andante.documents.quantities import Units
from andante.formats.bhuman.grammar import Array, GrammarReader, Literal, Node
from andante.formats.report import FormatError

FILE_UNITS = Units(angle="deg", time="ms", length="mm")
"""The units in which a configuration file writes its numbers."""

_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_FLOAT = re.compile(_NUMBER, re.ASCII)
_ANGLE = re.compile(rf"({_NUMBER})[ \t\r\n\v\f]*(deg|rad|pi)?", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_LONGEST = 64
_COMMENT = re.compile(r"//|/\*")
_INT32 = 2**31
_COMMENT_REMEDY = "a comment inside a value belongs to the value; put it behind the ';'"


class Kind(Protocol):
    """What stands at a place of the file: how it is read and written."""

    def read(self, node: Node, reading: GrammarReader, inside: str) -> Any:
        """Return the value of a node.

        Raises:
            FormatError: The node is of another kind or its value is not legal.
        """

    def write(self, value: Any) -> Node:
        """Return the node of a value that is known to be legal."""


def number_text(value: float) -> str:
    """Return a number as `%g` where that says it, else with up to twelve significant digits.

    Raises:
        FormatError: It is not finite, as a huge SI number may become in the file's unit.
    """
    if not math.isfinite(value):
        raise FormatError("a number is too large for the file", value=value)
    short = f"{value:g}"
    exact = f"{value:.12g}"
    return short if float(short) == float(exact) else exact


def literal_text(node: Node, reading: GrammarReader, inside: str, wanted: str) -> str:
    """Return the text of a literal; `FormatError` where the node is an array or a record."""
    if isinstance(node, Literal):
        return node.text
    found = "an array" if isinstance(node, Array) else "a record"
    raise reading.error(f"{wanted} is expected here, not {found}", node, inside)


def _number_in(node: Node, reading: GrammarReader, inside: str, wanted: str, pattern: re.Pattern[str]) -> str:
    """The text of a number; one with a comment behind it inside the value is read as the original does, and told.

    Raises:
        FormatError: It is an array, a record, or no number.
    """
    text = literal_text(node, reading, inside, wanted)
    if len(text) <= _LONGEST and pattern.fullmatch(text):
        return text
    number = _COMMENT.split(text, maxsplit=1)[0].rstrip()
    if number != text and len(number) <= _LONGEST and pattern.fullmatch(number):
        reading.warn(f"{number!r} is read; the comment behind it, inside the value, is not kept", node, inside)
        return number
    raise _no_match(text, node, reading, inside, wanted)


def _no_match(
    text: str, node: Node, reading: GrammarReader, inside: str, wanted: str, legal: tuple[str, ...] = ()
) -> FormatError:
    remedy = _COMMENT_REMEDY if "//" in text or "/*" in text else ""
    return reading.error(f"this is not {wanted}", node, inside, value=text, legal=legal, remedy=remedy)


@dataclass(frozen=True)
class Range:
    """Bounds of a number in the file's unit."""

    low: float = -math.inf
    high: float = math.inf
    above: bool = False
    """True: the lower bound itself is not legal."""

    def check(self, value: float, node: Node, reading: GrammarReader, inside: str) -> None:
        """Raise `FormatError` for a value outside."""
        if self.low <= value <= self.high and not (self.above and value == self.low):
            return
        if self.high == math.inf:
            limit = f"above {self.low:g}" if self.above else f"at least {self.low:g}"
        else:
            limit = f"{self.low:g} to {self.high:g}"
        raise reading.error("the number is out of range", node, inside, value=value, limit=limit)


@dataclass(frozen=True)
class UnitNumber:
    """A number without suffix, in the file's unit of ``dimension``; SI outside."""

    dimension: str = "number"
    bounds: Range = Range()

    def read(self, node: Node, reading: GrammarReader, inside: str) -> float:
        """Return the number in SI units."""
        text = _number_in(node, reading, inside, "a number", _FLOAT)
        value = float(text)
        if not math.isfinite(value):
            raise reading.error("the number is too large", node, inside, value=text)
        self.bounds.check(value, node, reading, inside)
        return FILE_UNITS.to_si(value, self.dimension)

    def write(self, value: float) -> Node:
        """Write an SI number."""
        return Literal(number_text(FILE_UNITS.from_si(value, self.dimension)))


@dataclass(frozen=True)
class Integer:
    """A whole number of 32 bits in the file's unit of ``dimension`` or in per cent; SI outside."""

    bounds: Range = Range()
    dimension: str | None = None
    """None: a plain count, an int outside too."""
    percent: bool = False
    """True: 100 in the file is 1.0."""
    none: int | None = None
    """The number that stands for None."""

    def read(self, node: Node, reading: GrammarReader, inside: str) -> int | float | None:
        """Return the number in SI units, or None."""
        text = _number_in(node, reading, inside, "a whole number", _INTEGER)
        value = int(text)
        if not -_INT32 <= value < _INT32:
            raise reading.error("the number has more than 32 bits", node, inside, value=text)
        if self.none is not None and value == self.none:
            return None
        self.bounds.check(value, node, reading, inside)
        if self.percent:
            return value / 100.0
        return value if self.dimension is None else FILE_UNITS.to_si(value, self.dimension)

    def write(self, value: float | None) -> Node:
        """Write an SI number, rounded to whole file units."""
        if value is None:
            return Literal(str(self.none))
        in_file = value * 100.0 if self.percent else FILE_UNITS.from_si(value, self.dimension or "number")
        if not -_INT32 <= in_file < _INT32:
            raise FormatError("a whole number has more than 32 bits", value=value)
        return Literal(str(round(in_file)))


@dataclass(frozen=True)
class Flag:
    """true or false; 1 and 0 are read too."""

    def read(self, node: Node, reading: GrammarReader, inside: str) -> bool:
        """Return the truth value."""
        text = literal_text(node, reading, inside, "true or false")
        if text not in ("true", "false", "1", "0"):
            raise reading.error("this is not a truth value", node, inside, value=text, legal=("true", "false"))
        return text in ("true", "1")

    def write(self, value: bool) -> Node:
        """Write true or false."""
        return Literal("true" if value else "false")


@dataclass(frozen=True)
class AngleValue:
    """An angle with the suffix deg, rad or pi (times pi); without one it is in radians. Some bare numbers are words."""

    words: Mapping[float, str] = field(default_factory=dict)

    def read(self, node: Node, reading: GrammarReader, inside: str) -> float | str:
        """Return the angle [rad] or the word."""
        text = _number_in(node, reading, inside, "an angle (a number with deg, rad, pi or nothing)", _ANGLE)
        match = _ANGLE.fullmatch(text)
        if match is None:
            raise _no_match(text, node, reading, inside, "an angle")
        value, suffix = float(match[1]), match[2]
        if not math.isfinite(value * 4.0):
            raise reading.error("the number is too large", node, inside, value=text)
        if suffix == "deg":
            return FILE_UNITS.to_si(value, "angle")
        if suffix == "pi":
            return value * math.pi
        return self.words.get(value, value)

    def write(self, value: float | str) -> Node:
        """Write an angle in degrees, a word as its bare number."""
        if isinstance(value, str):
            return Literal(next(f"{number:g}" for number, word in self.words.items() if word == value))
        return Literal(number_text(FILE_UNITS.from_si(value, "angle")) + "deg")


@dataclass(frozen=True)
class BareAngle:
    """A plain number that the original declares as an angle: bare, or with a suffix that then counts.

    Zero is written ``0deg`` and everything else bare, as in the real files.
    """

    dimension: str = "number"

    def read(self, node: Node, reading: GrammarReader, inside: str) -> float:
        """Return the number in SI units of the dimension."""
        value = AngleValue().read(node, reading, inside)
        return FILE_UNITS.to_si(float(value), self.dimension)

    def write(self, value: float) -> Node:
        """Write an SI number."""
        text = number_text(FILE_UNITS.from_si(value, self.dimension))
        return Literal(text + "deg" if value == 0.0 else text)


@dataclass(frozen=True)
class Name:
    """One of several names; the value is what the name stands for. The first name of a value is the one written."""

    title: str
    values: Mapping[str, str]

    def read(self, node: Node, reading: GrammarReader, inside: str) -> str:
        """Return what the name stands for."""
        text = literal_text(node, reading, inside, self.title)
        if text not in self.values:
            raise _no_match(text, node, reading, inside, self.title, legal=tuple(self.values))
        return self.values[text]

    def write(self, value: str) -> Node:
        """Write the name of a value."""
        return Literal(next(name for name, meaning in self.values.items() if meaning == value))


@dataclass(frozen=True)
class Reference:
    """The name of a motion or block: one of the release, or one that the same file has an entry for."""

    title: str
    release: tuple[str, ...]
    attribute: str
    """Attribute of the file's top level that holds the entries."""

    def read(self, node: Node, reading: GrammarReader, inside: str) -> str:
        """Return the name."""
        text = literal_text(node, reading, inside, self.title)
        own = reading.entries.get(self.attribute, ())
        if text not in self.release and text not in own:
            legal = tuple(dict.fromkeys((*self.release, *own)))
            raise _no_match(text, node, reading, inside, self.title, legal=legal)
        return text

    def write(self, value: str) -> Node:
        """Write the name."""
        return Literal(value)
