"""Let nothing but a loop in real time take time: no collection of garbage, and processor and priority where asked."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

from andante.backends.backend import BackendError
from andante.backends.memory import give_back


@contextmanager
def undisturbed(processor: int | None, priority: int | None, place: str = "backend") -> Iterator[None]:
    """Let nothing but the run take time: the garbage collector stands still, after it has looked once.

    Threads that are started meanwhile, as those of a network, have the same processor and priority.

    Args:
        processor: Processor on which this thread stays; None: any.
        priority: Its priority among real-time processes (SCHED_FIFO); None: none of them.
        place: Whose settings they are, for messages.

    Raises:
        BackendError: The system refuses the processor or the priority, or knows none of them, as macOS and Windows.
    """
    for name, value, call in (
        ("processor", processor, "sched_setaffinity"),
        ("priority", priority, "sched_setscheduler"),
    ):
        if value is not None and not hasattr(os, call):
            remedy = "leave it out, or run on Linux"
            what = "this system gives no process such a right"
            raise BackendError(what, place=f"{place}.{name}", value=value, remedy=remedy)
    # Collected before the run has any rights over others.
    give_back()
    before = os.sched_getaffinity(0) if processor is not None else None
    name, value = "processor", processor
    try:
        if processor is not None:
            os.sched_setaffinity(0, {processor})
        name, value = "priority", priority
        if priority is not None:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except (OSError, ValueError) as error:
        if before is not None:
            os.sched_setaffinity(0, before)
        raise BackendError(
            f"the system refuses: {error}",
            place=f"{place}.{name}",
            value=value,
            remedy="leave it out, or give the process the right to it",
        ) from None
    # Nothing is frozen: what a program has frozen itself, as a server that was warmed up, would be thawed with it.
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
        if before is not None:
            os.sched_setaffinity(0, before)
        if priority is not None:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
