"""Editing motions: pure functions that make new documents from old ones."""

from andante.motions.editing.mirror import (
    mirror_block,
    mirror_condition,
    mirror_keyframe,
    mirror_library,
    mirror_motion,
    mirror_posture,
)
from andante.motions.editing.sequence import chosen_motions, concatenate_blocks, concatenate_motions, reverse_block
from andante.motions.editing.timing import Retiming, retime_motion, scale_block, scale_motion

__all__ = [
    "Retiming",
    "chosen_motions",
    "concatenate_blocks",
    "concatenate_motions",
    "mirror_block",
    "mirror_condition",
    "mirror_keyframe",
    "mirror_library",
    "mirror_motion",
    "mirror_posture",
    "retime_motion",
    "reverse_block",
    "scale_block",
    "scale_motion",
]
