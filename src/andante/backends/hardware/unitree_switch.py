"""Unitree's own motion program: asked for, and released, over the service `motion_switcher` of the robot.

Facts: Unitree's published SDK: requests 1001 (CheckMode) and 1003 (ReleaseMode), messages `unitree_api`, topics
``rt/api/motion_switcher/request`` and ``/response``. Tried only against a fake.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from functools import cache
from typing import Any

from andante.backends.backend import LinkLostError
from andante.backends.hardware.dds import DdsTransport
from andante.backends.hardware.idl_structs import struct_maker
from andante.backends.hardware.link import PacketLink, Port
from andante.backends.hardware.packets import Identity, RobotState, WireCommand, said
from andante.documents.json_data import parse_json_data
from andante.documents.problems import DocumentError

REQUESTS, RESPONSES = "rt/api/motion_switcher/request", "rt/api/motion_switcher/response"
"""Topics of the service."""
CHECK, RELEASE = 1001, 1003
"""Requests: which motion program is active, and its release."""
_MODULE = "unitree_api.msg.dds_"
_ANSWER = 1.0
"""Time for which an answer is waited for [s]."""
_EVERY = 1.0
"""While a run goes on the motion program is asked for so often [s]."""
_OWN = "normal"
"""Motion program of a fake that takes no commands any more."""
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
    message("RequestHeader", identity=made.RequestIdentity, lease=made.RequestLease, policy=made.RequestPolicy)
    message("Request", header=made.RequestHeader, parameter=(str, ""), binary=(t.sequence[t.uint8], list))
    message("ResponseStatus", code=(t.int32, 0))
    message("ResponseHeader", identity=made.RequestIdentity, status=made.ResponseStatus)
    message("Response", header=made.ResponseHeader, data=(str, ""), binary=(t.sequence[t.uint8], list))
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
        self._ends: tuple[Any, Any] | None = None
        self._next, self._asked = 0.0, 0
        self._active = ""
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
        self._ends = requests, responses
        end = time.monotonic() + _ANSWER
        while not self._dds.heard() and time.monotonic() < end:
            time.sleep(0.02)
        self._note(program)
        state.mode = self.mode
        return identity, state

    def _note(self, program: str) -> None:
        """Note which motion program is active, and whether anybody reads commands."""
        self._active = program
        self.mode = f"its own motion program {program!r} is active" if program else ""
        if not program and not self._dds.heard():
            self.mode = "nobody reads its topic of commands"

    def receive(self, until: float) -> RobotState | None:
        """The newest state, with what was told last of the robot's own program."""
        state = super().receive(until)
        now = time.monotonic()
        if self._ends is not None and now >= self._next:
            self._next = now + _EVERY
            self._keep_asking(*self._ends)
        if state is not None:
            state.mode = self.mode
        return state

    def _keep_asking(self, requests: Any, responses: Any) -> None:
        """Take what was answered, and ask which program is active; nothing is waited for."""
        for answer in responses.take(16):
            header = getattr(answer, "header", None)
            if header is not None and header.identity.id == self._asked:
                with suppress(LinkLostError):
                    self._note(self._named(str(answer.data)))
        self._note(self._active)
        self._asked = self._number()
        requests.write(messages().Request(messages().RequestHeader(messages().RequestIdentity(self._asked, CHECK))))

    def _number(self) -> int:
        """Number of a request, which no other one has."""
        self._count += 1
        return time.monotonic_ns() + self._count

    def _program(self, requests: Any, responses: Any) -> str:
        """Name of the motion program that is active; empty: none, or nobody answers."""
        return self._named(self._ask(requests, responses, CHECK))

    def _named(self, data: str) -> str:
        """The motion program that an answer names.

        Raises:
            LinkLostError: It is no answer of a motion switcher.
        """
        try:
            told = parse_json_data(data, self.place, items=100) if data else {}
        except DocumentError as error:
            why = f"the motion switcher's answer {error.what}"
            raise LinkLostError(why, place=self.place, value=data[:200]) from None
        return said(told.get("name", "")) if isinstance(told, dict) else ""

    def _ask(self, requests: Any, responses: Any, what: int) -> str:
        """What is answered to a request; empty: nothing."""
        types = messages()
        number, end = self._number(), time.monotonic() + _ANSWER
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
        last = getattr(self.codec, "last", None)
        if last is not None and last.mode:
            self.program = self.program or _OWN
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
