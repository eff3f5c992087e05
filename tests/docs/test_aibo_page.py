"""The page for AIBO owners names every command of the robot."""

from __future__ import annotations

import re
from pathlib import Path

from andante.control.openr.dispatcher import EAGLE_KNIGHTS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "aibo.md").read_text(encoding="utf-8")


def test_the_page_names_every_command_id() -> None:
    for number, motion in EAGLE_KNIGHTS.motions.items():
        assert re.search(rf"\| {number} \w+ \| `{motion}`", PAGE), number
    for number in (*EAGLE_KNIGHTS.stops, *EAGLE_KNIGHTS.reserved):
        assert re.search(rf"\b{number}\b", PAGE)
