"""Untouched seeds for a study that begins with what an earlier one found: no seed gives two verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from andante.documents.files import read_head
from andante.documents.json_data import parse_json_data
from andante.documents.problems import DocumentError
from andante.search.studies.document import SeedRange, Study, StudySeeds
from andante.search.studies.files import JOURNAL

_HEAD = 1_000_000
"""Longest first line of a journal that is looked at [bytes]."""
_MOST = 100
"""Studies that are followed back, one beginning with what the other found."""


def with_untouched_seeds(study: Study, asked: Study, *, moved: bool, going_on: Path | None = None) -> tuple[Study, str]:
    """A study whose verdict has seeds that no study before it has used, and what is to be told.

    Whoever goes on from a study's ``best.yaml`` has seen its verdict, and goes on because of it. Seeds and library that
    a document names together stay as they are, and that is told.

    Args:
        study: The study in full.
        asked: The study as it was asked for.
        moved: Whether the library takes the place of the document's.
        going_on: Folder of the study where it is one that goes on: with the seeds that it began with, whatever has
            become of the study before it.
    """
    if asked.library is None:
        return study, ""
    kept = not moved and "seeds" in asked.model_fields_set and "verdict" in asked.seeds.model_fields_set
    begun = None if going_on is None or kept else _seeds_of(going_on)
    if begun is not None:
        return study.model_copy(update={"seeds": study.seeds.model_copy(update={"verdict": begun.verdict})}), ""
    seeds, used = study.seeds, [(folder, *_all(each)) for folder, each in _earlier(Path(asked.library))]
    met = [(folder, each) for folder, *ranges in used for each in ranges if each.meets(seeds.verdict)]
    if not met:
        return study, ""
    folder, first = met[0]
    if kept:
        what = f"note: seeds of the verdict ({_told(seeds.verdict)}) are not untouched: {folder} used {_told(first)}"
        return study, f"{what}; other ones by seeds.verdict.first"
    others = [*_all(seeds)[:2], *(each for _, *ranges in used for each in ranges)]
    begin = max(each.first + each.count for each in others)
    verdict = SeedRange(first=begin, count=seeds.verdict.count)
    fresh = StudySeeds(training=seeds.training, validation=seeds.validation, verdict=verdict)
    what = f"note: the verdict is on seeds {_told(verdict)}, since {folder} used {_told(first)}"
    return study.model_copy(update={"seeds": fresh}), what


def _all(seeds: StudySeeds) -> tuple[SeedRange, SeedRange, SeedRange]:
    return seeds.training, seeds.validation, seeds.verdict


def _told(seeds: SeedRange) -> str:
    return f"{seeds.first} to {seeds.all[-1]}"


def _earlier(library: Path) -> Iterator[tuple[str, StudySeeds]]:
    """Folder and seeds of the study that found a motion file, of the study that this one began with, and so on."""
    for _ in range(_MOST):
        folder = library.parent
        seeds = _seeds_of(folder)
        if seeds is None:
            return
        yield str(folder), seeds
        before = _begun(folder).get("library")
        # A goal's start lies in the study's own folder.
        if not isinstance(before, str) or Path(before).resolve().parent == folder.resolve():
            return
        library = Path(before)


def _seeds_of(folder: Path) -> StudySeeds | None:
    """Seeds of the study of a folder; None: there is none."""
    try:
        return StudySeeds.model_validate(_begun(folder)["seeds"])
    except (KeyError, ValidationError):
        return None


def _begun(folder: Path) -> dict[str, Any]:
    """The study of a folder as its journal has it; empty where a motion file lies beside no journal of a study."""
    try:
        head = read_head(folder / JOURNAL, _HEAD).splitlines()[0].decode()
        study = parse_json_data(head, str(folder / JOURNAL))["study"]
    except (DocumentError, IndexError, KeyError, TypeError, ValueError):
        return {}
    return study if isinstance(study, dict) else {}
