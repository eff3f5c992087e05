"""From pictures to a video file: MP4 or animated WebP, by the encoder that comes with imageio-ffmpeg."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from andante.runs.errors import VideoError

_MP4 = (
    *("-an", "-c:v", "libx264", "-preset", "veryfast", "-crf", "24"),
    *("-pix_fmt", "yuv420p", "-movflags", "+faststart"),
)
_WEBP = ("-an", "-c:v", "libwebp_anim", "-q:v", "80", "-loop", "0", "-pix_fmt", "yuv420p")


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
        _encode(part, path, pictures, fps, size)
        os.replace(part, path)
    except OSError as error:
        raise VideoError("the video cannot be written", place=str(path), value=error.strerror) from None
    finally:
        part.unlink(missing_ok=True)


def _encode(part: Path, path: Path, pictures: Iterable[NDArray[np.uint8]], fps: int, size: tuple[int, int]) -> None:
    """Let the encoder write ``part`` of the video that will be ``path``."""
    with tempfile.TemporaryFile() as complaints:
        encoder = _encoder(part, fps, size, complaints)
        try:
            for picture in pictures:
                if encoder.stdin is None:
                    break
                encoder.stdin.write(picture.tobytes())
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
    import imageio_ffmpeg

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
    try:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=complaints)
    except OSError as error:
        raise VideoError("the video encoder cannot be started", place=program, value=error.strerror) from None


def _last_line(complaints: Any) -> str:
    complaints.seek(0)
    lines = complaints.read(100_000).decode(errors="replace").strip().splitlines()
    return str(lines[-1]) if lines else "no reason given"
