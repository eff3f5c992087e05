"""The suite `kick`: how far and how straight a NAO kicks, how long it takes, and whether it stays on its feet.

The scenario ``nao-kick`` says what each seed draws: floor, servos, sensors and the ball's place. A kick is made for the
right foot; the left foot is its mirror image, and the ball lies on the other side.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from andante.runs.scenario import Scenario
from andante.runs.scenario_files import load_scenario, validated
from andante.search.comparison import Measure
from andante.search.rows import Row, rounded, share_row
from andante.search.statistics import quantile
from andante.search.suite import BenchReport, Case, SeededOptions, Suite, names_of, seeded
from andante.search.suites.motion import Trial, bare, failures, run_seed

Foot = Literal["right", "left"]
"""The foot that kicks."""
FEET: tuple[Foot, ...] = get_args(Foot)
"""Both, in the order of rows."""
SCENARIO = "nao-kick"
"""Name of the scenario whose world is used."""


class KickOptions(SeededOptions):
    """What the suite can be asked."""

    subject = "library"
    conditions = ("foot", "ball")

    library: str = "nao"
    """Motion library: a shipped name or a file."""
    motion: str = "kick_right"
    """A kick with the right foot."""
    foot: str = "right"
    """Foot that kicks: right, left (mirrored), with commas."""
    ball: tuple[float, float] | None = None
    """Where the ball lies for the right foot, x and y [m]."""
    on_feet: float = 0.97
    """Share asked without a fall."""
    distance: float = 2.0
    """Median distance asked [m]."""
    direction: float = 8.0
    """Largest median error of the direction [deg]."""
    time: float = 2.5
    """Largest median time from stand to stand [s]."""


def kick_scenario(library: str, motion: str, foot: Foot = "right", ball: tuple[float, float] | None = None) -> Scenario:
    """The scenario whose seeds the suite runs.

    Args:
        library: Shipped name or path.
        motion: A kick with the right foot.
        foot: The foot that kicks.
        ball: Where the ball lies for the right foot, x and y [m]; None: as in the scenario.

    Raises:
        ScenarioError: A value is not legal in a scenario.
    """
    data: dict[str, Any] = load_scenario(SCENARIO).model_dump()
    data["controller"] |= {"library": library, "motions": (motion,), "mirror": foot == "left"}
    x, y = data["world"]["ball"]["position"] if ball is None else ball
    data["world"]["ball"]["position"] = (x, -y if foot == "left" else y)
    return validated(data)


def kick_rows(foot: str, trials: Sequence[Trial], asked: KickOptions) -> list[Row]:
    """Falls, distance, direction and time of one foot, and whether they are what is asked."""
    metrics = [trial.metrics for trial in trials]
    reaches = [each.ball_reach or 0.0 for each in metrics]
    errors = [180.0 if each.ball_direction is None else math.degrees(abs(each.ball_direction)) for each in metrics]
    signed = [math.degrees(each.ball_direction or 0.0) for each in metrics]
    times = [math.inf if each.done_at is None else each.done_at for each in metrics]
    n = len(trials)
    rows = [
        share_row(f"{foot}: without a fall", [each.fell is False for each in metrics], asked.on_feet),
        rounded(f"{foot}: distance, median", quantile(reaches, 0.5), "m", n, at_least=asked.distance),
        rounded(f"{foot}: distance, least", min(reaches), "m", n),
        share_row(f"{foot}: distance >= {asked.distance:g} m", [reach >= asked.distance for reach in reaches]),
        rounded(f"{foot}: direction error, median", quantile(errors, 0.5), "deg", n, at_most=asked.direction),
        rounded(f"{foot}: direction error, most", max(errors), "deg", n),
        rounded(f"{foot}: direction, mean", sum(signed) / n, "deg", n),
        share_row(
            f"{foot}: direction error <= {asked.direction:g} deg", [error <= asked.direction for error in errors]
        ),
        share_row(f"{foot}: verdict", [trial.passed for trial in trials]),
    ]
    turns = [math.degrees(abs(each.turn)) for each in metrics if each.turn is not None]
    if turns:
        rows.append(rounded(f"{foot}: turn of the robot, median", quantile(turns, 0.5), "deg", len(turns)))
        rows.append(rounded(f"{foot}: turn of the robot, most", max(turns), "deg", len(turns)))
    finished = [time for time in times if math.isfinite(time)]
    rows.append(share_row(f"{foot}: time <= {asked.time:g} s", [time <= asked.time for time in times]))
    if finished:
        median = quantile(finished, 0.5)
        rows.append(rounded(f"{foot}: time, median", median, "s", len(finished), at_most=asked.time))
        rows.append(rounded(f"{foot}: time, longest", max(finished), "s", len(finished)))
    return rows


def _cases(options: KickOptions) -> list[Case[Scenario]]:
    feet = sorted(names_of(options.foot, FEET, "--foot"), key=FEET.index)
    scenarios = [(foot, kick_scenario(options.library, options.motion, foot, options.ball)) for foot in feet]
    return seeded([(foot, bare(scenario)) for foot, scenario in scenarios], options.first_seed, options.seeds)


def _report(options: KickOptions, results: Mapping[str, Sequence[Trial]]) -> BenchReport:
    cells = [
        {
            "foot": foot,
            "trials": [
                {"seed": t.seed, "passed": t.passed, "reasons": list(t.reasons), "metrics": t.metrics.data()}
                for t in trials
            ],
        }
        for foot, trials in results.items()
    ]
    about = options.about("library", "motion", "first_seed", "seeds") | {"cells": cells, "failures": failures(results)}
    return BenchReport("kick", [row for cell in results.items() for row in kick_rows(*cell, options)], about)


MEASURES = (
    Measure("success", "", lambda trial: trial.passed, "more", succeeds=True),
    Measure("distance", "m", lambda trial: trial.metrics.ball_reach or 0.0, "more", 0.05),
    Measure(
        "direction",
        "deg",
        lambda trial: None if trial.metrics.ball_direction is None else math.degrees(abs(trial.metrics.ball_direction)),
        "less",
        0.5,
    ),
    Measure("time", "s", lambda trial: trial.metrics.done_at, "less", 0.03),
    Measure("torque", "servo limit", lambda trial: trial.metrics.peak_torque_ratio, "less", 0.02),
)
"""What two kicks are compared by; the least differences that matter are judgements."""
SUITE = Suite("kick", KickOptions, Trial, _cases, run_seed, _report, measures=MEASURES)
"""The suite."""
