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
from pathlib import Path
from typing import Any

import numpy as np

from andante.documents.budget import budgeted
from andante.documents.files import read_text, write_text
from andante.search.errors import SearchError
from andante.search.executor import Executor
from andante.search.journal import StudyJournal
from andante.search.studies.asking import Asking, Batch, Point, Results
from andante.search.studies.conditions import Conditions
from andante.search.studies.document import Study
from andante.search.studies.problem import Evaluation, Problem, digest

_OUT_OF_TIME = "out of time"
_PROBLEMS: dict[str, Problem] = {}
"""Problems of this process by the digest of their studies."""
_MOST_PROBLEMS = 2


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
        return f"candidate {digest(self.point)}, seeds {self.seeds[0]} to {self.seeds[-1]}"


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


class Driver:
    """Runs what a generator asks for.

    Args:
        study: What is asked.
        name: Its digest.
        journal: Keeps results, and answers what it has.
        spent: File with the processor time of all trials so far; None: it is not kept.
        tell: Told after every batch: its key, and whether the journal had it.
        replayed: Told when all that the journal has was answered.
    """

    def __init__(
        self,
        study: Study,
        name: str,
        journal: StudyJournal | None = None,
        spent: Path | None = None,
        tell: Callable[[str, bool], None] = lambda key, known: None,
        replayed: Callable[[], None] = lambda: None,
    ) -> None:
        self._study, self._name, self._journal, self._tell, self._replayed = study, name, journal, tell, replayed
        self._file = spent
        self.seconds = _read_seconds(spent)
        """Processor time of all trials [s]."""
        self.trials = 0
        """Trials that have been asked for and answered."""
        self.replaying = False
        """Whether batches are answered by the journal."""
        self._queue: deque[EvaluationTask] = deque()
        self._batch: Batch | None = None
        self._found: dict[int, list[list[Any]]] = {}
        self._before = 0
        """Tasks of the batches before."""
        self._known: dict[str, Any] = {} if journal is None else dict(journal.results)

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
        if self.seconds < share * budget.seconds:
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
            for number, result in executor.stream(run_evaluation, self._draw):
                self._found[number - self._before], seconds = result
                self.seconds += seconds
                if self._batch is not None and len(self._found) == len(self._batch.points):
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
            kept = self._known.get(batch.key)
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
        self._queue = deque(EvaluationTask(study, name, point, batch.seeds, batch.conditions) for point in batch.points)

    def _finish(self, asking: Asking, batch: Batch) -> None:
        self._before += len(batch.points)
        results = [self._found[at] for at in range(len(batch.points))]
        # Through JSON, so that those that were made now are like those that are resumed to the bit.
        plain = json.loads(json.dumps(results))
        if self._journal is not None:
            self._journal.add(batch.key, {"points": _points_digest(batch), "results": plain})
        if self._file is not None:
            write_text(self._file, f"{self.seconds:.3f}\n")
        self.trials += batch.trials
        self._tell(batch.key, False)
        self._begin(asking, asking.send(_read(plain)))


def _read(data: list[list[list[Any]]]) -> Results:
    return [[Evaluation.of(each) for each in trials] for trials in data]


def _points_digest(batch: Batch) -> str:
    numbers = np.array([*batch.points], dtype=float).tobytes()
    told = json.dumps([batch.seeds, batch.conditions.told()])
    return hashlib.sha256(numbers + told.encode()).hexdigest()[:16]


@budgeted(place="file")
def _read_seconds(file: Path | None) -> float:
    if file is None or not file.is_file():
        return 0.0
    try:
        return float(read_text(file))
    except ValueError:
        return 0.0
