"""An experiment as a suite: its command, its trials on any executor, its report."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, create_model
from pydantic_core import to_jsonable_python

from andante.documents.paths import parse_path, read_value, typed_values, value_at
from andante.search.errors import SearchError
from andante.search.executor import executor_for
from andante.search.experiment.cases import (
    Group,
    evidence_of_all,
    groups_of,
    reference_axis,
    table_of,
    with_changes,
    with_options,
)
from andante.search.experiment.document import DECIDING, Compared, Experiment, Figure, Option
from andante.search.experiment.falls import fall_lines, falls_of
from andante.search.experiment.figures import SEED, WHY, Trials, compared_value, row_of
from andante.search.experiment.inputs import inputs_of
from andante.search.experiment.page import write_page
from andante.search.experiment.registry import experiment_named
from andante.search.experiment.spread import check_draws
from andante.search.experiment.trial import ENDED, TrialResult, TrialSetup, ended_trial, run_trial
from andante.search.measure import Measure
from andante.search.rows import Row
from andante.search.suite import (
    BenchReport,
    Case,
    HowToRun,
    Options,
    Positional,
    Seed,
    SeedCount,
    Suite,
    names_of,
    read_options,
)

_NAMED = re.compile(r"\{(?P<name>\w+)(?::g)?\}")
"""What a figure's name may hold: the label of an axis, or a bound of its condition."""
LIST = "list"
"""Asks for the names of all tables."""
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
    what: str | Path | Experiment,
    *,
    workers: int = 1,
    settings: Sequence[str] = (),
    trial_limit: float | None = None,
    trial_memory: float | None = None,
    **options: Any,
) -> BenchReport:
    """Run an experiment: the same rows and trials at any number of workers.

    Args:
        what: An experiment, its name, or its file.
        workers: Processes that share the work.
        settings: Values changed by path, each as PATH=VALUE.
        trial_limit: End a trial after so long [s], without what a busy machine costs: it is named, and no success; at
            least 1, None: never. Trials run in processes of their own then.
        trial_memory: End a trial whose process uses more memory [GB]; at least 0.5, None: never.
        options: The experiment's own options by name, and ``seeds`` and ``first_seed``.

    Raises:
        AndanteError: Something does not exist, does not fit or is not legal; or a trial cannot be run.
    """
    experiment = what if isinstance(what, Experiment) else experiment_named(str(what))
    suite = suite_of(experiment)
    limits = read_options(HowToRun, {"trial_limit": trial_limit, "trial_memory": trial_memory}).limits
    asked = read_options(suite.options, {**options, "values": tuple(settings)})
    return suite.run(asked, executor_for(workers, limits=limits))


def suite_of(
    experiment: Experiment,
    name: str = "",
    options: type[Options] | None = None,
    parts: Callable[[Any], Sequence[Experiment]] | None = None,
) -> Suite[Any, TrialSetup, TrialResult]:
    """The suite that an experiment is.

    Args:
        experiment: The experiment.
        name: Name of its command; empty: the experiment's.
        options: What it can be asked; None: what the experiment says.
        parts: The experiments, one for each table, that options ask for; None: see `parts_of`.
    """
    asked = partial(parts_of, experiment) if parts is None else parts
    measures = [
        Measure(title, each.convert or each.unit, partial(_compared, each), each.better, each.least, each.succeeds)
        for title, each in experiment.compare.items()
    ]
    decides = experiment.model_dump(mode="json", by_alias=True, exclude_defaults=True, include=DECIDING)

    def told(options: Any, results: Mapping[str, Sequence[TrialResult]]) -> BenchReport:
        report = report_of(asked(options), options, results)
        return replace(report, about={**report.about, "document": decides})

    return Suite(
        name or experiment.name,
        options_of(experiment) if options is None else options,
        TrialResult,
        lambda options: cases_of(asked(options), options),
        run_trial,
        told,
        lambda options: listing_of(experiment, getattr(options, "table", None)),
        measures,
        hashlib.sha256(experiment.model_dump_json().encode()).hexdigest(),
        decides,
        asked,
        inputs_of,
        ended_trial,
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
    fields["seeds"] = (SeedCount, Field(experiment.seeds.count, description="Number of seeds."))
    if experiment.tables:
        told = f"Tables with commas; {LIST}: all tables."
        fields["table"] = (str, Field(next(iter(experiment.tables)), description=told))
        fields["seeds"] = (int | None, Field(None, ge=1, description="Number of seeds; default: the table's."))
    told = "Write a page with the figures and a film strip of each condition (HTML)."
    fields["page"] = (Path | None, Field(None, exclude=True, description=told))
    fields["first_seed"] = (Seed, Field(experiment.seeds.first, description="First seed."))
    made: type[Options] = create_model("ExperimentOptions", __base__=Options, **fields)
    made.subject = experiment.subject
    made.conditions = tuple(name for name, option in experiment.options.items() if option.condition)
    return made


def parts_of(experiment: Experiment, options: Any) -> list[Experiment]:
    """What the options ask for: the experiment, or its tables that they name, each as an experiment of its own.

    Raises:
        AndanteError: There is no such table; an option or a value by path is not legal.
    """
    if not experiment.tables:
        return [asked_of(experiment, options)]
    names = names_of(options.table, experiment.tables, "--table")
    robot = getattr(options, "robot", "")
    return [asked_of(table_of(experiment, name, robot), options) for name in names]


def asked_of(experiment: Experiment, options: Options) -> Experiment:
    """The experiment that the options ask for.

    Raises:
        AndanteError: An option or a value by path is not legal.
    """
    given = options.model_dump()
    asked = with_options(experiment, given)
    return with_values(asked, given["values"]) if given["values"] else asked


def with_values(experiment: Experiment, pairs: Sequence[str]) -> Experiment:
    """An experiment with values that were typed as PATH=VALUE.

    Raises:
        AndanteError: A path leads to nothing, or a value cannot be read.
    """
    values, option = {}, "--set"
    scenario = groups_of(experiment)[0].setup.scenario(experiment.seeds.first)[0]
    changed = scenario.model_dump()
    for pair in pairs:
        path, equals, text = (part.strip() for part in pair.partition("="))
        if not (equals and path and text):
            raise SearchError("give PATH=VALUE", place=option, value=pair)
        steps = parse_path(path, option)
        if steps[0] in Experiment.model_fields and steps[0] not in ("scenario", "name"):
            values[path] = read_value(Experiment, {}, steps, text, option)
        else:
            # Each value meets those before it: a kind of backend first, then what that kind has.
            changed = typed_values(type(scenario), changed, [pair], option)
            values[path] = value_at(changed, steps)
    return with_changes(experiment, values, option, overruling=True)


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


def cases_of(parts: Sequence[Experiment], options: Any) -> list[Case[TrialSetup]]:
    """The trials of experiments, each group with all seeds of the options."""
    cases: list[Case[TrialSetup]] = []
    for pair in options.values:
        if parse_path(pair.partition("=")[0].strip(), "--set")[0] == "seeds":
            remedy = "give --seeds or --first-seed"
            raise SearchError("seeds have options of their own", place="--set", value=pair, remedy=remedy)
    for asked in parts:
        for name, each in asked.figures.items():
            _title(name, each.is_, {} if each.pooled else dict.fromkeys(asked.axes, ""))
        seeds = range(options.first_seed, options.first_seed + (options.seeds or asked.seeds.count))
        groups = groups_of(asked)
        for group in groups:
            if any(case.group == group.name for case in cases):
                raise SearchError("two tables have conditions of one name", place="--table", value=group.name)
            check_draws(group.setup, seeds)
        cases += [Case(group.name, group.setup, seed) for group in groups for seed in seeds]
    return cases


def report_of(
    parts: Sequence[Experiment], options: Options, results: Mapping[str, Sequence[TrialResult]]
) -> BenchReport:
    """What the trials of experiments say: rows, what was asked, every trial, and a page where one is asked for."""
    about: dict[str, Any] = {"experiment": parts[0].name}
    about |= {name: value for name, value in options.model_dump(mode="json").items() if value not in (None, [], ())}
    about |= {"cells": [], "failures": [], "falls": []}
    rows: list[Row] = []
    text: list[str] = []
    named: set[str] = set()
    everywhere: list[Group] = []
    for asked in parts:
        groups = groups_of(asked)
        everywhere += groups
        for group in groups:
            trials = results[group.name]
            told = [to_jsonable_python(vars(trial), inf_nan_mode="null") for trial in trials]
            about["cells"].append({"label": group.name, **group.labels, "trials": told})
            for trial in trials:
                if trial.passed is False:
                    reasons = [f"{group.name}: {why}" if group.name else why for why in trial.reasons]
                    about["failures"].append({"seed": trial.seed, "reasons": reasons})
        about["falls"] += falls_of(groups, results)
        rows += rows_of(asked, groups, results)
        text += columns_of(asked, groups, results)
        named |= {name for name, each in asked.figures.items() if each.shown}
    shown = [row for row in rows if row.asked or row.name.rpartition(": ")[2] in named or row.name in named]
    path = getattr(options, "page", None)
    write = partial(write_page, experiment=parts[0], groups=everywhere, results=results, rows=rows, asked=about)
    files = {} if path is None else {path: write}
    shown_rows = shown if text else None
    ended = sum(ENDED in trial.metrics for trials in results.values() for trial in trials)
    if ended:
        text.append(f"{ended} of the trials ended by a limit, not by themselves: no success, and part of no mean")
    text += fall_lines(about["falls"])
    return BenchReport(parts[0].name, rows, about, text, shown_rows, files, evidence_of_all(parts))


def listing_of(experiment: Experiment, table: str | None) -> list[str]:
    """A line for each table of an experiment, where they are asked for in place of a bench."""
    if table != LIST or LIST in experiment.tables:
        return []
    wide = max(map(len, experiment.tables)) + 2
    lines = []
    for name, each in experiment.tables.items():
        figures = table_of(experiment, name).figures
        bars = {title: each.bar for title, each in figures.items() if each.bar != experiment.figures[title].bar}
        asked = "; asked: " + ", ".join(f"{title} {bar}" for title, bar in bars.items() if bar) if bars else ""
        lines.append(f"{name:<{wide}}{each.what}; {each.seeds or experiment.seeds.count} seeds{asked}")
    return lines


def columns_of(
    experiment: Experiment, groups: Sequence[Group], results: Mapping[str, Sequence[TrialResult]]
) -> list[str]:
    """The table of columns for people: heads, units, a line for each title; nothing where there are no columns."""
    if not experiment.columns:
        return []
    lines = [(experiment.name, *experiment.columns), ("", *(_unit(each) for each in experiment.columns.values()))]
    pools = _pools(experiment, groups, results)
    for group, trials in pools:
        rows = [
            (each, _row(experiment, name, each, (group, trials), pools)) for name, each in experiment.columns.items()
        ]
        lines.append((group.title, *("-" if row is None else _cell(each, row) for each, row in rows)))
    wide = [max(len(line[column]) for line in lines) + 2 for column in range(len(lines[0]))]
    padded = [[f"{cell:>{width}}" for cell, width in zip(line[1:], wide[1:], strict=True)] for line in lines]
    return ["", *(f"{line[0]:<{wide[0]}}{''.join(cells)}".rstrip() for line, cells in zip(lines, padded, strict=True))]


def _unit(column: Figure) -> str:
    return "" if column.statistic == "share" else column.convert or column.unit


def _cell(column: Figure, row: Row) -> str:
    if column.statistic == "share":
        return f"{round(row.value * row.n)}/{row.n}"
    return f"{row.value:.4g}" if column.digits is None else f"{row.value:.{column.digits}f}"


def rows_of(experiment: Experiment, groups: Sequence[Group], results: Mapping[str, Sequence[TrialResult]]) -> list[Row]:
    """All figures: of each group in its order, then of all trials together.

    Raises:
        SearchError: No trial tells a figure, or it is no finite number.
    """
    pools = _pools(experiment, groups, results)
    rows = []
    for group, trials in pools:
        for name, each in group.figures.items():
            if each.pooled:
                continue
            title = _title(name, each.is_, group.labels)
            head = f"{group.title}: {title}" if group.title else title
            rows.append(_row(experiment, head, each, (group, trials), pools))
    everything = [trial for _, trials in pools for trial in trials]
    for name, each in experiment.figures.items():
        if each.pooled:
            rows.append(row_of(_title(name, each.is_, {}), each, everything))
    return [row for row in rows if row is not None]


def _row(
    experiment: Experiment,
    name: str,
    asked: Figure,
    own: tuple[Group, Trials],
    pools: Sequence[tuple[Group, Trials]],
) -> Row | None:
    """The row of one group; None where it is left out, as where it is compared with itself, or what is not tried."""
    group, trials = own
    if asked.against is None:
        return row_of(name, asked, trials)
    axis = str(reference_axis(experiment, asked.against))
    wanted = {**group.labels, axis: asked.against}
    against = next((others for other, others in pools if other.labels == wanted), None)
    return None if against is None or group.labels[axis] == asked.against else row_of(name, asked, trials, against)


def _pools(
    experiment: Experiment, groups: Sequence[Group], results: Mapping[str, Sequence[TrialResult]]
) -> list[tuple[Group, list[Mapping[str, Any]]]]:
    """Numbers of the trials that count together, behind the first of their groups; of pooled axes seed by seed."""
    found: dict[tuple[str, ...], tuple[Group, list[TrialResult]]] = {}
    for group in groups:
        key = tuple(label for axis, label in group.labels.items() if not experiment.axes[axis].pooled)
        found.setdefault(key, (group, []))[1].extend(results[group.name])
    return [
        (group, [_numbers(each) for each in sorted(own, key=lambda each: each.seed)]) for group, own in found.values()
    ]


def _numbers(trial: TrialResult) -> dict[str, Any]:
    why = {} if trial.passed else {WHY: "; ".join(trial.reasons)}
    return {**trial.metrics, SEED: trial.seed, **why}


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


def _compared(asked: Compared, trial: TrialResult) -> float | bool | None:
    return compared_value(asked, trial.metrics)
