"""A run as a video or GIF with plots below the picture, their playhead moving along."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from andante.pictures.figures import check_kind
from andante.runs.build import load_declared, picture_model
from andante.runs.logs.log import Log
from andante.runs.reports.video import encode, pictures_of
from andante.studio.errors import StudioError
from andante.studio.shared_runs import shared_run

KINDS = (".mp4", ".webp", ".gif")
USUAL = ("truth.base_height", "truth.pitch")
"""What is plotted where nobody says."""
_SIZE, _PLOT = (480, 360), 60
"""Width and height of the picture, and height of one plot [px]."""
_RATES = {".gif": 12}
"""Pictures per second; a GIF is large."""
_RATE, _LONGEST_GIF = 30, 20.0
_PLAYHEAD = np.array([214, 39, 40], np.uint8)
_DPI = 100
_LEFT = 0.16
"""Share of the width left of the plots."""

Picture = NDArray[np.uint8]


def share_video(folder: Path, path: Path, columns: Sequence[str] = ()) -> None:
    """Write the video of a run.

    Args:
        folder: The run's folder, its scenario, or its log, also where that lies alone.
        path: The file; its ending says which kind.
        columns: Recorded variables, ``channel.column``; empty: height and pitch of the base.

    Raises:
        AndanteError: There is no such run or variable, it shows nothing, or the file cannot be written.
    """
    check_kind(path, KINDS)
    run = shared_run(folder)
    scenario = run.scenario
    if run.log is None:
        raise StudioError("there is nothing to show: there is no log", place=str(folder))
    log = Log.open(run.log)
    truth = log.channels.get("truth")
    if truth is None or not len(truth.rows):
        raise StudioError("there is nothing to show: no ground truth was recorded", place=str(folder))
    if path.suffix == ".gif" and truth.times[-1] > _LONGEST_GIF:
        limit = f"{_LONGEST_GIF:g} s"
        raise StudioError(
            "this is too long for a GIF", value=f"{truth.times[-1]:.1f} s", limit=limit, remedy="use .mp4"
        )
    strips = np.vstack([_plot(*_labelled(log, name)) for name in columns or USUAL])
    fps = _RATES.get(path.suffix, _RATE)
    robot = load_declared(scenario)
    model = picture_model(robot, scenario.world, scenario.seed, drawn=robot.visuals is not None)
    pictures = _with_plots(pictures_of(truth, model, fps, _SIZE), strips, float(truth.times[-1]))
    if path.suffix == ".gif":
        _write_gif(path, pictures, fps)
    else:
        encode(path, pictures, fps, (_SIZE[0], _SIZE[1] + strips.shape[0]))


def _with_plots(frames: Iterator[tuple[float, Picture]], strips: Picture, end: float) -> Iterator[Picture]:
    """Each picture with the plots below it and the playhead at its moment."""
    left = round(_LEFT * strips.shape[1])
    for moment, frame in frames:
        below = strips.copy()
        at = left + round(moment / max(end, 1e-9) * (strips.shape[1] - left - 3))
        below[:, at : at + 2] = _PLAYHEAD
        yield np.vstack([frame, below])


def _labelled(log: Log, name: str) -> tuple[str, NDArray[np.float64], NDArray[np.float64]]:
    """Name with its unit, times and values of a variable; angles in degrees.

    Raises:
        LogError: The log has no such variable.
    """
    times, values = log.column(name)
    channel, _, column = name.partition(".")
    fields = log.channels[channel].layout.fields
    unit = next((each.unit for each in fields if column == each.name or column.startswith(f"{each.name}.")), "")
    if unit.startswith("rad"):
        values, unit = np.degrees(values), unit.replace("rad", "deg", 1)
    return f"{name} [{unit}]" if unit else name, times, values


def _plot(name: str, times: NDArray[np.float64], values: NDArray[np.float64]) -> Picture:
    """One plot, (60, 480, 3)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure((_SIZE[0] / _DPI, _PLOT / _DPI), dpi=_DPI)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((_LEFT, 0.12, 1.0 - _LEFT - 0.006, 0.6))
    axes.plot(times, values, linewidth=1.2, color="#0072b2")
    axes.set_xlim(0.0, float(times[-1]))
    axes.tick_params(labelsize=6, labelbottom=False, length=2)
    axes.set_title(name, fontsize=7, loc="left", pad=2)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:, :, :3].copy()


def _write_gif(path: Path, pictures: Iterator[Picture], fps: int) -> None:
    from PIL import Image

    frames = [Image.fromarray(picture).quantize(64, dither=Image.Dither.NONE) for picture in pictures]
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=round(1000 / fps), loop=0, optimize=True)
