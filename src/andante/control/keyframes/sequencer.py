"""Which keyframe comes next: the queue of blocks, insertions, replacements and their loop limits."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from andante.control.events import EventKind
from andante.control.keyframes.compiled import CompiledBlock, CompiledBranch, CompiledKeyframe, CompiledMotion
from andante.control.keyframes.program import Program
from andante.motions.conditions import Variable

_MOST_BRANCHES = 64
"""Branches taken in one search before the next keyframe starts regardless: an endless loop must not stop the robot."""

Told = Callable[[EventKind, str], None]
"""Called with the kind and the text of what happened."""


@dataclass(slots=True)
class _Place:
    """A block under way."""

    block: CompiledBlock
    next: int = 0
    set_stiffness: bool = True


class Sequencer:
    """The queue of one run.

    Args:
        value: Gives a condition variable's value.
        told: Told of each branch.
        branches: Says whether branches are taken now; else all are ignored.
    """

    def __init__(
        self, value: Callable[[Variable], float], told: Told, branches: Callable[[], bool] = lambda: True
    ) -> None:
        self._value, self._told, self._branches = value, told, branches
        self._queue: deque[_Place] = deque()
        self._block_loops: dict[str, int] = {}
        self._motion_loops: dict[str, int] = {}
        self.program: Program | None = None
        """Program of the motion under way."""
        self.motion: CompiledMotion | None = None
        """Motion under way."""
        self.block: CompiledBlock | None = None
        """Block of the keyframe that was given out last."""

    @property
    def mirrored(self) -> bool:
        """Whether the motion under way is mirrored."""
        return self.program is not None and self.program.mirror

    def clear(self) -> None:
        """Drop all pending blocks."""
        self._queue.clear()
        self.block = None

    def forget_loops(self) -> None:
        """Let every branch run again."""
        self._block_loops, self._motion_loops = {}, {}

    def load(self, program: Program, motion: CompiledMotion) -> None:
        """Queue a fresh copy of a motion in place of everything pending."""
        self.clear()
        self.program, self.motion = program, motion
        self._queue.extend(_Place(program.blocks[name]) for name in motion.written.blocks)

    def leave(self, keyframe: CompiledKeyframe) -> None:
        """A keyframe has ended: take the first of its branches whose precondition holds."""
        if not self._branches():
            return
        for branch in keyframe.branches:
            if branch.pre is not None and branch.pre.holds(self._value):
                self._take(branch)
                return

    def leave_early(self, keyframe: CompiledKeyframe) -> bool:
        """Take the first early branch of a running keyframe whose condition holds and whose loops are left."""
        if not self._branches():
            return False
        for branch in keyframe.branches:
            if branch.early is not None and branch.early.holds(self._value) and self._take(branch):
                return True
        return False

    def next(self) -> tuple[CompiledKeyframe, CompiledBlock | None] | None:
        """The next keyframe, and its block where the block's base stiffness is due; None at the motion's end.

        A keyframe whose early branch holds is skipped.
        """
        for attempt in range(_MOST_BRANCHES + 1):
            while self._queue and self._queue[0].next >= len(self._queue[0].block.keyframes):
                self._queue.popleft()
            if not self._queue:
                self.block = None
                return None
            place = self._queue[0]
            keyframe = place.block.keyframes[place.next]
            place.next += 1
            if attempt == _MOST_BRANCHES:
                self._told(EventKind.BRANCH_LOOP, f"branches of {keyframe.block}[{keyframe.index}] lead in a circle")
            elif self.leave_early(keyframe):
                continue
            self.block = place.block
            due = place.block if place.set_stiffness else None
            place.set_stiffness = False
            return keyframe, due
        return None

    def _take(self, branch: CompiledBranch) -> bool:
        program = self.program
        if program is None:
            return False
        way = branch.written
        if way.motion is not None:
            if not _left(self._motion_loops, way.motion, way.max_motion_loops):
                return False
            self._told(EventKind.BRANCH, f"motion {way.motion} replaces {self.motion.name if self.motion else ''}")
            self.load(program, program.motion(way.motion))
            return True
        name = way.block or ""
        if not _left(self._block_loops, name, way.max_block_loops):
            return False
        self._told(EventKind.BRANCH, f"block {name} inserted")
        if self._queue:
            if way.remove_current_block:
                self._queue.popleft()
            else:
                self._queue[0].set_stiffness = True
        self._queue.appendleft(_Place(program.blocks[name], set_stiffness=way.init_stiffness))
        return True


def _left(counts: dict[str, int], name: str, limit: int) -> bool:
    """Count one more loop where the limit allows it."""
    count = counts.get(name, 0)
    if 0 <= limit <= count:
        return False
    counts[name] = count + 1
    return True
