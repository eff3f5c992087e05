"""A run parses its motion library once; a changed file is read again."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.runs.evaluation.metrics import _least_within
from andante.runs.execute import run_scenario
from andante.runs.motion_libraries import _parsed, library_path, load_motions
from andante.runs.task import scenario_of


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that are parsed from now on."""
    from andante.formats import andante

    read, found = andante.load_library, []
    monkeypatch.setattr(
        andante, "load_library", lambda path, *rest, **named: (found.append(path), read(path, *rest, **named))[1]
    )
    _parsed.cache_clear()
    yield found
    _parsed.cache_clear()


@pytest.mark.slow
def test_a_whole_run_parses_its_library_once(parsed, tmp_path):
    scenario = scenario_of("nao/wave")
    assert run_scenario(scenario, tmp_path / "run").passed
    assert len(parsed) == 1


def test_a_file_that_changed_is_read_again_even_where_size_and_time_are_the_same(parsed, tmp_path):
    file = tmp_path / "mine.yaml"
    text = library_path("nao").read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    times = (file.stat().st_atime_ns, file.stat().st_mtime_ns)
    first = load_motions(str(file))
    assert load_motions(str(file)) is first
    file.write_text(text.replace("wave:", "evaw:"), encoding="utf-8")
    os.utime(file, ns=times)
    again = load_motions(str(file))
    assert "evaw" in again.motions
    assert "evaw" not in first.motions
    assert len(parsed) == 2


@given(st.integers(1, 40), st.integers(0, 30), st.integers(0, 2**32 - 1))
def test_the_least_of_each_window_is_that_of_its_rows(span, more, seed):
    values = np.random.default_rng(seed).integers(0, 50, (span + more, 2)).astype(float)
    windows = np.array([values[row : row + span].min(axis=0) for row in range(more + 1)])
    assert np.array_equal(_least_within(values, span), windows)
