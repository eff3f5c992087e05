"""Climbing in rounds: CMA-ES from the best so far, again and again, in ranges that move with it.

A point of a study lies in the unit box of its ranges. Rounds leave that box where a number is a joint's target or a
duration: the ranges are shifted so that the best so far is in their middle. Joints' limits still hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from andante.robots.records import Vector
from andante.search.studies.asking import Asking, Leader, Point, point_of, strategy_from
from andante.search.studies.conditions import AS_STATED, Conditions
from andante.search.studies.document import Study
from andante.search.studies.problem import Evaluation, keeps_constraints, robust_value
from andante.search.studies.space import SearchedNumber, fitting_names
from andante.search.studies.stages import Rounds

_PROMISING, _GOOD = 0.85, 0.95
"""Share of the quick validation seeds from which on a candidate is tried on four times as many, and of these on all."""
_FIRM = 0.6
"""Share of success from which on worlds are harder and seeds more."""
_UNJUDGED = -1e9
"""Value of a best so far that breaks a constraint or cannot be tried in a stage's own world."""
_MOST_SIGMA = 0.25
"""Largest first step of a round."""


class ClimbedSearch(Protocol):
    """What a climb needs of the search that it is a stage of."""

    study: Study
    """The study in full."""
    training: Conditions
    """Conditions in which candidates are tried."""
    numbers: Sequence[SearchedNumber]
    """The numbers that points stand for."""
    leader: Leader | None
    """The best so far."""
    judged_by: Conditions
    """Conditions in which it was judged."""

    @property
    def over(self) -> Callable[[float], bool]:
        """Whether a share of the budget is used up."""

    @property
    def found(self) -> Leader:
        """The best so far, which is there."""

    def ask(self, key: str, points: Sequence[Point], seeds: Sequence[int], conditions: Conditions) -> Asking:
        """Ask for trials."""

    def raced(
        self,
        race: int,
        key: str,
        points: Sequence[Point],
        seeds: Sequence[int],
        conditions: Conditions,
        robust: float,
    ) -> Asking:
        """Values of a generation."""

    def lead(self, leader: Leader) -> None:
        """Take a candidate as the best so far."""


class Climb:
    """One stage of rounds.

    Args:
        search: The search that it is a stage of.
        stage: The stage.
    """

    def __init__(self, search: ClimbedSearch, stage: Rounds) -> None:
        self._search, self._stage = search, stage
        self._changes = tuple(stage.set.items())
        self._stated = Conditions(changes=self._changes)

    @property
    def _over(self) -> bool:
        return self._search.over(self._stage.until)

    @property
    def _done(self) -> bool:
        leader, all_ = self._search.found, self._search.study.seeds.validation.count
        return leader.seeds >= all_ and leader.share >= self._stage.good

    def rounds(self, name: str, number: int) -> Asking:
        """All rounds; the best so far is judged anew where this stage's world is another one."""
        stage, search = self._stage, self._search
        if self._stated != search.judged_by:
            point, search.leader = search.found.point, None
            yield from self.judged([point], f"{name} begin", self._stated)
            if search.leader is None:
                search.lead(Leader(point, _UNJUDGED, 0.0, name))
        sigma = stage.sigma
        for turn in range(stage.rounds):
            if self._done or self._over:
                break
            rng = np.random.default_rng(np.random.SeedSequence((search.study.seed, number, turn)))
            led = yield from self._round(f"{name} round {turn + 1}", turn, sigma, rng)
            sigma = stage.sigma if led else min(1.5 * sigma, max(_MOST_SIGMA, stage.sigma))

    def _round(self, name: str, turn: int, sigma: float, rng: np.random.Generator) -> Asking:
        """One CMA-ES; returns whether it found a new best."""
        stage, search, study = self._stage, self._search, self._search.study
        firm = search.found.share >= _FIRM
        training = search.training
        conditions = Conditions(training.timestep, training.steps, training.harder, changes=self._changes)
        robust, count = study.robust, stage.seeds
        if firm:
            conditions = Conditions(training.timestep, training.steps, stage.harder, changes=self._changes)
            robust, count = stage.robust, 2 * stage.seeds
        rows = fitting_names([number.name for number in search.numbers], stage.only)
        centre = np.array(search.found.point)
        low = _lowest(search.numbers, centre)
        # The library needs two dimensions: a number that is alone gets a second one that means nothing.
        start = point_of([*(centre - low)[rows], *([0.5] if len(rows) == 1 else [])])
        strategy = strategy_from(start, stage.population, sigma, rng)

        def candidate(values: Vector) -> Point:
            found = centre.copy()
            found[rows] = low[rows] + np.clip(values[: len(rows)], 0.0, 1.0)
            return point_of(found)

        seeds_of, led = study.seeds.training.all, False
        for generation in range(stage.generations):
            if self._over:
                break
            first = (turn * stage.generations + generation // stage.rotate) * count
            seeds = [seeds_of[(first + at) % len(seeds_of)] for at in range(count)]
            asked = strategy.ask()
            points = [candidate(each) for each in asked]
            key = f"{name} {generation}"
            values = yield from search.raced(stage.race, key, points, seeds, conditions, robust)
            strategy.tell(asked, [-value for value in values])
            if (generation + 1) % stage.rotate and generation + 1 < stage.generations:
                continue
            best = points[int(np.argmax(values))]
            led |= yield from self.judged([candidate(strategy.result.xfavorite), best], name, self._stated, key)
            if self._done:
                break
        return led

    def judged(self, points: Sequence[Point], stage: str, conditions: Conditions = AS_STATED, key: str = "") -> Asking:
        """Compare candidates with the best so far, those that promise much on more validation seeds.

        One that was tried on more seeds is before each that was tried on fewer. Returns whether one leads now.
        """
        search, study = self._search, self._search.study
        seeds, key = study.seeds.validation.all, key or stage
        search.judged_by = conditions
        trials: list[Sequence[Evaluation]] = [()] * len(points)
        begin, chosen = 0, list(range(len(points)))
        for end, least in ((self._stage.quick, _PROMISING), (4 * self._stage.quick, _GOOD), (len(seeds), 0.0)):
            if not chosen or begin >= len(seeds):
                break
            told = f"{key} validation" if not begin else f"{key} validation from {begin}"
            more = yield from search.ask(told, [points[at] for at in chosen], seeds[begin:end], conditions)
            for at, each in zip(chosen, more, strict=True):
                trials[at] = [*trials[at], *each]
            begin, chosen = end, [at for at in chosen if _share(trials[at]) >= least]
        led = False
        for point, tried in zip(points, trials, strict=True):
            if not keeps_constraints(study, tried):
                continue
            found = Leader(point, robust_value(tried, study.robust), _share(tried), stage, len(tried))
            leader = search.leader
            if leader is None or _rank(found) > _rank(leader):
                search.lead(found)
                led = True
        return led


def _lowest(numbers: Sequence[SearchedNumber], centre: Vector) -> Vector:
    """Lower end of each number's range, (n,), as coordinates: around the centre where the range moves along."""
    return np.array([at - 0.5 if number.moves else 0.0 for number, at in zip(numbers, centre, strict=True)])


def _rank(leader: Leader) -> tuple[int, float, float]:
    return leader.seeds, leader.share, leader.value


def _share(trials: Sequence[Evaluation]) -> float:
    return sum(each.success for each in trials) / len(trials)
