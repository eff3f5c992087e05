"""What is wrong with a problem before anybody solves it, and with states that somebody planned.

Shapes are errors of the code that calls, and raise. Numbers are what the robot met, and make a solution without states
that names the interval, the foot or the bound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.errors import AndanteError
from andante.planning.nmpc.dynamics import PITCH_LIMIT
from andante.planning.nmpc.problem import (
    FEET,
    STATE,
    Flags,
    NmpcProblem,
    NmpcSettings,
    NmpcSolution,
    NmpcStatus,
    RigidBody,
)
from andante.planning.nmpc.qp import FOOT_NAMES, STATE_NAMES
from andante.spatial.gravity import GRAVITY

Array = NDArray[np.float64]
Failure = tuple[NmpcStatus, str]
SUNK = 0.01
"""By how much a planned centre of mass may be below the ground [m]; the bound is soft, the ground is not."""


class NmpcError(AndanteError):
    """A body or a problem has not the form that a solver can use."""


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
    if not np.isfinite(inertia).all() or not np.allclose(inertia, inertia.T, rtol=1e-9, atol=0.0):
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


def first_fault(problem: NmpcProblem, settings: NmpcSettings) -> Failure | None:
    """Why a problem of the right form has no answer, as far as that shows before solving; None: nothing shows."""
    fault = _not_finite(problem)
    if fault is not None:
        return NmpcStatus.NOT_FINITE, fault
    fault = _impossible(problem, settings)
    return None if fault is None else (NmpcStatus.INFEASIBLE, fault)


def _not_finite(problem: NmpcProblem) -> str | None:
    if not all_finite(problem.start):
        bad = _first(~np.isfinite(problem.start))[0]
        return f"start: {STATE_NAMES[bad]} is {problem.start[bad]}"
    if not all_finite(problem.reference):
        row, column = _first(~np.isfinite(problem.reference))
        return f"reference, state {row}: {STATE_NAMES[column]} is {problem.reference[row, column]}"
    if not all_finite(problem.durations):
        row = _first(~np.isfinite(problem.durations))[0]
        return f"interval {row}: the duration is {problem.durations[row]}"
    standing = problem.feet[problem.contact]
    if not all_finite(standing):
        bad_feet = problem.contact & ~np.isfinite(problem.feet).all(axis=2)
        row, foot = _first(bad_feet)
        return f"interval {row}, foot {FOOT_NAMES[foot]}: stands at {_point(problem.feet[row, foot])}"
    # The bound is -inf where there is no ground; NaN fails the comparison.
    if b"\0" in (problem.ground < np.inf).tobytes():
        row = _first(np.isnan(problem.ground) | np.isposinf(problem.ground))[0]
        return f"state {row}: the height of the ground is {problem.ground[row]}"
    return None


def all_finite(values: Array) -> bool:
    """Whether all are numbers."""
    # Searching the bytes for a False is several times faster than ndarray.all on arrays of this size.
    return b"\0" not in np.isfinite(values).tobytes()


def _impossible(problem: NmpcProblem, settings: NmpcSettings) -> str | None:
    if problem.durations.min() <= 0.0:
        row = _first(problem.durations <= 0.0)[0]
        return f"interval {row}: the duration is {problem.durations[row]:g} s, it must be above zero"
    if abs(problem.start[4]) > PITCH_LIMIT:
        return (
            f"start: pitch is {problem.start[4]:.3f} rad, beyond {PITCH_LIMIT:g}, where rates of roll and yaw blow up"
        )
    if np.abs(problem.reference[:, 4]).max() > PITCH_LIMIT:
        row = _first(np.abs(problem.reference[:, 4]) > PITCH_LIMIT)[0]
        pitch = problem.reference[row, 4]
        return f"reference, state {row}: pitch is {pitch:.3f} rad, beyond {PITCH_LIMIT:g}"
    if problem.start[2] < problem.ground[0] - SUNK:
        return f"start: height {problem.start[2]:.3f} m is below the ground, {problem.ground[0]:.3f} m"
    return _fallen(problem)


def _fallen(problem: NmpcProblem) -> str | None:
    """Where the body is below the ground before any foot can stand."""
    if problem.contact[0].any():
        return None
    standing: Flags = np.asarray(problem.contact.any(axis=1))
    end = int(standing.argmax()) if standing.any() else len(standing)
    time = np.cumsum(problem.durations[:end])
    height = problem.start[2] + problem.start[8] * time - 0.5 * GRAVITY * time**2
    depth = problem.ground[1 : end + 1] - height
    if not (depth > SUNK).any():
        return None
    row = int((depth > SUNK).argmax())
    return (
        f"no foot stands in intervals 0 to {end - 1}: in free fall the body is {depth[row]:.3f} m "
        f"below the ground at state {row + 1}"
    )


def fault_of_plan(problem: NmpcProblem, states: Array) -> Failure | None:
    """Why planned states (N, 12) are of no use; None: they are.

    After a hard push the end of a plan may leave what the linearisation is good for, while its begin, which alone is
    carried out before the next plan, brakes as it should: only the first `USED` states are looked at.
    """
    if not all_finite(states):
        row, column = _first(~np.isfinite(states))
        return NmpcStatus.NOT_FINITE, f"state {row}: planned {STATE_NAMES[column]} is {states[row, column]}"
    states, ground = states[: USED + 1], problem.ground[: USED + 1]
    if (np.abs(states[:, 4]) > PITCH_LIMIT).any():
        row = _first(np.abs(states[:, 4]) > PITCH_LIMIT)[0]
        return NmpcStatus.INFEASIBLE, f"state {row}: planned pitch is {states[row, 4]:.3f} rad, beyond {PITCH_LIMIT:g}"
    depth = ground - states[:, 2]
    if (depth > SUNK).any():
        row = _first(depth > SUNK)[0]
        reason = f"state {row}: planned height is {depth[row]:.3f} m below the ground"
        flying: Flags = np.asarray(~problem.contact.any(axis=1))
        before = np.flatnonzero(flying[:row])
        if len(before):
            last = int(before[-1])
            first = last
            while first > 0 and flying[first - 1]:
                first -= 1
            while last + 1 < len(flying) and flying[last + 1]:
                last += 1
            reason += f"; no foot stands in intervals {first} to {last}"
        return NmpcStatus.INFEASIBLE, reason
    return None


def _first(flags: NDArray[np.bool_]) -> tuple[int, ...]:
    """Place of the first that is set."""
    return tuple(int(each) for each in np.unravel_index(int(flags.argmax()), flags.shape))


def _point(point: Array) -> str:
    return "(" + ", ".join(f"{each:g}" for each in point) + ") m"


USED = 10
"""States of a plan, after the first, that are carried out before a newer one surely comes."""
