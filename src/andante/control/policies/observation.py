"""Observation: what the network sees, assembled from terms: delay, offset, scale, clip and history of each."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from andante.control.policies.contract import (
    HEIGHTS,
    JOINT_TERMS,
    OF_VALUES,
    ObservedTerm,
    PolicyContract,
    PolicyError,
    bounds_of,
    complete_terms,
    numbers_of,
    refuse_beyond,
    refuse_length,
)
from andante.control.policies.readers.names import ISAAC_TERMS
from andante.control.policies.terms import POLICY_TERMS, PolicyMoment, PolicyTerm, Sight
from andante.control.sensor_parts import NEEDED
from andante.plugins.register import SHIPPED
from andante.robots.records import Vector, read_only
from andante.robots.robot import Robot

_WHOLE = 1e-6
"""A time counts as a whole number of ticks where it is off by less than this share of one."""
ROUNDED = 2e-3
"""The same of the time between two calls: rates are published as 83.3 or 333 Hz."""


class _Source:
    """One term, bound to a robot.

    Args:
        term: What it is.
        said: What the contract says of it.
        sight: What it looks at.
        offset: What is taken off, (n,).
        tick: Period of the robot [s].
        place: Where the contract says it, for messages.
    """

    def __init__(
        self, term: PolicyTerm, said: ObservedTerm, sight: Sight, offset: Vector, tick: float, place: str
    ) -> None:
        self.term, self.sight, self._offset = term, sight, offset
        self._others = POLICY_TERMS.source(term.name) not in (SHIPPED, "")
        self._full = int(term.size(sight))
        self._pick = None if said.pick is None else np.array(said.pick, dtype=np.intp)
        self.size = self._full if self._pick is None else len(self._pick)
        self._scale = numbers_of(said.scale, self.size, f"{place}.scale", OF_VALUES)
        self._low, self._high = bounds_of(said.clip, self.size, f"{place}.clip", "each value has bounds of its own")
        self._late = ticks_of(said.delay or 0.0, tick, f"{place}.delay")
        self._time = said.over or 0.0
        self._over = ticks_of(self._time, tick, f"{place}.over")
        self._if_negative = said.if_negative
        self.history = said.history or 1
        self._zeros = said.before == "zeros"
        self._newest_first, self._interleaved = said.order == "newest-first", said.interleaved is True
        self._place = place
        self.reset()

    def reset(self) -> None:
        """Forget all values."""
        self._raw: deque[Vector] = deque(maxlen=self._late + self._over + 1)
        self._seen: deque[Vector] = deque(maxlen=self.history)
        self._looks = 0

    def look(self, moment: PolicyMoment) -> None:
        """Take this tick's values; the first stand for all before."""
        moment.sight = self.sight
        value = self._of_others(moment) if self._others else np.array(self.term.read(moment), dtype=np.float64).ravel()
        if value.shape != (self._full,):
            raise PolicyError(
                f"the term {self.term.name!r} has another size than it said",
                place=self._place,
                value=value.size,
                limit=str(self._full),
            )
        if self._pick is not None:
            value = value[self._pick]
        if self._if_negative is not None:
            value = np.where(value < 0.0, self._if_negative, value)
        if not self._raw:
            self._raw.extend([value] * (self._late + self._over))
        self._raw.append(value)
        self._looks += 1

    def _of_others(self, moment: PolicyMoment) -> Vector:
        """What a term that is not Andante's gives; what it is shown others go on with, and is read-only.

        Raises:
            PluginError: It raised.
            PolicyError: It gave a number that is not finite.
        """
        shown = replace(
            moment,
            sensors=moment.sensors.shown(),
            command=read_only(moment.command),
            last_action=read_only(moment.last_action),
            target=read_only(moment.target),
        )
        with POLICY_TERMS.blame(self.term.name, ticks=True):
            value = np.array(self.term.read(shown), dtype=np.float64).ravel()
        if not np.isfinite(value).all():
            number = int(np.argmin(np.isfinite(value)))
            what = f"the term {self.term.name!r} gives a number that is not finite"
            raise PolicyError(what, place=f"{self._place}, number {number}", value=float(value[number]))
        return value

    def values(self) -> Vector:
        """What the network sees of it now, (size x history,)."""
        raw = self._raw[0]
        if self._over:
            # How far the values came until they were as late as they are seen.
            raw = (self._raw[self._over] - raw) / self._time
        value = np.clip(self._scale * (raw - self._offset), self._low, self._high)
        if self._zeros and self._looks <= self._late:
            value = np.zeros(self.size)
        if not self._seen:
            self._seen.extend([np.zeros(self.size) if self._zeros else value] * (self.history - 1))
        self._seen.append(value)
        if self.history == 1:
            return np.asarray(value)
        rows = np.array(list(reversed(self._seen)) if self._newest_first else self._seen)
        return (rows.T if self._interleaved else rows).ravel()


class Observation:
    """All terms of a contract, in its order.

    Args:
        contract: Says the terms; complete.
        robot: The robot.
        joints: Where the policy's joints are in the robot's, (n,).
        actions: How many numbers the network gives.
        place: Where the contract stands, for messages.

    Raises:
        PolicyError: A term cannot be had, or does not fit the robot.
        AndanteError: There is no such term.
    """

    def __init__(
        self, contract: PolicyContract, robot: Robot, joints: Sequence[int], actions: int, place: str = "policy"
    ) -> None:
        self._sources = [
            _bind(term, f"{place}.observations[{number}]", contract, robot, joints, actions)
            for number, term in enumerate(complete_terms(contract))
        ]
        self.parts = tuple((source.term.name, source.size * source.history) for source in self._sources)
        """Names of the terms and how many numbers each has, history included."""
        self.size = sum(size for _, size in self.parts)
        """How many numbers the network sees."""
        self.needs = NEEDED.union(*(source.term.needs for source in self._sources))
        """Sensors that the terms need."""

    def reset(self) -> None:
        """Forget all values."""
        for source in self._sources:
            source.reset()

    def look(self, moment: PolicyMoment) -> None:
        """Take this tick's values."""
        for source in self._sources:
            source.look(moment)

    def vector(self) -> Vector:
        """What the network sees now, (size,)."""
        return np.concatenate([source.values() for source in self._sources])

    def places(self, numbers: Sequence[int]) -> NDArray[np.intp]:
        """Where the values of terms by number stand in `vector`."""
        ends = np.cumsum([0, *(size for _, size in self.parts)])
        return np.concatenate([np.arange(ends[number], ends[number + 1]) for number in numbers])


def ticks_of(time: float, tick: float, place: str, within: float = _WHOLE) -> int:
    """How many ticks a time is.

    Args:
        time: The time [s].
        tick: Motion cycle of the robot [s].
        place: Where it stands, for messages.
        within: Share of it by which it may be off.

    Raises:
        PolicyError: It is no whole number of them.
    """
    count = round(time / tick)
    if abs(count - time / tick) > within * max(count, 1):
        raise PolicyError(
            "a time is no whole number of the robot's motion cycles",
            place=place,
            value=f"{time:g} s",
            limit=f"a multiple of {tick:g} s",
            remedy="let the run declare a cycle of which all times are multiples, by --tick or limits: {tick: ...} in"
            " a scenario" + (f", as {time:g}" if within > _WHOLE else ""),
        )
    return count


def _bind(
    said: ObservedTerm, place: str, contract: PolicyContract, robot: Robot, own: Sequence[int], actions: int
) -> _Source:
    if said.name not in POLICY_TERMS:
        meant = ISAAC_TERMS.get(said.name, {}).get("name", "")
        what = "there is no such observation term of policies"
        raise PolicyError(what, place=place, value=said.name, legal=POLICY_TERMS, meant=meant)
    term = POLICY_TERMS[said.name]
    if term.refused:
        raise PolicyError(f"the policy sees {said.name}: {term.refused}", place=place, value=said.name)
    joint_term = term.name in JOINT_TERMS
    if said.joints is not None and not joint_term:
        raise PolicyError("only a term of joints names joints", place=f"{place}.joints", value=term.name)
    names = said.joints if said.joints is not None else contract.joints or ()
    joints = np.array([robot.index(name) for name in names] if joint_term and said.joints else own, dtype=np.intp)
    if said.over is not None and round(said.over / robot.tick) < 1:
        raise PolicyError(
            "a change is seen over a tick at least",
            place=f"{place}.over",
            value=said.over,
            limit=f">= {robot.tick:g} s",
        )
    if said.name not in HEIGHTS and (said.site is not None or said.above is not None):
        raise PolicyError("only a term of heights names sites", place=f"{place}.site", value=said.name)
    if term.truth and not contract.ground_truth:
        raise PolicyError(
            f"the policy sees {said.name}: no robot measures it; it is ground truth",
            place=place,
            value=said.name,
            remedy="say so: ground_truth: true; such a policy runs in simulation only",
        )
    sight = Sight(
        robot,
        joints,
        said.frame or "imu",
        actions,
        said.site or "",
        _above(said, robot, place),
        _waves(said, place),
        None if contract.gait is None else contract.gait.standing,
        said.values or (),
        _anchor(said, contract, robot),
    )
    size = int(term.size(sight))
    pick = range(size) if said.pick is None else said.pick
    refuse_beyond(pick, size, f"{place}.pick", "the term has no such value")
    if said.offset == "default":
        offset = _offset(said, contract, names, size, place)[list(pick)]
    else:
        offset = numbers_of(said.offset, len(pick), f"{place}.offset", OF_VALUES)
    return _Source(term, said, sight, offset, robot.tick, place)


def _waves(said: ObservedTerm, place: str) -> tuple[tuple[str, float], ...]:
    """What is seen of the gait's phase: cosine or sine, and how far ahead."""
    for field, value, name in (("waves", said.waves or said.ahead, "gait_phase"), ("values", said.values, "constant")):
        if value is not None and said.name != name:
            raise PolicyError(f"only a term {name} has {field}", place=f"{place}.{field}", value=said.name)
    waves = said.waves or ("cos", "sin")
    ahead = said.ahead or (0.0,) * len(waves)
    refuse_length(len(ahead), len(waves), f"{place}.ahead", "each wave is ahead by a number of its own")
    return tuple(zip(waves, ahead, strict=True))


def _anchor(said: ObservedTerm, contract: PolicyContract, robot: Robot) -> str:
    """Body of the robot that a motion's turn is compared with; empty where the term compares none."""
    motion = contract.motion
    if said.name != "motion_orientation" or motion is None or motion.anchor is None:
        return ""
    bodies = [robot.model.body(number).name for number in range(1, robot.model.nbody)]
    if motion.anchor not in bodies:
        what = f"robot {robot.name!r} has no such body"
        raise PolicyError(what, place="motion.anchor", value=motion.anchor, legal=bodies)
    return motion.anchor


def _above(said: ObservedTerm, robot: Robot, place: str) -> tuple[str, ...]:
    """Sites over which the height of a term counts; those that the robot lacks are refused."""
    if said.name not in HEIGHTS:
        return ()
    above = said.above or tuple(foot.site for foot in robot.feet)
    if not above:
        raise PolicyError(
            "a robot without feet needs sites that heights count from", place=f"{place}.above", value=robot.name
        )
    model = robot.model
    known = {model.site(i).name for i in range(model.nsite)} | {model.body(i).name for i in range(1, model.nbody)}
    for field, names in (("site", (said.site or "",)), ("above", above)):
        for name in names:
            if name not in known:
                raise PolicyError(
                    f"robot {robot.name!r} has no such site or body",
                    place=f"{place}.{field}",
                    value=name,
                    legal=sorted(known - {""}),
                )
    return above


def _offset(said: ObservedTerm, contract: PolicyContract, names: Sequence[str], size: int, place: str) -> Vector:
    """What is taken off the values of a term by the default posture, (size,)."""
    if said.name != "joint_position":
        if said.name == "joint_velocity":
            # A default posture stands still.
            return np.zeros(size)
        raise PolicyError(
            "only joint angles are relative to the default posture", place=f"{place}.offset", value=said.name
        )
    joints = contract.joints or ()
    default = dict(zip(joints, numbers_of(contract.default_posture, len(joints), "default_posture"), strict=True))
    unknown = [name for name in names if name not in default]
    if unknown:
        raise PolicyError(
            "a joint has no angle in the default posture", place=f"{place}.joints", value=unknown[0], legal=default
        )
    return np.array([default[name] for name in names])
