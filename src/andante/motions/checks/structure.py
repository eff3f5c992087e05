"""Blocks and motions as a whole: empty, never reached, or running in circles without time passing."""

from __future__ import annotations

from collections.abc import Iterator

from andante.motions.checks.context import DocumentContext
from andante.motions.findings import Finding
from andante.motions.keyframe import Branch
from andante.motions.library import MotionLibrary
from andante.motions.reached import Node, leads_to, spread

EMPTY = "empty"
UNREACHABLE = "unreachable"
LOOP = "endless-loop"

ORIGINAL_ENTRIES = (
    "stand",
    "recoverGeneric",
    "sitDown",
    "sitDownKeeper",
    "keeperJumpLeft",
    "genuflectStand",
    "genuflectStandDefender",
    "demoBannerWave",
    "demoBannerWaveInitial",
)
"""Motions that the original engine starts on request or by itself (docs/sources/keyframe-engine.md, 1.3 and 2.10)."""


def check_empty(context: DocumentContext) -> Iterator[Finding]:
    """Blocks without keyframes and motions without any."""
    library = context.library
    for name, block in library.blocks.items():
        if not block.keyframes:
            yield Finding(EMPTY, "warning", f"blocks.{name}", "the block has no keyframes")
    for name, motion in library.motions.items():
        if not motion.blocks:
            yield Finding(EMPTY, "warning", f"motions.{name}", "the motion has no blocks")


def check_reachability(context: DocumentContext) -> Iterator[Finding]:
    """Blocks that no motion runs, and motions that nothing starts."""
    library = context.library
    entries, which = _entries(context)
    reached = set(spread([("motion", name) for name in entries], lambda node: leads_to(library, node, _possible)))
    for name in library.motions:
        if ("motion", name) not in reached:
            message = "nothing starts this motion: neither a request nor a branch or follow-up of a motion that runs"
            yield Finding(UNREACHABLE, "info", f"motions.{name}", message)
    for name in library.blocks:
        if ("block", name) not in reached:
            message = f"no motion that {which} runs this block, and no branch inserts it"
            yield Finding(UNREACHABLE, "warning", f"blocks.{name}", message)


def check_loops(context: DocumentContext) -> Iterator[Finding]:
    """Motions and blocks that follow each other for ever, without a condition and without a tick in between."""
    library = context.library
    nodes = [("motion", name) for name in library.motions] + [("block", name) for name in library.blocks]
    done: set[Node] = set()
    for start in nodes:
        path: dict[Node, None] = {}
        node: Node | None = start
        while node is not None and node not in done and node not in path:
            path[node] = None
            node = _at_once(library, node)
        if node is not None and node in path:
            circle = list(path)[list(path).index(node) :]
            names = " -> ".join(f"{kind} {name}" for kind, name in [*circle, node])
            place = f"{circle[0][0]}s.{circle[0][1]}"
            yield Finding(LOOP, "error", place, f"runs for ever without time passing: {names}")
        done.update(path)


def _entries(context: DocumentContext) -> tuple[list[str], str]:
    """Motions that are started from outside, and which they are, in words."""
    library = context.library
    if context.entries is not None:
        return [name for name in context.entries if name in library.motions], "may be asked for"
    original = [name for name in ORIGINAL_ENTRIES if name in library.motions]
    if library.dialect != "andante" and original:
        return original, "the original engine starts"
    return list(library.motions), "can be started"


def _possible(branch: Branch) -> bool:
    return branch.most_loops != 0 and (bool(branch.pre.conditions) or branch.early is not None)


def _at_once(library: MotionLibrary, node: Node) -> Node | None:
    """What certainly runs next before the first tick; None where time passes or a condition decides."""
    kind, name = node
    if kind == "motion":
        motion = library.motions.get(name)
        if motion is None:
            return None
        for block in motion.blocks:
            if block not in library.blocks or library.blocks[block].keyframes:
                return "block", block
        for follow_up in motion.follow_ups:
            # A conditional follow-up may interrupt the circle.
            return None if follow_up.conditions else ("motion", follow_up.motion)
        return None
    entry = library.blocks.get(name)
    if entry is None or not entry.keyframes:
        return None
    for branch in entry.keyframes[0].branches:
        if branch.early is None:
            continue
        if branch.early.conditions:
            return None
        if branch.most_loops == -1:
            return branch.target
    return None
