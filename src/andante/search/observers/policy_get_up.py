"""How a lying robot stands up by a learned policy: what the observer `get-up` tells of a controller without tries.

A policy knows neither tries nor an end. A try is a length of time here, and the robot stands where it stands for as
long as one that keyframes brought up has to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from andante.backends.backend import Backend
from andante.backends.mujoco_world import MujocoWorld
from andante.control.policies.controller import PolicyController
from andante.runs.loop.outcome import Ending
from andante.runs.loop.tick import Tick
from andante.search.experiment.observing import TrialObserver
from andante.search.observers.body_watch import Watch
from andante.search.observers.get_up_result import GetUp, Stop

_ROUNDING = 1e-9


class PolicyGetUpObserver(TrialObserver):
    """What is seen of one get-up by a policy, and when it ends.

    Args:
        world: The world.
        policy: The controller.
        hold: For how long it must stand [s].
        tries: How many tries it has.
        try_time: How long one is [s].
    """

    def __init__(self, world: MujocoWorld, policy: PolicyController, hold: float, tries: int, try_time: float) -> None:
        self._world, self._policy = world, policy
        self._hold, self._tries, self._try_time = hold, tries, try_time
        self._watch = Watch(world)
        self._stops: list[Stop] = []
        self._up: float | None = None
        self._stood = False

    def begin(self, backend: Backend) -> None:
        """Watch from the start."""
        self._watch.begin()

    def see(self, tick: Tick) -> None:
        """Look at what is asked for."""
        self._watch.ask(tick.command)

    def over(self, backend: Backend) -> bool:
        """Whether the robot stands for long enough, or its tries are used up."""
        time, watch = backend.time, self._watch
        watch.see()
        if not watch.stands:
            self._up = None
        elif self._up is None:
            self._up = time
        elif time - self._up >= self._hold - _ROUNDING:
            self._stood = True
            return True
        if self._policy.failed:
            self._stop("the policy gives no numbers")
            return True
        if self._up is None and time >= (len(self._stops) + 1) * self._try_time - _ROUNDING:
            self._stop(f"did not stand after {self._try_time:g} s")
        return len(self._stops) >= self._tries

    def ended(self, ending: Ending | None, reason: str = "") -> None:
        """Note what ended the trial from outside."""
        if ending is Ending.TIMEOUT:
            self._stop("time was over")
        elif ending is None:
            self._stood = False
            self._stop("the physics diverged")
        elif reason and not self._stood:
            self._stop(reason)

    def values(self) -> Mapping[str, Any]:
        """What came of it."""
        return self.result().data()

    def reasons(self) -> tuple[str, ...]:
        """Where tries ended, and why."""
        name = self._policy.policy.contract.name
        return tuple(f"{name} at {each.time:.2f} s: {each.why}" for each in self._stops)

    def result(self) -> GetUp:
        """What came of it."""
        name = self._policy.policy.contract.name
        time = self._up if self._stood and self._up is not None else self._world.time
        watched = self._watch.told(self._world)
        return GetUp(
            stood=self._stood,
            tries=len(self._stops) + int(self._stood),
            time=round(time, 6),
            motions=(name,),
            stops=tuple(self._stops),
            restarts=0,
            waited=0.0,
            **watched,
        )

    def _stop(self, why: str) -> None:
        name = self._policy.policy.contract.name
        self._stops.append(Stop(round(self._world.time, 6), name, 0, why, 0.0, 0.0))
