"""What a motion reaches: its blocks, those that branches insert, and the motions that branches and follow-ups start."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from andante.motions.keyframe import Branch
from andante.motions.library import MotionLibrary
from andante.motions.posture_kind import ends_of, leaves_feet

RECOVER, STAND = "recoverGeneric", "stand"
"""What the engine starts when it lies and when it stands, by default."""
N = TypeVar("N")
Node = tuple[str, str]
"""("motion" or "block", name)."""
_ENDS = re.compile(r"[.\[]")


@dataclass(frozen=True)
class Reached:
    """Names of motions and blocks."""

    motions: frozenset[str]
    """Motions, the ones that were asked about among them; also such as the library lacks."""
    blocks: frozenset[str]
    """Blocks; also such as the library lacks."""


def reached(library: MotionLibrary, names: Iterable[str]) -> Reached:
    """What running some motions can lead to, whatever the conditions.

    Args:
        library: The library.
        names: Names of motions.
    """
    found = spread([("motion", name) for name in names], lambda node: leads_to(library, node))
    motions, blocks = (frozenset(name for kind, name in found if kind == which) for which in ("motion", "block"))
    return Reached(motions, blocks)


def reaching(library: MotionLibrary, places: Collection[str]) -> list[str]:
    """Motions that can lead to one of some places in the document, see `reached`."""
    before: dict[Node, list[Node]] = {}
    for node in [*(("motion", name) for name in library.motions), *(("block", name) for name in library.blocks)]:
        for other in leads_to(library, node):
            before.setdefault(other, []).append(node)
    starts = [node for place in places for node in _named_by(place)]
    found = set(spread(starts, lambda node: before.get(node, ())))
    return [name for name in library.motions if ("motion", name) in found]


def _named_by(place: str) -> Iterator[Node]:
    """Motions or blocks that a place in the document may be in: names may have dots and brackets."""
    section, _, rest = place.partition(".")
    kind = {"motions": "motion", "blocks": "block"}.get(section)
    if kind is not None:
        yield kind, rest
        for end in _ENDS.finditer(rest):
            yield kind, rest[: end.start()]


def leads_to(library: MotionLibrary, node: Node, taken: Callable[[Branch], bool] = lambda branch: True) -> list[Node]:
    """What a motion or block may start by itself; nothing where the library lacks it.

    Args:
        library: The library.
        node: The motion or block.
        taken: Whether a branch counts.
    """
    kind, name = node
    if kind == "motion" and name in library.motions:
        motion = library.motions[name]
        blocks = [("block", block) for block in motion.blocks]
        return blocks + [("motion", each) for follow_up in motion.follow_ups for each in follow_up.motions]
    if kind == "block" and name in library.blocks:
        branches = [branch for keyframe in library.blocks[name].keyframes for branch in keyframe.branches]
        return [branch.target for branch in branches if branch.target is not None and taken(branch)]
    return []


def spread(starts: Iterable[N], following: Callable[[N], Iterable[N]]) -> list[N]:
    """Everything that some things lead to, step by step, and they themselves; each once, the nearest first."""
    found = dict.fromkeys(starts)
    waiting = list(found)
    for each in waiting:
        for other in following(each):
            if other not in found:
                found[other] = None
                waiting.append(other)
    return waiting


def off_feet(library: MotionLibrary, recover: str = RECOVER, stand: str = STAND) -> frozenset[str]:
    """Motions in which the robot need not be on its feet: get-ups, falls and dives, sitting and lying.

    Get-ups are what the motion for getting up leads to, falls what leads to it. Of others the document says so, which
    lists what may touch the ground, or the name, by a word such as ``jump`` or ``dive``.

    Args:
        library: The library.
        recover: The motion that the engine starts when the robot lies.
        stand: The motion at the end of a get-up.
    """
    after = {
        name: {each for item in motion.follow_ups for each in item.motions} for name, motion in library.motions.items()
    }
    found = {name for name in library.motions if not ends_of(library, name).upright}
    found |= {name for name, motion in library.motions.items() if motion.may_touch or leaves_feet(name)}
    found |= {name for name, following in after.items() if recover in following}
    others = after.keys() - found - {stand}
    found.update(spread(others & {recover}, lambda name: others & after[name]))
    return frozenset(found - {stand})
