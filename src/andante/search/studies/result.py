"""What comes of a study: the best, the verdict on it, how the search went."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from andante.search.rows import Row
from andante.search.studies.asking import Leader
from andante.search.studies.document import Study
from andante.search.studies.solving import SearchCourse
from andante.search.studies.verdict import StudyVerdict
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
            "lost trials": self.course.lost,
            "why lost": self.course.why_lost,
            "rows": [asdict(row) for row in self.rows],
            "leaders": [(trials, _told(value), share, stage) for trials, value, share, stage in self.course.leaders],
            "generations": self.course.generations,
            "archive": self.course.archive,
            "verdict": self.verdict.data(),
        }


def _told(value: float) -> float | None:
    """A value for JSON; None: the candidate has none, as one of its trials could not be run."""
    return value if math.isfinite(value) else None
