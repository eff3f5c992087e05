"""What a bench's report says of itself: a table in a terminal and a notebook, not every trial."""

from __future__ import annotations

import pytest

from andante.search.rows import Row
from andante.search.suite import BenchReport

REPORT = BenchReport(
    "throws",
    [Row("low: passed", 0.5, "share", ">= 0.9", False, 4, (0.15, 0.85)), Row("low: time", 1.25, "s", "", None, 4)],
    {
        "cells": [{"trials": [{"seed": each, "metrics": {"energy": 1.0}} for each in range(4)]}],
        "failures": [{"seed": 3, "reasons": ["fell <early>"]}],
    },
)


def test_a_report_is_printed_as_the_command_prints_it():
    lines = str(REPORT).splitlines()
    assert lines[0].startswith("low: passed ")
    assert lines[0].endswith("0.5 share  n=4  [0.150, 0.850]  asked >= 0.9: MISSED")
    assert lines[2:] == ["All results in simulation.", "seed 3: fell <early>"]
    assert repr(REPORT) == "<BenchReport throws: 2 figures; missed: low: passed>"
    assert "energy" not in str(REPORT) + repr(REPORT)
    assert "fell &lt;early&gt;" in REPORT._repr_html_()


def test_figures_are_a_table_for_a_paper():
    pytest.importorskip("pandas")
    table = REPORT.frame()
    assert list(table.index) == ["low: passed", "low: time"]
    assert tuple(table.loc["low: passed", ["value", "low", "high"]]) == (0.5, 0.15, 0.85)
    assert table["low"].isna().tolist() == [False, True]
