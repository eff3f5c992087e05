"""Choice and order: some motions with what they need, blocks backwards, motions one after another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from andante.motions.errors import MotionError, motion_of
from andante.motions.keyframe import Block, JointTarget
from andante.motions.library import Motion, MotionLibrary
from andante.motions.parts import NO_WINDOW


def reverse_block(block: Block, start: Mapping[str, JointTarget] | None = None) -> Block:
    """A block that travels the same postures backwards, to be entered at the old block's end.

    A way's duration, curve, balance, phase and stiffness travel with the way; the goals of the centre of mass with the
    postures. What only makes sense forwards is left out: waits, branches, compensation, break-up windows. The curve
    that starts fast and ends slowly stays so, since it has no counterpart.

    Args:
        block: The block.
        start: Posture before the block [rad]; the reversed block ends there. None: it ends at the first keyframe's
            posture and is one keyframe shorter.
    """
    # Postures between the ways, targets carried over from keyframe to keyframe.
    postures: list[dict[str, JointTarget]] = [dict(start or {})]
    for keyframe in block.keyframes:
        postures.append({**postures[-1], **keyframe.joints})
    goals = [(0.0, 0.0), *(keyframe.com_goal for keyframe in block.keyframes)]
    keyframes = []
    for index in reversed(range(0 if start is not None else 1, len(block.keyframes))):
        keyframe = block.keyframes[index]
        concerned = {**(block.keyframes[index - 1].joints if index > 0 else start or {}), **keyframe.joints}
        keyframes.append(
            keyframe.but(
                joints={joint: postures[index][joint] for joint in concerned if joint in postures[index]},
                com_goal=goals[index],
                start_from_measured_com=False,
                forbid_wait_break=False,
                waits=(),
                branches=(),
                compensation=(),
                compensation_reduce_factor=None,
                window=NO_WINDOW,
                window_start=None,
            )
        )
    return block.but(keyframes=tuple(keyframes))


def concatenate_blocks(blocks: Sequence[Block]) -> Block:
    """One block with the keyframes of several; base stiffness of the first, curves written into the keyframes.

    Raises:
        MotionError: No block, or blocks of different base stiffness or balance (which one block cannot have).
    """
    if not blocks:
        raise MotionError("there is no block to concatenate")
    first = blocks[0]
    for number, block in enumerate(blocks):
        if block.base_stiffness != first.base_stiffness:
            raise MotionError(
                "blocks of different base stiffness cannot become one",
                place=f"block {number}",
                value=dict(block.base_stiffness),
                remedy="concatenate motions instead",
            )
        if block.capture_point != first.capture_point:
            raise MotionError(
                "blocks that balance differently by the capture point cannot become one",
                place=f"block {number}",
                remedy="concatenate motions instead",
            )
    keyframes = tuple(
        keyframe if keyframe.interpolation != "default" else keyframe.but(interpolation=block.interpolation)
        for block in blocks
        for keyframe in block.keyframes
    )
    return first.but(keyframes=keyframes)


def concatenate_motions(library: MotionLibrary, motions: Sequence[str], into: str) -> MotionLibrary:
    """A library with a motion added that runs the blocks of several motions in order and ends as the last one.

    It counts as stable only where all of them do.

    Raises:
        MotionError: No motion, an unknown one, or a name that is taken.
    """
    if not motions:
        raise MotionError("there is no motion to concatenate")
    if into in library.motions:
        raise MotionError("the library already has a motion of that name", place="motions", value=into)
    parts: list[Motion] = [motion_of(library, name) for name in motions]
    joined = parts[-1].but(
        blocks=tuple(block for part in parts for block in part.blocks), stable=all(part.stable for part in parts)
    )
    return library.but(motions={**library.motions, into: joined})


def chosen_motions(library: MotionLibrary, names: Sequence[str]) -> MotionLibrary:
    """The library with these motions alone, in this order, and the blocks that they and their branches name.

    Follow-ups and branches stay as they are, also where they lead to motions that are left out; the check ``reference``
    tells of those.

    Raises:
        MotionError: No name, or one that the library does not have.
    """
    if not names:
        raise MotionError("no motion is named", place="motions", legal=library.motions)
    motions = {name: motion_of(library, name) for name in names}
    needed: dict[str, None] = {}
    waiting = [block for motion in motions.values() for block in motion.blocks]
    while waiting:
        name = waiting.pop()
        if name not in needed and name in library.blocks:
            needed[name] = None
            branches = [branch for keyframe in library.blocks[name].keyframes for branch in keyframe.branches]
            waiting += [branch.block for branch in branches if branch.block is not None and branch.motion is None]
    blocks = {name: block for name, block in library.blocks.items() if name in needed}
    return library.but(motions=motions, blocks=blocks)
