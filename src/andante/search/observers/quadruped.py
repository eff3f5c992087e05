"""The observer `quadruped`: how a dynamic quadruped walks, measured from ground truth in a window of its run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from andante.backends.backend import Backend
from andante.backends.config_parts import bounds
from andante.backends.mujoco_world import MujocoWorld
from andante.control.quadruped.controller import QuadrupedController
from andante.documents.quantities import Number, Seconds
from andante.runs.build import Parts
from andante.runs.controls.quadruped import QuadrupedControl
from andante.runs.loop.outcome import Ending
from andante.runs.loop.tick import Tick
from andante.runs.scenario import Scenario
from andante.runs.tasks.quadruped.metrics import QuadrupedMetrics, Window, measure_quadruped
from andante.runs.tasks.quadruped.trace import PlanFigures
from andante.runs.tasks.quadruped.watch import QuadrupedWatch
from andante.search.errors import SearchError
from andante.search.experiment.observing import ObserverKind, TrialObserver

_MORE = (
    *("error", "recovered", "height_off", "pitch_off", "place", "excess", "iterations", "axis", "along", "pushed"),
    *("across", "body", "timings"),
)
AXES = ("forward", "lateral", "turn")
"""Components of a twist."""


class QuadrupedKind(ObserverKind):
    """Watches a dynamic quadruped walk, in physics."""

    place: ClassVar[str] = "observers.quadruped"
    tells: ClassVar[tuple[str, ...]] = (*QuadrupedMetrics.__dataclass_fields__, *_MORE)
    by_clock: ClassVar[tuple[str, ...]] = ("timings",)

    begin: Annotated[Seconds, Field(ge=0.0)] | None = None
    """Begin of the window in which the gait is steady; None: the middle of the time in which a twist is asked [s]."""
    end: Annotated[Seconds, Field(gt=0.0)] | None = None
    """End of the window; None: when the twist ends, or the run [s]."""
    axis: Literal["forward", "lateral", "turn"] = "forward"
    """Component of the twist that is judged, as ``along``."""
    far: Annotated[Number, Field(ge=0.0)] | None = None
    """The robot has come across where its way ends upright beyond this x; None: there is nothing to cross [m]."""
    clocked: bool = False
    """Whether times by the clocks are kept, which are others in every run."""

    def observer(self, scenario: Scenario, parts: Parts) -> QuadrupedObserver:
        """An observer of one trial.

        Raises:
            SearchError: It is no dynamic quadruped in simulation.
        """
        control, controller, world = scenario.controller, parts.controller, parts.backend
        if not isinstance(control, QuadrupedControl) or not isinstance(controller, QuadrupedController):
            raise SearchError("is no run of a dynamic quadruped", place=self.place, value=type(controller).__name__)
        if not isinstance(world, MujocoWorld):
            raise SearchError("a quadruped is measured in physics", place=self.place, value=type(world).__name__)
        asked = [each.time for each in control.steering]
        begin, end = (asked[0], asked[-1]) if len(asked) > 1 else (0.0, scenario.timeout)
        window = Window(
            0.5 * (begin + end) if self.begin is None else self.begin, end if self.end is None else self.end
        )
        nmpc, rigid = control.local.fitted(controller.body).nmpc, controller.body.rigid
        weight = rigid.mass * float(np.linalg.norm(scenario.world.gravity))
        limits = nmpc.least_force * weight, nmpc.largest_force * weight
        watch = QuadrupedWatch(world, controller, nmpc.friction, limits)
        return QuadrupedObserver(self, scenario, parts, controller, watch, window)


class QuadrupedObserver(TrialObserver):
    """What is seen of one walk."""

    def __init__(
        self,
        kind: QuadrupedKind,
        scenario: Scenario,
        parts: Parts,
        controller: QuadrupedController,
        watch: QuadrupedWatch,
        window: Window,
    ) -> None:
        self._kind, self._scenario, self._parts, self._controller = kind, scenario, parts, controller
        self._watch, self._window, self._broken = watch, window, ""

    def begin(self, backend: Backend) -> None:
        """Watch from the start."""
        self._broken = ""
        self._watch.begin(backend)

    def see(self, tick: Tick) -> None:
        """Keep what the tick shows."""
        self._watch.see(tick)

    def over(self, backend: Backend) -> bool:
        """Look at touches; never ends a run."""
        return self._watch.over(backend)

    def ended(self, ending: Ending | None, reason: str = "") -> None:
        """Note why the robot was stopped."""
        self._broken = reason

    def metrics(self) -> QuadrupedMetrics:
        """The numbers of the walk."""
        watch = self._watch
        low, high = bounds(self._scenario.world.servo_strength)
        metrics = measure_quadruped(
            watch.trace,
            self._parts.robot,
            self._window,
            touches=watch.touches,
            lowest=watch.lowest,
            itself=watch.itself,
            grounded=watch.grounded,
            events=watch.events,
            guard=sum(int(event.data.get("ticks", 0)) for event in self._parts.guard.summary()),
            unsolved=sum(not plan.solved for plan in watch.plans),
            strength=0.5 * (low + high),
        )
        broken = self._broken
        return replace(metrics, upright=False, cause=metrics.cause or broken) if broken else metrics

    def values(self) -> Mapping[str, Any]:
        """All numbers, and what is made of them."""
        found, plans, kind, axis = self.metrics(), self._watch.plans, self._kind, AXES.index(self._kind.axis)
        mean, asked = found.along(axis), abs(found.asked[axis])
        place = self._watch.trace.com[-1].tolist()
        pushes = self._scenario.world.pushes
        return asdict(found) | {
            "error": [found.along(each) for each in range(3)],
            "recovered": recovered(found),
            "height_off": found.height - self._controller.body.height,
            "pitch_off": found.mean_pitch + bounds(self._scenario.world.slope)[1],
            "place": place,
            "excess": max((plan.excess for plan in plans), default=0.0),
            "iterations": sum(plan.iterations for plan in plans) / max(len(plans), 1),
            "axis": kind.axis,
            "along": {
                "mean": found.mean[axis],
                "error": mean,
                "share": abs(mean) / asked if asked else None,
                "rms": found.rms[axis],
            },
            "pushed": pushes[0].time if pushes else None,
            "across": None if kind.far is None else found.upright and place[0] > kind.far,
            "body": found.touches["thigh"] + found.touches["trunk"],
            "timings": self._timings(plans) if kind.clocked and plans and not self._broken else None,
        }

    def _timings(self, plans: Sequence[PlanFigures]) -> dict[str, float]:
        """Median and 95th percentile of a solve by the clock on the wall, of a plan by the processor's [s]."""
        solve, solve_high = np.percentile([plan.wall for plan in plans], (50.0, 95.0)).tolist()
        plan, plan_high = np.percentile(self.planning, (50.0, 95.0)).tolist()
        return {"solve": solve, "solve_high": solve_high, "plan": plan, "plan_high": plan_high, "plans": len(plans)}

    def reasons(self) -> tuple[str, ...]:
        """Why it did not stay upright, or did not go on as asked after a push."""
        found = self.metrics()
        if not found.upright:
            return (found.cause or "did not stay upright",)
        if self._scenario.world.pushes and not recovered(found):
            return (f"at the end {found.end_speed:.2f} m/s off what was asked",)
        return ()


def recovered(metrics: QuadrupedMetrics) -> bool:
    """Upright in the end, at less than 12 deg and within 0.2 m/s of what is asked."""
    return metrics.upright and metrics.end_tilt < 0.2 and metrics.end_speed < 0.2
