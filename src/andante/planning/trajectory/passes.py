"""The loops over all steps of one pass, compiled."""

from __future__ import annotations

import numpy as np

from andante.kinematics.leg_table import LegTable
from andante.planning.feasibility.scene import Scene
from andante.planning.trajectory.support_kernels import held_inside
from andante.planning.trajectory.swing_path import swing_path
from andante.planning.trajectory.time_law import time_law
from andante.spatial.arrays import Array1, Array2, Array3, Index1, Index2
from andante.spatial.compiled import entry


@entry
def node_supports(feet: Array3, samples: Index2, legs: Index1, margin: float, zmp: Array3, heights: Array2) -> None:
    """Hold the zero moment points of all steps inside their supports.

    Args:
        feet: Centres of the feet, (n, nl, 3) [m].
        samples: Rows of ``feet`` at lift-off and landing of each step, (k, 2).
        legs: Row of each step's leg, (k,).
        margin: Wanted distance from the support's edge [m].
        zmp: Wanted points, (k, 2, 2) [m]; get those inside.
        heights: Gets the heights of the support there, (k, 2) [m].
    """
    for step in range(len(legs)):
        for end in range(2):
            heights[step, end] = held_inside(feet[samples[step, end]], legs[step], margin, zmp[step, end])


@entry
def draw_paths(
    scene: Scene,
    starts: Array2,
    places: Array2,
    lifts: Array1,
    wide: Array1,
    back: Array1,
    aside: Array2,
    paths: Array3,
) -> None:
    """`swing_path` of all steps, (k, 3), (k, 3), (k,), (k,), (k,), (k, 2) to (k, m, 3)."""
    for step in range(len(lifts)):
        swing_path(scene, starts[step], places[step], lifts[step], wide[step], back[step], aside[step], paths[step])


@entry
def draw_laws(
    table: LegTable,
    speeds: Array2,
    legs: Index1,
    paths: Array3,
    position: Array2,
    rpy: Array2,
    samples: Index2,
    ramps: Array1,
    air: bool,
    laws: Array2,
    ways: Array1,
) -> None:
    """`time_law` of all steps; ``ways`` (k,) [s] gets the times that the joints need at declared speed."""
    for step in range(len(legs)):
        leg = legs[step]
        ways[step] = time_law(
            table,
            speeds[leg],
            leg,
            paths[step],
            position,
            rpy,
            samples[step, 0],
            samples[step, 1],
            ramps[step],
            air and step == 0,
            laws[step],
        )


@entry
def part_worst(values: Array1, knots: Index1, worst: Array1) -> None:
    """Largest value (n,) of each part between knots (k + 1,), the later knot's own counted; into (k,)."""
    for part in range(len(knots) - 1):
        worst[part] = -np.inf
        for j in range(knots[part] + 1, knots[part + 1] + 1):
            worst[part] = max(worst[part], values[j])
