"""The suite `fall`: how hard do trunk and head hit the floor, against a limp fall after the same push?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated

from pydantic import Field

from andante.search.observers.spread import spread_named
from andante.search.rows import Row, figure, share_row
from andante.search.statistics import quantile, ratio_of_means
from andante.search.suite import BenchReport, Case, SeededOptions, Suite, names_of, seeded
from andante.search.suites.fall_trial import Direction, FallResult, PushSetup, Way, run_push

EITHER, BOTH = "trunk or head", "trunk and head"
"""The larger of the two peaks, and their sum: a limp NAO falls on its head alone, so that neither part can be judged
on its own."""


class FallOptions(SeededOptions):
    """What the suite can be asked."""

    library: str = "nao"
    """Motion library: a shipped name or a file or folder."""
    direction: str = "forward,backward"
    """Where to: forward, backward, with commas."""
    spread: str = "standard"
    """How harsh the world is: none, standard, noisy, wide."""
    contact_time: Annotated[float, Field(ge=0.004, le=0.05)] = 0.008
    """Time constant of the contacts [s]; peak forces depend on it."""
    at_most: float | None = None
    """Largest share of a limp fall's peak force on trunk and head."""
    again: float | None = None
    """Share asked to stand again by itself."""


def fall_rows(trials: Sequence[FallResult], at_most: float | None = None, again: float | None = None) -> list[Row]:
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


def _rows(name: str, ways: dict[Way, list[FallResult]], at_most: float | None, again: float | None) -> list[Row]:
    engine, limp, stiff = ways[Way.ENGINE], ways[Way.LIMP], ways[Way.STIFF]
    rows = [
        share_row(f"{name}: falls, standing stiff", [t.fell for t in stiff]),
        share_row(f"{name}: falls, with the engine", [t.fell for t in engine]),
    ]
    seen = [t.seen for t in engine if t.seen is not None]
    if seen:
        rows.append(figure(f"{name}: fall seen after, median", quantile(seen, 0.5), "s", len(seen)))
    pairs = [(a, b) for a, b in zip(engine, limp, strict=True) if b.fell]
    fell_too = [(a, b) for a, b in pairs if a.fell]
    for part in (*engine[0].peak, EITHER, BOTH):
        for way in Way:
            fallen = [_of(t.peak, part) for t in ways[way] if t.fell]
            if fallen:
                title = f"{name}: peak on {part}, {way}, median"
                rows.append(figure(title, quantile(fallen, 0.5), "N", len(fallen)))
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
            rows.append(figure(f"{name}: push to standing, median", quantile(times, 0.5), "s", len(times)))
    return rows


def _ratio(name: str, pairs: Sequence[tuple[float, float]], at_most: float | None) -> list[Row]:
    """The ratio of the means over pairs; none where the limp robot was not hit there at all."""
    if not any(below for _, below in pairs):
        return []
    ratio, interval = ratio_of_means([above for above, _ in pairs], [below for _, below in pairs])
    return [figure(name, ratio, "", len(pairs), at_most=at_most, interval=interval)]


def _of(values: dict[str, float], part: str) -> float:
    if part == BOTH:
        return sum(values.values())
    return max(values.values()) if part == EITHER else values[part]


def _cases(options: FallOptions) -> list[Case[PushSetup]]:
    directions = names_of(options.direction, Direction, "--direction")
    spread = spread_named(options.spread)
    pushed = [
        PushSetup(options.library, direction, way, spread, options.contact_time)
        for direction in directions
        for way in Way
    ]
    setups = [(f"{each.direction}, {each.way}", each) for each in pushed]
    return seeded(setups, options.first_seed, options.seeds)


def _report(options: FallOptions, results: Mapping[str, Sequence[FallResult]]) -> BenchReport:
    directions = names_of(options.direction, Direction, "--direction")
    trials = [
        results[f"{direction}, {way}"][number]
        for direction in directions
        for number in range(options.seeds)
        for way in Way
    ]
    about = options.about("library", "spread", "contact_time", "first_seed", "seeds")
    about["trials"] = [asdict(trial) for trial in trials]
    return BenchReport("fall", fall_rows(trials, options.at_most, options.again), about)


SUITE = Suite("fall", FallOptions, FallResult, _cases, run_push, _report)
"""The suite."""
