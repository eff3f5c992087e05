"""Marginal sets: seeds are drawn in order until as many trials fail as pass, and judges get these alone."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.runs.task import scenario_of
from andante.search.errors import SearchError
from andante.search.experiment.trial import TrialResult
from andante.search.judging.judges import judges_named
from andante.search.judging.judging import scenario_experiment, with_judges
from andante.search.judging.marginal import marginal_set


@pytest.fixture(scope="module")
def judged():
    experiment = scenario_experiment(scenario_of("nao/wave", report=False), 4)
    return with_judges(experiment, judges_named("soft,drake"))


def drawing(good):
    """Makes trials that pass where ``good`` says so, and counts them."""
    made: list[int] = []

    def make(cases):
        found: dict[str, list[TrialResult]] = {}
        for case in cases:
            made.append(case.seed)
            found.setdefault(case.group, []).append(
                TrialResult(case.seed, good(case.seed), (), {"passed": good(case.seed)})
            )
        return found

    return make, made


def test_half_of_the_trials_pass_and_half_fail_in_the_order_of_the_seeds(judged):
    make, made = drawing(lambda seed: seed % 5 == 0)
    found = marginal_set(judged, 4, 100, make)
    assert (found.passed, found.failed) == (2, 2)
    assert {case.seed for case in found.cases} == {100, 101, 102, 105}
    assert [case.group for case in found.cases] == ["asked"] * 4 + ["soft"] * 4 + ["drake"] * 4
    assert (found.drawn, found.drawn_passed, found.last_seed) == (6, 2, 105)
    assert made == list(range(100, 108))
    assert "2 that pass and 2 that fail as asked, of 6 drawn (2 passed), up to seed 105" in str(found)


def test_an_odd_number_has_one_more_that_passes(judged):
    make, _ = drawing(lambda seed: seed % 2 == 0)
    found = marginal_set(judged, 5, 0, make)
    assert (found.passed, found.failed) == (3, 2)


def test_worlds_that_nearly_all_pass_are_given_up_with_what_was_found(judged):
    make, made = drawing(lambda seed: True)
    with pytest.raises(SearchError, match=r"80 of 80 passed.*1 that pass and 1 that fail.*world\.friction"):
        marginal_set(judged, 2, 0, make)
    assert len(made) == 80


def test_one_pair_is_no_marginal_set(judged):
    make, _ = drawing(lambda seed: True)
    with pytest.raises(SearchError, match="--seeds"):
        marginal_set(judged, 1, 0, make)


def test_the_command_refuses_it_before_anything_runs():
    done = CliRunner().invoke(app, ["judge", "nao/wave", "--in", "soft", "--seeds", "1", "--marginal"])
    assert done.exit_code == 2
    assert "a marginal set has both verdicts; got 1; at least 2" in done.output.replace("limit: ", "")
