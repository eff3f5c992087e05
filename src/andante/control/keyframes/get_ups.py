"""Which motions of a library are get-ups: all that the recover motion leads to."""

from __future__ import annotations

from andante.control.keyframes.compiled import CompiledBranch
from andante.control.keyframes.program import Program


def get_up_motions(program: Program, recover: str, stand: str) -> frozenset[str]:
    """The recover motion and all that it leads to by follow-ups, insertions and replacements; none where there is none.

    Args:
        program: The library's compiled motions.
        recover: The motion that begins a get-up.
        stand: The motion for a robot that is upright; it is no get-up, even where one ends in it.
    """
    found: set[str] = set()
    waiting = [recover]
    while waiting:
        name = waiting.pop()
        if name in found or name == stand or name not in program.motions:
            continue
        found.add(name)
        motion = program.motions[name]
        waiting += [follow_up for follow_up, _ in motion.follow_ups]
        waiting += [branch.motion for branch in _branches(program, motion.blocks) if branch.motion is not None]
    return frozenset(found)


def _branches(program: Program, blocks: tuple[str, ...]) -> list[CompiledBranch]:
    """Branches of these blocks and of those that they insert."""
    seen: set[str] = set()
    waiting = list(blocks)
    branches: list[CompiledBranch] = []
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for keyframe in program.blocks[name].keyframes:
            branches += keyframe.branches
            waiting += [branch.block for branch in keyframe.branches if branch.block is not None]
    return branches
