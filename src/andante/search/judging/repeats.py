"""Repeats: what a verdict is worth in one and the same engine.

A marginal trial is by its choice near the border between passing and failing, and an impact parts what began nearly
alike. So each trial is run again from a start that is changed by less than any sensor tells (`Perturbation`). How often
an engine then agrees with itself is the most that another can agree with it; and a pair of verdicts that differ may
be chance where the engines' shares of passes are not clearly apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from andante.backends.perturbation import Perturbation
from andante.search.errors import SearchError
from andante.search.experiment.cases import groups_of, with_changes
from andante.search.experiment.document import Experiment
from andante.search.experiment.trial import TrialResult, TrialSetup
from andante.search.judging.agreement import Agreement
from andante.search.judging.judges import Judge
from andante.search.judging.judging import (
    HERE,
    JUDGE,
    Opinion,
    Place,
    others_of,
    success_of,
    verdict_of,
    verdicts_by_judge,
)
from andante.search.judging.marginal import Make
from andante.search.statistics import fisher_exact
from andante.search.suite import Case

LEAST_REPEATS = 4
"""With fewer even 3 of 3 and 0 of 3 are not clearly apart."""
_LEVEL = 0.05
"""Probability below which two shares are clearly apart."""


@dataclass(frozen=True)
class RepeatedPair:
    """One trial, repeated here and by a judge."""

    place: str
    """Its condition; empty where there is one."""
    seed: int
    """Its seed."""
    asked: bool
    """Whether it passed as asked."""
    judged: bool
    """Whether it passed by the judge."""
    here: int
    """Repeats that passed here."""
    there: int
    """Repeats that passed by the judge."""
    of: int
    """Repeats of each."""

    @property
    def probability(self) -> float:
        """Probability of shares so far apart, or farther, where both engines are alike (Fisher's exact test)."""
        return fisher_exact((self.here, self.of), (self.there, self.of))

    @property
    def apart(self) -> bool:
        """Whether the engines' shares are clearly apart; otherwise verdicts that differ may be chance."""
        return self.probability < _LEVEL

    @property
    def dangerous(self) -> bool:
        """Whether it passes more often here than there."""
        return self.here > self.there

    def __str__(self) -> str:
        where = f"{self.place}, " if self.place else ""
        said = "the engines differ" if self.apart else "not told apart"
        return (
            f"{where}seed {self.seed}: passes {self.here} of {self.of} here, {self.there} of {self.of} there: "
            f"{said} (p = {self.probability:.2g})"
        )

    def data(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "group": self.place,
            "seed": self.seed,
            "passed as asked": self.asked,
            "passed there": self.judged,
            "here": self.here,
            "there": self.there,
            "of": self.of,
            "probability": self.probability,
            "engines differ": self.apart,
        }


@dataclass(frozen=True)
class Repeatability:
    """What repeats say of one judge."""

    judge: str
    """Its name."""
    repeats: int
    """Repeats of each trial."""
    itself: Agreement
    """Our engine as asked and in its own repeats: no judge can be expected to agree better."""
    pairs: tuple[RepeatedPair, ...]
    """Trials that the judge repeated: those on which it differs, or all."""
    judge_itself: Agreement | None
    """The judge and its own repeats; None: it repeated only trials on which it differs."""

    @property
    def differing(self) -> tuple[RepeatedPair, ...]:
        """Trials on which the judge differs."""
        return tuple(pair for pair in self.pairs if pair.asked != pair.judged)

    @property
    def truly(self) -> tuple[RepeatedPair, ...]:
        """Those of them that are no chance."""
        return tuple(pair for pair in self.differing if pair.apart)

    @property
    def most(self) -> Agreement | None:
        """What most repeats of each trial say, here and there; of as many of both the first verdict counts."""
        if self.judge_itself is None:
            return None
        here = [_most(pair.here, pair.of, pair.asked) for pair in self.pairs]
        return Agreement.of(here, [_most(pair.there, pair.of, pair.judged) for pair in self.pairs])

    @property
    def alike(self) -> tuple[float, float] | None:
        """How often two repeats of a trial say the same: both here, and one here and one there."""
        if self.judge_itself is None:
            return None
        n = self.repeats
        own = [(p.here * (p.here - 1) + (n - p.here) * (n - p.here - 1)) / (n * (n - 1)) for p in self.pairs]
        other = [(p.here * p.there + (n - p.here) * (n - p.there)) / n**2 for p in self.pairs]
        return sum(own) / len(own), sum(other) / len(other)

    @property
    def lines(self) -> Iterator[str]:
        """For people."""
        truly = self.truly
        more, number = sum(pair.dangerous for pair in truly), len(self.differing)
        yield (
            f"{self.judge}: of {number} pairs that differ {number - len(truly)} may be chance; "
            f"in {len(truly)} the engines differ ({more} pass more often here, {len(truly) - more} there)"
        )
        for pair in self.differing:
            yield f"  {pair}"
        most, alike = self.most, self.alike
        if most is not None and alike is not None and self.judge_itself is not None:
            yield f"  {self.judge} agrees with its own repeats: {_told(self.judge_itself)}"
            yield f"  what most repeats say: {_told(most)}; only here {most.only_here}, only there {most.only_there}"
            yield f"  two repeats say the same: {alike[0]:.3f} both here, {alike[1]:.3f} one here and one there"

    def data(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "judge": self.judge,
            "repeats": self.repeats,
            "itself": _data(self.itself),
            "judge itself": None if self.judge_itself is None else _data(self.judge_itself),
            "most repeats": None if self.most is None else _data(self.most),
            "alike": None if self.alike is None else list(self.alike),
            "may be chance": len(self.differing) - len(self.truly),
            "engines differ": len(self.truly),
            "pass more often here": sum(pair.dangerous for pair in self.truly),
            "pairs": [pair.data() for pair in self.pairs],
        }


def perturbed(experiment: Experiment, number: int) -> Experiment:
    """An experiment whose robots begin a tiny bit elsewhere; other numbers, another bit."""
    return with_changes(experiment, {"world.start.perturbation": {"number": number}})


def shares_of(
    experiment: Experiment, wanted: Mapping[str, Sequence[Place]], repeats: int, make: Make
) -> dict[str, dict[Place, int]]:
    """How many repeats of trials pass, by judge and trial.

    Args:
        experiment: The experiment that `with_judges` made.
        wanted: Trials by judge; `HERE` is one.
        repeats: How often each is run.
        make: Makes trials.

    Raises:
        SearchError: A trial has no verdict.
    """
    success = success_of(experiment)
    cases: list[Case[TrialSetup]] = []
    whose: list[tuple[str, Place]] = []
    for number in range(1, repeats + 1):
        for group in groups_of(perturbed(experiment, number)):
            judge, others = group.labels[JUDGE], others_of(group.labels)
            for place in wanted.get(judge, ()):
                if place[0] == others:
                    cases.append(Case(f"repeat {number}, {group.name}", group.setup, place[1]))
                    whose.append((judge, place))
    found = {judge: dict.fromkeys(places, 0) for judge, places in wanted.items()}
    results = {name: iter(trials) for name, trials in (make(cases) if cases else {}).items()}
    for case, (judge, place) in zip(cases, whose, strict=True):
        found[judge][place] += verdict_of(success, case.group, next(results[case.group]))
    return found


def repeated(
    experiment: Experiment,
    judges: Mapping[str, Judge],
    said: Sequence[Opinion],
    results: Mapping[str, Sequence[TrialResult]],
    repeats: int,
    make: Make,
    *,
    everywhere: bool = False,
) -> list[Repeatability]:
    """Repeat trials here, and by each judge those on which it differs.

    Args:
        experiment: The experiment that `with_judges` made.
        judges: Judges by name.
        said: Their opinions.
        results: The trials by group.
        repeats: How often each is run, at least `LEAST_REPEATS`.
        make: Makes trials.
        everywhere: Judges repeat all trials, too.

    Raises:
        SearchError: Too few repeats, or a trial without a verdict.
    """
    if repeats < LEAST_REPEATS:
        raise SearchError("too few repeats", place="--repeats", value=repeats, limit=f"at least {LEAST_REPEATS}")
    asked = verdicts_here(experiment, results)
    differing = {each.judge: [(group, seed) for group, seed, _ in each.differing] for each in said}
    wanted = {HERE: list(asked)} | {name: list(asked) if everywhere else differing[name] for name in judges}
    shares = shares_of(experiment, wanted, repeats, make)
    itself = _itself(asked, shares[HERE], repeats)
    found = []
    for name in judges:
        there = {place: good is (place not in differing[name]) for place, good in asked.items()}
        pairs = tuple(
            RepeatedPair(*place, asked[place], there[place], shares[HERE][place], count, repeats)
            for place, count in shares[name].items()
        )
        own = _itself(there, shares[name], repeats) if everywhere else None
        found.append(Repeatability(name, repeats, itself, pairs, own))
    return found


def repeat_lines(found: Sequence[Repeatability]) -> Iterator[str]:
    """For people."""
    first, usual = found[0], Perturbation(number=1)
    yield (
        f"{first.repeats} repeats of each trial, joints begin up to {usual.angle:g} rad elsewhere, the robot up to "
        f"{1e3 * usual.lift:g} mm higher:"
    )
    yield f"{HERE} agrees with its own repeats: {_told(first.itself)}; no judge can be expected to agree better"
    for each in found:
        yield from each.lines


def verdicts_here(experiment: Experiment, results: Mapping[str, Sequence[TrialResult]]) -> dict[Place, bool]:
    """Whether each trial passed as asked."""
    return verdicts_by_judge(experiment, results)[HERE]


def _itself(verdicts: Mapping[Place, bool], shares: Mapping[Place, int], repeats: int) -> Agreement:
    """An engine's first verdicts and those of its repeats."""
    again = sum(shares[place] for place, good in verdicts.items() if good)
    stood = sum(shares[place] for place, good in verdicts.items() if not good)
    passed = repeats * sum(verdicts.values())
    return Agreement(again, passed - again, stood, repeats * len(verdicts) - passed - stood)


def _most(count: int, of: int, first: bool) -> bool:
    return first if 2 * count == of else 2 * count > of


def _told(counts: Agreement) -> str:
    kappa = "-" if counts.kappa is None else f"{counts.kappa:.2f}"
    return f"{counts.agreed} of {counts.pairs} ({counts.share:.3f}), kappa {kappa}"


def _data(counts: Agreement) -> dict[str, Any]:
    return {
        "pairs": counts.pairs,
        "agreed": counts.agreed,
        "kappa": counts.kappa,
        "both pass": counts.both_pass,
        "only first": counts.only_here,
        "only second": counts.only_there,
        "both fail": counts.both_fail,
    }
