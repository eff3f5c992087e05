"""What is wrong in a team's file is named exactly: line, column, place, value, and what would be legal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from team_files import (
    BITBOTS,
    CSV,
    HULKS,
    MOTION2,
    MUJOCO,
    MUJOCO_TIMED,
    NAODEVILS,
    PYTHON,
    RUNSWIFT,
    WEBOTS,
    XAR,
)

from andante.formats.registry import read
from andante.formats.report import FormatError

_KEY = '<Key frame="30" value="-89.9987"/>'
CASES = {
    "hulks misspelt joint": (
        "a.json hulks",
        HULKS.replace('"knee_pitch"', '"kne_pitch"', 1),
        "1:536, initial_positions.left_leg: the name is unknown; got 'kne_pitch'; did you mean 'knee_pitch'?; legal: "
        "hip_yaw_pitch, hip_roll, hip_pitch, knee_pitch, ankle_pitch, ankle_roll",
    ),
    "hulks missing joint": (
        "a.json hulks",
        HULKS.replace('"yaw": 0.0, ', "", 1),
        "1:64, initial_positions.head: 'yaw' is missing; legal: yaw, pitch",
    ),
    "hulks NaN": (
        "a.json hulks",
        HULKS.replace('"duration": 0.5', '"duration": NaN'),
        "1:1724, motion[0].keyframes[1].duration: a number is expected here, not 'NaN'",
    ),
    "hulks infinity": (
        "a.json hulks",
        HULKS.replace('"duration": 0.5', '"duration": 1e999'),
        "1:1724, motion[0].keyframes[1].duration: the number is out of range; got '1e999'; limit: 0 to 86400",
    ),
    "hulks mode": (
        "a.json hulks",
        HULKS.replace("cosine", "cosin"),
        "1:24, interpolation_mode: the interpolation mode is unknown; got 'cosin'; did you mean 'cosine'?; legal: "
        "linear, cosine, catmull_rom, catmull-rom, CatmullRom",
    ),
    "hulks condition": (
        "a.json hulks",
        HULKS.replace("FallenAbort", "FalenAbort"),
        "1:2593, motion[1].interrupt_conditions: the name is unknown; got 'FalenAbort'; did you mean 'FallenAbort'?; "
        "legal: StabilizedCondition, FallenAbort, NoGroundContactAbort",
    ),
    "json name twice": (
        "a.json hulks",
        '{"motion": [],\n "motion": []}',
        "2:2: the name stands twice in one object, first in line 1; got 'motion'",
    ),
    "json comma": (
        "a.json hulks",
        '{"motion": [1 2]}',
        "1:15: ',' or ']' is missing; got '2]}'",
    ),
    "motion2 25 of 26": (
        "a.motion2 hulks-motion2",
        MOTION2.replace("[0.0, 0.01, ", "[0.01, ", 1),
        "1:197, position[0].parameters: there are 25 of 26 values; limit: 26, as header.joints",
    ),
    "motion2 joint number": (
        "a.motion2 hulks-motion2",
        MOTION2.replace("[0, 1, 2", "[0, 1, 26", 1),
        "1:30, header.joints[2]: the number is out of range; got '26'; limit: 0 to 25",
    ),
    "motion2 joint twice": (
        "a.motion2 hulks-motion2",
        MOTION2.replace("[0, 1, 2", "[0, 1, 1", 1),
        "1:30, header.joints[2]: the joint stands twice; got 1",
    ),
    "bitbots goal": (
        "a.json bitbots",
        BITBOTS.replace("124.25", '"124"'),
        "9:14, keyframes[0].goals.LKnee: a number is expected here, not the text '124'",
    ),
    "bitbots name": (
        "a.json bitbots",
        BITBOTS.replace('"goals"', '"goal"', 1),
        "7:4, keyframes[0]: the name is unknown; got 'goal'; did you mean 'goals'?; legal: name, duration, pause, "
        "goals, torque, kp, kd, stabilization_functions",
    ),
    "runswift 22 angles": (
        "a.pos runswift",
        RUNSWIFT.replace("19.5 20.5 21.5 22.5 ", "", 1),
        "6: the line has 22 of 26 values; limit: missing: RWY LH RH DUR",
    ),
    "runswift 24 stiffnesses": (
        "a.pos runswift",
        RUNSWIFT.replace("$ 0.2", "$"),
        "9: the line has 24 of 25 stiffnesses; limit: missing: RH",
    ),
    "runswift number": (
        "a.pos runswift",
        RUNSWIFT.replace(" 3.5 ", " 3,5 ", 1),
        "6:15, LSR: this is not a number; got '3,5'",
    ),
    "runswift stiffness": (
        "a.pos runswift",
        RUNSWIFT.replace("$ 0.2", "$ 1.2"),
        "9, HY: the stiffness is out of range; got 1.2; limit: 0 to 1",
    ),
    "runswift column": (
        "a.pos runswift",
        RUNSWIFT.replace("LSP", "LPS", 1),
        "3: the column is unknown; got 'LPS'; did you mean 'LSR'?; legal: HY, HP, LSP, LSR, LEY, LER, LWY, LH, RSP, "
        "RSR, REY, RER, RWY, RH, LHYP, LHR, LHP, LKP, LAP, LAR, RHR, RHP, RKP, RAP, RAR",
    ),
    "webots values": (
        "a.motion webots",
        WEBOTS.replace(",*,0.3", ",0.3,1,2"),
        "3, 00:00:040: the row has 4 of 3 values",
    ),
    "webots number": (
        "a.motion webots",
        WEBOTS.replace("0.25", "O.25"),
        "3, HeadYaw: this is not a number or *; got 'O.25'",
    ),
    "webots time": (
        "a.motion webots",
        WEBOTS.replace("01:05:000", "0:0:020"),
        "4: the time goes back; got 20; limit: 40 ms or later",
    ),
    "webots time form": (
        "a.motion webots",
        WEBOTS.replace("01:05:000", "65.0"),
        "4: the row must begin with a time; got '65.0'; limit: mm:ss:ms",
    ),
    "webots joint twice": (
        "a.motion webots",
        WEBOTS.replace("lShoulderPitch", "HEADYAW"),
        "1: the joint stands twice; got 'HEADYAW'",
    ),
    "kfm 11 angles": (
        "a.kfm naodevils",
        NAODEVILS.replace("68.5deg,", "", 1),
        "9:18, keyFrames[0].armsAngles: the array has the wrong number of elements; got 11; limit: 12",
    ),
    "kfm suffix": (
        "a.kfm naodevils",
        NAODEVILS.replace("-30deg", "-30grad"),
        "8:26, keyFrames[0].headAngles[1]: this is not an angle (a number with deg, rad, pi or nothing); got '-30grad'",
    ),
    "kfm curve": (
        "a.kfm naodevils",
        NAODEVILS.replace("sine", "sinus"),
        "14:15, keyFrames[0].intType: this is not an interpolation; got 'sinus'; did you mean 'sine'?; legal: linear, "
        "sine",
    ),
    "kfm missing": (
        "a.kfm naodevils",
        NAODEVILS.replace("    duration = 300;\n", ""),
        "7:3, keyFrames[0]: the attribute 'duration' is missing; legal: headAngles, armsAngles, legsAngles, "
        "stiffnesses, duration, intType",
    ),
    "xar value": (
        "a.xar xar",
        XAR.replace(_KEY, '<Key frame="30"/>'),
        "16:58, LHipPitch: the attribute 'value' is missing",
    ),
    "xar frames": (
        "a.xar xar",
        XAR.replace('<Key frame="35"', '<Key frame="20"'),
        "14:11, HeadYaw: frames must increase from 0 on; got 20.0",
    ),
    "xar tag": (
        "a.xar xar",
        XAR.replace("</ActuatorList>", "</ActuatorLists>"),
        "21:9: this is no XML: mismatched tag",
    ),
    "xar entity": (
        "a.xar xar",
        XAR.replace("?>\n", '?>\n<!DOCTYPE x [<!ENTITY a "b">]>\n', 1),
        "2:13: document types and entities are not read",
    ),
    "python counts": (
        "a.py choregraphe-python",
        PYTHON.replace("0.8, 1.04", "0.8"),
        "9, HeadPitch: 3 keys stand against 2 times",
    ),
    "python code": (
        "a.py choregraphe-python",
        PYTHON.replace("[0.125]", "[math.radians(7)]"),
        "15:13: only literal numbers, texts and lists are read, nothing is executed",
    ),
    "python lists": (
        "a.py choregraphe-python",
        PYTHON.replace('names.append("HeadYaw")', ""),
        "3: the lists differ in length; got '1 names, 2 times, 2 keys'",
    ),
    "python open": (
        "a.py choregraphe-python",
        PYTHON.replace("[0.125])", "[0.125"),
        "15: the statement does not end; limit: 500000",
    ),
    "python list": (
        "a.py choregraphe-python",
        PYTHON.replace('names.append("HeadYaw")', 'names.append("HeadYaw").sort(1)'),
        "13: the list is unknown; got ''; legal: names, times, keys",
    ),
    "python kind": (
        "a.py choregraphe-python",
        PYTHON.replace("[3, -0.08, 0]", "[7, -0.08, 0]"),
        "9, HeadPitch: the kind is unknown; got 7.0; legal: 0, 1, 2, 3",
    ),
    "mujoco numbers": (
        "a.xml mujoco",
        MUJOCO.replace("0.1 -0.2 0.01", "0.1 -0.2", 1),
        "10:5, home: qpos has 9 of 10 numbers",
    ),
    "mujoco number": (
        "a.xml mujoco",
        MUJOCO_TIMED.replace("0.25", "nan"),
        "5:5, qpos[0]: this is not a number; got 'nan'",
    ),
    "mujoco times": (
        "a.xml mujoco",
        MUJOCO_TIMED.replace('name="a"', 'name="n.1"').replace('name="c"', 'name="n.2"').replace("1.25", "0"),
        "6:5, n: the times of a motion's keys must rise; got 0.0",
    ),
    "mujoco joints": (
        "a.xml mujoco",
        '<mujoco><keyframe><key qpos="1 2"/></keyframe></mujoco>',
        "1:19: the file does not tell which joints qpos has; got '2 numbers'; name a robot with as many joints, or put "
        "the keys into the model's file",
    ),
    "csv cells": ("a.csv csv", CSV.replace(",0.5,\n", ",0.5\n"), "4: the row has 4 of 5 cells"),
    "csv number": ("a.csv csv", CSV.replace("-12.5", "inf"), "4, HeadYaw: this is not a number; got 'inf'"),
    "csv unit": (
        "a.csv csv",
        CSV.replace("[deg]", "[grad]"),
        "2, HeadYaw: the unit is unknown; got 'grad'; did you mean 'rad'?; legal: rad, deg",
    ),
    "csv time": (
        "a.csv csv",
        CSV.replace("1000,", "100,"),
        "5: times must not fall and begin at 0 or later; got 0.1",
    ),
    "csv header": (
        "a.csv csv",
        CSV.replace("time [ms]", "frame"),
        "2: the first column must be the time; got ['frame']; legal: time, t, timestamp, stamp, __time",
    ),
    "csv stiffness": (
        "a.csv csv",
        CSV.replace("stiffness HeadYaw", "stiffness HeadYaws"),
        "2: the stiffness is that of no joint; got 'stiffness HeadYaws'; legal: HeadYaw, HeadPitch",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_errors_name_the_place(case, tmp_path: Path):
    where, text, message = CASES[case]
    name, codec = where.split(" ")
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(FormatError) as caught:
        read(path, codec)
    assert str(caught.value) == f"{path}:{message}"


def test_npz_errors(tmp_path: Path):
    import numpy as np

    path = tmp_path / "a.npz"
    good = {"time": np.array([0.0, 1.0]), "position": np.zeros((2, 1)), "joints": np.array(["HeadYaw"])}
    for update, message in (
        ({"time": np.array(1.0)}, "time: one time for each row is needed; got (); limit: (rows,)"),
        ({"time": np.zeros((2, 1))}, "time: one time for each row is needed; got (2, 1); limit: (rows,)"),
        ({"position": np.zeros((2, 2))}, "position: the array does not fit time and joints; got (2, 2); limit: (2, 1)"),
        ({"time": np.array([1.0, 0.5])}, "time[1]: times must not fall and begin at 0 or later; got 0.5"),
        ({"position": np.array([[np.inf], [0.0]])}, "position: a number is out of range; limit: 1e+09"),
        (
            {"angle_unit": np.array("grad")},
            "angle_unit: the unit is unknown; got 'grad'; did you mean 'rad'?; legal: rad, deg",
        ),
        ({"joints": np.array(["a", "a"])}, "joints: each joint needs a name of its own; got ['a', 'a']"),
        ({"stiffness": np.full((2, 1), 1.5)}, "stiffness: a number is out of range; limit: 1"),
    ):
        np.savez(path, **(good | update))
        with pytest.raises(FormatError) as caught:
            read(path)
        assert str(caught.value) == f"{path}, {message}"
    np.savez(path, time=good["time"])
    with pytest.raises(FormatError, match=r"position: the array is missing; got 'time'"):
        read(path)
    np.savez(path, **(good | {"joints": np.array([{}], dtype=object)}))
    with pytest.raises(FormatError, match=r"joints: the array's header is not one of plain numbers or texts"):
        read(path)


def test_half_a_character_is_refused(tmp_path: Path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"name": "\ud800", "keyframes": []}))
    with pytest.raises(FormatError, match="1:10: the text has a control character or half a character"):
        read(path, "bitbots")
