"""Reading versioned YAML documents into models: safe against hostile files, one clear error for all problems."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from andante.documents.budget import budgeted, took
from andante.documents.files import MAX_BYTES, check_text, read_text
from andante.documents.long_documents import LONG, MANY, TOLD, Excerpt, in_parts, pieces_of, sample
from andante.documents.problems import DocumentError
from andante.documents.quantities import SI, Units
from andante.documents.validation import explain
from andante.documents.yaml_tree import Node, collection_paused, parse_tree

M = TypeVar("M", bound=BaseModel)

UNITS_KEY = "units"
"""Top-level key of the header that states the document's units."""


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
        if node.end - node.start > LONG and isinstance(data, dict):
            items = _first_of_many(node, data, model, units)
            if items:
                raise explain(items, node, model, units, place, prefix, all_known=False)
        try:
            return _validated(data, model, units)
        except ValidationError as error:
            raise explain(_listed(error), node, model, units, place, prefix) from error


def _validated(data: Any, model: type[M], units: Units) -> M:
    # JSON mode gives strict scalars together with lists for tuples and texts for enumerations.
    return model.model_validate_json(json.dumps(data), strict=True, context=units)


def _listed(error: ValidationError) -> list[Any]:
    return error.errors(include_url=False, include_context=True, include_input=False)


def _first_of_many(node: Node, data: dict[str, Any], model: type[BaseModel], units: Units) -> list[Any]:
    """The first mistakes of a long document; empty where it has not too many to tell them all."""
    pieces = pieces_of(node, data)
    picked, stands_for = sample(pieces)
    if stands_for * len(_mistakes_in(Excerpt(node, picked), model, units)) <= MANY:
        return []
    found: list[Any] = []
    for some in in_parts(pieces):
        found += _mistakes_in(Excerpt(node, some), model, units)
        if len(found) >= TOLD:
            break
    return found


def _mistakes_in(part: Excerpt, model: type[BaseModel], units: Units) -> list[Any]:
    """Mistakes in a part of a document with their places in the whole."""
    try:
        _validated(part.data, model, units)
    except ValidationError as error:
        found = ((item, part.place(item["loc"])) for item in _listed(error))
        return [{**item, "loc": place} for item, place in found if place is not None]
    return []
