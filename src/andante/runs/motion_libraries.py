"""Motion libraries: shipped ones by name, any other by path; the robot that a library names."""

from __future__ import annotations

from pathlib import Path

from andante.motions.library import MotionLibrary
from andante.robots.loader import shipped_robots
from andante.robots.robot import Robot
from andante.runs.controls.kind import absolute
from andante.runs.errors import ScenarioError

NAMELESS = (".cfg",)
"""Suffixes of motion files that do not say which robot they are for."""
_SHIPPED = Path(__file__).parent / "libraries"


def shipped_libraries() -> tuple[str, ...]:
    """Names of the motion libraries in the package."""
    return tuple(sorted(path.stem for path in _SHIPPED.glob("*.yaml")))


def library_path(name_or_path: str | Path) -> Path:
    """The file of a motion library given by path or by shipped name.

    Raises:
        ScenarioError: Neither a shipped library nor a file.
    """
    if Path(name_or_path).exists():
        return Path(name_or_path)
    shipped = shipped_libraries()
    if str(name_or_path) in shipped:
        return _SHIPPED / f"{name_or_path}.yaml"
    raise ScenarioError("no such motion library, neither shipped nor a file", value=str(name_or_path), legal=shipped)


def named_motion(text: str) -> tuple[str, str] | None:
    """Library and motion where a text says ``LIBRARY/MOTION``: of a shipped library, or of a file or folder of motions.

    None where it says something else, or where a file has that name.
    """
    library, slash, motion = text.rpartition("/")
    if not (library and slash and motion) or Path(text).exists():
        return None
    # A missing file of a folder, as in `team/get-up.yaml`, is no motion of it.
    folder = Path(library).is_dir() and not Path(motion).suffix
    return (library, motion) if folder or Path(library).is_file() or library in shipped_libraries() else None


def load_motions(name_or_path: str) -> MotionLibrary:
    """A motion library, shipped by name or a file in any known format.

    Raises:
        ScenarioError: Neither a shipped library nor a file.
        AndanteError: The file cannot be read.
    """
    from andante.formats.registry import read

    return read(library_path(name_or_path))


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
