"""Explain: where two engines part ways in one trial, and which link was pressed differently before.

An engine that tells no forces is explained by heights and joints alone.

The first difference of contacts says nothing: even MuJoCo's own settings differ there in a quarter of all ticks. So the
trial is run again as asked, by every twin and by the judge. Looked for is the first moment at which the judge's torso
is three times as far away as the farthest twin's.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.backends.backend import Backend, DivergenceError
from andante.backends.mujoco_world import MujocoWorld
from andante.control.events import EventKind
from andante.robots.records import Vector
from andante.runs.build import build
from andante.runs.execute import session_of
from andante.runs.loop.runner import run
from andante.runs.loop.tick import Observer, Tick
from andante.search.experiment.cases import groups_of
from andante.search.experiment.document import Experiment
from andante.search.experiment.trial import TrialSetup, beginning
from andante.search.judging.judges import Judge, judges_named
from andante.search.judging.judging import HERE, JUDGE, Opinion, others_of, with_judges

_FACTOR = 3.0
"""The judge must be so many times as far away as the farthest twin."""
_LEAST = (0.03, 0.01)
"""Smallest differences that count: angle of the torso [rad], place of the torso [m]."""
_BEFORE = 0.2
"""Time before the parting in which impulses are compared [s]."""
_FAR = 1e6
"""What is farther away, or no number, has diverged and counts as so far away [m]."""
_MOST = 3
"""Differences that are explained."""


@dataclass(frozen=True)
class TrialCourse:
    """One run of a trial, tick by tick."""

    times: Vector
    """(n,) [s]."""
    torso: Vector
    """Pitch, roll and place of the torso, (n, 5) [rad, m]."""
    forces: Vector | None
    """Size of the contact force on each body in the step solved last, (n, nbody) [N]; None: nobody tells."""
    bodies: tuple[str, ...]
    """Names of the bodies."""
    places: tuple[str, ...]
    """Motion, block and keyframe that plays, (n,); empty where no keyframe engine plays."""
    angles: Vector | None = None
    """Joint angles, (n, nj) [rad]; None: not taken down."""
    joints: tuple[str, ...] = ()
    """Names of the joints."""


class _TrialCourses(Observer):
    """Takes down one run."""

    def __init__(self, world: MujocoWorld) -> None:
        self._world = world
        self.rows: list[tuple[float, NDArray[np.float64], NDArray[np.float64], str, NDArray[np.float64]]] = []
        self._place = ""
        self._forces = np.zeros(world.model.nbody)
        self._joints = [int(world.model.joint(name).qposadr[0]) for name in world.robot.joint_names]

    def begin(self, backend: Backend) -> None:
        """Nothing is known yet."""
        self.rows.clear()
        # Forces are read before the next contacts are looked for: then they are those of other contacts.
        self._world.on_solved = self._feel

    def see(self, tick: Tick) -> None:
        """Take down where the torso is and what presses."""
        world = self._world
        truth = world.truth()
        base = world.data.xpos[world.model.body(world.robot.base_body).id]
        torso = np.array([truth["pitch"][0], truth["roll"][0], *base])
        for event in tick.events:
            if event.kind in (EventKind.MOTION, EventKind.KEYFRAME):
                self._place = event.text or self._place
        self.rows.append((tick.time, torso, self._forces, self._place, world.data.qpos[self._joints]))

    def _feel(self) -> None:
        """Sum up the contact forces of the step that was just solved."""
        sizes = [0.0] * len(self._forces)
        for one, other, force in self._world.contact_forces():
            # In each part of a tick: numpy's norm of three numbers took a sixth of a judge's run.
            size = math.sqrt(force.dot(force))
            sizes[one] += size
            sizes[other] += size
        self._forces = np.array(sizes)


def course_of(setup: TrialSetup, seed: int) -> TrialCourse:
    """Run a trial and take down its course; it ends where the physics diverges.

    Raises:
        AndanteError: The trial cannot be run, or is no simulated world.
    """
    scenario, drawn = setup.scenario(seed)
    parts = build(scenario)
    world = parts.backend
    if not isinstance(world, MujocoWorld):
        return TrialCourse(np.zeros(0), np.zeros((0, 5)), np.zeros((0, 0)), (), ())
    kept = _TrialCourses(world)
    # What diverges has its course until then, of numbers that may be beyond all bounds.
    with contextlib.suppress(DivergenceError), np.errstate(over="ignore", invalid="ignore"):
        run(session_of(scenario, parts, observers=[*beginning(drawn, parts), kept]))
    names = tuple(world.model.body(i).name for i in range(world.model.nbody))
    times, torsos, forces, places, angles = zip(*kept.rows, strict=True)
    felt = np.array(forces) if world.knows_forces else None
    joints = tuple(world.robot.joint_names)
    return TrialCourse(np.array(times), np.array(torsos), felt, names, tuple(places), np.array(angles), joints)


@dataclass(frozen=True)
class Parting:
    """Where the judge's run leaves the one as asked."""

    time: float
    """Moment [s]."""
    body: str
    """Link whose contact impulse differs most in the time before; empty where an engine tells none."""
    impulses: tuple[float, float]
    """Its impulse as asked and by the judge in that time [N s]."""
    place: str
    """What was played."""
    heights: tuple[float, float] = (0.0, 0.0)
    """Height of the torso as asked and by the judge [m]."""
    joint: str = ""
    """Joint whose angle differs most; empty where none was taken down."""
    angles: tuple[float, float] = (0.0, 0.0)
    """Its angle as asked and by the judge [rad]."""

    def __str__(self) -> str:
        if self.body:
            here, there = self.impulses
            return f"in the {_BEFORE:g} s before, {self.body} took {here:.2f} N s as asked and {there:.2f} N s there"
        high, low = self.heights
        said = f"the torso is {high:.2f} m high as asked and {low:.2f} m there"
        if not self.joint:
            return said
        here, there = (math.degrees(angle) for angle in self.angles)
        return f"{said}; {self.joint} differs most, {here:.1f} deg as asked and {there:.1f} deg there"


def parting(here: TrialCourse, there: TrialCourse, twins: list[TrialCourse]) -> Parting | None:
    """The first moment at which the judge is farther from the run as asked than three times the farthest twin.

    None: there is none, or a run is too short.
    """
    length = min(len(here.times), len(there.times), *(len(twin.times) for twin in twins)) if twins else 0
    if length < 2:
        return None
    away = _distance(here.torso[:length], there.torso[:length])
    nearest = np.max([_distance(here.torso[:length], twin.torso[:length]) for twin in twins], axis=0)
    limit = np.maximum(_FACTOR * np.maximum.accumulate(nearest, axis=0), _LEAST)
    parted = np.flatnonzero((away > limit).any(axis=1))
    if not len(parted):
        return None
    at = int(parted[0])
    step = float(here.times[1] - here.times[0])
    first = max(0, at - round(_BEFORE / step))
    body, impulses = "", (0.0, 0.0)
    if here.forces is not None and there.forces is not None:
        with np.errstate(over="ignore"):
            one, other = (forces[first : at + 1, 1:].sum(axis=0) * step for forces in (here.forces, there.forces))
        most = int(np.argmax(np.abs(one - other)))
        body, impulses = here.bodies[1 + most], (float(one[most]), float(other[most]))
    joint, angles = "", (0.0, 0.0)
    if here.angles is not None and there.angles is not None:
        farthest = int(np.argmax(np.abs(here.angles[at] - there.angles[at])))
        joint, angles = here.joints[farthest], (float(here.angles[at, farthest]), float(there.angles[at, farthest]))
    heights = float(here.torso[at, 4]), float(there.torso[at, 4])
    return Parting(float(here.times[at]), body, impulses, here.places[at], heights, joint, angles)


def _distance(one: Vector, other: Vector) -> Vector:
    """Difference of the torso's angle and place, (n, 2) [rad, m]."""
    one, other = (np.nan_to_num(each, nan=_FAR, posinf=_FAR, neginf=-_FAR).clip(-_FAR, _FAR) for each in (one, other))
    angle = np.abs(np.angle(np.exp(1j * (one[:, :2] - other[:, :2])))).max(axis=1)
    return np.column_stack([angle, np.linalg.norm(one[:, 2:] - other[:, 2:], axis=1)])


def explained(experiment: Experiment, opinion: Opinion, judge: Judge) -> Iterator[str]:
    """One line for each of the first differences of a judge; where no verdict differs, for the first trial.

    Args:
        experiment: The experiment that `with_judges` made.
        opinion: What the judge says.
        judge: The judge.

    Raises:
        AndanteError: A trial cannot be run again.
    """
    twins = {name: each for name, each in judges_named("twins").items() if name != opinion.judge}
    axes = {name: axis for name, axis in experiment.axes.items() if name != JUDGE}
    whole = with_judges(experiment.model_copy(update={"axes": axes}), {opinion.judge: judge, **twins})
    groups = groups_of(whole)
    told_of = opinion.differing[:_MOST] or (() if opinion.example is None else (opinion.example,))
    for place, seed, good in told_of:
        asked = [group for group in groups if others_of(group.labels) == place]
        courses = {group.labels[JUDGE]: course_of(group.setup, seed) for group in asked}
        found = parting(courses[HERE], courses[opinion.judge], [courses[name] for name in twins])
        where = f"{opinion.judge}: {f'{place}, ' if place else ''}seed {seed}"
        if found is None:
            yield f"{where}: never farther away than three times MuJoCo's own settings are from each other"
            continue
        told = f"; it played {found.place}" if found.place else ""
        whose = "as asked" if opinion.differing else "in both"
        yield (f"{where} ({'passes' if good else 'fails'} {whose}): parts at {found.time:.2f} s{told}; {found}")
