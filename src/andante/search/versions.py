"""Two versions compared: trials that were kept, or trials that are made now, paired by their conditions and seeds.

A comparison of trials that are made now may end early: after a quarter, a half and all of its seeds it is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic_core import to_jsonable_python

from andante.search.comparison import LEVEL, BenchComparison, chosen, compared, paired
from andante.search.errors import SearchError, refuse_another
from andante.search.executor import Executor
from andante.search.history import SavedBench
from andante.search.journal import StudyJournal
from andante.search.suite import Options, Suite
from andante.search.suites.registry import load_suite

Pairs = dict[str, list[tuple[int, Any, Any]]]
_LOOKS = ((0.25, 0.1), (0.5, 0.2), (1.0, 0.7))
"""Share of the seeds at each look, and share of the level that is spent on it."""
LEAST = 20
"""A look before so many seeds would decide nothing that is worth knowing."""


def compare_kept(
    first: SavedBench,
    second: SavedBench,
    only: Sequence[str] = (),
    level: float = LEVEL,
    suite: Suite[Any, Any, Any] | None = None,
) -> tuple[BenchComparison, Pairs]:
    """Compare two results that were kept, on the seeds that both have.

    Args:
        first: The first.
        second: The second.
        only: Names of the measures to compare by; empty: all.
        level: Probability of a wrong verdict.
        suite: What made them, where that is an experiment without a name; None: the suite of the name that they tell.

    Raises:
        SearchError: They are of different suites or conditions, have no seed in common, or do not fit the suite.
    """
    if first.suite != second.suite:
        raise SearchError("results of different suites cannot be compared", value=(first.suite, second.suite))
    suite = load_suite(first.suite) if suite is None else suite
    _same_conditions(suite, *(_whole(suite, bench.options) for bench in (first, second)))
    kept = [[(each.group, each.seed, each.result) for each in bench.trials] for bench in (first, second)]
    pairs = paired(*(_by_seed(suite, trials) for trials in kept))
    return compared(chosen(suite.measures, only), pairs, level), pairs


def compare_now(
    suite: Suite[Any, Any, Any],
    first: Options,
    second: Options,
    executor: Executor,
    *,
    only: Sequence[str] = (),
    level: float = LEVEL,
    early: bool = False,
    journal: StudyJournal | None = None,
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[BenchComparison, Pairs]:
    """Make the trials of both versions and compare them.

    Args:
        suite: What makes the trials.
        first: What the first version is asked.
        second: What the second is asked; groups and seeds must be the same.
        executor: What runs the trials.
        only: Names of the measures to compare by; empty: all.
        level: Probability of a wrong verdict.
        early: Look after a quarter and a half of the seeds, and end where the second version is worse by then.
        journal: Keeps results as they come; what it holds is not run again.
        tell: Is told how many trials are done, of how many.

    Raises:
        AndanteError: Something cannot be run or compared as asked.
    """
    measures = chosen(suite.measures, only)
    if not measures:
        raise SearchError("trials of this suite cannot be compared: it names no measure", value=suite.name)
    _same_conditions(suite, first.model_dump(mode="json"), second.model_dump(mode="json"))
    sides = [suite.cases(first), suite.cases(second)]
    places = [{(case.group, case.seed) for case in cases} for cases in sides]
    if places[0] != places[1]:
        raise SearchError("the two versions have other conditions or seeds", value=sorted(places[0] ^ places[1])[0])
    seeds = list(dict.fromkeys(case.seed for case in sides[0]))
    total = len({case.key for cases in sides for case in cases})
    found: dict[str, Any] = {}
    for count, spent in stages(len(seeds), level, early=early):
        wanted = set(seeds[:count])
        now = [[case for case in cases if case.seed in wanted] for cases in sides]
        # Who looks into the journal, or reads of a trial that failed, has to know of which version it is.
        new = [
            replace(case, group=f"{side}: {case.group}".removesuffix(": "))
            for side, cases in zip(("first", "second"), now, strict=True)
            for case in cases
            if case.key not in found
        ]
        done = len(found)
        found |= suite.made(new, executor, journal, lambda more, _, done=done: tell(done + more, total))  # type: ignore[misc]
        made = [[(case.group, case.seed, found[case.key]) for case in cases] for cases in now]
        pairs = paired(*(_by_seed(suite, trials) for trials in made))
        comparison = compared(measures, pairs, spent)
        if comparison.outcome == "worse":
            break
    return comparison, pairs


def stages(seeds: int, level: float, *, early: bool) -> list[tuple[int, float]]:
    """Number of seeds made at each look, and the level at which a difference counts there.

    The levels of all looks add up to ``level``, so that the probability of a wrong verdict at any of them is at most
    that, however the looks depend on each other (Bonferroni). Most is kept for the last one, which loses little power.

    Args:
        seeds: Number of seeds, at least 1.
        level: Probability of a wrong verdict in all.
        early: Whether there is more than the last look.
    """
    looks = [(math.ceil(share * seeds), spent) for share, spent in _LOOKS]
    # What a look that is left out would spend is spent by the last.
    kept = [(count, level * spent) for count, spent in looks[:-1] if early and LEAST <= count < seeds]
    return [*kept, (seeds, level - sum(spent for _, spent in kept))]


def _same_conditions(suite: Suite[Any, Any, Any], first: Mapping[str, Any], second: Mapping[str, Any]) -> None:
    what = "the two were made under other conditions, {} differs: no pairs"
    refuse_another(what, second, first, suite.options.conditions)


def _whole(suite: Suite[Any, Any, Any], options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Options with those that a result does not tell at what they are where nobody gives them."""
    fields = suite.options.model_fields
    usual = {name: field.get_default() for name, field in fields.items() if not field.is_required()}
    plain: Mapping[str, Any] = to_jsonable_python({**usual, **options})
    return plain


def _by_seed(suite: Suite[Any, Any, Any], trials: Iterable[tuple[str, int, Any]]) -> dict[str, dict[int, Any]]:
    """Results by group and seed, from these and plain data."""
    groups: dict[str, dict[int, Any]] = {}
    for group, seed, data in trials:
        groups.setdefault(group, {})[seed] = suite.read(data)
    return groups
