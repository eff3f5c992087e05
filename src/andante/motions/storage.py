"""Motion libraries as YAML documents."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TypeVar

from andante.documents.budget import budgeted
from andante.documents.files import read_text
from andante.documents.quantities import Units
from andante.documents.reader import load_document
from andante.documents.writer import dump_document, save_document, updated_text
from andante.motions.extras import without_lines
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary

LIBRARY_UNITS = Units(angle="deg", time="ms", length="mm")
"""Units in which new library documents are written: those in which people think of keyframes."""


@cache
def _nameless() -> type[MotionLibrary]:
    """A library whose document need not name its robot: few are read so, and pydantic takes 6 ms to build it."""

    class Nameless(MotionLibrary):
        robot: str = ""

    return Nameless


def load_library(source: Path | str, *, place: str | None = None, robot: str = "") -> MotionLibrary:
    """Read a motion library; what documents of before had in their notes as lines ``kind {json}`` becomes extras.

    Args:
        source: A file (Path) or the document itself (str).
        place: Name of the document in messages; the path where None.
        robot: The robot that it is for where the document does not name it; empty: it has to.

    Raises:
        DocumentError: The document cannot be read or is no motion library; names line, column, field, value and
            what is legal.
    """
    if robot:
        read = load_document(source, _nameless(), place=place)
        fields = {name: getattr(read, name) for name in MotionLibrary.model_fields}
        library = MotionLibrary.model_construct(**fields | {"robot": read.robot or robot})
    else:
        library = load_document(source, MotionLibrary, place=place)
    blocks = {
        name: _with_extras(block, {"keyframes": tuple(_with_extras(keyframe) for keyframe in block.keyframes)})
        for name, block in library.blocks.items()
    }
    motions = {name: _with_extras(motion) for name, motion in library.motions.items()}
    return _with_extras(library, {"motions": motions, "blocks": blocks})


_Noted = TypeVar("_Noted", Keyframe, Block, Motion, MotionLibrary)


def _with_extras(part: _Noted, more: dict[str, object] | None = None) -> _Noted:
    """A part, its note's lines taken out."""
    note, extras = without_lines(part.note, part.extras)
    if not extras and not more:
        return part
    return part.model_copy(update={**(more or {}), "note": note, "extras": {**part.extras, **extras}})


def dump_library(library: MotionLibrary, *, units: Units = LIBRARY_UNITS) -> str:
    """The library as a YAML document; fields at their defaults are left out."""
    return dump_document(library, units=units)


@budgeted(place="pattern")
def like_document(library: MotionLibrary, pattern: Path) -> str:
    """The library as the text of another document, whose comments, order, layout and units it keeps.

    Args:
        library: What to write.
        pattern: The document that the library was read from.

    Raises:
        DocumentError: The pattern is no document of a library that names its robot.
    """
    return updated_text(library, read_text(pattern), str(pattern))


def save_library(library: MotionLibrary, path: Path, *, units: Units | None = None) -> None:
    """Write a library; an existing document keeps its comments, order, layout and (``units`` None) units.

    Raises:
        DocumentError: The file cannot be written; the old one is untouched.
    """
    if units is None and not path.exists():
        units = LIBRARY_UNITS
    save_document(library, path, units=units)
