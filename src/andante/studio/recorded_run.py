"""A run that a page looks at: a session in real time, and the folder with its scenario and its log."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from andante.documents.files import write_text
from andante.runs.build import build
from andante.runs.clock import WATCHED, RealTimeClock
from andante.runs.execute import LOG, SCENARIO, judged, log_metadata, session_of
from andante.runs.log import Log
from andante.runs.metrics import Metrics
from andante.runs.recorder import LogRecorder
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import scenario_text
from andante.runs.tick import Tick
from andante.studio.drawn_pose import DrawnPose


class RecordedRun(ABC):
    """A session that has begun, with its log; `andante replay` repeats it.

    Args:
        scenario: What is run.
        folder: Where scenario and log go.

    Raises:
        AndanteError: The scenario cannot be run, or the folder cannot be written.
    """

    def __init__(self, scenario: Scenario, folder: Path) -> None:
        self.scenario, self.folder = scenario, folder
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / SCENARIO, scenario_text(scenario))
        self.parts = build(scenario)
        recorder = LogRecorder(folder / LOG, log_metadata(scenario, self.parts.robot))
        self.session = session_of(scenario, self.parts, recorder=recorder)
        self.drawn = DrawnPose(self.parts)
        self.touched = False
        """Whether somebody has meddled with it from outside: faults, other settings, an early end."""
        self.session.start()
        self.pace()

    def pace(self, speed: float = 1.0) -> None:
        """Go on from here at a speed, time of the run per real time."""
        self.clock = RealTimeClock(speed, late=WATCHED)
        self.clock.start(self.session.schedule.period)
        self.clock.rebase(self.session.moment)

    def step(self) -> Tick:
        """One tick."""
        return self.session.step()

    def verdict(self) -> dict[str, Any]:
        """Close the log; how the run is judged by what it has."""
        self.session.close()
        outcome = self.session.outcome(lateness=self.clock.lateness)
        metrics, verdict, _ = judged(self.scenario, self.parts, Log.open(self.folder / LOG), outcome)
        told = {"verdict": verdict.verdict, "reasons": list(verdict.reasons), "time": outcome.time}
        return told | self.figures(metrics)

    @abstractmethod
    def figures(self, metrics: Metrics) -> dict[str, Any]:
        """The numbers that the page shows beside the verdict."""

    def drop(self) -> None:
        """Close what is open."""
        self.session.end()
        self.session.close()
        self.parts.backend.close()
