"""Transports over datagrams and over a unix stream socket, both ends of each."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from andante.backends.backend import BackendError, LinkLostError
from andante.backends.hardware.link import Packet, Transport

_LARGEST = 65536
_MOST = 1024
"""Packets that are taken at once at most; the rest is taken at the next call."""
_DIGITS = 5
"""A port has no more digits."""
_DEAF = "cannot be listened at"
_NO_WAY = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN, errno.ENOBUFS})
"""What a system says of a network that is down, on its way from one radio cell to another, full, or behind a firewall
that refuses with a word: the packet is lost, and the next one may pass."""
_SILENT = 1.0
"""Whoever sends nothing for so long may be followed by another one [s]."""


def host_and_port(address: str) -> tuple[str, int]:
    """Host and port of ``host:port``; a host of IPv6 may stand in brackets.

    Raises:
        BackendError: It is none.
    """
    host, _, port = address.rpartition(":")
    plain = port.isascii() and port.isdigit() and len(port) <= _DIGITS
    if not host or not plain or not 0 < int(port) < 65536:
        raise BackendError("is no address", place="address", value=address, limit="HOST:PORT, as 192.168.1.5:9870")
    bracketed = host.startswith("[") and host.endswith("]")
    return host[1:-1] if bracketed else host, int(port)


def named(address: tuple[str, int]) -> str:
    """Host and port in one; a host of IPv6 in brackets, without which its end runs into the port."""
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _resolved(address: tuple[str, int]) -> tuple[int, Any]:
    """Family of sockets and address in its form; of a host that has addresses of both kinds that of IPv4.

    Both ends take the same, so that they meet by a name such as ``localhost``, which is 127.0.0.1 and ::1.

    Raises:
        OSError, ValueError: There is no such host.
    """
    found = socket.getaddrinfo(*address, type=socket.SOCK_DGRAM)
    family, *_, resolved = min(found, key=lambda each: each[0] != socket.AF_INET)
    return family, resolved


def readable(file: Any, until: float) -> bool:
    """Whether a file has something to read; waits until a moment of the monotonic clock for it."""
    wait = max(until - time.monotonic(), 0.0)
    return bool(select.select([file], [], [], wait)[0])


@contextlib.contextmanager
def _refused(
    kind: type[BackendError], what: str, place: str, remedy: str = "", opened: socket.socket | None = None
) -> Iterator[None]:
    """Tell in our words what the system refuses; a name that is too long, or holds a NUL, is a ValueError."""
    try:
        yield
    except (OSError, ValueError) as error:
        if opened is not None:
            opened.close()
        why = getattr(error, "strerror", None) or error
        raise kind(f"{what}: {why}", place=place, remedy=remedy) from None


def make_way(path: str, left_over: Callable[[Path], bool]) -> None:
    """Remove what an earlier fake has left at a path.

    Args:
        path: Where the fake shall be found.
        left_over: Tells whether what is there is such.

    Raises:
        BackendError: Something else is there, as a file of the user's or a fake that still runs.
    """
    place = Path(path)
    with _refused(BackendError, _DEAF, path):
        if os.path.lexists(place):
            if not left_over(place):
                raise BackendError(
                    "is taken: another fake listens there, or a file has this name",
                    place=path,
                    remedy="take another, or remove it where no fake runs",
                )
            place.unlink()


def _is_heard(path: str) -> bool:
    """Whether somebody listens at a unix socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as tried:
        try:
            tried.connect(path)
        except OSError:
            return False
    return True


class _Socket(Transport):
    """What both kinds of sockets are: at most one is open, at a place that messages name."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._socket: socket.socket | None = None

    def close(self) -> None:
        """Close the socket."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _opened(self) -> socket.socket:
        if self._socket is None:
            raise LinkLostError("the link is closed", place=self._place)
        return self._socket


class Datagrams(_Socket):
    """Our end of a datagram socket.

    Args:
        address: Host and port of the robot.
    """

    def __init__(self, address: tuple[str, int]) -> None:
        super().__init__(named(address))
        self._address = address

    def open(self) -> None:
        """Open a socket of our own."""
        remedy = "is the address right, is this computer in the robot's network?"
        with _refused(LinkLostError, "cannot be reached", self._place, remedy):
            family, address = _resolved(self._address)
            opened = socket.socket(family, socket.SOCK_DGRAM)
            opened.setblocking(False)
            opened.connect(address)
        self._socket = opened

    def receive(self, until: float) -> list[Packet]:
        """All datagrams that have arrived."""
        return self._drained(until, lambda opened: opened.recv(_LARGEST))

    def _drained(self, until: float, take: Callable[[socket.socket], bytes]) -> list[Packet]:
        opened = self._opened()
        found: list[Packet] = []
        readable(opened, until)
        while len(found) < _MOST:
            try:
                found.append(take(opened))
            except BlockingIOError:
                break
            except OSError as error:
                if not self._is_lost(error):
                    raise LinkLostError(f"cannot be reached any more: {error.strerror}", place=self._place) from None
                if not found and time.monotonic() < until:
                    time.sleep(min(0.005, max(until - time.monotonic(), 0.0)))
                break
        if found:
            self.trouble = ""
        return found

    def _is_lost(self, error: OSError) -> bool:
        """Whether only a packet is lost by what the system says, and the next one may pass; keeps what it says."""
        self.trouble = str(error.strerror or error)
        # Refused: nobody listens at the other end, which a robot's program may do later.
        return isinstance(error, ConnectionError) or error.errno in _NO_WAY

    def send(self, packet: Packet) -> None:
        """Send a datagram."""
        try:
            self._opened().send(packet)
        except BlockingIOError:
            return
        except OSError as error:
            if not self._is_lost(error):
                raise LinkLostError(f"cannot be reached any more: {error.strerror}", place=self._place) from None


class DatagramServer(Datagrams):
    """A robot's end of a datagram socket: it answers whoever asked first, until that one is silent for a second."""

    def __init__(self, address: tuple[str, int]) -> None:
        super().__init__(address)
        self._client: Any = None
        self._heard = 0.0

    def open(self) -> None:
        """Listen."""
        remedy = "another fake may listen there: take another port, and an address of this computer"
        with _refused(BackendError, _DEAF, self._place, remedy):
            family, address = _resolved(self._address)
        opened = socket.socket(family, socket.SOCK_DGRAM)
        opened.setblocking(False)
        with _refused(BackendError, _DEAF, self._place, remedy, opened):
            opened.bind(address)
        self._socket = opened

    def receive(self, until: float) -> list[Packet]:
        """All datagrams that have arrived, whoever sent them."""

        def take(opened: socket.socket) -> bytes:
            data, sender = opened.recvfrom(_LARGEST)
            now = time.monotonic()
            if self._client is None or now - self._heard > _SILENT:
                self._client = sender
            if sender == self._client:
                self._heard = now
            return data

        return self._drained(until, take)

    def send(self, packet: Packet) -> None:
        """Send to the one who asked first."""
        if self._client is not None:
            with contextlib.suppress(OSError):
                self._opened().sendto(packet, self._client)


class Stream(_Socket):
    """Our end of a unix stream socket.

    Args:
        path: Path of the socket.
        split: Gives a stateful function that cuts what has arrived into packets.
    """

    def __init__(self, path: str, split: Callable[[], Callable[[bytes], list[Packet]]]) -> None:
        super().__init__(path)
        self._path, self._split = path, split
        self._cut = split()

    def open(self) -> None:
        """Connect."""
        self._cut = self._split()
        opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        remedy = "is this the robot's own computer, does its program run, is the path right?"
        with _refused(LinkLostError, "cannot be reached", self._path, remedy, opened):
            opened.connect(self._path)
        opened.setblocking(False)
        self._socket = opened

    def receive(self, until: float) -> list[Packet]:
        """All whole packets that have arrived."""
        found: list[Packet] = []
        while not found:
            opened = self._opened()
            if not readable(opened, until):
                break
            found = self._read(opened)
        return found

    def _read(self, opened: socket.socket) -> list[Packet]:
        data = b""
        while len(data) < _LARGEST:
            try:
                more = opened.recv(_LARGEST)
            except BlockingIOError:
                break
            except OSError as error:
                raise self._gone(error) from None
            if not more:
                if data:
                    break
                raise self._gone()
            data += more
        return self._cut(data)

    def send(self, packet: Packet) -> None:
        """Send a whole packet; nothing where the other end does not read."""
        opened = self._opened()
        try:
            sent = opened.send(packet)
            while sent < len(packet):
                select.select([], [opened], [], 0.01)
                sent += opened.send(packet[sent:])
        except BlockingIOError:
            return
        except OSError as error:
            raise self._gone(error) from None

    def _gone(self, error: OSError | None = None) -> LinkLostError:
        reason = "" if error is None else f": {error.strerror}"
        return LinkLostError(f"the robot has hung up{reason}", place=self._path, remedy="its program has ended")


class StreamServer(Stream):
    """A robot's end of a unix stream socket; it takes one client at a time and goes on when that one leaves."""

    def open(self) -> None:
        """Listen."""
        make_way(self._path, lambda place: place.is_socket() and not _is_heard(self._path))
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with _refused(BackendError, _DEAF, self._path):
            self._listener.bind(self._path)
        self._listener.listen(1)
        self._listener.setblocking(False)

    def receive(self, until: float) -> list[Packet]:
        """What the client has sent; nothing while there is none."""
        if self._socket is None:
            if not readable(self._listener, until):
                return []
            self._socket, _ = self._listener.accept()
            self._socket.setblocking(False)
            self._cut = self._split()
        try:
            return self._read(self._socket) if readable(self._socket, until) else []
        except LinkLostError:
            super().close()
            return []

    def send(self, packet: Packet) -> None:
        """Send a state to the client."""
        if self._socket is None:
            return
        try:
            super().send(packet)
        except LinkLostError:
            super().close()

    def close(self) -> None:
        """Stop to listen."""
        super().close()
        self._listener.close()
        with contextlib.suppress(OSError):
            os.unlink(self._path)
