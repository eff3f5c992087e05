"""Room: one open document with the pages that look at it, its simulation and its checks."""

from __future__ import annotations

import asyncio
import json
import struct
from collections import deque
from collections.abc import Mapping
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from andante.documents.problems import DocumentError
from andante.errors import AndanteError
from andante.motions.sampling import sample_block, sample_motion
from andante.motions.storage import dump_library
from andante.robots.robot import Robot
from andante.studio import messages as asked
from andante.studio.balance import PostureBalance
from andante.studio.checking import findings_of, named_for, proof_of
from andante.studio.document import Applied, OpenDocument
from andante.studio.dragging import dragged, warm
from andante.studio.editing import edit_of
from andante.studio.errors import StaleError, StudioError
from andante.studio.midi import MidiControl
from andante.studio.processes import TalkingProcess, finite
from andante.studio.scene import robot_scene
from andante.studio.simulation import Begin, Order, serve
from andante.studio.splices import Edit, applied, inverse
from andante.studio.view import (
    POSE,
    edit_view,
    library_view,
    patch_view,
    problem_view,
    start_posture,
    trajectory_message,
)

_SYNC = 0.4
"""Time between two syncs of the journal [s]."""
_IDLE = 0.35
"""Time without an edit after which the checks begin [s]."""
_REMEMBERED = 5000
"""Edits that a page may have missed and still be told."""
_WAITING = 4000
"""Messages that may wait for one page; a page that takes none for so long is let go."""


class Page:
    """One connected page: what waits to be sent to it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.show: tuple[str, str] = ("", "")
        self._waiting: deque[str | bytes] = deque()
        self._pose: bytes | None = None
        self._wake = asyncio.Event()
        self.lost = False

    def send(self, data: dict[str, Any]) -> None:
        """Queue a message."""
        self.queue(json.dumps(data, allow_nan=False))

    def queue(self, message: str | bytes) -> None:
        """Queue an encoded message."""
        if len(self._waiting) >= _WAITING:
            self.lost = True
        else:
            self._waiting.append(message)
        self._wake.set()

    def pose(self, message: bytes) -> None:
        """Show a pose; one that was not sent yet is forgotten."""
        self._pose = message
        self._wake.set()

    async def next(self) -> list[str | bytes]:
        """What is to be sent, the pose last."""
        await self._wake.wait()
        self._wake.clear()
        found = list(self._waiting)
        self._waiting.clear()
        if self._pose is not None:
            found.append(self._pose)
            self._pose = None
        return found


class Room:
    """A document, its pages, its runs.

    Args:
        document: The document.
        checks: The process that checks.
        moves: The process that solves what is dragged.
        runs: Folder in which runs are kept.
        robots: Files of robots that documents call by their names.
        loaded: A robot that is loaded already, and how documents call it.
    """

    def __init__(
        self,
        document: OpenDocument,
        checks: ProcessPoolExecutor,
        moves: ProcessPoolExecutor,
        runs: Path,
        robots: Mapping[str, str] | None = None,
        loaded: tuple[str, Robot] | None = None,
    ) -> None:
        self.document = document
        self.pages: list[Page] = []
        self._checks, self._moves, self._runs = checks, moves, runs
        self._robots = dict(robots or {})
        self._robot: Robot | None = None
        self._robot_called = ""
        self._robot_problem = ""
        self._balance: PostureBalance | None = None
        self._missed: deque[tuple[int, Edit, str]] = deque(maxlen=_REMEMBERED)
        self._process = TalkingProcess(serve, "andante-studio-simulation", self._heard)
        self._tasks: set[asyncio.Task[None]] = set()
        self._check: asyncio.Task[None] | None = None
        self._sampling: asyncio.Task[None] | None = None
        self._findings: dict[str, Any] | None = None
        self._last_run: dict[str, Any] | None = None
        self._pose: bytes | None = None
        self._midi = MidiControl(self.tell, self._turn)
        library = document.live.library
        if loaded is not None and library is not None and library.robot == loaded[0]:
            self._robot_called, self._robot = loaded
        else:
            self._load_robot()
        self._keep(self._sync())

    # Pages -------------------------------------------------------------------------------------------------------

    def enter(self, page: Page, request: int = 0) -> None:
        """Show the document to one more page."""
        self.pages.append(page)
        page.send({**self.state(), "request": request})
        if self._findings is not None:
            page.send(self._findings)
        else:
            self._check_soon()
        if self._last_run is not None:
            page.send(self._last_run)
        if self._pose is not None:
            page.pose(self._pose)

    def leave(self, page: Page) -> None:
        """A page is gone."""
        if page in self.pages:
            self.pages.remove(page)

    def state(self) -> dict[str, Any]:
        """Everything that a page needs to begin."""
        document, live = self.document, self.document.live
        return {
            "type": "state",
            "file": document.name,
            "format": document.codec.title,
            "own": document.own,
            "revision": live.revision,
            "text": live.text,
            "library": None if live.library is None else library_view(live.library),
            "units": live.units.model_dump(),
            "problems": problem_view(live.problem),
            "remarks": document.remarks[:50],
            "recovered": document.recovered,
            "robot": None if self._robot is None else robot_scene(self._robot),
            "robotProblem": self._robot_problem,
            "pages": len(self.pages),
            **self._flags(),
        }

    @property
    def robot(self) -> Robot | None:
        """The document's robot; None: unknown."""
        return self._robot

    @property
    def loaded(self) -> tuple[str, Robot] | None:
        """The robot and how the document calls it."""
        return None if self._robot is None else (self._robot_called, self._robot)

    def do(self, edit: Edit) -> None:
        """Do an edit that comes from no page of this room."""
        if edit:
            self._edited([self.document.edit(edit)], None, 0)

    def step(self, back: bool) -> None:
        """Undo or redo for no page of this room."""
        self._edited(self.document.undo() if back else self.document.redo(), None, 0)

    def tell_saved(self) -> None:
        """Tell all pages that the document is as its file."""
        self.tell({"type": "saved", "request": 0, **self._flags()})

    def tell(self, data: dict[str, Any]) -> None:
        """Send a message to all pages."""
        text = json.dumps(data, allow_nan=False)
        for page in self.pages:
            page.queue(text)

    def ask(self, page: Page, message: Any) -> None:
        """Do what a page asks for; what is impossible is told to it.

        Raises:
            AndanteError: It cannot be done.
        """
        if isinstance(message, asked.Editing):
            self._edit(page, message)
        elif isinstance(message, asked.Step):
            done = self.document.undo() if message.do == "undo" else self.document.redo()
            self._edited(done, page, message.request)
        elif isinstance(message, asked.Saving):
            self._save(page, message)
        elif isinstance(message, asked.Show):
            page.show = (message.motion, message.block)
            self._sample(page, message.request)
        elif isinstance(message, asked.Posture):
            self._posture(page, message)
        elif isinstance(message, asked.Drag):
            self._keep(self._drag(page, message))
        elif isinstance(message, asked.CheckPhysics):
            self._keep(self._prove(page, message))
        elif isinstance(message, asked.MidiMessage):
            answer = self._midi.ask(message)
            for each in self.pages if answer["type"] == "midi" else (page,):
                each.send({**answer, "request": message.request if each is page else 0})
        else:
            self._run(message)

    def end(self) -> None:
        """End the simulation, close the document."""
        for task in list(self._tasks):
            task.cancel()
        self._midi.close()
        self._process.stop()
        self.document.close()

    # Editing -----------------------------------------------------------------------------------------------------

    def _edit(self, page: Page, message: Any) -> None:
        live = self.document.live
        if message.revision != live.revision:
            self._refuse_stale(page, message)
            return
        edit = edit_of(message, live, self._robot)
        if not edit:
            page.send({"type": "done", "request": message.request, "revision": live.revision})
            return
        group = message.group and f"{page.number}:{message.group}"
        self._edited([self.document.edit(edit, group)], page, message.request)

    def _refuse_stale(self, page: Page, message: Any) -> None:
        """Tell a page what it missed, so that it can make its edit anew."""
        live = self.document.live
        behind = live.revision - message.revision
        if not 0 < behind <= len(self._missed):
            raise StaleError(
                "this page is too far behind the document",
                value=message.revision,
                limit=f"revision {live.revision}",
                remedy="reload it",
            )
        page.send({"type": "conflict", "request": message.request, "revision": live.revision})

    def _edited(self, done: list[Applied], page: Page | None, request: int) -> None:
        """Tell all pages of edits."""
        live = self.document.live
        if not done:
            if page is not None:
                page.send({"type": "done", "request": request, "revision": live.revision})
            return
        # The texts before each edit, from the newest back.
        after, texts = live.text, []
        for each in reversed(done):
            after = applied(after, inverse(each.edit))
            texts.append(after)
        for number, (each, before) in enumerate(zip(done, reversed(texts), strict=True)):
            last = number == len(done) - 1
            revision = live.revision - (len(done) - 1 - number)
            self._missed.append((revision, each.edit, ""))
            data: dict[str, Any] = {
                "type": "edited",
                "revision": revision,
                "splices": edit_view(each.edit, before),
                "page": None if page is None else page.number,
                "request": request if last else 0,
                **self._flags(),
            }
            if each.patch is not None:
                data["patch"] = patch_view(each.patch)
            elif last:
                data["library"] = None if live.library is None else library_view(live.library)
                data["units"] = live.units.model_dump()
            if last:
                data["problems"] = problem_view(live.problem)
            self.tell(data)
        # A document may call its robot by the path of its file, which is not the robot's own name.
        if live.library is not None and self._robot_called != live.library.robot:
            self._load_robot()
            scene = None if self._robot is None else robot_scene(self._robot)
            self.tell({"type": "robot", "robot": scene, "problem": self._robot_problem})
        self._findings = None
        self._check_soon()
        self._sample_soon()

    def _flags(self) -> dict[str, Any]:
        history = self.document.history
        return {"canUndo": history.can_undo, "canRedo": history.can_redo, "changed": self.document.changed}

    def _save(self, page: Page, message: asked.Saving) -> None:
        if message.do == "diff":
            saving = self.document.saving()
            page.send(
                {
                    "type": "diff",
                    "request": message.request,
                    "difference": saving.difference,
                    "losses": list(saving.losses),
                }
            )
            return
        self.document.save(overwrite=message.overwrite)
        for each in self.pages:
            each.send({"type": "saved", "request": message.request if each is page else 0, **self._flags()})

    async def _sync(self) -> None:
        while True:
            await asyncio.sleep(_SYNC)
            await asyncio.to_thread(self.document.journal.sync)

    # Robot, trajectory, balance ----------------------------------------------------------------------------------

    def _source(self) -> str:
        """Name or file of the robot."""
        return self._robots.get(self._robot_called, self._robot_called)

    def _load_robot(self) -> None:
        library = self.document.live.library
        self._balance = None
        if library is None:
            return
        self._robot_called = library.robot
        try:
            self._robot, self._robot_problem = Robot.load(self._source()), ""
            self._moves.submit(warm, self._source())
        except AndanteError as error:
            self._robot, self._robot_problem = None, str(error)

    def _sample_soon(self) -> None:
        if self._sampling is None or self._sampling.done():
            self._sampling = self._keep(self._sample_all())

    async def _sample_all(self) -> None:
        await asyncio.sleep(0.04)
        for page in list(self.pages):
            self._sample(page, 0)

    def _sample(self, page: Page, request: int) -> None:
        """Send a page the trajectory of what it shows."""
        live, robot = self.document.live, self._robot
        motion, block = page.show
        if live.library is None or robot is None or not (motion or block):
            return
        try:
            start = start_posture(robot)
            found = (
                sample_motion(live.library, robot, motion, start)
                if motion
                else sample_block(live.library, robot, block, start)
            )
        except AndanteError as error:
            page.send({"type": "unsampled", "request": request, "text": str(error)})
            return
        page.queue(trajectory_message(found, live.revision, request))

    def _posture(self, page: Page, message: asked.Posture) -> None:
        robot = self._robot
        if robot is None or len(message.joints) != len(robot.joints):
            raise StudioError("this posture is not this robot's")
        if self._balance is None:
            self._balance = PostureBalance(robot)
        found = self._balance.of(np.array(message.joints))
        page.send({"type": "balance", "request": message.request, **found})

    async def _drag(self, page: Page, message: asked.Drag) -> None:
        robot = self._robot
        if robot is None or len(message.joints) != len(robot.joints):
            page.send({"type": "refused", "request": message.request, "text": "this posture is not this robot's"})
            return
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(
                self._moves,
                dragged,
                self._source(),
                message.joints,
                message.base,
                message.frame,
                message.target,
                message.feet,
                message.locked,
                message.limb,
            )
        except (AndanteError, BrokenExecutor) as error:
            page.send({"type": "refused", "request": message.request, "text": str(error)})
            return
        page.send({"type": "dragged", "request": message.request, **found})

    # Checks ------------------------------------------------------------------------------------------------------

    def _check_soon(self) -> None:
        if self._check is not None and not self._check.done():
            self._check.cancel()
        self._check = self._keep(self._check_later())

    async def _check_later(self) -> None:
        await asyncio.sleep(_IDLE)
        live = self.document.live
        library, revision = live.library, live.revision
        if library is None:
            return
        self.tell({"type": "checking", "revision": revision})
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self._checks, findings_of, library, self._source())
        except (AndanteError, BrokenExecutor) as error:
            found = {"findings": [], "count": 0, "text": str(error)}
        if revision == live.revision:
            self._findings = {"type": "findings", "revision": revision, **found}
            self.tell(self._findings)

    async def _prove(self, page: Page, message: asked.CheckPhysics) -> None:
        library = self.document.live.library
        if library is None:
            page.send({"type": "refused", "request": message.request, "text": "the document has a mistake"})
            return
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(
                self._checks, proof_of, library, self._source(), message.motion, message.seeds
            )
        except (AndanteError, BrokenExecutor) as error:
            page.send({"type": "refused", "request": message.request, "text": str(error)})
            return
        page.send(
            {
                "type": "proof",
                "request": message.request,
                "motion": message.motion,
                "seeds": message.seeds,
                "findings": found,
            }
        )

    # Runs --------------------------------------------------------------------------------------------------------

    def _run(self, message: Any) -> None:
        if isinstance(message, asked.Play):
            self._play(message)
            return
        if not self._process.begun and not isinstance(message, asked.Plots):
            raise StudioError("nothing runs")
        if isinstance(message, asked.Steer):
            self._command(message.do, message.ticks if message.do == "step" else None)
        elif isinstance(message, asked.Speed):
            self._command("speed", message.speed)
        elif isinstance(message, asked.Plots):
            self._command("plots", message.columns)
        elif isinstance(message, asked.BeginFault):
            self._command("fault", message.fault)
        elif isinstance(message, asked.MendFault):
            self._command("mend", message.name)
        elif isinstance(message, asked.Change):
            self._command("change", (message.parameter, message.value))

    def _turn(self, message: asked.Change) -> None:
        """A knob was turned; without a run it moves nothing."""
        if self._last_run is not None and self._last_run["type"] == "started":
            self._run(message)

    def _play(self, message: asked.Play) -> None:
        live = self.document.live
        library, robot = live.library, self._robot
        if library is None:
            raise StudioError("the document has a mistake; mend its text first") from live.problem
        if robot is None:
            raise StudioError(self._robot_problem or "the robot is unknown")
        text = (
            live.text if self.document.own and library.robot == robot.name else dump_library(named_for(library, robot))
        )
        order = Order(text, self._source(), message.motion, message.seed, self._runs, allow_fall=message.allow_fall)
        begin = Begin(message.block, message.keyframe, message.occurrence, message.speed, message.paused)
        self._command("play", (order, begin))

    def _command(self, name: str, data: Any) -> None:
        self._process.send(name, data)

    def _heard(self, kind: str, data: Any) -> None:
        """Something that the simulation process said."""
        if kind == "pose":
            number, time, pose, rows = data
            width = len(rows[0]) if rows else 0
            head = struct.pack("<4Id", POSE, number, len(rows), width, time)
            table = np.array(rows, dtype="<f4").tobytes() if rows else b""
            message = head + np.asarray(pose, dtype="<f4").tobytes() + table
            self._pose = message
            for page in self.pages:
                if rows:
                    # Values of plotted variables are not skipped.
                    page.queue(message)
                else:
                    page.pose(message)
        elif kind == "end":
            self.tell({"type": "broken", "run": 0, "text": "the simulation process has ended"})
        else:
            if data["type"] in ("started", "verdict"):
                self._last_run = data
            self.tell(finite(data))

    def _keep(self, job: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(job)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def told_of(error: AndanteError) -> dict[str, str]:
    """What a page is told of an error: its text, and for a form the place and the text without it."""
    bare = AndanteError(error.what, value=error.value, limit=error.limit, legal=error.legal, remedy=error.remedy)
    return {"text": problem_text(error), "place": error.place[:500], "what": str(bare)[:2000]}


def problem_text(error: AndanteError) -> str:
    """What a page is told of an error; long lists of problems by their first."""
    text = str(error)
    return text if not isinstance(error, DocumentError) or len(text) < 2000 else text[:2000] + " ..."
