"""Solving a study: stages that ask for trials and are told what came of them, in a fixed order.

A solver is a generator: it yields batches of trials and is sent their results. It knows neither processes nor files, so
that the same results give the same steps whoever made them; a study that was killed is solved again from its journal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from andante.search.errors import SearchError
from andante.search.studies.asking import Asking, Point, point_of, strategy_from
from andante.search.studies.climbing import Climb
from andante.search.studies.conditions import AS_STATED
from andante.search.studies.document import Study
from andante.search.studies.problem import Evaluation, robust_value
from andante.search.studies.stages import Diversity, Polish, Sketch
from andante.search.studies.under_way import LOST, SearchUnderWay

_CHUNK = 25
"""Candidates of a sketch between two looks at journal and budget."""
_GAIN = 0.01
"""Gain of the objective, as a share of it, below which it no longer grows."""


class StagedSearch(SearchUnderWay):
    """A search that goes through a study's stages, see `SearchUnderWay`."""

    def solve(self) -> Asking:
        """All stages, beginning with the start itself."""
        climbing = next((stage for stage in self.study.stages if stage.type == "rounds"), None)
        if climbing is None:
            yield from self.validated([self.start], "start")
        else:
            yield from Climb(self, climbing).judged([self.start], "start", AS_STATED)
        if self.leader is None:
            raise SearchError("the start could not be tried", value=self.course.why_lost)
        self.stage_done("start", self.leader)
        for number, stage in enumerate(self.study.stages):
            if self.over(1.0):
                break
            if self.good and stage.type == "polish":
                continue
            name = f"{number + 1} {stage.type}"
            rng = stage_random(self.study, number)
            if stage.type == "sketch":
                yield from self._sketch(stage, name, rng)
            elif stage.type == "polish":
                yield from self._polish(stage, name, rng)
            elif stage.type == "rounds":
                yield from Climb(self, stage).rounds(name, number)
            else:
                yield from self._diversity(stage, name, number)
            self.stage_done(name, self.leader)
        return self.leader

    def _sketch(self, stage: Sketch, name: str, rng: np.random.Generator) -> Asking:
        points = list(islice(sketched(self.found.point, stage.width, rng), stage.samples))
        found: list[tuple[float, int]] = []
        for begin in range(0, len(points), _CHUNK):
            if begin and self.over(1.0):
                break
            chunk = points[begin : begin + _CHUNK]
            key = f"{name} {begin // _CHUNK}"
            results = yield from self.ask(key, chunk, self.training_seeds(0, 1), self.training)
            values = [robust_value(trials, self.study.robust) for trials in results]
            found += [(value, begin + at) for at, value in enumerate(values)]
            self.note(values, key)
        order = sorted(found, key=lambda each: (-each[0], each[1]))[: stage.best]
        best = [points[at] for _, at in order]
        results = yield from self.ask(f"{name} again", best, self.training_seeds(1, stage.seeds), self.training)
        values = [robust_value(trials, self.study.robust) for trials in results]
        leading = sorted(range(len(best)), key=lambda at: (-values[at], at))[:2]
        yield from self.validated([best[at] for at in leading], name)

    def _polish(self, stage: Polish, name: str, rng: np.random.Generator) -> Asking:
        strategy = strategy_from(self.found.point, stage.population, stage.sigma, rng)
        good = 0
        for generation in range(stage.generations):
            if self.over(1.0):
                break
            seeds = self.training_seeds(generation // stage.rotate * stage.seeds, stage.seeds)
            asked = strategy.ask()
            points = [point_of(np.clip(each, 0.0, 1.0)) for each in asked]
            values = yield from self.raced(
                stage.race, f"{name} {generation}", points, seeds, self.training, self.study.robust
            )
            strategy.tell(asked, [-value for value in values])
            # What a budget ends has been found all the same, and is compared with the best so far.
            if (generation + 1) % stage.rotate and generation + 1 < stage.generations and not self.over(1.0):
                continue
            mean = point_of(np.clip(strategy.result.xfavorite, 0.0, 1.0))
            best = points[int(np.argmax(values))]
            gained = self.found.value
            led = yield from self.validated([mean, best], name, f"{name} {generation}")
            full = self.found.share >= self.study.budget.good
            good = good + 1 if full and (not led or self.found.value - gained < _GAIN * abs(gained)) else 0
            if good >= 2:
                self.good = True
                break

    def _diversity(self, stage: Diversity, name: str, number: int) -> Asking:
        archive, scheduler = _scheduler(self.found.point, stage, (self.study.seed, number))
        for generation in range(stage.generations):
            if self.over(1.0):
                break
            points = [point_of(np.clip(each, 0.0, 1.0)) for each in scheduler.ask()]
            seeds = self.training_seeds(generation * stage.seeds, stage.seeds)
            key = f"{name} {generation}"
            results = yield from self.ask(key, points, seeds, self.training)
            values = [robust_value(trials, self.study.robust) for trials in results]
            measures = [
                [_middle(trials, metric, low, high) for metric, low, high in stage.measures] for trials in results
            ]
            scheduler.tell([max(value, LOST) for value in values], measures)
            self.note(values, key)
        elites = archive.data(return_type="dict") if len(archive) else {"objective": [], "solution": [], "measures": []}
        rows = zip(elites["objective"], elites["measures"], elites["solution"], strict=True)
        for value, measures_of, solution in rows:
            told = {metric: float(each) for (metric, _, _), each in zip(stage.measures, measures_of, strict=True)}
            self.course.archive.append({"value": float(value), "measures": told, "point": list(point_of(solution))})
        best = sorted(self.course.archive, key=lambda each: -each["value"])[:2]
        if best:
            yield from self.validated([tuple(each["point"]) for each in best], name)


def stage_random(study: Study, number: int) -> np.random.Generator:
    """What is random in one stage of a study, by the stage's number."""
    return np.random.default_rng(np.random.SeedSequence((study.seed, number)))


def sketched(start: Point, width: float, rng: np.random.Generator) -> Iterator[Point]:
    """Candidates of a sketch, as many as are wanted: the start, then uniform samples.

    Args:
        start: Where the ranges are sampled around.
        width: Share of the ranges that is sampled.
        rng: What is random.
    """
    middle = np.array(start)
    # Around the start, and all of the range where the width is 1.
    room = 0.5 * width if width < 1.0 else 1.0
    low, high = np.clip(middle - room, 0.0, 1.0), np.clip(middle + room, 0.0, 1.0)
    yield point_of(middle)
    while True:
        yield point_of(low + (high - low) * rng.random(len(middle)))


def _middle(trials: Sequence[Evaluation], metric: str, low: float, high: float) -> float:
    """Mean of a measure over the trials that tell it, within its range."""
    told = [number for each in trials if (number := each.metrics.get(metric)) is not None]
    return min(max(sum(told) / len(told), low), high) if told else low


def _scheduler(point: Point, stage: Diversity, seed: tuple[int, int]) -> tuple[Any, Any]:
    from ribs.archives import GridArchive
    from ribs.emitters import GaussianEmitter
    from ribs.schedulers import Scheduler

    own = int(np.random.SeedSequence(seed).generate_state(1)[0])
    ranges = [(low, high) for _, low, high in stage.measures]
    archive = GridArchive(
        solution_dim=len(point), dims=[stage.cells] * len(ranges), ranges=ranges, seed=own, dtype=np.float64
    )
    emitter = GaussianEmitter(
        archive,
        sigma=stage.sigma,
        x0=list(point),
        bounds=[(0.0, 1.0)] * len(point),
        batch_size=stage.population,
        seed=own,
    )
    return archive, Scheduler(archive, [emitter])
