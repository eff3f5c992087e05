"""XML text to elements with their lines: no document type, no entities, nothing fetched, all sizes bounded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from andante.formats.report import FormatError

MAX_DEPTH = 120
"""Deepest nesting that is read."""
MAX_ELEMENTS = 200_000
"""Most elements that are read."""


@dataclass(slots=True)
class Element:
    """An element without its text."""

    tag: str
    """Name without the prefix."""
    attributes: dict[str, str]
    """Attributes, names without prefixes."""
    line: int
    """Line, from 1."""
    column: int
    """Column, from 1."""
    children: list[Element] = field(default_factory=list)
    """Elements inside."""

    def inside(self, tag: str) -> Iterator[Element]:
        """The elements of a name that stand directly inside."""
        return (element for element in self.children if element.tag == tag)

    def all(self, tag: str) -> Iterator[Element]:
        """All elements of a name at any depth, in the order of the file."""
        stack = [self]
        while stack:
            element = stack.pop()
            if element.tag == tag:
                yield element
            stack.extend(reversed(element.children))


def parse_xml(text: str, file: str = "") -> Element:
    """Parse a document.

    Raises:
        FormatError: It is no XML, declares a document type or entities, or is too large or too deep.
    """
    return _Builder(file).build(text)


class _Builder:
    """Takes the parser's calls."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.stack: list[Element] = []
        self.root: Element | None = None
        self.count = 0
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.EntityDeclHandler = self._doctype

    def build(self, text: str) -> Element:
        try:
            self.parser.Parse(text.encode("utf-8"), True)
        except expat.ExpatError as error:
            reason = expat.errors.messages.get(error.code, "unknown error")
            raise FormatError(
                f"this is no XML: {reason}", file=self.file, line=error.lineno, column=error.offset + 1
            ) from error
        if self.root is None:
            raise FormatError("the file has no element", file=self.file)
        return self.root

    def _error(self, what: str, limit: str = "") -> FormatError:
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        return FormatError(what, file=self.file, line=line, column=column, limit=limit)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MAX_ELEMENTS:
            raise self._error("the file has too many elements", f"{MAX_ELEMENTS}")
        if len(self.stack) >= MAX_DEPTH:
            raise self._error("the file is nested too deeply", f"{MAX_DEPTH} levels")
        bare = {key.rpartition(":")[2]: value for key, value in attributes.items()}
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        element = Element(name.rpartition(":")[2], bare, line, column)
        if self.stack:
            self.stack[-1].children.append(element)
        else:
            self.root = element
        self.stack.append(element)

    def _end(self, name: str) -> None:
        self.stack.pop()

    def _doctype(self, *declaration: object) -> None:
        raise self._error("document types and entities are not read")
