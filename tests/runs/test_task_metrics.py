"""Metrics of tasks among those of every run: their places, their names, and copies of them."""

from __future__ import annotations

import copy
import pickle

import pytest

from andante.runs.evaluation.metrics import Metrics, TaskMetrics, metric_types
from andante.runs.tasks.registry import TASKS


def metrics(*tasks: TaskMetrics) -> Metrics:
    return Metrics(duration=1.0, finished=True, tasks=tasks)


def of(name: str, after: str = "", **entries: object) -> TaskMetrics:
    return TaskMetrics(name, {"of": name}, entries, after)


def test_each_stands_after_the_metric_that_it_names_or_else_at_the_end() -> None:
    # "late" names what comes only with "early", which stands behind it in the list.
    waiting = of("late", "a", b=2), of("early", "finished", a=1)
    data = metrics(*waiting, of("lost", "nothing", c=3), of("last", d=4)).data()
    names = list(data)
    assert names[:5] == ["duration", "finished", "a", "b", "done_at"]
    assert set(names[-2:]) == {"c", "d"}
    assert "tasks" not in data
    assert [data[name] for name in "abcd"] == [1, 2, 3, 4]


def test_blocks_and_entries_are_attributes() -> None:
    found = metrics(of("hop", hop_height=0.2))
    assert found.hop == found.block("hop") == {"of": "hop"}
    assert found.hop_height == 0.2
    assert found.block("walk") is None
    with pytest.raises(AttributeError, match="this run has no metric 'walk'"):
        _ = found.walk


def test_copies_are_equal() -> None:
    found = metrics(of("hop", hop_height=0.2))
    assert pickle.loads(pickle.dumps(found)) == copy.deepcopy(found) == found


@pytest.mark.parametrize("name", TASKS.kinds)
def test_kinds_of_the_tree_tell_the_names_that_they_write(name: str) -> None:
    """Every run has them, measured or not: programs that read metrics.json rely on it."""
    kind = TASKS[name]
    assert set(kind.names()) == set(kind().entries(None))
    assert set(kind.names()) <= set(metric_types())
    assert kind.after == "" or kind.after in metric_types()
