"""Joint states as rostopic and ros2 topic print them, and as PlotJuggler exports them."""

from __future__ import annotations

from pathlib import Path

import pytest

from andante.formats.registry import identify, read
from andante.formats.report import FormatError, ReadReport

ROS_1 = (
    "%time,field.header.seq,field.header.stamp,field.header.frame_id,field.name0,field.name1,"
    "field.position0,field.position1,field.velocity0,field.velocity1\n"
)


def played(folder: Path, text: str) -> tuple[list[tuple[float, dict[str, object]]], str]:
    path = folder / "taught.csv"
    path.write_text(text)
    keyframes = read(path, report=(report := ReadReport())).blocks["taught"].keyframes
    times = [round(sum(each.duration for each in keyframes[1 : index + 1]), 3) for index in range(len(keyframes))]
    rows = [(time, dict(each.joints)) for time, each in zip(times, keyframes, strict=True)]
    return rows, " ".join(map(str, report.warnings))


def test_rows_of_ros_1_name_their_joints(tmp_path: Path) -> None:
    text = ROS_1 + (
        "1000500000000,5,1000500000000,,HeadYaw,HeadPitch,0.1,-0.2,3,3\n"
        "1000550000000,6,1000550000000,,LHipRoll,0.3,3\n"
        "1000600000000,7,1000600000000,,HeadPitch,HeadYaw,-0.3,0.2,0.0,1e-05\n"
        "1000700000000,8,1000700000000,,HeadYaw,Hea"
    )
    rows, told = played(tmp_path, text)
    assert identify(tmp_path / "taught.csv").name == "csv-ros"
    assert [time for time, _ in rows] == [0.0, 0.05, 0.1]
    assert rows[0][1] == {"HeadYaw": 0.1, "HeadPitch": -0.2}
    assert rows[1][1] == {"HeadYaw": pytest.approx(0.15), "HeadPitch": pytest.approx(-0.25), "LHipRoll": 0.3}
    assert rows[2][1] == {"HeadYaw": 0.2, "HeadPitch": -0.3}
    assert "taught.csv:5: the last row is not whole and left out" in told


def test_rows_of_ros_2_have_no_header(tmp_path: Path) -> None:
    text = (
        "1000,500000000,,HeadYaw,HeadPitch,0.1,-0.2,,\n"
        "A message was lost!!!\n\ttotal count change:1\n\ttotal count: 1---\n"
        "1000,600000000,base_link,HeadYaw,HeadPitch,0.2,nan,0.0,0.0,0.0,0.0\n"
        "1000,650000000,,,,,\n"
        "1000,700000000,,HeadYaw,HeadPitch,0.3,-0.4,,1.0,1.0\n"
    )
    rows, told = played(tmp_path, text)
    assert [time for time, _ in rows] == [0.0, 0.1, 0.15, 0.2]
    assert rows[1][1] == {"HeadYaw": 0.2, "HeadPitch": pytest.approx(-0.3)}
    assert rows[3][1] == {"HeadYaw": 0.3, "HeadPitch": -0.4}
    assert "1 lines tell of lost messages" in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("%time,field0,field1\n1,0.1,0.2\n", "1: the columns do not name their joints.*print the whole topic"),
        ("%time,field.header.stamp,field.pose.x\n1,1,1\n", "1: the columns are not those of joint states"),
        (ROS_1 + "1,1,1,,HeadYaw,HeadPitch,0.1,0.2\n2,2,2,,a,1,1\n", "2: the row has 8 of 10 cells, as it names 2"),
        (ROS_1 + "1,1,1,,HeadYaw,HeadYaw,0.1,0.2,0,0\n", "2, HeadYaw: a message has two angles of one joint"),
        ("0,0,,HeadYaw,0.1,,\n0,0,,HeadYaw,0.2,,\n", "headers have no time.*ros2 bag record"),
        ("9,0,,HeadYaw,0.1,,\n2,0,,HeadYaw,0.2,,\n", "the headers' times go back; got '2.0"),
        ("9,0,,HeadYaw,,,\n", "no message has an angle"),
    ],
)
def test_what_was_printed_otherwise_is_told(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(FormatError, match=told):
        played(tmp_path, text)


def test_curves_of_plotjuggler_beside_the_angles_are_left_out_and_gaps_filled(tmp_path: Path) -> None:
    names = ("header/stamp", "HeadYaw/effort", "HeadYaw/position", "HeadYaw/velocity")
    text = ",".join(["__time", *(f"/joint_states/{name}" for name in names), "/imu/angular_velocity/x"]) + (
        "\n1732700000.5,1732700000.5,0,0.1,0,\n1732700000.6,,,,,0.1\n1732700000.7,1732700000.7,0,0.3,0,\n"
    )
    rows, told = played(tmp_path, text)
    assert [joints for _, joints in rows] == [
        {"HeadYaw": 0.1},
        {"HeadYaw": pytest.approx(0.2, abs=1e-6)},
        {"HeadYaw": 0.3},
    ]
    assert "'/joint_states/header/stamp' and 3 more are no angles and left out" in told
    assert "1 empty cells between angles are on the straight way" in told
