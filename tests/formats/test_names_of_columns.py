"""Tables whose columns are called by a joint's name with more before or behind it."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from andante.formats.registry import read
from andante.formats.report import FormatError, ReadReport
from andante.formats.trajectories import affixes
from andante.robots.parts import RobotError

TAKEN_OFF = "beside each name is taken off, for the rest are joints of 'nao'"


def read_table(folder: Path, header: str, row: str, robot: str = ""):
    path = folder / "nod.csv"
    path.write_text(f"{header}\n0,{row}\n1,{row}\n")
    report = ReadReport(robot=robot)
    first, _ = read(path, report=report).blocks["nod"].keyframes
    return dict(first.joints), [warning.text for warning in report.warnings]


@pytest.mark.parametrize("robot", ["", "nao"])
@pytest.mark.parametrize(
    ("names", "around"),
    [
        (("robot/{}",), "'robot/'"),
        (("{}_pos",), "'_pos'"),
        (("joint_pos.{}",), "'joint_pos.'"),
        (("/joint_states/{}/position", "/joint_states/{}/velocity"), "'/joint_states/' and '/position'"),
    ],
)
def test_what_all_columns_have_beside_a_joint_is_taken_off(tmp_path, names, around, robot):
    columns = [name.format(joint) for name in names for joint in ("HeadYaw", "LHipRoll")]
    row = ",".join(["0.1", "0.2", "7", "7"][: len(columns)])
    joints, told = read_table(tmp_path, ",".join(["time", *columns]), row, robot)
    assert joints == {"HeadYaw": 0.1, "LHipRoll": 0.2}
    assert f"{around} {TAKEN_OFF}" in told[0]
    assert ("velocity' and 1 more are no angles and left out" in told[0]) == (len(names) > 1)


def test_degrees_behind_a_name_count(tmp_path):
    joints, told = read_table(tmp_path, "time [s],HeadYaw_deg,HeadPitch_deg", "10,20")
    assert joints == {"HeadYaw": math.radians(10), "HeadPitch": math.radians(20)}
    assert told == [f"'_deg' {TAKEN_OFF}"]


def test_speeds_beside_plain_names_are_left_out(tmp_path):
    joints, told = read_table(tmp_path, "time [s],HeadYaw [rad],HeadYaw_vel [rad/s]", "0.1,3")
    assert joints == {"HeadYaw": 0.1}
    assert told == ["'HeadYaw_vel' is no angle and left out"]


@pytest.mark.parametrize(
    "names", ["HeadYaw_vel,HeadPitch_vel", "HeadYaw,HeadPitch_target", "my/HeadYaw,your/HeadPitch"]
)
def test_names_that_nothing_common_tells_stay(tmp_path, names):
    joints, told = read_table(tmp_path, f"time [s],{names}", "0.1,0.2", "nao")
    assert list(joints) == names.split(",")
    assert not any("taken off" in text for text in told)


@pytest.mark.parametrize("robot", ["", "nao"])
def test_angles_of_two_topics_are_told(tmp_path, robot):
    names = [f"/{topic}/{joint}/position" for topic in ("states", "wanted") for joint in ("HeadYaw", "HeadPitch")]
    with pytest.raises(FormatError) as raised:
        read_table(tmp_path, ",".join(["__time", *names]), "0,0,0,0", robot)
    assert "nod.csv:1: columns of two topics: " in str(raised.value)
    assert "are both angles of 'HeadPitch', and 2 joints of 'nao' have two; leave those of one topic out" in str(
        raised.value
    )


def test_arrays_with_names_of_an_entity_are_read(tmp_path):
    names = np.array(["robot/HeadYaw", "robot/HeadPitch"])
    np.savez(tmp_path / "nod.npz", time=np.arange(2.0), position=np.full((2, 2), 0.1), joints=names)
    report = ReadReport()
    library = read(tmp_path / "nod.npz", report=report)
    assert library.robot == "nao"
    assert set(library.blocks["nod"].keyframes[0].joints) == {"HeadYaw", "HeadPitch"}
    assert report.warnings[0].text == f"'robot/' {TAKEN_OFF}"


def test_a_robot_whose_model_is_missing_keeps_no_table_from_being_read(tmp_path, monkeypatch):
    # What is kept of a robot from earlier files would stand for its model.
    monkeypatch.setattr(affixes, "_joints_of_known", affixes._joints_of_known.__wrapped__)
    monkeypatch.setattr(affixes.Robot, "load", _missing)
    monkeypatch.setattr(affixes, "joints_of", _missing)
    assert read_table(tmp_path, "time [s],x/HeadYaw", "0.1", "t1")[0] == {"x/HeadYaw": 0.1}


def _missing(*_: object) -> None:
    raise RobotError("its model is missing")
