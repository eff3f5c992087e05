"""Joint states that are no ROS messages: JSON and Protobuf in MCAP files, as Foxglove's SDK and loggers write them."""

from __future__ import annotations

import io
import json
import struct
from pathlib import Path
from typing import Any

import pytest
import zstandard
from mcap.writer import Writer

from andante.documents.recordings.messages import MOST_BYTES
from andante.formats.registry import read
from andante.formats.report import FormatError
from andante.runs.errors import LogError
from andante.runs.reports.shown import look_up


def write(path: Path, kind: str, encoding: str, *messages: bytes) -> Path:
    """A recording of one topic, a message every 100 ms."""
    stream = io.BytesIO()
    writer = Writer(stream)
    writer.start()
    schema = writer.register_schema(kind, "jsonschema" if encoding == "json" else encoding, b"{}")
    channel = writer.register_channel("/joints", encoding, schema)
    for number, data in enumerate(messages):
        moment = 5_000_000_000 + number * 100_000_000
        writer.add_message(channel, log_time=moment, data=data, publish_time=moment)
    writer.finish()
    path.write_bytes(stream.getvalue())
    return path


def told(path: Path) -> list[tuple[float, dict[str, object]]]:
    """Ends and joints of the only motion's keyframes."""
    library = read(path, robot="nao")
    (motion,) = library.motions.values()
    at, found = 0.0, []
    for keyframe in library.blocks[motion.blocks[0]].keyframes:
        at += 0.0 if keyframe.extras else keyframe.duration
        found.append((round(at, 6), dict(keyframe.joints)))
    return found


def ros(stamp: dict[str, int], **angles: float | None) -> bytes:
    header = {"header": {"stamp": stamp, "frame_id": ""}} if stamp else {}
    return json.dumps(header | {"name": list(angles), "position": list(angles.values()), "velocity": []}).encode()


def foxglove(stamp: Any, **angles: float | str | None) -> bytes:
    joints = [{"name": name, "position": angle, "velocity": 1.0} for name, angle in angles.items()]
    return json.dumps({"timestamp": stamp, "joints": joints}).encode()


def field(number: int, way: int, content: bytes) -> bytes:
    length = bytes([len(content)]) if way == 2 else b""
    return bytes([number << 3 | way]) + length + content


def protobuf(seconds: int, nanos: bytes, **angles: float | None) -> bytes:
    time = field(1, 0, bytes([seconds])) + field(2, 0, nanos)
    joints = b"".join(
        field(
            2,
            2,
            field(1, 2, name.encode())
            + (b"" if angle is None else field(2, 1, struct.pack("<d", angle)))
            + field(5, 1, struct.pack("<d", 7.0)),
        )
        for name, angle in angles.items()
    )
    return field(1, 2, time) + joints


WAY = [(0.0, {"HeadYaw": 0.1, "HeadPitch": 0.2}), (0.5, {"HeadYaw": 0.3})]


@pytest.mark.parametrize(
    ("kind", "encoding", "messages"),
    [
        (
            "sensor_msgs/msg/JointState",
            "json",
            (
                ros({"sec": 7, "nanosec": 0}, HeadYaw=0.1, HeadPitch=0.2),
                ros({"sec": 7, "nanosec": 500_000_000}, HeadYaw=0.3, HeadPitch=None),
            ),
        ),
        (
            "sensor_msgs/JointState",
            "json",
            (
                ros({"secs": 7, "nsecs": 0}, HeadYaw=0.1, HeadPitch=0.2),
                ros({"secs": 7, "nsecs": 500000000}, HeadYaw=0.3),
            ),
        ),
        (
            "foxglove.JointStates",
            "json",
            (
                foxglove({"sec": 7, "nsec": 0}, HeadYaw=0.1, HeadPitch=0.2),
                foxglove({"sec": 7, "nsec": 500_000_000}, HeadYaw=0.3, HeadPitch="NaN"),
            ),
        ),
        (
            "foxglove.JointStates",
            "json",
            (
                foxglove("2026-11-29T12:00:00Z", HeadYaw=0.1, HeadPitch=0.2),
                foxglove("2026-11-29T12:00:00.500Z", HeadYaw=0.3),
            ),
        ),
        (
            "foxglove.JointStates",
            "protobuf",
            (
                protobuf(7, b"\x00", HeadYaw=0.1, HeadPitch=0.2),
                # 500,000,000 in seven bits a byte.
                protobuf(7, b"\x80\xca\xb5\xee\x01", HeadYaw=0.3, HeadPitch=None),
            ),
        ),
    ],
)
def test_joint_states_are_a_motion_whatever_they_are_written_in(tmp_path, kind, encoding, messages):
    assert told(write(tmp_path / "nod.mcap", kind, encoding, *messages)) == WAY


def test_without_a_time_of_their_own_they_are_as_they_were_recorded(tmp_path):
    found = told(
        write(tmp_path / "nod.mcap", "sensor_msgs/JointState", "json", ros({}, HeadYaw=0.1), ros({}, HeadYaw=0.2))
    )
    assert found == [(0.0, {"HeadYaw": 0.1}), (0.1, {"HeadYaw": 0.2})]


GOOD = protobuf(7, b"\x00", HeadYaw=0.1)


@pytest.mark.parametrize(
    ("kind", "encoding", "message", "says"),
    [
        ("sensor_msgs/JointState", "json", b"{", "the message is damaged; got 'is no JSON"),
        ("sensor_msgs/JointState", "json", b"[]", "the message is damaged; got 'it is no JSON object'"),
        ("sensor_msgs/JointState", "json", b'{"name": [7], "position": [0]}', "got '7 is no name of a joint'"),
        ("sensor_msgs/JointState", "json", ros({"sec": 1}, HeadYaw=True), "got 'True is no number'"),
        (
            "sensor_msgs/JointState",
            "json",
            b'{"name": ["a"], "position": [1' + b"0" * 400 + b"]}",
            "is damaged; got 'int too",
        ),
        ("foxglove.JointStates", "json", foxglove("noon", a=0.0), 'the message is damaged; got "Invalid isoformat'),
        ("foxglove.JointStates", "protobuf", GOOD[:-3], "the message is damaged; got 'it is cut short'"),
        ("foxglove.JointStates", "protobuf", b"\xff" * 12, "the message is damaged; got 'it is cut short'"),
        ("foxglove.JointStates", "protobuf", b"\x0b", "got 'its field 1 is written in no known way'"),
        (
            "foxglove.JointStates",
            "flatbuffer",
            b"",
            "encoding is not known; got 'flatbuffer'; legal: cdr, ros1, json, protobuf",
        ),
    ],
)
def test_what_is_damaged_or_in_another_encoding_is_told(tmp_path, kind, encoding, message, says):
    with pytest.raises(FormatError) as caught:
        read(write(tmp_path / "nod.mcap", kind, encoding, message), robot="nao")
    assert says in str(caught.value)
    assert "/joints" in str(caught.value)


@pytest.mark.parametrize("ending", [".mcap.zstd", ".MCAP.ZSTD"])
def test_a_recording_that_is_packed_as_a_whole_is_unpacked(tmp_path, ending):
    folder = tmp_path / "bag"
    folder.mkdir()
    packed = zstandard.compress(write(tmp_path / "nod.mcap", "foxglove.JointStates", "protobuf", GOOD).read_bytes())
    (folder / f"bag_0{ending}").write_bytes(packed)
    (folder / "metadata.yaml").write_text("rosbag2_bagfile_information: {compression_mode: FILE}\n")
    for path in (folder, folder / f"bag_0{ending}"):
        assert told(path) == [(0.0, {"HeadYaw": 0.1})]
    (folder / f"bag_0{ending}").write_bytes(packed[:-9])
    with pytest.raises(FormatError, match="the recording"):
        read(folder)
    (folder / f"bag_0{ending}").write_bytes(zstandard.compress(bytes(MOST_BYTES + 1)))
    with pytest.raises(FormatError, match=r"cannot be unpacked: a chunk has more than .*; unpack it first: zstd -d"):
        read(folder)


def test_a_recording_of_others_is_shown_as_motions(tmp_path):
    (found,) = look_up(str(write(tmp_path / "nod.mcap", "foxglove.JointStates", "protobuf", GOOD)))
    assert (found.kind, list(found.data["motions"])) == ("library", ["nod"])
    for encoding in ("cdr", "json"):
        with pytest.raises(LogError, match=r"was not written by Andante: .* layout in its metadata; got '/?joints'"):
            look_up(str(write(tmp_path / "talk.mcap", "std_msgs/msg/String", encoding, b"{}")))


def test_a_run_is_told_as_what_it_is(tmp_path):
    """It is in MCAP and JSON, too."""
    stream = io.BytesIO()
    writer = Writer(stream)
    writer.start(profile="", library="andante 0.1.0")
    writer.finish()
    (tmp_path / "log.mcap").write_bytes(stream.getvalue())
    for path in (tmp_path, tmp_path / "log.mcap"):
        with pytest.raises(FormatError, match="it is what a run left: andante show, compare and replay read it"):
            read(path)
