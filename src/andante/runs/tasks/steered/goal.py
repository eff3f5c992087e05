"""SteeringGoal: how near a robot that is told how fast or how far to go has to come to that, and on what."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from andante.documents.part import Part
from andante.documents.quantities import Angle, AngularVelocity, Number, Seconds


class TouchRule(Part):
    """For how long in all which links may touch the ground; None: they may, and it is told."""

    trunk: Annotated[Seconds, Field(ge=0.0)] | None = 0.05
    """The trunk with all that hangs on it but the legs [s]."""
    thigh: Annotated[Seconds, Field(ge=0.0)] | None = 0.05
    """Hips and upper legs [s]."""
    calf: Annotated[Seconds, Field(ge=0.0)] | None = None
    """Lower legs [s]."""
    calf_share: Annotated[Number, Field(ge=0.0, le=1.0)] = 0.2
    """Lower legs, as a share of the run: a robot whose calves touch for longer walks on its knees."""


class SteeringGoal(Part):
    """What is asked of a robot that follows speeds, or goes a way without a terrain's course; lengths are true ones.

    A speed is measured by the true motion of the base over the time for which it is asked, without the time in which
    the robot speeds up and the time after a push.
    """

    share: Annotated[Number, Field(ge=0.0)] = 0.1
    """Allowed difference from the asked speed or way, as a share of it."""
    speed: Annotated[Number, Field(ge=0.0)] = 0.05
    """Allowed difference from the asked speed where that is more, but never more than 0.4 of what is asked: a robot
    that stands still does not walk slowly [m/s]."""
    turn: Annotated[AngularVelocity, Field(ge=0.0)] = 0.15
    """The same for turning [rad/s]."""
    settle: Annotated[Seconds, Field(ge=0.0)] = 1.0
    """Time after a change of the asked speed that does not count; the robot speeds up [s]. A change by more than 1 m/s
    has so much longer."""
    recovery: Annotated[Seconds, Field(ge=0.0)] = 1.5
    """Time after a push that does not count [s]."""
    tilt: Annotated[Angle, Field(gt=0.0)] | None = 0.8726646259971648
    """Largest angle between the torso's up axis and the vertical (50 deg); None: any [rad]."""
    height_share: Annotated[Number, Field(ge=0.0, le=1.0)] = 0.65
    """Smallest mean height of the base while it walks, as a share of its height in standing; lower it crawls."""
    drop_share: Annotated[Number, Field(gt=0.0)] | None = 0.6
    """The base falls into a pit where it comes down by more than this share of its height in standing within a quarter
    of a second; None: it may."""
    stands: bool = True
    """A robot that is told to stand at last stands still at the end, see ``upright``."""
    stands_share: Annotated[Number, Field(ge=0.0, le=1.0)] = 0.7
    """How high it then stands at least, as a share of its height in the posture ``stand``: most walk and stand lower
    than that."""
    touches: TouchRule = TouchRule()
    """What may touch the ground beside the feet."""
