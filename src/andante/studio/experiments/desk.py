"""The one experiment of a workspace that runs: its process under watch, its progress, and how it ended.

All pages see it, and it goes on when they are closed. It ends with the studio; what was made is kept, and can be gone
on with.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from andante.studio.errors import StudioError
from andante.studio.experiments.process import ExperimentJob, serve
from andante.studio.processes import in_loop, relay
from andante.studio.supervised import HelperLimits, SupervisedProcess
from andante.studio.workspace import Workspace

LIMITS = HelperLimits(seconds=900.0, memory=6e9, nice=10)
"""What a run may take: time for one trial, memory."""
MOST_RESTARTS = 2
"""So often a process that was ended from outside is begun anew."""
_LOOK = 0.5
_RECENT = 20
"""Trials that did not pass and are told with their reasons."""
_GRACE = 5.0
"""So long a run may take to end in good order [s]."""


class ExperimentDesk:
    """Runs experiments, one at a time.

    Args:
        workspace: Where they are run and kept.
        tell: Tells all pages something.
        limits: What a run may take.
    """

    def __init__(
        self, workspace: Workspace, tell: Callable[[dict[str, Any]], None], limits: HelperLimits = LIMITS
    ) -> None:
        self._workspace, self._tell, self._limits = workspace, tell, limits
        self._process: SupervisedProcess | None = None
        self._job: ExperimentJob | None = None
        self._state: dict[str, Any] | None = None
        self._restarts = 0
        self._end = 0.0
        self._told = 0.0

    @property
    def running(self) -> bool:
        """Whether one runs."""
        return self._process is not None

    def state(self) -> dict[str, Any]:
        """The run of now or the last one as pages are told it."""
        if self._state is None:
            return {"type": "run", "run": None}
        state = self._state
        seconds = (time.monotonic() if self.running else state["until"]) - state["since"]
        shown = {name: value for name, value in state.items() if name not in ("since", "until")}
        return {"type": "run", "run": {**shown, "seconds": round(seconds, 1)}}

    def begin(self, job: ExperimentJob, minutes: float) -> None:
        """Run one (in the server's loop).

        Raises:
            StudioError: Another one runs.
        """
        if self._state is not None and self.running:
            remedy = "wait for its end, or cancel it"
            raise StudioError("one experiment runs at a time", value=self._state["result"], remedy=remedy)
        now = time.monotonic()
        self._restarts, self._job, self._end = 0, job, now + 60.0 * minutes
        self._state = {
            "experiment": job.order.experiment,
            "result": job.folder,
            "state": "starting",
            "text": "",
            "cells": [],
            "recent": [],
            "resumed": job.resume,
            "minutes": minutes,
            "since": now,
            "until": now,
        }
        self._start(job)
        self._say()

    async def cancel(self, why: str = "it was cancelled") -> None:
        """End the run; what was made is kept.

        Raises:
            StudioError: None runs.
        """
        process, self._process = self._process, None
        if process is None:
            raise StudioError("no experiment runs")
        self._over("cancelled", f"{why}; the trials that were made are kept")
        await asyncio.to_thread(process.stop, _GRACE)
        self._say()

    def end(self) -> None:
        """End the process; the studio ends."""
        process, self._process = self._process, None
        if process is not None:
            process.stop(0.5)

    def _start(self, job: ExperimentJob) -> None:
        loop = asyncio.get_running_loop()
        ended = partial(in_loop, loop, self._ended)
        process = self._process = SupervisedProcess("studio-bench", serve, self._limits, ended)
        process.owe()
        process.pipe.send(job)
        hear = partial(in_loop, loop, self._heard, process)
        threading.Thread(target=relay, args=(process.pipe, hear), daemon=True, name="experiment").start()
        loop.call_later(_LOOK, self._look, process)

    def _look(self, process: SupervisedProcess) -> None:
        """See that it keeps to its time."""
        if self._process is not process or self._state is None:
            return
        loop = asyncio.get_running_loop()
        if time.monotonic() > self._end:
            minutes = self._state["minutes"]
            self._ending = loop.create_task(self.cancel(f"its {minutes:g} min are over"))
            return
        if self._told and time.monotonic() - self._told > _LOOK:
            self._say()
        loop.call_later(_LOOK, self._look, process)

    def _heard(self, process: SupervisedProcess, kind: str, data: Any) -> None:
        state = self._state
        if self._process is not process or state is None:
            return
        # Each trial has its own time.
        process.owe()
        if kind == "cells":
            state |= {"state": "going", "cells": data}
            self._say()
        elif kind == "trial":
            cell = next(each for each in state["cells"] if each["name"] == data["cell"])
            cell["done"] += 1
            cell["passed"] += data["passed"] is True
            cell["failed"] += data["passed"] is False
            if data["passed"] is False:
                state["recent"] = [data, *state["recent"]][:_RECENT]
            # Quick trials are told together.
            self._told = self._told or time.monotonic()
        elif kind == "page":
            state["text"] = "the page with film strips is being made"
            self._say()
        elif kind == "done":
            good = "every figure that was asked is met"
            self._dismiss(process, "done", good if data["passed"] else "a figure misses what was asked")
        elif kind == "failed":
            self._dismiss(process, "failed", data)

    def _dismiss(self, process: SupervisedProcess, how: str, text: str) -> None:
        """Let a process go that has said its last word."""
        self._process = None
        self._over(how, text)
        asyncio.get_running_loop().run_in_executor(None, process.stop, _GRACE)
        self._say()

    def _ended(self, process: SupervisedProcess, why: str) -> None:
        """Its process has ended by itself: it is begun anew, with what it has kept."""
        if self._process is not process or self._state is None or self._job is None:
            return
        self._process = None
        process.stop(0.0)
        kept = self._workspace.folder / self._job.folder / "result.json.journal"
        if why.startswith(("it was killed", "it was ended", "it was stopped")) and self._restarts < MOST_RESTARTS:
            self._restarts += 1
            text = f"its process has ended: {why}; it was begun anew ({self._restarts} of {MOST_RESTARTS} times)"
            self._state |= {"state": "starting", "text": text}
            self._job = replace(self._job, resume=kept.is_file())
            self._start(self._job)
        else:
            self._over("cut off", f"its process has ended: {why}; the trials that were made are kept")
        self._say()

    def _over(self, how: str, text: str) -> None:
        if self._state is not None:
            self._state |= {"state": how, "text": text, "until": time.monotonic()}

    def _say(self) -> None:
        self._told = 0.0
        self._tell(self.state())
