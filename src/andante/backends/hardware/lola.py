"""LoLA: what the computer of a NAO V6 says and takes over its unix socket, as msgpack maps every 12 ms.

A state has exactly 896 bytes. Facts: RoboCup SPL's published notes on LoLA and the teams' open clients. Whether a
partial map is taken, and what the robot does when nobody commands, was never tried here: commands name every
actuator.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from andante.backends.hardware.extras import package
from andante.backends.hardware.link import Codec, Packet
from andante.backends.hardware.packets import Identity, RobotState, WireCommand, WireError, floats, said
from andante.robots.records import Vector
from andante.spatial.rotations import from_rpy

SLOTS = (
    *("HeadYaw", "HeadPitch", "LShoulderPitch", "LShoulderRoll", "LElbowYaw", "LElbowRoll", "LWristYaw"),
    *("LHipYawPitch", "LHipRoll", "LHipPitch", "LKneePitch", "LAnklePitch", "LAnkleRoll"),
    *("RHipRoll", "RHipPitch", "RKneePitch", "RAnklePitch", "RAnkleRoll"),
    *("RShoulderPitch", "RShoulderRoll", "RElbowYaw", "RElbowRoll", "RWristYaw", "LHand", "RHand"),
)
"""Joints in LoLA's order; RHipYawPitch is driven by LHipYawPitch's motor."""
PERIOD = 0.012
"""Cycle of the robot [s]."""
_TOUCH = (
    *("chest", "head_front", "head_middle", "head_rear", "left_foot_left", "left_foot_right"),
    *("left_hand_back", "left_hand_left", "left_hand_right", "right_foot_left", "right_foot_right"),
    *("right_hand_back", "right_hand_left", "right_hand_right"),
)
_LIGHTS = {"Chest": 3, "LEar": 10, "REar": 10, "LEye": 24, "REye": 24, "LFoot": 3, "RFoot": 3, "Skull": 12}
_LOADED = 1.0
"""A foot touches where its cells bear more [N]."""
_LONGEST = 4096
"""A map has no more bytes; states have 896, commands some 1,100."""
_HEAD = re.compile(
    rb"[\x80-\x8f](?=[\xa0-\xbf]|\Z)|\xde(?=.{0,1}\Z|..(?:[\xa0-\xbf]|\Z))|\xdf(?=.{0,3}\Z|....(?:[\xa0-\xbf]|\Z))",
    re.DOTALL,
)
"""Where a map may begin: its first name, a short string, follows, or has not come yet."""
_EVERYWHERE = "Position"
"""States and commands alike have it."""
_WEAKENED = {1: "its stiffness is being reduced", 2: "its stiffness is reduced by over 30 %"}
_LIMP = 3
"""What Status says of a motor: 0 normal, these, or critically hot and limp, by nao_lola's published messages."""
_MOST_NAMED = 4
_FAKE = "FAKE"


class LolaCodec(Codec):
    """LoLA's maps.

    Args:
        servo_kp: Position gains of the servos at full stiffness, by slot, (25,) [N m/rad].
        servo_kd: Velocity gains, by slot, (25,) [N m s/rad]; they act by themselves.
        buttons: Names of the robot's buttons in their order.
        newtons: Newtons per unit of a pressure cell: sources dispute whether it is N or kg.
        fake: Whether packed states say that they are a fake's.

    Raises:
        BackendError: msgpack is not installed.
    """

    name = "lola"
    counted = False

    def __init__(
        self, servo_kp: Vector, servo_kd: Vector, buttons: tuple[str, ...], newtons: float = 1.0, *, fake: bool = False
    ) -> None:
        self._msgpack = package("msgpack", "nao", "LoLA")
        self.slots, self.period = SLOTS, PERIOD
        self.honoured = frozenset({"position", "kp"})
        self.measured = frozenset({"position", "orientation", "gyro", "accelerometer", "contact", "force", "buttons"})
        self._kp, self._kd, self._newtons, self._fake = servo_kp, servo_kd, newtons, fake
        self._order = [_TOUCH.index(name) for name in buttons]
        self._measured = np.zeros(len(SLOTS))

    def split(self) -> Callable[[bytes], list[Packet]]:
        """Cuts a stream into maps; what is none, or was torn, is handed on by itself, and told where it is read."""
        buffer = bytearray()

        def cut(data: bytes) -> list[Packet]:
            buffer.extend(data)
            found, done, head = list[Packet](), 0, _HEAD.search(buffer)
            while head is not None:
                begin = head.start()
                end = self._end_of(buffer, begin, torn=begin > done)
                if end is not None:
                    if begin > done:
                        found.append(bytes(buffer[done:begin]))
                    found.append(bytes(buffer[begin:end]))
                    done = end
                # Torn, or not all of it has come yet: a whole one behind it shows that it is torn.
                head = _HEAD.search(buffer, begin + 1 if end is None else end)
            kept = self._kept(buffer, done)
            if kept > done:
                found.append(bytes(buffer[done:kept]))
            del buffer[:kept]
            return found

        return cut

    def _end_of(self, buffer: bytearray, begin: int, *, torn: bool) -> int | None:
        """Where the map that begins there ends; None: it is none, or not whole.

        Args:
            buffer: Bytes.
            begin: Where it begins.
            torn: Whether something before it was none: then it must have what all maps of LoLA have.
        """
        unpacker = self._msgpack.Unpacker()
        unpacker.feed(buffer[begin : begin + _LONGEST])
        try:
            data = unpacker.unpack()
        except (self._msgpack.UnpackException, ValueError, TypeError):
            return None
        if not isinstance(data, dict) or (torn and _EVERYWHERE not in data):
            return None
        return begin + int(unpacker.tell())

    def _kept(self, buffer: bytearray, done: int) -> int:
        """From where on bytes are kept, as the rest of a map may still come."""
        for head in _HEAD.finditer(buffer, max(done, len(buffer) - _LONGEST)):
            unpacker = self._msgpack.Unpacker()
            unpacker.feed(buffer[head.start() :])
            try:
                unpacker.skip()
            except self._msgpack.OutOfData:
                return head.start()
            except (self._msgpack.UnpackException, ValueError):
                continue
        return len(buffer)

    def state(self, packet: Packet) -> RobotState:
        """What the robot says."""
        data = self._map(packet)
        count = len(SLOTS)
        position = floats(data.get("Position"), count, "Position", SLOTS)
        self._measured = position
        roll, pitch = floats(data.get("Angles"), 2, "Angles")
        cells = floats(data.get("FSR"), 8, "FSR") * self._newtons
        touch = floats(data.get("Touch"), len(_TOUCH), "Touch")
        battery = floats(data.get("Battery"), 4, "Battery")
        config = data.get("RobotConfig")
        if not (isinstance(config, list) and len(config) == 4 and all(isinstance(each, str) for each in config)):
            raise WireError("names no robot", place="RobotConfig", value=config)
        limp, weak = _heat_told(floats(data.get("Status", [0] * count), count, "Status"))
        return RobotState(
            0,
            position,
            worn=limp,
            note=weak,
            temperature=floats(data.get("Temperature"), count, "Temperature", SLOTS),
            # The rotation by pitch after the one by roll; there is no yaw.
            orientation=from_rpy((roll, pitch, 0.0)),
            gyro=floats(data.get("Gyroscope"), 3, "Gyroscope"),
            accelerometer=-floats(data.get("Accelerometer"), 3, "Accelerometer"),
            contact=np.array([float(cells[:4].sum() > _LOADED), float(cells[4:].sum() > _LOADED)]),
            force=cells,
            buttons=touch[self._order],
            battery=float(battery[0]),
            identity=Identity("nao", said(config[1]), said(config[0]), fake=config[0].startswith(_FAKE)),
        )

    def pack_command(self, command: WireCommand) -> Packet:
        """A command for all actuators; a joint that is off is asked to be where it is."""
        with np.errstate(divide="ignore", invalid="ignore"):
            stiffness = np.where(self._kp > 0.0, np.clip(command.kp / self._kp, 0.0, 1.0), command.kp > 0.0)
        position = np.where(stiffness > 0.0, command.position, self._measured)
        data: dict[str, Any] = {"Position": position.tolist(), "Stiffness": stiffness.astype(float).tolist()}
        data |= {name: [0.0] * count for name, count in _LIGHTS.items()}
        data["Sonar"] = [False, False]
        return self._packed(data)

    def pack_state(self, state: RobotState) -> Packet:
        """A state of 896 bytes."""
        zeros = [0.0] * len(SLOTS)
        w, x, y, z = (0.0,) * 4 if state.orientation is None else state.orientation.tolist()
        roll = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
        pitch = math.asin(max(-1.0, min(1.0, 2.0 * (w * y - z * x))))
        touch = np.zeros(len(_TOUCH))
        if state.buttons is not None:
            touch[self._order] = state.buttons
        force = np.zeros(8) if state.force is None else state.force / self._newtons
        accelerometer = np.zeros(3) if state.accelerometer is None else -state.accelerometer
        told = state.identity or Identity()
        serial = f"{_FAKE}0000000000000000"[:20] if self._fake else told.serial
        data: dict[str, Any] = {
            "Position": state.position.tolist(),
            "Stiffness": zeros,
            "Temperature": zeros if state.temperature is None else state.temperature.tolist(),
            "Current": zeros,
            "Battery": [state.battery or 0.0, 0.0, 0.0, 0.0],
            "Accelerometer": accelerometer.tolist(),
            "Gyroscope": [0.0] * 3 if state.gyro is None else state.gyro.tolist(),
            "Angles": [roll, pitch],
            "Sonar": [0.0, 0.0],
            "FSR": force.tolist(),
            "Touch": touch.tolist(),
            "Status": [0] * len(SLOTS),
            "RobotConfig": [serial, (told.firmware or "6.0.0")[:5], serial, "6.0.0"],
        }
        return self._packed(data)

    def command(self, packet: Packet) -> WireCommand:
        """What a robot reads of a command: wrong lengths and what is no number are refused."""
        data = self._map(packet)
        count = len(SLOTS)
        position = floats(data.get("Position"), count, "Position")
        stiffness = floats(data.get("Stiffness"), count, "Stiffness")
        if (stiffness < 0.0).any() or (stiffness > 1.0).any():
            raise WireError("is no stiffness", place="Stiffness", value=float(stiffness.max()), limit="0 to 1")
        zeros = np.zeros(count)
        return WireCommand(position, zeros, stiffness * self._kp, stiffness * self._kd, zeros.copy())

    def _packed(self, data: dict[str, Any]) -> bytes:
        packed: bytes = self._msgpack.packb(data, use_single_float=True)
        return packed

    def _map(self, packet: Packet) -> dict[str, Any]:
        try:
            data = self._msgpack.unpackb(packet)
        except (ValueError, TypeError, self._msgpack.UnpackException) as error:
            raise WireError(f"is no msgpack: {error}", place="lola packet", value=bytes(packet[:20])) from None
        if not isinstance(data, dict):
            raise WireError("is no map", place="lola packet", value=type(data).__name__)
        return data


def _heat_told(status: Vector) -> tuple[str, str]:
    """Why the robot should not be moved on, and what is told once, by the temperature status of its motors, (25,)."""
    limp = [name for name, value in zip(SLOTS, status.tolist(), strict=True) if value == _LIMP]
    weak = [(name, int(value)) for name, value in zip(SLOTS, status.tolist(), strict=True) if value in _WEAKENED]
    worn = (
        f"{', '.join(limp[:_MOST_NAMED])}: critically hot, the robot itself has set its stiffness to 0" if limp else ""
    )
    note = f"{weak[0][0]} is hot: {_WEAKENED[weak[0][1]]} by the robot itself" if weak else ""
    return worn, note
