"""Helpers as copies of the studio as it was once everything was loaded, and before it had threads or files open.

An empty interpreter takes a second and a half of imports before it does anything, for each helper anew, and a memory of
its own for what all have loaded. `multiprocessing` copies processes from a server that it begins from the empty
interpreter; here this server is a copy itself.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import socket
import sys
from multiprocessing import connection, forkserver

from andante.search.copies import threads_beside, unwarned

COPIED, SPAWNED = "forkserver", "spawn"
_KNOWN = ("_forkserver_address", "_forkserver_alive_fd", "_forkserver_pid")
"""What `multiprocessing` of Python 3.11 to 3.13 keeps of its server; where that is other, nothing is copied."""
_server = 0
"""Number of the process whose helpers are copies."""


def copy_from_here() -> bool:
    """Let helpers begin as copies of this process as it is now; whether they do.

    They do not where there are threads already, or OpenGL, which do not survive being copied; nor elsewhere than on
    Linux, whose libraries do.
    """
    global _server
    server = getattr(forkserver, "_forkserver", None)
    if (
        not sys.platform.startswith("linux")
        or any(name.startswith("OpenGL") for name in sys.modules)
        or not all(hasattr(server, name) for name in _KNOWN)
        or hasattr(server, "_forkserver_authkey")
        or server._forkserver_pid is not None  # type: ignore[union-attr]
        or threads_beside()
    ):
        return False
    address = connection.arbitrary_address("AF_UNIX")  # type: ignore[attr-defined]
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        if not address.startswith("\0"):
            os.chmod(address, 0o600)
        listener.listen()
        read, write = os.pipe()
        # What is here stays: looking through it for garbage would copy it into every helper.
        gc.collect()
        gc.freeze()
        with unwarned():
            pid = os.fork()
        if pid == 0:
            with contextlib.suppress(BaseException):
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                os.close(write)
                forkserver.main(listener.detach(), read, [])
            os._exit(0)
        os.close(read)
    server._forkserver_address, server._forkserver_alive_fd, server._forkserver_pid = address, write, pid  # type: ignore[union-attr]
    _server = os.getpid()
    return True


def begins_from() -> str:
    """How a helper of this process begins, as `multiprocessing.get_context` names it."""
    return COPIED if _server == os.getpid() else SPAWNED
