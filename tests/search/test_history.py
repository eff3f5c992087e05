"""Which of several kept results of a bench is the last one."""

from __future__ import annotations

import os

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.search.errors import SearchError
from andante.search.history import found_bench, kept, refuse_unwritable


def test_results_of_one_second_are_in_the_order_in_which_they_were_written(tmp_path):
    """Names tell seconds and a digest, by which two quick benches stood in any order."""
    names = ("floors-20260102-030405-ffffff", "floors-20260102-030405-000000", "floors-20260102-030404-aaaaaa")
    for number, name in enumerate(names):
        path = tmp_path / f"{name}.json"
        path.write_text("{}")
        os.utime(path, ns=(0, 1000 * (number + 1)))
    assert [path.stem for path in kept(tmp_path)] == [names[2], names[0], names[1]]
    assert found_bench("last", tmp_path) == tmp_path / f"{names[1]}.json"


def test_a_place_where_nothing_can_be_kept_is_told_before_the_trials(tmp_path, monkeypatch):
    """All trials were made, and then they were lost."""
    (tmp_path / "file").write_text("mine")
    words = ["bench", "motion", "--library", "nao-basics", "--motion", "stand", "--seeds", "1"]
    done = CliRunner().invoke(app, [*words, "--save", "--history", str(tmp_path / "file" / "history")])
    assert done.exit_code == 2
    assert done.stderr == f"andante: {tmp_path}/file: is no folder, so nothing can be kept in it\n"
    refuse_unwritable(tmp_path / "new" / "history")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    # Root may write anywhere.
    monkeypatch.setattr(os, "access", lambda path, how: False)
    with pytest.raises(SearchError, match="cannot be written to, so nothing can be kept in it; name another"):
        refuse_unwritable(tmp_path / "new")
