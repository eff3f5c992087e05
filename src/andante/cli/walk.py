"""`andante walk`: one walk over a board, with story, report and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from andante.cli.completion import boards
from andante.cli.output import Exit, command, emit, refuse
from andante.cli.progress import tell_first_compile
from andante.cli.walk_live import SECONDS, driving
from andante.cli.walk_options import (
    USUAL_NOISE,
    AnyController,
    Blind,
    Difficulty,
    Effort,
    Friction,
    Gains,
    Gait,
    Goal,
    Live,
    Load,
    MapCorrelation,
    MapError,
    MapShift,
    Payload,
    PoseNoise,
    Push,
    Robot,
    Seconds,
    SpeedLimit,
    Start,
    Torque,
    Twist,
    Values,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from andante.runs.execute import RunResult
    from andante.runs.walk.task import WalkTask


@command
def walk(
    robot: Robot = "littledog",
    board: Annotated[
        str | None,
        typer.Option(
            help="Kind of board (see `andante boards`), or a file; with a twist the floor.", autocompletion=boards
        ),
    ] = None,
    difficulty: Difficulty = 0.5,
    seed: Annotated[int, typer.Option(min=0, help="Seed of board, map errors and noise.")] = 0,
    controller: AnyController = None,
    twist: Twist = None,
    live: Live = None,
    seconds: Seconds = None,
    gait: Gait = None,
    push: Push = None,
    blind: Blind = False,
    value: Values = None,
    start: Start = None,
    goal: Goal = None,
    pose_noise: PoseNoise = USUAL_NOISE,
    map_error: MapError = 0.0,
    map_correlation: MapCorrelation = 0.0,
    map_shift: MapShift = 0.0,
    effort: Effort = 1.0,
    load: Load = "torque",
    gains: Gains = None,
    friction: Friction | None = None,
    payload: Payload = 0.0,
    torque: Torque = None,
    speed_limit: SpeedLimit = None,
    out: Annotated[Path | None, typer.Option(help="Folder for log, pictures, report and video.")] = None,
    video: Annotated[bool, typer.Option("--video/--no-video", help="Make a video.")] = False,
    report: Annotated[bool, typer.Option("--report/--no-report", help="Write report and pictures.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Walk over a board, or steered by a twist, in simulation: how fast, how safely, and what happened."""
    tell_first_compile()
    from andante.runs.execute import run_scenario

    by_hand = live is not None
    lasting = seconds or (SECONDS if by_hand else 10.0)
    if _dynamic(robot, controller, gait, push, blind):
        from andante.runs.quadruped.choice import quadruped_task, refuse_idle

        noise, error = None if pose_noise == USUAL_NOISE else pose_noise, map_error or None
        idle = {
            "--effort": None if effort == 1.0 else effort,
            "--torque": torque,
            "--speed-limit": speed_limit,
            "--map-error": error,
            "--pose-noise": noise,
        }
        refuse_idle(idle, "a dynamic quadruped")
        dynamic = quadruped_task(
            robot,
            board,
            difficulty,
            seed,
            twist,
            lasting,
            gait,
            push,
            blind,
            start,
            goal,
            friction,
            payload,
            value or (),
            by_hand,
        )
        scenario, asked, until = dynamic.scenario(report=report, video=video), dynamic.twist, dynamic.seconds
        controller, board = "quadruped", board or "the level floor"
    else:
        from andante.runs.quadruped.choice import refuse_idle

        refuse_idle({"--gait": gait, "--push": push, "--blind": blind or None}, f"the controller {controller}")
        task = _walk_task(
            robot,
            board,
            difficulty,
            seed,
            controller,
            twist,
            lasting,
            start,
            goal,
            pose_noise,
            map_error,
            map_correlation,
            map_shift,
            effort,
            load,
            gains,
            friction,
            payload,
            torque,
            speed_limit,
            value or (),
            by_hand,
        )
        scenario, asked, until = task.scenario(report=report, video=video), task.twist, task.seconds
        controller, board = task.controller, task.board
    if scenario.controller.type == "crawl":
        from andante.runs.build import load_declared
        from andante.runs.walk.plan import warm_up

        # The first plan on a computer compiles for a minute; that is no planning time.
        warm_up(load_declared(scenario))
    with driving(live, until, scenario) as drive:
        result = run_scenario(scenario, out, clock=drive.clock, progress=drive.progress, pilot=drive.pilot)
    did = None if asked is None else _steered(result, until)
    if as_json:
        emit(result.data() | ({} if asked is None else {"asked": asked, "reached": did}))
    elif by_hand:
        _tell(f"{robot} by {controller} on {board}, steered by {live}, seed {seed}", result)
        pace, late = result.metrics.real_time_factor or 0.0, result.metrics.late_max or 0.0
        print(f"  {pace:.2f} x real time, ticks at most {1e3 * late:.0f} ms late")
    elif asked is None:
        _tell(f"{robot} on {board}, difficulty {difficulty:g}, seed {seed}", result)
    else:
        _tell(f"{robot} by {controller} on {board}, seed {seed}", result)
        print(f"  asked:   {_SPEEDS.format(*asked)}")
        print("  fell too early to say how fast it went" if did is None else f"  reached: {_SPEEDS.format(*did)}")
    if result.interrupted:
        refuse(f"interrupted; what was recorded is in {result.folder}", False)
    raise typer.Exit(Exit.GOOD if result.passed else Exit.FAILED)


def _dynamic(robot: str, controller: str | None, gait: str | None, push: str | None, blind: bool) -> bool:
    """Whether the robot walks by plans of forces: asked for, or the only way for its kind of drives."""
    if controller is not None:
        return controller == "quadruped"
    if gait is not None or push is not None or blind:
        return True
    from andante.robots.robot import Robot as Model
    from andante.runs.quadruped.task import torque_walker

    return torque_walker(Model.load(robot))


def _walk_task(
    robot: str,
    board: str | None,
    difficulty: float,
    seed: int,
    controller: str | None,
    twist: str | None,
    seconds: float,
    start: str | None,
    goal: str | None,
    pose_noise: str,
    map_error: float,
    map_correlation: float,
    map_shift: float,
    effort: float,
    load: str,
    gains: str | None,
    friction: float | None,
    payload: float,
    torque: float | None,
    speed_limit: float | None,
    values: Sequence[str],
    live: bool,
) -> WalkTask:
    from andante.runs.walk.changes import changed
    from andante.runs.walk.task import FLOOR, WalkTask

    steered = live or twist is not None
    task = WalkTask(
        board=board or (FLOOR if steered else "rocks"),
        difficulty=difficulty,
        seed=seed,
        robot=robot,
        controller=controller or ("trot" if steered else "crawl"),
        live=live,
    )
    return changed(
        task,
        start=start,
        goal=goal,
        pose_noise=pose_noise,
        map_error=map_error,
        map_correlation=map_correlation,
        map_shift=map_shift,
        effort=effort,
        load=load,
        gains=gains,
        friction=friction,
        payload=payload,
        torque=torque,
        speed_limit=speed_limit,
        values=values,
        twist=twist,
        seconds=seconds,
    )


_SPEEDS = "{:+.3f} m/s ahead, {:+.3f} m/s to the left, {:+.3f} rad/s to the left"


def _steered(result: RunResult, seconds: float) -> tuple[float, ...] | None:
    """Mean speeds of the base over the second half of its walk, in which it no longer speeds up."""
    from dataclasses import astuple

    from andante.runs.log import Log
    from andante.runs.walk.steered import reached

    did = reached(Log.open(result.folder / "log.mcap").rows("truth"), 0.5 * seconds, seconds)
    return None if did is None else astuple(did)


def _tell(what: str, result: RunResult) -> None:
    print(f"{what}, in simulation: {result.verdict.upper()}")
    for reason in result.reasons:
        print(f"  {reason}")
    walked = result.metrics.walk
    if walked is not None:
        margin = "no support" if walked.margin is None else f"{1e3 * walked.margin:.0f} mm"
        print(f"  {walked.steps} footfalls, {walked.misses} of {walked.planned} missed; smallest margin {margin}")
        print(
            f"  slip of all feet {100.0 * walked.slip:.1f} cm, of the worst {100.0 * walked.worst_slip:.1f} cm; "
            f"energy {walked.energy:.0f} J",
            end="",
        )
        print("" if walked.transport is None else f", cost of transport {walked.transport:.2f}")
        if walked.planning is not None:
            again = "" if walked.replanning is None else f", again while walking in at most {walked.replanning:.2f} s"
            print(f"  planned in {walked.planning:.2f} s before it set out{again}")
        if walked.overtime > 0.0:
            print(f"  waited {walked.overtime:.2f} s in all for plans while walking, counted in its speed")
    if result.story:
        print("  what happened:")
    for moment in result.story:
        print(f"  {moment}")
    for note in result.notes:
        print(f"  note: {note}")
    for file in sorted(result.folder.iterdir()):
        print(f"  {file}")
