"""What a form needs to know of the parts of a motion document: kinds, units, bounds, legal names, what they mean.

Everything is read from the parts' own fields, so a form and the reader of documents cannot disagree.
"""

from __future__ import annotations

import types
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from andante.documents.descriptions import descriptions, member_descriptions
from andante.documents.quantities import Quantity, bounds
from andante.motions.conditions import Condition, Variable
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion
from andante.motions.settings import BalanceParameters, EngineSettings

_SHOWN = (Keyframe, Block, Motion, BalanceParameters, EngineSettings)
_LEFT_OUT = ("extras",)
"""Fields that are no person's to edit."""
NAMES = {
    "joint": "joints",
    "block": "blocks",
    "blocks": "blocks",
    "motion": "motions",
    "phase": "balance",
    "base_stiffness": "groups",
    "limbs": "groups",
    "broken_joint_thresholds": "joints",
}
"""Fields that name something, and what: of the document (blocks, motions, balance) or the robot (joints, groups)."""

Shape = dict[str, Any]


@cache
def part_forms() -> dict[str, dict[str, Shape]]:
    """Fields of every part that forms show, by part and field, as JSON.

    Each has a ``kind``: number (with ``dimension``, ``whole``, bounds ``gt``, ``ge``, ``lt``, ``le`` in SI and words
    that are ``legal`` besides), switch, choice (``legal``, ``notes``), text, name (``of`` what), part (``part``), list
    (``item``), vector (``items``) or map (``keys``, ``item``); and ``note``, ``optional`` (null is legal), ``required``
    or its ``default`` in SI.
    """
    forms: dict[str, dict[str, Shape]] = {}
    for part in _SHOWN:
        _add(part, forms)
    return forms


def _add(part: type[BaseModel], forms: dict[str, dict[str, Shape]]) -> None:
    if part.__name__ in forms:
        return
    notes = descriptions(part)
    fields = forms[part.__name__] = {}
    for name, field in part.model_fields.items():
        if name not in _LEFT_OUT:
            shape = _field(part, name, field, forms)
            fields[name] = {**shape, "note": " ".join(notes.get(name, "").split()), **_default(field)}


def _field(part: type[BaseModel], name: str, field: FieldInfo, forms: dict[str, dict[str, Shape]]) -> Shape:
    if issubclass(part, Condition) and name in ("min", "max"):
        dimensions = {variable.value: variable.dimension for variable in Variable}
        return {"kind": "number", "dimension": "number", "by": "variable", "dimensions": dimensions}
    return _shape(field.annotation, tuple(field.metadata), NAMES.get(name, ""), forms)


def _default(field: FieldInfo) -> Shape:
    if field.is_required():
        return {"required": True}
    return {"default": to_jsonable_python(field.get_default(call_default_factory=True))}


def _shape(kind: Any, metadata: tuple[Any, ...], names: str, forms: dict[str, dict[str, Shape]]) -> Shape:
    """The shape of a value of a type."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _shape(arguments[0], (*metadata, *arguments[1:]), names, forms)
    if origin in (Union, types.UnionType):
        return _union(arguments, metadata, names, forms)
    if origin is Literal:
        return {"kind": "choice", "legal": list(arguments), "notes": {}}
    if origin is tuple and Ellipsis not in arguments:
        return {"kind": "vector", "items": [_shape(each, (), names, forms) for each in arguments]}
    if origin in (tuple, list):
        return {"kind": "list", "item": _shape(arguments[0], (), names, forms)}
    if origin is dict:
        return {"kind": "map", "keys": names, "item": _shape(arguments[1], (), "", forms)}
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        _add(kind, forms)
        return {"kind": "part", "part": kind.__name__}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"kind": "choice", "legal": [each.value for each in kind], "notes": member_descriptions(kind)}
    if kind is bool:
        return {"kind": "switch"}
    if kind in (int, float):
        return {"kind": "number", **_number(metadata), **({"whole": True} if kind is int else {})}
    return {"kind": "name", "of": names} if names else {"kind": "text"}


def _union(arguments: tuple[Any, ...], metadata: tuple[Any, ...], names: str, forms: dict[str, Any]) -> Shape:
    """A type or nothing; a number or words in its place."""
    rest = [each for each in arguments if each is not types.NoneType]
    words = [word for each in rest if get_origin(each) is Literal for word in get_args(each)]
    values = [each for each in rest if get_origin(each) is not Literal]
    shape = _shape(values[0] if values else rest[0], metadata, names, forms)
    if words and values:
        shape["legal"] = words
    return {**shape, "optional": True} if len(rest) < len(arguments) else shape


def _number(metadata: tuple[Any, ...]) -> Shape:
    """Dimension and bounds, of which a field may have several: the last one said is the narrower."""
    dimensions = [each.dimension for each in metadata if isinstance(each, Quantity)]
    return {"dimension": dimensions[-1] if dimensions else "number", **bounds(metadata)}
