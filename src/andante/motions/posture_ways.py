"""The way from one posture to another: motions that begin in one and end in the next, as MoNet plays them.

A motion's name declares the postures in which it begins and ends (`andante.motions.posture_kind`); motions whose ends
differ are arcs between postures. Before a motion that begins elsewhere the shortest way of arcs is played.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from andante.motions.errors import MotionError
from andante.motions.library import MotionLibrary
from andante.motions.posture_kind import ANY, PostureKind, ends_of, kind_of, own_name

T = TypeVar("T")


def shortest_way(arcs: Iterable[tuple[str, str, T]], start: str, end: str) -> tuple[list[T] | None, list[str]]:
    """The shortest way between postures, and the postures that are reached on the search.

    Args:
        arcs: Posture from, posture to, and what leads there; of equally short ways the first in this order is taken.
        start: Where it begins.
        end: Where it ends.

    Returns:
        What leads there, in order; None where nothing does. All other postures that can be reached.
    """
    known, waiting = list(arcs), [start]
    ways: dict[str, list[T]] = {start: []}
    for here in waiting:
        if end in ways:
            break
        for begin, stop, what in known:
            if begin == here and stop not in ways:
                ways[stop] = [*ways[here], what]
                waiting.append(stop)
    return ways.get(end), waiting[1:]


def way_to(library: MotionLibrary, motion: str, posture: str | None) -> list[str]:
    """Motions to play before one so that it begins where it says; none where nobody says, or it begins here.

    Where no way leads there, motions of the same kind of posture are played from where the robot is: one that stands
    may begin another that stands.

    Args:
        library: The library.
        motion: The motion.
        posture: The posture in which the robot is; None: nobody knows.

    Raises:
        MotionError: There is no way (MoNet answers INVALID_ARG).
    """
    ends = ends_of(library, motion)
    if posture is None or not ends.declared or ends.start in (None, ANY, posture):
        return []
    wanted = str(ends.start)
    arcs = []
    for name in library.motions:
        each = ends_of(library, name)
        # Of the body's parts only the whole changes its posture.
        if own_name(library, name).lower().startswith("a_") and each.declared and each.start != each.end:
            arcs.append((str(each.start), str(each.end), name))
    arcs = [arc for arc in arcs if ANY not in arc[:2]]
    way, reached = shortest_way(arcs, posture, wanted)
    if way is not None:
        return way
    here, there = kind_of(posture), kind_of(wanted)
    if here is there or PostureKind.UNKNOWN in (here, there):
        return []
    raise MotionError(
        f"there is no way from posture {posture!r} to {wanted!r}, in which motion {motion!r} begins",
        limit=f"reached: {', '.join(reached) or 'nothing'}",
        remedy="start in that posture, or add a motion that leads there",
    )


def posture_after(library: MotionLibrary, motion: str, posture: str | None) -> str | None:
    """The posture in which a motion leaves the robot; a motion that declares none comes back to where it began."""
    ends = ends_of(library, motion)
    return posture if not ends.declared or ends.end == ANY else ends.end
