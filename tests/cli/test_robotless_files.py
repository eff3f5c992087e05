"""Motion files that leave something out which the command line says: the robot, or which motion."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app

RUN = CliRunner()
WAVE = """format: andante.motions
units: {angle: deg, time: ms}
motions: {wave: {blocks: [wave]}}
blocks: {wave: {keyframes: [{duration: 300, joints: {HeadYaw: 20}}, {duration: 300, joints: {HeadYaw: 0}}]}}
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wave.yaml").write_text(WAVE)


def test_a_file_without_a_robot_is_for_the_one_that_is_named() -> None:
    done = RUN.invoke(app, ["check", "wave.yaml", "--robot", "nao"])
    assert done.exit_code == 0, done.output
    assert "wave.yaml does not name its robot; bound to 'nao'" in done.stdout
    assert "wave.yaml: legal; nothing to look at" in done.stdout
    done = RUN.invoke(app, ["run", "wave.yaml", "--robot", "nao", "--no-video", "--no-report", "--out", "one"])
    assert done.exit_code == 0, done.output
    refused = RUN.invoke(app, ["run", "wave.yaml", "--no-video"])
    assert refused.exit_code == 2
    assert "the motions do not name their robot; give --robot" in refused.stderr
    assert "robot is missing" in RUN.invoke(app, ["check", "wave.yaml"]).stderr


def test_a_file_of_several_motions_asks_for_one() -> None:
    text = WAVE.replace("{wave: {blocks: [wave]}}", "{wave: {blocks: [wave]}, again: {blocks: [wave]}}")
    Path("two.yaml").write_text(text)
    refused = RUN.invoke(app, ["run", "two.yaml", "--robot", "nao"])
    assert refused.exit_code == 2
    assert "the file has several motions" in refused.stderr
    assert "two.yaml/MOTION" in refused.stderr
    assert "again" in refused.stderr


def test_a_folder_of_the_robots_name_is_no_robot() -> None:
    Path("nao").mkdir()
    Path("named.yaml").write_text(WAVE.replace("units", "robot: nao\nunits"))
    assert RUN.invoke(app, ["check", "named.yaml"]).exit_code == 0
    assert RUN.invoke(app, ["check", "named.yaml", "--robot", "nao"]).exit_code == 0
    Path("t9").mkdir()
    Path("other.yaml").write_text(WAVE.replace("units", "robot: t9\nunits"))
    done = RUN.invoke(app, ["check", "other.yaml", "--robot", "nao"])
    assert done.exit_code == 0, done.output
    assert "other.yaml is for robot 't9'; bound to 'nao', whose joints it names" in done.stdout
