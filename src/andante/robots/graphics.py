"""Offscreen OpenGL: found when a picture is wanted, with a clear sentence where there is none."""

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

_PLACE = "environment variable MUJOCO_GL"
_POSTPONED = "disable "
"""With this in ``MUJOCO_GL`` MuJoCo does without; it strips the blank, which tells ours from the user's own."""
_WISH = "ANDANTE_GL"
"""Holds what the user's ``MUJOCO_GL`` was meanwhile; worker processes inherit both."""
_LIBRARIES = {"egl": "EGL", "osmesa": "OSMesa"}
_WINDOWED = ("glfw", "glx", "cgl", "wgl", "enable", "enabled", "on", "true", "1")
_OFF = ("disable", "disabled", "off", "false", "0")
_REMEDY = "install one of them (Debian, Ubuntu: apt-get install libegl1 libgl1, or libosmesa6), or do without pictures"


class GraphicsError(AndanteError):
    """Pictures cannot be made on this machine."""


def offscreen_backend() -> str:
    """Choose the offscreen OpenGL; a value of ``MUJOCO_GL`` that the user has set is kept.

    Returns:
        ``egl``, ``osmesa`` or what the user has set.

    Raises:
        GraphicsError: No offscreen OpenGL library is installed, or ``MUJOCO_GL`` is switched off or no legal value.
    """
    chosen = _chosen()
    if chosen in _WINDOWED:
        return chosen
    found = next((name for name in ((chosen,) if chosen in _LIBRARIES else _LIBRARIES) if _loads(name)), None)
    if found is None:
        missing = f"lib{_LIBRARIES[chosen]}" if chosen in _LIBRARIES else "libEGL or libOSMesa"
        raise GraphicsError(f"no offscreen OpenGL ({missing}) is installed", remedy=_REMEDY)
    if chosen in _OFF:
        raise GraphicsError("pictures are switched off", place=_PLACE, value=chosen, remedy="unset it")
    return found


def prepare() -> None:
    """Let MuJoCo be imported where ``MUJOCO_GL`` names a library that is not installed: it would raise.

    Done when `andante.robots` is imported. Only pictures miss anything, and `offscreen_backend` says what.

    Raises:
        GraphicsError: ``MUJOCO_GL`` has no legal value.
    """
    chosen = _chosen()
    if chosen in _LIBRARIES and not _loads(chosen):
        postpone()


def postpone() -> None:
    """Let MuJoCo be imported without OpenGL, in half the time; `offscreen_renderer` brings it in for a first picture.

    Raises:
        GraphicsError: ``MUJOCO_GL`` has no legal value.
    """
    chosen = _chosen()
    if chosen not in _WINDOWED:
        os.environ[_WISH] = chosen
        os.environ["MUJOCO_GL"] = _POSTPONED


def _chosen() -> str:
    """What the user's ``MUJOCO_GL`` asks for, empty where nothing.

    Raises:
        GraphicsError: Not a legal value.
    """
    chosen = os.environ.get("MUJOCO_GL", "")
    if chosen == _POSTPONED:
        chosen = os.environ.get(_WISH, chosen)
    chosen = chosen.lower().strip()
    legal = (*_LIBRARIES, *_WINDOWED, *_OFF)
    if chosen and chosen not in legal:
        raise GraphicsError("there is no such OpenGL", place=_PLACE, value=chosen, legal=legal)
    return chosen


def _loads(backend: str) -> bool:
    name = ctypes.util.find_library(_LIBRARIES[backend])
    if name is None:
        return False
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


@contextmanager
def offscreen_renderer(model: mujoco.MjModel, width: int, height: int) -> Iterator[mujoco.Renderer]:
    """A renderer with the settings that are fast in software (no shadows' edges smoothed, no reflections).

    Raises:
        GraphicsError: No OpenGL, or it does not start.
    """
    backend = offscreen_backend()
    import mujoco

    model.vis.global_.offwidth = max(width, model.vis.global_.offwidth)
    model.vis.global_.offheight = max(height, model.vis.global_.offheight)
    model.vis.quality.offsamples = 0
    model.vis.quality.shadowsize = 1024
    try:
        from mujoco.rendering.classic import gl_context

        # By itself MuJoCo looks at ``MUJOCO_GL`` only when it is imported first.
        if backend in _LIBRARIES:
            gl_context.GLContext = importlib.import_module(f"mujoco.{backend}").GLContext
        renderer = mujoco.Renderer(model, height, width)
    except (RuntimeError, AttributeError, ImportError, mujoco.FatalError) as error:
        raise GraphicsError(f"offscreen OpenGL does not start: {error}", remedy=_REMEDY) from error
    try:
        renderer.scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = 0
        yield renderer
    finally:
        renderer.close()
