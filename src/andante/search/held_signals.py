"""Signals that ask a process to end, held back for a moment."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator


@contextlib.contextmanager
def signals_held(*signals: signal.Signals) -> Iterator[None]:
    """Let nobody ask this thread, nor a process that it starts meanwhile, to end; who did is heard afterwards.

    Windows cannot hold signals back.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    old = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)
