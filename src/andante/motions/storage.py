"""Motion libraries as YAML documents."""

from __future__ import annotations

from pathlib import Path

from andante.documents.quantities import Units
from andante.documents.reader import load_document
from andante.documents.writer import dump_document, save_document
from andante.motions.library import MotionLibrary

LIBRARY_UNITS = Units(angle="deg", time="ms", length="mm")
"""Units in which new library documents are written: those in which people think of keyframes."""


def load_library(source: Path | str, *, place: str | None = None) -> MotionLibrary:
    """Read a motion library.

    Args:
        source: A file (Path) or the document itself (str).
        place: Name of the document in messages; the path where None.

    Raises:
        DocumentError: The document cannot be read or is no motion library; names line, column, field, value and
            what is legal.
    """
    return load_document(source, MotionLibrary, place=place)


def dump_library(library: MotionLibrary, *, units: Units = LIBRARY_UNITS) -> str:
    """The library as a YAML document; fields at their defaults are left out."""
    return dump_document(library, units=units)


def save_library(library: MotionLibrary, path: Path, *, units: Units | None = None) -> None:
    """Write a library; an existing document keeps its comments, order, layout and (``units`` None) units.

    Raises:
        DocumentError: The file cannot be written; the old one is untouched.
    """
    if units is None and not path.exists():
        units = LIBRARY_UNITS
    save_document(library, path, units=units)
