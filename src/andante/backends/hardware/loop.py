"""LoopLink: a link to a plant in the same process by a clock of its own, so that nothing depends on real time."""

from __future__ import annotations

from collections.abc import Callable

from andante.backends.backend import LinkLostError
from andante.backends.hardware.link import Codec, Link
from andante.backends.hardware.packets import Identity, RobotState, Traffic, WireCommand, WireError
from andante.backends.hardware.plant import FakePlant


class LoopLink(Link):
    """Passes packets of a codec to and fro; time goes on while somebody waits.

    Args:
        codec: Our end's bytes.
        plant: The robot, with the other end's.
        arrives: Whether the state of a cycle arrives, by its count; None: all do.
    """

    in_time = False
    """Its clock is its own."""

    def __init__(self, codec: Codec, plant: FakePlant, arrives: Callable[[int], bool] | None = None) -> None:
        self.codec, self.place, self._plant = codec, "this process", plant
        self._arrives = arrives or (lambda _: True)
        self.traffic = Traffic()
        self._moment = self._begin = 0.0
        self._cycles = self._sent = self._arrivals = 0
        self.closed = False

    def now(self) -> float:
        """Time that has passed in waiting [s]."""
        return self._moment

    def passed(self) -> float:
        """The same."""
        return self._moment

    def open(self, timeout: float) -> tuple[Identity, RobotState]:
        """The plant's first state."""
        hello = self.codec.hello()
        if hello is not None:
            self._plant.codec.command(hello)
        state = self.receive(self._moment + timeout)
        if state is None:
            broken = f"; none of this protocol: {self.traffic.problem}" if self.traffic.broken else ""
            raise LinkLostError(f"no state arrives{broken}", place=self.place, limit=f"{timeout:g} s")
        return state.identity or Identity(), state

    def receive(self, until: float) -> RobotState | None:
        """The state of the next cycle, where it comes in time."""
        period = self._plant.codec.period / (1.0 + self._plant.settings.clock)
        while self._begin + (self._cycles + 1) * period <= until + 1e-12:
            self._cycles += 1
            self._moment = max(self._moment, self._begin + self._cycles * period)
            packet = self._plant.codec.pack_state(self._plant.advance())
            if not self._arrives(self._plant.tick):
                continue
            try:
                state = self.codec.state(packet)
            except WireError as error:
                self.traffic.broken += 1
                self.traffic.problem = str(error)
                continue
            self.traffic.read += 1
            if not self.codec.counted:
                self._arrivals += 1
                state.tick = self._arrivals
            self.traffic.foreign += bool(state.by and state.by != "andante")
            return state
        self._moment = max(self._moment, until)
        return None

    def send(self, command: WireCommand) -> None:
        """Hand a command to the plant."""
        self._sent += 1
        command.tick, command.by = self._sent, "andante"
        packet = self.codec.pack_command(command)
        if packet is not None:
            self._plant.take(self._plant.codec.command(packet))

    def close(self) -> None:
        """Nothing to let go of."""
        self.closed = True
