"""What each construct and quirk of teams' files becomes, with values by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from team_files import (
    BITBOTS,
    CSV,
    HULKS,
    HULKS_STIFF,
    MOTION2,
    MOTION2_COMMANDS,
    MUJOCO,
    MUJOCO_TIMED,
    NAODEVILS,
    PYTHON,
    RUNSWIFT,
    WEBOTS,
    XAR,
)

from andante.formats.hulks.names import JOINTS, NUMBERED
from andante.formats.registry import read, write
from andante.formats.report import FormatError, ReadReport
from andante.formats.runswift import COLUMNS, ORDER
from andante.motions.conditions import Variable, WaitCondition
from andante.motions.keyframe import Interpolation

DEG = math.pi / 180.0


@pytest.fixture
def load(tmp_path: Path):
    """Read a text as a file; the report is returned too."""

    def loader(text: str, name: str, robot: str = ""):
        report = ReadReport()
        (tmp_path / name).write_text(text)
        return read(tmp_path / name, report=report, robot=robot), report

    return loader


def stiffness(keyframe) -> dict[str, float]:
    return {change.joint: change.stiffness for change in keyframe.stiffness}


def told(report: ReadReport) -> str:
    return "\n".join(str(warning) for warning in report.warnings)


def test_hulks_parts_become_blocks(load):
    library, report = load(HULKS, "stand.json")
    assert library.robot == "nao"
    assert library.motions["stand"].blocks == ("down", "stand_2")
    down = library.blocks["down"]
    assert down.interpolation is Interpolation.SINE_MIN_TO_MAX
    assert [keyframe.duration for keyframe in down.keyframes] == [0.001, 0.2772727272727272, 0.5]
    assert down.keyframes[0].joints["HeadPitch"] == 0.01
    assert down.keyframes[1].joints["RKneePitch"] == 0.1 + 0.1 * 4 + 0.01 * 3
    assert list(down.keyframes[1].joints) == list(JOINTS)
    assert down.keyframes[2].waits == (
        WaitCondition(variable=Variable.TORSO_PITCH_FLUCTUATION, min=0.0, max=0.1, max_wait=5.0),
    )
    assert "motion[0].entry_condition: the condition has no counterpart; it is kept, not executed" in told(report)
    assert told(report).count("motion[1].interrupt_conditions: the condition has no counterpart") == 2
    assert "looks at its pitch only" in told(report)


def test_hulks_second_dialect_has_stiffness_and_a_stray_one(load):
    library, report = load(HULKS_STIFF, "jump.json")
    first, second = library.blocks["jump_1"].keyframes
    assert stiffness(first) == dict.fromkeys(JOINTS, 0.8)
    assert stiffness(second) == {"HeadYaw": 0.0, "HeadPitch": 0.3}
    assert "stiffnesses beside the joint groups are not read; they are kept" in told(report)


def test_hulks_spline_is_read_as_lines(load):
    library, report = load(HULKS.replace("cosine", "catmull-rom"), "a.json")
    assert library.blocks["down"].interpolation is Interpolation.LINEAR
    assert "a spline through all keyframes is read as straight lines" in told(report)


def test_motion2_joints_give_the_order(load):
    library, report = load(MOTION2, "kick.motion2")
    keyframes = library.blocks["kick"].keyframes
    # 200, 100 and 700 ms, scaled to the 2700 ms of the header.
    assert [keyframe.duration for keyframe in keyframes] == pytest.approx([0.54, 0.27, 1.89])
    for number, joint in enumerate(NUMBERED):
        assert keyframes[0].joints[joint] == 0.01 * number
    assert NUMBERED[20] == "RShoulderPitch"
    assert NUMBERED[8] == "LHipYawPitch"
    assert "the header says 2700 ms, the poses take 1000 ms; they are scaled to the header" in told(report)
    # The first stiffness ends at 10 ms, inside the first keyframe: that one gets what is in force at its end.
    assert stiffness(keyframes[0]) == {joint: 0.3 if joint.startswith("Head") else 1.0 for joint in keyframes[0].joints}
    assert "the stiffness changes between keyframes" in told(report)


def test_motion2_commands_in_tenths(load):
    library, report = load(MOTION2_COMMANDS, "chain.motion2")
    # 19 tenths, scaled to the 4 s of the header.
    durations = [keyframe.duration for keyframe in library.blocks["chain"].keyframes]
    assert durations == pytest.approx([10 * 4 / 19, 9 * 4 / 19])
    assert "times are taken as tenths of a second: their sum is 19, the header's 4000 ms" in told(report)
    in_ms = MOTION2_COMMANDS.replace('"time": 10', '"time": 3000').replace('"time": 9', '"time": 1000')
    library, report = load(in_ms, "chain.motion2")
    assert [keyframe.duration for keyframe in library.blocks["chain"].keyframes] == [3.0, 1.0]
    assert report.warnings == []


@pytest.mark.parametrize(
    ("header", "times", "unit"),
    [
        (4500, [7, 6, 6, 26, 30], 0.1),  # 75 in all: 7.5 s are nearer to 4.5 s than 75 ms
        (4500, [7, 6, 6, 26], 0.1),
        (2700, [960, 4000, 5000], 0.001),  # a header that is wrong, as in many files
        (9960, [960, 700, 1040], 0.001),
        (4500, [0.7, 1.3, 2.5], 1.0),
        (45, [7, 6, 6, 26], 0.001),
        (0, [7, 6, 6, 26], 0.001),
        (None, [7, 6, 6, 26], 0.001),
    ],
)
@pytest.mark.parametrize("dialect", ["position", "commands"])
def test_motion2_counts_in_the_unit_that_the_header_shows(header, times, unit, dialect, load, tmp_path: Path):
    entries = [{"time": time, "parameters": [0.1 * index] * 2} for index, time in enumerate(times)]
    data = {
        "header": {"joints": [0, 1], "version": "2.0"} | ({} if header is None else {"time": header}),
        dialect: entries if dialect == "position" else [{"command": {"type": 0} | entry} for entry in entries],
    }
    library, report = load(json.dumps(data), "kick.motion2")
    durations = [keyframe.duration for keyframe in library.blocks["kick"].keyframes]
    scale = header / (1000.0 * unit * sum(times)) if header else 1.0
    assert durations == pytest.approx([time * unit * scale for time in times], rel=1e-12)
    if unit != 0.001:
        assert f"their sum is {sum(times):g}, the header's {header} ms" in told(report)
    elif header:
        assert ("the poses take" in told(report)) == (header != sum(times))
    else:
        assert "the file does not say how long the motion is; 45 are taken as milliseconds" in told(report)
    write(library, tmp_path / "again.motion2")
    assert json.loads((tmp_path / "again.motion2").read_text()) == data


def test_bitbots_pauses_and_partial_goals(load, tmp_path: Path):
    library, report = load(BITBOTS, "a.json")
    assert library.robot == "wolfgang"
    assert "the file does not name its robot; 'wolfgang' is taken" in told(report)
    block = library.blocks["stand_up_back"]
    move, pause, push, bare = block.keyframes
    assert (move.duration, pause.duration, push.duration, bare.duration) == (1.0, 0.5, 0.2, 1.0)
    assert move.joints == pause.joints == {"HeadPan": 0.0, "LKnee": 124.25 * DEG, "RKnee": -61 * DEG}
    assert push.joints == {"LKnee": -81.47 * DEG}
    assert block.interpolation is Interpolation.SINE_MIN_TO_MAX
    assert "'torque' has no counterpart; it is kept, not executed" in told(report)
    assert load(BITBOTS, "a.json", robot="op3")[0].robot == "op3"
    folder = tmp_path / "piplus_animations" / "standup"
    folder.mkdir(parents=True)
    (folder / "b.json").write_text(BITBOTS)
    assert read(folder / "b.json").robot == "piplus"


def test_runswift_stiffness_counts_for_one_line(load):
    library, _ = load(RUNSWIFT, "sit.pos")
    block = library.blocks["sit"]
    first, soft, last = block.keyframes
    assert block.base_stiffness == dict.fromkeys(("head", "left_arm", "right_arm", "left_leg", "right_leg"), 1.0)
    assert stiffness(first) == {}
    assert stiffness(soft) == {joint: 0.2 for joint in COLUMNS.values() if joint != "RHand"}
    assert stiffness(last) == {joint: 1.0 for joint in COLUMNS.values() if joint != "RHand"}
    assert first.joints["LShoulderPitch"] == 2.5 * DEG
    assert first.joints["LHipYawPitch"] == 7.5 * DEG
    assert first.joints["RHand"] == 24.5 * DEG
    assert "RHipYawPitch" not in first.joints
    assert (first.duration, soft.duration, last.duration) == (0.3, 1.2, 0.001)
    assert first.note == "first of all\n#$ 1 1 1 is a comment"
    assert soft.note == "go soft"
    assert library.motions["sit"].note == "Taken from nowhere.\nthe end"


def test_runswift_columns_in_another_order(load):
    order = [*reversed(ORDER[2:])]
    text = f"HY HP {' '.join(order)} DUR\n! {' '.join(str(number) for number in range(25))} 100\n"
    joints = load(text, "a.pos")[0].blocks["a"].keyframes[0].joints
    assert joints["RHand"] == 2 * DEG
    assert joints["LShoulderPitch"] == 24 * DEG


def test_runswift_signs_count_at_the_line_s_beginning_only(load, tmp_path: Path):
    library, report = load(RUNSWIFT.replace("$ 0.2", " $ 0.2"), "a.pos")
    assert stiffness(library.blocks["a"].keyframes[1]) == {}
    assert "a.pos:9: the sign is not the line's first character: this is text" in told(report)


def test_nao_devils_angles_without_a_degree_of_their_own(load, tmp_path: Path):
    library, _ = load(NAODEVILS.replace("20000, -30deg", "28000, 1.2345678901234567"), "a.kfm")
    from andante.formats.registry import write

    write(library, tmp_path / "b.kfm")
    assert read(tmp_path / "b.kfm").blocks == library.blocks


def test_runswift_empty_file(load):
    library, report = load("", "BACK.pos")
    assert report.format == "runswift"
    assert library.blocks["BACK"].keyframes == ()
    assert "the file has no keyframes" in told(report)


def test_webots_names_in_any_case_and_joints_that_are_not_driven(load):
    library, report = load(WEBOTS, "HandWave.motion")
    assert library.robot == "nao"
    start, reach, end = library.blocks["HandWave"].keyframes
    assert start.joints == {"HeadYaw": 0.1, "LShoulderPitch": -1.3}
    assert reach.joints == {"HeadYaw": 0.25, "LKneePitch": 0.3}
    assert (start.duration, reach.duration, end.duration) == (0.001, 0.04, 64.96)
    assert reach.note == "Reach"
    assert report.warnings == []


def test_webots_other_robots_keep_their_names(load):
    text = "#WEBOTS_MOTION,V1.0,ShoulderR,ArmUpperR\n00:02:000,Up,1.5,-0.5\n"
    library, report = load(text, "a.motion")
    assert library.robot == "unknown"
    assert library.blocks["a"].keyframes[0].joints == {"ShoulderR": 1.5, "ArmUpperR": -0.5}
    assert "ask for one" in told(report)
    assert load(text, "a.motion", robot="op2")[0].robot == "op2"
    text = "#WEBOTS_MOTION,V1.0,LElbowRoll,LPhalanx1\n00:02:000,Up,1.5,-0.5\n"
    library, report = load(text, "a.motion")
    assert library.robot == "nao"
    assert "the robot 'nao' has no such joints: LPhalanx1" in told(report)


def test_nao_devils_words_suffixes_and_extras(load):
    library, report = load(NAODEVILS, "a.kfm")
    assert report.format == "naodevils"
    (keyframe,) = library.blocks["wave_left"].keyframes
    assert keyframe.joints["HeadYaw"] == "ignore"
    assert keyframe.joints["RAnklePitch"] == "off"
    assert keyframe.joints["HeadPitch"] == -30 * DEG
    assert keyframe.joints["RKneePitch"] == 1.25
    assert keyframe.interpolation is Interpolation.SINE_MIN_TO_MAX
    assert keyframe.duration == pytest.approx(0.3)
    assert stiffness(keyframe)["HeadYaw"] == 0.4
    assert keyframe.note == "arms to the side"
    assert keyframe.extras["naodevils"]["more"]["angleAtKeyFrameTarget"] == "95deg"
    assert "3 comments are not kept" in told(report)
    assert "'waitForStable' has no counterpart; it is kept, not executed" in told(report)
    _, report = load(NAODEVILS.replace("holdFrame", "holdFrames"), "a.kfm")
    assert "'holdFrames' is none of the format's; it is kept; did you mean 'holdFrame'?" in told(report)


def test_a_kfm_of_sony_s_editor_is_not_taken(load, tmp_path: Path):
    from andante.formats.registry import FORMATS

    assert FORMATS["naodevils"].sniff(b"\x4b\x46\x4d\x00\x01pose.PSE", tmp_path / "kick.kfm") == 0.0


def test_xar_sparse_curves_become_keyframes_at_all_their_times(load):
    library, report = load(XAR, "hey.xar")
    keyframes = library.blocks["hey"].keyframes
    times = np.cumsum([keyframe.duration for keyframe in keyframes])
    for frame in (20, 30, 35, 40):
        assert np.abs(times - frame / 25).min() < 1e-9
    at = {round(time * 25): keyframe for time, keyframe in zip(times, keyframes, strict=True)}
    assert at[20].joints["HeadYaw"] == 0.70073 * DEG
    assert at[35].joints["HeadYaw"] == -40.5 * DEG
    assert at[40].joints["HeadYaw"] == -40.5 * DEG
    assert "LHipPitch" not in at[20].joints
    assert at[30].joints["LHipPitch"] == -89.9987 * DEG
    # Hands are shares; half way between frames 20 and 40 lies half way between 0.89 and 0.3.
    assert at[20].joints["RHand"] == 0.89
    assert at[30].joints["RHand"] == pytest.approx(0.595)
    assert all("LHand" not in keyframe.joints for keyframe in keyframes)
    assert "left alone until their first key's keyframe: LHipPitch" in told(report)
    assert "1 scripts are not kept" in told(report)


def test_xar_boring_file_names_give_way_to_the_folder_s(tmp_path: Path):
    (tmp_path / "Hey_3").mkdir()
    (tmp_path / "Hey_3" / "behavior.xar").write_text(XAR)
    assert list(read(tmp_path / "Hey_3" / "behavior.xar").motions) == ["Hey_3"]


def test_python_exports_are_never_run(load, tmp_path: Path):
    trap = tmp_path / "trap"
    text = f"open({str(trap)!r}, 'w')\n{PYTHON}\nopen({str(trap)!r}, 'w')\n"
    library, report = load(text, "nod.py")
    assert not trap.exists()
    assert report.format == "choregraphe-python"
    first = library.blocks["nod"].keyframes[0]
    assert first.duration == 0.52
    assert first.joints == {"HeadPitch": -0.394233, "HeadYaw": 0.125}


def test_python_functions_are_motions(load):
    part = "    names = list()\n    times, keys = [], []\n    names.append('HeadYaw')\n"
    text = "".join(
        f"def {name}(self):\n{part}    times.append([ 2.0])\n    keys.append([ [ {value}, [ 3, -0.66, 0.0]]])\n\n"
        for name, value in (("down", "-0.25"), ("up", "0.5"))
    )
    library, _ = load(text, "moves.py")
    assert list(library.motions) == ["down", "up"]
    assert library.blocks["up"].keyframes[0].joints == {"HeadYaw": 0.5}


def test_mujoco_names_come_from_the_model(load):
    library, report = load(MUJOCO, "two.xml")
    (home,) = library.blocks["home"].keyframes
    assert home.joints == {"hip": 0.1, "knee": -0.2, "rail": 0.01}
    assert home.duration == 1.0
    assert "2 keys have no duration; 1 s is taken" in told(report)


def test_mujoco_times_make_a_motion(load):
    library, _ = load(MUJOCO_TIMED, "nod.xml")
    keyframes = library.blocks["nod"].keyframes
    assert [keyframe.duration for keyframe in keyframes] == [0.001, 0.5, 0.75]
    assert keyframes[1].joints == {"HeadYaw": 0.25, "HeadPitch": 0.2}


def test_mujoco_unnamed_numbers_are_those_of_a_robot_with_as_many(load):
    numbers = " ".join(str(number) for number in range(33))
    text = f'<mujoco><keyframe><key name="k" qpos="{numbers}"/></keyframe></mujoco>'
    library, report = load(text, "k.xml")
    assert library.robot == "nao"
    assert library.blocks["k"].keyframes[0].joints["HeadYaw"] == 7.0
    assert "the joints are not named; those of 'nao' are taken in its order" in told(report)


def test_csv_units_in_the_cells(load):
    library, report = load(CSV, "nod.csv")
    start, middle, end = library.blocks["nod"].keyframes
    assert start.joints == {"HeadYaw": 10 * DEG}
    assert middle.joints == {"HeadYaw": -12.5 * DEG, "HeadPitch": 0.25}
    assert end.joints == {"HeadYaw": "off", "HeadPitch": 0.125}
    assert [keyframe.duration for keyframe in (start, middle, end)] == [0.001, 0.25, 0.75]
    assert stiffness(start) == {"HeadYaw": 0.5}
    assert start.note == "start, here"
    assert report.warnings == []
    library, report = load("t;HeadYaw\n0.5;0.25\n", "a.csv")
    assert library.blocks["a"].keyframes[0].joints == {"HeadYaw": 0.25}
    assert "the unit of angle is not stated; rad is taken" in told(report)
    assert "the unit of time is not stated; s is taken" in told(report)


def test_npz_as_others_write_it(tmp_path: Path):
    np.savez(
        tmp_path / "a.npz",
        t=np.array([0, 40, 1000]),
        joint_names=np.array(["HeadYaw", "HeadPitch"]),
        q=np.asfortranarray([[0.0, 90.0], [45.0, np.nan], [np.nan, -90.0]]).astype(np.float32),
        angle_unit="deg",
        time_unit="ms",
        extra=np.zeros(3),
    )
    report = ReadReport()
    library = read(tmp_path / "a.npz", report=report)
    assert library.robot == "nao"
    assert [keyframe.joints for keyframe in library.blocks["a"].keyframes] == [
        {"HeadYaw": 0.0, "HeadPitch": math.pi / 2},
        {"HeadYaw": math.pi / 4},
        {"HeadPitch": -math.pi / 2},
    ]
    assert [keyframe.duration for keyframe in library.blocks["a"].keyframes] == [0.001, 0.04, 0.96]
    assert report.warnings == []


def test_a_file_that_says_nothing_new_keeps_its_own_numbers(tmp_path: Path):
    # 17 digits in degrees survive: the shortest text is written that gives the same angle again.
    text = json.dumps({"name": "a", "keyframes": [{"duration": 0.1, "goals": {"LKnee": 12.345678901234567}}]})
    (tmp_path / "a.json").write_text(text)
    from andante.formats.registry import write

    library = read(tmp_path / "a.json")
    write(library, tmp_path / "b.json", "bitbots")
    assert read(tmp_path / "b.json").blocks == library.blocks


def test_a_robot_s_model_without_keyframes_is_no_motion_and_the_message_says_where_it_goes(tmp_path):
    (tmp_path / "robot.xml").write_text('<mujoco model="r"><worldbody/></mujoco>')
    with pytest.raises(
        FormatError, match=r"no keyframes \(key\), so it holds no motion; .*andante robots FILE.*--robot FILE"
    ):
        read(tmp_path / "robot.xml")
