"""How far a study is, in one small file: written after every batch, read by anybody at any time."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from andante.documents.budget import budgeted
from andante.documents.files import read_text, write_text
from andante.documents.json_data import parse_json_data
from andante.documents.part import Part
from andante.documents.problems import DocumentError
from andante.runs.logs.folder import held
from andante.search.errors import SearchError
from andante.search.progress import ago_words, pace
from andante.search.studies.asking import Leader
from andante.search.studies.document import Study
from andante.search.studies.files import JOURNAL
from andante.search.studies.stages import most_of_stages

PROGRESS = "progress.json"
"""Name of the file in a study's folder."""


class StudyProgress(Part):
    """Where a study stands."""

    study: str
    """Name of the study."""
    state: Literal["searching", "judging", "done"]
    """What it is at: the search, the verdict, or nothing more."""
    batch: str
    """The batch that was done last."""
    trials: int
    """Trials of the search so far."""
    budget: int
    """Trials of the search at most, by its budget and its stages."""
    judged: int
    """Trials of this verdict so far."""
    verdict: int
    """Trials of a verdict."""
    found_by: str = ""
    """What found the best so far."""
    value: float | None = None
    """Value of the best so far on the validation seeds; None: it has none."""
    share: float = 0.0
    """Share of them that succeeds."""
    seconds: float = 0.0
    """Processor time of all trials of the search [s]."""
    seconds_judging: float = 0.0
    """Processor time of all trials of verdicts [s]."""
    since: float
    """When the process that runs it had made nothing of it yet: seconds since 1970."""
    before: int
    """Trials, those of verdicts with them, that were there then."""
    last: float
    """When the batch was done: seconds since 1970."""

    @property
    def rate(self) -> float:
        """Trials per second of the process that runs it, or that ran it last; 0: it has made none, or nobody knows."""
        return pace(self.trials + self.judged - self.before, self.since, self.last)

    def write(self, folder: Path) -> None:
        """Write it into a study's folder.

        Raises:
            DocumentError: It cannot be written.
        """
        write_text(folder / PROGRESS, self.model_dump_json(indent=2) + "\n", follow=False)


def most_trials(study: Study) -> int:
    """Trials of a study's search at most, by its budget and its stages."""
    return min(study.budget.evaluations, most_of_stages(study.stages, study.seeds.validation.count))


class ProgressFile:
    """Keeps the file of a study that runs.

    Args:
        folder: The study's folder.
        study: The study.
        verdict: Trials of a verdict.
    """

    def __init__(self, folder: Path, study: Study, verdict: int) -> None:
        self._folder, self._study, self._verdict = folder, study, verdict
        self._since, self._before = time.time(), 0
        self._searched: int | None = None
        self._last: StudyProgress | None = None

    def at(
        self, batch: str, trials: int, seconds: tuple[float, float], leader: Leader | None, *, known: bool
    ) -> StudyProgress:
        """Where the study stands after a batch.

        Args:
            batch: Its key.
            trials: Trials so far, those of the verdict with them.
            seconds: Processor time of the search and of verdicts [s].
            leader: The best so far.
            known: Whether the journal had the batch.
        """
        now = time.time()
        if known:
            self._since, self._before = now, trials
        searched = trials if self._searched is None else self._searched
        self._last = StudyProgress(
            study=self._study.name,
            state="searching" if self._searched is None else "judging",
            batch=batch,
            trials=searched,
            budget=most_trials(self._study),
            judged=trials - searched,
            verdict=self._verdict,
            found_by="" if leader is None else leader.stage,
            value=leader.value if leader is not None and math.isfinite(leader.value) else None,
            share=0.0 if leader is None else leader.share,
            seconds=seconds[0],
            seconds_judging=seconds[1],
            since=self._since,
            before=self._before,
            last=now,
        )
        return self._last

    def judging(self, searched: int) -> None:
        """The verdict begins.

        Args:
            searched: Trials of the search.
        """
        self._searched = searched
        self._change("judging")

    def done(self) -> None:
        """All is written."""
        self._change("done")

    def _change(self, state: Literal["judging", "done"]) -> None:
        if self._last is not None:
            self._last = self._last.but(state=state)
            self._last.write(self._folder)


@budgeted(place="folder", error=SearchError)
def read_progress(folder: Path) -> StudyProgress | None:
    """What the file in a study's folder says; None: there is none, as before the first batch is done.

    Raises:
        SearchError: It cannot be read, or holds something else.
    """
    path = folder / PROGRESS
    if not path.is_file():
        return None
    try:
        return StudyProgress.model_validate(parse_json_data(read_text(path), str(path)))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise SearchError(f"does not say how far a study is: {where}: {first['msg']}", place=str(path)) from None
    except DocumentError as error:
        raise SearchError(str(error)) from error


class StudyLook(Part):
    """What a look at a study's folder tells, without taking anything from whoever works in it."""

    folder: Path
    """The folder."""
    runs: bool
    """Whether a process works in it."""
    progress: StudyProgress | None
    """How far it is; None: not a batch is done."""
    now: float
    """When it was looked at: seconds since 1970."""

    @property
    def left(self) -> float | None:
        """Time until the budget is used up, or the verdict is there, at the present rate [s]; None: unknown."""
        at = self.progress
        if at is None or at.rate <= 0.0 or at.state == "done":
            return None
        left = at.budget - at.trials if at.state == "searching" else at.verdict - at.judged
        return max(left, 0) / at.rate

    def lines(self) -> Iterator[str]:
        """It for people."""
        at = self.progress
        if at is None:
            yield f"{self.folder}: {'runs' if self.runs else 'does not run'}; not a batch is done yet"
            return
        done = "done" if at.state == "done" else "runs" if self.runs else "does not run: it was ended before its end"
        yield f"study {at.study}: {done}"
        yield f"{at.trials} of at most {at.budget} trials, last batch {at.batch}, {ago_words(self.now - at.last)} ago"
        value = "without a value" if at.value is None else f"{at.value:.3f}"
        yield f"best so far {value}, {at.share:.0%} of validation, found by stage {at.found_by}"
        time_ = f"{at.seconds:.0f} s of processor time, {at.seconds_judging:.0f} s of verdicts"
        yield f"{time_}; {at.rate:.2g} trials per s" if at.rate > 0.0 else time_
        left = "" if self.left is None else f", {ago_words(self.left)} at this rate"
        if at.state == "searching":
            yield f"next: at most {max(at.budget - at.trials, 0)} trials{left}; then the verdict, {at.verdict} trials"
        elif at.state == "judging":
            yield f"next: the verdict, {at.judged} of {at.verdict} trials are made{left}"
        if not self.runs and at.state != "done":
            yield "go on with --resume, or judge the best so far with --judge"


def look(folder: Path) -> StudyLook:
    """Look at a study's folder; nothing is written, and no process that works in it is held up.

    Raises:
        SearchError: There is no study in it, or its file cannot be read.
    """
    if not (folder / JOURNAL).is_file() and not (folder / PROGRESS).is_file():
        raise SearchError("holds no study", place=str(folder), remedy="name the folder of one, or give --out")
    return StudyLook(folder=folder, runs=held(folder), progress=read_progress(folder), now=time.time())
