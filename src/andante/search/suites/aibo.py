"""The suite `aibo`: does each motion of the AIBO's repertoire stay on its feet, pass its checks, and kick as it should?

Every seed draws the floor's friction, the sensor noise and the ball's place.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

from andante.backends.ball import Ball
from andante.motions.checks.aibo.run import check_aibo
from andante.motions.errors import motion_of
from andante.motions.findings import Finding
from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot
from andante.runs.checks.physics_check import PhysicsRules, PhysicsRun, judge_runs, run_physics
from andante.runs.motion_libraries import load_motions
from andante.runs.scenario_files import FRICTION
from andante.search.rows import Row, rounded, share_row
from andante.search.statistics import quantile
from andante.search.suite import BenchReport, Case, SeededOptions, Suite, seeded

REACH = 0.5
"""Distance that a kicked ball must reach [m]."""
_BALL_NOISE = 0.005
"""The ball lies up to this far from its place, in x and in y [m]."""


class AiboOptions(SeededOptions):
    """What the suite can be asked."""

    library: str = "ers7"
    """Motion library: a shipped name or a file."""
    motion: tuple[str, ...] = ()
    """Motion; repeat for several. Default: all."""
    friction: tuple[float, float] = FRICTION
    """Range of the floor's friction."""
    asked: float | None = None
    """Share below which the exit code is 1."""


@dataclass(frozen=True)
class AiboKick:
    """Where a kick finds the ball and where it sends it."""

    place: tuple[float, float]
    """Where the ball lies, x and y from the trunk's middle [m]."""
    direction: float
    """Where it goes, from x towards y [rad]."""

    @property
    def ball(self) -> Ball:
        """The ball before the kick."""
        return Ball(position=self.place, position_noise=_BALL_NOISE)


KICKS: Mapping[str, AiboKick] = MappingProxyType(
    {
        "kick_a": AiboKick((0.19, -0.074), 0.0),
        "kick_b": AiboKick((0.174, -0.035), math.radians(40.0)),
        "kick_c": AiboKick((0.174, 0.035), math.radians(-40.0)),
        "kick": AiboKick((0.19, 0.074), 0.0),
        "kick_left": AiboKick((0.14, 0.0), math.radians(90.0)),
        "kick_right": AiboKick((0.14, 0.0), math.radians(-90.0)),
        "shot_right": AiboKick((0.14, 0.0), math.radians(-90.0)),
    }
)
"""The kicks of the library ``ers7``."""


@dataclass(frozen=True)
class AiboTask:
    """What the seeds of one motion share."""

    library: str
    """Shipped name or path of the motions."""
    motion: str
    """The motion."""
    friction: tuple[float, float] = FRICTION
    """Range of the floor's friction."""


@dataclass(frozen=True)
class AiboTrial:
    """One run's outcome."""

    motion: str
    """The motion."""
    seed: int
    """Seed of the run."""
    fell: str
    """To which side and when it fell; empty: it did not."""
    faults: tuple[str, ...]
    """Errors that its physics checks found."""
    warnings: tuple[str, ...]
    """Warnings that they found."""
    max_tilt: float
    """Largest roll or pitch of the trunk [rad]."""
    reach: float | None = None
    """Distance that the ball reaches [m]; None: no kick."""
    speed: float | None = None
    """Its largest speed [m/s]."""
    off: float | None = None
    """Its direction less the kick's own [rad]."""


@dataclass(frozen=True)
class Measured:
    """A motion and all its runs."""

    motion: str
    """The motion."""
    trials: tuple[AiboTrial, ...]
    """Its runs by seed."""
    rules: tuple[str, ...]
    """Errors that the design rules find in it, without physics."""


def rows(measured: Sequence[Measured], at_least: float | None = None) -> list[Row]:
    """The figures of all motions; ``at_least`` is asked of every share."""
    return [row for each in measured for row in _motion_rows(each, at_least)]


def failures(measured: Sequence[Measured]) -> list[dict[str, Any]]:
    """Runs that fell, broke a check or kicked too weakly, with their reasons."""
    found = []
    for each in measured:
        for trial in each.trials:
            reasons = [f"{each.motion}: {fault}" for fault in trial.faults]
            if trial.reach is not None and trial.reach < REACH:
                reasons.append(f"{each.motion}: the ball reaches {trial.reach:.2f} m (limit {REACH:g} m)")
            if reasons:
                found.append({"seed": trial.seed, "reasons": reasons})
    return found


def _motion_rows(measured: Measured, at_least: float | None) -> list[Row]:
    name, trials = measured.motion, measured.trials
    found = [
        share_row(f"{name}: on its feet", [not trial.fell for trial in trials], at_least),
        share_row(f"{name}: checks", [not (trial.faults or measured.rules) for trial in trials], at_least),
    ]
    reaches = [trial.reach for trial in trials if trial.reach is not None]
    if reaches:
        offs = [math.degrees(trial.off) for trial in trials if trial.off is not None]
        found += [
            share_row(f"{name}: ball >= {REACH:g} m", [reach >= REACH for reach in reaches], at_least),
            rounded(f"{name}: reach, least", min(reaches), "m", len(reaches)),
            rounded(f"{name}: reach, median", quantile(reaches, 0.5), "m", len(reaches)),
            rounded(f"{name}: direction off, most", max(offs, key=abs), "deg", len(offs)),
        ]
    return found


def run_trial(task: AiboTask, seed: int, library: MotionLibrary | None = None) -> AiboTrial:
    """Run one motion with one seed; kicks find a ball.

    Args:
        task: What is run.
        seed: Seed of the run.
        library: Motions in place of the task's.

    Raises:
        AndanteError: The motion cannot be run.
    """
    library = library or load_motions(task.library)
    robot = Robot.load(library.robot)
    kick = KICKS.get(task.motion) if robot.name == "ers7" else None
    rules = PhysicsRules(seeds=(seed,), friction=task.friction)
    run = run_physics(library, robot, task.motion, seed, rules, kick.ball if kick is not None else None)
    findings = judge_runs(task.motion, [run], rules)
    return AiboTrial(
        task.motion,
        seed,
        "" if run.fall_time is None else f"{run.fall_side} after {run.fall_time:.2f} s",
        tuple(finding.message for finding in findings if finding.severity == "error"),
        tuple(finding.message for finding in findings if finding.severity == "warning"),
        run.max_tilt,
        **_kicked(run, kick),
    )


def _kicked(run: PhysicsRun, kick: AiboKick | None) -> dict[str, float]:
    if kick is None or run.ball is None:
        return {}
    off = math.remainder(run.ball.direction - kick.direction, 2.0 * math.pi)
    return {"reach": run.ball.reach, "speed": run.ball.speed, "off": off}


@functools.lru_cache(maxsize=1)
def _design_errors(library: str, motions: tuple[str, ...]) -> tuple[Finding, ...]:
    document = load_motions(library)
    wanted = document.model_copy(update={"motions": {name: document.motions[name] for name in motions}})
    return tuple(each for each in check_aibo(wanted, Robot.load(document.robot)) if each.severity == "error")


def _cases(options: AiboOptions) -> list[Case[AiboTask]]:
    document = load_motions(options.library)
    for name in options.motion:
        motion_of(document, name)
    names = options.motion or tuple(document.motions)
    # A robot that the design rules are not for is told before the first of many runs.
    _design_errors(options.library, names)
    tasks = [(name, AiboTask(options.library, name, options.friction)) for name in names]
    return seeded(tasks, options.first_seed, options.seeds)


def _report(options: AiboOptions, results: Mapping[str, Sequence[AiboTrial]]) -> BenchReport:
    errors = _design_errors(options.library, tuple(results))
    measured = [
        Measured(name, tuple(trials), tuple(str(finding) for finding in errors if finding.motion in (name, None)))
        for name, trials in results.items()
    ]
    about = options.about("library", "friction", "first_seed", "seeds")
    about |= {"motions": [asdict(each) for each in measured], "failures": failures(measured)}
    return BenchReport("aibo", rows(measured, options.asked), about)


SUITE = Suite("aibo", AiboOptions, AiboTrial, _cases, run_trial, _report)
"""The suite."""
