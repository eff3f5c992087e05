"""What the runs room raises."""

from __future__ import annotations

from andante.errors import AndanteError


class RunError(AndanteError):
    """A run cannot be done or its result cannot be used."""


class ScenarioError(RunError):
    """A scenario is unreadable, inconsistent or names something that does not exist."""


class RecordingError(RunError):
    """The log cannot be written."""


class LogError(RunError):
    """A file is no log that Andante can read."""


class VideoError(RunError):
    """No video can be made."""
