"""Decider: what is asked of a robot at each tick, by its controller or, where that cannot be asked, by a soft stop."""

from __future__ import annotations

from typing import Literal

from andante.control.answers import (
    believed,
    checked_command,
    commanded,
    endless,
    offers,
    told_events,
    told_telemetry,
    told_yes,
)
from andante.control.controller import ControlEvent, Controller, Planned, Releasing, TruthReader
from andante.control.events import EventKind
from andante.control.guard import Guard
from andante.control.plausibility import SensorCheck
from andante.control.soft_stop import SoftStop
from andante.plugins.raised import described
from andante.robots.records import Command, Layout, Record, Sensors
from andante.robots.robot import Robot
from andante.runs.loop.schedule import PlanQueue


class Decider:
    """Asks a controller and its planner until one of them fails or a sensor is lost, then stops the robot softly.

    Args:
        robot: What is moved.
        controller: What decides.
        guard: Has the last word on each command.
        check: Says whether the sensors that the controller needs are there.
        plans: Plans under way, for a controller that is `Planned`; None: there is no planner.
    """

    def __init__(
        self, robot: Robot, controller: Controller, guard: Guard, check: SensorCheck, plans: PlanQueue | None
    ) -> None:
        self._robot, self._controller, self._guard, self._check = robot, controller, guard, check
        self._plans = plans
        self._releasing = controller if isinstance(controller, Releasing) else None
        inner = controller if self._releasing is None else self._releasing.inner
        self._planned = inner if isinstance(inner, Planned) else None
        # It is asked several times a tick: whose it is, is asked once.
        self._own, self._command_layout = believed(controller), robot.command_layout
        # A property that is ready only after reset() counts, too.
        self._fallible = offers(controller, "failed")
        self._layout: Layout | None = None
        self._events: list[ControlEvent] = []
        self.stop: SoftStop | None = None
        """What commands since the controller cannot be asked; None: it can."""
        self.error: Exception | None = None
        """What the controller raised; None: nothing."""

    def decide(self, number: int, time: float, sensors: Sensors, last: Command | None) -> tuple[Command, Command]:
        """What is asked for at a tick, and what the guard lets pass.

        Args:
            number: Of the tick.
            time: Time of the run [s].
            sensors: What is believed of them.
            last: The command of the tick before; None: there was none.
        """
        guard = self._guard
        if self._check.lost and self.stop is None:
            if self._releasing is None:
                self._begin_stop(self._check.lost, time, last)
            else:
                self._releasing.give_up(self._check.lost)
        if self._check.contradicted and self._releasing is not None:
            self._releasing.doubt(self._check.contradicted)
        if self.stop is None and not self._check.ready and self._releasing is None:
            # Not everything has been measured once: nothing may move, and no controller may look.
            request = guard.rest()
            return request, guard.apply(request, sensors)
        stop = self.stop
        if stop is None:
            try:
                if self._plans is not None:
                    endless(self._planned, "accept", self._plan, number, self._plans)
                request = self._request(sensors)
                return request, guard.apply(request, sensors)
            except Exception as error:  # noqa: BLE001 - whatever it is, the robot must be stopped
                stop = self._broken(error, time, last)
        request = stop.step()
        return request, guard.apply(request, sensors)

    def _request(self, sensors: Sensors) -> Command:
        """What the controller asks for; one of Andante's own is believed."""
        if not self._own:
            return commanded(self._controller, sensors, self._robot)
        request = self._controller.step(sensors)
        if request.layout is self._command_layout:
            return request
        return checked_command(self._controller, request, self._robot)

    def take_events(self, time: float, last: Command | None) -> list[ControlEvent]:
        """What happened since the last call: that the robot is stopped, then what the controller tells.

        Args:
            time: Time of the run [s].
            last: The command of this tick.
        """
        told: list[ControlEvent] = []
        if self.error is None:
            try:
                told = self._controller.take_events() if self._own else told_events(self._controller)
            except Exception as error:  # noqa: BLE001 - whatever it is, the robot must be stopped
                self._break_off(error, "take_events", time, last)
        return self.untold() + told if self._events else told

    def untold(self) -> list[ControlEvent]:
        """Why the robot is stopped, where no tick has told it yet; given once."""
        own, self._events = self._events, []
        return own

    def telemetry(self, time: float, last: Command | None) -> Record | None:
        """What went on inside the controller, while it is asked; arguments as of `take_events`."""
        if self.error is not None:
            return None
        try:
            told = self._controller.telemetry if self._own else None
            if not self._own or (told is not None and told.layout is not self._layout):
                told = told_telemetry(self._controller, self._layout)
        except Exception as error:  # noqa: BLE001 - whatever it is, the robot must be stopped
            self._break_off(error, "telemetry", time, last)
            return None
        if told is not None:
            self._layout = told.layout
        return told

    def ended(self, time: float, last: Command | None, done: bool, failed: bool) -> tuple[bool, bool]:
        """Whether the controller is done, and whether it has given up.

        Args:
            time: Time of the run [s].
            last: What was commanded last.
            done: Whether to ask for the first; else it is False.
            failed: Whether to ask for the second.
        """
        asked: Literal["done", "failed"] = "done"
        try:
            own = self._own
            is_done = done and (bool(self._controller.done) if own else told_yes(self._controller, asked))
            asked = "failed"
            return is_done, failed and self._fallible and told_yes(self._controller, asked)
        except Exception as error:  # noqa: BLE001 - whatever it is, the robot must be stopped
            self._break_off(error, asked, time, last)
            return False, False

    def see_truth(self, reader: TruthReader, truth: Record, time: float, last: Command | None) -> None:
        """Let a controller see the truth while it is asked; ``time`` and ``last`` as of `ended`."""
        if self.error is not None:
            return
        try:
            endless(reader, "see_truth", reader.see_truth, truth)
        except Exception as error:  # noqa: BLE001 - whatever it is, the robot must be stopped
            self._break_off(error, "see_truth", time, last)

    def _break_off(self, error: Exception, asked: str, time: float, last: Command | None) -> None:
        """Stop the robot because the controller raised when it was asked for something beside its command.

        A robot that has to be let go of is let go of.

        Args:
            error: What was raised.
            asked: The attribute that it was asked for.
            time: Time of the run [s].
            last: What was commanded last.
        """
        if self._releasing is not None and self._releasing.running:
            self._releasing.give_up(self._told(error, self._releasing.inner, asked))
        elif self.stop is None:
            self._broken(error, time, last, asked)
        else:
            # It is stopped already: it is only not asked again.
            self.error = error

    def _broken(self, error: Exception, time: float, last: Command | None, asked: str = "") -> SoftStop:
        self.error = error
        return self._begin_stop(self._told(error, self._controller, asked), time, last)

    @staticmethod
    def _told(error: Exception, controller: Controller, asked: str) -> str:
        when = f" when asked for {asked}" if asked else ""
        return f"the controller broke off{when}: {described(error, type(controller).__module__)}"

    def _plan(self, number: int, plans: PlanQueue) -> None:
        """Let controller and planner talk."""
        if self._planned is None or (self._releasing is not None and not self._releasing.running):
            return
        wanted = self._planned.take_request()
        if wanted is not None:
            plans.request(number, wanted)
        for plan in plans.arrivals(number):
            self._planned.accept(plan)

    def _begin_stop(self, reason: str, time: float, last: Command | None) -> SoftStop:
        stop = self.stop = SoftStop(self._robot, last, self._controller.period, self._check.settings.stop_time, reason)
        self._events.append(ControlEvent(time, EventKind.STOP, f"the robot is stopped: {reason}"))
        return stop
