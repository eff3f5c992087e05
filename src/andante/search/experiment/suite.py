"""An experiment as a suite: its command, its trials on any executor, its report."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, create_model

from andante.documents.paths import parse_path, read_value, typed_values
from andante.search.comparison import Measure
from andante.search.errors import SearchError
from andante.search.executor import executor_for
from andante.search.experiment.cases import Group, groups_of, with_changes, with_options
from andante.search.experiment.document import Experiment, Option
from andante.search.experiment.figures import compared_value, row_of
from andante.search.experiment.registry import experiment_named
from andante.search.experiment.trial import TrialResult, TrialSetup, run_trial
from andante.search.rows import Row
from andante.search.suite import BenchReport, Case, Count, Options, Positional, Seed, Suite, read_options

_NAMED = re.compile(r"\{(?P<name>\w+)(?::g)?\}")
"""What a figure's name may hold: the label of an axis, or a bound of its condition."""
_KINDS: Mapping[str, Any] = {
    "text": str,
    "texts": tuple[str, ...],
    "number": float,
    "pair": tuple[float, float],
    "whole": int,
    "switch": bool,
    "labels": str,
    "faults": tuple[str, ...],
}
"""Types of what options take."""


def bench(
    what: str | Path | Experiment, *, workers: int = 1, settings: Sequence[str] = (), **options: Any
) -> BenchReport:
    """Run an experiment: the same rows and trials at any number of workers.

    Args:
        what: An experiment, its name, or its file.
        workers: Processes that share the work.
        settings: Values changed by path, each as PATH=VALUE.
        options: The experiment's own options by name, and ``seeds`` and ``first_seed``.

    Raises:
        AndanteError: Something does not exist, does not fit or is not legal; or a trial cannot be run.
    """
    experiment = what if isinstance(what, Experiment) else experiment_named(str(what))
    suite = suite_of(experiment)
    return suite.run(read_options(suite.options, {**options, "values": tuple(settings)}), executor_for(workers))


def suite_of(experiment: Experiment, name: str = "") -> Suite[Any, TrialSetup, TrialResult]:
    """The suite that an experiment is.

    Args:
        experiment: The experiment.
        name: Name of its command; empty: the experiment's.
    """
    measures = [
        Measure(title, each.convert or each.unit, _Value(experiment, title), each.better, each.least, each.succeeds)
        for title, each in experiment.compare.items()
    ]
    return Suite(
        name or experiment.name,
        options_of(experiment),
        TrialResult,
        lambda options: cases_of(asked_of(experiment, options), options),
        run_trial,
        lambda options, results: report_of(asked_of(experiment, options), options, results),
        measures=measures,
        document=hashlib.sha256(experiment.model_dump_json().encode()).hexdigest(),
    )


def options_of(experiment: Experiment) -> type[Options]:
    """The options of an experiment's command: its own, values by path, and seeds."""
    fields: dict[str, Any] = {}
    for name, option in experiment.options.items():
        kind, default = _KINDS[option.kind], _default(experiment, option)
        marks = [Positional()] if option.argument else []
        optional = kind if option.required or default is not None else kind | None
        info = Field(... if option.required else default, description=option.help)
        fields[name] = (Annotated[optional, *marks] if marks else optional, info)
    told = "PATH=VALUE: change a value of the scenario, as world.friction=0.4, or of the experiment; repeat."
    fields["values"] = (tuple[str, ...], Field((), alias="set", description=told))
    fields["seeds"] = (Count, Field(experiment.seeds.count, description="Number of seeds."))
    fields["first_seed"] = (Seed, Field(experiment.seeds.first, description="First seed."))
    made: type[Options] = create_model("ExperimentOptions", __base__=Options, **fields)
    made.subject = experiment.subject
    made.conditions = tuple(name for name, option in experiment.options.items() if option.condition)
    return made


def asked_of(experiment: Experiment, options: Options) -> Experiment:
    """The experiment that the options ask for.

    Raises:
        AndanteError: An option or a value by path is not legal.
    """
    given = options.model_dump()
    asked = with_options(experiment, given)
    return with_values(asked, given["values"]) if given["values"] else asked


def with_values(experiment: Experiment, pairs: Sequence[str], option: str = "--set") -> Experiment:
    """An experiment with values that were typed as PATH=VALUE.

    Raises:
        AndanteError: A path leads to nothing, or a value cannot be read.
    """
    values = {}
    for pair in pairs:
        path, equals, text = (part.strip() for part in pair.partition("="))
        if not (equals and path and text):
            raise SearchError("give PATH=VALUE", place=option, value=pair)
        steps = parse_path(path, option)
        scenario = groups_of(experiment)[0].setup.scenario(experiment.seeds.first)[0]
        if steps[0] in Experiment.model_fields and steps[0] not in ("scenario",) and steps[0] != "name":
            values[path] = read_value(Experiment, {}, steps, text, option)
        else:
            changed = typed_values(type(scenario), scenario.model_dump(), [pair], option)
            values[path] = _at(changed, steps)
    return with_changes(experiment, values, option, overruling=True)


def _at(data: Any, steps: Sequence[Any]) -> Any:
    for step in steps:
        data = data[step]
    return data


def _default(experiment: Experiment, option: Option) -> Any:
    """What is tried where the option is not given, as far as the document says it."""
    if option.chooses is not None:
        axis = experiment.axes[option.chooses]
        return ",".join(axis.chosen or axis.variants)
    if option.kind in ("texts", "faults"):
        return ()
    path = parse_path(option.sets[0])
    data: Any = experiment.model_dump(by_alias=True)
    if path[0] not in Experiment.model_fields:
        value = data["set"].get(option.sets[0])
        return tuple(value) if isinstance(value, list) else value
    for step in path:
        data = data.get(step) if isinstance(data, Mapping) else None
    return data


def cases_of(asked: Experiment, options: Any) -> list[Case[TrialSetup]]:
    """The trials of an experiment, each group with all seeds of the options."""
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    for name, each in asked.figures.items():
        _title(name, each.is_, {} if each.pooled else dict.fromkeys(asked.axes, ""))
    return [Case(group.name, group.setup, seed) for group in groups_of(asked) for seed in seeds]


def report_of(asked: Experiment, options: Options, results: Mapping[str, Sequence[TrialResult]]) -> BenchReport:
    """What the trials of an experiment say: its rows, what was asked, and every trial."""
    groups = groups_of(asked)
    about: dict[str, Any] = {"experiment": asked.name}
    about |= {name: value for name, value in options.model_dump(mode="json").items() if value not in (None, [], ())}
    about["cells"] = [
        {
            "label": group.name,
            **group.labels,
            "trials": [
                {
                    "seed": trial.seed,
                    "passed": trial.passed,
                    "reasons": list(trial.reasons),
                    "metrics": _finite(trial.metrics),
                }
                for trial in results[group.name]
            ],
        }
        for group in groups
    ]
    about["failures"] = [
        {"seed": trial.seed, "reasons": [f"{group.title}: {why}" if group.title else why for why in trial.reasons]}
        for group in groups
        for trial in results[group.name]
        if trial.passed is False
    ]
    return BenchReport(asked.name, rows_of(asked, groups, results), about)


def rows_of(experiment: Experiment, groups: Sequence[Group], results: Mapping[str, Sequence[TrialResult]]) -> list[Row]:
    """All figures: of each group in its order, then of all trials together.

    Raises:
        SearchError: No trial tells a figure, or it is no finite number.
    """
    numbers = {group.name: [trial.metrics for trial in results[group.name]] for group in groups}
    rows = []
    for group in groups:
        for name, each in experiment.figures.items():
            if each.pooled:
                continue
            against = None
            if each.against is not None:
                last = list(group.labels)[-1]
                if group.labels[last] == each.against:
                    continue
                wanted = {**group.labels, last: each.against}
                against = next(numbers[other.name] for other in groups if other.labels == wanted)
            title = _title(name, each.is_, group.labels)
            rows.append(row_of(f"{group.title}: {title}" if group.title else title, each, numbers[group.name], against))
    everything = [trial for trials in numbers.values() for trial in trials]
    for name, each in experiment.figures.items():
        if each.pooled:
            rows.append(row_of(_title(name, each.is_, {}), each, everything))
    return [row for row in rows if row is not None]


def _title(name: str, condition: Any, labels: Mapping[str, str]) -> str:
    """The name of a row: labels of axes and bounds stand for their names in braces."""
    bounds = {} if isinstance(condition, (bool, str)) else dict(condition)
    known = {key: value for key, value in {**labels, **bounds}.items() if value is not None}

    def told(found: re.Match[str]) -> str:
        if found["name"] not in known:
            raise SearchError(
                "nothing of this name is known to a figure's name", value=found[0], place=name, legal=known
            )
        value = known[found["name"]]
        return value if isinstance(value, str) else f"{value:g}"

    return _NAMED.sub(told, name)


class _Value:
    """What one trial tells for a comparison; picklable."""

    def __init__(self, experiment: Experiment, name: str) -> None:
        self._asked = experiment.compare[name]

    def __call__(self, trial: TrialResult) -> float | bool | None:
        return compared_value(self._asked, trial.metrics)


def _finite(data: Any) -> Any:
    """Plain data with None for what is no finite number."""
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, Mapping):
        return {key: _finite(value) for key, value in data.items()}
    return [_finite(value) for value in data] if isinstance(data, (list, tuple)) else data
