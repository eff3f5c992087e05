"""The checks of one open document: findings a moment after each edit, proofs in physics when a page asks.

They run in a process beside the server, so that neither pages nor runs wait for them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor
from functools import partial
from typing import Any

from andante.errors import AndanteError
from andante.motions.checks.choice import check
from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot
from andante.runs.motion_libraries import by_name
from andante.studio.connected_page import Jobs, Page, answered
from andante.studio.live_library import LiveLibrary
from andante.studio.messages import CheckPhysics
from andante.studio.view import finding_view

MOST = 400
"""Most findings that a page is shown; the others are counted."""


def findings_of(library: MotionLibrary, robot: str) -> dict[str, Any]:
    """What `andante check` says of a library: findings, errors first, and how many there are.

    Raises:
        AndanteError: The robot is unknown.
    """
    model = Robot.load(robot)
    found = check(by_name(library, model), model)
    return {"findings": [finding_view(finding) for finding in found[:MOST]], "count": len(found)}


def proof_of(library: MotionLibrary, robot: str, motion: str, seeds: int) -> dict[str, Any]:
    """What `andante check --physics` says of one motion.

    Raises:
        AndanteError: The motion cannot be run.
    """
    from andante.runs.physics_check import PhysicsRules, check_physics

    rules = PhysicsRules(seeds=tuple(range(seeds)))
    model = Robot.load(robot)
    found = check_physics(by_name(library, model), model, rules, [motion])
    return {"motion": motion, "seeds": seeds, "findings": [finding_view(finding) for finding in found]}


_IDLE = 0.35
"""Time without an edit after which the checks begin [s]."""


class DocumentChecks:
    """What is found in one document.

    Args:
        live: The document.
        process: The process that checks.
        source: Name or file of the document's robot.
        tell: Tells all pages of the document something.
    """

    def __init__(
        self,
        live: LiveLibrary,
        process: Executor,
        source: Callable[[], str],
        tell: Callable[[dict[str, Any]], None],
    ) -> None:
        self._live, self._process, self._source, self._tell = live, process, source, tell
        self._jobs = Jobs()
        self._check: asyncio.Task[None] | None = None
        self._findings: dict[str, Any] | None = None

    def enter(self, page: Page) -> None:
        """Tell one more page what is found; look for it where nobody has."""
        if self._findings is not None:
            page.send(self._findings)
        else:
            self._check_soon()

    def edited(self) -> None:
        """Check anew, a moment after the last edit."""
        self._findings = None
        self._check_soon()

    def prove(self, page: Page, message: CheckPhysics) -> None:
        """Run a motion in physics, and tell the page that has asked."""
        library = self._live.library
        if library is None:
            page.send({"type": "refused", "request": message.request, "text": "the document has a mistake"})
            return
        find = partial(proof_of, library, self._source(), message.motion, message.seeds)
        self._jobs.begin(answered(page, message.request, "proof", self._process, find))

    def end(self) -> None:
        """Check no more."""
        self._jobs.end()

    def _check_soon(self) -> None:
        if self._check is not None and not self._check.done():
            self._check.cancel()
        self._check = self._jobs.begin(self._check_later())

    async def _check_later(self) -> None:
        await asyncio.sleep(_IDLE)
        library, revision = self._live.library, self._live.revision
        if library is None:
            return
        self._tell({"type": "checking", "revision": revision})
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self._process, findings_of, library, self._source())
        except (AndanteError, BrokenExecutor) as error:
            found = {"findings": [], "count": 0, "text": str(error)}
        if revision == self._live.revision:
            self._findings = {"type": "findings", "revision": revision, **found}
            self._tell(self._findings)
