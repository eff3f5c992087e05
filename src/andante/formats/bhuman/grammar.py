"""Text of a B-Human configuration file to a tree whose every node knows its line and column.

::

    file   := { field }                     (no outer braces)
    record := '{' { field } '}'
    field  := literal '=' value ';'         (the ';' is never optional)
    value  := literal | record | array
    array  := '[' [ element { ',' element } [','] ] ']'
    element := literal | record

White space is free. Comments (``//`` to the line's end, ``/* */``) are comments only where a token may start; an
unquoted literal runs up to one of ``= , ; ] }`` and swallows everything else, blanks, ``{``, ``[``, ``/`` and comments
included. A quoted literal knows backslash escapes. As in the original reader nothing is looked at behind the end of
the top-level record, which a stray ``}`` brings about.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Unpack

from andante.documents.problems import Details
from andante.formats.report import FormatError, ReadReport, Remark

MAX_DEPTH = 48
"""Deepest nesting that is read; the real files have 13."""
MAX_NODES = 600_000
"""Most values that are read; the largest real file has about 9,000, one of 10,000 keyframes 0.5 million."""
MAX_COMMENTS = 100_000
"""Most comments that may wait for a record to belong to."""
TAB_WIDTH = 8

_SPACE = " \t\r\n\v\f"
_SPACES = re.compile(f"[{_SPACE}]+")
_LITERAL = re.compile(r"[^=,;\]}]+")
_QUOTED = re.compile(r'"((?:[^"\\]++|\\.)*+)"', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_SYMBOLS = "=,;[]{}"


@dataclass(slots=True)
class Literal:
    """A scalar as written, without the quotes."""

    text: str
    offset: int = 0
    quoted: bool = False


@dataclass(slots=True)
class AttributeRecord:
    """Attributes in order, where each name stands, and the comments behind the opening brace."""

    fields: dict[str, Node]
    offset: int = 0
    names: dict[str, int] = field(default_factory=dict)
    note: str = ""


@dataclass(slots=True)
class Array:
    """Elements in order."""

    items: list[Node]
    offset: int = 0


Node = Literal | AttributeRecord | Array


@dataclass(frozen=True)
class SourceText:
    """A file's text, to say where an offset is."""

    text: str
    file: str = ""

    @cached_property
    def lines(self) -> list[int]:
        """Offsets at which lines start."""
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1; a tab advances to the next multiple of 8."""
        starts = self.lines
        line = bisect_right(starts, offset)
        start = starts[line - 1]
        if self.text.find("\t", start, offset) < 0:  # No copy: one line may be the whole of a large file.
            return line, offset - start + 1
        return line, len(self.text[start:offset].expandtabs(TAB_WIDTH)) + 1

    def error(self, what: str, offset: int, inside: str = "", **more: Unpack[Details]) -> FormatError:
        """A `FormatError` at an offset of this text."""
        line, column = self.position(min(offset, len(self.text)))
        return FormatError(what, file=self.file, line=line, column=column, inside=inside, **more)


@dataclass(frozen=True)
class ParsedFile:
    """A parsed file."""

    root: AttributeRecord
    source: SourceText
    lost_comments: tuple[int, ...]
    """Offsets of comments that no node carries."""
    end: int
    """Offset at which the top-level record ended; the text's length where nothing was left unread."""


def parse(text: str, file: str = "") -> ParsedFile:
    """Parse the text of a configuration file.

    Raises:
        FormatError: The text breaks the grammar, is nested deeper than `MAX_DEPTH` or has more than `MAX_NODES` values.
    """
    return _Parser(SourceText(text, file)).file()


class Descent:
    """What recursive descents share: the place in a text, and errors there."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.text = source.text
        self.at = 0
        self.nodes = 0

    def missing(self, what: str) -> FormatError:
        """That something is missing at the place, with what stands there."""
        seen = self.text[self.at : self.at + 20]
        return self.source.error(what if seen else f"{what}: the file ends here", self.at, value=seen or None)

    def count(self) -> None:
        """Count one more value."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise self.source.error("the file has too many values", self.at, limit=f"{MAX_NODES} values")

    def deepen(self, depth: int, most: int) -> None:
        """Refuse a value inside of too many others."""
        if depth >= most:
            raise self.source.error("the file is nested too deeply", self.at, limit=f"{most} levels")

    def enter(self, record: AttributeRecord, name: Literal, twice: str) -> None:
        """Put down where a name of a record stands; ``twice`` is told where it has it already."""
        if name.text in record.names:
            line, _ = self.source.position(record.names[name.text])
            raise self.source.error(f"{twice}, first in line {line}", name.offset, value=name.text)
        record.names[name.text] = name.offset


class _Parser(Descent):
    def __init__(self, source: SourceText) -> None:
        super().__init__(source)
        self.comments: list[tuple[int, str]] = []

    def file(self) -> ParsedFile:
        root = AttributeRecord({}, 0)
        self._skip()
        root.note = self._take_note(0)
        self._fields(root, 0)
        return ParsedFile(root, self.source, tuple(offset for offset, _ in self.comments), self.at)

    def _skip(self) -> None:
        """Go to the next token, remembering the comments on the way."""
        text = self.text
        while True:
            spaces = _SPACES.match(text, self.at)
            if spaces:
                self.at = spaces.end()
            if text.startswith("//", self.at):
                end = text.find("\n", self.at)
                end = len(text) if end < 0 else end
                self._comment(text[self.at + 2 : end])
                self.at = end
            elif text.startswith("/*", self.at):
                end = text.find("*/", self.at + 2)
                if end < 0:
                    raise self.source.error("the comment is not closed", self.at, remedy="close it with */")
                self._comment(text[self.at + 2 : end])
                self.at = end + 2
            else:
                return

    def _comment(self, text: str) -> None:
        if len(self.comments) >= MAX_COMMENTS:
            raise self.source.error(
                "there are too many comments that belong to nothing", self.at, limit=f"{MAX_COMMENTS}"
            )
        self.comments.append((self.at, text))

    def _take_note(self, since: int) -> str:
        """Remove and return the comments met after ``since``; they belong to the record that begins there."""
        taken: list[str] = []
        while self.comments and self.comments[-1][0] >= since:
            taken.append(self.comments.pop()[1])
        lines = [line.strip(_SPACE) for comment in reversed(taken) for line in comment.split("\n")]
        return "\n".join(lines).strip("\n")

    def _symbol(self) -> str:
        """The symbol at the current position, or an empty text."""
        self._skip()
        char = self.text[self.at : self.at + 1]
        return char if char and char in _SYMBOLS else ""

    def _expect(self, symbol: str, after: str) -> None:
        if self._symbol() != symbol:
            raise self.missing(f"{symbol!r} is missing after {after}")
        self.at += 1

    def _fields(self, record: AttributeRecord, depth: int) -> None:
        """Read fields up to the closing brace (left unread) or the end of the file."""
        while self._symbol() != "}":
            if self.at >= len(self.text):
                return
            name = self._literal("the name of an attribute")
            self.enter(record, name, "the attribute stands twice in one record")
            self._expect("=", f"the name {name.text!r}")
            record.fields[name.text] = self._value(depth)
            self._expect(";", f"the value of {name.text!r}")

    def _value(self, depth: int, *, element: bool = False) -> Node:
        self.count()
        symbol = self._symbol()
        if symbol in ("{", "["):
            self.deepen(depth, MAX_DEPTH)
            if symbol == "{":
                return self._record(depth + 1)
            if element:
                raise self.source.error("an array may not stand directly inside an array", self.at)
            return self._array(depth + 1)
        return self._literal("an element" if element else "a value")

    def _record(self, depth: int) -> AttributeRecord:
        record = AttributeRecord({}, self.at)
        self.at += 1
        since = self.at
        self._skip()
        record.note = self._take_note(since)
        self._fields(record, depth)
        if self.at >= len(self.text):
            raise self.source.error("the record is not closed", record.offset, remedy="close it with }")
        self.at += 1
        return record

    def _array(self, depth: int) -> Array:
        array = Array([], self.at)
        self.at += 1
        while self._symbol() != "]":
            if self.at >= len(self.text):
                raise self.source.error("the array is not closed", array.offset, remedy="close it with ]")
            array.items.append(self._value(depth, element=True))
            if self._symbol() == ",":
                self.at += 1
            elif self._symbol() != "]":
                raise self.missing("',' or ']' is missing after an element")
        self.at += 1
        return array

    def _literal(self, what: str) -> Literal:
        if self._symbol() or self.at >= len(self.text):
            raise self.missing(f"{what} is missing")
        start = self.at
        if self.text[start] == '"':
            quoted = _QUOTED.match(self.text, start)
            if quoted is None:
                raise self.source.error("the quoted text is not closed", start, remedy='close it with "')
            self.at = quoted.end()
            text = _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), quoted[1])
            return Literal(text, start, quoted=True)
        match = _LITERAL.match(self.text, start)
        self.at = match.end() if match else start
        return Literal(self.text[start : self.at].rstrip(_SPACE), start)


@dataclass(frozen=True)
class GrammarReader:
    """One file being read."""

    source: SourceText
    """Its text."""
    report: ReadReport
    """Takes the remarks."""
    entries: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Names of the file's own entries per attribute of its top level, for references to them."""

    def error(self, what: str, node: Node | int, inside: str, **more: Unpack[Details]) -> FormatError:
        """An error at a node (or offset)."""
        offset = node if isinstance(node, int) else node.offset
        return self.source.error(what, offset, inside, **more)

    def warn(self, text: str, node: Node | int, inside: str = "") -> None:
        """Put down a remark at a node (or offset)."""
        line, column = self.source.position(node if isinstance(node, int) else node.offset)
        self.report.warnings.append(Remark(text, self.source.file, line, column, inside))


def told(tree: ParsedFile, report: ReadReport) -> GrammarReader:
    """A file's reading, with remarks on comments that are not kept and on what stands behind its end."""
    reading = GrammarReader(tree.source, report)
    if tree.lost_comments:
        count = len(tree.lost_comments)
        reading.warn(f"{count} comment{'s are' if count > 1 else ' is'} not kept", tree.lost_comments[0])
    if tree.source.text[tree.end :].strip():
        reading.warn("a stray '}' ends the file here; what follows is not read", tree.end)
    return reading


def under(inside: str, name: str) -> str:
    """Dotted path of a member."""
    return f"{inside}.{name}" if inside else name
