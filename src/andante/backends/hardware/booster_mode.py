"""The mode of a Booster, and who it is: asked for over its service of movements, before and during a run.

Facts: the vendor's published SDK (`b1_loco_api.hpp`): requests 2017 (GetMode) and 2022 (GetRobotInfo), messages
``booster_msgs::msg::dds_::RpcReqMsg_`` and ``RpcRespMsg_`` of three strings, uuid, header and body, the last two JSON.
Topics: ``rt/LocoApiTopicReq`` and ``rt/LocoApiTopicResp``. No mode is changed from here. Tried only against a fake.
"""

from __future__ import annotations

import json
import struct
import time
from typing import Any

from andante.backends.hardware.booster import BoosterCodec
from andante.backends.hardware.link import PacketLink, Port
from andante.backends.hardware.packets import Identity, RobotState, WireCommand, WireError, said
from andante.backends.hardware.zenoh_link import ZenohService, ZenohTransport
from andante.documents.json_data import parse_json_data
from andante.documents.problems import DocumentError

REQUESTS, RESPONSES = "rt/LocoApiTopicReq", "rt/LocoApiTopicResp"
"""Topics of the service."""
GET_MODE, GET_ROBOT_INFO = 2017, 2022
"""Requests."""
MODES = {-1: "unknown", 0: "damping", 1: "prepare", 2: "walking", 3: "custom", 4: "soccer"}
"""Modes of the robot by their numbers; in ``custom`` it takes commands of joints."""
CUSTOM, DAMPING = 3, 0
KINDS = ("k1", "t1")
"""Kinds of robots, which are looked for in the name of its model."""
_HEADER = b"\x00\x01\x00\x00"
_LENGTH = struct.Struct("<I")
_ANSWER = 1.0
"""Time for which an answer is waited for [s]."""
_AGAIN = 0.2
"""A request that is published before both ends know each other is lost: it is published again after so long [s]."""
_EVERY = 0.5
"""The mode is asked for so often while a run goes on [s]."""
_LONGEST = 65536


def pack_strings(*strings: str) -> bytes:
    """Strings as CDR, little endian."""
    data = bytearray()
    for text in strings:
        data += b"\0" * (-len(data) % 4)
        raw = text.encode() + b"\0"
        data += _LENGTH.pack(len(raw)) + raw
    return _HEADER + bytes(data)


def unpack_strings(data: bytes, count: int) -> list[str]:
    """So many strings of CDR bytes.

    Raises:
        WireError: They are none.
    """
    if data[:4] != _HEADER or len(data) > _LONGEST:
        raise WireError("is no message of strings", place="booster service", value=bytes(data[:8]))
    body, at, found = data[4:], 0, []
    for _ in range(count):
        at += -at % 4
        if at + 4 > len(body):
            raise WireError("ends too early", place="booster service", value=len(data))
        (length,) = _LENGTH.unpack_from(body, at)
        at += 4
        if length < 1 or at + length > len(body):
            raise WireError("a string is longer than its message", place="booster service", value=length)
        found.append(body[at : at + length - 1].decode(errors="replace"))
        at += length
    return found


class BoosterLink(PacketLink):
    """A link that asks for the robot's mode; in any but ``custom`` the robot counts as refusing.

    Where nobody answers no mode is known, and whoever arms the robot must know it.

    Args:
        codec: Knows the bytes.
        transport: Moves them.
        place: Where the robot is, for messages.
        by: Name under which commands are sent.
    """

    def __init__(self, codec: BoosterCodec, transport: ZenohTransport, place: str, by: str = "andante") -> None:
        super().__init__(codec, transport, place, by)
        self._zenoh = transport
        self._service: ZenohService | None = None
        self._count, self._next, self._asked = 0, 0.0, ""
        self.mode = ""
        """Why the robot takes no commands; empty: it does, or nobody answered."""

    def open(self, timeout: float) -> tuple[Identity, RobotState]:
        """Wait for the first state, then ask who it is, and for its mode."""
        identity, state = super().open(timeout)
        self._service = self._zenoh.service(REQUESTS, RESPONSES)
        told = self._ask(GET_ROBOT_INFO)
        model = str(told.get("model", ""))
        kind = next((each for each in KINDS if each in model.lower()), identity.robot)
        if told:
            version, name = said(told.get("version", "")), said(told.get("name", ""))
            identity = Identity(kind, version, name, fake=told.get("fake") is True)
        self._see(self._ask(GET_MODE))
        state.mode = self.mode
        return identity, state

    def receive(self, until: float) -> RobotState | None:
        """The newest state, with the mode that was told last."""
        state = super().receive(until)
        if self._service is not None:
            self._keep_asking(self._service)
        if state is not None:
            state.mode = self.mode
        return state

    def _keep_asking(self, service: ZenohService) -> None:
        """Take what was answered, and ask for the mode now and then; nothing is waited for."""
        while service.arrived:
            self._see(_answer(service.arrived.popleft(), self._asked))
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _EVERY
            self._asked = self._request(service, GET_MODE)

    def _see(self, told: dict[str, Any]) -> None:
        """Note the mode that an answer tells, where it tells one."""
        mode = told.get("mode")
        if isinstance(mode, int):
            name = MODES.get(mode, str(mode))
            self.mode = "" if mode == CUSTOM else f"it is in mode {name!r}; its remote control brings it to 'custom'"

    def _request(self, service: ZenohService, what: int) -> str:
        """Publish a request; gives its number."""
        self._count += 1
        number = f"{time.monotonic_ns():x}-{self._count}"
        service.send(pack_strings(number, json.dumps({"api_id": what}), "{}"))
        return number

    def _ask(self, what: int) -> dict[str, Any]:
        """What is answered to a request; empty: nothing."""
        service = self._service
        end, again, numbers = time.monotonic() + _ANSWER, 0.0, set[str]()
        while service is not None and time.monotonic() < end:
            if time.monotonic() >= again:
                again = time.monotonic() + _AGAIN
                numbers.add(self._request(service, what))
            while service.arrived:
                data = service.arrived.popleft()
                for number in numbers:
                    told = _answer(data, number)
                    if told:
                        return told
            time.sleep(0.005)
        return {}


def _answer(data: bytes, number: str) -> dict[str, Any]:
    """What a response to a request says; empty where it is none, or is one to another request."""
    try:
        uuid, _, body = unpack_strings(data, 3)
        told = parse_json_data(body, "booster service", items=100) if uuid == number and body else {}
    except (WireError, DocumentError):
        return {}
    return told if isinstance(told, dict) else {}


class BoosterPort(Port):
    """A fake Booster's end: it answers who it is and in which mode, and takes commands in mode ``custom`` only."""

    def __init__(self, codec: BoosterCodec, transport: ZenohTransport, program: str = "") -> None:
        super().__init__(codec, transport)
        self._booster, self._zenoh, self.program = codec, transport, program
        self._service: ZenohService | None = None

    def open(self) -> None:
        """Begin to listen, to the service too."""
        super().open()
        self._service = self._zenoh.service(RESPONSES, REQUESTS)

    def commands(self, until: float) -> list[WireCommand]:
        """What has arrived; nothing counts in another mode than ``custom``."""
        found = super().commands(until)
        while self._service is not None and self._service.arrived:
            self._reply(self._service, self._service.arrived.popleft())
        return [] if self.program else found

    def _reply(self, service: ZenohService, data: bytes) -> None:
        try:
            number, header, _ = unpack_strings(data, 3)
            asked = parse_json_data(header, "booster service", items=100)
        except (WireError, DocumentError):
            self.refused += 1
            return
        what = asked.get("api_id") if isinstance(asked, dict) else None
        last = self._booster.last
        told: dict[str, Any] = {}
        if what == GET_MODE:
            modes = {name: mode for mode, name in MODES.items()}
            refuses = last is not None and last.mode
            told = {"mode": DAMPING if refuses else modes.get(self.program, CUSTOM)}
        elif what == GET_ROBOT_INFO and last is not None and last.identity is not None:
            identity = last.identity
            model = identity.robot.upper()
            told = {"name": "fake", "nickname": "", "version": identity.firmware, "model": model, "fake": True}
        service.send(pack_strings(number, json.dumps({"status": 0}), json.dumps(told)))

    def close(self) -> None:
        """Stop to listen."""
        self._service = None
        super().close()
