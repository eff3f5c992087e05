"""Studies as files: shipped ones by name, any other by path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from andante.documents.problems import DocumentError
from andante.documents.quantities import Units
from andante.documents.reader import load_document
from andante.documents.shipped import Shipped
from andante.robots.register import ROBOTS
from andante.runs.controls.kind import absolute
from andante.search.errors import SearchError
from andante.search.studies.document import Study

MOTION_UNITS = Units(angle="deg", time="ms", length="mm")
"""Units of a motion file that is new."""
JOURNAL = "journal.jsonl"
"""Name of a study's journal in its folder."""
_STUDIES = Shipped(Path(__file__).parent / "shipped", "study", SearchError, "a study is a file; see docs/optimise.md")


def load_study(name_or_path: str | Path, **overrides: Any) -> Study:
    """Read a study; the paths in it become absolute, so that it means the same everywhere.

    Args:
        name_or_path: A shipped name or a file.
        overrides: Fields that somebody asks for in place of the document's; None leaves it.

    Raises:
        SearchError: There is no such study, or it does not follow the schema.
    """
    path = _STUDIES.path(name_or_path)
    try:
        study = load_document(path, Study).anchored(path.parent)
    except DocumentError as error:
        raise SearchError(str(error)) from error
    given = {name: value for name, value in overrides.items() if value is not None}
    if isinstance(given.get("robot"), str):
        given["robot"] = absolute(given["robot"], Path(), ROBOTS)
    return study.model_copy(update=given) if given else study
