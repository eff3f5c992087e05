"""Every sensor failure against every kind of controller: how each run ends, and what its log says.

    python benchmarks/fault_matrix.py [--durations 0.1,1] [--controllers trot,...] [--failures ...] [--seed 0] [--json]

A failure falsifies what is read from the simulated world, behind the world's own sensors, from a moment in the middle
of a motion on. A cell is bad where something is raised out of the run, where a command was not finite, or where a
failure that needs one has no reaction; `docs/faults.md` says which reaction each has.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from andante.backends.backend import Backend
from andante.control.events import EventKind
from andante.robots.records import Sensors, Vector
from andante.runs.build import build
from andante.runs.execute import session_of
from andante.runs.loop.outcome import Ending
from andante.runs.loop.tick import Observer, Tick
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import Overrides, load_scenario, overridden
from andante.runs.tasks.quadruped.task import QuadrupedTask

STILL = {"no_fall": False, "finishes": False}
SCENARIOS: dict[str, dict[str, object]] = {
    "keyframes": {"shipped": "sit-and-stand"},
    "openr": {"shipped": "ers7-walk"},
    "crawl": {"shipped": "littledog-rocks"},
    "reactive-crawl": {
        "controller": {"type": "reactive-crawl", "steering": [{"time": 0.2, "forward": 0.06}]},
        "timeout": 12.0,
    },
    "trot": {"controller": {"type": "trot", "steering": [{"time": 0.2, "forward": 0.3}]}, "timeout": 6.0},
    "quadruped": {},
}
"""A run of each kind of controller."""
BEGIN = {"keyframes": 1.5, "openr": 3.0, "crawl": 4.0, "reactive-crawl": 3.0, "trot": 2.0, "quadruped": 2.0}
"""When the failure begins [s]."""


@dataclass
class Failing:
    """What is read between two moments; the last good reading is kept for what repeats it."""

    kind: str
    begin: float
    duration: float
    held: Vector | None = None
    shift: float = 0.0
    missed: int = 0
    seen: list[float] = field(default_factory=list)

    def apply(self, sensors: Sensors, now: float) -> None:
        """Falsify a reading in place; ``now`` is the time of the run [s]."""
        vector, slices = sensors.vector, sensors.layout.slices
        imu = slice(slices["orientation"].start, slices["accelerometer"].stop)
        on = self.begin <= now < self.begin + self.duration
        if not on:
            if now < self.begin:
                self.held = vector.copy()
            elif self.kind == "clock back":
                vector[0] -= self.shift
            return
        held = vector if self.held is None else self.held
        angles = slices["position"]
        if self.kind in ("nan one joint", "1e300 one joint"):
            joint = angles.start + 1
            count = angles.stop - angles.start
            vector[[joint, joint + count, joint + 2 * count]] = math.nan if "nan" in self.kind else 1e300
        elif self.kind in ("nan all joints", "1e300 all joints"):
            vector[angles.start : slices["effort"].stop] = math.nan if "nan" in self.kind else 1e300
        elif self.kind == "nan everything":
            vector[1:] = math.nan
        elif self.kind == "frozen":
            vector[1:] = held[1:]
        elif self.kind == "frozen joints":
            vector[angles.start : slices["effort"].stop] = held[angles.start : slices["effort"].stop]
        elif self.kind == "stale":
            vector[:] = held
        elif self.kind == "dead imu":
            vector[imu] = 0.0
        elif self.kind == "nan imu":
            vector[imu] = math.nan
        elif self.kind == "frozen imu":
            vector[imu] = held[imu]
        elif self.kind in ("switch closed", "switch open"):
            vector[slices["contact"].start] = 1.0 if self.kind == "switch closed" else 0.0
        elif self.kind == "jump":
            vector[angles.start + 1] += 1.0
        elif self.kind == "clock back":
            self.shift = self.duration
            vector[0] -= self.shift
        elif self.kind == "nan clock":
            vector[0] = math.nan


_TOLD = (EventKind.SENSOR, EventKind.SENSOR_OVER, EventKind.STOP, EventKind.SWITCH, EventKind.HELP)
KINDS = (
    *("nan one joint", "nan all joints", "nan everything", "1e300 one joint", "1e300 all joints", "jump"),
    *("frozen", "frozen joints", "stale", "nan clock", "clock back", "dropped ticks"),
    *("dead imu", "nan imu", "frozen imu", "switch closed", "switch open"),
)
"""All failures."""


class Watch(Observer):
    """Keeps what the run tells of sensors, and whether every command was finite."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.finite = True
        self.last: Vector | None = None

    def see(self, tick: Tick) -> None:
        """Look at a tick."""
        self.finite = self.finite and bool(np.isfinite(tick.command.vector).all())
        for event in tick.events:
            guard = event.kind is EventKind.GUARD and event.data.get("limit") in ("stale", "limp", "unmeasured")
            if guard or event.kind in _TOLD:
                self.told.append(f"{event.time:.2f} s {event.text}")


@dataclass(frozen=True)
class Cell:
    """How one run went."""

    controller: str
    failure: str
    duration: float
    ending: str
    reason: str
    told: tuple[str, ...]
    raised: str
    finite: bool

    @property
    def good(self) -> bool:
        """Whether nothing was raised and every command was finite."""
        return not self.raised and self.finite


def scenario_for(controller: str) -> Scenario:
    """The scenario of a kind of controller."""
    if controller == "quadruped":
        return QuadrupedTask("spirit40", (0.5, 0.0, 0.0), seconds=6.0).scenario()
    chosen = dict(SCENARIOS[controller])
    shipped = chosen.pop("shipped", None)
    if shipped is not None:
        return load_scenario(str(shipped))
    world = {"start": {"posture": "stand"}}
    return Scenario.model_validate(
        {"name": controller, "robot": "littledog", "world": world, "success": STILL} | chosen
    )


def falsified(backend: Backend, failing: Failing, skip: Callable[[], bool]) -> None:
    """Let a backend read what a failure makes of it; while ``skip`` holds, time goes on without a reading."""
    read = backend.read

    def wrong() -> Sensors:
        if failing.kind == "dropped ticks" and skip():
            while backend.time < failing.begin + failing.duration:
                backend.advance(backend.robot.tick)
        sensors = read()
        failing.apply(sensors, backend.time)
        return sensors

    backend.read = wrong  # type: ignore[method-assign]


def run(controller: str, kind: str, duration: float, seed: int = 0) -> Cell:
    """One cell; `BEGIN` says when the failure begins."""
    scenario = overridden(scenario_for(controller), Overrides(seed=seed))
    scenario = scenario.model_copy(update={"timeout": min(scenario.timeout, BEGIN[controller] + duration + 2.0)})
    parts = build(scenario)
    watch, failing = Watch(), Failing(kind, BEGIN[controller], duration)
    falsified(parts.backend, failing, lambda: parts.backend.time >= failing.begin)
    session = session_of(scenario, parts, observers=[watch])
    raised = ""
    try:
        while session.ending is None:
            session.step()
        session.close()
    except Exception as error:  # noqa: BLE001 - this is what is looked for
        raised = f"{type(error).__name__}: {error}"
    reason = session.outcome().reason if session.ending is not None else ""
    ending = str(session.ending or Ending.BROKEN)
    return Cell(controller, kind, duration, ending, reason, tuple(watch.told), raised, watch.finite)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description="Sensor failures against controllers")
    parser.add_argument("--durations", default="0.1,1")
    parser.add_argument("--controllers", default=",".join(SCENARIOS))
    parser.add_argument("--failures", default=",".join(KINDS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    cells = [
        run(controller, kind, float(duration), options.seed)
        for controller in options.controllers.split(",")
        for kind in options.failures.split(",")
        for duration in options.durations.split(",")
    ]
    if options.json:
        print(json.dumps([cell.__dict__ for cell in cells], indent=1))
        return
    for cell in cells:
        mark = "ok " if cell.good else "BAD"
        print(f"{mark} {cell.controller:<15}{cell.failure:<17}{cell.duration:>4g} s  {cell.ending:<9}{cell.reason}")
        for line in (*cell.told[:6], *((cell.raised,) if cell.raised else ())):
            print(f"{'':<30}{line}")
    print(f"{len(cells)} cells, {sum(not cell.good for cell in cells)} bad")


if __name__ == "__main__":
    main()
