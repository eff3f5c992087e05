"""The 3-D replay of a run: shapes of the world and the poses of its bodies over time, small enough for a page.

Poses come from the recorded ground truth by MuJoCo's forward kinematics. Positions are kept as 16-bit steps over the
run's extent (a tenth of a millimetre for a way of six metres), orientations as 16-bit unit quaternions.
"""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.pictures.pages import packed_array
from andante.runs.logs.log import ChannelRows

RATE = 30.0
"""Most poses per second."""
MOST_POSES = 2_400_000
"""Bytes of poses before they are packed; a longer run has fewer per second, and the page moves between them."""
MOST_FACES = 24_000
"""Triangles of all meshes together; finer ones are simplified."""
MOST_NODES = 40_000
"""Nodes of a height field."""
_FAR = 1000.0
"""A scene farther from the origin is shown about where it is [m]: graphics cards keep seven digits of a place."""
_SHOWN_GROUPS = 3
"""Groups of geoms below this are drawn, as MuJoCo does."""
_WHOLE = 32767
_GREY = np.array([0.5, 0.5, 0.5, 1.0], np.float32)
_KINDS = {0: "plane", 1: "field", 2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box", 7: "mesh"}
"""MuJoCo's geom types (mjtGeom) by number."""


def replay_scene(truth: ChannelRows, model: mujoco.MjModel, base: int) -> dict[str, Any] | None:
    """The replay as plain data; None where nothing was recorded or the states are not finite.

    Args:
        truth: The recorded truth with MuJoCo's ``qpos``.
        model: The world's model, as the run had it.
        base: Id of the body that the camera follows.
    """
    # Rows whose state is finite.
    rows = np.flatnonzero(np.isfinite(truth["qpos"]).all(axis=1))
    if not len(rows) or model.nq != truth["qpos"].shape[1]:
        return None
    moving = np.flatnonzero(model.body_weldid != 0)
    keep = _kept(len(rows), len(moving), truth.times[rows])
    rows = rows[keep]
    positions, turns, still = _poses(truth["qpos"][rows], model, moving)
    # What the ground is made of, but for the floor, which has no end and may stay.
    ground = (np.asarray(model.body_weldid)[model.geom_bodyid] == 0) & (model.geom_type != mujoco.mjtGeom.mjGEOM_PLANE)
    away = np.round(still[0][ground].mean(axis=0)) if ground.any() else np.zeros(3)
    away[2] = 0.0
    if np.abs(away).max() > _FAR:
        positions = positions - away
        still[0][ground] -= away
    low, high = positions.min(axis=(0, 1)), positions.max(axis=(0, 1))
    step = max(float((high - low).max()), 1e-3) / (2 * _WHOLE)
    poses = np.empty((len(rows), len(moving), 7), "<i2")
    poses[..., :3] = np.round((positions - low) / step) - _WHOLE
    poses[..., 3:] = np.round(turns * _WHOLE)
    number = {int(body): index for index, body in enumerate(moving)}
    shapes, fields, meshes = _shapes(model, number, still)
    return {
        "times": packed_array(truth.times[rows].astype("<f4")),
        "count": len(rows),
        "bodies": len(moving),
        "low": low.tolist(),
        "step": step,
        "poses": packed_array(np.ascontiguousarray(poses.transpose(1, 2, 0))),
        "shapes": shapes,
        "fields": fields,
        "meshes": meshes,
        "follow": number.get(base, 0),
        "size": _size(model, base),
    }


def _kept(count: int, bodies: int, times: NDArray[np.float64]) -> NDArray[np.intp]:
    """Which rows are shown: evenly over time, `RATE` per second, fewer where they would take too much room."""
    span = float(times[-1] - times[0])
    most = max(2, MOST_POSES // max(14 * bodies, 1))
    wanted = min(count, most, math.ceil(span * RATE) + 1)
    if wanted == count:
        return np.arange(count)
    moments = np.linspace(times[0], times[-1], wanted)
    found = np.clip(np.searchsorted(times, moments - 1e-9), 0, count - 1)
    # They rise; `np.unique` would import numpy's masked arrays for it, 0.01 s.
    return np.asarray(found[np.diff(found, prepend=-1) > 0])


def _poses(
    states: NDArray[np.float64], model: mujoco.MjModel, moving: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Positions (n, m, 3) [m] and quaternions (n, m, 4) of moving bodies; place and turn of all geoms at the start."""
    data = mujoco.MjData(model)
    positions = np.empty((len(states), len(moving), 3))
    turns = np.empty((len(states), len(moving), 4))
    still = (np.zeros((0, 3)), np.zeros((0, 9)))
    for row, state in enumerate(states):
        data.qpos[:] = state
        mujoco.mj_kinematics(model, data)
        positions[row], turns[row] = data.xpos[moving], data.xquat[moving]
        if row == 0:
            still = data.geom_xpos.copy(), data.geom_xmat.copy()
    # Both signs are the same orientation; the page moves between poses and needs the nearer one.
    flips = np.where((turns[1:] * turns[:-1]).sum(axis=-1) < 0.0, -1.0, 1.0)
    turns[1:] *= np.cumprod(flips, axis=0)[..., None]
    return positions, turns, still


def _shapes(
    model: mujoco.MjModel, number: dict[int, int], still: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    """Primitives, height fields and meshes; what does not move has its place in the world."""
    shapes: list[dict[str, Any]] = []
    fields: list[dict[str, Any]] = []
    used: dict[int, int] = {}
    for geom in np.flatnonzero(_shown(model)):
        kind = _KINDS.get(int(model.geom_type[geom]))
        colour = _colour(model, int(geom))
        if kind is None or colour[3] == 0.0:
            continue
        body = number.get(int(model.geom_bodyid[geom]), -1)
        at, turn = _place(model, int(geom), body < 0, still)
        shape: dict[str, Any] = {
            "kind": kind,
            "body": body,
            "size": _short(model.geom_size[geom]),
            "at": at,
            "turn": turn,
            "colour": _short(colour),
        }
        if kind == "field":
            fields.append(shape | _field(model, int(model.geom_dataid[geom])))
            continue
        if kind == "mesh":
            shape["mesh"] = used.setdefault(int(model.geom_dataid[geom]), len(used))
        shapes.append(shape)
    faces = sum(int(model.mesh_facenum[mesh]) for mesh in used)
    meshes = [_mesh(model, mesh, min(1.0, MOST_FACES / max(faces, 1))) for mesh in used]
    return shapes, fields, meshes


def _shown(model: mujoco.MjModel) -> NDArray[np.bool_]:
    """Which geoms are drawn: those of the shown groups, and all of a robot that has none there."""
    shown = np.asarray(model.geom_group) < _SHOWN_GROUPS
    root = np.asarray(model.body_rootid)[np.asarray(model.geom_bodyid)]
    for body in sorted(set(root.tolist())):
        if not shown[root == body].any():
            shown[root == body] = True
    return shown


def _colour(model: mujoco.MjModel, geom: int) -> NDArray[np.float32]:
    """Red, green, blue, opacity; the material's where the geom has none of its own."""
    own = np.asarray(model.geom_rgba[geom])
    material = int(model.geom_matid[geom])
    return np.asarray(model.mat_rgba[material]) if material >= 0 and np.array_equal(own, _GREY) else own


def _place(
    model: mujoco.MjModel, geom: int, fixed: bool, still: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> tuple[list[float], list[float]]:
    """Position [m] and quaternion of a geom, in its body, or in the world where it does not move."""
    if not fixed:
        return _short(model.geom_pos[geom]), _short(model.geom_quat[geom])
    turn = np.empty(4)
    mujoco.mju_mat2Quat(turn, still[1][geom])
    return _short(still[0][geom]), _short(turn)


def _field(model: mujoco.MjModel, field: int) -> dict[str, Any]:
    """Heights of a field, thinned to `MOST_NODES`, as 16-bit steps of its highest one."""
    rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    begin = int(model.hfield_adr[field])
    heights = np.asarray(model.hfield_data[begin : begin + rows * columns]).reshape(rows, columns)
    stride = math.ceil(math.sqrt(rows * columns / MOST_NODES))
    # The last row and column stay, so that the field keeps its size.
    along = np.unique([*range(0, rows, stride), rows - 1])
    across = np.unique([*range(0, columns, stride), columns - 1])
    thin = heights[np.ix_(along, across)]
    size = np.asarray(model.hfield_size[field])
    return {
        "x": (size[0] * (2.0 * across / max(columns - 1, 1) - 1.0)).round(5).tolist(),
        "y": (size[1] * (2.0 * along / max(rows - 1, 1) - 1.0)).round(5).tolist(),
        "height": float(size[2]),
        "heights": packed_array(np.round(np.clip(thin, 0.0, 1.0) * 65535.0).astype("<u2")),
    }


def _mesh(model: mujoco.MjModel, mesh: int, share: float) -> dict[str, Any]:
    """A mesh with at most this share of its triangles, corners as 16-bit steps of its extent."""
    begin, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    points = np.asarray(model.mesh_vert[begin : begin + count], dtype=np.float64)
    first, faces = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    corners = np.asarray(model.mesh_face[first : first + faces], dtype=np.int64)
    points, corners = simplified(points, corners, max(int(share * faces), 12))
    low = points.min(axis=0)
    step = max(float((points.max(axis=0) - low).max()), 1e-6) / 65535.0
    return {
        "low": low.tolist(),
        "step": step,
        "points": packed_array(np.round((points - low) / step).astype("<u2")),
        "faces": packed_array(corners.astype("<u4")),
    }


def simplified(
    points: NDArray[np.float64], faces: NDArray[np.int64], most: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A mesh of at most about ``most`` triangles: corners that share a cell of a grid become one, at their mean.

    Args:
        points: Corners, (n, 3) [m].
        faces: Indices of each triangle's corners, (m, 3).
        most: Triangles that are left; the grid is made coarser until they are no more, down to 4 cells along the
            longest side.
    """
    if len(faces) <= most:
        return points, faces
    low = points.min(axis=0)
    span = max(float((points.max(axis=0) - low).max()), 1e-9)
    cells = 96.0
    while True:
        owner = _numbered(np.floor((points - low) / span * cells * 0.999).astype(np.int64), int(cells) + 1)
        left = owner[faces]
        whole = (left[:, 0] != left[:, 1]) & (left[:, 1] != left[:, 2]) & (left[:, 0] != left[:, 2])
        left = left[whole]
        if len(left) <= most or cells <= 4.0:
            counts = np.bincount(owner)
            means = np.stack([np.bincount(owner, points[:, axis]) / counts for axis in range(3)], axis=1)
            return means, left
        cells = max(4.0, 0.8 * cells)


def _numbered(keys: NDArray[np.int64], base: int) -> NDArray[np.int64]:
    """The number of each row's cell, (n,), among the cells that are used, in their order.

    Args:
        keys: Cells, (n, 3), each from 0 to ``base`` - 1.
        base: Cells along a side.
    """
    # One number for each cell: to sort rows of three took ten times as long, a third of a report of meshes.
    owner: NDArray[np.int64] = np.unique((keys[:, 0] * base + keys[:, 1]) * base + keys[:, 2], return_inverse=True)[1]
    return owner


def _size(model: mujoco.MjModel, base: int) -> float:
    """Diagonal of the robot in its reference posture [m], for the camera's distance."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    own = np.asarray(model.body_rootid)[np.asarray(model.geom_bodyid)] == model.body_rootid[base]
    centres = data.geom_xpos[own]
    return float(np.linalg.norm(centres.max(axis=0) - centres.min(axis=0))) if own.any() else 1.0


def _short(values: NDArray[np.generic]) -> list[float]:
    return [float(f"{float(value):.6g}") for value in values]
