"""What in keyframe motions looks at the torso's orientation, so that a robot that measures none cannot play them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from andante.control.keyframes.configuration import KeyframeEngineSettings, MotionRequest
from andante.control.keyframes.parts import EngineParts
from andante.control.keyframes.reach import blocks_of, motions_from
from andante.motions.conditions import Condition, Variable
from andante.motions.keyframe import Keyframe
from andante.motions.parts import TorsoWindow

_LOOKING = frozenset(
    {
        Variable.TORSO_PITCH,
        Variable.TORSO_ROLL_MAGNITUDE,
        Variable.TORSO_ROLL,
        Variable.TORSO_PITCH_FLUCTUATION,
        Variable.ANOTHER_FRONT_HACK,
        Variable.COM_HEIGHT,
        Variable.BREAK_UP,
        Variable.COM_OUTSIDE_SUPPORT_X,
        Variable.CAPTURE_POINT_X,
        Variable.CAPTURE_POINT_Y,
    }
)
"""Variables that are computed from the orientation."""


def orientation_uses(parts: EngineParts, requests: Iterable[MotionRequest]) -> list[str]:
    """What looks at the orientation while motions are played, each with its place and what does without; none: nothing.

    Args:
        parts: The engine's, with its settings.
        requests: What is played.
    """
    library, config = parts.library, parts.config
    asked = list(requests)
    found = ["a get-up chooses its motion by it" for each in asked[:1] if each.motion is None]
    if config.limp_falls:
        found.append("controller.limp_falls waits for a fall")
    elif parts.catcher.on:
        found.append("falls are watched for and met (not with controller.catch_falls=false)")
    for name in motions_from(library, [each.motion for each in asked if each.motion is not None]):
        motion = library.motions[name]
        if name in parts.rules.gets_up_after and config.recover_motion in library.motions:
            found.append(f"a get-up follows motions.{name} in this release")
        if motion.balance_out and parts.balances:
            found.append(f"motions.{name}.balance_out (not with controller.balance=false)")
        for number, follow_up in enumerate(motion.follow_ups):
            found += _looking(follow_up.conditions, f"motions.{name}.follow_ups[{number}]")
        for block_name, block in blocks_of(library, motion).items():
            if block.capture_point is not None and parts.balances:
                found.append(f"blocks.{block_name}.capture_point (not with controller.balance=false)")
            for number, keyframe in enumerate(block.keyframes):
                found += _of_keyframe(keyframe, f"blocks.{block_name}.keyframes[{number}]", config, parts.balances)
    return list(dict.fromkeys(found))


def _of_keyframe(keyframe: Keyframe, place: str, config: KeyframeEngineSettings, balances: bool) -> Iterator[str]:
    if (keyframe.balance_pitch or keyframe.balance_roll) and balances:
        yield f"{place}.balance (not with controller.balance=false)"
    if config.waits and not config.step_mode:
        yield from _looking(keyframe.waits, f"{place}.waits", "controller.waits=false")
    if config.branches:
        for number, branch in enumerate(keyframe.branches):
            where, without = f"{place}.branches[{number}]", "controller.branches=false"
            yield from _looking(branch.pre.conditions, where, without)
            yield from _looking(branch.early.conditions if branch.early is not None else (), where, without)
    if config.break_up and not config.step_mode:
        for window in (keyframe.window, keyframe.window_start):
            if window is not None and _ends(window):
                yield f"{place}.window (not with controller.break_up=false)"


def _looking(conditions: Iterable[Condition], place: str, without: str = "") -> Iterator[str]:
    for condition in conditions:
        if condition.variable in _LOOKING:
            yield f"{place} looks at {condition.variable.value}" + (f" (not with {without})" if without else "")


def _ends(window: TorsoWindow) -> bool:
    """Whether a torso can leave a window."""
    bounds = (window.pitch.min, window.pitch.max, window.roll.min, window.roll.max)
    return any(not isinstance(bound, str) and abs(bound) <= math.pi for bound in bounds)
