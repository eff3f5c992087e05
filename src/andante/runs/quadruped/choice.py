"""A quadruped's task with what a command line asks for, text by text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from andante.runs.quadruped.task import QuadrupedTask, QuadrupedTaskError
from andante.runs.walk.changes import read_fields

FLOOR = "floor"
"""The level floor without a board."""


def refuse_idle(given: Mapping[str, object], who: str) -> None:
    """Refuse options that change nothing.

    Args:
        given: Options by name, None where one was not given.
        who: What they mean nothing to.

    Raises:
        QuadrupedTaskError: One was given.
    """
    for name, value in given.items():
        if value is not None:
            raise QuadrupedTaskError(f"means nothing to {who}", place=name, value=value)


def quadruped_task(given: Mapping[str, Any]) -> QuadrupedTask:
    """The task with what was asked for by name; where nothing is asked, a trot ahead at half a metre per second.

    Raises:
        AndanteError: A number is not legal, or a wish contradicts another.
    """
    asked = read_fields(QuadrupedTask, given)
    if asked.get("board", FLOOR) == FLOOR:
        asked["board"] = None
        refuse_idle({"--start": given["start"], "--set": given["values"] or None}, "a robot on the level floor")
        if "twist" not in asked and "goal" not in asked and not asked.get("live"):
            asked["twist"] = (0.5, 0.0, 0.0)
    return QuadrupedTask(**asked)
