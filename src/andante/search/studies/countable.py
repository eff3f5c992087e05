"""What may count in a study: numbers that the same trial gives again, on any computer."""

from __future__ import annotations

from collections.abc import Iterator
from types import NoneType
from typing import Any, get_args

from andante.documents.paths import parse_path
from andante.runs.evaluation.metrics import metric_types, metrics_by_clock
from andante.search.errors import SearchError
from andante.search.experiment.observing import OBSERVERS
from andante.search.studies.document import Study

_SUCCESS = "success.metric"
_NUMBERS = (bool, int, float)


def check_countable(study: Study) -> None:
    """See that what counts is a number, and depends on nothing but candidate and seed.

    Raises:
        SearchError: It does not; the metric is named.
    """
    clocked = metrics_by_clock()
    for place, metric in counting(study):
        first, *rest = (str(step) for step in parse_path(metric))
        seen = first in OBSERVERS
        by_clock = {f"{first}.{name}" for name in OBSERVERS[first].by_clock} if seen else clocked
        if not by_clock.isdisjoint((first, ".".join((first, *rest[:1])))):
            raise SearchError(
                "what the computer's clock measures cannot count: the same trial gives another value each time",
                place=place,
                value=metric,
                remedy="name a metric of the motion, such as done_at, duration or energy",
            )
        kind = None if seen or rest or place == _SUCCESS else metric_types().get(first)
        if kind is not None and not _is_number(kind):
            raise SearchError(
                "is no number",
                place=place,
                value=metric,
                limit=f"it is {_told(kind)}",
                remedy=f"name a part of it, as {metric}[0]" if "tuple" in str(kind) else "",
            )


def counting(study: Study) -> Iterator[tuple[str, str]]:
    """Place and path of each number that counts."""
    yield from ((f"objectives[{number}].metric", each.metric) for number, each in enumerate(study.objectives))
    yield from ((f"constraints[{number}].metric", each.metric) for number, each in enumerate(study.constraints))
    if study.success is not None:
        yield _SUCCESS, study.success.metric
    for number, stage in enumerate(study.stages):
        if stage.type == "diversity":
            yield from ((f"stages[{number}].measures", metric) for metric, _, _ in stage.measures)


def _is_number(kind: Any) -> bool:
    return kind in _NUMBERS or kind is Any or any(each in _NUMBERS for each in get_args(kind) if each is not NoneType)


def _told(kind: Any) -> str:
    words = [each for each in get_args(kind) if each is not NoneType] if NoneType in get_args(kind) else [kind]
    return " or ".join("text" if each is str else getattr(each, "__name__", str(each)) for each in words)
