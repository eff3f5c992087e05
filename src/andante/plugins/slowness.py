"""Who is waited for: a plug-in whose import takes long is named on standard error, also one that never ends."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

SLOW = 5.0
"""An import that takes longer is named [s]; the slowest large libraries take less on an idle computer."""


@contextmanager
def named_where_slow(who: str) -> Iterator[None]:
    """Say once on standard error who is waited for, when the code inside has run for `SLOW` seconds.

    Args:
        who: The plug-in, for people.
    """
    # A process that has not imported it is no worker.
    processes = sys.modules.get("multiprocessing")
    if processes is not None and processes.parent_process() is not None:
        # Each worker imports the same; the process that they work for has told it.
        yield
        return
    alarm = threading.Timer(SLOW, _tell, (who,))
    alarm.daemon = True
    alarm.start()
    try:
        yield
    finally:
        alarm.cancel()


def _tell(who: str) -> None:
    with suppress(AttributeError, ValueError, OSError):
        sys.stderr.write(
            f"andante: {who} is being imported, for more than {SLOW:g} s by now; andante plugins times it\n"
        )
        sys.stderr.flush()
