"""Choice: some motions of a library with what they need."""

from __future__ import annotations

from collections.abc import Sequence

from andante.motions.errors import MotionError, motion_of
from andante.motions.library import MotionLibrary


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
