"""What the terrain page draws: the board, what footholds cost on it, footsteps and the way of the body."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.planning.footstep import FootstepPlan
from andante.planning.footsteps.chosen import StepCheck
from andante.planning.walk_plan import WalkPlan
from andante.terrain.terrain import Terrain

MOST_NODES = 250_000
"""Maps with more nodes are drawn coarser."""
_NONE, _MOST = 255, 250
"""Byte of a place where no foot may stand, and that of the dearest."""
_DEAR = 0.4
"""Cost from which on all footholds are drawn alike [s]."""
_LINE = 400
"""Points of a drawn line."""


def board_view(terrain: Terrain, check: StepCheck | None) -> dict[str, Any]:
    """A terrain; bytes in base64, heights (nx, ny) f4, costs of footholds of front and hind feet (nx, ny) u1.

    Args:
        terrain: The terrain.
        check: What footholds cost; None: nobody plans footsteps on it.
    """
    heights = terrain.heights.heights
    every = max(1, int(np.ceil(np.sqrt(heights.size / MOST_NODES))))
    shown = heights[::every, ::every]
    layers: dict[str, str] = {}
    if check is not None:
        for name, costs in (("front", check.ground.costs.front), ("hind", check.ground.costs.hind)):
            part = costs[::every, ::every]
            scaled = np.where(np.isfinite(part), np.minimum(part / _DEAR, 1.0) * _MOST, _NONE)
            layers[name] = _base64(scaled.astype("u1"))
    return {
        "name": terrain.name,
        "shape": list(shown.shape),
        "origin": [float(value) for value in terrain.heights.origin],
        "spacing": float(terrain.heights.spacing) * every,
        "heights": _base64(shown.astype("<f4")),
        "costs": layers,
        "start": list(terrain.start),
        "goal": list(terrain.goal),
        "scale": terrain.scale,
        "values": dict(terrain.values),
    }


def footsteps_view(footsteps: FootstepPlan, names: list[str], radius: float) -> dict[str, Any]:
    """Footsteps by their places on the ground: feet where the robot stands, then the steps [m]."""
    down = np.array([0.0, 0.0, radius])
    return {
        "feet": [[round(float(value), 5) for value in foot - down] for foot in footsteps.feet],
        "steps": [
            {"foot": names[step.leg], "place": [round(float(value), 5) for value in step.place - down]}
            for step in footsteps.steps
        ],
    }


def way_view(plan: WalkPlan) -> dict[str, Any]:
    """The way of the body and its centre of mass, (n, 3) [m], and the smallest margin [m]."""
    rows = np.unique(np.linspace(0, len(plan.com) - 1, min(len(plan.com), _LINE)).astype(int))
    return {
        "com": np.round(plan.com[rows], 5).tolist(),
        "body": np.round(plan.position[rows], 5).tolist(),
        "duration": plan.duration,
        "margin": float(np.nanmin(plan.margin)),
        "count": len(plan.swings),
    }


def _base64(values: NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()
