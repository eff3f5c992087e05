"""CrawlSettings: how a walk plan is carried out; lengths are for LittleDog's size and scale with the leg."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

from andante.control.controller import ControlError
from andante.terrain.boards.course import REFERENCE_LEG

_LENGTHS = (
    *("search_speed", "landing_speed", "search_depth", "pressing", "landing_reach", "stumble_lift", "slip_speed"),
    *("lost_way", "lost_foot", "lost_place", "tolerated_miss", "rest_speed", "recentre_speed", "lift_speed"),
)
_TIMES = ("lag", "settle", "blend")


@dataclass(frozen=True)
class CrawlSettings:
    """How a walk plan is carried out."""

    lead: float = 0.03
    """How far ahead of the clock joints are commanded [s]: latency, and what the servos lag behind."""
    lag: float = 0.01
    """What of it the servos lag behind [s]; it grows with the robot, latency does not."""
    velocity_share: float = 0.5
    """Share of the joints' speed that is commanded beside their position, so that damping does not hold them back."""
    speed_share: float = 0.999
    """Share of the joints' speed limits that commands may use."""
    least_slack: float = 0.003
    """Angle that stays free to every joint limit [rad]."""
    place_gain: float = 0.1
    """Share per tick of 10 ms by which a standing foot's place follows where it is estimated to be."""
    earliest: float = 0.45
    """Share of a swing before which a touch is no landing."""
    landing_reach: float = 0.03
    """How far from its place a foot may touch to have landed; farther it has hit something on its way [m]."""
    tolerated_miss: float = 0.012
    """Distance of a landing from its place along the ground, and twice its distance in height, above which the rest of
    the walk is planned anew [m]; measured feet make up for smaller ones without the time that a new plan costs."""
    latency: float = 0.05
    """Time from a question to the planner's answer, which is not used earlier [s]."""
    catch_up: float = 0.5
    """Share of a swing within which a foot that stood elsewhere than planned makes up for it."""
    rise: float = 0.3
    """Share of a swing within which a foot that stood lower than planned makes up for it."""
    search_speed: float = 0.10
    """How fast a foot that has lost the ground goes down [m/s]."""
    landing_speed: float = 0.05
    """How fast a foot goes on below its place at the end of its swing [m/s]."""
    search_depth: float = 0.012
    """How far below its place it looks for the ground [m]."""
    pressing: float = 0.006
    """How far a foot that looks for the ground stays above where it is commanded when it has found it [m]."""
    patience: float = 0.0
    """How long the clock waits before a lift-off for feet that must carry then [s]."""
    stumble_lift: float = 0.015
    """By how much a foot that hits something on its way is lifted higher [m]."""
    lift_speed: float = 1.0
    """How fast [m/s]."""
    slip_speed: float = 0.25
    """Speed of a standing foot against the others from which it slips [m/s]."""
    stuck_after: int = 2
    """Swings in the air that a foot switch may claim to touch all the way, or landings that it may miss in a row."""
    lost_way: float = 0.05
    """Distance of the body from where the plan has it above which the walk is broken off [m]."""
    lost_tilt: float = math.radians(15.0)
    """The same for its orientation [rad]."""
    doubt: float = 0.5
    """Share of both that is enough while all feet are down, where a walk can be broken off without harm."""
    lost_foot: float = 0.04
    """Distance of a foot that swings or lands from where it should be above which it is broken off [m]."""
    lost_place: float = 0.02
    """Distance of a standing foot from where it should be above which a walk that cannot be planned anew stops as soon
    as all feet are down [m]."""
    lost_ticks: int = 3
    """Ticks for which this must last."""
    recentre_speed: float = 0.06
    """Speed at which the body goes back over the middle of its feet when a walk is broken off [m/s]."""
    fallen_tilt: float = math.radians(60.0)
    """Tilt above which the robot has fallen [rad]."""
    blind_limit: float = 1.0
    """Time without motion capture after which the walk is broken off [s]."""
    settle: float = 0.4
    """Time for which the robot stands before it plans, so that its pose is known well [s]."""
    blend: float = 0.25
    """Time in which it takes up the plan's first pose [s]."""
    rest_speed: float = 0.03
    """Speed of the body below which it stands still [m/s]."""
    tries: int = 3
    """How often a broken walk is planned anew without a step in between before the controller gives up."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ControlError(
                    "a crawl setting is not below zero", place=f"crawl.{each.name}", value=value, limit=">= 0"
                )
        for name in ("catch_up", "rise"):
            if getattr(self, name) <= 0.0:
                raise ControlError(
                    "a share of a swing is above 0", place=f"crawl.{name}", value=getattr(self, name), limit="0 to 1"
                )
        for name in ("speed_share", "velocity_share", "doubt", "place_gain", "earliest", "catch_up", "rise"):
            if getattr(self, name) > 1.0:
                raise ControlError(
                    "a share is at most 1", place=f"crawl.{name}", value=getattr(self, name), limit="0 to 1"
                )

    def scaled(self, leg_length: float) -> CrawlSettings:
        """The settings for a robot of this leg length [m]; speeds and times grow with the root of it."""
        size = leg_length / REFERENCE_LEG
        root = math.sqrt(size)
        factors = {name: root if name.endswith("speed") else size for name in _LENGTHS} | dict.fromkeys(_TIMES, root)
        values = {name: getattr(self, name) * factor for name, factor in factors.items()}
        return replace(self, lead=self.lead + (root - 1.0) * self.lag, **values)
