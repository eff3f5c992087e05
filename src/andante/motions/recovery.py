"""Recovery: one motion that stands a robot up from any side, composed of what its library has.

Sense the side by the torso's angles, roll over, check, get up; the engine checks again at the get-up's end, counts
tries and exchanges the sides from try to try. Nothing here knows a robot: who has no motion for a side goes without.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from andante.motions.conditions import Condition, ConditionGroup, Variable
from andante.motions.errors import MotionError, block_of, motion_of
from andante.motions.keyframe import Block, Branch, Keyframe
from andante.motions.library import FollowUp, Motion, MotionLibrary, PostureKind
from andante.motions.reached import RECOVER

Side = Literal["front", "back", "left", "right"]
"""The side on which a robot lies."""
ON_A_SIDE = math.radians(45.0)
"""Roll of the torso beyond which a robot lies on its side [rad]."""
LEANING = math.radians(20.0)
"""Roll beyond which a robot on its front rolls first, where it can: a push with both hands fails there. Of 19
T1 and K1 that failed with `ON_A_SIDE` in its place, 15 stood up with it (docs/notebook/32-boosters.md) [rad]."""
_MOST_ROLLS = 4
"""How often a robot that has not come round rolls once more in a try."""
_SENSE, _SHORTEST = "recover_sense", 0.001
_UPRIGHT = math.radians(30.0)
_ORDER: tuple[Side, ...] = ("back", "left", "right", "front")
_OPPOSITE: Mapping[Side, Side] = {"left": "right", "right": "left"}


def lies_on(side: Side, beyond: float = ON_A_SIDE) -> tuple[Condition, ...]:
    """Conditions that hold for a robot that lies on this side, whatever its front points to.

    Args:
        side: The side.
        beyond: Roll beyond which it lies on its left or right side [rad].
    """
    if side in ("left", "right"):
        low, high = (-math.pi, -beyond) if side == "left" else (beyond, math.pi)
        return (Condition(variable=Variable.TORSO_ROLL, min=low, max=high),)
    flat = Condition(variable=Variable.TORSO_ROLL_MAGNITUDE, min=0.0, max=beyond)
    low, high = (_UPRIGHT, math.pi) if side == "front" else (-math.pi, -_UPRIGHT)
    return flat, Condition(variable=Variable.TORSO_PITCH, min=low, max=high)


def with_recovery(
    library: MotionLibrary,
    get_ups: Mapping[Side, str],
    rolls: Mapping[Side, tuple[str, Side]] | None = None,
    *,
    on_back: float = ON_A_SIDE,
) -> MotionLibrary:
    """The same library with a motion that recovers from every side for which it has something.

    Motions ``get_up_back`` and so on are added for sides from which the robot rolls over first. After a roll the side
    is sensed again: a robot that has not come round tries four times more. Where only one of left and right is given,
    the other is its mirror image. A robot on its front that leans to a side beyond `LEANING` rolls first where it can.

    Args:
        library: The library.
        get_ups: The motion that stands up from each side.
        rolls: For each other side the block that rolls the robot over, and the side on which it lies then.
        on_back: Roll beyond which a robot on its back rolls as from a side: `LEANING` where its roll from the side
            begins there too, and is the softer one [rad].

    Raises:
        MotionError: The library lacks a motion or block, there are no get-ups, or a roll leads to a side from which
            none begins.
    """
    ways = dict(rolls or {})
    _check(library, get_ups, ways)
    blocks, motions = dict(library.blocks), dict(library.motions)
    chosen: dict[Side, str] = dict(get_ups)
    turns = not _OPPOSITE.keys().isdisjoint({*ways, *get_ups})

    def beyond(side: Side) -> float:
        if side == "back":
            return on_back
        return LEANING if turns else ON_A_SIDE

    for side, (block, onto) in ways.items():
        name, check = f"get_up_{side}", f"check_{onto}"
        again = Branch(motion=RECOVER, pre=_not(lies_on(onto, beyond(onto))), max_motion_loops=_MOST_ROLLS)
        blocks.setdefault(check, Block(keyframes=(Keyframe(duration=_SHORTEST, branches=(again,)),)))
        lies, then = PostureKind.LIE, FollowUp(motion=get_ups[onto], conditions=lies_on(onto))
        fresh = Motion(blocks=(block, check), start_posture=lies, end_posture=lies, follow_ups=(then,))
        motions[name] = fresh.but(note=motions[name].note) if name in motions else fresh
        chosen[side] = name
    follow_ups = []
    for side in _ORDER:
        other = _OPPOSITE.get(side)
        if side in chosen:
            follow_ups.append(FollowUp(motion=chosen[side], conditions=lies_on(side, beyond(side))))
        elif other in chosen:
            conditions = lies_on(side, beyond(side))
            follow_ups.append(FollowUp(motion=chosen[other], mirror=True, conditions=conditions))
    if RECOVER not in motions:
        blocks[_SENSE] = Block(keyframes=(Keyframe(duration=_SHORTEST),))
        motions[RECOVER] = Motion(blocks=(_SENSE,), note="Begins every get-up: senses the side and chooses the motion.")
    motions[RECOVER] = motions[RECOVER].but(follow_ups=tuple(follow_ups))
    return library.but(blocks=blocks, motions=motions)


def _check(library: MotionLibrary, get_ups: Mapping[Side, str], rolls: Mapping[Side, tuple[str, Side]]) -> None:
    """Refuse what does not exist and what leads nowhere."""
    if not get_ups:
        raise MotionError("there is nothing to recover with", place="get_ups", limit="a motion for one side at least")
    for side, name in get_ups.items():
        motion_of(library, name, f"get_ups.{side}")
    for side, (block, onto) in rolls.items():
        block_of(library, block, f"rolls.{side}")
        if onto not in get_ups:
            what = "a roll leads to a side from which no motion stands up"
            raise MotionError(what, place=f"rolls.{side}", value=onto, legal=tuple(get_ups))


def _not(conditions: tuple[Condition, ...]) -> ConditionGroup:
    """Holds where not all of some conditions do."""
    turned = tuple(condition.but(negate=not condition.negate) for condition in conditions)
    return ConditionGroup(conditions=turned, all=False)
