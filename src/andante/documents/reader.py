"""Reading versioned YAML documents into models: safe against hostile files, one clear error for all problems."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from andante.documents.budget import budgeted, took
from andante.documents.files import MAX_BYTES, check_text, read_text
from andante.documents.problems import DocumentError
from andante.documents.quantities import SI, Units
from andante.documents.validation import explain
from andante.documents.yaml_tree import Node, collection_paused, parse_tree

M = TypeVar("M", bound=BaseModel)

UNITS_KEY = "units"
"""Top-level key of the header that states the document's units."""
_LONG, _BEGINNING, _HOPELESS = 200_000, 2_000, 1_000
"""In a document of more characters than the first, so many items of each list are looked at before all of it is; where
these have more problems than the last, nobody is told of the rest: listing a mistake in each of 50,000 places takes
seconds and half a gigabyte."""


@budgeted(place="source")
def load_document(
    source: Path | str,
    model: type[M],
    *,
    context: Units | None = None,
    place: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> M:
    """Read and validate one document.

    A header ``units: {angle: deg, time: ms, length: mm}`` at the top level converts all quantities to SI; without it
    the document is in ``context``'s units (SI where None). Types are strict: a quoted number is a text.

    Args:
        source: A file (Path) or the document itself (str).
        model: The pydantic model that the document must follow.
        context: Units of a document without a header.
        place: Name of the document in messages; the path, or ``<text>``, where None.
        max_bytes: Size of the largest document that is read.

    Raises:
        DocumentError: The file cannot be read, is no text, is too large or too deep, is no YAML, or does not follow
            the model. The message names line, column, field, value and what is legal for the first few problems.
    """
    place = place or (str(source) if isinstance(source, Path) else "<text>")
    if isinstance(source, Path):
        text = read_text(source, place=place, max_bytes=max_bytes)
    else:
        text = source
        took(len(text))
    check_text(text, place=place, max_bytes=max_bytes)
    return validate_tree(parse_tree(text, place), model, context=context, place=place)


def validate_tree(root: Node, model: type[M], *, context: Units | None, place: str) -> M:
    """Validate a parsed document; see `load_document`.

    Raises:
        DocumentError: The document does not follow the model.
    """
    if not isinstance(root.data, dict):
        raise DocumentError(
            "the document must be a mapping (key: value)", place=f"{place}:{root.line}:{root.column}", value=root.data
        )
    units = document_units(root, model, context=context, place=place)
    data = root.data
    if UNITS_KEY not in model.model_fields:
        data = {key: value for key, value in data.items() if key != UNITS_KEY}
    return _validate(root, model, units, place, (), data)


def document_units(root: Node, model: type[BaseModel], *, context: Units | None = None, place: str) -> Units:
    """The units that a document's header states; ``context`` (SI where None) without a header.

    Raises:
        DocumentError: The header is wrong.
    """
    header = root.child(UNITS_KEY)
    if header is None or UNITS_KEY in model.model_fields:
        return context or SI
    return _validate(header, Units, SI, place, (UNITS_KEY,))


def _validate(
    node: Node,
    model: type[M],
    units: Units,
    place: str,
    prefix: tuple[str, ...],
    data: object = None,
) -> M:
    data = node.data if data is None else data
    with collection_paused():
        if node.end - node.start > _LONG and _longest_list(data) > _BEGINNING:
            try:
                model.model_validate_json(json.dumps(_beginning(data, _BEGINNING)), strict=True, context=units)
            except ValidationError as error:
                if error.error_count() > _HOPELESS:
                    raise explain(error, node, model, units, place, prefix, all_known=False) from error
        # JSON mode gives strict scalars together with lists for tuples and texts for enumerations.
        try:
            return model.model_validate_json(json.dumps(data), strict=True, context=units)
        except ValidationError as error:
            raise explain(error, node, model, units, place, prefix) from error


def _longest_list(data: Any) -> int:
    """Items of the longest list in plain data."""
    if isinstance(data, dict):
        return max(map(_longest_list, data.values()), default=0)
    if isinstance(data, list):
        return max(len(data), max(map(_longest_list, data), default=0))
    return 0


def _beginning(data: Any, items: int) -> Any:
    """The beginning of a long document: plain data with at most so many items of each list."""
    if isinstance(data, dict):
        return {key: _beginning(value, items) for key, value in data.items()}
    if isinstance(data, list):
        return [_beginning(value, items) for value in data[:items]]
    return data
