"""What a class raises."""

from __future__ import annotations

from andante.studio.errors import StudioError


class ClassError(StudioError):
    """A class cannot be held as it was asked for."""
