"""A kick as pictures and as animation: leg, ball, its way, the target, the chain with all its solutions.

An animation is WebP or MP4 in real speed, or one HTML page with a slider and all solutions.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from andante.backends.leglab.scene import SCENE
from andante.documents.files import write_text
from andante.kinematics.planar_chain import PlanarChain
from andante.motions.kicks.postures import KickPosture
from andante.pictures.figures import new_figure
from andante.pictures.pages import page
from andante.pictures.style import BAD, GOOD, INK, SOFT, drawn, styled
from andante.robots.records import Vector
from andante.runs.errors import VideoError
from andante.runs.kick.execute import PHYSICS, KickRun
from andante.runs.reports.video import encode

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


KINDS = (".webp", ".mp4", ".html")
"""Endings of animations."""
FPS = 25
"""Pictures per second of the animation, in real speed."""
SIZE = (760, 460)
"""Width and height of the animation, both even [px]."""
BALL, TARGET, WAY, GROUND, LEG = "#e66f20", BAD, "#f0a574", "#c9d6c1", ("#7888ac", "#607094", "#3e4c70")
"""Colours of the ball, the target, the ball's way, the ground, and of thigh, shank and foot."""
TARGET_RADIUS = 0.15
"""Radius of the ring around the target [m]."""
_HEEL = (math.radians(219.0 + 23.39), 0.10)
"""Heel against the direction of the toe: angle [rad] and length [m]; drawing only."""
_RADII = (0.05, 0.05, 0.025, 0.025, 0.025)
"""Half widths of thigh, shank and the three sides of the foot; drawing only [m]."""


def rods(chain: PlanarChain, angles: Vector) -> list[NDArray[np.float64]]:
    """Outlines of thigh, shank and the three sides of the foot in a posture, each (n, 2) [m]."""
    (hip, knee, ankle, toe), rotation = chain.forward(angles)
    turn, length = float(rotation) + _HEEL[0], _HEEL[1]
    heel = ankle + length * np.array([math.cos(turn), math.sin(turn)])
    ends = ((hip, knee), (knee, ankle), (ankle, toe), (ankle, heel), (heel, toe))
    return [_rod(start, end, radius) for (start, end), radius in zip(ends, _RADII, strict=True)]


def frames(run: KickRun) -> Iterator[NDArray[np.uint8]]:
    """The animation of a kick, one picture per 1 / FPS s, (height, width, 3)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure, moving = _scene(run)
    canvas = FigureCanvasAgg(figure)
    with styled():
        canvas.draw()
    axes = figure.axes[0]
    back = canvas.copy_from_bbox(figure.bbox)
    times, path = run.postures[:, 0], run.path
    seen, at = math.inf, 0
    for moment in np.arange(0.0, float(times[-1]) + 0.5 / FPS, 1.0 / FPS):
        row = min(int(np.searchsorted(path[:, 0], moment + 1e-9, side="right")) - 1, len(path) - 1)
        gaps = np.hypot(path[at : row + 1, 1] - run.target[0], path[at : row + 1, 2] - run.target[1])
        seen, at = min(seen, float(gaps.min(initial=math.inf))), row + 1
        pose = min(int(np.searchsorted(times, moment - 1e-9)), len(times) - 1)
        moving["way"].set_data(*path[: row + 1 : 20, 1:].T)
        moving["ghost"].set_visible(bool(moment >= run.time))
        moving["ball"].set_center(path[row, 1:])
        for patch, outline in zip(moving["leg"], rods(run.chain, run.postures[pose, 1:]), strict=True):
            patch.set_xy(outline)
        moving["clock"].set_text(f"{moment:.2f} s    smallest distance {seen:.3f} m")
        canvas.restore_region(back)
        for artist in (moving["way"], moving["ghost"], *moving["leg"], moving["ball"], moving["clock"]):
            axes.draw_artist(artist)
        yield np.array(canvas.buffer_rgba())[..., :3]


@drawn
def _scene(run: KickRun) -> tuple[Figure, dict[str, Any]]:
    """The scene without what moves, and what moves."""
    from matplotlib.patches import Circle, Polygon

    figure = new_figure(SIZE[0] / 100.0, SIZE[1] / 100.0)
    axes = figure.subplots()
    axes.axhspan(0.0, SCENE.ground, color=GROUND, zorder=0.0)
    for radius in (TARGET_RADIUS, 0.02):
        axes.add_patch(Circle(run.target, radius, facecolor=f"{TARGET}20", edgecolor=TARGET, linewidth=1.6))
    axes.annotate("target", run.target, (0, 28), textcoords="offset points", color=TARGET, horizontalalignment="center")
    axes.set(xlim=(0.0, SCENE.width), ylim=(0.0, SCENE.height), xlabel="x [m]", ylabel="z [m]")
    axes.set(aspect="equal", adjustable="box")
    ball = functools.partial(Circle, radius=SCENE.ball_radius, facecolor=BALL, animated=True)
    moving = {
        "way": axes.plot([], [], color=WAY, linewidth=2.0, animated=True)[0],
        "ghost": axes.add_patch(ball(run.nearest, alpha=0.35)),
        "ball": axes.add_patch(ball(SCENE.ball_start)),
        "leg": [
            axes.add_patch(Polygon(np.zeros((1, 2)), color=colour, linewidth=0.0, animated=True))
            for colour in (*LEG, LEG[2], LEG[2])
        ],
        "clock": axes.text(0.01, 0.97, "", transform=axes.transAxes, verticalalignment="top", animated=True),
    }
    return figure, moving


@drawn
def chain_figure(chain: PlanarChain, postures: Sequence[KickPosture], pose: Vector | None = None) -> Figure:
    """A chain in one or several postures, each with its joints' positions and angles.

    Args:
        chain: The leg.
        postures: The postures; one with a problem is drawn in red.
        pose: Toe and the foot's direction that were asked for, (3,) [m, m, rad]; drawn as a cross where given.
    """
    from matplotlib.patches import Circle

    texts = [_in_words(chain, number, solution) for number, solution in enumerate(postures, start=1)]
    lines = sum(text.count("\n") + 2 for text in texts) + 1
    figure = new_figure(8.0, 7.4 + 0.19 * lines, f"Postures of the chain {', '.join(chain.joints)}")
    axes, notes = figure.subplots(2, 1, height_ratios=(6.8, 0.19 * lines))
    line = 0
    for radius in (chain.lengths[0] + chain.lengths[1], abs(chain.lengths[0] - chain.lengths[1])):
        axes.add_patch(Circle(chain.base, radius, facecolor="none", edgecolor=SOFT, linestyle=":"))
    axes.plot([], [], color=SOFT, linestyle=":", label="reach of the ankle")
    for number, solution in enumerate(postures, start=1):
        _posture(axes, chain, number, solution, alone=len(postures) == 1)
        words = texts[number - 1]
        colour = BAD if solution.problem else GOOD
        notes.text(
            0.0, 1.0 - line / lines, words, color=colour, fontsize=9.0, verticalalignment="top", linespacing=1.35
        )
        line += words.count("\n") + 2
    if pose is not None:
        x, z, rotation = pose.tolist()
        tail = (x - chain.lengths[2] * math.cos(rotation), z - chain.lengths[2] * math.sin(rotation))
        axes.plot((tail[0], x), (tail[1], z), color=TARGET, linewidth=1.5, linestyle="--")
        axes.plot(x, z, "x", color=TARGET, markersize=13, markeredgewidth=2.5, label="toe asked for", linestyle="none")
    if not postures:
        notes.text(0.0, 1.0, "no solutions", color=BAD, verticalalignment="top")
    reach, (x, z) = sum(chain.lengths) + 0.08, chain.base
    axes.set(xlim=(x - reach, x + reach), ylim=(z - reach, z + reach), xlabel="x [m]", ylabel="z [m]")
    axes.set(aspect="equal", adjustable="box")
    axes.legend(loc="upper right")
    notes.set_axis_off()
    return figure


def _posture(axes: Axes, chain: PlanarChain, number: int, solution: KickPosture, *, alone: bool) -> None:
    colour = BAD if solution.problem else GOOD
    points, _ = chain.forward(solution.angles)
    verdict = "beyond limits" if solution.problem else "inside all limits"
    axes.plot(*points.T, "o-", color=colour, linewidth=6.0, alpha=0.75, markersize=9, label=f"#{number}: {verdict}")
    for index, point in enumerate(points):
        # Away from the neighbours, so that no label stands on a link.
        beside = point - points[[max(index - 1, 0), min(index + 1, len(points) - 1)]].mean(axis=0)
        offset = 14.0 * beside / max(float(np.linalg.norm(beside)), 1e-9)
        axes.annotate(f"P{index}", point, offset, textcoords="offset points", color=INK, ha="center", va="center")
    if not alone:
        middle = 0.5 * (points[1] + points[2])
        axes.annotate(f"#{number}", middle, (9, 9), textcoords="offset points", color=colour, fontsize=14.0)


def _in_words(chain: PlanarChain, number: int, solution: KickPosture) -> str:
    """What a posture is in numbers."""
    points, rotation = chain.forward(solution.angles)
    named = zip(chain.joints, np.degrees(solution.angles), strict=True)
    return "\n".join(
        (
            f"#{number}  " + ", ".join(f"{name} {value:.2f} deg" for name, value in named),
            "      " + ", ".join(f"P{i} ({x:.3f}, {z:.3f}) m" for i, (x, z) in enumerate(points)),
            f"      rotation of the foot {math.degrees(rotation):.2f} deg",
            *(f"      {line}" for line in (solution.problem or "inside all limits").split("; ")),
        )
    )


def _rod(start: Vector, end: Vector, radius: float) -> NDArray[np.float64]:
    """The outline of all points within ``radius`` of a line."""
    way = math.atan2(end[1] - start[1], end[0] - start[0])
    round_end = way + np.linspace(-0.5 * math.pi, 0.5 * math.pi, 13)
    arc = radius * np.stack([np.cos(round_end), np.sin(round_end)], axis=1)
    return np.concatenate([end + arc, start - arc])


def animate(run: KickRun, path: Path, title: str) -> None:
    """Write the animation of a kick; the file's ending says which kind.

    Raises:
        VideoError: Unknown ending, or the video cannot be made.
        DocumentError: The page cannot be written.
    """
    check_kind(path)
    if path.suffix.lower() == ".html":
        write_text(path, kick_page(run, title), follow=False)
    else:
        encode(path, frames(run), FPS, SIZE)


def check_kind(path: Path) -> None:
    """Refuse a file whose ending names no kind of animation.

    Raises:
        VideoError: It does not.
    """
    if path.suffix.lower() not in KINDS:
        raise VideoError("there is no such kind of animation", place=str(path), value=path.suffix, legal=KINDS)


def kick_page(run: KickRun, title: str) -> str:
    """The HTML text; it needs no network and nothing beside it."""
    folder = resources.files("andante.runs.kick")
    template, script = ((folder / name).read_text(encoding="utf-8") for name in ("page.html", "page.js"))
    data = {
        "title": title,
        "summary": f"{PHYSICS[run.physics]}; in simulation",
        "target": run.target,
        "distance": run.distance,
        "time": run.time,
        "nearest": run.nearest,
        "world": asdict(SCENE) | {"target_radius": TARGET_RADIUS},
        "look": {"BALL": BALL, "TARGET": TARGET, "WAY": WAY, "GROUND": GROUND, "LEG": LEG},
        "path": run.path[::5].round(5).tolist(),
        "times": run.postures[:, 0].round(4).tolist(),
        "rods": [[rod.T.round(4).tolist() for rod in rods(run.chain, row[1:])] for row in run.postures],
        "rows": table(run),
        "notes": run.notes,
    }
    return page(template, title, data, script)


def table(run: KickRun) -> list[dict[str, Any]]:
    """One row per keyframe, or per solution of its pose: angles in degrees and what became of it."""
    rows: list[dict[str, Any]] = []
    for keyframe in run.keyframes:
        shared = {"keyframe": keyframe.index, "duration": keyframe.duration}
        if not keyframe.solutions:
            use = "given, beyond the limits" if keyframe.notes else "given"
            rows.append({**shared, "solution": None, "angles": _degrees(keyframe.angles), "use": use, "used": True})
        for number, solution in enumerate(keyframe.solutions, start=1):
            used = solution.angles is keyframe.angles
            use = "used" if used else f"discarded: {solution.problem or 'another one was chosen'}"
            rows.append({**shared, "solution": number, "angles": _degrees(solution.angles), "use": use, "used": used})
    return rows


def _degrees(angles: Any) -> list[float]:
    return [round(math.degrees(angle), 4) for angle in angles.tolist()]
