"""What a controller answers at a tick, whoever wrote it: a command of its robot, or one error that names it.

Controllers of Andante are believed. One of a user's own may give nothing, another thing, or a command of another robot,
and may write into what it is only shown. The message has its class, file and line, not the place where that is met.
"""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Callable, Collection
from functools import lru_cache
from numbers import Real
from pathlib import Path
from typing import Any, Literal

import numpy as np

from andante.control.controller import ControlError, ControlEvent, Controller
from andante.control.events import EventKind
from andante.control.sensor_parts import SensorPart
from andante.errors import shorten
from andante.plugins.errors import AnswerError
from andante.plugins.raised import ASKED_TO_END, described
from andante.robots.records import Command, Layout, Record, Sensors, Vector
from andante.robots.robot import Robot

_NUMBERS = "fiu"
"""Kinds of arrays that hold real numbers."""
_KINDS = tuple(EventKind)
"""Kinds that a log can be read with again."""
_PARTS = tuple(SensorPart)
_NEEDED = ("period", "done", "telemetry", "reset", "step", "take_events")
_SAID = {"done": "True or False", "failed": "True or False", "needs": "a collection of SensorPart"}
"""What a controller says of itself by a property: a method in its place would always count as true."""
_METHODS = (types.FunctionType, types.MethodType, classmethod, staticmethod)


class ReadingError(ControlError, AnswerError):
    """A backend gave no sensors of its robot, or no ground truth."""


@lru_cache(maxsize=256)
def _ours(module: str) -> bool:
    return module.startswith("andante.")


def believed(thing: object) -> bool:
    """Whether a controller or backend is one of Andante's own, whose answers need no look."""
    return _ours(type(thing).__module__)


def commanded(controller: Controller, sensors: Sensors, robot: Robot) -> Command:
    """The command of a controller for a tick.

    Args:
        controller: Who is asked.
        sensors: What it sees. A controller that is not Andante's may keep and change the command that it gave, but may
            not change what it is shown as long as it is asked; what it does with it later changes nothing for others.
        robot: Whose command it must be.

    Raises:
        ControlError: It gave no command of this robot, changed the sensors, or wanted to end the program.
        Exception: Whatever it raises.
    """
    if believed(controller):
        command = controller.step(sensors)
        # Its vector fits its layout since it was made.
        return command if command.layout is robot.command_layout else checked_command(controller, command, robot)
    # Others look at these readings in later ticks, too: the check of sensors would blame an IMU for what it overwrote.
    shown, seen = sensors.copy(), sensors.vector.tobytes()
    try:
        command = checked_command(controller, controller.step(shown), robot)
    except (Exception, *ASKED_TO_END):
        raise
    except BaseException as error:
        raise _no_end(controller, "step", error) from error
    if shown.vector.tobytes() != seen:
        changed = np.flatnonzero(shown.vector.view(np.int64) != np.frombuffer(seen, np.int64))
        raise ControlError(
            "changed the sensors that it was shown",
            place=place_of(controller, "step"),
            value=sensors.layout.columns[changed[0]],
            remedy="work on sensors.copy()",
        )
    return command.copy()


def endless(controller: object, name: str, call: Callable[..., None], *given: object) -> None:
    """Call what runs code of a controller's; it may not end the program, as a robot must be stopped first.

    Args:
        controller: Whose code it is.
        name: Its method, for messages.
        call: What to call.
        given: Arguments.

    Raises:
        ControlError: It wanted to.
        Exception: Whatever it raises.
    """
    try:
        call(*given)
    except (Exception, *ASKED_TO_END):
        raise
    except BaseException as error:
        raise _no_end(controller, name, error) from error


def told_events(controller: Controller) -> list[ControlEvent]:
    """What happened since the last call.

    Raises:
        ControlError: It gave no list of events, or one that cannot be written into a log.
        Exception: Whatever it raises.
    """
    if believed(controller):
        return controller.take_events()
    events = _asked(controller, "take_events", call=True)
    if isinstance(events, list) and all(isinstance(event, ControlEvent) for event in events):
        for event in events:
            _look_at_event(controller, event)
        return events
    wrong = events if not isinstance(events, list) else next(e for e in events if not isinstance(e, ControlEvent))
    raise ControlError(
        "gave no events",
        place=place_of(controller, "take_events"),
        value=type(wrong).__name__,
        limit="a list of ControlEvent, empty where nothing happened",
    )


def told_telemetry(controller: Controller, layout: Layout | None = None) -> Record | None:
    """What went on inside at the last step.

    Args:
        controller: Who is asked.
        layout: That of the telemetry it gave before; None: it gave none yet.

    Raises:
        ControlError: It is no record, one of another layout than before, or its fields cannot be named in a log.
        Exception: Whatever it raises.
    """
    told = controller.telemetry if believed(controller) else _asked(controller, "telemetry")
    if told is None:
        return None
    if isinstance(told, Record):
        if told.layout is layout:
            return told
        value, limit = _amiss_telemetry(told.layout, layout)
        if not value:
            return told
        what = "gave telemetry that cannot be recorded"
    else:
        what, value = "gave no telemetry", type(told).__name__
        limit = "a Record with a layout of its own, or None"
    raise ControlError(what, place=place_of(controller, "telemetry"), value=value, limit=limit)


def told_yes(controller: object, name: Literal["done", "failed"]) -> bool:
    """Whether a controller says that it is done, or has failed.

    Args:
        controller: Who is asked.
        name: What it is asked for.

    Raises:
        ControlError: It says neither True nor False.
        Exception: Whatever it raises.
    """
    if believed(controller):
        return bool(getattr(controller, name))
    said = _asked(controller, name)
    if isinstance(said, bool | np.bool_):
        return bool(said)
    place, value = place_of(controller, name), f"{shorten(repr(said))}, {type(said).__name__}"
    raise ControlError(f"is {name}, or is it not", place=place, value=value, limit=_SAID[name])


def sensed(reader: object, given: object, robot: Robot) -> Sensors:
    """What a backend read for a tick.

    Args:
        reader: The backend, whose ``read`` it was.
        given: What that gave. A backend that is not Andante's may keep and change the record that it gave.
        robot: Whose sensors they must be.

    Raises:
        ReadingError: They are no sensors of this robot.
    """
    layout = robot.sensors_layout
    if isinstance(given, Sensors):
        vector, same = given.vector, _same(given.layout, layout)
        if same and _usable(vector, layout):
            return given if believed(reader) else given.copy()
        value = f"{vector.shape[0] if vector.ndim == 1 else vector.shape} numbers, {vector.dtype}"
        what = "gave sensors of which the numbers cannot be used" if same else "gave sensors of another robot"
    else:
        value, what = type(given).__name__, "gave no sensors"
    limit = f"Sensors of robot {robot.name!r}, as robot.sensors() makes them: {layout.size} numbers, float64"
    raise ReadingError(what, place=place_of(reader, "read"), value=value, limit=limit)


def true_record(reader: object, told: object) -> Record | None:
    """The ground truth that a backend told.

    Args:
        reader: The backend, whose ``truth`` it was.
        told: What that gave.

    Raises:
        ReadingError: It is no record.
    """
    if told is None or isinstance(told, Record):
        return told
    limit = "a Record, or None where there is no ground truth"
    raise ReadingError("gave no truth", place=place_of(reader, "truth"), value=type(told).__name__, limit=limit)


def amiss(thing: object) -> str:
    """Why a thing is no controller that can be asked, in words; empty: it is one."""
    if isinstance(thing, type):
        return f"it is the class {thing.__qualname__}, not one made of it"
    missing = [name for name in _NEEDED if not offers(thing, name)]
    if missing:
        return f"it has no {', '.join(missing)}"
    for name in (name for name in _SAID if offers(thing, name)):
        # A property that reset() makes ready is not asked before it.
        said: object = inspect.getattr_static(thing, name, None)
        if isinstance(said, _METHODS):
            return f"its {name} is a method, no property"
        if isinstance(said, str):
            return f"its {name} is {shorten(repr(said))}; it must be {_SAID[name]}"
        if name == "needs" and not hasattr(type(said), "__get__") and not _is_parts(said):
            other = "give an attribute of your own another name"
            return f"its {name} is {shorten(repr(said))}; it must be {_SAID[name]}: {other}"
    period: object = getattr(thing, "period")  # noqa: B009 - whatever it is
    if isinstance(period, Real) and math.isfinite(period) and float(period) > 0.0:
        return ""
    shown = "a method, no property" if callable(period) else shorten(repr(period))
    return f"its period is {shown}; it must be a number of seconds above 0"


def _is_parts(said: object) -> bool:
    """Whether something is a collection of parts of the sensors."""
    return isinstance(said, Collection) and all(part in _PARTS for part in said)


def offers(thing: object, name: str) -> bool:
    """Whether a thing has an attribute, also one that can be asked only after ``reset``."""
    return inspect.getattr_static(thing, name, None) is not None or hasattr(thing, name)


def place_of(controller: object, method: str) -> str:
    """Where a method of a controller stands, for messages: ``Nod.step (nod.py:12)``."""
    kind = type(controller)
    found: Any = inspect.getattr_static(controller, method, None)
    found = found.fget if isinstance(found, property) else found
    function: Callable[..., object] | None = inspect.unwrap(found) if callable(found) else None
    code = getattr(function, "__code__", None)
    if code is None or str(getattr(function, "__module__", "")).startswith("andante."):
        return f"{kind.__qualname__}.{method}"
    return f"{kind.__qualname__}.{method} ({Path(code.co_filename).name}:{code.co_firstlineno})"


def _asked(controller: object, name: str, *, call: bool = False) -> object:
    """What a controller says by an attribute, or by a method without arguments; it may not end the program."""
    try:
        found = getattr(controller, name)
        return found() if call else found
    except (Exception, *ASKED_TO_END):
        raise
    except BaseException as error:
        raise _no_end(controller, name, error) from error


def _no_end(controller: object, name: str, error: BaseException) -> ControlError:
    """What is told of an exception that would end the program past all that stops a robot."""
    how = f"SystemExit({error.code!r})" if isinstance(error, SystemExit) else described(error)
    return ControlError(f"wants to end the program by {how}", place=place_of(controller, name))


def _look_at_event(controller: object, event: ControlEvent) -> None:
    """Refuse an event that no log can hold; numbers of numpy become Python's.

    Raises:
        ControlError: As above.
    """
    wrong, data = "", event.data
    if not (isinstance(event.time, Real) and math.isfinite(event.time)):
        wrong, limit = f"time {shorten(repr(event.time))}", "a number of seconds"
    elif event.kind not in _KINDS:
        wrong, limit = f"kind {shorten(repr(event.kind))}", "an EventKind, such as EventKind.NOTE"
    elif not isinstance(event.text, str):
        wrong, limit = f"text {shorten(repr(event.text))}", "a text"
    elif not isinstance(data, dict):
        wrong, limit = f"data {shorten(repr(data))}", "a dictionary of numbers and texts"
    else:
        event.kind = EventKind(event.kind)
        event.data = data = {key: each.item() if isinstance(each, np.generic) else each for key, each in data.items()}
        bad = [key for key, each in data.items() if not (isinstance(key, str) and isinstance(each, int | float | str))]
        if bad:
            wrong, limit = f"data {bad[0]!r}: {type(data[bad[0]]).__name__}", "numbers and texts by name"
    if wrong:
        place = place_of(controller, "take_events")
        raise ControlError("gave an event that cannot be recorded", place=place, value=wrong, limit=limit)


def _amiss_telemetry(layout: Layout, before: Layout | None) -> tuple[str, str]:
    """What is wrong with the layout of telemetry, and what it must be; empty: nothing."""
    for field in layout.fields:
        if not (field.name.isidentifier() and field.name.isascii()):
            return f"a field named {field.name!r}", "names of letters, digits and _ that begin with no digit"
    if before is not None and layout != before:
        return f"{layout.size} values, {len(layout.fields)} fields", (
            f"the layout that it had before: {before.size} values, {len(before.fields)} fields"
        )
    return "", ""


def _same(layout: Layout, asked: Layout) -> bool:
    """Whether a record has the layout that is asked for; mostly it is that very one."""
    return layout is asked or layout == asked


def _usable(vector: Vector, layout: Layout) -> bool:
    """Whether an array has the shape of a layout and real numbers."""
    return vector.shape == layout.shape and vector.dtype.kind in _NUMBERS


def checked_command(controller: Controller, given: object, robot: Robot) -> Command:
    """What a controller gave, where it is a command of this robot.

    Raises:
        ControlError: It is none.
    """
    layout = robot.command_layout
    if isinstance(given, Command):
        vector, same = given.vector, _same(given.layout, layout)
        if same and _usable(vector, layout):
            return given
        if same:
            value, limit = f"{vector.dtype}, {vector.shape}", f"float64, {layout.shape}"
            what = "gave a command whose numbers cannot be used"
        else:
            value = f"{len(given.layout.fields[0].labels)} joints: {', '.join(given.layout.fields[0].labels[:3])}, ..."
            limit = f"{len(robot.joints)} joints of robot {robot.name!r}: {', '.join(robot.joint_names[:3])}, ..."
            what = "gave a command of another robot"
    else:
        value = type(given).__name__
        limit = f"a Command for robot {robot.name!r}, as robot.command() makes it, at each tick"
        what = "gave no command"
    raise ControlError(what, place=place_of(controller, "step"), value=value, limit=limit)
