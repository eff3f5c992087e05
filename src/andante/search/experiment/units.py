"""Whether figures are told in units that their metrics have."""

from __future__ import annotations

from collections.abc import Iterator

from andante.runs.reports.units import unit_of
from andante.search.errors import SearchError
from andante.search.experiment.document import Bounds, Compared, Experiment, Figure

_BASE = {"deg": "rad", "cm": "m", "mm": "m", "ms": "s", "cm/s": "m/s"}
"""What each unit is brought from."""
_KNOWN = {*_BASE, *_BASE.values(), "J", "N", "N s"}
"""Units by which one may see that another one was meant; other words, such as "servo limit", are free."""


def check_units(experiment: Experiment) -> None:
    """See that no figure converts a metric from another unit than it has, or calls it by another one.

    Metrics of observers and of plug-ins have units that nobody knows, and what is divided has another one.

    Raises:
        SearchError: One does; the figure is named, with what the metric is told in.
    """
    for place, asked in _told(experiment):
        shown = unit_of(asked.metric)
        told = _BASE.get(shown, shown)
        if not told or told not in _KNOWN:
            continue
        convert, unit = asked.convert, asked.unit
        field, value = ("unit", unit) if convert is None else ("convert", str(convert))
        if convert is not None and _BASE.get(convert, told) != told:
            what = f"{asked.metric} is told in {told}, which is not converted so"
        elif convert is None and unit in _KNOWN and unit != told:
            what = f"{asked.metric} is told in {told}, and nothing converts it"
        else:
            continue
        legal = tuple(each for each, base in _BASE.items() if base == told)
        remedy = f"give convert: {' or '.join(legal)}" if legal else f"its unit is {told}"
        raise SearchError(what, place=f"{place}.{field}", value=value, remedy=remedy)


def _told(experiment: Experiment) -> Iterator[tuple[str, Figure | Compared]]:
    for part in (experiment.figures, experiment.columns):
        for name, figure in part.items():
            counted = figure.statistic in ("share", "count", "lost")
            if figure.per is None and (not counted or (isinstance(figure.is_, Bounds) and figure.convert)):
                yield f"{'figures' if part is experiment.figures else 'columns'}.{name}", figure
    for name, compared in experiment.compare.items():
        if not compared.succeeds:
            yield f"compare.{name}", compared
