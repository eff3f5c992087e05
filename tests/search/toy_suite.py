"""A suite in one file, as one would add it: how often does a die show at least what is asked?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import Field

from andante.errors import AndanteError
from andante.search.rows import share_row
from andante.search.suite import BenchReport, Case, SeededOptions, Suite, seeded


class DiceOptions(SeededOptions):
    """What can be asked."""

    sides: tuple[int, ...] = (6,)
    """Sides of a die; repeat."""
    least: Annotated[int, Field(ge=1, le=100)] = 2
    """What it must show."""
    table: Annotated[Path | None, Field(exclude=True)] = None
    """Write the throws here."""


@dataclass(frozen=True)
class Throw:
    """One throw."""

    shown: int
    share: float
    rests: tuple[float, ...]


def throw(sides: int, seed: int) -> Throw:
    """Throw a die."""
    if sides < 1:
        raise AndanteError("such a die does not roll", value=sides, limit=">= 1")
    shown = int(np.random.default_rng([seed, sides]).integers(1, sides + 1))
    return Throw(shown, shown / 3, (shown / 7, float("inf")))


def _cases(options: DiceOptions) -> list[Case[int]]:
    return seeded([(f"d{sides}", sides) for sides in options.sides], options.first_seed, options.seeds)


def _report(options: DiceOptions, results: Mapping[str, Sequence[Throw]]) -> BenchReport:
    rows = [share_row(name, [each.shown >= options.least for each in throws]) for name, throws in results.items()]
    throws = {name: [{**asdict(each), "rests": each.rests[0]} for each in found] for name, found in results.items()}
    files = {} if options.table is None else {options.table: lambda path: path.write_text(str(throws))}
    return BenchReport("dice", rows, {"throws": throws}, files=files)


SUITE = Suite("dice", DiceOptions, Throw, _cases, throw, _report)
