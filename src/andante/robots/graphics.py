"""Offscreen OpenGL: found before MuJoCo is imported, with a clear sentence where there is none."""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from andante.errors import AndanteError

if TYPE_CHECKING:
    import mujoco

_LIBRARIES = {"egl": "EGL", "osmesa": "OSMesa"}
_WINDOWED = ("glfw", "glx", "cgl", "wgl", "enable", "enabled", "on", "true", "1")
_OFF = ("disable", "disabled", "off", "false", "0")
_REMEDY = "install one of them (Debian, Ubuntu: apt-get install libegl1 libgl1, or libosmesa6), or do without pictures"


class GraphicsError(AndanteError):
    """Pictures cannot be made on this machine."""


def offscreen_backend() -> str:
    """Choose the offscreen OpenGL and tell MuJoCo through ``MUJOCO_GL``.

    A value that the user has set is kept. Best called before mujoco is imported for the first time, so that MuJoCo
    itself does not try a window system; `offscreen_renderer` works in any order.

    Returns:
        ``egl``, ``osmesa`` or what the user has set.

    Raises:
        GraphicsError: No offscreen OpenGL library is installed, or ``MUJOCO_GL`` is switched off or no legal value.
    """
    chosen = _chosen()
    if chosen in _WINDOWED:
        return chosen
    legal = (*_LIBRARIES, *_WINDOWED, *_OFF)
    if chosen and chosen not in legal:
        raise GraphicsError(
            "there is no such OpenGL", place="environment variable MUJOCO_GL", value=chosen, legal=legal
        )
    for name in (chosen,) if chosen in _LIBRARIES else _LIBRARIES:
        if _loads(_LIBRARIES[name]):
            if chosen in _OFF:
                raise GraphicsError(
                    "pictures are switched off", place="environment variable MUJOCO_GL", value=chosen, remedy="unset it"
                )
            os.environ["MUJOCO_GL"] = name
            return name
    missing = f"lib{_LIBRARIES[chosen]}" if chosen in _LIBRARIES else "libEGL or libOSMesa"
    raise GraphicsError(f"no offscreen OpenGL ({missing}) is installed", remedy=_REMEDY)


def prepare() -> None:
    """Choose the offscreen OpenGL if there is one; where there is none, let MuJoCo do without.

    Raises:
        GraphicsError: ``MUJOCO_GL`` has no legal value; MuJoCo could not be imported.
    """
    _chosen()
    try:
        offscreen_backend()
    except GraphicsError:
        # Without this MuJoCo would try a window system at import and fail with a traceback.
        os.environ["MUJOCO_GL"] = "disable"


def _chosen() -> str:
    """What ``MUJOCO_GL`` asks for, empty where nothing.

    Raises:
        GraphicsError: Not a legal value.
    """
    chosen = os.environ.get("MUJOCO_GL", "").lower().strip()
    legal = (*_LIBRARIES, *_WINDOWED, *_OFF)
    if chosen and chosen not in legal:
        raise GraphicsError(
            "there is no such OpenGL", place="environment variable MUJOCO_GL", value=chosen, legal=legal
        )
    return chosen


def _loads(library: str) -> bool:
    name = ctypes.util.find_library(library)
    if name is None:
        return False
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def _select_context() -> None:
    """Give MuJoCo the chosen OpenGL; by itself it looks at ``MUJOCO_GL`` only when it is imported first."""
    from mujoco.rendering.classic import gl_context

    chosen = _chosen()
    if chosen in _LIBRARIES:
        gl_context.GLContext = importlib.import_module(f"mujoco.{chosen}").GLContext


@contextmanager
def offscreen_renderer(model: mujoco.MjModel, width: int, height: int) -> Iterator[mujoco.Renderer]:
    """A renderer with the settings that are fast in software (no shadows' edges smoothed, no reflections).

    Raises:
        GraphicsError: No OpenGL, or it does not start.
    """
    offscreen_backend()
    import mujoco

    model.vis.global_.offwidth = max(width, model.vis.global_.offwidth)
    model.vis.global_.offheight = max(height, model.vis.global_.offheight)
    model.vis.quality.offsamples = 0
    model.vis.quality.shadowsize = 1024
    try:
        _select_context()
        renderer = mujoco.Renderer(model, height, width)
    except (RuntimeError, AttributeError, ImportError, mujoco.FatalError) as error:
        raise GraphicsError(f"offscreen OpenGL does not start: {error}", remedy=_REMEDY) from error
    try:
        renderer.scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = 0
        yield renderer
    finally:
        renderer.close()
