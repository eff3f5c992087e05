"""How long a network that is tried may take: one that never answers keeps Python, and Ctrl-C with it, outside."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

LONGEST = 5.0
"""How long the calls of one trial may take together [s]."""
_options: ContextVar[Any] = ContextVar("andante_network_options", default=None)


@contextlib.contextmanager
def limited(runtime: Any, longest: float = LONGEST) -> Iterator[None]:
    """End calls of networks in this block once they take too long; each then fails, see `is_ended`.

    Args:
        runtime: The package onnxruntime.
        longest: How long they may take together [s].
    """
    options = runtime.RunOptions()
    token = _options.set(options)
    timer = threading.Timer(longest, lambda: setattr(options, "terminate", True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        _options.reset(token)


def options_now() -> Any:
    """The options with which a call is made now; None: the usual ones."""
    return _options.get()


def is_ended() -> bool:
    """Whether the block's time is over."""
    options = _options.get()
    return options is not None and bool(options.terminate)
