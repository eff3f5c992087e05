"""`andante walk`: one walk over a board, with story, report and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from andante.cli.output import Exit, command, emit, refuse
from andante.cli.progress import tell_first_compile
from andante.cli.walk_live import SECONDS, driving
from andante.cli.walk_options import USUAL_NOISE, WalkOptions, asking

if TYPE_CHECKING:
    from andante.runs.execute import RunResult
    from andante.runs.quadruped.task import QuadrupedTask
    from andante.runs.walk.task import WalkTask


@command
@asking(WalkOptions)
def walk(asked: WalkOptions) -> None:
    """Walk over a board, or steered by a twist, in simulation: how fast, how safely, and what happened."""
    tell_first_compile()
    from andante.runs.execute import run_scenario

    live, robot, seed = asked.live, asked.robot, asked.seed
    by_hand = live is not None
    task = walk_task(asked)
    controller, board = getattr(task, "controller", "quadruped"), asked.board or task.board or "the level floor"
    scenario, twist, until = task.scenario(report=asked.report, video=asked.video), task.twist, task.seconds
    if scenario.controller.type == "crawl":
        from andante.runs.build import load_declared
        from andante.runs.walk.plan import warm_up

        # The first plan on a computer compiles for a minute; that is no planning time.
        warm_up(load_declared(scenario))
    with driving(live, until, scenario) as drive:
        result = run_scenario(scenario, asked.out, clock=drive.clock, progress=drive.progress, pilot=drive.pilot)
    did = None if twist is None else _steered(result, until)
    if asked.as_json:
        emit(result.data() | ({} if twist is None else {"asked": twist, "reached": did}))
    elif by_hand:
        _tell(f"{robot} by {controller} on {board}, steered by {live}, seed {seed}", result)
        pace, late = result.metrics.real_time_factor or 0.0, result.metrics.late_max or 0.0
        print(f"  {pace:.2f} x real time, ticks at most {1e3 * late:.0f} ms late")
    elif twist is None:
        _tell(f"{robot} on {board}, difficulty {asked.difficulty:g}, seed {seed}", result)
    else:
        _tell(f"{robot} by {controller} on {board}, seed {seed}", result)
        print(f"  asked:   {_SPEEDS.format(*twist)}")
        print("  fell too early to say how fast it went" if did is None else f"  reached: {_SPEEDS.format(*did)}")
    if result.interrupted:
        refuse(f"interrupted; what was recorded is in {result.folder}", False)
    raise typer.Exit(Exit.GOOD if result.passed else Exit.FAILED)


def walk_task(asked: WalkOptions) -> WalkTask | QuadrupedTask:
    """The walk that is asked for.

    Raises:
        AndanteError: Something is not legal, or means nothing to the robot or its controller.
    """
    from andante.runs.quadruped.choice import quadruped_task, refuse_idle
    from andante.runs.walk.changes import changed
    from andante.runs.walk.task import FLOOR, WalkTask

    by_hand = asked.live is not None
    given = vars(asked) | {"live": by_hand, "seconds": asked.seconds or (SECONDS if by_hand else 10.0)}
    if _dynamic(asked):
        idle = {
            "--effort": None if asked.effort == 1.0 else asked.effort,
            "--torque": asked.torque,
            "--speed-limit": asked.speed_limit,
            "--map-error": asked.map_error or None,
            "--pose-noise": None if asked.pose_noise == USUAL_NOISE else asked.pose_noise,
        }
        refuse_idle(idle, "a dynamic quadruped")
        return quadruped_task(given)
    idle = {"--gait": asked.gait, "--push": asked.push, "--blind": asked.blind or None}
    refuse_idle(idle, f"the controller {asked.controller}")
    steered = by_hand or asked.twist is not None
    return changed(WalkTask(board=FLOOR, controller="trot") if steered else WalkTask(), given)


def _dynamic(asked: WalkOptions) -> bool:
    """Whether the robot walks by plans of forces: asked for, or the only way for its kind of drives."""
    if asked.controller is not None:
        return asked.controller == "quadruped"
    if asked.gait is not None or asked.push is not None or asked.blind:
        return True
    from andante.robots.robot import Robot
    from andante.runs.quadruped.task import torque_walker

    return torque_walker(Robot.load(asked.robot))


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
