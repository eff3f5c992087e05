"""Room: one open document with the pages that look at it, its simulation and its checks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from andante.documents.problems import DocumentError
from andante.errors import AndanteError
from andante.motions.sampling import sample_block, sample_motion, start_posture
from andante.motions.storage import dump_library
from andante.robots.robot import Robot
from andante.runs.motion_libraries import by_name, robot_source
from andante.studio import messages as asked
from andante.studio.balance import PostureBalance
from andante.studio.connected_page import Jobs, Page
from andante.studio.document import Applied, OpenDocument
from andante.studio.document_checks import DocumentChecks
from andante.studio.document_runs import DocumentRuns
from andante.studio.dragging import Moves
from andante.studio.editing import edit_of
from andante.studio.errors import StudioError
from andante.studio.scene import robot_scene
from andante.studio.simulation import Order
from andante.studio.splices import Edit, applied, inverse
from andante.studio.view import (
    edit_view,
    library_view,
    patch_view,
    problem_view,
    trajectory_message,
)

_SYNC = 0.4
"""Time between two syncs of the journal [s]."""
_BEHIND = 5000
"""Edits that a page may have missed and still make its own anew."""


class Room:
    """A document, its pages, its runs.

    Args:
        document: The document.
        checks: The process that checks.
        moves: What is dragged.
        runs: Folder in which runs are kept.
        robots: Files of robots that documents call by their names.
        loaded: A robot that is loaded already, and how documents call it.
        foxglove: Port on which runs are streamed to Foxglove; None: they are not.
    """

    def __init__(
        self,
        document: OpenDocument,
        checks: ProcessPoolExecutor,
        moves: Moves,
        runs: Path,
        robots: Mapping[str, str] | None = None,
        loaded: tuple[str, Robot] | None = None,
        foxglove: int | None = None,
    ) -> None:
        self.document = document
        self.pages: list[Page] = []
        self._moves, self._folder = moves, runs
        self._robots = dict(robots or {})
        self._robot: Robot | None = None
        self._robot_called = ""
        self._robot_problem = ""
        self._balance: PostureBalance | None = None
        self._jobs = Jobs()
        self._sampling: asyncio.Task[None] | None = None
        self._checks = DocumentChecks(document.live, checks, self._source, self.tell)
        self._runs = DocumentRuns(self._order, self.pages, self.tell, foxglove)
        library = document.live.library
        if loaded is not None and library is not None and library.robot == loaded[0]:
            self._robot_called, self._robot = loaded
        else:
            self._load_robot()
        self._jobs.begin(self._sync())

    # Pages -------------------------------------------------------------------------------------------------------

    def enter(self, page: Page, request: int = 0) -> None:
        """Show the document to one more page."""
        self.pages.append(page)
        page.send({**self.state(), "request": request})
        page.send(self._moves.state())
        self._checks.enter(page)
        self._runs.enter(page)

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
            self._fits(message.joints)
            self._moves.drag(page, self._source(), message)
        elif isinstance(message, asked.CheckPhysics):
            self._checks.prove(page, message)
        else:
            self._runs.ask(page, message)

    def end(self) -> None:
        """End the simulation, close the document."""
        self._jobs.end()
        self._checks.end()
        self._runs.end()
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
        if not 0 < behind <= _BEHIND:
            raise StudioError(
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
        self._checks.edited()
        self._sample_soon()

    def _flags(self) -> dict[str, Any]:
        return {**self.document.history.view(), "changed": self.document.changed}

    def _save(self, page: Page, message: asked.Saving) -> None:
        if message.do == "diff":
            difference, losses = self.document.saving()
            page.send({"type": "diff", "request": message.request, "difference": difference, "losses": losses})
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
        """Name or file of the robot; a path is seen from the document's folder."""
        called = self._robot_called
        return self._robots.get(called) or robot_source(called, self.document.path)

    def _load_robot(self) -> None:
        library = self.document.live.library
        self._balance = None
        if library is None:
            return
        self._robot_called = library.robot
        try:
            self._robot, self._robot_problem = Robot.load(self._source()), ""
            self._moves.prepare(self._source())
        except AndanteError as error:
            self._robot, self._robot_problem = None, str(error)

    def _sample_soon(self) -> None:
        if self._sampling is None or self._sampling.done():
            self._sampling = self._jobs.begin(self._sample_all())

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
            sample, name = (sample_motion, motion) if motion else (sample_block, block)
            found = sample(live.library, robot, name, start)
        except AndanteError as error:
            page.send({"type": "unsampled", "request": request, "text": str(error)})
            return
        page.queue(trajectory_message(found, live.revision, request))

    def _posture(self, page: Page, message: asked.Posture) -> None:
        robot = self._fits(message.joints)
        if self._balance is None:
            self._balance = PostureBalance(robot)
        found = self._balance.of(np.array(message.joints))
        page.send({"type": "balance", "request": message.request, **found})

    def _fits(self, joints: tuple[float, ...]) -> Robot:
        """The robot, where a posture can be its own.

        Raises:
            StudioError: It cannot.
        """
        if self._robot is None or len(joints) != len(self._robot.joints):
            raise StudioError("this posture is not this robot's")
        return self._robot

    def _order(self, message: asked.Play) -> Order:
        """What is to be run.

        Raises:
            StudioError: The document has a mistake, or its robot is unknown.
        """
        live = self.document.live
        library, robot = live.library, self._robot
        if library is None:
            raise StudioError("the document has a mistake; mend its text first") from live.problem
        if robot is None:
            raise StudioError(self._robot_problem or "the robot is unknown")
        text = live.text if self.document.own and library.robot == robot.name else dump_library(by_name(library, robot))
        how = (message.motion, message.seed, self._folder, message.allow_fall, message.start)
        return Order(text, self._source(), *how)


def told_of(error: AndanteError) -> dict[str, str]:
    """What a page is told of an error: its text, and for a form the place and the text without it."""
    bare = AndanteError(error.what, value=error.value, limit=error.limit, legal=error.legal, remedy=error.remedy)
    return {"text": problem_text(error), "place": error.place[:500], "what": str(bare)[:2000]}


def problem_text(error: AndanteError) -> str:
    """What a page is told of an error; long lists of problems by their first."""
    text = str(error)
    return text if not isinstance(error, DocumentError) or len(text) < 2000 else text[:2000] + " ..."
