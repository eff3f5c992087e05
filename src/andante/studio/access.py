"""Who may talk to the studio: the page that it served itself, with its token, from this computer."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable, Mapping
from http.cookies import SimpleCookie
from urllib.parse import urlsplit

from starlette.websockets import WebSocket

TOKEN_BYTES = 24


class Access:
    """The token of a studio and the names under which the studio is reached.

    Args:
        host: The address that it listens on.
        port: Its port.
        token: The token; empty: a new one.
    """

    schemes: tuple[str, ...] = ("http",)
    """By which its pages are loaded."""

    def __init__(self, host: str, port: int, token: str = "") -> None:
        self.token = token or secrets.token_urlsafe(TOKEN_BYTES)
        self.host, self.port = host, port
        self.cookie, self.path = f"andante-studio-{port}", "/"
        self.hosts: tuple[str, ...] = tuple(dict.fromkeys(["127.0.0.1", "localhost", "[::1]", host]))

    @property
    def url(self) -> str:
        """The address to open, token included."""
        name = "127.0.0.1" if self.host in ("0.0.0.0", "::", "localhost") else self.host
        shown = f"[{name}]" if ":" in name else name
        return f"http://{shown}:{self.port}/?token={self.token}"

    def host_known(self, header: str | None) -> bool:
        """Whether a Host header is one of ours: another one means a page that has bent a name to this address."""
        return header in {f"{name}:{self.port}" for name in self.hosts} or (self.port == 80 and header in self.hosts)

    def origin_known(self, header: str | None) -> bool:
        """Whether an Origin header is our own page's."""
        try:
            parts = urlsplit(header or "")
        except ValueError:
            return False
        return parts.scheme in self.schemes and self.host_known(parts.netloc)

    def knows(self, socket: WebSocket) -> bool:
        """Whether it is a page of our own that opens a socket."""
        headers = socket.headers
        return (
            self.host_known(headers.get("host"))
            and self.origin_known(headers.get("origin"))
            and self.token_known(socket.query_params, headers.get("cookie"))
        )

    def token_known(self, query: Mapping[str, str], cookies: str | None) -> bool:
        """Whether a request carries the token, in its address or in the cookie that the page was given."""
        return any(hmac.compare_digest(token.encode(), self.token.encode()) for token in self._tokens(query, cookies))

    def _tokens(self, query: Mapping[str, str], cookies: str | None) -> Iterable[str]:
        if "token" in query:
            yield query["token"]
        if cookies is not None and len(cookies) < 8192:
            jar: SimpleCookie = SimpleCookie()
            try:
                jar.load(cookies)
            except Exception:  # noqa: BLE001 - whatever a foreign cookie is, it is not ours
                return
            if self.cookie in jar:
                yield jar[self.cookie].value
