"""Looking at a robot, arming it, letting go of it, and having its joints shown by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from andante.backends.backend import BackendError
from andante.backends.hardware.backend import HardwareBackend
from andante.backends.hardware.packets import Identity
from andante.backends.world import WorldConfig
from andante.control.arming.armed import ArmedController
from andante.control.arming.hand import HandCheck, HandFinding
from andante.control.arming.measured import Finding, findings_of
from andante.control.arming.tilt import TURNS, TiltCheck, TiltFinding
from andante.control.controller import ControlEvent, ControllerBase
from andante.control.guard import Guard
from andante.control.guard_settings import GuardSettings
from andante.control.sensor_parts import SensorPart
from andante.robots.records import Command, Sensors, Vector
from andante.robots.robot import Robot
from andante.runs.backends.hardware import HardwareKind, alarm_of, idle_of, vitals_of
from andante.runs.errors import RunError, refused
from andante.runs.logs.folder import fresh
from andante.runs.logs.record import LOG
from andante.runs.logs.recorder import LogRecorder
from andante.runs.loop.outcome import Outcome, RunLimits
from andante.runs.loop.runner import Runner
from andante.runs.loop.tick import Observer, Tick
from andante.runs.session import Session
from andante.version import __version__

T = TypeVar("T")
_REST, _STILL = 0.4, 0.03
"""All joints rest where none has moved by more [rad] in such a time [s]."""
_CALM = 0.01
"""A robot is held still where no number of its orientation changes by more in that time."""
_ASKED = 4
"""A joint is asked for so often where another one turns as far."""
_TIMEOUT = 60.0
"""Longest time for which is waited for a hand [s]."""


@dataclass(frozen=True)
class Look:
    """What a robot tells while nothing moves."""

    identity: Identity
    """Who it says it is."""
    findings: tuple[Finding, ...]
    """What was looked at."""
    evidence: str
    """What answered: a fake of the protocol, or a robot."""

    @property
    def good(self) -> bool:
        """Whether it may be armed."""
        return all(each.good for each in self.findings)


@dataclass(frozen=True)
class Armed:
    """How arming or letting go went."""

    outcome: Outcome
    """How it ended."""
    events: tuple[ControlEvent, ...]
    """What happened."""
    failure: str
    """Why it did not go well; empty where it did."""
    folder: Path
    """Where the log is."""


class Resting(ControllerBase):
    """Asks for nothing: stands in the place of a motion where there is none."""

    done = False
    needs = frozenset({SensorPart.ENCODER})
    """A robot without an IMU may be armed, too."""

    def __init__(self, robot: Robot, period: float) -> None:
        super().__init__(period)
        self._robot = robot

    def step(self, sensors: Sensors) -> Command:
        """All joints off."""
        return self._robot.command()


def opened(kind: HardwareKind, robot: Robot) -> HardwareBackend:
    """The backend of a kind; nothing is opened yet.

    Raises:
        AndanteError: The protocol is not of this robot, the address is none, or a package is missing.
    """
    made = kind.backend(robot, WorldConfig())
    if not isinstance(made, HardwareBackend):
        raise TypeError(f"{kind.type} makes no backend of a robot")
    return made


def look(kind: HardwareKind, robot: Robot) -> Look:
    """Look at a robot for the time of `SafetySettings.measure`; nothing is commanded.

    Raises:
        AndanteError: It cannot be reached, or is another one.
    """
    with closing(opened(kind, robot)) as backend:
        backend.reset(0)
        readings = backend.looked_at(kind.safety.measure)
        found = findings_of(robot, readings, kind.safety, vitals_of(backend), backend.absent)
        return Look(backend.identity, tuple(found), kind.evidence)


def joints_by_hand(
    kind: HardwareKind, robot: Robot, ask: Callable[[str, float, str], None], most: int | None = None
) -> Iterator[HandFinding]:
    """Have the joints of a robot turned by hand, one by one; nothing is commanded.

    Args:
        kind: How it is reached.
        robot: The robot.
        ask: Asks for a joint, the direction (1 or -1) and that direction in words.
        most: So many joints are asked for; None: all.

    Raises:
        AndanteError: It cannot be reached, or is another one.
    """
    check = HandCheck(robot)
    with closing(opened(kind, robot)) as backend:
        backend.reset(0)
        for joint in [name for name in check.joints if name not in kind.missing][:most]:
            hold: list[str] = []
            for _ in range(_ASKED):
                still = rested(backend)
                direction = check.direction(joint, still)
                words = check.words(joint, direction, still)
                check.begin(still, hold)
                ask(joint, direction, f"{words}, and hold {' and '.join(hold)} still" if hold else words)
                found = first_seen(backend, partial(check.see, joint, direction), _TIMEOUT)
                if found is None or not found.hold:
                    break
                hold += [name for name in found.hold if name not in hold]
                backend.looked_at(1.6)
            yield found or HandFinding(joint, False, f"nothing turned in {_TIMEOUT:g} s")
            backend.looked_at(1.6)


def imu_by_hand(kind: HardwareKind, robot: Robot, ask: Callable[[str], None]) -> Iterator[TiltFinding]:
    """Have a robot tilted by hand in two ways, and look at its IMU; nothing is commanded.

    Args:
        kind: How it is reached.
        robot: The robot.
        ask: Asks for a way, in words.

    Raises:
        AndanteError: It cannot be reached, is another one, or has no gyro or orientation.
    """
    with closing(opened(kind, robot)) as backend:
        backend.reset(0)
        if backend.absent & {"orientation", "gyro"}:
            raise BackendError("the robot measures no orientation, or no turn", place=kind.type, value=kind.address)
        for way, axis, sign in TURNS:
            _still(backend)
            check = TiltCheck(way, axis, sign)
            ask(way)
            found = first_seen(backend, check.see, _TIMEOUT)
            yield found or TiltFinding(way, False, f"nothing turned in {_TIMEOUT:g} s")


def first_seen(backend: HardwareBackend, see: Callable[[Sensors], T | None], longest: float) -> T | None:
    """What a check finds first in a robot's readings, or None after a longest time [s]."""
    period = backend.link.codec.period
    for _ in range(round(longest / period)):
        found = see(backend.looked_at(period)[-1])
        if found is not None:
            return found
    return None


def _still(backend: HardwareBackend, most: float = 20.0) -> None:
    """Wait until the robot stands still, or for a longest time [s]."""
    for _ in range(round(most / _REST)):
        turned = np.array([each.orientation for each in backend.looked_at(_REST)])
        turned *= np.where(turned @ turned[0] < 0.0, -1.0, 1.0)[:, None]
        if float(np.ptp(turned, axis=0).max()) < _CALM:
            return


def rested(backend: HardwareBackend, most: float = 60.0, angles: Callable[[Sensors], Vector] | None = None) -> Sensors:
    """What is measured when all joints have come to rest, or after a longest time.

    Args:
        backend: The robot's.
        most: The longest time [s].
        angles: The joints' angles with a reading [rad]; None: those that were measured.
    """
    for _ in range(round(most / _REST)):
        seen = []
        for _ in range(max(round(_REST / backend.link.codec.period), 1)):
            reading = backend.looked_at(backend.link.codec.period)[-1]
            seen.append(reading.position if angles is None else angles(reading))
        if float(np.ptp(seen, axis=0).max()) < _STILL:
            break
    return reading


class _Telling(Observer):
    def __init__(self, tell: Callable[[ControlEvent], None]) -> None:
        self._tell = tell
        self.events: list[ControlEvent] = []

    def see(self, tick: Tick) -> None:
        for event in tick.events:
            self.events.append(event)
            self._tell(event)


def armed(
    kind: HardwareKind,
    robot: Robot,
    only: Literal["arm", "release"],
    tell: Callable[[ControlEvent], None] = lambda _: None,
    out: Path | None = None,
) -> Armed:
    """Arm a robot and let go of it, or only let go of it; the log is kept.

    Args:
        kind: How it is reached.
        robot: The robot.
        only: ``arm`` or ``release``.
        tell: Told what happens.
        out: Folder of the log; None: a fresh one in ``runs``.

    Raises:
        AndanteError: It cannot be reached, or is another one; the log cannot be written, and the robot was let go of.
    """
    backend = opened(kind, robot)
    folder = out if out is not None else fresh(Path("runs") / f"{only}-{robot.name}")
    with refused(RunError, "the folder of the log cannot be made", folder):
        folder.mkdir(parents=True, exist_ok=True)
    inner = Resting(robot, max(robot.tick, kind.codec(robot).period))
    vitals = None if only == "release" else lambda: vitals_of(backend)
    # Whatever it measures, and whoever commands it: but joints that it has let go of are not made stiff again.
    alarm = partial(idle_of if only == "release" else alarm_of, backend, kind.safety.off_after)
    controller = ArmedController(inner, robot, kind.safety, vitals, backend.absent, only=only, alarm=alarm)
    data: dict[str, dict[str, Any]] = {
        "run": {"scenario": only, "seed": "0", "robot": robot.name, "kind": kind.evidence, "backend": kind.type},
        "backend": {"text": kind.model_dump_json()},
        "versions": {"andante": __version__},
    }
    telling = _Telling(tell)
    session = Session(
        backend,
        controller,
        Guard(robot, inner.period, kind.guarded(GuardSettings())),
        limits=RunLimits(kind.safety.longest, 0.0),
        recorder=LogRecorder(folder / LOG, data),
        observers=[telling],
        real_time=True,
        name=f"{only}-{robot.name}",
    )
    with kind.prepared():
        outcome = Runner(session).run()
    failure = controller.failure or outcome.reason
    if not failure and not controller.released:
        failure = (
            f"broken off ({outcome.ending}) before it was let go of: its joints were damped, no more; {backend.damped}"
        )
    return Armed(outcome, tuple(telling.events), failure, folder)
