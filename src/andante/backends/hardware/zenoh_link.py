"""Transport over zenoh: keys that one end publishes and the other gets."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Mapping
from typing import Any

from andante.backends.backend import LinkLostError
from andante.backends.hardware.extras import package
from andante.backends.hardware.link import Packet, Transport

_MOST = 64


class ZenohService:
    """One more pair of keys of an open transport, beside its packets: what is asked for now and then.

    Args:
        session: The transport's session.
        given: Key that this end publishes.
        taken: Key that it gets.
    """

    def __init__(self, session: Any, given: str, taken: str) -> None:
        self.arrived: deque[bytes] = deque(maxlen=_MOST)
        """What has arrived and was not taken yet, oldest first."""
        self._subscriber = session.declare_subscriber(taken, lambda sample: self.arrived.append(bytes(sample.payload)))
        self._publisher = session.declare_publisher(given)

    def send(self, data: bytes) -> None:
        """Publish bytes."""
        self._publisher.put(data)


class ZenohTransport(Transport):
    """One end of some keys; packets are pairs of a name and bytes.

    Args:
        endpoint: Where the robot's end, or a router, listens: ``tcp/192.168.1.5:7447``.
        received: Keys that this end gets, by name.
        sent: Keys that it publishes, by name.
        extra: Extra that brings zenoh.
        listens: Whether this end listens; otherwise it connects.
        watched: Whether other senders of what it publishes are counted.
        attached: Gives what goes with each packet, by its count; None: nothing.

    Raises:
        BackendError: zenoh is not installed.
    """

    def __init__(
        self,
        endpoint: str,
        received: Mapping[str, str],
        sent: Mapping[str, str],
        extra: str,
        *,
        listens: bool = False,
        watched: bool = False,
        attached: Any = None,
    ) -> None:
        self._zenoh = package("zenoh", extra, "this protocol")
        self._endpoint, self._received, self._sent = endpoint, dict(received), dict(sent)
        self._listens, self._watched, self._attached = listens, watched, attached
        self._arrived: deque[tuple[str, bytes]] = deque(maxlen=_MOST)
        self._condition = threading.Condition()
        self._session: Any = None
        self._foreign = self._count = 0

    def open(self) -> None:
        """Listen, or connect."""
        zenoh = self._zenoh
        config = zenoh.Config()
        # A router passes on what one of its guests sends to the others, so that they see each other, as in ROS.
        config.insert_json5("mode", '"router"' if self._listens else '"client"')
        config.insert_json5("scouting/multicast/enabled", "false")
        try:
            way = "listen/endpoints" if self._listens else "connect/endpoints"
            config.insert_json5(way, json.dumps([self._endpoint]))
            if not self._listens:
                config.insert_json5("listen/endpoints", "[]")
                config.insert_json5("connect/timeout_ms", "2000")
                config.insert_json5("connect/exit_on_failure", "true")
            self._session = zenoh.open(config)
        except zenoh.ZError as error:
            raise LinkLostError(
                "zenoh does not come up here" if self._listens else "cannot be reached by zenoh",
                place=self._endpoint,
                # Where in its own sources it happened tells nobody anything.
                value=str(error).partition(" at /")[0][:100],
                limit="an endpoint as tcp/192.168.1.5:7447",
                remedy=(
                    "another fake or a router may listen there: take another port, and an address of this computer"
                    if self._listens
                    else "does a robot, a fake or a router listen there?"
                ),
            ) from None
        self._kept = [
            self._session.declare_subscriber(key, lambda sample, name=name: self._take(name, sample))
            for name, key in self._received.items()
        ]
        self._publishers = {
            name: self._session.declare_publisher(key, congestion_control=zenoh.CongestionControl.DROP)
            for name, key in self._sent.items()
        }
        if self._watched:
            for key in self._sent.values():
                remote = zenoh.Locality.REMOTE
                self._kept.append(self._session.declare_subscriber(key, self._see, allowed_origin=remote))

    def receive(self, until: float) -> list[Packet]:
        """What has arrived."""
        with self._condition:
            if self._session is None:
                raise LinkLostError("the link is closed", place=self._endpoint)
            while not self._arrived:
                left = until - time.monotonic()
                if left <= 0.0:
                    break
                self._condition.wait(left)
            found: list[Packet] = list(self._arrived)
            self._arrived.clear()
        return found

    def send(self, packet: Packet) -> None:
        """Publish a packet; None is none."""
        if self._session is None:
            raise LinkLostError("the link is closed", place=self._endpoint)
        for name, data in packet or ():
            self._count += 1
            if self._attached is None:
                self._publishers[name].put(data)
            else:
                self._publishers[name].put(data, attachment=self._attached(self._count))

    def service(self, given: str, taken: str) -> ZenohService:
        """One more pair of keys; it ends with the transport.

        Raises:
            LinkLostError: The transport is closed.
        """
        if self._session is None:
            raise LinkLostError("the link is closed", place=self._endpoint)
        return ZenohService(self._session, given, taken)

    def foreign(self) -> int:
        """Packets of others under the keys that this end publishes."""
        return self._foreign

    def close(self) -> None:
        """Leave."""
        if self._session is not None:
            session, self._session = self._session, None
            self._kept, self._publishers = [], {}
            session.close()

    def _take(self, name: str, sample: Any) -> None:
        with self._condition:
            self._arrived.append((name, bytes(sample.payload)))
            self._condition.notify()

    def _see(self, sample: Any) -> None:
        self._foreign += 1
