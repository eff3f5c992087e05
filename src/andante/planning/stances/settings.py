"""StanceSettings: what a pose of the body over the feet must keep and what is dear about it."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from andante.documents.quantities import Angle, NonNegative, Number, Positive, PositiveAngle, PositiveCount
from andante.documents.settings import Settings
from andante.documents.validation import contradicting
from andante.planning.feasibility.pose_room import PoseRules

# What is looked at depends on the margin: poses deep in a triangle are only seen where that is asked for.
_LADDER = (
    *((1.0, 1.0), (1.0, 0.5), (1.5, 0.5), (1.25, 0.5), (2.0, 0.5)),
    *((0.8, 0.5), (0.8, 0.0), (0.5, 0.5), (0.5, 0.0), (0.25, 0.0)),
)


class StanceSettings(Settings):
    """Settings of the choice of poses; lengths are shares of the leg's length."""

    place: ClassVar[str] = "stances"

    margin: Positive = 0.012 / 0.187
    """Distance that the centre of mass shall keep from the edge of the support triangle: that of the footsteps, so that
    poses are looked at in the same triangles."""
    least: NonNegative = 0.03
    """Room that a pose shall keep: reach, joint limits, shanks and belly over the ground."""
    enough: Positive = 0.08
    """Room above which more is worth nothing."""
    height: Positive = 0.66
    """Height of the centre of mass over the mean of the feet that is aimed at."""
    heights: Annotated[tuple[Number, ...], Field(min_length=1)] = (0.0, -0.08, 0.07, -0.16, 0.13, -0.24)
    """Differences from it that are tried, in this order."""
    pitches: Annotated[tuple[Angle, ...], Field(min_length=1)] = (0.0, -0.15, 0.15, -0.32, 0.32, -0.5, 0.5)
    """Differences from the pitch of the feet that are tried [rad]."""
    rolls: Annotated[tuple[Angle, ...], Field(min_length=1)] = (0.0, 0.12, -0.12, 0.24, -0.24)
    """The same for the roll [rad]."""
    steepest: PositiveAngle = 0.9
    """Largest pitch of the base [rad]."""
    four_foot_time: Positive = 0.2
    """Time between two swings, when all feet carry, as share of a mean swing's; the less, the dearer is motion then."""
    slack_weight: NonNegative = 0.15
    """Cost of a pose without any room; one with enough costs nothing, between them it falls with the square."""
    margin_weight: NonNegative = 0.3
    """The same for the margin."""
    carry: Annotated[NonNegative, Field(lt=1.0)] = 0.7
    """Share of its torque that a joint may need for carrying the robot at no cost, below 1."""
    torque_weight: NonNegative = 0.5
    """Cost of a joint that needs all its torque; from that share on it grows with the square."""
    upward: NonNegative = 2.0
    """Factor on a vertical distance: the zero moment point is computed for a centre of mass that hardly rises."""
    angle: Positive = 0.5
    """Length, in leg lengths, that makes an angle comparable to a distance."""
    good: PositiveCount = 24
    """Poses with enough room after which no more are tried for a node."""
    tries: PositiveCount = 120
    """Most poses within reach that are tried for a node."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.least > self.enough:
            limit = f"at most enough = {self.enough:g}"
            raise contradicting(self, "least", "more room is asked for than is worth anything", limit)
        return self

    def rules(self, leg_length: float) -> PoseRules:
        """The same for the kernels that test poses, for a leg length [m]."""
        usual = PoseRules.of(leg_length, margin=self.margin, least=self.least, enough=self.enough, lift=0.0)
        return usual._replace(
            heights=(self.height + np.array(self.heights)) * leg_length,
            pitches=np.array(self.pitches),
            rolls=np.array(self.rolls),
            steepest=self.steepest,
        )


LADDER = np.array(_LADDER)
"""Shares of margin and least room that are tried one after the other where a node has no pose, (n, 2)."""
