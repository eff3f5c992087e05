"""Robots that flood, mumble, count wrongly, or say that something is wrong with them: told by its true name."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hardware_plants import SITTING, looped
from test_hardware_run import ran, steps
from test_protocols import go2

from andante.backends.backend import BackendError, LinkLostError
from andante.backends.hardware.health import HealthLimits, HealthWatch
from andante.backends.hardware.link import PacketLink, Transport
from andante.backends.hardware.packets import WireError, floats, said
from andante.backends.hardware.plant import FakePlant
from andante.backends.hardware.sockets import host_and_port
from andante.backends.hardware.unitree_types import messages
from andante.control.arming.hand import HandCheck
from andante.control.arming.measured import Vitals, findings_of
from andante.control.arming.settings import SafetySettings
from andante.control.arming.speeds import SpeedCheck
from andante.robots.records import Sensors
from andante.robots.robot import Robot
from andante.runs.backends.hardware import vitals_of
from andante.runs.backends.udp import UdpBackend
from andante.runs.hardware.fakes import hardware_kind


class Flood(Transport):
    """Always has packets that are none, until nobody should ask any more."""

    def __init__(self, count: int) -> None:
        self.packets, self.end = [b"x" * 2000] * count, time.monotonic() + 3.0

    def open(self) -> None:
        """Nothing to open."""

    def receive(self, until: float) -> list[Any]:
        """As many as there are."""
        if time.monotonic() > self.end:
            raise TimeoutError("asked for ever")
        return list(self.packets)

    def send(self, packet: Any) -> None:
        """Nobody hears it."""

    def close(self) -> None:
        """Nothing to close."""


@pytest.mark.parametrize("count", [1, 1000])
def test_a_flood_of_packets_that_cannot_be_read_holds_up_no_tick(count: int) -> None:
    codec = hardware_kind({"type": "udp"}).codec(Robot.load("littledog"))
    link = PacketLink(codec, Flood(count), "here")
    link._known = True
    begin = time.monotonic()
    assert link.receive(begin + 0.02) is None
    assert time.monotonic() - begin < 1.0
    assert link.traffic.broken >= count


@pytest.mark.parametrize("port", ["²", "١٢", "+5", " 5", "5_0", "9" * 5000, "070000", "0"])
def test_a_port_of_other_digits_is_no_port(port: str) -> None:
    with pytest.raises(BackendError, match="is no address"):
        host_and_port(f"127.0.0.1:{port}")


def test_a_nao_tells_which_motor_it_has_weakened_and_which_it_has_let_go() -> None:
    msgpack = pytest.importorskip("msgpack", reason="needs msgpack (make test installs it)")
    made, plant = looped("lola", start=SITTING)
    codec, data = made.link.codec, msgpack.unpackb(plant.codec.pack_state(plant.state()))
    assert (codec.state(msgpack.packb(data)).worn, codec.state(msgpack.packb(data)).note) == ("", "")
    data["Status"][10] = 2
    state = codec.state(msgpack.packb(data))
    assert state.note == "LKneePitch is hot: its stiffness is reduced by over 30 % by the robot itself"
    assert state.worn == ""
    data["Status"][10] = 3
    state = codec.state(msgpack.packb(data))
    assert state.worn == "LKneePitch: critically hot, the robot itself has set its stiffness to 0"


def test_a_go2_tells_which_motor_has_an_error_and_what_does_not_answer() -> None:
    codec, packet = hardware_kind({"type": "go2"}).codec(Robot.load(go2())), messages().LowState()
    # The second number is the rate of a motor's answers, as a robot has it.
    packet.tick = 5
    for motor in packet.motor_state[:12]:
        motor.reserve = [0, 632]
    assert codec.state(packet).worn == ""
    packet.motor_state[4].reserve = [2, 632]
    packet.bit_flag = 0x20
    state = codec.state(packet)
    assert state.worn == "motors tell errors: FL_thigh_joint: overcurrent"
    assert state.note == "the robot says that its remote control does not answer"
    packet.motor_state[4].reserve = [0, 632]
    packet.bit_flag = 0x80
    assert codec.state(packet).worn == "its motors do not answer its own computer"


def test_a_robot_that_says_that_a_motor_is_worn_is_let_go_of_once_it_has_said_so_for_a_while() -> None:
    watch = HealthWatch(("knee",), HealthLimits())
    for tick in range(60):
        watch.see(0.01 * tick, None, None, "knee: encoder" if tick >= 5 else "")
        assert (watch.why != "") == (tick >= 55)
    assert watch.why == "knee: encoder"
    # A flicker ends nothing.
    watch = HealthWatch(("knee",), HealthLimits())
    for tick in range(600):
        watch.see(0.01 * tick, None, None, "knee: encoder" if tick % 9 == 0 else "")
    assert watch.why == ""


PUBLISHED = (0.020, 1.272, -2.806, -0.034, 1.252, -2.795, 0.346, 1.304, -2.805, -0.331, 1.271, -2.818)
"""A lying Go2 as it measured itself, FL, FR, RL, RR, each hip, thigh, calf [rad]."""


def test_a_go2_that_lies_as_it_was_measured_may_be_armed() -> None:
    robot = Robot.load(go2())
    names = [f"{leg}_{part}_joint" for leg in ("FL", "FR", "RL", "RR") for part in ("hip", "thigh", "calf")]
    sensors = Sensors(robot.sensors_layout)
    sensors.orientation[0], sensors.accelerometer[2] = 1.0, 9.81
    for name, angle in zip(names, PUBLISHED, strict=True):
        sensors.position[robot.index(name)] = angle
    for given in ({}, {"safety": {"rise": 3.0}}):
        safety = hardware_kind({"type": "go2", **given}).safety
        found = findings_of(robot, [sensors] * 10, safety, Vitals(), frozenset())
        assert [each.what for each in found if not each.good] == []
    strict = hardware_kind({"type": "go2", "safety": {"beyond_stops": 0.05}}).safety
    found = findings_of(robot, [sensors] * 10, strict, Vitals(), frozenset())
    assert [each.what for each in found if not each.good] == ["stops"]


def told(plant: FakePlant, change: Callable[[dict[str, Any]], object]) -> None:
    """Let each state of a fake be changed."""
    pack = plant.codec.pack_state

    def packed(state: Any) -> bytes:
        data = json.loads(pack(state))
        change(data)
        return json.dumps(data).encode()

    plant.codec.pack_state = packed  # type: ignore[method-assign]


@pytest.mark.parametrize(("every", "good"), [(0, True), (50, True), (5, False)])
def test_the_share_of_packets_that_cannot_be_read_is_told_and_forbids_arming(every: int, good: bool) -> None:
    made, plant = looped(start=SITTING)
    pack, count = plant.codec.pack_state, 0

    def packed(state: Any) -> Any:
        nonlocal count
        count += 1
        data = pack(state)
        return data[:-9] if every and count % every == 0 else data

    plant.codec.pack_state = packed  # type: ignore[method-assign]
    made.reset(0)
    readings = made.looked_at(3.0)
    found = {
        each.what: each for each in findings_of(made.robot, readings, SafetySettings(), vitals_of(made), made.absent)
    }
    assert ("packets" in found) == bool(every)
    if every:
        assert found["packets"].good is good
        share = float(found["packets"].text.split(" ")[0])
        assert share == pytest.approx(100.0 / every, rel=0.15)
        assert "is no JSON" in found["packets"].text


def test_what_a_robot_says_steers_no_terminal_and_fills_no_page() -> None:
    assert said("\x1b[2J\nall good\x00" + "e" * 50_000).startswith("[2J all good e")
    assert len(said("e" * 50_000)) <= 200
    made, plant = looped("udp", "littledog")
    data = json.loads(plant.codec.pack_state(plant.state()))
    data |= {"mode": "\x1b[31m" + "E" * 9000, "by": "\x07"}
    state = made.link.codec.state(json.dumps(data).encode())
    assert state.mode.isprintable()
    assert len(state.mode) <= 200
    assert state.by.isprintable()


@pytest.mark.parametrize("values", [["0.1", "0.2"], [True, False], ["a", 1], [[1], [2]], {"a": 1}, "12", None])
def test_what_is_no_number_is_none(values: object) -> None:
    with pytest.raises(WireError):
        floats(values, 2, "position")
    assert floats([1, 2], 2, "position").tolist() == [1.0, 2.0]


def swings(share: float, lag: float = 0.0, noise: float = 0.0, zero: bool = False) -> SpeedCheck:
    """A joint swings by half a radian in a second and a half; its speed is a share of the true one, and late."""
    robot, random = Robot.load("littledog"), np.random.default_rng(5)
    check = SpeedCheck(robot.joint_names)
    for tick in range(300):
        moment = 0.005 * tick
        sensors = Sensors(robot.sensors_layout)
        sensors.vector[0] = moment
        sensors.position[:] = noise * random.standard_normal(len(robot.joint_names))
        sensors.position[3] += 0.25 * math.sin(math.tau * moment / 1.5)
        speed = 0.25 * math.tau / 1.5 * math.cos(math.tau * (moment - lag) / 1.5)
        sensors.velocity[3] = 0.0 if zero else share * speed
        check.see(sensors)
    return check


@pytest.mark.parametrize(("lag", "noise"), [(0.0, 0.0), (0.15, 0.0), (0.0, 0.002), (0.1, 0.001)])
def test_a_right_speed_is_right_however_noisy_and_late(lag: float, noise: float) -> None:
    check = swings(1.0, lag, noise)
    assert (check.amiss, check.silent) == ("", "")


@pytest.mark.parametrize(
    ("share", "words"),
    [(-1.0, "counts the other way"), (math.degrees(1.0), "is in degrees"), (9.55, "has another unit")],
)
def test_a_wrong_speed_is_told_by_what_is_wrong(share: float, words: str) -> None:
    name = Robot.load("littledog").joint_names[3]
    found = swings(share, noise=0.001).amiss
    assert words in found
    assert found.startswith(f"the measured speed of {name} ")


def test_a_speed_that_reads_as_nothing_is_told() -> None:
    check = swings(1.0, zero=True)
    assert "reads as nothing while it moves" in check.silent
    assert check.amiss == ""


def test_states_that_are_lost_for_long_make_no_wrong_speed() -> None:
    robot = Robot.load("littledog")
    check = SpeedCheck(robot.joint_names)
    for moment, angle in ((0.0, 0.0), (0.01, 0.01), (0.9, 0.6), (0.91, 0.61), (1.05, 0.62)):
        sensors = Sensors(robot.sensors_layout)
        sensors.vector[0], sensors.position[3], sensors.velocity[3] = moment, angle, -1.0
        check.see(sensors)
    assert check.amiss == ""


@pytest.mark.slow
def test_a_robot_whose_speeds_count_the_other_way_is_let_go_of_by_that_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, plant = looped(start=SITTING)
    told(plant, lambda data: data.update(velocity=[-each for each in data["velocity"]]))
    result = _run(made, tmp_path, monkeypatch)
    assert result.verdict == "fail"
    assert "counts the other way, or is another joint's: it adds up to -" in result.reasons[0]
    assert steps(result)[-3:] == ["release", "fade", "off"]


def _run(made: Any, out: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("test_hardware_run.looped", lambda **_: (made, None))
    monkeypatch.setattr(UdpBackend, "backend", lambda kind, robot, world: made)
    return ran(monkeypatch, out)[0]


def test_a_count_that_leaps_is_told_as_that_and_not_as_a_run_that_stood_still(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, plant = looped(start=SITTING)
    told(plant, lambda data: data.update(seq=data["seq"] + (50 if plant.time > 2.5 else 0)))
    result = _run(made, tmp_path, monkeypatch)
    assert result.verdict == "fail"
    assert "the robot's count of cycles leapt by 0.61 s within 0.01 s" in result.reasons[0]
    assert steps(result)[-2:] == ["damp", "off"]


def test_a_hand_shows_a_speed_that_counts_the_other_way() -> None:
    robot = Robot.load("littledog")
    check, found, joint = HandCheck(robot), None, robot.joint_names[0]
    for tick in range(400):
        sensors = Sensors(robot.sensors_layout)
        sensors.vector[0] = 0.01 * tick
        turned = min(max(0.01 * tick - 1.0, 0.0), 1.0) * 0.4
        sensors.position[0], sensors.velocity[0] = turned, -0.4 if 0.0 < turned < 0.4 else 0.0
        if tick == 0:
            check.begin(sensors)
        found = found or check.see(joint, 1.0, sensors)
    assert found is not None
    assert not found.good
    assert "counts the other way" in found.text


@pytest.mark.parametrize("away", [100_000, -150, 2**40], ids=["from the future", "from the past", "from nowhere"])
def test_one_packet_that_has_gone_astray_ends_nothing(away: int) -> None:
    made, plant = looped(robot="littledog")
    at, strays = 0, 0

    def astray(data: dict[str, Any]) -> None:
        nonlocal at, strays
        at += 1
        if at in (200, 400):
            strays += 1
            data["seq"] = max(data["seq"] + away, 0)

    told(plant, astray)
    made.reset(0)
    readings = made.looked_at(6.0)
    assert strays == 2
    times = np.array([each.time for each in readings])
    assert (np.diff(times) <= 0.021).all()
    assert made.watch.silent == 2
    assert made.watch.lost <= 2


def test_a_robot_that_begins_to_count_anew_is_told_within_a_few_states() -> None:
    made, plant = looped(robot="littledog")
    made.reset(0)
    made.looked_at(2.0)
    plant.tick, before = 0, made.state.tick
    with pytest.raises(LinkLostError, match="its program began again, or two robots answer here"):
        made.looked_at(1.0)
    assert plant.tick <= 4
    assert made.state.tick == before


def test_a_count_that_goes_on_from_afar_is_believed_at_its_second_state() -> None:
    made, plant = looped(robot="littledog")
    made.reset(0)
    made.looked_at(1.0)
    plant.tick += 10_000
    readings = made.looked_at(0.1)
    assert made.watch.silent == 1
    assert readings[-1].time > 100.0
