"""Where a foot may step: the best places of each stretch ahead, the edges on its line, and what bodes ill."""

from __future__ import annotations

import math

from andante.kernels import inlined, kernel
from andante.planning.feasibility.scene import Scene
from andante.planning.feasibility.steps import swing_apex
from andante.planning.footsteps.records import NO_NODE, NOT_LOOKED, SearchTerrain, StepMoves
from andante.spatial.arrays import Array, Index, Index3

_NOWHERE = (-1, -1)
"""Instead of a node: off the map, or there is none."""


@inlined
def along_path(scene: Scene, field: SearchTerrain, x: float, y: float) -> float:
    """Length of the path at the point nearest to a place [m]."""
    nx, ny = field.nearest.shape
    i = min(max(math.floor((x - scene.x) / scene.spacing + 0.5), 0), nx - 1)
    j = min(max(math.floor((y - scene.y) / scene.spacing + 0.5), 0), ny - 1)
    k = field.nearest[i, j]
    dx, dy = x - field.points[k, 0], y - field.points[k, 1]
    length: float = k * field.spacing + dx * field.cosines[k] + dy * field.sines[k]
    return length


@inlined
def point_at(field: SearchTerrain, length: float) -> int:
    """Number of the point of the path at a length, or of the last before it ends."""
    return min(max(math.floor(length / field.spacing + 0.5), 0), len(field.togo) - 1)


@inlined
def rest(spacing: float, times: Array, length: float) -> float:
    """Time that is left at a length of the path, of the times left at its points [s]."""
    at = min(max(length / spacing, 0.0), len(times) - 1.0)
    k = min(int(at), len(times) - 2)
    t = at - k
    time: float = times[k] * (1.0 - t) + times[k + 1] * t
    return time


@inlined
def candidates(
    scene: Scene,
    field: SearchTerrain,
    moves: StepMoves,
    best: Index3,
    leg: int,
    place: Array,
    shortest: float,
    found: Index,
) -> int:
    """Nodes of the map to which a foot may step, ``shortest`` or farther ahead [m], into ``found`` (n, 2).

    They are the best of each stretch of the path, and the first and the last allowed one at every edge on the line
    on which the foot usually goes.

    Returns:
        Their number.
    """
    grid = field.front if scene.table.hip[leg, 0] > 0.0 else field.hind
    here = along_path(scene, field, place[0], place[1])
    count = 0
    steps = math.floor((moves.longest - shortest) / moves.pitch + 1e-6) + 1
    for n in range(steps):
        length = here + moves.longest - n * moves.pitch
        i, j = _best_near(scene, field, moves, best, leg, grid, length, 0)
        if i < 0:
            # On sparse ground a foot goes farther aside rather than nowhere.
            i, j = _best_near(scene, field, moves, best, leg, grid, length, 1)
        if i >= 0:
            count = _add(found, count, i, j)
    last_i, last_j = _NOWHERE
    length = here + shortest
    at = point_at(field, here)
    gap = field.passed[leg, point_at(field, here + moves.leap)] > field.passed[leg, at]
    farthest = max(moves.longest, moves.leap) if gap else moves.longest
    while length <= here + farthest + 1e-9:
        k = math.floor(length / field.spacing + 0.5)
        length += scene.spacing
        if k < 0 or k >= len(field.points):
            continue
        i, j = _node(scene, field, moves.sides[leg], k, 0.0, 0.0)
        if i >= 0 and last_i >= 0:
            open_before, open_now = grid[last_i, last_j] < math.inf, grid[i, j] < math.inf
            if open_before and not open_now:
                count = _add(found, count, last_i, last_j)
            if open_now and not open_before:
                if gap and length > here + moves.longest:
                    # No stretch lies behind such an edge, so that what is good there is looked at here.
                    near_i, near_j = _best_near(scene, field, moves, best, leg, grid, length + 0.25 * moves.pitch, 0)
                    if near_i >= 0:
                        count = _add(found, count, near_i, near_j)
                count = _add(found, count, i, j)
        last_i, last_j = i, j
    return count


@inlined
def _node(scene: Scene, field: SearchTerrain, side: float, k: int, ahead: float, aside: float) -> tuple[int, int]:
    """Node at a place relative to the usual one beside point ``k`` of the path; `_NOWHERE` off the map."""
    c, s = field.cosines[k], field.sines[k]
    x = field.points[k, 0] + c * ahead - s * (side + aside)
    y = field.points[k, 1] + s * ahead + c * (side + aside)
    i, j = math.floor((x - scene.x) / scene.spacing + 0.5), math.floor((y - scene.y) / scene.spacing + 0.5)
    nx, ny = field.front.shape
    if i < 0 or j < 0 or i >= nx or j >= ny:
        return _NOWHERE
    return i, j


@inlined
def _best_near(
    scene: Scene, field: SearchTerrain, moves: StepMoves, best: Index3, leg: int, grid: Array, length: float, far: int
) -> tuple[int, int]:
    """The cheapest node around the usual place at a length of the path, ``far`` = 1: also twice as far aside.

    It is `_NOWHERE` where there is none. What was found is kept in ``best``: searches ask for the same places again and
    again.
    """
    k = math.floor(length / field.spacing + 0.5)
    if k < 0 or k >= len(field.points):
        return _NOWHERE
    if best[leg, k, far] == NOT_LOOKED:
        best[leg, k, far] = _cheapest_near(scene, field, moves, leg, grid, k, (1.0 + far) * moves.aside)
    number = best[leg, k, far]
    if number == NO_NODE:
        return _NOWHERE
    across = grid.shape[1]
    return number // across, number % across


@kernel
def _cheapest_near(
    scene: Scene, field: SearchTerrain, moves: StepMoves, leg: int, grid: Array, k: int, aside: float
) -> int:
    """Number of the cheapest node within half a pitch along the path and ``aside`` across of point ``k``."""
    least, best = math.inf, NO_NODE
    half = int(0.5 * moves.pitch / scene.spacing)
    wide = int(aside / scene.spacing)
    for u in range(-half, half + 1):
        for v in range(-wide, wide + 1):
            i, j = _node(scene, field, moves.sides[leg], k, u * scene.spacing, v * scene.spacing)
            if i < 0:
                continue
            off = v / max(wide, 1)
            late = u / max(half, 1)
            cost = grid[i, j] + 0.02 * off * off + 0.004 * late * late
            if cost < least:
                least, best = cost, i * grid.shape[1] + j
    return best


@inlined
def _add(found: Index, count: int, i: int, j: int) -> int:
    for n in range(count):
        if found[n, 0] == i and found[n, 1] == j:
            return count
    if count >= len(found):
        return count
    found[count, 0], found[count, 1] = i, j
    return count + 1


@inlined
def stretch_penalty(scene: Scene, field: SearchTerrain, moves: StepMoves, feet: Array) -> float:
    """What makes a state unpromising: feet of one side far apart where one of them stands much higher.

    The last hind foot comes up a high step only while the front foot of its side is just behind the edge; without
    this, searches walk on with the front feet and find that out too late.
    """
    total = 0.0
    for front in range(4):
        if scene.table.hip[front, 0] <= 0.0:
            continue
        for hind in range(4):
            same = (moves.sides[front] > 0.0) == (moves.sides[hind] > 0.0)
            if scene.table.hip[hind, 0] > 0.0 or not same:
                continue
            apart = along_path(scene, field, feet[front, 0], feet[front, 1]) - along_path(
                scene, field, feet[hind, 0], feet[hind, 1]
            )
            if apart <= moves.stretch:
                continue
            top = swing_apex(scene, feet[hind], feet[front], 0.0)
            if top - min(feet[front, 2], feet[hind, 2]) >= moves.climb:
                total += moves.stretch_penalty * (apart - moves.stretch)
    return total


@inlined
def left_behind(scene: Scene, field: SearchTerrain, moves: StepMoves, feet: Array) -> float:
    """What makes a state unpromising: a foot that is left behind a wide gap with a long way to the feet across.

    It comes across only while the triangle of the others reaches back to the gap and it stands at the brink.
    """
    total = 0.0
    for leg in range(4):
        here = along_path(scene, field, feet[leg, 0], feet[leg, 1])
        at = point_at(field, here)
        if field.brink[leg, at] < 0.0:
            continue
        alone, front = False, 0.0
        hind = scene.table.hip[leg, 0] <= 0.0
        for other in range(4):
            there = along_path(scene, field, feet[other, 0], feet[other, 1])
            beside = (scene.table.hip[other, 0] <= 0.0) == hind
            if beside and field.passed[other, point_at(field, there)] > field.passed[leg, at]:
                alone = True
            if not beside and (moves.sides[other] > 0.0) == (moves.sides[leg] > 0.0):
                front = there
        if alone:
            total += field.brink[leg, at]
            if hind:
                total += max(front - here - moves.near, 0.0)
    return moves.left_behind * total
