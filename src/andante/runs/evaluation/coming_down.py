"""Coming down: how fast the trunk was when a robot that sits or lies down met the ground with more than its feet."""

from __future__ import annotations

import math

import numpy as np

from andante.runs.evaluation.criterion import Criterion
from andante.runs.evaluation.finished import FinishedRun
from andante.runs.evaluation.standing import standing_height
from andante.spatial.rotations import to_matrix

GENTLE = 0.3
"""Largest speed of the trunk as a share of that of a free fall from where the robot stands, sqrt(2 g h).

An assumption: the legs shall take nine tenths of the energy. In simulation a NAO that collapses limp or topples comes
to 0.41 to 0.86, after its soft dive to 0.27, an AIBO that sits down to 0.12."""
_FREE = 7
"""Numbers of a base's place and orientation."""


def gentleness(run: FinishedRun) -> Criterion | None:
    """Whether the trunk came down gently once something but feet touched the ground.

    The speed is that of the trunk's centre of mass along the vertical, the largest downwards from just before the first
    touch on.

    Returns:
        What was asked and reached [m/s]; None: nothing but feet touched, or there is no ground truth to tell.
    """
    truth, robot, world = run.truth, run.parts.robot, run.scenario.world
    free_fall = math.sqrt(2.0 * math.hypot(*world.gravity) * standing_height(robot))
    if truth is None or truth["qpos"].shape[1] < _FREE or world.fixed_base or free_fall <= 0.0:
        return None
    touches = np.flatnonzero(truth["other_contacts"][:, 0] > 0.0)
    if not len(touches):
        return None
    rows = slice(max(0, int(touches[0]) - 1), None)
    velocity, rate = truth["qvel"][rows, :3], truth["qvel"][rows, 3:6]
    # MuJoCo tells the base's velocity where its frame is, in the world, and its rate in its own frame.
    swing = np.cross(rate, robot.model.body(robot.base_body).ipos)
    turned = np.einsum("nij,nj->ni", to_matrix(truth["qpos"][rows, 3:_FREE]), swing)
    speed = max(0.0, -float((velocity + turned)[:, 2].min()))
    limit = GENTLE * free_fall
    came = "came down gently" if speed <= limit else "was dropped"
    text = (
        f"{came}: its trunk moved at {speed:.2f} m/s when more than feet touched the ground"
        f" (limit {limit:.2f} m/s, {GENTLE:.0%} of a free fall)"
    )
    return Criterion("comes down gently", speed <= limit, text, limit, speed, "m/s")
