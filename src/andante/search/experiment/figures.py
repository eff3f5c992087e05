"""Figures of an experiment: from the trials' numbers to the rows of a report."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from andante.documents.fields import child, field_name
from andante.documents.paths import parse_path
from andante.errors import shorten
from andante.search.errors import SearchError
from andante.search.experiment.document import Bounds, Compared, Condition, Figure
from andante.search.rows import SHARE, Row, figure, share_row
from andante.search.statistics import mean, paired_difference, quantile, ratio_of_means

Trials = Sequence[Mapping[str, Any]]
"""Numbers of trials by name, nested."""
ENDED = "ended"
"""Number, a sentence, of a trial that was ended from outside; no other trial has it."""
FALL_CAUSE = "fall_cause"
"""Number, a few words, of a trial that was recorded and in which the robot fell: what came first."""
SEED = "seed"
"""The trial's seed, beside its numbers."""
WHY = "why it failed"
"""Why a trial failed, in words, beside its numbers."""
DRAWN = "drawn."
"""What metrics of what a seed has drawn begin with; the path of the draw follows."""
_FACTORS = {"deg": 180.0 / math.pi, "cm": 100.0, "mm": 1e3, "ms": 1e3, "cm/s": 100.0, "%": 100.0}
"""How many of a unit make one of SI."""


def value_of(trial: Mapping[str, Any], metric: str) -> Any:
    """What a trial tells at the path of a metric; None where it does not."""
    if metric.startswith(DRAWN):
        return trial.get("drawn", {}).get(metric.removeprefix(DRAWN))
    data: Any = trial
    for step in parse_path(metric):
        if step == "*" and isinstance(data, Mapping):
            return sum(data.values())
        data = child(data, step)
    return data


def holds(condition: Condition, value: Any) -> bool:
    """Whether a metric is what a condition says; what is not told is not."""
    if isinstance(condition, Bounds):
        return isinstance(value, (int, float)) and not isinstance(value, bool) and condition.holds(value)
    return type(value) is type(condition) and bool(value == condition)


def number_of(told: Figure | Compared, trial: Mapping[str, Any], per: str | None = None) -> float | None:
    """The number that a figure takes of a trial; None where the trial does not tell it."""
    value = value_of(trial, told.metric)
    if isinstance(value, bool):
        value = float(value)
    if not isinstance(value, (int, float)) or math.isnan(value):
        value = told.missing
    if value is not None and per is not None:
        below = _number(value_of(trial, per))
        value = value / below if below else None
    return None if value is None else abs(float(value)) if told.absolute else float(value)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (bool, int, float)) and math.isfinite(value) else None


def chosen(told: Figure | Compared, trials: Trials) -> list[Mapping[str, Any]]:
    """The trials that count."""
    return [each for each in trials if all(holds(is_, value_of(each, name)) for name, is_ in told.where.items())]


def row_of(name: str, asked: Figure, trials: Trials, against: Trials | None = None) -> Row | None:
    """The row of a figure; None where it is left out.

    Args:
        name: Name of the row.
        asked: The figure.
        trials: The trials.
        against: Trials of the variant that it is compared with, on the same seeds.

    Raises:
        SearchError: No trial tells it, or it is no finite number.
    """
    if asked.asked_only and asked.at_least is None and asked.at_most is None:
        return None
    if against is not None:
        # A pair counts where it does on both sides.
        pairs = zip(trials, against, strict=True)
        both = [(one, other) for one, other in pairs if chosen(asked, [one]) and chosen(asked, [other])]
        trials, against = [one for one, _ in both], [other for _, other in both]
    trials = chosen(asked, trials)
    made = partial(figure, digits=asked.digits, at_least=asked.at_least, at_most=asked.at_most)
    if asked.statistic in ("share", "count", "lost"):
        if asked.optional and all(value_of(each, asked.metric) is None for each in trials):
            return None
        if not trials:
            raise SearchError("no trial counts for this figure", place=name, remedy="look at its where")
        _refuse_other_kinds(name, asked, trials)
        good = [_counts(asked, each) for each in trials]
        if asked.statistic == "lost":
            difference, within = paired_difference([_counts(asked, each) for each in against or ()], good)
            return made(name, difference, SHARE, len(good), interval=within)
        if asked.statistic == "count":
            return _count(name, asked, sum(good), len(good))
        return share_row(name, good, asked.at_least, asked.at_most)
    per = None if asked.statistic in ("ratio", "ratio-of-means") else asked.per
    told = [(each, number_of(asked, each, per)) for each in trials]
    if asked.statistic == "best-two-of-three":
        told = _whole_threes(told)
    if not trials and not asked.optional:
        raise SearchError(
            "no trial counts for this figure", place=name, remedy="look at its where, or mark it as optional"
        )
    known = [(each, value) for each, value in told if value is not None and not math.isinf(value)]
    if not known:
        cut = any(ENDED in each for each in trials)
        # Of trials that were ended nobody knows more; but a bar that nothing was held against is not met.
        if asked.optional or (cut and not asked.bar):
            return None
        if cut:
            what, remedy = "no trial tells this figure that was not ended at a limit", "give them more time or memory"
            raise SearchError(what, place=name, value=asked.metric, remedy=remedy)
        _refuse_what_is_no_number(name, asked, trials)
        raise _untold(name, asked, trials)
    values = [value for _, value in known]
    value: float | None
    interval: tuple[float, float] | None = None
    if per is not asked.per:
        below = [_number(value_of(each, asked.per or "")) or 0.0 for each, _ in known]
        if asked.optional and not sum(below):
            return None
        if asked.statistic == "ratio-of-means":
            value, interval = ratio_of_means(values, below)
        else:
            value = sum(values) / sum(below) if sum(below) else math.nan
    elif asked.statistic == "mean":
        seeds = [each[SEED] for each, _ in known if SEED in each]
        value, interval = mean(values, seeds)
    else:
        value = STATISTICS[asked.statistic](values, asked)
    if value is None:
        return None
    if asked.convert is not None:
        factor = _FACTORS[asked.convert]
        value *= factor
        interval = None if interval is None else (factor * interval[0], factor * interval[1])
    if not math.isfinite(value):
        raise SearchError("is no finite number", place=name, value=value)
    return made(name, value, asked.convert or asked.unit, len(values), interval=interval)


def compared_value(asked: Compared, trial: Mapping[str, Any]) -> float | bool | None:
    """What two versions are compared by of one trial."""
    if not chosen(asked, [trial]):
        return None
    if asked.succeeds:
        return value_of(trial, asked.metric) is True
    number = number_of(asked, trial)
    return number if number is None or asked.convert is None else number * _FACTORS[asked.convert]


def _untold(name: str, asked: Figure, trials: Trials) -> SearchError:
    """No trial tells a metric: what stands beside it in the first that tells anything there, and why one failed."""
    legal: tuple[str, ...] = ()
    steps = parse_path(asked.metric)
    for trial in trials:
        for number in range(len(steps) - 1, 0, -1):
            part = value_of(trial, field_name(steps[:number]))
            if isinstance(part, (Mapping, list)) and part:
                keys = part if isinstance(part, Mapping) else range(len(part))
                legal = legal or tuple(field_name((*steps[:number], key)) for key in keys)
    if asked.metric in legal:
        # It is there, and None.
        legal = ()
    failed = next((str(trial[WHY]) for trial in trials if trial.get(WHY)), "")
    remedy = "or mark it as optional" + (f"; a trial failed: {shorten(failed, 300)}" if failed else "")
    return SearchError("no trial tells this figure", place=name, value=asked.metric, legal=legal, remedy=remedy)


def _refuse_other_kinds(name: str, asked: Figure, trials: Trials) -> None:
    """Refuse a figure whose ``is`` is of another kind than what trials tell: none would count, whatever it told.

    Raises:
        SearchError: It does.
    """
    if isinstance(asked.is_, Bounds):
        _refuse_what_is_no_number(name, asked, trials, "a bound compares")
        return
    for value in (value_of(each, asked.metric) for each in trials):
        if value is not None and type(value) is not type(asked.is_):
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            raise SearchError(
                f"{asked.metric} is {'a number' if number else 'another kind of value'}, which is never {asked.is_!r}",
                place=f"{name}.is",
                value=value,
                remedy="say within which bounds, as is: {at_least: 0.5}" if number else "ask for such a value",
            )


def _refuse_what_is_no_number(name: str, asked: Figure, trials: Trials, taker: str = "") -> None:
    """Refuse a figure that takes numbers of what trials tell as something else: it is told, but not as a number.

    Args:
        name: Name of the row.
        asked: The figure.
        trials: Its trials.
        taker: What takes numbers, with its verb; empty: the statistic.

    Raises:
        SearchError: A trial tells a list, a word, a part with several metrics, or what is not finite.
    """
    metrics = [asked.metric, *([asked.per] if asked.per is not None else [])]
    for metric, value in ((metric, value_of(each, metric)) for each in trials for metric in metrics):
        if value is None or (isinstance(value, (bool, int, float)) and math.isfinite(value)):
            continue
        legal: tuple[str, ...] = ()
        if isinstance(value, float):
            if isinstance(asked.is_, Bounds):
                continue
            kind, remedy = "no finite number", "mark it as optional"
        elif isinstance(value, str):
            kind, remedy = "a word", "count it, as statistic: share with is: WORD"
        elif isinstance(value, Mapping):
            kind, remedy = "a part with metrics of its own", "name one of them; .* sums all"
            legal = tuple(f"{metric}.{key}" for key, each in value.items() if isinstance(each, (bool, int, float)))
        else:
            kind, remedy = f"a list of {len(value)}", "name one of them by its number"
            legal = tuple(f"{metric}[{at}]" for at, each in enumerate(value) if isinstance(each, (bool, int, float)))
        what = f"{metric} is {kind}, and {taker or f'the statistic {asked.statistic} takes'} numbers"
        raise SearchError(what, place=f"{name}.metric", value=value, remedy=remedy, legal=legal)


def _counts(asked: Figure, trial: Mapping[str, Any]) -> bool:
    if isinstance(asked.is_, (bool, str)):
        return holds(asked.is_, value_of(trial, asked.metric))
    number = number_of(asked, trial, asked.per)
    # Bounds are in the unit of the row: 8 means degrees where it is told in degrees.
    return holds(asked.is_, number if number is None or asked.convert is None else number * _FACTORS[asked.convert])


def _count(name: str, asked: Figure, count: int, n: int) -> Row:
    if asked.at_most == 0:
        return Row(name, float(count), asked.unit, "0", count == 0, n)
    return figure(name, float(count), asked.unit, n, at_least=asked.at_least, at_most=asked.at_most)


def _whole_threes(
    told: Sequence[tuple[Mapping[str, Any], float | None]],
) -> list[tuple[Mapping[str, Any], float | None]]:
    """Threes in order without those of which a trial does not tell: the others stay the threes that they are."""
    threes = (told[at : at + 3] for at in range(0, len(told), 3))
    return [
        each for three in threes if len(three) < 3 or all(value is not None for _, value in three) for each in three
    ]


def _best(values: Sequence[float], _: Figure) -> float | None:
    """Mean over groups of three in order of the mean of their best two; None below three."""
    groups = [sorted(values[at : at + 3]) for at in range(0, len(values) - 2, 3)]
    return sum(0.5 * (group[1] + group[2]) for group in groups) / len(groups) if groups else None


STATISTICS: Mapping[str, Callable[[Sequence[float], Figure], float | None]] = {
    "sum": lambda values, _: sum(values),
    "mean": lambda values, _: mean(values)[0],
    "median": lambda values, _: quantile(values, 0.5),
    "quantile": lambda values, asked: quantile(values, asked.quantile),
    "least": lambda values, _: min(values),
    "largest": lambda values, _: max(values),
    "farthest": lambda values, _: max(values, key=abs),
    "best-two-of-three": _best,
}
"""What is made of the values of trials that tell them."""
