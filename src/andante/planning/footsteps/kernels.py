"""The search for footsteps as compiled kernels: weighted A* over four feet and whose turn it is.

A state is expanded only after the step that led to it passed the test for a pose of the body, which is made when the
state comes up and not when it is found: most of what is found never comes up.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from andante.planning.feasibility import PoseRules, inner_triangle, step_room, swing_apex
from andante.planning.feasibility_scene import Scene
from andante.planning.footsteps.heap import pop, push
from andante.spatial.compiled import kernel

Array = NDArray[np.float64]
Index = NDArray[np.int64]
FOUND, EXHAUSTED, SPENT = 0, 1, 2
"""Why a search ended: at the goal, with nothing left to try, or at the end of its budget."""
_MOST_CANDIDATES = 64


class Field(NamedTuple):
    """What the search knows of the ground and the way."""

    front: Array
    """Cost of a foothold for a front foot, infinite where there is none, (nx, ny) [s]."""
    hind: Array
    """The same for a hind foot."""
    points: Array
    """Points of the body's path, (n, 2) [m]."""
    headings: Array
    """Its direction, (n,) [rad]."""
    spacing: float
    """Distance of its points [m]."""
    togo: Array
    """Time to the goal from each, (n,) [s]."""
    climbs: Array
    """Time that each foot climbs from each point to the goal, (4, n) [s]."""
    rises: Array
    """Largest height difference near each point on each foot's line, (4, n) [m]."""
    passed: Index
    """Number of wide gaps before each point on each foot's line, (4, n)."""
    brink: Array
    """Way from there to the last foothold before the next one, below 0 where none follows, (4, n) [m]."""
    nearest: Index
    """Point nearest to each node of the map, (nx, ny)."""
    goal: float
    """Length of the path at which the middle of the feet is there [m]."""


class Moves(NamedTuple):
    """Which steps are tried and what they cost; lengths are the robot's own."""

    order: Index
    """Rows of the feet in the order of their turns."""
    sides: Array
    """Usual distance of each foot from the path, above zero to the left, (4,) [m]."""
    shortest: float
    """Farthest step back [m]."""
    back: float
    """The same near high steps [m]."""
    longest: float
    """Longest step [m]."""
    pitch: float
    """Distance of the places that are looked at [m]."""
    aside: float
    """How far beside its usual place a foot may go [m]."""
    cell: float
    """Two states whose feet are in the same cells of this width count as one [m]."""
    nearest: float
    """Least distance of a front foot from the hind foot of its side, along the path [m]."""
    beside: float
    """The same near high steps [m]."""
    farthest: float
    """Largest such distance [m]."""
    apart: float
    """Least distance of the feet of one side [m]."""
    pause: float
    """Time of a step besides its way [s]."""
    speed: float
    """Speed over the ground [m/s]."""
    lifting: float
    """Speed up and down [m/s]."""
    skip: float
    """Cost of a skipped turn [s]."""
    tight: float
    """Cost of a step without any room to spare [s]."""
    comfort: float
    """Room at which it costs nothing [m]."""
    greed: float
    """Factor on the estimated rest."""
    climb: float
    """Height difference of the feet of one side from which on they should stay close [m]."""
    tall: float
    """Height difference of the ground from which on feet of one side may stand beside each other [m]."""
    stretch: float
    """Largest distance of theirs along the path then [m]."""
    strain: float
    """What each metre above that counts in the order of the search [s/m]."""
    leap: float
    """Longest step over a wide gap [m]."""
    near: float
    """Largest distance of a hind foot that is left behind a gap from the front foot of its side [m]."""
    left_behind: float
    """What each metre counts that a foot left behind a gap is off its brink or above that distance [s/m]."""


class Memory(NamedTuple):
    """Room for the states of a search, one row each."""

    parents: Index
    """State from which each came, -1 for the first, (n,)."""
    legs: Index
    """Row of the foot that moved, (n,)."""
    turns: Index
    """Place in the order whose turn is next, (n,)."""
    feet: Array
    """Centres of the feet, (n, 4, 3) [m]."""
    apexes: Array
    """Height of the foot that moved on its way, (n,) [m]."""
    spent: Array
    """Cost so far, (n,) [s]."""
    holds: Array
    """Cost of the foothold that was stepped on, (n,) [s]."""
    order: Array
    """Order in which states come up, least first, (n,) [s]."""
    heap: Index
    """Heap of states that wait, (n,)."""
    closed: Index
    """Hash table of the states that came up, 0 where empty."""

    @staticmethod
    def of(states: int, tests: int) -> Memory:
        """Room for a number of states, of which a number is tested."""
        parents, legs, turns, heap = (np.empty(states, dtype=np.int64) for _ in range(4))
        apexes, spent, holds, order = (np.empty(states) for _ in range(4))
        closed = np.zeros(4 * tests + 64, dtype=np.int64)
        return Memory(parents, legs, turns, np.empty((states, 4, 3)), apexes, spent, holds, order, heap, closed)


@kernel
def along_path(scene: Scene, field: Field, x: float, y: float) -> float:
    """Length of the path at the point nearest to a place [m]."""
    nx, ny = field.nearest.shape
    i = min(max(math.floor((x - scene.x) / scene.spacing + 0.5), 0), nx - 1)
    j = min(max(math.floor((y - scene.y) / scene.spacing + 0.5), 0), ny - 1)
    k = field.nearest[i, j]
    dx, dy = x - field.points[k, 0], y - field.points[k, 1]
    length: float = k * field.spacing + dx * math.cos(field.headings[k]) + dy * math.sin(field.headings[k])
    return length


@kernel
def _point(field: Field, length: float) -> int:
    """Number of the point of the path at a length, or of the last before it ends."""
    return min(max(math.floor(length / field.spacing + 0.5), 0), len(field.togo) - 1)


@kernel
def rest(spacing: float, times: Array, length: float) -> float:
    """Time that is left at a length of the path, of the times left at its points [s]."""
    at = min(max(length / spacing, 0.0), len(times) - 1.0)
    k = min(int(at), len(times) - 2)
    t = at - k
    time: float = times[k] * (1.0 - t) + times[k + 1] * t
    return time


@kernel
def candidates(scene: Scene, field: Field, moves: Moves, leg: int, place: Array, shortest: float, found: Index) -> int:
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
        i, j = _best_near(scene, field, moves, leg, grid, length, moves.aside)
        if i < 0:
            # On sparse ground a foot goes farther aside rather than nowhere.
            i, j = _best_near(scene, field, moves, leg, grid, length, 2.0 * moves.aside)
        if i >= 0:
            count = _add(found, count, i, j)
    last_i, last_j = -1, -1
    length = here + shortest
    at = _point(field, here)
    gap = field.passed[leg, _point(field, here + moves.leap)] > field.passed[leg, at]
    farthest = max(moves.longest, moves.leap) if gap else moves.longest
    while length <= here + farthest + 1e-9:
        k = math.floor(length / field.spacing + 0.5)
        length += scene.spacing
        if k < 0 or k >= len(field.points):
            last_i = -1
            continue
        i, j = _node(scene, field, moves.sides[leg], k, 0.0, 0.0)
        if i < 0:
            last_i = -1
            continue
        open_now = grid[i, j] < math.inf
        if last_i >= 0:
            open_before = grid[last_i, last_j] < math.inf
            if open_before and not open_now:
                count = _add(found, count, last_i, last_j)
            if open_now and not open_before:
                if gap and length > here + moves.longest:
                    # No stretch lies behind such an edge, so that what is good there is looked at here.
                    near_i, near_j = _best_near(
                        scene, field, moves, leg, grid, length + 0.25 * moves.pitch, moves.aside
                    )
                    if near_i >= 0:
                        count = _add(found, count, near_i, near_j)
                count = _add(found, count, i, j)
        last_i, last_j = i, j
    return count


@kernel
def _node(scene: Scene, field: Field, side: float, k: int, ahead: float, aside: float) -> tuple[int, int]:
    """Node at a place relative to the usual one beside point ``k`` of the path; -1 off the map."""
    c, s = math.cos(field.headings[k]), math.sin(field.headings[k])
    x = field.points[k, 0] + c * ahead - s * (side + aside)
    y = field.points[k, 1] + s * ahead + c * (side + aside)
    i, j = math.floor((x - scene.x) / scene.spacing + 0.5), math.floor((y - scene.y) / scene.spacing + 0.5)
    nx, ny = field.front.shape
    if i < 0 or j < 0 or i >= nx or j >= ny:
        return -1, -1
    return i, j


@kernel
def _best_near(
    scene: Scene, field: Field, moves: Moves, leg: int, grid: Array, length: float, aside: float
) -> tuple[int, int]:
    """The cheapest node around the usual place at a length of the path; -1 where there is none."""
    k = math.floor(length / field.spacing + 0.5)
    best, best_i, best_j = math.inf, -1, -1
    if k < 0 or k >= len(field.points):
        return best_i, best_j
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
            if cost < best:
                best, best_i, best_j = cost, i, j
    return best_i, best_j


@kernel
def _add(found: Index, count: int, i: int, j: int) -> int:
    for n in range(count):
        if found[n, 0] == i and found[n, 1] == j:
            return count
    if count >= len(found):
        return count
    found[count, 0], found[count, 1] = i, j
    return count + 1


@kernel
def _key(scene: Scene, moves: Moves, feet: Array, turn: int) -> int:
    key = turn + 1
    for leg in range(4):
        i = math.floor((feet[leg, 0] - scene.x) / moves.cell)
        j = math.floor((feet[leg, 1] - scene.y) / moves.cell)
        key = (key * 1000003) ^ (i * 8191 + j + 12345)
    key = key & 0x7FFFFFFFFFFFFFFF
    return key if key > 0 else 1


@kernel
def _seen(table: Index, key: int, put: bool) -> bool:
    """Whether a key is in a hash table, and put it there."""
    size = len(table)
    at = (key ^ (key >> 29)) % size
    while table[at] != 0:
        if table[at] == key:
            return True
        at = (at + 1) % size
    if put:
        table[at] = key
    return False


@kernel
def search(
    scene: Scene,
    rules: PoseRules,
    field: Field,
    moves: Moves,
    start: Array,
    turn: int,
    budget: int,
    upper: float,
    memory: Memory,
) -> tuple[int, int, int, int]:
    """Footsteps from the feet (4, 3) at ``start`` to the goal.

    Returns:
        Why it ended, the last state (at the goal, or the one that came farthest), the number of states, the number of
        tests.
    """
    parents, legs, feet, spent, order = memory.parents, memory.legs, memory.feet, memory.spent, memory.order
    parents[0], legs[0], memory.turns[0], spent[0], memory.apexes[0], memory.holds[0] = -1, -1, turn, 0.0, 0.0, 0.0
    feet[0] = start
    order[0] = 0.0
    count, tests, size = 1, 0, push(memory.heap, order, 0, 0)
    poses, lengths = np.empty((2, 6)), np.empty(4)
    farthest, best = -math.inf, 0
    while size > 0:
        size = pop(memory.heap, order, size)
        node = memory.heap[size]
        key = _key(scene, moves, feet[node], memory.turns[node])
        if _seen(memory.closed, key, False):
            continue
        if node > 0:
            if tests >= budget:
                return SPENT, best, count, tests
            tests += 1
            leg = legs[node]
            room = step_room(scene, rules, feet[parents[node]], leg, feet[node, leg], memory.apexes[node], poses)
            if room < rules.least:
                continue
            spent[node] += moves.tight * max(1.0 - (room - rules.least) / (moves.comfort - rules.least), 0.0)
        _seen(memory.closed, key, True)
        for leg in range(4):
            lengths[leg] = along_path(scene, field, feet[node, leg, 0], feet[node, leg, 1])
        middle = lengths.mean()
        if middle > farthest:
            farthest, best = middle, node
        if middle >= field.goal:
            return FOUND, node, count, tests
        count, size = _expand(scene, rules, field, moves, memory, node, lengths, upper, count, size)
        if count >= len(parents):
            return SPENT, best, count, tests
    return EXHAUSTED, best, count, tests


@kernel
def _expand(
    scene: Scene,
    rules: PoseRules,
    field: Field,
    moves: Moves,
    memory: Memory,
    node: int,
    lengths: Array,
    upper: float,
    count: int,
    size: int,
) -> tuple[int, int]:
    """Put all states that may follow one in the heap; number of states and length of the heap afterwards."""
    feet, spent = memory.feet, memory.spent
    found, corners = np.empty((_MOST_CANDIDATES, 2), dtype=np.int64), np.empty((3, 2))
    middle = lengths.mean()
    climbing = 0.0
    for leg in range(4):
        climbing += rest(field.spacing, field.climbs[leg], lengths[leg])
    for skipped in range(len(moves.order)):
        whose = (memory.turns[node] + skipped) % len(moves.order)
        leg = moves.order[whose]
        # Without a triangle of the others that is large enough no step of this foot is possible.
        if leg == memory.legs[node] or not inner_triangle(feet[node], leg, rules.margin, corners):
            continue
        # Up a high step the hind foot lands beside the front foot of its side, which may come back for it.
        high = field.rises[leg, _point(field, lengths[leg])] >= moves.tall
        number = candidates(scene, field, moves, leg, feet[node, leg], moves.back if high else moves.shortest, found)
        for n in range(number):
            if count >= len(spent):
                return count, size
            if not _state(
                scene, rules, field, moves, memory, node, leg, found[n, 0], found[n, 1], lengths, high, count
            ):
                continue
            spent[count] += moves.skip * skipped
            length = along_path(scene, field, feet[count, leg, 0], feet[count, leg, 1])
            left = rest(field.spacing, field.togo, middle + 0.25 * (length - lengths[leg])) + climbing
            left += rest(field.spacing, field.climbs[leg], length) - rest(
                field.spacing, field.climbs[leg], lengths[leg]
            )
            if spent[count] + left >= upper:
                continue
            memory.turns[count] = (whose + 1) % len(moves.order)
            memory.parents[count], memory.legs[count] = node, leg
            if _seen(memory.closed, _key(scene, moves, feet[count], memory.turns[count]), False):
                continue
            memory.order[count] = spent[count] + moves.greed * left + _strain(scene, field, moves, feet[count])
            memory.order[count] += _left_behind(scene, field, moves, feet[count])
            size = push(memory.heap, memory.order, size, count)
            count += 1
    return count, size


@kernel
def _strain(scene: Scene, field: Field, moves: Moves, feet: Array) -> float:
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
                total += moves.strain * (apart - moves.stretch)
    return total


@kernel
def _left_behind(scene: Scene, field: Field, moves: Moves, feet: Array) -> float:
    """What makes a state unpromising: a foot that is left behind a wide gap with a long way to the feet across.

    It comes across only while the triangle of the others reaches back to the gap and it stands at the brink.
    """
    total = 0.0
    for leg in range(4):
        here = along_path(scene, field, feet[leg, 0], feet[leg, 1])
        at = _point(field, here)
        if field.brink[leg, at] < 0.0:
            continue
        alone, front = False, 0.0
        hind = scene.table.hip[leg, 0] <= 0.0
        for other in range(4):
            there = along_path(scene, field, feet[other, 0], feet[other, 1])
            beside = (scene.table.hip[other, 0] <= 0.0) == hind
            if beside and field.passed[other, _point(field, there)] > field.passed[leg, at]:
                alone = True
            if not beside and (moves.sides[other] > 0.0) == (moves.sides[leg] > 0.0):
                front = there
        if alone:
            total += field.brink[leg, at]
            if hind:
                total += max(front - here - moves.near, 0.0)
    return moves.left_behind * total


@kernel
def _state(
    scene: Scene,
    rules: PoseRules,
    field: Field,
    moves: Moves,
    memory: Memory,
    node: int,
    leg: int,
    i: int,
    j: int,
    lengths: Array,
    high: bool,
    new: int,
) -> bool:
    """Write the state after a step to a node of the map as number ``new``; False where its feet are out of order."""
    feet = memory.feet
    x, y = scene.x + i * scene.spacing, scene.y + j * scene.spacing
    if math.hypot(x - feet[node, leg, 0], y - feet[node, leg, 1]) < 0.5 * moves.pitch:
        return False
    length = along_path(scene, field, x, y)
    for other in range(4):
        same_side = (moves.sides[other] > 0.0) == (moves.sides[leg] > 0.0)
        if other != leg and same_side:
            ahead = length - lengths[other] if scene.table.hip[leg, 0] > 0.0 else lengths[other] - length
            near = moves.beside if high else moves.nearest
            if ahead < near or ahead > moves.farthest:
                return False
            if math.hypot(x - feet[node, other, 0], y - feet[node, other, 1]) < moves.apart:
                return False
    feet[new] = feet[node]
    feet[new, leg, 0], feet[new, leg, 1], feet[new, leg, 2] = x, y, scene.foot[i, j]
    old, place = feet[node, leg], feet[new, leg]
    apex = swing_apex(scene, old, place, rules.lift)
    way = math.hypot(x - old[0], y - old[1])
    climb = 2.0 * apex - old[2] - place[2] - 2.0 * rules.lift
    grid = field.front if scene.table.hip[leg, 0] > 0.0 else field.hind
    memory.apexes[new] = apex
    memory.holds[new] = grid[i, j]
    memory.spent[new] = memory.spent[node] + moves.pause + way / moves.speed + climb / moves.lifting + grid[i, j]
    return True
