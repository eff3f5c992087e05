"""What a run of the keyframe engine may be told beside its library."""

from __future__ import annotations

import math
from dataclasses import dataclass

from andante.control.controller import ControlError


@dataclass(frozen=True)
class MotionRequest:
    """A motion that the engine is asked for."""

    motion: str | None
    """Name of the motion; None: get up, by whatever motion fits."""
    mirror: bool = False
    """Exchange left and right."""

    @property
    def get_up(self) -> bool:
        """Whether the robot is asked to get up."""
        return self.motion is None


@dataclass(frozen=True)
class EngineConfig:
    """Settings of the engine that do not belong to the motions."""

    delay_ticks: int | None = None
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
    clip_compensation: bool = True
    """A joint's correction ends at its full amount; False: it grows on, as the original's does."""
    start_speed_share: float = 1.0
    """Share of the joints' speed limits that the first keyframe from a measured posture may ask for; it is stretched
    otherwise."""
    stop_time: float = 0.25
    """Time to slow down to a standstill on request [s]."""
    get_up_after_break_up: bool = True
    """A robot that lies after a motion broke up gets up, where the library has a motion for it."""
    stand_motion: str = "stand"
    """Motion that leads from an upright posture to standing."""
    recover_motion: str = "recoverGeneric"
    """Motion that begins a get-up; its follow-ups choose how it goes on."""
    retry_duration: float = 2.0
    """Shortest duration of the first keyframe after a motion that is no get-up broke up [s]."""
    upright_tilt: float = math.radians(30.0)
    """Pitch and roll below which the robot counts as upright [rad]."""
    standing_sole_depth: float = 0.228
    """Soles farther below the torso than this mean stretched legs (the original's NAO figure) [m]."""

    def __post_init__(self) -> None:
        if self.delay_ticks is not None and self.delay_ticks < 1:
            raise ControlError("a delay in ticks is needed", place="engine.delay_ticks", value=self.delay_ticks)
        for name in ("start_speed_share", "stop_time", "retry_duration", "upright_tilt", "standing_sole_depth"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0.0):
                raise ControlError(
                    "an engine setting must be above 0", place=f"engine.{name}", value=value, limit="> 0"
                )
