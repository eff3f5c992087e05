"""Places for runs in physics: a bounded number of simulation processes for a whole class.

Each document has a simulation of its own, as everywhere in the studio; here it waits for a place before its process
begins, and says at once how many are before it. A place is given back when somebody waits and its run has ended or
pauses, or has gone on for so long that it is somebody else's turn.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from andante.studio.errors import StudioError
from andante.studio.processes import TalkingProcess, in_loop
from andante.studio.supervised import HelperLimits

_ENDS = ("verdict", "broken", "paused")
_LOOK = 0.5
"""Time between two looks whether a place can be given to another [s]."""


class RunSlots:
    """The places.

    Args:
        count: How many there are.
        turn: So long a run may go on while somebody waits [s].
        longest: So long it may go on in any case [s].
        limits: What each process may take.
        begin_from: How they begin, see `andante.studio.supervised.SupervisedProcess`.
    """

    def __init__(
        self, count: int, turn: float, longest: float, limits: HelperLimits, begin_from: str = "forkserver"
    ) -> None:
        self.count, self.turn, self.longest, self.limits, self.begin_from = count, turn, longest, limits, begin_from
        self._held: list[QueuedProcess] = []
        self._waiting: list[QueuedProcess] = []
        self._watch: asyncio.Task[None] | None = None

    @property
    def held(self) -> int:
        """How many places are taken."""
        return len(self._held)

    def ask(self, process: QueuedProcess) -> None:
        """Wait for a place."""
        self._waiting.append(process)
        if self._watch is None or self._watch.done():
            self._watch = asyncio.get_running_loop().create_task(self._look())
        self._give()

    def leave(self, process: QueuedProcess) -> None:
        """Give a place back, or wait no more."""
        if process in self._waiting:
            self._waiting.remove(process)
        if process in self._held:
            self._held.remove(process)
        self._give()

    def _give(self) -> None:
        """Give free places to who waits, and tell the others where they stand."""
        while self._waiting:
            if len(self._held) >= self.count:
                idle = next((process for process in self._held if not process.going), None)
                if idle is None:
                    break
                self._held.remove(idle)
                idle.take_back("")
            process = self._in_order()[0]
            self._waiting.remove(process)
            self._held.append(process)
            process.granted()
        for place, process in enumerate(self._in_order(), 1):
            process.told(place)

    def _in_order(self) -> list[QueuedProcess]:
        """Who waits, the next first: who holds no place comes before who holds some, else the first comes first."""
        holders = [process.who for process in self._held]
        return sorted(self._waiting, key=lambda process: holders.count(process.who))

    async def _look(self) -> None:
        """Look after places for as long as some are taken."""
        while self._held or self._waiting:
            await asyncio.sleep(_LOOK)
            now = time.monotonic()
            for process in list(self._held):
                since = now - process.since
                if process.going and (since > self.longest or (self._waiting and since > self.turn)):
                    others = " and others wait" if self._waiting else ""
                    self._held.remove(process)
                    process.take_back(f"this run has had {since:.0f} s{others}: it was ended; run it again")
            self._give()


class QueuedProcess(TalkingProcess):
    """A simulation process that begins when it has a place.

    Args:
        slots: The places.
        who: Whose it is.
        serve: What it does, see `TalkingProcess`.
        name: Its name.
        what: What people call it.
        heard: Called with every answer, and with its place in the queue.
        lost: Called with a sentence when it has ended without being stopped.
    """

    def __init__(
        self,
        slots: RunSlots,
        who: str,
        serve: Callable[[Connection], None],
        name: str,
        what: str,
        heard: Callable[[str, Any], None],
        lost: Callable[[str], None],
    ) -> None:
        super().__init__(serve, name, what, self.note, lost, slots.limits, slots.begin_from)
        self.who = who
        self._slots, self._hears, self._tell_lost = slots, heard, lost
        self._loop = asyncio.get_running_loop()
        self._pending: list[tuple[Any, ...]] = []
        self._place = self._asked_for = False
        self._told = 0
        self._beginning: asyncio.Task[None] | None = None
        self.going, self.since = False, 0.0
        """Whether a run goes on, and since when [s]."""

    @property
    def begun(self) -> bool:
        """Whether it was begun, or waits to be, and was not stopped."""
        return self._asked_for or super().begun

    def send(self, *message: Any) -> None:
        """Send a message with what belongs to it, now or when there is a place.

        Raises:
            StudioError: It is about a run, and there is none.
        """
        do = getattr(message[0], "do", "")
        begins = do == "play"
        if not (begins or self._place or self._asked_for or do == "plots"):
            # What is asked of a run that is gone has no answer.
            raise StudioError("nothing runs", remedy="⚙ Physics begins a run")
        if begins or do == "resume":
            self.going, self.since = True, time.monotonic()
        if self._place:
            super().send(*message)
            return
        self._pending = [each for each in self._pending if getattr(each[0], "do", "") != do]
        self._pending.append(message)
        if begins and not self._asked_for:
            self._asked_for, self._told = True, 0
            self._slots.ask(self)

    def stop(self, wait: float = 1.0) -> None:
        """End it, or wait no more; a thread may call it."""
        super().stop(wait)
        if self._place or self._asked_for:
            self._place = self._asked_for = self.going = False
            self._pending = []
            in_loop(self._loop, self._slots.leave, self)

    def granted(self) -> None:
        """There is a place."""
        self.since = time.monotonic()
        self._hears("tell", {"type": "queued", "what": "run", "position": 0})
        self._beginning = self._loop.create_task(self._begin())

    async def _begin(self) -> None:
        """Begin the process in a thread: the others are answered meanwhile."""
        try:
            process = await asyncio.to_thread(self._made, self._loop)
        except OSError as error:
            self.stop()
            self._tell_lost(f"the run could not begin: {error.strerror or error}")
            return
        if not self._asked_for:
            # It was called off meanwhile.
            await asyncio.to_thread(process.stop, 0.2)
            return
        self._talk_to(process)
        self._place, self._asked_for = True, False
        pending, self._pending = self._pending, []
        for message in pending:
            super().send(*message)

    def told(self, place: int) -> None:
        """Tell where it stands in the queue, where that is news."""
        if place != self._told:
            self._told = place
            self._hears("tell", {"type": "queued", "what": "run", "position": place})

    def take_back(self, why: str) -> None:
        """End its process for somebody else; ``why`` is told, where there is something to tell."""
        self._place = self._asked_for = self.going = False
        self._pending = []
        self._words.put(None)
        process, self._process = self._process, None
        if process is not None:
            self._loop.run_in_executor(None, process.stop, 0.2)
        if why:
            self._tell_lost(why)

    def note(self, kind: str, data: Any) -> None:
        """Pass on what the process says."""
        if kind == "tell" and (data["type"] in _ENDS or (data["type"] == "refused" and data.get("of") == "play")):
            self.going = False
        self._hears(kind, data)
