"""Pages without a browser: what talks to the studio's sockets as its pages do."""

from __future__ import annotations

import json

from served import Served

from andante.studio.view import LANES


def connect(studio: Served, path: str = "socket", *, origin: str = "", token: str | None = None, host: str = ""):
    """An open socket, as from the studio's own page unless told otherwise."""
    # Without it no studio is served: `served` skips the test.
    from websockets.sync.client import connect as open_socket

    origin = origin or f"http://127.0.0.1:{studio.port}"
    address = f"ws://127.0.0.1:{studio.port}/{path}?token={studio.token if token is None else token}"
    headers = {"Host": host} if host else None
    made = open_socket(address, origin=origin, additional_headers=headers, max_size=None, open_timeout=60)
    return made.__enter__()


class StudioClient:
    """The studio's page without a browser."""

    def __init__(self, studio: Served, timeout: float = 20.0) -> None:
        self.timeout = timeout
        """Longest time between two messages of the server [s]."""
        self.socket = connect(studio)
        self.number = self.wait("hello")["page"]

    def send(self, **message: object) -> None:
        self.socket.send(json.dumps(message))

    def receive(self) -> dict:
        """The next message that is text."""
        while True:
            message = self.socket.recv(timeout=self.timeout)
            if isinstance(message, str):
                return json.loads(message)

    def wait(self, *kinds: str) -> dict:
        """The next message of some kinds."""
        while True:
            data = self.receive()
            if data["type"] in kinds:
                return data

    def checks(self, revision: int | None = None) -> dict:
        """How the checks of the text, of some revision where one is given, have ended."""
        while True:
            data = self.wait("checks")
            if data["state"] in ("checked", "failed") and revision in (None, data["revision"]):
                return data

    def ask(self, **message: object) -> dict:
        """The answer to a message."""
        self.send(**message, request=9)
        while True:
            data = self.receive()
            if data.get("request") == 9 and data.get("page", self.number) == self.number:
                return data

    def close(self) -> None:
        self.socket.close()


class TerrainClient:
    """The terrain page without a browser."""

    def __init__(self, studio: Served) -> None:
        self.socket = connect(studio, "terrain")
        self.poses: list[bytes] = []
        self.lanes: list[bytes] = []
        self.number = 0

    def wait(self, *kinds: str, request: int | None = None, timeout: float = 120.0) -> dict:
        """The next message of some kinds, or the answer to a request."""
        while True:
            message = self.socket.recv(timeout=timeout)
            if isinstance(message, bytes):
                (self.lanes if message[0] == LANES else self.poses).append(message)
                continue
            data = json.loads(message)
            if data["request"] == request if request is not None else data["type"] in kinds:
                return data

    def ask(self, **message: object) -> dict:
        """The answer to a message."""
        self.number += 1
        self.socket.send(json.dumps({**message, "request": self.number}))
        return self.wait(request=self.number)

    def wish(self, **wish: object) -> None:
        self.socket.send(json.dumps({"do": "wish", **wish, "request": 0}))

    def close(self) -> None:
        self.socket.close()
