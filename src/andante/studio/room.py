"""Room: one open document with the pages that look at it, its simulation and its checks."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import secrets
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from andante.errors import AndanteError
from andante.motions.storage import dump_library
from andante.robots.robot import Robot
from andante.runs.motion_libraries import by_name
from andante.studio import messages as asked
from andante.studio.balance import PostureBalance
from andante.studio.connected_page import Jobs, Page, answered, in_thread
from andante.studio.disk import Disk
from andante.studio.document import Applied, OpenDocument
from andante.studio.document_checks import DocumentChecks
from andante.studio.document_evidence import DocumentEvidence
from andante.studio.document_messages import edited_messages, history_flags, with_library
from andante.studio.document_runs import DocumentRuns
from andante.studio.document_trajectories import DocumentTrajectories
from andante.studio.editing import edit_of
from andante.studio.errors import StudioError
from andante.studio.journal import checksum
from andante.studio.live_library import LiveLibrary
from andante.studio.reading import robot_of, source_of, stamps
from andante.studio.scene import robot_scene
from andante.studio.shared_helpers import Helpers
from andante.studio.sharing import shared_bytes
from andante.studio.simulation import Order
from andante.studio.splices import Edit
from andante.studio.view import problem_view

_BEHIND = 5000
"""Edits that a page may have missed and still make its own anew."""
_KEYS = 200
"""Edits of the text whose names a page is told when it comes back: what it has sent is not made twice."""
_LONGEST = 80
"""Longest name of a motion that is a part of a file's as it is [bytes]."""
_LOOK = 1.0
"""Time between two looks at the files on the disk [s]."""


class Room:
    """A document, its pages, its runs. What takes longer than a moment is done in threads, one edit after the other.

    Args:
        document: The document.
        helpers: The processes.
        runs: Folder in which runs are kept.
        disk: Where they are written.
        robots: Files of robots that documents call by their names.
        foxglove: Port on which runs are streamed to Foxglove; None: they are not.
        noted: Called with the room and everything that all its pages are told.
    """

    def __init__(
        self,
        document: OpenDocument,
        helpers: Helpers,
        runs: Path,
        disk: Disk,
        robots: Mapping[str, str] | None = None,
        foxglove: int | None = None,
        noted: Callable[[Room, Mapping[str, Any]], None] | None = None,
    ) -> None:
        self.document = document
        self._noted = noted
        self.pages: list[Page] = []
        self._helpers, self._moves, self._disk = helpers, helpers.moves, disk
        self.runs = runs
        """Folder in which its runs are kept."""
        self._robots: Mapping[str, str] = {} if robots is None else robots
        self.robot: Robot | None = None
        """The document's robot; None: unknown."""
        self._opened = secrets.token_hex(4)
        """Tells this document's revisions from those of before, when another studio or room had it open."""
        self._robot_called: str | None = None
        self._robot_problem = ""
        self._robot_files: dict[str, tuple[int, int]] = {}
        self._balance: PostureBalance | None = None
        self._keys: deque[str] = deque(maxlen=_KEYS)
        """Names of the last edits of the text that were made."""
        self._turn = asyncio.Lock()
        self._jobs = Jobs()
        source = partial(source_of, self._robots, document.path)
        self._checks = DocumentChecks(document, helpers.checks, helpers.proofs, source, self.tell)
        self._evidence = DocumentEvidence(document, helpers.trials, source, self.tell)
        self._trajectories = DocumentTrajectories(
            document, self.pages, self._jobs, lambda: (self.robot, self._source()), helpers.reading
        )
        self._runs = DocumentRuns(self.pages, self.tell, foxglove, helpers.talking)

    async def begin(self, loaded: tuple[str, Robot] | None = None) -> None:
        """Load the robot.

        Args:
            loaded: A robot that is loaded already, and how documents call it.
        """
        library = self.document.live.library
        if loaded is not None and library is not None and library.robot == loaded[0]:
            self._robot_called, self.robot = loaded
            self._robot_files = await asyncio.to_thread(stamps, self._source())
        else:
            await self._load_robot()
        self._jobs.begin(self._watch())

    # Pages -------------------------------------------------------------------------------------------------------

    async def enter(self, page: Page, request: int = 0) -> None:
        """Show the document to one more page."""
        async with self._turn:
            await self._try_again()
            state = await asyncio.to_thread(self._state, request)
            self.pages.append(page)
            page.queue(state)
        page.send(self._moves.state())
        self._checks.enter(page)
        self._runs.enter(page)

    async def _try_again(self) -> None:
        """Read again, and load the robot again, where that has failed before; pages that look on are told."""
        live = self.document.live
        if not live.lost and (live.library is None or self.robot is not None):
            return
        if live.lost:
            await in_thread(live.read)
        await self._load_robot()
        if self.pages and not live.lost and self.robot is not None:
            self._queue(await asyncio.to_thread(self._state, 0))
            self._checks.edited()

    def leave(self, page: Page) -> None:
        """A page is gone."""
        if page in self.pages:
            self.pages.remove(page)
        if not self.pages:
            self._evidence.end()

    def _state(self, request: int) -> str:
        """Everything that a page needs to begin, encoded."""
        document, live = self.document, self.document.live
        state = {
            "type": "state",
            "request": request,
            "file": document.name,
            "format": document.codec.title,
            "own": document.own,
            "opened": self._opened,
            "revision": live.revision,
            "keys": list(self._keys),
            "text": live.text,
            "units": live.units.model_dump(),
            "problems": problem_view(live.problem),
            "remarks": document.remarks[:50],
            "recovered": document.recovered,
            "robot": None if self.robot is None else robot_scene(self.robot, collisions=True),
            "robotProblem": self._robot_problem,
            "pages": len(self.pages) + 1,
            **history_flags(document),
        }
        return with_library(state, document, self._helpers.reading)

    @property
    def loaded(self) -> tuple[str, Robot] | None:
        """The robot and how the document calls it."""
        return None if self.robot is None else (self._robot_called or "", self.robot)

    async def do(self, make: Callable[[LiveLibrary], Edit]) -> None:
        """Do an edit that comes from no page of this room.

        Raises:
            AndanteError: It cannot be made.
        """
        async with self._turn:
            edit = await asyncio.to_thread(make, self.document.live)
            if edit:
                await self._edited([await in_thread(self.document.edit, edit)], None, 0)

    async def step(self, back: bool, page: Page | None = None, request: int = 0) -> None:
        """Undo or redo for a page of this room, or for none.

        Raises:
            StudioError: The journal cannot be written.
        """
        async with self._turn:
            await self._edited(await in_thread(self.document.undo if back else self.document.redo), page, request)

    async def reread(self, *, over_edits: bool = False) -> None:
        """Take in what another program has made of the document's file, as one step that can be taken back.

        Args:
            over_edits: Also where there are edits that were not saved, which taking that step back shows again.

        Raises:
            AndanteError: The file cannot be read any more; nothing has changed.
        """
        document = self.document
        async with self._turn:
            if (document.changed and not over_edits) or not await in_thread(lambda: document.outdated):
                return
            unsaved = document.changed
            await self._edited(await in_thread(document.reread), None, 0)
            # What reading has to say, and what is tried beside the text, may be others even where that is the same.
            self._checks.edited()
            self._evidence.edited()
            text = f"{document.name} was changed by another program and is shown as it is now; undo shows "
            text += "the edits that were not saved" if unsaved else "it as it was"
            self.tell({"type": "notice", "text": text})
            self.tell({"type": "saved", "request": 0, **history_flags(document)})

    async def save(self) -> None:
        """Save for no page of this room.

        Raises:
            AndanteError: It cannot be saved.
        """
        async with self._turn:
            await in_thread(self.document.save)
        self.tell({"type": "saved", "request": 0, **history_flags(self.document)})
        self._evidence.edited()

    async def save_as(self, message: asked.SaveAs, path: Path) -> dict[str, Any]:
        """Write what the document says into another file of the workspace; the answer.

        Raises:
            AndanteError: It cannot be written.
        """
        async with self._turn:
            losses = await in_thread(
                partial(self.document.save_as, path, message.format, message.motion, overwrite=message.overwrite)
            )
        return {"type": "saved_as", "file": message.file, "losses": losses}

    def tell(self, data: dict[str, Any]) -> None:
        """Send a message to all pages."""
        self._queue(json.dumps(data, allow_nan=False))
        if self._noted is not None:
            self._noted(self, data)

    def _queue(self, text: str) -> None:
        for page in self.pages:
            page.queue(text)

    async def ask(self, page: Page, message: Any) -> dict[str, Any] | None:
        """Do what a page asks for; the answer, or None where it comes by another way.

        Raises:
            AndanteError: It cannot be done.
        """
        if isinstance(message, asked.Editing):
            async with self._turn:
                return await self._edit(page, message)
        if isinstance(message, asked.Saving):
            async with self._turn:
                return await self._save(page, message)
        if isinstance(message, asked.Posture):
            return {"type": "balance", **await asyncio.to_thread(self._posture, message)}
        if isinstance(message, asked.Step):
            await self.step(message.do == "undo", page, message.request)
        elif isinstance(message, asked.Show):
            page.show = (message.motion, message.block)
            self._trajectories.show(page, message.request)
        elif isinstance(message, asked.Drag):
            self._fits(message.joints)
            self._moves.drag(page, self._source(), message)
        elif isinstance(message, asked.CheckPhysics):
            self._checks.prove(page, message)
        elif isinstance(message, asked.Share):
            if not self._runs.finished:
                raise StudioError("there is no finished run to share", remedy="⚙ Physics makes one")
            self._jobs.begin(answered(page, message.request, "shared", self._share, message.kind))
        elif isinstance(message, asked.Evidence):
            self._evidence.want(message)
        elif isinstance(message, asked.Play):
            async with self._turn:
                order = await asyncio.to_thread(self._order, message)
            self._runs.play(message, order)
        else:
            self._runs.ask(page, message)
        return None

    async def end(self) -> None:
        """End the simulation, close the document."""
        self._jobs.end()
        self._checks.end()
        self._evidence.end()
        async with self._turn:
            await asyncio.to_thread(self._runs.end)
            await in_thread(self.document.close)

    async def _share(self, kind: str) -> dict[str, Any]:
        """Write the last run as something to show; where it lies, and its size."""
        folder = self.runs.parent.parent.parent / "shared"
        raw = await self._helpers.proofs.ask(shared_bytes, self.runs, kind)
        path = folder / f"{self.document.path.stem}-{_plain(self._runs.finished)}.{kind}"
        await asyncio.to_thread(self._disk.folders, folder)
        await asyncio.to_thread(self._disk.write, path, raw)
        return {"file": f"{folder.name}/{path.name}", "bytes": len(raw)}

    # Editing -----------------------------------------------------------------------------------------------------

    async def _edit(self, page: Page, message: Any) -> dict[str, Any] | None:
        live = self.document.live
        if message.revision != live.revision:
            return self._missed(message)
        edit = await asyncio.to_thread(edit_of, message, live, self.robot)
        if not edit:
            return {"type": "done", "revision": live.revision}
        group = message.group and f"{page.number}:{message.group}"
        made = await in_thread(self.document.edit, edit, group)
        if isinstance(message, asked.TextEdit) and message.key:
            self._keys.append(message.key)
        await self._edited([made], page, message.request)
        return None

    def _missed(self, message: Any) -> dict[str, Any]:
        """What a page is told that has missed edits, so that it makes its own anew.

        Raises:
            StudioError: It has missed too many.
        """
        live = self.document.live
        behind = live.revision - message.revision
        if not 0 < behind <= _BEHIND:
            raise StudioError(
                "this page is too far behind the document",
                value=message.revision,
                limit=f"revision {live.revision}",
                remedy="reload it",
            )
        return {"type": "conflict", "revision": live.revision}

    async def _edited(self, done: list[Applied], page: Page | None, request: int) -> None:
        """Tell all pages of edits."""
        live = self.document.live
        if not done:
            if page is not None:
                page.send({"type": "done", "request": request, "revision": live.revision})
            return
        number = None if page is None else page.number
        made = (self.document, done, number, request, self._helpers.reading)
        for text in await asyncio.to_thread(edited_messages, *made):
            self._queue(text)
        if self._noted is not None:
            self._noted(self, {"type": "edited", "revision": live.revision})
        self._checks.edited()
        self._evidence.edited()
        # A document may call its robot by the path of its file, which is not the robot's own name.
        if live.library is not None and self._robot_called != live.library.robot:
            await self._load_robot()
            await self._tell_robot()
        self._trajectories.edited()

    async def _save(self, page: Page, message: asked.Saving) -> dict[str, Any] | None:
        if message.do == "diff":
            difference, losses = await in_thread(self.document.saving)
            return {"type": "diff", "difference": difference, "losses": losses}
        reading = self.document.reading
        await in_thread(partial(self.document.save, overwrite=message.overwrite))
        saved = {"type": "saved", **history_flags(self.document)}
        for each in self.pages:
            each.send({**saved, "request": message.request if each is page else 0})
        if self._noted is not None:
            self._noted(self, {"type": "saved"})
        # The file that it is tried against is another one now.
        self._evidence.edited()
        if reading != self.document.reading:
            self._checks.edited()
        return None

    # Robot, trajectory, balance ----------------------------------------------------------------------------------

    def _source(self) -> str:
        """Name or file of the robot; a path is seen from the document's folder."""
        return source_of(self._robots, self.document.path, self._robot_called or "")

    async def _load_robot(self, *, anew: bool = False) -> None:
        library = self.document.live.library
        if library is None:
            return
        self._balance = None
        self._robot_called = library.robot
        try:
            # Before the files are read: what changes while they are is seen at the next look.
            self._robot_files = await asyncio.to_thread(stamps, self._source())
            self.robot = await asyncio.to_thread(robot_of, self._source(), self._helpers.reading)
            self._robot_problem = ""
            self._moves.prepare(self._source(), anew=anew)
        except AndanteError as error:
            self.robot, self._robot_problem = None, str(error)

    async def _tell_robot(self) -> None:
        robot = self.robot
        scene = None if robot is None else await asyncio.to_thread(partial(robot_scene, robot, collisions=True))
        self.tell({"type": "robot", "robot": scene, "problem": self._robot_problem})

    async def _watch(self) -> None:
        """Look whether somebody else changes the document's file, or the robot's: what was found may be so no more."""
        outdated, known = False, self.document.disk
        while True:
            await asyncio.sleep(_LOOK)
            if await asyncio.to_thread(stamps, self._source()) != self._robot_files:
                async with self._turn:
                    await self._load_robot(anew=True)
                    await self._tell_robot()
                self._checks.edited()
                self._evidence.robot_changed()
                self._trajectories.edited()
            told, outdated = outdated, await asyncio.to_thread(self.document.outdated_now)
            if outdated and not self.document.changed:
                # Where it cannot be read just now a save still asks.
                with contextlib.suppress(AndanteError):
                    await self.reread()
                    outdated = False
            if outdated and not told:
                async with self._turn:
                    # A save of our own may have been under way.
                    outdated = await in_thread(lambda: self.document.outdated)
            if not outdated and self.document.disk:
                self.document.disk = ""
            if outdated and not told:
                gone = self.document.disk == "gone"
                text = "was changed by another program; a save asks before it overwrites it"
                text = "is gone from the disk: deleted, or renamed; a save writes it again" if gone else text
                self.tell({"type": "notice", "text": f"{self.document.name} {text}"})
            if known != self.document.disk:
                known = self.document.disk
                self.tell({"type": "saved", "request": 0, **history_flags(self.document)})

    def _posture(self, message: asked.Posture) -> dict[str, Any]:
        robot = self._fits(message.joints)
        if self._balance is None:
            self._balance = PostureBalance(robot)
        return self._balance.of(np.array(message.joints))

    def _fits(self, joints: tuple[float, ...]) -> Robot:
        """The robot, where a posture can be its own.

        Raises:
            StudioError: It cannot.
        """
        if self.robot is None or len(joints) != len(self.robot.joints):
            raise StudioError("this posture is not this robot's")
        return self.robot

    def _order(self, message: asked.Play) -> Order:
        """What is to be run.

        Raises:
            StudioError: The document has a mistake, or its robot is unknown.
        """
        library, robot = self.document.live.known(), self.robot
        if robot is None:
            raise StudioError(self._robot_problem or "the robot is unknown")
        text = self.document.live.text
        if not self.document.own or library.robot != robot.name:
            text = dump_library(by_name(library, robot))
        how = (message.motion, message.seed, self.runs, self._disk, message.allow_fall, message.start)
        return Order(text, self._source(), *how, revision=self.document.live.revision)


def _plain(name: str) -> str:
    """A name as a part of a file's, another one for each."""
    if re.fullmatch(r"[\w-]+", name) and len(name.encode()) <= _LONGEST:
        return name
    return f"{re.sub(r'[^A-Za-z0-9_-]+', '-', name)[:40].strip('-') or 'run'}-{checksum(name)}"
