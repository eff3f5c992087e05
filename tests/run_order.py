"""The order of a run: modules whose tests wait for a browser come first.

Such a test waits for half of its time. Begun first, they go beside tests that only compute for most of a run, and no
worker is left alone with the last of them at its end.
"""

from __future__ import annotations

import pytest


def waits(item: pytest.Item) -> bool:
    """Whether a test looks at pages in a browser."""
    return item.get_closest_marker("browser") is not None or "chromium" in getattr(item, "fixturenames", ())


def pages_first(items: list[pytest.Item]) -> None:
    """Put whole modules first, as their tests share a browser and a studio; else the order stays."""
    modules = {item.path for item in items if waits(item)}
    items.sort(key=lambda item: item.path not in modules)
