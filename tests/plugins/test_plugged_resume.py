"""An interrupted bench goes on with the packages that it began with."""

from __future__ import annotations

import json
from functools import partial

import pytest
from installed_packages import install

from andante.search.errors import SearchError
from andante.search.experiment.registry import EXPERIMENTS
from andante.search.experiment.suite import suite_of
from andante.search.journal import StudyJournal
from andante.search.suite import read_options

MOTION = suite_of(EXPERIMENTS["motion"])
about = partial(MOTION.about, read_options(MOTION.options, {"library": "nao", "motion": ("stand",)}))


def test_a_bench_does_not_go_on_with_another_plug_in(tmp_path, monkeypatch):
    """What ran with the old code and what with the new one stood in one table."""
    site = tmp_path / "site"
    site.mkdir()
    install(site, "andante_dice", "LOADED = 1", {"andante.observers": {"dice": "LOADED"}})
    monkeypatch.syspath_prepend(site)
    path = tmp_path / "dice.journal"
    journal = StudyJournal(path, about())
    journal.add("one", 1)
    journal.close()
    StudyJournal(path, about(), resume=True).close()
    (site / "andante_dice.py").write_text("LOADED = 2")
    with pytest.raises(SearchError, match=r"another bench, on plug-in andante_dice differs; got '1\.2 "):
        StudyJournal(path, about(), resume=True)
    # A journal of a version that did not tell them is gone on with.
    head, rest = path.read_bytes().split(b"\n", 1)
    told = {name: value for name, value in json.loads(head).items() if name != "on"}
    path.write_bytes(json.dumps(told).encode() + b"\n" + rest)
    assert StudyJournal(path, about(), resume=True).results == {"one": 1}
