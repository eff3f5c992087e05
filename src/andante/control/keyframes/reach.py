"""What motions lead to, each once, in the order in which it is met, whatever the conditions."""

from __future__ import annotations

from collections.abc import Iterable

from andante.motions.keyframe import Block, Branch
from andante.motions.library import Motion, MotionLibrary


def motions_from(library: MotionLibrary, first: Iterable[str], without: str = "") -> list[str]:
    """Motions and all that they lead to by follow-ups, insertions and replacements, as far as the library has them.

    Args:
        library: The library.
        first: Names of motions.
        without: A motion at which the way ends, and which is none of those found.
    """
    found: list[str] = []
    waiting = list(first)
    while waiting:
        name = waiting.pop(0)
        if name in found or name == without or name not in library.motions:
            continue
        found.append(name)
        motion = library.motions[name]
        waiting += [each for follow_up in motion.follow_ups for each in follow_up.motions]
        ways = [way for block in blocks_of(library, motion).values() for way in branches_of(block)]
        waiting += [way.motion for way in ways if way.motion is not None]
    return found


def blocks_of(library: MotionLibrary, motion: Motion) -> dict[str, Block]:
    """Blocks of a motion and those that they insert, by name."""
    found: dict[str, Block] = {}
    waiting = list(motion.blocks)
    while waiting:
        name = waiting.pop(0)
        if name not in found and name in library.blocks:
            found[name] = library.blocks[name]
            ways = branches_of(found[name])
            waiting += [way.block for way in ways if way.block is not None and way.motion is None]
    return found


def branches_of(block: Block) -> list[Branch]:
    """Branches of all keyframes of a block."""
    return [branch for keyframe in block.keyframes for branch in keyframe.branches]
