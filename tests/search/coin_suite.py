"""A suite of two coins for tests: the library's name says how often a throw succeeds and how long it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from andante.errors import AndanteError
from andante.search.measure import Measure
from andante.search.rows import share_row
from andante.search.suite import BenchReport, Case, SeededOptions, Suite, seeded

COINS = {"fair": 0.0, "heavy": 0.4}


class CoinOptions(SeededOptions):
    """What can be asked."""

    subject = "library"
    conditions = ("table",)

    library: str = "fair"
    """The coin."""
    table: str = "oak"
    """What it falls on."""


@dataclass(frozen=True)
class Throw:
    """One throw."""

    good: bool
    time: float


def throw(library: str, seed: int) -> Throw:
    """Throw it."""
    if library not in COINS:
        raise AndanteError("no such coin", value=library, legal=COINS)
    rng = np.random.default_rng(seed)
    return Throw(bool(rng.random() > 0.1), 1.0 + float(rng.random()) + COINS[library])


def _cases(options: CoinOptions) -> list[Case[str]]:
    return seeded([("thrown", options.library)], options.first_seed, options.seeds)


def _report(options: CoinOptions, results: Mapping[str, Sequence[Throw]]) -> BenchReport:
    return BenchReport("coin", [share_row("good", [each.good for each in results["thrown"]])], {})


MEASURES = (
    Measure("success", "", lambda each: each.good, "more", succeeds=True),
    Measure("time", "s", lambda each: each.time, "less", 0.1),
)
SUITE = Suite("coin", CoinOptions, Throw, _cases, throw, _report, measures=MEASURES)
