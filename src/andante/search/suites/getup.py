"""The suite `getup`: the experiment of that name, its picture, and two tables of engines on the same seeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from andante.backends.fault import Fault
from andante.robots.robot import Robot
from andante.search.errors import SearchError
from andante.search.experiment.cases import groups_of, with_changes
from andante.search.experiment.document import Experiment
from andante.search.experiment.registry import EXPERIMENTS
from andante.search.experiment.suite import asked_of, cases_of, options_of, report_of, suite_of
from andante.search.experiment.trial import ENDED, TrialResult, TrialSetup, run_trial
from andante.search.observers.get_up_result import GetUp
from andante.search.suite import BenchReport, Case

EXPERIMENT = "getup"
_STEPS = (0.003, 0.0025, 0.002, 0.001)
"""Physics steps that are tried in turn for a robot whose tick the usual one does not divide [s]."""
_PAIRS_SHOWN = 5
_GET_UP: TypeAdapter[GetUp] = TypeAdapter(GetUp)


class GetUpOptions(options_of(EXPERIMENTS[EXPERIMENT])):  # type: ignore[misc]
    """What the suite can be asked beside what its experiment can."""

    subject = "library"
    conditions = ("spread", "fault", "faults", "ablate", "at", "lasting", "tries")

    faults: bool = False
    """The fault table: the hip yaw pitch locks or runs dry, four engines."""
    ablate: bool = False
    """What waits, balance, compensation, branches and pauses are worth each."""
    at: tuple[str, ...] = ()
    """With --faults or --ablate: where the joint locks, as start:block[keyframe]; repeat."""
    lasting: tuple[Annotated[float, Field(ge=0.01)], ...] = ()
    """With --faults or --ablate: for how long [s]; repeat."""
    picture: Annotated[Path | None, Field(exclude=True)] = None
    """Write a picture of where tries fail (PNG, SVG)."""


def asked(options: Any) -> Experiment:
    """The experiment that the options ask for; one of a table where they ask for it.

    Raises:
        AndanteError: Options that do not go together, or a name that is not known.
    """
    base = asked_of(EXPERIMENTS[EXPERIMENT], options)
    if options.robot != Robot.load("nao").name:
        base = _fitting(base, options)
    table = options.faults or options.ablate
    if table:
        return _table(base, options)
    if options.at or options.lasting:
        raise SearchError("--at and --lasting belong to a table", remedy="add --faults or --ablate")
    return base


def _table(base: Experiment, options: Any) -> Experiment:
    """The experiment of a table.

    Raises:
        SearchError: Options that do not go together.
    """
    from andante.search.suites.getup_tables import PARTS, asked_ablation, asked_faults

    if options.faults and options.ablate:
        raise SearchError("--faults and --ablate are two tables", remedy="ask for one at a time")
    if options.picture is not None or not all(getattr(options, part) for part in PARTS):
        remedy = "leave the others out"
        raise SearchError("a table has its own variants of the engine, and no picture", remedy=remedy)
    if options.fault:
        raise SearchError("a table has its own faults", remedy="leave --fault out")
    return asked_ablation(base, options) if options.ablate else asked_faults(base, options)


def _fitting(experiment: Experiment, options: Any) -> Experiment:
    """The experiment with a physics step that divides the tick of another robot than the NAO."""
    tick = Robot.load(options.robot).tick
    fitting = [step for step in _STEPS if abs(tick / step - round(tick / step)) < 1e-6]
    named = any(pair.partition("=")[0].strip() == "world.timestep" for pair in options.values)
    return experiment if named or not fitting else with_changes(experiment, {"world.timestep": fitting[0]})


def setup_for(
    start: str,
    *,
    library: str = "nao",
    spread: str = "standard",
    faults: Sequence[Fault] = (),
    again: bool = False,
    changes: Mapping[str, Any] | None = None,
) -> TrialSetup:
    """What the trials of one start share, for programs.

    Args:
        start: How the robot lies: front, back, left or right.
        library: Motion library: a shipped name or a file.
        spread: How harsh the world is.
        faults: What goes wrong.
        again: A trial with a restart is run again without branches, to know whether the restart was needed.
        changes: New values by path: ``controller.waits``, ``observers.get-up.tries``.

    Raises:
        AndanteError: A name is unknown, or a value is not legal.
    """
    base = EXPERIMENTS[EXPERIMENT]
    chosen = {"start": (start,), "spread": (spread,)}
    axes = {name: axis.but(chosen=chosen[name]) for name, axis in base.axes.items()}
    figures = {name: each for name, each in base.figures.items() if again or each.metric not in base.again}
    own = base.but(axes=axes, faults=tuple(faults), again=base.again if again else {}, figures=figures)
    (group,) = groups_of(with_changes(own, {"controller.library": library, **(changes or {})}))
    return group.setup


def get_up(setup: TrialSetup, seed: int) -> GetUp:
    """One get-up of a setup, see `setup_for`.

    Raises:
        AndanteError: It cannot be run as asked.
    """
    return get_up_of(run_trial(setup, seed))


def get_up_of(trial: TrialResult) -> GetUp:
    """What the observer of a trial told."""
    told = trial.metrics["get-up"]
    return _GET_UP.validate_python({name: told[name] for name in GetUp.__dataclass_fields__})


def causes(trials: Sequence[GetUp]) -> list[dict[str, Any]]:
    """Where tries ended, most frequent keyframe first."""
    stops = [(stop.block, stop.keyframe, stop.why) for trial in trials for stop in trial.stops]
    return [
        {"block": block, "keyframe": keyframe, "why": why, "times": times}
        for (block, keyframe, why), times in sorted(Counter(stops).items(), key=lambda item: (-item[1], item[0]))
    ]


def _cases(options: Any) -> list[Case[TrialSetup]]:
    if options.picture is not None:
        from andante.pictures.figures import check_kind

        check_kind(options.picture)
    return cases_of([asked(options)], options)


def _report(options: Any, results: Mapping[str, Sequence[TrialResult]]) -> BenchReport:
    if options.faults or options.ablate:
        from andante.search.suites.getup_tables import report_ablation, report_faults

        return (report_faults if options.faults else report_ablation)(asked(options), options, results)
    report = report_of([asked(options)], options, results)
    cells = [
        (name, [get_up_of(trial) for trial in trials if ENDED not in trial.metrics]) for name, trials in results.items()
    ]
    for cell, (_, trials) in zip(report.about["cells"], cells, strict=True):
        pairs = sum((Counter(trial.touches) for trial in trials), Counter[str]())
        touched = sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0]))[:_PAIRS_SHOWN]
        cell |= {"causes": causes(trials), "touches": [{"pair": pair, "ticks": ticks} for pair, ticks in touched]}
    if options.picture is None:
        return report
    from andante.pictures.figures import save
    from andante.search.suites.getup_picture import failure_figure

    title = f"Get-ups of {options.library}, spread {options.spread}"
    drawn = {options.picture: lambda path: save(failure_figure(title, cells), path)}
    return replace(report, files={**report.files, **drawn})


_PLAIN = suite_of(EXPERIMENTS[EXPERIMENT])
SUITE = replace(_PLAIN, options=GetUpOptions, cases=_cases, report=_report)
"""The suite."""
