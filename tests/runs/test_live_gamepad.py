"""Steering by a gamepad: a FIFO, a file or a made-up driver stands in for it."""

from __future__ import annotations

import errno
import os
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.runs.live import gamepad as module
from andante.runs.live.gamepad import Gamepad
from andante.runs.live.source import SourceError, SourceLostError, SteeringWish

AXIS, BUTTON, INITIAL = 2, 1, 0x80


def record(kind: int, number: int, value: int) -> bytes:
    return struct.pack("=IhBB", 12345, value, kind, number)


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    path = tmp_path / "js0"
    os.mkfifo(path)
    return path


def test_sticks_are_shares_with_a_dead_middle(fifo: Path) -> None:
    with Gamepad(fifo) as pad:
        # Nobody writes yet: the robot stands.
        assert pad.poll() == SteeringWish()
        with fifo.open("wb", buffering=0) as hand:
            hand.write(record(AXIS | INITIAL, 0, 0) + record(AXIS | INITIAL, 1, 0))
            assert pad.poll() == SteeringWish()
            # Up and to the left are negative.
            hand.write(record(AXIS, 1, -32767) + record(AXIS, 0, -32768) + record(AXIS, 3, 32767))
            assert pad.poll() == SteeringWish(1.0, 1.0, -1.0)
            # (0.55 - 0.1) / 0.9 = 0.5
            hand.write(record(AXIS, 1, round(0.55 * 32767)) + record(AXIS, 0, 3276) + record(AXIS, 3, -3276))
            assert pad.poll() == SteeringWish(-0.5, 0.0, 0.0)


def test_a_record_may_come_in_two_parts(fifo: Path) -> None:
    with Gamepad(fifo) as pad, fifo.open("wb", buffering=0) as hand:
        whole = record(AXIS, 1, -32767)
        hand.write(whole[:3])
        assert pad.poll() == SteeringWish()
        hand.write(whole[3:])
        assert pad.poll() == SteeringWish(forward=1.0)


def test_buttons_choose_gaits_and_end(fifo: Path) -> None:
    with Gamepad(fifo) as pad, fifo.open("wb", buffering=0) as hand:
        pad.begin(("trot", "pace", "bound"))
        chosen = []
        for number, value in ((5, 1), (5, 0), (5, 1), (5, 1), (4, 1), (9, 1)):
            hand.write(record(BUTTON, number, value))
            chosen.append(pad.poll().gait)
        assert chosen == ["pace", "pace", "bound", "trot", "bound", "bound"]
        hand.write(record(AXIS, 1, -32767) + record(BUTTON, 7, 1))
        assert pad.poll() == SteeringWish(gait="bound", over=True)


def test_buttons_that_are_held_when_the_device_is_opened_do_nothing(fifo: Path) -> None:
    with Gamepad(fifo) as pad, fifo.open("wb", buffering=0) as hand:
        hand.write(record(BUTTON | INITIAL, 7, 1))
        assert pad.poll() == SteeringWish()


def test_a_device_that_goes_is_told(fifo: Path) -> None:
    with Gamepad(fifo) as pad:
        with fifo.open("wb", buffering=0) as hand:
            hand.write(record(AXIS, 1, -32767))
            assert pad.poll().forward == 1.0
        with pytest.raises(SourceLostError) as raised:
            pad.poll()
    assert str(raised.value) == f"the gamepad {fifo} is gone: its end was reached"


def test_an_unplugged_device_is_told(fifo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unplugged(*_: object) -> bytes:
        raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))

    with Gamepad(fifo) as pad:
        monkeypatch.setattr(module.os, "read", unplugged)
        with pytest.raises(SourceLostError, match="is gone: No such device"):
            pad.poll()


def test_what_is_no_gamepad_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = tmp_path / "js7"
    for path, message in (
        (missing, f"{missing}: the gamepad cannot be opened; got 'No such file or directory'"),
        (tmp_path, f"{tmp_path}: is no joystick"),
        (Path("/dev/null"), "/dev/null: is no joystick; joysticks are /dev/input/js0 and so on"),
    ):
        with pytest.raises(SourceError) as raised, Gamepad(path):
            pass
        assert str(raised.value) == message
    monkeypatch.setattr(module, "DEVICES", tmp_path)
    with pytest.raises(SourceError) as raised, Gamepad():
        pass
    assert str(raised.value) == f"{tmp_path / 'js*'}: there is no gamepad; plug one in, or name its file"


def test_the_first_gamepad_is_taken_where_none_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DEVICES", tmp_path)
    for name in ("js1", "js0"):
        os.mkfifo(tmp_path / name)
    with Gamepad() as pad:
        assert pad.name == f"the gamepad {tmp_path / 'js0'}"


def test_the_driver_tells_name_and_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def driver(file: int, request: int, buffer: bytearray) -> None:
        """A pad whose right stick is RX (3) on axis 2, and whose start is button 3."""
        asked.append(request)
        number = request & 0xFF
        if number == 0x13:
            buffer[:8] = b"Old Pad\0"
        elif number == 0x32:
            buffer[:6] = bytes((0, 1, 3, 4, 16, 17))
        elif number == 0x34:
            struct.pack_into("=4H", buffer, 0, 0x130, 0x136, 0x137, 0x13B)

    with Gamepad(Path("/dev/null"), driver) as pad:
        assert pad.name == "Old Pad (/dev/null)"
        pad.begin(("trot", "pace"))
        pad._take(record(AXIS, 2, -32767) + record(BUTTON, 2, 1))
        assert pad._wish == SteeringWish(turn=1.0, gait="pace")
        pad._take(record(BUTTON, 3, 1))
        assert pad._wish.over
    # From linux/joystick.h: JSIOCGVERSION, JSIOCGNAME(80), JSIOCGAXMAP, JSIOCGBTNMAP.
    assert asked == [0x80046A01, 0x80506A13, 0x80406A32, 0x84006A34]


@given(st.lists(st.binary(max_size=40), max_size=8))
def test_whatever_comes_shares_stay_shares(lots: list[bytes]) -> None:
    pad = Gamepad()
    pad.begin(("trot", "pace"))
    for lot in lots:
        pad._take(lot)
        wish = pad._wish
        assert all(abs(share) <= 1.0 for share in (wish.forward, wish.lateral, wish.turn))
        assert wish.gait in (None, "trot", "pace")
