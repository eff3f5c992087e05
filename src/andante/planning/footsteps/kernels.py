"""The search for footsteps as compiled kernels: weighted A* over four feet and whose turn it is.

A state is expanded only after the step that led to it passed the test for a pose of the body, which is made when the
state comes up and not when it is found: most of what is found never comes up.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from andante.kernels import entry, inlined, kernel
from andante.kinematics.support_triangle import inner_triangle
from andante.planning.feasibility.pose_room import PoseRules
from andante.planning.feasibility.scene import Scene
from andante.planning.feasibility.steps import look_at_step, swing_apex
from andante.planning.footsteps.candidates import along_path, candidates, left_behind, point_at, rest, stretch_penalty
from andante.planning.footsteps.records import SearchMemory, SearchTerrain, StepMoves, Tested
from andante.spatial.arrays import Array, Array2, Index

FOUND, EXHAUSTED, SPENT = 0, 1, 2
"""Why a search ended: at the goal, with nothing left to try, or at the end of its budget."""
_MOST_CANDIDATES = 64
TEST, AGAIN = 14, 6
"""What a step that is tested takes besides its poses, in poses: finding where its feet may go next; and what one takes
whose test was made before."""
_HASHED = 0x7FFFFFFFFFFFFFFF


@inlined
def _key(scene: Scene, moves: StepMoves, feet: Array, turn: int) -> int:
    key = turn + 1
    for leg in range(4):
        i = math.floor((feet[leg, 0] - scene.x) / moves.cell)
        j = math.floor((feet[leg, 1] - scene.y) / moves.cell)
        key = (key * 1000003) ^ (i * 8191 + j + 12345)
    return max(key & _HASHED, 1)


@inlined
def _slot(keys: Index, key: int) -> int:
    """Where a key is in a hash table, or the empty place for it."""
    at = (key ^ (key >> 29)) % len(keys)
    while keys[at] != 0 and keys[at] != key:
        at = (at + 1) % len(keys)
    return at


@inlined
def _seen(table: Index, key: int, put: bool) -> bool:
    """Whether a key is in a hash table, and put it there."""
    at = _slot(table, key)
    seen = bool(table[at] == key)
    if put:
        table[at] = key
    return seen


@inlined
def _mixed(key: int, length: float) -> int:
    """A hash with a length in it, to 0.1 um."""
    key = ((key ^ math.floor(length * 1e7 + 0.5)) * 0x2545F4914F6CDD1D) & _HASHED
    return key ^ (key >> 31)


@inlined
def _step_key(rules: PoseRules, feet: Array, leg: int, place: Array) -> int:
    """Hash of all that the test of a step depends on over one ground."""
    key = _mixed(_mixed(int(leg) + 1, rules.margin), rules.least)
    key = _mixed(_mixed(key, rules.enough), rules.lift)
    for axis in range(3):
        for other in range(4):
            key = _mixed(key, feet[other, axis])
        key = _mixed(key, place[axis])
    return max(key, 1)


class _Task(NamedTuple):
    """What a search works on."""

    scene: Scene
    rules: PoseRules
    field: SearchTerrain
    moves: StepMoves
    memory: SearchMemory


@entry
def search(
    scene: Scene,
    rules: PoseRules,
    field: SearchTerrain,
    moves: StepMoves,
    start: Array2,
    budget: int,
    max_poses: int,
    memory: SearchMemory,
    tested: Tested,
) -> tuple[int, int, int, int, int, int]:
    """Footsteps from the feet (4, 3) at ``start`` to the goal.

    Args:
        scene: Robot and ground.
        rules: Which poses are tried.
        field: The ground and the way.
        moves: Which steps are tried.
        start: Centres of the feet, (4, 3) [m].
        budget: Steps to test at most.
        max_poses: What may be spent at most, in poses.
        memory: Room for the states.
        tested: What steps over this ground came to in tests before, which are not made again; gets the new ones.

    Returns:
        Why it ended, the last state (at the goal, or the one that came farthest), the number of states, of
        tests, of poses looked at in them, and what was spent, in poses.
    """
    task = _Task(scene, rules, field, moves, memory)
    parents, legs, feet, spent, order = memory.parents, memory.legs, memory.feet, memory.spent, memory.order
    parents[0], legs[0], memory.turns[0], spent[0] = -1, -1, 0, 0.0
    feet[0] = start
    looks, taken = 0, 0
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
            if tests >= budget or taken >= max_poses:
                return SPENT, best, count, tests, looks, taken
            tests += 1
            leg = legs[node]
            step = _step_key(rules, feet[parents[node]], leg, feet[node, leg])
            slot = _slot(tested.keys, step)
            taken += AGAIN
            if tested.keys[slot] == 0:
                room, more = look_at_step(
                    scene, rules, feet[parents[node]], leg, feet[node, leg], memory.apexes[node], poses
                )
                looks += more
                taken += TEST - AGAIN + more
                tested.keys[slot], tested.rooms[slot] = step, room
            room = tested.rooms[slot]
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
            return FOUND, node, count, tests, looks, taken
        count, size = _expand(task, node, lengths, count, size)
        if count >= len(parents):
            return SPENT, best, count, tests, looks, taken
    return EXHAUSTED, best, count, tests, looks, taken


@kernel
def _expand(task: _Task, node: int, lengths: Array, count: int, size: int) -> tuple[int, int]:
    """Put all states that may follow one in the heap; number of states and length of the heap afterwards."""
    scene, rules, field, moves, memory = task
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
        high = field.rises[leg, point_at(field, lengths[leg])] >= moves.tall
        back = moves.back if high else moves.shortest
        number = candidates(scene, field, moves, memory.best, leg, feet[node, leg], back, found)
        for n in range(number):
            if count >= len(spent):
                return count, size
            if not _state(task, node, leg, found[n, 0], found[n, 1], lengths, high, count):
                continue
            spent[count] += moves.skip * skipped
            length = along_path(scene, field, feet[count, leg, 0], feet[count, leg, 1])
            left = rest(field.spacing, field.togo, middle + 0.25 * (length - lengths[leg])) + climbing
            left += rest(field.spacing, field.climbs[leg], length) - rest(
                field.spacing, field.climbs[leg], lengths[leg]
            )
            memory.turns[count] = (whose + 1) % len(moves.order)
            memory.parents[count], memory.legs[count] = node, leg
            if _seen(memory.closed, _key(scene, moves, feet[count], memory.turns[count]), False):
                continue
            memory.order[count] = (
                spent[count] + moves.heuristic_weight * left + stretch_penalty(scene, field, moves, feet[count])
            )
            memory.order[count] += left_behind(scene, field, moves, feet[count])
            size = push(memory.heap, memory.order, size, count)
            count += 1
    return count, size


@inlined
def _state(task: _Task, node: int, leg: int, i: int, j: int, lengths: Array, high: bool, new: int) -> bool:
    """Write the state after a step to a node of the map as number ``new``; False where its feet are out of order."""
    scene, rules, field, moves, memory = task
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
    for other in range(4):
        for axis in range(3):
            feet[new, other, axis] = feet[node, other, axis]
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


@inlined
def push(heap: Index, order: Array, size: int, node: int) -> int:
    """Add a node; the size of the heap then."""
    at = size
    heap[at] = node
    while at > 0:
        above = (at - 1) // 2
        if order[heap[above]] <= order[heap[at]]:
            break
        heap[above], heap[at] = heap[at], heap[above]
        at = above
    return size + 1


@inlined
def pop(heap: Index, order: Array, size: int) -> int:
    """Move the first to the end of the heap, which is then one shorter; its size then."""
    size -= 1
    heap[0], heap[size] = heap[size], heap[0]
    at = 0
    while True:
        least, left = at, 2 * at + 1
        for child in (left, left + 1):
            if child < size and order[heap[child]] < order[heap[least]]:
                least = child
        if least == at:
            return size
        heap[at], heap[least] = heap[least], heap[at]
        at = least
