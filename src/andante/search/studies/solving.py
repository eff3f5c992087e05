"""Solving a study: stages that ask for trials and are told what came of them, in a fixed order.

A solver is a generator: it yields batches of trials and is sent their results. It knows neither processes nor files, so
that the same results give the same steps whoever made them; a study that was killed is solved again from its journal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from andante.errors import install
from andante.search.errors import SearchError
from andante.search.studies.asking import Asking, Batch, Leader, Point, point_of, strategy_from
from andante.search.studies.climbing import Climb
from andante.search.studies.conditions import AS_STATED, Conditions
from andante.search.studies.document import Study
from andante.search.studies.problem import Evaluation, keeps_constraints, robust_value, success_share
from andante.search.studies.space import SearchedNumber
from andante.search.studies.stages import Diversity, Polish, Sketch

_CHUNK = 25
"""Candidates of a sketch between two looks at journal and budget."""
_GAIN = 0.01
"""Gain of the objective, as a share of it, below which it no longer grows."""
_LOST = -1e9
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
class StagedSearch:
    """A search under way.

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

    def solve(self) -> Asking:
        """All stages, beginning with the start itself."""
        climbing = next((stage for stage in self.study.stages if stage.type == "rounds"), None)
        if climbing is None:
            yield from self._validated([self.start], "start")
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

    def _validated(self, points: Sequence[Point], stage: str, key: str = "") -> Asking:
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
            self._note(values, key)
        order = sorted(found, key=lambda each: (-each[0], each[1]))[: stage.best]
        best = [points[at] for _, at in order]
        results = yield from self.ask(f"{name} again", best, self.training_seeds(1, stage.seeds), self.training)
        values = [robust_value(trials, self.study.robust) for trials in results]
        leading = sorted(range(len(best)), key=lambda at: (-values[at], at))[:2]
        yield from self._validated([best[at] for at in leading], name)

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
            led = yield from self._validated([mean, best], name, f"{name} {generation}")
            full = self.found.share >= self.study.budget.good
            good = good + 1 if full and (not led or self.found.value - gained < _GAIN * abs(gained)) else 0
            if good >= 2:
                self.good = True
                break

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
        self._note(values, key)
        return [max(value, _LOST) for value in values]

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
            scheduler.tell([max(value, _LOST) for value in values], measures)
            self._note(values, key)
        elites = archive.data(return_type="dict") if len(archive) else {"objective": [], "solution": [], "measures": []}
        rows = zip(elites["objective"], elites["measures"], elites["solution"], strict=True)
        for value, measures_of, solution in rows:
            told = {metric: float(each) for (metric, _, _), each in zip(stage.measures, measures_of, strict=True)}
            self.course.archive.append({"value": float(value), "measures": told, "point": list(point_of(solution))})
        best = sorted(self.course.archive, key=lambda each: -each["value"])[:2]
        if best:
            yield from self._validated([tuple(each["point"]) for each in best], name)

    def _note(self, values: Sequence[float], key: str) -> None:
        known = [value for value in values if value > _LOST]
        if known:
            self.course.generations.append((self.trials, max(known), float(np.median(known)), key))


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
    try:
        from ribs.archives import GridArchive
        from ribs.emitters import GaussianEmitter
        from ribs.schedulers import Scheduler
    except ModuleNotFoundError:
        what = "a stage of quality-diversity needs ribs, which is not installed"
        raise SearchError(what, remedy=install("optimise")) from None
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


def _rank(leader: Leader, by_seeds: bool) -> tuple[int, float, float]:
    return leader.seeds if by_seeds else 0, leader.share, leader.value
