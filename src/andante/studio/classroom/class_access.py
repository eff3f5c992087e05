"""Who may talk to whose studio in a class: each link opens one folder, and nothing of one opens another's."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from andante.studio.access import Access
from andante.studio.classroom.errors import ClassError

EVERYWHERE = ("0.0.0.0", "::")
"""Addresses that stand for all of a computer's own."""


class ClassAccess(Access):
    """The access of one member.

    Args:
        host: The address that the class listens on.
        port: Its port.
        token: The member's token.
        slug: The member's part of the address.
        address: The address that students open, where it is another, as behind a server for TLS; empty: none.
    """

    schemes = ("http", "https")

    def __init__(self, host: str, port: int, token: str, slug: str, address: str = "") -> None:
        super().__init__(host, port, token)
        self.path = f"/{slug}/"
        self._anywhere = host in EVERYWHERE
        self._given = urlsplit(address).netloc.lower()
        if self._anywhere:
            own = socket.gethostname().lower()
            self.hosts = (*self.hosts, own, f"{own}.local", socket.getfqdn().lower())

    def host_known(self, header: str | None) -> bool:
        """Whether a Host header is one of ours.

        A class that listens everywhere is also known by any address of numbers: a page that bends a name to another
        address, which this look is against, has a name.
        """
        if header is None:
            return False
        name = header.lower()
        if (self._given and name == self._given) or super().host_known(name):
            return True
        try:
            parts = urlsplit(f"//{name}")
            host, port = parts.hostname or "", parts.port or 80
            ipaddress.ip_address(host)
        except ValueError:
            return False
        return self._anywhere and port == self.port and parts.username is None and not parts.path

    def _tokens(self, query: Mapping[str, str], cookies: str | None) -> Iterable[str]:
        # One in the address counts alone.
        return [query["token"]] if "token" in query else super()._tokens(query, cookies)


def own_address(host: str, port: int, address: str = "") -> str:
    """The address that links begin with, without a slash at its end.

    Args:
        host: What the class listens on.
        port: Its port.
        address: What the lecturer says; empty: nothing.

    Raises:
        ClassError: It is no address of a web page.
    """
    if address:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/") or parts.query:
            raise ClassError("this is no address of a class", value=address, limit="http(s)://NAME[:PORT]")
        return f"{parts.scheme}://{parts.netloc}"
    name = _reached(host) if host in EVERYWHERE else host
    shown = f"[{name}]" if ":" in name else name
    return f"http://{shown}:{port}"


def _reached(host: str) -> str:
    """The address by which others of the network reach this computer; its name where it is in none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    far = ("2001:db8::1", 9) if family == socket.AF_INET6 else ("192.0.2.1", 9)
    with socket.socket(family, socket.SOCK_DGRAM) as asked:
        try:
            # Nothing is sent: the system only says from which address it would be.
            asked.connect(far)
            return str(asked.getsockname()[0])
        except OSError:
            return socket.gethostname()
