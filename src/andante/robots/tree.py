"""The tree of bodies of a compiled model: what a body hangs on, and by which joints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import mujoco


def upwards(model: mujoco.MjModel, body: int) -> Iterator[int]:
    """A body and all that it hangs on, nearest first, without the world."""
    while body > 0:
        yield body
        body = int(model.body_parentid[body])


def joints_of(model: mujoco.MjModel, body: int) -> range:
    """Numbers of the joints between a body and its parent."""
    first = int(model.body_jntadr[body])
    return range(first, first + int(model.body_jntnum[body]))
