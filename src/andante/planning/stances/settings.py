"""StanceSettings: what a pose of the body over the feet must keep and what is dear about it."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np

from andante.planning.course import PlanningError
from andante.planning.feasibility.pose_room import PoseRules

# What is looked at depends on the margin: poses deep in a triangle are only seen where that is asked for.
_LADDER = (
    *((1.0, 1.0), (1.0, 0.5), (1.5, 0.5), (1.25, 0.5), (2.0, 0.5)),
    *((0.8, 0.5), (0.8, 0.0), (0.5, 0.5), (0.5, 0.0), (0.25, 0.0)),
)


@dataclass(frozen=True)
class StanceSettings:
    """Settings of the choice of poses; lengths are shares of the leg's length.

    Raises:
        PlanningError: A number that makes no sense; names it.
    """

    margin: float = 0.012 / 0.187
    """Distance that the centre of mass shall keep from the edge of the support triangle: that of the footsteps, so that
    poses are looked at in the same triangles."""
    least: float = 0.03
    """Room that a pose shall keep: reach, joint limits, shanks and belly over the ground."""
    enough: float = 0.08
    """Room above which more is worth nothing."""
    height: float = 0.66
    """Height of the centre of mass over the mean of the feet that is aimed at."""
    heights: tuple[float, ...] = (0.0, -0.08, 0.07, -0.16, 0.13, -0.24)
    """Differences from it that are tried, in this order."""
    pitches: tuple[float, ...] = (0.0, -0.15, 0.15, -0.32, 0.32, -0.5, 0.5)
    """Differences from the pitch of the feet that are tried [rad]."""
    rolls: tuple[float, ...] = (0.0, 0.12, -0.12, 0.24, -0.24)
    """The same for the roll [rad]."""
    steepest: float = 0.9
    """Largest pitch of the base [rad]."""
    four_foot_time: float = 0.2
    """Time between two swings, when all feet carry, as share of a mean swing's; the less, the dearer is motion then."""
    slack_weight: float = 0.15
    """Cost of a pose without any room; one with enough costs nothing, between them it falls with the square."""
    margin_weight: float = 0.3
    """The same for the margin."""
    carry: float = 0.7
    """Share of its torque that a joint may need for carrying the robot at no cost, below 1."""
    torque_weight: float = 0.5
    """Cost of a joint that needs all its torque; from that share on it grows with the square."""
    stray_weight: float = 0.05
    """Cost of a squared distance, in leg lengths, from the height and turn that follow the feet."""
    travel_weight: float = 0.3
    """Cost of a radian of the way of a swinging leg's joints, which is what a swing's time goes with."""
    upward: float = 2.0
    """Factor on a vertical distance: the zero moment point is computed for a centre of mass that hardly rises."""
    angle: float = 0.5
    """Length, in leg lengths, that makes an angle comparable to a distance."""
    good: int = 24
    """Poses with enough room after which no more are tried for a node."""
    tries: int = 120
    """Most poses within reach that are tried for a node."""
    sweeps: int = 8
    """Most passes that smooth the chosen poses."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            values = value if isinstance(value, tuple) else (value,)
            if not values or not all(math.isfinite(number) for number in values):
                raise PlanningError(f"the stance setting {each.name} must be finite", value=value)
            if not isinstance(value, tuple) and value < 0:
                raise PlanningError(f"the stance setting {each.name} must not be below zero", value=value)
        for name in ("margin", "enough", "height", "steepest", "four_foot_time", "angle", "good", "tries"):
            if getattr(self, name) <= 0:
                raise PlanningError(f"the stance setting {name} must be above zero", value=getattr(self, name))
        if self.carry >= 1.0:
            raise PlanningError("no torque is left to be dear", place="carry", value=self.carry, limit="below 1")
        if self.least > self.enough:
            raise PlanningError(
                "more room is asked for than is worth anything", place="least", value=self.least, limit=f"{self.enough}"
            )

    def rules(self, leg_length: float) -> PoseRules:
        """The same for the kernels that test poses, for a leg length [m]."""
        return PoseRules(
            margin=self.margin * leg_length,
            least=self.least * leg_length,
            enough=self.enough * leg_length,
            lift=0.0,
            heights=(self.height + np.array(self.heights)) * leg_length,
            pitches=np.array(self.pitches),
            rolls=np.array(self.rolls),
            steepest=self.steepest,
            lever=PoseRules.of(leg_length).lever,
        )


LADDER = np.array(_LADDER)
"""Shares of margin and least room that are tried one after the other where a node has no pose, (n, 2)."""
