"""The suite `kick`: how far and how straight a NAO kicks, how long it takes, and whether it stays on its feet.

The scenario ``nao-kick`` says what each seed draws: floor, servos, sensors and the ball's place. A kick is made for the
right foot; the left foot is its mirror image, and the ball lies on the other side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from andante.runs.scenario import Scenario
from andante.runs.scenario_files import load_scenario, validated
from andante.search.bench import Row, share_row
from andante.search.errors import SearchError
from andante.search.statistics import quantile
from andante.search.suites.motion import Trial, run_seeds

Foot = Literal["right", "left"]
"""The foot that kicks."""
SCENARIO = "nao-kick"
"""Name of the scenario whose world is used."""


@dataclass(frozen=True)
class Asked:
    """What a kick must do."""

    on_feet: float = 0.97
    """Share of trials without a fall."""
    reach: float = 2.0
    """Median distance that the ball rolls [m]."""
    direction: float = math.radians(8.0)
    """Median error of the ball's direction [rad]."""
    time: float = 2.5
    """Longest time from stand to stand [s]."""


@dataclass(frozen=True)
class Cell:
    """One foot's trials."""

    foot: Foot
    """The foot."""
    trials: tuple[Trial, ...]
    """Its trials by seed."""


def feet_of(text: str) -> tuple[Foot, ...]:
    """Feet from a list with commas.

    Raises:
        SearchError: An unknown foot, or none.
    """
    legal: tuple[Foot, ...] = get_args(Foot)
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in legal:
            raise SearchError("no such foot", place="--foot", value=name, legal=legal)
    return tuple(foot for foot in legal if foot in names)


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


def run_feet(
    library: str,
    motion: str,
    feet: Sequence[Foot],
    first_seed: int,
    seeds: int,
    workers: int = 1,
    ball: tuple[float, float] | None = None,
) -> list[Cell]:
    """Kick with each foot over seeds; see `kick_scenario`. The results do not depend on ``workers``.

    Raises:
        AndanteError: The scenario cannot be run.
    """
    return [
        Cell(foot, tuple(run_seeds(kick_scenario(library, motion, foot, ball), first_seed, seeds, workers)))
        for foot in feet
    ]


def kick_rows(cell: Cell, asked: Asked | None = None) -> list[Row]:
    """Falls, distance, direction and time of one foot, and whether they are what is asked."""
    asked = asked or Asked()
    foot, trials = cell.foot, cell.trials
    metrics = [trial.metrics for trial in trials]
    reaches = [each.ball_reach or 0.0 for each in metrics]
    errors = [math.pi if each.ball_direction is None else abs(each.ball_direction) for each in metrics]
    times = [math.inf if each.done_at is None else each.done_at for each in metrics]
    far, wide = f"{asked.reach:g} m", f"{math.degrees(asked.direction):g} deg"
    degrees = [math.degrees(error) for error in errors]
    signed = [math.degrees(each.ball_direction or 0.0) for each in metrics]
    rows = [
        share_row(f"{foot}: without a fall", [each.fell is False for each in metrics], asked.on_feet),
        _row(f"{foot}: distance, median", quantile(reaches, 0.5), "m", len(reaches), at_least=asked.reach),
        _row(f"{foot}: distance, least", min(reaches), "m", len(reaches)),
        share_row(f"{foot}: distance >= {far}", [reach >= asked.reach for reach in reaches]),
        _row(
            f"{foot}: direction error, median",
            quantile(degrees, 0.5),
            "deg",
            len(degrees),
            at_most=math.degrees(asked.direction),
        ),
        _row(f"{foot}: direction error, most", max(degrees), "deg", len(degrees)),
        _row(f"{foot}: direction, mean", sum(signed) / len(signed), "deg", len(signed)),
        share_row(f"{foot}: direction error <= {wide}", [error <= asked.direction for error in errors]),
        share_row(f"{foot}: verdict", [trial.passed for trial in trials]),
    ]
    turns = [math.degrees(abs(each.turn)) for each in metrics if each.turn is not None]
    if turns:
        rows.append(_row(f"{foot}: turn of the robot, median", quantile(turns, 0.5), "deg", len(turns)))
        rows.append(_row(f"{foot}: turn of the robot, most", max(turns), "deg", len(turns)))
    finished = [time for time in times if math.isfinite(time)]
    rows.append(share_row(f"{foot}: time <= {asked.time:g} s", [time <= asked.time for time in times]))
    if finished:
        rows.append(_row(f"{foot}: time, median", quantile(finished, 0.5), "s", len(finished), at_most=asked.time))
        rows.append(_row(f"{foot}: time, longest", max(finished), "s", len(finished)))
    return rows


def cell_data(cell: Cell) -> dict[str, Any]:
    """Every trial of one foot as plain data."""
    return {
        "foot": cell.foot,
        "trials": [
            {"seed": t.seed, "passed": t.passed, "reasons": list(t.reasons), "metrics": t.metrics.data()}
            for t in cell.trials
        ],
    }


def failures(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """Trials that missed what the scenario asks, with their reasons."""
    return [
        {"seed": trial.seed, "reasons": [f"{cell.foot}: {reason}" for reason in trial.reasons]}
        for cell in cells
        for trial in cell.trials
        if not trial.passed
    ]


def _row(
    name: str, value: float, unit: str, n: int, at_least: float | None = None, at_most: float | None = None
) -> Row:
    """A figure, and whether it keeps its limit."""
    value = round(value, 6)
    if at_least is not None:
        return Row(name, value, unit, f">= {at_least:g}", value >= at_least, n)
    if at_most is not None:
        return Row(name, value, unit, f"<= {at_most:g}", value <= at_most, n)
    return Row(name, value, unit, "", None, n)
