"""What reading and converting tell besides the library itself: remarks, losses, and the error of all codecs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Unpack

from andante.documents.problems import Details, DocumentError
from andante.errors import shorten
from andante.motions.findings import Finding

MOST_REMARKS = 500
"""Most remarks on what is read."""
MOST_LOSSES = 100
"""Most sentences on what is lost; what goes beyond is counted."""


class FormatError(DocumentError):
    """A motion file breaks its format, or a library cannot be written in a format.

    Args:
        what: One sentence without a full stop.
        file: The file it speaks of.
        line: Line, from 1.
        column: Column, from 1 (tabs advance to the next multiple of 8).
        inside: Dotted path of the entry inside the file, as ``keyframeBlock.sit.keyframes[0].phase``.
        value: The offending value.
        limit: What the value had to obey.
        legal: The legal names; the nearest to ``value`` is offered.
        remedy: What to do about it.
    """

    def __init__(
        self,
        what: str,
        *,
        file: str | Path = "",
        line: int | None = None,
        column: int | None = None,
        inside: str = "",
        **more: Unpack[Details],
    ) -> None:
        self.file = str(file)
        self.line = line
        self.column = column
        self.inside = inside
        spot = ":".join(str(part) for part in (self.file or None, line, column) if part is not None)
        place = f"{spot}, {inside}" if spot and inside else spot or inside
        super().__init__(what, place=place, **more)


class UnknownFormatError(FormatError):
    """No codec knows a file or folder."""


@dataclass(frozen=True)
class Remark:
    """Something in a file that was read with a default, or was not kept."""

    text: str
    """One sentence without a full stop."""
    file: str = ""
    """The file."""
    line: int | None = None
    """Line, from 1."""
    column: int | None = None
    """Column, from 1."""
    inside: str = ""
    """Dotted path of the entry inside the file."""

    @property
    def place(self) -> str:
        """File, line and column, and the entry inside."""
        spot = ":".join(str(part) for part in (self.file or None, self.line, self.column) if part is not None)
        return ": ".join(part for part in (spot, self.inside) if part)

    def __str__(self) -> str:
        return ": ".join(part for part in (self.place, self.text) if part)


TimeOf = Literal["header", "poses"]
"""What says how long a motion takes, where a file's header and its poses disagree."""


@dataclass
class ReadReport:
    """Collects what a codec has to say while it reads."""

    format: str = ""
    """Name of the codec that read."""
    robot: str = ""
    """The robot asked for, for files that do not name theirs; empty: none."""
    time: TimeOf = "header"
    """What counts where a file's header and its poses disagree about the time."""
    files: list[Path] = field(default_factory=list)
    """The files that were read."""
    warnings: list[Remark] = field(default_factory=list)
    """Defaults taken and things not kept."""
    damaged: list[Remark] = field(default_factory=list)
    """Entries of an archive or files of a folder that could not be read, each with the reason; also warnings."""

    def damage(self, error: DocumentError, place: str) -> None:
        """Put down what could not be read while the rest was; ``place`` where the error names none."""
        value = "" if error.value is None else f"; got {shorten(repr(error.value))}"
        limit = f"; limit: {error.limit}" if error.limit else ""
        text = f"cannot be read and is left out: {error.what}{value}{limit}"
        if len(self.damaged) < MOST_REMARKS:
            self.damaged.append(Remark(text, error.place or place))
        self.warn(text, error.place or place)

    def warn(
        self, text: str, file: object, line: int | None = None, column: int | None = None, inside: str = ""
    ) -> None:
        """Put down a remark, as long as people can still read them all."""
        if len(self.warnings) < MOST_REMARKS:
            self.warnings.append(Remark(text, str(file), line, column, inside))
        elif len(self.warnings) == MOST_REMARKS:
            self.warnings.append(Remark("further remarks are not listed", str(file)))

    def findings(self) -> list[Finding]:
        """What checks say of it: errors where something could not be read, in front, else notes."""
        damaged = set(self.damaged)
        return [
            Finding("reading", "error" if told in damaged else "info", told.place, told.text)
            for told in sorted(self.warnings, key=lambda remark: remark not in damaged)
        ]


class Losses:
    """Sentences in the order met; those of one kind are counted and tell the first place."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str], tuple[str, str]] = {}
        self._count: Counter[tuple[str, str]] = Counter()

    def add(self, inside: str, text: str) -> None:
        """Put down a loss at one place."""
        self.count(inside, f"{inside}\0{text}", text)

    def once(self, inside: str, text: str) -> None:
        """Put down a loss at one place, however often it is met there."""
        if (f"{inside}\0{text}", text) not in self._first:
            self.add(inside, text)

    def count(self, inside: str, kind: str, text: str, example: str = "") -> None:
        """Put down a loss of a kind that may occur at many places; the example is told of the first one only."""
        key = (kind, text)
        self._first.setdefault(key, (inside, f", here {example}" if example else ""))
        self._count[key] += 1

    @property
    def texts(self) -> list[str]:
        """The sentences, without full stops."""
        sentences = []
        for (kind, text), (inside, example) in self._first.items():
            times = self._count[kind, text]
            more = f" (and at {times - 1} more place{'s' * (times > 2)})" if times > 1 else ""
            sentences.append(f"{inside}: {text}{example}{more}" if inside else f"{text}{example}{more}")
        if len(sentences) > MOST_LOSSES:
            sentences = [*sentences[:MOST_LOSSES], f"and {len(sentences) - MOST_LOSSES} more losses"]
        return sentences


@dataclass(frozen=True)
class ConvertReport:
    """What a conversion did."""

    source_format: str
    """Name of the format that was read."""
    target_format: str
    """Name of the format that was written."""
    source_files: tuple[Path, ...]
    """The files that were read."""
    target_files: tuple[Path, ...]
    """The files that were written."""
    warnings: tuple[Remark, ...]
    """Remarks of the reader, and what exceeds the robot's limits."""
    losses: tuple[str, ...]
    """What the target format could not hold."""
    excesses: tuple[Remark, ...] = ()
    """Those of the warnings that tell what exceeds the robot's limits."""

    def as_dict(self) -> dict[str, Any]:
        """The report as plain JSON values."""
        return {
            "source_format": self.source_format,
            "target_format": self.target_format,
            "source_files": [str(path) for path in self.source_files],
            "target_files": [str(path) for path in self.target_files],
            "warnings": [str(warning) for warning in self.warnings],
            "losses": list(self.losses),
        }
