"""The observer `get-up`: how a lying robot stands up: tries, where they end, times, torques, touching itself.

A trial ends when the robot stands for good, when its tries are used up, or when nothing more will come. A learned
policy knows neither tries nor an end: a try is a length of time there, and the robot stands where it stands for as long
as one that keyframes brought up has to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from andante.backends.backend import Backend
from andante.backends.mujoco_world import MujocoWorld
from andante.control.controller import ControlEvent, Controller
from andante.control.events import EventKind
from andante.control.keyframes.engine import FALLS, KeyframeEngine
from andante.control.keyframes.states import EngineState
from andante.documents.quantities import Duration
from andante.runs.build import Parts
from andante.runs.loop.outcome import Ending
from andante.runs.loop.tick import Tick
from andante.runs.scenario import Scenario
from andante.search.errors import SearchError
from andante.search.experiment.observing import ObserverKind, TrialObserver
from andante.search.observers.body_watch import Watch
from andante.search.observers.get_up_result import GetUp, Stop

if TYPE_CHECKING:
    from andante.control.policies.controller import PolicyController

_ROUNDING = 1e-9


class GetUpKind(ObserverKind):
    """Watches a robot that lies stand up by the keyframe engine, or by a learned policy."""

    place: ClassVar[str] = "observers.get-up"
    tells: ClassVar[tuple[str, ...]] = (*GetUp.__dataclass_fields__, "first_try", "stood_at")

    tries: Annotated[int, Field(ge=1)] = 3
    """A trial ends when as many tries are used up."""
    hold: Duration = 2.0
    """The robot must stand this long [s]."""
    idle_limit: Duration = 3.0
    """A robot whose engine is done and that does not stand for this long has failed [s]."""
    try_time: Duration = 10.0
    """How long a try of a controller lasts that knows no tries, as a learned policy [s]."""

    def observer(self, scenario: Scenario, parts: Parts) -> TrialObserver:
        """An observer of one trial.

        Raises:
            SearchError: The world is not simulated, or the controller has parts that decide in turn.
        """
        if isinstance(parts.backend, MujocoWorld) and not isinstance(parts.controller, KeyframeEngine):
            # Contracts of policies are many models, and most get-ups are motions.
            from andante.control.policies.controller import PolicyController

            if isinstance(parts.controller, PolicyController):
                return PolicyGetUpObserver(self, parts.backend, parts.controller)
        engine, world = self.watched(parts)
        return GetUpObserver(self, world, engine)

    def watched(self, parts: Parts) -> tuple[KeyframeEngine, MujocoWorld]:
        """The engine and the world of a trial.

        Raises:
            SearchError: The controller is not the keyframe engine, or the world is not simulated.
        """
        if not isinstance(parts.controller, KeyframeEngine) or not isinstance(parts.backend, MujocoWorld):
            value = f"{type(parts.controller).__name__} in {type(parts.backend).__name__}"
            raise SearchError("get-ups are watched of the keyframe engine in simulation", place=self.place, value=value)
        return parts.controller, parts.backend


class RecoveryObserver(TrialObserver):
    """What is seen of a get-up whatever brings it about."""

    def __init__(self, kind: GetUpKind, world: MujocoWorld, controller: Controller, watch: Watch | None = None) -> None:
        self._setup, self._world, self._period = kind, world, controller.period
        self._watch = Watch(world) if watch is None else watch
        self._place = ("", 0)
        self._motions: list[str] = []
        self._stops: list[Stop] = []
        self._restarts = 0
        self._waits = 0
        self._up: float | None = None
        self.stood = False
        """The robot stood before time or tries were used up."""

    def begin(self, backend: Backend) -> None:
        """Watch from the start."""
        self._watch.begin()

    def stop(self, why: str, pitch: float = 0.0, roll: float = 0.0) -> None:
        """Note where and why a try ended."""
        self._stops.append(Stop(round(self._world.time, 6), *self._place, why, pitch, roll))

    def ended(self, ending: Ending | None, reason: str = "") -> None:
        """Note what ended the trial from outside."""
        if ending is Ending.TIMEOUT:
            self.stop("time was over")
        elif ending is None:
            self.stood = False
            self.stop("the physics diverged")

    def values(self) -> Mapping[str, Any]:
        """What came of it."""
        return self.result().data()

    def result(self) -> GetUp:
        """What came of it."""
        stood = self.stood
        return GetUp(
            stood=stood,
            tries=len(self._stops) + int(stood),
            time=round(self._up if stood and self._up is not None else self._world.time, 6),
            motions=tuple(self._motions),
            stops=tuple(self._stops),
            restarts=self._restarts,
            waited=round(self._waits * self._period, 6),
            **self._watch.told(self._world),
        )


class GetUpObserver(RecoveryObserver):
    """What is seen of one get-up by the keyframe engine, and when it ends."""

    def __init__(self, kind: GetUpKind, world: MujocoWorld, engine: KeyframeEngine, watch: Watch | None = None) -> None:
        super().__init__(kind, world, engine, watch)
        self._engine = engine
        self._try_motions: set[str] = set()
        self._used_up = False
        self._why = ""
        self._idle: float | None = None

    def see(self, tick: Tick) -> None:
        """Follow the engine."""
        self._used_up = self._follow(tick.events)
        self._watch.ask(tick.command)
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
        elif time - self._up >= setup.hold - _ROUNDING:
            self.stood = True
            return True
        if engine.failed:
            self.stop(f"asked for help: {self._why}" if self._why else "asked for help")
            return True
        return False

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
            elif event.kind in FALLS:
                self.stop(event.text, float(data["pitch"]), float(data["roll"]))
                self._try_motions.clear()
                if len(self._stops) >= self._setup.tries:
                    return True
        return False

    def reasons(self) -> tuple[str, ...]:
        """Where tries ended, and why."""
        return tuple(f"{each.block}[{each.keyframe}] at {each.time:.2f} s: {each.why}" for each in self._stops)


class PolicyGetUpObserver(RecoveryObserver):
    """What is seen of one get-up by a policy, and when it ends."""

    def __init__(self, kind: GetUpKind, world: MujocoWorld, policy: PolicyController) -> None:
        super().__init__(kind, world, policy)
        self._policy, self._name = policy, policy.policy.contract.name
        self._place, self._motions = (self._name, 0), [self._name]

    def see(self, tick: Tick) -> None:
        """Look at what is asked for."""
        self._watch.ask(tick.command)

    def over(self, backend: Backend) -> bool:
        """Whether the robot stands for long enough, or its tries are used up."""
        setup, time, watch = self._setup, backend.time, self._watch
        watch.see()
        if not watch.stands:
            self._up = None
        elif self._up is None:
            self._up = time
        elif time - self._up >= setup.hold - _ROUNDING:
            self.stood = True
            return True
        if self._policy.failed:
            self.stop("the policy gives no numbers")
            return True
        if self._up is None and time >= (len(self._stops) + 1) * setup.try_time - _ROUNDING:
            self.stop(f"did not stand after {setup.try_time:g} s")
        return len(self._stops) >= setup.tries

    def ended(self, ending: Ending | None, reason: str = "") -> None:
        """Note what ended the trial from outside."""
        super().ended(ending, reason)
        if ending not in (None, Ending.TIMEOUT) and reason and not self.stood:
            self.stop(reason)

    def reasons(self) -> tuple[str, ...]:
        """Where tries ended, and why."""
        return tuple(f"{self._name} at {each.time:.2f} s: {each.why}" for each in self._stops)
