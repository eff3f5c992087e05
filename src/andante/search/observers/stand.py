"""The observer `stand`: whether and when a lying robot stands, and nothing else, as soon as that is certain.

For searches and checks that ask for no other number: a trial of it is the shortest. What it tells is what `get-up` and
`rise` tell under the same names; they go on to see how the robot stands.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field

from andante.backends.backend import Backend
from andante.backends.mujoco_world import MujocoWorld
from andante.control.keyframes.engine import KeyframeEngine
from andante.documents.quantities import Duration, Seconds
from andante.robots.records import Command
from andante.runs.build import Parts
from andante.runs.scenario import Scenario
from andante.search.observers.body_watch import Watch
from andante.search.observers.get_up import GetUpKind, GetUpObserver
from andante.search.observers.rise import at_rest
from andante.search.observers.support import Support

_LIES = 0.4
"""A robot whose torso has been at rest for this long since its engine is done does not stand up any more [s]."""


class StandKind(GetUpKind):
    """Watches whether a robot that lies stands up by the keyframe engine."""

    place: ClassVar[str] = "observers.stand"
    tells: ClassVar[tuple[str, ...]] = ("stood", "first_try", "time", "tries")

    tries: Annotated[int, Field(ge=1)] = 1
    """A trial ends when as many tries are used up."""
    idle_limit: Duration = 0.6
    """A robot whose engine is done and that does not stand for this long has failed [s]."""
    hold: Duration = 1.0
    """A robot has stood that stands for this long, however it sways [s]."""
    sure: Annotated[Seconds, Field(gt=0.0)] = 0.05
    """A robot has stood that stands for this long with its capture point well within its soles [s]."""

    def observer(self, scenario: Scenario, parts: Parts) -> StandObserver:
        """An observer of one trial.

        Raises:
            SearchError: The controller is not the keyframe engine, or the world is not simulated.
        """
        engine, world = self.watched(parts)
        return StandObserver(self, world, engine)


class _Stance(Watch):
    """Looks at what a verdict needs and at nothing else."""

    def __init__(self, world: MujocoWorld) -> None:
        self._support = Support(world)
        self._base = world.data.qvel[:6]
        super().__init__(world)

    def begin(self) -> None:
        """Forget everything seen."""
        super().begin()
        self._world.on_solved = None
        self.still = 0
        """Ticks for which the engine has been done and the torso at rest."""

    def ask(self, command: Command) -> None:
        """Nothing: what is asked is not told."""

    def see(self) -> None:
        """See whether the torso is at rest."""
        x, y, z, *turning = self._base.tolist()
        self.still = self.still + 1 if at_rest(math.sqrt(x * x + y * y + z * z), max(map(abs, turning))) else 0

    @property
    def supported(self) -> bool:
        """Whether the capture point lies well within the soles now."""
        return self._support.holds(self._normal)


class StandObserver(GetUpObserver):
    """What is seen of one robot that shall stand."""

    def __init__(self, kind: StandKind, world: MujocoWorld, engine: KeyframeEngine) -> None:
        self._look = _Stance(world)
        self._sure, self._steady = kind.sure, 0
        super().__init__(kind, world, engine, self._look)

    def over(self, backend: Backend) -> bool:
        """Whether the verdict is certain."""
        engine, look = self._engine, self._look
        if not (engine.done or engine.failed or self._used_up):
            self._up = self._idle = None
            self._steady = look.still = 0
            return False
        if super().over(backend):
            return True
        if self._up is not None:
            self._steady = self._steady + 1 if look.supported else 0
            self.stood = self._steady * engine.period >= self._sure - 1e-9
            return self.stood
        self._steady = 0
        if engine.done and look.still * engine.period >= _LIES:
            self.stop("did not stand when all was done")
            return True
        return False

    def values(self) -> Mapping[str, Any]:
        """What came of it."""
        result = self.result()
        return {name: getattr(result, name) for name in StandKind.tells}
