"""Fields of models by path: which models stand where, which names are legal there, and where a name stands deeper.

A part that is one of several kinds is chosen by its own ``type``, so that a message names the fields of that kind only.
"""

from __future__ import annotations

import re
import types
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from andante.documents.choice import Choice
from andante.documents.registry import registry_in
from andante.errors import nearest_name

Step = str | int
TAG = "type"
"""Field that tells the kinds of a part apart."""
_PLAIN_KEY = re.compile(r"[\w\-]+\Z")
_DEEP = 12
"""Models within models that are looked through."""


def field_name(path: Sequence[Step]) -> str:
    """A path as people write it: ``blocks.sit.keyframes[2].duration``."""
    name = ""
    for step in path:
        if isinstance(step, int):
            name += f"[{step}]"
        else:
            key = step if _PLAIN_KEY.match(step) else repr(step)
            name += f".{key}" if name else key
    return name


def field_of(model: type[BaseModel], name: str) -> FieldInfo | None:
    """The field that documents call by a name."""
    found = model.model_fields.get(name)
    return found or next((each for each in model.model_fields.values() if each.alias == name), None)


Listed = dict[tuple[Step, ...], list[tuple[Step, ...]]]
"""Paths of all fields below some parts of a document."""


def child(data: Any, step: Step) -> Any:
    """What stands under a step of plain data; None where nothing does."""
    if isinstance(data, Mapping):
        return data.get(step)
    if isinstance(data, (list, tuple)) and isinstance(step, int) and step < len(data):
        return data[step]
    return None


def inside(kind: Any, step: Step, data: Any = None) -> list[Any]:
    """The types that may stand under ``step`` of a value of type ``kind``, unions opened.

    Args:
        kind: The type.
        step: Name of a field, or number of an item.
        data: The value under that step, as plain data; of several kinds the one that its ``type`` names is chosen.
    """
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        field = field_of(kind, step) if isinstance(step, str) else None
        if field is None:
            return []
        return _registered(field.metadata, data) or _tagged(alternatives(field.annotation, data), data)
    arguments = get_args(kind)
    origin = get_origin(kind)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _tagged(alternatives(arguments[1], data), data)
    if isinstance(origin, type) and issubclass(origin, Sequence) and isinstance(step, int):
        fixed = origin is tuple and Ellipsis not in arguments
        member = arguments[step : step + 1] if fixed else arguments[:1]
        return [found for kind in member for found in _tagged(alternatives(kind, data), data)]
    return []


def alternatives(kind: Any, data: Any = None) -> list[Any]:
    """The members of a union, or the type itself; annotations taken off, registered kinds in place of their base."""
    origin = get_origin(kind)
    if origin is Annotated:
        inner, *metadata = get_args(kind)
        return _registered(metadata, data) or alternatives(inner, data)
    if origin in (Union, types.UnionType):
        return [inner for argument in get_args(kind) for inner in alternatives(argument, data)]
    return [kind]


def _registered(metadata: Sequence[Any], data: Any) -> list[Any]:
    """Kinds that a field's annotations let it hold; of several the one that the value names."""
    found: list[Any] = []
    for registry in filter(None, map(registry_in, metadata)):
        named = registry.named(data)
        found += [registry[named]] if named in registry else list(registry.kinds.values())
    for choice in choices_in(metadata):
        found += choice.kinds_of(data)
    return found


def choices_in(metadata: Sequence[Any]) -> list[Choice[Any]]:
    """Those of some annotations by which a part is chosen by its name."""
    return [mark for mark in metadata if isinstance(mark, Choice)]


def choice_at(model: type[BaseModel], path: Sequence[Step], data: Any = None) -> Choice[Any] | None:
    """The annotation by which the part at ``path`` is chosen by its name; None: it is no such part."""
    if not path:
        return None
    step = path[-1]
    for kind in kinds_at(model, path[:-1], data):
        found: list[Any] = []
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            field = field_of(kind, step) if isinstance(step, str) else None
            found = [] if field is None else [*field.metadata, *_marks_of(field.annotation)]
        elif isinstance(step, int):
            found = [mark for member in get_args(kind) for mark in _marks_of(member)]
        for choice in choices_in(found):
            return choice
    return None


def _marks_of(kind: Any) -> list[Any]:
    """Annotations of a type and of the members of a union."""
    if get_origin(kind) is Annotated:
        return list(get_args(kind)[1:])
    if get_origin(kind) in (Union, types.UnionType):
        return [mark for member in get_args(kind) for mark in _marks_of(member)]
    return []


def kinds_at(model: type[BaseModel], path: Sequence[Step], data: Any = None) -> list[Any]:
    """The types that may stand at ``path`` in ``model``; ``data`` is the whole part as plain data, as far as known."""
    kinds: list[Any] = [model]
    for step in path:
        data = child(data, step)
        kinds = [inner for kind in kinds for inner in inside(kind, step, data)]
    return kinds


def models_in(kinds: Sequence[Any]) -> list[type[BaseModel]]:
    """Those of some types that are models."""
    return [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)]


def legal_fields(model: type[BaseModel], path: Sequence[Step], data: Any = None) -> tuple[str, ...]:
    """Names of the fields of the model(s) that stand at ``path`` in ``model``; empty where there is none."""
    found = models_in(kinds_at(model, path, data))
    return tuple(dict.fromkeys(each.alias or name for kind in found for name, each in kind.model_fields.items()))


def meant(model: type[BaseModel], path: Sequence[Step], data: Any = None, listed: Listed | None = None) -> str:
    """The path that somebody who named a field that is not there has probably meant, where it is not beside it.

    The same name deeper in the part comes first, then the nearest name deeper, then the same name anywhere in the
    document. Empty where there is none, or where a field beside it has a near name.

    Args:
        model: Model of the whole document.
        path: Path to the unknown field, its name included.
        data: The document as plain data, as far as known.
        listed: What was listed of this document and model before, which is added to.
    """
    above, name = tuple(path[:-1]), str(path[-1])
    listed = {} if listed is None else listed

    def below(part: tuple[Step, ...]) -> list[tuple[Step, ...]]:
        if part not in listed:
            here = reduce(child, part, data)
            own = models_in(kinds_at(model, part, data))
            listed[part] = [(*part, *rest) for kind in own for rest in _paths(kind, here)]
        return listed[part]

    same = [each for each in below(above) if each[-1] == name]
    if not same and nearest_name(name, legal_fields(model, above, data)) is None:
        deeper = nearest_name(name, list(dict.fromkeys(str(each[-1]) for each in below(above))))
        same = [each for each in below(above) if each[-1] == deeper] or [each for each in below(()) if each[-1] == name]
    return field_name(min(same, key=len)) if same else ""


def _paths(model: type[BaseModel], data: Any, depth: int = 0) -> Iterator[tuple[Step, ...]]:
    """Paths of all fields of a model and of those within it; item 0 stands for all items of a list."""
    for name in model.model_fields:
        yield (name,)
        if depth < _DEEP:
            value = child(data, name)
            for kind in inside(model, name, value):
                yield from ((name, *rest) for rest in _below(kind, value, depth))


def _below(kind: Any, data: Any, depth: int) -> Iterator[tuple[Step, ...]]:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        yield from _paths(kind, data, depth + 1)
        return
    for item in models_in(inside(kind, 0, child(data, 0))):
        yield from ((0, *rest) for rest in _paths(item, child(data, 0), depth + 1))


def _tagged(kinds: list[Any], data: Any) -> list[Any]:
    """Of several models those whose ``type`` is that of the data; all where none says so."""
    named = data.get(TAG) if isinstance(data, Mapping) else None
    if named is None:
        return kinds
    fitting = [kind for kind in models_in(kinds) if named in types_of(kind)]
    return fitting or kinds


def types_of(model: type[BaseModel]) -> tuple[Any, ...]:
    """What the field ``type`` of a model may be; nothing where it has none, or any text."""
    field = model.model_fields.get(TAG)
    return get_args(field.annotation) if field is not None and get_origin(field.annotation) is Literal else ()
