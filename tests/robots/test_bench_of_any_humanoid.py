"""`bench getup --robot FILE`: any humanoid whose library has get-ups; the robot says what standing is."""

from __future__ import annotations

import json

import pytest
from humanoids import mjcf_humanoid
from typer.testing import CliRunner

from andante.cli.app import app

LIBRARY = """\
format: andante.motions
version: 1
units: {angle: deg, time: ms, length: mm}
robot: walker
motions:
  stand: {blocks: [stand]}
  recoverGeneric: {blocks: [rise]}
blocks:
  stand: {keyframes: [{duration: 500, joints: {Left_Knee: 10, Right_Knee: 10}}]}
  rise: {keyframes: [{duration: 500, joints: {Left_Knee: 40, Right_Knee: 40}}]}
"""


@pytest.mark.slow
def test_a_humanoid_by_its_file_is_benched_with_its_own_library(tmp_path):
    robot, library = tmp_path / "walker.xml", tmp_path / "rise.yaml"
    robot.write_text(mjcf_humanoid(), encoding="utf-8")
    library.write_text(LIBRARY, encoding="utf-8")
    words = [
        "bench",
        "getup",
        "--robot",
        str(robot),
        "--library",
        str(library),
        "--seeds",
        "1",
        "--tries",
        "1",
        "--json",
    ]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    rows = {row["name"]: row["value"] for row in data["rows"]}
    # Legs that bend do not lift it.
    assert (rows["front: first try"], rows["back: first try"]) == (0.0, 0.0)
    assert rows["front: peak torque, median"] > 0.0
    assert {cell["start"] for cell in data["cells"]} == {"front", "back"}
    assert all(cell["causes"][0]["block"] == "rise" for cell in data["cells"])
    refused = CliRunner().invoke(app, [*words[:-1], "--library", "nao"])
    assert refused.exit_code == 2
    assert "the motion library is for another robot" in refused.stderr
