"""Rounds of a search: CMA-ES from the best so far, again and again, in ranges that move with it.

Where nothing succeeded yet, each round is followed by a wide look at what comes after some keyframe. The beginning of
a motion is found step by step, but what follows is told nothing as long as the robot falls before it: of a bare T1,
searches ended in a bridge on hands and feet, and the keyframes behind it drifted away from any that stand up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from andante.robots.records import Vector
from andante.search.studies.asking import Asking, Leader, Point, point_of, strategy_from
from andante.search.studies.conditions import AS_STATED, Conditions
from andante.search.studies.problem import Evaluation, success_share
from andante.search.studies.space import SearchedNumber, fitting_names
from andante.search.studies.stages import Rounds
from andante.search.studies.under_way import SearchUnderWay

_PROMISING, _GOOD = 0.85, 0.95
"""Share of the quick validation seeds from which on a candidate is tried on four times as many, and of these on all."""
_FIRM = 0.6
"""Share of success from which on worlds are harder and seeds more."""
_UNJUDGED = -1e9
"""Value of a best so far that breaks a constraint or cannot be tried in a stage's own world."""
_MOST_SIGMA = 0.25
"""Largest first step of a round."""
_CHUNK = 25
"""Candidates of a wide look between two looks at the budget."""


class Climb:
    """One stage of rounds: CMA-ES from the best so far, again and again, in ranges that move with it.

    A point of a study lies in the unit box of its ranges. Rounds leave that box where a number is a joint's target or a
    duration: the ranges are shifted so that the best so far is in their middle. Joints' limits still hold.

    Args:
        search: The search that it is a stage of.
        stage: The stage.
    """

    def __init__(self, search: SearchUnderWay, stage: Rounds) -> None:
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
        sigma, begin, moments = stage.sigma, search.found.point, self._followed()
        for turn in range(stage.rounds):
            if self._done or self._over:
                break
            rng = np.random.default_rng(np.random.SeedSequence((search.study.seed, number, turn)))
            led, last = yield from self._round(f"{name} round {turn + 1}", turn, begin, sigma, rng)
            sigma = stage.sigma if led else min(1.5 * sigma, max(_MOST_SIGMA, stage.sigma))
            begin = search.found.point
            if moments and not search.found.share and turn + 1 < stage.rounds and not self._over:
                begin = yield from self._wide(f"{name} wide {turn + 1}", turn, last, moments, rng)
                sigma = 0.5 * stage.sigma

    def _followed(self) -> list[list[int]]:
        """Rows of the numbers of each keyframe, where there is one that follows another and it may be drawn anew."""
        names = [number.name for number in self._search.numbers]
        moments = _moments(self._search.numbers, fitting_names(names, self._stage.only))
        return moments if self._stage.wide and len(moments) > 1 else []

    def _wide(
        self, name: str, turn: int, point: Point, moments: Sequence[Sequence[int]], rng: np.random.Generator
    ) -> Asking:
        """Draw anew what follows a keyframe, another one for each candidate; returns the best of them.

        Numbers are drawn in ranges around the point, or around the start, by turns.

        Args:
            name: Name of its batches.
            turn: The round before it.
            point: What came of that round, whether or not it is the best so far.
            moments: Rows of the numbers of each keyframe.
            rng: What is random.
        """
        stage, search = self._stage, self._search
        middles = [_lowest(search.numbers, np.array(each)) for each in (point, search.start)]
        points = [point]
        while len(points) < stage.wide:
            found = np.array(point)
            rows = [row for rows in moments[int(rng.integers(1, len(moments))) :] for row in rows]
            found[rows] = middles[len(points) % 2][rows] + rng.random(len(rows))
            points.append(point_of(found))
        conditions = replace(search.training, changes=self._changes)
        values: list[float] = []
        for first in range(0, len(points), _CHUNK):
            if first and self._over:
                break
            key, seeds = f"{name} {first // _CHUNK}", search.training_seeds(turn, 1)
            values += yield from search.raced(0, key, points[first : first + _CHUNK], seeds, conditions, 0.0)
        order = sorted(range(len(values)), key=lambda at: (-values[at], at))[: stage.wide_again]
        chosen = [points[at] for at in order]
        seeds = search.training_seeds(turn + 1, stage.seeds)
        results = yield from search.ask(f"{name} again", chosen, seeds, conditions)
        # What stands up once among several falls leads further than what falls alike each time.
        again = [_upper([each.value for each in trials]) for trials in results]
        return chosen[int(np.argmax(again))]

    def _round(self, name: str, turn: int, begin: Point, sigma: float, rng: np.random.Generator) -> Asking:
        """One CMA-ES from a point; returns whether it found a new best, and what it came to."""
        stage, search = self._stage, self._search
        conditions, robust, count = search.training, search.study.robust, stage.seeds
        if search.found.share >= _FIRM:
            conditions, robust, count = replace(conditions, harder=stage.harder), stage.robust, 2 * stage.seeds
        conditions = replace(conditions, changes=self._changes)
        rows = fitting_names([number.name for number in search.numbers], stage.only)
        centre = np.array(begin)
        low = _lowest(search.numbers, centre)
        # The library needs two dimensions: a number that is alone gets a second one that means nothing.
        start = point_of([*(centre - low)[rows], *([0.5] if len(rows) == 1 else [])])
        strategy = strategy_from(start, stage.population, sigma, rng)

        def candidate(values: Vector) -> Point:
            found = centre.copy()
            found[rows] = low[rows] + np.clip(values[: len(rows)], 0.0, 1.0)
            return point_of(found)

        led, last = False, begin
        for generation in range(stage.generations):
            if self._over:
                break
            first = (turn * stage.generations + generation // stage.rotate) * count
            seeds = search.training_seeds(first, count)
            asked = strategy.ask()
            points = [candidate(each) for each in asked]
            key = f"{name} {generation}"
            values = yield from search.raced(stage.race, key, points, seeds, conditions, robust)
            strategy.tell(asked, [-value for value in values])
            if (generation + 1) % stage.rotate and generation + 1 < stage.generations and not self._over:
                continue
            best, last = points[int(np.argmax(values))], candidate(strategy.result.xfavorite)
            led |= yield from self.judged([last, best], name, self._stated, key)
            if self._done:
                break
        return led, last

    def judged(self, points: Sequence[Point], stage: str, conditions: Conditions = AS_STATED, key: str = "") -> Asking:
        """Compare candidates with the best so far, those that promise much on more validation seeds.

        One that was tried on more seeds is before each that was tried on fewer. Returns whether one leads now.
        """
        search, key = self._search, key or stage
        seeds = search.study.seeds.validation.all
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
            begin, chosen = end, [at for at in chosen if success_share(trials[at]) >= least]
        return search.compared(points, trials, stage, by_seeds=True)


def _lowest(numbers: Sequence[SearchedNumber], centre: Vector) -> Vector:
    """Lower end of each number's range, (n,), as coordinates: around the centre where the range moves along."""
    return np.array([at - 0.5 if number.moves else 0.0 for number, at in zip(numbers, centre, strict=True)])


def _moments(numbers: Sequence[SearchedNumber], rows: Sequence[int]) -> list[list[int]]:
    """Rows of the numbers that belong to each keyframe of a motion, in the order in which these are named first."""
    found: dict[tuple[object, ...], list[int]] = {}
    for row in rows:
        path = numbers[row].places[0].path
        if "keyframes" in path:
            found.setdefault(path[: path.index("keyframes") + 2], []).append(row)
    return list(found.values())


def _upper(values: Sequence[float | None]) -> float:
    """Mean of the better half of some values; a trial that could not be run is the worst."""
    told = sorted((-math.inf if value is None else value for value in values), reverse=True)
    return sum(told[: (len(told) + 1) // 2]) / ((len(told) + 1) // 2)
