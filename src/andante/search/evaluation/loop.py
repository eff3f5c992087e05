"""EvaluationLoop: one trial after another of candidates: the session's own ticks without all that is only for people.

A trial here is the one of `andante.search.experiment.trial`: the same world, controller, guard and order of calls, so
its verdict is the session's. What is left out changes nothing that moves: no log, no report, no model for pictures, no
second drop of a robot for the same seed, no new world for a new candidate.
"""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from andante.control.guard import Guard
from andante.control.keyframes.engine import KeyframeEngine
from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot
from andante.runs.build import Parts, load_declared
from andante.runs.controls.motions import KeyframeControl, MotionControl
from andante.runs.controls.registry import CONTROLLERS
from andante.runs.execute import session_of
from andante.runs.loop.tick import Observer
from andante.runs.scenario import Scenario
from andante.search.evaluation.settled import SettledWorld
from andante.search.experiment.trial import (
    TrialResult,
    TrialSetup,
    beginning,
    changed_scenario,
    looked_at,
    observers_of,
    run_judged,
)

_MOST_WORLDS = 8
_MOST_CONTROLLERS = 4
_MOST_SCENARIOS = 1000


@dataclass(frozen=True)
class Candidate:
    """What is tried: values of the scenario by path, and motions in place of the file's."""

    changes: tuple[tuple[str, Any], ...] = ()
    """New values of the scenario."""
    library: MotionLibrary | None = None
    """Motions, bound to the robot; None: those of the file."""


class EvaluationLoop:
    """Trials of a setup for many candidates in one process.

    Args:
        setup: What the trials of all seeds share.
    """

    def __init__(self, setup: TrialSetup) -> None:
        self.setup = setup
        self._scenario = lru_cache(_MOST_SCENARIOS)(setup.scenario)
        self._robots: dict[str, Robot] = {}
        self._worlds: OrderedDict[str, SettledWorld] = OrderedDict()
        self._controllers: OrderedDict[tuple[str, int], tuple[Candidate, Any]] = OrderedDict()

    def trial(self, candidate: Candidate, seed: int, watching: Sequence[Observer] = ()) -> TrialResult:
        """Run one candidate with one seed.

        Args:
            candidate: What is tried.
            seed: Its seed.
            watching: More observers; a trial that is judged by its log has none.

        Raises:
            AndanteError: The trial cannot be run as asked.
        """
        scenario, drawn = self._asked(candidate, seed)
        if self.setup.judged:
            return run_judged(self.setup, scenario, drawn, unbroken=True)
        with _uncollected():
            parts = self._parts(scenario, candidate)
            observers = observers_of(self.setup, scenario, parts)
            if isinstance(parts.controller, KeyframeEngine):
                parts.controller.tells = bool(watching)
            session = session_of(scenario, parts, observers=[*beginning(drawn, parts), *observers.values(), *watching])
            return looked_at(session, observers, drawn)

    def _asked(self, candidate: Candidate, seed: int) -> tuple[Scenario, dict[str, Any]]:
        """The scenario of a candidate and a seed, and what was drawn."""
        # The scenario of a seed is checked once.
        scenario, drawn = self._scenario(seed)
        scenario = changed_scenario(scenario, candidate.changes) if candidate.changes else scenario
        if candidate.library is not None and isinstance(scenario.controller, MotionControl):
            scenario = scenario.model_copy(update={"controller": scenario.controller.holding(candidate.library)})
        return scenario, drawn

    def _parts(self, scenario: Scenario, candidate: Candidate) -> Parts:
        """What a run is made of: a world that is there already, a controller of this candidate, a fresh guard."""
        held = isinstance(scenario.controller, KeyframeControl)
        said = repr((scenario.robot, scenario.limits, scenario.controller.type if held else scenario.controller))
        robot = self._robots.get(said)
        if robot is None:
            robot = self._robots[said] = load_declared(scenario)
        key = said + scenario.world.model_dump_json()
        world = self._worlds.pop(key, None)
        if world is None:
            world = SettledWorld(robot, scenario.world)
        self._worlds[key] = world
        while len(self._worlds) > _MOST_WORLDS:
            self._worlds.popitem(last=False)
        controller, planner = self._controller(scenario, candidate, robot, key)
        guard = Guard(robot, controller.period, scenario.guard)
        return Parts(robot, world, controller, guard, world.model, scenario.world.contact_threshold, planner=planner)

    def _controller(self, scenario: Scenario, candidate: Candidate, robot: Robot, world: str) -> tuple[Any, Any]:
        """The controller of a candidate and its planner, which serve all its seeds."""
        key = (world, id(candidate))
        found = self._controllers.get(key)
        if found is None or found[0] is not candidate:
            with CONTROLLERS.blame(scenario.controller.type):
                controller = scenario.controller.controller(robot, scenario.world)
                found = candidate, (controller, scenario.controller.planner(controller, scenario.world))
            self._controllers[key] = found
            while len(self._controllers) > _MOST_CONTROLLERS:
                _, (_, (old, _)) = self._controllers.popitem(last=False)
                if isinstance(controller, KeyframeEngine) and isinstance(old, KeyframeEngine):
                    controller.take_scratch(old)
        made: tuple[Any, Any] = found[1]
        return made


@contextmanager
def _uncollected() -> Iterator[None]:
    """Look for circles of garbage between trials only: ticks make none, and one such look costs as much as a tick."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()
