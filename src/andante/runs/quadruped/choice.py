"""A quadruped's task with what a command line asks for, text by text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from andante.documents.numbers import named_values, numbers
from andante.runs.quadruped.task import QuadrupedTask, QuadrupedTaskError

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


def quadruped_task(
    robot: str,
    board: str | None,
    difficulty: float,
    seed: int,
    twist: str | None,
    seconds: float,
    gait: str | None,
    push: str | None,
    blind: bool,
    start: str | None,
    goal: str | None,
    friction: float | None,
    payload: float,
    values: Sequence[str],
    live: bool = False,
) -> QuadrupedTask:
    """The task; where nothing is asked, a trot ahead at half a metre per second.

    Raises:
        AndanteError: A number is not legal, or a wish contradicts another.
    """
    given: dict[str, Any] = {}
    if twist is not None:
        given["twist"] = tuple(numbers(twist, 3, "--twist"))
    if goal is not None:
        given["goal"] = tuple(numbers(goal, 2, "--goal"))
    if start is not None:
        given["start"] = tuple(numbers(start, 2, "--start"))
    if push is not None:
        given["push"] = tuple(numbers(push, 4, "--push"))
    if friction is not None:
        given["friction"] = friction
    if gait is not None:
        given["gait"] = gait
    if values:
        given["values"] = named_values(values, "--set")
    board = None if board == FLOOR else board
    if board is None:
        refuse_idle({"--start": start, "--set": values or None}, "a robot on the level floor")
    if twist is None and goal is None and board is None and not live:
        given["twist"] = (0.5, 0.0, 0.0)
    return QuadrupedTask(
        robot=robot,
        board=board,
        difficulty=difficulty,
        seed=seed,
        seconds=seconds,
        blind=blind,
        payload=payload,
        live=live,
        **given,
    )
