"""Reading what takes long in a process beside the server: large texts, long motions, robots from files.

So no document, however large, holds up the pages of another, and a robot's file that hangs or eats memory ends a
helper and not the studio.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path

from andante.documents.problems import DocumentError
from andante.motions.library import MotionLibrary
from andante.motions.sampling import sample_block, sample_motion, start_posture
from andante.robots.register import MODEL_SUFFIXES, ROBOTS
from andante.robots.robot import Robot
from andante.runs.motion_libraries import robot_source
from andante.studio.errors import HelperLostError
from andante.studio.live_library import Reading, read_library
from andante.studio.processes import Helper
from andante.studio.view import library_view, trajectory_message

LARGE = 100_000
"""Texts from this length on are read in the process [characters]: shorter ones take the server a tenth of a second."""
_LONG = 1000
"""Motions of more keyframes are sampled there."""
_MOST_FILES = 1000


def ready() -> None:
    """Answered once the process has begun and has imported what reading needs."""


def robot_of(source: str, helper: Helper) -> Robot:
    """A robot; one that comes from a file is tried in the process first.

    Raises:
        AndanteError: It cannot be loaded, or not within the time and memory of a helper.
    """
    if source not in ROBOTS:
        helper.wait(_try_robot, source)
    return Robot.load(source)


def source_of(robots: Mapping[str, str], document: Path, called: str) -> str:
    """Name or file of the robot that a document calls so.

    Args:
        robots: Files of robots that documents call by their names.
        document: The document's file, from whose folder a path is seen.
        called: What the document calls its robot.
    """
    return robots.get(called) or robot_source(called, document)


def stamps(source: str) -> dict[str, tuple[int, int]]:
    """Times of change [ns] and sizes [bytes] of a robot's files; none for a robot that comes with Andante."""
    path = Path(source)
    found: dict[str, tuple[int, int]] = {}
    if not source or source in ROBOTS:
        return found
    # A folder that goes, or that nobody may look into for a while, is another one at a later look.
    with suppress(OSError):
        if not path.exists():
            return found
        folder = path if path.is_dir() else path.parent
        files = [
            each for each in islice(folder.iterdir(), _MOST_FILES) if path.is_dir() or each.suffix in MODEL_SUFFIXES
        ]
        for each in [path, *files]:
            with suppress(OSError):
                status = each.stat()
                # A folder changes with what is written beside its files.
                if not each.is_dir():
                    found[each.name] = (status.st_mtime_ns, status.st_size)
    return found


def library_json(library: MotionLibrary, text: str, place: str, helper: Helper) -> str:
    """A library as pages are shown it, encoded."""
    if len(text) < LARGE:
        return json.dumps(library_view(library), allow_nan=False)
    return helper.wait(_library_json, text, place)


def trajectory(
    library: MotionLibrary,
    robot: Robot,
    shown: tuple[str, str],
    how: tuple[int, int],
    where: tuple[str, str, str],
    helper: Helper,
) -> bytes:
    """The message with the trajectory of a motion, or of a block.

    Args:
        library: The document.
        robot: Its robot.
        shown: Name of the motion, and of the block where it is none.
        how: Revision and request.
        where: Text and name of the document, and name or file of the robot.
        helper: The process.

    Raises:
        AndanteError: It cannot be sampled.
    """
    motion, block = shown
    parts = library.motions[motion].blocks if motion in library.motions else (block,)
    if sum(len(library.blocks[name].keyframes) for name in parts if name in library.blocks) > _LONG:
        return helper.wait(_sampled, *where, shown, how)
    return _trajectory(library, robot, shown, how)


def read_large(helper: Helper, text: str, place: str) -> Reading:
    """Read a text, in the process where it is large.

    A process that ends over it twice leaves the text without a library, which is told as a mistake of the text.
    """
    if len(text) < LARGE:
        return read_library(text, place)
    # Looking through all these objects for garbage, of which they are none, would hold up the pages by half a second.
    gc.disable()
    try:
        try:
            return helper.wait(_read, text, place)
        except HelperLostError:
            # Once more: it may have been killed by somebody.
            return helper.wait(_read, text, place)
    except HelperLostError as error:
        return Reading(problem=DocumentError(f"could not be read: {error.what}", place=place), lost=True)
    finally:
        gc.freeze()
        gc.enable()


def _try_robot(source: str) -> None:
    _robot.cache_clear()
    Robot.load(source)


@lru_cache(maxsize=2)
def _read(text: str, place: str) -> Reading:
    return read_library(text, place)


@lru_cache(maxsize=1)
def _library_json(text: str, place: str) -> str:
    library = _read(text, place).library
    return "null" if library is None else json.dumps(library_view(library), allow_nan=False)


@lru_cache(maxsize=2)
def _robot(source: str) -> Robot:
    return Robot.load(source)


def _sampled(text: str, place: str, source: str, shown: tuple[str, str], how: tuple[int, int]) -> bytes:
    library = _read(text, place).library
    return b"" if library is None else _trajectory(library, _robot(source), shown, how)


def _trajectory(library: MotionLibrary, robot: Robot, shown: tuple[str, str], how: tuple[int, int]) -> bytes:
    motion, block = shown
    start = start_posture(robot)
    found = sample_motion(library, robot, motion, start) if motion else sample_block(library, robot, block, start)
    return trajectory_message(found, *how)
