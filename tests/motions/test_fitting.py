"""One motion that needs what is not there does not forbid the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.formats.registry import read
from andante.formats.report import ReadReport
from andante.motions.checks.choice import check
from andante.motions.fitting import fitting
from andante.motions.keyframe import Block, Branch, Keyframe
from andante.motions.library import FollowUp, Motion, MotionLibrary
from andante.robots.robot import Robot

GOOD = Block(keyframes=(Keyframe(duration=0.3, joints={"HeadYaw": 0.1}),))
BAD = Block(keyframes=(Keyframe(duration=0.3, joints={"HeadYow": 0.1}),))
LEADS = Block(keyframes=(Keyframe(duration=0.3, joints={}, branches=(Branch(motion="bad"),)),))
LIBRARY = MotionLibrary(
    robot="nao",
    motions={
        "good": Motion(blocks=("good",)),
        "bad": Motion(blocks=("bad",)),
        "follows": Motion(blocks=("good",), follow_ups=(FollowUp(motion="bad"),)),
        "branches": Motion(blocks=("leads",)),
    },
    blocks={"good": GOOD, "bad": BAD, "leads": LEADS},
)


def test_what_reaches_a_lack_is_left_out_and_what_is_wanted_stays() -> None:
    robot = Robot.load("nao")
    assert list(fitting(LIBRARY, robot, ["good"]).motions) == ["good"]
    assert list(fitting(LIBRARY, robot, ["good"]).blocks) == ["good"]
    assert set(fitting(LIBRARY, robot, ["follows"]).motions) == {"good", "bad", "follows"}
    fine = fitting(LIBRARY, robot, ["good"])
    assert fitting(fine, robot, ["good"]) is fine


def test_the_good_motion_runs_and_the_bad_one_says_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("two.yaml").write_text(
        "format: andante.motions\nrobot: nao\n"
        "motions: {good: {blocks: [good]}, bad: {blocks: [bad]}}\n"
        "blocks:\n  good: {keyframes: [{duration: 0.3, joints: {HeadYaw: 0.1}}]}\n"
        "  bad: {keyframes: [{duration: 0.3, joints: {HeadYow: 0.1}}]}\n"
    )
    words = ["--no-video", "--no-report"]
    done = CliRunner().invoke(app, ["run", "two.yaml/good", *words])
    assert done.exit_code == 0, done.output
    refused = CliRunner().invoke(app, ["run", "two.yaml/bad", *words])
    assert refused.exit_code == 2
    assert "HeadYow" in refused.stderr


def test_a_missing_companion_file_is_named_and_looked_for_where_the_robot_does(
    bhuman_folder: Path, tmp_path: Path
) -> None:
    own = tmp_path / "Config" / "Robots" / "Mine"
    own.mkdir(parents=True)
    engine, parameters = "keyframeMotionEngine.cfg", "keyframeMotionParameters.cfg"
    (own / engine).write_bytes((bhuman_folder / engine).read_bytes())
    report = ReadReport()
    library = read(own, report=report)
    assert any(f"{parameters}, which has the balance phases, is in none of" in str(each) for each in report.warnings)
    errors = [finding.message for finding in check(library) if finding.severity == "error"]
    assert errors
    assert all(parameters in message for message in errors)
    default = tmp_path / "Config" / "Robots" / "Default"
    default.mkdir()
    (default / parameters).write_bytes((bhuman_folder / parameters).read_bytes())
    assert not [finding for finding in check(read(own)) if finding.severity == "error"]
