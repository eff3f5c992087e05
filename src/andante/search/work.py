"""Work that executors hand out: tasks as they are drawn, and again where a worker died at one or took too much."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable
from functools import partial
from itertools import count
from typing import Generic, TypeVar

from andante.errors import AndanteError, shorten
from andante.search.limits import Ended

Task = TypeVar("Task")
Draw = Callable[[], Task | None]
"""Gives the next task; None: no more for now."""

MOST_DEATHS = 3
"""A task whose worker died this often is given up."""


class ExecutorError(AndanteError):
    """Tasks cannot be distributed as asked, or one of them cannot be done."""


class GivenUpError(ExecutorError):
    """A task is not tried any more: its worker died at it too often, or it was ended at a limit."""


class Known(Generic[Task]):
    """Draws tasks none of which depends on a result: whoever has done one need not wait for what comes of it.

    Args:
        tasks: The tasks.
        like: Tells which tasks are alike: what a worker has prepared for one serves the others, so that it goes on
            with them as long as there are any. Tasks that are alike keep their order.
    """

    def __init__(self, tasks: Iterable[Task], like: Callable[[Task], Hashable] = lambda task: None) -> None:
        self._like, self._waiting = like, dict[Hashable, deque[Task]]()
        for each in tasks:
            self._waiting.setdefault(like(each), deque()).append(each)
        self.drawn: list[Task] = []
        """Those that were drawn, by number."""

    def __call__(self) -> Task | None:
        """The next task in their order; None: there are no more."""
        return self._first_of(next(iter(self._waiting))) if self._waiting else None

    def after(self, last: Task | None) -> Task | None:
        """The next task of a worker; None: there are no more.

        Args:
            last: Its last one; None: it has had none.
        """
        if not self._waiting:
            return None
        kind = None if last is None else self._like(last)
        if last is None or kind not in self._waiting:
            kind = max(self._waiting, key=lambda each: len(self._waiting[each]))
        return self._first_of(kind)

    def _first_of(self, kind: Hashable) -> Task:
        tasks = self._waiting[kind]
        self.drawn.append(tasks.popleft())
        if not tasks:
            del self._waiting[kind]
        return self.drawn[-1]


class Work(Generic[Task]):
    """The tasks that workers are to do, by number; those whose worker died come again, unless that was too often."""

    def __init__(self, draw: Draw[Task], told: Callable[[str], None]) -> None:
        self._draw, self._told = draw, told
        self._again: deque[tuple[int, Task]] = deque()
        self._deaths: Counter[int] = Counter()
        self._large: Counter[int] = Counter()
        self._numbers = count()
        self._lost: list[GivenUpError] = []
        self.known = isinstance(draw, Known)
        """Whether a task may be drawn before the last result was worked on."""

    def next(self) -> tuple[int, Task] | None:
        """Number and task of the next one; None: no more for now."""
        return self._numbered(self._draw)

    def after(self, last: Task | None) -> tuple[int, Task] | None:
        """As `next`, where tasks are `Known` one like the last that who asks has had; None: it has had none."""
        draw = self._draw
        return self._numbered(partial(draw.after, last) if isinstance(draw, Known) else draw)

    def _numbered(self, draw: Draw[Task]) -> tuple[int, Task] | None:
        if self._again:
            return self._again.popleft()
        task = draw()
        return None if task is None else (next(self._numbers), task)

    def back(self, job: tuple[int, Task], death: str = "") -> None:
        """Take a job back, to be done by another worker; ``death`` says how its worker died at it."""
        number, task = job
        self._deaths[number] += bool(death)
        deaths, place = self._deaths[number], shorten(str(task))
        if death and deaths >= MOST_DEATHS:
            self._told(f"{place}: {death}, {deaths} times at this task; it is given up, the others go on")
            self.give_up(GivenUpError(f"{death}, {deaths} times at this task", place=place))
            return
        if death:
            self._told(f"{place}: {death}; the task runs again")
        self._again.append(job)

    def ended(self, job: tuple[int, Task], ended: Ended, *, raised: bool) -> bool:
        """Take note of a job that was ended at a limit; whether it is given up, or else runs again.

        Args:
            job: Number and task.
            ended: Why it was.
            raised: Whether a job that is given up is raised at the end.
        """
        number, task = job
        place = shorten(str(task))
        # What a worker has kept of trials before counts as memory, too: a fresh one tells whose it is.
        if ended.memory and not self._large[number]:
            self._large[number] += 1
            self._told(f"{place}: {ended.why}; the task runs again in a fresh process")
            self._again.append(job)
            return False
        self._told(f"{place}: {ended.why}; the others go on")
        if raised:
            self.give_up(GivenUpError(ended.why, place=place))
        return True

    def give_up(self, error: GivenUpError) -> None:
        """Take note of a task that is given up, to be raised at the end."""
        self._lost.append(error)

    def end(self) -> None:
        """Raise what is to be told now that all is done.

        Raises:
            GivenUpError: A task was given up.
        """
        if self._lost:
            raise self._lost[0]
