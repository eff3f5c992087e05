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

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from andante.kernels import entry
from andante.planning.nmpc.cost_term import with_terms
from andante.planning.nmpc.dynamics import BodyNumbers, step_derivatives
from andante.planning.nmpc.problem import FEET, STATE, NmpcProblem, NmpcSolution, RigidBody
from andante.planning.nmpc.settings import NmpcSettings
from andante.spatial.arrays import Array, Array1, Array2, Array3, Flags, Flags1, Index, Index1, Index2
from andante.spatial.gravity import GRAVITY

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


class NmpcTrajectory(NamedTuple):
    """A trajectory."""

    states: Array
    """Its states, (N, 12)."""
    forces: Array
    """Its forces [N]: foot by foot, (n, 4, 3), or in the columns of the feet that stand, (n, 12)."""


class Inequality(NamedTuple):
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


class StandingFoot(NamedTuple):
    """A foot that stands in an interval."""

    interval: int
    """The interval."""
    foot: int
    """The foot, in the house's order."""


def row_of(number: int, intervals: int) -> Inequality:
    """What the row with a number says."""
    if number < intervals * FOOT_ROWS:
        interval, rest = divmod(number, FOOT_ROWS)
        foot, face = divmod(rest, FACES)
        return Inequality(interval, FOOT_NAMES[foot], Face(face).name.lower(), soft=False)
    interval, rest = divmod(number - intervals * FOOT_ROWS, STATE * 2)
    each, side = divmod(rest, 2)
    return Inequality(interval, STATE_NAMES[each], ("lower", "upper")[side], soft=True)


class Stages(NamedTuple):
    """The quadratic program as kernels see it, and what is in it by name; n intervals, N = n + 1 states."""

    mass: float
    """Mass of the body [kg]."""
    inertia: Array2
    """Its inertia in body axes, (3, 3) [kg m^2]."""
    inverse: Array2
    """Inverse of that, (3, 3)."""
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
    durations: Array1
    """Length of each interval, (n,) [s]."""
    feet: Array3
    """Where each foot's force acts, (n, 4, 3) [m]; zero for feet that swing."""
    start: Array1
    """x[0], (12,)."""
    weight: Array2
    """Weights of the squared errors of the states, (N, 12); row 0 is zero."""
    reference: Array2
    """Wanted states, (N, 12)."""
    force_weight: Array1
    """Weight of the squared difference of a force from the share, (n,) [1/N^2]."""
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

    @property
    def used(self) -> Flags:
        """Which columns of the forces are in use, (n, 12)."""
        return np.asarray(np.arange(FEET * 3) < self.inputs[:, None])

    @property
    def standing(self) -> Flags:
        """Which of the forces foot by foot are those of feet that stand, (n, 12)."""
        return np.repeat(self.slot >= 0, 3, axis=1)

    @property
    def places(self) -> list[StandingFoot]:
        """Whose forces the variables are, three for each."""
        return [StandingFoot(int(k), int(foot)) for k, foot in zip(*np.nonzero(self.slot >= 0), strict=True)]

    @property
    def variables(self) -> list[str]:
        """Names of the forces: ``fx[interval, foot]`` and so on, in the order of a condensed program's variables."""
        return [f"f{axis}[{each.interval}, {FOOT_NAMES[each.foot]}]" for each in self.places for axis in "xyz"]

    @property
    def rows(self) -> list[Inequality]:
        """Its inequalities, those of the forces first."""
        return [row_of(int(number), len(self.inputs)) for number in self.row_numbers()]

    def row_numbers(self) -> Index:
        """Numbers of its inequalities as kernels count them, rising."""
        standing = np.repeat(self.slot.ravel() >= 0, FACES)
        bounded = np.isfinite(np.stack([self.lower[1:], self.upper[1:]], axis=2)).ravel()
        return np.concatenate([np.flatnonzero(standing), len(self.inputs) * FOOT_ROWS + np.flatnonzero(bounded)])

    def __str__(self) -> str:
        feet, intervals = int((self.slot >= 0).sum()), len(self.inputs)
        soft = int((self.row_numbers() >= intervals * FOOT_ROWS).sum())
        return (
            f"QP over {intervals} intervals: {int(self.inputs.sum())} forces of {feet} stances, "
            f"{feet * FACES} rows of pyramids, {soft} soft bounds of states"
        )


class QpBuilder:
    """Builds programs for one body and one set of costs; everything that does not change is made once.

    Args:
        settings: Costs and bounds.
        body: The body.
    """

    def __init__(self, settings: NmpcSettings, body: RigidBody) -> None:
        self.settings = settings
        self.weight = body.mass * GRAVITY
        """Weight of the body [N]."""
        self.least, self.largest = settings.least_force * self.weight, settings.largest_force * self.weight
        """Least and largest vertical force of a standing foot [N]."""
        self.body = BodyNumbers.of(body)
        self._weights = np.zeros((settings.states, STATE))
        self._weights[1:] = growth_of(settings)[:, None] * np.array(settings.weights)
        self._lower, self._upper = (np.tile(each, (settings.states, 1)) for each in (settings.lower, settings.upper))
        self._bounded = np.isfinite(settings.lower) | np.isfinite(settings.upper)
        self._bounded[2] = True

    def origin(self, problem: NmpcProblem, guess: NmpcSolution | None = None) -> NmpcTrajectory:
        """Trajectory to begin from.

        Without a guess that is solved it is the reference with equal shares of the weight; feet that the guess has in
        the air get such a share too.
        """
        if guess is None or not guess.solved:
            return way_of(problem, problem.reference, problem.shares(self.weight))
        missing, forces = problem.contact & ~(guess.forces[:, :, 2] > 0.0), guess.forces
        if missing.any():
            forces = np.where(missing[:, :, None], problem.shares(self.weight), forces)
        return way_of(problem, guess.states, forces)

    def stages(self, problem: NmpcProblem, origin: NmpcTrajectory) -> Stages:
        """The program along a trajectory, forces foot by foot."""
        settings, count = self.settings, self.settings.states - 1
        scale = problem.durations / settings.step
        order = np.cumsum(problem.contact, axis=1)
        standing = order[:, -1]
        weight, lower, upper = self._weights.copy(), self._lower.copy(), self._upper.copy()
        reference = np.ascontiguousarray(problem.reference, dtype=float)
        if settings.costs:
            weight, reference = with_terms(settings.costs, problem, origin.states, weight, reference)
            weight[0] = 0.0
        weight[1:] *= scale[:, None]
        lower[:, 2] = problem.ground if settings.lower[2] == -np.inf else problem.ground + settings.lower[2]
        upper[:, 2] = problem.ground + settings.upper[2]
        stages = Stages(
            *self.body,
            transition=np.empty((count, STATE, STATE)),
            effect=np.empty((count, STATE, STATE)),
            drift=np.empty((count, STATE)),
            inputs=3 * standing,
            slot=order * problem.contact - 1,
            durations=np.ascontiguousarray(problem.durations, dtype=float),
            feet=np.where(problem.contact[:, :, None], problem.feet, 0.0),
            start=np.ascontiguousarray(problem.start, dtype=float),
            weight=weight,
            reference=reference,
            force_weight=settings.share_weight / self.weight**2 * scale,
            share=self.weight / np.maximum(standing, 1),
            slack=settings.slack_weight * scale,
            lower=lower,
            upper=upper,
            bounded=self._bounded,
            friction=settings.friction,
            least=self.least,
            largest=self.largest,
        )
        linearise(stages, *origin)
        return stages


def way_of(problem: NmpcProblem, states: Array, forces: Array) -> NmpcTrajectory:
    """States (N, 12) that begin at the problem's start, and forces (n, 4, 3) of the feet that stand, as trajectory."""
    states = np.array(states, dtype=float, order="C")
    states[0] = problem.start
    return NmpcTrajectory(states, np.where(problem.contact[:, :, None], forces, 0.0))


def growth_of(settings: NmpcSettings) -> Array:
    """By what the weights of the states 1 to N - 1 are larger than those of state 1, (N - 1,)."""
    return np.asarray(settings.growth ** (np.arange(settings.states - 1) / max(1, settings.states - 2)), dtype=float)


@entry
def linearise(stages: Stages, states: Array2, forces: Array3) -> None:
    """Fill transition, effect and drift along a trajectory, forces foot by foot."""
    effect, after = np.empty((12, 12)), np.empty(12)
    body = BodyNumbers(stages.mass, stages.inertia, stages.inverse)
    for k in range(len(stages.durations)):
        state, force = states[k], forces[k]
        a, b, c = stages.transition[k], stages.effect[k], stages.drift[k]
        step_derivatives(body, state, force, stages.feet[k], stages.durations[k], after, a, effect)
        b[:, :] = 0.0
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
