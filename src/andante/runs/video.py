"""Video: a run's recorded ground truth as MP4, rendered by MuJoCo without a screen.

Shadows, reflections and anti-aliasing are off: on a computer without a graphics card they cost a factor of seven and
show nothing that a motion is judged by.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.runs.encoder import encode
from andante.runs.errors import VideoError
from andante.runs.log import ChannelRows

_ROOM = 1.35
"""The camera's distance over the one from which the middles of the robot's shapes just fit into the picture."""
_FOLLOW = 0.25
"""Time constant with which the camera follows the base [s]."""


def make_video(
    path: Path,
    truth: ChannelRows,
    model: mujoco.MjModel,
    *,
    fps: int = 30,
    size: tuple[int, int] = (640, 480),
    progress: Callable[[float, float], None] | None = None,
) -> None:
    """Render the truth into an MP4 file in real speed.

    Args:
        path: The file; overwritten.
        truth: The recorded truth with MuJoCo's ``qpos``.
        model: The world's model, as the run had it.
        fps: Pictures per second.
        size: Width and height, both even [px].
        progress: Told the time rendered and the whole time [s].

    Raises:
        VideoError: Nothing was recorded, the encoder is missing or failed, or the file cannot be written.
        GraphicsError: There is no library for drawing without a screen.
    """
    if len(truth.rows) == 0:
        raise VideoError("there is nothing to show: no ground truth was recorded", place=str(path))
    end = float(truth.times[-1])

    def told() -> Iterator[NDArray[np.uint8]]:
        for moment, picture in _pictures(truth, model, fps, size):
            yield picture
            if progress is not None:
                progress(moment, end)

    encode(path, told(), fps, size)


def _pictures(
    truth: ChannelRows, model: mujoco.MjModel, fps: int, size: tuple[int, int]
) -> Iterator[tuple[float, NDArray[np.uint8]]]:
    """Time and picture, (height, width, 3), of each frame."""
    from andante.robots.graphics import offscreen_renderer

    data = mujoco.MjData(model)
    times, qpos = truth.times, truth["qpos"]
    moments = np.arange(times[0], times[-1] + 0.5 / fps, 1.0 / fps)
    rows = np.clip(np.searchsorted(times, moments - 1e-9), 0, len(times) - 1)
    shape = _Shape(model)
    height, radius = shape.size(qpos[rows[:: max(1, len(rows) // 60)]])
    camera = mujoco.MjvCamera()
    camera.azimuth, camera.elevation = 135.0, -18.0
    camera.distance = _ROOM * radius / math.sin(0.5 * math.radians(float(model.vis.global_.fovy)))
    target = np.append(qpos[rows[0], :2], shape.lowest(qpos[rows[0]]))
    share = 1.0 - float(np.exp(-1.0 / (fps * _FOLLOW)))
    with offscreen_renderer(model, *size) as renderer:
        renderer.scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = 0
        for moment, row in zip(moments, rows, strict=True):
            data.qpos[:] = qpos[row]
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mj_camlight(model, data)
            target += share * (np.append(qpos[row, :2], shape.lowest(qpos[row])) - target)
            camera.lookat[:] = (target[0], target[1], target[2] + 0.5 * height)
            renderer.update_scene(data, camera)
            yield float(moment), renderer.render()


class _Shape:
    """The space that the robot takes up."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self._model, self._data = model, mujoco.MjData(model)
        root = model.body_rootid[model.geom_bodyid]
        self._own = root == root[root > 0].min() if (root > 0).any() else root >= 0

    def size(self, postures: NDArray[np.float64]) -> tuple[float, float]:
        """Largest height, and largest radius around the middle, over postures (n, nq) [m]."""
        boxes = [self._box(posture) for posture in postures]
        sides = np.array([high - low for low, high in boxes])
        return float(sides[:, 2].max()), max(0.5 * float(np.linalg.norm(sides, axis=1).max()), 0.05)

    def lowest(self, posture: NDArray[np.float64]) -> float:
        """Height of the lowest shape's middle [m]."""
        return float(self._box(posture)[0][2])

    def _box(self, posture: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The corners of the box around the middles of the shapes."""
        self._data.qpos[:] = posture
        mujoco.mj_kinematics(self._model, self._data)
        centres = self._data.geom_xpos[self._own]
        return centres.min(axis=0), centres.max(axis=0)
