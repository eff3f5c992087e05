"""Pilot: asks a source between ticks what a person wants, and steers the session by it.

What is asked becomes events of the session, so that a replay asks the same at the same ticks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from andante.control.steering import STILL, Heading
from andante.runs.build import build
from andante.runs.execute import session_of
from andante.runs.live.gamepad import Gamepad
from andante.runs.live.keyboard import Keyboard
from andante.runs.live.source import Source, SourceError, SourceLostError, SteeringWish
from andante.runs.scenario import Scenario
from andante.runs.session import Session

SOURCES = ("keyboard", "gamepad")
"""What a robot can be steered by."""
EVERY = 0.02
"""Time of the run between two looks at the source [s]."""
_REHEARSED, _SLOW = 0.5, 0.1
"""How long a rehearsal takes [s], and its share of the largest speeds."""
_RENEWED = 0.1
"""What a source asks again is asked of the robot again after so long; a gamepad asks at every look [s]."""
_DIGITS = 3
"""Speeds are asked in thousandths."""
Show = Callable[[str], None]


def source_of(text: str) -> Source:
    """The source that a text names: ``keyboard``, ``gamepad``, or ``gamepad:/dev/input/js1``.

    Raises:
        SourceError: There is none of this name.
    """
    name, colon, path = text.partition(":")
    if name == "keyboard" and not colon:
        return Keyboard()
    if name == "gamepad" and (path or not colon):
        return Gamepad(Path(path) if path else None)
    raise SourceError("nothing of this name can steer", place="--live", value=text, legal=(*SOURCES, "gamepad:FILE"))


def rehearse(scenario: Scenario) -> None:
    """Walk a little with nobody looking, so that no compiled code has to be loaded when time counts.

    Raises:
        AndanteError: Something does not exist, cannot be read or does not fit.
    """
    with session_of(scenario, build(scenario)) as session:
        steering = session.steering
        session.steps(2)
        if steering is not None and session.ending is None:
            fastest = steering.fastest or STILL
            session.steer(Heading(_SLOW * fastest.forward, _SLOW * fastest.lateral, _SLOW * fastest.turn))
        session.steps(math.ceil(_REHEARSED / session.controller.period))


class Pilot:
    """Steers one run; called before every tick.

    Args:
        source: What a person steers by.
        seconds: The robot is told to stand, and the run ends, after this time of the run; infinity: never [s].
        show: Gets what is asked, in words, where it changes.
    """

    def __init__(self, source: Source, seconds: float = math.inf, show: Show | None = None) -> None:
        self._source, self._seconds = source, seconds
        self._tell: Show = show or (lambda _: None)
        self._heading, self._gait = STILL, ""
        self._wished, self._number, self._asked_at = STILL, 0, -math.inf
        self._next = -math.inf
        self._over = False
        self.lost = ""
        """What was lost, and how; empty where nothing was."""

    def __call__(self, session: Session) -> None:
        """Ask and steer, some times a second.

        Raises:
            SessionError: The robot is not steered from outside.
        """
        if self._over or session.time < self._next - 1e-9:
            return
        steering = session.steering
        if steering is None:
            # Says why.
            session.steer(STILL)
            return
        if self._next < 0.0:
            self._source.begin(steering.gaits)
            self._tell("stands")
        self._next = session.time + EVERY
        if session.time >= self._seconds - 1e-9:
            self._end(session, f"{self._seconds:g} s are over")
            return
        try:
            wish = self._source.poll()
        except SourceLostError as error:
            self.lost = str(error)
            self._end(session, self.lost)
            return
        if not self._heading.still and steering.asked.still:
            self._heading = STILL
            self._tell(f"stands: no command for {steering.timeout:g} s")
        self._follow(session, wish, steering.fastest or STILL)

    def _follow(self, session: Session, wish: SteeringWish, fastest: Heading) -> None:
        if wish.over:
            self._end(session, f"ended by {self._source.name}")
            return
        if wish.gait is not None and wish.gait != self._gait:
            session.choose_gait(wish.gait)
            self._gait = wish.gait
            self._tell(self._words())
        heading = Heading(
            _rounded(wish.forward * fastest.forward),
            _rounded(wish.lateral * fastest.lateral),
            _rounded(wish.turn * fastest.turn),
        )
        changed = heading != self._wished or (wish.number != self._number and self._heading.still and not heading.still)
        again = wish.number != self._number and session.time - self._asked_at >= _RENEWED
        self._wished, self._number = heading, wish.number
        if changed or (again and not heading.still):
            session.steer(heading)
            self._asked_at = session.time
        if changed and heading != self._heading:
            self._heading = heading
            self._tell(self._words())

    def _end(self, session: Session, why: str) -> None:
        self._over, self._heading = True, STILL
        session.end_steering(why)
        self._tell(f"stands: {why}")

    def _words(self) -> str:
        asked, gait = self._heading, f", {self._gait}" if self._gait else ""
        return f"{asked.forward:+.2f} m/s ahead, {asked.lateral:+.2f} m/s left, {asked.turn:+.2f} rad/s left{gait}"


def _rounded(value: float) -> float:
    """Never -0.0, and never beyond the value."""
    return math.copysign(math.floor(abs(value) * 10.0**_DIGITS + 1e-9) / 10.0**_DIGITS, value) + 0.0
