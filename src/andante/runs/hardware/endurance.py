"""Motions and walks in turn against a fake in another process, in real time, each beside its run in simulation."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from andante.backends.backend import Backend
from andante.backends.hardware.backend import HardwareBackend
from andante.backends.hardware.quantiles import Quantiles
from andante.documents.memory import resident_or_most
from andante.runs.execute import RunResult, run_scenario
from andante.runs.hardware.bench import Bench
from andante.runs.hardware.fakes import FakeProcess
from andante.runs.loop.tick import Observer, Tick
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import validated
from andante.runs.task import scenario_of

LIMITS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)
"""Lateness beyond which states are counted [s]."""
_STALL = 0.05
"""A fake that was late by so much is named as the cause of a run that broke [s]."""
_OFTEN = 0.01
"""A wait for a processor that comes once in a hundred cycles is named from here on [s]."""


@dataclass(frozen=True)
class Ran:
    """One motion, run in simulation and against a fake."""

    motion: str
    """The motion or scenario."""
    simulated: str
    """Verdict in simulation."""
    verdict: str
    """Verdict against the fake."""
    reasons: tuple[str, ...]
    """Why."""
    seconds: float
    """Time of the run [s]."""
    cause: str
    """Who was late where the verdict is another one: the computer on either side, or neither."""
    numbers: Mapping[str, float | None]
    """Lateness, misses, drift, memory, processor time."""


@dataclass
class Endurance:
    """Runs one after another against one fake.

    Args:
        bench: What is held against what.
        motions: ``LIBRARY/MOTION``, or scenarios by name or file, in turn.
        settings: Changes of each scenario, PATH=VALUE.
        fake: What is wrong with the fake.
    """

    bench: Bench
    motions: Sequence[str]
    settings: tuple[str, ...] = ()
    fake: Mapping[str, Any] = field(default_factory=dict)
    done: list[Ran] = field(default_factory=list, init=False)
    """The runs so far."""
    lateness: Quantiles = field(default_factory=Quantiles, init=False)
    """How late all states came by the line of the earliest arrivals of their run."""
    fake_told: dict[str, Any] = field(default_factory=dict, init=False)
    """What the fake told in the end."""

    @property
    def same(self) -> int:
        """How many runs had the verdict that they have in simulation."""
        return sum(ran.simulated == ran.verdict for ran in self.done)

    @property
    def histogram(self) -> dict[str, int]:
        """States, and how many of them came later than each of `LIMITS`."""
        above = {f"later than {1e3 * limit:g} ms": self.lateness.above(limit) for limit in LIMITS}
        return {"states": self.lateness.count, **above}

    def run(self, seconds: float, tell: Callable[[Ran], None]) -> None:
        """Run in turn until the runs together have taken so long; the last one is finished [s].

        Raises:
            AndanteError: A motion does not exist or does not fit, or the fake does not start.
        """
        looped = self.bench.backend["type"] == "loop"
        with tempfile.TemporaryDirectory() as folder:
            simulated = {
                motion: run_scenario(self._plain(motion), Path(folder) / "simulated").verdict for motion in self.motions
            }
            process = None if looped else FakeProcess(self.bench.order(**self.fake))
            around: AbstractContextManager[object] = nullcontext() if process is None else process
            with around:
                lasted, number = 0.0, 0
                while lasted < seconds or number < len(self.motions):
                    motion = self.motions[number % len(self.motions)]
                    number += 1
                    ran = self._one(motion, simulated[motion], number, process, Path(folder) / "run")
                    lasted += ran.seconds
                    self.done.append(ran)
                    tell(ran)
            self.fake_told = {} if process is None else process.told

    def _plain(self, motion: str) -> Scenario:
        return scenario_of(motion, robot=self.bench.robot, report=False, settings=self.settings)

    def _scenario(self, motion: str, number: int) -> Scenario:
        data = self._plain(motion).model_dump()
        data["backend"] = dict(self.bench.backend)
        if self.bench.backend["type"] == "loop":
            data["backend"] |= {"fake": {**self.fake, "seed": number}}
        if self.bench.start:
            data["world"]["start"] = dict(self.bench.start)
        return validated(data)

    def _one(self, motion: str, simulated: str, number: int, process: FakeProcess | None, folder: Path) -> Ran:
        before = {} if process is None else process.ask()
        if process is not None:
            # Whoever looks after the robot sets it up again, wherever the last run left it.
            process.tell("again")
        seen: list[Backend] = []
        spent = _Spent()

        def watching(parts: Any) -> tuple[Observer]:
            seen.append(parts.backend)
            return (spent,)

        result = run_scenario(self._scenario(motion, number), folder, watching=watching)
        after = {} if process is None else process.ask()
        for backend in seen:
            if isinstance(backend, HardwareBackend):
                self.lateness.take(backend.watch.late)
        numbers = _numbers(result, spent.per_cycle, after)
        cause = "" if result.verdict == simulated else _cause(result, before, after)
        duration = result.metrics.duration
        return Ran(motion, simulated, result.verdict, result.reasons, duration, cause, numbers)


class _Spent(Observer):
    """Processor time of the run's cycles, without what comes before and after them."""

    def __init__(self) -> None:
        self._cycles, self._first, self._last = 0, 0.0, 0.0

    def see(self, tick: Tick) -> None:
        self._last = time.process_time()
        self._first = self._first if self._cycles else self._last
        self._cycles += 1

    @property
    def per_cycle(self) -> float:
        """Processor time of this process per cycle [s]."""
        return (self._last - self._first) / max(self._cycles - 1, 1)


def _numbers(result: RunResult, spent: float, fake: Mapping[str, Any]) -> dict[str, float | None]:
    metrics = result.metrics
    return {
        "late_p50": metrics.late_p50,
        "late_p99": metrics.late_p99,
        "late_p999": metrics.late_p999,
        "late_max": metrics.late_max,
        "missed": metrics.late_missed,
        "drift": metrics.drift,
        "waited_p99": metrics.waited_p99,
        "waited_max": metrics.waited_max,
        "processor_per_cycle": spent,
        "memory": resident_or_most() / 1e6,
        "fake_late_p99": fake.get("late_p99"),
        "fake_processor_per_cycle": fake.get("processor_per_cycle"),
    }


def _cause(result: RunResult, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Who was late in a run that broke: the computer on our side, that of the fake, or nobody."""
    old = {tuple(each) for each in before.get("stalls", ())}
    new = [each for each in after.get("stalls", ()) if tuple(each) not in old]
    lost, worst = sum(late for _, late in new), max((late for _, late in new), default=0.0)
    causes = []
    if lost >= _STALL:
        causes.append(f"the fake's computer was late {len(new)} times, by {worst:.2f} s at most, {lost:.2f} s together")
    waited, often = result.metrics.waited_max or 0.0, result.metrics.waited_p99 or 0.0
    if waited >= _STALL or often >= _OFTEN:
        told = f"in one cycle of a hundred {often:.3f} s or more, at most {waited:.2f} s"
        causes.append(f"this computer was late: the run waited for a processor, {told}")
    return "; ".join(causes) or "neither computer was late: the robot or its network was"
