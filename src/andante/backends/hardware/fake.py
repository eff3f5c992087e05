"""FakeRobot: a simulated robot that speaks a protocol in real time, with a clock, a network and errors of its own."""

from __future__ import annotations

import heapq
import itertools
import select
import threading
import time
from collections.abc import Callable
from typing import IO, Any

import numpy as np

from andante.backends.hardware.link import Link, Port
from andante.backends.hardware.packets import WireCommand
from andante.backends.hardware.plant import FakePlant
from andante.backends.hardware.processor_wait import ProcessorWait
from andante.backends.hardware.quantiles import Quantiles
from andante.backends.hardware.undisturbed import undisturbed

_STALL = 0.02
"""A cycle that comes so late is told by itself [s]."""
_MOST_STALLS = 200
_WEAK = 1e-6
"""Gain with which somebody else commands [N m/rad]."""


class FakeRobot:
    """Runs a plant in real time behind a port.

    Its cycles do not wait for whoever commands; of several commands in a cycle the last one counts.

    Args:
        plant: The simulated robot.
        port: Its end of the protocol.
        orders: Lines that are obeyed: ``touch JOINT [-1]`` by a hand, ``hang``, ``refuse`` (it takes no commands
            any more), ``intrude`` (somebody else commands), ``again`` (it is set up as it was found), ``tell``,
            ``stop``; None: there are none.
        tell: Takes a report for each ``tell``.
        ordered: Whether packets keep their order, as those of a stream do.
        intruder: By which somebody else commands it, where that can be.
    """

    def __init__(
        self,
        plant: FakePlant,
        port: Port,
        orders: IO[str] | None = None,
        tell: Callable[[dict[str, Any]], None] | None = None,
        *,
        ordered: bool = False,
        intruder: Link | None = None,
    ) -> None:
        self.plant, self.port, self._orders, self._ordered = plant, port, orders, ordered
        self._teller, self._intruder, self._intrudes = tell, intruder, False
        self._settings = plant.settings
        self._random = np.random.default_rng(plant.settings.seed)
        self._count = itertools.count()
        self._hang_at = plant.settings.hang_at
        self._going: list[tuple[float, int, Any]] = []
        self._coming: list[tuple[float, int, WireCommand]] = []
        self._last_due = 0.0
        self.late = 0.0
        """How late its own cycles came at most [s]."""
        self._lateness = Quantiles()
        self._stalls: list[tuple[float, float]] = []
        self._spent = self._waited = 0.0
        self.stopped = False

    def run(self, duration: float = float("inf"), ready: Callable[[], None] | None = None) -> None:
        """Run for a time, until it hangs up, or until ``stopped``.

        Args:
            duration: Time by its own clock [s].
            ready: Called when it listens.

        Raises:
            BackendError: Its address is none, or the system refuses its processor or priority.
        """
        port, settings = self.port, self._settings
        with undisturbed(settings.processor, settings.priority, settings.place):
            port.open()
            if ready is not None:
                ready()
            self._go(duration)

    def _go(self, duration: float) -> None:
        """Cycle by cycle for a time by its own clock [s]."""
        plant, port, settings = self.plant, self.port, self._settings
        period = plant.codec.period / (1.0 + settings.clock)
        begin, cycle = time.monotonic(), 0
        processor, spent = ProcessorWait(1), time.process_time()
        try:
            while not self.stopped and plant.time < duration:
                cycle += 1
                deadline = begin + cycle * period
                self._talk(deadline)
                now = time.monotonic()
                # A computer that is late is no fault of a robot: its clock then stands still, it does not catch up.
                begin += self._see_late(now - deadline)
                processor.tick()
                self._waited, self._spent = processor.total, time.process_time() - spent
                while self._coming and self._coming[0][0] <= now:
                    plant.take(heapq.heappop(self._coming)[2])
                state = plant.advance()
                if settings.hang_up_at is not None and plant.time >= settings.hang_up_at:
                    break
                if self._intrudes and self._intruder is not None:
                    theirs = WireCommand.off(len(state.position))
                    theirs.position, theirs.kp = state.position.copy(), theirs.kp + _WEAK
                    self._intruder.send(theirs)
                if not self._hangs and not self._lost:
                    self._push(self._going, port.codec.pack_state(state))
                if self._obey():
                    begin = time.monotonic() - cycle * period
        finally:
            processor.close()
            port.close()

    def report(self) -> dict[str, Any]:
        """What a test may ask afterwards."""
        plant = self.plant
        return {
            "time": plant.time,
            "commands": plant.commands,
            "refused": self.port.refused,
            "problem": self.port.problem,
            "watchdog": plant.watchdog_fired,
            "largest_step": plant.largest_step,
            "fastest": plant.fastest,
            "late": self.late,
            "late_p99": min(self._lateness.at(0.99), self.late),
            "stalls": list(self._stalls),
            "waited": self._waited,
            "processor_per_cycle": self._spent / max(plant.tick, 1),
            "stiffness": plant.stiffness[-1][1] if plant.stiffness else 0.0,
            "last_stiff": max((moment for moment, share in plant.stiffness if share > 1e-6), default=0.0),
        }

    def _see_late(self, late: float) -> float:
        """Keep count of how late a cycle came; gives for how long the clock stands still [s]."""
        self._lateness.add(max(late, 0.0))
        self.late = max(self.late, late)
        if late >= _STALL:
            self._stalls.append((self.plant.time, late))
            del self._stalls[:-_MOST_STALLS]
            return late
        return 0.0

    @property
    def _hangs(self) -> bool:
        begin = self._hang_at
        return begin is not None and begin <= self.plant.time < begin + self._settings.hang_for

    @property
    def _lost(self) -> bool:
        return self._settings.loss > 0.0 and bool(self._random.random() < self._settings.loss)

    def _push(self, queue: list[Any], packet: object) -> None:
        """Send a packet on its way."""
        settings = self._settings
        late = settings.delay + (settings.jitter * float(self._random.random()) if settings.jitter else 0.0)
        due = time.monotonic() + late
        if self._ordered and queue is self._going:
            due = self._last_due = max(due, self._last_due)
        heapq.heappush(queue, (due, next(self._count), packet))

    def _talk(self, deadline: float) -> None:
        """Send and receive until the next cycle begins."""
        while True:
            now = time.monotonic()
            while self._going and self._going[0][0] <= now:
                self.port.send(heapq.heappop(self._going)[2])
            until = min(deadline, self._going[0][0]) if self._going else deadline
            if self._hangs:
                time.sleep(max(until - now, 0.0))
            else:
                for command in self.port.commands(until):
                    if not self._lost or command.hello:
                        self._push(self._coming, command)
            if time.monotonic() >= deadline:
                return

    def _intrude(self) -> None:
        """Somebody else comes, and begins to command; the robot does not wait for it."""
        intruder = self._intruder
        if intruder is None:
            return

        def come() -> None:
            intruder.join()
            self._intrudes = True

        threading.Thread(target=come, name="somebody else", daemon=True).start()

    def _obey(self) -> bool:
        """Let a hand do what is asked on standard input; gives whether that took time."""
        took = False
        while self._orders is not None and select.select([self._orders], [], [], 0.0)[0]:
            words = self._orders.readline().split()
            if not words:
                # Whoever started it has gone.
                self._orders, self.stopped = None, True
            elif words[0] == "touch" and len(words) >= 2:
                self.plant.touch(words[1], float(words[2]) if len(words) > 2 else 1.0)
            elif words[0] == "again":
                self.plant.again()
                took = True
            elif words[0] == "tell" and self._teller is not None:
                self._teller(self.report())
            elif words[0] == "refuse":
                self.plant.refuses = True
            elif words[0] == "intrude":
                self._intrude()
            elif words[0] == "hang":
                self._hang_at = self.plant.time
            elif words[0] == "stop":
                self.stopped = True
        return took
