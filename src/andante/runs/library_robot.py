"""The robot of a motion library, which names it or gives the path of its file."""

from __future__ import annotations

from pathlib import Path

from andante.motions.library import MotionLibrary
from andante.robots.loader import shipped_robots
from andante.robots.robot import Robot
from andante.runs.controls.kind import absolute


def robot_source(called: str, file: Path) -> str:
    """Name or file of the robot that a library calls so: a path is seen from the library's folder.

    Args:
        called: What the library calls it.
        file: The library's file or folder.
    """
    if called in shipped_robots():
        return called
    return absolute(called, file if file.is_dir() else file.parent)


def by_name(library: MotionLibrary, robot: Robot) -> MotionLibrary:
    """A library that calls its robot by the robot's own name, also where its document gives the path of a file."""
    return library if library.robot == robot.name else library.model_copy(update={"robot": robot.name})


def by_own_name(library: MotionLibrary, file: Path) -> MotionLibrary:
    """A library as it is, or one whose document gives the path of its robot, with that robot's name.

    Raises:
        AndanteError: The robot of the path cannot be loaded.
    """
    source = robot_source(library.robot, file)
    if library.robot in shipped_robots() or not Path(source).exists():
        return library
    return by_name(library, Robot.load(source))
