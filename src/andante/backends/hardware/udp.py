"""The UDP bridge: JSON datagrams, for a robot that has no protocol of its own; its side is a page of any language.

A command is ``{"seq", "by", "position", "velocity", "kp", "kd", "torque"}``, one number per joint in the robot's order.
A state is ``{"seq", "position", "velocity", ...}``, with ``seq`` the count of the robot's cycles and whatever else of
`_MEASURED` the robot has. A greeting is ``{"hello": 1, "robot": "nao"}``, the bridge's version and who is looked for.
It is answered by states, of which one carries ``"hello"``: ``{"version": 1, "robot", "firmware", "joints", "period",
"fake"}``, who the robot is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from andante.backends.hardware.link import Codec, Packet
from andante.backends.hardware.packets import Identity, RobotState, WireCommand, WireError, floats, said

_PER_JOINT = ("velocity", "effort", "temperature")
_WHOLE = {"orientation": 4, "gyro": 3, "accelerometer": 3}
_OPEN = ("contact", "force", "buttons")
_FIELDS = ("position", "velocity", "kp", "kd", "torque")
VERSION = 1
"""Version of the bridge."""
_LARGEST_COUNT = 2**62
_ROOMS, _NEAR = (2**16, 2**31, 2**32), 100
"""Where counts of 16, 31 and 32 bits begin again, and how near to it a count is when it does."""


class UdpCodec(Codec):
    """JSON of the bridge.

    Args:
        slots: The robot's joints in the order of its arrays.
        period: Time between two states of the robot [s].
        robot: Kind of robot, which a fake tells.
        measured: Fields of `Sensors` that the robot measures.
        fake: Whether the packed states say that they are a fake's.
    """

    name = "udp"

    def __init__(
        self,
        slots: Sequence[str],
        period: float,
        robot: str = "",
        measured: frozenset[str] = frozenset({"position", "velocity", "orientation", "gyro", "accelerometer"}),
        *,
        fake: bool = False,
    ) -> None:
        self.slots, self.period, self._robot, self._fake = tuple(slots), period, robot, fake
        self.honoured = frozenset(_FIELDS)
        self.measured = measured
        self._asked = True
        self._begin = self._last = 0
        self._other = ""

    def hello(self) -> Packet:
        """Asks for states."""
        return json.dumps({"hello": VERSION, "robot": self._robot}).encode()

    def tells_who(self, packet: Packet) -> bool:
        """Whether a state has a hello."""
        return b'"hello"' in packet

    def state(self, packet: Packet) -> RobotState:
        """What a datagram of the robot says."""
        # Null is what a bridge says of what it does not know.
        data = {name: value for name, value in _object(packet).items() if value is not None or name == "hello"}
        count = len(self.slots)
        identity = _identity(data["hello"]) if "hello" in data else None
        if identity is not None:
            self._other = "" if len(identity.joints) == count else f"{identity.robot}, {len(identity.joints)} joints"
        if self._other:
            raise WireError("this is another robot", place="udp packet", value=self._other, limit=f"{count} joints")
        values: dict[str, Any] = {
            name: floats(data[name], count, name, self.slots) for name in _PER_JOINT if name in data
        }
        values |= {name: floats(data[name], size, name) for name, size in _WHOLE.items() if name in data}
        for name in _OPEN:
            if name in data:
                given = data[name]
                if not isinstance(given, list):
                    raise WireError("is no list", place=f"udp packet: {name}", value=given)
                values[name] = floats(given, len(given), name)
        battery = float(floats([data["battery"]], 1, "battery")[0]) if "battery" in data else None
        return RobotState(
            self._counted(_count(data, "seq")),
            floats(data.get("position"), count, "position", self.slots),
            battery=battery,
            mode=said(data.get("mode", "")),
            by=said(data.get("by", "")),
            identity=identity,
            **values,
        )

    def _counted(self, seq: int) -> int:
        """A count that goes on where the bridge's own has no more room and begins at 0 again."""
        for room in _ROOMS:
            if seq < _NEAR and room - _NEAR <= self._last < room:
                self._begin += room
            elif self._begin and self._last < _NEAR and room - _NEAR <= seq < room:
                # An old packet that was overtaken.
                return self._begin - room + seq
        self._last = seq
        return self._begin + seq

    def pack_command(self, command: WireCommand) -> Packet:
        """A command as datagram."""
        fields = {name: getattr(command, name).tolist() for name in _FIELDS}
        return json.dumps({"seq": command.tick, "by": command.by, **fields}).encode()

    def pack_state(self, state: RobotState) -> Packet:
        """A state as datagram."""
        data: dict[str, Any] = {"seq": state.tick}
        for name in ("position", *_PER_JOINT, *_WHOLE, *_OPEN):
            values = getattr(state, name)
            if values is not None and (name == "temperature" or name in self.measured):
                data[name] = np.round(values, 9).tolist()
        if state.battery is not None:
            data["battery"] = state.battery
        if state.mode:
            data["mode"] = state.mode
        if state.by:
            data["by"] = state.by
        if self._asked:
            self._asked = False
            told = state.identity or Identity()
            data["hello"] = {
                "version": VERSION,
                "robot": told.robot or self._robot,
                "firmware": told.firmware,
                "joints": list(self.slots),
                "period": self.period,
                "fake": self._fake,
            }
        return json.dumps(data).encode()

    def command(self, packet: Packet) -> WireCommand:
        """What a datagram to the robot says."""
        data = _object(packet)
        count = len(self.slots)
        if "hello" in data:
            _greeted(data)
            self._asked = True
            off = WireCommand.off(count)
            off.hello = True
            return off
        position, velocity, kp, kd, torque = (floats(data.get(name), count, name) for name in _FIELDS)
        return WireCommand(position, velocity, kp, kd, torque, _count(data, "seq"), str(data.get("by", "")))


def _object(packet: Packet) -> dict[str, Any]:
    try:
        data = json.loads(packet)
    except (ValueError, UnicodeDecodeError, RecursionError):
        raise WireError("is no JSON", place="udp packet", value=bytes(packet[:40])) from None
    if not isinstance(data, dict):
        raise WireError("is no JSON object", place="udp packet", value=type(data).__name__)
    return data


def _count(data: dict[str, Any], name: str) -> int:
    value = data.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < _LARGEST_COUNT:
        raise WireError("is no count", place=f"udp packet: {name}", value=str(value)[:40])
    return int(value)


def _of_this_version(value: object) -> None:
    if value != VERSION or isinstance(value, bool):
        raise WireError(
            "is of another version of the bridge, or of none",
            place="udp packet: hello",
            value=str(value)[:40],
            limit=str(VERSION),
        )


def _greeted(data: dict[str, Any]) -> None:
    """Refuse a greeting that is not whole, which somebody else's packet may be.

    Raises:
        WireError: It is not.
    """
    _of_this_version(data["hello"])
    if not isinstance(data.get("robot"), str) or not data["robot"]:
        raise WireError("greets no robot", place="udp packet: robot", value=str(data.get("robot"))[:40])


def _identity(told: object) -> Identity:
    """Who a robot says it is; all of it, as half a greeting may be anybody's.

    Raises:
        WireError: Something is missing, or is none of its kind.
    """
    if not isinstance(told, dict):
        raise WireError("says not who the robot is", place="udp packet: hello", value=str(told)[:40])
    _of_this_version(told.get("version"))
    joints, period = told.get("joints"), told.get("period")
    if not isinstance(joints, list) or not joints:
        raise WireError("names no joints", place="udp packet: hello.joints", value=str(joints)[:40])
    if isinstance(period, bool) or not isinstance(period, (int, float)) or not 0.0 < period < 10.0:
        raise WireError("names no period", place="udp packet: hello.period", value=str(period)[:40], limit="0 to 10 s")
    if not isinstance(told.get("robot"), str) or not told["robot"]:
        raise WireError("names no robot", place="udp packet: hello.robot", value=str(told.get("robot"))[:40])
    robot, firmware, serial = (said(told.get(name, "")) for name in ("robot", "firmware", "serial"))
    return Identity(robot, firmware, serial, tuple(map(str, joints)), float(period), bool(told.get("fake", False)))
