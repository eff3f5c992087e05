"""What a library says and a motion file cannot, part by part."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from andante.errors import shorten
from andante.formats.report import Losses
from andante.motions.extras import Extras, Kind
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary

M = TypeVar("M", bound=BaseModel)
_OTHERWISE: Mapping[type[BaseModel], Collection[str]] = {
    MotionLibrary: ("format", "version", "robot", "motions", "blocks"),
    Motion: ("blocks",),
    Block: ("keyframes", "interpolation", "base_stiffness"),
    Keyframe: ("duration", "joints", "interpolation", "stiffness"),
}
"""Fields of each kind of part whose losses are told otherwise, or that every format holds."""


def note_losses(note: str, place: str, losses: Losses) -> None:
    """Put down that a note is not held."""
    if note:
        losses.count(f"{place}.note" if place else "note", f"{_level(place)} note", "is not held")


def extras_losses(extras: Extras, place: str, losses: Losses, held: Collection[Kind] = ()) -> None:
    """Put down whose extras are not held."""
    for kind, data in extras.items():
        if kind not in held:
            what = f"what only {kind} files have ({shorten(', '.join(data), 80)}) is not held"
            losses.count(f"{place}.extras" if place else "extras", f"{_level(place)} {kind}", what)


def kept(model: type[M], extras: Extras, kind: Kind, place: str, losses: Losses) -> M:
    """What a part keeps for files of a format; where that is not legal it keeps nothing, which is put down."""
    try:
        return model.model_validate(extras.get(kind, {}))
    except ValidationError:
        extras_losses({kind: extras[kind]}, place, losses)
        return model()


def _level(place: str) -> str:
    return f"{place.split('.', 1)[0]}{place.endswith(']')}"


def part_losses(
    part: MotionLibrary | Motion | Block | Keyframe,
    place: str,
    losses: Losses,
    held: Collection[str] = (),
    kind: Kind | None = None,
) -> None:
    """Put down which fields of a part are neither at their defaults nor held, ``kind`` being the extras that are."""
    otherwise = next(names for model, names in _OTHERWISE.items() if isinstance(part, model))
    for name, field in type(part).model_fields.items():
        if name in held or name in otherwise or getattr(part, name) == field.get_default(call_default_factory=True):
            continue
        if name == "note":
            note_losses(str(getattr(part, name)), place, losses)
        elif name == "extras":
            extras_losses(getattr(part, name), place, losses, () if kind is None else (kind,))
        else:
            losses.count(f"{place}.{name}" if place else name, f"{type(part).__name__} {name}", "is not held")


def library_losses(library: MotionLibrary, losses: Losses, kind: Kind | None = None) -> None:
    """Put down what no file of a single motion holds of a library."""
    part_losses(library, "", losses, kind=kind)
    used = {name for motion in library.motions.values() for name in motion.blocks}
    for name in library.blocks:
        if library.motions and name not in used:
            losses.add(f"blocks.{name}", "belongs to no motion and is not held")
