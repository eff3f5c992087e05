"""Libraries that cannot be meant: `check` and `run` name each mistake with the path to the entry."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.control.events import EventKind
from andante.runs.logs.log import Log

FRAME = "{duration: 100, joints: {HeadYaw: 5}}"
HEAD = """\
format: andante.motions
version: 1
units: {angle: deg, time: ms, length: mm}
"""
STIFF = "{head: 1, left_arm: 1, right_arm: 1, left_leg: 1, right_leg: 1}"
WRIST = "{variable: left_wrist_y, min: 0, max: 90}"


def library(entry: str, motion: str = "{blocks: [a]}", robot: str = "nao") -> str:
    """One motion ``m`` of one block ``a`` whose keyframe has an extra entry."""
    frame = FRAME.replace("HeadYaw", "Pan") if robot == "ers7" else FRAME
    frame = frame[:-1] + (f", {entry}}}" if entry else "}")
    block = f"{{base_stiffness: {STIFF if robot == 'nao' else '{}'}, keyframes: [{frame}]}}"
    return f"{HEAD}robot: {robot}\nmotions:\n  m: {motion}\n  n: {{blocks: [a]}}\nblocks:\n  a: {block}\n"


def andante(*words: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, done.stdout, done.stderr


CASES = {
    "follow-ups in a circle": (
        library("", "{follow_ups: [{motion: m}]}"),
        "motions.m",
        "runs for ever without time passing: motion m -> motion m",
        "endless-loop",
    ),
    "branches in a circle": (
        library("branches: [{motion: m, early: {}}]"),
        "motions.m",
        "runs for ever without time passing: motion m -> block a -> motion m",
        "endless-loop",
    ),
    "block that does not exist": (
        library("", "{blocks: [aa]}"),
        "motions.m.blocks[0]",
        "the library has no",
        "unknown-reference",
    ),
    "inserted block that does not exist": (
        library("branches: [{block: b, early: {}}]"),
        "blocks.a.keyframes[0].branches[0].block",
        "the library has no",
        "unknown-reference",
    ),
    "follow-up that does not exist": (
        library("", "{blocks: [a], follow_ups: [{motion: mm}]}"),
        "motions.m.follow_ups[0].motion",
        "the library has no",
        "unknown-reference",
    ),
    "condition on joints that the robot lacks": (
        library(f"waits: [{WRIST}]", robot="ers7"),
        "blocks.a.keyframes[0].waits[0].variable",
        "robot 'ers7' has no joint for this condition's variable",
        "robot-lacks",
    ),
    "follow-up on joints that the robot lacks": (
        library("", f"{{blocks: [a], follow_ups: [{{motion: n, conditions: [{WRIST}]}}]}}", "ers7"),
        "motions.m.follow_ups[0].conditions[0].variable",
        "robot 'ers7' has no joint for this condition's variable",
        "robot-lacks",
    ),
    "compensation by a joint of another robot": (
        library("compensation: [{joint: LFJ1, range: {min: 5, max: 20}}]"),
        "blocks.a.keyframes[0].compensation[0].joint",
        "robot 'nao' has no",
        "unknown-reference",
    ),
    "compensation of a joint of another robot": (
        library("compensation: [{joint: LHipPitch, range: {min: 5, max: 20}, targets: [{joint: LFJ1, scale: 1}]}]"),
        "blocks.a.keyframes[0].compensation[0].targets[0]",
        "robot 'nao' has no",
        "unknown-reference",
    ),
    "limb pose out of reach": (
        library("limbs: {left_leg: {position: [0, 50, -400], rotation: [0, 0, 0]}}"),
        "blocks.a.keyframes[0].limbs.left_leg",
        "the pose is out of reach: the foot is too far from the hip: the ankle would be 0.2698 m from the hip centre",
        "limb-pose",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_check_and_run_name_the_entry(case: str, tmp_path: Path) -> None:
    text, place, message, rule = CASES[case]
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    code, printed, _ = andante("check", path)
    assert code == 1
    (line,) = [line for line in printed.splitlines() if line.endswith(f"[{rule}]")]
    assert line.startswith(f"error: {place}")
    assert message in line
    robot = "ers7" if "ers7" in text else "nao"
    scenario = tmp_path / "bad-run.yaml"
    scenario.write_text(
        f"format: andante.scenario\nversion: 1\nname: bad\nrobot: {robot}\n"
        "controller: {type: keyframes, library: bad.yaml, motions: [m]}\n"
        "recording: {report: false, video: false}\n"
    )
    code, printed, told = andante("run", scenario, "--out", tmp_path / "out")
    assert code == 2
    assert printed == ""
    assert told.startswith(f"andante: {place}: {message}")
    assert len(told.splitlines()) == 1


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        (
            "waits: [{variable: torso_pitch, min: 170, max: -170, max_wait: 12}]",
            "warning: blocks.a.keyframes[0].waits[0]: torso_pitch 170..-170 deg has its lower end above its upper one: "
            "it holds outside of that gap [inverted-range]",
        ),
        (
            "compensation: [{joint: LHipPitch, range: {min: 20, max: 5}}]",
            "warning: blocks.a.keyframes[0].compensation[0].range: the range 20 to 5 deg begins with the larger error, "
            "so that large errors are not corrected [inverted-range]",
        ),
    ],
)
def test_inverted_ranges_are_legal_and_told(entry: str, line: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text(library(entry))
    code, printed, _ = andante("check", path)
    assert code == 0
    assert printed.splitlines()[:2] == [f"{path}: legal; 1 thing to look at", line]
    words = ("--library", path, "--motion", "m", "--out", tmp_path / "out", "--no-video", "--no-report", "--json")
    code, printed, told = andante("run", *words)
    assert code == 0, told
    assert json.loads(printed)["verdict"] == "pass"
    events = [event.text for event in Log.open(tmp_path / "out" / "log.mcap").events if event.kind is EventKind.LIBRARY]
    assert events == [line.removeprefix("warning: ").removesuffix(" [inverted-range]")]


def test_check_accepts_limb_poses_that_can_be_reached(tmp_path: Path) -> None:
    path = tmp_path / "poses.yaml"
    legs = ", ".join(
        f"{side}_leg: {{position: [0, {y}, -290], rotation: [0, 0, 0]}}" for side, y in (("left", 50), ("right", -50))
    )
    path.write_text(library(f"limbs: {{{legs}}}"))
    code, printed, _ = andante("check", path)
    assert code == 0
    assert "0 errors" in printed.splitlines()[-1]
    # Sampled too, so that speed, collision and balance are judged.
    assert "not-sampled" not in printed
