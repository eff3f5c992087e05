"""The order of a run: modules whose tests wait, for a browser or for minutes, come first.

A test with a browser waits for half of its time. Begun first, they go beside tests that only compute for most of a run,
and no worker is left alone with the last of them at its end. The same holds for the few marked ``long``.
"""

from __future__ import annotations

import pytest


def waits(item: pytest.Item) -> bool:
    """Whether a test looks at pages in a browser, or takes a minute by the clock for another reason."""
    marked = any(item.get_closest_marker(name) is not None for name in ("browser", "long"))
    return marked or "chromium" in getattr(item, "fixturenames", ())


def pages_first(items: list[pytest.Item]) -> None:
    """Put whole modules first, as their tests share a browser and a studio; else the order stays."""
    modules = {item.path for item in items if waits(item)}
    items.sort(key=lambda item: item.path not in modules)
