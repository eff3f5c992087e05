"""What a caller does when a solve fails: never the old plan, but equal shares of the weight on the feet that stand.

A plan is made for states and contacts that were expected; the longer it is followed without a new one, the less it
fits. The fallback is made of the failed problem alone, so it has no memory that could be stale, and it needs nothing
that can fail. It holds no balance over a stride: who uses it counts failures and stops.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.planning.nmpc.problem import STATE, NmpcProblem, NmpcSolution, NmpcStatus, RigidBody
from andante.planning.nmpc.rollout import share_forces
from andante.spatial.gravity import GRAVITY

Array = NDArray[np.float64]


def fallback(problem: NmpcProblem, body: RigidBody, reason: str = "") -> NmpcSolution:
    """Equal vertical shares of the weight on the feet that stand in each interval, and the pose of the start held.

    Args:
        problem: The problem that has no solution; its contacts are believed, its numbers only where they are finite.
        body: The body.
        reason: Why there is no solution; handed on.

    Returns:
        Forces that are inside every pyramid whose bounds allow a share. The states are the start's pose at rest,
        each part that is not finite taken from the reference, else zero. Its status is ``FALLBACK``, so that it does
        not count as solved and no solver begins from it.
    """
    pose = np.where(np.isfinite(problem.start), problem.start, problem.reference[0])
    pose = np.where(np.isfinite(pose), pose, 0.0)
    pose[6:] = 0.0
    states = np.empty((len(problem.reference), STATE))
    states[:] = pose
    forces = share_forces(problem, body.mass * GRAVITY)
    return NmpcSolution(NmpcStatus.FALLBACK, states, forces, np.inf, 0, 0.0, reason)
