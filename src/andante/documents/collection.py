"""Python's search for circles of garbage, paused while a large document is read."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """No search for circles: half a million new objects without a circle among them would be looked through again and
    again, which takes half of the time and more."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
