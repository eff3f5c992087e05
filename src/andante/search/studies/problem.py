"""Problem: what a study asks, ready to be tried: each candidate is a point of the unit box, each trial a seed.

An evaluation is a pure function of point, seed and conditions, so that it gives the same on any worker.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from andante.documents.paths import parse_path
from andante.motions.fitting import fitting
from andante.motions.library import MotionLibrary
from andante.motions.reached import reached
from andante.robots.robot import Robot
from andante.runs.build import load_declared
from andante.runs.controls.motions import KeyframeControl, MotionControl
from andante.runs.errors import RecordingError
from andante.runs.scenario import Scenario
from andante.search.errors import SearchError
from andante.search.evaluation.loop import Candidate, EvaluationLoop
from andante.search.experiment.cases import groups_of, with_changes, with_options
from andante.search.experiment.document import Bounds, Experiment, Figure, Play
from andante.search.experiment.figures import holds, value_of
from andante.search.experiment.observing import OBSERVERS
from andante.search.experiment.registry import experiment_named
from andante.search.experiment.trial import TrialSetup
from andante.search.studies.checking import check_draws, check_screen, check_stages, check_start
from andante.search.studies.conditions import AS_STATED, Conditions, stated
from andante.search.studies.countable import check_countable, counting
from andante.search.studies.document import Constraint, Objective, Study, TrialSuccess
from andante.search.studies.motion_figures import MOTION, MOTION_FIGURES, motion_figures
from andante.search.studies.space import Space, space_of

_KEPT = 4
"""Conditions whose worlds a process keeps."""
_LARGEST = 1e100
"""Largest size of a trial's value: sums over all seeds, and their squares, stay finite."""


@dataclass(frozen=True)
class Evaluation:
    """What came of one trial of one candidate; plain data."""

    value: float | None
    """The objective, more is better; None: the trial could not be run."""
    success: bool
    """Whether it was a success."""
    metrics: Mapping[str, float | None] = field(default_factory=dict)
    """Numbers that the study names, by path."""
    why: str = ""
    """Why there is no value, or no success."""

    def data(self) -> list[Any]:
        """Plain data for a journal."""
        return [self.value, self.success, dict(self.metrics), self.why]

    @staticmethod
    def of(data: Sequence[Any]) -> Evaluation:
        """What `data` wrote down."""
        return Evaluation(data[0], data[1], data[2], data[3])


class NoNumberError(SearchError):
    """An objective is no finite number."""


class Problem:
    """A study ready to be tried in this process.

    Args:
        study: What is asked, in full.

    Raises:
        AndanteError: Something does not exist or does not fit, or the start breaks a limit.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self.metrics = named_metrics(study)
        """Paths of all numbers that the study names."""
        self.experiment = _experiment(study)
        group = groups_of(self.experiment)[0]
        check_countable(study)
        self.setup: TrialSetup = group.setup
        # What a seed draws is no part of what is searched; see that its scenario can be tried at all.
        self.setup.scenario(study.seeds.training.first)
        scenario = stated(self.setup)
        self.scenario: Scenario = scenario
        self.robot: Robot = load_declared(scenario)
        self.library: MotionLibrary | None = None
        if isinstance(scenario.controller, MotionControl):
            self.library = _played(scenario.controller, self.robot)
        self.space: Space = space_of(study.parameters, self.library, scenario, self.robot)
        if study.screen is not None:
            check_screen(self.robot.tick, study.screen)
        if not self.space.parameters:
            raise SearchError("a study changes something", place="parameters", remedy="name a path")
        check_draws(self.space, self.setup.spread)
        check_start(study, self.space, self.library, scenario, self.robot)
        check_stages(study, self.space, self.setup)
        self._loop = lru_cache(_KEPT)(lambda conditions: EvaluationLoop(conditions.setup(self.setup)))

    @property
    def training(self) -> Conditions:
        """Conditions in which candidates are tried."""
        return Conditions(timestep=self.study.screen, harder=self.study.harder)

    def candidate(self, point: Sequence[float], conditions: Conditions = AS_STATED) -> Candidate:
        """What a point of the unit box means."""
        library = None if self.library is None else conditions.motion(self.space.motion(self.library, point))
        return Candidate(self.space.changes(point), library)

    def evaluate(self, point: Sequence[float], seeds: Sequence[int], conditions: Conditions) -> list[Evaluation]:
        """Try one candidate with some seeds.

        Raises:
            NoNumberError: An objective is no finite number.
        """
        loop = self._loop(conditions)
        candidate = self.candidate(point, conditions)
        return [self._evaluated(loop, candidate, point, seed) for seed in seeds]

    def _evaluated(self, loop: EvaluationLoop, candidate: Candidate, point: Sequence[float], seed: int) -> Evaluation:
        try:
            trial = loop.trial(candidate, seed)
        except (KeyboardInterrupt, MemoryError, OSError, RecordingError):
            # Of the computer, as a full disk: it says nothing of the candidate, and must not be kept as if it did.
            raise
        except Exception as error:  # noqa: BLE001 - one candidate must not cost what the others found
            return Evaluation(None, False, {}, f"seed {seed}: {type(error).__name__}: {error}")
        numbers = dict(trial.metrics)
        if candidate.library is not None:
            numbers[MOTION] = motion_figures(candidate.library, self.robot)
        told = {name: _plain(value_of(numbers, name)) for name in self.metrics}
        value = self._value(told, point, seed)
        success = self.study.success
        good = trial.passed is not False if success is None else _succeeds(success, numbers)
        # What is infinite or NaN is not told: means, differences and files have no place for it.
        told = {name: number if number is not None and math.isfinite(number) else None for name, number in told.items()}
        return Evaluation(value, bool(good), told, "" if good else "; ".join(trial.reasons)[:200])

    def _value(self, told: Mapping[str, float | None], point: Sequence[float], seed: int) -> float:
        total = 0.0

        def number_of(counted: Objective | Constraint, what: str, whose: str) -> float:
            number = told[counted.metric]
            if number is None or not math.isfinite(number):
                number = counted.missing
            if number is None:
                raise NoNumberError(
                    f"{what} is no finite number",
                    place=f"{counted.metric}, seed {seed}, candidate {digest(point)}",
                    value=str(told[counted.metric]),
                    remedy=f"give the {whose} a value for trials that do not tell it: missing",
                )
            return number

        for objective in self.study.objectives:
            total += objective.weight * number_of(objective, "an objective", "objective")
        for constraint in self.study.constraints:
            number = number_of(constraint, "a constraint's metric", "constraint")
            for bound, over in ((constraint.at_most, 1.0), (constraint.at_least, -1.0)):
                if bound is not None:
                    excess = over * (number - bound)
                    total -= constraint.penalty * max(excess, 0.0) / max(abs(bound), 0.1)
        if not abs(total) <= _LARGEST:
            raise NoNumberError(
                "objectives and constraints add up to more than can be compared",
                place=f"seed {seed}, candidate {digest(point)}",
                value=total,
                limit=f"{_LARGEST:g}",
                remedy="give them smaller weights and penalties",
            )
        return total


def keeps_constraints(study: Study, trials: Sequence[Evaluation]) -> bool:
    """Whether a candidate keeps all constraints on the motion itself, which no world changes."""
    return all(
        number is None or Bounds(at_least=constraint.at_least, at_most=constraint.at_most).holds(number)
        for constraint in study.constraints
        if constraint.metric.startswith(f"{MOTION}.")
        for number in (trial.metrics.get(constraint.metric) for trial in trials)
    )


def _succeeds(success: TrialSuccess, numbers: Mapping[str, Any]) -> bool:
    """Whether a trial is a success.

    Raises:
        NoNumberError: Its metric is never of that kind, so that no trial could ever be one.
    """
    value, asked = value_of(numbers, success.metric), success.is_
    told = "true or false" if isinstance(value, bool) else "a word" if isinstance(value, str) else "a number"
    wanted = "true or false" if isinstance(asked, bool) else "a word" if isinstance(asked, str) else "a number"
    if value is not None and told != wanted:
        what = f"no trial can be a success: the metric is {told}, and is asked to be {wanted}"
        remedy = "ask for bounds, as is: {at_least: 1}" if told == "a number" else ""
        raise NoNumberError(what, place=f"success.metric {success.metric}", value=value, remedy=remedy)
    return holds(asked, value)


def named_metrics(study: Study) -> tuple[str, ...]:
    """Paths of all numbers that a study names."""
    return tuple(dict.fromkeys(metric for _, metric in counting(study)))


def digest(point: Sequence[float]) -> str:
    """A short name of a candidate, by its numbers."""
    return hashlib.sha256(np.asarray(point, dtype=float).tobytes()).hexdigest()[:12]


def robust_value(values: Sequence[Evaluation], worst: float) -> float:
    """Mean of some trials plus the weighted worst of them; minus infinity where one could not be run."""
    numbers = [each.value for each in values]
    if not numbers or any(number is None for number in numbers):
        return -math.inf
    told = [float(number) for number in numbers if number is not None]
    return sum(told) / len(told) + worst * min(told)


def success_share(trials: Sequence[Evaluation]) -> float:
    """Share of some trials that succeed."""
    return sum(each.success for each in trials) / len(trials)


def _experiment(study: Study) -> Experiment:
    """The experiment of a study with what the study asks: its observers are those of the metrics that are named."""
    if not study.objectives:
        raise SearchError("a study has an objective", place="objectives", remedy="name a metric and its weight")
    if not any(each.weight for each in study.objectives):
        raise SearchError("no objective has a weight, so that all candidates are alike", place="objectives", value=0)
    found = _base(study)
    unknown = next((name for name in study.options if name not in found.options), None)
    if unknown is not None:
        raise SearchError("the experiment has no such option", place="options", value=unknown, legal=found.options)
    found = with_options(found, study.options)
    motions = None if study.motion is None else [study.motion]
    given = {"robot": study.robot, "controller.library": study.library, "controller.motions": motions}
    changes = {path: value for path, value in given.items() if value is not None}
    if changes and found.play is None:
        found = with_changes(found, changes, "study", overruling=True)
    if study.set:
        found = with_changes(found, study.set, "set", overruling=True)
    named = [metric for metric in named_metrics(study) if not metric.startswith(f"{MOTION}.")]
    for metric in named_metrics(study):
        if metric.startswith(f"{MOTION}.") and metric.partition(".")[2] not in MOTION_FIGURES:
            raise SearchError("a motion has no such figure", value=metric, legal=MOTION_FIGURES)
    firsts = [str(parse_path(metric)[0]) for metric in named]
    seen = [first for first in firsts if first in found.observers or first in OBSERVERS]
    observers = {first: found.observers.get(first, {}) for first in seen}
    figures = {metric: Figure(metric=metric, statistic="mean", optional=True) for metric in named}
    axes = {name: axis.but(chosen=(axis.chosen or tuple(axis.variants))[:1]) for name, axis in found.axes.items()}
    return found.model_copy(
        update={"observers": observers, "figures": figures, "again": {}, "axes": axes, "compare": {}}
    )


def _base(study: Study) -> Experiment:
    """The experiment that a study begins from.

    Raises:
        SearchError: It names none, and no motion that could be played.
    """
    if study.experiment is not None and study.scenario is not None:
        raise SearchError("give an experiment or a scenario", place="scenario")
    if isinstance(study.experiment, Experiment):
        return study.experiment
    if study.experiment is not None:
        return experiment_named(study.experiment)
    figures = {"passed": Figure(metric="passed")}
    if study.scenario is not None:
        return Experiment(name=study.name, scenario=study.scenario, figures=figures)
    if study.library is None or study.motion is None:
        remedy = "name an experiment, a scenario, a library and its motion, or a goal"
        raise SearchError("a study tries something", place="experiment", remedy=remedy)
    play = Play(library=study.library, motions=(study.motion,), robot=study.robot or "nao")
    return Experiment(name=study.name, play=play, figures=figures)


def _played(control: MotionControl, robot: Robot) -> MotionLibrary:
    """The motions that a controller plays, without those that it never reaches."""
    names: tuple[str, ...] = control.motions
    if isinstance(control, KeyframeControl):
        names = (control.recover_motion, control.stand_motion) if control.get_up else control.motions
    loaded = control.loaded(robot)
    missing = [name for name in control.motions if name not in loaded.motions]
    if missing:
        raise SearchError("the library has no such motion", place="motion", value=missing[0], legal=loaded.motions)
    library = fitting(loaded, robot, names)
    found = reached(library, names)
    return library.but(
        motions={name: each for name, each in library.motions.items() if name in found.motions},
        blocks={name: each for name, each in library.blocks.items() if name in found.blocks},
    )


def _plain(value: Any) -> float | None:
    if isinstance(value, bool):
        return float(value)
    return float(value) if isinstance(value, (int, float)) else None
