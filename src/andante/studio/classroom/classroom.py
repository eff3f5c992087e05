"""A class: a studio for each student, shared processes, and the lecturer's look at all of them."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andante.errors import AndanteError
from andante.studio.classroom.class_access import ClassAccess
from andante.studio.classroom.errors import ClassError
from andante.studio.classroom.fair_pool import FairPool
from andante.studio.classroom.lesson import Lesson
from andante.studio.classroom.progress import FOLDER, Progress
from andante.studio.classroom.quota import MEGABYTE, QuotaSystem
from andante.studio.classroom.roster import Member, Roster
from andante.studio.classroom.run_slots import RunSlots
from andante.studio.classroom.student import LookStudio, StudentStudio
from andante.studio.disk import Disk
from andante.studio.processes import Helper
from andante.studio.reading import ready
from andante.studio.server import THREADS
from andante.studio.supervised import HelperLimits

WARMED = "andante.studio.classroom.warmed"
"""Module that the process imports from which all others of a class are forked."""
FORKED = "forkserver"
_QUICK = HelperLimits(seconds=30.0, memory=1.5e9)
_SLOW = HelperLimits(seconds=60.0, memory=1.5e9, nice=10)
_LOOK = 10.0
"""Time between two looks at how much students keep [s]."""


@dataclass(frozen=True)
class ClassLimits:
    """What a class and each of its students may take."""

    runs: int = 12
    """Runs in physics at once."""
    turn: float = 30.0
    """So long a run may go on while others wait [s]."""
    longest: float = 180.0
    """So long it may go on in any case [s]."""
    megabytes: int = 100
    """What a student may keep on the disk, runs included [MB]."""
    upload: int = 2
    """Largest file that a student uploads [MB]."""


class Classroom:
    """The students' studios and what they share.

    Args:
        place: Folder of the class.
        roster: Who belongs to it.
        lessons: What is taught.
        host: The address that it listens on.
        port: Its port.
        address: The address that students open, where it is another; empty: none.
        robot: Robot of documents that name none.
        limits: What it may take.
    """

    def __init__(
        self,
        place: Path,
        roster: Roster,
        lessons: Mapping[str, Lesson],
        host: str,
        port: int,
        address: str = "",
        robot: str = "",
        limits: ClassLimits | None = None,
    ) -> None:
        self.place, self.roster, self.lessons, self.robot = place, roster, lessons, robot
        self.limits = ClassLimits() if limits is None else limits
        self._access = (host, port, address)
        self.disk = Disk(place)
        self.students: dict[str, StudentStudio] = {}
        self.looks: dict[str, LookStudio] = {}
        self.listeners: list[asyncio.Event] = []
        """Set when the lecturer's page should know something."""
        self._pools: tuple[FairPool, ...] = ()
        self._tasks: list[asyncio.Task[None]] = []

    def access(self, member: Member) -> ClassAccess:
        """Who may talk to somebody's studio."""
        host, port, address = self._access
        return ClassAccess(host, port, member.token, member.slug, address)

    async def begin(self) -> None:
        """Begin the processes, and make every student's studio.

        Raises:
            AndanteError: A folder cannot be made.
        """
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, "andante-class"))
        multiprocessing.set_forkserver_preload([WARMED])
        cores = max(2, min(os.cpu_count() or 2, 4))

        def pool(name: str, what: str, count: int, limits: HelperLimits) -> FairPool:
            return FairPool(
                Helper(f"{name}-{number}", what, limits=limits, begin_from=FORKED) for number in range(1, count + 1)
            )

        self._pools = pools = (
            pool("quick", "the helper that checks and reads", cores, _QUICK),
            pool("drags", "the helper that solves drags", 1, _QUICK),
            pool("slow", "the helper that proves in physics", cores, _SLOW),
        )
        limits = self.limits
        slots = RunSlots(
            limits.runs, limits.turn, limits.longest, HelperLimits(seconds=60.0, memory=1.5e9, nice=5), FORKED
        )
        for member in self.roster.students:
            folder = self.roster.folder(self.place, member)
            await asyncio.to_thread(self.disk.folders, folder)
            if Path(os.path.realpath(folder)) != folder:
                raise ClassError("a student's folder must be no link", place=str(folder))
            quota = QuotaSystem(folder, limits.megabytes * MEGABYTE)
            progress = Progress(self.place / FOLDER / f"{member.slug}.json", self.disk, self.lessons)
            student = StudentStudio(
                member, folder, self.access(member), progress, pools, slots, quota, self.robot, self.news
            )
            self.students[member.slug] = student
            self.looks[member.slug] = LookStudio(student, self.access(self.roster.lecturer))
        await self._warm()
        self._tasks = [asyncio.create_task(self._look_at_disk())]

    async def close(self) -> None:
        """Close all documents and end all processes."""
        for task in self._tasks:
            task.cancel()
        for pool in self._pools:
            await asyncio.to_thread(pool.end)

        async def close(student: StudentStudio) -> None:
            with contextlib.suppress(AndanteError):
                await student.close()

        # None waits for another's: a class has hundreds.
        await asyncio.gather(*map(close, self.students.values()))

    def news(self) -> None:
        """The lecturer's page should know something."""
        for listener in self.listeners:
            listener.set()

    def view(self) -> dict[str, Any]:
        """All students, as the lecturer's page is told."""
        return {
            "type": "class",
            "lessons": [
                {"name": name, "title": lesson.title, "steps": [step.text for step in lesson.steps]}
                for name, lesson in self.lessons.items()
            ],
            "megabytes": self.limits.megabytes,
            "students": [student.summary() for student in self.students.values()],
        }

    async def _look_at_disk(self) -> None:
        """Count what students keep, again and again."""
        while True:
            await asyncio.sleep(_LOOK)
            for student in self.students.values():
                await asyncio.to_thread(student.quota.look)

    async def _warm(self) -> None:
        """Begin the processes before a student needs them; the first one loads what all have in common."""
        with contextlib.suppress(AndanteError):
            # A question a process, while all of them are free.
            jobs = [pool.submit("", ready, ()) for pool in self._pools for _ in pool.helpers]
            await asyncio.gather(*(asyncio.wrap_future(job) for job in jobs))
