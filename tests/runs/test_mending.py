"""Findings in physics: what is mended and what is not, how often it is played on both sides, and what ranks first."""

from __future__ import annotations

import math

import pytest

from andante.motions.assessment import assess
from andante.motions.checks.run import check_library
from andante.motions.findings import Finding, Played
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.robots.robot import Robot
from andante.runs.checks.mending import mended, play_findings
from andante.runs.checks.physics_check import PhysicsRules, check_physics

RULES = PhysicsRules(seeds=(0, 1))


@pytest.fixture(scope="module")
def nao() -> Robot:
    return Robot.load("nao")


def bent(nao: Robot, motion: str = "m", knee: float = 1.9) -> MotionLibrary:
    """Stands, and bends the left knee alone, so far that the robot falls."""
    stand = dict(zip(nao.joint_names, nao.posture("stand").tolist(), strict=True))
    frames = (Keyframe(duration=0.3, joints=stand), Keyframe(duration=0.3, joints={"LKneePitch": knee}))
    return MotionLibrary(robot="nao", motions={motion: Motion(blocks=("b",))}, blocks={"b": Block(keyframes=frames)})


def knee(nao: Robot, rule: str = "mirror", motion: str | None = None) -> Finding:
    wanted = float(nao.posture("stand")[nao.index("LKneePitch")])
    place = "blocks.b.keyframes[1].joints.LKneePitch"
    return Finding(rule, "warning", place, "is bent", joint="LKneePitch", value=1.9, limit=wanted, motion=motion)


def test_a_mend_sets_the_angle_that_the_finding_names_and_nothing_else(nao: Robot) -> None:
    document = bent(nao)
    better = mended(document, nao, "m", knee(nao))
    assert better is not None
    before, after = document.blocks["b"].keyframes, better.blocks["b"].keyframes
    assert after[0] == before[0]
    assert after[1] == before[1].but(joints={"LKneePitch": knee(nao).limit})
    assert (better.motions, better.robot) == (document.motions, document.robot)


@pytest.mark.parametrize(
    "finding",
    [
        Finding("empty", "warning", "blocks.b", "the block has no keyframes"),
        Finding("self-collision", "warning", "blocks.b.keyframes[1]", "overlap", value=0.1, limit=0.002),
        Finding("mirror", "warning", "blocks.c.keyframes[1].joints.LKneePitch", "no such block", value=1.0, limit=0.0),
        Finding("mirror", "warning", "blocks.b.keyframes[1].joints.HeadYaw", "not told", value=1.0, limit=0.0),
        Finding("mirror", "warning", "blocks.b.keyframes[1].joints.LKneePitch", "no value", value="x", limit="y"),
    ],
)
def test_what_nobody_knows_how_to_mend_is_not_mended(nao: Robot, finding: Finding) -> None:
    assert mended(bent(nao), nao, "m", finding) is None


def test_a_way_that_is_too_fast_gets_the_time_that_it_needs(nao: Robot) -> None:
    document = bent(nao)
    block = document.blocks["b"]
    fast = block.but(keyframes=(block.keyframes[0], block.keyframes[1].but(duration=0.024)))
    document = document.but(blocks={"b": fast})
    (finding,) = check_library(document, nao, ["speed"])
    better = mended(document, nao, "m", finding)
    assert better is not None
    assert check_library(better, nao, ["speed"]) == []


def test_physics_is_asked_on_both_sides(nao: Robot) -> None:
    finding = knee(nao)
    (played,) = play_findings(bent(nao), nao, [finding], RULES).values()
    assert played == Played("m", 2, 0, 2)
    told = assess([finding], bent(nao), played={finding: played}).first[0]
    assert str(told) == (f"{finding}; in physics motion m is played without a fall in 0 of 2 runs, mended in 2 of 2")
    assert told.as_dict()["played"] == {"motion": "m", "runs": 2, "stood": 0, "mended": 2}


def test_without_a_mend_physics_tells_how_it_is_played(nao: Robot) -> None:
    touching = Finding("self-collision", "warning", "blocks.b.keyframes[1]", "overlap", value=0.1, limit=0.002)
    (played,) = play_findings(bent(nao, knee=0.9), nao, [touching], RULES).values()
    assert played == Played("m", 2, 2, None)
    assert str(played) == "in physics motion m is played without a fall in 2 of 2 runs"


def test_dives_and_findings_of_no_motion_are_not_played(nao: Robot) -> None:
    assert play_findings(bent(nao, "diveLeft"), nao, [knee(nao)], RULES) == {}
    empty = Finding("empty", "warning", "blocks.b", "the block has no keyframes")
    assert play_findings(bent(nao), nao, [empty], RULES) == {}


def test_a_dive_falls_without_an_error(nao: Robot) -> None:
    one = PhysicsRules(seeds=(0,))
    assert [each.severity for each in check_physics(bent(nao), nao, one) if each.rule == "falls"] == ["error"]
    dive = bent(nao, "diveLeft")
    assert [each.severity for each in check_physics(dive, nao, one) if each.rule == "falls"] == ["info"]


def test_rank_follows_what_the_mend_changes() -> None:
    def finding(rule: str, value: float) -> Finding:
        return Finding(rule, "warning", "blocks.b.keyframes[0].joints.J", rule, value=value, limit=math.radians(10))

    far, near, other = finding("joint-limit", 3.0), finding("mirror", 0.3), finding("coupling", 0.5)
    assert [each.worst for each in assess([far, near, other]).first] == [far, other, near]
    proofs = {far: Played("m", 10, 9, 9), near: Played("m", 10, 4, 9)}
    told = assess([far, near, other], played=proofs).first
    assert [each.worst for each in told] == [near, other, far]
    more = {far: Played("m", 10, 0, 10), near: Played("m", 10, 4, 9)}
    assert [each.worst for each in assess([near, far], played=more).first] == [far, near]
    assert Played("m", 10, 9, 4).difference == -0.5
    assert Played("m", 10, 9, None).difference is None
