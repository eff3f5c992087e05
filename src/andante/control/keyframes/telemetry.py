"""What the engine records at every tick."""

from __future__ import annotations

from andante.robots.records import Field, Layout, axes, scalar
from andante.robots.robot import Robot


def engine_layout(robot: Robot) -> Layout:
    """Layout of the engine's telemetry.

    Indices are -1 where there is none; ``com_error`` and ``balance`` are 0 while the balancer is off, ``lean_ahead``
    while falls are not watched for.
    """
    joints = robot.joint_names
    return Layout(
        "engine",
        (
            scalar("state"),
            scalar("motion"),
            scalar("block"),
            scalar("keyframe"),
            scalar("ratio"),
            scalar("wait_time", "s"),
            scalar("tries"),
            scalar("mirrored"),
            scalar("lean_ahead", "rad"),
            axes("torso", "rad", ("pitch", "roll")),
            axes("window", "rad", ("pitch_min", "pitch_max", "roll_min", "roll_max")),
            axes("com_error", "m", ("x", "y")),
            axes("balance", "rad", ("pitch", "roll")),
            Field("request", joints, "rad"),
            Field("stiffness", joints),
            Field("difference", joints, "rad"),
            Field("compensation", joints, "rad"),
        ),
    )
