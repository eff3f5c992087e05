"""`andante kick`: the leg lab — run kicks, look at the chain, search kicks, libraries of kicks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from andante.cli.output import Exit, command, emit
from andante.cli.progress import waiting
from andante.documents.numbers import numbers

if TYPE_CHECKING:
    from andante.runs.kick.execute import KickRun, Physics
    from andante.search.kicks.problem import KickProblem

app = typer.Typer(help="The leg lab: kick a ball at a target.", no_args_is_help=True, rich_markup_mode=None)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Compat = Annotated[bool, typer.Option("--compat", help="The exercise's own physics, defects included (needs pymunk).")]
Corrected = Annotated[bool, typer.Option("--corrected", help="The exercise's physics with the ankle read right.")]
Target = Annotated[str | None, typer.Option(help="Target X,Z in metres; default: the document's.")]
Leg = Annotated[str, typer.Option(help="Planar leg: a robot's name or path.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of everything random.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Processes; default: all cores.")]
Keyframes = Annotated[int, typer.Option(help="Keyframes of a kick.")]
Unlimited = Annotated[bool, typer.Option("--unlimited", help="Joint targets may lie beyond the limits.")]


@app.callback()
def _lab() -> None:
    """The leg lab: kick a ball at a target."""


@app.command("run")
@command
def run(
    file: Annotated[str, typer.Argument(help="Kick document: a file or a shipped name.")],
    target: Target = None,
    compat: Compat = False,
    corrected: Corrected = False,
    out: Annotated[Path | None, typer.Option(help="Animation: .webp, .mp4 or .html.")] = None,
    as_json: AsJson = False,
) -> None:
    """Play a kick in physics: how near does the ball come?"""
    from andante.motions.kicks.shipped import load_named
    from andante.runs.kick.animation import animate, check_kind
    from andante.runs.kick.execute import run_kick

    if out is not None:
        check_kind(out)
    kick = load_named(file)
    result = run_kick(kick, _physics(compat, corrected), target=_pair(target, "--target"), place=file)
    if out is not None:
        animate(result, out, Path(file).stem)
    if as_json:
        emit(result.data() | {"animation": str(out) if out else None})
        return
    _tell(result)
    if out is not None:
        print(f"animation: {out}")


@app.command("fk")
@command
def fk(
    angles: Annotated[str, typer.Argument(help="HIP,KNEE,ANKLE in degrees (put -- before a leading minus).")],
    draw: Annotated[Path | None, typer.Option(help="Write a picture (PNG, SVG).")] = None,
    robot: Leg = "bootcamp-leg",
    as_json: AsJson = False,
) -> None:
    """Forward kinematics: where the joints are and how the foot points."""
    import math

    import numpy as np

    from andante.kinematics.planar_chain import planar_chain
    from andante.motions.kicks.postures import Solution
    from andante.pictures.figures import check_kind, save
    from andante.robots.robot import Robot
    from andante.runs.kick.scene_picture import chain_figure

    check_kind(draw)
    chain = planar_chain(Robot.load(robot))
    posture = np.radians(numbers(angles, 3, "angles"))
    points, rotation = chain.forward(posture)
    problems = chain.violations(posture)
    if draw is not None:
        save(chain_figure(chain, [Solution(posture, "; ".join(problems))]), draw)
    if as_json:
        emit({"positions": points.tolist(), "rotation": float(rotation), "problems": problems})
        return
    for name, (x, z) in zip(("hip", "knee", "ankle", "toe"), points, strict=True):
        print(f"{name:<6}x {x:9.6f} m   z {z:9.6f} m")
    print(f"rotation of the foot: {math.degrees(rotation):.4f} deg ({float(rotation):.6f} rad)")
    for problem in problems:
        print(f"note: {problem}")


@app.command("ik")
@command
def ik(
    pose: Annotated[str, typer.Argument(help="X,Z,ROTATION in metres and degrees.")],
    draw: Annotated[Path | None, typer.Option(help="Write a picture (PNG, SVG) with all solutions.")] = None,
    feasible: Annotated[bool, typer.Option("--feasible", help="Leave out solutions beyond joint limits.")] = False,
    robot: Leg = "bootcamp-leg",
    as_json: AsJson = False,
) -> None:
    """Inverse kinematics: all postures that bring the foot to a pose, and what is wrong with them."""
    import math

    import numpy as np

    from andante.kinematics.planar_chain import planar_chain
    from andante.motions.kicks.postures import solutions_of
    from andante.pictures.figures import check_kind, save
    from andante.robots.robot import Robot
    from andante.runs.kick.scene_picture import chain_figure

    check_kind(draw)
    x, z, degrees = numbers(pose, 3, "pose")
    chain = planar_chain(Robot.load(robot))
    solutions, reason = solutions_of(chain, (x, z), math.radians(degrees))
    shown = [solution for solution in solutions if not (feasible and solution.problem)]
    if draw is not None:
        save(chain_figure(chain, shown, np.array([x, z, math.radians(degrees)])), draw)
    good = any(not solution.problem for solution in solutions)
    if as_json:
        rows = [{"angles": s.angles.tolist(), "feasible": not s.problem, "problem": s.problem} for s in shown]
        emit({"verdict": "pass" if good else "fail", "solutions": rows, "reason": reason})
    else:
        for number, solution in enumerate(shown, start=1):
            values = ", ".join(f"{n} {math.degrees(a):.4f}" for n, a in zip(chain.joints, solution.angles, strict=True))
            print(f"#{number}: {values} deg: {'discarded: ' + solution.problem if solution.problem else 'feasible'}")
        if reason:
            print(f"no solution: {reason}")
    raise typer.Exit(Exit.GOOD if good else Exit.FAILED)


@app.command("optimise")
@command
def optimise(
    file: Annotated[Path, typer.Argument(help="Kick document to write.")],
    target: Annotated[str, typer.Option(help="Target X,Z in metres.")] = "2.5,0.75",
    compat: Compat = False,
    corrected: Corrected = False,
    unlimited: Unlimited = False,
    keyframes: Keyframes = 4,
    seed: Seed = 0,
    restarts: Annotated[int | None, typer.Option(help="Restarts in all; the result is then the same anywhere.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Time to search; 60 where no restarts are given.")] = None,
    good: Annotated[float, typer.Option(help="Stop at this distance [m].")] = 0.0,
    start: Annotated[str | None, typer.Option(help="Kick document at which the first restart begins.")] = None,
    state: Annotated[Path | None, typer.Option(help="State file; default: FILE with .state.json.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew even if there is a state file.")] = False,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Search a kick that brings the ball to a target; goes on from its state file after a kill."""
    from andante.motions.kicks.document import save_kick
    from andante.motions.kicks.postures import pose_keyframes
    from andante.motions.kicks.shipped import load_named
    from andante.runs.kick.execute import run_kick
    from andante.search.kicks.campaign import Budget, Campaign

    problem = _problem(_pair(target, "--target"), _physics(compat, corrected), keyframes, unlimited)
    budget = Budget(restarts, seconds if seconds is not None or restarts is not None else 60.0, good)
    hints: tuple[tuple[float, ...], ...] = ()
    if start is not None:
        begin = pose_keyframes(load_named(start), problem.chain, start)
        hints = (tuple(problem.point(begin).tolist()),)
    campaign = Campaign(problem, seed, hints=hints)
    checkpoint = state if state is not None else file.with_suffix(".state.json")
    if checkpoint.exists() and not fresh:
        campaign.resume(checkpoint)
    with waiting("searching") as tell:
        _, point = campaign.run(
            budget,
            workers=_workers(workers),
            checkpoint=checkpoint,
            tell=lambda at: tell(f"{at.evaluations} kicks  {at.restarts} restarts  best {at.best:.4f} m"),
        )
    kick = problem.kick(point)
    save_kick(kick, file)
    result = run_kick(kick, problem.physics, place=str(file))
    if as_json:
        emit(
            result.data()
            | {"file": str(file), "state": str(checkpoint), "seed": seed}
            | {"restarts": len(campaign.ended), "evaluations": campaign.evaluations}
        )
        return
    _tell(result)
    print(f"{campaign.evaluations} kicks simulated in {len(campaign.states)} restarts; kick: {file}")


@app.command("library")
@command
def library(
    file: Annotated[Path, typer.Argument(help="Library document to write; one that is there is completed.")],
    xs: Annotated[str, typer.Option(help="X of the targets, with commas [m].")] = "1.5,1.825,2.15,2.475,2.8",
    zs: Annotated[str, typer.Option(help="Z of the targets, with commas [m].")] = "0.2,0.45,0.7,0.95,1.2",
    compat: Compat = False,
    corrected: Corrected = False,
    unlimited: Unlimited = False,
    keyframes: Keyframes = 4,
    seed: Seed = 0,
    scouts: Annotated[int, typer.Option(min=2, help="Random kicks measured against all targets.")] = 1000,
    restarts: Annotated[int, typer.Option(min=1, help="Restarts per target.")] = 4,
    good: Annotated[float, typer.Option(help="Distance at which a target is done [m].")] = 0.005,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Search kicks for a grid of targets."""
    from andante.search.kicks.campaign import Budget
    from andante.search.kicks.library import build_library, grid

    targets = grid(numbers(xs, None, "--xs"), numbers(zs, None, "--zs"))
    with waiting("searching") as tell:
        made = build_library(
            _problem(targets[0], _physics(compat, corrected), keyframes, unlimited),
            targets,
            seed,
            scouts=scouts,
            budget=Budget(restarts, None, good),
            workers=_workers(workers),
            file=file,
            tell=tell,
        )
    if as_json:
        rows = [{"target": list(entry.target), "distance": entry.distance} for entry in made.entries]
        emit({"file": str(file), "physics": made.physics, "simulated": True, "entries": rows})
        return
    for entry in made.entries:
        print(f"x {entry.target[0]:.3f}  z {entry.target[1]:.3f}  distance {entry.distance:.4f} m")
    print(f"library: {file}, in simulation ({made.physics})")


@app.command("aim")
@command
def aim(
    library: Annotated[str, typer.Argument(help="Library document: a file or a shipped name.")],
    target: Annotated[str, typer.Option(help="Target X,Z in metres.")],
    file: Annotated[Path | None, typer.Option("--out", help="Kick document to write.")] = None,
    as_json: AsJson = False,
) -> None:
    """Answer a new target at once from a library: the best of its nearest kicks and blends of them."""
    from andante.motions.kicks.document import save_kick
    from andante.search.kicks.library import answer, load_kick_library

    found = answer(load_kick_library(library), _pair(target, "--target"))
    if file is not None:
        save_kick(found.kick, file)
    if as_json:
        made_of = [list(each) for each in found.made_of]
        emit({"distance": found.distance, "made_of": made_of, "file": str(file) if file else None, "simulated": True})
        return
    made_of_text = " and ".join(f"{x:g}, {z:g}" for x, z in found.made_of)
    print(f"distance {found.distance:.4f} m in simulation; made of the kicks for {made_of_text}")
    if file is not None:
        print(f"kick: {file}")


def _tell(result: KickRun) -> None:
    from andante.runs.kick.animation import table
    from andante.runs.kick.execute import PHYSICS

    print(f"physics: {PHYSICS[result.physics]} (in simulation)")
    for row in table(result):
        name = "given" if row["solution"] is None else f"solution #{row['solution']}"
        angles = ", ".join(f"{angle:.4f}" for angle in row["angles"])
        print(f"keyframe {row['keyframe']}, {row['duration']:g} s, {name}: ({angles}) deg: {row['use']}")
    for note in result.notes:
        print(f"note: {note}")
    x, z = result.nearest
    print(
        f"smallest distance {result.distance:.6f} m ({int(result.distance * 100)} cm) at {result.time:.3f} s, ", end=""
    )
    print(f"ball at {x:.3f}, {z:.3f}; target {result.target[0]:g}, {result.target[1]:g}")


def _physics(compat: bool, corrected: bool) -> Physics:
    if compat and corrected:
        from andante.runs.errors import RunError

        raise RunError("--compat and --corrected exclude each other")
    return "original" if compat else "corrected" if corrected else "servos"


def _problem(target: tuple[float, float], physics: Physics, keyframes: int, unlimited: bool) -> KickProblem:
    from andante.backends.leglab.scene import SCENE
    from andante.search.kicks.problem import KickProblem

    SCENE.check_target(target)
    return KickProblem(target, physics, keyframes, unlimited)


def _pair(text: str | None, name: str) -> Any:
    return None if text is None else numbers(text, 2, name)


def _workers(workers: int | None) -> int:
    import os

    return workers if workers is not None else len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
