"""ReactiveCrawlControl: the part of a scenario that crawls without a map."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from andante.backends.world import WorldConfig
from andante.control.controller import Controller
from andante.control.reactive_crawl.settings import CrawlSettings
from andante.documents.quantities import Length, Number
from andante.robots.robot import Robot
from andante.runs.controls.kind import ControlKind, ControlPart
from andante.runs.controls.steering import SteeringChange, steering_script

Positive = Annotated[Number, Field(gt=0.0)]
PositiveLength = Annotated[Length, Field(gt=0.0)]


class CrawlPart(ControlPart):
    """What a scenario may change in a crawl; lengths are for LittleDog and scale with the leg."""

    height: Positive = CrawlSettings.height
    """Hip axis to foot in standing, as a share of the stretched leg."""
    stance_length: Positive = CrawlSettings.stance_length
    """Front to hind feet, as a share of the distance of the hips."""
    stance_spread: PositiveLength = CrawlSettings.stance_spread
    """How much farther left and right feet stand apart than legs that hang straight down [m]."""
    step_height: PositiveLength = CrawlSettings.step_height
    """How far a foot is lifted before it goes across [m]."""
    longest_step: PositiveLength = CrawlSettings.longest_step
    """Longest way of a foot in one swing [m]."""
    margin: PositiveLength = CrawlSettings.margin
    """Distance from the edges of the support triangle at which the centre of mass is wanted [m]."""

    def settings(self) -> CrawlSettings:
        """The same for the controller."""
        return CrawlSettings(**{name: getattr(self, name) for name in type(self).model_fields})


class ReactiveCrawlControl(ControlKind):
    """A crawl without a map, steered."""

    type: Literal["reactive-crawl"]
    """Kind of controller."""
    steering: Annotated[tuple[SteeringChange, ...], Field(max_length=1000)] = ()
    """What is asked when; before the first change the robot stands."""
    crawl: CrawlPart = CrawlPart()
    """How it walks."""

    def controller(self, robot: Robot, world: WorldConfig) -> Controller:
        """The crawl.

        Raises:
            ControlError: The robot has other legs, or more is asked than its limits allow.
        """
        # Compiled kernels are imported only where a robot crawls.
        from andante.control.reactive_crawl.crawl import ReactiveCrawl

        return ReactiveCrawl(robot, steering_script(self.steering), self.crawl.settings())
