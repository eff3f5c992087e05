"""The page on benches: its experiment is short, and it names what an experiment has; `test_pages_run` runs it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from andante.search.experiment.document import Experiment
from andante.search.experiment.figures import STATISTICS
from andante.search.experiment.registry import load_experiment

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "benches.md").read_text(encoding="utf-8")
FENCES = re.findall(r"^```(\w+)(?: title=\"(\S+)\")?\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def floors(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for kind, name, text in FENCES:
        if kind == "yaml":
            Path(name).write_text(text, encoding="utf-8")
    return Path("floors.yaml")


def test_the_experiment_is_short(floors):
    assert len(floors.read_text(encoding="utf-8").splitlines()) <= 15
    assert load_experiment(floors).name == "floors"


def test_the_page_names_what_an_experiment_has():
    for name in ("scenario", "play", "walk", "quadruped", *STATISTICS, "share", "count", "ratio", "lost"):
        assert f"`{name}`" in PAGE or f"`statistic: {name}`" in PAGE, name
    unnamed = {"format", "version", "name", "what", "note", "stream", "seeds"}
    assert all(f"`{name}" in PAGE for name in set(Experiment.model_fields) - unnamed)
