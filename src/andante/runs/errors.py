"""What the runs room raises."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from andante.errors import AndanteError


class RunError(AndanteError):
    """A run cannot be done or its result cannot be used."""


class ScenarioError(RunError):
    """A scenario is unreadable, inconsistent or names something that does not exist."""


class SessionError(RunError):
    """A session cannot do what was asked."""


class RecordingError(RunError):
    """The log cannot be written."""


class SnapshotError(RunError):
    """Something cannot be kept or put back, or a snapshot is of another session."""


class LogError(RunError):
    """A file is no log that Andante can read."""


class VideoError(RunError):
    """No video can be made."""


@contextmanager
def refused(kind: type[RunError], what: str, place: Path | str) -> Iterator[None]:
    """Raise what the system refuses (an `OSError`) as an error of this kind, with the place and the system's reason."""
    try:
        yield
    except OSError as error:
        raise kind(what, place=str(place), value=error.strerror) from None
