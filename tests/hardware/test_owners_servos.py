"""Servo buses as their owners have them: numbers by joint, unplugged servos, servos that follow no goals."""

from __future__ import annotations

import math
import struct
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from servo_buses import NUMBERS, Bus, servos

from andante.backends.backend import BackendError, LinkLostError
from andante.backends.hardware.backend import HardwareBackend
from andante.backends.hardware.dynamixel import (
    ERRORS,
    GOAL,
    HEAT,
    MODE,
    TORQUE,
    DynamixelCodec,
    DynamixelLink,
    adapter_latency,
)
from andante.backends.hardware.packets import WireCommand
from andante.backends.world import WorldConfig
from andante.robots.robot import Robot
from andante.runs.backends.dynamixel import DynamixelBackend


def test_a_servo_that_is_unplugged_is_told_by_its_number_and_the_others_are_read_on(bus: Bus) -> None:
    link = servos(bus)
    _, state = link.open(5.0)
    np.testing.assert_allclose(state.position, [0.1, 0.2, 0.3], atol=1e-3)
    with pytest.raises(LinkLostError, match=r"exclusively lock.*does another program use it"):
        servos(bus).open(0.1)
    command = WireCommand.off(3)
    command.kp[:] = 1.0
    link.send(command)
    time.sleep(0.05)
    # The goal is there before the torque: what an earlier program has left is not followed.
    assert bus.written.index(GOAL) < bus.written.index(TORQUE)
    bus.unplugged = {11}
    for _ in range(60):
        found = link.receive(link.now() + 0.5)
        if found is not None and found.mode:
            break
    assert found is not None
    assert found.mode == "servo 11 does not answer any more: its plug, or its power"
    link.close()


def test_angles_whose_bytes_look_like_a_header_are_read(bus: Bus) -> None:
    link = servos(bus)
    link.open(5.0)
    # A speed of -1 and an angle of 2045 steps are FF FF FF FF FD 07: the servo stuffs a byte into them.
    bus.where, bus.speed = (-3 * math.tau / 4096, 0.2, 0.3), -0.229 * math.tau / 60.0
    time.sleep(0.05)
    # A busy machine may answer too late now and then: of some times fifteen readings, once all are whole.
    for _ in range(5):
        broken = link.traffic.broken
        tries = [link.receive(link.now() + 0.5) for _ in range(15)]
        states = [each for each in tries if each is not None]
        for state in states:
            np.testing.assert_allclose(state.position, [-0.0046, 0.2, 0.3], atol=1e-3)
        if len(states) == len(tries) and link.traffic.broken == broken:
            break
    else:
        pytest.fail(f"no fifteen readings without a broken one: {link.traffic}")
    link.close()


def test_a_silent_servo_does_not_hold_up_the_others(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    """After an answer the next one's time is a few milliseconds, and more by what the adapter keeps."""
    waits: list[float] = []
    link = servos(bus)
    link.open(5.0)
    assert link._port is not None
    set_timeout = link._port.handler.setPacketTimeoutMillis

    def watched(milliseconds: float) -> None:
        waits.append(milliseconds)
        set_timeout(milliseconds)

    monkeypatch.setattr(link._port.handler, "setPacketTimeoutMillis", watched)
    bus.unplugged = {7}
    assert link.receive(link.now() + 0.5) is not None
    assert link.traffic.broken >= 1
    assert waits
    assert max(waits) < 5.0
    link.close()


def test_an_adapter_with_a_timer_is_asked_for_it(tmp_path: Path) -> None:
    assert adapter_latency(str(tmp_path / "bus")) == (1.0 if sys.platform == "linux" else 16.0)


def test_servos_that_are_not_there_or_follow_no_goals_are_told(bus: Bus) -> None:
    link = servos(bus, (11, 4, 7))
    with pytest.raises(LinkLostError, match=r"servos 4 do not answer; there are 3, 7, 11;.*backend.numbers"):
        link.open(0.1)
    link.close()
    bus.mode = 16
    link = servos(bus)
    with pytest.raises(BackendError, match="servo 11 does not follow goal angles; got 'operating mode 16, PWM'"):
        link.open(5.0)
    link.close()


def test_numbers_of_servos_are_by_joint() -> None:
    robot = Robot.load("bootcamp-leg")
    names = robot.joint_names
    numbers = {name: 40 - index for index, name in enumerate(names)}
    kind = DynamixelBackend(type="dynamixel", numbers=numbers)
    assert kind._numbers(names) == tuple(numbers.values())
    for wrong, words in (
        ({**numbers, "tail": 3}, "the robot has no such joint; got 'tail'"),
        (dict.fromkeys(names, 1), "two joints have the same servo"),
        ({names[0]: 1}, f"a joint has no servo; got '{names[1]}'"),
    ):
        with pytest.raises(BackendError, match=words):
            DynamixelBackend(type="dynamixel", numbers=wrong).codec(robot)


def test_servos_tell_how_hot_they_are_when_they_are_found_and_later(bus: Bus) -> None:
    link = servos(bus)
    _, state = link.open(5.0)
    assert state.temperature is not None
    assert state.temperature.tolist() == [30.0, 35.0, 41.0]
    bus.heat = 72.0
    for _ in range(200):
        found = link.receive(link.now() + 0.5)
        if found is not None and found.temperature is not None and found.temperature[2] == 72.0:
            break
    else:
        pytest.fail("nobody asked again")
    link.close()
    assert DynamixelBackend(type="dynamixel").health.hot == 70.0


def test_the_registers_that_are_read_at_once_are_those_of_the_table() -> None:
    assert (MODE, TORQUE, ERRORS, HEAT) == (11, 64, 70, 146)
    assert struct.calcsize("<B5xB") == ERRORS - TORQUE + 1


def test_a_servo_that_tells_its_mode_only_when_it_is_asked_again_is_refused_by_it(bus: Bus) -> None:
    bus.mode, bus.lost = 1, 2
    link = servos(bus)
    with pytest.raises(BackendError, match="servo 11 does not follow goal angles; got 'operating mode 1, speed'"):
        link.open(5.0)
    link.close()
    bus.mode, bus.lost = 3, 10
    link = servos(bus)
    with pytest.raises(LinkLostError, match="servo 11 answers only now and then"):
        link.open(5.0)
    link.close()


def test_a_servo_whose_bus_watchdog_has_tripped_is_refused_and_told_later(bus: Bus) -> None:
    bus.registers = {98: b"\xff"}
    link = servos(bus)
    with pytest.raises(BackendError, match="servo 11 takes no goals: its bus watchdog has tripped"):
        link.open(5.0)
    link.close()
    bus.registers = {98: b"\x05"}
    link = servos(bus)
    link.open(5.0)
    bus.registers = {98: b"\xff"}
    assert "takes no goals any more" in later(link)
    link.close()


def later(link: DynamixelLink, most: int = 60) -> str:
    """What a bus tells in the next cycles of why it takes no commands."""
    for _ in range(most):
        found = link.receive(link.now() + 0.5)
        if found is not None and found.mode:
            return found.mode
    return ""


def test_a_servo_that_raises_its_alert_is_looked_at_at_once(bus: Bus) -> None:
    link = servos(bus)
    link.open(5.0)
    link._looks = 0
    bus.registers = {ERRORS: b"\x20"}
    bus.alert = True
    # Before it was asked in its turn.
    assert later(link, 3) == "servo 7 has switched off: overload"
    link.close()


def test_a_servo_that_goes_on_with_an_error_is_told_and_not_dropped(bus: Bus) -> None:
    link = servos(bus)
    link.open(5.0)
    command = WireCommand.off(3)
    command.kp[:] = 1.0
    link.send(command)
    time.sleep(0.05)
    bus.registers = {ERRORS: b"\x01"}
    found = None
    for _ in range(60):
        found = link.receive(link.now() + 0.5) or found
        if found is not None and found.note:
            break
    assert found is not None
    assert "goes on, and tells of an error: input voltage" in found.note
    assert not found.mode
    bus.registers = {ERRORS: b"\x21", TORQUE: b"\0"}
    assert "has switched off: input voltage, overload" in later(link)
    link.close()


def test_a_run_ends_below_the_temperature_at_which_servos_switch_themselves_off(bus: Bus) -> None:
    bus.registers = {31: b"\x46"}
    robot, kind = Robot.load("bootcamp-leg"), DynamixelBackend(type="dynamixel")
    made = kind.backend(robot, WorldConfig())
    assert isinstance(made, HardwareBackend)
    names = made.link.codec.slots
    codec = DynamixelCodec(names, 0.01, np.ones(len(names)), np.ones(len(names)))
    made.link = DynamixelLink(codec, bus._path, 1_000_000, NUMBERS[: len(names)])
    assert made.health.hot == 70.0
    made.reset(0)
    assert made.health.hot == 68.0
    made.close()


def test_goals_beyond_what_a_servo_takes_are_its_farthest(bus: Bus) -> None:
    bus.registers = {36: struct.pack("<H", 600), 48: struct.pack("<ii", 3000, 1000)}
    link = servos(bus)
    link.open(5.0)
    command = WireCommand.off(3)
    command.kp[:] = 1.0
    command.position[:] = (2.0, -2.0, 0.5)
    link.send(command)
    time.sleep(0.1)
    assert [int.from_bytes(each, "little") for each in bus._goals] == [3000, 1000, 2374]
    assert [int.from_bytes(each, "little") for each in bus._pwm] == [600] * 3
    link.close()


def test_a_servo_that_was_turned_out_of_its_turn_takes_no_commands_until_it_is_turned_back(bus: Bus) -> None:
    bus.where = (0.1, -3.3, 0.3)
    link = servos(bus)
    link.open(5.0)
    assert later(link) == "servo 3 was turned by hand to -103, out of its one turn (0 to 4095)"
    bus.where = (0.1, -3.0, 0.3)
    time.sleep(0.05)
    link.receive(link.now() + 0.5)
    assert not later(link, 3)
    link.close()
