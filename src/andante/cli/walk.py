"""`andante walk`: one walk over a board, with story, report and pictures; `andante plan`: its plan, without walking."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from andante.cli.asking import asking
from andante.cli.output import answer, write_json
from andante.cli.progress import tell_first_compile, waiting
from andante.cli.run import leave, made_of
from andante.cli.walk_live import SECONDS, driving
from andante.cli.walk_options import USUAL_NOISE, Place, PlanOptions, WalkOptions, WayOptions

if TYPE_CHECKING:
    from andante.runs.execute import RunResult
    from andante.runs.scenario import Scenario
    from andante.runs.tasks.quadruped.task import QuadrupedTask
    from andante.runs.tasks.walk.task import WalkTask


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
        from andante.runs.tasks.walk.plan import warm_up

        # The first plan on a computer compiles for a minute; that is no planning time.
        warm_up(load_declared(scenario))
    with driving(live, until, scenario) as drive:
        result = run_scenario(scenario, asked.out, clock=drive.clock, progress=drive.progress, pilot=drive.pilot)
    steered = result.metrics.steered
    did = None if twist is None or steered is None else steered.reached
    drawn = f", difficulty {asked.difficulty:g}" if _is_drawn(task.board) else ""
    what, after = f"{robot} on {board}{drawn}", list[str]()
    if by_hand:
        pace, late = result.metrics.real_time_factor or 0.0, result.metrics.late_max or 0.0
        what = f"{robot} by {controller} on {board}, steered by {live}"
        after = [f"  {pace:.2f} x real time, ticks at most {1e3 * late:.0f} ms late"]
    elif twist is not None:
        what = f"{robot} by {controller} on {board}"
        reached = "  over too early to say how fast it went" if did is None else f"  reached: {_SPEEDS.format(*did)}"
        after = [f"  asked:   {_SPEEDS.format(*twist)}", reached]
    else:
        after = list(_ground(scenario))
    data = result.data() | ({} if twist is None else {"asked": twist, "reached": did})
    answer(data, [*_lines(f"{what}, seed {seed}", result), *after])
    leave(result)


def _ground(scenario: Scenario) -> Iterator[str]:
    """What a map out of a file is like by which a robot walked, or the board out of a file, and the way over it."""
    terrain, course, settings = scenario.world.terrain, scenario.course(), getattr(scenario.controller, "map", None)
    if terrain is None or course is None or (terrain.file is None and getattr(settings, "terrain", None) is None):
        return
    known = None if settings is None else settings.known(scenario.world)
    ground = terrain.load().map if known is None else known
    yield from (f"  {line}" for line in ground.way_lines(course.corners))


def walk_task(asked: WalkOptions) -> WalkTask | QuadrupedTask:
    """The walk that is asked for.

    Raises:
        AndanteError: Something is not legal, or means nothing to the robot or its controller.
    """
    from andante.runs.idle_options import refuse_idle
    from andante.runs.tasks.quadruped.task import quadruped_task
    from andante.runs.tasks.walk.task import FLOOR, WalkTask, changed

    by_hand = asked.live is not None
    given = vars(asked) | {"live": by_hand, "seconds": asked.seconds or (SECONDS if by_hand else 10.0)}
    if _dynamic(asked):
        noise = None if asked.pose_noise == USUAL_NOISE else asked.pose_noise
        refuse_idle(_of_footsteps(asked) | {"--pose-noise": noise}, "a dynamic quadruped")
        dynamic = quadruped_task(given)
        refuse_idle({} if dynamic.steered else {"--seconds": asked.seconds}, "a walk to a goal")
        _refuse_difficulty(asked, dynamic.board)
        return dynamic
    idle = {"--gait": asked.gait, "--push": asked.push, "--blind": asked.blind or None}
    refuse_idle(idle, f"the controller {asked.controller}")
    steered = by_hand or asked.twist is not None
    refuse_idle({} if steered else {"--seconds": asked.seconds}, "a walk to a goal")
    task = changed(WalkTask(board=FLOOR, controller="trot") if steered else WalkTask(), given)
    _refuse_difficulty(asked, task.board)
    return task


def _refuse_difficulty(asked: Place, board: str | None) -> None:
    """Refuse a difficulty by which nothing is drawn."""
    from andante.runs.idle_options import refuse_idle

    if asked.difficulty != Place.difficulty and not _is_drawn(board):
        refuse_idle({"--difficulty": asked.difficulty}, "a file or the level floor")


def _is_drawn(board: str | None) -> bool:
    """Whether a board is drawn by its difficulty: one of a kind, no file, and not the level floor."""
    from andante.runs.tasks.walk.task import FLOOR
    from andante.terrain.files.options import names_file

    return board not in (None, FLOOR) and not names_file(board or "")


def _of_footsteps(asked: WayOptions) -> dict[str, object]:
    """Options that mean something to plans of footsteps alone; None: not given."""
    load = getattr(asked, "load", WalkOptions.load)
    return {
        "--effort": None if asked.effort == 1.0 else asked.effort,
        "--torque": asked.torque,
        "--speed-limit": asked.speed_limit,
        "--map-window": asked.map_window or None,
        "--via": asked.via or None,
        "--load": None if load == WalkOptions.load else load,
        "--gains": getattr(asked, "gains", None),
    }


def _dynamic(asked: WalkOptions) -> bool:
    """Whether the robot walks by plans of forces: asked for, or the only way for its kind of drives."""
    if asked.controller is not None:
        return asked.controller == "quadruped"
    if asked.gait is not None or asked.push is not None or asked.blind:
        return True
    return _torque_driven(asked.robot)


def _torque_driven(robot: str) -> bool:
    from andante.robots.robot import Robot
    from andante.runs.tasks.quadruped.task import torque_walker

    return torque_walker(Robot.load(robot))


_SPEEDS = "{:+.3f} m/s ahead, {:+.3f} m/s to the left, {:+.3f} rad/s to the left"


def _lines(what: str, result: RunResult) -> Iterator[str]:
    yield f"{what}, in simulation: {result.verdict.upper()}"
    yield from (f"  {reason}" for reason in result.reasons)
    walked = result.metrics.walk
    if walked is not None:
        margin = "no support" if walked.margin is None else f"{1e3 * walked.margin:.0f} mm"
        yield f"  {walked.steps} footfalls, {walked.misses} of {walked.planned} missed; smallest margin {margin}"
        slip = f"slip of all feet {100.0 * walked.slip:.1f} cm, of the worst {100.0 * walked.worst_slip:.1f} cm"
        transport = "" if walked.transport is None else f", cost of transport {walked.transport:.2f}"
        yield f"  {slip}; energy {walked.energy:.0f} J{transport}"
        if walked.planning is not None:
            again = "" if walked.replanning is None else f", again while walking in at most {walked.replanning:.2f} s"
            yield f"  planned in {walked.planning:.2f} s before it set out{again}"
        if walked.overtime > 0.0:
            yield f"  waited {walked.overtime:.2f} s in all for plans while walking, counted in its speed"
    if result.story:
        yield "  what happened:"
    yield from (f"  {moment}" for moment in result.story)
    yield from made_of(result)


@asking(PlanOptions)
def plan(asked: PlanOptions) -> None:
    """Plan a walk over a board, or a body's way: speed, times, leaps; where there is no way, why, and exit code 1."""
    tell_first_compile()
    if _plans_body(asked):
        _plan_body(asked)
        return
    from andante.pictures.figures import check_kind, save
    from andante.runs.tasks.walk.plan import plan as plan_walk
    from andante.runs.tasks.walk.task import WalkTask, changed

    draw, out = asked.draw, asked.out
    check_kind(draw)
    task = changed(WalkTask(), vars(asked))
    _refuse_difficulty(asked, task.board)
    with waiting("planning"):
        made = plan_walk(task)
    data, times = made.data(), made.answer.times
    write_json(out, data)
    drawn = f", difficulty {asked.difficulty:g}" if _is_drawn(task.board) else ""
    by = f", by the map {asked.map_file}" if asked.map_file else ""
    title = f"{made.robot.name} on {made.terrain.name}{drawn}, seed {asked.seed}{by}"
    lines = [f"{title}: refused after {made.spent:.2f} s", f"  {made.answer.reason}"]
    if made.plan is not None:
        speed = f"{100.0 * made.speed:.1f} cm/s"
        if draw is not None:
            save(made.figure(f"{title}: planned, {speed}", made.plan), draw)
        part = f"  a part of the way, at whose end it looks again; none leads to the goal: {made.answer.reason}"
        spent = f"footsteps {times.footsteps:.2f}, poses {times.stances:.2f}, trajectory {times.trajectory:.2f} s"
        lines = [
            f"{title}: {len(made.plan.swings)} steps in {made.plan.duration:.2f} s, {speed}",
            *([] if made.answer.whole else [part]),
            f"  given by the attempt: {made.answer.attempt}",
            f"  smallest margin {1e3 * data['margin']:.1f} mm, smallest angle to a limit {data['slack']:.3f} rad",
            f"  planned in {times.whole:.2f} s: {spent}",
            *(f"{name}: {path}" for name, path in (("picture", draw), ("footsteps", out)) if path is not None),
        ]
    lines += [f"  {line}" for line in (*made.ground_lines(), *made.terrain.notes)]
    answer(data, lines, made.answer.whole)


_PLANS = ("crawl", "quadruped")


def _plans_body(asked: PlanOptions) -> bool:
    """Whether the way of a dynamic quadruped's body is planned: asked for, or what the robot walks by.

    Raises:
        QuadrupedTaskError: There is no plan for such a controller.
    """
    if asked.controller is None:
        return _torque_driven(asked.robot)
    if asked.controller not in _PLANS:
        from andante.runs.tasks.quadruped.task import QuadrupedTaskError

        raise QuadrupedTaskError(
            "nothing is planned for such a controller", place="--controller", value=asked.controller, legal=_PLANS
        )
    return asked.controller == "quadruped"


def _plan_body(asked: PlanOptions) -> None:
    from andante.pictures.figures import check_kind, save
    from andante.runs.idle_options import refuse_idle
    from andante.runs.tasks.quadruped.body_picture import body_figure
    from andante.runs.tasks.quadruped.body_planned import plan_body
    from andante.runs.tasks.quadruped.task import QuadrupedTaskError, quadruped_task

    check_kind(asked.draw)
    refuse_idle(_of_footsteps(asked), "the plan of a body")
    if asked.board is None:
        raise QuadrupedTaskError("a body's way is planned over a board", place="--board", remedy="see: andante boards")
    task = quadruped_task(vars(asked))
    _refuse_difficulty(asked, task.board)
    with waiting("planning"):
        made = plan_body(task)
    lines = list(made.lines())
    write_json(asked.out, made.data())
    if asked.out is not None:
        lines.append(f"states: {asked.out}")
    if asked.draw is not None and made.answer.body is not None:
        save(body_figure(made, lines[0]), asked.draw)
        lines.append(f"picture: {asked.draw}")
    answer(made.data(), lines, made.whole)
