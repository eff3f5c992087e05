"""`andante kick`: the leg lab — run kicks, look at the chain, search kicks, libraries of kicks."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from andante.cli.output import Commands, Natural, answer
from andante.cli.progress import waiting

if TYPE_CHECKING:
    from andante.runs.kick.execute import KickRun, Physics
    from andante.search.kicks.problem import KickProblem

_NUMBERS = re.compile(r"-[\d.][\d.,eE+-]*")


class Numbers(TyperCommand):
    """A command whose arguments are numbers, of which the first may be below zero: no option begins so."""

    def make_context(self, info_name: str | None, args: list[str], *more: Any, **options: Any) -> Any:
        """Keep what looks like a number from being taken for an option; a blank before it changes no number."""
        kept = [f" {each}" if _NUMBERS.fullmatch(each) else each for each in args]
        return super().make_context(info_name, kept, *more, **options)


app = Commands(help="The leg lab: kick a ball at a target.", no_args_is_help=True, rich_markup_mode=None)

Processes = Annotated[int | None, typer.Option(min=1)]


@app.add("run")
def run(
    file: str,
    target: str | None = None,
    compat: bool = False,
    corrected: bool = False,
    out: Path | None = None,
) -> None:
    """Play a kick in physics: how near does the ball come?

    Args:
        file: Kick document: a file or a shipped name.
        target: Target X,Z in metres; default: the document's.
        compat: The exercise's own physics, defects included (needs pymunk).
        corrected: The exercise's physics with the ankle read right.
        out: Animation: .webp, .mp4 or .html.
    """
    from andante.motions.kicks.document import load_named
    from andante.runs.kick.animation import animate, check_kind
    from andante.runs.kick.execute import run_kick

    if out is not None:
        check_kind(out)
    kick = load_named(file)
    result = run_kick(kick, _physics(compat, corrected), target=_pair(target, "--target"), place=file)
    if out is not None:
        animate(result, out, Path(file).stem)
    lines = [*_lines(result), *([] if out is None else [f"animation: {out}"])]
    answer(result.data() | {"animation": str(out) if out else None}, lines)


@app.add("fk", cls=Numbers)
def fk(angles: str, draw: Path | None = None, robot: str = "bootcamp-leg") -> None:
    """Forward kinematics: where the joints are and how the foot points.

    Args:
        angles: HIP,KNEE,ANKLE in degrees.
        draw: Write a picture (PNG, SVG).
        robot: Planar leg: a robot's name or path.
    """
    import numpy as np

    from andante.documents.typed import numbers
    from andante.kinematics.planar_chain import planar_chain
    from andante.motions.kicks.postures import KickPosture
    from andante.pictures.figures import check_kind, save
    from andante.robots.robot import Robot
    from andante.runs.kick.animation import chain_figure

    check_kind(draw)
    chain = planar_chain(Robot.load(robot))
    posture = np.radians(numbers(angles, 3, "angles"))
    points, rotation = chain.forward(posture)
    problems = chain.violations(posture)
    if draw is not None:
        save(chain_figure(chain, [KickPosture(posture, "; ".join(problems))]), draw)
    places = zip(("hip", "knee", "ankle", "toe"), points, strict=True)
    lines = [f"{name:<6}x {x:9.6f} m   z {z:9.6f} m" for name, (x, z) in places]
    lines.append(f"rotation of the foot: {math.degrees(rotation):.4f} deg ({float(rotation):.6f} rad)")
    data = {"positions": points.tolist(), "rotation": float(rotation), "problems": problems}
    answer(data, [*lines, *(f"note: {problem}" for problem in problems)])


@app.add("ik", cls=Numbers)
def ik(pose: str, draw: Path | None = None, feasible: bool = False, robot: str = "bootcamp-leg") -> None:
    """Inverse kinematics: all postures that bring the foot to a pose, and what is wrong with them.

    Args:
        pose: X,Z,ROTATION in metres and degrees.
        draw: Write a picture (PNG, SVG) with all solutions.
        feasible: Leave out solutions beyond joint limits.
        robot: Planar leg: a robot's name or path.
    """
    import numpy as np

    from andante.documents.typed import numbers
    from andante.kinematics.planar_chain import planar_chain
    from andante.motions.kicks.postures import solutions_of
    from andante.pictures.figures import check_kind, save
    from andante.robots.robot import Robot
    from andante.runs.kick.animation import chain_figure

    check_kind(draw)
    x, z, degrees = numbers(pose, 3, "pose")
    chain = planar_chain(Robot.load(robot))
    solutions, reason = solutions_of(chain, (x, z), math.radians(degrees))
    shown = [solution for solution in solutions if not (feasible and solution.problem)]
    if draw is not None:
        save(chain_figure(chain, shown, np.array([x, z, math.radians(degrees)])), draw)
    good = any(not solution.problem for solution in solutions)
    rows = [{"angles": s.angles.tolist(), "feasible": not s.problem, "problem": s.problem} for s in shown]
    lines = []
    for number, solution in enumerate(shown, start=1):
        values = ", ".join(f"{n} {math.degrees(a):.4f}" for n, a in zip(chain.joints, solution.angles, strict=True))
        lines.append(f"#{number}: {values} deg: {'discarded: ' + solution.problem if solution.problem else 'feasible'}")
    lines += [f"no solution: {reason}"] if reason else []
    answer({"verdict": "pass" if good else "fail", "solutions": rows, "reason": reason}, lines, good)


@app.add("optimise")
def optimise(
    file: Path,
    target: str = "2.5,0.75",
    compat: bool = False,
    corrected: bool = False,
    unlimited: bool = False,
    keyframes: int = 4,
    seed: Natural = 0,
    restarts: int | None = None,
    seconds: float | None = None,
    good: float = 0.0,
    start: str | None = None,
    state: Path | None = None,
    fresh: bool = False,
    workers: Processes = None,
) -> None:
    """Search a kick that brings the ball to a target; goes on from its state file after a kill.

    Args:
        file: Kick document to write.
        target: Target X,Z in metres.
        compat: The exercise's own physics, defects included (needs pymunk).
        corrected: The exercise's physics with the ankle read right.
        unlimited: Joint targets may lie beyond the limits.
        keyframes: Keyframes of a kick.
        seed: Seed of everything random.
        restarts: Restarts in all; the result is then the same anywhere.
        seconds: Time to search; 60 where no restarts are given.
        good: Stop at this distance [m].
        start: Kick document at which the first restart begins.
        state: State file; default: FILE with .state.json.
        fresh: Begin anew even if there is a state file.
        workers: Processes; default: all cores.
    """
    from andante.motions.kicks.document import load_named, save_kick
    from andante.motions.kicks.postures import pose_keyframes
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
    data = result.data() | {"file": str(file), "state": str(checkpoint), "seed": seed}
    data |= {"restarts": len(campaign.ended), "evaluations": campaign.evaluations}
    made = f"{campaign.evaluations} kicks simulated in {len(campaign.states)} restarts; kick: {file}"
    answer(data, [*_lines(result), made])


@app.add("library")
def library(
    file: Path,
    xs: str = "1.5,1.825,2.15,2.475,2.8",
    zs: str = "0.2,0.45,0.7,0.95,1.2",
    compat: bool = False,
    corrected: bool = False,
    unlimited: bool = False,
    keyframes: int = 4,
    seed: Natural = 0,
    scouts: Annotated[int, typer.Option(min=2)] = 1000,
    restarts: Annotated[int, typer.Option(min=1)] = 4,
    good: float = 0.005,
    workers: Processes = None,
) -> None:
    """Search kicks for a grid of targets.

    Args:
        file: Library document to write; one that is there is completed.
        xs: X of the targets, with commas [m].
        zs: Z of the targets, with commas [m].
        compat: The exercise's own physics, defects included (needs pymunk).
        corrected: The exercise's physics with the ankle read right.
        unlimited: Joint targets may lie beyond the limits.
        keyframes: Keyframes of a kick.
        seed: Seed of everything random.
        scouts: Random kicks measured against all targets.
        restarts: Restarts per target.
        good: Distance at which a target is done [m].
        workers: Processes; default: all cores.
    """
    from andante.documents.typed import numbers
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
    rows = [{"target": list(entry.target), "distance": entry.distance} for entry in made.entries]
    lines = [f"x {each.target[0]:.3f}  z {each.target[1]:.3f}  distance {each.distance:.4f} m" for each in made.entries]
    lines.append(f"library: {file}, in simulation ({made.physics})")
    answer({"file": str(file), "physics": made.physics, "simulated": True, "entries": rows}, lines)


@app.add("aim")
def aim(
    library: str,
    target: Annotated[str, typer.Option()],
    file: Annotated[Path | None, typer.Option("--out")] = None,
) -> None:
    """Answer a new target at once from a library: the best of its nearest kicks and blends of them.

    Args:
        library: Library document: a file or a shipped name.
        target: Target X,Z in metres.
        file: Kick document to write.
    """
    from andante.motions.kicks.document import save_kick
    from andante.search.kicks.library import answer as answered
    from andante.search.kicks.library import load_kick_library

    found = answered(load_kick_library(library), _pair(target, "--target"))
    if file is not None:
        save_kick(found.kick, file)
    data = {"distance": found.distance, "made_of": [list(each) for each in found.made_of]}
    made_of = " and ".join(f"{x:g}, {z:g}" for x, z in found.made_of)
    lines = [f"distance {found.distance:.4f} m in simulation; made of the kicks for {made_of}"]
    lines += [] if file is None else [f"kick: {file}"]
    answer(data | {"file": str(file) if file else None, "simulated": True}, lines)


def _lines(result: KickRun) -> Iterator[str]:
    from andante.runs.kick.animation import table
    from andante.runs.kick.execute import PHYSICS

    yield f"physics: {PHYSICS[result.physics]} (in simulation)"
    for row in table(result):
        name = "given" if row["solution"] is None else f"solution #{row['solution']}"
        angles = ", ".join(f"{angle:.4f}" for angle in row["angles"])
        yield f"keyframe {row['keyframe']}, {row['duration']:g} s, {name}: ({angles}) deg: {row['use']}"
    yield from (f"note: {note}" for note in result.notes)
    distance = f"{result.distance:.6f} m ({100.0 * result.distance:.1f} cm) at {result.time:.3f} s"
    (x, z), target = result.nearest, f"{result.target[0]:g}, {result.target[1]:g}"
    yield f"smallest distance {distance}, ball at {x:.3f}, {z:.3f}; target {target}"


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
    from andante.documents.typed import numbers

    return None if text is None else numbers(text, 2, name)


def _workers(workers: int | None) -> int:
    import os

    return workers if workers is not None else len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
