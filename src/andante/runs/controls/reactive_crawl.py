"""ReactiveCrawlControl: the part of a scenario that crawls without a map."""

from __future__ import annotations

from typing import Literal

from andante.backends.world import WorldConfig
from andante.control.controller import Controller
from andante.control.reactive_crawl.settings import ReactiveCrawlSettings
from andante.robots.robot import Robot
from andante.runs.controls.steering import SteeredControl, allow, steering_of


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

        steering = steering_of(self.steering, self.live)
        crawl = ReactiveCrawl(robot, steering, self.crawl)
        allow(steering, self.live, crawl.largest, "the crawl")
        return crawl
