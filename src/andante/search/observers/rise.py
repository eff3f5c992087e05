"""The observer `rise`: how near a lying robot came to standing up: a height by which searches climb, at little cost.

Whether it stood is told as by the observer `get-up`, of which this is a quick sibling: it does not look at touches.
Heights are shares of the height at which the robot stands; upright is the cosine of the torso's tilt, at least 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from andante.backends.backend import Backend
from andante.backends.mujoco_world import MujocoWorld
from andante.control.keyframes.engine import KeyframeEngine
from andante.documents.quantities import Duration, Length, Seconds
from andante.robots.records import Command
from andante.runs.build import Parts
from andante.runs.evaluation.standing import standing_height
from andante.runs.scenario import Scenario
from andante.search.observers.body_watch import Watch
from andante.search.observers.get_up import GetUpKind, GetUpObserver
from andante.search.observers.rise_kernels import SEEN, see_rise
from andante.search.observers.support import Support

_TAIL, _LATE = 0.5, 0.3
"""Ends of a trial whose mean height, and whose mean speed of the joints, are told [s]."""
_RESTS, _TURNS = 0.04, 0.15
"""A torso that is slower is at rest [m/s, rad/s]."""


class RiseKind(GetUpKind):
    """Watches how far a robot that lies comes up, by the keyframe engine."""

    place: ClassVar[str] = "observers.rise"
    tells: ClassVar[tuple[str, ...]] = (
        *(
            "stood",
            "first_try",
            "time",
            "tries",
            "tail",
            "best",
            "mean",
            "held",
            "flat",
            "airborne",
            "late",
            "prone",
            "near",
        ),
        *("torque", "saturated", "speed", "blow"),
    )

    tries: Annotated[int, Field(ge=1)] = 1
    """A trial ends when as many tries are used up."""
    idle_limit: Duration = 0.6
    """A robot whose engine is done and that does not stand for this long has failed [s]."""
    hold: Duration = 1.0
    """The robot must stand this long [s]."""
    airborne: Length = 0.12
    """A foot counts as in the air above this height [m]."""
    rest: Annotated[Seconds, Field(gt=0.0)] | None = 0.4
    """A trial ends early, with the verdict that it would have had, when the engine is done and the torso has been at
    rest for this long, or the robot has stood so long with its capture point well within its soles; None: never [s]."""

    def observer(self, scenario: Scenario, parts: Parts) -> RiseObserver:
        """An observer of one trial.

        Raises:
            SearchError: The controller is not the keyframe engine, or the world is not simulated.
        """
        engine, world = self.watched(parts)
        return RiseObserver(self, world, engine)


class _Look(Watch):
    """Looks at heights once per tick, and at nothing that needs the contacts."""

    def __init__(self, world: MujocoWorld, airborne: float) -> None:
        self._high = airborne
        self._tall = max(standing_height(world.robot), 1e-3)
        feet = world.robot.feet
        self._feet = np.array([world.model.site(foot.site).id for foot in feet], dtype=np.intp)
        self._radii = np.array([foot.radius for foot in feet])
        self._seen = np.zeros(SEEN)
        self._support = Support(world)
        self._base = world.model.body(world.robot.base_body).id
        super().__init__(world)

    def begin(self) -> None:
        """Forget everything seen."""
        super().begin()
        self._world.on_solved = None
        self.rows: list[tuple[float, float, float, float, float, bool]] = []
        """Height, upright, flatness of the feet, their height, speed of the joints, standing: one row per tick."""
        self.still = 0
        """Ticks for which the torso has been at rest."""
        self.steady = 0
        """Ticks for which the robot has stood with its capture point well within its soles."""
        self.blow = 0.0
        """Largest change of the base's velocity from tick to tick [m/s]: how hard the trunk is hit."""
        self.prone = 0.0
        """How far the base's front has looked down, 1 where the robot lies on it."""
        self.near = 0.0
        """How near the centre of mass has come to the feet while these were down: 1 over them, 0 a height away."""
        self._velocity: list[float] | None = None

    def ask(self, command: Command) -> None:
        """Nothing: what is asked is not told."""

    def see(self) -> None:
        """Look at the world as it is now."""
        data, normal, seen = self._data, self._normal, self._seen
        self.ticks += 1
        see_rise.now(
            data.actuator_force,
            self._per_torque,
            data.qvel,
            self._dofs,
            self._per_speed,
            self._position,
            self._matrix,
            normal,
            data.site_xpos,
            data.site_xmat,
            self._feet,
            self._radii,
            seen,
        )
        torque, full, fastest, speeds, height, up, flat, high, slow, turn, down = seen.tolist()
        self.torque, self.speed = max(self.torque, torque), max(self.speed, fastest)
        self.saturated += int(full)
        self.prone = max(self.prone, down)
        if high <= self._high:
            x, y, _ = data.subtree_com[self._base].tolist()
            places = [data.site_xpos[site].tolist() for site in self._feet]
            away = math.hypot(
                x - sum(place[0] for place in places) / len(places),
                y - sum(place[1] for place in places) / len(places),
            )
            self.near = max(self.near, 1.0 - away / self._tall)
        velocity = data.qvel[:3].tolist()
        if self._velocity is not None:
            self.blow = max(self.blow, math.dist(velocity, self._velocity))
        self._velocity = velocity
        self.still = self.still + 1 if at_rest(slow, turn) else 0
        stands = self._standing.holds(float(self._matrix[8]), height)
        self.steady = self.steady + 1 if stands and self._support.holds(normal) else 0
        self.rows.append((height / self._tall, max(up, 0.0), flat, high, speeds, stands))


class RiseObserver(GetUpObserver):
    """What is seen of one rise."""

    def __init__(self, kind: RiseKind, world: MujocoWorld, engine: KeyframeEngine) -> None:
        self._look = _Look(world, kind.airborne)
        self._airborne, self._rest = kind.airborne, kind.rest
        super().__init__(kind, world, engine, self._look)

    def over(self, backend: Backend) -> bool:
        """Whether the verdict is certain."""
        if super().over(backend):
            return True
        rest, engine, look = self._rest, self._engine, self._look
        if rest is None or not engine.done:
            return False
        if self._up is not None and look.steady * engine.period >= rest and backend.time - self._up >= rest - 1e-9:
            self.stood = True
            return True
        if look.still * engine.period < rest:
            return False
        if self._up is None:
            self.stop("did not stand when all was done")
            return True
        # It has stood while it was at rest, not only since a moment ago.
        self.stood = backend.time - self._up >= rest - 1e-9
        return self.stood

    def values(self) -> Mapping[str, Any]:
        """What came of it: 0 for what needs a longer trial."""
        rows = np.array(self._look.rows or [(0.0, 0.0, 0.0, 0.0, 0.0, False)])
        height, up, flat, high, speed, stands = rows.T
        period = self._engine.period
        tail, late = max(1, round(_TAIL / period)), max(1, round(_LATE / period))
        half = len(rows) // 2
        told = self.result().data() | {
            "tail": float((height * up**2)[-tail:].mean()),
            "best": float((height * up).max()),
            "mean": float(height.mean()),
            "held": 1.0 if self.stood else min(float(stands[-tail:].mean()), 1.0),
            "flat": float((flat**4 * np.minimum(height, 1.0))[half:].mean()),
            "airborne": float((high > self._airborne).mean()),
            "late": min(float(speed[-late:].mean()), 1.0),
            "prone": self._look.prone,
            "near": self._look.near,
            "blow": self._look.blow,
        }
        return {name: told[name] for name in RiseKind.tells}


def at_rest(speed: float, turning: float) -> bool:
    """Whether a torso is at rest that moves so fast [m/s] and turns about an axis so fast [rad/s]."""
    return speed < _RESTS and turning < _TURNS
