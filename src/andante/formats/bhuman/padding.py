"""Empty entries that fill up a file: the robot wants one for every name of its enumerations, the library has fewer.

They are written with a comment that marks them, so that reading the file gives the library again. An empty entry
without the mark, as the real files have some, is the library's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from andante.formats.bhuman.names import GROUPS
from andante.motions.keyframe import Block
from andante.motions.library import Motion, MotionLibrary

MARK = "empty, as the library has none of this name"
"""The comment of an entry that fills up. Files in the field carry it, so it stays as it is."""
EMPTY_MOTION = Motion()
"""Fills up the motions, with the mark."""
EMPTY_BLOCK = Block(base_stiffness=dict.fromkeys(GROUPS, 0.0))
"""Fills up the blocks, with the mark; its content is the robot's own default."""

_Entry = TypeVar("_Entry", Motion, Block)


def without_padding(library: MotionLibrary) -> MotionLibrary:
    """Return the library without the entries that only fill up its file.

    An entry that a motion or branch names stays: someone has made use of it. So does one that has got contents; both
    lose the mark.
    """
    branches = [
        branch for block in library.blocks.values() for keyframe in block.keyframes for branch in keyframe.branches
    ]
    motions = {follow.motion for motion in library.motions.values() for follow in motion.follow_ups}
    motions.update(branch.motion for branch in branches if branch.motion is not None)
    blocks = {name for motion in library.motions.values() for name in motion.blocks}
    blocks.update(branch.block for branch in branches if branch.block is not None)
    return library.model_copy(
        update={
            "motions": _own(library.motions, EMPTY_MOTION, motions),
            "blocks": _own(library.blocks, EMPTY_BLOCK, blocks),
        }
    )


def _own(entries: Mapping[str, _Entry], empty: _Entry, used: set[str]) -> dict[str, _Entry]:
    own: dict[str, _Entry] = {}
    for name, entry in entries.items():
        bare = entry.model_copy(update={"note": ""}) if entry.note == MARK else None
        if bare is None:
            own[name] = entry
        elif bare != empty or name in used:
            own[name] = bare
    return own
