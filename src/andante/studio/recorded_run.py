"""A run that a page looks at: a session in real time, and the folder with its scenario and its log.

Of it are told its variables by channel, those that a page plots, the settings that may change meanwhile, and where the
robot is.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.control.controller import Tunable
from andante.documents.descriptions import descriptions
from andante.documents.quantities import Quantity, bounds
from andante.documents.settings import Settings
from andante.robots.records import Layout, Record
from andante.runs.build import Parts, build
from andante.runs.evaluation.finished import FinishedRun
from andante.runs.evaluation.metrics import Metrics
from andante.runs.execute import SCENARIO, RunResult, judged, log_metadata, session_of
from andante.runs.logs.log import Log
from andante.runs.logs.record import LOG, METRICS
from andante.runs.logs.recorder import LogRecorder
from andante.runs.loop.clock import WATCHED, RealTimeClock
from andante.runs.loop.tick import Tick
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import scenario_text
from andante.runs.session import Session
from andante.studio.disk import Disk, OutputFile
from andante.studio.errors import StudioError


def recorded_layouts(session: Session, parts: Parts) -> dict[str, Layout]:
    """What is recorded, by channel."""
    telemetry, truth = session.controller.telemetry, parts.backend.truth()
    found = {"sensors": parts.robot.sensors_layout, "command": parts.robot.command_layout}
    if telemetry is not None:
        found[telemetry.layout.name] = telemetry.layout
    if truth is not None:
        found["truth"] = truth.layout
    return found


def channels(layouts: Mapping[str, Layout]) -> dict[str, list[str]]:
    """Names of all recorded variables by channel."""
    return {name: list(layout.columns) for name, layout in layouts.items()}


def units(layouts: Mapping[str, Layout]) -> dict[str, str]:
    """SI units of recorded variables, by channel and field as in ``sensors.effort``; pure numbers are left out."""
    return {f"{name}.{each.name}": each.unit for name, layout in layouts.items() for each in layout.fields if each.unit}


def records(tick: Tick) -> dict[str, Record]:
    """The records of a tick by channel."""
    found: dict[str, Record] = {"sensors": tick.sensors, "command": tick.command}
    if tick.telemetry is not None:
        found[tick.telemetry.layout.name] = tick.telemetry
    if tick.truth is not None:
        found["truth"] = tick.truth
    return found


class Plotted:
    """The variables that a page plots, collected tick by tick."""

    def __init__(self) -> None:
        self.columns: tuple[str, ...] = ()
        self._sources: list[tuple[str, int]] = []
        self._rows: list[list[float]] = []

    def choose(self, columns: tuple[str, ...]) -> None:
        """Plot these from now on, named ``channel.column``; those that the run has not read as no number."""
        self.columns = columns
        self.clear()

    def clear(self) -> None:
        """Forget what was collected; another run may have other records."""
        self._sources = []
        self._rows.clear()

    def note(self, tick: Tick) -> None:
        """Keep the values of a tick."""
        if not self.columns:
            return
        found = records(tick)
        if len(self._sources) != len(self.columns):
            self._sources = list(_sources(found, self.columns))
        values = [float(found[name].vector[at]) if at >= 0 else np.nan for name, at in self._sources]
        self._rows.append([tick.time, *values])

    def take(self) -> list[list[float]]:
        """Rows of time and values since the last call."""
        rows, self._rows = self._rows, []
        return rows


def _sources(found: Mapping[str, Record], columns: Iterable[str]) -> Iterable[tuple[str, int]]:
    """Channel and place of columns; -1 for those that the run has not."""
    for column in columns:
        channel, _, name = column.partition(".")
        record = found.get(channel)
        if record is None or name not in record.layout.columns:
            yield next(iter(found)), -1
        else:
            yield channel, record.layout.columns.index(name)


def parameters(controller: object) -> list[dict[str, Any]]:
    """The numbers and switches among a controller's settings: names, values and bounds."""
    return list(_settings("", controller.settings)) if isinstance(controller, Tunable) else []


def _settings(prefix: str, settings: Settings) -> Iterable[dict[str, Any]]:
    for name, field in type(settings).model_fields.items():
        value = getattr(settings, name)
        if isinstance(value, Settings):
            yield from _settings(f"{prefix}{name}.", value)
        elif isinstance(value, bool | int | float):
            dimension = next((part.dimension for part in field.metadata if isinstance(part, Quantity)), "")
            limits = {bound: float(limit) for bound, limit in bounds(field.metadata).items()}
            kind = "switch" if isinstance(value, bool) else "count" if isinstance(value, int) else "number"
            yield {
                "name": prefix + name,
                "value": value,
                "kind": kind,
                "dimension": dimension,
                "low": limits.get("ge", limits.get("gt")),
                "high": limits.get("le", limits.get("lt")),
                "note": descriptions(type(settings)).get(name, "").strip(),
            }


class RecordedRun(ABC):
    """A session that has begun, with its log; `andante replay` repeats it.

    Args:
        scenario: What is run.
        folder: Where scenario and log go.
        disk: Where they are written.

    Raises:
        AndanteError: The scenario cannot be run, or the folder cannot be written.
    """

    def __init__(self, scenario: Scenario, folder: Path, disk: Disk) -> None:
        self.scenario, self.folder, self._disk = scenario, folder, disk
        self.parts = build(scenario)
        self.session = session_of(scenario, self.parts)
        disk.folders(folder)
        self.unjudged()
        disk.write(folder / SCENARIO, scenario_text(scenario).encode())
        self._log = OutputFile(disk, folder / LOG)
        metadata = log_metadata(scenario, self.parts.robot)
        self.session.record(LogRecorder(folder / LOG, metadata, output=self._log))
        model, robot = self.parts.model, self.parts.robot
        self._qpos = [int(model.jnt_qposadr[model.joint(name).id]) for name in robot.joint_names]
        base = model.body(robot.base_body)
        self.base = int(model.jnt_qposadr[int(base.jntadr[0])]) if int(base.jntnum[0]) else None
        """Where the base's pose begins in ``qpos``; None: it cannot move."""
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

    def pose(self) -> NDArray[np.float64]:
        """Base position and orientation (wxyz) and the joints, (7 + nj,) [m, rad].

        Raises:
            StudioError: The backend shows no pose.
        """
        truth = self.parts.backend.truth()
        if truth is None:
            raise StudioError("this backend shows no pose")
        qpos = truth["qpos"]
        base = qpos[self.base : self.base + 7] if self.base is not None else np.array([0, 0, 0, 1.0, 0, 0, 0])
        return np.concatenate([base, qpos[self._qpos]])

    def unjudged(self) -> None:
        """Nobody shall take the numbers of an earlier run for this one's."""
        self._disk.remove(self.folder / METRICS)

    def verdict(self) -> dict[str, Any]:
        """Close the log; how the run is judged by what it has. Its folder says so, as after `andante run`."""
        self.session.close()
        outcome = self.session.outcome(lateness=self.clock.lateness)
        scenario = self.scenario
        metrics, verdict = judged(FinishedRun(scenario, self.parts, Log.open(self.folder / LOG), outcome))
        result = RunResult(
            verdict.verdict,
            verdict.reasons,
            metrics,
            self.folder,
            criteria=verdict.criteria,
            evidence=scenario.evidence,
        )
        data = json.dumps(result.data() | {"seed": scenario.seed}, indent=2)
        self._disk.write(self.folder / METRICS, f"{data}\n".encode())
        told = {"verdict": verdict.verdict, "reasons": list(verdict.reasons), "time": outcome.time}
        return told | self.figures(metrics)

    @abstractmethod
    def figures(self, metrics: Metrics) -> dict[str, Any]:
        """The numbers that the page shows beside the verdict."""

    def drop(self) -> None:
        """Close what is open."""
        self.session.end()
        self.session.close()
        self._log.release()
        self.parts.backend.close()
