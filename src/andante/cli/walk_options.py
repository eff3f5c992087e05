"""What the commands of walks share: their options, and the walk that these stand for."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from andante.cli.numbers import NumbersError, named_values, numbers

if TYPE_CHECKING:
    from andante.runs.walk.task import WalkTask

Robot = Annotated[str, typer.Option(help="Robot on three-joint legs: a name, pack, MJCF or URDF.")]
Controller = Annotated[str, typer.Option(help="auto, crawl, reactive-crawl or trot.")]
AnyController = Annotated[
    str | None,
    typer.Option("--controller", help="auto, crawl, reactive-crawl or trot; default: crawl, with a twist trot."),
]
Twist = Annotated[
    str | None,
    typer.Option(help="Steer, with no goal: FORWARD,LEFT,TURN [m/s, m/s, rad/s]."),
]
Seconds = Annotated[float, typer.Option(min=0.1, max=600.0, help="How long the twist is asked [s].")]
Difficulty = Annotated[float, typer.Option(help="Difficulty of the board, 0 to 1.")]
Values = Annotated[
    list[str] | None, typer.Option("--set", help="NAME=NUMBER, a parameter of the board (7.5cm, 20deg); repeat.")
]
PoseNoise = Annotated[str, typer.Option(help="Noise of the motion capture: MILLIMETRES,DEGREES.")]
MapError = Annotated[float, typer.Option(min=0.0, help="Error of each height of the planner's map [mm].")]
Friction = Annotated[float, typer.Option(min=0.0, help="Friction coefficient.")]
Payload = Annotated[float, typer.Option(min=0.0, help="Mass on the robot that nobody told it of [kg].")]
Torque = Annotated[float | None, typer.Option(help="Torque limit of all joints; default: as declared [N m].")]
SpeedLimit = Annotated[float | None, typer.Option(help="Speed limit of all joints; default: as declared [rad/s].")]
Start = Annotated[str | None, typer.Option(help="Where the robot starts, X,Y; default: the board's start [m].")]
Goal = Annotated[str | None, typer.Option(help="Where it shall go, X,Y; default: the board's goal [m].")]
USUAL_NOISE = "3,0.5"
"""Declared noise of LittleDog's motion capture."""
USUAL_FRICTION = 0.8
"""Friction where nothing else is asked for."""


def changed(
    task: WalkTask,
    *,
    start: str | None = None,
    goal: str | None = None,
    pose_noise: str | None = None,
    map_error: float | None = None,
    friction: float | None = None,
    payload: float | None = None,
    torque: float | None = None,
    speed_limit: float | None = None,
    values: list[str] | None = None,
    twist: str | None = None,
    seconds: float | None = None,
) -> WalkTask:
    """A walk with what the command line asks for; what is None stays.

    Raises:
        AndanteError: A number is not legal.
    """
    if pose_noise is not None:
        place, turn = numbers(pose_noise, 2, "--pose-noise")
        if min(place, turn) < 0.0:
            raise NumbersError("noise is not below zero", place="--pose-noise", value=pose_noise)
        task = replace(task, pose_noise=(1e-3 * place, math.radians(turn)))
    for name, text in (("start", start), ("goal", goal)):
        if text is not None:
            x, y = numbers(text, 2, f"--{name}")
            task = replace(task, **{name: (x, y)})  # type: ignore[arg-type]
    if map_error is not None:
        task = replace(task, map_error=1e-3 * map_error)
    if twist is not None:
        forward, lateral, turn = numbers(twist, 3, "--twist")
        task = replace(task, twist=(forward, lateral, turn))
    plain = {"seconds": seconds, "friction": friction, "payload": payload, "torque": torque, "speed_limit": speed_limit}
    for name, value in plain.items():
        if value is not None:
            task = replace(task, **{name: value})  # type: ignore[arg-type]
    if values:
        task = replace(task, values={**task.values, **named_values(values, "--set")})
    return task
