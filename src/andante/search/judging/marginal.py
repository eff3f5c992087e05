"""Marginal sets: as many trials that pass as trials that fail, of which judges then say what they say.

Of a set that nearly all pass, chance alone explains nearly every agreement. So seeds are drawn as asked, in order,
until there are enough of both; the judges run these alone. Agreement is told per half: the set is no longer a fair
sample of worlds, each half is one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from andante.search.errors import SearchError
from andante.search.experiment.cases import groups_of
from andante.search.experiment.document import Experiment
from andante.search.experiment.trial import TrialResult, TrialSetup
from andante.search.judging.judging import HERE, JUDGE, Place, others_of, success_of, verdict_of
from andante.search.suite import Case

MOST_DRAWN = 40
"""So many trials are drawn per trial that is wanted, before it is given up."""

Make = Callable[[Sequence[Case[TrialSetup]]], Mapping[str, Sequence[TrialResult]]]
"""Makes trials; results by group, in the order of the cases."""


@dataclass(frozen=True)
class MarginalSet:
    """Trials that judges are asked about, half of them passed as asked."""

    cases: tuple[Case[TrialSetup], ...]
    """They, as asked and by each judge."""
    passed: int
    """How many of them pass as asked."""
    failed: int
    """How many fail."""
    drawn: int
    """How many trials were drawn as asked until there were enough."""
    drawn_passed: int
    """How many of those passed: far from half of them, the worlds are too easy or too hard."""
    last_seed: int
    """Seed of the last one."""

    def __str__(self) -> str:
        return (
            f"marginal set: {self.passed} that pass and {self.failed} that fail as asked, of {self.drawn} drawn "
            f"({self.drawn_passed} passed), up to seed {self.last_seed}"
        )

    def data(self) -> dict[str, Any]:
        """Plain data: all but what is tried."""
        return {name: value for name, value in vars(self).items() if name not in ("cases", "experiment")}


def halves(pairs: int) -> dict[bool, int]:
    """How many trials of a marginal set pass as asked, and how many fail.

    Raises:
        SearchError: One of them would be none.
    """
    if pairs < 2:
        raise SearchError("a marginal set has both verdicts", place="--seeds", value=pairs, limit="at least 2")
    return {True: (pairs + 1) // 2, False: pairs // 2}


def marginal_set(experiment: Experiment, pairs: int, first_seed: int, make: Make) -> MarginalSet:
    """Draw seeds in order until half of the pairs pass as asked, and half fail.

    Args:
        experiment: The experiment that `with_judges` made.
        pairs: Trials that are wanted, at least 2; the odd one is one that passes.
        first_seed: First seed.
        make: Makes trials.

    Raises:
        SearchError: Fewer than two pairs, a trial without a verdict, or not enough of both.
    """
    wanted = halves(pairs)
    success = success_of(experiment)
    groups = groups_of(experiment)
    asked = [group for group in groups if group.labels[JUDGE] == HERE]
    found: dict[bool, list[Place]] = {True: [], False: []}
    drawn, good, last, batch = 0, 0, first_seed - 1, max(1, pairs // len(asked))
    while any(len(found[said]) < wanted[said] for said in found):
        if drawn >= MOST_DRAWN * pairs:
            raise SearchError(
                "too few trials of one verdict for a marginal set",
                value=f"{good} of {drawn} passed",
                limit=f"{wanted[True]} that pass and {wanted[False]} that fail",
                remedy="take worlds in which about half fail, as with --set world.friction=[0.1,0.6]",
            )
        seeds = range(last + 1, last + 1 + batch)
        results = make([Case(group.name, group.setup, seed) for group in asked for seed in seeds])
        for number, seed in enumerate(seeds):
            for group in asked:
                said = verdict_of(success, group.name, results[group.name][number])
                drawn, good, last = drawn + 1, good + said, seed
                if len(found[said]) < wanted[said]:
                    found[said].append((others_of(group.labels), seed))
            if all(len(found[said]) >= wanted[said] for said in found):
                break
    kept = {*found[True], *found[False]}
    cases = [
        Case(group.name, group.setup, each)
        for group in groups
        for place, each in sorted(kept)
        if others_of(group.labels) == place
    ]
    return MarginalSet(tuple(cases), len(found[True]), len(found[False]), drawn, good, last)
