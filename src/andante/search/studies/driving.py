"""Driving a search: its batches go to any executor, or are answered by the journal where they were made before.

The journal has one line per batch, written when all of it is there. Whoever takes up a study that was killed solves it
again from the beginning: what the journal holds is answered at once, and the state of every library comes back by that.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from andante.search.errors import SearchError
from andante.search.executor import Executor, closed
from andante.search.journal import StudyJournal
from andante.search.limits import Ended
from andante.search.studies.asking import Asking, Batch, Point, Results
from andante.search.studies.conditions import Conditions
from andante.search.studies.document import Study
from andante.search.studies.problem import Evaluation, Problem, digest
from andante.search.studies.verdict import is_verdict

_OUT_OF_TIME = "out of time"
_TOGETHER = 10
"""Seeds of one candidate that make a task: a verdict on a few candidates with many seeds is work for all workers."""
_PROBLEMS: dict[str, Problem] = {}
"""Problems of this process by the digest of their studies."""
_MOST_PROBLEMS = 2


class SearchEnded(Exception):  # noqa: N818 - no error: thrown into a search that is to end with what it has found
    """The search goes no farther than its journal."""


@dataclass(frozen=True)
class EvaluationTask:
    """Trials of one candidate; picklable."""

    study: Study
    """What is asked."""
    name: str
    """Digest of the study and its files."""
    point: Point
    """The candidate."""
    seeds: tuple[int, ...]
    """Its seeds."""
    conditions: Conditions
    """Conditions."""

    def __str__(self) -> str:
        first, last = self.seeds[0], self.seeds[-1]
        seeds = f"seed {first}" if first == last else f"seeds {first} to {last}"
        return f"candidate {digest(self.point)}, {seeds}"


def study_digest(study: Study, inputs: Mapping[str, str] | None = None) -> str:
    """A study by its content, and by that of the files that its trials read.

    Args:
        study: The study.
        inputs: SHA-256 of each of these files by name; None: the study alone. A process that outlives a study, as a
            cluster's worker, must not try the next one with files of before.
    """
    told = study.model_dump_json(by_alias=True) + json.dumps(dict(inputs or {}), sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()


def keep_problem(name: str, problem: Problem) -> None:
    """Let tasks of this process use a problem that is built already."""
    _PROBLEMS[name] = problem
    while len(_PROBLEMS) > _MOST_PROBLEMS:
        del _PROBLEMS[next(iter(_PROBLEMS))]


def run_evaluation(task: EvaluationTask) -> tuple[list[list[Any]], float]:
    """Trials of a task as plain data, and the processor time that they took [s]."""
    if task.name not in _PROBLEMS:
        keep_problem(task.name, Problem(task.study))
    begin = time.process_time()
    found = _PROBLEMS[task.name].evaluate(task.point, task.seeds, task.conditions)
    return [each.data() for each in found], time.process_time() - begin


def lost_evaluation(task: EvaluationTask, ended: Ended) -> tuple[list[list[Any]], float]:
    """What stands for the trials of a task that was ended at a limit: none of them could be run."""
    lost = [Evaluation(None, False, {}, f"seed {seed}: {ended.why}").data() for seed in task.seeds]
    return lost, ended.seconds


class Driver:
    """Runs what a generator asks for.

    Args:
        study: What is asked.
        name: Its digest.
        journal: Keeps results, and answers what it has.
        spent: Processor time of the trials before [s]: of the search, and of verdicts.
        tell: Told after every batch: its key, and whether the journal had it.
        replayed: Told when all that the journal has was answered.
        ends: Search no farther than the journal: `SearchEnded` is thrown into the generator where that ends.
        apart: Make each trial a task of its own, for an executor with limits.
    """

    def __init__(
        self,
        study: Study,
        name: str,
        journal: StudyJournal | None = None,
        spent: tuple[float, float] = (0.0, 0.0),
        tell: Callable[[str, bool], None] = lambda key, known: None,
        replayed: Callable[[], None] = lambda: None,
        *,
        ends: bool = False,
        apart: bool = False,
    ) -> None:
        self._study, self._name, self._journal, self._tell, self._replayed = study, name, journal, tell, replayed
        self._ends, self._together = ends, 1 if apart else _TOGETHER
        self.searching, self.judging = spent
        """Processor time of the trials of the search, and of verdicts [s]."""
        self._judges = False
        self.trials = 0
        """Trials that have been asked for and answered."""
        self.replaying = False
        """Whether batches are answered by the journal."""
        self._queue: deque[EvaluationTask] = deque()
        self._batch: Batch | None = None
        self._found: dict[int, list[list[Any]]] = {}
        """Trials by task."""
        self._before = self._tasks = 0
        """Tasks of the batches before, and of this one."""
        self._known: dict[str, Any] = {} if journal is None else dict(journal.results)
        self._ahead = {key for key, kept in self._known.items() if isinstance(kept, dict) and not is_verdict(key)}
        """Batches of the search that the journal has and that have not been asked for yet."""

    @property
    def seconds(self) -> float:
        """Processor time of all trials [s]."""
        return self.searching + self.judging

    def judge(self) -> None:
        """What is asked for from now on is the verdict, which is made whatever the budget, and not from it."""
        self._ends, self._judges = False, True

    def over(self, share: float = 1.0) -> bool:
        """Whether a share of the budget is used up; where time decides, the journal says when, and so it does again."""
        budget = self._study.budget
        if self.trials >= share * budget.evaluations:
            return True
        if budget.seconds is None:
            return False
        key = _OUT_OF_TIME if share == 1.0 else f"{_OUT_OF_TIME} {share:g}"
        mark = self._known.get(key)
        if mark is not None:
            return self.trials >= int(mark)
        # Time that was up while a batch was made, before a kill, is no reason to leave out what came of it.
        if self._ahead or self.searching < share * budget.seconds:
            return False
        self._known[key] = self.trials
        if self._journal is not None:
            self._journal.add(key, self.trials)
        return True

    def run(self, asking: Asking, executor: Executor) -> Any:
        """Run a generator to its end and give what it returns.

        Raises:
            AndanteError: A trial cannot be run as asked, or the journal holds other trials.
        """
        try:
            self._begin(asking, next(asking))
            with closed(executor.stream(run_evaluation, self._draw, lost_evaluation)) as made:
                for number, result in made:
                    self._found[number - self._before], seconds = result
                    if self._judges:
                        self.judging += seconds
                    else:
                        self.searching += seconds
                    if self._batch is not None and len(self._found) == self._tasks:
                        self._finish(asking, self._batch)
        except StopIteration as ended:
            if self.replaying:
                self._replayed()
            return ended.value
        raise SearchError("the search ended before its end", value=self._batch and self._batch.key)

    def _draw(self) -> EvaluationTask | None:
        return self._queue.popleft() if self._queue else None

    def _begin(self, asking: Asking, batch: Batch) -> None:
        """Take up a batch; those that the journal has are answered at once."""
        while True:
            self._ahead.discard(batch.key)
            kept = self._known.get(batch.key)
            if kept is None and self._ends:
                batch = asking.throw(SearchEnded())
                continue
            if kept is None:
                break
            if kept["points"] != _points_digest(batch):
                raise SearchError(
                    "the journal holds other trials than those that are asked for now",
                    place=batch.key,
                    remedy="it was made by another version: begin anew without --resume in another folder",
                )
            self.replaying = True
            self.trials += batch.trials
            self._tell(batch.key, True)
            batch = asking.send(_read(kept["results"]))
        if self.replaying:
            self.replaying = False
            self._replayed()
        self._batch, self._found = batch, {}
        study, name = self._study, self._name
        self._queue = deque(
            EvaluationTask(study, name, point, batch.seeds[at : at + self._together], batch.conditions)
            for point in batch.points
            for at in range(0, len(batch.seeds), self._together)
        )
        self._tasks = len(self._queue)

    def _finish(self, asking: Asking, batch: Batch) -> None:
        self._before += self._tasks
        each = self._tasks // len(batch.points)
        results = [
            [trial for task in range(at, at + each) for trial in self._found[task]]
            for at in range(0, self._tasks, each)
        ]
        # Through JSON, so that those that were made now are like those that are resumed to the bit.
        plain = json.loads(json.dumps(results))
        if self._journal is not None:
            self._journal.add(batch.key, {"points": _points_digest(batch), "results": plain})
        self.trials += batch.trials
        try:
            following = asking.send(_read(plain))
        finally:
            # By now it is known whether the batch has brought a new best.
            self._tell(batch.key, False)
        self._begin(asking, following)


def _read(data: list[list[list[Any]]]) -> Results:
    return [[Evaluation.of(each) for each in trials] for trials in data]


def _points_digest(batch: Batch) -> str:
    numbers = np.array([*batch.points], dtype=float).tobytes()
    told = json.dumps([batch.seeds, batch.conditions.told()])
    return hashlib.sha256(numbers + told.encode()).hexdigest()[:16]
