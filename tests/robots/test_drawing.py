"""Pictures of robots, and what is said where none can be made."""

from __future__ import annotations

import ctypes.util
import os
from pathlib import Path

import numpy as np
import pytest

from andante.robots import graphics
from andante.robots.drawing import draw, render
from andante.robots.robot import Robot, RobotError


@pytest.fixture
def offscreen() -> None:
    try:
        graphics.offscreen_backend()
    except graphics.GraphicsError as error:
        pytest.skip(str(error))
    if os.environ.get("MUJOCO_GL") not in ("egl", "osmesa"):
        pytest.skip("MUJOCO_GL chooses something that is not offscreen")


def test_missing_library_is_one_sentence_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: None)
    with pytest.raises(graphics.GraphicsError) as caught:
        graphics.offscreen_backend()
    assert "libegl1" in str(caught.value)
    assert "libosmesa6" in str(caught.value)
    assert "MUJOCO_GL" not in os.environ


def test_what_the_user_chose_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: None)
    monkeypatch.setenv("MUJOCO_GL", "glfw")
    assert graphics.offscreen_backend() == "glfw"
    monkeypatch.setenv("MUJOCO_GL", "osmesa")
    with pytest.raises(graphics.GraphicsError):
        graphics.offscreen_backend()


@pytest.mark.usefixtures("offscreen")
def test_two_postures_look_different_and_fill_the_picture(nao: Robot) -> None:
    stand, sit = (render(nao, nao.posture(name)) for name in ("stand", "sit"))
    assert stand.dtype == np.uint8
    assert stand.shape == sit.shape
    assert np.abs(stand.astype(int) - sit.astype(int)).mean() > 1.0
    # The white shell shows: at least a twentieth of the picture is nearly white or in shade of it.
    assert (stand.min(axis=2) > 235).mean() > 0.02


@pytest.mark.usefixtures("offscreen")
def test_draw_writes_a_png(nao: Robot, tmp_path: Path) -> None:
    file = tmp_path / "nao.png"
    draw(nao, file, posture="sit")
    assert file.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    with pytest.raises(RobotError, match="cannot be written"):
        draw(nao, tmp_path / "no" / "nao.png")


def test_unknown_posture_names_the_legal_ones(nao: Robot, tmp_path: Path) -> None:
    with pytest.raises(
        RobotError, match=r"no such posture; got 'stnd'; did you mean 'stand'\?; legal: zero, stand, sit"
    ):
        draw(nao, tmp_path / "nao.png", posture="stnd")
