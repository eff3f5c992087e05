"""A robot that sits or lies at the end has to come down gently: the verdict tells how fast its trunk met the ground."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import andante
from andante.runs.evaluation.coming_down import GENTLE
from andante.runs.evaluation.standing import standing_height

TOPPLES = """
format: andante.motions
units: {angle: deg, time: ms, length: mm}
robot: nao
motions:
  lie_down: {blocks: [topple]}
  play_dead: {blocks: [topple]}
blocks:
  topple:
    base_stiffness: {left_leg: 1, right_leg: 1, left_arm: 1, right_arm: 1}
    keyframes:
      - duration: 800
        joints: {LAnklePitch: 40, RAnklePitch: 40, LHipPitch: 0, RHipPitch: 0, LKneePitch: 0, RKneePitch: 0}
      - {duration: 1200, joints: {LAnklePitch: 0, RAnklePitch: 0}}
"""
SITS = """
format: andante.motions
units: {angle: deg, time: ms, length: mm}
robot: ers7
motions:
  sit_down: {blocks: [sit]}
blocks:
  sit: {keyframes: [{duration: 900, joints: %s}]}
"""


def played(folder: Path, text: str, motion: str, **more: bool) -> andante.RunResult:
    (folder / "motions.yaml").write_text(text, encoding="utf-8")
    return andante.run(f"{folder / 'motions.yaml'}/{motion}", out=folder / "run", report=False, video=False, **more)


def test_a_robot_that_topples_over_was_not_laid_down(tmp_path):
    run = played(tmp_path, TOPPLES, "lie_down")
    told = next(each for each in run.criteria if each.name == "comes down gently")
    # A rod that topples about its end passes the middle of its way down at more than half of a free fall's speed.
    free_fall = math.sqrt(2.0 * 9.81 * standing_height(andante.Robot.load("nao")))
    assert told.asked == pytest.approx(GENTLE * free_fall)
    assert 0.5 * free_fall < told.reached < 1.3 * free_fall
    assert not run.passed
    assert run.reasons[0].startswith("was dropped: its trunk moved at")
    assert "(limit 0.74 m/s, 30% of a free fall)" in run.reasons[0]


@pytest.mark.parametrize(("motion", "more"), [("play_dead", {}), ("lie_down", {"allow_fall": True})])
def test_who_may_fall_may_come_down_as_it_likes(tmp_path, motion, more):
    run = played(tmp_path, TOPPLES, motion, **more)
    assert run.passed, run.reasons
    assert "comes down gently" not in {each.name for each in run.criteria}


def test_an_aibo_sits_down_gently(tmp_path):
    robot = andante.Robot.load("ers7")
    sit = dict(zip(robot.joint_names, map(math.degrees, robot.posture("sit").tolist()), strict=True))
    run = played(tmp_path, SITS % sit, "sit_down")
    assert run.passed, run.reasons
    told = next(each for each in run.criteria if each.name == "comes down gently")
    assert 0.0 < told.reached < told.asked == pytest.approx(GENTLE * math.sqrt(2.0 * 9.81 * standing_height(robot)))


def test_a_crouch_on_both_feet_touches_with_nothing_else(tmp_path):
    run = andante.run("nao/sit_down", out=tmp_path / "run", report=False, video=False)
    assert run.passed, run.reasons
    assert "comes down gently" not in {each.name for each in run.criteria}
