"""The UDP bridge: JSON datagrams, for a robot that has no protocol of its own; its side is a page of any language.

A command is ``{"seq", "by", "position", "velocity", "kp", "kd", "torque"}``, one number per joint in the robot's order.
A state is ``{"seq", "position", "velocity", ...}``, with ``seq`` the count of the robot's cycles and whatever else of
`_MEASURED` the robot has. ``{"hello": 1}`` is answered by states that carry ``"hello"`` once: who the robot is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from andante.backends.hardware.link import Codec, Packet
from andante.backends.hardware.packets import Identity, RobotState, WireCommand, WireError, floats

_PER_JOINT = ("velocity", "effort", "temperature")
_WHOLE = {"orientation": 4, "gyro": 3, "accelerometer": 3}
_OPEN = ("contact", "force", "buttons")
_FIELDS = ("position", "velocity", "kp", "kd", "torque")


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

    def hello(self) -> Packet:
        """Asks for states."""
        return b'{"hello": 1}'

    def state(self, packet: Packet) -> RobotState:
        """What a datagram of the robot says."""
        data = _object(packet)
        count = len(self.slots)
        values: dict[str, Any] = {name: floats(data[name], count, name) for name in _PER_JOINT if name in data}
        values |= {name: floats(data[name], size, name) for name, size in _WHOLE.items() if name in data}
        for name in _OPEN:
            if name in data:
                given = data[name]
                if not isinstance(given, list):
                    raise WireError("is no list", place=f"udp packet: {name}", value=given)
                values[name] = floats(given, len(given), name)
        battery = data.get("battery")
        identity = _identity(data["hello"]) if isinstance(data.get("hello"), dict) else None
        return RobotState(
            _count(data, "seq"),
            floats(data.get("position"), count, "position"),
            battery=float(battery) if isinstance(battery, (int, float)) else None,
            mode=str(data.get("mode", "")),
            by=str(data.get("by", "")),
            identity=identity,
            **values,
        )

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
            data["hello"] = {
                "robot": self._robot,
                "firmware": "fake 1" if self._fake else "",
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
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        raise WireError("is no count", place=f"udp packet: {name}", value=value)
    return int(value)


def _identity(told: dict[str, Any]) -> Identity:
    joints, period = told.get("joints", []), told.get("period", 0.0)
    if not isinstance(joints, list) or not isinstance(period, (int, float)):
        raise WireError("names no joints, or no period", place="udp packet: hello", value=joints)
    robot, firmware, serial = (str(told.get(name, "")) for name in ("robot", "firmware", "serial"))
    return Identity(robot, firmware, serial, tuple(map(str, joints)), float(period), bool(told.get("fake", False)))
