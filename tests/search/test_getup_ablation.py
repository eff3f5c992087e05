"""Ablations: the differences by hand, and that nothing is called shown that the interval does not show."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from andante.search.suites.getup_ablation import (
    WITHOUT,
    Ablation,
    ablation_cases,
    ablation_report,
    ablation_rows,
    ablation_text,
)
from andante.search.suites.getup_options import GetUpOptions
from andante.search.suites.getup_trial import GetUp, run_trial


def trials(stood):
    return tuple(
        GetUp(
            seed=seed,
            stood=ok,
            tries=1,
            time=3.0,
            motions=(),
            stops=(),
            restarts=0,
            needless=None,
            torque=0.0,
            saturated=0.0,
            speed=0.0,
            touching=0.0,
            hardest=0.0,
        )
        for seed, ok in enumerate(stood)
    )


def ablation(**counts):
    n = 20
    return Ablation(
        "back",
        None,
        {name: trials([True] * counts.get(name, 18) + [False] * (n - counts.get(name, 18))) for name in WITHOUT},
    )


FOUND = ablation(**{"without waits": 6, "without balance": 17, "without branches": 20})


def test_worth_is_the_difference_of_pairs():
    rows = {row.name: row for row in ablation_rows([FOUND])}
    assert rows["back: everything"].value == 0.9
    assert rows["back: lost without waits"].value == pytest.approx(0.6)
    assert rows["back: lost without waits"].interval[0] > 0.0
    assert rows["back: lost without branches"].value == pytest.approx(-0.1)
    assert rows["back: lost without compensation"].value == 0.0


def test_only_an_interval_without_zero_counts_as_shown():
    lines = {line.split("  ")[1].strip(): line for line in ablation_text([FOUND])[1:]}
    assert lines["without waits"].endswith("won 12, lost 0  shown to help")
    assert lines["without balance"].endswith("won 1, lost 0  not shown")
    assert lines["without branches"].endswith("not shown")
    turned = ablation(**{"everything": 6, "without waits": 18})
    assert ablation_text([turned])[2].endswith("shown to harm")


def test_data_has_the_exact_test_and_every_seed():
    results = {f"back, {variant}": trials for variant, trials in FOUND.trials.items()}
    data = ablation_report(GetUpOptions(ablate=True, start="back", seeds=20), results).data()
    part = data["cells"][0]["parts"]["without waits"]
    # Twelve pairs of twelve on one side: 2 * 2^-12.
    assert part["chance"] == pytest.approx(2.0**-11)
    assert len(data["cells"][0]["first_tries"]["everything"]) == 20
    json.dumps(data, allow_nan=False)


def test_conditions_are_run_with_and_without_a_stuck_joint():
    options = GetUpOptions(ablate=True, start="back", at=("back:back_rise[0]",), spread="none", first_seed=3, seeds=1)
    cases = ablation_cases(options)
    conditions = ("back", "back: back_rise[0] locked 0.6 s")
    assert [case.group for case in cases] == [f"{each}, {variant}" for each in conditions for variant in WITHOUT]
    everything = [case for case in cases if case.group.endswith("everything")]
    free, stuck = (run_trial(replace(case.setup, time_limit=6.0), case.seed) for case in everything)
    assert free.seed == stuck.seed == 3
    assert free != stuck
