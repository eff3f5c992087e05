"""Scenario: robot, world, controller, seed and success criteria of a run, as one document.

A scenario is complete: together with the files it names it decides every byte of a run in simulation. Rates stand where
they belong: the physics step in ``world.timestep``, the control period with the robot or the controller; `Schedule`
checks that they divide.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from andante.backends.world import WorldConfig
from andante.control.guard import GuardConfig
from andante.documents.quantities import Angle, Duration, Length, Number, Seconds
from andante.runs.controls.crawl import CrawlControl
from andante.runs.controls.crawl_or_trot import CrawlOrTrotControl
from andante.runs.controls.reactive_crawl import ReactiveCrawlControl
from andante.runs.controls.trot import TrotControl
from andante.runs.openr_control import OpenRControl
from andante.runs.walk.goal import WalkGoal

Positive = Annotated[Number, Field(gt=0.0)]
"""A finite number above zero."""
Name = Annotated[str, Field(pattern=r"^[a-zA-Z0-9][a-zA-Z0-9_.-]*$", max_length=80)]
"""A name that can stand in a folder's name."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class KeyframeControl(_Part):
    """The keyframe engine plays motions of a library, one after another."""

    type: Literal["keyframes"] = "keyframes"
    """Kind of controller."""
    library: str
    """Name of a shipped motion library, or the path of a file in any known format, seen from the scenario's file."""
    motions: Annotated[tuple[str, ...], Field(max_length=1000)] = ()
    """Motions in the order of playing; each begins when the one before is done. Give these or ``get_up``."""
    get_up: bool = False
    """Get up by whatever motion fits; done when the robot stands."""
    mirror: bool = False
    """Exchange left and right."""
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
    """A get-up's keyframe stands still while the hip yaw pitch lags behind."""
    tries: Annotated[int, Field(ge=1, le=100)] | None = None
    """Tries before the robot asks for help; None: as the library says."""

    @model_validator(mode="after")
    def _one_task(self) -> Self:
        if bool(self.motions) == self.get_up:
            raise ValueError("give either motions or get_up")
        return self


def _kind(value: object) -> str:
    """The kind of a controller; one that does not say plays keyframes."""
    kind = value.get("type", "keyframes") if isinstance(value, Mapping) else getattr(value, "type", "keyframes")
    return str(kind)


Control = Annotated[
    Annotated[KeyframeControl, Tag("keyframes")]
    | Annotated[OpenRControl, Tag("openr")]
    | Annotated[ReactiveCrawlControl, Tag("reactive-crawl")]
    | Annotated[CrawlControl, Tag("crawl")]
    | Annotated[TrotControl, Tag("trot")]
    | Annotated[CrawlOrTrotControl, Tag("crawl-or-trot")],
    Discriminator(_kind),
]
"""What moves a robot."""


class GuardSettings(_Part):
    """What the guard allows; see `andante.control.guard.GuardConfig`."""

    velocity_scale: Positive = 1.0
    """Share of the joints' speed limits that commands may use."""
    acceleration_scale: Positive = 1.0
    """Share of the joints' acceleration limits that commands may use."""
    gain_scale: Positive = GuardConfig.gain_scale
    """Cap of kp and kd as a multiple of the servo's gains at full stiffness."""
    stale_hold: Duration = GuardConfig.stale_hold
    """Sensor time may stand still this long before the posture is held [s]."""
    stale_limp: Duration = GuardConfig.stale_limp
    """Sensor time may stand still this long before all joints go off [s]."""
    fall: Literal["none", "soften"] = "none"
    """What happens when the torso tips over: nothing, or gains are lowered for ``fall_duration``."""
    fall_tilt: Angle = GuardConfig.fall_tilt
    """Tilt of the torso from upright that counts as falling [rad]."""
    fall_rearm: Angle = GuardConfig.fall_rearm
    """Tilt below which the fall reaction is armed again [rad]."""
    fall_gain: Annotated[Number, Field(ge=0.0, le=1.0)] = GuardConfig.fall_gain
    """Factor on kp and kd while falling."""
    fall_duration: Duration = GuardConfig.fall_duration
    """Time for which the gains stay lowered [s]."""

    def config(self) -> GuardConfig:
        """The guard's own configuration.

        Raises:
            ControlError: The settings contradict each other.
        """
        return GuardConfig(**self.model_dump())


class DeclaredLimits(_Part):
    """Limits of all joints in place of those that the robot's pack declares; see `andante.robots.declared`."""

    walker: bool = False
    """Declare servos, limits, ball feet and a standing posture for a robot from a bare file, by mass and leg length;
    see `andante.runs.walk.walker`."""
    torque: Positive | None = None
    """Torque limit [N m]; None: as declared."""
    speed: Positive | None = None
    """Speed limit [rad/s]; None: as declared."""
    tick: Duration | None = None
    """Period of the motion cycle [s]; None: as declared."""
    delay_ticks: Annotated[int, Field(ge=0, le=1000)] | None = None
    """Ticks from a command until the servos act on it; None: as declared."""


class FallRule(_Part):
    """What counts as a fall, judged from ground truth only."""

    tilt: Annotated[Angle, Field(gt=0.0)] | None = 1.0471975511965976
    """Angle between the torso's up axis and the vertical above which the robot has fallen (60 deg); None: not looked
    at [rad]."""
    height: Annotated[Length, Field(gt=0.0)] | None = None
    """Height of the base above the floor below which the robot has fallen; None: not looked at [m]."""
    contact: bool = True
    """Anything but a foot touching the ground is a fall."""
    persistence: Annotated[Seconds, Field(ge=0.0)] = 0.05
    """A condition must hold this long without a gap to count [s]."""
    stop_after: Annotated[Seconds, Field(ge=0.0)] | None = None
    """The run ends so long after a fall by ``tilt`` or ``height``; None: it goes on [s]."""


class Upright(_Part):
    """What counts as standing at the end."""

    tilt: Annotated[Angle, Field(gt=0.0)] = 0.2792526803190927
    """Largest angle between the torso's up axis and the vertical (16 deg) [rad]."""
    height: Annotated[Length, Field(gt=0.0)] | None = None
    """Smallest height of the base above the floor; None: ``height_share`` decides [m]."""
    height_share: Annotated[Number, Field(gt=0.0, le=1.0)] = 0.9
    """Smallest height of the base as a share of its height at the start (of its height in the posture ``stand`` for a
    robot that starts lying), where ``height`` is not given."""
    hold: Annotated[Seconds, Field(ge=0.0)] = 0.5
    """The last part of the run in which this must hold [s]."""


class BallGoal(_Part):
    """What must become of the ball."""

    min_reach: Annotated[Length, Field(gt=0.0)] | None = None
    """Smallest distance from its start to where it comes to rest; None: not looked at [m]."""
    direction: tuple[Angle, Angle] | None = None
    """Lowest and highest direction of its way, from x towards y; None: any [rad]."""
    max_speed_at_end: Annotated[Number, Field(gt=0.0)] | None = None
    """Largest speed at the end, for motions that catch it; None: any [m/s]."""


class Success(_Part):
    """When a run counts as a success; all that is asked must hold."""

    finishes: bool = True
    """The controller is done before the time limit."""
    no_fall: bool | None = None
    """The robot does not fall, see ``fall``; None: asked unless it starts lying."""
    stands_at_end: bool = False
    """The robot stands at the end, see ``upright``."""
    max_tilt: Annotated[Angle, Field(gt=0.0)] | None = None
    """Largest tilt of the torso during the run; None: any [rad]."""
    max_torque_ratio: Positive | None = None
    """Largest torque over a joint's published limit; None: any."""
    max_tracking_error: Annotated[Angle, Field(gt=0.0)] | None = None
    """Largest root mean square tracking error over the joints that are on; None: any [rad]."""
    min_forward: Annotated[Length, Field(gt=0.0)] | None = None
    """Smallest way of the base along x from start to end; None: any [m]."""
    ball: BallGoal | None = None
    """What must become of the ball; None: not looked at."""
    walk: WalkGoal | None = None
    """What a walk over the world's terrain is asked for; None: not looked at."""
    fall: FallRule = FallRule()
    """What counts as a fall."""
    upright: Upright = Upright()
    """What counts as standing."""


class Recording(_Part):
    """What is kept of a run."""

    report: bool = True
    """Write the HTML report."""
    video: bool = True
    """Make a video; a missing graphics library or encoder is told, and the run still counts."""
    video_fps: Annotated[int, Field(ge=1, le=120)] = 30
    """Pictures per second of run time."""
    video_size: tuple[Annotated[int, Field(ge=64, le=4096)], Annotated[int, Field(ge=64, le=4096)]] = (640, 480)
    """Width and height of the pictures [px]."""

    @model_validator(mode="after")
    def _even(self) -> Self:
        if any(side % 2 for side in self.video_size):
            raise ValueError("the sides of a video must be even numbers")
        return self


class CommandVectors(_Part):
    """How commands reach an OPEN-R robot; see `andante.backends.openr`."""

    frames: Annotated[int, Field(ge=1, le=16)] = 4
    """Frames of 8 ms per command vector."""
    buffers: Annotated[int, Field(ge=2, le=64)] = 2
    """Buffers; joints move (buffers - 1) x frames ticks after the controller."""


class Scenario(_Part):
    """A run, completely described."""

    format: Literal["andante.scenario"] = "andante.scenario"
    """Names the kind of document."""
    version: Literal[1] = 1
    """Version of this schema."""
    name: Name
    """Short name; the run's folder is called after it."""
    robot: str = "nao"
    """Shipped robot by name, or the path of a pack, MJCF or URDF, seen from the scenario's file."""
    limits: DeclaredLimits | None = None
    """Limits that this run declares for the robot; None: those of its pack."""
    controller: Control
    """What moves the robot."""
    world: WorldConfig = WorldConfig()
    """Floor, physics, start, noise, pushes."""
    vectors: CommandVectors | None = None
    """Commands reach the joints in OPEN-R command vectors; None: each at its tick."""
    guard: GuardSettings = GuardSettings()
    """What the guard allows."""
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    """Decides everything random."""
    timeout: Annotated[Duration, Field(le=3600.0)] = 60.0
    """Longest time of the run [s]."""
    settle: Annotated[Seconds, Field(ge=0.0, le=600.0)] = 1.0
    """Time that the run goes on after the controller is done [s]."""
    success: Success = Success()
    """When the run counts as a success."""
    recording: Recording = Recording()
    """What is kept."""
    note: str = ""
    """Free text for people."""

    @model_validator(mode="after")
    def _walk_needs_terrain(self) -> Self:
        if self.success.walk is not None and self.world.terrain is None:
            raise ValueError("success.walk needs a terrain in the world, with its start and its goal")
        return self

    @property
    def starts_lying(self) -> bool:
        """Whether the robot begins on the floor."""
        return self.world.start.lying is not None
