"""Which robot a motion file is looked at with: the one that is asked for, else the one that the file names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from andante.motions.library import MotionLibrary
    from andante.robots.robot import Robot


def robot_of(library: MotionLibrary, file: Path, asked: str | None) -> tuple[MotionLibrary, Robot, list[str]]:
    """A library bound to its robot, the robot, and what a person has to be told of the choice.

    A path by which the file gives its robot is seen from the file's folder.

    A file that names no robot is bound to the one that is asked for, where that goes by the file's joint names; a file
    that names another robot is left as it is, and its checks tell.

    Args:
        library: The library as it was read.
        file: The file or folder that it comes from.
        asked: A robot's name or file; None: the library's.

    Raises:
        RobotError: There is no such robot.
        MotionError: A file that names no robot has a joint that the robot neither has nor goes by.
    """
    from andante.motions.editing.binding import bind
    from andante.robots.robot import Robot
    from andante.runs.library_robot import by_name, by_own_name, robot_source
    from andante.runs.motion_libraries import NAMELESS

    robot = Robot.load(asked or robot_source(library.robot, file))
    library = by_name(library, robot) if asked is None else by_own_name(library, file)
    nameless = file.is_dir() or file.suffix.lower() in NAMELESS
    if asked is None:
        note = f"{file} does not say which robot it is for; looked at with {robot.name!r}, give --robot for another"
        return library, robot, [note] if nameless else []
    if not nameless or library.robot == robot.name:
        return library, robot, []
    bound = bind(library, robot)
    told = [f"{file} does not say which robot it is for; bound to {robot.name!r}, whose joints it names"]
    if bound.dropped:
        told.append(f"left out, for {robot.name!r} has no such joints: {', '.join(bound.dropped)}")
    return bound.library, robot, told
