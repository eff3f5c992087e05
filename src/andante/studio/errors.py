"""What the studio raises for edits and requests that cannot be done."""

from __future__ import annotations

from andante.errors import AndanteError


class StudioError(AndanteError):
    """The studio cannot do what was asked."""


class WorkspaceError(StudioError):
    """A path is outside the workspace, or no file that the studio opens."""
