"""What the commands of walks share: their options."""

from __future__ import annotations

from typing import Annotated

import typer

from andante.cli.completion import robots

Robot = Annotated[
    str, typer.Option(help="Robot on three-joint legs: a name, pack, MJCF or URDF.", autocompletion=robots)
]
Controller = Annotated[str, typer.Option(help="auto, crawl, reactive-crawl or trot.")]
AnyController = Annotated[
    str | None,
    typer.Option(
        "--controller",
        help="auto, crawl, reactive-crawl, trot or quadruped; default: quadruped for robots of twelve joints"
        " driven by torque (bare models, spirit40), others crawl, with a twist trot.",
    ),
]
Gait = Annotated[
    str | None,
    typer.Option(help="Gait of a dynamic quadruped: trot, running-trot, walk, pace, bound, pronk, gallop."),
]
Push = Annotated[
    str | None,
    typer.Option(help="Push a dynamic quadruped: SECONDS,X,Y,Z, for 0.1 s on the base [s, N s]."),
]
Blind = Annotated[bool, typer.Option("--blind", help="A dynamic quadruped knows nothing of the board.")]
Twist = Annotated[
    str | None,
    typer.Option(help="Steer, with no goal: FORWARD,LEFT,TURN [m/s, m/s, rad/s]."),
]
Live = Annotated[
    str | None,
    typer.Option("--live", help="Steer by hand in real time: keyboard, gamepad or gamepad:FILE; until Q or start."),
]
Seconds = Annotated[
    float | None,
    typer.Option(min=0.1, max=600.0, help="How long it is steered; default: 10, by hand 300 [s]."),
]
Difficulty = Annotated[float, typer.Option(help="Difficulty of the board, 0 to 1.")]
Values = Annotated[
    list[str] | None, typer.Option("--set", help="NAME=NUMBER, a parameter of the board (7.5cm, 20deg); repeat.")
]
PoseNoise = Annotated[str, typer.Option(help="Noise of the motion capture: MILLIMETRES,DEGREES.")]
MapError = Annotated[float, typer.Option(min=0.0, help="Error of each height of the planner's map [mm].")]
MapCorrelation = Annotated[
    float, typer.Option(min=0.0, help="Length over which neighbouring errors are alike; 0: each its own [mm].")
]
MapShift = Annotated[float, typer.Option(min=0.0, help="Error of the whole map's place, along x and along y [mm].")]
Effort = Annotated[
    float,
    typer.Option(min=0.1, max=100.0, help="How many times the usual work to search for footsteps before refusing."),
]
Load = Annotated[
    str,
    typer.Option(help="How a planned crawl tells servos what they carry: torque, position or none."),
]
Gains = Annotated[str | None, typer.Option(help="One of the robot's sets of servo gains; default: its own gains.")]
Friction = Annotated[float, typer.Option(min=0.0, help="Friction coefficient.")]
Payload = Annotated[float, typer.Option(min=0.0, help="Mass on the robot that nobody told it of [kg].")]
Torque = Annotated[float | None, typer.Option(help="Torque limit of all joints; default: as declared [N m].")]
SpeedLimit = Annotated[float | None, typer.Option(help="Speed limit of all joints; default: as declared [rad/s].")]
Start = Annotated[str | None, typer.Option(help="Where the robot starts, X,Y; default: the board's start [m].")]
Goal = Annotated[str | None, typer.Option(help="Where it shall go, X,Y; default: the board's goal [m].")]
USUAL_NOISE = "3,0.5"
"""Declared noise of LittleDog's motion capture."""
