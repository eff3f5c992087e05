"""One get-up in memory: a lying robot, the keyframe engine, and what came of it. No files, no log."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from andante.backends.backend import Backend, DivergenceError
from andante.backends.fault import Fault
from andante.backends.mujoco_world import MujocoWorld
from andante.control.controller import ControlEvent, Controller
from andante.control.events import EventKind
from andante.control.guard import Guard
from andante.control.keyframes.configuration import KeyframeEngineSettings, MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.states import EngineState
from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot
from andante.runs.loop.outcome import Ending, Limits
from andante.runs.loop.runner import run
from andante.runs.loop.tick import Observer, Tick
from andante.runs.motion_libraries import load_motions
from andante.runs.session import Session
from andante.search.suites.getup_spread import Spread, StartName, drawn, world_config
from andante.search.suites.getup_watch import Watch

_TRY_ENDS = (EventKind.BREAK_UP, EventKind.FALL)


@dataclass(frozen=True)
class Setup:
    """What all trials of a cell share; picklable."""

    library: str
    """Motion library: a shipped name or a file."""
    start: StartName
    """How the robot lies."""
    spread: Spread
    """Where the seed's world is drawn from."""
    engine: KeyframeEngineSettings = field(default_factory=KeyframeEngineSettings)
    """Settings of the engine, ablations among them."""
    faults: tuple[Fault, ...] = ()
    """What goes wrong."""
    robot: str = "nao"
    """The robot."""
    tries: int = 3
    """A trial ends when as many tries are used up."""
    time_limit: float = 30.0
    """A trial ends after this time [s]."""
    hold: float = 2.0
    """The robot must stand this long [s]."""
    idle_limit: float = 3.0
    """A robot whose engine is done and that does not stand for this long has failed [s]."""
    ask_again: bool = True
    """A trial with a restart is run again without branches, to know whether the restart was needed."""


@dataclass(frozen=True)
class Stop:
    """Where a try ended: the cause of a failure."""

    time: float
    """When [s]."""
    block: str
    """Block under way."""
    keyframe: int
    """Index of its keyframe."""
    why: str
    """What the engine said, or how the trial ended."""
    pitch: float
    """Torso pitch [rad]."""
    roll: float
    """Torso roll [rad]."""


@dataclass(frozen=True)
class GetUp:
    """One trial's outcome; every number is decided by setup and seed."""

    seed: int
    """Seed."""
    stood: bool
    """The robot stood in the end and stayed so."""
    tries: int
    """Tries begun."""
    time: float
    """Begin of standing, counted from the start of the recovery; time of the end where it did not stand [s]."""
    motions: tuple[str, ...]
    """Motions in order."""
    stops: tuple[Stop, ...]
    """Where tries ended."""
    restarts: int
    """Restarts within a try: a branch replaced the motion, or a motion began a second time."""
    needless: bool | None
    """The restart was not needed: without branches the same robot stands at its first try; None: no restart."""
    torque: float
    """Peak motor torque over its rated limit."""
    saturated: float
    """Share of motor-ticks at the limit."""
    speed: float
    """Peak joint speed over its limit."""
    touching: float
    """Share of the time in which the robot touches itself."""
    hardest: float
    """Hardest touch of two own shapes [N]."""
    waited: float = 0.0
    """Time spent waiting for keyframes' conditions [s]."""
    touches: dict[str, int] = field(default_factory=dict)
    """Ticks per pair of own shapes that touch."""
    lean: float = 0.0
    """Angle between the torso's axis and the floor's normal at the end [rad]."""

    @property
    def first_try(self) -> bool:
        """Whether it stood at the first try."""
        return self.stood and self.tries == 1


@lru_cache(maxsize=4)
def robot_for(name: str) -> Robot:
    """The robot of this name or path, read once per process."""
    return Robot.load(name)


@lru_cache(maxsize=8)
def library_for(name: str) -> MotionLibrary:
    """The library of this name or path, read once per process."""
    return load_motions(name)


@lru_cache(maxsize=8)
def _engine(robot: str, library: str, config: KeyframeEngineSettings) -> KeyframeEngine:
    return KeyframeEngine(robot_for(robot), library_for(library), MotionRequest(None), config)


@lru_cache(maxsize=16)
def _world(robot: str, start: StartName, spread: Spread, carpet: bool, faults: tuple[Fault, ...]) -> MujocoWorld:
    config = world_config(spread, start, carpet)
    return MujocoWorld(robot_for(robot), config.model_copy(update={"faults": faults}))


def run_trial(setup: Setup, seed: int, library: MotionLibrary | None = None) -> GetUp:
    """Run one seed.

    Args:
        setup: What is tried.
        seed: Decides the world and the lying posture.
        library: Motions in place of the setup's, for searches.

    Raises:
        AndanteError: The setup cannot be run.
    """
    result = _once(setup, seed, library or library_for(setup.library))
    if not (result.restarts and setup.ask_again):
        return result
    again = replace(setup, engine=setup.engine.changed(branches=False), tries=1, ask_again=False)
    return replace(result, needless=_once(again, seed, library or library_for(setup.library)).first_try)


def _once(setup: Setup, seed: int, library: MotionLibrary) -> GetUp:
    robot, spread = robot_for(setup.robot), setup.spread
    strength, carpet = drawn(spread, seed)
    world = _world(setup.robot, setup.start, spread, carpet, setup.faults)
    engine = _engine(setup.robot, setup.library, setup.engine) if library is library_for(setup.library) else None
    if engine is None:
        engine = KeyframeEngine(robot, library, MotionRequest(None), setup.engine)
    trial = _Trial(setup, world, engine, strength)
    ending = ending_of(world, engine, Limits(setup.time_limit, until_timeout=True), trial, seed)
    if ending is Ending.TIMEOUT:
        trial.stop("time was over")
    elif ending is None:
        trial.stood = False
        trial.stop("the physics diverged")
    return trial.result(seed)


def ending_of(world: MujocoWorld, controller: Controller, limits: Limits, trial: Observer, seed: int) -> Ending | None:
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


class _Trial(Observer):
    """What is seen of one trial, and when it ends."""

    def __init__(self, setup: Setup, world: MujocoWorld, engine: KeyframeEngine, strength: float) -> None:
        self._setup, self._world, self._engine, self._strength = setup, world, engine, strength
        self._watch = Watch(world)
        self._place = ("", 0)
        self._motions: list[str] = []
        self._stops: list[Stop] = []
        self._try_motions: set[str] = set()
        self._restarts = 0
        self._waits = 0
        self._used_up = False
        self._why = ""
        self._idle: float | None = None
        self._up: float | None = None
        self.stood = False
        """The robot stood before time or tries were used up."""

    def begin(self, backend: Backend) -> None:
        """All servos are as strong as drawn."""
        self._world.servos.set_strength(np.full(self._world.model.nu, self._strength))
        self._watch.begin()

    def see(self, tick: Tick) -> None:
        """Follow the engine."""
        self._used_up = self._follow(tick.events)
        self._waits += self._engine.state is EngineState.WAITING

    def over(self, backend: Backend) -> bool:
        """Whether the robot stands for long enough, or nothing more will come."""
        setup, time, engine = self._setup, backend.time, self._engine
        self._watch.see()
        if self._used_up:
            return True
        if not engine.done:
            self._up = self._idle = None
        elif not self._watch.stands:
            self._up, self._idle = None, time if self._idle is None else self._idle
            if time - self._idle >= setup.idle_limit:
                self.stop("did not stand when all was done")
                return True
        elif self._up is None:
            self._up, self._idle = time, None
        elif time - self._up >= setup.hold - 1e-9:
            self.stood = True
            return True
        if engine.failed:
            self.stop(f"asked for help: {self._why}" if self._why else "asked for help")
            return True
        return False

    def stop(self, why: str, pitch: float = 0.0, roll: float = 0.0) -> None:
        """Note where and why a try ended."""
        self._stops.append(Stop(round(self._world.time, 6), *self._place, why, pitch, roll))

    def _follow(self, events: list[ControlEvent]) -> bool:
        """Follow the engine's events; whether all tries are used up."""
        for event in events:
            data = event.data
            if event.kind is EventKind.KEYFRAME:
                self._place = (str(data["block"]), int(data["keyframe"]))
            elif event.kind is EventKind.MOTION:
                name = str(data["motion"])
                self._restarts += name in self._try_motions or name.startswith("restart")
                self._motions.append(name)
                self._try_motions.add(name)
            elif event.kind is EventKind.HELP:
                self._why = str(data.get("why", ""))
            elif event.kind in _TRY_ENDS:
                self.stop(event.text, float(data["pitch"]), float(data["roll"]))
                self._try_motions.clear()
                if len(self._stops) >= self._setup.tries:
                    return True
        return False

    def result(self, seed: int) -> GetUp:
        """What came of it."""
        stood = self.stood
        watch, ticks = self._watch, max(self._watch.ticks, 1)
        return GetUp(
            seed=seed,
            stood=stood,
            tries=len(self._stops) + int(stood),
            time=round(self._up if stood and self._up is not None else self._world.time, 6),
            motions=tuple(self._motions),
            stops=tuple(self._stops),
            restarts=self._restarts,
            needless=None,
            torque=watch.torque,
            saturated=watch.saturated / (ticks * self._world.model.nu),
            speed=watch.speed,
            touching=watch.touching / ticks,
            hardest=watch.hardest,
            waited=round(self._waits * self._engine.period, 6),
            touches=dict(sorted(watch.pairs.items())),
            lean=round(watch.lean, 6),
        )
