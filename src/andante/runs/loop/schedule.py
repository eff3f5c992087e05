"""Several rates in one run, on a base of whole nanoseconds.

The control tick is the run's unit: physics does a whole number of steps in it, and a controller asks its planner at
ticks. Periods that do not divide are refused instead of rounded, because a rate that is only nearly right makes the run
drift and a replay differ.
"""

from __future__ import annotations

import math
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from andante.planning.planner import Planner
from andante.runs.errors import ScenarioError
from andante.runs.loop.clock import NANOSECONDS

_ROOM = 256
"""Plans that there is room for at first."""
_MOST = 16384
"""Plans whose times are kept at most; of a longer run those of every second, fourth... one, evenly over the run."""


def nanoseconds(period: float, what: str) -> int:
    """A period [s] as whole nanoseconds.

    Raises:
        ScenarioError: The period is not a positive finite number of at least one nanosecond, or too large to count.
    """
    if not math.isfinite(period) or period * NANOSECONDS < 0.5:
        raise ScenarioError(f"{what} must be a positive time of at least 1 ns", value=period)
    if not math.isfinite(period * NANOSECONDS):
        raise ScenarioError(f"{what} is too long to be counted in ns", value=period)
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

    @classmethod
    def of(cls, control: float, physics: float | None = None) -> Self:
        """The schedule of a controller period and a physics period, both in seconds.

        Raises:
            ScenarioError: Periods that do not divide.
        """
        period = nanoseconds(control, "the control period")
        return cls(
            period, 1 if physics is None else steps_per(control, physics, "the control period", "the physics period")
        )

    def ticks(self, duration: float) -> int:
        """The number of ticks that begin within ``duration`` seconds (half a nanosecond counts as rounding)."""
        return -(-round(duration * NANOSECONDS) // self.period)


class PlanQueue:
    """Plans under way: requested at one tick, handed over ``latency`` later, in order.

    In the background (real time) the planner works in its own thread while ticks go on; a plan that is not ready when
    it is due is waited for. The order of plans and ticks is therefore the same in both cases.

    Args:
        planner: Makes the plans.
        period: The control tick [ns].
        background: Plan in another thread.

    Raises:
        ScenarioError: The planner's latency is negative or not finite.
    """

    def __init__(self, planner: Planner[Any, Any], period: int, *, background: bool = False) -> None:
        if not math.isfinite(planner.latency) or planner.latency < 0.0:
            raise ScenarioError("the planner's latency must be zero or more", value=planner.latency)
        self._planner, self._period = planner, period
        self._latency = round(planner.latency * NANOSECONDS)
        self._pool = ThreadPoolExecutor(1, "planner") if background else None
        self._waiting: deque[tuple[int, object]] = deque()
        self._times, self._count = np.empty((_ROOM, 2)), 0
        # Local planners make a hundred plans a second, and nothing may grow for as long as a robot walks.
        self._every, self._made = 1, 0

    def anew(self) -> PlanQueue:
        """One like this in which no plan is under way."""
        return PlanQueue(self._planner, self._period, background=self._pool is not None)

    @property
    def spent(self) -> list[tuple[float, float]]:
        """Time of the run at each request, and processor time of its plan [s]; see `_MOST`."""
        return [(float(moment), float(time)) for moment, time in self._times[: self._count]]

    def request(self, tick: int, request: object) -> None:
        """Begin the plan that was asked for by this tick."""
        moment = tick * self._period
        plan = self._pool.submit(self._plan, moment, request) if self._pool else self._plan(moment, request)
        self._waiting.append((moment + self._latency, plan))

    def arrivals(self, tick: int) -> list[object]:
        """The plans that have arrived by this tick, oldest first."""
        now = tick * self._period
        arrived = []
        while self._waiting and self._waiting[0][0] <= now:
            arrived.append(_finished(self._waiting.popleft()[1]))
        return arrived

    def _plan(self, moment: int, request: object) -> object:
        began = time.thread_time()
        plan = self._planner.plan(request)
        self._keep(moment / NANOSECONDS, time.thread_time() - began)
        return plan

    def _keep(self, moment: float, spent: float) -> None:
        made, self._made = self._made, self._made + 1
        if made % self._every:
            return
        if self._count == _MOST:
            half = _MOST // 2
            self._times[:half] = self._times[::2]
            self._count, self._every = half, 2 * self._every
        elif self._count == len(self._times):
            self._times = np.concatenate([self._times, np.empty_like(self._times)])
        self._times[self._count] = moment, spent
        self._count += 1

    def finish(self) -> None:
        """Wait until no plan is being made any more; none is handed over."""
        self._waiting = deque((due, _finished(plan)) for due, plan in self._waiting)

    def reopen(self) -> None:
        """Go on after `close`."""
        if self._pool is not None:
            self._pool.shutdown(wait=False)
            self._pool = ThreadPoolExecutor(1, "planner")

    def close(self) -> None:
        """Give up plans under way."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)


def _finished(plan: object) -> object:
    return plan.result() if isinstance(plan, Future) else plan
