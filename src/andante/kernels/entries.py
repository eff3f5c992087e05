"""Kernels that Python calls: the first call of one compiles what is missing of all."""

from __future__ import annotations

from typing import Any

from numba.core import sigutils

from andante.kernels.ahead import build_once
from andante.kernels.dispatchers import Kernel


class Entry(Kernel):
    """A kernel that Python calls."""

    entry = True

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        build_once(self)
        return super()._compile_for_args(*args, **kws)

    def compile(self, sig: Any) -> Any:
        """As `Kernel.compile`; then the inner kernels that are linked in get what their errors look up."""
        compiled = super().compile(sig)
        result = self.overloads[tuple(sigutils.normalize_signature(sig)[0])]
        for environment in result._find_referenced_environments():
            result.codegen.set_env(environment.env_name, environment)
        return compiled
