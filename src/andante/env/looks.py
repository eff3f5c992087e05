"""Looks: what an environment makes of a moment: its observation, its reward, and whether the robot still stands."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.backends.backend import Backend
from andante.backends.mujoco_world import MujocoWorld
from andante.control.actions.acting import ActionRange
from andante.env.arguments import several
from andante.env.errors import EnvError
from andante.env.observations import OBSERVATIONS
from andante.env.rewards import REWARDS
from andante.env.terms import TRUE, ObservationTerm, RewardTerm, StepMoment, blind, who_reads
from andante.errors import AndanteError
from andante.plugins.raised import ASKED_TO_END, described
from andante.robots.records import Command, Record, Vector, read_only
from andante.robots.robot import Robot
from andante.runs.loop.actions import action_range
from andante.runs.session import Session

_ARRAY, _FLOAT = np.ndarray, np.dtype(np.float64)


@dataclass(frozen=True)
class TermPlace:
    """One part of an observation."""

    name: str
    """Name of its term."""
    unit: str
    """Unit of its numbers."""
    labels: tuple[str, ...]
    """One label per number."""
    place: slice
    """Where it lies in an observation."""


class Looks:
    """Reads the terms of an environment.

    Args:
        session: A session of the environment that has been started.
        observations: Observation terms, in order.
        rewards: Weights of reward terms.

    Raises:
        EnvError: There is no such term, a term is named twice, a weight is not finite, or nothing is observed.
    """

    def __init__(
        self, session: Session, observations: Sequence[str | ObservationTerm], rewards: Mapping[RewardTerm, float]
    ) -> None:
        robot, actions = session.backend.robot, action_range(session.controller)
        if actions is None:
            raise EnvError("this controller takes no actions", value=type(session.controller).__name__)
        self.actions: ActionRange = actions
        self._session, self._rest = session, robot.command()
        self._all = StepMoment(robot, actions, session.controller.period, self._truth)
        self._blind = blind(self._all)
        found = [_term_of(each) for each in several("observations", observations)]
        names = [term.name for term in found]
        twice = next((name for name in names if names.count(name) > 1), None)
        if not found or twice is not None:
            what = "an observation has at least one term" if not found else "a term is named twice"
            raise EnvError(what, place="observations", value=twice)
        places, start = [], 0
        for term in found:
            labels = _labels_of(term, robot, actions)
            places.append(TermPlace(term.name, term.unit, labels, slice(start, start + len(labels))))
            start += len(labels)
        self.terms = tuple(places)
        self.size = start
        reads = [(place, term, self._for(term.name)) for place, term in zip(places, found, strict=True)]
        self._reads = [
            (place, place.place, (len(place.labels),), term.read, moment)
            for place, term, moment in reads
            if not term.sensed
        ]
        # All that sensors tell is read at once; what it reads in the other places is written over.
        fields = robot.sensors_layout.slices
        self._sensed: NDArray[np.intp] = np.zeros(start, dtype=np.intp)
        for place, term, _ in reads:
            if term.sensed:
                field = fields.get(term.sensed)
                if field is None:
                    raise EnvError("sensors have no such field", place=term.name, value=term.sensed, legal=fields)
                if field.stop - field.start != len(place.labels):
                    what = "a term has one label for each number of its field"
                    limit = f"{field.stop - field.start} of {term.sensed}"
                    raise EnvError(what, place=term.name, value=len(place.labels), limit=limit)
                self._sensed[place.place] = np.arange(field.start, field.stop)
        self._rewards = [(term.name, term.read, self._for(term.name), weight) for term, weight in rewards.items()]
        # Terms of others see what the robot goes on with, and a slip such as `q -= default` would change it.
        own = [*(read for *_, read, _ in self._reads), *(read for _, read, _, _ in self._rewards)]
        self._lent = all(str(getattr(read, "__module__", "")).startswith("andante.") for read in own)
        # Few look at the truth: mostly one moment is told of each step.
        true = any(name.startswith(TRUE) for name in (*names, *(term.name for term in rewards)))
        self._qpos = _positions(session.backend)
        whole = true or self._qpos is None
        self._moments = (self._all, self._blind) if whole else (self._blind,)
        zeros = np.zeros(actions.size)
        self.turn_to(session, zeros, zeros)
        self.observation()

    def turn_to(self, session: Session, action: Vector, before: Vector, command: Command | None = None) -> None:
        """Look at a session as it is now, after ``action``, which came after ``before``, (na,) each."""
        if session is not self._session:
            self._session, self._qpos = session, _positions(session.backend)
        sensors, passed, time = session.sense(), self._rest if command is None else command, session.time
        if not self._lent:
            sensors, passed, action, before = sensors.shown(), passed.shown(), read_only(action), read_only(before)
        for moment in self._moments:
            moment.at(time, sensors, passed, action, before)

    def observation(self) -> Vector:
        """The observation of this moment, (size,).

        Raises:
            EnvError: A term gives another shape, or numbers that are not finite.
        """
        vector: Vector = self._blind.sensors.vector.take(self._sensed)
        for place, where, shape, read, moment in self._reads:
            try:
                found = read(moment)
                # What terms give mostly needs no second look.
                plain = type(found) is _ARRAY and found.dtype is _FLOAT and found.shape == shape
                vector[where] = found if plain else _numbers_of(found, shape[0])
            except (AndanteError, *ASKED_TO_END):
                raise
            except (TypeError, ValueError) as error:
                raise EnvError(
                    f"an observation term gives something else than its numbers: {error}",
                    place=who_reads(OBSERVATIONS, place.name),
                    limit=f"({shape[0]},)",
                ) from error
            # Code of others raises what it likes, and may want to end the program.
            except BaseException as error:
                who = who_reads(OBSERVATIONS, place.name)
                raise EnvError("an observation term failed", place=who, value=described(error)) from error
        if not math.isfinite(vector.dot(vector)) and not np.isfinite(vector).all():
            index = int(np.argmin(np.isfinite(vector)))
            place = next(each for each in self.terms if each.place.start <= index < each.place.stop)
            label = place.labels[index - place.place.start]
            raise EnvError(
                "an observation must be finite",
                place=f"{who_reads(OBSERVATIONS, place.name)} {label}".strip(),
                value=float(vector[index]),
            )
        return vector

    def reward(self) -> tuple[float, dict[str, float]]:
        """The reward of this moment, and what each term gives to it.

        Raises:
            EnvError: A term fails, or gives a number that is not finite.
        """
        parts, total = {}, 0.0
        for name, read, moment, weight in self._rewards:
            try:
                part = weight * float(read(moment))
            except (AndanteError, *ASKED_TO_END):
                raise
            except BaseException as error:
                place = f"rewards.{who_reads(REWARDS, name)}"
                raise EnvError("a reward term gives no number", place=place, value=described(error)) from error
            parts[name] = part
            total += part
        if not math.isfinite(total):
            name = next((each for each, part in parts.items() if not math.isfinite(part)), "their sum")
            place = f"rewards.{who_reads(REWARDS, name)}"
            raise EnvError("a reward must be finite", place=place, value=parts.get(name, total))
        return total, parts

    def upright(self) -> float:
        """Cosine of the torso's true tilt."""
        # A whole record of the truth takes ten times as long as these two numbers.
        qpos = self._all.truth["qpos"] if self._qpos is None else self._qpos
        x, y = qpos.item(4), qpos.item(5)
        return 1.0 - 2.0 * (x * x + y * y)

    def _for(self, name: str) -> StepMoment:
        return self._all if name.startswith(TRUE) else self._blind

    def _truth(self) -> Record:
        truth = self._session.backend.truth()
        if truth is None:
            raise EnvError("there is no ground truth here", value=type(self._session.backend).__name__)
        return truth


def _positions(backend: Backend) -> Vector | None:
    """MuJoCo's positions, (nq,), which it writes as time goes on; None in another world."""
    return backend.data.qpos if isinstance(backend, MujocoWorld) else None


def _term_of(given: object) -> ObservationTerm:
    if isinstance(given, ObservationTerm):
        return given
    if not isinstance(given, str):
        raise EnvError("is no observation term, and no name of one", place="observations", value=given)
    return OBSERVATIONS[given]


def _numbers_of(found: Any, count: int) -> Any:
    """What a term gives, if it is so many numbers; numpy would repeat one, and drop what is imaginary.

    Raises:
        TypeError: It is something else.
    """
    size = np.size(found)
    if found is None or size != count:
        raise TypeError("it gives None" if found is None else f"it gives {size} numbers in place of {count}")
    if np.iscomplexobj(found):
        raise TypeError("its numbers are complex")
    return found


def _labels_of(term: ObservationTerm, robot: Robot, actions: ActionRange) -> tuple[str, ...]:
    try:
        return tuple(str(each) for each in several("labels", term.labels(robot, actions)))
    except ASKED_TO_END:
        raise
    except BaseException as error:
        who = who_reads(OBSERVATIONS, term.name)
        raise EnvError("an observation term tells no labels", place=who, value=described(error)) from error
