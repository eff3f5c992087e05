"""Causes by intervention: which single change makes one engine side with the other where they differ.

Each trial in which two engines truly differ is run again with one thing changed at a time, here and by the judge. A
change turns a trial where the share of its repeats that pass is nearer to the other engine's than to its own engine's.
At the border nearly any change turns something, so as many trials on which both agree are run with the same changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from andante.search.experiment.document import Experiment
from andante.search.judging.judges import TWINS, Judge, judges_named
from andante.search.judging.judging import JUDGE, Place, with_judges
from andante.search.judging.marginal import Make
from andante.search.judging.repeats import LEAST_REPEATS, Repeatability, RepeatedPair, shares_of

_FRICTION: Mapping[str, Mapping[str, float]] = {
    "friction x 0.8": {"world.friction": 0.8},
    "friction x 1.25": {"world.friction": 1.25},
}
_OF = LEAST_REPEATS
"""Repeats of each trial with each change."""


@dataclass(frozen=True)
class SingleChange:
    """One thing that is changed in one engine."""

    name: str
    """What is changed, and where."""
    judge: Judge
    """The engine with the change."""
    here: bool
    """Whether it is changed in our engine."""


@dataclass(frozen=True)
class TracedPair:
    """One trial in which the engines truly differ, and what turns it."""

    pair: RepeatedPair
    """The trial and its repeats."""
    tried: Mapping[str, tuple[int, bool]]
    """Repeats that pass with each change, and whether the change turns the trial."""

    @property
    def turned(self) -> tuple[str, ...]:
        """Changes that turn it."""
        return tuple(name for name, (_, turns) in self.tried.items() if turns)

    def __str__(self) -> str:
        told = "; ".join(f"{name} ({self.tried[name][0]} of {_OF})" for name in self.turned)
        return f"{self.pair.place}, seed {self.pair.seed}: ".removeprefix(", ") + (told or "not explained")

    def data(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "group": self.pair.place,
            "seed": self.pair.seed,
            "pass more often here": self.pair.dangerous,
            "turned by": list(self.turned),
            "tried": {name: passed for name, (passed, _) in self.tried.items()},
            "of": _OF,
        }


@dataclass(frozen=True)
class Causes:
    """What turns the trials in which one judge and our engine truly differ."""

    judge: str
    """Its name."""
    traced: tuple[TracedPair, ...]
    """These trials."""
    controls: int
    """Trials on which both agree that were run with the same changes."""
    turned_controls: Mapping[str, int]
    """How many of those each change turns."""

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """For each change: how many trials that differ it turns, and how many controls."""
        return {
            name: (sum(name in each.turned for each in self.traced), controls)
            for name, controls in self.turned_controls.items()
        }

    @property
    def lines(self) -> Iterator[str]:
        """For people."""
        if not self.traced:
            yield f"{self.judge}: no pair in which the engines clearly differ"
            return
        number = len(self.traced)
        yield (
            f"{self.judge}: single changes that turn the {number} pairs in which the engines differ, and "
            f"{self.controls} on which they agree, {_OF} repeats each"
        )
        wide = max(len(name) for name in self.turned_controls) + 2
        for name, (turned, control) in sorted(self.counts.items(), key=lambda item: (-item[1][0], item[1][1])):
            yield f"  {name:<{wide}}{f'{turned} of {number}':>9}{f'{control} of {self.controls}':>10}"
        for each in self.traced:
            yield f"  {each}"

    def data(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "judge": self.judge,
            "controls": self.controls,
            "changes": {
                name: {"turns": turned, "turns controls": control} for name, (turned, control) in self.counts.items()
            },
            "pairs": [each.data() for each in self.traced],
        }


def interventions(name: str, judge: Judge) -> list[SingleChange]:
    """Single changes of our engine and of a judge's.

    Args:
        name: The judge's name.
        judge: The judge.
    """
    found = [SingleChange(f"here: {twin}", each, True) for twin, each in judges_named(TWINS).items() if twin != name]
    found += [SingleChange(f"here: {what}", Judge(what, scale=scale), True) for what, scale in _FRICTION.items()]
    found += [SingleChange(f"here: {what}", Judge(what, set=own), True) for what, own in judge.likeness.items()]
    if judge.tests is None:
        # A world like MuJoCo's is told its friction and its step; another engine may not be.
        found += [
            SingleChange(f"{name}: {what}", replace(judge, scale={**judge.scale, **scale}), False)
            for what, scale in {**_FRICTION, "half-step": {"world.timestep": 0.5}}.items()
        ]
    found += [
        SingleChange(f"{name}: {what}", replace(judge, set={**judge.set, **own}), False)
        for what, own in judge.variants.items()
    ]
    return found


def traced(
    experiment: Experiment, name: str, judge: Judge, repeats: Repeatability, asked: Mapping[Place, bool], make: Make
) -> Causes:
    """Run the trials in which a judge truly differs, and as many on which it agrees, with one thing changed at a time.

    Args:
        experiment: The experiment that `with_judges` made.
        name: The judge's name.
        judge: The judge.
        repeats: What its repeats said.
        asked: Whether each trial passed as asked.
        make: Makes trials.

    Raises:
        AndanteError: A trial cannot be run.
    """
    pairs = repeats.truly
    if not pairs:
        return Causes(name, (), 0, {})
    controls = _controls(pairs, repeats, asked)
    places: list[Place] = [(pair.place, pair.seed) for pair in pairs]
    changes = interventions(name, judge)
    axes = {axis: each for axis, each in experiment.axes.items() if axis != JUDGE}
    changed = with_judges(experiment.model_copy(update={"axes": axes}), {each.name: each.judge for each in changes})
    shares = shares_of(changed, {each.name: [*places, *controls] for each in changes}, _OF, make)
    told, turned_controls = [], {}
    for pair, place in zip(pairs, places, strict=True):
        tried = {}
        for change in changes:
            own, other = (pair.here, pair.there) if change.here else (pair.there, pair.here)
            passed = shares[change.name][place]
            tried[change.name] = passed, _nearer(passed / _OF, other / pair.of, own / pair.of)
        told.append(TracedPair(pair, tried))
    for change in changes:
        turned_controls[change.name] = sum(
            _nearer(shares[change.name][place] / _OF, float(not good), float(good)) for place, good in controls.items()
        )
    return Causes(name, tuple(told), len(controls), turned_controls)


def _controls(pairs: Sequence[RepeatedPair], repeats: Repeatability, asked: Mapping[Place, bool]) -> dict[Place, bool]:
    """The first trials on which both agree: as many that pass, and that fail, as of those that differ."""
    differing = {(pair.place, pair.seed) for pair in repeats.differing}
    left = {good: sum(pair.asked is good for pair in pairs) for good in (True, False)}
    found = {}
    for place, good in asked.items():
        if place not in differing and left[good]:
            found[place] = good
            left[good] -= 1
    return found


def _nearer(share: float, other: float, own: float) -> bool:
    return abs(share - other) < abs(share - own)
