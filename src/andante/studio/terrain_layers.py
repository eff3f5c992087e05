"""Layers over the ground that the terrain page paints, each with its unit and the ends of its scale."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.kinematics.leg_table import LeggedBody
from andante.planning.footsteps.swath import USUAL, WIDE, swath
from andante.studio.errors import StudioError
from andante.studio.terrain_board import base64_text, drawn_every
from andante.studio.terrain_ground import Ground
from andante.terrain.boards.course import REFERENCE_LEG
from andante.terrain.layers import FootholdRules, Layers

Array = NDArray[np.float64]
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


def _foothold(name: str) -> Callable[[Ground], Painted]:
    def made(ground: Ground) -> Painted:
        check = ground.check
        if check is None:
            raise StudioError("nobody plans footsteps here", value=name)
        costs = check.ground.costs.front if name == "front" else check.ground.costs.hind
        return Painted(np.where(np.isfinite(costs), costs, np.nan), 0.0, _DEAR, "s", "no foot may stand")

    return made


def _swath(ground: Ground) -> Painted:
    if ground.check is None:
        raise StudioError("nobody plans footsteps here", value="swath")
    marks = swath(ground.check.ground)
    values = np.full(marks.shape, np.nan)
    values[marks == USUAL], values[marks == WIDE] = 0.0, 1.0
    words = ("looked at for a foot", "looked at where nothing nearer bears a foot")
    return Painted(values, 0.0, 1.0, "", "not looked at", words)


def _rules(ground: Ground) -> FootholdRules:
    return FootholdRules().scaled(LeggedBody.of(ground.robot).leg_length / REFERENCE_LEG)


def _around(name: str) -> Callable[[Ground], Painted]:
    def made(ground: Ground) -> Painted:
        rules = _rules(ground)
        layers = Layers.of(ground.terrain.heights, rules)
        if name == "slope":
            return Painted(np.degrees(layers.slope), 0.0, 2.0 * float(np.degrees(rules.slope)), "deg")
        if name == "roughness":
            return Painted(1e3 * layers.roughness, 0.0, 2e3 * rules.unevenness, "mm")
        if name == "edge":
            far = _FAR / FootholdRules().clearance * rules.clearance
            return Painted(1e3 * np.minimum(layers.edge_distance, far), 0.0, 1e3 * far, "mm")
        return Painted(
            np.where(layers.traversability > 0.0, layers.traversability, np.nan), 0.0, 1.0, "", "no foot stands"
        )

    return made


LAYERS: Mapping[str, tuple[str, Callable[[Ground], Painted]]] = {
    "front": ("cost, front feet", _foothold("front")),
    "hind": ("cost, hind feet", _foothold("hind")),
    "swath": ("swath of the search", _swath),
    "traversability": ("traversability", _around("traversability")),
    "slope": ("slope", _around("slope")),
    "roughness": ("roughness", _around("roughness")),
    "edge": ("distance to an edge", _around("edge")),
}
"""Title and values of each layer by name."""
PLANNED = ("front", "hind", "swath")
"""Those that only a planner of footsteps has."""


def layers_of(ground: Ground) -> list[list[str]]:
    """Names and titles of the layers of a board."""
    if ground.floor:
        return []
    return [[name, title] for name, (title, _) in LAYERS.items() if ground.check is not None or name not in PLANNED]


def layer_view(ground: Ground, name: str) -> dict[str, Any]:
    """A layer for the page: bytes (nx, ny) in base64, 0 to 250 from low to high, 255 without a value.

    Raises:
        StudioError: The board has no such layer.
    """
    if name not in dict(layers_of(ground)):
        raise StudioError("the board has no such layer", value=name, legal=dict(layers_of(ground)))
    title, make = LAYERS[name]
    painted = make(ground)
    every = drawn_every(ground.terrain.heights)
    part = painted.values[::every, ::every]
    share = np.clip((np.nan_to_num(part) - painted.low) / (painted.high - painted.low), 0.0, 1.0)
    coded = np.where(np.isfinite(part), np.round(share * _MOST), _NONE).astype("u1")
    return {
        "layer": name,
        "title": title,
        "values": base64_text(coded),
        "low": painted.low,
        "high": painted.high,
        "unit": painted.unit,
        "none": painted.none,
        "marks": list(painted.marks),
        # Where more is worse the scale runs from green to red, elsewhere from red to green.
        "worse": name not in ("traversability", "edge"),
    }
