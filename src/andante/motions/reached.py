"""What a motion reaches: its blocks, those that branches insert, and the motions that branches and follow-ups start."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from andante.motions.library import MotionLibrary
from andante.motions.posture_kind import ends_of, leaves_feet

RECOVER, STAND = "recoverGeneric", "stand"
"""What the engine starts when it lies and when it stands, by default."""


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
    motions, blocks = dict.fromkeys(names), dict[str, None]()
    waiting: list[tuple[bool, str]] = [(True, name) for name in motions]
    while waiting:
        is_motion, name = waiting.pop()
        following: list[tuple[bool, str]] = []
        if is_motion and name in library.motions:
            motion = library.motions[name]
            following = [(False, block) for block in motion.blocks]
            following += [(True, other) for each in motion.follow_ups for other in each.motions]
        elif not is_motion and name in library.blocks:
            for keyframe in library.blocks[name].keyframes:
                for branch in keyframe.branches:
                    if branch.motion is not None:
                        following.append((True, branch.motion))
                    elif branch.block is not None:
                        following.append((False, branch.block))
        for each in following:
            found = motions if each[0] else blocks
            if each[1] not in found:
                found[each[1]] = None
                waiting.append(each)
    return Reached(frozenset(motions), frozenset(blocks))


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
    waiting = [recover] if recover in library.motions else []
    while waiting:
        name = waiting.pop()
        if name not in found and name != stand and name in library.motions:
            found.add(name)
            waiting += after[name]
    return frozenset(found - {stand})
