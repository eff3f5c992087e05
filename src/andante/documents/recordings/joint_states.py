"""Joint states of recordings, whatever their messages are written in: CDR, ROS 1, JSON or Protobuf.

Sources: the definition of sensor_msgs/JointState in github.com/ros2/common_interfaces; foxglove.JointStates and its
field numbers in github.com/foxglove/foxglove-sdk; Protobuf's encoding and its JSON in protobuf.dev.
"""

from __future__ import annotations

import datetime
import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from andante.documents.json_data import parse_json_data
from andante.documents.problems import DocumentError
from andante.documents.recordings.message_reader import MessageReader
from andante.documents.recordings.messages import Kind, TopicMessage

STATES: tuple[Kind, ...] = (
    ("sensor_msgs", "JointState"),
    ("foxglove", "JointStates"),
    ("foxglove_msgs", "JointStates"),
)
"""Types of joint states."""
_MOST_JOINTS, _MOST_VALUES = 200, 5000
_SECONDS, _NANOSECONDS = ("sec", "secs", "seconds"), ("nanosec", "nsec", "nsecs", "nanos")
_VARINT, _FIXED, _BYTES, _SHORT = 0, 1, 2, 5
"""Protobuf's ways of writing a field: as many bytes as it needs, eight, so many as are told, four."""
_LONGEST_VARINT = 10


class EncodingError(ValueError):
    """A message is in an encoding in which joint states are not read."""

    def __init__(self, value: str, legal: Sequence[str]) -> None:
        super().__init__(f"{value!r} is not read")
        self.value, self.legal = value, tuple(legal)


@dataclass(frozen=True)
class JointStates:
    """Angles of joints at one time."""

    stamp: float
    """When, as the message says; 0: it does not say [s]."""
    names: Sequence[str]
    """Joints."""
    angles: Sequence[float]
    """Their angles [rad, m], NaN where a joint has none; none at all where the message has no angles."""


def joint_states(message: TopicMessage) -> JointStates:
    """What a message of one of `STATES` says.

    Raises:
        EncodingError: It is in another encoding.
        ValueError: It is not as its type has it.
    """
    ours = message.kind == STATES[0]
    legal = ("cdr", "ros1", "json") if ours else ("cdr", "ros1", "json", "protobuf")
    if message.encoding not in legal:
        raise EncodingError(message.encoding, legal)
    if message.encoding == "json":
        return _of_json(message.content)
    if message.encoding == "protobuf":
        return _of_protobuf(message.content)
    reader = MessageReader(message.content, message.encoding == "ros1")
    if not ours:
        seconds, nanoseconds = reader.array("u4", 2).tolist()
        # Name, then angle, speed, acceleration and effort of each.
        found = [(reader.text(), float(reader.array("f8", 4)[0])) for _ in range(reader.names())]
        return JointStates(seconds + nanoseconds / 1e9, [name for name, _ in found], [angle for _, angle in found])
    seconds, nanoseconds, _ = reader.header()
    return JointStates(seconds + nanoseconds / 1e9, reader.texts(), reader.doubles())


def _of_json(content: bytes) -> JointStates:
    try:
        data = parse_json_data(content, "", items=_MOST_VALUES, finite=False)
    except DocumentError as error:
        raise ValueError(str(error)) from error
    if not isinstance(data, Mapping):
        raise ValueError("it is no JSON object")
    header = data.get("header")
    stamp = _json_time(header.get("stamp") if isinstance(header, Mapping) else data.get("timestamp"))
    joints = data.get("joints")
    if isinstance(joints, list):
        if not all(isinstance(each, Mapping) for each in joints):
            raise ValueError("its joints are no objects")
        return JointStates(
            stamp,
            [_text(each.get("name")) for each in joints],
            [_number(each.get("position")) for each in joints],
        )
    names, angles = (data.get(key, []) for key in ("name", "position"))
    if not isinstance(names, list) or not isinstance(angles, list):
        raise ValueError("its name and position are no lists")
    return JointStates(stamp, [_text(each) for each in names], [_number(each) for each in angles])


def _json_time(given: Any) -> float:
    """A time of JSON [s]: seconds and nanoseconds, or a date; 0: none."""
    if isinstance(given, str):
        date = datetime.datetime.fromisoformat(given)
        return (date if date.tzinfo else date.replace(tzinfo=datetime.UTC)).timestamp()
    if isinstance(given, Mapping):
        parts = (next((given[key] for key in keys if key in given), 0) for keys in (_SECONDS, _NANOSECONDS))
        seconds, nanoseconds = map(_number, parts)
        return seconds + nanoseconds / 1e9
    if given is None:
        return 0.0
    raise ValueError(f"its time {given!r:.60} is neither seconds and nanoseconds nor a date")


def _text(given: Any) -> str:
    if not isinstance(given, str):
        raise ValueError(f"{given!r:.60} is no name of a joint")
    return given


def _number(given: Any) -> float:
    """A number of JSON, of which Protobuf writes large whole ones and NaN as texts; NaN for nothing."""
    if given is None:
        return math.nan
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        raise ValueError(f"{given!r:.60} is no number")
    try:
        return float(given)
    except OverflowError as error:
        raise ValueError(str(error)) from error


def _of_protobuf(content: bytes) -> JointStates:
    stamp, names, angles = 0.0, list[str](), list[float]()
    for number, value in _fields(content):
        if number == 1 and isinstance(value, bytes):
            time = {field: part for field, part in _fields(value) if isinstance(part, int)}
            stamp = time.get(1, 0) + time.get(2, 0) / 1e9
        elif number == 2 and isinstance(value, bytes):
            joint = dict(_fields(value))
            name, angle = joint.get(1, b""), joint.get(2, math.nan)
            if not isinstance(name, bytes) or not isinstance(angle, float):
                raise ValueError("a joint is not of a name and an angle")
            names.append(name.decode("utf-8", errors="replace"))
            angles.append(angle)
            if len(names) > _MOST_JOINTS:
                raise ValueError(f"more than {_MOST_JOINTS} joints are out of range")
    return JointStates(stamp, names, angles)


def _fields(content: bytes) -> Iterator[tuple[int, int | float | bytes]]:
    """Numbers and values of a message of Protobuf: whole numbers, numbers of double precision, bytes."""
    at = 0
    while at < len(content):
        key, at = _varint(content, at)
        way = key & 7
        if way == _VARINT:
            value, at = _varint(content, at)
            yield key >> 3, value
            continue
        size = {_FIXED: 8, _SHORT: 4}.get(way)
        if way == _BYTES:
            size, at = _varint(content, at)
        if size is None:
            raise ValueError(f"its field {key >> 3} is written in no known way")
        if at + size > len(content):
            raise ValueError("it is cut short")
        part, at = content[at : at + size], at + size
        yield key >> 3, struct.unpack("<d", part)[0] if way == _FIXED else part


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """A whole number of seven bits a byte, and where it ends."""
    found = 0
    for place, byte in enumerate(content[at : at + _LONGEST_VARINT]):
        found |= (byte & 0x7F) << (7 * place)
        if not byte & 0x80:
            return found, at + place + 1
    raise ValueError("it is cut short")
