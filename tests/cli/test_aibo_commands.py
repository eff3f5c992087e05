"""`check --rules aibo`, `check --physics` and `fix` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app

RUNNER = CliRunner()
FAST = """
format: andante.motions
version: 1
units: {angle: deg, time: ms, length: mm}
robot: ers7
motions:
  swing: {blocks: [swing]}
blocks:
  swing:
    keyframes:
      - {duration: 80, joints: {RFJ1: 27}}
      - {duration: 400, joints: {RFJ1: -33}}
"""


@pytest.fixture
def fast(tmp_path: Path) -> Path:
    path = tmp_path / "fast.yaml"
    path.write_text(FAST)
    return path


def test_the_design_rules_fail_a_motion_and_fix_mends_its_speed(fast: Path, tmp_path: Path) -> None:
    checked = RUNNER.invoke(app, ["check", str(fast), "--rules", "aibo", "--json"])
    assert checked.exit_code == 1
    speeds = [f for f in json.loads(checked.stdout)["findings"] if f["rule"] == "speed"]
    assert [(f["severity"], f["joint"], f["place"]) for f in speeds] == [("error", "RFJ1", "blocks.swing.keyframes[0]")]
    out = tmp_path / "slow.yaml"
    fixed = RUNNER.invoke(app, ["fix", str(fast), "--out", str(out)])
    assert fixed.exit_code == 0
    # 60 deg at 278.75 deg/s take 215.2 ms, 27 ticks of 8 ms
    assert "blocks.swing.keyframes[0]: 80 ms -> 216 ms, as RFJ1 would move at 750 deg/s" in fixed.stdout
    again = RUNNER.invoke(app, ["check", str(out), "--rules", "aibo", "--json"])
    findings = json.loads(again.stdout)["findings"]
    assert again.exit_code == 0
    assert not [f for f in findings if f["rule"] == "speed"]


def test_what_is_fixed_into_an_mtn_stays_fixed_on_its_frames(tmp_path: Path) -> None:
    path = tmp_path / "nod.moves"
    poses = "pose up\n  Tilt1 -10\npose down\n  Tilt1 -40\n"
    path.write_text(f"andante moves 1\nrobot ers7\n{poses}motion nod\n  16 up\n  80 down\n")
    fixed = RUNNER.invoke(app, ["fix", str(path), "--out", str(tmp_path / "nod.mtn"), "--start", "walk"])
    # 30 deg at 182 deg/s take 165 ms: 21 ticks of 8 ms, but 11 frames of 16 ms.
    assert "blocks.nod.keyframes[1]: 80 ms -> 176 ms" in fixed.stdout
    assert "become whole frames" not in fixed.stdout
    checked = RUNNER.invoke(app, ["check", str(tmp_path / "nod.mtn"), "--json"])
    assert not [found for found in json.loads(checked.stdout)["findings"] if found["rule"] == "speed"]


def test_fix_replaces_nothing_unasked(fast: Path) -> None:
    refused = RUNNER.invoke(app, ["fix", str(fast), "--out", str(fast)])
    assert refused.exit_code == 2
    assert fast.read_text() == FAST
    forced = RUNNER.invoke(app, ["fix", str(fast), "--out", str(fast), "--force", "--json"])
    assert forced.exit_code == 0
    assert json.loads(forced.stdout)["changes"][0]["joint"] == "RFJ1"


def test_an_aibo_is_judged_by_its_own_rules_unless_others_are_asked_for(fast: Path, tmp_path: Path) -> None:
    told = [
        json.loads(RUNNER.invoke(app, ["check", str(fast), *more, "--json"]).stdout)
        for more in ((), ("--rules", "aibo"), ("--rules", "library"))
    ]
    assert [each["rules"] for each in told] == ["aibo", "aibo", "library"]
    assert told[0]["findings"] == told[1]["findings"] != told[2]["findings"]
    assert "velocity-jump" in {finding["rule"] for finding in told[0]["findings"]}
    # What holds for the document of any robot is looked at by these rules too.
    empty = tmp_path / "empty.yaml"
    empty.write_text(FAST.replace("{blocks: [swing]}", "{blocks: [swing]}\n  nothing: {blocks: []}"))
    found = json.loads(RUNNER.invoke(app, ["check", str(empty), "--json"]).stdout)
    assert "empty" in {finding["rule"] for finding in found["findings"]}
    nao = tmp_path / "nao.yaml"
    nao.write_text(FAST.replace("ers7", "nao").replace("RFJ1", "HeadYaw"))
    assert json.loads(RUNNER.invoke(app, ["check", str(nao), "--json"]).stdout)["rules"] == "library"


def test_unknown_rules_are_named(fast: Path) -> None:
    refused = RUNNER.invoke(app, ["check", str(fast), "--rules", "abo"])
    assert refused.exit_code == 2
    assert "there are no such rules; got 'abo'; did you mean 'aibo'?; legal: auto, library, aibo" in refused.stderr


@pytest.mark.slow
def test_physics_tells_what_happens(fast: Path) -> None:
    checked = RUNNER.invoke(app, ["check", str(fast), "--physics", "--seeds", "1", "--json"])
    findings = json.loads(checked.stdout)["findings"]
    assert not [f for f in findings if f["rule"] == "falls"]
    said = RUNNER.invoke(app, ["check", str(fast), "--physics", "--seeds", "1"]).stdout.strip().splitlines()[-1]
    assert said.endswith("; 1 of 1 motions that are to stand do in all of 1 runs in physics each"), said


def test_findings_are_grouped_unless_all_or_json_are_asked_for(tmp_path: Path) -> None:
    many = tmp_path / "many.yaml"
    frames = ", ".join(f"{{duration: 2000, joints: {{HeadYaw: {120 + step}}}}}" for step in range(12))
    many.write_text(
        "format: andante.motions\nunits: {angle: deg, time: ms}\nrobot: nao\n"
        f"motions: {{m: {{blocks: [b]}}}}\nblocks: {{b: {{keyframes: [{frames}]}}}}\n"
    )
    grouped = RUNNER.invoke(app, ["check", str(many)]).stdout.splitlines()
    every = RUNNER.invoke(app, ["check", str(many), "--all"]).stdout.splitlines()
    found = json.loads(RUNNER.invoke(app, ["check", str(many), "--json"]).stdout)["findings"]
    assert len(every) == len(found) + 2
    assert grouped[0] == every[0] == f"{many}: legal; 1 thing to look at"
    (limits,) = [line for line in grouped if "[joint-limit]" in line]
    assert "target 131.00 deg" in limits
    assert limits.endswith("[joint-limit] and 11 more of the kind")
    assert every[-1] == grouped[-1]
