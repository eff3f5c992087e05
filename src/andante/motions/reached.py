"""What a motion reaches: its blocks, those that branches insert, and the motions that branches and follow-ups start."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
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


@dataclass(frozen=True)
class Reached:
    """Names of motions and blocks."""

    motions: frozenset[str]
    """Motions, the ones that were asked about among them; also such as the library lacks."""
    blocks: frozenset[str]
    """Blocks; also such as the library lacks."""

    def holds(self, place: str) -> bool:
        """Whether a place in the document, such as ``blocks.sit.keyframes[0]``, is in one of them."""
        kind, _, rest = place.partition(".")
        names = {"motions": self.motions, "blocks": self.blocks}.get(kind, frozenset())
        # Names may have dots.
        return any(rest == name or rest.startswith((f"{name}.", f"{name}[")) for name in names)


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
    return [name for name in library.motions if any(map(reached(library, [name]).holds, places))]


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
        new = dict.fromkeys(other for other in following(each) if other not in found)
        found |= new
        waiting += new
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
