"""A network that is down for a moment costs packets and no run; one that stays down is named by the system's word."""

from __future__ import annotations

import errno
import os
import socket
import time
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest

from andante.backends.backend import LinkLostError
from andante.backends.hardware.backend import HardwareBackend, LinkSettings
from andante.backends.hardware.link import PacketLink
from andante.backends.hardware.packets import Identity, RobotState, WireCommand
from andante.backends.hardware.sockets import Datagrams, DatagramServer, host_and_port, named
from andante.robots.robot import Robot
from andante.runs.hardware.fakes import hardware_kind


class Network:
    """Our end's socket; the system says of the network what a test wants."""

    def __init__(self, made: socket.socket) -> None:
        self._made, self.said = made, 0
        self.fileno, self.close = made.fileno, made.close

    def _pass(self) -> None:
        if self.said:
            raise OSError(self.said, os.strerror(self.said))

    def send(self, packet: bytes) -> int:
        self._pass()
        return self._made.send(packet)

    def recv(self, size: int) -> bytes:
        self._pass()
        return self._made.recv(size)


class Watched(Datagrams):
    """Datagrams whose network fails when a test wants it."""

    network: Network
    said = 0

    def open(self) -> None:
        super().open()
        self.network = self._socket = Network(self._socket)  # type: ignore[assignment,arg-type]
        self.network.said = self.said


@pytest.fixture
def robot() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.bind(("127.0.0.1", 0))
        yield made


def link_to(robot: socket.socket, said: int = 0) -> tuple[PacketLink, Watched]:
    codec = hardware_kind({"type": "udp"}).codec(Robot.load("littledog"))
    transport = Watched(robot.getsockname())
    transport.said = said
    return PacketLink(codec, transport, "here"), transport


def answers(robot: socket.socket, link: PacketLink, tick: int) -> None:
    """The robot sends a state to whoever greeted it."""
    sender = robot.recvfrom(65536)[1]
    robot.sendto(link.codec.pack_state(RobotState(tick, np.zeros(len(link.codec.slots)))), sender)


@pytest.mark.parametrize("said", [errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.ENOBUFS])
def test_a_network_that_is_down_for_a_moment_costs_packets_alone(robot: socket.socket, said: int) -> None:
    """As of a computer between two radio cells: the first packet that had no way ended the run."""
    link, transport = link_to(robot)
    with closing(link):
        link.join()
        link.send(WireCommand.off(len(link.codec.slots)))
        answers(robot, link, 1)
        assert link.receive(time.monotonic() + 1.0) is not None
        transport.network.said = said
        for _ in range(3):
            link.send(WireCommand.off(len(link.codec.slots)))
            robot.sendto(b"{}", transport.network._made.getsockname())
            assert link.receive(time.monotonic()) is None
        assert link.trouble == os.strerror(said)
        transport.network.said = 0
        link.send(WireCommand.off(len(link.codec.slots)))
        answers(robot, link, 2)
        state = link.receive(time.monotonic() + 1.0)
        assert state is not None
        assert state.tick == 2
        assert not link.trouble


def test_a_firewall_that_refuses_with_a_word_is_told(robot: socket.socket) -> None:
    """It was a traceback of the socket."""
    link, _ = link_to(robot, errno.EHOSTUNREACH)
    with closing(link), pytest.raises(LinkLostError, match="no state arrives; this computer's system says: No route"):
        link.open(0.1)


def test_a_network_that_stays_down_is_the_reason_of_a_lost_link(
    robot: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    link, transport = link_to(robot)
    kind, dog = hardware_kind({"type": "udp"}), Robot.load("littledog")
    made = HardwareBackend(dog, link, kind.joint_map(dog, link.codec), LinkSettings(lost_after=0.05))
    with closing(made):
        link.join()
        link.send(WireCommand.off(len(link.codec.slots)))
        answers(robot, link, 1)
        first = link.receive(time.monotonic() + 1.0)
        monkeypatch.setattr(link, "open", lambda timeout: (Identity(), first))
        made.reset(0)
        transport.network.said = errno.ENETUNREACH
        with pytest.raises(LinkLostError, match=r"no state has come for .*system says: Network is unreachable"):
            made.looked_at(30 * dog.tick)


def test_what_the_system_forbids_ends_at_once(robot: socket.socket) -> None:
    link, transport = link_to(robot)
    with closing(link):
        link.join()
        transport.network.said = errno.EPERM
        with pytest.raises(LinkLostError, match="cannot be reached any more: Operation not permitted"):
            link.send(WireCommand.off(len(link.codec.slots)))


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("[::1]:9870", ("::1", 9870)),
        ("[fe80::1%eth0]:9870", ("fe80::1%eth0", 9870)),
        ("::1:9870", ("::1", 9870)),
        ("nao.local:9870", ("nao.local", 9870)),
    ],
)
def test_an_address_of_ipv6_may_stand_in_brackets(address: str, found: tuple[str, int]) -> None:
    assert host_and_port(address) == found


def has_ipv6() -> bool:
    """Whether this computer has the address ::1."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as tried:
            tried.bind(("::1", 0))
    except OSError:
        return False
    return True


def test_a_fake_listens_at_an_address_of_ipv6_and_both_ends_take_the_same_of_a_name() -> None:
    """It told of an address family, and a name of both kinds led the two ends to different addresses."""
    for host in ("::1", "localhost") if has_ipv6() else ("localhost",):
        server = DatagramServer((host, 0))
        server.open()
        port = server._opened().getsockname()[1]
        ours = Datagrams((host, port))
        with closing(server), closing(ours):
            ours.open()
            ours.send(b"hello")
            assert server.receive(time.monotonic() + 1.0) == [b"hello"]
            server.send(b"here")
            assert ours.receive(time.monotonic() + 1.0) == [b"here"]


def test_an_address_of_ipv6_is_told_in_brackets() -> None:
    assert named(("::1", 9870)) == "[::1]:9870"
    assert named(("nao.local", 9870)) == "nao.local:9870"


def test_a_computer_at_which_nobody_listens_is_told() -> None:
    """A wrong address and a program that does not run were one message."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        address = taken.getsockname()
    codec = hardware_kind({"type": "udp"}).codec(Robot.load("littledog"))
    link = PacketLink(codec, Datagrams(address), "here")
    with closing(link), pytest.raises(LinkLostError, match="no state arrives; this computer's system says: Connection"):
        link.open(0.5)
