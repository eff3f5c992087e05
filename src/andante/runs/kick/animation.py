"""A kick as animation: WebP or MP4 in real speed, or one HTML page with a slider and all solutions."""

from __future__ import annotations

import html
import json
import math
from importlib import resources
from pathlib import Path
from typing import Any

from andante.backends.leglab.scene import SCENE
from andante.documents.files import write_text
from andante.runs.encoder import encode
from andante.runs.errors import VideoError
from andante.runs.kick.execute import PHYSICS, KickRun
from andante.runs.kick.scene_picture import FPS, frames, size

KINDS = (".webp", ".mp4", ".html")
"""Endings of animations."""


def animate(run: KickRun, path: Path, title: str) -> None:
    """Write the animation of a kick; the file's ending says which kind.

    Raises:
        VideoError: Unknown ending, or the video cannot be made.
        DocumentError: The page cannot be written.
    """
    check_kind(path)
    if path.suffix.lower() == ".html":
        write_text(path, page(run, title))
    else:
        encode(path, frames(run), FPS, size())


def check_kind(path: Path) -> None:
    """Refuse a file whose ending names no kind of animation.

    Raises:
        VideoError: It does not.
    """
    if path.suffix.lower() not in KINDS:
        raise VideoError("there is no such kind of animation", place=str(path), value=path.suffix, legal=KINDS)


def page(run: KickRun, title: str) -> str:
    """The HTML text; it needs no network and nothing beside it."""
    points, rotation = run.chain.forward(run.postures[:, 1:])
    data = {
        "title": title,
        "summary": f"{PHYSICS[run.physics]}; in simulation",
        "target": run.target,
        "distance": run.distance,
        "time": run.time,
        "nearest": run.nearest,
        "world": [SCENE.width, SCENE.height, SCENE.ground, SCENE.ball_radius],
        "path": run.path[::5].round(5).tolist(),
        "times": run.postures[:, 0].round(4).tolist(),
        "points": points.round(5).tolist(),
        "rotation": rotation.round(5).tolist(),
        "rows": table(run),
        "notes": run.notes,
    }
    encoded = json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    text = (resources.files("andante.runs.kick") / "page.html").read_text(encoding="utf-8")
    parts = {"TITLE": html.escape(title), "DATA": encoded}
    return "".join(parts.get(piece, piece) for piece in text.split("@"))


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
