"""Meshes out of all proportion to a robot's joints, as those in another unit that a file takes for metres."""

from __future__ import annotations

import mujoco
import numpy as np

from andante.robots.bare.limbs import BodyTree

_TIMES = 10.0
"""A mesh this many times as long as all joints are apart is no part of a robot."""
_NAMED = 3
"""Most bodies that are named."""


def told_sizes(tree: BodyTree) -> tuple[str, float]:
    """Which bodies have such meshes, empty where none has, and how long the longest is beside the joints' distances."""
    model = tree.model
    hinges = [joint for body in tree.below(tree.base) for joint in tree.hinges(body)]
    if not hinges:
        return "", 0.0
    apart = float(np.ptp(np.array(tree.data.xanchor[hinges]), axis=0).max())
    meshes = np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_MESH)
    lengths = 2.0 * model.geom_aabb[meshes, 3:].max(axis=1, initial=0.0)
    large = meshes[lengths > _TIMES * apart]
    if not len(large):
        return "", 0.0
    names = list(dict.fromkeys(model.body(int(model.geom_bodyid[geom])).name for geom in large))
    longest = float(lengths.max())
    more = ", ..." if names[_NAMED:] else ""
    return (
        f"meshes of {', '.join(names[:_NAMED])}{more} are up to {longest:.3g} m long, where all joints are within"
        f" {apart:.3g} m",
        longest / apart if apart > 0.0 else longest,
    )
