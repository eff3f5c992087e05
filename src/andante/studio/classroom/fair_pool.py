"""A few helper processes that many people share: who has asked least lately is answered next.

Each person has one queue, and the pool takes one question of each in turn, so that a person who asks a hundred things
waits for them, not the others. Where somebody waits, the place in the queue is told.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Any, TypeVar

from andante.studio.errors import HelperLostError, StudioError
from andante.studio.processes import Helper

Answer = TypeVar("Answer")
MOST_WAITING = 24
"""Most questions of one person that wait."""
Told = Callable[[int], None]
"""Told the place in the queue, from 1; 0 where it is being answered."""


@dataclass(eq=False)
class _Question:
    who: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    seconds: float | None
    told: Told | None
    answer: Future[Any] = field(default_factory=Future)
    place: int = -1


class FairPool:
    """Helpers that share one fair queue.

    Args:
        helpers: The processes; each answers one question at a time.
    """

    def __init__(self, helpers: Iterable[Helper]) -> None:
        self.helpers = tuple(helpers)
        self._lock = threading.Condition()
        self._turns: deque[str] = deque()
        """Who has something waiting, the next first."""
        self._waiting: dict[str, deque[_Question]] = {}
        self._ended, self._free = False, 0
        for helper in self.helpers:
            threading.Thread(target=self._work, args=(helper,), daemon=True, name="andante-class-pool").start()

    def submit(
        self,
        who: str,
        function: Callable[..., Answer],
        arguments: tuple[Any, ...],
        seconds: float | None = None,
        told: Told | None = None,
    ) -> Future[Answer]:
        """Ask; the answer comes when it is this person's turn.

        Raises:
            StudioError: This person has too much waiting already.
        """
        question = _Question(who, function, arguments, seconds, told)
        with self._lock:
            if self._ended:
                raise HelperLostError("the class ends")
            mine = self._waiting.setdefault(who, deque())
            if len([each for each in mine if not each.answer.cancelled()]) >= MOST_WAITING:
                raise StudioError("too much of yours waits already", limit=f"{MOST_WAITING} questions", remedy="wait")
            mine.append(question)
            if who not in self._turns:
                self._turns.append(who)
            self._lock.notify()
            told_now = self._places()
        _tell(told_now)
        return question.answer

    def end(self) -> None:
        """End the processes; who waits is told."""
        with self._lock:
            self._ended = True
            left = [each for queue in self._waiting.values() for each in queue]
            self._waiting.clear()
            self._turns.clear()
            self._lock.notify_all()
        for each in left:
            if each.answer.set_running_or_notify_cancel():
                each.answer.set_exception(HelperLostError("the class ends"))
        for helper in self.helpers:
            helper.end()

    def _work(self, helper: Helper) -> None:
        """Answer one question after the other (a thread for each process)."""
        while (question := self._next()) is not None:
            if not question.answer.set_running_or_notify_cancel():
                continue
            try:
                found = helper.answer(question.function, *question.arguments, seconds=question.seconds)
            except BaseException as error:  # noqa: BLE001 - whatever it is, who has asked is told
                question.answer.set_exception(error)
            else:
                question.answer.set_result(found)

    def _next(self) -> _Question | None:
        with self._lock:
            while not self._turns:
                if self._ended:
                    return None
                self._free += 1
                self._lock.wait()
                self._free -= 1
            who = self._turns.popleft()
            mine = self._waiting[who]
            question = mine.popleft()
            if mine:
                self._turns.append(who)
            else:
                del self._waiting[who]
            told = self._places()
            if question.told is not None and question.place != 0 and not question.answer.cancelled():
                question.place = 0
                told.append((question.told, 0))
        _tell(told)
        return question

    def _places(self) -> list[tuple[Told, int]]:
        """Who has another place in the queue than was told (with the lock held)."""
        found, place = [], 0
        if sum(len(queue) for queue in self._waiting.values()) <= self._free:
            # Each is taken at once.
            return []
        rounds = zip_longest(*(self._waiting[who] for who in self._turns))
        for question in chain.from_iterable(rounds):
            if question is None or question.answer.cancelled():
                continue
            place += 1
            if question.told is not None and question.place != place:
                question.place = place
                found.append((question.told, place))
        return found


class PoolSeat(Helper):
    """One person's way to a pool, used like a helper of one's own.

    Args:
        pool: The pool.
        who: The person.
        told: Told the place in the queue; None: nobody is.
    """

    def __init__(self, pool: FairPool, who: str, told: Told | None = None) -> None:
        super().__init__("seat", "the helper of the class")
        self._pool, self._who, self._told = pool, who, told

    async def ask(self, function: Callable[..., Answer], *arguments: Any, seconds: float | None = None) -> Answer:
        """What a function of a module answers, when it is this person's turn.

        Raises:
            AndanteError: What the function raises, or that too much waits.
            HelperLostError: The process has ended over it.
        """
        return await asyncio.wrap_future(self._pool.submit(self._who, function, arguments, seconds, self._told))

    def wait(self, function: Callable[..., Answer], *arguments: Any) -> Answer:
        """The same, for a thread that can wait.

        Raises:
            AndanteError: What the function raises, or that too much waits.
            HelperLostError: The process has ended over it.
        """
        with contextlib.suppress(CancelledError):
            return self._pool.submit(self._who, function, arguments, None, self._told).result()
        raise HelperLostError("the class ends")

    def end(self) -> None:
        """The pool stays for the others."""


def _tell(told: list[tuple[Told, int]]) -> None:
    for each, place in told:
        each(place)
