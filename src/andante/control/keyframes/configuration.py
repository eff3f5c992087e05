"""What a run of the keyframe engine may be told beside its library."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from andante.control.keyframes.release import ReleaseName
from andante.documents.quantities import Angle, Duration, Positive, PositiveAngle, PositiveLength
from andante.documents.settings import Settings


@dataclass(frozen=True)
class MotionRequest:
    """A motion that the engine is asked for."""

    motion: str | None
    """Name of the motion; None: get up, by whatever motion fits."""
    mirror: bool = False
    """Exchange left and right; the tries of a get-up alternate, beginning with this side."""


class KeyframeEngineSettings(Settings):
    """Settings of the engine that do not belong to the motions."""

    place: ClassVar[str] = "engine"

    release: ReleaseName | None = None
    """Engine whose rules hold where the releases differ (support centre, compensation, filters, waits, break-up); None:
    that of the library's dialect. It is read when the engine is built."""
    delay_ticks: Annotated[int, Field(ge=1)] | None = None
    """Ticks from a request to its effect in the measurements; None: the robot's, or 3 where it states none."""
    compensation: bool = True
    """Stuck-joint compensation is on."""
    balance: bool = True
    """The balancer is on."""
    waits: bool = True
    """Keyframes wait for their conditions."""
    branches: bool = True
    """Branches are taken."""
    break_up: bool = True
    """Motions break up when the torso leaves its window."""
    pauses: bool = True
    """A get-up's keyframe stands still while the hip yaw pitch lags behind its request."""
    pause_error: PositiveAngle = math.radians(10.0)
    """Lag of the hip yaw pitch above which a keyframe stands still [rad]. Healthy simulated NAOs stood for 0.1 to 1.3 %
    of a get-up; of 40 with a dry hip (tuning seeds) 36 stood with this, 31 with 15 degrees, 27 with 7."""
    pause_time: Duration = 0.6
    """Longest time for which one keyframe stands still in all [s]."""
    give_up_blocked: bool = True
    """A get-up is given up where a leg joint never moves: after a try in which it did not, or in the middle of one."""
    blocked_time: Duration = 2.4
    """Time for which a leg joint must have stood still while more than 15 degrees behind, all tries together, before it
    counts as blocked [s]; 2.5 times of it end a try. A hip that runs dry (5 N m more friction) came to 0.9 s."""
    clip_compensation: bool = True
    """A joint's correction ends at its full amount; False: it grows on, as the original's does."""
    start_speed_share: Positive = 1.0
    """Share of the joints' speed limits that the first keyframe from a measured posture may ask for; it is stretched
    otherwise."""
    respect_limits: bool = True
    """Commands stay within the joints' position, speed and acceleration limits, as far behind the motion as that takes;
    False: they are what the motion asks, and the guard holds them back and tells of it."""
    stop_time: Duration = 0.25
    """Time to slow down to a standstill on request [s]."""
    get_up_after_break_up: bool = True
    """A robot that lies after a motion broke up gets up, where the library has a motion for it."""
    stand_motion: str = "stand"
    """Motion that leads from an upright posture to standing."""
    recover_motion: str = "recoverGeneric"
    """Motion that begins a get-up; its follow-ups choose how it goes on."""
    retry_duration: Duration = 2.0
    """Shortest duration of the first keyframe after a motion that is no get-up broke up [s]."""
    upright_tilt: PositiveAngle = math.radians(30.0)
    """Pitch and roll below which the robot counts as upright [rad]."""
    standing_sole_depth: PositiveLength = 0.228
    """Soles farther below the torso than this mean stretched legs (the original's NAO figure) [m]."""
    step_mode: bool = False
    """For looking at motions keyframe by keyframe: each takes `step_duration` with stiffness capped by the library's
    setting, then waits for `KeyframeEngine.advance` or the chest button. Without waits, balancing and break-up."""
    step_duration: Duration = 2.0
    """Duration of every keyframe in step mode [s]."""
    energy_saving: bool = True
    """End requests for energy saving are obeyed."""
    catch_falls: bool | None = None
    """A robot that begins to fall plays the catch motion for that side, or goes soft where the library has none; None:
    only where the library has catch motions."""
    limp_falls: bool = False
    """All joints are off from the tick in which a fall is seen, as a robot falls that does nothing about it."""
    catch_motions: tuple[str, str, str, str] = ("catch_front", "catch_back", "catch_left", "catch_right")
    """Names of the catch motions for a fall to the front, back, left and right; left and right may stand in for each
    other, mirrored."""
    catch_tilt: Annotated[Angle, Field(gt=0.0, le=0.5 * math.pi)] = math.radians(25.0)
    """Lean of the torso, now or one horizon ahead, that counts as a fall, before the robot lies [rad]. A simulated NAO
    pushed 200 times near the edge (76 falls, seeds 0..199) leaned this far ahead 0.43 s before it was at 60 degrees
    (median; at least 0.38 s) and never without falling; 20 degrees gave 2 false alarms."""
    catch_horizon: Duration = 0.16
    """How far ahead the lean is looked at [s]."""
