"""From pydantic's list of errors to one DocumentError that a person can act on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from andante.documents.fields import TAG, Listed, Step, child, field_name, legal_fields, meant
from andante.documents.problems import DocumentError
from andante.documents.quantities import SI, UNITS, Units
from andante.errors import AndanteError, nearest_name

if TYPE_CHECKING:
    from andante.documents.yaml_tree import Node

E = TypeVar("E", bound=AndanteError)
_QUOTED = re.compile(r"'([^']*)'")
_WITH_UNIT = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?) ?([a-z]+(?:/s)?)")
"""A number with its unit."""
_CONTRADICTION = "contradiction"
_EXPLAINED = 100
"""So many problems of a document are explained; the others are counted."""
_GUESSED = 5
"""For so many unknown fields a field elsewhere is looked for that may be meant; no more are shown."""
_BOUNDS = {
    "greater_than": "above",
    "greater_than_equal": "at least",
    "less_than": "below",
    "less_than_equal": "at most",
}
_KINDS = {
    "float_type": "a number",
    "float_parsing": "a number",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "string_type": "a text",
    "bool_type": "true or false",
    "dict_type": "a mapping (key: value)",
    "model_type": "a mapping (key: value)",
    "model_attributes_type": "a mapping (key: value)",
    "tuple_type": "a list",
    "list_type": "a list",
    "none_required": "null",
    "finite_number": "a finite number",
    "number": "a number",
}


def contradiction(what: str, *, field: str, value: object, limit: str) -> PydanticCustomError:
    """What a validator of a whole part raises where two of its fields do not go together.

    Args:
        what: One sentence without a full stop.
        field: The field that should change.
        value: Its value.
        limit: What it had to obey.
    """
    context = {"what": what, "field": field, "value": value, "limit": limit}
    return PydanticCustomError(_CONTRADICTION, "{what}", context)


def contradicting(part: BaseModel, field: str, what: str, limit: str) -> PydanticCustomError:
    """`contradiction` by the value that a part's field has."""
    return contradiction(what, field=field, value=getattr(part, field), limit=limit)


def first_problem(kind: type[E], error: ValidationError, model: type[BaseModel], place: str, data: Any = None) -> E:
    """The first problem of a part that was made in code.

    Args:
        kind: The class of the error that tells it.
        error: What pydantic raised.
        model: The part's model.
        place: Name of the part, in front of the field's in the message; may be empty.
        data: The part as plain data, where it is at hand: it tells which of several kinds a part is of.
    """
    listed = error.errors(include_url=False, include_context=True)
    first = listed[0]
    path = [*_without_tags(first, data), *([first["ctx"]["field"]] if _contradicts(first) else [])]
    value = first["ctx"]["value"] if _contradicts(first) else first["input"]
    value = "null" if value is None else value
    where = ".".join(part for part in (place, field_name(path)) if part)
    if first["type"] == "extra_forbidden":
        above = ".".join(part for part in (place, field_name(path[:-1])) if part)
        return kind(
            "there is no such setting",
            place=above,
            value=path[-1],
            legal=legal_fields(model, path[:-1], data),
            meant=meant(model, path, data),
        )
    if first["type"] == "missing":
        return kind("is missing", place=where, limit="this field must be given")
    what, limit, legal = _judged([item for item in listed if item["loc"] == first["loc"]], SI)
    if first["type"] == "union_tag_invalid" and child(value, TAG) is not None:
        where, value = f"{where}.{TAG}", child(value, TAG)
    remedy = _of_a_package(first, value, legal)
    return kind(what.lstrip(": "), place=where, value=value, limit=limit, legal=legal, remedy=remedy)


def explain(
    found: list[Any],
    root: Node,
    model: type[BaseModel],
    units: Units,
    place: str,
    prefix: Sequence[Step] = (),
    *,
    all_known: bool = True,
) -> DocumentError:
    """One error with the place in the text, the field, the value and what is legal for each problem.

    Args:
        found: What pydantic lists of the error that it raised; at least one.
        root: The tree that was validated.
        model: The model that it was validated against.
        units: The document's units.
        place: Name of the document.
        prefix: Path from the document's top to ``root``.
        all_known: Whether the whole document was validated, so that there are no more problems.
    """
    by_path: dict[tuple[Step, ...], list[Any]] = {}
    for item in found:
        by_path.setdefault(_data_path(item, root), []).append(item)
    _drop_uncounted(by_path)
    # In the order of the text; a document may have a mistake in each of a hundred thousand places.
    placed = sorted(by_path.items(), key=lambda entry: _marked(entry[0], entry[1][0], root).start)
    listed: Listed = {}
    problems = [
        _problem(path, items, root, model, units, place, prefix, listed if number < _GUESSED else None)
        for number, (path, items) in enumerate(placed[:_EXPLAINED])
    ]
    return DocumentError.joined(problems, more=len(placed) - len(problems), all_known=all_known)


def _drop_uncounted(by_path: dict[tuple[Step, ...], list[Any]]) -> None:
    """Leave out that a list is too short where its entries are wrong: those were not counted."""
    wrong = {path[:length] for path in by_path for length in range(len(path))}
    for path in wrong & by_path.keys():
        left = [item for item in by_path[path] if item["type"] != "too_short"]
        if left:
            by_path[path] = left
        else:
            del by_path[path]


def _without_tags(item: Any, data: Any) -> list[Step]:
    """An error's location without labels of union members, which are no steps in the data; as it is without data."""
    location = item["loc"]
    if data is None:
        return list(location)
    path: list[Step] = []
    for number, step in enumerate(location):
        known = step in data if isinstance(data, Mapping) else child(data, step) is not None
        if known:
            path.append(step)
            data = child(data, step)
        elif item["type"] == "missing" and number == len(location) - 1:
            path.append(step)
    return path


def _data_path(item: Any, root: Node) -> tuple[Step, ...]:
    """The part of an error's location that is a path in the data; labels of union members are left out."""
    path: list[Step] = []
    node: Node = root
    location = item["loc"]
    for number, step in enumerate(location):
        child = node.child(step)
        if child is not None:
            path.append(step)
            node = child
        elif item["type"] == "missing" and number == len(location) - 1:
            path.append(step)
    last = TAG if item["type"] == "union_tag_invalid" else item["ctx"]["field"] if _contradicts(item) else None
    if last is not None and node.child(last) is not None:
        path.append(last)
    return tuple(path)


def _contradicts(item: Any) -> bool:
    return bool(item["type"] == _CONTRADICTION)


def _find(root: Node, path: Sequence[Step]) -> Node | None:
    node: Node | None = root
    for step in path:
        node = node.child(step) if node is not None else None
    return node


def _marked(path: tuple[Step, ...], item: Any, root: Node) -> Node:
    """The node whose place a message names: the value, the key of an unknown field, the mapping that lacks one."""
    if item["type"] == "missing":
        return _find(root, path[:-1]) or root
    if item["type"] in ("extra_forbidden", "invalid_key") or item["loc"][-1:] == ("[key]",):
        parent = _find(root, path[:-1])
        if parent is not None and path and path[-1] in parent.keys:
            return parent.keys[str(path[-1])]
    return _find(root, path) or root


def _problem(
    path: tuple[Step, ...],
    items: list[Any],
    root: Node,
    model: type[BaseModel],
    units: Units,
    place: str,
    prefix: Sequence[Step],
    listed: Listed | None,
) -> DocumentError:
    item = items[0]
    node = _marked(path, item, root)
    where = f"{place}:{node.line}:{node.column}"
    field = field_name((*prefix, *path))
    kind = item["type"]
    if kind == "extra_forbidden":
        return DocumentError(
            f"{field_name((*prefix, *path[:-1])) or 'the document'} has no such field",
            place=where,
            value=path[-1] if path else None,
            legal=legal_fields(model, path[:-1], root.data),
            meant=meant(model, path, root.data, listed) if listed is not None and path and not prefix else "",
        )
    if kind == "missing":
        return DocumentError(f"{field} is missing", place=where, limit="this field must be given")
    value = items[0]["ctx"]["value"] if kind == _CONTRADICTION else node.data
    wrong, limit, legal = _judged(items, units)
    what = f"{field or 'the document'}{wrong}"
    if kind == "too_long":
        value = len(value)
    told = "null" if value is None else value
    remedy = _unitless(value, units) if kind in ("float_type", "float_parsing") else _of_a_package(item, value, legal)
    return DocumentError(what, place=where, value=told, limit=limit, legal=legal, remedy=remedy)


def _of_a_package(item: Any, value: object, legal: Sequence[str]) -> str:
    """What to do about a name that no package brings here, such as that of a document from elsewhere."""
    context = item.get("ctx", {})
    # A union of pydantic's own, in which nobody registers anything, has its discriminator in quotes.
    registered = "register" in context or (item["type"] == "union_tag_invalid" and context["discriminator"] == TAG)
    if not registered or not isinstance(value, str) or nearest_name(value, legal) is not None:
        return ""
    return "a package that is not installed may bring it; andante plugins lists what is"


def _unitless(value: object, units: Units) -> str:
    """What to write in place of a number with its unit, as options take it; empty where it is none."""
    found = _WITH_UNIT.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return ""
    for dimension, known in UNITS.items():
        if found[2] in known:
            number = units.from_si(float(found[1]) * known[found[2]], dimension)
            own = "" if units == SI else f", or {float(found[1]) * known[found[2]]:g} where the field is always in SI"
            return f"documents have numbers without a unit, here {number:g}{own}"
    return ""


def _judged(items: list[Any], units: Units) -> tuple[str, str, tuple[str, ...]]:
    """What is wrong with one value, as its name goes on, its limit as text, and the legal names."""
    expected: dict[str, None] = {}
    legal: dict[str, None] = {}
    limit, size = "", ""
    for entry in items:
        context = entry.get("ctx", {})
        if entry["type"] in ("enum", "literal_error"):
            choices = _QUOTED.findall(str(context.get("expected", "")))
            legal.update(dict.fromkeys(choices))
            if not choices:
                expected[str(context.get("expected"))] = None
        elif entry["type"] == "union_tag_invalid":
            legal.update(dict.fromkeys(_QUOTED.findall(str(context.get("expected_tags", "")))))
        elif entry["type"] in _BOUNDS:
            (bound,) = (context[key] for key in ("gt", "ge", "lt", "le") if key in context)
            suffix = " in SI units" if bound and units != SI else ""
            limit = f"{_BOUNDS[entry['type']]} {bound if isinstance(bound, int) else f'{bound:g}'}{suffix}"
        elif entry["type"] == "too_long":
            size, limit = " has too many entries", f"{context['max_length']} entries"
        elif entry["type"] == "too_short":
            size, limit = " has too few entries", f"at least {context['min_length']}"
        elif entry["type"] in _KINDS:
            expected[_KINDS[entry["type"]]] = None
        else:
            limit = str(context.get("limit", "")) if entry["type"] == _CONTRADICTION else limit
            expected[str(entry["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")] = None
    what = size or " is not legal"
    # A value that has the right kind, and not the size, is not told which other kinds there are.
    if limit and all(kind in _KINDS.values() for kind in expected):
        expected.clear()
    if expected:
        kinds = " or ".join(expected)
        named = all(entry["type"] in _KINDS or entry["type"] in ("enum", "literal_error") for entry in items)
        choices_text = " or one of the names below" if named and legal else ""
        what = f" must be {kinds}{choices_text}" if named else f": {kinds}"
    return what, limit, tuple(legal)
