"""What the points of a cloud or of a mesh tell of how they were written: another axis that is up, too few digits."""

from __future__ import annotations

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.files.facing import facing_of_points, facing_of_triangles

_ROUNDED = 1e-3
"""Least step of numbers that is told [m]: a foot feels no finer one."""
_CELLS = 64
"""Cells along the longest side by which it is told from where a cloud covers most."""
_FLATTER = 3.0
"""How many times more a cloud covers seen along another axis than along z, for that axis to be told as up."""
_SAMPLE = 50_000
"""Points that are looked at."""
_FEWEST = 100
"""Fewest points of which this is told."""


def stride_of_findings(count: int) -> int:
    """By how many one goes from a point to the next that is looked at, of so many."""
    return max(1, count // _SAMPLE)


def cloud_findings(places: Array, *, up: str) -> tuple[str, ...]:
    """What a user should know of points (n, 3) [m], that nothing is done about.

    Args:
        places: The points, in metres and with z up, NaN where nothing was measured.
        up: The axis of the file that was said to be up.
    """
    known = places[:: stride_of_findings(len(places))]
    known = known[np.isfinite(known).all(axis=1)]
    if len(known) < _FEWEST:
        return ()
    found = (_covers_more(known) or facing_of_points(known)) if up == "z" else None
    return (*_rounded_axes(known), *(() if found is None else (found,)))


def mesh_findings(triangles: Array, *, up: str) -> tuple[str, ...]:
    """What a user should know of triangles (n, 3, 3) [m], that nothing is done about.

    Args:
        triangles: The triangles, in metres and with z up.
        up: The axis of the file that was said to be up.
    """
    corners = triangles[:: stride_of_findings(len(triangles)), 0]
    found = facing_of_triangles(triangles) if up == "z" else None
    return (*(_rounded_axes(corners) if len(corners) >= _FEWEST else ()), *(() if found is None else (found,)))


def _rounded_axes(known: Array) -> list[str]:
    """Axes whose numbers are all those of single precision and lie at neighbouring ones of it."""
    notes = []
    for axis, name in enumerate("xyz"):
        values = known[:, axis]
        single = values.astype(np.float32)
        largest = float(np.abs(values).max())
        step = float(np.spacing(np.float32(largest)))
        if step < _ROUNDED or not (single == values).all():
            continue
        apart = np.diff(np.unique(values))
        if len(apart) and float(apart.min()) <= step:
            notes.append(
                f"{name} is in single precision, whose numbers near {largest:.0f} m are {1e3 * step:.3g} mm apart: "
                "write it in double precision, or take an offset off first"
            )
    return notes


def _covers_more(known: Array) -> str | None:
    low = known.min(axis=0)
    size = float((known.max(axis=0) - low).max()) / _CELLS
    if size <= 0.0:
        return None
    cells = ((known - low) / size).astype(np.int64)
    wide = _CELLS + 1
    covered = {
        name: len(np.unique(cells[:, first] * wide + cells[:, second])) * size**2
        for name, (first, second) in {"x": (1, 2), "y": (0, 2), "z": (0, 1)}.items()
    }
    name = max(covered, key=lambda each: covered[each])
    if covered[name] < _FLATTER * covered["z"]:
        return None
    return (
        f"seen along {name} the points cover {covered[name]:.3g} m^2, along z {covered['z']:.3g}: "
        f"if {name} is the vertical of the file, say up={name} or up=-{name}"
    )
