"""Meshes out of all proportion to a robot's joints, as those in millimetres that a file takes for metres."""

from __future__ import annotations

import mujoco
import numpy as np

from andante.robots.bare.limbs import BodyTree

_TIMES = 10.0
"""A mesh this many times as long as all joints are apart is no part of a robot."""
_NAMED = 3
"""Most bodies that are named."""


def told_sizes(tree: BodyTree) -> str:
    """Which bodies have such meshes, and how long the longest is; empty: none."""
    model = tree.model
    hinges = [joint for body in tree.below(tree.base) for joint in tree.hinges(body)]
    if not hinges:
        return ""
    apart = float(np.ptp(np.array(tree.data.xanchor[hinges]), axis=0).max())
    meshes = np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_MESH)
    lengths = 2.0 * model.geom_aabb[meshes, 3:].max(axis=1, initial=0.0)
    large = meshes[lengths > _TIMES * apart]
    if not len(large):
        return ""
    names = list(dict.fromkeys(model.body(int(model.geom_bodyid[geom])).name for geom in large))
    more = ", ..." if names[_NAMED:] else ""
    return (
        f"meshes of {', '.join(names[:_NAMED])}{more} are up to {float(lengths.max()):.3g} m long, where all joints are"
        f' within {apart:.3g} m: if they are in millimetres, scale="0.001 0.001 0.001" makes them metres'
    )
