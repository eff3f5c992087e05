"""The page on rough terrain names every controller and every end of a walk."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from andante.runs.tasks.walk.metrics import WalkEnd
from andante.runs.tasks.walk.task import CONTROLLERS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "rough-terrain.md").read_text(encoding="utf-8")


def test_the_page_names_every_controller_and_every_end() -> None:
    for controller in CONTROLLERS:
        assert f"`{controller}`" in PAGE
    for end in get_args(WalkEnd):
        assert re.search(rf"\b{end}\b", PAGE), end
