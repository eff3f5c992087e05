"""Andante: from a motion idea to joint commands for legged robots."""

from andante.version import __version__

__all__ = ["__version__"]
