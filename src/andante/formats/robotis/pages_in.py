"""Pages as a motion library: a block for each page, a motion for each page that has a name or that none leads to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import Field

from andante.documents.part import Part
from andante.formats.aibo.binary import Hexadecimal
from andante.formats.report import ReadReport
from andante.formats.robotis.names import FINE, JOINTS, ROBOT, Ticks
from andante.formats.robotis.page import (
    INVALID,
    SERVOS_HELD,
    TICK,
    TIME_BASE,
    TORQUE_OFF,
    UNIT,
    USUAL_ACCEL,
    USUAL_GAIN,
    USUAL_SPEED,
    ActionPage,
    PageStep,
    is_played,
)
from andante.formats.robotis.play import PlayedStep, played
from andante.formats.shared.single import free_name
from andante.formats.shared.steps import keyframe_of
from andante.motions.extras import Kind
from andante.motions.keyframe import Block, JointTarget, Keyframe
from andante.motions.library import FollowUp, Motion, MotionLibrary

KIND: Kind = "robotis"
"""Kind of the extras."""
LONGEST_NAME = 1000
"""Most bytes of a name in text; 14 fit into a page of bytes."""
_MOST_PLAYS = 500
MOST_UNITS = 100_000_000
"""Most units of a time in text; a byte holds 255."""


class PageExtras(Part):
    """What a block's extras may say of its page."""

    page: int = Field(ge=1, le=255)
    name: Hexadecimal | None = Field(default=None, max_length=LONGEST_NAME)
    """The bytes of its name, where they are not those of the block's."""
    keyed: str = ""
    """The block's name that ``name`` goes with."""
    repeat: int = Field(default=1, ge=0, le=255)
    schedule: int = Field(default=TIME_BASE, ge=0, le=255)
    speed: int = Field(default=USUAL_SPEED, ge=0, le=255)
    accel: int = Field(default=USUAL_ACCEL, ge=0, le=255)
    next: int = Field(default=0, ge=0, le=255)
    exit: int = Field(default=0, ge=0, le=255)
    gains: Hexadecimal = Field(
        default=bytes((USUAL_GAIN,) * SERVOS_HELD), min_length=SERVOS_HELD, max_length=SERVOS_HELD
    )
    reserved: Hexadecimal = Field(default=bytes(11), min_length=11, max_length=11)
    unused: Hexadecimal = Field(default=b"", max_length=7 * 64)
    coarse: bool = False
    """Whether its servos count 1024 ticks in 300 degrees."""


class StepExtras(Part):
    """What a keyframe's extras may say of its step."""

    time: int | None = Field(default=None, ge=0, le=MOST_UNITS)
    """The step's time, where the duration does not tell it."""
    pause: int | None = Field(default=None, ge=0, le=MOST_UNITS)
    """The pause that a keyframe stands for; None: it is a step."""
    raw: dict[int, int] = Field(default_factory=dict, max_length=SERVOS_HELD)
    """Positions by servo that the joints' targets do not tell."""


def library_of(
    pages: Mapping[int, ActionPage], ticks: Ticks, file: str, report: ReadReport, *, usual: str = ROBOT
) -> MotionLibrary:
    """The library of the pages of a file by number.

    Args:
        pages: Pages by number, of which empty ones may be left out.
        ticks: How the servos count.
        file: The file, for remarks.
        report: Takes the remarks.
        usual: The robot that is taken where nobody asks for one.
    """
    used = {number: page for number, page in pages.items() if number and is_played(page)}
    names: dict[int, str] = {}
    for number, page in used.items():
        names[number] = free_name(name_text(page.name) or f"page_{number}", names.values())
    blocks: dict[str, Block] = {}
    for number, page in used.items():
        blocks[names[number]] = block_of_page(page, number, names[number], ticks, _teller(report, file, number))
    ways = {number: chain_of(used, number) for number in used}
    led_to = {page.next for number, page in used.items() if page.next != number}
    shown = {number for number, page in used.items() if page.name.strip() or number not in led_to}
    for number in sorted(used):
        reached = {each for first in shown for each in ways[first][0]}
        shown |= {number} - reached  # pages without names that lead to each other only
    while more := {ways[number][1] for number in shown} - shown - {0}:
        shown |= more
    motions = {}
    for number in sorted(shown):
        chain, again = ways[number]
        tell = _teller(report, file, number)
        last, then = _end_of(used, number)
        if then in used:
            tell(f"it leads to page {then} again and ends only when the robot is told to stop")
        elif then:
            tell(f"it ends with page {last}, whose next page {then} has no steps")
        motions[names[number]] = motion_of(used, names, chain, again)
    if not motions:
        report.warn("no page of the file has steps to play", file)
    robot = report.robot
    if not robot:
        report.warn(f"the file does not name its robot; {usual!r} is taken", file)
    return MotionLibrary(robot=robot or usual, motions=motions, blocks=blocks)


def _teller(report: ReadReport, file: str, number: int) -> Callable[[str], None]:
    return lambda text: report.warn(text, file, inside=f"page {number}")


def chain_of(pages: Mapping[int, ActionPage], number: int) -> tuple[list[int], int]:
    """The pages of the motion that begins with one, each once, and the one that another motion goes on with; 0: none.

    A motion ends before a page that it has already, and where its plays would be more than anybody reads.
    """
    chain: list[int] = []
    plays = 0
    while number in pages:
        plays += pages[number].repeat
        if number in chain or (chain and plays > _MOST_PLAYS):
            return chain, number
        chain.append(number)
        number = pages[number].next
    return chain, 0


def _end_of(pages: Mapping[int, ActionPage], number: int) -> tuple[int, int]:
    """The last page that is played from one on before pages repeat, and the one that it leads to; 0: none."""
    seen: set[int] = set()
    last = number
    while number in pages and number not in seen:
        seen.add(number)
        last, number = number, pages[number].next
    return last, number


def motion_of(pages: Mapping[int, ActionPage], names: Mapping[int, str], chain: Sequence[int], again: int) -> Motion:
    """The motion of a chain of pages."""
    blocks = tuple(names[each] for each in chain for _ in range(pages[each].repeat))
    return Motion(blocks=blocks, follow_ups=(FollowUp(motion=names[again]),) if again else ())


def block_of_page(page: ActionPage, number: int, name: str, ticks: Ticks, tell: Callable[[str], None]) -> Block:
    """The block of a page.

    Args:
        page: The page.
        number: Its number.
        name: The block's name.
        ticks: How the servos count.
        tell: Takes remarks.
    """
    keyframes: list[Keyframe] = []
    strange: set[int] = set()
    off: set[str] = set()
    beyond: set[str] = set()
    for step, how in zip(page.steps, played(page, ticks, tell), strict=True):
        keyframes += _keyframes(step, how, ticks)
        strange |= {servo for servo, value in enumerate(step.positions) if servo not in JOINTS and not value & INVALID}
        live = {servo: step.positions[servo] for servo in JOINTS if not step.positions[servo] & INVALID}
        off |= {JOINTS[servo] for servo, value in live.items() if value & TORQUE_OFF}
        beyond |= {JOINTS[each] for each, value in live.items() if not value & TORQUE_OFF and value >= ticks.count}
    if strange:
        tell(f"no joint is known of servo {', '.join(map(str, sorted(strange)))}; its positions are kept, not played")
    if off:
        tell(f"the torque of {', '.join(sorted(off))} is off in some steps, which OP3's own software does not look at")
    if beyond:
        tell(f"positions of {', '.join(sorted(beyond))} are beyond the servo's {ticks.count} ticks")
    said = PageExtras(
        page=number,
        name=None if name_bytes(name) == page.name else page.name,
        keyed="" if name_bytes(name) == page.name else name,
        repeat=page.repeat,
        schedule=page.schedule,
        speed=page.speed,
        accel=page.accel,
        next=page.next,
        exit=page.exit,
        gains=bytes(page.gains),
        reserved=page.reserved,
        unused=unused_bytes(page.unused),
        coarse=ticks != FINE,
    )
    return Block(keyframes=tuple(keyframes), extras={KIND: said.model_dump(mode="json", exclude_defaults=True)})


def unused_bytes(steps: Sequence[PageStep]) -> bytes:
    """The steps that are not played, as they stand in the file."""
    return b"".join(
        b"".join(value.to_bytes(2, "little") for value in step.positions) + bytes((step.pause, step.time))
        for step in steps
    )


def _keyframes(step: PageStep, how: PlayedStep, ticks: Ticks) -> list[Keyframe]:
    joints: dict[str, JointTarget] = {}
    raw: dict[int, int] = {}
    for servo, value in enumerate(step.positions):
        joint = JOINTS.get(servo)
        if joint is None or value & INVALID:
            usual = INVALID
        elif value & TORQUE_OFF:
            usual, joints[joint] = TORQUE_OFF, "off"
        else:
            usual, joints[joint] = value & TICK, ticks.angle(value & TICK)
        if value != usual:
            raw[servo] = value
    time = None if step.time == how.units else step.time
    said = StepExtras(time=time, raw=raw)
    frames = [_keyframe(how.units, joints, said, how)]
    if step.pause:
        frames.append(_keyframe(how.pause, joints, StepExtras(pause=step.pause), how))
    return frames


def _keyframe(units: int, joints: Mapping[str, JointTarget], said: StepExtras, how: PlayedStep) -> Keyframe:
    data: dict[str, Any] = said.model_dump(mode="json", exclude_defaults=True)
    extras = {KIND: data} if data else {}
    return keyframe_of(duration_of(units), joints, extras=extras, interpolation=how.way)


def duration_of(units: int) -> float:
    """The duration of a count of 8 ms [s]; 0.2 for 25, as people write it."""
    return units * round(UNIT * 1000.0) / 1000.0


def name_text(raw: bytes) -> str:
    """A page's name as text; bytes that are no UTF-8 count as Latin-1, control characters as spaces."""
    raw = raw.split(b"\0", 1)[0]
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()


def name_bytes(name: str) -> bytes:
    """A page's name as bytes."""
    return name.encode("utf-8", errors="replace")
