"""Dynamixel servos on a bus, protocol 2.0 with the X series' control table.

Each cycle reads speed, current and angle of all servos at once (126, 10 bytes) and writes their goals (116, 4
bytes). How stiff a servo is, its goal PWM says (100, 2 bytes), a limit of what its motor gets. Facts: ROBOTIS'
published control table. A bus does not pace a run: the computer reads it at its own absolute deadlines.
"""

from __future__ import annotations

import contextlib
import math
import os
import struct
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from andante.backends.backend import BackendError, LinkLostError
from andante.backends.hardware.dynamixel_port import ALERT, ServoAnswer, ServoPort
from andante.backends.hardware.extras import package
from andante.backends.hardware.link import Codec, Link, Packet
from andante.backends.hardware.packets import Identity, RobotState, Traffic, WireCommand, WireError
from andante.robots.records import Vector

MODE, HEAT_LIMIT, PWM_LIMIT, FARTHEST, NEAREST = 11, 31, 36, 48, 52
"""Addresses of the control table that keep their values: operating mode, temperature limit, PWM limit, largest and
least goal angle."""
SETUP_BYTES = NEAREST + 4 - MODE
"""What is read at once of them."""
TORQUE, ERRORS, WATCHDOG, PWM, GOAL, PRESENT, HEAT = 64, 70, 98, 100, 116, 126, 146
"""Addresses of the others: torque enable, hardware error status, bus watchdog, goal PWM, goal angle, present current,
present temperature."""
STATUS_BYTES = ERRORS - TORQUE + 1
"""What is read at once from torque enable to hardware error status."""
GUARDED_BYTES = WATCHDOG - TORQUE + 1
"""The same to the bus watchdog, of servos where one is set."""
_TRIPPED = 0xFF
"""A bus watchdog that has found its bus silent: goals are not taken any more until it is set to 0."""
_ASKED = 4
"""A servo is asked so often for what must be known of it."""
_MODES = {0: "current", 1: "speed", 3: "angle", 4: "extended angle", 5: "angle with current", 16: "PWM"}
_OF_ANGLES = (3, 4, 5)
"""Operating modes in which a goal angle is followed."""
_OTHER_TABLE = (350, 2000)
"""XL-320, and from here on the P and PRO series: their control tables are others."""
_ERRORS = {0x01: "input voltage", 0x04: "overheating", 0x08: "encoder", 0x10: "electrical shock", 0x20: "overload"}
"""Bits of the hardware error status; with most of them a servo switches its torque off."""
PRESENT_BYTES = 10
FULL_PWM = 885
"""Goal PWM of a servo at its full strength."""
_STEPS, _ZERO = 4096, 2048
_RPM = 0.229 * math.tau / 60.0
_PRESENT, _GOAL = struct.Struct("<hii"), struct.Struct("<iH")
_READ_WAIT = 0.001
"""Time for which the port waits for bytes at once [s]."""
_PAUSE = 3.0
"""After one servo's answer the next one's may take so long to begin [ms], besides bytes and adapter."""
_LOOK_EVERY = 4
"""In one of so many cycles one servo is asked for its hardware errors."""
_HEAT_EVERY = 8
"""In one of so many of those it is asked for its temperature in their place, which changes slowly."""
_PWM_AGAIN = 10
"""Goal PWM and torque enable that have not changed are written again after so many commands."""
_GONE = 0.1
"""A servo that has not answered for so long is unplugged [s]."""


def adapter_latency(port: str) -> float:
    """How long an adapter keeps the last bytes that came before the computer gets them [ms].

    Linux tells it of adapters with a timer for it (FTDI: 16 ms until somebody sets ``latency_timer``).

    Args:
        port: Serial port.
    """
    name = os.path.basename(os.path.realpath(port))
    try:
        with open(f"/sys/bus/usb-serial/devices/{name}/latency_timer", encoding="ascii") as file:
            return float(file.read())
    except (OSError, ValueError):
        return 1.0 if sys.platform == "linux" else 16.0


class DynamixelCodec(Codec):
    """Registers of servos; a packet is the present registers of all, or goals and PWM of all.

    Args:
        slots: The robot's joints in the order of the servos' numbers.
        period: Time between two readings [s].
        kp: Position gains of the servos at full strength, by slot, (ns,).
        kd: Velocity gains, (ns,).
        bolted: The base is bolted down upright: the IMU that there is none of reads so.
    """

    name = "dynamixel"

    def __init__(self, slots: Sequence[str], period: float, kp: Vector, kd: Vector, *, bolted: bool = False) -> None:
        self.slots, self.period, self._kp, self._kd = tuple(slots), period, kp, kd
        self.bolted = bolted
        """Whether the IMU is made up."""
        self.honoured = frozenset({"position", "kp"})
        of_imu = {"orientation", "gyro", "accelerometer"} if bolted else set()
        self.measured = frozenset({"position", "velocity", *of_imu})

    def state(self, packet: Packet) -> RobotState:
        """Angles and speeds of present registers, behind a count of 4 bytes; a fake's temperatures stand after them."""
        data, count = bytes(packet), len(self.slots)
        end = 4 + PRESENT_BYTES * count
        if len(data) not in (end, end + count + 1):
            raise WireError("is no state of these servos", place="dynamixel packet", value=len(data))
        rows = [_PRESENT.unpack_from(data, 4 + PRESENT_BYTES * slot) for slot in range(count)]
        registers = np.array(rows, dtype=np.float64)
        state = RobotState(
            int.from_bytes(data[:4], "little"),
            (registers[:, 2] - _ZERO) * (math.tau / _STEPS),
            velocity=registers[:, 1] * _RPM,
        )
        if len(data) > end:
            state.temperature = np.frombuffer(data, "u1", count, end).astype(np.float64)
        if self.bolted:
            state.orientation, state.gyro = np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3)
            state.accelerometer = np.array([0.0, 0.0, 9.81])
        return state

    def pack_command(self, command: WireCommand) -> Packet:
        """Goal angle and PWM of each servo."""
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(self._kp > 0.0, np.clip(command.kp / self._kp, 0.0, 1.0), command.kp > 0.0)
        goals = np.clip(np.rint(command.position * (_STEPS / math.tau)) + _ZERO, -(2**31), 2**31 - 1)
        return b"".join(
            struct.pack("<iH", int(goal), round(FULL_PWM * float(each)))
            for goal, each in zip(goals.tolist(), share.tolist(), strict=True)
        )

    def pack_state(self, state: RobotState) -> Packet:
        """Present registers, as a fake has them."""
        speed = np.zeros(len(self.slots)) if state.velocity is None else state.velocity
        angles = np.rint(state.position * (_STEPS / math.tau)) + _ZERO
        rows = zip(np.rint(speed / _RPM).astype(int).tolist(), angles.astype(int).tolist(), strict=True)
        registers = b"".join(_PRESENT.pack(0, *row) for row in rows)
        heats = np.full(len(self.slots), 30.0) if state.temperature is None else state.temperature
        registers += np.clip(np.rint(heats), 0, 255).astype("u1").tobytes()
        return state.tick.to_bytes(4, "little") + registers + bytes([0x20 if state.mode else 0])

    def command(self, packet: Packet) -> WireCommand:
        """What goals and PWM ask of the servos."""
        data, count = bytes(packet), len(self.slots)
        if len(data) != 6 * count:
            raise WireError("is no command for these servos", place="dynamixel packet", value=len(data))
        rows = np.array([struct.unpack_from("<iH", data, 6 * slot) for slot in range(count)], dtype=np.float64)
        share = rows[:, 1] / FULL_PWM
        zeros = np.zeros(count)
        angles = (rows[:, 0] - _ZERO) * (math.tau / _STEPS)
        return WireCommand(angles, zeros, share * self._kp, share * self._kd, zeros.copy())


class DynamixelLink(Link):
    """Servos by ROBOTIS' own SDK.

    Args:
        codec: Knows the registers.
        port: Serial port.
        baud: Bits per second.
        numbers: Numbers of the servos.

    Raises:
        BackendError: dynamixel-sdk is not installed.
    """

    paces_itself = True

    def __init__(self, codec: DynamixelCodec, port: str, baud: int, numbers: Sequence[int]) -> None:
        self._sdk = package("dynamixel_sdk", "dynamixel", "the Dynamixel bus")
        self.codec, self.place, self._baud = codec, port, baud
        self.traffic = Traffic()
        self._numbers = tuple(numbers)
        self._missed = dict.fromkeys(self._numbers, 0)
        self._most_missed = max(round(_GONE / codec.period), 5)
        self._port: ServoPort | None = None
        self._tick = 0
        self._enabled = False
        self._pwm, self._age = b"", 0
        self._mode, self._looks, self._alerted = "", 0, 0
        self._alerts, self._note = set[int](), ""
        self._status_bytes = STATUS_BYTES
        self._strongest = [FULL_PWM] * len(codec.slots)
        self._one_turn = [False] * len(codec.slots)
        self._goals: list[tuple[int, int]] = [(-(2**31), 2**31 - 1)] * len(codec.slots)
        self._writers: dict[int, Any] = {}
        self._registers = bytearray(PRESENT_BYTES * len(codec.slots))
        self._heats = np.full(len(codec.slots), math.nan)

    def open(self, timeout: float) -> tuple[Identity, RobotState]:
        """Open the port and read all servos."""
        sdk = self._sdk
        port = self._port = ServoPort(sdk, self.place, self._baud, _READ_WAIT)
        try:
            good = port.open()
        except Exception as error:  # noqa: BLE001 - the SDK passes on whatever its serial library raises
            raise LinkLostError(
                f"the port cannot be opened: {error}",
                place=self.place,
                remedy="is the adapter plugged in, may you use the port, does another program use it?",
            ) from None
        if not good:
            raise LinkLostError("the port takes no such rate", place=self.place, value=self._baud)
        self._pause = adapter_latency(self.place) + _PAUSE + 20.0 * (PRESENT_BYTES + 11) * 1000.0 / self._baud
        self._reader = sdk.GroupSyncRead(port.handler, port.packets, PRESENT, PRESENT_BYTES)
        for number in self._numbers:
            self._reader.addParam(number)
        self._writers, self._pwm = {}, b""
        self._next = self.now()
        end = self.now() + timeout
        while self.now() < end:
            missing = self._read()
            if not missing:
                self._check_servos()
                self._next = self.now()
                return Identity(), self._state()
        raise LinkLostError(
            f"servos {', '.join(map(str, missing))} do not answer{self._who_answers()}",
            place=f"dynamixel at {self.place}, {self._baud} baud",
            limit=f"{timeout:g} s",
            remedy="look at power, plugs, baud rate and backend.numbers of the servos",
        )

    def _check_servos(self) -> None:
        """Refuse servos that would not follow a goal angle, and learn which goals they take.

        Raises:
            BackendError: One has another control table, is in another mode, or its bus watchdog has tripped.
            LinkLostError: One does not tell.
        """
        place, guarded = f"dynamixel at {self.place}", False
        for slot, number in enumerate(self._numbers):
            model = int.from_bytes(self._known(number)[:2], "little")
            if model == _OTHER_TABLE[0] or model >= _OTHER_TABLE[1]:
                raise BackendError(
                    f"servo {number} has another control table than the X series", place=place, value=f"model {model}"
                )
            setup = self._known(number, MODE, SETUP_BYTES)
            mode = setup[0]
            if mode not in _OF_ANGLES:
                raise BackendError(
                    f"servo {number} does not follow goal angles",
                    place=place,
                    value=f"operating mode {mode}, {_MODES.get(mode, 'unknown')}",
                    limit=", ".join(f"{each} ({_MODES[each]})" for each in _OF_ANGLES),
                    remedy="set its operating mode by the maker's tool",
                )
            self._strongest[slot] = int.from_bytes(setup[PWM_LIMIT - MODE :][:2], "little")
            if mode == _OF_ANGLES[0]:
                far, near = struct.unpack_from("<ii", setup, FARTHEST - MODE)
                self._goals[slot], self._one_turn[slot] = (near, far), True
            self.hottest = min(self.hottest, float(setup[HEAT_LIMIT - MODE]))
            watchdog = self._known(number, WATCHDOG, 1)[0]
            if watchdog == _TRIPPED:
                raise BackendError(
                    f"servo {number} takes no goals: its bus watchdog has tripped",
                    place=place,
                    remedy="switch its power off and on, or write 0 to address 98",
                )
            guarded = guarded or watchdog != 0
            self._feel(number)
        self._status_bytes = GUARDED_BYTES if guarded else STATUS_BYTES

    def _known(self, number: int, *what: int) -> bytes:
        """What a servo answers, asked again where an answer is lost.

        Raises:
            LinkLostError: It does not answer.
        """
        for _ in range(_ASKED):
            answer = self._asked(number, *what)
            if answer is not None and answer.good:
                return answer.data
        raise LinkLostError(
            f"servo {number} answers only now and then",
            place=f"dynamixel at {self.place}, {self._baud} baud",
            limit=f"one of {_ASKED} questions",
            remedy="look at its plugs, the length of the bus and its baud rate",
        )

    def _feel(self, number: int) -> None:
        """Ask a servo for its temperature; one that does not answer keeps its last."""
        answer = self._asked(number, HEAT, 1)
        if answer is not None and answer.good:
            self._heats[self._numbers.index(number)] = float(answer.data[0])

    def _who_answers(self) -> str:
        """Which servos there are, for a message."""
        port = self._opened()
        with contextlib.suppress(Exception):
            found, _ = port.packets.broadcastPing(port.handler)
            if set(self._numbers) <= set(found):
                return "; they answer a ping, but tell nothing: is their status return level (68) 0?"
            if found:
                return f"; there are {', '.join(map(str, sorted(found)))}"
            model, result, _ = self._sdk.PacketHandler(1.0).ping(port.handler, self._numbers[0])
            if result == 0:
                return f"; servo {self._numbers[0]} (model {model}) speaks protocol 1.0, and 2.0 is needed"
        return "; nobody answers at this rate"

    def _asked(self, number: int, *what: int) -> ServoAnswer | None:
        """What a servo answers to a question for registers, or to a ping where none are asked for; None: nothing.

        Raises:
            LinkLostError: The port is gone.
        """
        port = self._opened()
        try:
            return port.read(number, *what) if what else port.ping(number)
        except Exception as error:  # noqa: BLE001 - the SDK passes on whatever its serial library raises
            raise LinkLostError(f"the port is gone: {error}", place=self.place) from None

    def _opened(self) -> ServoPort:
        if self._port is None:
            raise LinkLostError("the link is closed", place=self.place)
        return self._port

    def receive(self, until: float) -> RobotState | None:
        """All servos at the next deadline; one that does not answer keeps its last registers."""
        port = self._opened()
        if self._next > until:
            time.sleep(max(until - self.now(), 0.0))
            return None
        time.sleep(max(self._next - self.now(), 0.0))
        late = self.now() - self._next
        over = int(late / self.codec.period)
        self._next += (over + 1) * self.codec.period
        self._tick += over + 1
        torn = port.torn
        missing = self._read()
        self.traffic.broken += len(missing)
        self.traffic.problem = _problem(missing, port.torn - torn) or self.traffic.problem
        self.traffic.read += len(self._numbers) - len(missing)
        for number in self._numbers:
            self._missed[number] = self._missed[number] + 1 if number in missing else 0
        gone = [number for number, count in self._missed.items() if count >= self._most_missed]
        if gone and len(missing) < len(self._numbers):
            self._mode = f"servo {', '.join(map(str, gone))} does not answer any more: its plug, or its power"
        self._look_at_one()
        return None if len(missing) == len(self._numbers) else self._state()

    def send(self, command: WireCommand) -> None:
        """Write PWM and goals; torque goes on with the first command of a stiff servo, and off with a last one."""
        self._opened()
        data = self.codec.pack_command(command)
        rows = [self._taken(slot, *_GOAL.unpack_from(data, 6 * slot)) for slot in range(len(self._numbers))]
        pwm = b"".join(row[4:] for row in rows)
        self._age += 1
        # A write is not answered: one that was lost is made good by the next.
        stiff = bool(command.kp.any())
        again = pwm != self._pwm or self._age >= _PWM_AGAIN or not stiff
        if again:
            self._pwm, self._age = pwm, 0
            self._sync_write(PWM, [row[4:] for row in rows])
        if stiff:
            # A goal that an earlier program has left must not be followed.
            self._sync_write(GOAL, [row[:4] for row in rows])
        # Torque is never switched on again by itself: a servo that began anew is told of in place of that.
        if stiff != self._enabled or (again and not stiff):
            self._enabled = stiff
            self._sync_write(TORQUE, [bytes([int(stiff)])] * len(rows))
            if stiff:
                # Some servos take their present angle for the goal when torque goes on.
                self._sync_write(GOAL, [row[:4] for row in rows])

    def _taken(self, slot: int, goal: int, pwm: int) -> bytes:
        """Goal and PWM that a servo takes: beyond its own limits it would keep those before."""
        near, far = self._goals[slot]
        return _GOAL.pack(min(max(goal, near), far), min(pwm, self._strongest[slot]))

    def close(self) -> None:
        """Close the port."""
        if self._port is not None:
            with contextlib.suppress(Exception):
                self._port.close()
            self._port = None

    def _sync_write(self, address: int, values: Sequence[bytes]) -> None:
        port, writer = self._opened(), self._writers.get(address)
        if writer is None:
            writer = self._writers[address] = self._sdk.GroupSyncWrite(
                port.handler, port.packets, address, len(values[0])
            )
            for number, value in zip(self._numbers, values, strict=True):
                writer.addParam(number, list(value))
        for number, value in zip(self._numbers, values, strict=True):
            writer.changeParam(number, list(value))
        try:
            writer.txPacket()
        except Exception as error:  # noqa: BLE001 - the SDK passes on whatever its serial library raises
            raise LinkLostError(f"the port is gone: {error}", place=self.place) from None

    def _read(self) -> list[int]:
        """Read all servos; gives the numbers of those that did not answer."""
        missing, port = list(self._numbers), self._opened()
        try:
            self._reader.txPacket()
            # The SDK's own reading gives up at the first servo that is silent; those behind it answer all the same.
            while missing:
                answer = port.next(PRESENT_BYTES)
                if answer is None:
                    break
                # Servos answer one behind the other: the SDK's own 34 ms after each would be four cycles.
                port.handler.setPacketTimeoutMillis(self._pause)
                if answer.data and answer.number in missing:
                    self._take(answer)
                    missing.remove(answer.number)
        except Exception as error:  # noqa: BLE001 - the SDK passes on whatever its serial library raises
            raise LinkLostError(f"the port is gone: {error}", place=self.place) from None
        return missing

    def _take(self, answer: ServoAnswer) -> None:
        """Keep what a servo tells of itself, and whether it raises its alert."""
        slot = self._numbers.index(answer.number)
        self._registers[PRESENT_BYTES * slot : PRESENT_BYTES * (slot + 1)] = answer.data
        if not answer.error & ALERT:
            self._alerts.discard(answer.number)
        elif answer.number not in self._alerts:
            self._alerts.add(answer.number)
            self._alerted = answer.number

    def _look_at_one(self) -> None:
        """Look at the hardware error status of one servo after the other, one in some cycles, now and then its heat."""
        self._looks += 1
        number, self._alerted = self._alerted, 0
        if not number:
            if self._looks % _LOOK_EVERY:
                return
            look = self._looks // _LOOK_EVERY
            if look % _HEAT_EVERY == 0:
                self._feel(self._numbers[(look // _HEAT_EVERY) % len(self._numbers)])
                return
            # Counted without those, or some servos would never be looked at.
            number = self._numbers[(look - look // _HEAT_EVERY) % len(self._numbers)]
        told = self._asked(number, TORQUE, self._status_bytes)
        if told is None or not told.good:
            return
        answer = told.data
        on, status = answer[0], answer[ERRORS - TORQUE]
        if status:
            found = ", ".join(text for bit, text in _ERRORS.items() if status & bit) or f"status {status:#04x}"
            # By its setting for shutdown a servo goes on with some of them, as with a voltage that sags.
            if on:
                self._note = f"servo {number} goes on, and tells of an error: {found}"
            else:
                self._mode = f"servo {number} has switched off: {found}"
        elif len(answer) == GUARDED_BYTES and answer[-1] == _TRIPPED:
            self._mode = f"servo {number} takes no goals any more: its bus watchdog has tripped"
        elif self._enabled and not on:
            self._mode = f"servo {number} has no torque any more: it began anew, or somebody switched it off"

    def _state(self) -> RobotState:
        state = self.codec.state(self._tick.to_bytes(4, "little") + bytes(self._registers))
        state.mode, state.note = self._mode or self._turned_out(), self._note
        state.temperature = self._heats.copy() if np.isfinite(self._heats).any() else None
        return state

    def _turned_out(self) -> str:
        """That a servo without torque was turned out of its one turn: it counts anew when torque goes on."""
        for slot, number in enumerate(self._numbers):
            at = _PRESENT.unpack_from(self._registers, PRESENT_BYTES * slot)[2]
            if self._one_turn[slot] and not self._enabled and not 0 <= at < _STEPS:
                return f"servo {number} was turned by hand to {at}, out of its one turn (0 to {_STEPS - 1})"
        return ""


def _problem(missing: Sequence[int], torn: int) -> str:
    """What was wrong with a reading of the bus, in words; empty: nothing came that could not be read."""
    if not missing or not torn:
        return ""
    return f"{torn} answers were damaged, of servo {', '.join(map(str, missing[:4]))} or on their way"
