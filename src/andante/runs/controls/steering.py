"""The parts of a scenario that steer a walking robot, by a script or live, and the gaits that need no map."""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

from pydantic import Field

from andante.backends.world import WorldConfig
from andante.control.controller import ControlError, Controller
from andante.control.reactive_crawl.settings import ReactiveCrawlSettings
from andante.control.steering import HOLDS, Heading, LiveSteering, Steering, SteeringScript, Turn, refuse_faster
from andante.control.trot.settings import TrotSettings
from andante.documents.part import Part
from andante.documents.quantities import Duration, Number, Seconds
from andante.robots.robot import Robot
from andante.runs.controls.asked import Asked
from andante.runs.controls.kind import ControlKind


class SteeringChange(Part):
    """What is asked of a walking robot from a time on."""

    time: Annotated[Seconds, Field(ge=0.0)] = 0.0
    """When [s]."""
    forward: Number = 0.0
    """Speed along the body's x axis [m/s]."""
    lateral: Number = 0.0
    """Speed to the left [m/s]."""
    turn: Number = 0.0
    """Speed of turning to the left [rad/s]."""


class LiveChoice(Part):
    """A robot that is steered while it walks, from a keyboard, a gamepad or a program; until then it stands."""

    forward: Annotated[Number, Field(gt=0.0)] | None = None
    """Largest speed forward or backward that may be asked; None: as the controller thinks fit [m/s]."""
    lateral: Annotated[Number, Field(gt=0.0)] | None = None
    """Largest speed to a side [m/s]."""
    turn: Annotated[Number, Field(gt=0.0)] | None = None
    """Largest speed of turning [rad/s]."""
    timeout: Duration | None = HOLDS
    """What was asked ends after so long without a new command: the robot stands, and an event says so [s]; None: it
    holds until something else is asked."""

    def within(self, fitting: Heading) -> Heading:
        """The largest speeds that may be asked, with a controller's own where nothing is said."""
        return Heading(
            fitting.forward if self.forward is None else self.forward,
            fitting.lateral if self.lateral is None else self.lateral,
            fitting.turn if self.turn is None else self.turn,
        )


class SteeredControl(ControlKind):
    """A kind of controller that is steered."""

    steering: Annotated[tuple[SteeringChange, ...], Field(max_length=1000)] = ()
    """What is asked when; before the first change the robot stands. Each holds until the next, however long that is: a
    script is known beforehand, and nobody can be gone."""
    live: LiveChoice | None = None
    """Steered while it walks in place of a script."""

    def asked(self, robot: Robot) -> Asked:
        """The script."""
        return Asked(turns=tuple(self._turns()))

    def steered_by_program(self) -> Self:
        """The same without a script; what is asked holds until something else is."""
        live = (self.live or LiveChoice()).model_copy(update={"timeout": None})
        return self.model_copy(update={"live": live, "steering": ()})

    def _turns(self) -> list[Turn]:
        return [Turn(each.time, Heading(each.forward, each.lateral, each.turn)) for each in self.steering]

    def followed(self) -> Steering:
        """What the controller follows: a script, or what is asked while it walks.

        Raises:
            ControlError: Times of the script do not rise, or there are both.
        """
        if self.live is None:
            return SteeringScript(self._turns())
        if self.steering:
            raise ControlError("a robot that is steered live follows no script", place="controller.steering")
        return LiveSteering(timeout=math.inf if self.live.timeout is None else self.live.timeout)

    def allow(self, steering: Steering, largest: Heading, gait: str) -> None:
        """Tell a live steering how fast it may ask.

        Args:
            steering: What the controller follows.
            largest: What the gait reaches.
            gait: Its name for messages: "the trot".

        Raises:
            ControlError: The scenario allows more than the gait reaches.
        """
        if self.live is not None and isinstance(steering, LiveSteering):
            steering.fastest = self.live.within(largest)
            refuse_faster(steering.fastest, largest, gait)


class TrotControl(SteeredControl):
    """A trot, steered."""

    type: Literal["trot"]
    """Kind of controller."""
    trot: TrotSettings = TrotSettings()
    """How it trots."""

    def controller(self, robot: Robot, world: WorldConfig) -> Controller:
        """The trot.

        Raises:
            ControlError: The robot has other legs, or more is asked than its limits allow.
        """
        # Compiled kernels are imported only where a robot trots.
        from andante.control.trot.trot import Trot

        steering = self.followed()
        trot = Trot(robot, steering, self.trot)
        self.allow(steering, trot.largest, "the trot")
        return trot


class ReactiveCrawlControl(SteeredControl):
    """A crawl without a map, steered."""

    type: Literal["reactive-crawl"]
    """Kind of controller."""
    crawl: ReactiveCrawlSettings = ReactiveCrawlSettings()
    """How it walks."""

    def controller(self, robot: Robot, world: WorldConfig) -> Controller:
        """The crawl.

        Raises:
            ControlError: The robot has other legs, or more is asked than its limits allow.
        """
        # Compiled kernels are imported only where a robot crawls.
        from andante.control.reactive_crawl.crawl import ReactiveCrawl

        steering = self.followed()
        crawl = ReactiveCrawl(robot, steering, self.crawl)
        self.allow(steering, crawl.largest, "the crawl")
        return crawl
