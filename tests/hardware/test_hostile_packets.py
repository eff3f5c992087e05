"""Packets that are damaged, of another robot, or of two robots: refused with a word, and nothing moves."""

from __future__ import annotations

import json
import math
import socket
import struct
from typing import Any

import numpy as np
import pytest
from hardware_plants import HANGING, SITTING, looped
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from andante.backends.backend import BackendError, LinkLostError
from andante.backends.hardware.dynamixel_bus import DynamixelBus
from andante.backends.hardware.link import PacketLink, Transport
from andante.backends.hardware.packets import RobotState, WireError
from andante.backends.hardware.sockets import DatagramServer, StreamServer
from andante.backends.world import WorldConfig
from andante.robots.robot import Robot
from andante.runs.hardware.fakes import hardware_kind

QUICK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
BYTES: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("udp", "nao", {}, SITTING),
    ("lola", "nao", {}, SITTING),
    ("booster", "k1", {"period": 0.02}, HANGING),
    ("ros2", "littledog", {}, {}),
    ("dynamixel", "littledog", {}, {}),
]
_PACKETS: dict[str, tuple[Any, Any, Any]] = {}


def packets(kind: str, robot: str, backend: dict[str, Any], start: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Our codec, a true state's packet and a true command's."""
    if kind not in _PACKETS:
        made, plant = looped(kind, robot, start, backend=backend)
        command = made.robot.command()
        command.kp[:] = made.robot.servo_kp
        state = plant.codec.pack_state(plant.state())
        _PACKETS[kind] = made.link.codec, state, made.link.codec.pack_command(made.joint_map.to_wire(command))
    return _PACKETS[kind]


def damaged(packet: Any, change: Any) -> Any:
    """The packet with its bytes changed, whatever is around them."""
    if isinstance(packet, bytes):
        return change(packet)
    return tuple((name, change(data)) for name, data in packet)


@pytest.mark.slow
@pytest.mark.parametrize("which", BYTES, ids=[each[0] for each in BYTES])
@given(at=st.integers(0, 10**6), value=st.integers(0, 255), cut=st.integers(0, 10**6), keep=st.booleans())
@QUICK
def test_a_damaged_packet_is_read_as_finite_numbers_or_refused(
    which: tuple[str, str, dict[str, Any], dict[str, Any]], at: int, value: int, cut: int, keep: bool
) -> None:
    codec, state, command = packets(*which)

    def change(data: bytes) -> bytes:
        place = at % len(data)
        changed = data[:place] + bytes([value]) + data[place + 1 :]
        return changed if keep else changed[: cut % (len(data) + 1)]

    for read, packet in ((codec.state, state), (codec.command, command)):
        try:
            found = read(damaged(packet, change))
        except WireError:
            continue
        assert found.position.shape == (len(codec.slots),)
        for name in ("position", "velocity", "orientation", "gyro", "accelerometer", "effort", "kp", "torque"):
            values = getattr(found, name, None)
            assert values is None or np.isfinite(values).all()


@pytest.mark.parametrize("name", ["position", "velocity", "gyro", "orientation", "accelerometer"])
@pytest.mark.parametrize("bad", [math.nan, math.inf, "x", None, [1.0]])
def test_a_state_that_holds_no_number_is_refused_by_the_name_of_its_field(name: str, bad: object) -> None:
    codec, state, _ = packets(*BYTES[0])
    data = json.loads(state)
    data[name][0] = bad
    with pytest.raises(WireError, match=name):
        codec.state(json.dumps(data).encode())


@pytest.mark.parametrize(
    ("bad", "words"), [(None, "is no number; got 'None'"), (math.nan, "a number is not finite; got nan")]
)
def test_a_joint_whose_number_is_none_is_named(bad: object, words: str) -> None:
    codec, state, _ = packets(*BYTES[0])
    data = json.loads(state)
    data["position"][7] = bad
    with pytest.raises(WireError) as told:
        codec.state(json.dumps(data).encode())
    # Some hundred digits of those that are right stood there before.
    assert str(told.value) == f"position[7], {codec.slots[7]}: {words}"


def test_a_state_of_lola_without_a_joint_or_with_nan_is_refused() -> None:
    msgpack = pytest.importorskip("msgpack", reason="needs msgpack (make test installs it)")
    codec, state, _ = packets(*BYTES[1])
    data = msgpack.unpackb(state)
    data["Position"].pop()
    with pytest.raises(WireError, match="Position"):
        codec.state(msgpack.packb(data))
    data = msgpack.unpackb(state)
    data["Gyroscope"][1] = math.nan
    with pytest.raises(WireError, match="Gyroscope"):
        codec.state(msgpack.packb(data))


def test_a_joint_that_a_message_of_ros_does_not_name_is_told_by_name() -> None:
    # This codec remembers what it was told, and other tests damage that.
    _PACKETS.pop(BYTES[3][0], None)
    codec, state, _ = packets(*BYTES[3])
    name = codec.slots[3]
    with pytest.raises(WireError, match=name):
        codec.state(damaged(state, lambda data: data.replace(name.encode(), b"x" * len(name))))


@pytest.mark.slow
@pytest.mark.parametrize(("ours", "theirs"), [("k1", "t1"), ("t1", "k1")])
def test_a_booster_of_the_other_kind_is_refused_by_its_length(ours: str, theirs: str) -> None:
    _, plant = looped("booster", theirs, HANGING, backend={"period": 0.02})
    codec = hardware_kind({"type": "booster"}).codec(Robot.load(ours))
    with pytest.raises(WireError, match="is no state of this robot"):
        codec.state(plant.codec.pack_state(plant.state()))


def test_another_firmware_than_the_one_that_was_tried_is_refused_before_anything_moves() -> None:
    made, plant = looped(robot="nao", start=SITTING)
    made.firmware = "2.8.5"
    with pytest.raises(BackendError, match=r"another firmware; got 'fake 1'; limit: 2\.8\.5"):
        made.reset(0)
    assert plant.commands == 0


class Given(Transport):
    """Gives packets that are given to it."""

    def __init__(self, codec: Any) -> None:
        self.codec, self.waiting = codec, list[Any]()

    def open(self) -> None:
        """Nothing to open."""

    def receive(self, until: float) -> list[Any]:
        """One by one."""
        return [self.waiting.pop(0)] if self.waiting else []

    def send(self, packet: Any) -> None:
        """Nobody hears it."""

    def close(self) -> None:
        """Nothing to close."""


def given_states(ticks: list[int], wraps: int = 0) -> list[int]:
    """What a link makes of a robot's counts."""
    codec = hardware_kind({"type": "udp"}).codec(Robot.load("littledog"))
    codec.wraps = wraps
    transport = Given(codec)
    link = PacketLink(codec, transport, "here")
    count = len(codec.slots)
    transport.waiting = [codec.pack_state(RobotState(tick, np.zeros(count))) for tick in ticks]
    found = [link.receive(0.0) for _ in ticks]
    return [each.tick for each in found if each is not None]


def test_a_count_that_wraps_goes_on() -> None:
    top = 2**32
    assert given_states([top - 2, top - 1, 0, 1, 5], top) == [top - 2, top - 1, top, top + 1, top + 5]
    assert given_states([7, 6, 8], top) == [7, 6, 8]


def test_two_robots_that_answer_at_one_address_are_told() -> None:
    made, plant = looped(robot="littledog")
    made.reset(0)
    for _ in range(3):
        made.write(made.robot.command())
        made.advance(0.01)

    def both() -> None:
        # The other one has been on for a minute longer, or has just been switched on.
        for _ in range(8):
            plant.tick += 6000
            made.advance(0.01)
            plant.tick -= 6000
            made.advance(0.01)

    with pytest.raises(LinkLostError, match="two robots answer here"):
        both()


def test_a_register_of_a_servo_that_was_cut_is_refused() -> None:
    codec, state, _ = packets(*BYTES[4])
    with pytest.raises(WireError, match="no state of these servos"):
        codec.state(state[:-3])
    assert struct.calcsize("<hii") == 10


GREETING = {"hello": {"version": 1, "robot": "nao", "joints": ["a"], "period": 0.012}}


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (0, "says not who the robot is"),
        (1, "says not who the robot is"),
        (None, "says not who the robot is"),
        ({"version": None}, "another version"),
        ({"version": 2}, "another version"),
        ({"version": True}, "another version"),
        ({"robot": ""}, "names no robot"),
        ({"robot": 3}, "names no robot"),
        ({"joints": []}, "names no joints"),
        ({"period": 0.0}, "names no period"),
        ({"period": 10**400}, "names no period"),
        ({"period": math.inf}, "names no period"),
    ],
)
def test_an_answer_to_a_greeting_is_whole_or_refused(told: Any, words: str) -> None:
    codec, state, _ = packets(*BYTES[0])
    data = json.loads(state)
    data["hello"] = GREETING["hello"] | told if isinstance(told, dict) else told
    with pytest.raises(WireError, match=words):
        codec.state(json.dumps(data).encode())


@pytest.mark.parametrize(
    "data",
    [{"hello": 0}, {"hello": 2}, {"hello": None}, {"hello": True}, {"hello": 1}, {"hello": 1, "robot": ""}],
    ids=str,
)
def test_half_a_greeting_is_none(data: dict[str, Any]) -> None:
    codec, _, _ = packets(*BYTES[0])
    assert codec.command(codec.hello()).hello
    with pytest.raises(WireError, match=r"hello|robot"):
        codec.command(json.dumps({"robot": "nao", **data} if data["hello"] != 1 else data).encode())


@pytest.mark.parametrize("name", ["seq", "position", "battery", "gyro"])
def test_a_number_that_no_computer_holds_is_refused_by_its_name(name: str) -> None:
    codec, state, _ = packets(*BYTES[0])
    data = json.loads(state)
    data[name] = 10**400 if name in ("seq", "battery") else [10**400] * len(data[name])
    with pytest.raises(WireError, match=name):
        codec.state(json.dumps(data).encode())


@pytest.mark.parametrize("which", BYTES[:4], ids=[each[0] for each in BYTES[:4]])
def test_states_with_their_bytes_turned_round_are_refused(which: Any) -> None:
    codec, state, _ = packets(*which)

    def turned(data: bytes) -> bytes:
        # The header of CDR says so; other protocols have each word the other way.
        return b"\0\0\0\0" + data[4:] if data[:2] == b"\0\1" else data[::-1]

    with pytest.raises(WireError):
        codec.state(damaged(state, turned))


def test_packets_that_cannot_be_read_are_named_where_the_link_is_lost_by_them() -> None:
    made, plant = looped(robot="littledog")
    made.reset(0)
    pack = plant.codec.pack_state
    plant.codec.pack_state = lambda state: pack(state)[:-9]  # type: ignore[method-assign]
    with pytest.raises(LinkLostError, match=r"no state has come for 0\.6.*packets came that are none.*is no JSON"):
        lost(made)


def lost(made: Any) -> None:
    """Wait for states until the link is lost."""
    for _ in range(100):
        made.advance(made.robot.tick)


def test_states_that_come_twice_or_in_another_order_change_nothing() -> None:
    assert given_states([5, 5, 4, 6, 6, 3, 7]) == [5, 5, 4, 6, 6, 3, 7]
    made, plant = looped(robot="littledog")
    made.reset(0)
    seen = []
    for jump in (0, -1, 0, -2, 0, 0):
        plant.tick += jump
        made.advance(made.robot.tick)
        seen.append(made.state.tick)
    assert seen == sorted(seen)
    assert made.watch.lost == 0


@pytest.mark.parametrize(
    ("address", "words"),
    [("x" * 70 + ":9870", "cannot be reached"), ("no.such.robot.invalid:9870", "cannot be reached")],
)
def test_a_host_that_cannot_be_is_one_message(address: str, words: str) -> None:
    made = hardware_kind({"type": "udp", "address": address}).backend(Robot.load("littledog"), WorldConfig())
    with pytest.raises(LinkLostError, match=words):
        made.reset(0)


def test_a_fake_takes_no_path_and_no_port_that_is_somebody_elses(tmp_path: Any) -> None:
    pytest.importorskip("msgpack", reason="needs msgpack (make test installs it)")
    file = tmp_path / "mine.txt"
    file.write_text("precious")
    for made in (DynamixelBus(str(file), range(1, 4)), StreamServer(str(file), lambda: lambda data: [])):
        with pytest.raises(BackendError, match="is taken"):
            made.open()
    assert file.read_text() == "precious"
    first = StreamServer(str(tmp_path / "robocup"), lambda: lambda data: [])
    first.open()
    with pytest.raises(BackendError, match="another fake listens there"):
        StreamServer(str(tmp_path / "robocup"), lambda: lambda data: []).open()
    first.close()
    port = DatagramServer(("127.0.0.1", 0))
    port.open()
    taken = port._opened().getsockname()
    with pytest.raises(BackendError, match="cannot be listened at"):
        DatagramServer(taken).open()
    port.close()
    with pytest.raises(BackendError, match="cannot be listened at"):
        StreamServer(str(tmp_path / ("x" * 200)), lambda: lambda data: []).open()


def test_a_socket_that_an_ended_fake_has_left_is_taken_over(tmp_path: Any) -> None:
    path = str(tmp_path / "robocup")
    left = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    left.bind(path)
    left.close()
    made = StreamServer(path, lambda: lambda data: [])
    made.open()
    made.close()
