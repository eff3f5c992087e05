"""Every check on a library that trips exactly it, and on the real library of 2024."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from andante.documents.reader import load_document
from andante.motions.checks.context import CheckSettings
from andante.motions.checks.run import CHECKS, check_library
from andante.motions.errors import MotionError
from andante.motions.findings import Finding
from andante.motions.library import MotionLibrary
from andante.robots.parts import RobotError
from andante.robots.robot import Robot

HEAD = """\
robot: walker
motions:
  m: {blocks: [b]}
"""
GOOD = HEAD + "blocks: {b: {keyframes: [{duration: 1, joints: {HeadYaw: 1}}, {duration: 1, joints: {HeadYaw: 0}}]}}\n"
STAND = CheckSettings(start="stand")


def check(text: str, robot: Robot, settings: CheckSettings = STAND) -> list[Finding]:
    return check_library(load_document(text, MotionLibrary), robot, settings=settings)


def keyframe(entry: str) -> str:
    return HEAD + f"blocks: {{b: {{keyframes: [{{duration: 1, {entry}}}]}}}}\n"


def block(*keyframes: str) -> str:
    return HEAD + f"blocks: {{b: {{keyframes: [{', '.join(f'{{{entry}}}' for entry in keyframes)}]}}}}\n"


CONDITION = "{variable: torso_pitch, min: 0, max: 1}"

CASES = {
    "robot": (GOOD.replace("walker", "runner"), "unknown-reference", "error", "robot"),
    "block of a motion": (
        GOOD.replace("[b]", "[b, bb]"),
        "unknown-reference",
        "error",
        "motions.m.blocks[1]",
    ),
    "follow-up": (
        GOOD.replace("[b]", "[b], follow_ups: [{motion: n}]"),
        "unknown-reference",
        "error",
        "motions.m.follow_ups[0].motion",
    ),
    "stiffness joint": (
        keyframe("stiffness: [{joint: Head, stiffness: 0}]"),
        "unknown-reference",
        "error",
        "blocks.b.keyframes[0].stiffness[0].joint",
    ),
    "compensation joint": (
        keyframe("compensation: [{joint: Head, range: {min: 0, max: 1}}]"),
        "unknown-reference",
        "error",
        "blocks.b.keyframes[0].compensation[0].joint",
    ),
    "compensated joint": (
        keyframe("compensation: [{joint: HeadYaw, range: {min: 0, max: 1}, targets: [{joint: Head, scale: 1}]}]"),
        "unknown-reference",
        "error",
        "blocks.b.keyframes[0].compensation[0].targets[0].joint",
    ),
    "branch motion": (
        keyframe("branches: [{motion: n, early: {}}]"),
        "unknown-reference",
        "error",
        "blocks.b.keyframes[0].branches[0].motion",
    ),
    "branch without target": (
        keyframe(f"branches: [{{pre: {{conditions: [{CONDITION}]}}}}]"),
        "unknown-reference",
        "error",
        "blocks.b.keyframes[0].branches[0]",
    ),
    "phase": (
        keyframe("phase: stand, balance_pitch: [{joint: HeadYaw, scale: 1}]"),
        "unknown-reference",
        "error",
        "blocks.b.keyframes[0].phase",
    ),
    "condition on a missing joint": (
        keyframe("waits: [{variable: left_wrist_y, min: 0, max: 1}]"),
        "robot-lacks",
        "error",
        "blocks.b.keyframes[0].waits[0].variable",
    ),
    "condition on a missing sensor": (
        keyframe("branches: [{block: b, early: {conditions: [{variable: foot_support, min: 0, max: 1}]}}]"),
        "robot-lacks",
        "error",
        "blocks.b.keyframes[0].branches[0].early.conditions[0].variable",
    ),
    "hip pitch difference": (
        keyframe("compensation: [{joint: HeadYaw, hip_pitch_difference: true, range: {min: 0, max: 1}}]"),
        "robot-lacks",
        "error",
        "blocks.b.keyframes[0].compensation[0].hip_pitch_difference",
    ),
    "limb pose": (
        keyframe("limbs: {left_arm: {position: [9, 0, 0]}}"),
        "limb-pose",
        "error",
        "blocks.b.keyframes[0].limbs.left_arm",
    ),
    "limb without position": (
        keyframe("limbs: {left_leg: {rotation: [0, 0, 0.1]}}"),
        "limb-pose",
        "error",
        "blocks.b.keyframes[0].limbs.left_leg",
    ),
    "joint limit": (
        keyframe("joints: {HeadYaw: 2.1}"),
        "joint-limit",
        "warning",
        "blocks.b.keyframes[0].joints.HeadYaw",
    ),
    "coupling": (
        keyframe("joints: {LHipYaw: 0.1, RHipYaw: 0.2}"),
        "coupling",
        "warning",
        "blocks.b.keyframes[0].joints.RHipYaw",
    ),
    "half a coupling off": (
        keyframe("joints: {LHipYaw: 0.1, RHipYaw: off}"),
        "coupling",
        "warning",
        "blocks.b.keyframes[0].joints.RHipYaw",
    ),
    "cancelling compensation": (
        keyframe(
            "compensation: [{joint: HeadYaw, range: {min: 0, max: 1},"
            " targets: [{joint: LAnkleRoll, scale: 0.1}, {joint: LAnkleRoll, scale: -0.1}]}]"
        ),
        "contradiction",
        "warning",
        "blocks.b.keyframes[0].compensation[0].targets[1]",
    ),
    "adding balance": (
        keyframe("balance_roll: [{joint: LAnkleRoll, scale: 1}, {joint: LAnkleRoll, scale: 0.5}]"),
        "duplicate",
        "warning",
        "blocks.b.keyframes[0].balance_roll[1]",
    ),
    "compensation twice": (
        keyframe(
            "compensation: [{joint: HeadYaw, range: {min: 0, max: 1}}, {joint: HeadYaw, range: {min: 0, max: 1}}]"
        ),
        "duplicate",
        "warning",
        "blocks.b.keyframes[0].compensation[1]",
    ),
    "stiffness twice": (
        keyframe("stiffness: [{joint: HeadYaw, stiffness: 0.5}, {joint: HeadYaw, stiffness: 0.5}]"),
        "duplicate",
        "info",
        "blocks.b.keyframes[0].stiffness[1]",
    ),
    "stiffness two ways": (
        keyframe("stiffness: [{joint: HeadYaw, stiffness: 0.5}, {joint: HeadYaw, stiffness: 0.6}]"),
        "contradiction",
        "warning",
        "blocks.b.keyframes[0].stiffness[1]",
    ),
    "wait twice": (
        keyframe(f"waits: [{CONDITION}, {CONDITION}]"),
        "duplicate",
        "warning",
        "blocks.b.keyframes[0].waits[1]",
    ),
    "impossible wait": (
        keyframe(f"waits: [{CONDITION}, {{variable: torso_pitch, min: 1.5, max: 2}}]"),
        "contradiction",
        "warning",
        "blocks.b.keyframes[0].waits[1]",
    ),
    "follow-up that never gets its turn": (
        GOOD.replace("[b]", f"[b], follow_ups: [{{motion: m}}, {{motion: m, conditions: [{CONDITION}]}}]"),
        "contradiction",
        "warning",
        "motions.m.follow_ups[1]",
    ),
    "branch with block and motion": (
        keyframe(f"branches: [{{motion: m, block: b, pre: {{conditions: [{CONDITION}]}}}}]"),
        "contradiction",
        "info",
        "blocks.b.keyframes[0].branches[0].block",
    ),
    "inverted condition": (
        keyframe("waits: [{variable: torso_pitch, min: 1, max: 0}]"),
        "inverted-range",
        "warning",
        "blocks.b.keyframes[0].waits[0]",
    ),
    "inverted window": (
        keyframe("window: {pitch: {min: 1, max: 0}, roll: {min: keep, max: 1}}"),
        "inverted-range",
        "error",
        "blocks.b.keyframes[0].window.pitch",
    ),
    "compensation without width": (
        keyframe("compensation: [{joint: HeadYaw, range: {min: 1, max: 1}}]"),
        "inverted-range",
        "error",
        "blocks.b.keyframes[0].compensation[0].range",
    ),
    "compensation of small errors": (
        keyframe("compensation: [{joint: HeadYaw, range: {min: -0.2, max: -0.1}}]"),
        "inverted-range",
        "warning",
        "blocks.b.keyframes[0].compensation[0].range",
    ),
    "units": (GOOD.replace("[{duration: 1,", "[{duration: 100,"), "units", "error", "blocks.b.keyframes[0].duration"),
    "empty block": (HEAD + "blocks: {b: {}}\n", "empty", "warning", "blocks.b"),
    "empty motion": (GOOD.replace("m: {blocks: [b]}", "m: {blocks: [b]}\n  n: {}"), "empty", "warning", "motions.n"),
    "unreachable block": (
        GOOD.replace("blocks: {b:", "blocks: {c: {keyframes: [{duration: 1}]}, b:"),
        "unreachable",
        "warning",
        "blocks.c",
    ),
    "loop of a block into itself": (
        keyframe("branches: [{block: b, early: {}}]"),
        "endless-loop",
        "error",
        "blocks.b",
    ),
    "loop by way of a motion": (
        keyframe("branches: [{motion: m, early: {}}]"),
        "endless-loop",
        "error",
        "motions.m",
    ),
    # 1 rad in 200 ms is 5 rad/s of 4.
    "speed": (block("duration: 0.2, joints: {HeadYaw: 1}"), "speed", "warning", "blocks.b.keyframes[0]"),
    # 0.1 pi^2 / 2 / 0.048^2 = 214 rad/s^2 of 200, at no more than 3.3 rad/s of 4.
    "acceleration": (
        block("duration: 0.048, joints: {HeadYaw: 0.1}, interpolation: sine_min_to_max"),
        "acceleration",
        "warning",
        "blocks.b.keyframes[0]",
    ),
    # From +3 rad/s to -3 rad/s.
    "velocity jump": (
        block("duration: 0.24, joints: {HeadYaw: 0.72}", "duration: 0.24, joints: {HeadYaw: 0}"),
        "velocity-jump",
        "warning",
        "blocks.b.keyframes[1]",
    ),
    # The arms swing through the torso.
    "self-collision": (
        block("duration: 1, joints: {LArmRoll: -0.5}"),
        "self-collision",
        "warning",
        "blocks.b.keyframes[0]",
    ),
    # Both legs lean by 0.4 rad, the soles stay flat: they move 117 mm aside.
    "static balance": (
        block("duration: 1, joints: {LHipRoll: 0.4, RHipRoll: 0.4, LAnkleRoll: -0.4, RAnkleRoll: -0.4}"),
        "static-balance",
        "warning",
        "blocks.b.keyframes[0]",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_each_mistake_trips_exactly_its_check(case: str, robot: Robot) -> None:
    text, rule, severity, place = CASES[case]
    findings = [finding for finding in check(text, robot) if finding.rule != "not-sampled"]
    assert [(finding.rule, finding.severity, finding.place) for finding in findings] == [(rule, severity, place)]


def test_every_check_has_a_case() -> None:
    # The walker has no pair of joints that could be mirror images; test_assessment.py has the case.
    assert set(CHECKS) - {"mirror"} == {rule for _, rule, _, _ in CASES.values()}


def test_a_good_library_has_no_findings(robot: Robot) -> None:
    assert check(GOOD, robot) == []


def test_findings_carry_time_value_and_limit(robot: Robot) -> None:
    (finding,) = check(CASES["speed"][0], robot)
    # 200 ms are 17 ticks: 16 of 12/200 of the way, and one of 8/200.
    assert finding.value == pytest.approx(1 / 0.2)
    assert (finding.joint, finding.limit, finding.motion) == ("HeadYaw", 4.0, "m")
    assert finding.time == pytest.approx(0.012)
    assert finding.as_dict()["joint"] == "HeadYaw"
    assert str(finding) == (
        "warning: blocks.b.keyframes[0]: HeadYaw moves at 286 deg/s; limit: 229 deg/s (motion m at 12 ms) [speed]"
    )
    (finding,) = check(CASES["acceleration"][0], robot)
    assert finding.value == pytest.approx(0.1 * math.pi**2 / 2 / 0.048**2)
    (finding,) = check(CASES["velocity jump"][0], robot)
    assert (finding.value, finding.limit, finding.time) == (pytest.approx(6.0), 4.0, pytest.approx(0.24))
    (finding,) = check(CASES["joint limit"][0], robot)
    assert (finding.value, finding.limit) == (2.1, 2.0)
    assert "120.32 deg is 5.73 deg beyond" in finding.message


def test_self_collision_reports_the_deepest_tick(robot: Robot) -> None:
    (finding,) = check(CASES["self-collision"][0], robot)
    assert 0.3 < (finding.time or 0.0) < 1.01
    assert "torso and left_arm overlap" in finding.message
    assert float(finding.value or 0) > 0.01


def test_balance_is_judged_against_the_soles(robot: Robot) -> None:
    (finding,) = check(CASES["static balance"][0], robot)
    # Soles reach from 0.3 sin 0.4 - 0.1 = 17 mm on; the legs pull the centre of mass 16 mm to their side.
    shift = 0.3 * math.sin(0.4)
    masses = {"torso": 2.0, "head": 0.2, "arms": 0.3, "hips": 0.2}
    legs = 0.4 * 0.15 * math.sin(0.4) + 0.2 * (0.3 * math.sin(0.4))
    com = legs / (sum(masses.values()) + 0.4 + 0.2)
    assert finding.value == pytest.approx(com - (shift - 0.1), abs=2e-3)


def test_the_way_to_the_first_posture_is_not_judged_without_a_known_start(robot: Robot) -> None:
    assert check(CASES["speed"][0], robot, CheckSettings()) == []
    # Where it ends is certain.
    assert [f.rule for f in check(CASES["self-collision"][0], robot, CheckSettings())] == ["self-collision"]


def test_collision_and_balance_tolerances_are_settings(robot: Robot) -> None:
    loose = CheckSettings(start="stand", collision_allowance=0.2, balance_margin=-0.2)
    assert check(CASES["self-collision"][0], robot, loose) == []
    assert check(CASES["static balance"][0], robot, loose) == []
    strict = CheckSettings(start="stand", balance_margin=0.09)
    assert {f.rule for f in check(GOOD, robot, strict)} == {"static-balance"}


def test_what_cannot_be_sampled_is_said(robot: Robot) -> None:
    findings = check(block("duration: 1e6"), robot)
    assert [f.rule for f in findings] == ["units", "not-sampled"]
    assert "too long to sample" in findings[1].message
    rules = {f.rule for f in check(keyframe("joints: {Head: 1}"), robot)}
    assert rules == {"unknown-reference", "not-sampled"}


def test_loops_that_a_condition_or_a_count_ends_are_legal(robot: Robot) -> None:
    for branch in ("block: b, early: {}, max_block_loops: 3", f"block: b, early: {{conditions: [{CONDITION}]}}"):
        assert check(keyframe(f"branches: [{{{branch}}}]"), robot) == []
    # A follow-up circle in which time passes is legal, one of empty motions is not.
    assert check(GOOD.replace("[b]", "[b], follow_ups: [{motion: m}]"), robot) == []
    empty = GOOD + ""
    empty = empty.replace(
        "m: {blocks: [b]}", "m: {blocks: [b]}\n  n: {follow_ups: [{motion: o}]}\n  o: {follow_ups: [{motion: n}]}"
    )
    assert [f.rule for f in check(empty, robot)] == ["endless-loop", "empty", "empty"]


def test_entries_decide_what_is_reachable(robot: Robot) -> None:
    text = GOOD.replace("m: {blocks: [b]}", "m: {}\n  n: {blocks: [b]}")
    settings = CheckSettings(start="stand", entries=("m",))
    assert {(f.place, f.rule) for f in check(text, robot, settings)} == {
        ("motions.m", "empty"),
        ("motions.n", "unreachable"),
        ("blocks.b", "unreachable"),
    }


def test_rules_are_chosen_by_name(robot: Robot) -> None:
    library = load_document(CASES["self-collision"][0], MotionLibrary)
    assert check_library(library, robot, ["joint-limit", "empty"], STAND) == []
    with pytest.raises(MotionError, match="no such check; got 'joint-limits'; did you mean 'joint-limit'"):
        check_library(library, robot, ["joint-limits"])
    with pytest.raises(RobotError, match="no such posture; got 'sit'"):
        check_library(library, robot, settings=CheckSettings(start="sit"))


def test_real_library_of_2024(bhuman_folder: Path, nao: Robot) -> None:
    from andante.formats.registry import read

    library = read(bhuman_folder / "keyframeMotionEngine.cfg")
    findings = check_library(library, nao)
    by_rule: dict[str, list[Finding]] = {}
    for finding in findings:
        by_rule.setdefault(finding.rule, []).append(finding)
    typo = by_rule["contradiction"]
    assert any(
        f.place.startswith("blocks.frontUpright.keyframes[2].compensation") and f.joint == "LAnkleRoll" for f in typo
    )
    assert {"blocks.standHigh", "motions.catchFront"} <= {f.place for f in by_rule["empty"]}
    assert "blocks.frontCatch" in {f.place for f in by_rule["unreachable"]}
    # Reference, section 3: targets are overdriven on purpose; both hip yaw pitches always agree.
    assert len(by_rule["joint-limit"]) == 181
    assert "coupling" not in by_rule
    assert "not-sampled" not in by_rule
    assert not [f for f in findings if f.severity == "error"]
