"""Whether what seeds may draw is legal, before the first trial."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from andante.documents.paths import check_path, parse_path
from andante.errors import AndanteError
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import validated
from andante.search.errors import SearchError
from andante.search.experiment.document import Draw
from andante.search.experiment.trial import TrialSetup, drawn_values, with_drawn


def check_spread(scenario: Scenario, spread: Sequence[Draw]) -> None:
    """See that what a seed may draw is legal, at both ends.

    Raises:
        SearchError: It crosses a bound; the draw is named.
    """
    data = scenario.model_dump()
    for draw in spread:
        path = parse_path(draw.path, "spread")
        check_path(Scenario, path, data, "spread")
        ends: Sequence[Any] = draw.choice or draw.uniform or (() if draw.normal is None else draw.normal[:1])
        for end in ends:
            try:
                validated(with_drawn(data, draw, end))
            except AndanteError as error:
                drawn = "choice" if draw.choice else "uniform" if draw.uniform else "normal"
                what = f"the spread crosses a bound ({drawn} {list(draw.choice or draw.uniform or draw.normal or ())})"
                raise SearchError(f"{what}: {error}", place=f"spread {draw.path}", value=end) from None


def check_draws(setup: TrialSetup, seeds: Sequence[int]) -> None:
    """See that what the seeds draw from normal distributions, which have no ends, is legal.

    Raises:
        SearchError: The lowest or the highest of them crosses a bound; draw and seed are named.
    """
    normal = [draw for draw in setup.spread if draw.normal is not None]
    drawn = {seed: drawn_values(setup.spread, seed, *setup.stream) for seed in seeds} if normal else {}
    for draw in normal:
        by_value = sorted(drawn, key=lambda seed: drawn[seed][draw.path])
        for seed in dict.fromkeys((by_value[0], by_value[-1])):
            try:
                setup.scenario(seed)
            except AndanteError as error:
                raise SearchError(
                    f"seed {seed} draws what crosses a bound (normal {list(draw.normal or ())}): {error}",
                    place=f"spread {draw.path}",
                    value=drawn[seed][draw.path],
                    remedy="give a smaller deviation, or uniform",
                ) from None
