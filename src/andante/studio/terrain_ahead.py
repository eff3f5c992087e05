"""What is drawn of a walk that goes on: forces at the feet, and where its controller means to tread and to go."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from andante.control.foresight import Foreseeing, Foresight
from andante.robots.records import Vector
from andante.spatial.rotations import to_rpy
from andante.studio.recorded_run import RecordedRun

_DIGITS = 4


def ahead_view(run: RecordedRun) -> dict[str, Any]:
    """Forces on the feet, footholds and the way of the body, for the page.

    A controller knows the world by its estimate, which drifts. What it plans is drawn from where the robot really is.

    Returns:
        ``forces``, one (3,) for each of the robot's feet [N]; ``footholds``, pairs of a foot's name and a place [m];
        ``way``, places of the centre of mass from now on [m]; the latter two in the world. None stands for what is not
        known or not planned.
    """
    truth, controller = run.parts.backend.truth(), run.session.controller
    found: dict[str, Any] = {"time": run.session.time, "forces": None, "footholds": None, "way": None}
    if truth is None:
        return found
    if "foot_force" in truth.layout.slices:
        found["forces"] = np.round(truth["foot_force"].reshape(-1, 3), 1).tolist()
    plan = controller.foresight if isinstance(controller, Foreseeing) else None
    if plan is not None and run.base is not None:
        moved = partial(_moved, plan, truth["com"], truth["qpos"][run.base + 3 : run.base + 7])
        found["footholds"] = [[foot, *place] for foot, place in zip(plan.feet, moved(plan.footholds), strict=True)]
        found["way"] = moved(plan.way)
    return found


def _moved(plan: Foresight, com: Vector, quaternion: Vector, places: Vector) -> list[list[float]]:
    """Places from the frame in which a controller counts, in the world."""
    turn = float(to_rpy(quaternion)[2]) - plan.yaw
    rotation = np.array([[np.cos(turn), np.sin(turn), 0.0], [-np.sin(turn), np.cos(turn), 0.0], [0.0, 0.0, 1.0]])
    moved: list[list[float]] = np.round((places - plan.com) @ rotation + com, _DIGITS).tolist()
    return moved
