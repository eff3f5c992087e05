"""`andante plan`: the plan of a walk, its picture and its footsteps, without walking."""

from __future__ import annotations

import typer

from andante.cli.output import Exit, command, emit
from andante.cli.progress import tell_first_compile, waiting
from andante.cli.walk_options import PlanOptions, asking


@command
@asking(PlanOptions)
def plan(asked: PlanOptions) -> None:
    """Plan a walk over a board: footsteps, speed and times, or why there is no way; then the exit code is 1."""
    import json

    tell_first_compile()
    from andante.documents.files import write_text
    from andante.pictures.figures import check_kind, save
    from andante.runs.walk.changes import changed
    from andante.runs.walk.pictures import walk_figure
    from andante.runs.walk.plan import plan as plan_walk
    from andante.runs.walk.task import WalkTask
    from andante.runs.walk.trace import trace_of_plan

    draw, out = asked.draw, asked.out
    check_kind(draw)
    task = changed(WalkTask(), vars(asked))
    with waiting("planning"):
        made = plan_walk(task)
    data = made.data()
    if out is not None:
        write_text(out, json.dumps(data, indent=2, allow_nan=False) + "\n", follow=False)
    title = f"{made.robot.name} on {made.terrain.name}, difficulty {asked.difficulty:g}, seed {asked.seed}"
    if draw is not None and made.plan is not None:
        planned = f"{title}: planned, {100.0 * made.speed:.1f} cm/s"
        save(walk_figure(trace_of_plan(planned, made.plan, made.robot, made.terrain)), draw)
    if asked.as_json:
        emit(data)
    elif made.plan is None:
        print(f"{title}: refused after {made.spent:.2f} s")
        print(f"  {made.answer.reason}")
    else:
        times = made.answer.times
        print(f"{title}: {len(made.plan.swings)} steps in {made.plan.duration:.2f} s, {100.0 * made.speed:.1f} cm/s")
        if not made.answer.whole:
            print(f"  a part of the way, at whose end it looks again; none leads to the goal: {made.answer.reason}")
        print(f"  given by the attempt: {made.answer.attempt}")
        print(f"  smallest margin {1e3 * data['margin']:.1f} mm, smallest angle to a limit {data['slack']:.3f} rad")
        print(f"  planned in {times.whole:.2f} s: footsteps {times.footsteps:.2f}, poses {times.stances:.2f}", end="")
        print(f", trajectory {times.trajectory:.2f} s")
        for name, path in (("picture", draw), ("footsteps", out)):
            if path is not None:
                print(f"{name}: {path}")
    raise typer.Exit(Exit.GOOD if made.answer.whole else Exit.FAILED)
