"""Whose code something is: Andante's and installed libraries' is known to keep its state in objects, users' may not."""

from __future__ import annotations

import sys
from functools import lru_cache

_LIBRARY_FOLDERS = ("site-packages", "dist-packages")


def is_users(module: str) -> bool:
    """Whether a module is neither Andante's, nor Python's, nor an installed library's."""
    top = module.partition(".")[0]
    return top == "__main__" or (top != "andante" and not _is_library(top, module))


def is_andantes(module: str) -> bool:
    """Whether a module belongs to this package."""
    return module.partition(".")[0] == "andante"


@lru_cache(maxsize=4096)
def _is_library(top: str, module: str) -> bool:
    # Cython names the module of its own kinds by its version.
    if top.startswith(("_cython_", "_cyutility")) or top in sys.stdlib_module_names or top in sys.builtin_module_names:
        return True
    file = getattr(sys.modules.get(module) or sys.modules.get(top), "__file__", None)
    return bool(file) and any(folder in str(file) for folder in _LIBRARY_FOLDERS)
