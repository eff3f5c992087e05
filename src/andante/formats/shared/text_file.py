"""A text file being read: errors and remarks with their place, and its numbers."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Protocol, Unpack

from andante.documents.problems import Details
from andante.formats.report import FormatError, ReadReport
from andante.formats.shared.numbers import LARGEST
from andante.formats.shared.single import robot_with
from andante.motions.library import UNKNOWN_ROBOT

_NUMBER = re.compile(r"[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,3})?", re.ASCII)


class LineReader:
    """The base of readers that go from line to line; errors and remarks are at the present one.

    Args:
        file: The file.
        report: Takes the remarks.
    """

    def __init__(self, file: str, report: ReadReport) -> None:
        self.file = file
        self.report = report
        self.line = 1

    def error(self, what: str, inside: str = "", **more: Unpack[Details]) -> FormatError:
        """An error at the line; ``more`` as `FormatError` has it."""
        return FormatError(what, file=self.file, line=self.line, inside=inside, **more)

    def warn(self, text: str) -> None:
        """Put down a remark at the line."""
        self.report.warn(text, self.file, self.line)


class Placed(Protocol):
    """A part of a file that knows where it stands."""

    @property
    def line(self) -> int:
        """Line, from 1."""

    @property
    def column(self) -> int:
        """Column, from 1."""


class TextFile:
    """The base of readers of one file.

    Args:
        path: The file.
        report: Takes the remarks.
    """

    def __init__(self, path: Path, report: ReadReport) -> None:
        self.path = path
        self.report = report

    def error(
        self, what: str, line: int | None = None, column: int | None = None, inside: str = "", **more: Unpack[Details]
    ) -> FormatError:
        """An error at a line; ``more`` as `FormatError` has it."""
        return FormatError(what, file=self.path, line=line, column=column, inside=inside, **more)

    def fault(self, what: str, part: Placed, inside: str = "", **more: Unpack[Details]) -> FormatError:
        """An error at a part of the file; ``more`` as `FormatError` has it."""
        return self.error(what, part.line, part.column, inside, **more)

    def warn(self, text: str, line: int | None = None, inside: str = "") -> None:
        """Put down a remark."""
        self.report.warn(text, self.path, line, inside=inside)

    def robot(self, joints: Collection[str], stated: str = "") -> str:
        """The robot: the one asked for, the one stated, the one that has these joints, else unknown, which is told."""
        robot = self.report.robot or stated or robot_with(joints)
        if robot == UNKNOWN_ROBOT:
            self.warn("the file does not name its robot and no robot shipped has its joints; ask for one")
        return robot

    def number(
        self,
        word: str,
        line: int,
        column: int | None = None,
        *,
        inside: str,
        what: str = "this is not a number",
        most: float = LARGEST,
    ) -> float:
        """A plain decimal number.

        Raises:
            FormatError: It is none, or its magnitude is above ``most``.
        """
        if not _NUMBER.fullmatch(word):
            raise self.error(what, line, column, inside=inside, value=word)
        if not abs(float(word)) <= most:
            limit = f"{-most:g} to {most:g}"
            raise self.error("the number is out of range", line, column, inside=inside, value=word, limit=limit)
        return float(word)
