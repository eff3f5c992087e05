"""JSON text to the same tree as a configuration file, so that every value knows its line and column.

The grammar is that of RFC 8259. A name that stands twice in one object is refused, since readers differ in which one
they take.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from andante.formats.bhuman.grammar import MAX_NODES, Array, AttributeRecord, Descent, Literal, Node, SourceText

MAX_DEPTH = 40
"""Deepest nesting that is read; motion files have about eight levels."""

_SPACES = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
_WORD = re.compile(r"[^\s,:\[\]{}\"]+")
_NUMBERS = re.compile(r"\[(\s+[-0-9][-+.0-9eE]*(?:,\s+[-0-9][-+.0-9eE]*)*\s+)\]")
"""A list of numbers over several lines; in a text a line's end is escaped, so none is found inside."""
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def parse_json(text: str, file: str = "") -> tuple[Node, SourceText]:
    """Parse one JSON value.

    Raises:
        FormatError: The text is no JSON, nested deeper than `MAX_DEPTH` or has more values than a `grammar` reads.
    """
    source = SourceText(text, file)
    if text.count(",") > MAX_NODES:
        raise source.error("the file has too many values", 0, limit=f"{MAX_NODES} values")
    parser = _Parser(source)
    node = parser.value(0)
    parser.skip()
    if parser.at < len(text):
        raise source.error("text follows the JSON value", parser.at, value=text[parser.at : parser.at + 20])
    return node, source


def dump_json(data: Any) -> str:
    """The text of a JSON file."""
    # Lists of numbers take one line: with a line for each number 10,000 keyframes would have 28 MB.
    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)
    return _NUMBERS.sub(lambda found: f"[{' '.join(found[1].split())}]", text) + "\n"


class _Parser(Descent):
    """Recursive descent with counters against hostile files."""

    def skip(self) -> None:
        match = _SPACES.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def value(self, depth: int) -> Node:
        self.skip()
        self.count()
        first = self.text[self.at : self.at + 1]
        if first and first in "{[":
            self.deepen(depth, MAX_DEPTH)
            return self._record(depth + 1) if first == "{" else self._array(depth + 1)
        if first == '"':
            return self._string("a text")
        match = _WORD.match(self.text, self.at)
        if match is None:
            raise self.missing("a value is missing")
        start, self.at = self.at, match.end()
        return Literal(match.group(), start)

    def _record(self, depth: int) -> AttributeRecord:
        record = AttributeRecord({}, self.at)

        def member() -> None:
            self.skip()
            name = self._string("a name in double quotes")
            self.enter(record, name, "the name stands twice in one object")
            self.skip()
            if not self._take(":"):
                raise self.missing("':' is missing after the name")
            record.fields[name.text] = self.value(depth)

        self._members("}", member)
        return record

    def _array(self, depth: int) -> Array:
        array = Array([], self.at)
        self._members("]", lambda: array.items.append(self.value(depth)))
        return array

    def _members(self, close: str, member: Callable[[], None]) -> None:
        """Read members with commas between them, from the opening sign to the closing one."""
        self.at += 1
        self.skip()
        if self._take(close):
            return
        while True:
            member()
            self.skip()
            if self._take(close):
                return
            if not self._take(","):
                raise self.missing(f"',' or '{close}' is missing")

    def _take(self, symbol: str) -> bool:
        if self.text.startswith(symbol, self.at):
            self.at += 1
            return True
        return False

    def _string(self, what: str) -> Literal:
        if not self.text.startswith('"', self.at):
            raise self.missing(f"{what} is missing")
        match = _STRING.match(self.text, self.at)
        if match is None:
            raise self.source.error("the text in double quotes is not closed or has a wrong escape", self.at)
        text = json.loads(match.group())
        if _UNPRINTABLE.search(text):
            raise self.source.error("the text has a control character or half a character", self.at, value=text)
        start, self.at = self.at, match.end()
        return Literal(text, start, quoted=True)
