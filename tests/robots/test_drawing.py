"""Pictures of robots, and what is said where none can be made."""

from __future__ import annotations

import ctypes.util
import math
import os
from pathlib import Path

import mujoco
import numpy as np
import pytest
from quadrupeds import mjcf_quadruped

from andante.pictures.figures import save
from andante.robots import graphics
from andante.robots.drawing import _add_floor, render, robot_figure
from andante.robots.parts import RobotError
from andante.robots.robot import Robot


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


@pytest.mark.slow
@pytest.mark.usefixtures("offscreen")
def test_two_postures_look_different_and_fill_the_picture(nao: Robot) -> None:
    stand, sit = (render(nao, nao.posture(name)) for name in ("stand", "sit"))
    assert stand.dtype == np.uint8
    assert stand.shape == sit.shape
    assert np.abs(stand.astype(int) - sit.astype(int)).mean() > 1.0
    # The white shell shows: at least a twentieth of the picture is nearly white or in shade of it.
    assert (stand.min(axis=2) > 235).mean() > 0.02


@pytest.mark.slow
@pytest.mark.usefixtures("offscreen")
def test_the_picture_tells_name_mass_posture_and_size(nao: Robot, tmp_path: Path) -> None:
    figure = robot_figure(nao, posture="sit")
    (axes,) = figure.axes
    assert figure.get_suptitle() == "NAO V6"
    assert axes.get_title("left") == "26 joints, 5.36 kg, posture sit; squares of the floor: 10 cm"
    assert axes.images[0].get_array().shape == (720, 720, 3)
    save(figure, tmp_path / "nao.png")
    assert (tmp_path / "nao.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


@pytest.mark.usefixtures("offscreen")
def test_squares_of_the_floor_have_the_side_that_is_told() -> None:
    spec = mujoco.MjSpec()
    _add_floor(spec)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    camera = mujoco.MjvCamera()
    camera.distance, camera.elevation, camera.azimuth = 1.0, -90.0, 90.0
    with graphics.offscreen_renderer(model, 400, 400) as renderer:
        renderer.update_scene(data, camera)
        pixels = renderer.render().astype(int)
    line = pixels[10, :, 2]
    edges = np.flatnonzero(np.abs(np.diff(line)) > 3)
    square = float(np.median(np.diff(edges)))
    view = 2.0 * math.tan(math.radians(0.5 * model.vis.global_.fovy))
    assert square == pytest.approx(0.1 / view * 400, abs=1.0)


@pytest.mark.usefixtures("offscreen")
def test_a_robot_stands_on_the_floor_that_is_drawn(tmp_path: Path) -> None:
    """Below the feet are squares, where the base is at the origin of the file, as a URDF has it."""
    path = tmp_path / "quad.xml"
    path.write_text(mjcf_quadruped().replace('name="trunk" pos="0 0 0.4"', 'name="trunk"'))
    robot = Robot.load(path)
    below = render(robot, robot.posture("stand")).astype(int)[-10, :, 2]
    assert (np.abs(np.diff(below)) > 3).any()


def test_unknown_posture_names_the_legal_ones(nao: Robot) -> None:
    with pytest.raises(
        RobotError, match=r"no such posture; got 'stnd'; did you mean 'stand'\?; legal: zero, stand, sit"
    ):
        robot_figure(nao, posture="stnd")
