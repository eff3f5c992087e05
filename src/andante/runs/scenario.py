"""Scenario: robot, world, controller, seed and success criteria of a run, as one document.

A scenario is complete: together with the files it names it decides every byte of a run in simulation. Rates stand where
they belong: the physics step in ``world.timestep``, the control period with the robot or the controller; `Schedule`
checks that they divide.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self
from unicodedata import combining, normalize

from pydantic import Field, field_validator, model_validator

from andante.backends.world import WorldConfig
from andante.control.guard_settings import GuardSettings
from andante.documents.part import Part
from andante.documents.quantities import Angle, Duration, Length, Number, Positive, Seconds
from andante.robots.register import ROBOTS
from andante.robots.robot import Robot
from andante.runs.backends.kind import WITH_TRUTH, BackendKind
from andante.runs.backends.mujoco import MujocoBackend
from andante.runs.backends.openr import OpenRVectors
from andante.runs.backends.registry import BACKENDS
from andante.runs.controls.kind import ControlKind, absolute
from andante.runs.controls.registry import CONTROLLERS
from andante.runs.evaluation.standing import Upright
from andante.runs.tasks.kind import TaskKind
from andante.runs.tasks.registry import TASKS
from andante.runs.tasks.steered.goal import SteeringGoal
from andante.runs.tasks.walk.goal import WalkCourse, WalkGoal

_LONGEST = 80
Name = Annotated[str, Field(pattern=r"^[a-zA-Z0-9][a-zA-Z0-9_.-]*$", max_length=_LONGEST)]
"""A name that can stand in a folder's name."""


def name_of(*words: str, usual: str) -> str:
    """Words of a user's, as of a file or a motion, as a legal `Name`: without accents, other characters as hyphens.

    Args:
        words: What the name is made of.
        usual: The name where nothing is left of them.
    """
    plain = normalize("NFKD", "-".join(words))
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "_.") else "-" for c in plain if not combining(c))
    return kept.strip("-_.")[:_LONGEST].strip("-_.") or usual


class DeclaredLimits(Part):
    """Limits of all joints in place of those that the robot's pack declares; see `andante.robots.declared`."""

    walker: bool = False
    """Declare servos, limits, ball feet and a standing posture for a robot from a bare file, by mass and leg length;
    see `andante.runs.tasks.walk.walker`."""
    torque: Positive | None = None
    """Torque limit [N m]; None: as declared."""
    speed: Positive | None = None
    """Speed limit [rad/s]; None: as declared."""
    tick: Duration | None = None
    """Period of the motion cycle [s]; None: as declared."""
    gains: str | None = None
    """Name of one of the robot's sets of servo gains; None: those of its servos."""
    delay_ticks: Annotated[int, Field(ge=0, le=1000)] | None = None
    """Ticks from a command until the servos act on it; None: as declared."""

    def declared_for(self, robot: Robot) -> Robot:
        """The robot with these limits.

        Raises:
            AndanteError: It has no such gains, or cannot be made a walker.
        """
        from andante.robots.declared import with_limits

        if self.walker:
            from andante.runs.tasks.walk.walker import as_walker

            robot = as_walker(robot)
        return with_limits(robot, **self.model_dump(exclude={"walker"}))

    @property
    def assumed(self) -> tuple[str, ...]:
        """Topics of the robot's sources that were declared or guessed for it."""
        return ("base", "held", "size", "masses", "inertias", "feet", "weak legs", "servos") if self.walker else ()


class FallRule(Part):
    """What counts as a fall, judged from ground truth only."""

    tilt: Annotated[Angle, Field(gt=0.0)] | None = 1.0471975511965976
    """Angle between the torso's up axis and the vertical above which the robot has fallen (60 deg); None: not looked
    at [rad]."""
    height: Annotated[Length, Field(gt=0.0)] | None = None
    """Height of the base above the floor below which the robot has fallen; None: not looked at [m]."""
    contact: bool = True
    """Anything but a foot touching the ground is a fall, unless a motion that is played may touch with it."""
    persistence: Annotated[Seconds, Field(ge=0.0)] = 0.05
    """A condition must hold this long without a gap to count [s]."""
    stop_after: Annotated[Seconds, Field(ge=0.0)] | None = None
    """The run ends so long after a fall by ``tilt`` or ``height``; None: it goes on [s]."""


class BallGoal(Part):
    """What must become of the ball."""

    min_reach: Annotated[Length, Field(gt=0.0)] | None = None
    """Smallest distance from its start to where it comes to rest; None: not looked at [m]."""
    direction: tuple[Angle, Angle] | None = None
    """Lowest and highest direction of its way, from x towards y; None: any [rad]."""
    max_speed_at_end: Annotated[Number, Field(gt=0.0)] | None = None
    """Largest speed at the end, for motions that catch it; None: any [m/s]."""


class Success(Part):
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
    """Largest torque over a joint's published effort (`peak_effort_ratio`); None: any."""
    max_tracking_error: Annotated[Angle, Field(gt=0.0)] | None = None
    """Largest root mean square tracking error over the joints that are on; None: any [rad]."""
    max_astray: Annotated[Angle, Field(gt=0.0)] | None = 0.3490658503988659
    """Largest distance of a joint from where a motion tells it to be that lasts for half a second (20 deg), by its true
    angle, or, on a robot, by the measured one; asked of motions that are played standing. None: any [rad]."""
    min_forward: Annotated[Length, Field(gt=0.0)] | None = None
    """Smallest way of the base along x from start to end; None: any [m]."""
    ball: BallGoal | None = None
    """What must become of the ball; None: not looked at."""
    walk: WalkGoal | None = None
    """What a walk over the world's terrain is asked for; None: not looked at."""
    steering: SteeringGoal | None = SteeringGoal()
    """How near a robot that is told how fast or how far to go has to come to that; None: not looked at."""
    posture_at_end: bool = True
    """A motion that says by its name or its document how it ends (standing, sitting, lying) ends so."""
    fall: FallRule = FallRule()
    """What counts as a fall."""
    upright: Upright = Upright()
    """What counts as standing."""


class Recording(Part):
    """What is kept of a run."""

    report: bool = True
    """Write the HTML report."""
    video: bool = False
    """Make a video; a missing graphics library or encoder is told, and the run still counts. The report replays the run
    in 3-D without one."""
    video_fps: Annotated[int, Field(ge=1, le=120)] = 15
    """Pictures per second of run time; without a graphics card each takes 15 to 25 ms of processor time."""
    video_size: tuple[Annotated[int, Field(ge=64, le=4096)], Annotated[int, Field(ge=64, le=4096)]] = (480, 360)
    """Width and height of the pictures [px]."""

    @model_validator(mode="after")
    def _even(self) -> Self:
        if any(side % 2 for side in self.video_size):
            raise ValueError("the sides of a video must be even numbers")
        return self


class CommandVectors(Part):
    """How commands reach an OPEN-R robot; see `andante.backends.openr`."""

    frames: Annotated[int, Field(ge=1, le=16)] = 4
    """Frames of 8 ms per command vector."""
    buffers: Annotated[int, Field(ge=2, le=64)] = 2
    """Buffers; joints move (buffers - 1) x frames ticks after the controller."""


class Scenario(Part):
    """A run, completely described."""

    format: Literal["andante.scenario"] = "andante.scenario"
    """Names the kind of document."""
    version: Literal[1] = 1
    """Version of this schema."""
    name: Name
    """Short name; the run's folder is called after it."""
    robot: str = "nao"
    """Shipped robot by name, or the path of a pack, MJCF, URDF or SDF, seen from the scenario's file."""
    limits: DeclaredLimits | None = None
    """Limits that this run declares for the robot; None: those of its pack."""
    controller: Annotated[ControlKind, CONTROLLERS]
    """What moves the robot."""
    backend: Annotated[BackendKind, BACKENDS] = MujocoBackend()
    """What is moved: a simulated world, or what an installed package brings."""
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
    tasks: Annotated[
        tuple[Annotated[TaskKind, TASKS], ...], Field(max_length=100, exclude_if=lambda tasks: not tasks)
    ] = ()
    """Tasks of installed packages that the run is measured and judged by, beside those that are found in it."""
    note: str = ""
    """Free text for people."""

    @field_validator("tasks")
    @classmethod
    def _one_of_a_kind(cls, tasks: tuple[TaskKind, ...]) -> tuple[TaskKind, ...]:
        types = [task.type for task in tasks]
        twice = next((each for each in types if types.count(each) > 1), None)
        if twice is not None:
            raise ValueError(
                f"two tasks of the kind {twice!r}: their numbers, criteria and pictures would stand in one place; "
                "let one task look at all of it"
            )
        return tasks

    @model_validator(mode="after")
    def _walk_needs_terrain(self) -> Self:
        if self.success.walk is not None and self.world.terrain is None:
            raise ValueError("success.walk needs a terrain in the world, with its start and its goal")
        return self

    def course(self) -> WalkCourse | None:
        """Load what a walk is asked for, and the terrain that it crosses; None: no walk is asked for.

        Raises:
            TerrainError: There is no such board, or the file cannot be used.
        """
        goal, choice = self.success.walk, self.world.terrain
        return None if goal is None or choice is None else WalkCourse.of(choice.load(), goal)

    @property
    def moved(self) -> BackendKind:
        """What is moved, behind its command vectors where there are any."""
        vectors = self.vectors
        return self.backend if vectors is None else OpenRVectors(**vectors.model_dump(), inner=self.backend)

    @property
    def sees_truth(self) -> bool:
        """Whether the controller sees what no robot measures.

        Raises:
            AndanteError: What it names cannot be read.
        """
        kind = self.controller
        return CONTROLLERS.ask(kind.type, "sees_truth", lambda: kind.sees_truth, bool)

    @property
    def evidence(self) -> str:
        """What a result of the run rests on, see `andante.runs.backends.kind.EVIDENCE`, and whether truth was seen.

        Raises:
            AndanteError: What the controller names cannot be read.
        """
        return self.moved.source + (WITH_TRUTH if self.sees_truth else "")

    @property
    def starts_lying(self) -> bool:
        """Whether the robot begins on the floor: it lies, or is told to get up from another posture than its stand."""
        start, kind = self.world.start, self.controller
        if start.lying is not None:
            return True
        turned = start.roll != 0.0 or start.pitch != 0.0
        elsewhere = turned or start.posture not in (None, "stand")
        return elsewhere and CONTROLLERS.ask(kind.type, "gets_up", lambda: kind.gets_up, bool)

    def to_its_feet(self) -> Scenario:
        """The same where it begins standing; one that begins lying asks the robot to stand at the end."""
        if not self.starts_lying:
            return self
        return self.model_copy(update={"success": self.success.model_copy(update={"stands_at_end": True})})

    def __repr__(self) -> str:
        lying = self.world.start.lying
        start = f", from lying {lying}" if lying else ""
        return f"<Scenario {self.name}: {self.robot}, {self.controller.type}{start}, seed {self.seed}>"

    __str__ = __repr__

    def anchored(self, folder: Path) -> Self:
        """The same with paths that exist in ``folder`` made absolute; names of shipped things stay."""
        kind = self.controller
        controller = CONTROLLERS.ask(kind.type, "anchored()", lambda: kind.anchored(folder), ControlKind)
        return self.model_copy(update={"robot": absolute(self.robot, folder, ROBOTS), "controller": controller})
