"""Choice: some motions of a library with what they need."""

from __future__ import annotations

from collections.abc import Sequence

from andante.motions.errors import MotionError, motion_of
from andante.motions.library import MotionLibrary
from andante.motions.reached import leads_to, spread


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
    named = [("block", block) for motion in motions.values() for block in motion.blocks]
    needed = set(spread(named, lambda node: leads_to(library, node, lambda branch: branch.motion is None)))
    blocks = {name: block for name, block in library.blocks.items() if ("block", name) in needed}
    return library.but(motions=motions, blocks=blocks)
