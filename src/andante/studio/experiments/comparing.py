"""Any two results beside one another, or any two runs: differences in words, and what about them cannot be compared.

The numbers are those of `andante bench compare` and of `andante compare`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from andante.errors import AndanteError
from andante.pictures.pages import packed
from andante.runs.build import load_declared
from andante.runs.logs.record import RunRecord
from andante.runs.reports.compare import Number, compare, shown
from andante.runs.scenario import Scenario
from andante.search.comparison import described
from andante.search.errors import SearchError
from andante.search.experiment.registry import EXPERIMENTS, load_experiment
from andante.search.history import UNKNOWN, SavedBench
from andante.search.suite import Suite
from andante.search.suites.registry import SUITES, load_suite
from andante.search.versions import compare_kept
from andante.studio.errors import StudioError
from andante.studio.experiments.kept import experiment_files, load_result, result_path, run_names
from andante.studio.lanes import rows_of_log
from andante.studio.scene import robot_scene
from andante.studio.view import finite
from andante.studio.workspace import Workspace

MOST_ROWS = 12_000
"""Ticks of a run that are drawn; of a longer one every second, third and so on."""
_MOST = 60
"""Differences of what was asked, and events, that are told."""


def compare_two(folder: Path, first: str, second: str) -> dict[str, Any]:
    """Two results, or two runs, beside one another; plain data.

    Args:
        folder: The workspace.
        first: Name of the first.
        second: Name of the second.

    Raises:
        AndanteError: One of them is not there or cannot be read, or the two are of different kinds.
    """
    workspace = Workspace(folder)
    runs = set(run_names(workspace))
    kinds = []
    for name in (first, second):
        result_path(workspace, name)
        kinds.append(name in runs)
    if kinds[0] != kinds[1]:
        words = ["a run" if kind else "a result of an experiment" for kind in kinds]
        text = f"{first} is {words[0]}, {second} is {words[1]}: only two of one kind are compared"
        raise StudioError(text, remedy="choose two results, or two runs")
    found = _runs(workspace, first, second) if kinds[0] else _results(workspace, first, second)
    if first == second:
        found["against"].append("both are the same one")
    return finite({"names": [first, second], **found})


# Results --------------------------------------------------------------------------------------------------------------


def _results(workspace: Workspace, first: str, second: str) -> dict[str, Any]:
    one, two = benches = [load_result(workspace, name) for name in (first, second)]
    against, differences, outcome, why = list[str](), list[dict[str, Any]](), "", ""
    if one.suite != two.suite:
        against.append(f"other task: the first is of {one.suite}, the second of {two.suite}")
    else:
        try:
            comparison, _ = compare_kept(one, two, suite=_suite(workspace, one.suite))
            outcome, why = comparison.outcome, comparison.why
            differences = [
                {**vars(each), "words": described(each), "interval": each.interval} for each in comparison.differences
            ]
        except AndanteError as error:
            against.append(str(error))
    if one.evidence != two.evidence:
        rests = [each.evidence or "nobody knows what" for each in benches]
        against.append(f"they rest on other evidence: {rests[0]} and {rests[1]}")
    seeds = [{(trial.group, trial.seed) for trial in bench.trials} for bench in benches]
    return {
        "kind": "results",
        "made": [_made(bench) for bench in benches],
        "verdicts": [_verdict(bench) for bench in benches],
        "outcome": outcome,
        "why": why,
        "differences": differences,
        "rows": _rows(benches),
        "seeds": _seeds(seeds),
        "against": against,
        "asked": list(_differing(*(_of(bench) for bench in benches)))[:_MOST],
    }


def _suite(workspace: Workspace, name: str) -> Suite[Any, Any, Any]:
    """What made a result: an experiment that goes by its name, or that of a file of the workspace.

    Raises:
        AndanteError: There is none, or it cannot be read.
    """
    if name in SUITES or name in EXPERIMENTS:
        return load_suite(name)
    for file in experiment_files(workspace):
        with contextlib.suppress(AndanteError):
            if load_experiment(workspace.folder / file).name == name:
                return load_suite(str(workspace.folder / file))
    raise SearchError(
        "the experiment is not there any more, so nobody knows by what its results are compared", value=name
    )


def _made(bench: SavedBench) -> str:
    if bench.andante == UNKNOWN:
        return "when and by which version is not told"
    return f"{bench.saved}, Andante {bench.andante}, {bench.commit or 'no commit'}"


def _verdict(bench: SavedBench) -> dict[str, Any]:
    asked = [row for row in bench.rows if row.ok is not None]
    missed = [f"{row.name}: {row.value:.4g} {row.unit}, asked {row.asked}" for row in asked if not row.ok]
    word = "nothing was asked" if not asked else "every figure is met" if not missed else "missed"
    return {"verdict": word, "good": None if not asked else not missed, "reasons": missed[:_MOST]}


def _rows(benches: Sequence[SavedBench]) -> list[dict[str, Any]]:
    """All figures of both by name."""
    known = [{row.name: row for row in bench.rows} for bench in benches]
    names = dict.fromkeys(name for each in known for name in each)
    found = []
    for name in names:
        sides = [each.get(name) for each in known]
        unit = next(side.unit for side in sides if side is not None)
        found.append({"name": name, "unit": unit, "sides": [None if side is None else vars(side) for side in sides]})
    return found


def _seeds(trials: Sequence[set[tuple[str, int]]]) -> str:
    """Which trials the two have in common, in words."""
    common = trials[0] & trials[1]
    if not common:
        return "no trial of the one has the same conditions and seed as one of the other"
    seeds = sorted({seed for _, seed in common})
    only = [len(each - common) for each in trials]
    text = f"{len(common)} trials in common, seeds {seeds[0]} to {seeds[-1]}"
    left = [f"{count} only in the {which}" for count, which in zip(only, ("first", "second"), strict=True) if count]
    return text + (f"; {', '.join(left)}, which count for nothing here" if left else "")


def _of(bench: SavedBench) -> dict[str, Any]:
    """What a result was asked, and on what it ran."""
    told = {name: value for name, value in bench.options.items() if value not in (None, [], "", ())}
    versions = {f"version of {name}": value for name, value in bench.toolchain.items()}
    own = {} if bench.andante == UNKNOWN else {"version of andante": bench.andante}
    return told | own | versions | {f"content of {name}": value[:12] for name, value in bench.input.items()}


# Runs -----------------------------------------------------------------------------------------------------------------


def _runs(workspace: Workspace, first: str, second: str) -> dict[str, Any]:
    paths = [result_path(workspace, name) for name in (first, second)]
    records = [RunRecord.open(path) for path in paths]
    against: list[str] = []
    if records[0].robot != records[1].robot:
        against.append(f"other robot: {records[0].robot or 'unknown'} and {records[1].robot or 'unknown'}")
        numbers, channels, events = _numbers(records), list[str](), list[list[Any]]()
    else:
        comparison = compare(*paths)
        numbers = list(comparison.numbers)
        channels = [str(each) for each in comparison.channels]
        events = _events(comparison.missing, comparison.added)
    scenarios = [_scenario(record) for record in records]
    asked = []
    one, two = scenarios
    if one is not None and two is not None:
        sides = zip(records, (one, two), strict=True)
        asked = list(_differing(*(_flat(each.model_dump(mode="json")) | _versions(record) for record, each in sides)))
        against += _against(one, two)
    else:
        against.append("one of the logs does not tell what was asked")
    differing = [number for number in numbers if number.differs]
    return {
        "kind": "runs",
        "made": [f"{record.name}, {record.duration:.2f} s" for record in records],
        "verdicts": [_judged(record) for record in records],
        "numbers": [[each.name, *each.shown, each.percent] for each in differing],
        "same": [each.name for each in numbers if not each.differs],
        "channels": channels,
        "events": events,
        "against": against,
        "asked": asked[:_MOST],
        **_lanes(records, scenarios),
    }


def _judged(record: RunRecord) -> dict[str, Any]:
    reasons = [str(each) for each in record.result.get("reasons") or ()]
    good = {"pass": True, "fail": False}.get(record.verdict)
    return {"verdict": record.verdict or "not judged", "good": good, "reasons": reasons[:_MOST]}


def _numbers(records: Sequence[RunRecord]) -> list[Number]:
    sides = [record.numbers() for record in records]
    return [Number(name, sides[0].get(name), sides[1].get(name)) for name in dict.fromkeys((*sides[0], *sides[1]))]


def _scenario(record: RunRecord) -> Scenario | None:
    try:
        return record.scenario
    except AndanteError:
        return None


def _versions(record: RunRecord) -> dict[str, str]:
    """The versions that made a run, by name."""
    return {f"version of {name}": text for name, text in record.log.metadata.get("versions", {}).items()}


def _against(first: Scenario, second: Scenario) -> Iterator[str]:
    """Why two runs are no trials of the same thing, each in words."""
    tasks = [sorted(each.type for each in scenario.tasks) for scenario in (first, second)]
    if tasks[0] != tasks[1]:
        yield f"other task: {_words(tasks[0])} and {_words(tasks[1])}"
    if first.controller.type != second.controller.type:
        yield f"other controller: {first.controller.type} and {second.controller.type}"
    if first.moved.type != second.moved.type:
        yield f"other backend: {first.moved.type} and {second.moved.type}"
    steps = [scenario.moved.physics_period(scenario.world) for scenario in (first, second)]
    if steps[0] != steps[1]:
        yield f"other step of the physics: {steps[0] or 0:g} and {steps[1] or 0:g}"
    worlds = [_flat(each.world.model_dump(mode="json")) for each in (first, second)]
    spread = sorted(
        name
        for name in {**worlds[0], **worlds[1]}
        if worlds[0].get(name) != worlds[1].get(name) and any(isinstance(each.get(name), list) for each in worlds)
    )
    if spread:
        yield f"other spread of what the seed draws: {', '.join(f'world.{name}' for name in spread[:8])}"


def _lanes(records: Sequence[RunRecord], scenarios: Sequence[Scenario | None]) -> dict[str, Any]:
    """What the lanes of the time axis show of both, where they are of one robot that can be loaded."""
    if records[0].robot != records[1].robot or scenarios[0] is None:
        return {"robot": None, "lanes": [], "no_lanes": "runs of two robots have no lanes in common"}
    try:
        robot = load_declared(scenarios[0])
        lanes = []
        for record in records:
            rows = rows_of_log(record.log)
            every = max(-(-len(rows) // MOST_ROWS), 1)
            kept = np.ascontiguousarray(rows[::every], dtype="<f4")
            events = [
                {"time": event.time, "kind": str(event.kind), "text": event.text}
                | {name: event.data[name] for name in ("block", "keyframe") if name in event.data}
                for event in record.log.events[:3000]
            ]
            lanes.append({"rows": packed(kept.tobytes()), "width": int(kept.shape[1]), "events": events})
        return {"robot": robot_scene(robot), "lanes": lanes, "no_lanes": ""}
    except AndanteError as error:
        return {"robot": None, "lanes": [], "no_lanes": str(error)}


def _events(missing: Sequence[Any], added: Sequence[Any]) -> list[list[Any]]:
    found = [
        [round(event.time, 3), f"only in the {which}", f"{event.kind}: {event.text}"]
        for which, events in (("first", missing), ("second", added))
        for event in events
    ]
    return sorted(found)[:_MOST]


# Both -----------------------------------------------------------------------------------------------------------------


def _differing(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[list[str]]:
    """Names, and both values, of what two were asked differently."""
    for name in dict.fromkeys([*first, *second]):
        if first.get(name) != second.get(name):
            yield [name, _words(first.get(name)), _words(second.get(name))]


def _flat(data: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in data.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{before}{name}.")
        else:
            found[f"{before}{name}"] = value
    return found


def _words(value: Any) -> str:
    if value is None:
        return "not given"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_words, value)) or "none"
    return shown(value) if isinstance(value, (int, float, bool)) else str(value)[:300]
