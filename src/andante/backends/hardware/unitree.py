"""Unitree Go2: low-level commands and states over DDS, 2 ms.

Facts: Unitree's published SDK examples, IDL and its notes: `tick` counts milliseconds. Order of legs FR, FL, RR, RL,
each hip, thigh, calf. The robot's watchdog was never tried here. Its own motion program must be released first.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from andante.backends.hardware.link import Codec, Packet
from andante.backends.hardware.packets import MOTOR_FIELDS, Identity, RobotState, WireCommand, WireError, floats
from andante.backends.hardware.unitree_types import MOTORS, messages

PERIOD = 0.002
"""Cycle of the robot [s]."""
TICK = 0.001
"""Time by which a state's tick counts [s]."""
_SMOOTH = 0.02
"""Share by which the phase of ticks follows the newest one."""
_USED = 12
_COMMAND = struct.Struct("<4B4IH2x" + "B3x5f3I" * 20 + "4B55Bx2I")
_STATE = struct.Struct("<4B4IH2x" + "13fB3x" + "B3x7fB3x3I" * 20 + "4BiH4B15H" + "8hI41B3xf2B2x2f4h2I")
_MIRRORED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
_NO_ANSWER = 0x80
"""Bit of `bit_flag` by which the robot says that its motors do not answer its computer."""
_PARTS = {0x40: "its small computer", 0x20: "its remote control", 0x10: "its battery"}
"""Other bits of it: what else does not answer."""
_ERRORS = {1: "overheating", 2: "overcurrent", 3: "overvoltage", 4: "encoder"}
"""A motor's error, the first number of its reserve; by Unitree's actuator SDK. The second is its rate of answers."""
_MOST_NAMED = 4
_FAKE = 0x46414B45
"""Serial number by which a fake tells that it is one: FAKE in ASCII."""


def crc(words: bytes) -> int:
    """CRC-32 of little-endian words, each most significant bit first, from all ones, without a final inversion."""
    # zlib has the same polynomial with the least significant bit first: all bits are mirrored for it, and back.
    swapped = np.frombuffer(words, dtype="<u4").astype(">u4").tobytes()
    mirrored = zlib.crc32(swapped.translate(_MIRRORED)) ^ 0xFFFFFFFF
    return int(f"{mirrored:032b}"[::-1], 2)


def command_crc(message: Any) -> int:
    """CRC of a command: of all its words but the last."""
    motors: list[Any] = []
    for motor in message.motor_cmd:
        motors += [motor.mode, motor.q, motor.dq, motor.tau, motor.kp, motor.kd, *motor.reserve]
    packed = _COMMAND.pack(
        *_head(message),
        *motors,
        message.bms_cmd.off,
        *message.bms_cmd.reserve,
        *message.wireless_remote,
        *message.led,
        *message.fan,
        message.gpio,
        message.reserve,
        0,
    )
    return crc(packed[:-4])


def state_crc(message: Any) -> int:
    """CRC of a state: of all its words but the last, in the layout of the published SDK."""
    imu, bms = message.imu_state, message.bms_state
    motors: list[Any] = []
    for motor in message.motor_state:
        motors += [motor.mode, motor.q, motor.dq, motor.ddq, motor.tau_est, motor.q_raw, motor.dq_raw, motor.ddq_raw]
        motors += [motor.temperature, motor.lost, *motor.reserve]
    packed = _STATE.pack(
        *_head(message),
        *imu.quaternion,
        *imu.gyroscope,
        *imu.accelerometer,
        *imu.rpy,
        imu.temperature,
        *motors,
        *(bms.version_high, bms.version_low, bms.status, bms.soc, bms.current, bms.cycle),
        *bms.bq_ntc,
        *bms.mcu_ntc,
        *bms.cell_vol,
        *message.foot_force,
        *message.foot_force_est,
        message.tick,
        *message.wireless_remote,
        *(message.bit_flag, message.adc_reel, message.temperature_ntc1, message.temperature_ntc2),
        *(message.power_v, message.power_a),
        *message.fan_frequency,
        message.reserve,
        0,
    )
    return crc(packed[:-4])


def _head(message: Any) -> list[int]:
    """What commands and states begin with."""
    return [*message.head, message.level_flag, message.frame_reserve, *message.sn, *message.version, message.bandwidth]


def _below_zero(byte: int) -> int:
    """A motor's temperature, which is published as -100 to 150 deg C in a byte."""
    return byte - 256 if byte > 150 else byte


def _silent_parts(flags: int) -> str:
    """What does not answer the robot's computer beside its motors, in words; empty: all does."""
    parts = [name for bit, name in _PARTS.items() if flags & bit]
    return (
        f"the robot says that {' and '.join(parts)} {'does' if len(parts) == 1 else 'do'} not answer" if parts else ""
    )


class UnitreeCodec(Codec):
    """Unitree's messages; packets are samples of their DDS types.

    Args:
        slots: The robot's joints in the order of its motors.
        robot: Kind of robot, which a fake tells.
        period: Time between two states [s].
        fake: Whether packed states say that they are a fake's.
        checked: Whether states whose CRC is wrong are thrown away; one of 0 is none and not looked at.
        feet: Index of the robot's foot for each leg in the order of the wire; empty: feet are not read.
        loaded: Reading of a foot's force from which it touches; the maker publishes no unit.
        tick: Time by which the tick counts [s]; 0: it does not count, and arrivals are counted.

    Raises:
        BackendError: cyclonedds is not installed.
    """

    name: ClassVar[str] = "go2"

    def __init__(
        self,
        slots: Sequence[str],
        robot: str = "",
        period: float = PERIOD,
        *,
        fake: bool = False,
        checked: bool = True,
        feet: Sequence[int] = (),
        loaded: float = 0.0,
        tick: float = TICK,
    ) -> None:
        self._types, self._checked = messages(), checked
        self.last: RobotState | None = None
        """The state that was packed last: a fake answers by it."""
        self.slots, self.period, self._robot, self._fake = tuple(slots), period, robot, fake
        self.honoured = frozenset({"position", "velocity", "kp", "kd", "torque"})
        self._feet, self._loaded = list(feet), loaded
        self._tick, self.counted = tick, tick > 0.0
        self._last_tick: int | None = None
        self._cycles = 0.0
        self._first = 0
        measured = {"position", "velocity", "effort", "orientation", "gyro", "accelerometer"}
        self.measured = frozenset({*measured, *({"contact"} if feet else ())})

    def state(self, packet: Packet) -> RobotState:
        """What the robot says."""
        if not isinstance(packet, self._types.LowState):
            raise WireError("is no state", place="go2 sample", value=type(packet).__name__)
        if self._checked and packet.crc and packet.crc != state_crc(packet):
            raise WireError(
                "the CRC is wrong",
                place="go2 state",
                value=packet.crc,
                remedy="if all states have it so, this firmware counts it otherwise: backend.state_crc=false",
            )
        if self.counted and packet.tick == 0 == self._last_tick:
            raise WireError("its tick stands still at 0", place="go2 state", remedy="backend.tick=0 counts arrivals")
        motors, imu = packet.motor_state[:_USED], packet.imu_state
        contact = None
        if self._feet:
            contact = np.zeros(len(self._feet))
            contact[self._feet] = [float(force >= self._loaded) for force in packet.foot_force]
        return RobotState(
            self._counted(packet.tick) if self.counted else 0,
            floats([motor.q for motor in motors], _USED, "q", self.slots),
            velocity=floats([motor.dq for motor in motors], _USED, "dq", self.slots),
            effort=floats([motor.tau_est for motor in motors], _USED, "tau_est", self.slots),
            temperature=floats([_below_zero(motor.temperature) for motor in motors], _USED, "temperature", self.slots),
            orientation=floats(imu.quaternion, 4, "quaternion"),
            gyro=floats(imu.gyroscope, 3, "gyroscope"),
            accelerometer=floats(imu.accelerometer, 3, "accelerometer"),
            contact=contact,
            battery=packet.bms_state.soc / 100.0,
            worn=self._amiss(packet),
            note=_silent_parts(packet.bit_flag),
            identity=Identity("", str(packet.version[0]), str(packet.sn[0]), fake=packet.sn[0] == _FAKE),
        )

    def _amiss(self, packet: Any) -> str:
        """Why the robot should not be moved on, by what it says of its motors; empty: it may."""
        told = [
            f"{self.slots[slot]}: {_ERRORS.get(motor.reserve[0], f'error {motor.reserve[0]}')}"
            for slot, motor in enumerate(packet.motor_state[:_USED])
            if motor.reserve[0]
        ]
        if told:
            return f"motors tell errors: {', '.join(told[:_MOST_NAMED])}"
        return "its motors do not answer its own computer" if packet.bit_flag & _NO_ANSWER else ""

    def _counted(self, tick: int) -> int:
        """Cycles by the tick, which is read anywhere between two of them and begins at 0 again where 32 bits end."""
        share = self._tick / self.period
        if self._last_tick is None:
            self._last_tick, self._first = tick, round(tick * share)
        passed = (tick - self._last_tick + 2**31) % 2**32 - 2**31
        self._last_tick = tick
        self._cycles += passed * share
        # A millisecond is half a cycle: between two cycles, the next one is meant.
        whole = 1 if abs(self._cycles - 1.0) < 0.51 else round(self._cycles)
        phase = _SMOOTH * (self._cycles - whole)
        self._cycles, self._first = self._cycles - phase - whole, self._first + whole
        return self._first

    def pack_command(self, command: WireCommand) -> Packet:
        """A command with its CRC."""
        types = self._types
        columns = (getattr(command, field).tolist() for field in MOTOR_FIELDS.values())
        motors = [types.MotorCmd(1, *values) for values in zip(*columns, strict=True)]
        motors += [types.MotorCmd(0) for _ in range(MOTORS - _USED)]
        message = types.LowCmd(motor_cmd=motors)
        message.crc = command_crc(message)
        return message

    def pack_state(self, state: RobotState) -> Packet:
        """A state, as a fake sends it."""
        types, self.last = self._types, state
        zeros = np.zeros(_USED)
        velocity = zeros if state.velocity is None else state.velocity
        effort = zeros if state.effort is None else state.effort
        heats = [30] * _USED if state.temperature is None else state.temperature.astype(int).tolist()
        motors = [
            types.MotorState(1, q, dq, 0.0, tau, q, dq, 0.0, heat)
            for q, dq, tau, heat in zip(state.position.tolist(), velocity.tolist(), effort.tolist(), heats, strict=True)
        ]
        motors += [types.MotorState(0) for _ in range(MOTORS - _USED)]
        imu = types.IMUState(
            [0.0] * 4 if state.orientation is None else state.orientation.tolist(),
            [0.0] * 3 if state.gyro is None else state.gyro.tolist(),
            [0.0] * 3 if state.accelerometer is None else state.accelerometer.tolist(),
        )
        message = types.LowState(imu_state=imu, motor_state=motors)
        message.tick = round(state.tick * self.period / self._tick) & 0xFFFFFFFF if self.counted else 0
        message.sn = [_FAKE if self._fake else 0, 0]
        message.version = [1, 0]
        message.bms_state.soc = round(100 * (state.battery or 0.0))
        if self._feet and state.contact is not None:
            message.foot_force = [int(state.contact[foot] * 2.0 * self._loaded) for foot in self._feet]
        message.crc = state_crc(message)
        return message

    def command(self, packet: Packet) -> WireCommand:
        """What a robot reads of a command; one with a wrong CRC is refused."""
        if not isinstance(packet, self._types.LowCmd):
            raise WireError("is no command", place="go2 sample", value=type(packet).__name__)
        if packet.crc != command_crc(packet):
            raise WireError("the CRC is wrong", place="go2 command", value=packet.crc)
        motors = packet.motor_cmd[:_USED]
        rows = {name: [getattr(motor, name) for motor in motors] for name in MOTOR_FIELDS}
        if any(not math.isfinite(value) for row in rows.values() for value in row):
            raise WireError("a number is not finite", place="go2 command")
        q, dq, tau, kp, kd = (floats(rows[name], _USED, name) for name in MOTOR_FIELDS)
        return WireCommand(q, dq, kp, kd, tau)
