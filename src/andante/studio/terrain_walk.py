"""One walk of the terrain page in physics, in real time: planned, or steered by what the page wishes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from andante.documents.files import write_text
from andante.runs.build import build
from andante.runs.clock import WATCHED, RealTimeClock
from andante.runs.execute import LOG, SCENARIO, judged, log_metadata, session_of
from andante.runs.live.pilot import Pilot
from andante.runs.live.source import Wish
from andante.runs.log import Log
from andante.runs.recorder import LogRecorder
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import scenario_text
from andante.runs.tick import Tick
from andante.studio.drawn_pose import DrawnPose
from andante.studio.recorded import Plotted

_PLANNED = 0.1
"""A tick that takes longer has planned; time goes on after it without catching up [s]."""


class PageSource:
    """The wishes of a page, as a source of steering."""

    name = "the page"
    guide: Sequence[str] = ()

    def __init__(self) -> None:
        self.wish = Wish()
        self.gaits: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        """Nothing to open."""
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to close."""

    def begin(self, gaits: Sequence[str]) -> None:
        """These gaits may be chosen."""
        self.gaits = tuple(gaits)

    def poll(self) -> Wish:
        """What is wished now."""
        return self.wish


class TerrainWalk:
    """A session with its log, paced by the clock.

    Args:
        scenario: What is walked.
        folder: Where scenario and log go.
        seconds: How long it may be steered [s]; None: it is not steered.
        plotted: Collects the variables that the page plots.

    Raises:
        AndanteError: The scenario cannot be run, or the folder cannot be written.
    """

    def __init__(self, scenario: Scenario, folder: Path, seconds: float | None, plotted: Plotted) -> None:
        self.scenario, self.folder = scenario, folder
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / SCENARIO, scenario_text(scenario))
        self.parts = build(scenario)
        recorder = LogRecorder(folder / LOG, log_metadata(scenario, self.parts.robot))
        self.session = session_of(scenario, self.parts, recorder=recorder)
        self.source = PageSource()
        self.asked = ""
        self._pilot = None if seconds is None else Pilot(self.source, seconds, self._note_asked)
        self._clock = RealTimeClock(late=WATCHED)
        self.drawn = DrawnPose(self.parts)
        self.plotted = plotted
        plotted.clear()
        self.session.start()
        self._clock.start(self.session.schedule.period)
        self._clock.rebase(self.session.moment)

    @property
    def gaits(self) -> tuple[str, ...]:
        """Gaits that may be chosen."""
        steering = self.session.steering
        return () if steering is None else steering.gaits

    def step(self) -> Tick:
        """One tick, at its time; the pilot is asked before it."""
        self._clock.wait_until(self.session.moment)
        began = time.perf_counter()
        if self._pilot is not None:
            self._pilot(self.session)
        tick = self.session.step()
        self.plotted.note(tick)
        if time.perf_counter() - began > _PLANNED:
            self._clock.rebase(self.session.moment)
        return tick

    def finish(self) -> dict[str, Any]:
        """Close the log and judge the run."""
        session = self.session
        session.close()
        outcome = session.outcome(lateness=self._clock.lateness)
        metrics, verdict, _ = judged(self.scenario, self.parts, Log.open(self.folder / LOG), outcome)
        walk = metrics.walk
        found: dict[str, Any] = {
            "verdict": verdict.verdict,
            "reasons": list(verdict.reasons),
            "time": outcome.time,
            "tilt": metrics.max_tilt,
            "folder": str(self.folder),
        }
        if walk is not None:
            found["walk"] = {
                "speed": walk.speed, "steps": walk.steps, "planned": walk.planned, "misses": walk.misses,
                "slip": walk.slip, "margin": walk.margin,
            }  # fmt: skip
        return found

    def drop(self) -> None:
        """Close what is open."""
        self.session.end()
        self.session.close()
        self.parts.backend.close()

    def _note_asked(self, text: str) -> None:
        self.asked = text
