"""The checks of one open document: findings a moment after each edit, proofs in physics when a page asks.

They run in processes beside the server, which read the text as `andante check` reads the file. Pages are always told
how it stands: checked, being checked, or why it cannot be checked. Nothing counts as no finding but a finished check.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from andante.errors import AndanteError
from andante.motions.checks.choice import check
from andante.motions.findings import Finding
from andante.motions.judged import lines_of, load_record
from andante.motions.library import MotionLibrary
from andante.motions.storage import load_library
from andante.robots.robot import Robot
from andante.runs.motion_libraries import by_name
from andante.studio.connected_page import Jobs, Page, answered
from andante.studio.document import OpenDocument
from andante.studio.errors import HelperLostError
from andante.studio.messages import CheckPhysics
from andante.studio.processes import Helper
from andante.studio.view import finding_view

MOST = 400
"""Most findings that a page is shown; the others are counted."""
_IDLE = 0.35
"""Time without an edit after which the checks begin [s]."""
_TRIES = 2
"""So often a text is checked whose checks end their process."""
_SECONDS, _PER_CHARACTER = 120.0, 60e-6
"""Time that checks may take, at least and for each character of the text [s]."""


def findings_of(
    text: str, place: str, source: Callable[[str], str], reading: Sequence[Finding], file: Path | None = None
) -> dict[str, Any]:
    """What `andante check` says of a text: findings, how many there are, and how many of each severity.

    What judges said of its motions is among the findings, as something worth knowing.

    Args:
        text: The document.
        place: Its name in messages.
        source: Gives the name or file of the robot that a document calls so.
        reading: What reading the file had to say, where it is another program's.
        file: Its file, beside which judgements of its motions lie; None: there is none.

    Raises:
        AndanteError: The text has a mistake, the robot cannot be loaded, or the judgements cannot be read.
    """
    library = load_library(text, place=place)
    model = Robot.load(source(library.robot))
    bound = by_name(library, model)
    found = [*reading, *check(bound, model), *([] if file is None else _judged(bound, model, file))]
    counts = {word: sum(finding.severity == word for finding in found) for word in ("error", "warning", "info")}
    return {"findings": [finding_view(each) for each in found[:MOST]], "count": len(found), "counts": counts}


def _judged(library: MotionLibrary, robot: Robot, file: Path) -> list[Finding]:
    """What judges said of motions, and whether it still counts."""
    record = load_record(file)
    told = zip(record.judgements, lines_of(record, library, robot), strict=True)
    return [Finding("judged", "info", f"motions.{each.motion}", line, motion=each.motion) for each, line in told]


def proof_of(text: str, of: tuple[str, int], source: Callable[[str], str], motion: str, seeds: int) -> dict[str, Any]:
    """What `andante check --physics` says of one motion.

    Args:
        text: The document.
        of: Its name, and the revision that says this text.
        source: Gives the name or file of the robot that a document calls so.
        motion: The motion.
        seeds: So many runs, with these first seeds.

    Raises:
        AndanteError: The motion cannot be run.
    """
    from andante.runs.checks.physics_check import PhysicsRules, check_physics

    rules = PhysicsRules(seeds=tuple(range(seeds)))
    file, revision = of
    library = load_library(text, place=file)
    model = Robot.load(source(library.robot))
    found = check_physics(by_name(library, model), model, rules, [motion])
    about = {"file": file, "revision": revision, "motion": motion, "seeds": seeds}
    return {**about, "findings": [finding_view(finding) for finding in found]}


class DocumentChecks:
    """What is found in one document.

    Args:
        document: The document.
        checks: The process that checks.
        proofs: The process that proves in physics.
        source: Gives the name or file of the robot that the document calls so; goes to the processes.
        tell: Tells all pages of the document something.
    """

    def __init__(
        self,
        document: OpenDocument,
        checks: Helper,
        proofs: Helper,
        source: Callable[[str], str],
        tell: Callable[[dict[str, Any]], None],
    ) -> None:
        self._document, self._helper, self._proofs, self._source, self._tell = document, checks, proofs, source, tell
        self._live, self._jobs = document.live, Jobs()
        self._check: asyncio.Task[None] | None = None
        self._state: dict[str, Any] = self._how("waiting")

    def enter(self, page: Page) -> None:
        """Tell one more page how it stands; check where nobody has."""
        page.send(self._state)
        if self._state["state"] in ("waiting", "failed") and (self._check is None or self._check.done()):
            self._check_soon()

    def edited(self) -> None:
        """Check anew, a moment after the last edit."""
        self._state = self._how("waiting")
        self._check_soon()

    def prove(self, page: Page, message: CheckPhysics) -> None:
        """Run a motion in physics, and tell the page that has asked."""
        self._live.known()
        of = (self._document.name, self._live.revision)
        asked = (self._live.text, of, self._source, message.motion, message.seeds)
        self._jobs.begin(answered(page, message.request, "proof", self._proofs.ask, proof_of, *asked))

    def end(self) -> None:
        """Check no more."""
        self._jobs.end()

    def _how(self, state: str, **more: Any) -> dict[str, Any]:
        """How it stands, as pages are told."""
        return {"type": "checks", "state": state, "revision": self._live.revision, "text": "", **more}

    def _check_soon(self) -> None:
        if self._check is not None and not self._check.done():
            self._check.cancel()
        self._check = self._jobs.begin(self._check_later())

    async def _check_later(self) -> None:
        await asyncio.sleep(_IDLE)
        document, live, revision = self._document, self._live, self._live.revision
        self._state = self._how("checking")
        self._tell(self._state)
        seconds = _SECONDS + _PER_CHARACTER * len(live.text)
        find = partial(findings_of, live.text, document.name, self._source, document.reading, document.path)
        for tries in range(1, _TRIES + 1):
            try:
                told = self._how("checked", **await self._helper.ask(find, seconds=seconds))
                break
            except HelperLostError as error:
                told = self._how("failed", text=str(error))
                if tries < _TRIES:
                    self._tell(told | {"state": "checking", "text": f"checked again: {error}"})
            except AndanteError as error:
                told = self._how("failed", text=str(error))
                break
        if revision == live.revision:
            self._state = told
            self._tell(told)
