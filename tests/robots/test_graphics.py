"""Offscreen OpenGL in fresh processes: which one is chosen, whatever is imported first, and doing without."""

from __future__ import annotations

import ctypes.util
import json
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
DRAWS = """
from andante.robots.drawing import render
from andante.robots.robot import Robot
robot = Robot.load("nao")
pixels = render(robot, robot.posture("stand"))
print(pixels.shape == (720, 720, 3) and pixels.std() > 10.0, offscreen_backend())
"""
HIDE = """
import ctypes, ctypes.util
find, load = ctypes.util.find_library, ctypes.CDLL
class Hidden(load):
    def __init__(self, name, *arguments, **options):
        if any(part in str(name) for part in ("EGL", "OSMesa", "GL.so", "libGL")):
            raise OSError(f"{name}: cannot open shared object file")
        super().__init__(name, *arguments, **options)
ctypes.CDLL = Hidden
ctypes.util.find_library = lambda name: None if name in ("GL", "GLU", "EGL", "OSMesa") else find(name)
"""
"""A site hook: Python starts as on a machine without graphics libraries."""
MISSING = (
    "no offscreen OpenGL ({}) is installed; install one of them (Debian, Ubuntu: apt-get install libegl1 libgl1, or "
    "libosmesa6), or do without pictures"
)


def environment(**settings):
    """This process's, without what it says of graphics, with the settings."""
    # MuJoCo sets PYOPENGL_PLATFORM where something was drawn in this process.
    said = {key for key in os.environ if key.endswith("_GL") or key == "PYOPENGL_PLATFORM"}
    return {key: value for key, value in os.environ.items() if key not in said} | settings


@pytest.fixture
def hidden(tmp_path):
    """Settings under which no graphics library is found."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(HIDE)
    return {"PYTHONPATH": os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))}


def python(code, folder, **settings):
    """Standard output of a fresh Python; a traceback there fails the test."""
    run = subprocess.run(
        [sys.executable, "-c", "import os\nfrom andante.robots.graphics import *\n" + code],
        cwd=folder,
        env=environment(**settings),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Traceback" not in run.stderr, run.stderr
    assert run.returncode == 0
    return run.stdout.strip()


def andante(arguments, folder, **settings):
    """Exit code, standard output and standard error of the command in a fresh process."""
    run = subprocess.run(
        [sys.executable, "-c", "from andante.cli.app import main; main()", *arguments],
        cwd=folder,
        env=environment(**settings),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Traceback" not in run.stderr, run.stderr
    return run.returncode, run.stdout, run.stderr


PACKAGES = {"egl": "libEGL (apt install libegl1 libgl1)", "osmesa": "libOSMesa (apt install libosmesa6)"}


def available(name):
    if not graphics._loads(name):
        pytest.skip(f"needs {PACKAGES[name]}")


@pytest.mark.slow
@pytest.mark.parametrize("chosen", ["", *(pytest.param(name, marks=pytest.mark.slow) for name in ("egl", "osmesa"))])
def test_without_a_library_drawing_is_one_sentence_in_python_and_by_command(tmp_path, hidden, chosen):
    name = {"": "libEGL or libOSMesa", "egl": "libEGL", "osmesa": "libOSMesa"}[chosen]
    assert python(FAILS, tmp_path, MUJOCO_GL=chosen, **hidden) == MISSING.format(name)
    printed = andante(["robots", "nao", "--draw", "nao.png"], tmp_path, MUJOCO_GL=chosen, **hidden)
    assert (printed[0], printed[2]) == (2, f"andante: {MISSING.format(name)}\n")


@pytest.mark.slow
@pytest.mark.parametrize("chosen", ["egl", "osmesa"])
def test_without_the_wanted_library_all_but_pictures_works(tmp_path, hidden, chosen):
    name = {"egl": "libEGL", "osmesa": "libOSMesa"}[chosen]
    code, printed, _ = andante(
        ["run", "sit-and-stand", "--no-report", "--video", "--json"], tmp_path, MUJOCO_GL=chosen, **hidden
    )
    assert (code, json.loads(printed)["notes"]) == (0, [f"no video: {MISSING.format(name)}"])
    code, printed, _ = andante(["doctor"], tmp_path, MUJOCO_GL=chosen, **hidden)
    assert code == 0
    assert f"--  offscreen OpenGL: no offscreen OpenGL ({name}) is installed\n      install one of them" in printed


def test_a_choice_that_does_not_exist_ends_a_command_with_one_sentence(tmp_path):
    code, _, told = andante(["check", "any.yaml"], tmp_path, MUJOCO_GL="elg")
    assert code == 2
    assert told.startswith("andante: environment variable MUJOCO_GL: there is no such OpenGL; got 'elg'; did you mean")
    assert told.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("value", ["disable", pytest.param("Off", marks=pytest.mark.slow)])
def test_pictures_can_be_switched_off(tmp_path, value):
    printed = python("postpone()\n" + FAILS, tmp_path, MUJOCO_GL=value)
    assert printed.startswith(("environment variable MUJOCO_GL: pictures are switched off", "no offscreen OpenGL"))


def test_what_is_set_after_a_command_counts(monkeypatch):
    monkeypatch.setenv("MUJOCO_GL", "glfw")
    monkeypatch.delenv("ANDANTE_GL", raising=False)
    graphics.postpone()
    assert "ANDANTE_GL" not in os.environ  # a window system is MuJoCo's own business
    monkeypatch.setenv("MUJOCO_GL", "")
    graphics.postpone()
    graphics.postpone()
    assert (os.environ["MUJOCO_GL"], os.environ["ANDANTE_GL"]) == ("disable ", "")
    monkeypatch.setenv("MUJOCO_GL", "glfw")
    assert graphics.offscreen_backend() == "glfw"
    monkeypatch.setenv("MUJOCO_GL", "disable")
    with pytest.raises(graphics.GraphicsError, match=r"switched off|no offscreen OpenGL"):
        graphics.offscreen_backend()


@pytest.mark.parametrize("call", ["prepare", "postpone", "offscreen_backend"])
def test_an_unknown_choice_is_named_before_mujoco_stumbles_over_it(monkeypatch, call):
    monkeypatch.setenv("MUJOCO_GL", "elg")
    with pytest.raises(graphics.GraphicsError) as caught:
        getattr(graphics, call)()
    assert str(caught.value).startswith(
        "environment variable MUJOCO_GL: there is no such OpenGL; got 'elg'; did you mean 'egl'?; legal: egl, osmesa, "
    )


@pytest.mark.slow
def test_a_window_system_that_is_not_there_is_one_sentence(tmp_path):
    printed = python(FAILS, tmp_path, MUJOCO_GL="glfw", DISPLAY="", WAYLAND_DISPLAY="")
    assert printed.startswith("offscreen OpenGL does not start: ")


@pytest.mark.slow
@pytest.mark.parametrize(
    "first",
    [
        "postpone()",
        pytest.param("import mujoco", marks=pytest.mark.slow),
        pytest.param("import mujoco; mujoco.Renderer", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("chosen", ["egl", "osmesa"])
def test_drawing_works_whatever_is_imported_first(tmp_path, first, chosen):
    available(chosen)
    assert python(first + DRAWS, tmp_path, MUJOCO_GL=chosen) == f"True {chosen}"


@pytest.mark.slow
def test_a_library_is_chosen_by_itself(tmp_path):
    # Not by what is tested here, which might find too little.
    if not any(ctypes.util.find_library(name) for name in ("EGL", "OSMesa")):
        pytest.skip(f"needs {PACKAGES['egl']} or {PACKAGES['osmesa']}")
    assert python(DRAWS, tmp_path) in ("True egl", "True osmesa")
