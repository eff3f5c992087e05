"""Unitree's own motion program: asked for, and released, over the service `motion_switcher` of the robot.

Facts: Unitree's published SDK: requests 1001 (CheckMode) and 1003 (ReleaseMode), messages `unitree_api`, topics
``rt/api/motion_switcher/request`` and ``/response``. Tried only against a fake.
"""

from __future__ import annotations

import json
import time
from functools import cache
from typing import Any

from andante.backends.backend import LinkLostError
from andante.backends.hardware.dds import DdsTransport
from andante.backends.hardware.idl_structs import struct_maker
from andante.backends.hardware.link import PacketLink, Port
from andante.backends.hardware.packets import Identity, RobotState, WireCommand
from andante.documents.json_data import parse_json_data
from andante.documents.problems import DocumentError

REQUESTS, RESPONSES = "rt/api/motion_switcher/request", "rt/api/motion_switcher/response"
"""Topics of the service."""
CHECK, RELEASE = 1001, 1003
"""Requests: which motion program is active, and its release."""
_MODULE = "unitree_api.msg.dds_"
_ANSWER = 1.0
"""Time for which an answer is waited for [s]."""
_RELEASED = 8.0
"""Time in which a motion program must have let go [s]."""


@cache
def messages() -> Any:
    """The classes ``Request`` and ``Response``.

    Raises:
        BackendError: cyclonedds is not installed.
    """
    made, message, t = struct_maker(_MODULE, "go2", "the Go2's protocol")

    message("RequestIdentity", id=(t.int64, 0), api_id=(t.int64, 0))
    message("RequestLease", id=(t.int64, 0))
    message("RequestPolicy", priority=(t.int32, 0), noreply=(bool, False))
    message(
        "RequestHeader",
        identity=(made.RequestIdentity, made.RequestIdentity),
        lease=(made.RequestLease, made.RequestLease),
        policy=(made.RequestPolicy, made.RequestPolicy),
    )
    message(
        "Request",
        header=(made.RequestHeader, made.RequestHeader),
        parameter=(str, ""),
        binary=(t.sequence[t.uint8], list),
    )
    message("ResponseStatus", code=(t.int32, 0))
    message(
        "ResponseHeader",
        identity=(made.RequestIdentity, made.RequestIdentity),
        status=(made.ResponseStatus, made.ResponseStatus),
    )
    message(
        "Response",
        header=(made.ResponseHeader, made.ResponseHeader),
        data=(str, ""),
        binary=(t.sequence[t.uint8], list),
    )
    return made


class SwitchingLink(PacketLink):
    """A link that asks for the robot's own motion program first; while one is active, the robot counts as refusing.

    Args:
        codec: Knows the bytes.
        transport: Moves them.
        place: Where the robot is, for messages.
        releases: Whether the motion program is asked to let go.
        by: Name under which commands are sent.
    """

    def __init__(self, codec: Any, transport: DdsTransport, place: str, *, releases: bool, by: str = "andante") -> None:
        super().__init__(codec, transport, place, by)
        self._dds, self._releases = transport, releases
        self._count = 0
        self.mode = ""
        """Why the robot takes no commands; empty: it does, or nobody answered."""

    def open(self, timeout: float) -> tuple[Identity, RobotState]:
        """Wait for the first state, then ask who moves the robot, and release it where that is wanted."""
        identity, state = super().open(timeout)
        requests, responses = self._dds.service(REQUESTS, messages().Request, RESPONSES, messages().Response)
        program = self._program(requests, responses)
        end = time.monotonic() + _RELEASED
        while program and self._releases and time.monotonic() < end:
            self._ask(requests, responses, RELEASE)
            time.sleep(0.2)
            program = self._program(requests, responses)
        self.mode = f"its own motion program {program!r} is active" if program else ""
        state.mode = self.mode
        return identity, state

    def receive(self, until: float) -> RobotState | None:
        """The newest state."""
        state = super().receive(until)
        if state is not None:
            state.mode = self.mode
        return state

    def _program(self, requests: Any, responses: Any) -> str:
        """Name of the motion program that is active; empty: none, or nobody answers."""
        data = self._ask(requests, responses, CHECK)
        try:
            told = parse_json_data(data, self.place, items=100) if data else {}
        except DocumentError as error:
            why = f"the motion switcher's answer {error.what}"
            raise LinkLostError(why, place=self.place, value=data[:200]) from None
        return str(told.get("name", "")) if isinstance(told, dict) else ""

    def _ask(self, requests: Any, responses: Any, what: int) -> str:
        """What is answered to a request; empty: nothing."""
        types = messages()
        self._count += 1
        number, end = time.monotonic_ns() + self._count, time.monotonic() + _ANSWER
        identity = types.RequestIdentity(number, what)
        again = 0.0
        while time.monotonic() < end:
            if time.monotonic() >= again:
                # A request that is written before both ends know each other is lost.
                again = time.monotonic() + 0.2
                requests.write(types.Request(types.RequestHeader(identity)))
            for answer in responses.take(16):
                header = getattr(answer, "header", None)
                if header is not None and header.identity.id == number:
                    return str(answer.data)
            time.sleep(0.005)
        return ""


class SwitchingPort(Port):
    """A fake Go2's end: its own motion program is active until it is released."""

    def __init__(self, codec: Any, transport: DdsTransport, program: str = "") -> None:
        super().__init__(codec, transport)
        self._dds, self.program = transport, program
        self._requests: Any = None

    def open(self) -> None:
        """Begin to listen, to the service too."""
        super().open()
        types = messages()
        self._responses, self._requests = self._dds.service(RESPONSES, types.Response, REQUESTS, types.Request)

    def commands(self, until: float) -> list[WireCommand]:
        """What has arrived; nothing counts while its own program is active."""
        found = super().commands(until)
        types = messages()
        for request in self._requests.take(16):
            header = getattr(request, "header", None)
            if header is None:
                continue
            if header.identity.api_id == RELEASE:
                self.program = ""
            data = json.dumps({"form": "0", "name": self.program}) if header.identity.api_id == CHECK else ""
            self._responses.write(types.Response(types.ResponseHeader(header.identity), data))
        return [] if self.program else found

    def close(self) -> None:
        """Stop to listen."""
        self._responses = self._requests = None
        super().close()
