"""Twins beside a bench: how far its verdicts and figures go in MuJoCo's other settings of the solver."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from andante.search.errors import SearchError
from andante.search.experiment.cases import groups_of
from andante.search.experiment.document import Experiment
from andante.search.experiment.suite import cases_of, suite_of
from andante.search.experiment.trial import TrialResult, TrialSetup
from andante.search.judging.figures import figures_by_judge
from andante.search.judging.judges import TWINS, judges_named
from andante.search.judging.judging import HERE, Opinion, held_in, opinions, with_judges
from andante.search.rows import Row
from andante.search.suite import BenchReport, Case, Suite

Make = Callable[[Sequence[Case[TrialSetup]]], Mapping[str, Any]]
"""Makes trials; plain data of the results by key."""


@dataclass(frozen=True)
class Beside:
    """What the twins say of one experiment or table."""

    said: tuple[Opinion, ...]
    """Each twin's opinion."""
    held: int
    """Trials that passed as asked and by all twins."""
    figures: Mapping[str, Mapping[str, Row]]
    """Each figure by its name, and in it the row of each twin, and as asked."""

    @property
    def lines(self) -> Iterator[str]:
        """For people."""
        counts = self.said[0].agreement
        twins = [each.judge for each in self.said]
        yield f"in {len(twins)} other settings of the solver ({', '.join(twins)}):"
        for name, rows in self.figures.items():
            values = [rows[twin].value for twin in twins if twin in rows]
            if values:
                unit = next(iter(rows.values())).unit
                asked = f"{rows[HERE].value:.4g}" if HERE in rows else "-"
                yield f"  {name}: {asked} as asked, {min(values):.4g} to {max(values):.4g} there {unit}".rstrip()
        passed = counts.both_pass + counts.only_here
        yield f"  {self.held} of {passed} trials that passed hold in all of them, of {counts.pairs} trials"

    def data(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "held": self.held,
            "judges": [each.data() for each in self.said],
            "figures": {name: {twin: row.value for twin, row in rows.items()} for name, rows in self.figures.items()},
        }


def beside_twins(
    suite: Suite[Any, Any, Any], options: Any, report: BenchReport, found: Mapping[str, Any], make: Make
) -> BenchReport:
    """A report with what the twins say of the same trials.

    Args:
        suite: The suite.
        options: What was asked.
        report: What the trials as asked say.
        found: Their results by key; what is there is not made again.
        make: Makes the others.

    Raises:
        SearchError: The suite is no experiment, or its trials are not run by MuJoCo.
        AndanteError: A trial cannot be run by a twin.
    """
    experiments: Sequence[Experiment] = suite.experiments(options)
    if not experiments:
        raise SearchError("only an experiment has twins", place="--twins", value=suite.name)
    told = [_beside(each, options, found, make) for each in experiments]
    lines = [line for each in told for line in each.lines]
    about = {**report.about, "twins": [each.data() for each in told]}
    return replace(report, text=(*report.text, *lines), about=about)


def _beside(experiment: Experiment, options: Any, found: Mapping[str, Any], make: Make) -> Beside:
    twins = judges_named(TWINS)
    for group in groups_of(experiment):
        kind = group.setup.scenario(options.first_seed)[0].moved.type
        if kind != "mujoco":
            raise SearchError("only trials in MuJoCo have twins", place="backend", value=kind)
    judged = with_judges(experiment, twins)
    cases = cases_of([judged], options)
    waiting = [case for case in cases if case.key not in found]
    everything = {**found, **make(waiting)}
    results: Mapping[str, Sequence[TrialResult]] = suite_of(judged).merged(cases, everything)
    return Beside(
        tuple(opinions(judged, twins, results)),
        held_in(judged, twins, results),
        figures_by_judge(judged, results),
    )
