"""Twins beside a bench: verdicts and figures in MuJoCo's other settings, from trials made by hand."""

from __future__ import annotations

import pytest
from pydantic_core import to_jsonable_python

from andante.search.errors import SearchError
from andante.search.experiment.trial import TrialResult
from andante.search.judging.beside import beside_twins
from andante.search.suite import read_options
from andante.search.suites.registry import load_suite

REACH = {"asked": (2.4, 2.6), "soft": (1.0, 2.5)}
"""How far the ball rolls by each judge and seed; by the others as far as asked."""


def kicked(way, seed):
    metrics = {
        "fell": False,
        "ball_reach": way,
        "passed": way > 2.0,
        "done_at": 2.0,
        "ball_direction": 0.0,
        "turn": 0.0,
    }
    return to_jsonable_python(TrialResult(seed, way > 2.0, (), metrics))


def test_verdicts_and_figures_of_the_twins_stand_beside_those_as_asked():
    suite = load_suite("kick")
    options = read_options(suite.options, {"seeds": 2, "first_seed": 0})
    found = {case.key: kicked(REACH["asked"][case.seed], case.seed) for case in suite.cases(options)}
    report = suite.report(options, suite.merged(suite.cases(options), found))
    made = []

    def make(cases):
        made.extend(cases)
        return {
            case.key: kicked(REACH.get(case.group.rpartition(", ")[2], REACH["asked"])[case.seed], case.seed)
            for case in cases
        }

    told = beside_twins(suite, options, report, found, make)
    assert len(made) == 10, "five twins and two seeds; those as asked are there already"
    (data,) = told.about["twins"]
    assert data["held"] == 1
    soft = next(each for each in data["judges"] if each["judge"] == "soft")
    assert (soft["pass here, fail there"], soft["both pass"]) == (1, 1)
    assert data["figures"]["right: distance, median"]["soft"] == pytest.approx(1.75)
    assert "  right: distance, median: 2.5 as asked, 1.75 to 2.5 there m" in told.text
    assert told.text[-1] == "  1 of 2 trials that passed hold in all of them, of 2 trials"
    assert told.rows == report.rows


def test_what_is_no_experiment_has_no_twins():
    suite = load_suite("openr")
    options = suite.options.model_construct()
    with pytest.raises(SearchError, match=r"--twins: only an experiment has twins; got 'openr'"):
        beside_twins(suite, options, None, {}, dict)


def test_trials_of_another_engine_have_no_twins():
    suite = load_suite("kick")
    options = read_options(suite.options, {"seeds": 1, "values": ("backend.type=drake",)})
    with pytest.raises(SearchError, match=r"only trials in MuJoCo have twins; got 'drake'"):
        beside_twins(suite, options, None, {}, dict)
