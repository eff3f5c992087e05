"""The suite `boards`: does a robot cross boards it has never seen, how fast, and how safely?

A walk that does not arrive, or that breaks a declared limit, has the speed 0 in every mean. The programme's score is
the mean of the best two of three runs; it stands beside the plain mean, which leaves nothing out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from andante.search.bench import Row, share_row
from andante.search.statistics import quantile
from andante.search.suites.boards_trial import BoardTrial

_CENTIMETRES = 100.0


@dataclass(frozen=True)
class Asked:
    """What a table of boards is asked for; None: nothing."""

    at_least: float | None = None
    """Share of walks that arrive, over all boards."""
    each_at_least: float | None = None
    """The same, of every board."""
    speed: float | None = None
    """Plain mean of the speed, over all boards [m/s]."""
    planning: float | None = None
    """Longest time to plan a whole walk [s]."""

    @property
    def text(self) -> str:
        """What is asked, for people."""
        parts = []
        if self.at_least is not None:
            parts.append(f"{self.at_least:.0%} arrive")
        if self.each_at_least is not None:
            parts.append(f"{self.each_at_least:.0%} on every board")
        if self.speed is not None:
            parts.append(f"{_CENTIMETRES * self.speed:g} cm/s")
        if self.planning is not None:
            parts.append(f"planned in {self.planning:g} s")
        return ", ".join(parts) or "nothing"


def programme_score(speeds: Sequence[float]) -> float | None:
    """Mean over groups of three runs in order of the mean of their best two [m/s]; None below three runs.

    One or two runs that are left over do not count.
    """
    groups = [sorted(speeds[at : at + 3]) for at in range(0, len(speeds) - 2, 3)]
    return sum(0.5 * (group[1] + group[2]) for group in groups) / len(groups) if groups else None


def board_rows(trials: Sequence[BoardTrial], asked: Asked | None = None) -> list[Row]:
    """The figures of every board, then those of all together."""
    asked = asked or Asked()
    labels = list(dict.fromkeys(trial.label for trial in trials))
    rows = []
    for label in labels:
        rows += _rows_of(label, [trial for trial in trials if trial.label == label], asked)
    rows.append(share_row("all boards: arrived", [t.metrics.arrived for t in trials], asked.at_least))
    speed = _CENTIMETRES * sum(trial.speed for trial in trials) / len(trials)
    bar = None if asked.speed is None else _CENTIMETRES * asked.speed
    rows.append(_at_least("all boards: speed, plain mean", speed, "cm/s", len(trials), bar))
    score = programme_score([trial.speed for trial in trials])
    if score is not None:
        rows.append(Row("all boards: programme score", round(_CENTIMETRES * score, 4), "cm/s", "", None, len(trials)))
    void = sum(trial.metrics.end == "void" for trial in trials)
    rows.append(Row("all boards: void runs", float(void), "", "0", void == 0, len(trials)))
    return rows


def table(trials: Sequence[BoardTrial]) -> list[str]:
    """One line per board, for people."""
    head = (
        f"{'board':<26}{'arrived':>9}{'mean':>7}{'median':>8}{'best2/3':>9}{'misses':>8}{'slip':>7}"
        f"{'margin':>8}{'energy':>8}{'plan':>7}{'replan':>8}"
    )
    units = f"{'':<26}{'':>9}{'cm/s':>7}{'cm/s':>8}{'cm/s':>9}{'%':>8}{'cm':>7}{'mm':>8}{'J/m':>8}{'s':>7}{'ms':>8}"
    labels = dict.fromkeys(trial.label for trial in trials)
    return [head, units, *(_line(label, [trial for trial in trials if trial.label == label]) for label in labels)]


def failures(trials: Sequence[BoardTrial]) -> list[dict[str, Any]]:
    """Walks that did not arrive, with their reasons."""
    return [
        {"seed": trial.task.seed, "reasons": [f"{trial.label}: {trial.metrics.end}: {trial.metrics.reason}"]}
        for trial in trials
        if not trial.metrics.arrived
    ]


def csv_text(trials: Sequence[BoardTrial]) -> str:
    """All walks, one per line, with a header."""
    import csv
    import io

    text = io.StringIO()
    rows = [trial.data() for trial in trials]
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: "" if value is None else value for name, value in row.items()})
    return text.getvalue()


def _rows_of(label: str, trials: Sequence[BoardTrial], asked: Asked) -> list[Row]:
    metrics = [trial.metrics for trial in trials]
    speeds, n = [trial.speed for trial in trials], len(trials)
    good = [each for each in metrics if each.arrived]
    rows = [share_row(f"{label}: arrived", [each.arrived for each in metrics], asked.each_at_least)]
    figures: list[tuple[str, float | None, str, int]] = [
        ("speed, plain mean", _CENTIMETRES * sum(speeds) / n, "cm/s", n),
        ("speed, median", _CENTIMETRES * quantile(speeds, 0.5), "cm/s", n),
        ("programme score", _scaled(programme_score(speeds), _CENTIMETRES), "cm/s", n),
        ("missed footholds", _share(sum(m.misses for m in metrics), sum(m.planned for m in metrics)), "share", n),
        ("slip of all feet, mean", _mean([m.slip for m in good], _CENTIMETRES), "cm", len(good)),
        ("margin, smallest", _least([m.margin for m in good], 1e3), "mm", len(good)),
        ("energy, mean", _mean([m.energy / m.way for m in good], 1.0), "J/m", len(good)),
        ("cost of transport, mean", _mean([m.transport for m in good], 1.0), "", len(good)),
        ("other parts touch, mean", _mean([sum(m.brushes.values()) for m in good], 1.0), "s", len(good)),
    ]
    rows += [
        Row(f"{label}: {name}", round(value, 6), unit, "", None, k)
        for name, value, unit, k in figures
        if value is not None
    ]
    longest = _most([m.planning for m in metrics], 1.0)
    if longest is not None:
        bar = asked.planning
        ok, text = (None, "") if bar is None else (longest <= bar, f"<= {bar:g}")
        rows.append(Row(f"{label}: planning, longest", round(longest, 6), "s", text, ok, n))
    return rows


def _line(label: str, trials: Sequence[BoardTrial]) -> str:
    metrics, speeds = [trial.metrics for trial in trials], [trial.speed for trial in trials]
    good = [each for each in metrics if each.arrived]
    numbers = (
        (_CENTIMETRES * sum(speeds) / len(speeds), 7, 1),
        (_CENTIMETRES * quantile(speeds, 0.5), 8, 1),
        (_scaled(programme_score(speeds), _CENTIMETRES), 9, 1),
        (_scaled(_share(sum(m.misses for m in metrics), sum(m.planned for m in metrics)), 100.0), 8, 1),
        (_mean([m.slip for m in good], _CENTIMETRES), 7, 1),
        (_least([m.margin for m in good], 1e3), 8, 1),
        (_mean([m.energy / m.way for m in good], 1.0), 8, 0),
        (_most([m.planning for m in metrics], 1.0), 7, 2),
        (_most([m.replanning for m in metrics], 1e3), 8, 0),
    )
    text = "".join(
        f"{'-':>{wide}}" if value is None else f"{value:>{wide}.{digits}f}" for value, wide, digits in numbers
    )
    return f"{label:<26}{f'{len(good)}/{len(trials)}':>9}{text}"


def _at_least(name: str, value: float, unit: str, n: int, bar: float | None) -> Row:
    value = round(value, 6)
    return Row(name, value, unit, "" if bar is None else f">= {bar:g}", None if bar is None else value >= bar, n)


def _known(values: Sequence[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _fold(values: Sequence[float | None], factor: float, how: Callable[[list[float]], float]) -> float | None:
    known = _known(values)
    return factor * how(known) if known else None


def _mean(values: Sequence[float | None], factor: float) -> float | None:
    return _fold(values, factor, lambda known: sum(known) / len(known))


def _least(values: Sequence[float | None], factor: float) -> float | None:
    return _fold(values, factor, min)


def _most(values: Sequence[float | None], factor: float) -> float | None:
    return _fold(values, factor, max)


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else factor * value


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
