"""The page about the NAO's kicks: its program runs, and its numbers are those of the scenario and the robot."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from andante.motions.checks.run import check_library
from andante.motions.foot_kick import FootKick
from andante.motions.kick_block import ball_place
from andante.robots.robot import Robot
from andante.runs.motion_libraries import load_motions
from andante.runs.scenario_files import load_scenario

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "kick.md").read_text(encoding="utf-8")


def test_the_program_writes_a_sound_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (program,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    exec(compile(program, "docs/kick.md", "exec"), {})
    # pi/2 * 0.21 m / 0.312 s at the middle of the swing, a little less where the foot meets the ball.
    assert capsys.readouterr().out == "the foot strikes at 1.06 m/s; the ball lies at x 0.165, y -0.049 m\n"
    findings = check_library(load_motions("soft.yaml"), Robot.load("nao"))
    assert [finding for finding in findings if finding.severity == "error"] == []


def test_the_ball_lies_where_page_and_scenario_say() -> None:
    ball = load_scenario("nao-kick").world.ball
    assert ball is not None
    x, y = ball_place(Robot.load("nao"), FootKick(), 0.5 * ball.diameter)
    assert ball.position == pytest.approx((x, y), abs=1e-4)
    assert f"lies {x:.3f} m before and {-y:.3f} m beside the torso's origin" in " ".join(PAGE.split())
    assert f"deceleration of {ball.deceleration:g} m/s^2, bounces with a restitution of {ball.restitution:g}" in PAGE
