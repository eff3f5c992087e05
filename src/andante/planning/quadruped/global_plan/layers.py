"""Layers of a map for the body of a dynamic quadruped, which chooses its footholds later."""

from __future__ import annotations

from andante.kinematics.reference_leg import REFERENCE_LEG
from andante.planning.quadruped.global_plan.settings import LEG
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.layers import Layers, LayerSettings

LAYERS = LayerSettings(
    radius=0.068, slope=0.57, unevenness=0.03, edge=0.1, pit_width=0.455, pit_depth=0.136, mends=True
)
"""What is uneven within a stride is no obstacle to a body, and leaps cross pits: narrower than 1 m and deeper than
30 cm for legs of `LEG`."""
SPACING = 0.02
"""Distance of the layers' nodes for legs of `LEG` [m]."""


def body_layers(known: ElevationMap, leg_length: float) -> Layers:
    """Layers of a map for legs of a length [m]; a map that is coarser than `SPACING` keeps its own nodes."""
    thin = known.thinned(SPACING * leg_length / LEG)
    return Layers.of(thin, LAYERS.scaled(leg_length / REFERENCE_LEG))
