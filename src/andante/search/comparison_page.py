"""The page of a comparison: verdict, a table, and pictures; one file that needs nothing beside it."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import resources
from typing import Any

from andante.pictures.figures import picture_bytes
from andante.pictures.pages import page
from andante.search.comparison import Comparison, Paired, described
from andante.search.comparison_picture import difference_figure, pair_figure
from andante.search.measures import Measure

_LONGEST_NAME = 40


def comparison_page(
    comparison: Comparison,
    pairs: Paired,
    measures: Sequence[Measure],
    names: tuple[str, str],
    about: Mapping[str, Any],
) -> str:
    """The HTML text of the page.

    Args:
        comparison: What to show.
        pairs: The trials behind it.
        measures: What was compared.
        names: Of the first and the second version.
        about: What was asked, a few words per name.
    """
    folder = resources.files("andante.search")
    template, script = ((folder / name).read_text(encoding="utf-8") for name in ("comparison.html", "comparison.js"))
    shortened = tuple(name if len(name) <= _LONGEST_NAME else f"...{name[-_LONGEST_NAME:]}" for name in names)
    pictures = (difference_figure(comparison), pair_figure(measures, pairs, (shortened[0], shortened[1])))
    data = {
        "names": names,
        "outcome": comparison.outcome,
        "why": comparison.why,
        "pairs": comparison.pairs,
        "level": comparison.level,
        "about": {name: str(value) for name, value in about.items()},
        "rows": [asdict(each) | {"text": described(each)} for each in comparison.differences],
        "pictures": [base64.b64encode(picture_bytes(each, ".svg")).decode("ascii") for each in pictures],
    }
    return page(template, f"{names[1]} against {names[0]}", data, script)
