"""Holding a class: from the lecturer's command to served links."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from andante.robots.robot import Robot
from andante.studio.classroom.class_access import own_address
from andante.studio.classroom.class_app import ClassApp
from andante.studio.classroom.classroom import ClassLimits, Classroom
from andante.studio.classroom.errors import ClassError
from andante.studio.classroom.lesson import SHIPPED, read_lessons
from andante.studio.classroom.roster import keep_links, keep_roster, link, names_in, read_roster, roster_of
from andante.studio.errors import StudioError
from andante.studio.server import open_socket, serve_application
from andante.studio.workspace import Claim, Workspace

_LOCK = "class"


def hold_class(
    folder: Path,
    students: Path | None,
    lessons: Path | None,
    where: tuple[str, int, str],
    robot: str,
    limits: ClassLimits,
    tell: Callable[[str], None],
    opened: Callable[[str], None],
) -> None:
    """Serve a class until Ctrl-C.

    Args:
        folder: Where everything of the class is kept.
        students: File with their names; None: those of the last time.
        lessons: Folder with lessons; None: those that come with Andante.
        where: Host, port (0: the last one, or any), and the address that students open (empty: this computer's).
        robot: Robot of documents that name none.
        limits: What it may take.
        tell: Told what the lecturer reads.
        opened: Called with the lecturer's link once pages are answered.

    Raises:
        AndanteError: It cannot be held; nothing is served.
    """
    host, port, address = where
    place = Workspace(folder).folder
    taught = read_lessons(SHIPPED if lessons is None else lessons)
    if robot:
        Robot.load(robot)
    before = read_roster(place)
    if students is None and before is None:
        remedy = "write a file with one name a line, and add --students FILE"
        raise ClassError("a class needs the names of its students", place=str(folder), remedy=remedy)
    names = [each.name for each in before.students] if students is None and before is not None else None
    roster, remarks = roster_of(names_in(students) if students is not None else names or (), before)
    # Two servers of one folder would give places and progress twice.
    claim = Claim(place / _LOCK, str(folder))
    try:
        rather = (roster.port,) if roster.port else ()
        listener = open_socket(host, port, rather)
        here = int(listener.getsockname()[1])
        roster = replace(roster, port=here)
        base = own_address(host, here, address)
        keep_roster(place, roster)
        page = keep_links(place, roster, base)
        room = Classroom(place, roster, taught, host, here, address, robot, limits)

        def ready() -> None:
            for remark in remarks:
                tell(remark)
            if before is not None and before.port and before.port != here:
                tell(f"port {before.port} is taken: the links of before end, these are new ones")
            width = max(len(each.name) for each in roster.students)
            for each in roster.students:
                tell(f"{each.name:<{width}}  {link(base, each)}")
            tell(f"Links to print: {page}")
            tell(f"Lecturer: {link(base, roster.lecturer)}")
            if not base.startswith("https"):
                tell("Plain HTTP: whoever can listen to this network can read the links. docs/classroom.md says more.")
            tell("Ctrl-C ends the class; work and links are kept.")
            opened(link(base, roster.lecturer))

        tell(f"Loading robots for {len(roster.students)} students; the first time this takes a minute...")
        serve_application(ClassApp(room), listener, ready)
    finally:
        with suppress(StudioError):
            claim.release()
