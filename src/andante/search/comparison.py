"""Comparison of two versions on the same seeds: differences with intervals, and one verdict.

Trials are paired by group and seed. Each measure of each group is one question; Holm's correction holds the
probability that any of them is answered wrongly by chance to the level. Differences that matter to nobody
(`Measure.least`) do not count, however sure they are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from andante.search.errors import SearchError
from andante.search.measure import Measure
from andante.search.statistics import (
    holm,
    paired_difference,
    quantile,
    shift,
    sign_test,
    signed_rank,
    won_and_lost,
)

_COMPARE = "say in the experiment by what: compare: {tilt: {metric: max_tilt, unit: rad, better: less}}"
"""What an experiment of somebody's own lacks."""

LEVEL = 0.02
"""Probability of any verdict but "no difference" where there is none: half of it says "worse"."""
Outcome = Literal["worse", "better", "no difference", "undecided"]
"""What a difference, or all of them together, say of the second version; undecided: too few pairs to tell any."""
Paired = Mapping[str, Sequence[tuple[int, Any, Any]]]
"""Seed, first and second version's result of each pair, by group."""


TOO_FEW = "too few pairs for an interval"
"""What is said where a difference has none."""


def chosen(measures: Sequence[Measure], names: Sequence[str]) -> list[Measure]:
    """The measures of these names, in their own order; all where no name is given.

    Raises:
        SearchError: There is no measure of a name.
    """
    known = {measure.name: measure for measure in measures}
    for name in names:
        if name not in known:
            raise SearchError("there is no such measure", place="--only", value=name, legal=known)
    return [measure for measure in measures if not names or measure.name in names]


@dataclass(frozen=True)
class Difference:
    """One measure of one group in both versions."""

    group: str
    """Which trials."""
    measure: str
    """What was measured."""
    unit: str
    """Its unit."""
    better: Literal["more", "less"]
    """Which is better."""
    least: float
    """Smallest difference that matters."""
    n: int
    """Pairs in which both versions tell it."""
    first: float | None
    """Success rate or median of the first version in these pairs; None without pairs."""
    second: float | None
    """Of the second."""
    size: float | None
    """Typical difference of a pair, second minus first; of successes that of the rates."""
    interval: tuple[float, float] | None
    """Its 95 % interval; None where there are too few pairs for one."""
    chance: float
    """Probability, corrected for the number of questions, of a difference as large where there is none."""
    outcome: Outcome
    """What it says."""


@dataclass(frozen=True)
class BenchComparison:
    """Two versions on the same seeds."""

    differences: Sequence[Difference]
    """By group and measure."""
    outcome: Outcome
    """The verdict on the second version."""
    why: str
    """In a sentence."""
    pairs: int
    """Pairs of trials, all groups together."""
    level: float
    """Probability of a wrong verdict where there is no difference."""

    def data(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def paired(
    first: Mapping[str, Mapping[int, Any]], second: Mapping[str, Mapping[int, Any]]
) -> dict[str, list[tuple[int, Any, Any]]]:
    """Pairs of results by group and seed, seeds in order; trials that only one version has are left out.

    Raises:
        SearchError: No trial of the same group and seed.
    """
    pairs = {
        group: [(seed, trials[seed], second[group][seed]) for seed in sorted(set(trials) & set(second[group]))]
        for group, trials in first.items()
        if group in second
    }
    pairs = {group: found for group, found in pairs.items() if found}
    if not pairs:
        raise SearchError("no trial of the one has the same conditions and seed as one of the other")
    return pairs


def compared(measures: Sequence[Measure], pairs: Paired, level: float = LEVEL) -> BenchComparison:
    """The differences of all pairs, and the verdict.

    A success rate that differs decides: fewer successes are worse, more are better. Where none differs, the second
    version is worse if any number is worse, else better if any is better.

    Args:
        measures: What is compared.
        pairs: The trials.
        level: Probability of a verdict where there is no difference, 0..1.

    Raises:
        SearchError: Nothing to compare by.
    """
    if not measures:
        raise SearchError("results of this suite cannot be compared: it names no measure", remedy=_COMPARE)
    questions = [(group, measure) for group in pairs for measure in measures]
    found = [_difference(group, measure, pairs[group]) for group, measure in questions]
    differences = []
    for (difference, worsens), chance in zip(found, holm([each.chance for each, _ in found]), strict=True):
        sure: Outcome = "no difference" if chance > level else "worse" if worsens else "better"
        differences.append(replace(difference, chance=chance, outcome=sure))
    outcome, why = _verdict(measures, differences)
    if outcome == "no difference" and (few := _too_few(differences, level)):
        # Trials that are the same to the last digit are so with any number of them.
        alike = all(_alike(measure, pairs[group]) for group, measure in questions)
        outcome, why = ("no difference", "every figure of every pair is the same") if alike else ("undecided", few)
    return BenchComparison(differences, outcome, why, sum(len(each) for each in pairs.values()), level)


def _difference(group: str, measure: Measure, pairs: Sequence[tuple[int, Any, Any]]) -> tuple[Difference, bool]:
    """The difference before correction, and whether it points to the worse."""
    both = [(measure.value(first), measure.value(second)) for _, first, second in pairs]
    told = [(first, second) for first, second in both if first is not None and second is not None]
    n = len(told)
    head = (group, measure.name, measure.unit, measure.better, measure.least, n)
    if not n:
        return Difference(*head, None, None, None, None, 1.0, "no difference"), False
    if measure.succeeds:
        ones, others = [bool(first) for first, _ in told], [bool(second) for _, second in told]
        lost, won = won_and_lost(ones, others)
        interval: tuple[float, float] | None
        size, interval = paired_difference(others, ones)
        worse, better = sign_test(lost, won), sign_test(won, lost)
        middles = sum(ones) / n, sum(others) / n
    else:
        rises = [float(second) - float(first) for first, second in told]
        size, interval = shift(rises)
        sign = 1.0 if measure.better == "less" else -1.0
        worse = signed_rank([sign * each - measure.least for each in rises])
        better = signed_rank([-sign * each - measure.least for each in rises])
        middles = quantile([float(each) for each, _ in told], 0.5), quantile([float(each) for _, each in told], 0.5)
    chance = min(1.0, 2.0 * min(worse, better))
    return Difference(*head, *middles, size, interval, chance, "no difference"), worse < better


def _verdict(measures: Sequence[Measure], differences: Sequence[Difference]) -> tuple[Outcome, str]:
    successes = {measure.name for measure in measures if measure.succeeds}
    deciding = [each for each in differences if each.measure in successes]
    numbers = [each for each in differences if each.measure not in successes]
    for some in (deciding, numbers):
        for outcome in ("worse", "better"):
            if any(each.outcome == outcome for each in some):
                told = [each for each in differences if each.outcome == outcome]
                against = [each for each in differences if each.outcome not in (outcome, "no difference")]
                why = f"{outcome} in {'; '.join(described(each) for each in told)}"
                if against:
                    opposite = "better" if outcome == "worse" else "worse"
                    why += f". But {opposite} in {'; '.join(described(each) for each in against)}"
                return outcome, why
    return "no difference", "nothing differs by more than chance and the least that matters would explain"


def _alike(measure: Measure, pairs: Sequence[tuple[int, Any, Any]]) -> bool:
    """Whether both of each pair have the same figure."""
    return all(measure.value(one) == measure.value(other) for _, one, other in pairs)


def _too_few(differences: Sequence[Difference], level: float) -> str:
    """Why no difference could have been told, however large; empty where one could.

    Where every one of n pairs points one way, both tests give a chance of 2^(1 - n), and Holm multiplies the smallest
    with the number of questions.
    """
    most, questions = max(each.n for each in differences), len(differences)
    if questions * 2.0 ** (1 - most) <= level:
        return ""
    enough = 1 + math.ceil(math.log2(questions / level))
    asked = f"{questions} questions at a level of {level:.2g}" if questions > 1 else f"a level of {level:.2g}"
    return (
        f"so few pairs ({most}) tell no difference, however large; {asked} need{'' if questions > 1 else 's'} {enough}"
    )


def described(difference: Difference) -> str:
    """A difference in words, with its size and interval."""
    name = f"{difference.group}: {difference.measure}" if difference.group else difference.measure
    if difference.size is None:
        return f"{name}: no pair tells it"
    if difference.interval is None:
        return f"{name} {difference.size:+.3g} {difference.unit}, {TOO_FEW}"
    low, high = difference.interval
    if difference.unit:
        return f"{name} {difference.size:+.3g} {difference.unit} [{low:+.3g}, {high:+.3g}]"
    return f"{name} {100 * difference.size:+.1f} points [{100 * low:+.1f}, {100 * high:+.1f}]"
