"""Importing what others wrote: what its import prints or changes for all of the process is taken back."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress

from andante.plugins.surroundings import undisturbed


@contextmanager
def contained() -> Iterator[None]:
    """Go on afterwards as before (`andante.plugins.surroundings`); what is printed goes to stderr."""
    with _printed_elsewhere(), undisturbed():
        yield


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
