"""Recordings of ROS as motions: files by other libraries, mcap_ros2 and sqlite3; what is damaged is told."""

from __future__ import annotations

import contextlib
import io
import math
import sqlite3
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcap.reader import make_reader
from mcap.writer import CompressionType
from mcap.writer import Writer as RawWriter
from mcap_ros2.writer import Writer

from andante.documents.problems import DocumentError
from andante.documents.recordings import mcap_parts
from andante.documents.recordings.allowance import Allowance
from andante.formats.registry import convert, identify, read
from andante.formats.report import FormatError, ReadReport
from andante.formats.trajectories import rosbag
from andante.motions.checks.run import check_library
from andante.robots.robot import Robot
from ros1_bags import bag_of

LINE = "=" * 80
HEADER = f"""{LINE}
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
"""
TYPES = {
    "sensor_msgs/msg/JointState": f"std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\n"
    f"float64[] effort\n{HEADER}",
    "trajectory_msgs/msg/JointTrajectory": f"std_msgs/Header header\nstring[] joint_names\n"
    f"trajectory_msgs/JointTrajectoryPoint[] points\n{HEADER}{LINE}\nMSG: trajectory_msgs/JointTrajectoryPoint\n"
    "float64[] positions\nfloat64[] velocities\nfloat64[] accelerations\nfloat64[] effort\n"
    "builtin_interfaces/Duration time_from_start\n",
    "std_msgs/msg/String": "string data",
}
STATE, TRAJECTORY, TEXT = TYPES


def state(stamp: float, **angles: float) -> dict[str, Any]:
    whole = math.floor(stamp)
    header = {"stamp": {"sec": whole, "nanosec": round((stamp - whole) * 1e9)}, "frame_id": ""}
    return {
        "header": header,
        "name": list(angles),
        "position": list(angles.values()),
        "velocity": [0.5] * len(angles),
        "effort": [],
    }


def trajectory(names: list[str], *points: tuple[float, list[float]]) -> dict[str, Any]:
    rows = [
        {
            "positions": angles,
            "velocities": [],
            "accelerations": [],
            "effort": [],
            "time_from_start": {"sec": int(time), "nanosec": round(time % 1.0 * 1e9)},
        }
        for time, angles in points
    ]
    return {"header": state(0.0)["header"], "joint_names": names, "points": rows}


def mcap_of(*messages: tuple[str, str, dict[str, Any]]) -> bytes:
    """A recording of messages (topic, type, message), one every 10 ms."""
    stream = io.BytesIO()
    writer = Writer(stream)
    known = {name: writer.register_msgdef(name, text) for name, text in TYPES.items()}
    for number, (topic, kind, message) in enumerate(messages):
        moment = 5_000_000_000 + number * 10_000_000
        writer.write_message(topic, known[kind], message, log_time=moment, publish_time=moment)
    writer.finish()
    return stream.getvalue()


def chunked(*messages: tuple[str, str, dict[str, Any]], **options: Any) -> bytes:
    """The same, with much else between and a chunk for every few messages."""
    stream = io.BytesIO()
    writer = RawWriter(stream, **({"chunk_size": 2000} | options))
    writer.start()
    schemas: dict[str, int] = {}
    channels: dict[str, int] = {}
    for schema, channel, message in make_reader(io.BytesIO(mcap_of(*messages))).iter_messages():
        if schema.name not in schemas:
            schemas[schema.name] = writer.register_schema(schema.name, "ros2msg", schema.data)
        if channel.topic not in channels:
            channels[channel.topic] = writer.register_channel(channel.topic, "cdr", schemas[schema.name])
        number, moment = channels[channel.topic], message.log_time
        writer.add_message(number, log_time=moment, data=message.data, publish_time=moment)
    writer.finish()
    return stream.getvalue()


def write_db3(path: Path, content: bytes) -> None:
    """The same messages as rosbag2's SQLite storage has them."""
    base = sqlite3.connect(path)
    base.executescript(
        "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL,"
        "serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL);"
        "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL,"
        "data BLOB NOT NULL);"
    )
    numbers: dict[str, int] = {}
    for schema, channel, message in make_reader(io.BytesIO(content)).iter_messages():
        if channel.topic not in numbers:
            numbers[channel.topic] = len(numbers) + 1
            base.execute(
                "INSERT INTO topics VALUES (?, ?, ?, 'cdr', '')", (numbers[channel.topic], channel.topic, schema.name)
            )
        values = (numbers[channel.topic], message.log_time, message.data)
        base.execute("INSERT INTO messages (topic_id, timestamp, data) VALUES (?, ?, ?)", values)
    base.commit()
    base.close()


def played(path: Path, name: str) -> list[tuple[float, dict[str, object]]]:
    """Ends and joints of a motion's keyframes; a first one of no duration is at 0."""
    library = read(path, robot="nao")
    at, found = 0.0, []
    for block in library.motions[name].blocks:
        for keyframe in library.blocks[block].keyframes:
            at += 0.0 if keyframe.extras else keyframe.duration
            found.append((round(at, 6), dict(keyframe.joints)))
    return found


def test_joint_states_of_two_publishers_become_one_motion(tmp_path: Path) -> None:
    path = tmp_path / "nod.mcap"
    path.write_bytes(
        mcap_of(
            ("/chatter", TEXT, {"data": "x"}),
            ("/joint_states", STATE, state(100.0, HeadYaw=0.1)),
            ("/joint_states", STATE, state(100.0, HeadPitch=0.2)),
            ("/joint_states", STATE, state(100.5, HeadYaw=0.3, HeadPitch=math.nan)),
        )
    )
    assert identify(path).name == "rosbag"
    assert played(path, "nod") == [(0.0, {"HeadYaw": 0.1, "HeadPitch": 0.2}), (0.5, {"HeadYaw": 0.3})]


def test_publishers_of_some_joints_each_do_not_make_the_others_wait(tmp_path: Path) -> None:
    """Each joint goes as if its publisher were alone, and the small distance of their messages is no slip of units."""
    messages = []
    for tick in range(20):
        at = 100.0 + 0.02 * tick
        messages.append(("/joint_states", STATE, state(at, HeadYaw=0.01 * tick)))
        messages.append(("/joint_states", STATE, state(at + 0.0002, HeadPitch=0.005 * tick)))
    path = tmp_path / "nod.mcap"
    path.write_bytes(mcap_of(*messages))
    rows = played(path, "nod")
    for at, joints in rows[1:-1]:
        assert joints == pytest.approx({"HeadYaw": 0.5 * at, "HeadPitch": 0.25 * (at - 0.0002)}, abs=1e-6)
    assert rows[0][1] == {"HeadYaw": 0.0}
    assert rows[-1][1] == {"HeadPitch": pytest.approx(0.095)}
    report = ReadReport()
    library = read(path, report=report, robot="nao")
    assert "/joint_states: 38 angles that messages leave out are on the straight way" in str(report.warnings[0])
    assert check_library(library, Robot.load("nao"), ["units", "speed"]) == []


def test_headers_that_go_back_or_begin_at_0(tmp_path: Path) -> None:
    """A simulation that begins anew is no second layer of the first run; one that begins at 0 has set its headers."""
    path = tmp_path / "nod.mcap"
    stamps = (7.0, 8.0, 9.0, 7.0, 8.0, 9.0)
    states = [("/j", STATE, state(stamp, HeadYaw=0.1 * index)) for index, stamp in enumerate(stamps)]
    path.write_bytes(mcap_of(*states))
    assert [at for at, _ in played(path, "nod")] == [0.0, 0.01, 0.02, 0.03, 0.04, 0.05]
    report = ReadReport()
    read(path, report=report, robot="nao")
    assert "/j: the headers' times go back by up to 2 s" in str(report.warnings[0])
    path.write_bytes(mcap_of(*(("/j", STATE, state(0.5 * index, HeadYaw=0.1)) for index in range(3))))
    assert [at for at, _ in played(path, "nod")] == [0.0, 0.5, 1.0]


def test_times_of_recording_count_where_headers_have_none(tmp_path: Path) -> None:
    path = tmp_path / "nod.mcap"
    path.write_bytes(
        mcap_of(*(("/joint_states", STATE, state(0.0, HeadYaw=angle)) for angle in (0.1, 0.2, 0.3))),
    )
    assert [at for at, _ in played(path, "nod")] == [0.0, 0.01, 0.02]


def test_each_trajectory_is_a_motion_with_its_own_times(tmp_path: Path) -> None:
    path = tmp_path / "moves.mcap"
    path.write_bytes(
        mcap_of(
            ("/arm/command", TRAJECTORY, trajectory(["HeadYaw"], (1.5, [0.4]), (2.0, [0.0]))),
            ("/arm/command", TRAJECTORY, trajectory(["HeadYaw"], (0.5, [0.2]))),
        )
    )
    assert played(path, "arm_command") == [(1.5, {"HeadYaw": 0.4}), (2.0, {"HeadYaw": 0.0})]
    assert played(path, "arm_command_2") == [(0.5, {"HeadYaw": 0.2})]


def test_a_folder_of_rosbag2_is_one_recording(tmp_path: Path) -> None:
    folder = tmp_path / "taught"
    folder.mkdir()
    (folder / "metadata.yaml").write_text("rosbag2_bagfile_information: {}\n")
    write_db3(folder / "taught_0.db3", mcap_of(("/joint_states", STATE, state(7.0, HeadYaw=0.1))))
    write_db3(folder / "taught_1.db3", mcap_of(("/joint_states", STATE, state(8.0, HeadYaw=0.2))))
    assert identify(folder).name == "rosbag"
    assert played(folder, "taught") == [(0.0, {"HeadYaw": 0.1}), (1.0, {"HeadYaw": 0.2})]
    convert(folder, tmp_path / "taught.yaml", robot="nao")
    library = read(tmp_path / "taught.yaml")
    assert list(library.motions) == ["taught"]


def test_messages_of_ros_1_are_read(tmp_path: Path) -> None:
    def text(words: str) -> bytes:
        return struct.pack("<I", len(words)) + words.encode()

    body = struct.pack("<III", 3, 50, 0) + text("base") + struct.pack("<I", 1) + text("HeadYaw")
    body += struct.pack("<Id", 1, 0.25) + struct.pack("<II", 0, 0)
    path = tmp_path / "old.mcap"
    with path.open("wb") as file:
        writer = RawWriter(file)
        writer.start(profile="ros1")
        schema = writer.register_schema("sensor_msgs/JointState", "ros1msg", b"Header header")
        channel = writer.register_channel("/joint_states", "ros1", schema)
        writer.add_message(channel, 10**9, body, 10**9)
        writer.finish()
    assert played(path, "old") == [(0.0, {"HeadYaw": 0.25})]


@pytest.mark.parametrize("packing", ["none", "bz2", "lz4"])
def test_bags_of_ros_1_are_motions(packing: str, tmp_path: Path) -> None:
    def told(second: int, angle: float) -> tuple[str, int, str, str, bytes]:
        head = struct.pack("<III", 3, second, 0) + struct.pack("<I", 0)
        body = struct.pack("<II", 1, 7) + b"HeadYaw" + struct.pack("<Id", 1, angle) + struct.pack("<II", 0, 0)
        return "/joint_states", second * 10**9, "sensor_msgs/JointState", "Header header", head + body

    path = tmp_path / "taught.bag"
    path.write_bytes(bag_of([told(50, 0.25)], [told(51, 0.5)], packing=packing))
    assert identify(path).name == "rosbag"
    assert played(path, "taught") == [(0.0, {"HeadYaw": 0.25}), (1.0, {"HeadYaw": 0.5})]


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([("/chatter", TEXT, {"data": "x"})], r"no joint states .*no trajectories .*/chatter \(std_msgs/msg/String\)"),
        ([("/j", STATE, state(1.0) | {"name": ["a"], "position": [0.1, 0.2]})], "other numbers of names and angles"),
        ([("/j", STATE, state(1.0, HeadYaw=math.inf))], "/j: HeadYaw: the angle is out of range; got inf"),
        ([("/j", STATE, state(1.0))], "no message has an angle"),
        (
            [("/j", STATE, state(1.0) | {"name": ["a", "b", "a"], "position": [0.1, 0.3, 0.2]})],
            "/j: a: a message has two angles of one joint; got '0.1 and 0.2 rad'",
        ),
        ([("/j", STATE, state(0.5, a=0.1)), ("/j", STATE, state(2e9, a=0.1))], "times are out of range"),
    ],
)
def test_what_is_no_motion_is_told(messages: list[Any], words: str, tmp_path: Path) -> None:
    path = tmp_path / "x.mcap"
    path.write_bytes(mcap_of(*messages))
    with pytest.raises(FormatError, match=words):
        read(path, robot="nao")


def test_a_recording_that_was_cut_is_read_until_there_and_none_is_written(tmp_path: Path) -> None:
    whole = mcap_of(*(("/joint_states", STATE, state(1.0 + 0.01 * k, HeadYaw=0.1)) for k in range(3)))
    path = tmp_path / "cut.mcap"
    path.write_bytes(whole[: len(whole) - 200])
    report = ReadReport()
    library = read(path, report=report, robot="nao")
    assert "cut" in library.motions
    assert "was read until there" in " ".join(map(str, report.warnings))
    with pytest.raises(FormatError, match="recordings of ROS are not written"):
        convert(path, tmp_path / "again.mcap", target_format="rosbag", robot="nao")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, 2000), byte=st.integers(0, 255), cut=st.integers(0, 2000))
def test_damaged_recordings_are_read_or_refused(at: int, byte: int, cut: int, tmp_path: Path) -> None:
    raw = bytearray(
        mcap_of(
            ("/joint_states", STATE, state(1.0, HeadYaw=0.1)),
            ("/arm", TRAJECTORY, trajectory(["HeadYaw"], (0.5, [0.2]))),
        )
    )
    raw[at % len(raw)] = byte
    path = tmp_path / "x.mcap"
    path.write_bytes(raw[: len(raw) - cut] if cut < len(raw) else raw)
    with contextlib.suppress(DocumentError):
        read(path, "rosbag", robot="nao")


NODS = [
    each
    for k in range(30)
    for each in (
        ("/joint_states", STATE, state(5.0 + 0.02 * k, HeadYaw=0.01 * k)),
        *[("/chatter", TEXT, {"data": "x" * 400})] * 6,
    )
]


@pytest.mark.parametrize("ending", ["mcap", "packed.mcap", "fast.mcap", "db3", "bag", "folder"])
def test_recordings_that_are_too_large_to_be_read_as_a_whole_are_motions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    path = tmp_path / f"nod.{ending}"
    whole = mcap_of(*NODS)
    if ending == "bag":
        head = struct.pack("<I", 7)
        chunks = []
        for k in range(30):
            stamp = struct.pack("<II", *divmod(5_000_000_000 + 20_000_000 * k, 10**9))
            name, position = b"HeadYaw", struct.pack("<d", 0.01 * k)
            body = (
                head + stamp + struct.pack("<III", 0, 1, len(name)) + name + struct.pack("<I", 1) + position + bytes(8)
            )
            chunks.append(
                [("/joint_states", 10**9 + k, "sensor_msgs/JointState", "", body), ("/a", 1, "b/C", "", head)]
            )
        path.write_bytes(bag_of(*chunks, packing="bz2", indexed=True))
    elif ending == "db3":
        write_db3(path, whole)
    elif ending == "folder":
        path.mkdir()
        (path / "metadata.yaml").write_text("rosbag2_bagfile_information: {}\n")
        (path / "a_0.mcap").write_bytes(chunked(*NODS[:105]))
        (path / "a_1.mcap").write_bytes(chunked(*NODS[105:]))
    else:
        options = {"packed": {}, "fast": {"use_chunking": False}}.get(
            ending.split(".")[0], {"compression": CompressionType.NONE}
        )
        path.write_bytes(chunked(*NODS, **options))
    monkeypatch.setattr(rosbag, "MOST_BYTES", 1500)
    library = read(path, robot="nao")
    (motion,) = library.motions
    found = played(path, motion)
    assert len(found) == 30
    assert found[-1][0] == pytest.approx(0.58)
    assert [float(str(joints["HeadYaw"])) for _, joints in found] == pytest.approx([0.01 * k for k in range(30)])


def test_large_recordings_without_an_index_or_with_too_much_beside_say_what_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rosbag, "MOST_BYTES", 1000)
    path = tmp_path / "nod.mcap"
    path.write_bytes(chunked(*NODS)[:-200])
    with pytest.raises(FormatError, match=r"the recording is too large .* has no index; .*; mcap recover FILE"):
        read(path, robot="nao")
    path.write_bytes(chunked(*NODS))
    monkeypatch.setattr(mcap_parts, "Allowance", lambda: Allowance(unpacked=20_000))
    with pytest.raises(FormatError, match=r"is too large: more than 20000 bytes .*; keep only the topics of joints"):
        read(path, robot="nao")
