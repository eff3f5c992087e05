"""Several rates in one run, on a base of whole nanoseconds.

The control tick is the run's unit: physics does a whole number of steps in it. Periods that do not divide are refused
instead of rounded, because a rate that is only nearly right makes the run drift and a replay differ.
"""

from __future__ import annotations

import math
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Self

from andante.planning.planner import Planner
from andante.runs.clock import NANOSECONDS
from andante.runs.errors import ScenarioError


def nanoseconds(period: float, what: str) -> int:
    """A period [s] as whole nanoseconds.

    Raises:
        ScenarioError: The period is not a positive finite number of at least one nanosecond.
    """
    if not math.isfinite(period) or period * NANOSECONDS < 0.5:
        raise ScenarioError(f"{what} must be a positive time of at least 1 ns", value=period)
    return round(period * NANOSECONDS)


def steps_per(slow: float, fast: float, slow_name: str, fast_name: str) -> int:
    """How many periods ``fast`` make one period ``slow``; both are seconds.

    Rates such as 3 kHz have no whole number of nanoseconds; half a nanosecond per step is taken as rounding.

    Raises:
        ScenarioError: The periods do not divide; the message names both and the nearest that would.
    """
    a, b = nanoseconds(slow, slow_name), nanoseconds(fast, fast_name)
    count = round(slow / fast)
    if count < 1 or abs(slow * NANOSECONDS - count * fast * NANOSECONDS) > 0.5 * count:
        nearest = max(count, 1)
        raise ScenarioError(
            f"{slow_name} ({a / 1e6:g} ms) is not a whole number of times {fast_name} ({b / 1e6:g} ms)",
            value=slow / fast,
            remedy=f"{fast_name} {a / nearest / 1e6:g} ms or {slow_name} {nearest * b / 1e6:g} ms would do",
        )
    return count


@dataclass(frozen=True)
class Schedule:
    """The rates of one run."""

    period: int
    """The control tick [ns]."""
    physics_steps: int = 1
    """Physics steps in a control tick (1 where the backend has no steps of its own)."""
    plan_latency: int = 0
    """Time from a request to the arrival of its plan [ns]."""

    @classmethod
    def of(cls, control: float, physics: float | None = None, planner: Planner[Any, Any] | None = None) -> Self:
        """The schedule of a controller period and a physics period, both in seconds, and a planner.

        Raises:
            ScenarioError: Periods that do not divide, or a latency that is negative or not finite.
        """
        period = nanoseconds(control, "the control period")
        steps = 1 if physics is None else steps_per(control, physics, "the control period", "the physics period")
        if planner is None:
            return cls(period, steps)
        if not math.isfinite(planner.latency) or planner.latency < 0.0:
            raise ScenarioError("the planner's latency must be zero or more", value=planner.latency)
        return cls(period, steps, round(planner.latency * NANOSECONDS))

    def ticks(self, duration: float) -> int:
        """The number of ticks that begin within ``duration`` seconds (half a nanosecond counts as rounding)."""
        return -(-round(duration * NANOSECONDS) // self.period)


class PlanQueue:
    """Plans under way: asked for in one tick, handed over ``latency`` later, in order.

    In the background (real time) the planner thinks in its own thread while ticks go on; a plan that is not ready when
    it is due is waited for. The order of plans and ticks is therefore the same in both cases.
    """

    def __init__(self, planner: Planner[Any, Any], schedule: Schedule, *, background: bool = False) -> None:
        self._planner = planner
        self._schedule = schedule
        self._pool = ThreadPoolExecutor(1, "planner") if background else None
        self._waiting: deque[tuple[int, Any]] = deque()

    def ask(self, tick: int, request: object) -> None:
        """Start a plan that answers a request of this tick."""
        due = tick * self._schedule.period + self._schedule.plan_latency
        plan = self._pool.submit(self._planner.plan, request) if self._pool else self._planner.plan(request)
        self._waiting.append((due, plan))

    def arrivals(self, tick: int) -> list[object]:
        """The plans that have arrived by this tick, oldest first."""
        now = tick * self._schedule.period
        arrived = []
        while self._waiting and self._waiting[0][0] <= now:
            plan = self._waiting.popleft()[1]
            arrived.append(plan.result() if isinstance(plan, Future) else plan)
        return arrived

    def close(self) -> None:
        """Give up plans under way."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
