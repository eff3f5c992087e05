"""Tasks: the tasks of one run, asked one after another; what an installed one does wrong costs only itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from andante.backends.backend import Backend
from andante.errors import shorten
from andante.plugins.answers import all_of, finite_or_none, plain_data, yes_or_no
from andante.plugins.errors import PluginError
from andante.plugins.left_behind import put_back
from andante.plugins.raised import ASKED_TO_END, text_of
from andante.plugins.register import SHIPPED
from andante.plugins.surroundings import undisturbed
from andante.runs.build import Parts
from andante.runs.evaluation.criterion import Criterion
from andante.runs.evaluation.end_posture import EndPosture
from andante.runs.evaluation.moment import Moment
from andante.runs.loop.tick import Observer, Tick
from andante.runs.scenario import Scenario
from andante.runs.tasks.kind import TaskKind
from andante.runs.tasks.registry import TASKS

T = TypeVar("T")

_PICTURES = ("PNG", "JPEG", "GIF", "WEBP")
"""Formats that every browser shows, whatever the report calls them."""


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
        self.left: dict[str, str] = {}
        """What an installed task left changed for others, by its type, as a sentence; it was put back."""

    def ask(
        self,
        what: str,
        question: Callable[[TaskKind], T],
        accept: Callable[[Any], T] | None = None,
        around: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> Iterator[tuple[TaskKind, T]]:
        """Each task with its answer; one that has failed before, or fails now, is left out and told in `problems`.

        Args:
            what: What it is asked to do, after "cannot".
            question: Asks it.
            accept: Looks through the answer of an installed task; what it raises is the task's failing.
            around: Made for each installed task; what it raises is the task's failing, too.
        """
        for task in self.kinds:
            if task.type in self.problems:
                continue
            if is_shipped(task):
                yield task, question(task)
                continue
            try:
                with undisturbed(), put_back() as left, around():
                    answer = question(task)
                    answer = answer if accept is None else accept(answer)
            except ASKED_TO_END:
                raise
            except BaseException as error:  # noqa: BLE001 - whatever a plug-in raises, the run is kept
                self.problems[task.type] = str(trouble(task, what, error))
            else:
                if left:
                    told = trouble(task, f"{what} without leaving traces: it {' and '.join(left)}")
                    self.left.setdefault(task.type, str(told))
                yield task, answer

    def entries(self, task: TaskKind, block: Any, taken: Container[str]) -> Mapping[str, Any] | None:
        """A task's block as it stands among metrics; None: it cannot stand there, which `problems` tell.

        Where a number in it is NaN or infinite, None stands in its place, which `problems` tell, too.

        Args:
            task: The task.
            block: Its block.
            taken: Names of metrics that are not its own.
        """
        if is_shipped(task):
            return task.entries(block)
        try:
            found: Mapping[str, Any] = plain_data(task.entries(block), finite=False)
            clash = next((name for name in found if name in taken), None)
            if clash is not None:
                raise ValueError(f"its metric {clash!r} has the name of one that is not its own")
        except ASKED_TO_END:
            raise
        except BaseException as error:  # noqa: BLE001 - `entries` may be the plug-in's own
            self.problems[task.type] = str(trouble(task, f"be measured: {text_of(error, 200)}"))
            return None
        try:
            plain_data(found)
        except ValueError as error:
            # Its other numbers cost a simulation.
            what = f"be measured: {text_of(error, 200)}; None says that there is no number"
            self.problems[task.type] = str(trouble(task, what))
            found = finite_or_none(found)
        return found


def is_shipped(task: TaskKind) -> bool:
    """Whether a task comes with Andante."""
    return TASKS.source(task.type) == SHIPPED


def trouble(task: TaskKind, what: str, error: BaseException | None = None) -> PluginError:
    """What a task does wrong, with its name and where it comes from."""
    cause = "" if error is None else f": {type(error).__name__}: {text_of(error, 200)}"
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
        with undisturbed():
            return [NamedObserver(task, each) for each in all_of(Observer, question(task))]
    # Whatever an installed task raises is told with its name.
    except ASKED_TO_END:
        raise
    except BaseException as error:
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
        self._ask("watch", lambda: self.inner.see(tick.shown()))

    def over(self, backend: Backend) -> bool:
        """Whether the run shall end."""
        return self._ask("watch", lambda: bool(self.inner.over(backend)))

    def _ask(self, what: str, question: Callable[[], T]) -> T:
        try:
            return question()
        except ASKED_TO_END:
            raise
        except BaseException as error:
            raise trouble(self._task, what, error) from error


def criteria_told(given: object) -> tuple[Criterion, ...]:
    """What an installed task asked, with plain numbers.

    Raises:
        TypeError: It gives something else.
        ValueError: A number is not finite.
    """
    told = []
    for each in all_of(Criterion, given):
        for what in ("name", "text", "unit"):
            if not isinstance(getattr(each, what), str):
                given_text = repr(getattr(each, what))
                raise TypeError(f"the {what} of its criterion {each.name!r:.80} is no text, but {given_text:.80}")
        asked, reached = (plain_data(getattr(each, what), f"{each.name}.{what}") for what in ("asked", "reached"))
        told.append(replace(each, passed=yes_or_no(each.passed), asked=asked, reached=reached))
    return tuple(told)


def moments_told(given: object) -> tuple[Moment, ...]:
    """What an installed task saw; None: nothing.

    Raises:
        TypeError: It gives something else.
        ValueError: A time is not finite.
    """
    told = tuple(replace(each, time=float(each.time), text=str(each.text)) for each in all_of(Moment, given))
    for each in told:
        if not math.isfinite(each.time):
            raise ValueError(f"its moment {shorten(each.text, 80)!r} is at {each.time} s")
    return told


def pictures_told(given: Mapping[str, Path]) -> dict[str, Path]:
    """Pictures that an installed task wrote.

    Raises:
        TypeError: It gives no paths by caption.
        FileNotFoundError: A file was not written.
        ValueError: A file is no picture that a browser shows.
    """
    for path in given.values():
        if not isinstance(path, Path):
            raise TypeError(f"it gives a {type(path).__name__}, no Path")
        if not path.is_file():
            raise FileNotFoundError(f"it wrote no {path.name}")
        _refuse_no_picture(path)
    return {str(caption): path for caption, path in given.items()}


def _refuse_no_picture(path: Path) -> None:
    # Only a run with a report has pictures of tasks.
    from PIL import Image

    try:
        with Image.open(path, formats=_PICTURES) as picture:
            # A file that is cut short has a legal beginning.
            picture.load()
    # Its decoders raise whatever they stumble over.
    except Exception as error:
        raise ValueError(
            f"its {path.name} is no picture in {', '.join(_PICTURES)}: {shorten(str(error), 120)}"
        ) from error


def end_posture_told(given: object) -> EndPosture | None:
    """How an installed task says that the robot ends.

    Raises:
        TypeError: It gives something else.
    """
    if given is None or isinstance(given, EndPosture):
        return given
    raise TypeError(f"it gives a {type(given).__name__}, no EndPosture")
