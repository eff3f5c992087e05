"""What the terrain page draws: the board, footsteps and the way of the body."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.planning.footstep import FootstepPlan
from andante.planning.walk_plan import WalkPlan
from andante.terrain.height_map import HeightMap
from andante.terrain.shaping import Patch
from andante.terrain.terrain import Terrain

MOST_NODES = 250_000
"""Maps with more nodes are drawn coarser."""
_LINE = 400
"""Points of a drawn line."""


def drawn_every(ground: HeightMap) -> int:
    """Every so many nodes of a map one is drawn."""
    return max(1, int(np.ceil(np.sqrt(ground.heights.size / MOST_NODES))))


def board_view(terrain: Terrain, layers: list[list[str]]) -> dict[str, Any]:
    """A terrain; heights (nx, ny) f4 as bytes in base64.

    Args:
        terrain: The terrain.
        layers: Names and titles of the layers that the page may ask for.
    """
    every = drawn_every(terrain.heights)
    shown = terrain.heights.heights[::every, ::every]
    return {
        "name": terrain.name,
        "shape": list(shown.shape),
        "origin": [float(value) for value in terrain.heights.origin],
        "spacing": float(terrain.heights.spacing) * every,
        "heights": base64_text(shown.astype("<f4")),
        "layers": layers,
        "start": list(terrain.start),
        "goal": list(terrain.goal),
        "scale": terrain.scale,
        "values": dict(terrain.values),
    }


def patch_view(ground: HeightMap, patch: Patch) -> dict[str, Any]:
    """What has changed on a map, of the nodes that are drawn: first row and column, shape, heights f4 in base64."""
    every = drawn_every(ground)
    i, j = -(-patch.i // every), -(-patch.j // every)
    shown = patch.heights[i * every - patch.i :: every, j * every - patch.j :: every]
    return {"i": i, "j": j, "shape": list(shown.shape), "heights": base64_text(shown.astype("<f4"))}


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


def base64_text(values: NDArray[Any]) -> str:
    """An array's bytes in base64."""
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()
