"""Compiling a specification in the thread that asks.

MuJoCo reads a model's meshes in threads of its own. The C library gives each such thread a heap, and keeps what one
once took: a process that loads a K1 again and again grew from 500 to 1,100 MB with 150 MB in use. One thread makes the
same model, byte by byte, in no more processor time.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import mujoco

_log = logging.getLogger("andante.physics")
_ALONE = ' usethread="false"'


@contextmanager
def _alone(spec: mujoco.MjSpec) -> Iterator[bool]:
    """No threads meanwhile; gives whether the specification itself allows them."""
    threads = bool(spec.compiler.usethread)
    spec.compiler.usethread = False
    try:
        # What MuJoCo warns of in Python's way would stand in a user's terminal with lines of this file.
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            yield threads
    finally:
        spec.compiler.usethread = threads
    for warning in told:
        _log.debug("%s", warning.message)


def compiled(spec: mujoco.MjSpec) -> mujoco.MjModel:
    """The model of a specification, which itself stays as it was.

    Raises:
        ValueError: MuJoCo does not take it; the message is MuJoCo's.
    """
    with _alone(spec):
        return spec.compile()


def written(spec: mujoco.MjSpec) -> str:
    """A compiled specification as MJCF text, for which MuJoCo compiles it once more.

    Raises:
        ValueError: MuJoCo cannot write it; the message is MuJoCo's.
    """
    with _alone(spec) as threads:
        text = str(spec.to_xml())
    return text.replace(_ALONE, "", 1) if threads else text
