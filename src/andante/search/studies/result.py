"""What comes of a study: the best, the verdict on it, how the search went."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from andante.search.rows import Row
from andante.search.studies.asking import Leader
from andante.search.studies.document import Study
from andante.search.studies.progress import most_trials
from andante.search.studies.under_way import SearchCourse
from andante.search.studies.verdict import EarlierVerdict, StudyVerdict
from andante.version import __version__


@dataclass(frozen=True)
class StudyResult:
    """What came of a study."""

    study: Study
    """What was asked, in full."""
    folder: Path
    """Where everything was written."""
    leader: Leader
    """The best."""
    verdict: StudyVerdict
    """What became of it on untouched seeds."""
    course: SearchCourse
    """How the search went."""
    trials: int
    """Trials in all."""
    seconds: float
    """Processor time of all trials [s]; no part of the file, as it differs from time to time."""
    early: int | None = None
    """Trials of a search that was ended by hand before its end; None: it had come to its end."""
    earlier: tuple[EarlierVerdict, ...] = ()
    """Verdicts on the same seeds after which the search went on."""
    given: tuple[str, ...] = ()
    """Paths of what was searched and is no part of what moves the robot; see `Space.given`."""

    @property
    def notes(self) -> list[str]:
        """What a reader of the table must know."""
        found, course = [], self.course
        if self.early is not None:
            most = most_trials(self.study)
            how = f"the search was ended by hand after {self.early} of at most {most} trials"
            found.append(f"{how}; the verdict is on the best until then")
        if self.earlier:
            told = ", ".join(f"after {each.trials} trials ({each.share:.0%})" for each in self.earlier)
            what = f"the verdict's seeds are not untouched: they were judged by before, {told}, and the search went on"
            found.append(f"{what}; it did not see them, whoever let it go on did")
        if course.lost:
            found.append(f"{course.lost} trials could not be run: {course.why_lost}")
        found += self.verdict.broken(self.study)
        if self.given:
            found.append(given_told(self.given))
        if course.compared and not course.differed:
            found.append("all candidates came to the same numbers: what was searched changes nothing that counts")
        return found

    @property
    def rows(self) -> list[Row]:
        """The table."""
        return self.verdict.rows(self.study)

    def data(self) -> dict[str, Any]:
        """Plain data for JSON; the same bytes for the same study."""
        return {
            "study": self.study.name,
            "andante": __version__,
            "found by": self.leader.stage,
            "validation": {"value": _told(self.leader.value), "success": self.leader.share},
            "point": list(self.leader.point),
            "trials": self.trials,
            "ended by hand after": self.early,
            "earlier verdicts": [asdict(each) for each in self.earlier],
            "lost trials": self.course.lost,
            "why lost": self.course.why_lost,
            "notes": self.notes,
            "rows": [asdict(row) for row in self.rows],
            "leaders": [(trials, _told(value), share, stage) for trials, value, share, stage in self.course.leaders],
            "generations": self.course.generations,
            "archive": self.course.archive,
            "verdict": self.verdict.data(),
        }


def given_told(paths: Sequence[str]) -> str:
    """What is to be said where a world is searched beside, or in place of, a motion."""
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    return (
        f"{', '.join(paths[:3])}{more}: of the world, the robot or the guard, not of what moves the robot; the result"
        " is for a world that the search chose"
    )


def _told(value: float) -> float | None:
    """A value for JSON; None: the candidate has none, as one of its trials could not be run."""
    return value if math.isfinite(value) else None
