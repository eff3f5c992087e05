"""The kinds of tasks: one line for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from andante.documents.registry import Registry
from andante.runs.tasks.kind import TaskKind

if TYPE_CHECKING:
    from andante.runs.scenario import Scenario

TASKS: Registry[TaskKind] = Registry(
    "tasks",
    "kind of task",
    TaskKind,
    {
        "steered": "runs.tasks.steered.kind:SteeredTask",
        "body": "runs.tasks.body.kind:BodyTask",
        "walk": "runs.tasks.walk.kind:CourseTask",
        "ball": "runs.tasks.ball.kind:BallTask",
        "motion": "runs.tasks.motion.kind:MotionTask",
        "quadruped": "runs.tasks.quadruped.kind:QuadrupedPictures",
    },
    in_schema=False,
)
"""Kinds of tasks, in the order in which criteria are told."""


def tasks_of(scenario: Scenario) -> tuple[TaskKind, ...]:
    """The tasks of a scenario: those that are found in it, then those that it names."""
    named = {task.type: task for task in scenario.tasks}
    kinds = (kind for name, kind in TASKS.kinds.items() if name not in named)
    found = (kind.found_in(scenario) for kind in kinds)
    return (*(task for task in found if task is not None), *named.values())
