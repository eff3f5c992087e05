"""Offscreen OpenGL in fresh processes: which one is chosen, whatever is imported first, and doing without."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from andante.robots import graphics

FAILS = """
from andante.robots.drawing import robot_figure
from andante.robots.robot import Robot
try:
    robot_figure(Robot.load("nao"))
except GraphicsError as error:
    print(error)
"""
NO_LIBRARY = """
import ctypes.util
ctypes.util.find_library = lambda name: None
"""
DRAWS = """
from andante.robots.drawing import render
from andante.robots.robot import Robot
robot = Robot.load("nao")
pixels = render(robot, robot.posture("stand"))
print(pixels.shape == (720, 720, 3) and pixels.std() > 10.0, os.environ["MUJOCO_GL"])
"""


def python(code, folder, **environment):
    """Standard output of a fresh Python; a traceback there fails the test."""
    inherited = {key: value for key, value in os.environ.items() if key not in ("MUJOCO_GL", "PYOPENGL_PLATFORM")}
    run = subprocess.run(
        [sys.executable, "-c", "import os\nfrom andante.robots.graphics import *\n" + code],
        cwd=folder,
        env=inherited | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Traceback" not in run.stderr, run.stderr
    assert run.returncode == 0
    return run.stdout.strip()


def available(name):
    library = {"egl": "EGL", "osmesa": "OSMesa"}[name]
    if not graphics._loads(library):
        pytest.skip(f"lib{library} is not installed")


def test_without_a_library_mujoco_still_works_and_drawing_is_one_sentence(tmp_path):
    code = NO_LIBRARY + "prepare()\nimport mujoco\nprint(os.environ['MUJOCO_GL'])\n" + FAILS
    lines = python(code, tmp_path).splitlines()
    assert lines == [
        "disable",
        "no offscreen OpenGL (libEGL or libOSMesa) is installed; install one of them (Debian, Ubuntu: apt-get install "
        "libegl1 libgl1, or libosmesa6), or do without pictures",
    ]


@pytest.mark.parametrize("chosen", ["egl", "osmesa"])
def test_without_the_wanted_library_nothing_else_is_tried(tmp_path, chosen):
    name = {"egl": "libEGL", "osmesa": "libOSMesa"}[chosen]
    printed = python(NO_LIBRARY + FAILS, tmp_path, MUJOCO_GL=chosen)
    assert printed.startswith(f"no offscreen OpenGL ({name}) is installed; install one")


@pytest.mark.parametrize("value", ["disable", "Off"])
def test_pictures_can_be_switched_off(tmp_path, value):
    printed = python("prepare()\n" + FAILS, tmp_path, MUJOCO_GL=value)
    assert printed.startswith(("environment variable MUJOCO_GL: pictures are switched off", "no offscreen OpenGL"))


@pytest.mark.parametrize("call", ["prepare", "offscreen_backend"])
def test_an_unknown_choice_is_named_before_mujoco_stumbles_over_it(monkeypatch, call):
    monkeypatch.setenv("MUJOCO_GL", "elg")
    with pytest.raises(graphics.GraphicsError) as caught:
        getattr(graphics, call)()
    assert str(caught.value).startswith(
        "environment variable MUJOCO_GL: there is no such OpenGL; got 'elg'; did you mean 'egl'?; legal: egl, osmesa, "
    )


def test_a_window_system_that_is_not_there_is_one_sentence(tmp_path):
    printed = python(FAILS, tmp_path, MUJOCO_GL="glfw", DISPLAY="", WAYLAND_DISPLAY="")
    assert printed.startswith("offscreen OpenGL does not start: ")


@pytest.mark.parametrize("first", ["prepare()", "import mujoco", "import mujoco; mujoco.Renderer"])
@pytest.mark.parametrize("chosen", ["egl", "osmesa"])
def test_drawing_works_whatever_is_imported_first(tmp_path, first, chosen):
    available(chosen)
    assert python(first + DRAWS, tmp_path, MUJOCO_GL=chosen) == f"True {chosen}"


def test_a_library_is_chosen_by_itself(tmp_path):
    try:
        graphics.offscreen_backend()
    except graphics.GraphicsError as error:
        pytest.skip(str(error))
    assert python(DRAWS, tmp_path) in ("True egl", "True osmesa")
