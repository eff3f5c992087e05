"""Transport over DDS by cyclonedds: one topic for states, one for commands."""

from __future__ import annotations

import contextlib
import time
from typing import Any

from andante.backends.backend import BackendError, LinkLostError
from andante.backends.hardware.extras import package
from andante.backends.hardware.link import Packet, Transport

_ALONE = """<CycloneDDS><Domain id="any">
<General><Interfaces><NetworkInterface name="{name}"/></Interfaces><AllowMulticast>false</AllowMulticast></General>
<Discovery><ParticipantIndex>auto</ParticipantIndex><Peers><Peer address="127.0.0.1"/></Peers></Discovery>
</Domain></CycloneDDS>"""
"""On this computer alone, without rights and without multicast."""
_NETWORK = """<CycloneDDS><Domain id="any">
<General><Interfaces><NetworkInterface name="{name}"/></Interfaces></General>
</Domain></CycloneDDS>"""
_MOST = 64
_LONGEST_WAIT = 1_000_000_000
"""Longest wait at once [ns]."""


class DdsTransport(Transport):
    """One end of a pair of topics.

    Args:
        interface: Network interface, or ``lo`` for this computer alone.
        domain: DDS domain.
        received: Topic and type of what this end gets.
        sent: Topic and type of what it gives.
        watched: Whether other senders of what it gives are counted.

    Raises:
        BackendError: cyclonedds is not installed.
    """

    def __init__(
        self,
        interface: str,
        domain: int,
        received: tuple[str, Any],
        sent: tuple[str, Any],
        *,
        watched: bool = False,
    ) -> None:
        package("cyclonedds", "go2", "DDS")
        self._interface, self._domain_id = interface, domain
        self._received, self._sent, self._watched = received, sent, watched
        self._domain: Any = None
        self._reader: Any = None
        self._waiting: Any = None
        self._news: Any = None
        self._others: Any = None
        self._foreign = 0

    def open(self) -> None:
        """Join the domain."""
        core = package("cyclonedds.core", "go2", "DDS")
        domain = package("cyclonedds.domain", "go2", "DDS")
        pub, sub = package("cyclonedds.pub", "go2", "DDS"), package("cyclonedds.sub", "go2", "DDS")
        topic = package("cyclonedds.topic", "go2", "DDS").Topic
        policy = core.Policy
        config = (_ALONE if self._interface == "lo" else _NETWORK).format(name=self._interface)
        try:
            # A process has each domain once; who comes second shares it.
            with contextlib.suppress(core.DDSException):
                self._domain = domain.Domain(self._domain_id, config)
            self._participant = domain.DomainParticipant(self._domain_id)
        except core.DDSException as error:
            raise LinkLostError(
                "DDS does not come up here",
                place=f"interface {self._interface}, domain {self._domain_id}",
                value=str(error)[:120],
                remedy="name the network interface that leads to the robot: `ip -brief link` lists them",
            ) from None
        newest = policy.History.KeepLast(1)
        states = core.Qos(policy.Reliability.BestEffort, newest)
        mine = core.Qos(policy.Reliability.BestEffort, newest, policy.IgnoreLocal.Process)
        self._reader = sub.DataReader(self._participant, topic(self._participant, *self._received), qos=states)
        # Waiting for a sample costs nothing; looking for one again and again would.
        masks = core.SampleState.NotRead | core.ViewState.Any | core.InstanceState.Any
        self._news = core.ReadCondition(self._reader, masks)
        self._waiting = core.WaitSet(self._participant)
        self._waiting.attach(self._news)
        out = topic(self._participant, *self._sent)
        # Readers that ask for nothing less than sure delivery, as those of ROS 2, hear no other writer.
        sure = core.Qos(policy.Reliability.Reliable(0), newest)
        self._writer = pub.DataWriter(self._participant, out, qos=sure)
        self._no_room = core.DDSException
        if self._watched:
            self._others = sub.DataReader(self._participant, out, qos=mine)

    def receive(self, until: float) -> list[Packet]:
        """The newest sample; those before it are gone."""
        if self._reader is None:
            raise LinkLostError("the link is closed", place=self._interface)
        while True:
            found = [sample for sample in self._reader.take(_MOST) if _is_valid(sample)]
            left = until - time.monotonic()
            if found or left <= 0.0:
                return found
            self._waiting.wait(min(int(1e9 * left), _LONGEST_WAIT) + 1)

    def send(self, packet: Packet) -> None:
        """Write a sample."""
        if self._reader is None:
            raise LinkLostError("the link is closed", place=self._interface)
        with contextlib.suppress(self._no_room):
            self._writer.write(packet)

    def heard(self) -> bool:
        """Whether anybody reads what this end gives."""
        return bool(self._writer.get_matched_subscriptions())

    def service(self, given: str, given_type: Any, taken: str, taken_type: Any) -> tuple[Any, Any]:
        """Writer and reader of one more pair of topics, where nothing may be lost; they end with the transport."""
        core = package("cyclonedds.core", "go2", "DDS")
        pub, sub = package("cyclonedds.pub", "go2", "DDS"), package("cyclonedds.sub", "go2", "DDS")
        topic = package("cyclonedds.topic", "go2", "DDS").Topic
        sure = core.Qos(core.Policy.Reliability.Reliable(100_000_000), core.Policy.History.KeepLast(16))
        writer = pub.DataWriter(self._participant, topic(self._participant, given, given_type), qos=sure)
        reader = sub.DataReader(self._participant, topic(self._participant, taken, taken_type), qos=sure)
        return writer, reader

    def foreign(self) -> int:
        """Commands of others on the topic."""
        if self._others is not None:
            self._foreign += sum(_is_valid(sample) for sample in self._others.take(_MOST))
        return self._foreign

    def close(self) -> None:
        """Leave the domain."""
        # Entities go with the last reference to them, the participant after its children.
        self._waiting = self._news = None
        self._others = self._writer = self._reader = None
        self._participant = self._domain = None


def _is_valid(sample: Any) -> bool:
    """Whether it is data, not a note that a writer has gone."""
    return type(sample).__name__ != "InvalidSample"


def check_interface(name: str) -> str:
    """A network interface of this computer.

    Raises:
        BackendError: It has none of this name.
    """
    import socket

    names = [each for _, each in socket.if_nameindex()]
    if name not in names:
        raise BackendError("this computer has no such network interface", value=name, legal=names)
    return name
