"""The verdict on what a study found: before and after on seeds that nobody has used, and how sensitive it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from andante.search.experiment.document import Bounds
from andante.search.rows import Row, figure, share_row
from andante.search.statistics import mean, paired_difference, shift
from andante.search.studies.asking import Asking, Batch, Point
from andante.search.studies.conditions import Conditions
from andante.search.studies.document import Study
from andante.search.studies.problem import Evaluation, named_metrics

VERDICT = Conditions(steps=0.5)
"""Conditions of the verdict: half the physics step."""
SENSITIVITY: Mapping[str, Conditions] = {
    "durations x 0.8": Conditions(steps=0.5, durations=0.8),
    "durations x 1.25": Conditions(steps=0.5, durations=1.25),
    "randomisation x 1.5": Conditions(steps=0.5, harder=1.5),
    "randomisation x 2": Conditions(steps=0.5, harder=2.0),
}
"""Other conditions in which the result is tried on the same seeds."""
_WORD = "verdict"
_EARLY = re.compile(rf"{_WORD} at (\d+) after")
_MOST_SENSITIVE = 50
"""Seeds at most that these are tried with."""


@dataclass(frozen=True)
class StudyVerdict:
    """Trials of the verdict."""

    before: Sequence[Evaluation]
    """Of the start."""
    after: Sequence[Evaluation]
    """Of what was found."""
    sensitivity: Mapping[str, Sequence[Evaluation]]
    """Of what was found, in other conditions."""

    @property
    def share(self) -> float:
        """Share of the trials after that succeed."""
        return sum(each.success for each in self.after) / len(self.after)

    def rows(self, study: Study) -> list[Row]:
        """The table: shares with their 95 % intervals, means of the numbers that the study names, paired."""
        n = len(self.after)
        before, after = ([each.success for each in side] for side in (self.before, self.after))
        rows = [share_row("success before", before), share_row("success after", after)]
        difference, interval = paired_difference(after, before)
        rows.append(figure("success, difference", difference, "share", n, interval=interval))
        for metric in dict.fromkeys(named_metrics(study)):
            sides = [[each.metrics.get(metric) for each in side] for side in (self.before, self.after)]
            pairs = [(one, two) for one, two in zip(*sides, strict=True) if one is not None and two is not None]
            for name, values in zip(("before", "after"), sides, strict=True):
                known = [value for value in values if value is not None]
                if known:
                    middle, within = mean(known)
                    rows.append(figure(f"{metric} {name}, mean", middle, "", len(known), digits=6, interval=within))
            if len(pairs) > 1:
                size, ends = shift([two - one for one, two in pairs])
                rows.append(figure(f"{metric}, difference", size, "", len(pairs), digits=6, interval=ends))
        rows += [share_row(name, [each.success for each in trials]) for name, trials in self.sensitivity.items()]
        made = [*self.before, *self.after, *(each for trials in self.sensitivity.values() for each in trials)]
        lost = sum(each.value is None for each in made)
        if lost:
            rows.append(figure("of these trials, could not be run and count as no success", lost, "", len(made)))
        return rows

    def broken(self, study: Study) -> list[str]:
        """Constraints that the result does not keep: a search weighs them, and may find nothing that does."""
        told = []
        for constraint in study.constraints:
            bounds = Bounds(at_least=constraint.at_least, at_most=constraint.at_most)
            numbers = [number for each in self.after if (number := each.metrics.get(constraint.metric)) is not None]
            over = [number for number in numbers if not bounds.holds(number)]
            for limit, sign, worst in ((constraint.at_most, "<=", max), (constraint.at_least, ">=", min)):
                if over and limit is not None and (worst(over) > limit if sign == "<=" else worst(over) < limit):
                    many = f"in {len(over)} of {len(self.after)} trials of the verdict, the worst {worst(over):.4g}"
                    told.append(f"constraint {constraint.metric} {sign} {limit:g} is broken {many}")
        return told

    def data(self) -> dict[str, Any]:
        """All trials as plain data."""
        return {
            "before": [each.data() for each in self.before],
            "after": [each.data() for each in self.after],
            "sensitivity": {name: [each.data() for each in trials] for name, trials in self.sensitivity.items()},
        }


@dataclass(frozen=True)
class EarlierVerdict:
    """A verdict for which a search was ended that went on afterwards."""

    trials: int
    """Trials of the search until then."""
    share: float
    """Share of the verdict's trials that succeeded."""


def is_verdict(key: str) -> bool:
    """Whether a batch is one of a verdict, by its key."""
    return key.startswith(_WORD)


def verdict_trials(study: Study, motions: bool) -> int:
    """Number of trials that `judging` asks for."""
    seeds = study.seeds.verdict.count
    others = [each for each in SENSITIVITY.values() if each.durations == 1.0 or motions]
    return 2 * seeds + len(others) * min(seeds, _MOST_SENSITIVE)


def earlier_verdicts(kept: Mapping[str, Any], trials: int) -> list[EarlierVerdict]:
    """Verdicts on the same seeds that a journal has and that were asked for earlier in the search.

    Args:
        kept: What the journal keeps, by key.
        trials: Trials of the search until this verdict.
    """
    found = []
    for key, told in kept.items():
        early = _EARLY.fullmatch(key)
        if early is not None and int(early[1]) < trials:
            (results,) = told["results"]
            good = sum(Evaluation.of(each).success for each in results)
            found.append(EarlierVerdict(int(early[1]), good / len(results)))
    return sorted(found, key=lambda each: each.trials)


def judging(study: Study, start: Point, found: Point, motions: bool, early: int | None = None) -> Asking:
    """Ask for the trials of a verdict.

    Args:
        study: The study.
        start: The point of the start.
        found: What was found.
        motions: Whether there are keyframes whose durations can change.
        early: Trials of a search that was ended before its end; None: it had come to its end.
    """
    seeds, head = study.seeds.verdict.all, _WORD if early is None else f"{_WORD} at {early}"
    # The start is the same whatever was found.
    before = yield Batch(f"{_WORD} before", (start,), seeds, VERDICT)
    after = yield Batch(f"{head} after", (found,), seeds, VERDICT)
    sensitivity = {}
    for name, conditions in SENSITIVITY.items():
        if conditions.durations == 1.0 or motions:
            trials = yield Batch(f"{head} {name}", (found,), seeds[:_MOST_SENSITIVE], conditions)
            sensitivity[name] = trials[0]
    return StudyVerdict(before[0], after[0], sensitivity)
