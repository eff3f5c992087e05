"""`andante check` of a team's file whose robot nobody has a model of."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app

SCRIPT = "- duration: 300\n  targets:\n    - {id: L_KNEE, position: %s, gain: 10}\n"


def check(file: Path, *more: str) -> str:
    return CliRunner().invoke(app, ["check", str(file), *more]).output


def test_what_needs_no_model_is_looked_at(tmp_path: Path):
    file = tmp_path / "Wave.yaml"
    file.write_text(SCRIPT % "0.5")
    told = check(file)
    assert "legal; 1 thing to look at" in told
    assert "there is no model of robot 'nugus'" in told
    file.write_text(SCRIPT % "90")
    assert "(90 rad) is more than two turns; did you mean deg (90 deg)?" in check(file)


def test_a_file_that_names_no_robot_says_so(tmp_path: Path):
    file = tmp_path / "a.csv"
    file.write_text("time,arm\n0,0\n1,0.5\n")
    assert "nothing says which robot the motions are for" in check(file)


@pytest.mark.parametrize("robot", ["naoo", "four.xml"])
def test_a_document_names_a_robot_that_there_is(tmp_path: Path, robot: str):
    file = tmp_path / "a.yaml"
    file.write_text(f"format: andante.motions\nversion: 1\nrobot: {robot}\nmotions: {{}}\nblocks: {{}}\n")
    assert "no model of robot" not in check(file)
