"""MidiControl: control changes of a MIDI device turn live parameters.

A turned knob becomes the same change that a slider asks for, so it is an event of the log at the next tick and a replay
repeats it. The port `Loopback` is there without hardware: what a page sends into it comes out of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from andante.errors import AndanteError
from andante.studio import messages as asked
from andante.studio.errors import StudioError

LOOPBACK = "Loopback"
"""The port that exists without hardware."""
_PERIOD = 0.02
"""Time between two looks at the port [s]; of each knob the newest value counts."""
_HIGHEST = 127
"""Largest value of a control change."""
_MOST_BINDINGS = 64


@dataclass(frozen=True)
class Binding:
    """A knob and the parameter that it turns."""

    channel: int
    """MIDI channel, 0 to 15."""
    control: int
    """Number of the control change, 0 to 127."""
    parameter: str
    """Name of the live parameter."""
    low: float
    """The parameter's value where the knob gives 0."""
    high: float
    """The parameter's value where the knob gives 127."""
    kind: str
    """`number`, `count` or `switch`."""

    def value(self, position: int) -> float | bool | int:
        """The parameter's value at a position of the knob, 0 to 127; a switch is on from 64."""
        if self.kind == "switch":
            return position > _HIGHEST // 2
        value = self.low + (self.high - self.low) * position / _HIGHEST
        if self.kind == "count":
            return round(value)
        # Rounding must not leave the bounds.
        return min(max(float(f"{value:.6g}"), min(self.low, self.high)), max(self.low, self.high))


def ports() -> tuple[list[str], str]:
    """Names of all ports that can be heard, and one sentence on what is missing; empty where nothing is."""
    try:
        import mido
    except ImportError:
        return [], "MIDI needs mido: pip install 'andante[studio]'"
    try:
        found = sorted(set(mido.get_input_names()))
    except ImportError:
        return [LOOPBACK], "MIDI devices need a backend: pip install python-rtmidi"
    except (OSError, RuntimeError) as error:
        # The backend is there, the system's sequencer is not.
        return [LOOPBACK], f"MIDI devices cannot be listed: {str(error)[:200]}"
    return [LOOPBACK, *found], "" if found else "no MIDI device is connected"


def opened(name: str) -> Any:
    """A port to read messages from.

    Raises:
        StudioError: There is no such port, or it is taken.
    """
    found, missing = ports()
    if name not in found:
        raise StudioError("there is no such MIDI port", value=name, legal=found, remedy="" if found else missing)
    import mido
    import mido.ports

    if name == LOOPBACK:
        return mido.ports.EchoPort(LOOPBACK)
    try:
        return mido.open_input(name)
    except (OSError, RuntimeError) as error:
        raise StudioError(f"the MIDI port cannot be opened: {str(error)[:200]}", value=name) from None


class MidiControl:
    """One open port with its bindings.

    Args:
        tell: Sends a message to all pages.
        change: Asks the run for a change, as a slider does.
    """

    def __init__(self, tell: Callable[[dict[str, Any]], None], change: Callable[[asked.Change], None]) -> None:
        self._tell, self._change = tell, change
        self._port: Any = None
        self._name = ""
        self._learning: asked.MidiLearn | None = None
        self._bindings: dict[tuple[int, int], Binding] = {}
        self._task: asyncio.Task[None] | None = None

    def ask(self, message: Any) -> dict[str, Any]:
        """Do what a page asks for; the answer, which is news to all pages where its type is `midi`.

        Raises:
            AndanteError: It cannot be done.
        """
        if isinstance(message, asked.MidiOpen):
            self.close()
            if message.port:
                self._port, self._name = opened(message.port), message.port
                self._task = asyncio.get_running_loop().create_task(self._listen())
        elif isinstance(message, asked.MidiLearn):
            if self._port is None:
                raise StudioError("no MIDI port is open")
            if len(self._bindings) >= _MOST_BINDINGS:
                raise StudioError("too many knobs are bound", limit=f"{_MOST_BINDINGS}")
            self._learning = message
        elif isinstance(message, asked.MidiForget):
            self._learning = None
            self._bindings = {at: each for at, each in self._bindings.items() if each.parameter != message.parameter}
        elif isinstance(message, asked.MidiSend):
            if self._name != LOOPBACK:
                raise StudioError("only the loopback port can be played from the page", value=self._name or "no port")
            import mido

            self._port.send(
                mido.Message("control_change", channel=message.channel, control=message.control, value=message.value)
            )
            return {"type": "done"}
        return self.state()

    def state(self) -> dict[str, Any]:
        """What pages show."""
        found, missing = ports()
        return {
            "type": "midi",
            "ports": found,
            "missing": missing,
            "port": self._name,
            "learning": "" if self._learning is None else self._learning.parameter,
            "bindings": [vars(each) for each in self._bindings.values()],
        }

    def close(self) -> None:
        """Close the port; bindings stay."""
        if self._task is not None:
            self._task.cancel()
        port, self._port, self._name, self._task, self._learning = self._port, None, "", None, None
        if port is not None:
            with suppress(OSError, RuntimeError):
                port.close()

    async def _listen(self) -> None:
        while True:
            await asyncio.sleep(_PERIOD)
            try:
                newest = {
                    (each.channel, each.control): each.value
                    for each in self._port.iter_pending()
                    if each.type == "control_change"
                }
            except (OSError, RuntimeError) as error:
                self.close()
                self._tell({"type": "notice", "text": f"the MIDI port has failed: {str(error)[:200]}"})
                self._tell(self.state())
                return
            for knob, position in newest.items():
                self.turned(knob, position)

    def turned(self, knob: tuple[int, int], position: int) -> None:
        """A knob, (channel, control), stands at a position, 0 to 127."""
        learning = self._learning
        if learning is not None:
            self._learning = None
            self._bindings[knob] = Binding(*knob, learning.parameter, learning.low, learning.high, learning.kind)
            self._tell(self.state())
            return
        binding = self._bindings.get(knob)
        if binding is None:
            return
        # Knobs are also turned while nothing runs.
        with suppress(AndanteError):
            self._change(asked.Change(do="change", parameter=binding.parameter, value=binding.value(position)))
