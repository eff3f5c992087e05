"""Kernels: loops that numpy cannot do fast, compiled by numba, kept on disk between runs (``docs/kernels.md``)."""

from andante.spatial.compiled.decorators import entry, inlined, inlined_entry, kernel

__all__ = ["entry", "inlined", "inlined_entry", "kernel"]
