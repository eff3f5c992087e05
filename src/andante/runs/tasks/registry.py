"""The kinds of tasks: one line for each."""

from __future__ import annotations

from andante.documents.registry import Registry
from andante.runs.tasks.kind import TaskKind

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
