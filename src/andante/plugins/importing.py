"""Importing what others wrote: what its import prints or changes for all of the process is taken back."""

from __future__ import annotations

import ctypes
import locale
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress

import numpy as np


@contextmanager
def contained() -> Iterator[None]:
    """Go on afterwards in the same folder, locale and errors of numpy; what is printed goes to stderr.

    A process that the code inside forks ends here: it would run the command a second time.
    """
    process = os.getpid()
    kept, folder = locale.setlocale(locale.LC_ALL), _folder()
    with ExitStack() as stack:
        stack.enter_context(_printed_elsewhere())
        stack.enter_context(np.errstate())
        stack.enter_context(np.printoptions())
        try:
            yield
        finally:
            if os.getpid() != process:
                os._exit(0)
            locale.setlocale(locale.LC_ALL, kept)
            if folder is not None and _folder() != folder:
                os.chdir(folder)


@contextmanager
def _printed_elsewhere() -> Iterator[None]:
    """Standard output goes to stderr, that of libraries in C, too, which write past Python."""
    with suppress(AttributeError, ValueError, OSError):
        sys.stdout.flush()
    try:
        held = os.dup(1)
    except OSError:
        # No standard output: a service.
        with redirect_stdout(sys.stderr):
            yield
        return
    try:
        with redirect_stdout(sys.stderr):
            with suppress(OSError):
                os.dup2(2, 1)
            yield
    finally:
        # What C has not written yet would come out later, in the midst of a command's answer.
        with suppress(AttributeError, TypeError, OSError):
            ctypes.CDLL(None).fflush(None)
        os.dup2(held, 1)
        os.close(held)


def _folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        return None
