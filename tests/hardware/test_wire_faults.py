"""Wires that give packets twice, torn, late or amid garbage, and strangers who knock: told by their true name."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hardware_plants import SITTING, looped
from test_hostile_packets import Given

from andante.backends.backend import BackendError, LinkLostError
from andante.backends.hardware.dynamixel_bus import DynamixelBus
from andante.backends.hardware.link import PacketLink, Port
from andante.backends.hardware.packets import RobotState, WireError
from andante.backends.hardware.sockets import Datagrams, DatagramServer
from andante.robots.robot import Robot
from andante.runs.backends.hardware import alarm_of
from andante.runs.hardware.fakes import hardware_kind

NEEDS_MSGPACK = "needs msgpack (make test installs it)"


def lola_states(count: int) -> tuple[Any, list[bytes]]:
    """Our codec and the states of a NAO that sits."""
    pytest.importorskip("msgpack", reason=NEEDS_MSGPACK)
    made, plant = looped("lola", start=SITTING)
    return made.link.codec, [plant.codec.pack_state(plant.advance()) for _ in range(count)]


def read(codec: Any, stream: bytes, most: Callable[[], int]) -> tuple[list[bytes], int]:
    """Whole states of a stream that arrives in pieces, and how many pieces were none."""
    cut, good, bad, at = codec.split(), list[bytes](), 0, 0
    while at < len(stream):
        size = most()
        for packet in cut(stream[at : at + size]):
            try:
                codec.state(packet)
                good.append(packet)
            except WireError:
                bad += 1
        at += size
    return good, bad


@pytest.mark.parametrize("seed", range(6))
def test_a_stream_of_lola_is_read_whole_however_it_is_cut_into_pieces(seed: int) -> None:
    codec, sent = lola_states(40)
    rng = random.Random(seed)
    assert read(codec, b"".join(sent), lambda: rng.randrange(1, (10, 2000)[seed % 2])) == (sent, 0)


@pytest.mark.parametrize("size", [1, 5, 64, 900, 5000])
def test_garbage_amid_a_stream_of_lola_costs_no_state(size: int) -> None:
    codec, sent = lola_states(60)
    for seed in range(5):
        rng, stream, junk = random.Random(seed), b"", 0
        for each in sent:
            if rng.random() < 0.2:
                stream, junk = stream + rng.randbytes(size), junk + 1
            stream += each
        good, bad = read(codec, stream, partial(rng.randrange, 300, 2000))
        assert good == sent
        assert bad >= junk


def test_a_state_of_lola_that_was_cut_costs_no_more_than_the_next_one() -> None:
    codec, sent = lola_states(60)
    for seed in range(5):
        rng, stream, cut = random.Random(seed), b"", 0
        for each in sent:
            torn = rng.random() < 0.2
            stream, cut = stream + (each[: rng.randrange(1, 890)] if torn else each), cut + torn
        good, bad = read(codec, stream, lambda: 896)
        assert set(good) <= set(sent)
        assert len(good) >= len(sent) - cut - 2
        assert bad <= cut + 2


def test_what_claims_to_be_endless_is_given_up_and_what_follows_is_read() -> None:
    codec, sent = lola_states(20)
    # A string of 4 GB in a map, and an array of as many.
    for claim in (
        b"\x81\xa1a\xdb\xff\xff\xff\xff",
        b"\x8f\xa8Position\xdd\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff\xa1a",
    ):
        good, bad = read(codec, sent[0] + claim + b"".join(sent[1:]), lambda: 896)
        assert good == sent
        assert bad >= 1


def test_a_stream_of_nothing_but_garbage_fills_no_memory() -> None:
    codec, _ = lola_states(1)
    cut, rng = codec.split(), random.Random(1)
    kept = cut.__closure__
    assert kept is not None
    (buffer,) = (each.cell_contents for each in kept if isinstance(each.cell_contents, bytearray))
    for _ in range(200):
        cut(rng.randbytes(3000) + b"\x8f\xbf\xdf\xff\xff\xff\xff")
        assert len(buffer) <= 4096


@pytest.mark.parametrize(("kind", "robot", "backend"), [("lola", "nao", {}), ("booster", "k1", {"period": 0.02})])
def test_a_state_that_comes_twice_is_one_cycle_where_arrivals_are_counted(
    kind: str, robot: str, backend: dict[str, Any]
) -> None:
    pytest.importorskip("msgpack", reason=NEEDS_MSGPACK)
    made, plant = looped(kind, robot, SITTING if robot == "nao" else None, backend=backend)
    link, transport = timed(made)
    packets = [plant.codec.pack_state(plant.advance()) for _ in range(20)]
    packets = [each[0] if isinstance(each[0], tuple) else each for each in packets]
    ticks = []
    for each in packets:
        link.moment += made.link.codec.period
        transport.waiting = [each, each]
        ticks += [state.tick for state in (link.receive(0.0), link.receive(0.0)) if state is not None]
    assert ticks == list(range(1, 21))


class Timed(PacketLink):
    """A link by a clock of its own."""

    moment = 0.0

    def now(self) -> float:
        """As it was set."""
        return self.moment


def timed(made: Any) -> tuple[Timed, Given]:
    """A link to a robot, by a clock of its own, and what gives it packets."""
    transport = Given(made.link.codec)
    return Timed(made.link.codec, transport, "here"), transport


def test_a_simulator_at_rest_that_sends_the_same_state_in_each_cycle_is_counted() -> None:
    pytest.importorskip("msgpack", reason=NEEDS_MSGPACK)
    made, plant = looped("lola", start=SITTING)
    link, transport = timed(made)
    packet, seen = plant.codec.pack_state(plant.advance()), 0
    for _ in range(10):
        link.moment += made.link.codec.period
        transport.waiting = [packet]
        seen += link.receive(0.0) is not None
    assert seen == 10


@pytest.fixture
def bridge() -> Iterator[tuple[Port, Any, Any]]:
    """A robot's end of the bridge that sends states, its codec, and its address."""
    kind = hardware_kind({"type": "udp"})
    codec = kind.codec(Robot.load("littledog"), fake=True)
    server = DatagramServer(("127.0.0.1", 0))
    port, going = Port(codec, server), True
    port.open()

    def live() -> None:
        tick = 0
        while going:
            tick += 1
            port.commands(time.monotonic() + 0.01)
            port.send(codec.pack_state(RobotState(tick, np.zeros(len(codec.slots)))))

    thread = threading.Thread(target=live)
    thread.start()
    yield port, codec, server._opened().getsockname()
    going = False
    thread.join()
    port.close()


@pytest.mark.slow
def test_a_stranger_who_greets_a_robot_takes_it_from_nobody_who_only_looks(bridge: tuple[Port, Any, Any]) -> None:
    _, codec, address = bridge
    link, stranger = PacketLink(codec, Datagrams(address), "here"), Datagrams(address)
    stranger.open()
    with closing(link), closing(stranger):
        link.open(3.0)
        seen, end = 0, time.monotonic() + 2.5
        while time.monotonic() < end:
            stranger.send(codec.hello())
            state = link.receive(time.monotonic() + 0.5)
            assert state is not None
            seen += 1
            assert not state.by
        assert seen > 20


def waits(made: Any, most: int = 80) -> str:
    """Why the link to a robot is lost."""
    with pytest.raises(LinkLostError) as found:
        made.looked_at(most * made.robot.tick)
    return str(found.value)


@pytest.mark.parametrize("back", [90, 3000])
def test_a_robot_whose_clock_is_set_back_is_told_so(back: int) -> None:
    made, plant = looped("ros2", "littledog")
    plant.tick = 5000
    made.reset(0)
    made.looked_at(1.0)
    plant.tick -= back
    assert "its clock was set back, or its program began again" in waits(made)


def test_a_state_that_is_sent_again_and_again_is_told_as_that() -> None:
    made, plant = looped("udp", "littledog")
    made.reset(0)
    made.looked_at(1.0)
    packet = plant.codec.pack_state(plant.state())
    plant.codec.pack_state = lambda state: packet  # type: ignore[method-assign]
    assert "(it stands still): an old state is sent again and again?" in waits(made)


@pytest.mark.slow
def test_two_robots_that_count_alike_are_told_apart_by_their_numbers() -> None:
    pytest.importorskip("msgpack", reason=NEEDS_MSGPACK)
    made, plant = looped("lola", start=SITTING)
    pack, at, other = plant.codec.pack_state, 0, 4

    def packed(state: RobotState) -> bytes:
        nonlocal at
        at += 1
        data = bytes(pack(state))
        return data.replace(b"FAKE0000", b"FAKE0001") if at % other == 0 else data

    plant.codec.pack_state = packed  # type: ignore[method-assign]
    made.reset(0)
    assert made.identity.serial.startswith("FAKE0000")
    assert "two robots answer here, and both would take commands; got 'number FAKE0001" in waits(made)
    assert made.identity.serial.startswith("FAKE0000")
    # One that went astray ends nothing.
    made, plant = looped("lola", start=SITTING)
    pack, at, other = plant.codec.pack_state, 0, 60
    plant.codec.pack_state = packed  # type: ignore[method-assign]
    made.reset(0)
    made.looked_at(1.5)


def test_a_fake_bus_takes_no_terminal_from_one_that_lives(tmp_path: Path) -> None:
    path = str(tmp_path / "bus")
    first = DynamixelBus(path, (1, 2))
    first.open()
    with pytest.raises(BackendError, match="is taken: another fake listens there"):
        DynamixelBus(path, (1, 2)).open()
    assert Path(path).exists()
    # One that was killed leaves a link to a terminal that is gone.
    os.close(first._file)
    os.close(first._slave)
    again = DynamixelBus(path, (1, 2))
    again.open()
    again.close()
    assert not Path(path).is_symlink()


def test_a_second_program_is_told_that_a_robot_may_be_in_use(bridge: tuple[Port, Any, Any]) -> None:
    _, codec, address = bridge
    first, second = (PacketLink(codec, Datagrams(address), "here") for _ in range(2))
    with closing(first), closing(second):
        first.open(3.0)
        keep = threading.Thread(target=lambda: [first.receive(time.monotonic() + 0.1) for _ in range(12)])
        keep.start()
        with pytest.raises(LinkLostError, match="does somebody else use it already"):
            second.open(0.5)
        keep.join()
        assert first.receive(time.monotonic() + 0.2) is not None


@pytest.mark.parametrize(("slept", "words"), [(3.0, "this computer slept for 3.00 s of them"), (0.0, "stood still")])
def test_a_computer_that_has_slept_is_told_as_that(monkeypatch: pytest.MonkeyPatch, slept: float, words: str) -> None:
    made, _ = looped("udp", "littledog")
    made.reset(0)
    command = made.robot.command()
    command.kp[:] = made.robot.servo_kp
    command.position[:] = made.read().position
    made.write(command)
    assert alarm_of(made, 0.5) == ""
    began = made.link.now()
    monkeypatch.setattr(made.link, "passed", lambda: began + 3.2)
    monkeypatch.setattr(made.link, "now", lambda: began + 3.2 - slept)
    told = alarm_of(made, 0.5)
    assert "nothing was commanded for 3.20 s" in told
    assert words in told
