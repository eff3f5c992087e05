"""`andante robots` and `andante check` with robots from their files."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app

sys.path.append(str(Path(__file__).resolve().parents[1] / "robots"))
from humanoids import mjcf_humanoid


def andante(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, done.stdout


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    path = tmp_path / "robot.xml"
    path.write_text(mjcf_humanoid().replace("_Knee", "_Knee_Pitch"))
    return path


def test_every_guess_is_listed(robot: Path) -> None:
    code, text = andante("robots", robot)
    lines = text.splitlines()
    assert code == 0
    assert lines[0].startswith("walker (robot.xml) (walker): ")
    assert "feet: left (body Left_foot, sole 20.0 x 10.0 cm), right (body Right_foot, sole 20.0 x 10.0 cm)" in lines
    assert "group head: Head_yaw, Head_pitch" in lines
    assert "group waist: Waist" in lines
    assert any(line.startswith("mirror: Left_Shoulder_Pitch Right_Shoulder_Pitch, ") for line in lines)
    assert any(line.startswith("stands 0.7") and line.endswith(" m high") for line in lines)
    assert "joints that motion files name and this robot has not: LHand, LWristYaw, RHand, RWristYaw" in lines
    assert not any(line.startswith("unsure") for line in lines)


def test_doubts_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(mjcf_humanoid(one_leg=True))
    _, text = andante("robots", path)
    assert (
        "unsure of feet: 1 feet were found where two or four were expected; write a pack that names it, or no verdict"
        " will rest on it"
    ) in text.splitlines()
    found = json.loads(andante("robots", path, "--json")[1])
    assert set(found["doubts"]) == {"feet", "stand"}
    assert found["standing_height"] is None


def test_json_tells_feet_groups_and_mirror(robot: Path) -> None:
    found = json.loads(andante("robots", robot, "--json")[1])
    assert found["foot_shapes"]["left"]["body"] == "Left_foot"
    assert len(found["foot_shapes"]["left"]["outline"]) == 4
    assert len(found["groups"]["left_arm"]) == 4
    assert ["Left_Knee_Pitch", "Right_Knee_Pitch"] in found["mirror"]["pairs"]
    assert found["aliases"]["LKneePitch"] == "Left_Knee_Pitch"


CFG = """motions = {
  front = {keyframes = [front]; balanceOut = false; isMotionStable = false; startAsNextPhaseMotion = [];
    keyframeEndRequest = {energySavingLegs = none; energySavingArms = none; isStandHigh = false;};};
};
keyframeBlock = {};
"""


def test_a_file_that_names_no_robot_says_whom_it_is_looked_at_with(tmp_path: Path, robot: Path) -> None:
    file = tmp_path / "keyframeMotionEngine.cfg"
    file.write_text(CFG)
    _, text = andante("check", file)
    assert text.splitlines()[0] == (
        f"{file} does not say which robot it is for; looked at with 'nao', give --robot for another"
    )
    _, text = andante("check", file, "--robot", robot)
    assert (
        text.splitlines()[0] == f"{file} does not say which robot it is for; bound to 'walker', whose joints it names"
    )
    assert json.loads(andante("check", file, "--robot", robot, "--json")[1])["robot"] == "walker"
