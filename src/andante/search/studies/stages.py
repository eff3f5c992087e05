"""Stages of a study: how candidates are chosen, one stage after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from andante.documents.part import Part
from andante.documents.quantities import Number, Positive, PositiveCount, Share
from andante.errors import install
from andante.search.errors import SearchError

_LIBRARIES = {"polish": "cma", "rounds": "cma", "diversity": "ribs"}
"""What stages are made of, by their type."""
_AGAIN = 0.1
"""Share of wide candidates that is tried again."""


class StudyBudget(Part):
    """When a search ends; whichever comes first."""

    evaluations: Annotated[PositiveCount, Field(le=10_000_000)] = 100_000
    """Trials in all."""
    seconds: Positive | None = None
    """Processor time of all trials [s]; None: any. A study that ends by it is not the same on every machine."""
    good: Share = 1.0
    """Polishing ends early, with all stages of it that follow, when so large a share of the validation seeds succeeds
    twice in a row and the objective grows by less than 1 %."""


class Sketch(Part):
    """Wide samples, one trial each; the best are tried again with more seeds."""

    type: Literal["sketch"]
    """Kind of stage."""
    samples: PositiveCount = 300
    """Candidates, uniform in the ranges; the start is one of them."""
    best: PositiveCount = 12
    """How many of them are tried again."""
    seeds: PositiveCount = 6
    """Seeds of the second trial."""
    width: Annotated[Number, Field(gt=0.0, le=1.0)] = 1.0
    """Share of the ranges that is sampled, around the start."""


class Polish(Part):
    """CMA-ES (the library `cma`) from the best so far, on seeds that change while it goes on, with racing."""

    type: Literal["polish"]
    """Kind of stage."""
    population: Annotated[int, Field(ge=4, le=1000)] = 14
    """Candidates per generation."""
    generations: PositiveCount = 40
    """Generations at most."""
    sigma: Annotated[Number, Field(gt=0.0, le=1.0)] = 0.15
    """First step size, as a share of the ranges."""
    seeds: PositiveCount = 5
    """Seeds of each candidate."""
    rotate: PositiveCount = 5
    """Generations after which new seeds are drawn, and the mean is compared with the best so far."""
    race: Annotated[int, Field(ge=0)] = 2
    """Seeds after which the worse half of the candidates is given up; 0: none is."""


class Diversity(Part):
    """Quality-diversity (the library `ribs`): many good candidates that behave differently; the best goes on."""

    type: Literal["diversity"]
    """Kind of stage."""
    measures: Annotated[tuple[tuple[str, Number, Number], ...], Field(min_length=1, max_length=3)]
    """By what candidates differ: a metric, with its lowest and its highest value."""
    cells: Annotated[int, Field(ge=2, le=100)] = 10
    """Cells per measure."""
    population: PositiveCount = 20
    """Candidates per generation."""
    generations: PositiveCount = 20
    """Generations."""
    sigma: Annotated[Number, Field(gt=0.0, le=1.0)] = 0.1
    """Step size, as a share of the ranges."""
    seeds: PositiveCount = 3
    """Seeds of each candidate."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        for metric, low, high in self.measures:
            if not low < high:
                raise ValueError(f"the lowest value of a measure stands first, got {metric}: {[low, high]}")
        return self


class Rounds(Part):
    """CMA-ES round after round, each from the best so far, with the ranges of joints and durations around it.

    A candidate is judged on the first validation seeds alone as long as few of them succeed. From the first round on
    that begins with 60 % of success, worlds are ``harder``, the worst seed counts as ``robust`` says, and seeds are
    twice as many. The stage ends as soon as ``good`` of all validation seeds succeed. After a round without any success
    what follows some keyframe of a motion is drawn anew, ``wide`` times, and the next round begins from the best of it.
    """

    type: Literal["rounds"]
    """Kind of stage."""
    rounds: PositiveCount = 8
    """Rounds at most."""
    population: Annotated[int, Field(ge=4, le=1000)] = 12
    """Candidates per generation."""
    generations: PositiveCount = 15
    """Generations of a round."""
    sigma: Annotated[Number, Field(gt=0.0, le=1.0)] = 0.08
    """First step size of a round, as a share of the ranges; half as large again after a round that found nothing."""
    seeds: PositiveCount = 4
    """Seeds of each candidate."""
    rotate: PositiveCount = 3
    """Generations after which new seeds are drawn, and the mean is compared with the best so far."""
    race: Annotated[int, Field(ge=0)] = 2
    """Seeds after which the worse half of the candidates is given up; 0: none is."""
    wide: Annotated[int, Field(ge=0, le=100_000)] = 150
    """Candidates, one trial each, that are drawn after a round without any success; 0: none is."""
    harder: Annotated[Number, Field(ge=0.0, le=4.0)] = 1.3
    """As the study's, once much succeeds."""
    robust: Share = 0.3
    """As the study's, once much succeeds."""
    quick: PositiveCount = 20
    """Validation seeds that a candidate is judged by first; it is tried on four times as many where 85 % of these
    succeed, and on all where 95 % of those do."""
    good: Share = 0.97
    """Share of all validation seeds at which the stage ends."""
    until: Annotated[Number, Field(gt=0.0, le=1.0)] = 1.0
    """Share of the study's budget, counted from its beginning, at which the stage ends at the latest."""
    only: tuple[str, ...] = ()
    """Numbers that this stage changes, by path with ``*``; none given: all."""
    set: Mapping[str, Number | str | bool] = Field(default_factory=dict)
    """Values of the scenario by path while this stage searches and judges, such as another side to lie on."""

    @property
    def wide_again(self) -> int:
        """How many of the wide candidates, the best, are tried again with ``seeds``."""
        return max(2, round(_AGAIN * self.wide)) if self.wide else 0


def refuse_lacking(stages: Sequence[Sketch | Polish | Diversity | Rounds]) -> None:
    """Refuse stages whose library is not installed, since their turn comes after minutes of trials.

    Raises:
        SearchError: One is not.
    """
    for index, stage in enumerate(stages):
        library = _LIBRARIES.get(stage.type)
        if library is not None and find_spec(library) is None:
            what = f"a stage of the type {stage.type} needs {library}, which is not installed"
            raise SearchError(what, place=f"stages[{index}]", remedy=install("optimise"))


def most_of_stages(stages: Sequence[Sketch | Polish | Diversity | Rounds], validation: int) -> int:
    """Trials that the stages make at most, the start's with them; they may end earlier.

    Args:
        stages: The stages.
        validation: Number of validation seeds.
    """
    pair, total = 2 * validation, validation
    for stage in stages:
        if stage.type == "sketch":
            total += stage.samples + stage.best * stage.seeds + pair
        elif stage.type == "diversity":
            total += stage.generations * stage.population * stage.seeds + pair
        else:
            turns, seeds = (1, stage.seeds) if stage.type == "polish" else (stage.rounds, 2 * stage.seeds)
            looks = -(-stage.generations // stage.rotate)
            total += turns * (stage.generations * stage.population * seeds + looks * pair)
            if stage.type == "rounds":
                total += validation + (turns - 1) * (stage.wide + stage.wide_again * stage.seeds)
    return total


Stage = Annotated[Sketch | Polish | Diversity | Rounds, Field(discriminator="type")]
"""One stage."""
