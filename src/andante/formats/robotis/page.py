"""A page of ROBOTIS's motion files: up to seven steps of 31 servos, and how they are played.

Source: docs/sources/robotis.md, section 2.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from andante.formats.aibo.binary import Cursor
from andante.formats.report import FormatError

PAGE_BYTES = 512
"""Bytes of a page."""
PAGES = 256
"""Pages of a file; the first is not played."""
MOST_STEPS = 7
"""Most steps of a page."""
SERVOS_HELD = 31
"""Servos that a step has a position for, from number 0."""
NAME_BYTES = 13
"""Most bytes of a page's name."""
INVALID, TORQUE_OFF, TICK = 0x4000, 0x2000, 0x1FFF
"""Bits of a position: the step says nothing of the servo; its torque is off; the ticks."""
SPEED_BASE, TIME_BASE = 0, 0x0A
"""Schedules: a step's time is a speed; it is a count of 8 ms."""
USUAL_SPEED, USUAL_ACCEL, USUAL_GAIN = 32, 32, 0x55
"""What an empty page has."""
UNIT = 0.008
"""The clock of the robot's software [s]."""

_HEADER = struct.Struct("<14s B B B 3s B B B B B B B 4s B 31s B")
_STEP = struct.Struct("<31H B B")
_GOOD_SUM = 0xFF
_CHECKSUM_AT = 31


@dataclass(frozen=True)
class PageStep:
    """One step of a page."""

    positions: tuple[int, ...] = (INVALID,) * SERVOS_HELD
    """Ticks and bits by the servo's number."""
    pause: int = 0
    """Wait behind the step, in 8 ms at speed 32."""
    time: int = 0
    """How long the step takes, in 8 ms at speed 32; a speed where the page's schedule says so."""


EMPTY_STEP = PageStep()
"""A step that says nothing."""


@dataclass(frozen=True)
class ActionPage:
    """One page."""

    name: bytes = b""
    """Its name: up to 14 bytes, without the zeros behind."""
    repeat: int = 1
    """How often it is played; 0: never."""
    schedule: int = TIME_BASE
    """What a step's time is."""
    speed: int = USUAL_SPEED
    """32: as the steps say."""
    accel: int = USUAL_ACCEL
    """How long joints speed up and slow down in a step, in 8 ms."""
    next: int = 0
    """The page played behind it; 0: none."""
    exit: int = 0
    """The page played when the robot is told to stop; 0: none."""
    gains: tuple[int, ...] = (USUAL_GAIN,) * SERVOS_HELD
    """Compliance (DARwIn-OP) or gain by the servo's number."""
    steps: tuple[PageStep, ...] = ()
    """The steps that are played."""
    unused: tuple[PageStep, ...] = field(default=())
    """The steps behind them."""
    reserved: bytes = bytes(11)
    """Bytes that nobody has published a meaning of."""


def page_of(raw: bytes, file: str, number: int) -> ActionPage:
    """Return a page of 512 bytes.

    Args:
        raw: The page.
        file: The file, for messages.
        number: The page's number, for messages.

    Raises:
        FormatError: It counts more steps than a page has.
    """
    cursor = Cursor(raw, file, f"page {number}")
    values = _HEADER.unpack(cursor.take(_HEADER.size, "the page's header"))
    name, first, repeat, schedule, second, count, third, speed, fourth, accel, following, leaving, fifth = values[:13]
    _, gains, sixth = values[13:]
    if count > MOST_STEPS:
        raise cursor.error("the page counts more steps than it has", 20, value=count, limit=f"0 to {MOST_STEPS}")
    steps = []
    for index in range(MOST_STEPS):
        *positions, pause, time = _STEP.unpack(cursor.take(_STEP.size, f"step {index}"))
        steps.append(PageStep(tuple(positions), pause, time))
    return ActionPage(
        name=name.rstrip(b"\0"),
        repeat=repeat,
        schedule=schedule,
        speed=speed,
        accel=accel,
        next=following,
        exit=leaving,
        gains=tuple(gains),
        steps=tuple(steps[:count]),
        unused=_unused(steps[count:]),
        reserved=bytes((first, *second, third, fourth, *fifth, sixth)),
    )


def _unused(steps: list[PageStep]) -> tuple[PageStep, ...]:
    return () if all(step == EMPTY_STEP for step in steps) else tuple(steps)


def page_bytes(page: ActionPage) -> bytes:
    """Return the 512 bytes of a page, with the checksum that ROBOTIS's software asks for.

    Raises:
        FormatError: It has too many steps.
    """
    rest = MOST_STEPS - len(page.steps)
    if rest < 0:
        raise FormatError("a page holds seven steps", value=len(page.steps), limit=f"{MOST_STEPS}")
    kept = page.reserved
    header = _HEADER.pack(
        page.name,
        kept[0],
        page.repeat,
        page.schedule,
        kept[1:4],
        len(page.steps),
        kept[4],
        page.speed,
        kept[5],
        page.accel,
        page.next,
        page.exit,
        kept[6:10],
        0,
        bytes(page.gains),
        kept[10],
    )
    more = (*page.unused, *(EMPTY_STEP,) * rest)[:rest]
    steps = b"".join(_STEP.pack(*step.positions, step.pause, step.time) for step in (*page.steps, *more))
    raw = bytearray(header + steps)
    raw[_CHECKSUM_AT] = (_GOOD_SUM - sum(raw)) & 0xFF
    return bytes(raw)


def checksum_holds(raw: bytes) -> bool:
    """Whether all bytes of a page have the sum that ROBOTIS's software asks for."""
    return sum(raw) & 0xFF == _GOOD_SUM


EMPTY = ActionPage()
"""A page that is not used."""


def is_played(page: ActionPage) -> bool:
    """Whether starting a page moves anything."""
    return page.repeat > 0 and bool(page.steps)
