"""One trial of an experiment: the scenario of a seed, run to its verdict, or only looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from andante.backends.backend import Backend, DivergenceError
from andante.backends.memory import give_back
from andante.backends.mujoco_world import MujocoWorld
from andante.control.guard import Guard
from andante.documents.memory import resident
from andante.documents.paths import parse_path, value_at, with_value
from andante.plugins.register import SHIPPED
from andante.runs.build import Parts, backend_of, controller_of, load_declared, picture_model, refuse_truth
from andante.runs.controls.registry import CONTROLLERS
from andante.runs.execute import RunResult, run_scenario, session_of
from andante.runs.loop.outcome import Ending
from andante.runs.loop.runner import Runner
from andante.runs.loop.tick import Observer
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import validated
from andante.runs.session import Session
from andante.runs.tasks.quadruped.task import QuadrupedTask
from andante.runs.tasks.walk.task import WalkTask
from andante.search.errors import SearchError
from andante.search.experiment.document import Again, Draw, Values
from andante.search.experiment.figures import ENDED as ENDED
from andante.search.experiment.figures import FALL_CAUSE, holds, value_of
from andante.search.experiment.observing import (
    NamedTrialObserver,
    TrialObserver,
    observer_kind,
    observer_of,
    refuse_no_numbers,
)
from andante.search.scratch import in_folder

STRENGTH = "world.servo_strength"
"""What is drawn of it is set when the trial begins, so that the world need not be made anew."""


_NO_SUCCESS = (None, Ending.BROKEN, Ending.LOST)
"""Ends after which no trial is a success: the physics diverged, or nobody controlled the robot any more."""
_KEPT = 16
_MOST = 600e6
"""Memory of this process above which only the world that was used last is kept [bytes]. A world with a board of
hundreds of boxes takes 55 MB in Drake."""
_MADE: dict[str, Parts] = {}
"""Parts of the scenarios that were run last."""


@dataclass(frozen=True)
class TrialSetup:
    """What the trials of all seeds share; picklable."""

    base: Scenario | WalkTask | QuadrupedTask
    """What is run."""
    changes: tuple[tuple[str, Any], ...] = ()
    """New values of a task's scenario by path; a scenario has them already."""
    spread: tuple[Draw, ...] = ()
    """What the seed draws."""
    stream: tuple[int, ...] = (0,)
    """Keeps these draws apart from others of the same seed."""
    observers: Mapping[str, Values] = field(default_factory=dict)
    """Who looks at the trial."""
    judged: bool = True
    """Whether the run is recorded, measured and judged; else only observers look at it."""
    again: Mapping[str, Again] = field(default_factory=dict)
    """Second runs."""

    def scenario(self, seed: int) -> tuple[Scenario, dict[str, Any]]:
        """The scenario of a seed, and what was drawn by path.

        Raises:
            SearchError: It would move a robot: nobody has asked for that many times.
            AndanteError: A value is not legal in a scenario.
        """
        base = self.base
        scenario = base if isinstance(base, Scenario) else replace(base, seed=seed).scenario()
        values = _drawn_each(self.spread, seed, *self.stream)
        drawn = _by_path(self.spread, values)
        changes = () if isinstance(base, Scenario) else self.changes
        changes = tuple((path, value) for path, value in changes if not _by_observer(path, drawn))
        scenario = changed_scenario(scenario, [*changes, ("seed", seed)])
        pairs = zip(self.spread, values, strict=True)
        spread = [(draw, value) for draw, value in pairs if not _by_observer(draw.path, drawn)]
        if spread:
            data = scenario.model_dump()
            for draw, value in spread:
                data = with_drawn(data, draw, value)
            scenario = validated(data)
        if scenario.moved.linked:
            # The log of a run on a robot has its address: who judges it means the motion, not the robot.
            raise SearchError(
                "trials are run in simulation, and this scenario moves a robot over a link",
                place="backend",
                value=scenario.moved.type,
                remedy="--set 'backend={type: mujoco}' simulates it",
            )
        return scenario, drawn

    def other(self, values: Values) -> TrialSetup:
        """The setup with other values; those of observers begin with ``observers``.

        Raises:
            AndanteError: A path leads to nothing, or a value is not legal.
        """
        own = {path: value for path, value in values.items() if parse_path(path)[0] == "observers"}
        observers: dict[str, Any] = {name: dict(each) for name, each in self.observers.items()}
        for path, value in own.items():
            steps = parse_path(path)
            if len(steps) != 3 or steps[1] not in observers:
                raise SearchError("no such observer", place="again", value=path, legal=tuple(observers))
            observers[str(steps[1])][steps[2]] = value
        for name, settings in observers.items():
            observer_kind(name, settings)
        changes = [(path, value) for path, value in values.items() if path not in own]
        if isinstance(self.base, Scenario):
            return replace(self, base=changed_scenario(self.base, changes), observers=observers)
        return replace(self, changes=(*self.changes, *changes), observers=observers)


@dataclass(frozen=True)
class TrialResult:
    """What came of one trial."""

    seed: int
    """Its seed."""
    passed: bool | None
    """The verdict, or whether no observer has anything against it; None: nobody judges."""
    reasons: tuple[str, ...]
    """Why."""
    metrics: dict[str, Any]
    """Its numbers by name, nested, plain data."""


def drawn_values(spread: Sequence[Draw], seed: int, *stream: int) -> dict[str, Any]:
    """What a seed draws, by path; one generator draws all, in order. What is added to another draw is in its sum."""
    return _by_path(spread, _drawn_each(spread, seed, *stream))


def _drawn_each(spread: Sequence[Draw], seed: int, *stream: int) -> list[Any]:
    rng = np.random.default_rng([seed, *stream])
    return [_drawn(each, rng) for each in spread]


def _by_path(spread: Sequence[Draw], values: Sequence[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for draw, value in zip(spread, values, strict=True):
        found[draw.path] = found[draw.path] + value if draw.plus and draw.path in found else value
    return found


def _drawn(draw: Draw, rng: np.random.Generator) -> Any:
    if draw.uniform is not None:
        return float(rng.uniform(*draw.uniform))
    if draw.normal is not None:
        return float(rng.normal(*draw.normal))
    choice = draw.choice or ()
    # The first half of the unit interval is the first of two.
    return choice[min(int(rng.random() * len(choice)), len(choice) - 1)]


def with_drawn(data: Mapping[str, Any], draw: Draw, value: Any) -> dict[str, Any]:
    """A scenario's plain data with a value that was drawn.

    Raises:
        PathError: The path leads to nothing.
        SearchError: It is to be added to what is no number.
    """
    path = parse_path(draw.path)
    if draw.plus:
        there = value_at(data, path)
        if not isinstance(there, (int, float)):
            raise SearchError("only to a number is another one added", place=f"spread {draw.path}", value=there)
        value += there
    return with_value(Scenario, data, path, value)


def changed_scenario(scenario: Scenario, changes: Sequence[tuple[str, Any]]) -> Scenario:
    """A scenario with other values by path.

    Raises:
        PathError: A path leads to nothing.
        ScenarioError: A value is not legal.
    """
    if all(path == "seed" for path, _ in changes):
        return scenario.model_copy(update=dict(changes))
    data = scenario.model_dump()
    for path, value in changes:
        data = with_value(Scenario, data, parse_path(path), value)
    return validated(data)


def run_trial(setup: TrialSetup, seed: int) -> TrialResult:
    """Run one seed.

    Raises:
        AndanteError: The trial cannot be run as asked.
    """
    result = _once(setup, seed)
    for name in setup.observers:
        refuse_no_numbers(name, result.metrics.get(name))
    more = {}
    for name, again in setup.again.items():
        if all(holds(condition, value_of(result.metrics, metric)) for metric, condition in again.where.items()):
            more[name] = value_of(_once(setup.other(again.set), seed).metrics, again.metric)
    return replace(result, metrics=result.metrics | more) if more else result


def ended_trial(setup: TrialSetup, seed: int, why: str) -> TrialResult:
    """What a trial counts as that was ended from outside: no success, and no number but what its seed has drawn.

    Args:
        setup: What the trials of all seeds share.
        seed: Its seed.
        why: Why it was.
    """
    drawn = told(drawn_values(setup.spread, seed, *setup.stream))
    return TrialResult(seed, False, (why,), {"passed": False, ENDED: why} | drawn)


def _once(setup: TrialSetup, seed: int) -> TrialResult:
    scenario, drawn = setup.scenario(seed)
    if setup.judged:
        return run_judged(setup, scenario, drawn)
    parts = parts_of(scenario)
    observers = observers_of(setup, scenario, parts)
    session = session_of(scenario, parts, observers=[*beginning(drawn, parts), *observers.values()])
    return looked_at(session, observers, drawn)


def looked_at(session: Session, observers: Mapping[str, TrialObserver], drawn: Mapping[str, Any]) -> TrialResult:
    """Run a session to its end; what its observers tell is its result.

    Args:
        session: A session that has not begun, with these observers.
        observers: They, by name.
        drawn: What the seed has drawn.

    Raises:
        AndanteError: The trial cannot be run as asked.
    """
    ending, reason, plans = None, "", list[float]()
    runner = Runner(session)
    try:
        outcome = runner.run()
        ending, reason = outcome.ending, outcome.reason
        plans = [spent for _, spent in outcome.plans]
        # A defect of Andante's own controllers says nothing of a motion; one of somebody's own is what is tried.
        if outcome.error is not None and type(session.controller).__module__.startswith(f"{SHIPPED}."):
            raise outcome.error
    except DivergenceError as error:
        ending, reason = None, str(error)
    if runner.asked:
        # The runner ends such a run in good order, or it was over by itself; the bench that it belongs to ends too.
        raise KeyboardInterrupt
    for observer in observers.values():
        observer.planning = plans
        observer.ended(ending, reason)
    reasons = tuple(reason for each in observers.values() for reason in each.reasons())
    others = any(isinstance(each, NamedTrialObserver) for each in observers.values())
    if (ending in _NO_SUCCESS or (others and ending is Ending.FAILED)) and not reasons:
        # An observer of a user's own may not know of it: what happened then says nothing good of the robot.
        reasons = (reason or f"the run ended as {ending}",)
    seen = {name: dict(each.values()) for name, each in observers.items()}
    return TrialResult(session.seed, not reasons, reasons, seen | told(drawn))


def run_judged(
    setup: TrialSetup, scenario: Scenario, drawn: Mapping[str, Any], *, unbroken: bool = False
) -> TrialResult:
    """Run a scenario of a setup's seed with its log, its metrics and its verdict; the log is thrown away.

    Args:
        setup: What the trials of all seeds share.
        scenario: The scenario of the seed.
        drawn: What the seed has drawn.
        unbroken: Raise what the controller raised: a search must not like a candidate for it.

    Raises:
        AndanteError: The trial cannot be run as asked.
    """
    made: dict[str, TrialObserver] = {}

    def watching(parts: Parts) -> list[Observer]:
        made.update(observers_of(setup, scenario, parts))
        return [*beginning(drawn, parts), *made.values()]

    result = run_forgotten(scenario, watching)
    outcome = result.outcome
    for each in made.values():
        if outcome is None:
            each.ended(Ending.DONE if result.metrics.finished else Ending.TIMEOUT)
        else:
            each.planning = [spent for _, spent in outcome.plans]
            each.ended(outcome.ending, outcome.reason)
    metrics = replace(result.metrics, real_time_factor=None).data() | {"passed": result.passed}
    if outcome is not None and outcome.error is not None:
        if unbroken:
            raise outcome.error
        # Whether it would have fallen nobody knows of a robot whose controller broke off.
        metrics["fell"] = metrics["fell"] or None
    metrics |= {FALL_CAUSE: result.fall_cause} if result.fall_cause else {}
    metrics |= {name: dict(each.values()) for name, each in made.items()}
    return TrialResult(scenario.seed, result.passed, result.reasons, metrics | told(drawn))


def run_forgotten(scenario: Scenario, watching: Callable[[Parts], Sequence[Observer]] | None = None) -> RunResult:
    """Run a scenario; the log is thrown away.

    Args:
        scenario: The scenario.
        watching: Gives more observers of the run.

    Raises:
        AndanteError: The scenario cannot be run.
    """
    result = in_folder("andante-", lambda folder: run_scenario(scenario, folder, watching=watching))
    if result.interrupted:
        raise KeyboardInterrupt
    return result


def parts_of(scenario: Scenario) -> Parts:
    """What a run without pictures is made of; parts of equal scenarios, but for seeds, are made once per process.

    Raises:
        AndanteError: Something does not exist, cannot be read or does not fit.
    """
    data = scenario.model_dump(exclude={"seed", "name", "note", "recording"})
    key = repr(data)
    made = _MADE.pop(key, None)
    if made is None:
        if len(_MADE) > 1 and resident() > _MOST:
            for old in list(_MADE)[:-1]:
                del _MADE[old]
            give_back(meshes=False)
        refuse_truth(scenario)
        robot = load_declared(scenario)
        controller = controller_of(scenario, robot)
        world = backend_of(scenario, robot)
        own = world.model if isinstance(world, MujocoWorld) else None
        model = picture_model(robot, scenario.world, scenario.seed) if own is None else own
        with CONTROLLERS.blame(scenario.controller.type):
            planner = scenario.controller.planner(controller, scenario.world)
        guard = Guard(robot, controller.period, scenario.guard)
        threshold = scenario.world.contact_threshold
        made = Parts(robot, world, controller, guard, model, threshold, planner=planner)
    _MADE[key] = made
    while len(_MADE) > _KEPT:
        del _MADE[next(iter(_MADE))]
    return replace(made, guard=Guard(made.robot, made.controller.period, scenario.guard))


def observers_of(setup: TrialSetup, scenario: Scenario, parts: Parts) -> dict[str, TrialObserver]:
    """The observers of one trial by name.

    Raises:
        AndanteError: One of them cannot look at such a trial.
    """
    return {name: observer_of(name, own, scenario, parts) for name, own in setup.observers.items()}


def beginning(drawn: Mapping[str, Any], parts: Parts) -> list[Observer]:
    """Who sets what a seed has drawn when a trial begins."""
    return [DrawnStrength(float(drawn[STRENGTH]))] if _by_observer(STRENGTH, drawn) else []


def _by_observer(path: str, drawn: Mapping[str, Any]) -> bool:
    """Whether a value that was drawn is set when the trial begins; a range is the world's own to draw from."""
    return path == STRENGTH and isinstance(drawn.get(path), (int, float))


def told(drawn: Mapping[str, Any]) -> dict[str, Any]:
    """What a seed has drawn, as a trial tells it."""
    return {"drawn": dict(drawn)} if drawn else {}


class DrawnStrength(Observer):
    """All servos of a trial are as strong as its seed has drawn."""

    def __init__(self, factor: float = 1.0) -> None:
        self.factor = factor

    def begin(self, backend: Backend) -> None:
        """Set the strength, in place of what the world has drawn."""
        if isinstance(backend, MujocoWorld):
            backend.servos.set_strength(np.full(backend.model.nu, self.factor))
