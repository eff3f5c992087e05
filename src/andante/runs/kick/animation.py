"""A kick as animation: WebP or MP4 in real speed, or one HTML page with a slider and all solutions."""

from __future__ import annotations

import math
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import Any

from andante.backends.leglab.scene import SCENE
from andante.documents.files import write_text
from andante.pictures.pages import page
from andante.runs.encoder import encode
from andante.runs.errors import VideoError
from andante.runs.kick import scene_picture as scene
from andante.runs.kick.execute import PHYSICS, KickRun

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
        write_text(path, kick_page(run, title), follow=False)
    else:
        encode(path, scene.frames(run), scene.FPS, scene.SIZE)


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
        "world": asdict(SCENE) | {"target_radius": scene.TARGET_RADIUS},
        "look": {name: getattr(scene, name) for name in ("BALL", "TARGET", "WAY", "GROUND", "LEG")},
        "path": run.path[::5].round(5).tolist(),
        "times": run.postures[:, 0].round(4).tolist(),
        "rods": [[rod.T.round(4).tolist() for rod in scene.rods(run.chain, row[1:])] for row in run.postures],
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
