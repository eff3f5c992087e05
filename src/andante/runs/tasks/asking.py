"""Tasks: the tasks of one run, asked one after another; what an installed one does wrong costs only itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from andante.backends.backend import Backend
from andante.errors import shorten
from andante.plugins.errors import PluginError
from andante.plugins.register import SHIPPED
from andante.runs.build import Parts
from andante.runs.loop.tick import Observer, Tick
from andante.runs.scenario import Scenario
from andante.runs.tasks.kind import TaskKind
from andante.runs.tasks.registry import TASKS

T = TypeVar("T")


class Tasks:
    """The tasks of a scenario.

    Args:
        scenario: What is run.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.kinds = tasks_of(scenario)
        """The tasks, in the order in which criteria are told."""
        self.problems: dict[str, str] = {}
        """What could not be had of a task, by its type: the first problem as a sentence."""

    def ask(self, what: str, question: Callable[[TaskKind], T]) -> Iterator[tuple[TaskKind, T]]:
        """Each task with its answer; one that has failed before, or fails now, is left out and told in `problems`.

        Args:
            what: What it is asked to do, after "cannot".
            question: Asks it.
        """
        for task in self.kinds:
            if task.type in self.problems:
                continue
            if is_shipped(task):
                yield task, question(task)
                continue
            try:
                answer = question(task)
            except Exception as error:  # noqa: BLE001 - whatever a plug-in raises, the run is kept
                self.problems[task.type] = str(trouble(task, what, error))
            else:
                yield task, answer

    def measured(self, task: TaskKind, block: Any) -> bool:
        """Whether each number of a block can be used; one that is NaN is told in `problems`."""
        wrong = None if is_shipped(task) else _nan_in(task.entries(block))
        if wrong is not None:
            self.problems[task.type] = str(trouble(task, f"be measured: its metric {wrong!r} is NaN"))
        return wrong is None


def is_shipped(task: TaskKind) -> bool:
    """Whether a task comes with Andante."""
    return TASKS.source(task.type) == SHIPPED


def trouble(task: TaskKind, what: str, error: Exception | None = None) -> PluginError:
    """What a task does wrong, with its name and where it comes from."""
    cause = "" if error is None else f": {type(error).__name__}: {shorten(str(error), 200)}"
    return PluginError(f"task {task.type!r} cannot {what}{cause}", place=TASKS.source(task.type))


def tasks_of(scenario: Scenario) -> tuple[TaskKind, ...]:
    """The tasks of a scenario: those that are found in it, then those that it names."""
    named = {task.type: task for task in scenario.tasks}
    kinds = (kind for name, kind in TASKS.kinds.items() if name not in named)
    found = (kind.found_in(scenario) for kind in kinds)
    return (*(task for task in found if task is not None), *named.values())


def observers_of(scenario: Scenario, parts: Parts) -> list[Observer]:
    """Who looks at every tick for the tasks of a scenario.

    Raises:
        PluginError: An installed task cannot say who.
    """
    found: list[Observer] = []
    for task in tasks_of(scenario):
        found += _watching(task, "watch", lambda task: task.observers(scenario, parts))
    return found


def keepers_of(scenario: Scenario, parts: Parts) -> dict[str, tuple[Observer, ...]]:
    """Who keeps something for pictures, by the type of the task; tasks that keep nothing are left out.

    Raises:
        PluginError: As `observers_of`.
    """
    found = {}
    for task in tasks_of(scenario):
        kept = _watching(task, "keep anything", lambda task: task.keepers(scenario, parts))
        if kept:
            found[task.type] = tuple(kept)
    return found


def _watching(task: TaskKind, what: str, question: Callable[[TaskKind], Any]) -> list[Observer]:
    if is_shipped(task):
        return list(question(task))
    try:
        return [NamedObserver(task, each) for each in question(task)]
    # Whatever an installed task raises is told with its name.
    except Exception as error:
        raise trouble(task, what, error) from error


class NamedObserver(Observer):
    """An observer of an installed task: what it raises is told with the task's name.

    Args:
        task: The task.
        inner: Its observer.
    """

    def __init__(self, task: TaskKind, inner: Observer) -> None:
        self._task, self.inner = task, inner

    def begin(self, backend: Backend) -> None:
        """The run begins."""
        self._ask("begin to watch", lambda: self.inner.begin(backend))

    def see(self, tick: Tick) -> None:
        """A tick was decided."""
        self._ask("watch", lambda: self.inner.see(tick))

    def over(self, backend: Backend) -> bool:
        """Whether the run shall end."""
        return bool(self._ask("watch", lambda: self.inner.over(backend)))

    def _ask(self, what: str, question: Callable[[], T]) -> T:
        try:
            return question()
        except Exception as error:
            raise trouble(self._task, what, error) from error


def _nan_in(value: Any, name: str = "") -> str | None:
    """Path of the first number that is NaN; None: there is none."""
    if isinstance(value, float) and math.isnan(value):
        return name
    if isinstance(value, Mapping):
        inside = value.items()
    elif isinstance(value, (list, tuple)):
        inside = dict(enumerate(value)).items()
    else:
        return None
    for key, each in inside:
        wrong = _nan_in(each, f"{name}.{key}" if name else str(key))
        if wrong is not None:
            return wrong
    return None
