"""A search under way: what its stages share, whichever they are: asking, comparing, the best so far, its course."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from andante.search.errors import SearchError
from andante.search.studies.asking import Asking, Batch, Leader, Point
from andante.search.studies.conditions import AS_STATED, Conditions
from andante.search.studies.document import Study
from andante.search.studies.problem import Evaluation, keeps_constraints, robust_value, success_share
from andante.search.studies.space import SearchedNumber

LOST = -1e9
"""What a candidate is worth that could not be tried, for libraries that take no infinities."""


@dataclass
class SearchCourse:
    """How a search went: what its pictures are made of."""

    leaders: list[tuple[int, float, float, str]] = field(default_factory=list)
    """Trials until then, value and share of each new leader, and what found it."""
    generations: list[tuple[int, float, float, str]] = field(default_factory=list)
    """Trials until then, best and median value of a generation on its training seeds, and its name."""
    archive: list[dict[str, Any]] = field(default_factory=list)
    """Elites of quality-diversity: measures, value and point."""
    lost: int = 0
    """Trials that could not be run."""
    why_lost: str = ""
    """Why the first of them could not."""
    compared: bool = False
    """Whether two different candidates were tried with the same seeds."""
    differed: bool = False
    """Whether such candidates ever came to other numbers."""


@dataclass
class SearchUnderWay:
    """A search under way: what its stages share.

    Args:
        study: The study in full.
        start: The point of the start.
        training: Conditions in which candidates are tried.
        over: Whether the budget is used up.
        led: Told of every new leader.
        stage_done: Told of every stage that is done.
        numbers: The numbers that points stand for.
    """

    study: Study
    start: Point
    training: Conditions
    over: Callable[[float], bool] = lambda share: False
    led: Callable[[Leader], None] = lambda leader: None
    stage_done: Callable[[str, Leader], None] = lambda name, leader: None
    numbers: Sequence[SearchedNumber] = ()
    course: SearchCourse = field(default_factory=SearchCourse)
    leader: Leader | None = None
    trials: int = 0
    good: bool = False
    judged_by: Conditions = AS_STATED

    @property
    def found(self) -> Leader:
        """The best so far; there is one once the start was tried."""
        if self.leader is None:
            raise SearchError("nothing has been found yet")
        return self.leader

    def ask(self, key: str, points: Sequence[Point], seeds: Sequence[int], conditions: Conditions) -> Asking:
        """Ask for trials, and count those that could not be run.

        Raises:
            SearchError: None of them could be run.
        """
        results = yield Batch(key, tuple(points), tuple(seeds), conditions)
        self.trials += len(points) * len(seeds)
        for trials in results:
            for each in trials:
                if each.value is None:
                    self.course.lost += 1
                    self.course.why_lost = self.course.why_lost or each.why
        if len(set(points)) > 1:
            self.course.compared = True
            self.course.differed |= any(trials != results[0] for trials in results)
        if not any(each.value is not None for trials in results for each in trials):
            raise SearchError("none of the trials of a generation could be run", place=key, value=self.course.why_lost)
        return results

    def validated(self, points: Sequence[Point], stage: str, key: str = "") -> Asking:
        """Compare candidates with the best so far on the validation seeds; returns whether one leads now."""
        seeds = self.study.seeds.validation.all
        results = yield from self.ask(f"{key or stage} validation", points, seeds, AS_STATED)
        return self.compared(points, results, stage)

    def compared(
        self, points: Sequence[Point], results: Sequence[Sequence[Evaluation]], stage: str, *, by_seeds: bool = False
    ) -> bool:
        """Compare candidates that were tried with the best so far; returns whether one of them leads now.

        Args:
            points: The candidates.
            results: Validation trials of each.
            stage: What found them.
            by_seeds: One that was tried on more seeds is before each that was tried on fewer.
        """
        led = False
        for point, trials in zip(points, results, strict=True):
            if not keeps_constraints(self.study, trials):
                continue
            seeds = len(trials) if by_seeds else 0
            found = Leader(point, robust_value(trials, self.study.robust), success_share(trials), stage, seeds)
            if self.leader is None or _rank(found, by_seeds) > _rank(self.leader, by_seeds):
                self.lead(found)
                led = True
        return led

    def training_seeds(self, first: int, count: int) -> list[int]:
        """So many training seeds in turns, from a place on."""
        seeds = self.study.seeds.training.all
        return [seeds[(first + at) % len(seeds)] for at in range(count)]

    def lead(self, leader: Leader) -> None:
        """Take a candidate as the best so far."""
        self.leader = leader
        self.course.leaders.append((self.trials, leader.value, leader.share, leader.stage))
        self.led(leader)

    def raced(
        self,
        race: int,
        key: str,
        points: Sequence[Point],
        seeds: Sequence[int],
        conditions: Conditions,
        robust: float,
    ) -> Asking:
        """Values of a generation; the worse half is given up after the first seeds and ranks behind the rest."""
        if not 0 < race < len(seeds) or len(points) < 4:
            results = yield from self.ask(key, points, seeds, conditions)
            values = [robust_value(trials, robust) for trials in results]
        else:
            first = yield from self.ask(f"{key} race", points, seeds[:race], conditions)
            early = [robust_value(trials, robust) for trials in first]
            order = sorted(range(len(points)), key=lambda at: (-early[at], at))
            kept = sorted(order[: (len(points) + 1) // 2])
            rest = yield from self.ask(key, [points[at] for at in kept], seeds[race:], conditions)
            values = list(early)
            for at, trials in zip(kept, rest, strict=True):
                values[at] = robust_value([*first[at], *trials], robust)
            behind = min(values[at] for at in kept)
            for at in order[len(kept) :]:
                values[at] = min(early[at], behind)
        self.note(values, key)
        return [max(value, LOST) for value in values]

    def note(self, values: Sequence[float], key: str) -> None:
        """Note the values of a generation in the course."""
        known = [value for value in values if value > LOST]
        if known:
            self.course.generations.append((self.trials, max(known), float(np.median(known)), key))


def _rank(leader: Leader, by_seeds: bool) -> tuple[int, float, float]:
    return leader.seeds if by_seeds else 0, leader.share, leader.value
