"""What goes wrong with kernels."""

from __future__ import annotations

from andante.errors import AndanteError


class KernelError(AndanteError):
    """A kernel is called or written in a way that cannot be compiled or would run stale code."""
