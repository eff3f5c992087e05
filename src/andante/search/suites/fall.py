"""The suite `fall`: how hard do trunk and head hit the floor, against a limp fall after the same push?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from andante.search.bench import Row, rows_as_data, share_row
from andante.search.errors import SearchError
from andante.search.executor import run_trials
from andante.search.statistics import quantile, ratio_of_means
from andante.search.suites.fall_trial import Direction, Fallen, Pushed, Way, run_push

EITHER, BOTH = "trunk or head", "trunk and head"
"""The larger of the two peaks, and their sum: a limp NAO falls on its head alone, so that neither part can be judged
on its own."""


def directions_of(text: str) -> tuple[Direction, ...]:
    """The directions of a comma-separated list.

    Raises:
        SearchError: An unknown or repeated direction.
    """
    legal = [str(each) for each in Direction]
    names = [each.strip() for each in text.split(",")]
    if any(name not in legal for name in names) or len(set(names)) != len(names):
        raise SearchError("no such list of directions", place="direction", value=text, legal=legal)
    return tuple(Direction(name) for name in names)


def run_falls(
    pushed: Pushed, directions: Sequence[Direction], first_seed: int, seeds: int, workers: int
) -> list[Fallen]:
    """Each push met in every way; direction and way of ``pushed`` are not used.

    Raises:
        AndanteError: Library, robot and world do not fit.
    """
    tasks = [
        (replace(pushed, direction=direction, way=way), seed)
        for direction in directions
        for seed in range(first_seed, first_seed + seeds)
        for way in Way
    ]
    return list(run_trials(_push, tasks, workers))


def fall_rows(trials: Sequence[Fallen], at_most: float | None = None, again: float | None = None) -> list[Row]:
    """Rows per direction; impacts are compared over the pushes after which the limp robot fell, and over those after
    which the robot fell both ways.

    Args:
        trials: The trials.
        at_most: Largest share of a limp fall's mean peak force that the larger force, and the sum, may have.
        again: Share of falls after which the robot must stand again by itself.
    """
    rows: list[Row] = []
    for direction in Direction:
        ways = {way: [t for t in trials if t.direction is direction and t.way is way] for way in Way}
        if ways[Way.ENGINE]:
            rows += _rows(str(direction), ways, at_most, again)
    return rows


def fall_data(trials: Sequence[Fallen], rows: Sequence[Row], **about: Any) -> dict[str, Any]:
    """The JSON object."""
    return rows_as_data("fall", rows, **about, trials=[asdict(trial) for trial in trials])


def _rows(name: str, ways: dict[Way, list[Fallen]], at_most: float | None, again: float | None) -> list[Row]:
    engine, limp, stiff = ways[Way.ENGINE], ways[Way.LIMP], ways[Way.STIFF]
    rows = [
        share_row(f"{name}: falls, standing stiff", [t.fell for t in stiff]),
        share_row(f"{name}: falls, with the engine", [t.fell for t in engine]),
    ]
    seen = [t.seen for t in engine if t.seen is not None]
    if seen:
        rows.append(Row(f"{name}: fall seen after, median", quantile(seen, 0.5), "s", "", None, len(seen)))
    pairs = [(a, b) for a, b in zip(engine, limp, strict=True) if b.fell]
    fell_too = [(a, b) for a, b in pairs if a.fell]
    for part in (*engine[0].peak, EITHER, BOTH):
        for way in Way:
            fallen = [_of(t.peak, part) for t in ways[way] if t.fell]
            if fallen:
                title = f"{name}: peak on {part}, {way}, median"
                rows.append(Row(title, quantile(fallen, 0.5), "N", "", None, len(fallen)))
        asked = at_most if part in (EITHER, BOTH) else None
        for chosen, which in ((pairs, ""), (fell_too, " where both fell")):
            peaks = [(_of(a.peak, part), _of(b.peak, part)) for a, b in chosen]
            blows = [(_of(a.momentum, part), _of(b.momentum, part)) for a, b in chosen]
            rows += _ratio(f"{name}: peak on {part} over limp{which}", peaks, asked)
            rows += _ratio(f"{name}: impulse on {part} over limp{which}", blows, None)
    stood = [t.stands_again is not None for t in engine if t.seen is not None]
    if stood:
        rows.append(share_row(f"{name}: stands again by itself", stood, again))
        times = [t.stands_again for t in engine if t.stands_again is not None]
        if times:
            rows.append(Row(f"{name}: push to standing, median", quantile(times, 0.5), "s", "", None, len(times)))
    return rows


def _ratio(name: str, pairs: Sequence[tuple[float, float]], at_most: float | None) -> list[Row]:
    """The ratio of the means over pairs; none where the limp robot was not hit there at all."""
    if not any(below for _, below in pairs):
        return []
    ratio, interval = ratio_of_means([above for above, _ in pairs], [below for _, below in pairs])
    asked = "" if at_most is None else f"<= {at_most:g}"
    return [Row(name, ratio, "", asked, None if at_most is None else ratio <= at_most, len(pairs), interval)]


def _of(values: dict[str, float], part: str) -> float:
    if part == BOTH:
        return sum(values.values())
    return max(values.values()) if part == EITHER else values[part]


def _push(task: tuple[Pushed, int]) -> Fallen:
    return run_push(*task)
