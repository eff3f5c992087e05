"""Recordings as robots leave them: clocks that are set, joints under a namespace, silent joints, lost messages."""

from __future__ import annotations

import io
import math
from pathlib import Path

import pytest
from mcap_ros2.writer import Writer
from test_rosbag import STATE, TYPES, state, trajectory

from andante.formats.registry import read
from andante.formats.report import ReadReport
from andante.motions.library import MotionLibrary

STEP = 0.02
BEGIN = 1_000.0


def recorded(folder: Path, rows: list[tuple[float, float, dict[str, float]]]) -> tuple[MotionLibrary, list[str]]:
    """The motion of states (time of recording, time of the header, angles), and what is told."""
    stream = io.BytesIO()
    writer = Writer(stream)
    kind = writer.register_msgdef(STATE, TYPES[STATE])
    for moment, stamp, angles in rows:
        at = round((BEGIN + moment) * 1e9)
        writer.write_message("/joint_states", kind, state(stamp, **angles), log_time=at, publish_time=at)
    writer.finish()
    path = folder / "taught.mcap"
    path.write_bytes(stream.getvalue())
    report = ReadReport()
    return read(path, report=report, robot="nao"), [str(each) for each in report.warnings]


def length(library: MotionLibrary) -> float:
    return sum(keyframe.duration for block in library.blocks.values() for keyframe in block.keyframes)


def test_a_clock_that_is_set_forward_is_told_and_costs_no_hour(tmp_path: Path) -> None:
    """A robot that has booted gets the time over its network: the motion waited for an hour, and was refused."""
    rows = [(STEP * i, 50.0 + STEP * i + (3600.0 if i >= 30 else 0.0), {"HeadYaw": 0.01 * i}) for i in range(60)]
    library, told = recorded(tmp_path, rows)
    assert length(library) == pytest.approx(59 * STEP, abs=2e-3)
    assert "headers' times leap by 3600.02 s between messages that came 0.02 s after each other" in told[0]


@pytest.mark.parametrize("pace", [1.0, 5.0, 50.0])
def test_late_messages_and_a_quick_simulation_are_no_clock_that_is_set(tmp_path: Path, pace: float) -> None:
    moments = [STEP * i + (2.0 if i >= 20 else 0.0) for i in range(60)]
    # What was late for two seconds comes at once.
    moments[20:40] = [moments[20] + 1e-4 * i for i in range(20)]
    rows = [(at, 50.0 + pace * STEP * i, {"HeadYaw": 0.01 * i}) for i, at in enumerate(moments)]
    library, told = recorded(tmp_path, rows)
    assert length(library) == pytest.approx(59 * STEP * pace, abs=2e-3)
    assert not told


def test_a_joint_that_never_has_an_angle_is_told(tmp_path: Path) -> None:
    rows = [(STEP * i, 50.0 + STEP * i, {"HeadYaw": math.nan, "HeadPitch": 0.01 * i}) for i in range(5)]
    _, told = recorded(tmp_path, rows)
    assert "HeadYaw has an angle in no message (NaN)" in told[0]


def test_a_time_without_messages_is_told(tmp_path: Path) -> None:
    """The way over seven lost seconds was played as if it had been taught."""
    moments = [STEP * i + (7.0 if i >= 50 else 0.0) for i in range(60)]
    library, told = recorded(tmp_path, [(at, 50.0 + at, {"HeadYaw": 0.01 * i}) for i, at in enumerate(moments)])
    assert length(library) == pytest.approx(59 * STEP + 7.0, abs=2e-3)
    assert "no message for 7.02 s from 0.980 s on; the way there is straight" in told[0]


@pytest.mark.parametrize(("before", "behind"), [("robot1/", ""), ("", "_joint"), ("nao_", "_joint")])
def test_what_stands_beside_all_names_of_joints_is_taken_off(tmp_path: Path, before: str, behind: str) -> None:
    """Namespaces and suffixes of a URDF: a table with such columns was read, and a recording with them refused."""
    angles = {f"{before}{joint}{behind}": 0.1 for joint in ("HeadYaw", "HeadPitch", "LShoulderPitch")}
    library, told = recorded(tmp_path, [(STEP * i, 50.0 + STEP * i, angles) for i in range(3)])
    found = {joint for block in library.blocks.values() for keyframe in block.keyframes for joint in keyframe.joints}
    assert found == {"HeadYaw", "HeadPitch", "LShoulderPitch"}
    assert "beside each name is taken off" in told[0]


def test_trajectories_and_what_is_printed_have_their_prefix_taken_off_too(tmp_path: Path) -> None:
    stream = io.BytesIO()
    writer = Writer(stream)
    kind = writer.register_msgdef("trajectory_msgs/msg/JointTrajectory", TYPES["trajectory_msgs/msg/JointTrajectory"])
    points = trajectory(["robot1/HeadYaw", "robot1/HeadPitch"], (0.5, [0.2, 0.1]), (1.0, [0.0, 0.0]))
    writer.write_message("/arm/command", kind, points, log_time=1, publish_time=1)
    writer.finish()
    bag, text = tmp_path / "bow.mcap", tmp_path / "bow.yaml"
    bag.write_bytes(stream.getvalue())
    stamp = (
        "header:\n  stamp:\n    sec: {}\n    nanosec: 0\n  frame_id: ''\nname:\n- robot1/HeadYaw\n- robot1/HeadPitch\n"
    )
    rest = "position:\n- 0.1\n- 0.2\nvelocity: []\neffort: []\n---\n"
    text.write_text("".join(stamp.format(second) + rest for second in (1, 2)))
    for path in (bag, text):
        library = read(path, robot="nao")
        joints = {joint for block in library.blocks.values() for frame in block.keyframes for joint in frame.joints}
        assert joints == {"HeadYaw", "HeadPitch"}
