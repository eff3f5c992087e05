"""A process beside the server under watch: what ends, stands still, or takes too much memory or time is noticed.

Nothing is waited for that will not come: the process is ended, and who has begun it is told why in one sentence.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from andante.studio.copied import begins_from

_LOOK = 0.25
"""Time between two looks at a process [s]."""
_STOPPED = 2
"""So many looks in a row must find a process stopped: Ctrl-Z stops the server as well, which wakes first."""
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


@dataclass(frozen=True)
class HelperLimits:
    """What a process may take."""

    seconds: float = 120.0
    """Time for one answer [s]."""
    memory: float = 4e9
    """Memory in use [bytes]."""
    nice: int = 0
    """So much it lets others go first, 0 to 19: whoever edits must not feel that something is tried meanwhile."""


class SupervisedProcess:
    """A process with a pipe, begun at once.

    Args:
        name: Its name.
        serve: What it does with its end of the pipe.
        limits: What it may take.
        ended: Called once with itself and the reason, in a thread, where it ends without having been stopped.
        begin_from: How it begins: from the empty interpreter (``spawn``), or from one that has everything loaded
            (``forkserver``), see `multiprocessing.get_context`; empty: as `andante.studio.copied` says.
    """

    def __init__(
        self,
        name: str,
        serve: Callable[[Connection], None],
        limits: HelperLimits,
        ended: Callable[[SupervisedProcess, str], None],
        begin_from: str = "",
    ) -> None:
        self._limits, self._ended = limits, ended
        self._owed: float | None = None
        self._allowed = limits.seconds
        self._stopping = False
        context: Any = get_context(begin_from or begins_from())
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_begin, args=(serve, theirs, limits, name), daemon=True, name=name)
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        self._process.start()
        theirs.close()
        self.reason = ""
        self._watch = threading.Thread(target=self._look, daemon=True, name=f"{name}-watch")
        self._watch.start()

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid or 0

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return not self.reason and not self._stopping and self._process.is_alive()

    def owe(self, seconds: float | None = None) -> None:
        """An answer is awaited from now on."""
        self._allowed = self._limits.seconds if seconds is None else seconds
        self._owed = time.monotonic() + self._allowed

    def paid(self) -> None:
        """No answer is awaited any more."""
        self._owed = None

    def why(self) -> str:
        """Why it has ended; waits until that is known."""
        self._watch.join(5.0)
        return self.reason or "it does not answer"

    def stop(self, wait: float = 1.0) -> None:
        """End it; ``wait`` so long for it to end by itself [s]."""
        self._stopping = True
        _hang_up(self.pipe)
        self._process.join(wait)
        if self._process.is_alive():
            self._process.kill()

    def _look(self) -> None:
        """Look at it until it has ended (in a thread of its own)."""
        process, stopped, reason = self._process, 0, ""
        while not connection.wait([process.sentinel], _LOOK):
            state, memory = _state(self.pid)
            stopped = stopped + 1 if state in "Tt" else 0
            owed = self._owed
            if stopped >= _STOPPED:
                reason = "it was stopped from outside"
            elif memory > self._limits.memory:
                reason = f"it needed more than {self._limits.memory / 1e9:.3g} GB of memory"
            elif owed is not None and time.monotonic() > owed:
                reason = f"it gave no answer for {self._allowed:.3g} s"
            if reason:
                process.kill()
        process.join()
        self.reason = reason or _told(process.exitcode or 0)
        if not self._stopping:
            self._ended(self, self.reason)


def _hang_up(pipe: Connection) -> None:
    """Close a pipe for both ends, also while a thread reads from it, which keeps a closed one open for the other."""
    with contextlib.suppress(OSError):
        if hasattr(socket, "AF_UNIX"):
            with socket.socket(fileno=os.dup(pipe.fileno())) as line:
                line.shutdown(socket.SHUT_RDWR)
        pipe.close()


def _told(code: int) -> str:
    if code == -signal.SIGKILL:
        return "it was killed, by somebody or for want of memory"
    return f"it was ended by signal {-code}" if code < 0 else "it ended by itself"


def _state(pid: int) -> tuple[str, float]:
    """State (a letter) and memory [bytes] of a process; unknown ones as running without any."""
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0].decode()
        return state, int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return "R", 0.0


def _begin(serve: Callable[[Connection], None], pipe: Connection, limits: HelperLimits, name: str) -> None:
    """Entry of the process."""
    # For who looks at a list of processes.
    with contextlib.suppress(OSError):
        Path("/proc/self/comm").write_text(name[:15])
    # Ctrl-C in the terminal reaches this process too; the server ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A copy of the studio would answer as the studio does.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.nice(limits.nice)
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        # The watch looks four times a second; this holds meanwhile. Code and stacks count more than what is used.
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        most = int(2 * limits.memory)
        resource.setrlimit(resource.RLIMIT_DATA, (most if hard < 0 else min(most, hard), hard))
    threading.Thread(target=_end_with_parent, daemon=True, name="parent").start()
    serve(pipe)


def _end_with_parent() -> None:
    """End this process with the one that began it, whatever it is at: a killed server would leave it behind."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def said(error: BaseException) -> Any:
    """An error of a process that can be sent, without the words of the language it is written in."""
    from andante.errors import AndanteError
    from andante.studio.errors import StudioError

    if isinstance(error, AndanteError):
        return error
    if isinstance(error, MemoryError):
        return StudioError("this needs more memory than a helper of the studio may take")
    return StudioError(f"Andante has met an error of its own ({type(error).__name__}); please report it with the file")
