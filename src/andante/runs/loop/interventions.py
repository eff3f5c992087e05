"""What may be changed from outside while a run goes on: settings, what a steered robot is asked, faults."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante.backends.backend import Backend, Faulty, Pushable
from andante.backends.fault import Fault
from andante.control.actions.acting import Acting
from andante.control.controller import ControlEvent, Controller, Tunable
from andante.control.events import EventKind
from andante.control.steering import Heading, LiveSteering
from andante.robots.records import Vector
from andante.runs.errors import SessionError
from andante.runs.loop.actions import heading_of, live_steering


class Interventions(ABC):
    """The part of a session through which others reach into its run; each change is an event of the next tick.

    What stands in such an event is enough for `repeat` to change the same again, as a replay does.
    """

    backend: Backend
    _told: Controller
    """The controller that is told."""
    _acting: Acting | None
    """The same where it takes actions."""
    _live: LiveSteering | None
    """What it is steered by; None: it is not steered from outside."""
    _pending: list[ControlEvent]
    """Events of the next tick."""
    _started: bool
    _pushing: tuple[str, float, float] | None
    """Which body somebody pushes, since when [s], and the largest force so far [N]; None: nobody does."""

    @property
    @abstractmethod
    def time(self) -> float:
        """Time of the run [s]."""

    @abstractmethod
    def start(self) -> None:
        """Put backend, controller and guard at their start."""

    def change(self, parameter: str, value: float | bool | str) -> None:
        """Change one of the controller's settings from the next tick on; the log tells it, and a replay repeats it.

        Args:
            parameter: Its name; that of a setting within settings follows a dot: ``trot.lift``.
            value: Its value, in SI units.

        Raises:
            SessionError: The controller has no such setting.
            AndanteError: The value is not legal; nothing has been changed.
        """
        controller = self._told
        if not isinstance(controller, Tunable):
            raise SessionError("this controller has no settings to change", value=type(controller).__name__)
        controller.change(controller.settings.with_value(parameter, value))
        self._tell(EventKind.PARAMETER, f"{parameter} = {value}", parameter=parameter, value=value)

    def steer(self, heading: Heading) -> None:
        """Ask other speeds of a robot that is steered while it walks, from the next tick on; a replay asks them again.

        What is asked ends after the steering's `timeout` (2 s) where nothing is asked again: the robot stands.

        Raises:
            SessionError: The robot is not steered from outside.
            ControlError: They are faster than may be asked; nothing has been changed.
        """
        self._steered().set(heading)
        text = f"{heading.forward:g} m/s ahead, {heading.lateral:g} m/s left, {heading.turn:g} rad/s left"
        self._tell(EventKind.STEER, text, **asdict(heading))

    def choose_gait(self, gait: str) -> None:
        """Let a robot that is steered while it walks take another gait; a replay does it again.

        Raises:
            SessionError: The robot is not steered from outside.
            ControlError: The controller has no such gait; nothing has been changed.
        """
        self._steered().choose(gait)
        self._tell(EventKind.STEER, f"gait {gait}", gait=gait)

    def end_steering(self, why: str) -> None:
        """Nothing more is asked of a robot that is steered while it walks: it stands, and its controller is done.

        Raises:
            SessionError: The robot is not steered from outside.
        """
        self._steered().end()
        self._tell(EventKind.STEER, f"stands: {why}", over=why)

    def repeat(self, event: ControlEvent) -> None:
        """Change again what an event of an earlier run says was changed from outside; other events change nothing.

        Raises:
            AndanteError: It cannot be done here.
        """
        data: dict[str, Any] = event.data
        if event.kind is EventKind.PARAMETER:
            self.change(str(data["parameter"]), data["value"])
        # A command that ended for its age ends so again by itself.
        elif event.kind is EventKind.STEER and "timeout" not in data:
            if "forward" in data:
                self.steer(Heading(data["forward"], data["lateral"], data["turn"]))
            elif "gait" in data:
                self.choose_gait(str(data["gait"]))
            else:
                self.end_steering(str(data["over"]))

    @property
    def steering(self) -> LiveSteering | None:
        """What the robot is steered by while it walks; None: it is not steered from outside."""
        return live_steering(self._told)

    def fault(self, fault: Fault) -> None:
        """Add a fault; one without ``start`` and ``when`` begins now.

        Raises:
            SessionError: Nothing can fail in this backend.
            AndanteError: The fault does not fit the robot.
        """
        self._faulty().add_fault(fault)

    def trigger(self, name: str) -> None:
        """Let the faults of this name begin now.

        Raises:
            SessionError: Nothing can fail in this backend.
            BackendError: No fault has this name.
        """
        self._faulty().trigger(name)

    def mend(self, name: str) -> None:
        """End the faults of this name now.

        Raises:
            SessionError: Nothing can fail in this backend.
            BackendError: No fault has this name.
        """
        self._faulty().mend(name)

    def push(self, body: str, force: Vector, point: Vector | None = None) -> None:
        """Push the robot from now on until it is pushed otherwise or `let_go`; the log tells begin and end.

        Args:
            body: The body that is pushed.
            force: The force in the world [N], (3,).
            point: Where it acts, in the body's frame [m], (3,); None: on the body's centre of mass.

        Raises:
            SessionError: Nothing can be pushed in this backend.
            BackendError: The robot has no such body, or the numbers are not finite.
        """
        if not self._started:
            self.start()
        if not isinstance(self.backend, Pushable):
            raise SessionError("nothing can be pushed in this backend", value=type(self.backend).__name__)
        self.backend.push(body, force, point)
        if self._pushing is not None and self._pushing[0] != body:
            self._push_over()
        if self._pushing is None:
            self._pushing = (body, self.time, 0.0)
            self._tell(EventKind.PUSH, f"{body} is pushed", body=body)
        name, begin, largest = self._pushing
        self._pushing = (name, begin, max(largest, float(np.linalg.norm(force))))

    def let_go(self) -> None:
        """End a push; without one nothing happens."""
        if self._pushing is not None and isinstance(self.backend, Pushable):
            self.backend.let_go()
            self._push_over()

    def _act(self, action: ArrayLike) -> None:
        if self._acting is not None:
            self._acting.act(action)
        elif self._live is not None:
            self.steer(heading_of(action, self._live))
        else:
            raise SessionError(
                "this controller takes no actions",
                value=type(self._told).__name__,
                remedy="open the session with action=, see andante.open_session",
            )

    def _push_over(self) -> None:
        if self._pushing is not None:
            (body, begin, largest), self._pushing = self._pushing, None
            duration = self.time - begin
            text = f"{body} is let go after {duration:.2f} s, pushed by up to {largest:.0f} N"
            self._tell(EventKind.PUSH_OVER, text, body=body, duration=duration, largest=largest)

    def _tell(self, kind: EventKind, text: str, **data: float | int | str) -> None:
        self._pending.append(ControlEvent(self.time, kind, text, data))

    def _steered(self) -> LiveSteering:
        steering = self.steering
        if steering is None:
            raise SessionError("this robot is not steered while it walks", value=type(self._told).__name__)
        return steering

    def _faulty(self) -> Faulty:
        if not self._started:
            self.start()
        if not isinstance(self.backend, Faulty):
            raise SessionError("nothing can fail in this backend", value=type(self.backend).__name__)
        return self.backend
