"""Goals: a study of a few lines becomes a whole one, with a start that Andante draws from the robot itself."""

from __future__ import annotations

from pathlib import Path

from andante.search.errors import SearchError
from andante.search.studies.document import Study

GOALS = ("get-up",)
"""What a study may ask for in a word."""


def completed(study: Study, folder: Path) -> Study:
    """A study in full: where it has a goal, what the goal says, overruled by what the study itself says.

    Args:
        study: What is asked.
        folder: Where the start's motion file is written.

    Raises:
        SearchError: There is no such goal, or the robot cannot do it.
    """
    if study.goal is None:
        return study
    word = study.goal.split()[0] if study.goal.split() else ""
    if word not in GOALS:
        raise SearchError("there is no such goal", place="goal", value=study.goal, legal=GOALS)
    from andante.search.studies.get_up import get_up_study

    return get_up_study(study, folder)
