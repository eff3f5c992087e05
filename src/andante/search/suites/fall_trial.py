"""One push: a standing robot is pushed over, and meets the fall in one of several ways.

The ways see the same world and the same push. `Way.ENGINE` is what library and engine do about a fall; `Way.LIMP`
switches all joints off in the very tick in which the engine sees the fall, so that both know equally much; `Way.STIFF`
holds the standing posture. Impacts are ground truth: in each physics step the sum of the normal forces between the
floor and all shapes of the trunk, and of the head. They count for the same time after the push in every way, so that
the engine's falls include the get-up: a fall that is put off is none that is prevented. Seat, legs and arms are not
counted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

import numpy as np

from andante.backends.backend import Backend, DivergenceError
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Push, SensorNoise, Solver, Start, WorldConfig
from andante.control.controller import ControlEvent, Controller
from andante.control.events import EventKind
from andante.control.guard import Guard
from andante.control.keyframes.configuration import KeyframeEngineSettings, MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.motions.library import MotionLibrary
from andante.robots.records import Command, Record, Sensors
from andante.robots.robot import Robot
from andante.runs.evaluation.standing import Standing
from andante.runs.loop.outcome import Ending, RunLimits
from andante.runs.loop.runner import run
from andante.runs.loop.tick import Observer, Tick
from andante.runs.motion_libraries import load_motions
from andante.runs.session import Session
from andante.search.observers.spread import Spread

_STREAM = 7202
"""Keeps the draws of pushes apart from the world's, which come from the same seed."""
PUSH_AT = (1.2, 1.6)
"""When the push begins; the robot stands still by then [s]."""
PUSH_DURATION = (0.05, 0.2)
"""How long it lasts [s]."""
IMPULSE = (4.5, 9.0)
"""Strength of the push [N s]; 4.5 tips a robot that only holds its posture, 9 is another NAO that runs into it at
1.7 m/s."""
HEIGHT = (-0.05, 0.15)
"""Where it hits, above the torso's origin [m]."""
YAW = math.radians(20.0)
"""Its direction is off by up to this [rad]."""
BLOW = 0.3
"""Time from the first touch in which the force's time integral counts; later it is but the robot's weight [s]."""
WATCHED = 8.0
"""Time after the push in which impacts count [s]; most robots stand again by then."""
HOLD = 2.0
"""How long the robot must stand afterwards [s]."""
_FALLEN = 0.5
"""Height of the unit vector along the torso's axis below which the robot has fallen (60 degrees)."""


class Way(StrEnum):
    """How the fall is met."""

    ENGINE = "engine"
    LIMP = "limp"
    STIFF = "stiff"


class Direction(StrEnum):
    """Where the robot is pushed to."""

    FORWARD = "forward"
    BACKWARD = "backward"


@dataclass(frozen=True)
class PushSetup:
    """What all trials of one direction and way share; picklable."""

    library: str
    """Motion library: a shipped name or a file."""
    direction: Direction
    """Where the robot is pushed to."""
    way: Way
    """How the fall is met."""
    spread: Spread
    """Where friction, strength, delay and noise of the seed's world are drawn from."""
    contact_time: float = Solver().contact_time
    """Time constant of the contacts [s]: peak forces depend on it, so what is claimed must hold for others too."""
    robot: str = "nao"
    """The robot."""
    engine: KeyframeEngineSettings = field(default_factory=lambda: KeyframeEngineSettings(catch_falls=True))
    """Settings of the engine."""
    time_limit: float = 30.0
    """Longest time from the push to standing [s]."""


@dataclass(frozen=True)
class FallResult:
    """What came of one push."""

    direction: Direction
    """Where the robot was pushed to."""
    seed: int
    """Its seed."""
    way: Way
    """How the fall was met."""
    impulse: float
    """Strength of the push [N s]."""
    fell: bool
    """The robot fell."""
    seen: float | None
    """Time from the push's begin until the engine saw a fall [s]; None: it saw none."""
    hit: float | None
    """Time from the push's begin until trunk or head touched the floor [s]; None: neither did."""
    peak: dict[str, float]
    """Largest force between floor and trunk or head [N]."""
    momentum: dict[str, float]
    """Time integral of that force over the blow, `BLOW` [N s]."""
    stands_again: float | None
    """Time from the push's begin until the robot stood for good after the fall was seen [s]; None: it did not, or
    nobody waited for it."""


def run_push(pushed: PushSetup, seed: int, library: MotionLibrary | None = None) -> FallResult:
    """Run one seed.

    Args:
        pushed: What is tried.
        seed: Decides world and push.
        library: Motions in place of the named library's, for searches.

    Raises:
        AndanteError: Library, robot and world do not fit.
    """
    robot = robot_for(pushed.robot)
    config, impulse, strength = _world(pushed, seed)
    push_at = config.pushes[0].time
    world = MujocoWorld(robot, config)
    settings = KeyframeEngineSettings(catch_falls=False, break_up=False) if pushed.way is Way.STIFF else pushed.engine
    engine = KeyframeEngine(
        robot, library or library_for(pushed.library), MotionRequest(settings.stand_motion), settings
    )
    controller = _Limp(engine, push_at) if pushed.way is Way.LIMP else engine
    trial = _Trial(pushed, world, engine, push_at, strength)
    limits = RunLimits(push_at + WATCHED + pushed.time_limit, until_timeout=True)
    if ending_of(world, controller, limits, trial, seed) is None:
        trial.stands_again = None
    return FallResult(
        pushed.direction,
        seed,
        pushed.way,
        impulse,
        trial.fell,
        trial.seen,
        trial.hit,
        trial.peak,
        trial.momentum,
        trial.stands_again,
    )


def _sees_fall(event: ControlEvent) -> bool:
    return event.kind in (EventKind.FALL, EventKind.BREAK_UP)


@lru_cache(maxsize=4)
def robot_for(name: str) -> Robot:
    """The robot of this name or path, read once per process."""
    return Robot.load(name)


@lru_cache(maxsize=8)
def library_for(name: str) -> MotionLibrary:
    """The library of this name or path, read once per process."""
    return load_motions(name)


def ending_of(
    world: MujocoWorld, controller: Controller, limits: RunLimits, trial: Observer, seed: int
) -> Ending | None:
    """Run a trial and tell how it ended; None: the physics diverged."""
    guard = Guard(world.robot, controller.period)
    try:
        outcome = run(Session(world, controller, guard, limits=limits, observers=(trial,), seed=seed))
    except DivergenceError:
        return None
    if outcome.ending is Ending.INTERRUPTED:
        # The runner ends such a run in good order; the bench that it belongs to ends too.
        raise KeyboardInterrupt
    return outcome.ending


class _Limp:
    """Does what an engine does until that sees a fall after the push; from that very tick on all joints are off."""

    def __init__(self, engine: KeyframeEngine, push_at: float) -> None:
        self._engine, self._push_at = engine, push_at
        self.period = engine.period
        self.reset()

    @property
    def done(self) -> bool:
        """Whether the engine is done."""
        return self._engine.done

    @property
    def telemetry(self) -> Record | None:
        """What the engine tells."""
        return self._engine.telemetry

    def reset(self) -> None:
        """Forget everything."""
        self._engine.reset()
        self._limp, self._events = False, list[ControlEvent]()

    def step(self, sensors: Sensors) -> Command:
        """The engine's command, or that all joints are off."""
        command = self._engine.step(sensors)
        events = self._engine.take_events()
        self._events += events
        self._limp = self._limp or (sensors.time >= self._push_at and any(map(_sees_fall, events)))
        return Command(command.layout) if self._limp else command

    def take_events(self) -> list[ControlEvent]:
        """What the engine told."""
        taken, self._events = self._events, []
        return taken


class _Trial(Observer):
    """What is seen of one push, and when it ends."""

    def __init__(
        self, pushed: PushSetup, world: MujocoWorld, engine: KeyframeEngine, push_at: float, strength: float
    ) -> None:
        self._pushed, self._world, self._engine = pushed, world, engine
        self._push_at, self._strength = push_at, strength
        self._standing = Standing.of(world.robot)
        names = next(each.labels for each in world.truth_layout.fields if each.name == "impact")
        self.fell = False
        self.seen: float | None = None
        self.hit: float | None = None
        self.stands_again: float | None = None
        self._stands_since: float | None = None
        self.peak = dict.fromkeys(names, 0.0)
        self.momentum = dict.fromkeys(names, 0.0)

    @property
    def _since(self) -> float:
        return self._world.time - self._push_at

    def begin(self, backend: Backend) -> None:
        """All servos are as strong as drawn."""
        self._world.servos.set_strength(np.full(self._world.model.nu, self._strength))

    def see(self, tick: Tick) -> None:
        """Note when the engine sees a fall."""
        if self.seen is None and self._since >= 0.0 and any(map(_sees_fall, tick.events)):
            self.seen = self._since

    def over(self, backend: Backend) -> bool:
        """Look at the ground truth; whether nothing more is of interest."""
        self._look(self._world.truth())
        return not self._goes_on()

    def _goes_on(self) -> bool:
        if self._since < WATCHED:
            return True
        met = self.fell or self.seen is not None
        if self._pushed.way is not Way.ENGINE or not met or self._engine.failed:
            return False
        return self.stands_again is None and self._since < self._pushed.time_limit

    def _look(self, truth: Record) -> None:
        since = self._since
        up = math.cos(float(truth["pitch"][0])) * math.cos(float(truth["roll"][0]))
        self.fell = self.fell or up < _FALLEN
        if 0.0 <= since < WATCHED:
            self._count(since, truth)
        stands = self._engine.done and self._standing.holds(up, float(truth["base_height"][0]))
        if not (stands and self.seen is not None):
            self._stands_since = None
        elif self._stands_since is None:
            self._stands_since = since
        elif since - self._stands_since >= HOLD:
            self.stands_again = self._stands_since

    def _count(self, since: float, truth: Record) -> None:
        for name, force, momentum in zip(self.peak, truth["impact"], truth["impulse"], strict=True):
            if force > 0.0 and self.hit is None:
                self.hit = since
            self.peak[name] = max(self.peak[name], float(force))
            if self.hit is not None and since - self.hit < BLOW:
                self.momentum[name] += float(momentum)


def _world(pushed: PushSetup, seed: int) -> tuple[WorldConfig, float, float]:
    """The world of a seed with its push, the push's strength [N s] and the servos'; the same for all ways."""
    spread = pushed.spread
    rng = np.random.default_rng((seed, _STREAM, list(Direction).index(pushed.direction)))
    time, duration = float(rng.uniform(*PUSH_AT)), float(rng.uniform(*PUSH_DURATION))
    impulse, height = float(rng.uniform(*IMPULSE)), float(rng.uniform(*HEIGHT))
    yaw = float(rng.uniform(-YAW, YAW)) + (0.0 if pushed.direction is Direction.FORWARD else math.pi)
    strength = float(rng.uniform(*spread.strength))
    values = spread.values
    force = (impulse * math.cos(yaw), impulse * math.sin(yaw), 0.0)
    config = WorldConfig(
        friction=values["friction"],
        command_delay=values["command_delay"],
        start=Start(posture="stand"),
        noise=SensorNoise.model_validate(values["noise"]),
        backlash=values["backlash"],
        solver=Solver(contact_time=pushed.contact_time),
        pushes=(Push(time=time, duration=duration, impulse=force, point=(0.0, 0.0, height)),),
    )
    return config, impulse, strength
