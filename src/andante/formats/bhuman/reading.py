"""What is at hand while a tree is turned into a library: the text's positions and the place for remarks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Unpack

from andante.documents.problems import Details
from andante.formats.bhuman.grammar import Node, Source, Tree
from andante.formats.errors import FormatError
from andante.formats.report import ReadReport, Remark


@dataclass(frozen=True)
class Reading:
    """One file being read."""

    source: Source
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


def told(tree: Tree, report: ReadReport) -> Reading:
    """A file's reading, with remarks on comments that are not kept and on what stands behind its end."""
    reading = Reading(tree.source, report)
    if tree.lost_comments:
        count = len(tree.lost_comments)
        reading.warn(f"{count} comment{'s are' if count > 1 else ' is'} not kept", tree.lost_comments[0])
    if tree.source.text[tree.end :].strip():
        reading.warn("a stray '}' ends the file here; what follows is not read", tree.end)
    return reading
