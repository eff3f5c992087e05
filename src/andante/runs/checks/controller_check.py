"""Does a controller do the same again: made anew, after a snapshot, and after it was started again?

A snapshot keeps all that can be seen (`andante.runs.state`). What cannot be seen, time, numbers of the system, memory
of compiled libraries, shows in what a controller does. So it is run for a short time in simulation, several times, and
its commands are compared byte by byte. Where they differ, the contents of all that it holds are compared tick by tick:
the first that differs is the attribute to look at.
"""

from __future__ import annotations

import dis
import math
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import WorldConfig
from andante.control.controller import ControlError, Controller
from andante.control.guard import Guard
from andante.errors import AndanteError, shorten
from andante.planning.planner import Planner
from andante.plugins.raised import ASKED_TO_END, described
from andante.plugins.surroundings import undisturbed
from andante.robots.robot import Robot
from andante.runs.checks.controller_source import ControllerSource
from andante.runs.errors import SnapshotError
from andante.runs.loop.outcome import RunLimits
from andante.runs.loop.snapshot import shared_generators
from andante.runs.session import Session
from andante.runs.state.memory import Memory
from andante.runs.state.owners import is_users

_OUTSIDE = ("time", "datetime", "random", "secrets", "uuid", "os", "socket", "pathlib", "sys", "numpy.random")
"""Modules through which what is outside of a run comes in."""
_WORLD = WorldConfig()
_SHARES = (0.25, 0.5, 0.75)
"""Where in a run snapshots are taken."""


@dataclass(frozen=True)
class CheckFinding:
    """What one check found."""

    check: str
    """``again``, ``snapshot`` or ``restart``."""
    good: bool
    """Whether the commands are the same."""
    text: str
    """What was found, in a sentence."""
    remedy: str = ""
    """What to do where they are not."""


@dataclass
class _Pass:
    """What a controller did, tick by tick."""

    commands: list[bytes] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    contents: list[Mapping[str, object]] = field(default_factory=list)
    """What it held before each tick."""


@undisturbed()
def check_controller(source: ControllerSource, robot: Robot, seconds: float = 2.0) -> list[CheckFinding]:
    """Run a controller again, from snapshots and after a restart, in simulation.

    Args:
        source: The controller.
        robot: The robot that it moves.
        seconds: Length of a run [s].

    Raises:
        AndanteError: The controller cannot be made, or the simulation fails.
    """
    first, controller = _session(source, robot, seconds)
    count = max(8, math.ceil(seconds / controller.period))
    plain = _run(first, count)
    if first.error is not None:
        why = described(first.error, type(controller).__module__)
        text = f"the controller raises in tick {len(plain.commands) - 1}: {why}"
        return [CheckFinding("again", False, text, "mend this first")]
    wrong = _not_finite(plain, robot)
    if wrong:
        return [
            CheckFinding("again", False, wrong, "mend this first: the guard holds the joint, and a run fails by it")
        ]
    count, period = len(plain.commands), controller.period
    new, _ = _session(source, robot, seconds)
    what = "two new controllers ask for the same"
    again = _compared("again", what, plain, _run(new, count), source, period)
    old = _around(first.backend.robot, controller, first._planner, seconds)
    what = "after reset() it asks for the same as a new one"
    restarted = _compared("restart", what, plain, _run(old, count), source, period)
    return [again, *_snapshots(source, robot, seconds, count), restarted]


def _not_finite(plain: _Pass, robot: Robot) -> str:
    """What is asked for that is no finite number, in a sentence; empty: all is finite."""
    for tick, command in enumerate(plain.commands):
        numbers = np.isfinite(np.frombuffer(command))
        if not numbers.all():
            return f"asks for what is no finite number in tick {tick}: {robot.command_layout.columns[numbers.argmin()]}"
    return ""


def _snapshots(source: ControllerSource, robot: Robot, seconds: float, count: int) -> Iterator[CheckFinding]:
    session, controller = _session(source, robot, seconds)
    begun = 0
    for share in _SHARES:
        at = int(share * count)
        _run(session, at - begun)
        try:
            snapshot = session.snapshot()
            onward = _run(session, count - at)
            session.restore(snapshot)
            back = _run(session, count - at)
            session.restore(snapshot)
        except SnapshotError as error:
            yield CheckFinding("snapshot", False, f"no snapshot can be taken of it: {error}", "")
            return
        what = f"from a snapshot at tick {at} it asks for the same again"
        yield _compared("snapshot", what, onward, back, source, controller.period, at)
        begun = at


def _compared(
    check: str, what: str, one: _Pass, other: _Pass, source: ControllerSource, period: float, start: int = 0
) -> CheckFinding:
    differ = [tick for tick, (a, b) in enumerate(zip(one.commands, other.commands, strict=False)) if a != b]
    if not differ and len(one.commands) == len(other.commands):
        return CheckFinding(check, True, f"{what}: {len(one.commands)} ticks, byte for byte")
    tick = differ[0] if differ else min(len(one.commands), len(other.commands))
    time = (start + tick) * period
    text = f"{_denied(what)} from tick {start + tick} on ({time:.3f} s)"
    place = _first_difference(one, other, tick)
    calls = "" if check == "restart" else _calls(source)
    text += f"; {place or 'all that can be seen of it is the same, so something outside of it decides'}"
    if calls:
        text += f"; its code uses {calls}"
    remedies = {
        "again": "take time from sensors.time and random numbers from a generator made with a fixed seed in reset()",
        "snapshot": "keep all state in attributes of the controller",
        "restart": "let reset() set everything that step() changes",
    }
    return CheckFinding(check, False, text, remedies[check])


def _denied(what: str) -> str:
    said = what.replace(" for the same as ", " for other commands than ").replace(" for the same again", " for others")
    return said.replace(" for the same", " for different commands")


def _first_difference(one: _Pass, other: _Pass, tick: int) -> str:
    """The first content that differs up to a tick, in words; empty: none does."""
    for number in range(min(tick + 2, len(one.contents), len(other.contents))):
        a, b = one.contents[number], other.contents[number]
        for place in (*a, *(each for each in b if each not in a)):
            if a.get(place) != b.get(place):
                return f"{place} is {_shown(b, place)} instead of {_shown(a, place)}"
    return ""


def _shown(contents: Mapping[str, object], place: str) -> str:
    if place not in contents:
        return "not there"
    value = contents[place]
    return repr(value) if isinstance(value, (int, float, bool, type(None))) else shorten(repr(value), 60)


def _session(source: ControllerSource, robot: Robot, seconds: float) -> tuple[Session, Controller]:
    driven, controller, planner = source.made(robot, _WORLD)
    return _around(driven, controller, planner, seconds), controller


def _around(robot: Robot, controller: Controller, planner: Planner[Any, Any] | None, seconds: float) -> Session:
    return Session(
        MujocoWorld(robot, _WORLD),
        controller,
        Guard(robot, controller.period),
        limits=RunLimits(seconds + 10.0, until_timeout=True),
        planner=planner,
        physics_period=_WORLD.timestep,
        name="doctor",
    )


def _run(session: Session, count: int) -> _Pass:
    """So many ticks, or as many as there are until the controller breaks off."""
    found = _Pass()
    if not session.started:
        try:
            session.start()
        except (AndanteError, *ASKED_TO_END):
            raise
        # Code of a user's raises what it likes.
        except BaseException as error:
            kind = type(session.controller)
            raise ControlError(f"cannot begin: {described(error, kind.__module__)}", place=kind.__qualname__) from error
    for _ in range(count):
        if session.ending is not None or session.error is not None:
            break
        found.contents.append(_contents(session))
        tick = session.step()
        found.commands.append(tick.request.vector.tobytes())
    found.contents.append(_contents(session))
    return found


def _contents(session: Session) -> Mapping[str, object]:
    try:
        return Memory((("controller", session.controller), *shared_generators()), told=True).contents
    except SnapshotError:
        return {}


def _calls(source: ControllerSource) -> str:
    """What users' code takes from outside of a run, with its lines: ``time.perf_counter (line 12)``."""
    found = [
        f"{name} (line {line})"
        for function in _functions(vars(source.module).values(), source.module.__name__)
        for name, line in _taken(function.__code__, function.__globals__)
    ]
    return ", ".join(list(dict.fromkeys(found))[:5])


def _taken(code: types.CodeType, space: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Names of outside that code looks up: in its globals, and from there on."""
    line, held, path = code.co_firstlineno, None, ""
    for each in dis.get_instructions(code):
        line = each.starts_line if isinstance(each.starts_line, int) and each.starts_line is not True else line
        if each.opname == "LOAD_GLOBAL":
            path, held = str(each.argval), space.get(str(each.argval))
        elif each.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(held, types.ModuleType):
            path, held = f"{path}.{each.argval}", getattr(held, str(each.argval), None)
        else:
            continue
        home = str(getattr(held, "__module__", "") or "")
        module = path.rpartition(".")[0]
        if not isinstance(held, types.ModuleType) and (home in _OUTSIDE or module in (*_OUTSIDE, "np.random")):
            yield path, line
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _taken(constant, space)


def _functions(values: Iterable[Any], module: str) -> Iterator[types.FunctionType]:
    """The functions of a module and of its classes."""
    for value in values:
        inner = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if isinstance(inner, types.FunctionType) and is_users(str(inner.__globals__.get("__name__"))):
            yield inner
        elif isinstance(inner, type) and inner.__module__ == module:
            yield from _functions(vars(inner).values(), module)
