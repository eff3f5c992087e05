"""Threads of users' code that go on beside a run: what they do cannot be taken back."""

from __future__ import annotations

import threading
import types
from collections.abc import Container

from andante.runs.state import code
from andante.runs.state.kept import refusal
from andante.runs.state.owners import is_users


def refuse_threads(seen: Container[int]) -> None:
    """Refuse threads that run a user's function, or are of a user's class, which a run's objects refer to.

    Args:
        seen: Identities of all objects that were met.

    Raises:
        SnapshotError: There is one.
    """
    for thread in threading.enumerate():
        if thread is threading.current_thread():
            continue
        target: object = getattr(thread, "_target", None)
        function = getattr(target, "__func__", target)
        own = function if isinstance(function, types.FunctionType) else type(thread)
        if id(own) in seen and is_users(code.home(own)):
            raise refusal(
                f"thread {thread.name!r}, {own.__qualname__}",
                thread,
                "it goes on beside the run",
                "do the work in step",
            )
