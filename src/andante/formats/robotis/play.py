"""How long the steps of a page take and along which curve, as the software of ROBOTIS's robots plays them.

Source: docs/sources/robotis.md, section 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from andante.formats.robotis.names import JOINTS, Ticks
from andante.formats.robotis.page import (
    INVALID,
    SPEED_BASE,
    TICK,
    TIME_BASE,
    TORQUE_OFF,
    USUAL_SPEED,
    ActionPage,
    PageStep,
)
from andante.motions.keyframe import Interpolation

_SLOW_SHARE = 0.15
"""From this share of a step in acceleration on a sine is nearer to its curve than a straight line."""


@dataclass(frozen=True)
class PlayedStep:
    """How a step is played."""

    units: int
    """Time to the target, in 8 ms."""
    pause: int
    """Wait there, in 8 ms."""
    way: Interpolation
    """The nearest curve."""


def played(page: ActionPage, ticks: Ticks, tell: Callable[[str], None]) -> list[PlayedStep]:
    """How each step of a page is played.

    Args:
        page: The page.
        ticks: How its servos count.
        tell: Takes a sentence on what is taken otherwise than the page says.
    """
    speed = page.speed
    if speed == 0:
        tell(f"its speed is 0, which no robot can play; {USUAL_SPEED} is taken")
        speed = USUAL_SPEED
    if page.schedule not in (SPEED_BASE, TIME_BASE):
        tell(f"its schedule {page.schedule:#x} is unknown; the times of its steps are taken as times")
    before: dict[int, int] = {}
    if page.schedule == SPEED_BASE and page.steps:
        tell("its steps have speeds; the time of the first counts from the servos' centre, where nothing said before")
    result: list[PlayedStep] = []
    for index, step in enumerate(page.steps):
        target = before | targets_of(step)
        most = max(1, step.time * speed >> 5)
        units = most
        if page.schedule == SPEED_BASE:
            units = max((abs(target[each] - before.get(each, ticks.centre)) for each in target), default=0)
            units = units * 40 // (most * 3)
        slow = min(page.accel, max(0, units - 1) >> 1)
        if page.accel > 0 and slow == 0:
            units = 0  # too short for what its software needs to move at all
        pause = (step.pause << 5) // speed
        following = page.steps[index + 1] if index + 1 < len(page.steps) else None
        passes = _passes(before, target, step, following) and pause == 0
        came = index > 0 and result[-1].pause == 0 and _came(page, index, before, target)
        straight = passes or came or slow < _SLOW_SHARE * units
        result.append(PlayedStep(units, pause, Interpolation.LINEAR if straight else Interpolation.SINE_MIN_TO_MAX))
        before = target
    return result


def targets_of(step: PageStep) -> dict[int, int]:
    """Ticks of the servos with a joint that a step moves."""
    return {
        servo: step.positions[servo] & TICK for servo in JOINTS if not step.positions[servo] & (INVALID | TORQUE_OFF)
    }


def _most_moved(before: Mapping[int, int], target: Mapping[int, int]) -> int | None:
    """The servo with the longest way, of those of which both ends are known."""
    ways = {servo: abs(target[servo] - before[servo]) for servo in target if servo in before}
    servo = max(ways, key=lambda each: ways[each], default=None)
    return servo if servo is not None and ways[servo] > 0 else None


def _passes(before: Mapping[int, int], target: Mapping[int, int], step: PageStep, following: PageStep | None) -> bool:
    """Whether the servo that moves most goes on in its direction behind the step."""
    servo = _most_moved(before, target)
    if servo is None or following is None:
        return False
    then = targets_of(following).get(servo, target[servo])
    return (target[servo] - before[servo]) * (then - target[servo]) > 0


def _came(page: ActionPage, index: int, before: Mapping[int, int], target: Mapping[int, int]) -> bool:
    """Whether the servo that moves most in a step came in its direction."""
    servo = _most_moved(before, target)
    earlier = [
        targets_of(step)[servo] for step in page.steps[:index] if servo is not None and servo in targets_of(step)
    ]
    if servo is None or len(earlier) < 2:
        return False
    return (earlier[-1] - earlier[-2]) * (target[servo] - earlier[-1]) > 0
