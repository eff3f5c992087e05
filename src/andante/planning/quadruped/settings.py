"""Settings of the local planner."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from andante.documents.quantities import (
    Duration,
    FixedDuration,
    NonNegative,
    NonNegativeAngle,
    NonNegativeFixedTime,
    NonNegativeLength,
    NonNegativeSpeed,
    NonNegativeTime,
    PositiveCount,
    PositiveLength,
    PositiveShare,
    Share,
)
from andante.documents.settings import Settings
from andante.planning.nmpc.settings import NmpcSettings, Twelve, weights_of_size
from andante.planning.quadruped.foothold_rule import FOOTHOLD_CHOICE, FootholdRule, NearestFoothold
from andante.spatial.arrays import Array

if TYPE_CHECKING:
    from andante.planning.quadruped.body import QuadrupedBody

GO2_LEG = 0.448009
"""Leg length of the robot that `LocalSettings` are for [m]."""
GO2_TURNING = (0.1823, 0.3704, 0.3265)
"""How slowly shares of its weight turn it about roll, pitch and yaw axis: inertia over mass, leg length and the
distance of its hips from that axis."""


class LocalSettings(Settings):
    """How the local planner stands and steps.

    All that has a length or a time in it is for Go2 and `fitted` to other robots; `interval` and `latency` are those
    of a computer and stay.
    """

    place: ClassVar[str] = "local"

    interval: Annotated[FixedDuration, Field(ge=1e-4, le=60.0)] = 0.01
    """Time between two plans [s]."""
    latency: Annotated[NonNegativeFixedTime, Field(le=60.0)] = 0.01
    """Time from a state to the plan that begins from it [s]."""
    standing: PositiveShare = 0.66
    """Height of the hips as a share of the stretched leg."""
    stand_speed: NonNegativeSpeed = 0.1
    """The body is caught by steps where it is faster than this though it shall stand [m/s]."""
    stand_command: NonNegativeSpeed = 0.02
    """A slower twist is no order to walk [m/s]."""
    stand_offset: NonNegativeLength = 0.05
    """The same where it is farther from the middle of the feet [m]."""
    stand_tilt: NonNegativeAngle = 0.15
    """The same where it tilts more against the ground [rad]."""
    settling: PositiveCount = 2
    """Periods of the gait on the spot before it stands still."""
    leash: NonNegativeLength = 0.05
    """Farthest that the reference's place may be from the body's [m]."""
    yaw_leash: NonNegativeAngle = 0.2
    """The same for its heading [rad]."""
    trim: NonNegativeSpeed = 0.25
    """Largest speed that is asked for in addition, to make up for errors that all steps have alike [m/s] ..."""
    trim_time: Duration = 0.7
    """... and the time constant in which it is learnt, from as long after the last change of what is asked on [s]."""
    capture: NonNegative = 1.0
    """Share of sqrt(h / g) by which an error of the velocity moves a foothold."""
    catch: Duration = 0.2
    """Time constant in which an error of the velocity is caught by steps; until then the body drifts with it [s]."""
    hurry_swing: Duration = 0.12
    """A swing takes so long while a push is caught, and the gait's period is shorter by the same share [s]."""
    hurry_error: NonNegativeSpeed = 0.8
    """A push is caught where the velocity is farther off [m/s]; a body plan is always followed in its own time."""
    hurry_weights: Twelve = (5.0, 5.0, 100.0, 60.0, 60.0, 10.0, 2.0, 2.0, 1.0, 0.5, 0.5, 0.2)
    """Weights of the predictive control while a push or a landing is caught, in place of `nmpc.weights`: the speed is
    lost by steps, and forces that would brake at once tip the body over."""
    missing: NonNegativeTime = 0.02
    """No force is planned for a foot that should have touched for so long, until it does [s]."""
    clearance: NonNegativeLength = 0.05
    """How high a foot's centre swings over the higher of its two ends [m]."""
    stumble: NonNegativeLength = 0.02
    """A swinging foot that touches and is so far behind its way has struck something: its swing begins anew [m]."""
    stumble_time: NonNegativeTime = 0.06
    """Unless less than this is left of it [s]."""
    surprise: NonNegativeLength = 0.01
    """A robot without a map swings its feet higher by what they came down above or below their plane, less this, at
    most twice as high [m] ..."""
    uneven: Duration = 1.0
    """... and forgets it in this time constant [s]."""
    foothold: Annotated[FootholdRule, FOOTHOLD_CHOICE] = NearestFoothold()
    """Rule that chooses where near its nominal place a foot comes down."""
    search: NonNegativeLength = 0.25
    """Radius in which a better foothold is looked for [m]."""
    traversability: Share = 0.6
    """Least traversability of a foothold."""
    constancy: NonNegative = 0.5
    """Weight of the distance to the foothold that was chosen before."""
    reach: PositiveLength = 0.3
    """Largest distance of a foothold from below the hip at touch-down [m]."""
    stretch: PositiveShare = 0.97
    """A leg that pushes off leaves the ground where its hip is farther from the foot, as a share of the stretched
    leg."""
    apart: NonNegativeLength = 0.26
    """A push moves no foothold nearer to the standing foot before or behind it, whose knee may stand between [m] ..."""
    beside: NonNegativeLength = 0.04
    """... nor to the one beside it [m]."""
    hip_room: NonNegativeLength = 0.10
    """Least distance of a swing's apex below the hip [m]."""
    tuck: Share = 0.4
    """Share of the body's rise over standing height in a flight by which the feet swing higher."""
    course_time: Duration = 0.15
    """Behind its leaps a body plan waits for a body that lags, or follows one that leads, in this time constant [s]."""
    landing: NonNegativeTime = 0.1
    """Part of a stance after a flight for which its foothold is chosen, and least time in which a landing is caught
    [s]."""
    landing_low: NonNegativeLength = 0.03
    """It is caught for longer while the body is lower than it stands by more than this [m] ..."""
    landing_tilt: NonNegativeAngle = 0.05
    """... or tilts by more than this against what is asked for [rad] ..."""
    landing_time: Duration = 1.0
    """... but no longer than so [s]."""
    nmpc: NmpcSettings = NmpcSettings()
    """Costs and bounds of the predictive control."""

    def scaled(self, size: float) -> Self:
        """The same for a robot of Go2's shape that is ``size`` times as large."""
        weights = weights_of_size(self.hurry_weights, size)
        parts = {"foothold": self.foothold.scaled(size), "nmpc": self.nmpc.scaled(size)}
        return super().scaled(size).changed(hurry_weights=weights, **parts)

    def fitted(self, body: QuadrupedBody) -> Self:
        """The same for another robot: scaled to its legs, and to how its mass is spread.

        A body with twice the inertia for its mass, legs and hips is turned half as fast by the same shares of its
        weight. So that these bring it upright in the same time, errors of its attitude and rates weigh four times as
        much.
        """
        scaled = self.scaled(body.legs.leg_length / GO2_LEG)
        turns = np.ones(12)
        turns[3:6] = turns[9:] = (turning(body) / GO2_TURNING) ** 2
        return scaled.changed(
            hurry_weights=tuple((turns * scaled.hurry_weights).tolist()),
            nmpc=scaled.nmpc.changed(weights=tuple((turns * scaled.nmpc.weights).tolist())),
        )


def turning(body: QuadrupedBody) -> Array:
    """How slowly shares of its weight turn a robot about roll, pitch and yaw axis, (3,), as `GO2_TURNING`."""
    length, width = np.abs(body.hips[:, :2] - body.hips[:, :2].mean(axis=0)).mean(axis=0).tolist()
    arms = np.array([width, length, math.hypot(width, length)])
    return np.asarray(np.diag(body.rigid.inertia) / (body.rigid.mass * body.legs.leg_length * arms))
