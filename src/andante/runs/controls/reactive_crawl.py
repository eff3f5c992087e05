"""ReactiveCrawlControl: the part of a scenario that crawls without a map."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from andante.backends.world import WorldConfig
from andante.control.controller import Controller
from andante.control.reactive_crawl.settings import ReactiveCrawlSettings
from andante.robots.robot import Robot
from andante.runs.controls.kind import ControlKind
from andante.runs.controls.steering import LiveChoice, SteeringChange, allow, steering_of


class ReactiveCrawlControl(ControlKind):
    """A crawl without a map, steered."""

    type: Literal["reactive-crawl"]
    """Kind of controller."""
    steering: Annotated[tuple[SteeringChange, ...], Field(max_length=1000)] = ()
    """What is asked when; before the first change the robot stands."""
    live: LiveChoice | None = None
    """Steered while it walks in place of a script."""
    crawl: ReactiveCrawlSettings = ReactiveCrawlSettings()
    """How it walks."""

    def controller(self, robot: Robot, world: WorldConfig) -> Controller:
        """The crawl.

        Raises:
            ControlError: The robot has other legs, or more is asked than its limits allow.
        """
        # Compiled kernels are imported only where a robot crawls.
        from andante.control.reactive_crawl.crawl import ReactiveCrawl

        steering = steering_of(self.steering, self.live)
        crawl = ReactiveCrawl(robot, steering, self.crawl)
        allow(steering, self.live, crawl.largest, "the crawl")
        return crawl
