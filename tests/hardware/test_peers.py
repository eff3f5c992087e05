"""Robots' ends as others write them, from what is published of the protocols, not from Andante's own fakes."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hardware_plants import looped
from test_protocols import go2

from andante.backends.backend import BackendError
from andante.backends.hardware.backend import HardwareBackend
from andante.backends.hardware.dds import DdsTransport
from andante.backends.hardware.link import Codec, PacketLink, Transport
from andante.backends.hardware.packets import WireError
from andante.backends.hardware.unitree_switch import SwitchingLink
from andante.backends.hardware.unitree_types import messages
from andante.robots.robot import Robot
from andante.runs.hardware.fakes import hardware_kind


class Batches(Transport):
    """Gives batches of packets in turn, as they lie in a socket."""

    def __init__(self, batches: list[list[Any]]) -> None:
        self.batches = batches

    def open(self) -> None:
        """Nothing to open."""

    def receive(self, until: float) -> list[Any]:
        """The next batch."""
        return self.batches.pop(0) if self.batches else []

    def send(self, packet: Any) -> None:
        """Nobody hears it."""

    def close(self) -> None:
        """Nothing to close."""


@pytest.mark.parametrize(
    "batches",
    [[[1], [2, "hello 3"]], [[1], ["hello 2", 3]], [[1], [2], ["hello 1"], [3]], [[1, "hello 2"]]],
    ids=["in a later state", "in one that a newer one followed", "in one that was overtaken", "at once"],
)
def test_a_bridge_that_says_later_who_it_is_is_refused_before_anything_moves(batches: list[list[Any]]) -> None:
    robot, kind = Robot.load("littledog"), hardware_kind({"type": "udp"})
    codec = kind.codec(robot)
    hello = {"version": 1, "robot": "littledog", "joints": codec.slots[::-1], "period": codec.period}

    def packet(each: int | str) -> bytes:
        told = {"hello": hello} if isinstance(each, str) else {}
        seq = int(each.split()[1]) if isinstance(each, str) else each
        return json.dumps({"seq": seq, "position": [0.0] * len(codec.slots), **told}).encode()

    link = PacketLink(codec, Batches([[packet(each) for each in batch] for batch in batches]), "here")
    backend = HardwareBackend(robot, link, kind.joint_map(robot, codec))

    def looked_at() -> None:
        backend.reset(0)
        backend.looked_at(3 * codec.period)

    with pytest.raises(BackendError, match="the robot has other joints, or another order of them"):
        looked_at()


def counted(codec: Codec, ticks: list[int]) -> list[int]:
    """Cycles that a codec makes of a Go2's ticks, from the first one on."""
    found = [codec.state(messages().LowState(tick=tick)).tick for tick in ticks]
    return [each - found[0] for each in found]


@pytest.mark.slow
def test_a_tick_of_a_go2_counts_milliseconds_whatever_it_begins_with() -> None:
    kind = hardware_kind({"type": "go2"})
    even, odd = ([*range(begin, begin + 2000, 2)] for begin in (123456, 123457))
    for ticks in (even, odd):
        assert counted(kind.codec(Robot.load(go2())), ticks) == [*range(1000)]
    # Read a moment too early or late, and where 32 bits end.
    late = [tick + (0, 1, 0, -1, 0)[at % 5] for at, tick in enumerate(even)]
    assert counted(kind.codec(Robot.load(go2())), late) == [*range(1000)]
    top = 2**32
    assert counted(kind.codec(Robot.load(go2())), [top - 4, top - 2, 0, 2, 6]) == [0, 1, 2, 3, 5]
    # One that began anew is told by whoever sees a count that goes back.
    assert counted(kind.codec(Robot.load(go2())), [90000, 90002, 10])[2] == -44995


def test_a_go2_whose_tick_stands_still_or_counts_states_is_read_where_it_is_said() -> None:
    codec = hardware_kind({"type": "go2"}).codec(Robot.load(go2()))
    with pytest.raises(WireError, match=r"stands still at 0; backend\.tick=0 counts arrivals"):
        counted(codec, [0, 0])
    still = hardware_kind({"type": "go2", "tick": 0}).codec(Robot.load(go2()))
    assert counted(still, [0, 0]) == [0, 0]
    assert not still.counted
    states = hardware_kind({"type": "go2", "tick": 0.002}).codec(Robot.load(go2()))
    assert counted(states, [7, 8, 9]) == [0, 1, 2]


def test_a_motor_of_a_go2_that_is_below_zero_is_not_hot() -> None:
    message = messages().LowState(tick=5)
    for motor, byte in zip(message.motor_state, (251, 156, 150, 0), strict=False):
        motor.temperature = byte
    state = hardware_kind({"type": "go2"}).codec(Robot.load(go2())).state(message)
    assert state.temperature is not None
    assert state.temperature[:4].tolist() == [-5.0, -100.0, 150.0, 0.0]


def test_a_reader_that_asks_for_sure_delivery_gets_the_commands_of_a_go2_and_no_reader_is_told() -> None:
    qos, sub, topic = (pytest.importorskip(f"cyclonedds.{name}") for name in ("qos", "sub", "topic"))
    kind = hardware_kind({"type": "go2", "domain": 87})
    codec = kind.codec(Robot.load(go2()))
    transport = kind.transport(codec)
    assert isinstance(transport, DdsTransport)
    link = SwitchingLink(codec, transport, "lo", releases=False)
    transport.open()
    link._note("")
    assert "nobody reads" in link.mode
    link._note("ai")
    assert "'ai' is active" in link.mode
    participant, sure = transport._participant, qos.Qos(qos.Policy.Reliability.Reliable(0))
    reader = sub.DataReader(participant, topic.Topic(participant, "rt/lowcmd", messages().LowCmd), qos=sure)
    end = time.monotonic() + 60.0
    while not transport.heard() and time.monotonic() < end:
        time.sleep(0.01)
    link._note("")
    assert not link.mode
    transport.send(messages().LowCmd(crc=5))
    end, found = time.monotonic() + 60.0, list[Any]()
    while not found and time.monotonic() < end:
        found = reader.take(4)
    assert [each.crc for each in found] == [5]
    del reader, participant
    transport.close()


@pytest.mark.parametrize(
    ("kind", "words"), [("udp", "are braked by their speed"), ("lola", "go limp"), ("ros2", "keep their last posture")]
)
def test_it_is_told_what_becomes_of_joints_that_are_to_be_damped(kind: str, words: str) -> None:
    made, _ = looped(kind)
    assert made.damped == f"joints that are damped {words}"
    made.reset(0)
    command = made.robot.command()
    command.kd[:] = made.robot.servo_kd
    made.write(command)
    told = [event.text for event in made.take_events()]
    assert any(words in text for text in told) is (kind != "udp")
