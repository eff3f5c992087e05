"""What the environment refuses."""

from __future__ import annotations

from andante.errors import AndanteError


class EnvError(AndanteError):
    """An environment cannot be made as asked, or is asked for something that it does not have."""
