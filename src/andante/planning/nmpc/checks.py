"""What is wrong with a problem before anybody solves it, and with states that somebody planned.

Shapes are errors of the code that calls, and raise. Numbers are what the robot met, and make a solution without states
that names the interval, the foot or the bound.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from andante.errors import AndanteError
from andante.planning.nmpc.dynamics import PITCH_LIMIT
from andante.planning.nmpc.problem import FEET, STATE, NmpcProblem, NmpcSolution, NmpcStatus, RigidBody
from andante.planning.nmpc.qp import FOOT_NAMES, STATE_NAMES
from andante.planning.nmpc.settings import NmpcSettings
from andante.spatial.arrays import Array, Flags
from andante.spatial.gravity import GRAVITY

USED = 10
"""States of a plan, after the first, that are carried out before a newer one surely comes."""
FARTHEST = np.array([1e5] * 3 + [20.0, 20.0, 1e5] + [100.0] * 6)
"""Beyond these no state is one of a robot: place [m], roll and pitch, heading with all turns [rad], speed [m/s] and
angular velocity [rad/s]."""
LONGEST = 10.0
"""An interval is no longer [s]."""
REACH = 10.0
"""Beyond this no foot stands away from its body in a state of the reference, along an axis [m]."""
TURN = 2.0 * np.pi
"""A heading that is wanted farther from the start's counts turns otherwise, or jumps [rad]."""
SUNK = 0.01
"""By how much a planned centre of mass may be below the ground [m]; the bound is soft, the ground is not."""


class NmpcError(AndanteError):
    """A body or a problem has not the form that a solver can use."""


class UnsolvedError(Exception):
    """There is no solution, and why."""

    def __init__(self, status: NmpcStatus, reason: str, iterations: int = 0) -> None:
        super().__init__(reason)
        self.status, self.reason, self.iterations = status, reason, iterations


def require(status: NmpcStatus, good: Flags, reason: Callable[..., str], iterations: int = 0) -> None:
    """Give up where a flag is not set.

    Args:
        status: How that ends.
        good: What must hold, of any shape.
        reason: Makes the words from the place of the first flag that is not set, a number for each axis.
        iterations: What was spent.

    Raises:
        UnsolvedError: One is not set.
    """
    # Searching the bytes for a False is several times faster than ndarray.all on arrays of this size.
    if b"\0" in good.tobytes():
        place = np.unravel_index(int(good.argmin()), good.shape)
        raise UnsolvedError(status, reason(*(int(each) for each in place)), iterations)


_finite = partial(require, NmpcStatus.NOT_FINITE)
_possible = partial(require, NmpcStatus.INFEASIBLE)


def check_body(body: RigidBody) -> None:
    """Refuse a body that cannot be.

    Raises:
        NmpcError: Mass or inertia is not that of a body.
    """
    if not np.isfinite(body.mass) or body.mass <= 0.0:
        raise NmpcError("the mass must be above zero", place="mass", value=body.mass, limit="> 0 kg")
    inertia = np.asarray(body.inertia)
    if inertia.shape != (3, 3):
        raise NmpcError("the inertia is a matrix", place="inertia", value=inertia.shape, limit="shape (3, 3)")
    # Products of a body that is alike on both sides cancel out but for the last digits of its moments.
    if not np.isfinite(inertia).all() or np.abs(inertia - inertia.T).max() > 1e-9 * np.abs(inertia).max():
        raise NmpcError("the inertia must be finite and symmetric", place="inertia", value=inertia.tolist())
    moments = np.linalg.eigvalsh(inertia)
    if moments[0] <= 0.0:
        raise NmpcError("moments of inertia must be above zero", place="inertia", value=moments.tolist())


def check_form(problem: NmpcProblem, settings: NmpcSettings, guess: NmpcSolution | None = None) -> None:
    """Refuse a problem or a guess of another horizon.

    Raises:
        NmpcError: An array has not its shape, or contacts are not flags.
    """
    states, count = settings.states, settings.states - 1
    for name, array, shape in (
        ("start", problem.start, (STATE,)),
        ("reference", problem.reference, (states, STATE)),
        ("durations", problem.durations, (count,)),
        ("contact", problem.contact, (count, FEET)),
        ("feet", problem.feet, (count, FEET, 3)),
        ("ground", problem.ground, (states,)),
    ):
        if array.shape != shape:
            raise NmpcError("the array has another shape", place=name, value=array.shape, limit=f"shape {shape}")
    if problem.contact.dtype != np.bool_:
        raise NmpcError("contacts are flags", place="contact", value=str(problem.contact.dtype), limit="bool")
    if guess is not None and guess.states.shape != (states, STATE):
        raise NmpcError(
            "the guess has another horizon", place="guess", value=guess.states.shape, limit=f"shape {(states, STATE)}"
        )


def check_numbers(problem: NmpcProblem) -> None:
    """Refuse a problem of the right form that has no answer, as far as that shows before solving.

    Raises:
        UnsolvedError: It has none.
    """
    start, reference, long = problem.start, problem.reference, problem.durations
    feet, ground = problem.feet, problem.ground
    _finite(np.isfinite(start), lambda i: f"start: {STATE_NAMES[i]} is {start[i]}")
    _finite(np.isfinite(reference), lambda k, i: f"reference, state {k}: {STATE_NAMES[i]} is {reference[k, i]}")
    _finite(np.isfinite(long), lambda k: f"interval {k}: the duration is {long[k]}")
    _finite(
        ~problem.contact[:, :, None] | np.isfinite(feet),
        lambda k, foot, _: f"interval {k}, foot {FOOT_NAMES[foot]}: stands at {_point(feet[k, foot])}",
    )
    # The bound is -inf where there is no ground; NaN fails the comparison.
    _finite(ground < np.inf, lambda k: f"state {k}: the height of the ground is {ground[k]}")
    _possible(long > 0.0, lambda k: f"interval {k}: the duration is {long[k]:g} s, it must be above zero")
    _check_sizes(problem)
    if abs(start[4]) > PITCH_LIMIT:
        blow_up = f"beyond {PITCH_LIMIT:g}, where rates of roll and yaw blow up"
        raise UnsolvedError(NmpcStatus.INFEASIBLE, f"start: pitch is {start[4]:.3f} rad, {blow_up}")
    _possible(
        np.abs(reference[:, 4]) <= PITCH_LIMIT,
        lambda k: f"reference, state {k}: pitch is {reference[k, 4]:.3f} rad, beyond {PITCH_LIMIT:g}",
    )
    if start[2] < ground[0] - SUNK:
        sunk = f"start: height {start[2]:.3f} m is below the ground, {ground[0]:.3f} m"
        raise UnsolvedError(NmpcStatus.INFEASIBLE, sunk)
    if not problem.contact[0].any():
        _check_fall(problem)


def _check_sizes(problem: NmpcProblem) -> None:
    """Refuse finite numbers that are none of a robot's: a solver would fail by them and give reasons of its own."""
    start, reference, feet = problem.start, problem.reference, problem.feet
    _possible(np.abs(start) <= FARTHEST, lambda i: f"start: {STATE_NAMES[i]} is {start[i]:g}, beyond {FARTHEST[i]:g}")
    _possible(
        np.abs(reference) <= FARTHEST,
        lambda k, i: f"reference, state {k}: {STATE_NAMES[i]} is {reference[k, i]:g}, beyond {FARTHEST[i]:g}",
    )
    _possible(
        np.abs(reference[:, 5] - start[5]) <= TURN,
        lambda k: (
            f"reference, state {k}: yaw is {reference[k, 5]:.3f} rad, {abs(reference[k, 5] - start[5]):.3f} from"
            f" the start's; turns are counted as there, within {TURN:.3f}"
        ),
    )
    long, deep = problem.durations, problem.ground
    _possible(long <= LONGEST, lambda k: f"interval {k}: the duration is {long[k]:g} s, beyond {LONGEST:g} s")
    most = FARTHEST[2]
    _possible(deep <= most, lambda k: f"state {k}: the height of the ground is {deep[k]:g} m, beyond {most:g} m")
    away = np.abs(feet - start[:3])
    _possible(
        ~problem.contact[:, :, None] | (away <= REACH),
        lambda k, foot, axis: (
            f"interval {k}, foot {FOOT_NAMES[foot]}: stands {away[k, foot, axis]:g} m from the body"
            f" along {STATE_NAMES[axis]}, beyond {REACH:g} m"
        ),
    )


def _check_fall(problem: NmpcProblem) -> None:
    """Refuse a body that is below the ground before any foot can stand."""
    standing: Flags = np.asarray(problem.contact.any(axis=1))
    end = int(standing.argmax()) if standing.any() else len(standing)
    time = np.cumsum(problem.durations[:end])
    height = problem.start[2] + problem.start[8] * time - 0.5 * GRAVITY * time**2
    depth = problem.ground[1 : end + 1] - height
    falls = f"no foot stands in intervals 0 to {end - 1}: in free fall the body is"
    _possible(depth <= SUNK, lambda k: f"{falls} {depth[k]:.3f} m below the ground at state {k + 1}")


def check_plan(problem: NmpcProblem, states: Array) -> None:
    """Refuse planned states (N, 12) that are of no use.

    After a hard push the end of a plan may leave what the linearisation is good for, while its begin, which alone is
    carried out before the next plan, brakes as it should: only the first `USED` states are looked at.

    Raises:
        UnsolvedError: They are of none.
    """
    if not np.isfinite(states).all():
        _tell_growth(problem, states)
    pitch, depth = states[: USED + 1, 4], problem.ground[: USED + 1] - states[: USED + 1, 2]
    _possible(
        np.abs(pitch) <= PITCH_LIMIT,
        lambda k: f"state {k}: planned pitch is {pitch[k]:.3f} rad, beyond {PITCH_LIMIT:g}",
    )
    _possible(
        depth <= SUNK,
        lambda k: f"state {k}: planned height is {depth[k]:.3f} m below the ground{_flight_before(problem, k)}",
    )


def _tell_growth(problem: NmpcProblem, states: Array) -> None:
    """Say why finite numbers were planned beyond all numbers: the body tips over first, or nothing else is known.

    Raises:
        UnsolvedError: Always.
    """
    end = int(np.isfinite(states).all(axis=1).argmin())
    tipped = np.flatnonzero(np.abs(states[:end, 4]) > PITCH_LIMIT)
    if len(tipped):
        first = int(tipped[0])
        text = f"state {first}: planned pitch is {states[first, 4]:.3g} rad, beyond {PITCH_LIMIT:g}"
        raise UnsolvedError(NmpcStatus.INFEASIBLE, f"{text}; from state {end} on the plan is none")
    off = np.abs(problem.start - problem.reference[0])
    text = (
        f"state {end}: the plan grows beyond all numbers; the start is {off[:3].max():.3g} m, {off[3:6].max():.3g} rad"
    )
    raise UnsolvedError(
        NmpcStatus.NOT_FINITE, f"{text}, {off[6:9].max():.3g} m/s and {off[9:].max():.3g} rad/s off what is wanted"
    )


def _flight_before(problem: NmpcProblem, state: int) -> str:
    """In which intervals no foot stood before a state; empty: there are none."""
    standing = np.flatnonzero(problem.contact.any(axis=1))
    flying = np.setdiff1d(np.arange(state), standing)
    if not len(flying):
        return ""
    first = standing[standing < flying[-1]].max(initial=-1) + 1
    last = standing[standing > flying[-1]].min(initial=len(problem.contact)) - 1
    return f"; no foot stands in intervals {first} to {last}"


def _point(point: Array) -> str:
    return "(" + ", ".join(f"{each:g}" for each in point) + ") m"
