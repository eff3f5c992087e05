"""The observer `fall`: how hard trunk and head of a robot that is pushed over hit the floor, and when it stands again.

Impacts are ground truth: in each physics step the sum of the normal forces between the floor and all shapes of a part.
They count for the same time after the push however the fall is met: a fall that is put off is none that is prevented.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

from andante.backends.backend import Backend
from andante.backends.mujoco_world import MujocoWorld
from andante.control.keyframes.engine import FALLS, KeyframeEngine
from andante.robots.records import Record
from andante.runs.build import Parts
from andante.runs.evaluation.standing import Standing
from andante.runs.loop.outcome import Ending
from andante.runs.loop.tick import Tick
from andante.runs.scenario import Scenario
from andante.search.errors import SearchError
from andante.search.experiment.observing import ObserverKind, TrialObserver

BLOW = 0.3
"""Time from the first touch in which the force's time integral counts; later it is but the robot's weight [s]."""
WATCHED = 8.0
"""Time after the push in which impacts count [s]; most robots stand again by then."""
HOLD = 2.0
"""How long the robot must stand afterwards [s]."""
WAITED = 30.0
"""Longest time from the push to standing [s]."""
_FALLEN = 0.5
"""Height of the unit vector along the torso's axis below which the robot has fallen (60 degrees)."""


class FallKind(ObserverKind):
    """Watches a robot of the keyframe engine that is pushed over, in physics."""

    place: ClassVar[str] = "observers.fall"
    tells: ClassVar[tuple[str, ...]] = ("fell", "seen", "hit", "peak", "momentum", "stood", "stands_again")

    waits: bool = True
    """Whether it is waited for that the robot stands again by itself."""

    def observer(self, scenario: Scenario, parts: Parts) -> FallObserver:
        """An observer of one trial.

        Raises:
            SearchError: The controller is not the keyframe engine, the world is not simulated, or nobody pushes.
        """
        if not isinstance(parts.controller, KeyframeEngine) or not isinstance(parts.backend, MujocoWorld):
            value = f"{type(parts.controller).__name__} in {type(parts.backend).__name__}"
            raise SearchError("falls are watched of the keyframe engine in simulation", place=self.place, value=value)
        if not scenario.world.pushes:
            raise SearchError("falls are watched after a push", place="world.pushes", value=())
        return FallObserver(parts.backend, parts.controller, scenario.world.pushes[0].time, self.waits)


class FallObserver(TrialObserver):
    """What is seen of one push, and when it ends."""

    def __init__(self, world: MujocoWorld, engine: KeyframeEngine, push_at: float, waits: bool) -> None:
        self._world, self._engine, self._push_at, self._waits = world, engine, push_at, waits
        self._standing = Standing.of(world.robot)
        names = next(each.labels for each in world.truth_layout.fields if each.name == "impact")
        self._fell = False
        self._seen: float | None = None
        self._hit: float | None = None
        self._again: float | None = None
        self._stands_since: float | None = None
        self._peak, self._momentum = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)

    @property
    def _since(self) -> float:
        return self._world.time - self._push_at

    def see(self, tick: Tick) -> None:
        """Note when the engine sees a fall."""
        if self._seen is None and self._since >= 0.0 and any(event.kind in FALLS for event in tick.events):
            self._seen = self._since

    def over(self, backend: Backend) -> bool:
        """Look at the ground truth; whether nothing more is of interest."""
        self._look(self._world.truth())
        if self._since < WATCHED:
            return False
        met = self._fell or self._seen is not None
        return not (self._waits and met) or self._engine.failed or self._again is not None or self._since >= WAITED

    def _look(self, truth: Record) -> None:
        since = self._since
        up = math.cos(float(truth["pitch"][0])) * math.cos(float(truth["roll"][0]))
        self._fell = self._fell or up < _FALLEN
        if 0.0 <= since < WATCHED:
            self._count(since, truth)
        stands = self._engine.done and self._standing.holds(up, float(truth["base_height"][0]))
        if not (stands and self._seen is not None):
            self._stands_since = None
        elif self._stands_since is None:
            self._stands_since = since
        elif since - self._stands_since >= HOLD:
            self._again = self._stands_since

    def _count(self, since: float, truth: Record) -> None:
        for name, force, momentum in zip(self._peak, truth["impact"], truth["impulse"], strict=True):
            if force > 0.0 and self._hit is None:
                self._hit = since
            self._peak[name] = max(self._peak[name], float(force))
            if self._hit is not None and since - self._hit < BLOW:
                self._momentum[name] += float(momentum)

    def ended(self, ending: Ending | None, reason: str = "") -> None:
        """A robot stands no more where the physics diverged."""
        if ending is None:
            self._again = None

    def values(self) -> Mapping[str, Any]:
        """Whether it fell; time from the push's begin until the engine saw a fall, until trunk or head touched the
        floor, and until it stood for good [s]; by part, and of either and both, the largest force [N] and its time
        integral over the blow [N s]."""
        peak, momentum = (
            {**each, "either": max(each.values()), "both": sum(each.values())} for each in (self._peak, self._momentum)
        )
        times = {"seen": self._seen, "hit": self._hit, "stands_again": self._again if self._waits else None}
        stood = None if self._seen is None else times["stands_again"] is not None
        return {"fell": self._fell, "peak": peak, "momentum": momentum, "stood": stood, **times}
