"""The page of a reachable volume: its surface in 3-D, coloured by what limits it, and the feet under it."""

from __future__ import annotations

from importlib import resources
from typing import Any

import numpy as np

from andante.kinematics.leg_table import LeggedBody
from andante.kinematics.reach import ReachVolume, Stance, reach_mesh
from andante.kinematics.reach_plot import LIMIT_COLOURS, told_limits
from andante.pictures.pages import page
from andante.pictures.style import foot_colour


def reach_page(body: LeggedBody, stance: Stance, volume: ReachVolume) -> str:
    """The HTML text of a page that shows a volume and needs nothing beside it."""
    folder = resources.files("andante.kinematics")
    template, script = ((folder / name).read_text(encoding="utf-8") for name in ("reach_page.html", "reach_page.js"))
    data = reach_scene(body, stance, volume)
    return page(template, data["title"], data, script)


def reach_scene(body: LeggedBody, stance: Stance, volume: ReachVolume) -> dict[str, Any]:
    """What the page shows, as plain data: corners and feet [cm], triangles, and the row of `limits` of each one."""
    mesh = reach_mesh(body, stance, volume)
    title, _, summary = told_limits(body, stance, volume).partition("; ")
    return {
        "title": title,
        "summary": summary,
        "vertices": np.round(100.0 * mesh.vertices, 2).tolist(),
        "triangles": mesh.triangles.tolist(),
        "causes": ((mesh.codes.astype(np.int64) - 1) % len(LIMIT_COLOURS)).tolist(),
        "limits": [{"name": name, "colour": colour} for name, colour in LIMIT_COLOURS.items()],
        "feet": [
            {"name": leg.name, "colour": foot_colour(row), "place": np.round(100.0 * foot, 2).tolist()}
            for row, (leg, foot) in enumerate(zip(body.legs, stance.feet, strict=True))
        ],
    }
