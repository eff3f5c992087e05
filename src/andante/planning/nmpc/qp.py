"""The quadratic program of one step of sequential quadratic programming, stage by stage, before anybody solves it.

The problem is linearised along a guess: x[k+1] = A[k] x[k] + B[k] u[k] + c[k], where u[k] holds only the forces of the
feet that stand in interval k. Its cost is that of the problem, which is quadratic already (Gauss-Newton):

    sum over intervals of (h[k] / step) (1/2 sum_i g[k+1] w[i] (x[k+1, i] - reference[k+1, i])^2
                                         + 1/2 force_weight |u[k] - share[k]|^2 + slack_weight (soft bounds left by))

g grows evenly (in ratio) from 1 at the first state to ``growth`` at the last. Forces are in each foot's pyramid
|fx|, |fy| <= friction fz, least <= fz <= largest: six rows of a foot in an interval. States and forces are the
variables themselves, not steps from the guess, so that rows and bounds read in newtons and metres.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from andante.planning.nmpc.dynamics import step_derivatives
from andante.planning.nmpc.problem import FEET, STATE, NmpcProblem, NmpcSettings, RigidBody
from andante.spatial.arrays import Array1, Array2, Array3, Flags1, Index1, Index2
from andante.spatial.compiled import entry
from andante.spatial.gravity import GRAVITY

Array = NDArray[np.float64]
FACES = 6
"""Rows of a standing foot in an interval: the faces of its cut pyramid."""
FOOT_ROWS = FEET * FACES
STATE_NAMES = ("x", "y", "z", "roll", "pitch", "yaw", "vx", "vy", "vz", "wx", "wy", "wz")
FOOT_NAMES = ("FL", "FR", "HL", "HR")


class Face(IntEnum):
    """What a row of a foot says."""

    FORWARD = 0
    """fx <= friction fz."""
    BACKWARD = 1
    """-fx <= friction fz."""
    LEFT = 2
    """fy <= friction fz."""
    RIGHT = 3
    """-fy <= friction fz."""
    LEAST = 4
    """fz >= the least force."""
    LARGEST = 5
    """fz <= the largest force."""


class Stages(NamedTuple):
    """The quadratic program as kernels see it; n intervals, N = n + 1 states."""

    transition: Array3
    """A, (n, 12, 12)."""
    effect: Array3
    """B, (n, 12, 12); the first ``inputs[k]`` columns are in use."""
    drift: Array2
    """c, (n, 12)."""
    inputs: Index1
    """Number of forces in an interval: three for each foot that stands, (n,)."""
    slot: Index2
    """Which triple of columns belongs to a foot, (n, 4); -1: it swings."""
    start: Array1
    """x[0], (12,)."""
    weight: Array2
    """Weights of the squared errors of the states, (N, 12); row 0 is zero."""
    reference: Array2
    """Wanted states, (N, 12)."""
    force_weight: Array1
    """Weight of the squared difference of a force from the share, (n,)."""
    share: Array1
    """Vertical force of each standing foot that costs nothing, (n,) [N]."""
    slack: Array1
    """Cost of leaving a soft bound by one unit, (n,)."""
    lower: Array2
    """Soft lower bounds of the states, (N, 12)."""
    upper: Array2
    """Soft upper bounds of the states, (N, 12)."""
    bounded: Flags1
    """Which state variables have a soft bound anywhere, (12,)."""
    friction: float
    """Friction coefficient."""
    least: float
    """Least vertical force [N]."""
    largest: float
    """Largest vertical force [N]."""


class Row(NamedTuple):
    """One inequality of the program."""

    interval: int
    """Interval of the force, or the interval that ends at the state."""
    subject: str
    """Foot (FL, FR, HL, HR) or state variable (x, ..., wz)."""
    kind: str
    """Name of the face in small letters, or ``lower`` or ``upper``."""
    soft: bool
    """Whether it may be left at a cost."""

    def __str__(self) -> str:
        return f"interval {self.interval}, {self.subject}, {self.kind}"


class Stance(NamedTuple):
    """A foot that stands in an interval."""

    interval: int
    """The interval."""
    foot: int
    """The foot, in the house's order."""


@dataclass(frozen=True, eq=False)
class StageQp:
    """The program with names for what is in it."""

    stages: Stages
    """Its numbers."""

    @property
    def places(self) -> list[Stance]:
        """Whose forces the variables are, three for each."""
        return [Stance(int(k), int(foot)) for k, foot in zip(*np.nonzero(self.stages.slot >= 0), strict=True)]

    @property
    def variables(self) -> list[str]:
        """Names of the forces: ``fx[interval, foot]`` and so on, in the order of a condensed program's variables."""
        return [f"f{axis}[{each.interval}, {FOOT_NAMES[each.foot]}]" for each in self.places for axis in "xyz"]

    @property
    def rows(self) -> list[Row]:
        """Its inequalities, those of the forces first."""
        return [row_of(int(number), len(self.stages.inputs)) for number in self.row_numbers()]

    def row_numbers(self) -> NDArray[np.int64]:
        """Numbers of its inequalities as kernels count them, rising."""
        stages = self.stages
        count = len(stages.inputs)
        standing = np.repeat(stages.slot.ravel() >= 0, FACES)
        bounded = np.isfinite(np.stack([stages.lower[1:], stages.upper[1:]], axis=2)).ravel()
        return np.concatenate([np.flatnonzero(standing), count * FOOT_ROWS + np.flatnonzero(bounded)])

    def __str__(self) -> str:
        feet = int((self.stages.slot >= 0).sum())
        soft = int((self.row_numbers() >= len(self.stages.inputs) * FOOT_ROWS).sum())
        return (
            f"QP over {len(self.stages.inputs)} intervals: {int(self.stages.inputs.sum())} forces of {feet} stances, "
            f"{feet * FACES} rows of pyramids, {soft} soft bounds of states"
        )


def row_of(number: int, intervals: int) -> Row:
    """What the row with a number says."""
    if number < intervals * FOOT_ROWS:
        interval, rest = divmod(number, FOOT_ROWS)
        foot, face = divmod(rest, FACES)
        return Row(interval, FOOT_NAMES[foot], Face(face).name.lower(), soft=False)
    interval, rest = divmod(number - intervals * FOOT_ROWS, STATE * 2)
    each, side = divmod(rest, 2)
    return Row(interval, STATE_NAMES[each], ("lower", "upper")[side], soft=True)


class QpBuilder:
    """Builds programs for one body and one set of costs; everything that does not change is made once.

    Args:
        settings: Costs and bounds.
        body: The body.
    """

    def __init__(self, settings: NmpcSettings, body: RigidBody) -> None:
        self.settings = settings
        self.body = body
        self.inertia = np.ascontiguousarray(body.inertia, dtype=float)
        self.inverse = np.linalg.inv(self.inertia)
        self.gravity_force = body.mass * GRAVITY
        count = settings.states - 1
        self.weights = np.zeros((settings.states, STATE))
        self.weights[1:] = growth_of(settings)[:, None] * np.array(settings.weights)
        self.lower, self.upper = np.array(settings.lower), np.array(settings.upper)
        self._bounded = np.isfinite(self.lower) | np.isfinite(self.upper)
        self._count = count

    @property
    def least(self) -> float:
        """Least vertical force of a standing foot [N]."""
        return self.settings.least_force * self.gravity_force

    @property
    def largest(self) -> float:
        """Largest vertical force of a standing foot [N]."""
        return self.settings.largest_force * self.gravity_force

    def build(self, problem: NmpcProblem, states: Array, forces: Array) -> StageQp:
        """The program along states (N, 12) and forces (n, 4, 3); forces of feet that swing are not looked at."""
        return StageQp(self.stages(problem, states, forces))

    def stages(self, problem: NmpcProblem, states: Array, forces: Array) -> Stages:
        """As `build`, only the numbers."""
        settings, count = self.settings, self._count
        scale = problem.durations / settings.step
        standing = problem.contact.sum(axis=1)
        weight = self.weights.copy()
        weight[1:] *= scale[:, None]
        lower = np.empty((count + 1, STATE))
        lower[:] = self.lower
        upper = np.empty((count + 1, STATE))
        upper[:] = self.upper
        lower[:, 2] = problem.ground if self.lower[2] == -np.inf else problem.ground + self.lower[2]
        upper[:, 2] = problem.ground + self.upper[2]
        bounded = self._bounded.copy()
        bounded[2] = True
        stages = Stages(
            np.empty((count, STATE, STATE)),
            np.empty((count, STATE, STATE)),
            np.empty((count, STATE)),
            3 * standing.astype(np.int64),
            np.empty((count, FEET), dtype=np.int64),
            np.ascontiguousarray(problem.start, dtype=float),
            weight,
            np.ascontiguousarray(problem.reference, dtype=float),
            settings.force_weight * scale,
            self.gravity_force / np.maximum(standing, 1),
            settings.slack_weight * scale,
            lower,
            upper,
            bounded,
            settings.friction,
            self.least,
            self.largest,
        )
        linearise(
            stages,
            np.ascontiguousarray(states, dtype=float),
            np.ascontiguousarray(forces, dtype=float).reshape(count, FEET * 3),
            np.ascontiguousarray(problem.feet, dtype=float).reshape(count, FEET * 3),
            problem.contact.astype(np.int64),
            np.ascontiguousarray(problem.durations, dtype=float),
            self.body.mass,
            self.inertia,
            self.inverse,
        )
        return stages


def growth_of(settings: NmpcSettings) -> Array:
    """By what the weights of the states 1 to N - 1 are larger than those of state 1, (N - 1,)."""
    return np.asarray(settings.growth ** (np.arange(settings.states - 1) / max(1, settings.states - 2)), dtype=float)


@entry
def linearise(
    stages: Stages,
    states: Array2,
    forces: Array2,
    feet: Array2,
    contact: Index2,
    durations: Array1,
    mass: float,
    inertia: Array2,
    inverse: Array2,
) -> None:
    """Fill transition, effect, drift and slot; states (N, 12), forces and feet (n, 12), row 0 of states is not used."""
    effect = np.empty((12, 12))
    after = np.empty(12)
    state = np.empty(12)
    force = np.empty((4, 3))
    place = np.empty((4, 3))
    for k in range(len(durations)):
        for i in range(12):
            state[i] = states[k, i] if k > 0 else stages.start[i]
        used = 0
        for foot in range(4):
            stands = contact[k, foot] != 0
            stages.slot[k, foot] = used if stands else -1
            used += 1 if stands else 0
            for axis in range(3):
                force[foot, axis] = forces[k, 3 * foot + axis] if stands else 0.0
                place[foot, axis] = feet[k, 3 * foot + axis] if stands else 0.0
        a = stages.transition[k]
        step_derivatives(state, force, place, durations[k], mass, inertia, inverse, after, a, effect)
        b = stages.effect[k]
        b[:, :] = 0.0
        c = stages.drift[k]
        for i in range(12):
            total = after[i]
            for j in range(12):
                total -= a[i, j] * state[j]
            for foot in range(4):
                slot = stages.slot[k, foot]
                if slot >= 0:
                    for axis in range(3):
                        value = effect[i, 3 * foot + axis]
                        b[i, 3 * slot + axis] = value
                        total -= value * force[foot, axis]
            c[i] = total
