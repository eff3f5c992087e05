"""Changes of a controller from outside while it runs: its settings, and what a robot that is steered is asked.

Each gives the event that tells it. What stands in such an event is enough for `repeated` to change the same again, as a
replay does.
"""

from __future__ import annotations

from typing import Any

from andante.control.controller import ControlEvent, Controller, Tunable
from andante.control.events import EventKind
from andante.control.steering import Heading, LiveSteering, Steered
from andante.runs.errors import SessionError


def change_setting(controller: Controller, parameter: str, value: float | bool | str, time: float) -> ControlEvent:
    """Let a controller go on with another value of a setting from its next step on.

    Args:
        controller: Whose setting it is.
        parameter: Its name; that of a setting within settings follows a dot: ``trot.lift``.
        value: Its value, in SI units.
        time: Time of the run [s].

    Raises:
        SessionError: The controller has no such setting.
        AndanteError: The value is not legal; nothing has been changed.
    """
    if not isinstance(controller, Tunable):
        raise SessionError("this controller has no settings to change", value=type(controller).__name__)
    controller.change(controller.settings.with_value(parameter, value))
    data = {"parameter": parameter, "value": value}
    return ControlEvent(time, EventKind.PARAMETER, f"{parameter} = {value}", data)


def ask_heading(controller: Controller, heading: Heading, time: float) -> ControlEvent:
    """Ask other speeds of a robot that is steered while it walks, at a time of the run [s].

    Raises:
        SessionError: The robot is not steered from outside.
        ControlError: They are faster than may be asked; nothing has been changed.
    """
    _live(controller).set(heading)
    text = f"{heading.forward:g} m/s ahead, {heading.lateral:g} m/s left, {heading.turn:g} rad/s left"
    data: dict[str, float | int | str] = {"forward": heading.forward, "lateral": heading.lateral, "turn": heading.turn}
    return ControlEvent(time, EventKind.STEER, text, data)


def choose_gait(controller: Controller, gait: str, time: float) -> ControlEvent:
    """Let a robot that is steered while it walks take another gait, at a time of the run [s].

    Raises:
        SessionError: The robot is not steered from outside.
        ControlError: The controller has no such gait; nothing has been changed.
    """
    _live(controller).choose(gait)
    return ControlEvent(time, EventKind.STEER, f"gait {gait}", {"gait": gait})


def end_steering(controller: Controller, why: str, time: float) -> ControlEvent:
    """Let a robot that is steered while it walks stand and its controller be done, at a time of the run [s].

    Raises:
        SessionError: The robot is not steered from outside.
    """
    _live(controller).end()
    return ControlEvent(time, EventKind.STEER, f"stands: {why}", {"over": why})


def expired(steering: LiveSteering, time: float) -> ControlEvent:
    """What tells that a command has ended for its age, at a time of the run [s]; a replay finds it out by itself."""
    text = f"stands: no command for {steering.timeout:g} s"
    return ControlEvent(time, EventKind.STEER, text, {"timeout": steering.timeout})


def repeated(controller: Controller, event: ControlEvent, time: float) -> list[ControlEvent]:
    """Change again what an event of an earlier run says was changed, at a time of the run [s].

    Returns:
        The event that tells it; none where the event tells of something else, and then nothing has been changed.

    Raises:
        AndanteError: It cannot be done here.
    """
    data: dict[str, Any] = event.data
    if event.kind is EventKind.PARAMETER:
        return [change_setting(controller, str(data["parameter"]), data["value"], time)]
    if event.kind is not EventKind.STEER or "timeout" in data:
        return []
    if "forward" in data:
        return [ask_heading(controller, Heading(data["forward"], data["lateral"], data["turn"]), time)]
    if "gait" in data:
        return [choose_gait(controller, str(data["gait"]), time)]
    return [end_steering(controller, str(data["over"]), time)]


def live_steering(controller: Controller) -> LiveSteering | None:
    """What a robot is steered by from outside while it walks; None: it is not."""
    steering = controller.steering if isinstance(controller, Steered) else None
    return steering if isinstance(steering, LiveSteering) else None


def _live(controller: Controller) -> LiveSteering:
    steering = live_steering(controller)
    if steering is None:
        raise SessionError("this robot is not steered while it walks", value=type(controller).__name__)
    return steering
