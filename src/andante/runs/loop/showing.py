"""Showing: each tick of a session is recorded and shown to observers; a robot is let go of where one of them fails."""

from __future__ import annotations

from andante.backends.backend import Paced
from andante.control.controller import Releasing
from andante.runs.logs.recorder import LogRecorder
from andante.runs.loop.tick import Observer, Tick


class Showing:
    """The part of a session that keeps and shows what happened."""

    _recorder: LogRecorder | None
    _observers: list[Observer]
    _paced: Paced | None
    _releasing: Releasing | None
    _withheld: Exception | None

    def _show(self, tick: Tick) -> None:
        """Record a tick, then show it."""
        try:
            if self._recorder is not None:
                if self._paced is not None:
                    self._recorder.add("link", tick.moment, self._paced.link_record())
                self._recorder.tick(tick)
        except Exception as error:  # noqa: BLE001 - whatever it is, a robot must be let go of first
            self._withhold(error)
            self._recorder = None
        for observer in list(self._observers):
            try:
                observer.see(tick)
            except Exception as error:  # noqa: BLE001 - as above
                self._withhold(error)
                self._observers.remove(observer)

    def _withhold(self, error: Exception) -> None:
        """Let go of a robot because its run cannot be recorded or looked at any more; passed on when that is done.

        A full disk is no reason to drop a robot that stands.
        """
        if self._releasing is None:
            raise error
        if self._withheld is None:
            self._withheld = error
            self._releasing.give_up(f"the run cannot go on: {error}")
