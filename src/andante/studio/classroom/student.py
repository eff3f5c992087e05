"""A student's studio: that of everybody, for one folder, with lessons, shared processes and a few things refused."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import WebSocket

from andante.errors import AndanteError
from andante.motions.storage import load_library
from andante.robots.register import ROBOTS
from andante.studio import messages as asked
from andante.studio.classroom.class_access import ClassAccess
from andante.studio.classroom.class_messages import CLASS_MESSAGES, BeginAgain, OpenLesson, RaiseHand
from andante.studio.classroom.fair_pool import FairPool, PoolSeat
from andante.studio.classroom.lesson import Lesson
from andante.studio.classroom.progress import Progress
from andante.studio.classroom.quota import QuotaSystem
from andante.studio.classroom.roster import Member
from andante.studio.classroom.run_slots import QueuedProcess, RunSlots
from andante.studio.classroom.steps import Seen, SeenRun
from andante.studio.document import decoded
from andante.studio.dragging import Moves
from andante.studio.errors import StudioError
from andante.studio.motion_files import open_suffixes
from andante.studio.processes import in_loop
from andante.studio.robot_files import named_robots
from andante.studio.room import Room
from andante.studio.server import Studio, StudioTalk
from andante.studio.shared_helpers import Helpers
from andante.studio.splices import Splice
from andante.studio.talk import Talk
from andante.studio.workspace import Workspace

LARGEST_TEXT = 1_000_000
"""Longest document of a student [characters]."""
_OWN = frozenset({".yaml", ".yml"})
_PAGES, _ROOMS = 4, 6


class ClassRobots(dict[str, str]):
    """Robots as a class knows them: by name only, so that no document reads a file that is another's.

    Args:
        given: The robot that the lecturer gives for documents, by its name: its file.
    """

    def get(self, called: str, default: Any = None) -> str:
        """What a document's robot is: its name, the lecturer's file, or words that name no file anywhere."""
        if called in self:
            return self[called]
        return called if called in ROBOTS else f"(no robot of this class) {called.replace('/', '|')}"


class StudentStudio(Studio):
    """One student's documents and pages.

    Args:
        member: The student.
        folder: Their folder.
        access: Who may talk to it.
        progress: How far they are.
        pools: The shared processes: for short questions, for drags, and for long ones.
        slots: The places for runs.
        quota: The student's part of the disk.
        robot: Robot of documents that name none.
        news: Called when the lecturer's page should know something.
    """

    def __init__(
        self,
        member: Member,
        folder: Path,
        access: ClassAccess,
        progress: Progress,
        pools: tuple[FairPool, FairPool, FairPool],
        slots: RunSlots,
        quota: QuotaSystem,
        robot: str,
        news: Callable[[], None],
    ) -> None:
        quick, drags, slow = (partial(PoolSeat, pool, member.slug) for pool in pools)
        helpers = Helpers(
            quick(),
            slow(self._queued),
            quick(),
            (slow(),),
            Moves(self._tell, self._lost, drags()),
            partial(QueuedProcess, slots, member.slug),
        )
        super().__init__(Workspace(folder, quota), access, "", robot, None, helpers)
        self.named = ClassRobots(self.named)
        self.most_pages, self.most_rooms = _PAGES, _ROOMS
        self.member, self.progress, self.quota = member, progress, quota
        self._news, self._loop = news, asyncio.get_running_loop()
        self._seen: dict[Path, Seen] = {}
        self._playing: dict[Path, SeenRun] = {}
        self._played: dict[Path, int] = {}
        """Revisions of the texts that these run."""
        self.talks: list[StudentTalk] = []
        self.hand = False
        """The student asks for the lecturer."""
        self.file = ""
        """The document that they look at."""
        self.checked: tuple[int, int] | None = None
        """Errors and warnings of the last finished check."""
        self.last_run: SeenRun | None = None
        """The last run that has ended."""
        self.queue = 0
        """Place in the queue of what they wait for; 0: they wait for nothing."""
        self.active: float | None = None
        """When they did something last [s of the monotonic clock]; None: not since the start."""

    def begin(self) -> None:
        """The class begins its processes."""

    @property
    def lesson(self) -> Lesson:
        """The lesson that is worked on."""
        return self.progress.lessons[self.progress.current]

    @staticmethod
    def file_of(lesson: str) -> str:
        """Name of the document of a lesson."""
        return f"{lesson}.yaml"

    def lesson_of(self, path: Path) -> str:
        """The lesson whose document a file is; empty: of none."""
        name = path.stem if path.parent == self.workspace.folder and path.suffix == ".yaml" else ""
        return name if name in self.progress.lessons else ""

    def prepare(self, lesson: str) -> str:
        """Make the document of a lesson where there is none; gives its name.

        Raises:
            AndanteError: There is no such lesson, or its document cannot be written.
        """
        if lesson not in self.progress.lessons:
            raise StudioError("there is no such lesson", value=lesson, legal=self.progress.lessons)
        name = self.file_of(lesson)
        path = self.workspace.path(name)
        if not path.exists():
            self.workspace.disk.write(path, self.progress.lessons[lesson].document.encode(), new=True)
        return name

    def greeting(self) -> dict[str, Any]:
        """What every new page is told first."""
        told = super().greeting()
        with contextlib.suppress(AndanteError):
            told["first"] = self.prepare(self.progress.current)
        return {**told, "class": {"student": self.member.name, "readonly": False, **self.view()}}

    def view(self) -> dict[str, Any]:
        """Lessons and progress, as pages are told."""
        return {"current": self.progress.current, "lessons": self.progress.view(), "hand": self.hand}

    def permit(self, message: Any, room: Room | None) -> None:
        """Refuse what reaches beyond the student's own folder, or costs the others too much.

        Raises:
            StudioError: It may not be asked.
        """
        self.active = time.monotonic()
        if isinstance(message, asked.MidiMessage):
            raise StudioError("MIDI belongs to the computer that serves the class", remedy="use keys or a gamepad")
        if isinstance(message, asked.LookAtRobot | asked.WritePack):
            raise StudioError("in a class robots go by their names", legal=ROBOTS)
        if isinstance(message, asked.Open | asked.New):
            if message.robot and message.robot not in ROBOTS and message.robot != self.robot:
                raise StudioError("in a class robots go by their names", value=message.robot, legal=ROBOTS)
            if Path(message.file).suffix.lower() not in _OWN:
                raise StudioError("a class opens motion documents", value=message.file, limit="a name ending in .yaml")
        if isinstance(message, asked.TextEdit) and room is not None:
            longest = len(room.document.live.text) + sum(len(inserted) for _, _, inserted in message.changes)
            if longest > LARGEST_TEXT:
                limit = f"{LARGEST_TEXT} characters"
                raise StudioError("the document would be too long for a class", value=longest, limit=limit)

    def talk(self, socket: WebSocket) -> Talk:
        """The conversation with one page."""
        return StudentTalk(self, socket)

    def talk_of_terrain(self, socket: WebSocket) -> Talk:
        """Each terrain page has a process of its own, which a class has no room for.

        Raises:
            StudioError: Always.
        """
        raise StudioError("the terrain page is not part of a class")

    # What the student does, as the lecturer and the lessons see it -------------------------------------------------

    def noted(self, room: Room, told: Mapping[str, Any]) -> None:
        """All pages of a document were told something."""
        path, kind = room.document.path, told["type"]
        if kind == "started":
            self._playing[path], self._played[path] = SeenRun(str(told["motion"]), ""), int(told["revision"])
        elif kind == "faulty" and told.get("on") and path in self._playing:
            self._playing[path] = replace(self._playing[path], fault=True)
        elif kind == "verdict" and path in self._playing:
            reason = "; ".join(str(each) for each in told.get("reasons", ()))[:300]
            self.last_run = replace(self._playing.pop(path), verdict=str(told["verdict"]), reason=reason)
            # What was edited while it ran, or while it waited for its turn, has not run.
            if self._played[path] == room.document.live.revision:
                self._see(room, run=self.last_run)
        elif kind == "checks" and told["state"] == "checked":
            counts = told["counts"]
            self.checked = int(counts["error"]), int(counts["warning"])
            self._see(room, errors=self.checked[0], warnings=self.checked[1])
        elif kind == "edited":
            self._seen[path] = self._of_text(room)
            self.checked = None
            self._look(room)
        elif kind == "saved":
            self._see(room, saved=True)
        elif kind == "queued":
            self.queue = int(told["position"])
        else:
            return
        self._news()

    def proved(self, room: Room, told: Mapping[str, Any]) -> None:
        """A page was told of a proof in physics."""
        of_this = (told["file"], told["revision"]) == (room.document.name, room.document.live.revision)
        if of_this and all(each.get("severity") != "error" for each in told["findings"]):
            self._see(room, proved=(*self._known(room).proved, (str(told["motion"]), int(told["seeds"]))))

    def entered(self, room: Room) -> None:
        """A page looks at a document."""
        self.file = room.document.name
        lesson = self.lesson_of(room.document.path)
        if lesson:
            self.progress.enter(lesson)
        self._known(room)
        self.told()

    def raise_hand(self, up: bool) -> None:
        """Ask for the lecturer, or no more."""
        self.hand = up
        self.told()

    def told(self) -> None:
        """Tell the student's pages and the lecturer how far they are."""
        for talk in self.talks:
            talk.tell({"type": "progress", **self.view()})
        self._news()

    def summary(self) -> dict[str, Any]:
        """What the lecturer's page shows of this student."""
        done = {name: sum(self.progress.done(name)) for name in self.progress.lessons}
        run = self.last_run
        return {
            "name": self.member.name,
            "slug": self.member.slug,
            "pages": len(self.talks),
            "idle": None if self.active is None else round(time.monotonic() - self.active),
            "lesson": self.progress.current,
            "step": self.progress.next_step(self.progress.current) + 1,
            "done": done,
            "file": self.file,
            "checked": self.checked,
            "run": None if run is None else {"motion": run.motion, "verdict": run.verdict, "reason": run.reason},
            "queue": self.queue,
            "hand": self.hand,
            "bytes": self.quota.used,
            "problem": self.progress.problem,
        }

    def _known(self, room: Room) -> Seen:
        path = room.document.path
        if path not in self._seen:
            self._seen[path] = self._of_text(room)
        return self._seen[path]

    def _of_text(self, room: Room) -> Seen:
        """What is known of a text as soon as it is there: what was found of the one before says nothing of it."""
        lesson = self.lesson_of(room.document.path)
        start = self.progress.lessons[lesson].document if lesson else ""
        return Seen(room.document.live.library, room.document.live.text != start)

    def _see(self, room: Room, **what: Any) -> None:
        self._seen[room.document.path] = replace(self._known(room), **what)
        self._look(room)

    def _look(self, room: Room) -> None:
        lesson = self.lesson_of(room.document.path)
        if lesson and self.progress.look(lesson, self._seen[room.document.path]):
            self.told()

    def _queued(self, place: int) -> None:
        """A place in the queue of long questions, told from a thread."""

        def tell() -> None:
            self.queue = place
            for talk in self.talks:
                talk.tell({"type": "queued", "what": "proof", "position": place})
            self._news()

        in_loop(self._loop, tell)


class StudentTalk(StudioTalk):
    """The conversation with a student's page."""

    messages = CLASS_MESSAGES

    def __init__(self, studio: StudentStudio, socket: WebSocket) -> None:
        self._student = studio
        super().__init__(studio, socket)
        self._page.noted = self._noted
        studio.talks.append(self)
        studio.active = time.monotonic()
        studio.told()

    def tell(self, data: dict[str, Any]) -> None:
        """Send the page something."""
        self._page.send(data)

    async def _left(self) -> None:
        self._student.talks.remove(self)
        await super()._left()
        self._student.told()

    def _noted(self, data: Mapping[str, Any]) -> None:
        if data.get("type") == "proof" and self._room is not None:
            self._student.proved(self._room, data)

    async def _permitted(self, message: Any) -> dict[str, Any] | None:
        if isinstance(message, OpenLesson):
            name = await asyncio.to_thread(self._student.prepare, message.lesson)
            await self._open(asked.Open(do="open", file=name, request=message.request))
            return None
        if isinstance(message, RaiseHand):
            self._student.raise_hand(message.up)
            return {"type": "done"}
        if isinstance(message, BeginAgain):
            await self._begin_again()
            return {"type": "done"}
        if isinstance(message, asked.Robots):
            return {"robots": [vars(each) for each in named_robots()]}
        return await super()._permitted(message)

    async def _open(self, message: asked.Open | asked.New) -> None:
        await super()._open(message)
        if self._room is not None:
            self._student.entered(self._room)

    async def _begin_again(self) -> None:
        room = self._room
        lesson = "" if room is None else self._student.lesson_of(room.document.path)
        if room is None or not lesson:
            raise StudioError("this is no lesson's document", remedy="open a lesson first")
        start = self._student.progress.lessons[lesson].document
        await room.do(lambda live: (Splice(0, live.text, start),) if live.text != start else ())


class LookStudio(Studio):
    """A student's studio as the lecturer looks at it: everything is seen, nothing is changed.

    Args:
        student: The student's.
        access: The lecturer's access to it.
    """

    def __init__(self, student: StudentStudio, access: ClassAccess) -> None:
        super().__init__(student.workspace, access, "", student.robot, None, student.helpers)
        self._student = student
        # The same rooms: the lecturer sees each edit as it is made.
        self.rooms, self.named = student.rooms, student.named
        self.most_rooms = student.most_rooms + 1

    def begin(self) -> None:
        """Nothing begins here."""

    async def close(self) -> None:
        """The student's studio closes what is open."""

    def number(self) -> int:
        """A number for one more page, that none of the student's has."""
        return self._student.number()

    def greeting(self) -> dict[str, Any]:
        """What every new page is told first."""
        student = self._student
        told = student.greeting() | {"first": student.file or student.file_of(student.progress.current)}
        return {**told, "class": {**told["class"], "readonly": True}}

    def permit(self, message: Any, room: Room | None) -> None:
        """Refuse whatever would change something.

        Raises:
            StudioError: It would.
        """
        allowed = (asked.Open, asked.Files, asked.Show, asked.Posture, asked.Postures, asked.Robots)
        if not isinstance(message, allowed):
            raise StudioError("this is a student's work, to be looked at only", value=message.do)
        if isinstance(message, asked.Open):
            path = self.workspace.path(message.file)
            if message.robot or message.anew or path.suffix.lower() not in _OWN or not path.is_file():
                raise StudioError("there is no such document of this student", value=message.file)

    async def room(self, path: Path, robot: str = "", like: Room | None = None, *, anew: bool = False) -> Room:
        """The student's room of a file."""
        return await self._student.room(path, robot, like, anew=anew)

    def talk_of_terrain(self, socket: WebSocket) -> Talk:
        """There is none in a class.

        Raises:
            StudioError: Always.
        """
        return self._student.talk_of_terrain(socket)


def uploaded_text(name: str, raw: bytes) -> str:
    """The text of an uploaded document, which must be one of motions.

    Raises:
        AndanteError: It is none.
    """
    if Path(name).suffix.lower() not in _OWN:
        known = ", ".join(sorted(open_suffixes() & _OWN))
        raise StudioError("a class takes motion documents", value=name, limit=f"a name that ends in {known}")
    text = decoded(raw, name)
    load_library(text, place=name)
    return text
