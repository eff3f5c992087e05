"""`andante optimise STUDY --show`: what may change, as people read it."""

from __future__ import annotations

import json
import math

import pytest
from typer.testing import CliRunner

from andante.cli.app import app

ANGLE = "blocks.kick_right.keyframes[1].joints.RHipPitch"


def test_angles_are_shown_in_degrees_and_told_to_programs_in_radians() -> None:
    told = CliRunner().invoke(app, ["optimise", "nao-kick", "--show", "--json"])
    row = next(each for each in json.loads(told.stdout)["parameters"] if each["path"] == ANGLE)
    assert row["unit"] == "rad"
    shown = CliRunner().invoke(app, ["optimise", "nao-kick", "--show"]).stdout
    words = next(line for line in shown.splitlines() if line.startswith(ANGLE)).split()
    assert words[-1] == "deg"
    for word, name in ((words[1], "start"), (words[2], "low"), (words[4], "high")):
        assert float(word) == pytest.approx(math.degrees(row[name]), rel=1e-3)
