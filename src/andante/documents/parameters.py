"""Parameters: every field of a document by its path, with unit, default, bounds and meaning, from the models alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, to_jsonable_python

from andante.documents.choice import Choice, NameIn
from andante.documents.descriptions import descriptions
from andante.documents.fields import Step, alternatives, child, field_name, inside, kinds_at, models_in, types_of
from andante.documents.quantities import UNITS, Quantity, bounds
from andante.documents.settings import Settings

UNIT: Mapping[str, str] = {dimension: next(iter(units)) for dimension, units in UNITS.items()}
"""Unit of each dimension."""
_SIGNS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}
_BRACKETS = re.compile(r"\s*\[([^\[\]]{1,20})\](?=[.;,:]|\s*$)")
_NO_UNIT = re.compile(r"[\d, ]+\Z|.*\bindex\b")


@dataclass(frozen=True)
class Parameter:
    """One field of a document."""

    path: str
    """Where it stands; ``[0]`` is the first of a list."""
    unit: str
    """Unit; empty for what has none."""
    default: Any
    """Value where nothing is said, plain data; None also where the field must be given, see ``required``."""
    bounds: str
    """What is legal, as text; empty: anything of its type."""
    meaning: str
    """What it is."""
    required: bool = False
    """Whether it must be given."""
    kind: str = ""
    """Type of the part that has it, where that part may be of several kinds."""

    def data(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return asdict(self)

    def __contains__(self, word: str) -> bool:
        return word.casefold() in f"{self.path} {self.meaning}".casefold()


def parameters(model: type[BaseModel], prefix: Sequence[Step] = (), data: Any = None) -> Iterator[Parameter]:
    """Parameters of a model, in the order of its fields; parts come before their own fields.

    Args:
        model: The model.
        prefix: Path of the part in its document.
        data: The part as plain data, which tells of which kinds its parts are.
    """
    yield from _parameters(model, tuple(prefix), data, ())


def _parameters(
    model: type[BaseModel], prefix: tuple[Step, ...], data: Any, above: tuple[type[BaseModel], ...]
) -> Iterator[Parameter]:
    if model in above:
        return
    texts = descriptions(model)
    for name, field in model.model_fields.items():
        value = child(data, name)
        path = (*prefix, name)
        models, listed = _parts(inside(model, name, value), value)
        if any(isinstance(mark, Choice) for mark in _marks(field)):
            # The classes behind a name are asked for by none of these fields.
            models = []
        if not models or listed or field.default is None or field.is_required():
            yield _told(path, field, texts.get(name, ""))
        # The same choice once more, as of a backend behind another one: its kinds are told where they stand first.
        again = value is None and len(models) > 1 and any(each in (*above, model) for each in models)
        for each in models:
            item = child(value, 0) if listed else value
            found = _parameters(each, (*path, 0) if listed else path, item, (*above, model))
            if again:
                found = (parameter for parameter in found if parameter.path.endswith(f"{name}.type"))
            of = next(iter(types_of(each)), "") if len(models) > 1 else ""
            yield from (replace(parameter, kind=str(of or parameter.kind)) for parameter in found)


def dimension_at(model: type[BaseModel], path: Sequence[Step], data: Any = None) -> str:
    """What the number at a path measures; empty where it is no number with a dimension."""
    found = ""
    for number, step in enumerate(path):
        for kind in models_in(kinds_at(model, path[:number], data)):
            if isinstance(step, str):
                field = kind.model_fields.get(step)
                found = "" if field is None else dimension_of(field)
    return found


def is_text_at(model: type[BaseModel], path: Sequence[Step], data: Any = None) -> bool:
    """Whether what stands at a path is a text and nothing else."""
    kinds = kinds_at(model, path, data)
    return bool(kinds) and all(kind is str for kind in kinds)


def _parts(kinds: Sequence[Any], data: Any) -> tuple[list[type[BaseModel]], bool]:
    """Models among some types, and whether they are items of a list."""
    models = models_in(kinds)
    if models:
        return models, False
    lists = [
        kind for kind in kinds if not (isinstance(get_origin(kind), type) and issubclass(get_origin(kind), Mapping))
    ]
    return models_in([item for kind in lists for item in inside(kind, 0, child(data, 0))]), True


def _told(path: tuple[Step, ...], field: FieldInfo, text: str) -> Parameter:
    words = " ".join(text.split())
    unit = UNIT.get(dimension_of(field), "")
    named = _BRACKETS.search(words)
    if named is not None and not _NO_UNIT.match(named[1]):
        unit = unit or named[1]
        words = _BRACKETS.sub("", words, count=1)
    required = field.is_required()
    default = None if required else field.get_default(call_default_factory=True)
    if isinstance(default, Settings):
        default = next((mark.name(default) for mark in _marks(field) if isinstance(mark, Choice)), default)
    plain = None if default is PydanticUndefined else to_jsonable_python(default, inf_nan_mode="constants")
    return Parameter(field_name(path), unit, plain, _bounds(field), words, required)


def _marks(field: FieldInfo) -> list[Any]:
    """Annotations of a field, those inside unions and lists included."""
    found = list(field.metadata)
    waiting = [field.annotation]
    while waiting:
        kind = waiting.pop()
        if get_origin(kind) is Annotated:
            found += get_args(kind)[1:]
        waiting += [each for each in get_args(kind) if not isinstance(each, (str, int, float))]
    return found


def dimension_of(field: FieldInfo) -> str:
    """What a field measures; empty where it is no number with a dimension."""
    return next((mark.dimension for mark in _marks(field) if isinstance(mark, Quantity)), "")


def _bounds(field: FieldInfo) -> str:
    limits = [f"{_SIGNS[name]} {value:g}" for name, value in bounds(_marks(field)).items()]
    kinds = alternatives(field.annotation)
    choices = [str(choice) for kind in kinds if get_origin(kind) is Literal for choice in get_args(kind)]
    choices += [name for mark in _marks(field) if isinstance(mark, NameIn) for name in mark.names]
    counts = [len(get_args(kind)) for kind in kinds if get_origin(kind) is tuple and Ellipsis not in get_args(kind)]
    told = [*limits, *([" | ".join(choices)] if choices else []), *(f"{count} values" for count in counts)]
    if bool in kinds:
        told.append("true | false")
    return ", ".join(told)
