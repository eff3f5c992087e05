"""Balance over time: feet, support polygon and centre of mass, worked out from the recorded ground truth.

The truth holds MuJoCo's whole state, so everything about the pose can be computed after the run instead of slowing the
run down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.robots.records import Field, Layout, Vector, axes, scalar
from andante.robots.robot import Robot
from andante.runs.logs.log import ChannelRows
from andante.spatial.polygons import convex_hull, signed_distances


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


def slips(tracks: Sequence[FootTrack], radii: Sequence[float], threshold: float) -> Vector:
    """Way that each foot slid while it carried more than ``threshold`` [N], (nf,) [m]: what every metric calls slip.

    The point of a ball foot that touches does not move while the ball rolls, although its centre does; so the turn of
    the foot times its radius is taken off.
    """
    ways = np.zeros(len(tracks))
    for leg, (track, radius) in enumerate(zip(tracks, radii, strict=True)):
        loaded = track.load > threshold
        both = loaded[1:] & loaded[:-1]
        moved = np.diff(track.position, axis=0)
        # Small turn of the foot between rows, in the world: half the skew part of R1 R0^T.
        change = track.rotation[1:] @ np.swapaxes(track.rotation[:-1], 1, 2)
        turn_x = 0.5 * (change[:, 2, 1] - change[:, 1, 2])
        turn_y = 0.5 * (change[:, 0, 2] - change[:, 2, 0])
        slid = np.hypot(moved[:, 0] - radius * turn_y, moved[:, 1] + radius * turn_x)
        ways[leg] = float(slid[both].sum())
    return ways


def balance_of(
    truth: ChannelRows,
    robot: Robot,
    tracks: Sequence[FootTrack],
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
        tracks: Place, rotation and load of each foot at each of its rows.
        threshold: Force above which a foot supports [N].
        most: Largest number of rows of the channel; longer logs are thinned evenly.
    """
    rows = np.linspace(0, len(truth.rows) - 1, min(most, len(truth.rows))).round().astype(np.intp)
    # They rise; `np.unique` would import numpy's masked arrays for it, 0.01 s.
    rows = rows[np.diff(rows, prepend=-1) > 0]
    # Slip adds up over every row; a thinned log would leave out what slid to and fro between two.
    slip = float(slips(tracks, [foot.radius for foot in robot.feet], threshold).max(initial=0.0))
    thinned = [FootTrack(each.position[rows], each.rotation[rows], each.load[rows]) for each in tracks]
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
    hulls, borne = [], []
    for index in range(len(rows)):
        points = support_at(robot, thinned, index, threshold)
        if len(points):
            values[index, 1:3] = com[index] - 0.5 * (points.min(axis=0) + points.max(axis=0))
            hulls.append(convex_hull(points))
            borne.append(index)
    on = np.array(borne, dtype=np.intp)
    values[on, 0] = signed_distances(hulls, com[on])
    for foot, track in enumerate(thinned):
        values[:, 3 + foot] = track.load
    return slip, ChannelRows(layout, truth.nanoseconds[rows], values)


def support_at(robot: Robot, tracks: Sequence[FootTrack], row: int, threshold: float) -> Vector:
    """Corners of the feet that carry something, on the ground in world axes, (k, 2) [m]; none where no foot does.

    Args:
        robot: The robot, for its sole outlines.
        tracks: Of its feet.
        row: Row of the tracks.
        threshold: Force above which a foot supports [N].
    """
    corners = [
        _outline(foot.outline, track, row)
        for foot, track in zip(robot.feet, tracks, strict=True)
        if track.load[row] > threshold
    ]
    return np.concatenate(corners) if corners else np.empty((0, 2))


def _outline(outline: tuple[tuple[float, float], ...], track: FootTrack, index: int) -> Vector:
    """A sole's outline on the ground, (k, 2); a ball foot is one point."""
    flat = np.array(outline or ((0.0, 0.0),))
    corners: Vector = track.position[index, :2] + flat @ track.rotation[index, :2, :2].T
    return corners
