"""What an environment is made with, looked at before anything is built of it: programs give it, no document does."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeGuard, TypeVar

import numpy as np
from pydantic import BaseModel, ValidationError

from andante.documents.validation import first_problem
from andante.env.errors import EnvError
from andante.env.rewards import REWARDS
from andante.env.terms import RewardTerm

P = TypeVar("P", bound=BaseModel)


def number_of(place: str, value: object, limit: str) -> float:
    """A number, of numpy, too.

    Raises:
        EnvError: It is none.
    """
    try:
        if isinstance(value, (bool, str, bytes)):
            raise TypeError
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise EnvError("is no number", place=place, value=value, limit=limit) from None


def is_whole(value: object, least: int, most: float = math.inf) -> TypeGuard[int]:
    """Whether this is a whole number, of numpy, too, within bounds."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(least <= value <= most)


def part_of(kind: type[P], place: str, value: object) -> P:
    """A part of a document; mappings are read as documents say it.

    Raises:
        EnvError: It is none.
    """
    if isinstance(value, kind):
        return value
    if not isinstance(value, Mapping):
        raise EnvError("is no mapping of fields", place=place, value=value)
    try:
        return kind.model_validate(dict(value))
    except ValidationError as error:
        raise first_problem(EnvError, error, kind, place, dict(value)) from None


def parts_of(kind: type[P], place: str, values: object) -> tuple[P, ...]:
    """Several parts of documents.

    Raises:
        EnvError: They are none.
    """
    return tuple(part_of(kind, f"{place}[{at}]", each) for at, each in enumerate(several(place, values)))


def several(place: str, values: object) -> Sequence[object]:
    """What a list has in it; a text is one thing, not a list of letters.

    Raises:
        EnvError: It is no list.
    """
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise EnvError("is no list", place=place, value=values, remedy=f"give {place}=[...]")
    return tuple(values)


def weights_of(values: object) -> dict[RewardTerm, float]:
    """Weights of reward terms, which are given by name or as they are.

    Raises:
        EnvError: They are no finite numbers by terms, there is no such term, or one is given twice.
    """
    if not isinstance(values, Mapping):
        raise EnvError("gives no weights by name", place="rewards", value=values, remedy="such as {'alive': 1.0}")
    found: dict[RewardTerm, float] = {}
    for given, value in values.items():
        if not isinstance(given, str | RewardTerm):
            remedy = "such as RewardTerm('mine', '', function)"
            raise EnvError("is no reward term, and no name of one", place="rewards", value=given, remedy=remedy)
        term = given if isinstance(given, RewardTerm) else REWARDS[given]
        place = f"rewards.{term.name}"
        weight = number_of(place, value, "a finite number")
        if not math.isfinite(weight):
            raise EnvError("a weight must be finite", place=place, value=weight)
        if term.name in (each.name for each in found):
            raise EnvError("a term is named twice", place="rewards", value=term.name)
        found[term] = weight
    return found
