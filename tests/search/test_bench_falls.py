"""Falls of a bench are counted by what came first in each, with a seed that shows it."""

from __future__ import annotations

import pytest

import andante
from andante.search.experiment.falls import fall_lines

PUSHED = """\
format: andante.experiment
version: 1
name: pushed
what: To which side does a NAO fall that is pushed aside?
play: {library: nao-basics, motions: [stand]}
set: {timeout: 2.0, success.finishes: false, success.fall.stop_after: 0.1}
axes:
  push:
    variants:
      none: {}
      left: {set: {"world.pushes": [{time: 0.2, duration: 0.05, impulse: [0, 9, 0]}]}}
figures:
  on its feet: {metric: fell, is: false}
  falls to the left: {metric: fall_cause, is: balance lost to the left, statistic: count}
seeds: {first: 5, count: 1}
"""


@pytest.fixture
def pushed(tmp_path):
    (tmp_path / "pushed.yaml").write_text(PUSHED, encoding="utf-8")
    return tmp_path / "pushed.yaml"


def test_falls_are_counted_by_what_came_first(pushed, tmp_path):
    report = andante.bench(pushed)
    assert report.about["falls"] == [{"label": "left", "cause": "balance lost to the left", "count": 1, "seed": 5}]
    assert {row.name: row.value for row in report.rows if "falls" in row.name} == {
        "none: falls to the left": 0.0,
        "left: falls to the left": 1.0,
    }
    assert "  left: balance lost to the left 1 (seed 5)" in str(report).splitlines()
    assert report.data()["falls"] == report.about["falls"]


@pytest.mark.slow
def test_who_stands_leaves_no_line(pushed):
    pushed.write_text(PUSHED.replace("[0, 9, 0]", "[0, 0.1, 0]"), encoding="utf-8")
    report = andante.bench(pushed)
    assert report.about["falls"] == []
    assert "what came first" not in str(report)


def test_causes_stand_in_order_of_their_number():
    falls = [
        {"label": "", "cause": "balance lost to the left", "count": 12, "seed": 3},
        {"label": "", "cause": "LHipRoll behind its command", "count": 5, "seed": 9},
    ]
    assert list(fall_lines(falls)) == [
        "falls, by what came first:",
        "  balance lost to the left 12 (seed 3); LHipRoll behind its command 5 (seed 9)",
    ]


def test_a_metric_below_a_cause_is_refused(pushed):
    pushed.write_text(PUSHED.replace("metric: fall_cause", "metric: fall_cause.side"), encoding="utf-8")
    with pytest.raises(andante.AndanteError, match="no trial has such a metric"):
        andante.bench(pushed)
