"""A process beside the server that answers one question at a time, and ends with the server."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import connection, get_context, parent_process


def one_process() -> ProcessPoolExecutor:
    """One process, begun at the first question."""
    return ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn"), initializer=_end_with_parent)


def _end_with_parent() -> None:
    """End this process as soon as the one that began it is gone.

    Workers of an executor wait for questions forever: a killed server would leave its own behind, 200 MB each.
    """
    # Ctrl-C in the terminal reaches this process too; it ends without a word, whatever it is at.
    signal.signal(signal.SIGINT, lambda *_: os._exit(1))
    threading.Thread(target=_watch, daemon=True, name="parent").start()


def _watch() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
