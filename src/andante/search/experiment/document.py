"""Experiment: one document that says what is tried, in which worlds, with which variants, and what is counted.

Paths name values of the scenario (``world.friction``), or of the experiment itself where they begin with ``play``,
``walk``, ``quadruped``, ``observers``, ``figures`` or ``seeds``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from andante.backends.fault import Fault
from andante.documents.part import Part
from andante.documents.quantities import Number, PositiveCount
from andante.robots.register import ROBOTS
from andante.runs.controls.kind import absolute
from andante.runs.motion_libraries import anchored_library
from andante.runs.scenario import Name, Scenario
from andante.runs.scenario_files import shipped_scenarios
from andante.runs.tasks.quadruped.task import QuadrupedTask
from andante.runs.tasks.walk.task import WalkTask

Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]
"""A seed."""
Values = dict[str, Any]
"""New values by path."""
BASES = ("scenario", "play", "walk", "quadruped")
"""What an experiment may begin from; one of them."""
OptionName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,40}$")]
"""Name of an option, with underscores in place of hyphens."""
RESERVED = frozenset(
    (
        *("seeds", "first_seed", "table", "values", "set", "json", "as_json", "workers", "cluster"),
        *("out", "journal", "resume", "save", "history", "help"),
    )
)
"""Options that every experiment has."""
DECIDING = {*BASES, "set", "spread", "stream", "faults", "axes", "observers", "again", "tables"}
"""Parts of an experiment that decide its trials; the others say what is made of them."""
OWN = ("play", "walk", "quadruped", "observers", "figures", "seeds")
"""Parts of an experiment that a path may begin with; any other path is one of the scenario."""


class Play(Part):
    """Motions of a library, played on the level floor over friction and sensor noise that seeds draw."""

    library: str
    """Motion library: a shipped name or a file."""
    motions: Annotated[tuple[str, ...], Field(min_length=1)]
    """Motions in order."""
    robot: str = "nao"
    """Robot: a name, pack, MJCF or URDF."""


class Draw(Part):
    """A value that each seed draws anew; what a world itself draws from a range needs none."""

    path: str
    """Which value."""
    uniform: tuple[Number, Number] | None = None
    """Lowest and highest; give this, ``normal`` or ``choice``."""
    normal: tuple[Number, Annotated[Number, Field(ge=0.0)]] | None = None
    """Mean and standard deviation; what some seed draws beyond a bound is refused before the first trial."""
    choice: Annotated[tuple[Any, ...], Field(min_length=1)] | None = None
    """Values, each as likely as the others."""
    plus: bool = False
    """Whether the number is added to the one that is there, in place of it."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(each is not None for each in (self.uniform, self.normal, self.choice)) != 1:
            raise ValueError("give one of uniform, normal and choice")
        if self.uniform is not None and self.uniform[0] > self.uniform[1]:
            raise ValueError(f"the lowest value stands first, got {list(self.uniform)}")
        return self


class Variant(Part):
    """One way in which trials differ from the others."""

    set: Values = Field(default_factory=dict)
    """New values by path."""
    scale: dict[str, Number] = Field(default_factory=dict)
    """Factors on numbers by path."""
    spread: tuple[Draw, ...] = ()
    """What each seed draws beside."""
    faults: tuple[Fault, ...] = ()
    """What goes wrong beside."""
    stream: Annotated[int, Field(ge=0)] | None = None
    """Keeps what seeds draw apart from what they draw of other variants; None: the same is drawn."""
    what: str = ""
    """What it is, in a few words."""


class Axis(Part):
    """One thing in which trials differ; axes are combined, each variant of one with each of the others."""

    variants: Annotated[dict[str, Variant], Field(min_length=1)]
    """Variants by label."""
    chosen: tuple[str, ...] | None = None
    """Labels of those that are tried where nobody says more; None: all."""
    told: bool = True
    """Whether figures begin with the label."""
    together: bool = True
    """Whether several may be tried at a time."""
    pooled: bool = False
    """Whether the trials of all its variants count together."""

    @model_validator(mode="after")
    def _known(self) -> Self:
        for label in self.chosen or ():
            if label not in self.variants:
                raise ValueError(f"there is no variant {label!r}, only {', '.join(self.variants)}")
        return self


class Bounds(Part):
    """What a number must keep to; all that is given must hold."""

    above: Number | None = None
    """It is larger."""
    below: Number | None = None
    """It is smaller."""
    at_least: Number | None = None
    """It is not smaller."""
    at_most: Number | None = None
    """It is not larger."""

    @property
    def impossible(self) -> str:
        """Why no number keeps to them; empty: some do."""
        lows = [end for end in (self.above, self.at_least) if end is not None]
        highs = [end for end in (self.below, self.at_most) if end is not None]
        if not lows or not highs or max(lows) < min(highs):
            return ""
        open_end = max(lows) == self.above or min(highs) == self.below
        return f"no number is from {max(lows):g} to {min(highs):g}" if max(lows) > min(highs) or open_end else ""

    def holds(self, value: float) -> bool:
        """Whether a number keeps to them."""
        return (
            (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
            and (self.at_least is None or value >= self.at_least)
            and (self.at_most is None or value <= self.at_most)
        )


Condition = bool | str | Bounds
"""What a metric must be: true or false, a word, or a number within bounds."""


def _each_possible(conditions: dict[str, Condition]) -> dict[str, Condition]:
    for name, each in conditions.items():
        if isinstance(each, Bounds) and each.impossible:
            raise ValueError(f"{name}: {each.impossible}")
    return conditions


Conditions = Annotated[dict[str, Condition], AfterValidator(_each_possible)]
"""Conditions by metric, each of which can hold."""
Statistic = Literal[
    "share",
    "count",
    "sum",
    "mean",
    "median",
    "quantile",
    "least",
    "largest",
    "farthest",
    "ratio",
    "ratio-of-means",
    "best-two-of-three",
    "lost",
]
"""What is made of the trials' values, see `Figure.statistic`."""


_ONLY_FOR = {"is_": ("share", "count", "lost"), "quantile": ("quantile",)}
"""Fields of a figure that some statistics take."""


class Figure(Part):
    """One row of a report."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    metric: str
    """Path of a trial's number: of a run's metrics (``done_at``, ``walk.slip``), ``passed``, or of an observer
    (``get-up.tries``). A part of names and numbers is summed with ``*``: ``walk.brushes.*``."""
    statistic: Statistic = "share"
    """share: of the trials in which ``is`` holds, with its 95 % interval; count: their number; mean: with its 95 %
    interval by Student's t; ratio: sum over the sum of ``per``; ratio-of-means: the same with a bootstrap interval;
    farthest: the one farthest from 0;
    best-two-of-three: mean of the best two of three trials in order; left out below three;
    lost: by how much the share of ``against`` is larger, pair by pair, with its interval."""
    is_: Annotated[Condition, Field(alias="is")] = True
    """What counts for share, count and lost."""
    where: Conditions = Field(default_factory=dict)
    """Only trials in which these hold, by metric."""
    quantile: Annotated[Number, Field(ge=0.0, le=1.0)] = 0.5
    """Which quantile."""
    per: str | None = None
    """Metric by which each trial's number is divided; of a ratio the sums are divided."""
    absolute: bool = False
    """The number without its sign."""
    missing: Number | None = None
    """Value of a trial that does not tell it; None: such trials are left out, and count against a share."""
    unit: str = ""
    """Unit of the row."""
    convert: Literal["deg", "cm", "mm", "ms", "cm/s", "%"] | None = None
    """Unit, in place of ``unit``, into which the figure is brought from SI."""
    digits: Annotated[int, Field(ge=0, le=12)] | None = None
    """Digits after the point; None: all."""
    at_least: Number | None = None
    """Bar: smallest value that is good enough."""
    at_most: Number | None = None
    """Bar: largest value that is good enough."""
    pooled: bool = False
    """Whether all trials count together, in place of those of each combination of variants."""
    against: str | None = None
    """Label of the variant that ``lost`` is compared with, in place of its own on the last axis that has it; where that
    variant is not tried, the row is left out."""
    optional: bool = False
    """Whether the row is left out where no trial tells it, in place of an error."""
    asked_only: bool = False
    """Whether the row is left out where it has no bar."""
    shown: bool = False
    """Whether people see the row beside a table of columns, even where it has no bar."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        low, high = self.at_least, self.at_most
        if low is not None and high is not None and low > high:
            raise ValueError(f"no value is at least {low:g} and at most {high:g}")
        for name, statistics in _ONLY_FOR.items():
            if self.statistic not in statistics and getattr(self, name) != type(self).model_fields[name].default:
                takers = " and ".join(statistics)
                raise ValueError(f"{name.rstrip('_')}: it is for {takers} only, and the statistic is {self.statistic}")
        _each_possible({"is": self.is_})
        # The unit of such a row is the share, whatever its condition is converted to.
        if self.statistic == "share" and any(end is not None and not 0.0 <= end <= 1.0 for end in (low, high)):
            raise ValueError(f"a share is 0 to 1, and its bar is {self.bar}: 0.9 is 90 %")
        return self

    @property
    def bar(self) -> str:
        """The bar in words; empty: there is none."""
        ends = ((">=", self.at_least), ("<=", self.at_most))
        return " and ".join(f"{sign} {end:g}" for sign, end in ends if end is not None)


class Compared(Part):
    """One thing by which `andante bench compare` compares two versions."""

    metric: str
    """Path of a trial's number or success."""
    unit: str = ""
    """Its unit; empty for a success."""
    better: Literal["more", "less"] = "more"
    """Which is better."""
    least: Annotated[Number, Field(ge=0.0)] = 0.0
    """Smallest difference that matters, in the unit."""
    succeeds: bool = False
    """Whether it is a success."""
    where: Conditions = Field(default_factory=dict)
    """Only trials in which these hold."""
    absolute: bool = False
    """The number without its sign."""
    missing: Number | None = None
    """Value of a trial that does not tell it."""
    convert: Literal["deg", "cm", "mm", "ms", "cm/s", "%"] | None = None
    """Unit, in place of ``unit``, into which the number is brought from SI."""


class Option(Part):
    """An option of the experiment's command."""

    help: str
    """What it means."""
    kind: Literal["text", "texts", "number", "pair", "whole", "switch", "labels", "faults"] = "text"
    """What is given: texts may be repeated; a pair is two numbers; labels are those of the axis, with commas; faults
    are written as dead:left_arm, a kind and a joint or a group of joints, repeated, and go into ``faults``."""
    sets: tuple[str, ...] = ()
    """Paths that it sets."""
    of: str | None = None
    """Label of the variants that it sets them for; None: for all trials."""
    chooses: str | None = None
    """Axis of which it chooses variants."""
    required: bool = False
    """Whether it must be given."""
    argument: bool = False
    """Whether it is given without its name."""
    condition: bool = False
    """Whether two benches must agree in it to be compared."""


class Again(Part):
    """A trial is run again with other values where something happened, to know whether that was needed."""

    where: Conditions
    """What must have happened."""
    set: Values
    """New values of the second run, by path."""
    metric: str
    """What of the second run is told."""


class Seeds(Part):
    """The seeds of every combination of variants."""

    first: Seed = 0
    """The first."""
    count: Annotated[PositiveCount, Field(le=1_000_000)] = 20
    """How many."""


class ExperimentTable(Part):
    """A part of an experiment that is asked for by its name, with conditions and seeds of its own."""

    what: str
    """What it asks, in a few words."""
    seeds: PositiveCount | None = None
    """How many seeds; None: as the experiment."""
    set: Values = Field(default_factory=dict)
    """New values by path, also of figures and observers."""
    axes: dict[str, Axis] = Field(default_factory=dict)
    """In what its trials differ, beside or in place of what the experiment says."""
    observers: dict[str, Values] = Field(default_factory=dict)
    """Who looks at its trials in place of the experiment's observers; figures of others are left out."""
    robot: str = ""
    """Robot that it is for, of which the file must be given; empty: none."""


class Experiment(Part):
    """What is tried, in which worlds, and what is counted."""

    format: Literal["andante.experiment"] = "andante.experiment"
    """Names the kind of document."""
    version: Literal[1] = 1
    """Version of this schema."""
    name: Name
    """Short name."""
    what: str = ""
    """What it asks, in a sentence."""
    scenario: str | Scenario | None = None
    """The run: a scenario in full, its shipped name, or its file seen from this one."""
    play: Play | None = None
    """The run: motions of a library."""
    walk: WalkTask | None = None
    """The run: a walk in a few words."""
    quadruped: QuadrupedTask | None = None
    """The run: a dynamic quadruped in a few words."""
    set: Values = Field(default_factory=dict)
    """New values by path, in all trials."""
    spread: tuple[Draw, ...] = ()
    """What each seed draws."""
    stream: Annotated[int, Field(ge=0)] = 0
    """Keeps what the spread draws apart from what other experiments draw of the same seed."""
    faults: tuple[Fault, ...] = ()
    """What goes wrong, in all trials."""
    axes: dict[str, Axis] = Field(default_factory=dict)
    """In what trials differ."""
    observers: dict[str, Values] = Field(default_factory=dict)
    """Who looks at every trial, by name, with their settings."""
    again: dict[str, Again] = Field(default_factory=dict)
    """Second runs; each gives one more metric, of this name."""
    figures: Annotated[dict[str, Figure], Field(min_length=1)]
    """Rows by name; ``{at_least}`` and the like in a name stand for the bounds of ``is``."""
    columns: dict[str, Figure] = Field(default_factory=dict)
    """Figures of a table for people, with a line for each combination of variants, by head."""
    tables: dict[str, ExperimentTable] = Field(default_factory=dict)
    """Parts that are asked for by name; where there are some, trials are theirs alone."""
    compare: dict[str, Compared] = Field(default_factory=dict)
    """By what two versions are compared, by name."""
    subject: str = ""
    """Option that names what is tried, in which two versions differ; empty: none."""
    seeds: Seeds = Seeds()
    """Seeds."""
    options: dict[OptionName, Option] = Field(default_factory=dict)
    """Options of the command beside those that all have."""
    note: str = ""
    """Free text for people."""

    @model_validator(mode="after")
    def _one_base(self) -> Self:
        given = [name for name in BASES if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"give one of {', '.join(BASES)}, got {', '.join(given) or 'none'}")
        for name, option in self.options.items():
            if name in RESERVED:
                raise ValueError(f"every experiment has an option {name!r}; choose another name")
            if (option.kind == "faults") + bool(option.sets) + (option.chooses is not None) != 1:
                raise ValueError(f"option {name!r} either sets paths or chooses variants")
            if option.chooses is not None and option.chooses not in self.axes:
                raise ValueError(f"option {name!r} chooses of an axis that is not there: {option.chooses!r}")
        return self

    def anchored(self, folder: Path) -> Self:
        """The same with paths that exist in ``folder`` made absolute."""
        axes = {
            name: axis.but(
                variants={label: each.but(set=_anchored(each.set, folder)) for label, each in axis.variants.items()}
            )
            for name, axis in self.axes.items()
        }
        changes: dict[str, Any] = {"set": _anchored(self.set, folder), "axes": axes}
        if isinstance(self.scenario, str):
            changes["scenario"] = absolute(self.scenario, folder, shipped_scenarios())
        elif self.scenario is not None:
            changes["scenario"] = self.scenario.anchored(folder)
        if self.play is not None:
            library, robot = anchored_library(self.play.library, folder), absolute(self.play.robot, folder, ROBOTS)
            changes["play"] = self.play.but(library=library, robot=robot)
        for name in ("walk", "quadruped"):
            task = getattr(self, name)
            if task is not None:
                from dataclasses import replace

                board = task.board if task.board is None else absolute(task.board, folder)
                changes[name] = replace(task, robot=absolute(task.robot, folder, ROBOTS), board=board)
        return self.model_copy(update=changes)


def _anchored(values: Values, folder: Path) -> Values:
    """Values of which those that name a file in a folder, or a folder of motions, are its path."""
    found = dict(values)
    for path, value in values.items():
        if isinstance(value, str) and path.rpartition(".")[2] == "library":
            found[path] = anchored_library(value, folder)
        elif isinstance(value, str) and Path(value).suffix:
            found[path] = absolute(value, folder)
    return found
