"""What `andante walk` and `andante plan` are asked, each option once; what both are asked has its own classes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from andante.cli.completion import boards, robots

USUAL_NOISE = "3,0.5"
"""Declared noise of LittleDog's motion capture."""
T = TypeVar("T")


def asking(options: type[T]) -> Callable[[Callable[[T], None]], Callable[..., None]]:
    """Make a function of a dataclass of options one of its fields by name, as typer makes commands from."""

    def made(function: Callable[[T], None]) -> Callable[..., None]:
        @functools.wraps(function)
        def called(**given: Any) -> None:
            function(options(**given))

        signature = inspect.signature(options, eval_str=True)
        called.__signature__ = signature  # type: ignore[attr-defined]
        called.__annotations__ = {each.name: each.annotation for each in signature.parameters.values()}
        return called

    return made


@dataclass(frozen=True)
class Place:
    """Who walks where."""

    robot: Annotated[
        str, typer.Option(help="Robot on three-joint legs: a name, pack, MJCF or URDF.", autocompletion=robots)
    ] = "littledog"
    board: Annotated[
        str | None,
        typer.Option(help="Kind of board (see `andante boards`), or a terrain file.", autocompletion=boards),
    ] = "rocks"
    difficulty: Annotated[float, typer.Option(help="Difficulty of the board, 0 to 1.")] = 0.5
    seed: Annotated[int, typer.Option(min=0, help="Seed of board and map errors.")] = 0


@dataclass(frozen=True)
class Steering:
    """How it walks, and by what it is steered."""

    controller: Annotated[
        str | None,
        typer.Option(
            help="auto, crawl, reactive-crawl, trot or quadruped; default: quadruped for robots of twelve joints"
            " driven by torque (bare models, spirit40), others crawl, with a twist trot.",
        ),
    ] = None
    twist: Annotated[str | None, typer.Option(help="Steer, with no goal: FORWARD,LEFT,TURN [m/s, m/s, rad/s].")] = None
    live: Annotated[
        str | None,
        typer.Option(help="Steer by hand in real time: keyboard, gamepad or gamepad:FILE; until Q or start."),
    ] = None
    seconds: Annotated[
        float | None,
        typer.Option(min=0.1, max=600.0, help="How long it is steered; default: 10, by hand 300 [s]."),
    ] = None
    gait: Annotated[
        str | None,
        typer.Option(help="Gait of a dynamic quadruped: trot, running-trot, walk, pace, bound, pronk, gallop."),
    ] = None
    push: Annotated[
        str | None,
        typer.Option(help="Push a dynamic quadruped: SECONDS,X,Y,Z, for 0.1 s on the base [s, N s]."),
    ] = None
    blind: Annotated[bool, typer.Option("--blind", help="A dynamic quadruped knows nothing of the board.")] = False


@dataclass(frozen=True)
class Way:
    """The board's parameters, the way over it, and by what it is planned."""

    values: Annotated[
        list[str] | None, typer.Option("--set", help="NAME=NUMBER, a parameter of the board (7.5cm, 20deg); repeat.")
    ] = None
    start: Annotated[str | None, typer.Option(help="Where the robot starts, X,Y; default: the board's start [m].")] = (
        None
    )
    goal: Annotated[str | None, typer.Option(help="Where it shall go, X,Y; default: the board's goal [m].")] = None
    map_error: Annotated[float, typer.Option(min=0.0, help="Error of each height of the planner's map [mm].")] = 0.0
    map_correlation: Annotated[
        float, typer.Option(min=0.0, help="Length over which neighbouring errors are alike; 0: each its own [mm].")
    ] = 0.0
    map_shift: Annotated[
        float, typer.Option(min=0.0, help="Error of the whole map's place, along x and along y [mm].")
    ] = 0.0
    effort: Annotated[
        float,
        typer.Option(min=0.1, max=100.0, help="How many times the usual work to search for footsteps before refusing."),
    ] = 1.0
    torque: Annotated[float | None, typer.Option(help="Torque limit of all joints; default: as declared [N m].")] = None
    speed_limit: Annotated[
        float | None, typer.Option(help="Speed limit of all joints; default: as declared [rad/s].")
    ] = None


@dataclass(frozen=True)
class WalkOptions(Way, Steering, Place):
    """What `andante walk` is asked."""

    board: Annotated[
        str | None,
        typer.Option(
            help="Kind of board (see `andante boards`), or a file; with a twist the floor.", autocompletion=boards
        ),
    ] = None
    seed: Annotated[int, typer.Option(min=0, help="Seed of board, map errors and noise.")] = 0
    pose_noise: Annotated[str, typer.Option(help="Noise of the motion capture: MILLIMETRES,DEGREES.")] = USUAL_NOISE
    load: Annotated[
        str, typer.Option(help="How a planned crawl tells servos what they carry: torque, position or none.")
    ] = "torque"
    gains: Annotated[
        str | None, typer.Option(help="One of the robot's sets of servo gains; default: its own gains.")
    ] = None
    friction: Annotated[float | None, typer.Option(min=0.0, help="Friction coefficient.")] = None
    payload: Annotated[float, typer.Option(min=0.0, help="Mass on the robot that nobody told it of [kg].")] = 0.0
    out: Annotated[Path | None, typer.Option(help="Folder for log, pictures, report and video.")] = None
    video: Annotated[bool, typer.Option("--video/--no-video", help="Make a video.")] = False
    report: Annotated[bool, typer.Option("--report/--no-report", help="Write report and pictures.")] = True
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False


@dataclass(frozen=True)
class PlanOptions(Way, Place):
    """What `andante plan` is asked."""

    draw: Annotated[
        Path | None, typer.Option(help="Write a picture (PNG, SVG): footsteps, heights, margins, gait.")
    ] = None
    out: Annotated[Path | None, typer.Option(help="Write the footsteps here (JSON).")] = None
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False
