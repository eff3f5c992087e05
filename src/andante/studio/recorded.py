"""What a run records: its variables by channel, those that a page plots, and the settings that may change meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from andante.control.controller import Tunable
from andante.documents.descriptions import descriptions
from andante.documents.quantities import Quantity, bounds
from andante.documents.settings import Settings
from andante.robots.records import Record
from andante.runs.build import Parts
from andante.runs.session import Session
from andante.runs.tick import Tick


def channels(session: Session, parts: Parts) -> dict[str, list[str]]:
    """Names of all recorded variables by channel."""
    robot = parts.robot
    found = {"sensors": list(robot.sensors_layout.columns), "command": list(robot.command_layout.columns)}
    telemetry, truth = session.controller.telemetry, parts.backend.truth()
    if telemetry is not None:
        found[telemetry.layout.name] = list(telemetry.layout.columns)
    if truth is not None:
        found["truth"] = list(truth.layout.columns)
    return found


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
            note = descriptions(type(settings)).get(name, "").strip()
            yield {
                "name": prefix + name,
                "value": value,
                "kind": kind,
                "dimension": dimension,
                "low": limits.get("ge", limits.get("gt")),
                "high": limits.get("le", limits.get("lt")),
                "note": note,
            }
