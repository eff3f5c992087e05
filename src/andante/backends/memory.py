"""Memory that is needed no more, given back to the system."""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress

import mujoco


def give_back(*, meshes: bool = True) -> None:
    """Give memory back that is needed no more, as that in which models were compiled and reports made.

    MuJoCo keeps all meshes that it has read, 80 MB of a K1, and the C library what is free; it gives it back where it
    is glibc.

    Args:
        meshes: Meshes, too; models that are compiled later read them anew.
    """
    gc.collect()
    if meshes:
        mujoco.mj_clearCache(mujoco.mj_getCache())
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
