"""Booster K1 and T1: low-level commands and states as CDR bytes, 2 ms.

The fake's bytes go over zenoh; the robot itself speaks DDS of a vendor's own build, which only the vendor's SDK meets.
Facts: the SDK's published messages, booster_deploy, and `booster_sdk`, whose authors met a robot. States have no count
and no time stamp, so arrivals are counted. Whether the robot has a watchdog, the sign of its joints and the frame of
its IMU were never tried here.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from andante.backends.hardware.link import Codec, Packet
from andante.backends.hardware.packets import MOTOR_FIELDS, RobotState, WireCommand, WireError, floats
from andante.robots.records import Vector
from andante.spatial.rotations import from_rpy, to_rpy

PERIOD = 0.002
"""Cycle of the robot [s]."""
STATES, COMMANDS = "rt/low_state", "rt/joint_ctrl"
"""Topics of the robot."""
PARALLEL, SERIAL = 0, 1
"""Kinds of commands: by the cranks of the ankles, or by the ankles' own joints."""
_HEADER = b"\x00\x01\x00\x00"
_COUNT = struct.Struct("<I")
_MOTOR = np.dtype([("mode", "u1"), *((name, "<f4") for name in (*MOTOR_FIELDS, "weight"))], align=True)
_REST = [("temperature", "u1"), *((name, "<u4") for name in ("lost", "reserve0", "reserve1"))]
_STATE = np.dtype([("mode", "u1"), *((name, "<f4") for name in ("q", "dq", "ddq", "tau")), *_REST], align=True)
_IMU = 36


class BoosterCodec(Codec):
    """CDR bytes of `booster_interface`.

    Args:
        slots: The robot's joints in the order of its motors, 22 for K1, 23 for T1.
        period: Time between two states [s].
        weight: Weight of each motor's command, by which the robot blends it with its own program's.
    """

    name = "booster"
    counted = False

    def __init__(self, slots: Sequence[str], period: float = PERIOD, weight: float = 0.0) -> None:
        self.slots, self.period, self._weight = tuple(slots), period, weight
        self.last: RobotState | None = None
        """The state that was packed last: a fake answers by it."""
        self.honoured = frozenset({"position", "velocity", "kp", "kd", "torque"})
        self.measured = frozenset({"position", "velocity", "effort", "orientation", "gyro", "accelerometer"})

    def state(self, packet: Packet) -> RobotState:
        """What the robot says; of the two lists of motors the serial one."""
        count = len(self.slots)
        data = bytes_of(packet)
        expected = 4 + _IMU + 2 * (4 + 36 * count)
        _little_endian(data)
        if len(data) != expected:
            raise WireError(
                "is no state of this robot", place="booster packet", value=len(data), limit=f"{expected} bytes"
            )
        imu = np.frombuffer(data, "<f4", 9, 4).astype(np.float64)
        lists, begin = [], 4 + _IMU
        for _ in range(2):
            told = _COUNT.unpack_from(data, begin)[0]
            if told != count:
                raise WireError("has other motors", place="booster packet", value=told, limit=f"{count}")
            lists.append(np.frombuffer(data, _STATE, count, begin + 4))
            begin += 4 + 36 * count
        motors = lists[SERIAL]
        return RobotState(
            0,
            floats(motors["q"], count, "q", self.slots),
            velocity=floats(motors["dq"], count, "dq", self.slots),
            effort=floats(motors["tau"], count, "tau", self.slots),
            temperature=motors["temperature"].astype(np.float64),
            orientation=from_rpy(floats(imu[:3], 3, "rpy")),
            gyro=floats(imu[3:6], 3, "gyro"),
            accelerometer=floats(imu[6:], 3, "acc"),
        )

    def pack_command(self, command: WireCommand) -> Packet:
        """A serial command."""
        count = len(self.slots)
        motors = np.zeros(count, _MOTOR)
        for name, field in MOTOR_FIELDS.items():
            motors[name] = getattr(command, field)
        motors["weight"] = self._weight
        data = _HEADER + _COUNT.pack(SERIAL) + _COUNT.pack(count) + motors.tobytes()
        return ((COMMANDS, data),)

    def pack_state(self, state: RobotState) -> Packet:
        """A state, as a fake sends it; both lists of motors are the serial one."""
        count, self.last = len(self.slots), state
        motors = np.zeros(count, _STATE)
        motors["q"] = state.position
        motors["dq"] = 0.0 if state.velocity is None else state.velocity
        motors["tau"] = 0.0 if state.effort is None else state.effort
        motors["temperature"] = 30 if state.temperature is None else state.temperature
        zeros = np.zeros(3)
        parts: list[Vector] = [
            zeros if state.orientation is None else to_rpy(state.orientation),
            zeros if state.gyro is None else state.gyro,
            zeros if state.accelerometer is None else state.accelerometer,
        ]
        imu = np.concatenate(parts).astype("<f4").tobytes()
        each = _COUNT.pack(count) + motors.tobytes()
        return ((STATES, _HEADER + imu + each + each),)

    def command(self, packet: Packet) -> WireCommand:
        """What a robot reads of a command."""
        count, data = len(self.slots), bytes_of(packet)
        _little_endian(data)
        if len(data) != 12 + 28 * count:
            raise WireError("is no command for this robot", place="booster packet", value=len(data))
        kind, told = _COUNT.unpack_from(data, 4)[0], _COUNT.unpack_from(data, 8)[0]
        if kind != SERIAL or told != count:
            raise WireError("is for other motors", place="booster packet", value=(kind, told), limit=f"(1, {count})")
        motors = np.frombuffer(data, _MOTOR, count, 12)
        q, dq, tau, kp, kd = (floats(motors[name], count, name) for name in MOTOR_FIELDS)
        return WireCommand(q, dq, kp, kd, tau)


def _little_endian(data: bytes) -> None:
    if data[:4] != _HEADER:
        raise WireError("is no little-endian CDR", place="booster packet", value=data[:4])


def bytes_of(packet: Packet) -> bytes:
    """Bytes of a packet, which has its topic beside it.

    Raises:
        WireError: It has none.
    """
    pair = packet[0] if isinstance(packet, tuple) and packet and isinstance(packet[0], tuple) else packet
    if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[1], bytes)):
        raise WireError("is no packet of a topic", place="packet", value=type(packet).__name__)
    return pair[1]
