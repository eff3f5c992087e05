"""`andante robots` and `andante check` with robots from their files."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import andante.robots as andante_robots
from andante.cli.app import app
from andante.runs.task import scenario_of

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


def test_limits_of_a_wheel_stay_apart(robot: Path) -> None:
    robot.write_text(
        robot.read_text().replace('name="Waist" axis="0 0 1" range="-1 1"', 'name="Waist" range="-1e6 1e6"')
    )
    assert "  -57295779.51 57295779.51 " in andante("robots", robot)[1].replace("Waist", "")


def test_columns_of_joints_stay_apart_whatever_their_names_and_sizes(robot: Path) -> None:
    text = robot.read_text().replace("Left_Knee_Pitch", "left_knee_pitch_of_the_longer_leg")
    robot.write_text(re.sub(r'(ctrlrange|actuatorfrcrange|forcerange)="[^"]*"', r'\1="-12345 12345"', text))
    lines = andante("robots", robot)[1].splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("joint "))
    joints = [line.split() for line in lines[first + 1 : lines.index(next(x for x in lines if x.startswith("feet: ")))]]
    ends = {
        match.start()
        for line in lines[first + 1 : first + 1 + len(joints)]
        for match in re.finditer(r"(?<=\.\d{3})$", line)
    }
    assert {len(words) for words in joints} == {5}
    assert len(ends) == 1


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


LIBRARY = """format: andante.motions
version: 1
units: {angle: deg, time: ms}
robot: robots/mine
motions: {nod: {blocks: [nod]}}
blocks: {nod: {keyframes: [{duration: 200, joints: {HeadPitch: 10}}, {duration: 200, joints: {HeadPitch: 0}}]}}
"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A library whose robot lies in a folder beside it: the NAO under another name."""
    folder = tmp_path / "team" / "robots" / "mine"
    shutil.copytree(Path(andante_robots.__path__[0]) / "nao", folder)
    text = (folder / "pack.yaml").read_text()
    (folder / "pack.yaml").write_text(re.sub(r"^name: .*$", "name: mine", text, count=1, flags=re.MULTILINE))
    file = tmp_path / "team" / "nod.yaml"
    file.write_text(LIBRARY)
    return file


def test_a_library_that_gives_its_robots_path_is_checked_and_run(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path is seen from the library's folder, wherever the command is given."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    code, text = andante("check", library, "--json")
    found = json.loads(text)
    assert (code, found["robot"], found["counts"]["error"]) == (0, "mine", 0)
    code, text = andante("run", "../team/nod.yaml/nod", "--no-report", "--no-video", "--out", "out", "--json")
    assert code == 0, text
    assert json.loads(text)["verdict"] == "pass"
    # The run's own scenario finds the robot again.
    assert str(tmp_path / "team" / "robots" / "mine") in (tmp_path / "elsewhere" / "out" / "scenario.yaml").read_text()


def test_a_robot_that_is_not_where_the_library_says(library: Path, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "team" / "robots")
    done = CliRunner().invoke(app, ["check", str(library)])
    assert done.exit_code == 2
    assert "robots/mine" in done.output


def test_another_robot_than_the_path_names_is_told(library: Path) -> None:
    code, text = andante("check", library, "--robot", "nao", "--json")
    assert code == 0
    assert json.loads(text)["notes"] == [f"{library} is for robot 'mine'; bound to 'nao', whose joints it names"]
    done = CliRunner().invoke(app, ["run", str(library), "--robot", "nao", "--no-report", "--out", str(library.parent)])
    assert f"note: {library} is for robot 'robots/mine'; its motions are bound to nao" in done.output


def test_motions_of_a_shipped_library_on_another_robot_are_told() -> None:
    pytest.importorskip("rcsssmj", reason="needs the package rcsssmj (make robots)")
    controller = scenario_of("nao/wave").controller
    assert controller.binding_note("nao") == ""
    told = "library 'nao' is for robot 'nao'; t1 takes its angles as they are (there is a library 't1')"
    left = "left out, for it has no such joints: LWristYaw, LHand, RWristYaw, RHand"
    other = (
        "angles stay as they are and mean other postures: a t1 turns elsewhere about Left_Shoulder_Roll, Left_Elbow_"
    )
    note = controller.binding_note("t1")
    assert note.startswith(f"{told}; {left}; {other}")


def test_what_a_booster_plays_another_plays_alike() -> None:
    told = "library 'k1' is for robot 'k1'; t1 takes its angles as they are (there is a library 't1')"
    assert scenario_of("k1/wave").controller.binding_note("t1") == told
