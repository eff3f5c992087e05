"""Steering by the keys of a terminal: a pseudo-terminal stands in for it."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import termios
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.runs.live.keyboard import Keyboard
from andante.runs.live.source import SourceError, SourceLostError, SteeringWish

GAITS = ("trot", "pace", "bound")


@pytest.fixture
def ends() -> Iterator[tuple[int, int]]:
    """The end that a person types at, and the terminal."""
    hand, terminal = pty.openpty()
    yield hand, terminal
    for end in (hand, terminal):
        with contextlib.suppress(OSError):
            os.close(end)


def typed(ends: tuple[int, int], *keys: bytes) -> list[SteeringWish]:
    """What is wished after each lot of keys."""
    wishes = []
    with Keyboard(ends[1]) as keyboard:
        keyboard.begin(GAITS)
        for lot in keys:
            os.write(ends[0], lot)
            wishes.append(keyboard.poll())
    return wishes


def test_keys_change_what_is_asked_by_steps_and_it_stays(ends) -> None:
    assert typed(ends, b"", b"w", b"wW", b"s", b"a", b"dd") == [
        SteeringWish(),
        SteeringWish(forward=0.1),
        SteeringWish(forward=0.3),
        SteeringWish(forward=0.2),
        SteeringWish(forward=0.2, lateral=0.1),
        SteeringWish(forward=0.2, lateral=-0.1),
    ]


@pytest.mark.parametrize("head", [b"\x1b[", b"\x1bO", b"\x1b[1;5"])
def test_arrows_of_any_terminal_move_and_turn(ends, head: bytes) -> None:
    assert typed(ends, head + b"A", head + b"D", head + b"C" + head + b"C", head + b"B") == [
        SteeringWish(forward=0.1),
        SteeringWish(forward=0.1, turn=0.1),
        SteeringWish(forward=0.1, turn=-0.1),
        SteeringWish(turn=-0.1),
    ]


def test_a_sequence_may_come_in_two_parts(ends) -> None:
    assert typed(ends, b"\x1b", b"[", b"A") == [SteeringWish(), SteeringWish(), SteeringWish(forward=0.1)]


def test_escape_alone_does_not_swallow_the_keys_after_it(ends) -> None:
    assert typed(ends, b"\x1b", b"w", b"\x1b[\x1bs")[-2:] == [SteeringWish(forward=0.1), SteeringWish()]


def test_shares_end_at_one(ends) -> None:
    assert typed(ends, 25 * b"w", 60 * b"s") == [SteeringWish(forward=1.0), SteeringWish(forward=-1.0)]


def test_space_stands_and_q_ends(ends) -> None:
    assert typed(ends, b"waw ", b"wq", b"") == [SteeringWish(), SteeringWish(over=True), SteeringWish(over=True)]


def test_digits_choose_gaits_that_there_are(ends) -> None:
    assert [wish.gait for wish in typed(ends, b"3", b"1", b"409")] == ["bound", "trot", "trot"]


@given(st.lists(st.binary(max_size=12), max_size=12))
def test_whatever_is_typed_shares_stay_shares(lots: list[bytes]) -> None:
    keyboard = Keyboard()
    keyboard.begin(GAITS)
    for lot in lots:
        keyboard._take(lot)
    wish = keyboard._wish
    assert all(abs(share) <= 1.0 for share in (wish.forward, wish.lateral, wish.turn))
    keyboard._take(b"\x1b\x1b" + 32 * b" " + b" ")
    keyboard._take(b"www")
    assert keyboard._wish.forward == pytest.approx(0.3) or keyboard._wish.over


def test_the_terminal_is_given_back_as_it_was(ends) -> None:
    before = termios.tcgetattr(ends[1])
    handler = signal.getsignal(signal.SIGHUP)
    with Keyboard(ends[1]):
        flags = termios.tcgetattr(ends[1])[3]
        assert not flags & (termios.ECHO | termios.ICANON)
        # Ctrl-C still ends the run.
        assert flags & termios.ISIG
    assert termios.tcgetattr(ends[1]) == before
    assert signal.getsignal(signal.SIGHUP) == handler


def test_a_closed_terminal_is_told(ends) -> None:
    with Keyboard(ends[1]) as keyboard:
        os.write(ends[0], b"w")
        assert keyboard.poll() == SteeringWish(forward=0.1)
        os.close(ends[0])
        for _ in range(2):
            with pytest.raises(SourceLostError, match=r"^the terminal was closed$"):
                keyboard.poll()


def test_a_hang_up_is_told(ends) -> None:
    with Keyboard(ends[1]) as keyboard:
        os.kill(os.getpid(), signal.SIGHUP)
        with pytest.raises(SourceLostError):
            keyboard.poll()


def test_what_is_no_terminal_is_refused() -> None:
    read, write = os.pipe()
    try:
        with pytest.raises(SourceError) as raised, Keyboard(read):
            pass
    finally:
        os.close(read)
        os.close(write)
    assert str(raised.value) == "standard input is no terminal, so no keys can be read from it; run it in one"
