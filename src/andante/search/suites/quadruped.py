"""The suite `quadruped`: the experiment of that name, with conditions that its options make."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from andante.planning.quadruped.body import QuadrupedBody
from andante.planning.quadruped.gait import GAITS
from andante.planning.quadruped.settings import GO2_LEG
from andante.robots.robot import Robot
from andante.runs.idle_options import refuse_idle
from andante.search.experiment.cases import with_changes
from andante.search.experiment.document import Axis, Draw, Experiment, Variant
from andante.search.experiment.registry import EXPERIMENTS
from andante.search.experiment.suite import options_of, parts_of, suite_of
from andante.search.suite import Count, names_of

EXPERIMENT = EXPERIMENTS["quadruped"]
_SIDES = {"forward": (1.0, 0.0), "backward": (-1.0, 0.0), "left": (0.0, 1.0), "right": (0.0, -1.0)}
_PUSHED_AT = 1.5
"""When the first push comes [s]."""
_BY_LEG = 0.5
"""Speed that is asked of robots of any size, for Go2's leg [m/s]."""


class QuadrupedOptions(options_of(EXPERIMENT)):  # type: ignore[misc]
    """What the suite can be asked beside what its experiment can."""

    robots: str = ""
    """Robots of the table robots, with commas; default: the robot."""
    phases: Count = 8
    """Phases of the gait at which pushes come."""
    minutes: Annotated[float, Field(gt=0.0, le=30.0)] = 1.0
    """How long the run is over which the process may not grow [min]."""
    clock: bool = False
    """Tell times by the clock in every table; they are others in every run."""


def asked(options: Any) -> list[Experiment]:
    """The tables that the options ask for, with the conditions that they make.

    Raises:
        AndanteError: There is no such table or robot, or a value is not legal.
    """
    tables = names_of(options.table, EXPERIMENT.tables, "--table")
    for name, table in (("robots", "robots"), ("phases", "push"), ("minutes", "rate")):
        value = getattr(options, name)
        if table not in tables and value != QuadrupedOptions.model_fields[name].default:
            refuse_idle({f"--{name}": value}, f"the tables {options.table}: it is for the table {table}")
    made = {
        "robots": {"condition": _robots((options.robots or options.robot).split(","))},
        "push": {"phase": _phases(options.phases), "side": _sides()},
        "rate": {"condition": _long(options.minutes)},
    }
    whole = {name: table.but(axes={**table.axes, **made.get(name, {})}) for name, table in EXPERIMENT.tables.items()}
    parts = parts_of(EXPERIMENT.but(tables=whole), options)
    clock = {"observers.quadruped.clocked": True}
    return [with_changes(each, clock) if options.clock and "quadruped" in each.observers else each for each in parts]


def _robots(robots: Sequence[str]) -> Axis:
    """The same controller on robots of any size: speeds grow with the square root of the leg's length."""
    paths = [name.strip() for name in robots if name.strip()]
    names = [path.rpartition("/")[2] for path in paths]
    variants = {}
    for path, name in zip(paths, names, strict=True):
        label = path if names.count(name) > 1 else name
        size = QuadrupedBody.of(Robot.load(path)).legs.leg_length / GO2_LEG
        twist = (math.sqrt(size) * _BY_LEG, 0.0, 0.0)
        changes = {"quadruped.robot": path, "quadruped.twist": twist}
        variants[f"{label} {_BY_LEG:g} m/s by leg"] = Variant(set=changes)
    return Axis(variants=variants)


def _phases(number: int) -> Axis:
    """Pushes at equal parts of the gait; each seed's come later by the same share of a part."""
    step = GAITS["trot"].period / number
    late = Draw(path="world.pushes[0].time", uniform=(0.0, step), plus=True)
    variants = {
        f"phase {phase}/{number}": Variant(set={"quadruped.push[0]": _PUSHED_AT + phase * step}, spread=(late,))
        for phase in range(number)
    }
    return Axis(variants=variants, pooled=True)


def _sides() -> Axis:
    sides = {name: Variant(set={"quadruped.push[1]": x, "quadruped.push[2]": y}) for name, (x, y) in _SIDES.items()}
    return Axis(variants=sides, pooled=True)


def _long(minutes: float) -> Axis:
    return Axis(variants={f"{minutes:g} min of trot": Variant(set={"quadruped.seconds": 60.0 * minutes})})


SUITE = suite_of(EXPERIMENT, options=QuadrupedOptions, parts=asked)
"""The suite."""
