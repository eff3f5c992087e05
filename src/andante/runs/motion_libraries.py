"""Motion libraries: shipped ones by name, any other by path; the robot that a library names."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from andante.documents.files import read_bytes, read_head
from andante.documents.shipped import Shipped
from andante.motions.editing.binding import Bound, bind, unlike_note
from andante.motions.library import UNKNOWN_ROBOT, MotionLibrary
from andante.robots.loader import is_robot
from andante.robots.register import ROBOTS
from andante.robots.robot import Robot
from andante.runs.controls.kind import absolute
from andante.runs.errors import ScenarioError

if TYPE_CHECKING:
    from andante.formats.codec import MotionFileCodec
    from andante.formats.report import ReadReport

_DOCUMENT = "andante"
"""Name of Andante's own motion format."""
_SHIPPED = Path(__file__).parent / "libraries"


def _format_of(path: Path) -> MotionFileCodec | None:
    """The motion format of a file or folder; None: of none, as a robot's pack or a run."""
    from andante.formats.registry import identify
    from andante.formats.report import FormatError

    try:
        return identify(path)
    except FormatError:
        return None


_LIBRARIES = Shipped(
    _SHIPPED, "motion library", ScenarioError, folders=True, holds=lambda folder: _format_of(folder) is not None
)
shipped_libraries, library_path, anchored_library = _LIBRARIES.names, _LIBRARIES.path, _LIBRARIES.anchored
"""Names of the motion libraries in the package; the file or folder of one by name or path; its path seen from a
folder."""
library_meant = _LIBRARIES.meant
"""The file or folder of one that a person names."""


def named_motion(text: str) -> tuple[str, str] | None:
    """Library and motion where a text says ``LIBRARY/MOTION``: of a shipped library, or of a file or folder of motions.

    None where it says something else, or where a file has that name.
    """
    library, slash, motion = text.rpartition("/")
    if not (library and slash and motion) or Path(text).exists():
        return None
    # A missing file of a folder, as in `team/get-up.yaml`, is no motion of it, nor is one of a folder of runs.
    folder = Path(library).is_dir() and not Path(motion).suffix and not _is_of_no_format(Path(library))
    return (library, motion) if folder or Path(library).is_file() or library in shipped_libraries() else None


def _is_of_no_format(path: Path) -> bool:
    """Whether no format knows a path; where one knows it and cannot read it, whoever reads it tells why."""
    from andante.formats.registry import identify
    from andante.formats.report import FormatError, UnknownFormatError

    try:
        identify(path)
    except FormatError as error:
        return isinstance(error, UnknownFormatError)
    return False


def names_library(text: str | Path) -> bool:
    """Whether a text names a file or folder of motions or a shipped library; a scenario may have the latter's name."""
    return _holds_motions(Path(text)) or (str(text) in shipped_libraries() and not Path(text).exists())


def _holds_motions(path: Path) -> bool:
    """Whether a path is a file or folder of a motion format and no scenario."""
    if path.is_dir():
        return not _is_of_no_format(path)
    if not path.is_file() or b"andante.scenario" in read_head(path, 20_000):
        return False
    codec = _format_of(path)
    return codec is not None and (codec.name != _DOCUMENT or codec.sniff(read_head(path, 65_536), path) >= 1.0)


def only_motion(name_or_path: str | Path) -> str:
    """The motion of a file or folder of motions that has one only; empty for anything else, also for a scenario.

    Raises:
        ScenarioError: There are several motions, so that one has to be named.
        AndanteError: It is of a motion format and cannot be read.
    """
    path = Path(name_or_path)
    if not _holds_motions(path):
        return ""
    motions = load_motions(str(path)).motions
    if len(motions) > 1:
        what = f"the {'folder' if path.is_dir() else 'file'} has several motions"
        remedy = f"name one, as {str(name_or_path).rstrip('/')}/MOTION"
        raise ScenarioError(what, place=str(path), value=len(motions), legal=motions, remedy=remedy)
    return next(iter(motions), "")


def load_motions(name_or_path: str | Path, robot: Robot | str | Path | None = None) -> MotionLibrary:
    """A motion library, shipped by name or a file in any known format.

    Args:
        name_or_path: The name, or the file or folder.
        robot: The robot, or its name or file, to which the motions are bound; None: they stay as the file has them.

    Raises:
        ScenarioError: Neither a shipped library nor a file, or both by one name.
        AndanteError: The file cannot be read, there is no such robot, or the motions name joints that it has not.
    """
    file = library_meant(name_or_path)
    if robot is None:
        return read_for(file, UNKNOWN_ROBOT)
    model = robot if isinstance(robot, Robot) else Robot.load(robot)
    return bind_file(file, model).library


def shipped_motions(name: str) -> MotionLibrary:
    """The shipped motion library of a name, whatever lies here by that name."""
    return read_for(library_path(name), UNKNOWN_ROBOT)


def read_for(path: Path, robot: str | None, report: ReadReport | None = None) -> MotionLibrary:
    """A motion library of a file or folder as it is; a document without a robot is read where somebody names one.

    A run asks for its library several times; a document whose text is still the same is parsed once.

    Args:
        path: The file or folder.
        robot: Name or file of the robot that is asked for, or "unknown"; None: nobody names one. A document that names
            none is for "unknown" then.
        report: Takes format, files and warnings.

    Raises:
        AndanteError: It cannot be read.
    """
    from andante.formats.registry import read

    codec = _codec_of(path)
    if codec != _DOCUMENT:
        return read(path, codec, report=report, robot="" if robot in (None, UNKNOWN_ROBOT) else str(robot))
    if robot is None or not path.is_file():
        return read(path, codec, report=report, robot="" if robot is None else UNKNOWN_ROBOT)
    library = _parsed(path, hashlib.sha256(read_bytes(path)).digest())
    if report is not None:
        report.format = codec
        report.files.append(path)
    return library


@lru_cache(maxsize=4)
def _parsed(path: Path, content: bytes) -> MotionLibrary:
    """The library of a document with this hash of its text; libraries are immutable, so all may share one."""
    from andante.formats.registry import read

    return read(path, _DOCUMENT, robot=UNKNOWN_ROBOT)


def _codec_of(path: Path) -> str:
    """Name of the format of a motion file."""
    if path.parent == _SHIPPED:
        # What comes with Andante is in its own format: nobody else's has to be asked.
        return _DOCUMENT
    from andante.formats.registry import identify

    return identify(path).name


@dataclass(frozen=True)
class BoundFile(Bound):
    """A library of a file, bound to a robot."""

    notes: tuple[str, ...] = ()
    """What a person should be told of it."""


def bind_file(file: Path, robot: Robot, report: ReadReport | None = None) -> BoundFile:
    """A motion library of a file, folder or archive bound to the robot that is asked for; see `bind`.

    Args:
        file: The file or folder.
        robot: The robot.
        report: Takes format, files and warnings.

    Raises:
        MotionError: The file names a joint that the robot neither has nor goes by.
        AndanteError: It cannot be read.
    """
    from andante.formats.report import ReadReport

    report = ReadReport() if report is None else report
    return bind_library(read_for(file, str(robot.path or robot.name), report), file, robot, report)


def bind_library(library: MotionLibrary, file: Path, robot: Robot, report: ReadReport) -> BoundFile:
    """The same for a library that was read by `read_for`.

    Raises:
        MotionError: The library names a joint that the robot neither has nor goes by.
        AndanteError: The robot that the file gives by a path cannot be loaded.
    """
    from andante.formats.registry import FORMATS

    asked, said = (report.robot, str(robot.path), robot.name), library.robot
    if library.robot not in (*asked, UNKNOWN_ROBOT):
        library = by_own_name(library, file)
    bound = bind(library, robot)
    notes = []
    if library.robot == UNKNOWN_ROBOT:
        notes.append(f"{file} does not name its robot; bound to {robot.name!r}")
    elif library.robot not in asked:
        notes.append(f"{robot_said(library.robot, file, report)}; bound to {robot.name!r}, whose joints it names")
        if FORMATS[report.format].says_robot:
            notes += filter(None, [unlike_note(robot_source(said, file), bound)])
    if bound.dropped:
        notes.append(f"left out, for {robot.name!r} has no such joints: {', '.join(bound.dropped)}")
    return BoundFile(bound.library, robot, bound.dropped, bound.names, tuple(notes))


def robot_said(robot: str, file: Path, report: ReadReport) -> str:
    """What a file says of its robot."""
    from andante.formats.registry import FORMATS

    known = FORMATS[report.format].says_robot
    return f"{file} is for robot {robot!r}" if known else f"{file} does not say which robot it is for"


def robot_source(called: str, file: Path) -> str:
    """Name or file of the robot that a library calls so: a path is seen from the library's folder.

    Args:
        called: What the library calls it.
        file: The library's file or folder.
    """
    if called in ROBOTS:
        return called
    folder = file if file.is_dir() else file.parent
    return absolute(called, folder) if is_robot(folder / called) else called


def by_name(library: MotionLibrary, robot: Robot) -> MotionLibrary:
    """A library that calls its robot by the robot's own name, also where its document gives the path of a file."""
    return library if library.robot == robot.name else library.model_copy(update={"robot": robot.name})


def by_own_name(library: MotionLibrary, file: Path) -> MotionLibrary:
    """A library as it is, or one whose document gives the path of its robot, with that robot's name.

    Raises:
        AndanteError: The robot of the path cannot be loaded.
    """
    source = robot_source(library.robot, file)
    if library.robot in ROBOTS or not is_robot(Path(source)):
        return library
    return by_name(library, Robot.load(source))
