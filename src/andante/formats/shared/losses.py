"""What a library says and a motion file cannot: collected while the file is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from pydantic import BaseModel

from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary

MOST = 100
"""Most sentences of one file; what goes beyond is counted."""


class Losses:
    """Sentences in the order met; those of one kind are counted and tell the first place."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str], str] = {}
        self._count: Counter[tuple[str, str]] = Counter()

    def add(self, inside: str, text: str) -> None:
        """Put down a loss at one place."""
        self.count(inside, f"{inside}\0{text}", text)

    def count(self, inside: str, kind: str, text: str) -> None:
        """Put down a loss of a kind that may occur at many places."""
        key = (kind, text)
        self._first.setdefault(key, inside)
        self._count[key] += 1

    @property
    def texts(self) -> list[str]:
        """The sentences, without full stops."""
        sentences = []
        for (kind, text), inside in self._first.items():
            times = self._count[kind, text]
            more = f" (and at {times - 1} more places)" if times > 1 else ""
            sentences.append(f"{inside}: {text}{more}" if inside else f"{text}{more}")
        if len(sentences) > MOST:
            sentences = [*sentences[:MOST], f"and {len(sentences) - MOST} more losses"]
        return sentences


def changed(part: BaseModel, held: Collection[str]) -> Iterable[str]:
    """Names of a part's fields that are neither held nor at their defaults."""
    for name, field in type(part).model_fields.items():
        if name not in held and getattr(part, name) != field.get_default(call_default_factory=True):
            yield name


def library_losses(library: MotionLibrary, losses: Losses) -> None:
    """Put down what no file of a single motion holds of a library."""
    for name in changed(library, ("format", "version", "robot", "motions", "blocks")):
        losses.add(name, "is not held")
    used = {name for motion in library.motions.values() for name in motion.blocks}
    for name in library.blocks:
        if library.motions and name not in used:
            losses.add(f"blocks.{name}", "belongs to no motion and is not held")


def motion_losses(motion: Motion, name: str, losses: Losses, held: Collection[str] = ()) -> None:
    """Put down what a format does not hold of a motion; ``held`` names fields, ``blocks`` keeps blocks apart."""
    for field in changed(motion, ("blocks", *held)):
        losses.add(f"motions.{name}.{field}", "is not held")
    if "blocks" not in held and len(motion.blocks) > 1:
        losses.add(f"motions.{name}.blocks", "become one list of keyframes")


def block_losses(block: Block, place: str, losses: Losses, held: Collection[str] = ()) -> None:
    """Put down what a format does not hold of a block."""
    for field in changed(block, ("keyframes", "interpolation", "base_stiffness", *held)):
        losses.count(f"{place}.{field}", f"block {field}", "is not held")


def keyframe_losses(keyframe: Keyframe, place: str, losses: Losses, held: Collection[str] = ()) -> None:
    """Put down what a format does not hold of a keyframe."""
    for field in changed(keyframe, ("duration", "joints", "interpolation", "stiffness", *held)):
        losses.count(f"{place}.{field}", f"keyframe {field}", "is not held")
