"""What reading and converting tell besides the library itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


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

    def __str__(self) -> str:
        spot = ":".join(str(part) for part in (self.file or None, self.line, self.column) if part is not None)
        return ": ".join(part for part in (spot, self.inside, self.text) if part)


@dataclass
class ReadReport:
    """Collects what a codec has to say while it reads."""

    format: str = ""
    """Name of the codec that read."""
    robot: str = ""
    """The robot asked for, for files that do not name theirs; empty: none."""
    files: list[Path] = field(default_factory=list)
    """The files that were read."""
    warnings: list[Remark] = field(default_factory=list)
    """Defaults taken and things not kept."""


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
    """Remarks of the reader."""
    losses: tuple[str, ...]
    """What the target format could not hold."""

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
