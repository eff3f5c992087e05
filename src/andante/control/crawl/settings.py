"""CrawlSettings: how a walk plan is carried out; lengths are for LittleDog's size and scale with the leg."""

from __future__ import annotations

import math
from typing import ClassVar, Literal, Self

from andante.documents.quantities import (
    Count,
    NonNegativeFixedTime,
    NonNegativeLength,
    NonNegativeSpeed,
    NonNegativeTime,
    PositiveCount,
    PositiveShare,
    Share,
)
from andante.documents.settings import Settings


class CrawlSettings(Settings):
    """How a walk plan is carried out."""

    place: ClassVar[str] = "crawl"

    lead: NonNegativeFixedTime = 0.03
    """How far ahead of the clock joints are commanded [s]: latency, and what the servos lag behind."""
    lag: NonNegativeTime = 0.01
    """What of it the servos lag behind [s]; it grows with the robot, latency does not."""
    velocity_share: Share = 0.5
    """Share of the joints' speed that is commanded beside their position, so that damping does not hold them back."""
    load: Literal["torque", "position", "none"] = "torque"
    """How servos are told of the load that they carry: by a torque that is commanded ahead; by positions as much
    farther as their position gain gives way under it; or not at all. Servos that take positions alone know but the last
    two ways."""
    speed_share: Share = 0.999
    """Share of the joints' speed limits that commands may use."""
    place_gain: Share = 0.1
    """Share per tick of 10 ms by which a standing foot's place follows where it is estimated to be."""
    landing_reach: NonNegativeLength = 0.03
    """How far from its place a foot may touch to have landed; farther it has hit something on its way [m]."""
    edge_height: NonNegativeLength = 0.004
    """How far above its place a foot may touch before the end of its swing to have landed; higher it has met an edge
    beside its place and goes on over it, where the last landings were at their heights [m]."""
    edge_speed: NonNegativeSpeed = 0.5
    """How fast it goes down again behind the edge [m/s]."""
    tolerated_miss: NonNegativeLength = 0.012
    """Distance of a landing from its place along the ground, and twice its distance in height, above which the rest of
    the walk is planned anew [m]; measured feet make up for smaller ones without the time that a new plan costs."""
    map_error: NonNegativeLength = 0.008
    """How far off all heights that the map has around a place a foot may find the ground before it is told [m]."""
    misfit: Literal["stop", "go-on"] = "stop"
    """What is done about a map that does not fit, by ``misfits``: with all feet down the walk is ended with that
    reason, or it goes on."""
    misfits: PositiveCount = 4
    """So many of the last footfalls, two of each foot, must have found the ground elsewhere: a map may be wrong in a
    place."""
    latency: NonNegativeFixedTime = 0.05
    """Time from a question to the planner's answer, which is not used earlier [s]."""
    rise: PositiveShare = 0.3
    """Share of a swing within which a foot that stood lower than planned makes up for it."""
    search_speed: NonNegativeSpeed = 0.10
    """How fast a foot that has lost the ground goes down [m/s]."""
    catch_speed: NonNegativeSpeed = 0.5
    """How fast a swinging foot goes down when the walk is broken off: a robot that tips over needs it soon [m/s]."""
    landing_speed: NonNegativeSpeed = 0.05
    """How fast a foot goes on below its place at the end of its swing [m/s]."""
    search_depth: NonNegativeLength = 0.012
    """How far below its place it looks for the ground [m]."""
    pressing: NonNegativeLength = 0.006
    """How far a foot that looks for the ground stays above where it is commanded when it has found it [m]."""
    stumble_lift: NonNegativeLength = 0.015
    """By how much a foot that hits something on its way is lifted higher [m]."""
    lift_speed: NonNegativeSpeed = 1.0
    """How fast [m/s]."""
    slip_speed: NonNegativeSpeed = 0.25
    """Speed of a standing foot against the others from which it slips [m/s]."""
    stuck_after: Count = 2
    """Swings in the air that a foot switch may claim to touch all the way, or landings that it may miss in a row."""
    lost_way: NonNegativeLength = 0.05
    """Distance of the body from where the plan has it above which the walk is broken off [m]."""
    doubt: Share = 0.5
    """Share of it, and of the tilt above which a walk is broken off, that is enough while all feet are down, where
    that does no harm."""
    lost_foot: NonNegativeLength = 0.04
    """Distance of a foot that swings or lands from where it should be above which it is broken off [m]."""
    lost_place: NonNegativeLength = 0.02
    """Distance of a standing foot from where it should be above which a walk that cannot be planned anew stops as soon
    as all feet are down [m]."""
    lost_ticks: Count = 3
    """Ticks for which this must last."""
    recentre_speed: NonNegativeSpeed = 0.06
    """Speed at which the body goes back over the middle of its feet when a walk is broken off [m/s]."""
    settle: NonNegativeTime = 0.4
    """Time for which the robot stands before it plans, so that its pose is known well [s]."""
    blend: NonNegativeTime = 0.25
    """Time in which it takes up the plan's first pose [s]."""
    rest_speed: NonNegativeSpeed = 0.03
    """Speed of the body below which it stands still [m/s]."""
    tries: Count = 3
    """How often a broken walk is planned anew without a step in between before the controller gives up."""

    def scaled(self, size: float) -> Self:
        """The settings for a robot of this size; of the lead only what the servos lag behind grows."""
        bigger = super().scaled(size)
        return bigger.model_copy(update={"lead": self.lead + (math.sqrt(size) - 1.0) * self.lag})
