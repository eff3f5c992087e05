"""What `andante walk` and `andante plan` are asked, each option once; what both are asked has its own classes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from andante.cli.completion import boards, robots
from andante.cli.output import Natural, Several, Switch

USUAL_NOISE = "3,0.5"
"""Declared noise of LittleDog's motion capture."""
Board = Annotated[str | None, typer.Option(autocompletion=boards)]
NotNegative = Annotated[float, typer.Option(min=0.0)]


@dataclass(frozen=True)
class Place:
    """Who walks where.

    Args:
        robot: Robot on three-joint legs: a name, pack, MJCF, URDF or SDF.
        board: Kind of board (see `andante boards`), or a terrain file.
        difficulty: Difficulty of the board, 0 to 1.
        seed: Seed of board and map errors.
    """

    robot: Annotated[str, typer.Option(autocompletion=robots)] = "littledog"
    board: Board = "rocks"
    difficulty: float = 0.5
    seed: Natural = 0


@dataclass(frozen=True)
class SteeringOptions:
    """How it walks, and by what it is steered.

    Args:
        controller: auto, crawl, reactive-crawl, trot or quadruped; default: quadruped for robots of twelve joints
            driven by torque (bare models, spirit40), others crawl, with a twist trot.
        twist: Steer, with no goal: FORWARD,LEFT,TURN [m/s, m/s, rad/s].
        live: Steer by hand in real time: keyboard, gamepad or gamepad:FILE; until Q or start.
        seconds: How long it is steered; default: 10, by hand 300 [s].
        gait: Gait of a dynamic quadruped: trot, running-trot, walk, pace, bound, pronk, gallop.
        push: Push a dynamic quadruped: SECONDS,X,Y,Z, for 0.1 s on the base [s, N s].
        blind: A dynamic quadruped knows nothing of the board.
    """

    controller: str | None = None
    twist: str | None = None
    live: str | None = None
    seconds: Annotated[float | None, typer.Option(min=0.1, max=600.0)] = None
    gait: str | None = None
    push: str | None = None
    blind: bool = False


@dataclass(frozen=True)
class WayOptions:
    """The board's parameters, the way over it, and by what it is planned.

    Args:
        values: NAME=NUMBER, a parameter of the board (7.5cm, 20deg), or NAME=VALUE, an option of the terrain file
            (spacing=2cm, low=-10cm, holes=lowest); a name with dots is a path into the scenario, as
            controller.execution.latency=0.1, see `andante params`; repeat.
        start: Where the robot starts, X,Y; default: the board's start [m].
        goal: Where it shall go, X,Y; default: the board's goal [m].
        via: A place by whose way it shall go there, X,Y; repeat for more, one after the other [m].
        map_error: Error of each height of the planner's map [mm].
        map_correlation: Length over which neighbouring errors are alike; 0: each its own [mm].
        map_shift: Error of the whole map's place, along x and along y [mm].
        map_window: Side of the square around the robot that is known of the ground at a time; default: all [m].
        map_file: What the planner knows of the ground, in place of a survey of the board: a terrain file.
        effort: How many times the usual work to search for footsteps before refusing.
        torque: Torque limit of all joints; default: as declared [N m].
        speed_limit: Speed limit of all joints; default: as declared [rad/s].
    """

    values: Annotated[Several, typer.Option("--set")] = None
    start: str | None = None
    goal: str | None = None
    via: Several = None
    map_error: NotNegative = 0.0
    map_correlation: NotNegative = 0.0
    map_shift: NotNegative = 0.0
    map_window: Annotated[float | None, typer.Option(min=0.0)] = None
    map_file: str | None = None
    effort: Annotated[float, typer.Option(min=0.1, max=100.0)] = 1.0
    torque: float | None = None
    speed_limit: float | None = None


@dataclass(frozen=True)
class WalkOptions(WayOptions, SteeringOptions, Place):
    """What `andante walk` is asked.

    Args:
        board: Kind of board (see `andante boards`), or a file; with a twist the floor.
        seed: Seed of board, map errors and noise.
        pose_noise: Noise of the motion capture: MILLIMETRES,DEGREES.
        load: How a planned crawl tells servos what they carry: torque, position or none.
        gains: One of the robot's sets of servo gains; default: its own gains.
        friction: Friction coefficient.
        payload: Mass on the robot that nobody told it of [kg].
        out: Folder for log, pictures, report and video.
        video: Make a video.
        report: Write report and pictures.
    """

    board: Board = None
    seed: Natural = 0
    pose_noise: str = USUAL_NOISE
    load: str = "torque"
    gains: str | None = None
    friction: Annotated[float | None, typer.Option(min=0.0)] = None
    payload: NotNegative = 0.0
    out: Path | None = None
    video: Switch = False
    report: Switch = True


@dataclass(frozen=True)
class PlanOptions(WayOptions, Place):
    """What `andante plan` is asked.

    Args:
        board: Kind of board (see `andante boards`), or a file; for a crawl default: rocks.
        controller: crawl, or quadruped: the way of the body, with leaps; default: quadruped for robots of twelve joints
            driven by torque (bare models, spirit40), others crawl.
        draw: Write a picture (PNG, SVG): footsteps, heights, margins, gait; of a body its way and kinds of motion.
        out: Write the footsteps, or the body's states, here (JSON).
    """

    board: Board = None
    controller: str | None = None

    draw: Path | None = None
    out: Path | None = None
