"""What the terrain page draws of the ground: its heights, the way over it, and the layers that it paints.

Each layer has its unit and the ends of its scale.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.kinematics.leg_table import LeggedBody
from andante.kinematics.reference_leg import REFERENCE_LEG
from andante.planning.footsteps.search import USUAL, WIDE, swath
from andante.planning.walk_plan import WalkPlan
from andante.spatial.arrays import Array
from andante.studio.errors import StudioError
from andante.studio.terrain_ground import ShownGround
from andante.terrain.height_map import HeightMap
from andante.terrain.layers import Layers, LayerSettings
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


_NONE, _MOST = 255, 250
"""Byte of a place that has no value, and that of the scale's upper end."""
_DEAR = 0.4
"""Cost of a foothold at the upper end of the scale [s]."""
_FAR = 0.06
"""Distance from an edge at the upper end, at LittleDog's size [m]."""


@dataclass(frozen=True)
class Painted:
    """Values over the map with their scale."""

    values: Array
    """(nx, ny), in the scale's unit; not a number: none."""
    low: float
    """Lower end of the scale."""
    high: float
    """Upper end of the scale; what is above is painted like it."""
    unit: str
    """Its unit; empty: a share."""
    none: str = ""
    """What a place without a value is."""
    marks: tuple[str, ...] = ()
    """Words for the values from 0 on, where they are kinds and no scale."""


def _foothold(name: str, ground: ShownGround) -> Painted:
    costs = getattr(ground.planner.ground.costs, name)
    return Painted(np.where(np.isfinite(costs), costs, np.nan), 0.0, _DEAR, "s", "no foot may stand")


def _swath(_: str, ground: ShownGround) -> Painted:
    marks = swath(ground.planner.ground)
    values = np.full(marks.shape, np.nan)
    values[marks == USUAL], values[marks == WIDE] = 0.0, 1.0
    words = ("looked at for a foot", "looked at where nothing nearer bears a foot")
    return Painted(values, 0.0, 1.0, "", "not looked at", words)


def _around(name: str, ground: ShownGround) -> Painted:
    rules = LayerSettings().scaled(LeggedBody.of(ground.robot).leg_length / REFERENCE_LEG)
    layers = Layers.of(ground.terrain.map, rules)
    if name == "slope":
        return Painted(np.degrees(layers.slope), 0.0, 2.0 * float(np.degrees(rules.slope)), "deg")
    if name == "roughness":
        return Painted(1e3 * layers.roughness, 0.0, 2e3 * rules.unevenness, "mm")
    if name == "edge":
        far = _FAR / LayerSettings().clearance * rules.clearance
        return Painted(1e3 * np.minimum(layers.edge_distance, far), 0.0, 1e3 * far, "mm")
    return Painted(np.where(layers.traversability > 0.0, layers.traversability, np.nan), 0.0, 1.0, "", "no foot stands")


LAYERS: Mapping[str, tuple[str, Callable[[str, ShownGround], Painted]]] = {
    "front": ("cost, front feet", _foothold),
    "hind": ("cost, hind feet", _foothold),
    "swath": ("swath of the search", _swath),
    "traversability": ("traversability", _around),
    "slope": ("slope", _around),
    "roughness": ("roughness", _around),
    "edge": ("distance to an edge", _around),
}
"""Title of each layer by name, and what gives its values by name and ground."""
PLANNED = ("front", "hind", "swath")
"""Those that only a planner of footsteps has."""


def layers_of(ground: ShownGround) -> list[list[str]]:
    """Names and titles of the layers of a board."""
    if ground.floor:
        return []
    return [[name, title] for name, (title, _) in LAYERS.items() if ground.planned or name not in PLANNED]


def layer_view(ground: ShownGround, name: str) -> dict[str, Any]:
    """A layer for the page: bytes (nx, ny) in base64, 0 to 250 from low to high, 255 without a value.

    Raises:
        StudioError: The board has no such layer.
    """
    if name not in dict(layers_of(ground)):
        raise StudioError("the board has no such layer", value=name, legal=dict(layers_of(ground)))
    title, make = LAYERS[name]
    painted = make(name, ground)
    every = drawn_every(ground.terrain.heights)
    part = painted.values[::every, ::every]
    share = np.clip((np.nan_to_num(part) - painted.low) / (painted.high - painted.low), 0.0, 1.0)
    coded = np.where(np.isfinite(part), np.round(share * _MOST), _NONE).astype("u1")
    return vars(painted) | {
        "layer": name,
        "title": title,
        "values": base64_text(coded),
        # Where more is worse the scale runs from green to red, elsewhere from red to green.
        "worse": name not in ("traversability", "edge"),
    }
