"""Balance over time: feet, support polygon and centre of mass, worked out from the recorded ground truth.

The truth holds MuJoCo's whole state, so everything about the pose can be computed after the run instead of slowing the
run down.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.robots.records import Field, Layout, Vector, axes, scalar
from andante.robots.robot import Robot
from andante.runs.log import ChannelRows
from andante.spatial.polygons import convex_hull, signed_distance


@dataclass(frozen=True)
class FootTrack:
    """Where one foot was and what it carried."""

    position: Vector
    """Sole origin in the world, (n, 3) [m]."""
    rotation: Vector
    """Sole axes in the world as columns, (n, 3, 3)."""
    load: Vector
    """Vertical force on the foot, (n,) [N]."""


def foot_tracks(truth: ChannelRows, robot: Robot, model: mujoco.MjModel, rows: NDArray[np.intp]) -> list[FootTrack]:
    """The track of each foot at the given rows of the truth.

    Args:
        truth: The recorded truth.
        robot: The robot.
        model: The world's model, as the run had it.
        rows: Indices of the rows to work out.
    """
    data = mujoco.MjData(model)
    sites = [model.site(foot.site).id for foot in robot.feet]
    position = np.empty((len(sites), len(rows), 3))
    rotation = np.empty((len(sites), len(rows), 3, 3))
    qpos = truth["qpos"]
    for index, row in enumerate(rows):
        data.qpos[:] = qpos[row]
        mujoco.mj_kinematics(model, data)
        position[:, index] = data.site_xpos[sites]
        rotation[:, index] = data.site_xmat[sites].reshape(-1, 3, 3)
    force = truth["foot_force"][rows].reshape(len(rows), len(sites), 3)
    return [FootTrack(position[i], rotation[i], force[:, i, 2]) for i in range(len(sites))]


def slip_of(tracks: list[FootTrack], threshold: float) -> float:
    """Largest horizontal way that one foot slid while it carried more than ``threshold`` [N]; [m]."""
    slips = [0.0]
    for track in tracks:
        loaded = track.load > threshold
        steps = np.linalg.norm(np.diff(track.position[:, :2], axis=0), axis=1)
        slips.append(float(steps[loaded[1:] & loaded[:-1]].sum()))
    return max(slips)


def balance_of(
    truth: ChannelRows,
    robot: Robot,
    model: mujoco.MjModel,
    *,
    threshold: float = 1.0,
    most: int = 2000,
) -> tuple[float, ChannelRows]:
    """The largest slip of a foot, and support and centre of mass over time as a channel of its own.

    Columns: ``margin`` is the distance of the centre of mass, projected on the ground, from the edge of the support
    polygon (positive inside) [m], NaN without support; ``com`` is that point seen from the middle of the support,
    world axes [m]; ``load`` is the vertical force per foot [N].

    Args:
        truth: The recorded truth, at least one row.
        robot: The robot, for its sole outlines.
        model: The world's model, as the run had it.
        threshold: Force above which a foot supports [N].
        most: Largest number of rows; longer logs are thinned evenly.
    """
    rows = np.unique(np.linspace(0, len(truth.rows) - 1, min(most, len(truth.rows))).round().astype(np.intp))
    tracks = foot_tracks(truth, robot, model, rows)
    layout = Layout(
        "balance",
        (
            scalar("margin", "m"),
            axes("com", "m", ("x", "y")),
            Field("load", tuple(foot.name for foot in robot.feet), "N"),
        ),
    )
    values = np.full((len(rows), layout.size), np.nan)
    com = truth["com"][rows, :2]
    for index in range(len(rows)):
        corners = [
            _outline(foot.outline, track, index)
            for foot, track in zip(robot.feet, tracks, strict=True)
            if track.load[index] > threshold
        ]
        if corners:
            points = np.concatenate(corners)
            values[index, 1:3] = com[index] - 0.5 * (points.min(axis=0) + points.max(axis=0))
            values[index, 0] = float(signed_distance(convex_hull(points), com[index]))
        values[index, 3:] = [track.load[index] for track in tracks]
    return slip_of(tracks, threshold), ChannelRows(layout, truth.nanoseconds[rows], values)


def _outline(outline: tuple[tuple[float, float], ...], track: FootTrack, index: int) -> Vector:
    """A sole's outline on the ground, (k, 2); a ball foot is one point."""
    flat = np.array(outline or ((0.0, 0.0),))
    corners: Vector = track.position[index, :2] + flat @ track.rotation[index, :2, :2].T
    return corners
