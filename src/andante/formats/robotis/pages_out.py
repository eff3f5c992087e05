"""A motion library as pages: those that were read and still say the same as they were, all others anew."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from andante.formats.report import FormatError, Losses
from andante.formats.robotis.names import COARSE, FINE, SERVOS, Ticks
from andante.formats.robotis.page import (
    EMPTY,
    INVALID,
    MOST_STEPS,
    NAME_BYTES,
    PAGES,
    SERVOS_HELD,
    TICK,
    TORQUE_OFF,
    UNIT,
    USUAL_SPEED,
    ActionPage,
    PageStep,
    is_played,
)
from andante.formats.robotis.pages_in import (
    KIND,
    PageExtras,
    StepExtras,
    block_of_page,
    chain_of,
    motion_of,
    name_bytes,
    name_text,
)
from andante.formats.shared.losses import kept
from andante.formats.shared.steps import Holds, OutgoingKeyframe, block_of, steps_of, true_duration
from andante.motions.keyframe import Block, Interpolation, JointTarget, Keyframe
from andante.motions.library import FollowUp, Motion, MotionLibrary

_MOST = 255
_MOST_FACTOR = 7
_SMOOTH = 255
"""Acceleration of pages that are sines: every step speeds up to its middle."""
_LEAST_SMOOTH = 3
"""Units below which a step with acceleration does not move in time."""
_STEP_BYTES = 64
_NAMED = 4
_ROUNDING = 1e-9
_WAYS = (Interpolation.LINEAR, Interpolation.SINE_MIN_TO_MAX)


@dataclass
class _Sheet:
    """Steps on their way to one page."""

    factor: int
    """How many times 8 ms a step's time counts."""
    accel: int
    steps: list[PageStep] = field(default_factory=list)


def pages_of(library: MotionLibrary, losses: Losses, usual: Ticks = FINE) -> tuple[dict[int, ActionPage], Ticks]:
    """The pages of a library by number, and how their servos count.

    Args:
        library: The library, with a motion at least.
        losses: Takes what is not held.
        usual: How the servos count where no block came from a page.

    Raises:
        FormatError: It has no servo's joint, needs more pages than a file has, or a block is missing.
    """
    named = {joint for block in library.blocks.values() for each in block.keyframes for joint in each.joints}
    if named and not named & SERVOS.keys():
        remedy = "name the robot (--robot) whose pack lists these names as aliases of its joints"
        what = "none of the joints is a servo of ROBOTIS's robots"
        raise FormatError(what, value=", ".join(sorted(named)[:_NAMED]), legal=SERVOS, remedy=remedy)
    said = {
        name: kept(PageExtras, block.extras, KIND, f"blocks.{name}", losses)
        for name, block in library.blocks.items()
        if KIND in block.extras and "page" in block.extras[KIND]
    }
    ticks = usual
    if said:
        ticks = COARSE if any(each.coarse for each in said.values()) else FINE
    again = _again(library, said, ticks)
    names = {number: name for name, (number, _) in again.items()}
    kept_pages = dict(again.values())
    pages: dict[int, ActionPage] = {}
    fresh: list[str] = []
    for name, motion in library.motions.items():
        if _stays(motion, again, kept_pages, names):
            new = tuple(block for block in dict.fromkeys(motion.blocks) if again[block][0] not in pages)
            each = library.but(motions={name: motion.but(blocks=new)})
            steps_of(each, name, losses, Holds(("blocks", "follow_ups"), ("extras",), KIND, off=True, ways=_WAYS))
            pages |= {again[block][0]: again[block][1] for block in motion.blocks}
        else:
            fresh.append(name)
    starts = {name: again[motion.blocks[0]][0] for name, motion in library.motions.items() if name not in fresh}
    sheets = {name: _sheets(library, name, ticks, losses) for name in fresh}
    for name in fresh:
        starts[name] = _number(
            pages, said.get(library.motions[name].blocks[0]) if library.motions[name].blocks else None
        )
        pages[starts[name]] = EMPTY
    for name in fresh:
        _write_sheets(library, name, sheets[name], starts, pages, said, losses)
    missing = {page.exit for page in pages.values() if page.exit and page.exit not in pages}
    if missing:
        text = f"the page to leave by ({', '.join(map(str, sorted(missing)))}) is not among the motions and not named"
        losses.add("", text)
        pages = {number: replace(page, exit=0 if page.exit in missing else page.exit) for number, page in pages.items()}
    return pages, ticks


def _again(library: MotionLibrary, said: Mapping[str, PageExtras], ticks: Ticks) -> dict[str, tuple[int, ActionPage]]:
    """The pages that blocks were read from, of those whose blocks still say what the page says."""
    result: dict[str, tuple[int, ActionPage]] = {}
    taken: set[int] = set()
    for name, extras in said.items():
        block = library.blocks[name]
        if extras.page in taken or extras.coarse != (ticks == COARSE):
            continue
        page = _page_again(block, name, extras, ticks)
        if page is None:
            continue
        read = block_of_page(page, extras.page, name, ticks, lambda text: None)
        same = len(read.keyframes) == len(block.keyframes)
        if same and all(map(_alike, read.keyframes, block.keyframes)):
            result[name] = extras.page, page
            taken.add(extras.page)
    return result


def _alike(one: Keyframe, other: Keyframe) -> bool:
    """Whether two keyframes ask for the same, but for what a document's units round off."""
    if one.interpolation != other.interpolation or one.joints.keys() != other.joints.keys():
        return False
    return abs(true_duration(one) - true_duration(other)) < _ROUNDING and all(
        value == other.joints[joint] or _near(value, other.joints[joint]) for joint, value in one.joints.items()
    )


def _near(one: JointTarget, other: JointTarget) -> bool:
    return not isinstance(one, str) and not isinstance(other, str) and abs(one - other) < _ROUNDING


def _page_again(block: Block, name: str, extras: PageExtras, ticks: Ticks) -> ActionPage | None:
    """The page that a block was read from, as the block is now; None where it cannot be one."""
    steps: list[PageStep] = []
    silent = Losses()
    for keyframe in block.keyframes:
        said = kept(StepExtras, keyframe.extras, KIND, "", silent)
        if said.pause is not None and steps:
            if said.pause > _MOST:
                return None
            steps[-1] = replace(steps[-1], pause=said.pause)
            continue
        units = round(true_duration(keyframe) / UNIT)
        time = units if said.time is None else said.time
        if time > _MOST or len(steps) == MOST_STEPS:
            return None
        steps.append(PageStep(_positions(keyframe, said, ticks, "", silent, fresh=False), 0, time))
    if silent.texts:
        return None
    bytes_ = name_bytes(name) if extras.name is None or extras.keyed != name else extras.name
    if len(bytes_) > NAME_BYTES + (extras.name is not None):
        return None
    unused = tuple(_unused_steps(extras.unused))
    return ActionPage(
        name=bytes_,
        repeat=extras.repeat,
        schedule=extras.schedule,
        speed=extras.speed,
        accel=extras.accel,
        next=extras.next,
        exit=extras.exit,
        gains=tuple(extras.gains),
        steps=tuple(steps),
        unused=unused,
        reserved=extras.reserved,
    )


def _unused_steps(raw: bytes) -> list[PageStep]:
    parts = [raw[at : at + _STEP_BYTES] for at in range(0, len(raw) - _STEP_BYTES + 1, _STEP_BYTES)]
    return [PageStep(struct.unpack("<31H", part[:-2]), part[-2], part[-1]) for part in parts]


def _stays(
    motion: Motion,
    again: Mapping[str, tuple[int, ActionPage]],
    pages: Mapping[int, ActionPage],
    names: Mapping[int, str],
) -> bool:
    """Whether a motion's pages are played as it says."""
    if not motion.blocks or any(block not in again for block in motion.blocks):
        return False
    first = again[motion.blocks[0]][0]
    playable = {number: page for number, page in pages.items() if is_played(page)}
    chain, back = chain_of(playable, first)
    if not chain:
        return False
    read = motion_of(playable, names, chain, back)
    return read.blocks == motion.blocks and read.follow_ups == motion.follow_ups


def _positions(
    keyframe: Keyframe, said: StepExtras, ticks: Ticks, place: str, losses: Losses, *, fresh: bool
) -> tuple[int, ...]:
    """A step's positions."""
    positions = [INVALID] * SERVOS_HELD
    for joint, value in keyframe.joints.items():
        servo = SERVOS.get(joint)
        if servo is None:
            losses.count(place, f"joint {joint}", f"joint {joint!r} is of no servo and not held")
        elif value == "off":
            positions[servo] = TORQUE_OFF
        elif not isinstance(value, str):
            tick = ticks.tick(value)
            if not 0 <= tick < (ticks.count if fresh else TICK + 1):
                text = f"angles beyond the servo's {ticks.count} ticks become the last"
                losses.count(place, "beyond", text, f"{joint} {value:.6g} rad")
                tick = min(max(tick, 0), ticks.count - 1)
            elif abs(ticks.angle(tick) - value) > _ROUNDING:
                losses.count(place, "ticks", f"angles become whole ticks of 1/{ticks.count} of the servo's range")
            positions[servo] = tick
    for servo, value in said.raw.items():
        mask = positions[servo] & (INVALID | TORQUE_OFF) if 0 <= servo < SERVOS_HELD else None
        if mask is not None and 0 <= value <= 0xFFFF and (not mask or value & mask or servo not in SERVOS.values()):
            positions[servo] = value
    return tuple(positions)


def _sheets(library: MotionLibrary, name: str, ticks: Ticks, losses: Losses) -> list[_Sheet]:
    """The steps of a motion that is written anew, page by page."""
    motion = library.motions[name]
    holds = Holds(("follow_ups",) if _linked(motion, library) else (), (), KIND, off=True, ways=_WAYS)
    sheets: list[_Sheet] = []
    for step in steps_of(library, name, losses, holds):
        wanted = step.duration / UNIT
        units = max(1, round(wanted))
        if _waits(step, sheets):
            last = sheets[-1].steps[-1]
            pause = last.pause + units * sheets[-1].factor
            if pause <= _MOST:
                _tell_time(wanted, units, step, losses)
                sheets[-1].steps[-1] = replace(last, pause=pause)
                continue
        factor = -(-units // _MOST)
        if factor > _MOST_FACTOR:
            most = _MOST * _MOST_FACTOR * UNIT
            losses.count(step.place, "long", f"a step takes {most:g} s at most", f"{step.duration:g} s")
            factor, units = _MOST_FACTOR, _MOST * _MOST_FACTOR
        time = round(units / factor)
        _tell_time(wanted, time * factor, step, losses)
        smooth = step.way is Interpolation.SINE_MIN_TO_MAX and units >= _LEAST_SMOOTH
        accel = _SMOOTH if smooth else 0
        if (
            not sheets
            or (sheets[-1].factor, sheets[-1].accel) != (factor, accel)
            or len(sheets[-1].steps) == MOST_STEPS
        ):
            sheets.append(_Sheet(factor, accel))
        positions = _positions(step.keyframe, StepExtras(), ticks, step.place, losses, fresh=True)
        sheets[-1].steps.append(PageStep(positions, 0, time))
    if not sheets:
        raise FormatError("a page needs at least one keyframe", inside=f"motions.{name}")
    return sheets


def _waits(step: OutgoingKeyframe, sheets: Sequence[_Sheet]) -> bool:
    """Whether a keyframe moves nothing, so that it is a pause behind the step before."""
    if not sheets or (not step.keyframe.joints and not step.held):
        return False
    if any(value == "off" for value in step.keyframe.joints.values()):
        return False
    return bool(step.keyframe.extras.get(KIND, {}).get("pause")) or _still(step)


def _still(step: OutgoingKeyframe) -> bool:
    return not any(not isinstance(value, str) for value in step.keyframe.joints.values())


def _tell_time(wanted: float, units: int, step: OutgoingKeyframe, losses: Losses) -> None:
    if abs(wanted - units) > 1e-6 * max(1.0, wanted):
        text = "times become whole units of the robot's clock of 8 ms"
        losses.count(step.place, "time", text, f"{wanted * UNIT:.6g} s become {units * UNIT:.6g} s")


def _linked(motion: Motion, library: MotionLibrary) -> bool:
    """Whether what follows a motion is always one that is written, too."""
    if not motion.follow_ups:
        return True
    first, *others = motion.follow_ups
    return not others and first == FollowUp(motion=first.motion) and first.motion in library.motions


def _number(pages: Mapping[int, ActionPage], said: PageExtras | None) -> int:
    """A page that is free: the one that was read, else the first."""
    led_to = {page.next for page in pages.values()}  # what ends at a page without steps would go on there
    if said is not None and said.page not in pages and said.page not in led_to:
        return said.page
    for number in range(1, PAGES):
        if number not in pages and number not in led_to:
            return number
    raise FormatError("the library needs more pages than a file has", limit=f"{PAGES - 1} pages of {MOST_STEPS} steps")


def _write_sheets(
    library: MotionLibrary,
    name: str,
    sheets: Sequence[_Sheet],
    starts: Mapping[str, int],
    pages: dict[int, ActionPage],
    said: Mapping[str, PageExtras],
    losses: Losses,
) -> None:
    motion = library.motions[name]
    first = block_of(library, name, motion.blocks[0])
    extras = said.get(motion.blocks[0]) if first.extras else None
    called = name_bytes(name)
    if len(called) > NAME_BYTES:
        called = called[:NAME_BYTES].decode("utf-8", errors="ignore").encode()
        text = f"a page's name has {NAME_BYTES} bytes at most; it becomes {name_text(called)!r}"
        losses.add(f"motions.{name}", text)
    end = motion.follow_ups[0].motion if motion.follow_ups and _linked(motion, library) else None
    number = starts[name]
    for index, sheet in enumerate(sheets):
        last = index == len(sheets) - 1
        pages[number] = EMPTY
        following = _number(pages, None) if not last else (starts[end] if end is not None else 0)
        pages[number] = ActionPage(
            name=called if index == 0 else b"",
            speed=USUAL_SPEED * sheet.factor,
            accel=sheet.accel,
            next=following,
            exit=extras.exit if extras is not None else 0,
            gains=EMPTY.gains if extras is None else tuple(extras.gains),
            steps=tuple(sheet.steps),
        )
        number = following
