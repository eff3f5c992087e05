"""Decider: what is asked of a robot at each tick, by its controller or, where that cannot be asked, by a soft stop."""

from __future__ import annotations

from andante.control.answers import commanded, told_events
from andante.control.controller import ControlEvent, Controller, Planned, Releasing
from andante.control.events import EventKind
from andante.control.guard import Guard
from andante.control.plausibility import SensorCheck
from andante.control.soft_stop import SoftStop
from andante.plugins.raised import described
from andante.robots.records import Command, Sensors
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
        if self.stop is None and not self._check.ready and self._releasing is None:
            # Not everything has been measured once: nothing may move, and no controller may look.
            request = guard.rest()
            return request, guard.apply(request, sensors)
        stop = self.stop
        if stop is None:
            try:
                if self._plans is not None:
                    self._plan(number, self._plans)
                request = commanded(self._controller, sensors, self._robot)
                return request, guard.apply(request, sensors)
            except Exception as error:  # noqa: BLE001 - whatever it is, the robot must be stopped
                self.error = error
                stop = self._begin_stop(
                    f"the controller broke off: {described(error, type(self._controller).__module__)}", time, last
                )
        request = stop.step()
        return request, guard.apply(request, sensors)

    def take_events(self) -> list[ControlEvent]:
        """What happened since the last call: that the robot is stopped, then what the controller tells."""
        own, self._events = self._events, []
        return own if self.error is not None else own + told_events(self._controller)

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
