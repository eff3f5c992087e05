"""Study: one document that says what is improved, which numbers may change, what counts, and how it is searched.

A study says where to start and what is good; how the problem is built from it stands in `problem`, how it is solved in
`solving`. Paths name numbers of the motion file (``blocks.rise.keyframes[0].duration``) or of the scenario
(``controller.trot.height``); a name or number in a path may be ``*``, which stands for all that are there.
"""

from __future__ import annotations

from collections.abc import Container
from itertools import combinations
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from andante.documents.part import Part
from andante.documents.quantities import Number, Positive, PositiveCount, Share
from andante.robots.register import ROBOTS
from andante.runs.controls.kind import absolute
from andante.runs.motion_libraries import anchored_library
from andante.runs.scenario import Name, Scenario
from andante.runs.scenario_files import shipped_scenarios
from andante.search.experiment.document import Condition, Experiment, Seed, Values
from andante.search.experiment.registry import EXPERIMENTS
from andante.search.studies.stages import Stage, StudyBudget
from andante.search.suite import LAST_SEED

Value = Number | str
"""A number in SI units, or one with its unit behind it: ``20deg``."""
Pair = tuple[Value, Value]
"""Lowest and highest."""


class SeedRange(Part):
    """Seeds that follow one another."""

    first: Seed
    """The first."""
    count: Annotated[PositiveCount, Field(le=100_000)]
    """How many."""

    @model_validator(mode="after")
    def _legal(self) -> Self:
        if self.first + self.count - 1 > LAST_SEED:
            raise ValueError(f"the last seed would be {self.first + self.count - 1}, and is at most {LAST_SEED}")
        return self

    @property
    def all(self) -> tuple[int, ...]:
        """The seeds."""
        return tuple(range(self.first, self.first + self.count))

    def meets(self, other: SeedRange) -> bool:
        """Whether some seeds are in both."""
        return self.first < other.first + other.count and other.first < self.first + self.count


class StudySeeds(Part):
    """What each seed is for; none serves twice, so that nothing is judged by what it was made for."""

    training: SeedRange = SeedRange(first=0, count=1000)
    """Candidates are tried with these, in turns."""
    validation: SeedRange = SeedRange(first=100_000, count=20)
    """What a stage found is compared with the best so far with these."""
    verdict: SeedRange = SeedRange(first=200_000, count=50)
    """Only the result is tried with these, once."""

    @model_validator(mode="after")
    def _apart(self) -> Self:
        for one, two in combinations(("training", "validation", "verdict"), 2):
            first, second = getattr(self, one), getattr(self, two)
            if first.meets(second):
                raise ValueError(
                    f"the seeds of {one} ({first.first} to {first.all[-1]}) and of {two} ({second.first} to"
                    f" {second.all[-1]}) overlap, so that none would be left to judge by; begin {two} at"
                    f" {first.first + first.count} or later"
                )
        return self


class ParameterRange(Part):
    """Numbers that the search may change."""

    path: str
    """Which numbers; ``*`` stands for all names or items that are there, ``[2,3]`` for several items."""
    range: Pair | None = None
    """Lowest and highest value; give this, ``around`` or ``factor``."""
    around: Pair | None = None
    """How much may be added to the value at the start, lowest and highest."""
    factor: tuple[Positive, Positive] | None = None
    """By how much the value at the start may be multiplied; searched on a scale of ratios, as fits durations."""
    mirrored: bool = False
    """The same joint on the other side changes with it, as the robot's mirror says; give the path of one side."""
    together: bool = False
    """All numbers of the path change alike, by one shift or factor."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [name for name in ("range", "around", "factor") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"give one of range, around and factor, got {', '.join(given) or 'none'}")
        if self.factor is not None and not self.factor[0] < self.factor[1]:
            raise ValueError(f"the smaller factor stands first, got {list(self.factor)}")
        if self.together and self.range is not None:
            raise ValueError("numbers that change alike have around or factor, no range")
        return self


class Objective(Part):
    """One thing that counts."""

    metric: str
    """Path of a trial's number or success, as figures of experiments name it (``rise.tail``), or of the motion itself:
    ``motion.duration``, ``motion.speed`` (largest speed that is commanded, over its joint's limit)."""
    weight: Number
    """What one of it is worth; below 0 less is better."""
    missing: Number | None = None
    """Value of a trial that does not tell it; None: that ends the study."""


class Constraint(Part):
    """What must hold: each trial that breaks it pays. No motion that breaks one of ``motion.`` becomes the result."""

    metric: str
    """Path of a trial's number, as of an objective."""
    at_least: Number | None = None
    """Smallest value."""
    at_most: Number | None = None
    """Largest value."""
    missing: Number | None = None
    """Value of a trial that does not tell it; None: that ends the study."""
    penalty: Positive = 1.0
    """Cost of being beyond the bound by as much as the bound is large; 1 at least is paid for 10 % beyond a 0."""

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("give at_least or at_most")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"nothing is at least {self.at_least:g} and at most {self.at_most:g}")
        return self


class TrialSuccess(Part):
    """When a trial counts as a success."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    metric: str
    """Path of a trial's success or number."""
    is_: Annotated[Condition, Field(alias="is")] = True
    """What it must be."""


class Study(Part):
    """What is improved, which numbers may change, what counts, and how it is searched."""

    format: Literal["andante.study"] = "andante.study"
    """Names the kind of document."""
    version: Literal[1] = 1
    """Version of this schema."""
    name: Name = "study"
    """Short name; what comes out is called after it."""
    goal: str | None = None
    """A goal in words, for which Andante writes the rest: ``get-up front``; what is given beside it overrules."""
    robot: str | None = None
    """Robot: a name, pack, MJCF or URDF; None: that of the experiment."""
    experiment: str | Experiment | None = None
    """What is tried: an experiment in full, its name, or its file seen from this one; the first combination of its
    variants is. None: ``scenario``, or else ``motion`` of ``library`` is played over friction and sensor noise."""
    scenario: str | Scenario | None = None
    """What is tried, in place of an experiment: a scenario in full, its shipped name, or its file."""
    options: Values = Field(default_factory=dict)
    """Options of the experiment by name."""
    set: Values = Field(default_factory=dict)
    """New values of experiment or scenario by path."""
    library: str | None = None
    """Motion file that is improved: a shipped name or a file; None: none, only the scenario's numbers change."""
    motion: str | None = None
    """Motion that is played; None: what the experiment or the scenario plays."""
    parameters: tuple[ParameterRange, ...] = ()
    """Numbers that may change."""
    objectives: tuple[Objective, ...] = ()
    """What counts; the sum over all is searched for."""
    constraints: tuple[Constraint, ...] = ()
    """What must hold."""
    success: TrialSuccess | None = None
    """When a trial counts as a success in the tables; None: nothing is counted."""
    robust: Share = 0.5
    """Weight of the worst seed beside the mean of all."""
    harder: Annotated[Number, Field(ge=0.0, le=4.0)] = 1.0
    """Factor on all that the seeds draw while candidates are tried; the verdict is on the world as it is."""
    screen: Annotated[Number, Field(gt=0.0, le=0.01)] | None = None
    """Physics step with which candidates are tried [s]; None: the scenario's. Validation and verdict never use it."""
    stages: tuple[Stage, ...] = ()
    """How it is searched, one stage after the other."""
    budget: StudyBudget = StudyBudget()
    """When the search ends at the latest."""
    seeds: StudySeeds = StudySeeds()
    """Seeds."""
    seed: Seed = 0
    """Decides everything random of the search itself."""
    note: str = ""
    """Free text for people."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        for metric in {each.metric: None for each in self.constraints}:
            own = [each for each in self.constraints if each.metric == metric]
            least = max((each.at_least for each in own if each.at_least is not None), default=None)
            most = min((each.at_most for each in own if each.at_most is not None), default=None)
            if least is not None and most is not None and least > most:
                raise ValueError(f"no {metric} is at least {least:g} and at most {most:g}, as constraints ask together")
        return self

    def anchored(self, folder: Path) -> Self:
        """The same with paths that exist in ``folder`` made absolute."""
        changes: dict[str, object] = {}
        known: dict[str, Container[str]] = {"robot": ROBOTS, "experiment": EXPERIMENTS, "scenario": shipped_scenarios()}
        for name, names in known.items():
            value = getattr(self, name)
            if isinstance(value, str):
                changes[name] = absolute(value, folder, names)
        if isinstance(self.library, str):
            changes["library"] = anchored_library(self.library, folder)
        if isinstance(self.experiment, Experiment):
            changes["experiment"] = self.experiment.anchored(folder)
        if isinstance(self.scenario, Scenario):
            changes["scenario"] = self.scenario.anchored(folder)
        return self.model_copy(update=changes)
