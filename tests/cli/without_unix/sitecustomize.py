"""Takes away from Andante's own modules what Python lacks on Windows; libraries keep what they have.

A process that has this folder on its path sees no `fcntl`, no folders by handle, no fork, fewer signals. It is no
Windows: paths, locks on open files and consoles are those of the system that it runs on.
"""

import builtins
import multiprocessing
import os
import select
import signal
import socket
import sys
import types

MODULES = {"fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}
NAMES = {
    os: """O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK O_PATH O_SYNC chown fchmod fchown fork getegid geteuid getgid
        getloadavg getpgid getpgrp getuid killpg mkfifo nice openpty posix_fallocate pread pwrite register_at_fork
        sched_getaffinity sched_param sched_setaffinity sched_setscheduler setsid statvfs sync sysconf tcgetpgrp
        uname""",
    signal: """SIGALRM SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGUSR1 SIGUSR2 SIGWINCH SIG_BLOCK SIG_SETMASK
        SIG_UNBLOCK alarm pthread_kill pthread_sigmask setitimer siginterrupt sigwait""",
    socket: "AF_UNIX SO_REUSEPORT",
    select: "epoll poll",
}


class _Fewer(types.ModuleType):
    """A module with some names gone and some others changed."""

    def __init__(self, module: types.ModuleType, gone: str = "", **other: object) -> None:
        super().__init__(module.__name__)
        self.__dict__.update(_module=module, _gone=set(gone.split()), _other=other)

    def __getattr__(self, name: str) -> object:
        if name in self._gone:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return self._other[name] if name in self._other else getattr(self._module, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._module, name, value)


_FEWER = {module.__name__: _Fewer(module, names) for module, names in NAMES.items()}
_FEWER["sys"] = _Fewer(sys, platform="win32")
_import = builtins.__import__


def _imported(name, globals=None, locals=None, fromlist=(), level=0):  # noqa: A002 - the names of `__import__`
    if level == 0 and str((globals or {}).get("__name__")).startswith("andante"):
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if name in _FEWER:
            return _FEWER[name]
    return _import(name, globals, locals, fromlist, level)


builtins.__import__ = _imported
multiprocessing.get_all_start_methods = lambda: ["spawn"]
