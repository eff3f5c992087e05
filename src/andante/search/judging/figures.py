"""The figures of an experiment by every judge, beside those as asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from andante.search.experiment.cases import groups_of
from andante.search.experiment.document import Experiment
from andante.search.experiment.suite import rows_of
from andante.search.experiment.trial import TrialResult
from andante.search.judging.judging import JUDGE
from andante.search.rows import Row


def figures_by_judge(experiment: Experiment, results: Mapping[str, Sequence[TrialResult]]) -> dict[str, dict[str, Row]]:
    """Each figure by its name, and in it the row of each judge that has one.

    Args:
        experiment: The experiment that `with_judges` made.
        results: Its trials by group.
    """
    names = {frozenset(group.labels.items()): group.name for group in groups_of(experiment)}
    axis = experiment.axes[JUDGE]
    found: dict[str, dict[str, Row]] = {}
    for judge in axis.variants:
        alone = axis.model_copy(update={"chosen": (judge,), "told": False})
        # An engine that tells no forces has no figures of them.
        told = {name: each.model_copy(update={"optional": True}) for name, each in experiment.figures.items()}
        own = experiment.model_copy(update={"axes": {**experiment.axes, JUDGE: alone}, "figures": told})
        groups = groups_of(own)
        trials = {group.name: results[names[frozenset(group.labels.items())]] for group in groups}
        for row in rows_of(own, groups, trials):
            found.setdefault(row.name, {})[judge] = row
    return found


def figure_lines(figures: Mapping[str, Mapping[str, Row]], judges: Sequence[str]) -> Iterator[str]:
    """A table for people: a figure a line, a judge a column.

    Args:
        figures: What `figures_by_judge` found.
        judges: Judges in the order of the columns, the trials as asked among them.
    """
    wide = max((len(name) for name in figures), default=0) + 2
    yield f"{'figure':<{wide}}" + "".join(f"{judge:>13}" for judge in judges) + "  unit"
    for name, rows in figures.items():
        cells = (f"{rows[judge].value:.4g}" if judge in rows else "-" for judge in judges)
        unit = next(iter(rows.values())).unit
        yield (f"{name:<{wide}}" + "".join(f"{cell:>13}" for cell in cells) + f"  {unit}").rstrip()
