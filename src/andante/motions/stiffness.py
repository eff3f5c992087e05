"""What holds for motions that say nothing of stiffness: full stiffness.

Whoever leaves stiffness out means a robot that moves; run limp it falls without a word, and the checks judge it as
stiff. So the blocks of a motion of which none states any begin at full stiffness. A motion that states some means what
it leaves out, as do blocks that a branch inserts: there an absent value keeps what held before.
"""

from __future__ import annotations

from andante.motions.keyframe import Block
from andante.motions.library import MotionLibrary


def stiff_blocks(library: MotionLibrary) -> frozenset[str]:
    """Names of the blocks that begin at full stiffness, as no motion that runs them states any."""
    kept = {branch.block for block in library.blocks.values() for frame in block.keyframes for branch in frame.branches}
    silent: set[str] = set()
    for motion in library.motions.values():
        blocks = [library.blocks[name] for name in motion.blocks if name in library.blocks]
        if any(_states(block) for block in blocks):
            kept.update(motion.blocks)
        else:
            silent.update(motion.blocks)
    return frozenset(silent - kept)


def _states(block: Block) -> bool:
    return bool(block.base_stiffness) or any(keyframe.stiffness for keyframe in block.keyframes)
