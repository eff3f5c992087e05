"""What the studio raises for edits and requests that cannot be done."""

from __future__ import annotations

from andante.errors import AndanteError


class StudioError(AndanteError):
    """The studio cannot do what was asked."""


class WorkspaceError(StudioError):
    """A path is outside the workspace, or no file that the studio opens."""


class NotKeptError(StudioError):
    """An edit cannot be kept on the disk now and was not made; it may be possible a moment later."""


class HelperLostError(StudioError):
    """A process that was asked has ended before it answered."""
