"""No option of a bench is dropped: it changes the trials, or it is refused by name."""

from __future__ import annotations

import pickle
import types
import typing
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from andante.errors import AndanteError
from andante.search.suite import Suite
from andante.search.suites.registry import load_suite

ASKED: dict[str, dict[str, Any]] = {
    "motion": {"library": "nao", "motion": ("wave",)},
    "kick": {},
    "getup": {},
    "getup: the fault table": {"faults": True},
    "getup-board": {},
    "getup-board: another start": {"start": "front"},
    "fall": {},
    "boards": {"boards": "rocks"},
    "boards: a row": {"row": "gap-14"},
    "boards: trot": {"boards": "rocks", "controller": "trot"},
    **{
        f"quadruped: {table}": {"robot": "spirit40", "table": table}
        for table in ("speed", "push", "gap", "age", "rate")
    },
    "aibo": {},
}
OF_THE_REPORT = {"seeds", "first_seed", "csv", "picture", "page", "clock", "workers"}
BARS = {"asked", "on_feet", "distance", "direction", "time", "at_most", "again", "at_least", "speed"}
"""Options that say how often trials are made, what is asked of them and where it is told."""
TEXTS: dict[str, Any] = {
    "robot": "t1",
    "robots": "spirit40",
    "library": "k1",
    "start": "back",
    "spread": "noisy",
    "entrant": "k1",
    "policy": "unified",
    "boards": "mesa",
    "row": "gap-15",
    "controller": "reactive-crawl",
    "pose_noise": "1,0.2",
    "load": "none",
    "gains": "stiff",
    "gait": "pace",
    "table": "steps",
    "fault": ("dead:left_arm",),
    "values": ("world.gravity=[0,0,-9]",),
    "set": ("world.gravity=[0,0,-9]",),
    "motion": ("sit_down",),
    "at": ("back:back_rise[0]",),
    "lasting": (0.3,),
}


def others(name: str, annotation: Any, usual: Any) -> Iterator[Any]:
    """Another value of an option, by its type."""
    union = typing.get_origin(annotation) in (typing.Union, types.UnionType)
    for kind in typing.get_args(annotation) if union else (annotation,):
        if kind is bool:
            yield not usual
        elif kind is int:
            yield (usual or 0) + 2
        elif kind is float:
            yield (usual or 0.5) * 1.3
        elif name in TEXTS and kind is not type(None):
            yield TEXTS[name]


def trials(suite: Suite[Any, Any, Any], asked: dict[str, Any]) -> object:
    return [(case.group, case.seed, pickle.dumps(case.setup)) for case in suite.cases(suite.options(**asked, seeds=1))]


@pytest.mark.slow
@pytest.mark.parametrize("asked", ASKED)
def test_every_option_counts_or_is_refused(asked: str) -> None:
    suite, given = load_suite(asked.partition(":")[0]), ASKED[asked]
    usual, dropped = trials(suite, given), []
    for name, field in suite.options.model_fields.items():
        typed = field.alias or name
        if typed in given or name in OF_THE_REPORT | BARS:
            continue
        for value in others(name, field.annotation, field.default):
            try:
                if trials(suite, given | {typed: value}) == usual:
                    dropped.append((name, value))
            except (AndanteError, ValidationError):
                continue
    assert dropped == []


def test_an_option_that_every_variant_overrules_is_refused() -> None:
    """The board was told of K1 and T1 alone, whatever library was given."""
    suite = load_suite("getup-board")
    with pytest.raises(AndanteError, match=r"^--library: means nothing to the chosen of entrant: k1, t1; .*: given$"):
        trials(suite, {"library": "nao-kick"})
    with pytest.raises(AndanteError, match=r"^--ground-truth: means nothing .* choose another: policy$"):
        trials(suite, {"ground_truth": True})


@pytest.mark.slow
def test_the_fault_table_has_the_rows_of_its_start() -> None:
    suite = load_suite("getup")
    groups = {
        start: {case.group for case in suite.cases(suite.options(faults=True, start=start, seeds=1))}
        for start in ("front", "back", "front,back")
    }
    assert groups["front"] | groups["back"] == groups["front,back"]
    assert groups["front"]
    assert groups["back"]
    assert not groups["front"] & groups["back"]
    with pytest.raises(AndanteError, match=r"^--start: no row of the table begins so"):
        suite.cases(suite.options(faults=True, start="left"))
