"""Ablations: the differences by hand, and that nothing is called shown that the interval does not show."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from andante.search.experiment.trial import TrialResult, run_trial
from andante.search.suites.getup import SUITE, GetUpOptions, get_up
from andante.search.suites.getup_tables import WITHOUT, ablation_text

N = 20
COUNTS = {"without waits": 6, "without balance": 17, "without branches": 20}
OPTIONS = GetUpOptions(ablate=True, start="back", seeds=N)


def first_tries(**counts):
    """Which of the seeds stood at the first try, by engine."""
    return {name: [True] * counts.get(name, 18) + [False] * (N - counts.get(name, 18)) for name in WITHOUT}


def report(**counts):
    results = {
        f"back, {engine}": [
            TrialResult(seed, ok, (), {"get-up": {"first_try": ok, "time": 3.0}}) for seed, ok in enumerate(own)
        ]
        for engine, own in first_tries(**counts).items()
    }
    return SUITE.report(OPTIONS, results)


def test_worth_is_the_difference_of_pairs():
    rows = {row.name: row for row in report(**COUNTS).rows}
    assert rows["back: everything"].value == 0.9
    assert rows["back: lost without waits"].value == pytest.approx(0.6)
    assert rows["back: lost without waits"].interval[0] > 0.0
    assert rows["back: lost without branches"].value == pytest.approx(-0.1)
    assert rows["back: lost without compensation"].value == 0.0


def test_only_an_interval_without_zero_counts_as_shown():
    def lines(**counts):
        own = first_tries(**counts)
        return ablation_text({"back": own}, {"back": {name: [3.0] * N for name in own}})

    told = {line.split("  ")[1].strip(): line for line in lines(**COUNTS)[1:]}
    assert told["without waits"].endswith("won 12, lost 0  shown to help")
    assert told["without balance"].endswith("won 1, lost 0  not shown")
    assert told["without branches"].endswith("not shown")
    assert lines(**{"everything": 6, "without waits": 18})[2].endswith("shown to harm")


def test_data_has_the_exact_test_and_every_seed():
    data = report(**COUNTS).data()
    part = data["cells"][0]["parts"]["without waits"]
    # Twelve pairs of twelve on one side: 2 * 2^-12.
    assert part["chance"] == pytest.approx(2.0**-11)
    assert len(data["cells"][0]["first_tries"]["everything"]) == N
    json.dumps(data, allow_nan=False)


@pytest.mark.slow
def test_conditions_are_run_with_and_without_a_stuck_joint():
    options = GetUpOptions(ablate=True, start="back", at=("back:back_rise[0]",), spread="none", first_seed=3, seeds=1)
    cases = SUITE.cases(options)
    conditions = ("back", "back: back_rise[0] locked 0.6 s")
    assert [case.group for case in cases] == [f"{each}, {variant}" for each in conditions for variant in WITHOUT]
    everything = [case for case in cases if case.group.endswith("everything")]
    short = [replace(case.setup, base=case.setup.base.but(timeout=6.0)) for case in everything]
    free, stuck = (get_up(setup, 3) for setup in short)
    assert free != stuck
    assert run_trial(short[0], 3).seed == 3
