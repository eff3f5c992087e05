"""Servo buses whose answers come late, damaged or amid noise: each answer counts for its own question only."""

from __future__ import annotations

import threading
import time
from contextlib import closing

import numpy as np
import pytest
from servo_buses import NUMBERS, Bus, servos

from andante.backends.backend import LinkLostError
from andante.backends.hardware.backend import HardwareBackend, LinkSettings
from andante.backends.hardware.dynamixel import PRESENT_BYTES, DynamixelCodec
from andante.backends.hardware.dynamixel_port import ServoPort
from andante.backends.hardware.joint_map import JointMap
from andante.robots.robot import Robot


@pytest.mark.slow
def test_an_answer_that_comes_late_is_none_to_the_next_question(bus: Bus) -> None:
    with closing(servos(bus)) as link:
        link.open(5.0)
        bus.late = frozenset(NUMBERS)
        for _ in range(80):
            state = link.receive(link.now() + 0.5)
            # Speeds and angles that pass for torque and hardware errors would drop the robot.
            assert state is None or not (state.mode and "switched off" in state.mode), state.mode
            assert state is None or not state.note


@pytest.mark.slow
def test_answers_that_are_damaged_are_told_where_the_link_is_lost_by_them(bus: Bus) -> None:
    robot = Robot.load("bootcamp-leg")
    names = robot.joint_names
    numbers = NUMBERS[: len(names)]
    link = servos(bus, numbers)
    link.codec = DynamixelCodec(names, 0.01, np.ones(len(names)), np.ones(len(names)))
    backend = HardwareBackend(robot, link, JointMap.of(robot, names), LinkSettings(lost_after=0.3))
    with closing(backend):
        backend.reset(0)
        backend.looked_at(0.1)
        bus.damages = frozenset(NUMBERS)
        with pytest.raises(LinkLostError, match=r"no state has come.*answers were damaged, of servo 11"):
            backend.looked_at(2.0)


def test_one_damaged_answer_costs_no_other(bus: Bus) -> None:
    with closing(servos(bus)) as link:
        link.open(5.0)
        bus.damages = frozenset({3})
        read = link.traffic.read
        for _ in range(5):
            assert link.receive(link.now() + 0.5) is not None
        assert 4 * (len(NUMBERS) - 1) <= link.traffic.read - read <= 5 * (len(NUMBERS) - 1)
        assert "of servo 3" in link.traffic.problem


def test_noise_without_end_holds_up_no_cycle_for_long(bus: Bus) -> None:
    with closing(servos(bus)) as link:
        link.open(5.0)
        bus.noisy = True
        hum = threading.Thread(target=bus.hum)
        hum.start()
        # Whoever would read for ever reads until then.
        end = threading.Timer(10.0, lambda: setattr(bus, "noisy", False))
        end.start()
        for _ in range(3):
            begin = time.monotonic()
            assert link.receive(begin + 0.02) is None
            assert time.monotonic() - begin < 3.0
        end.cancel()
        bus.noisy = False
        hum.join()
        assert link.traffic.broken == 3 * len(NUMBERS)
        assert "damaged" in link.traffic.problem


@pytest.mark.parametrize("step", [-3600.0, 3600.0])
def test_a_clock_that_is_set_neither_ends_nor_prolongs_the_time_for_an_answer(
    monkeypatch: pytest.MonkeyPatch, step: float
) -> None:
    port = ServoPort(pytest.importorskip("dynamixel_sdk"), "no port", 1_000_000, 0.001)
    true = time.time
    port.handler.setPacketTimeoutMillis(200.0)
    monkeypatch.setattr(time, "time", lambda: true() + step)
    assert not port.handler.isPacketTimeout()
    time.sleep(0.21)
    assert port.handler.isPacketTimeout()


def test_an_answer_of_another_length_or_an_error_is_told_as_that(bus: Bus) -> None:
    sdk = pytest.importorskip("dynamixel_sdk")
    port = ServoPort(sdk, bus._path, 1_000_000, 0.001)
    assert port.open()
    answer = port.read(11, 126, PRESENT_BYTES)
    assert answer is not None
    assert (answer.number, len(answer.data), answer.good) == (11, PRESENT_BYTES, True)
    model = port.ping(3)
    assert model is not None
    assert int.from_bytes(model.data[:2], "little") == 0x0406
    assert port.ping(200) is None
    bus.late = frozenset({7})
    assert port.read(7, 126, PRESENT_BYTES) is None
    assert port.read(7, 146, 1) is None
    port.close()
