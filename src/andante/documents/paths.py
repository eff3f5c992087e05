"""Values by path: ``controller.local.nmpc.weights[3]=60`` changes one number of a document that is already there.

A path names fields with dots and items of a list with their number in brackets, from 0; an item behind the last one is
a new one. A value is written as in a document, in SI units, or as a number with its unit behind it (``8deg``).
What is changed is plain data: the document's own rules check it afterwards, all changes together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from andante.documents.choice import Choice
from andante.documents.fields import (
    TAG,
    Step,
    child,
    choice_at,
    field_name,
    kinds_at,
    legal_fields,
    meant,
    models_in,
)
from andante.documents.parameters import dimension_at, is_text_at
from andante.documents.problems import DocumentError
from andante.documents.quantities import UNITS
from andante.documents.yaml_tree import parse_tree
from andante.errors import AndanteError

_STEP = re.compile(r"""(?:^|\.)(?P<name>[^.\[\]'"\s=][^.\[\]'"=]*)|(?:^|\.)'(?P<quoted>[^']+)'|\[(?P<item>\d{1,6})\]""")
_WITH_UNIT = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?) ?([a-z]+(?:/s)?)")


class PathError(AndanteError):
    """A path names nothing that can be changed, or no value is given."""


def by_path(pair: str) -> bool:
    """Whether PATH=VALUE names something by a path of several steps, not by a plain name."""
    name = pair.partition("=")[0]
    return "." in name or "[" in name


def parse_path(text: str, option: str = "") -> tuple[Step, ...]:
    """The steps of a path.

    Raises:
        PathError: It is none.
    """
    steps: list[Step] = []
    at = 0
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None or (at == 0 and match["item"] is not None):
            break
        named = str(match["quoted"] or match["name"]).strip()
        steps.append(int(match["item"]) if match["item"] is not None else named)
        at = match.end()
    if not steps or at < len(text):
        remedy = "such as world.friction, or controller.steering[0].forward"
        raise PathError("is no path", place=option, value=text, remedy=remedy)
    return tuple(steps)


def typed_values(model: type[BaseModel], data: Mapping[str, Any], pairs: Sequence[str], option: str) -> dict[str, Any]:
    """Plain data with changes that were typed as PATH=VALUE, in their order.

    Args:
        model: Model of the document.
        data: The document as plain data; it stays as it is.
        pairs: The changes.
        option: Name of the command's option, for messages.

    Raises:
        PathError: A change without path or value, or a path that leads to nothing.
    """
    changed = dict(data)
    for pair in pairs:
        path, equals, text = pair.partition("=")
        if not equals or not path.strip() or not text.strip():
            raise PathError("give PATH=VALUE", place=option, value=pair, remedy="such as world.friction=0.4")
        steps = parse_path(path.strip(), option)
        changed = with_value(model, changed, steps, read_value(model, changed, steps, text.strip(), option), option)
    return changed


def read_value(model: type[BaseModel], data: Any, path: Sequence[Step], text: str, option: str) -> Any:
    """A value from its text: a number with a unit, or YAML.

    Raises:
        PathError: It is no YAML, or the unit measures something else.
    """
    found = _WITH_UNIT.fullmatch(text)
    dimension = dimension_at(model, path, data)
    if found is not None and dimension:
        units = UNITS.get(dimension, {})
        if found[2] not in units:
            name = field_name(path)
            place = option if option.endswith(f" {name}") else f"{option} {name}"
            if not units:
                remedy = f"give a plain number, as {found[1]}"
                raise PathError("this value has no unit", place=place, value=text, remedy=remedy)
            raise PathError("is no unit of this value", place=place, value=found[2], legal=units)
        return float(found[1]) * units[found[2]]
    try:
        value = parse_tree(text, f"{option} {field_name(path)}").data
        # A version as 7.10 is a text.
        return text if isinstance(value, int | float) and is_text_at(model, path, data) else value
    except DocumentError as error:
        raise PathError(error.what, place=error.place, value=text) from None


def with_value(
    model: type[BaseModel], data: Mapping[str, Any], path: Sequence[Step], value: Any, option: str = ""
) -> dict[str, Any]:
    """Plain data with one value exchanged; parts on the way that are null begin empty.

    Args:
        model: Model of the document.
        data: The document as plain data; it stays as it is.
        path: Where.
        value: The new value, plain data.
        option: Name of the command's option, for messages.

    Raises:
        PathError: The path leads to nothing that the document may have.
    """
    if path and path[-1] == TAG:
        if choice_at(model, path[:-1], data) is not None:
            # Another class has other fields.
            return exchanged(data, path[:-1], value, option)
        data = _of_another_kind(model, path, data, value)
    check_path(model, path, data, option)
    return exchanged(_spelled_out(model, data, path), path, value, option)


def _of_another_kind(
    model: type[BaseModel], path: Sequence[Step], data: Mapping[str, Any], value: object
) -> Mapping[str, Any]:
    """A document whose part gets another type: what it only has from the kind that it was of is left out."""
    above = path[:-1]
    part = value_at(data, above)
    if not isinstance(part, Mapping) or part.get(TAG) in (None, value):
        return data
    kept = dict(part)
    for kind in models_in(kinds_at(model, above, data)):
        usual = kind.model_construct(**{TAG: part[TAG]}).model_dump(warnings=False)
        kept = {name: each for name, each in kept.items() if name == TAG or name not in usual or usual[name] != each}
    return exchanged(data, above, kept)


def _spelled_out(model: type[BaseModel], data: Mapping[str, Any], path: Sequence[Step]) -> Mapping[str, Any]:
    """A document in which a part on the way that is chosen by its name alone has place for its fields."""
    for number in range(1, len(path)):
        part = path[:number]
        found = value_at(data, part)
        if isinstance(found, str) and choice_at(model, part, data) is not None:
            data = exchanged(data, part, {TAG: found})
    return data


def exchanged(data: Mapping[str, Any], path: Sequence[Step], value: Any, option: str = "") -> dict[str, Any]:
    """Plain data of no model with one value exchanged, see `with_value`.

    Raises:
        PathError: An item is none of a list, nor the next one.
    """
    changed: dict[str, Any] = _put(data, tuple(path), value, (), option)
    return changed


def check_path(model: type[BaseModel], path: Sequence[Step], data: Any = None, option: str = "") -> None:
    """See that a path leads to something that a document may have.

    Args:
        model: Model of the document.
        path: The path.
        data: The document as plain data, which tells of which kinds its parts are.
        option: Name of the command's option, for messages.

    Raises:
        PathError: It does not; the nearest path that does is named.
    """
    for number in range(1, len(path) + 1):
        if kinds_at(model, path[:number], data):
            continue
        above, step = path[: number - 1], path[number - 1]
        legal = legal_fields(model, above, data)
        owner = field_name(above) or "the document"
        place = f"{option} {field_name(path)}".strip()
        choice = choice_at(model, above, data)
        if choice is not None:
            raise _of_no_choice(choice, owner, place, step, value_at(data, above), legal)
        if legal:
            guess = meant(model, path[:number], data)
            raise PathError(f"{owner} has no such field", place=place, value=step, legal=legal, meant=guess)
        kinds = kinds_at(model, above, data)
        fixed = next((get_args(kind) for kind in kinds if get_origin(kind) is tuple), ())
        limit = f"items 0 to {len(fixed) - 1}" if fixed and isinstance(step, int) else ""
        what = f"{owner} has no such item" if limit else f"{owner} has no parts"
        raise PathError(what, place=place, value=step, limit=limit)


def _of_no_choice(
    choice: Choice[Any], owner: str, place: str, step: Step, found: object, legal: tuple[str, ...]
) -> PathError:
    name = choice.named(found)
    if not name:
        what, remedy = f"there is no {choice.what} yet", f"set {owner}=NAME first"
        return PathError(what, place=place, value=step, legal=choice.names, remedy=remedy)
    what = f"the {choice.what} {name!r} has no such field"
    return PathError(what, place=place, value=step, legal=legal, limit="" if legal else "it has none")


def value_at(data: Any, path: Sequence[Step]) -> Any:
    """What stands at a path of plain data; None where nothing does."""
    return reduce(child, path, data)


def _put(data: Any, path: tuple[Step, ...], value: Any, above: tuple[Step, ...], option: str) -> Any:
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        items = [] if data is None else list(data) if isinstance(data, (list, tuple)) else None
        if items is None or step > len(items):
            count = 0 if items is None else len(items)
            place = f"{option} {field_name((*above, *path))}".strip()
            limit = f"{count} are there, the next is [{count}]"
            raise PathError("there are not so many items", place=place, value=step, limit=limit)
        new = _put(items[step] if step < len(items) else None, rest, value, (*above, step), option)
        return [*items[:step], new, *items[step + 1 :]]
    own = dict(data) if isinstance(data, Mapping) else {}
    if step not in own and step.isdecimal() and int(step) in own:
        return {
            key: _put(item, rest, value, (*above, step), option) if key == int(step) else item
            for key, item in own.items()
        }
    own[step] = _put(own.get(step), rest, value, (*above, step), option)
    return own
