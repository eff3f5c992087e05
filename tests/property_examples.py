"""How many examples property tests and oracles try: few at each change, all in CI, many at night.

``ANDANTE_EXAMPLES`` chooses: ``few`` (where nothing is said), ``all`` (as the tests say), ``many`` (ten times that).
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import pytest
from hypothesis import settings

CHOICES = {"few": 0.2, "all": 1.0, "many": 10.0}
"""Share of what the tests say, by the value of ``ANDANTE_EXAMPLES``."""
FEWEST = 10
"""A property test tries as many, or what it says where that is less."""

# A busy machine is no defect: no example of a property test is judged by its time.
settings.register_profile("andante", deadline=None)
settings.load_profile("andante")


def examples(said: int, choice: str | None = None) -> int:
    """How many of the examples that a test says it tries in this run."""
    share = CHOICES[choice or os.environ.get("ANDANTE_EXAMPLES", "few")]
    return min(said, max(FEWEST, round(share * said))) if share <= 1.0 else round(share * said)


def configurations(said: int) -> int:
    """How many of the configurations of an oracle are tried in this run: a twentieth where few examples are."""
    few = os.environ.get("ANDANTE_EXAMPLES", "few") == "few"
    return max(FEWEST, said // 20) if few else examples(said)


def settle_examples(items: Iterable[pytest.Item], choice: str | None = None) -> None:
    """Set the examples of all property tests among the items, also of those that state how many they try."""
    # A test of several parameters is several items with one function, which counts once.
    seen: set[int] = set()
    for item in items:
        test = getattr(item, "obj", None)
        if getattr(test, "is_hypothesis_test", False) and id(getattr(test, "__func__", test)) not in seen:
            function = getattr(test, "__func__", test)
            seen.add(id(function))
            # Where Hypothesis keeps what @settings said, or nothing where it said nothing; its own plugin for pytest
            # looks there too.
            said = getattr(function, "_hypothesis_internal_use_settings", None) or settings.default
            tried = examples(said.max_examples, choice)
            function._hypothesis_internal_use_settings = settings(said, max_examples=tried)
