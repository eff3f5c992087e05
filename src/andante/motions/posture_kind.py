"""Which posture a motion is of: does it begin and end standing, sitting or lying?

Who judges a motion has to know: one that sits may rest on its trunk, one that stands may not. Told by the motion's own
name. Sony's convention names both ends, ``<part>_<start>#<end>_<label>``; other
names tell by words such as ``sitDown``, ``sleep_sigh`` or ``stand_to_sit``. A motion of an archive that goes by the
name of its entry, as another motion has its own name, still tells by its own name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from andante.motions.library import MotionLibrary
from andante.motions.library import PostureKind as PostureKind

_KINDS: dict[PostureKind, frozenset[str]] = {
    PostureKind.STAND: frozenset(("stand", "stands", "standing", "walk", "walking", "station")),
    PostureKind.SIT: frozenset(
        ("sit", "sits", "sitting", "sitdown", "seat", "seated", "crouch", "squat", "kneel", "kneeling")
    ),
    PostureKind.LIE: frozenset(
        ("sleep", "sleeps", "sleeping", "lie", "lies", "lying", "liedown", "lay", "laying", "laydown", "nap", "belly")
    ),
    PostureKind.DOWN: frozenset(("dead", "die", "dies", "dying", "faint", "collapse", "rollover", "supine")),
}
ANY = "any"
"""Name of a posture that stands for every one."""


@dataclass(frozen=True)
class MotionEnds:
    """The postures in which a motion begins and ends, by name."""

    start: str | None
    """Name of the first posture; None: nobody says."""
    end: str | None
    """Name of the last posture; None: nobody says."""
    declared: bool = False
    """Whether the name has both by Sony's convention, so that they are meant as such; else they are of words."""

    @property
    def kinds(self) -> tuple[PostureKind, PostureKind]:
        """What carries the robot at the start and at the end."""
        return kind_of(self.start), kind_of(self.end)

    @property
    def upright(self) -> bool:
        """Whether nothing says that the robot may rest on other parts than its feet."""
        return not {PostureKind.SIT, PostureKind.LIE, PostureKind.DOWN}.intersection(self.kinds)


def kind_of(posture: str | None) -> PostureKind:
    """What carries a robot in a posture of this name."""
    word = (posture or "").lower()
    return next((kind for kind, words in _KINDS.items() if word in words), PostureKind.UNKNOWN)


def ends_of_name(name: str) -> MotionEnds:
    """The postures that a motion's name tells."""
    both = _BOTH.match(name)
    if both is not None:
        return MotionEnds(both[1], both[2], declared=True)
    words = [word.lower() for word in _WORD.findall(name)]
    if "from" in words[:-1]:
        # What it comes from; where it goes stands before, if anywhere.
        at = words.index("from")
        return MotionEnds(_posture(words[at + 1]), next(filter(_posture, reversed(words[:at])), None))
    if any(pair in _UP for pair in pairwise(words)):
        return MotionEnds(None, "stand")
    postures = [(at, word) for at, word in enumerate(words) if kind_of(word) is not PostureKind.UNKNOWN]
    if not postures:
        return MotionEnds(None, None)
    first, (at, last) = postures[0][1], postures[-1]
    if len(postures) > 1:
        return MotionEnds(first, last)
    after = words[at + 1] if at + 1 < len(words) else ""
    # Up or down leads into the posture; where it comes from is told by the way down only.
    if after == "up" or last.endswith("down"):
        return MotionEnds(None if after == "up" else "stand", last.removesuffix("down"))
    return MotionEnds("stand" if after == "down" else first, last)


def leaves_feet(name: str) -> bool:
    """Whether a motion's name says that the robot leaves its feet on the way: it jumps, dives or falls."""
    return not _LEAVING.isdisjoint(word.lower() for word in _WORD.findall(name))


def dives(name: str) -> bool:
    """Whether a motion's name says that the robot throws itself to the ground: it dives or tumbles."""
    return not _DIVING.isdisjoint(word.lower() for word in _WORD.findall(name))


def _posture(word: str) -> str | None:
    """The word where it is a posture's, else None."""
    return None if kind_of(word) is PostureKind.UNKNOWN else word


def own_name(library: MotionLibrary, motion: str) -> str:
    """The name that a motion's own file has inside, by which the robot's software knows it; else the library's."""
    entry = library.motions.get(motion)
    inside = None if entry is None else entry.extras.get("mtn", {}).get("name")
    return inside if isinstance(inside, str) and inside else motion


def foreign(library: MotionLibrary, motion: str) -> bool:
    """Whether a motion comes from files of the robot's maker or another team, which keep to their own conventions."""
    entry = library.motions.get(motion)
    kinds = set(library.extras) | (set() if entry is None else set(entry.extras))
    return bool(kinds & _FOREIGN)


_FOREIGN = {"mtn", "oda", "tekkotsu"}


def ends_of(library: MotionLibrary, motion: str) -> MotionEnds:
    """The postures in which a motion of a library begins and ends: as its document says, else as its name tells.

    Where motions follow on it, its name does not tell how a run of it ends.
    """
    told, entry = ends_of_name(own_name(library, motion)), library.motions.get(motion)
    if entry is None:
        return told
    start, end = (None if kind is None else kind.value for kind in (entry.start_posture, entry.end_posture))
    last = None if entry.follow_ups else told.end
    if start is end is None and last == told.end:
        return told
    return MotionEnds(start or told.start, end or last, told.declared and start is end is None)


_DIVING = frozenset(("dive", "dives", "tumble"))
_LEAVING = _DIVING | {"jump", "jumps", "leap", "leaps", "fall", "falls", "somersault"}
_UP = (("get", "up"), ("wake", "up"))
_BOTH = re.compile(r"[^_#]+_([^_#]+)#([^_#]+)")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
