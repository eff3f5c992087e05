"""Judging: an experiment whose trials are run by several judges, and what their verdicts are worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from andante.errors import AndanteError
from andante.plugins.answers import all_of
from andante.plugins.register import SHIPPED
from andante.robots.robot import Robot
from andante.runs.backends.registry import BACKENDS
from andante.runs.build import backend_of, load_declared
from andante.runs.scenario import Scenario
from andante.search.errors import SearchError
from andante.search.experiment.cases import PASSED, groups_of
from andante.search.experiment.document import Axis, Compared, Experiment, Figure, Seeds, Variant
from andante.search.experiment.figures import compared_value
from andante.search.experiment.own_paths import JUDGE as JUDGE
from andante.search.experiment.trial import TrialResult, changed_scenario, run_trial
from andante.search.judging.agreement import Agreement
from andante.search.judging.judges import JUDGES, TWINS, Judge, judges_named
from andante.search.judging.qualify import Test, qualify
from andante.search.suite import Suite

Place = tuple[str, int]
"""A trial: its condition and its seed."""
HERE = "asked"
"""Label of the trials as they are asked for."""


def scenario_experiment(scenario: Scenario, seeds: int = 20) -> Experiment:
    """The experiment whether a scenario passes, from its own seed on."""
    return Experiment(
        name=scenario.name,
        what="Does it pass?",
        scenario=scenario,
        figures={"passed": Figure(metric=PASSED)},
        seeds=Seeds(first=scenario.seed, count=seeds),
    )


def one_experiment(suite: Suite[Any, Any, Any], options: Any) -> Experiment:
    """The experiment that a suite is by its options.

    Raises:
        SearchError: It is none, or several tables are asked for.
        AndanteError: An option is not legal.
    """
    found: Sequence[Experiment] = suite.experiments(options)
    if len(found) != 1:
        raise SearchError("one experiment or table is judged at a time", place=suite.name, value=len(found))
    return found[0]


def with_only(experiment: Experiment, labels: Sequence[str]) -> Experiment:
    """An experiment with the conditions of these labels alone; an axis of which none is named keeps all.

    Raises:
        SearchError: No condition has such a label.
    """
    chosen: dict[str, list[str]] = {}
    for label in labels:
        axis = next((name for name, each in experiment.axes.items() if label in each.variants), None)
        if axis is None:
            legal = [each for axis in experiment.axes.values() for each in axis.variants]
            raise SearchError("there is no such condition", place="--only", value=label, legal=legal)
        chosen.setdefault(axis, []).append(label)
    axes = {
        name: axis.but(chosen=tuple(chosen[name])) if name in chosen else axis for name, axis in experiment.axes.items()
    }
    return experiment.but(axes=axes) if chosen else experiment


def with_judges(experiment: Experiment, judges: Mapping[str, Judge]) -> Experiment:
    """An experiment with an axis more: each trial as asked, and by each judge.

    Raises:
        SearchError: The experiment has such an axis already, or no judge is given.
    """
    if not judges:
        raise SearchError("no judge is named", place="--in")
    if JUDGE in experiment.axes:
        raise SearchError("the experiment has such an axis already", value=JUDGE)
    for name in judges:
        if JUDGES.source(name) not in (SHIPPED, ""):
            _check_change(experiment, name, judges[name])
    variants = {HERE: Variant(what="as asked")}
    variants |= {
        name: Variant(what=each.what, set=each.changes, scale=dict(each.scale)) for name, each in judges.items()
    }
    return experiment.model_copy(update={"axes": {**experiment.axes, JUDGE: Axis(variants=variants)}})


def _check_change(experiment: Experiment, name: str, judge: Judge) -> None:
    """Look whether an experiment's scenario can be changed as the judge of a package says.

    Raises:
        SearchError: It cannot; the message names the judge, of which nobody who asks for it sees more than a name.
    """
    scenario = groups_of(experiment)[0].setup.scenario(experiment.seeds.first)[0]
    try:
        if judge.backend not in BACKENDS:
            raise SearchError("there is no such kind of backend", value=judge.backend, legal=BACKENDS)
        ran = changed_scenario(scenario, [*judge.changes.items()]).moved.type
        # rcsssmj's physics in MuJoCo is a twin's, whoever asks for it.
        own = (scenario.moved.type, "mujoco", "rcsssmj-like") if judge.twin else (judge.backend,)
        if ran not in own:
            raise SearchError(
                "its trials would run in another engine than the one that is qualified",
                place="set",
                value=ran,
                limit=judge.backend,
                remedy=f"give backend={ran!r}",
            )
    except AndanteError as error:
        raise SearchError(f"judge {name!r} of {JUDGES.source(name)} cannot be asked: {error}") from error


def success_of(experiment: Experiment) -> Compared:
    """What counts as a success of a trial: what the experiment compares as one, else that its verdict is a pass."""
    found = (each for each in experiment.compare.values() if each.succeeds)
    return next(found, Compared(metric=PASSED, succeeds=True))


def succeeded(success: Compared, trial: TrialResult) -> bool | None:
    """Whether a trial is a success; where nobody recorded and judged it, whether no observer has anything against it.

    None: the trial does not tell.
    """
    if success.metric == PASSED and PASSED not in trial.metrics:
        return trial.passed
    said = compared_value(success, trial.metrics)
    return None if said is None else bool(said)


def verdict_of(success: Compared, group: str, trial: TrialResult) -> bool:
    """Whether a trial of a group is a success.

    Raises:
        SearchError: It has no verdict.
    """
    said = succeeded(success, trial)
    if said is None:
        raise SearchError("a trial has no verdict", place=f"{group}, seed {trial.seed}", value=success.metric)
    return said


def others_of(labels: Mapping[str, str]) -> str:
    """The condition that a group's labels name, whoever judges."""
    return ", ".join(label for axis, label in labels.items() if axis != JUDGE)


def verdicts_by_judge(
    experiment: Experiment, results: Mapping[str, Sequence[TrialResult]]
) -> dict[str, dict[Place, bool]]:
    """Whether each trial passed, by judge, and by condition and seed.

    Raises:
        SearchError: A trial has no verdict.
    """
    success = success_of(experiment)
    found: dict[str, dict[Place, bool]] = {}
    for group in groups_of(experiment):
        own = {
            (others_of(group.labels), each.seed): verdict_of(success, group.name, each) for each in results[group.name]
        }
        found.setdefault(group.labels[JUDGE], {}).update(own)
    return found


@dataclass(frozen=True)
class Opinion:
    """What one judge says of all trials."""

    judge: str
    """Its name."""
    what: str
    """What is different."""
    agreement: Agreement
    """Counts of pairs."""
    differing: tuple[tuple[str, int, bool], ...]
    """Trials on which it differs: group, seed, and whether they passed as asked."""
    example: tuple[str, int, bool] | None = None
    """The first trial on which it agrees, as these; None: it agrees on none."""
    evidence: str = "twins"
    """What its word rests on: ``twins`` or ``other engine``."""

    def data(self) -> dict[str, Any]:
        """Plain data."""
        counts, low = self.agreement, self.agreement.interval
        return {
            "judge": self.judge,
            "what": self.what,
            "evidence": self.evidence,
            "pairs": counts.pairs,
            "agreed": counts.agreed,
            "interval": list(low),
            "kappa": counts.kappa,
            "both pass": counts.both_pass,
            "pass here, fail there": counts.only_here,
            "fail here, pass there": counts.only_there,
            "both fail": counts.both_fail,
            "differing": [
                {"group": group, "seed": seed, "passed as asked": passed} for group, seed, passed in self.differing
            ],
        }


def opinions(
    experiment: Experiment, judges: Mapping[str, Judge], results: Mapping[str, Sequence[TrialResult]]
) -> list[Opinion]:
    """What each judge says of the trials of an experiment that `with_judges` made.

    Raises:
        SearchError: A trial has no verdict.
    """
    trials = verdicts_by_judge(experiment, results)
    here = trials[HERE]
    found = []
    for name, judge in judges.items():
        there = trials[name]
        counts = Agreement.of(list(here.values()), [there[key] for key in here])
        differing = tuple((*key, passed) for key, passed in here.items() if there[key] != passed)
        example = next(((*key, passed) for key, passed in here.items() if there[key] == passed), None)
        found.append(Opinion(name, judge.what, counts, differing, example, judge.evidence))
    return found


def held_in(experiment: Experiment, judges: Mapping[str, Judge], results: Mapping[str, Sequence[TrialResult]]) -> int:
    """In how many trials that passed as asked all judges say the same."""
    told = opinions(experiment, judges, results)
    passed = told[0].agreement.both_pass + told[0].agreement.only_here
    lost = {(group, seed) for each in told for group, seed, good in each.differing if good}
    return passed - len(lost)


def differing_twins(scenario: Scenario, passed: bool) -> tuple[list[str], int]:
    """Twins that give another verdict on one run, and how many were asked.

    Args:
        scenario: What was run, with its seed.
        passed: Its verdict.

    Raises:
        AndanteError: The scenario cannot be run by a twin, as one that is no simulation.
    """
    if scenario.moved.type != "mujoco":
        raise SearchError("only a run in MuJoCo has twins", place="backend", value=scenario.moved.type)
    twins = judges_named(TWINS)
    groups = groups_of(with_judges(scenario_experiment(scenario, 1), twins))
    asked = [group for group in groups if group.labels[JUDGE] in twins]
    differing = [group.labels[JUDGE] for group in asked if run_trial(group.setup, scenario.seed).passed is not passed]
    return differing, len(asked)


def check_qualified(experiment: Experiment, judges: Mapping[str, Judge]) -> Iterator[str]:
    """Try the engine of each judge that is not MuJoCo on the experiment's robots; says what was tried, and in what
    robot and floor are others there.

    Raises:
        SearchError: An engine fails a test: it gives no verdict.
        BackendError: An engine is not installed, or cannot hold the robot.
    """
    scenarios: dict[str, Scenario] = {}
    for group in groups_of(experiment):
        if group.labels.get(JUDGE, HERE) == HERE:
            scenario = group.setup.scenario(experiment.seeds.first)[0]
            scenarios.setdefault(scenario.robot, scenario)
    for name, judge in judges.items():
        if judge.twin and judge.differences is None:
            continue
        for scenario in scenarios.values():
            robot = load_declared(scenario)
            if not judge.twin:
                number = _qualified(name, judge, scenario, robot)
                version = "" if judge.version is None else f" {JUDGES.ask(name, 'version()', judge.version, str)}"
                yield f"{name}{version}: qualified for {robot.name} by {number} tests within 2 %"
            if judge.differences is not None:
                with JUDGES.blame(name):
                    told = all_of(str, judge.differences(robot, scenario))
                yield from (f"{name}, {robot.name}: {line}" for line in told)


def _qualified(name: str, judge: Judge, scenario: Scenario, robot: Robot) -> int:
    """Try a judge's engine on the robot of a scenario; gives the number of tests."""
    asked = changed_scenario(scenario, [*judge.changes.items()])
    kind = asked.moved
    # What the engine cannot hold is told before anything is run that takes long.
    world = backend_of(asked, robot)
    with BACKENDS.blame(kind.type):
        world.reset(scenario.seed)
    # What an engine that is tried refuses by itself, as a command without numbers, is told with its name.
    with JUDGES.blame(name, refusals=True):
        tests = list(
            qualify(kind.backend, robot, scenario.world.timestep)  # type: ignore[arg-type]
            if judge.tests is None
            else all_of(Test, judge.tests(robot))
        )
    if not tests:
        what = f"judge {name!r} is tried by nothing for robot {robot.name!r}, so it gives no verdict"
        raise SearchError(what, place=f"{name}: tests", remedy="let its tests give at least one, or leave them out")
    failed = [str(test) for test in tests if not test.passed]
    if failed:
        raise SearchError(
            f"judge {name!r} is not qualified for robot {robot.name!r}, so it gives no verdict",
            place=f"{len(failed)} of {len(tests)} tests failed",
            value="; ".join(failed[:3]),
            limit="2 %",
        )
    return len(tests)
