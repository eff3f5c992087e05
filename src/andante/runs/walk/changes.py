"""A walk with what a command line or an options model asks for, text by text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from andante.documents.numbers import NumbersError, named_values, numbers
from andante.runs.walk.task import WalkTask


def changed(
    task: WalkTask,
    *,
    start: str | None = None,
    goal: str | None = None,
    pose_noise: str | None = None,
    map_error: float | None = None,
    map_correlation: float | None = None,
    map_shift: float | None = None,
    effort: float | None = None,
    load: str | None = None,
    gains: str | None = None,
    friction: float | None = None,
    payload: float | None = None,
    torque: float | None = None,
    speed_limit: float | None = None,
    values: Sequence[str] = (),
    twist: str | None = None,
    seconds: float | None = None,
) -> WalkTask:
    """A walk with what was asked for, in the command line's units; what is None stays.

    Raises:
        AndanteError: A number is not legal.
    """
    if pose_noise is not None:
        place, turn = numbers(pose_noise, 2, "--pose-noise")
        if min(place, turn) < 0.0:
            raise NumbersError("noise is not below zero", place="--pose-noise", value=pose_noise)
        task = replace(task, pose_noise=(1e-3 * place, math.radians(turn)))
    ends = {"start": start, "goal": goal}
    places: dict[str, Any] = {name: numbers(text, 2, f"--{name}") for name, text in ends.items() if text is not None}
    task = replace(task, **places)
    if map_error is not None:
        task = replace(task, map_error=1e-3 * map_error)
    if map_correlation is not None:
        task = replace(task, map_correlation=1e-3 * map_correlation)
    if map_shift is not None:
        task = replace(task, registration=1e-3 * map_shift)
    if twist is not None:
        forward, lateral, turn = numbers(twist, 3, "--twist")
        task = replace(task, twist=(forward, lateral, turn))
    plain: dict[str, Any] = {"friction": friction, "payload": payload, "torque": torque, "speed_limit": speed_limit}
    plain |= {"seconds": seconds, "load": load, "gains": gains, "effort": effort}
    task = replace(task, **{name: value for name, value in plain.items() if value is not None})
    if values:
        task = replace(task, values={**task.values, **named_values(values, "--set")})
    return task
