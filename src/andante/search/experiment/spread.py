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
from andante.search.experiment.trial import STRENGTH, TrialSetup, drawn_values, with_drawn


def check_spread(scenario: Scenario, spread: Sequence[Draw]) -> None:
    """See that what a seed may draw is legal, at both ends.

    Raises:
        SearchError: It crosses a bound, or is added to what is set anew when a trial begins; the draw is named.
    """
    data = scenario.model_dump()
    for index, draw in enumerate(spread):
        path = parse_path(draw.path, "spread")
        if draw.plus and draw.path == STRENGTH:
            what = "a factor on all servos is set when a trial begins, and nothing is added to it"
            raise SearchError(what, place=f"spread {draw.path}", value="plus: true", remedy="draw the whole factor")
        check_path(Scenario, path, data, "spread")
        if draw.plus and any(parse_path(each.path) == path for each in spread[:index]):
            # What it is added to is drawn as well: `check_draws` looks at the sums.
            continue
        ends: Sequence[Any] = draw.choice or draw.uniform or (() if draw.normal is None else draw.normal[:1])
        for end in ends:
            try:
                validated(with_drawn(data, draw, end))
            except AndanteError as error:
                drawn = "choice" if draw.choice else "uniform" if draw.uniform else "normal"
                what = f"the spread crosses a bound ({drawn} {list(draw.choice or draw.uniform or draw.normal or ())})"
                raise SearchError(f"{what}: {error}", place=f"spread {draw.path}", value=end) from None


def check_draws(setup: TrialSetup, seeds: Sequence[int]) -> None:
    """See that what the seeds draw from normal distributions, which have no ends, and sums of draws are legal.

    Raises:
        SearchError: The lowest or the highest of them crosses a bound; draw and seed are named.
    """
    endless = [draw for draw in setup.spread if draw.normal is not None or draw.plus]
    drawn = {seed: drawn_values(setup.spread, seed, *setup.stream) for seed in seeds} if endless else {}
    for draw in endless:
        by_value = sorted(drawn, key=lambda seed: drawn[seed][draw.path])
        for seed in dict.fromkeys((by_value[0], by_value[-1])):
            try:
                setup.scenario(seed)
            except AndanteError as error:
                told = f"normal {list(draw.normal)}" if draw.normal else "a sum"
                raise SearchError(
                    f"seed {seed} draws what crosses a bound ({told}): {error}",
                    place=f"spread {draw.path}",
                    value=drawn[seed][draw.path],
                    remedy="give a smaller deviation, or uniform" if draw.normal else "draw from less",
                ) from None
