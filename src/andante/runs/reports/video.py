"""Video: pictures as MP4 or animated WebP, and a run's recorded ground truth as MP4, rendered without a screen.

MuJoCo draws, the encoder that comes with imageio-ffmpeg (the extra ``video``) encodes. Shadows, reflections and
anti-aliasing are off: on a computer without a graphics card they cost a factor of seven and show nothing that a motion
is judged by.
"""

from __future__ import annotations

import copy
import math
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.errors import install
from andante.runs.errors import VideoError, refused
from andante.runs.logs.log import ChannelRows

_MP4 = (
    *("-an", "-c:v", "libx264", "-preset", "veryfast", "-crf", "24"),
    *("-pix_fmt", "yuv420p", "-movflags", "+faststart"),
)
_WEBP = ("-an", "-c:v", "libwebp_anim", "-q:v", "80", "-loop", "0", "-pix_fmt", "yuv420p")
_ROOM = 1.35
"""The camera's distance over the one from which the middles of the robot's shapes just fit into the picture."""
_FOLLOW = 0.25
"""Time constant with which the camera follows the base [s]."""
_NEAR = 1000.0
"""Within so far of the origin everything is drawn [m]: pictures are made in single precision, whose numbers near five
million metres, as maps of surveys have them, are half a metre apart."""


def encode(path: Path, pictures: Iterable[NDArray[np.uint8]], fps: int, size: tuple[int, int]) -> None:
    """Write pictures into a video file: animated WebP where the name ends in .webp, MP4 otherwise.

    Args:
        path: The file; replaced when the video is complete.
        pictures: Red, green, blue, (height, width, 3) each.
        fps: Pictures per second.
        size: Width and height, both even [px].

    Raises:
        VideoError: The encoder is missing or failed, or the file cannot be written.
    """
    part = path.with_name(f".{path.stem}.new{path.suffix}")
    try:
        with refused(VideoError, "the video cannot be written", path):
            _encode(part, path, pictures, fps, size)
            os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def _encode(part: Path, path: Path, pictures: Iterable[NDArray[np.uint8]], fps: int, size: tuple[int, int]) -> None:
    """Let the encoder write ``part`` of the video that will be ``path``."""
    with tempfile.TemporaryFile() as complaints:
        encoder = _encoder(part, fps, size, complaints)
        try:
            for picture in pictures:
                cast("IO[bytes]", encoder.stdin).write(picture.tobytes())
            encoder.communicate()
            failed = encoder.returncode != 0
        except BrokenPipeError:
            failed = True
        finally:
            if encoder.poll() is None:
                encoder.kill()
            encoder.wait()
        if failed:
            raise VideoError("the encoder could not write the video", place=str(path), value=_last_line(complaints))


def _encoder(path: Path, fps: int, size: tuple[int, int], complaints: IO[bytes]) -> subprocess.Popen[bytes]:
    try:
        import imageio_ffmpeg
    except ModuleNotFoundError:
        raise VideoError("videos need imageio-ffmpeg, which is not installed", remedy=install("video")) from None
    try:
        program = imageio_ffmpeg.get_ffmpeg_exe()
    except RuntimeError:
        raise VideoError(
            "no video encoder was found", remedy="install ffmpeg, or reinstall the package imageio-ffmpeg"
        ) from None
    pixels = f"{size[0]}x{size[1]}"
    source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", pixels, "-r", str(fps), "-i", "-"]
    target = _WEBP if path.suffix.lower() == ".webp" else _MP4
    command = [program, "-y", "-loglevel", "error", *source, *target, str(path)]
    with refused(VideoError, "the video encoder cannot be started", program):
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=complaints)


def _last_line(complaints: Any) -> str:
    complaints.seek(0)
    lines = complaints.read(100_000).decode(errors="replace").strip().splitlines()
    return str(lines[-1]) if lines else "no reason given"


def make_video(
    path: Path,
    truth: ChannelRows,
    model: mujoco.MjModel,
    *,
    fps: int = 30,
    size: tuple[int, int] = (640, 480),
) -> None:
    """Render the truth into an MP4 file in real speed.

    Args:
        path: The file; overwritten.
        truth: The recorded truth with MuJoCo's ``qpos``.
        model: The world's model, as the run had it.
        fps: Pictures per second.
        size: Width and height, both even [px].

    Raises:
        VideoError: Nothing was recorded, the encoder is missing or failed, or the file cannot be written.
        GraphicsError: There is no library for drawing without a screen.
    """
    if len(truth.rows) == 0:
        raise VideoError("there is nothing to show: no ground truth was recorded", place=str(path))
    encode(path, (picture for _, picture in pictures_of(truth, model, fps, size)), fps, size)


def pictures_of(
    truth: ChannelRows, model: mujoco.MjModel, fps: int, size: tuple[int, int]
) -> Iterator[tuple[float, NDArray[np.uint8]]]:
    """Time [s] and picture, (height, width, 3), of each frame of a run.

    Args:
        truth: The recorded truth with MuJoCo's ``qpos``.
        model: The world's model, as the run had it.
        fps: Pictures per second.
        size: Width and height [px].

    Raises:
        GraphicsError: There is no library for drawing without a screen.
    """
    times, qpos = truth.times, truth["qpos"]
    moments = np.arange(times[0], times[-1] + 0.5 / fps, 1.0 / fps)
    rows = np.clip(np.searchsorted(times, moments - 1e-9), 0, len(times) - 1)
    share = 1.0 - float(np.exp(-1.0 / (fps * _FOLLOW)))
    yield from zip(map(float, moments), rendered(qpos[rows], model, size, share), strict=True)


def rendered(
    qpos: NDArray[np.float64], model: mujoco.MjModel, size: tuple[int, int], share: float = 1.0, azimuth: float = 135.0
) -> Iterator[NDArray[np.uint8]]:
    """A picture, (height, width, 3), of each state, by a camera that follows the robot.

    Args:
        qpos: States, (n, nq).
        model: The world's model.
        size: Width and height [px].
        share: Share of the way to the robot's place that the camera makes from picture to picture.
        azimuth: From where it looks [deg].

    Raises:
        GraphicsError: There is no library for drawing without a screen.
    """
    with following_camera(model, size, qpos, share, azimuth) as picture:
        for state in qpos:
            yield picture(state)


@contextmanager
def following_camera(
    model: mujoco.MjModel,
    size: tuple[int, int],
    postures: NDArray[np.float64],
    share: float = 1.0,
    azimuth: float = 135.0,
) -> Iterator[Callable[[NDArray[np.float64]], NDArray[np.uint8]]]:
    """Gives the picture, (height, width, 3), of one state, (nq,), after the other, by a camera that follows the robot.

    Args:
        model: The world's model.
        size: Width and height [px].
        postures: States that tell how much room the robot takes, (n, nq); the camera begins at the first.
        share: Share of the way to the robot's place that the camera makes from picture to picture.
        azimuth: From where it looks [deg].

    Raises:
        GraphicsError: There is no library for drawing without a screen.
    """
    from andante.robots.graphics import offscreen_renderer

    shape = _Shape(model)
    height, radius = shape.size(postures[:: max(1, len(postures) // 60)])
    camera = mujoco.MjvCamera()
    camera.azimuth, camera.elevation = azimuth, -18.0
    camera.distance = _ROOM * radius / math.sin(0.5 * math.radians(float(model.vis.global_.fovy)))
    target = np.append(postures[0, :2], shape.lowest(postures[0]))
    far = _NEAR * np.trunc(target / _NEAR)
    if far.any():
        model = shape.seen_from(target)
    data = mujoco.MjData(model)
    placed = (data.xpos, data.xipos, data.geom_xpos, data.site_xpos, data.cam_xpos, data.light_xpos, data.subtree_com)
    option = mujoco.MjvOption()
    option.sitegroup[:] = 0
    if not shape.seen(option.geomgroup):
        # Shapes that only collide are in groups that nobody draws; a robot that has no others is drawn by them.
        option.geomgroup[:] = 1
    with offscreen_renderer(model, *size) as renderer:
        renderer.scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = 0

        def picture(state: NDArray[np.float64]) -> NDArray[np.uint8]:
            data.qpos[:] = state
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mj_camlight(model, data)
            target[:] += share * (np.append(state[:2], shape.lowest(state)) - target)
            if far.any():
                for places in placed:
                    places -= far
            camera.lookat[:] = target - far
            camera.lookat[2] += 0.5 * height
            renderer.update_scene(data, camera, option)
            drawn: NDArray[np.uint8] = renderer.render()
            return drawn

        yield picture


class _Shape:
    """The space that the robot takes up."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self._model, self._data = model, mujoco.MjData(model)
        root = model.body_rootid[model.geom_bodyid]
        self._own = root == root[root > 0].min() if (root > 0).any() else root >= 0

    def seen(self, groups: NDArray[np.uint8]) -> bool:
        """Whether at least half of the parts have a shape in a group that is drawn, and not transparent."""
        own = np.flatnonzero(self._own)
        there = groups[self._model.geom_group[own]].astype(bool) & (self._model.geom_rgba[own, 3] > 0.0)
        bodies = self._model.geom_bodyid[own]
        return 2 * len(set(bodies[there].tolist())) >= len(set(bodies.tolist()))

    def size(self, postures: NDArray[np.float64]) -> tuple[float, float]:
        """Largest height, and largest radius around the middle, over postures (n, nq) [m]."""
        boxes = [self._box(posture) for posture in postures]
        sides = np.array([high - low for low, high in boxes])
        return float(sides[:, 2].max()), max(0.5 * float(np.linalg.norm(sides, axis=1).max()), 0.05)

    def seen_from(self, place: NDArray[np.float64]) -> mujoco.MjModel:
        """The model with the extent around a place (3,) [m], of which the planes near and far are shares."""
        model = copy.copy(self._model)
        solid = model.geom_type != mujoco.mjtGeom.mjGEOM_PLANE
        away = np.linalg.norm(self._data.geom_xpos[solid] - place, axis=1) + model.geom_rbound[solid]
        model.stat.extent = min(model.stat.extent, 2.0 * float(away.max()))
        return model

    def lowest(self, posture: NDArray[np.float64]) -> float:
        """Height of the lowest shape's middle [m]."""
        return float(self._box(posture)[0][2])

    def _box(self, posture: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The corners of the box around the middles of the shapes."""
        self._data.qpos[:] = posture
        mujoco.mj_kinematics(self._model, self._data)
        centres = self._data.geom_xpos[self._own]
        return centres.min(axis=0), centres.max(axis=0)
