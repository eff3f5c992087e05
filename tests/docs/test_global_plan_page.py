"""The page of the global plan: its names and numbers are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from andante.kinematics.reference_leg import REFERENCE_LEG
from andante.planning.quadruped.global_plan.layers import LAYERS
from andante.planning.quadruped.global_plan.planner import GlobalStatus
from andante.planning.quadruped.global_plan.settings import LEG, GlobalSettings
from andante.terrain.boards.worlds import WORLDS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "global-plan.md").read_text(encoding="utf-8")
SETTINGS = GlobalSettings()
GROWN = LAYERS.scaled(LEG / REFERENCE_LEG)
"""As the page has them, for legs of 41 cm."""


def test_every_world_is_in_the_table():
    first_cells = " ".join(line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `"))
    named = re.findall(r"`([^`]*)`", first_cells)
    family, worlds = "", set()
    for name in named:
        family = family if name.startswith("-") else name.rpartition("-")[0]
        worlds.add(family + name if name.startswith("-") else name)
    assert {kind.name for kind in WORLDS} <= worlds


def test_every_status_is_explained():
    for status in GlobalStatus:
        assert f"`{status.value}`" in PAGE


@pytest.mark.parametrize(
    "text",
    [
        f"test\n{SETTINGS.horizon:,} states",
        f"{SETTINGS.budget:,} states were tested",
        f"at most {SETTINGS.solutions} in all",
        f"{SETTINGS.shortcuts:,} random shortcuts",
        f"({SETTINGS.push[0]} to {SETTINGS.push[1]}, {SETTINGS.flight[0]} to {SETTINGS.flight[1]}, 4 to 6)",
        f"A peak above {SETTINGS.largest_push} weights",
        f"({100 * SETTINGS.resting:.0f} % at rest",
        f"mean over {SETTINGS.yaw_window} states, {SETTINGS.yaw_memory} of the difference",
        f"at most {SETTINGS.largest_speed} m/s",
        f"{SETTINGS.leap_samples} random leaps",
        f"narrower than {GROWN.pit_width:.0f} m and deeper than {GROWN.pit_depth:.1g} m",
        f"1 - roughness / {100 * GROWN.unevenness:.1f} cm",
        f"1 - slope / {GROWN.slope}",
        f"mean within {GROWN.smooth:.1g} m",
        f"within {100 * GROWN.relief:.0f} cm along x and y",
    ],
)
def test_numbers_are_those_of_the_settings(text):
    assert " ".join(text.split()).lower() in " ".join(PAGE.split()).lower()
