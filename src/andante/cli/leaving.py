"""The end of a command: threads that code of others left behind do not hold the process back for ever."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading

GRACE = 3.0
"""How long threads of others may go on once a command has answered [s]."""


def leave_soon(code: int) -> None:
    """Let the interpreter end as it does, which waits for all threads but daemons; those that stay are left behind.

    Args:
        code: Exit code of the process.
    """
    # What is registered last comes first: before all that code of others has registered.
    atexit.register(_answered)
    watch = threading.Timer(GRACE, _leave, (code,))
    watch.daemon = True
    watch.start()


def _answered() -> None:
    """Let all that is printed from now on go where errors go: it would stand behind a JSON object.

    What others have registered for the end prints then, and so do threads that they left running.
    """
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())


def _leave(code: int) -> None:
    main = threading.main_thread()
    others = [each.name for each in threading.enumerate() if not each.daemon and each is not main]
    if not others:
        return
    what = f"code that was run left {len(others)} of its threads running ({', '.join(others[:5])})"
    with contextlib.suppress(OSError, ValueError):
        print(f"andante: {what}; they are ended, make them daemons", file=sys.stderr)
    # What the interpreter would do next: helper processes end, temporary folders go. What others have registered there
    # may raise anything; the command has answered, and only its exit code is left to give.
    with contextlib.suppress(Exception):
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)
