"""Writing models as YAML documents; an existing file keeps its comments, order and layout."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from andante.documents.emitter import ExactFloat, block_text
from andante.documents.files import check_text, read_text, write_text
from andante.documents.merge import merge_text
from andante.documents.problems import DocumentError
from andante.documents.quantities import SI, Units
from andante.documents.reader import UNITS_KEY, document_units, validate_tree
from andante.documents.yaml_tree import MAX_NODES, check_separators, entries, parse_tree

_HEADER = ("format", "version")
_EXACT = "extras"
"""Fields with data of other programs, whose 1.0 and 1 may differ."""


def dump_document(model: BaseModel, *, units: Units = SI) -> str:
    """The model as a YAML document with a units header; fields at their defaults are left out.

    Args:
        model: What to write.
        units: Units of the written numbers (12 significant digits).

    Raises:
        DocumentError: It has more entries, or more bytes, than documents that are read.
    """
    return _readable(_header(model, units) | _plain(model, units, full=False), "")


def save_document(model: BaseModel, path: Path, *, units: Units | None = None) -> None:
    """Write a model to a file, atomically.

    Where the file exists, only the values that differ are changed: comments, order, spacing and spelled-out defaults
    stay. (A layout so unusual that the values cannot be placed in it is given up for a fresh one.)

    Args:
        model: What to write.
        path: The file.
        units: Units of the written numbers; None keeps the existing file's, SI for a new file.

    Raises:
        DocumentError: The file cannot be written, the document would be too large to be read again, or the existing one
            is no document of this model, so that saving would destroy something else; the old one is untouched.
    """
    old = read_text(path) if path.exists() else ""
    if old.strip():
        write_text(path, updated_text(model, old, str(path), units=units))
    else:
        units = units or SI
        write_text(path, _readable(_header(model, units) | _plain(model, units, full=False), str(path)))


def updated_text(model: BaseModel, old: str, place: str, *, units: Units | None = None) -> str:
    """The text of an existing document with a model's values in it, as `save_document` writes it.

    Args:
        model: What to write.
        old: The document so far.
        place: Its name in messages.
        units: Units of the written numbers; None keeps the document's.

    Raises:
        DocumentError: The text is no document of this model.
    """
    try:
        tree = parse_tree(old, place)
        old_units = document_units(tree, type(model), place=place)
        validate_tree(tree, type(model), context=None, place=place)
    except DocumentError as error:
        raise DocumentError(
            f"is not overwritten, as it holds something else or has a mistake: {error.what}",
            place=error.place,
            value=error.value,
            remedy="mend it, delete it or choose another name",
        ) from error
    units = units or old_units
    header = _header(model, units)
    full = header | _plain(model, units, full=True)
    # Header fields that the file does without stay away, as long as they say nothing new.
    wanted = {key: value for key, value in header.items() if key in tree.data or (key == UNITS_KEY and units != SI)}
    minimal = wanted | _plain(model, units, full=False)
    new = merge_text(old, tree, minimal, full)
    # An unusual layout may defeat the merge; the content comes before the layout.
    with suppress(DocumentError):
        again = validate_tree(parse_tree(new, place), type(model), context=None, place=place)
        if _plain(again, units, full=True) == _plain(model, units, full=True):
            return new
    return _readable(header | _plain(model, units, full=False), place)


def updated_part(model: BaseModel, old: str, place: str, units: Units) -> str:
    """The text of one part of a document, a mapping by itself, with a model's values in it.

    Comments, order and spelling of what stays are kept; a layout that the values cannot be placed in is given up.

    Args:
        model: The part's new values.
        old: The part's text, whole lines, indented as it stands in its document.
        place: Its name in messages.
        units: The document's units.

    Raises:
        DocumentError: The text is no mapping.
    """
    tree = parse_tree(old, place)
    if not isinstance(tree.data, dict):
        raise DocumentError("a part must be a mapping (key: value)", place=place, value=tree.data)
    full = _plain(model, units, full=True)
    minimal = _plain(model, units, full=False)
    new = merge_text(old, tree, minimal, full)
    with suppress(DocumentError, ValidationError):
        again = type(model).model_validate_json(json.dumps(parse_tree(new, place).data), strict=True, context=units)
        if _plain(again, units, full=True) == full:
            return new
    return block_text(minimal, tree.column - 1)


def _readable(data: dict[str, Any], place: str) -> str:
    """The text of plain data, which can be read again.

    Raises:
        DocumentError: It is more than what is read.
    """
    count = entries(data)
    if count > MAX_NODES:
        raise DocumentError(
            "the document has too many entries to be read again",
            place=place,
            value=count,
            limit=f"{MAX_NODES}",
            remedy="write it in parts",
        )
    text = block_text(data)
    check_text(text, place=place)
    check_separators(text, place)
    return text


def _header(model: BaseModel, units: Units) -> dict[str, Any]:
    fields = type(model).model_fields
    header = {name: getattr(model, name) for name in _HEADER if name in fields}
    if UNITS_KEY not in fields:
        header[UNITS_KEY] = units.model_dump()
    return header


def _plain(model: BaseModel, units: Units, *, full: bool) -> dict[str, Any]:
    data = model.model_dump(mode="json", context=units, exclude_defaults=not full)
    return {key: _exact(value, key == _EXACT) for key, value in data.items() if key not in _HEADER}


def _exact(value: Any, exact: bool) -> Any:
    """Plain data in which the floats of fields of other programs keep their point."""
    if isinstance(value, dict):
        return {key: _exact(item, exact or key == _EXACT) for key, item in value.items()}
    if isinstance(value, list):
        return [_exact(item, exact) for item in value]
    return ExactFloat(value) if exact and isinstance(value, float) else value
