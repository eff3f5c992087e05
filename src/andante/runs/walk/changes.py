"""A walk with what a command line or an options model asks for, text by text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from andante.documents.typed import NumbersError, named_values, numbers
from andante.runs.walk.task import WalkTask

_LISTS = {"pose_noise": 2, "start": 2, "goal": 2, "twist": 3, "push": 4}
"""How many numbers the texts of some options have."""


def changed(task: WalkTask, given: Mapping[str, Any]) -> WalkTask:
    """A walk with what was asked for by name, in the command line's units; what is None stays.

    Raises:
        AndanteError: A number is not legal.
    """
    asked = read_fields(WalkTask, {**given, "registration": given.get("map_shift")})
    for name in ("map_error", "map_correlation", "registration"):
        if name in asked:
            asked[name] *= 1e-3
    if "pose_noise" in asked:
        place, turn = asked["pose_noise"]
        if min(place, turn) < 0.0:
            raise NumbersError("noise is not below zero", place="--pose-noise", value=given["pose_noise"])
        asked["pose_noise"] = (1e-3 * place, math.radians(turn))
    asked["values"] = {**task.values, **asked.get("values", {})}
    return replace(task, **asked)


def read_fields(kind: type[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a kind of task that were given: numbers in place of texts; without what is None or no field.

    Raises:
        AndanteError: A number is not legal.
    """
    asked = {each.name: given[each.name] for each in fields(kind) if given.get(each.name) is not None}
    for name, count in _LISTS.items():
        if name in asked:
            asked[name] = numbers(asked[name], count, "--" + name.replace("_", "-"))
    if "values" in asked:
        asked["values"] = named_values(asked["values"], "--set")
    return asked
