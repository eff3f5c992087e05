"""GlobalPath: a way as states and the motions between them, its states at equal steps, length, cost, and shortcuts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.kernels import entry, inlined, kernel
from andante.planning.quadruped.global_plan.connect import (
    clearance,
    connect_acceleration,
    connect_at,
    connect_fault,
    connect_steps,
    slower_walk,
)
from andante.planning.quadruped.global_plan.draws import uniform, whole
from andante.planning.quadruped.global_plan.leap import leap_at, leap_feet, leap_pushes, peak_push
from andante.planning.quadruped.global_plan.tables import GroundLayers, Rules, Trees
from andante.planning.quadruped.global_plan.tree import obstacle, straight_leap
from andante.planning.quadruped.global_plan.validity import CONNECT, FLIGHT, LAND, LEAP
from andante.spatial.arrays import Array, Array1, Array2, Index, Index1
from andante.spatial.gravity import GRAVITY

_LEAST_GAIN = 1e-6
"""A shortcut saves at least this [s]."""
_AT_NODES = 0.5
"""Share of the ends of shortcuts that are states between two motions."""
_LEAPS = 16
"""Leaps that are tried in a shortcut, of which the cheapest is taken."""


@inlined
def _steps_of(motion: Array1) -> int:
    return int(motion[0] + motion[1] + motion[2] + motion[3])


@inlined
def _at(ground: GroundLayers, rules: Rules, first: Array1, last: Array1, motion: Array1, k: int, out: Array1) -> None:
    """State after k steps of a motion."""
    if motion[0] > 0.0:
        low, high = clearance(ground, first), clearance(ground, last)
        connect_at(ground, first, last, int(motion[0]), k, rules.step, low, high, out)
    else:
        leap_at(first, last, motion, k, rules.step, out)


@kernel
def _piece_length(
    ground: GroundLayers, rules: Rules, first: Array1, last: Array1, motion: Array1, begin: int, end: int, room: Array1
) -> float:
    total, x, y = 0.0, 0.0, 0.0
    for k in range(begin, end + 1):
        _at(ground, rules, first, last, motion, k, room)
        if k > begin:
            total += math.hypot(room[0] - x, room[1] - y)
        x, y = room[0], room[1]
    return float(total)


@entry
def way_length(ground: GroundLayers, rules: Rules, states: Array2, motions: Array2) -> float:
    """Length of a way seen from above [m]: states (n, 6), motions (n - 1, 6)."""
    total, room = 0.0, states[0] * 0.0
    for n in range(len(motions)):
        total += _piece_length(ground, rules, states[n], states[n + 1], motions[n], 0, _steps_of(motions[n]), room)
    return float(total)


@kernel
def _leap_price(ground: GroundLayers, rules: Rules, first: Array1, last: Array1, motion: Array1) -> float:
    up, down = leap_pushes(first, last, motion, rules.step)
    push = max(peak_push(up, motion[1] * rules.step), peak_push(down, motion[3] * rules.step))
    square = motion[4] * motion[4] + motion[5] * motion[5]
    low = max(rules.standing - min(clearance(ground, first), clearance(ground, last)), 0.0)
    price = push + square / (rules.nominal_speed * rules.nominal_speed) + 10.0 * low / rules.standing
    price += max(rules.ample_push - min(motion[1], motion[3]), 0.0) + max(rules.ample_flight - motion[2], 0.0)
    return float(rules.leap_cost * price)


@entry
def way_cost(ground: GroundLayers, rules: Rules, states: Array2, motions: Array2) -> float:
    """Time of a way and what its leaps cost [s]."""
    total = 0.0
    for n in range(len(motions)):
        total += _steps_of(motions[n]) * rules.step
        if motions[n, 0] == 0.0:
            total += _leap_price(ground, rules, states[n], states[n + 1], motions[n])
    return float(total)


@entry
def sample(
    ground: GroundLayers,
    rules: Rules,
    states: Array2,
    motions: Array2,
    out: Array2,
    forces: Array2,
    kinds: Index1,
    feet: Array2,
) -> None:
    """Fill states (m, 6), forces by the weight (m, 3), kinds (m,) and middles of the feet (m, 2) of a way at each step.

    The state between two motions belongs to the second. Vertical forces of walking are left at the weight.
    """
    row = 0
    for n in range(len(motions)):
        first, last, motion = states[n], states[n + 1], motions[n]
        steps = _steps_of(motion)
        for k in range(steps + (1 if n == len(motions) - 1 else 0)):
            _at(ground, rules, first, last, motion, k, out[row])
            forces[row] = 0.0
            feet[row, 0], feet[row, 1] = out[row, 0], out[row, 1]
            if motion[0] > 0.0:
                kinds[row], forces[row, 2] = CONNECT, 1.0
                for axis in range(2):
                    duration = steps * rules.step
                    a, b = connect_acceleration(first[axis], first[3 + axis], last[axis], last[3 + axis], duration)
                    forces[row, axis] = (a + (b - a) * k / steps) / GRAVITY
            else:
                _leap_row(rules, first, last, motion, k, forces[row], feet[row])
                kinds[row] = LEAP if k < motion[1] else FLIGHT if k < motion[1] + motion[2] else LAND
            row += 1


@kernel
def _leap_row(rules: Rules, first: Array1, last: Array1, motion: Array1, k: int, force: Array1, foot: Array1) -> None:
    """Force by the weight and middle of the feet after k steps of a leap."""
    up, down = leap_pushes(first, last, motion, rules.step)
    landing = k >= motion[1] + motion[2]
    if motion[1] <= k and not landing:
        return
    begin, steps = (motion[1] + motion[2], motion[3]) if landing else (0.0, motion[1])
    u = (k - begin) / steps
    share = 6.0 * u * (1.0 - u) / (GRAVITY * steps * rules.step)
    for axis in range(2):
        change = last[3 + axis] - motion[4 + axis] if landing else motion[4 + axis] - first[3 + axis]
        force[axis] = share * change
    force[2] = share * (down if landing else up)
    foot[0], foot[1] = leap_feet(first, last, motion, landing, rules.step)


@kernel
def _point(
    ground: GroundLayers, rules: Rules, trees: Trees, states: Array2, motions: Array2, count: int, out: Array1
) -> tuple[int, int]:
    """A random state of a way: the motion that it is on, and the step in it, 0 at a motion's end; leaps are not cut."""
    edge = whole(trees.random, 0, count - 2)
    steps = _steps_of(motions[edge])
    k = whole(trees.random, 0, 1) * steps
    if motions[edge, 0] > 0.0 and uniform(trees.random) > _AT_NODES:
        k = whole(trees.random, 0, steps)
    if k == steps:
        edge, k = edge + 1, 0
    if k == 0:
        out[:] = states[edge]
    else:
        _at(ground, rules, states[edge], states[edge + 1], motions[edge], k, out)
    return edge, k


@kernel
def _between(
    ground: GroundLayers,
    rules: Rules,
    states: Array2,
    motions: Array2,
    edge: int,
    k: int,
    last: int,
    m: int,
    room: Array1,
) -> tuple[float, float]:
    """Cost and length of a way from step k on one motion to step m on another."""
    cost, length = 0.0, 0.0
    for n in range(edge, last + 1):
        begin = k if n == edge else 0
        end = m if n == last else _steps_of(motions[n])
        if end <= begin:
            continue
        cost += (end - begin) * rules.step
        if motions[n, 0] == 0.0:
            cost += _leap_price(ground, rules, states[n], states[n + 1], motions[n])
        length += _piece_length(ground, rules, states[n], states[n + 1], motions[n], begin, end, room)
    return cost, length


@entry
def shorten(
    ground: GroundLayers, rules: Rules, states: Array2, motions: Array2, count: int, tries: int, trees: Trees
) -> int:
    """Replace parts of a way by a walk, or by a walk, a straight leap and a walk, where that is cheaper and no longer.

    Args:
        ground: The ground.
        rules: Body and settings.
        states: The way's states, (n, 6), with room behind them.
        motions: Its motions, of as many rows.
        count: States of the way.
        tries: Shortcuts that are tried.
        trees: Random numbers and counters.

    Returns:
        How many states there are now.
    """
    rooms = np.zeros((23, 6))
    a, b = rooms[21], rooms[22]
    for _ in range(tries):
        edge, k = _point(ground, rules, trees, states, motions, count, a)
        last, m = _point(ground, rules, trees, states, motions, count, b)
        if last < edge or (last == edge and m <= k):
            continue
        cost, length = _between(ground, rules, states, motions, edge, k, last, m, rooms[0])
        more = _shortcut(ground, rules, trees, a, b, cost, length, rooms)
        if more > 0:
            fitted = _spliced(states, motions, count, edge, k, last, m, rooms, more)
            count = fitted if fitted > 0 else count
    return count


@kernel
def _shortcut(
    ground: GroundLayers, rules: Rules, trees: Trees, a: Array1, b: Array1, cost: float, length: float, rooms: Array2
) -> int:
    """A cheaper, no longer way between two states: its number of motions, 0 where none was found.

    Its states are put into rooms[5:9], its motions into rooms[9:13].
    """
    room, ends, motion, new_states, new_motions = rooms[0], rooms[1:4], rooms[4], rooms[5:9], rooms[9:13]
    tried_states, tried_motions = rooms[13:17], rooms[17:21]
    new_states[0] = a
    new_motions[:] = 0.0
    steps = connect_steps(rules, a, b)
    if steps == 0:
        return 0
    new_motions[0, 0] = steps
    if steps * rules.step >= cost - _LEAST_GAIN:
        return 0
    stop = connect_fault(ground, rules, a, b, steps, False, trees.counters, room)
    steps, stop = slower_walk(ground, rules, a, b, steps, stop, trees.counters, room)
    if steps * rules.step >= cost - _LEAST_GAIN:
        return 0
    new_motions[0, 0] = steps
    if stop < 0:
        new_states[1] = b
        return 1 if _piece_length(ground, rules, a, b, new_motions[0], 0, steps, room) <= length else 0
    if stop == 0:
        return 0
    halt, go = obstacle(ground, rules, a, b, room, trees.counters)
    if go < 0.0:
        return 0
    found = 0
    for _ in range(_LEAPS):
        if not straight_leap(ground, rules, trees, a, b, halt, go, ends, motion):
            continue
        up, down = connect_steps(rules, a, ends[0]), connect_steps(rules, ends[1], b)
        price = (up + down + _steps_of(motion)) * rules.step + _leap_price(ground, rules, ends[0], ends[1], motion)
        if up == 0 or down == 0 or price >= cost - _LEAST_GAIN:
            continue
        if connect_fault(ground, rules, a, ends[0], up, False, trees.counters, room) >= 0:
            continue
        if connect_fault(ground, rules, ends[1], b, down, False, trees.counters, room) >= 0:
            continue
        tried_states[0], tried_states[1], tried_states[2], tried_states[3] = a, ends[0], ends[1], b
        tried_motions[:] = 0.0
        tried_motions[0, 0], tried_motions[1], tried_motions[2, 0] = up, motion, down
        if way_length(ground, rules, tried_states, tried_motions[:3]) <= length:
            new_states[:], new_motions[:] = tried_states, tried_motions
            cost, found = price, 3
    return found


@kernel
def _spliced(
    states: Array2, motions: Array2, count: int, edge: int, k: int, last: int, m: int, rooms: Array2, more: int
) -> int:
    """Put what `_shortcut` found into a way, from step k of one motion to step m of another; 0: there is no room."""
    new_states, new_motions = rooms[5:9], rooms[9:13]
    head, tail = edge + (1 if k > 0 else 0), last + (1 if m > 0 else 0)
    total = head + more + (1 if m > 0 else 0) + count - tail
    if total > len(states):
        return 0
    rest = _steps_of(motions[last]) - m if m > 0 else 0
    kept_states, kept_motions = states[tail:count].copy(), motions[tail:count].copy()
    if k > 0:
        motions[edge] = 0.0
        motions[edge, 0] = k
    n = head
    for each in range(more):
        states[n], motions[n] = new_states[each], new_motions[each]
        n += 1
    if m > 0:
        states[n] = new_states[more]
        motions[n] = 0.0
        motions[n, 0] = rest
        n += 1
    for each in range(len(kept_states)):
        states[n], motions[n] = kept_states[each], kept_motions[each]
        n += 1
    return n


@dataclass(frozen=True, eq=False)
class GlobalPath:
    """A way of n states."""

    states: Array
    """Position [m] and velocity [m/s] of the body's middle, (n, 6)."""
    motions: Array
    """Motion after each state but the last, (n - 1, 6); see `tables.MOTION`."""

    @property
    def steps(self) -> int:
        """Steps of time from the first to the last state."""
        return int(self.motions[:, :4].sum())

    @property
    def leaps(self) -> int:
        """Leaps on the way."""
        return int((self.motions[:, 0] == 0.0).sum())

    def cost(self, ground: GroundLayers, rules: Rules) -> float:
        """Time, and what leaps cost [s]."""
        return float(way_cost(ground, rules, self.states, self.motions))

    def length(self, ground: GroundLayers, rules: Rules) -> float:
        """Length seen from above [m]."""
        return float(way_length(ground, rules, self.states, self.motions))

    def sampled(self, ground: GroundLayers, rules: Rules) -> tuple[Array, Array, Index, Array]:
        """States (m, 6), forces as multiples of the weight (m, 3), `Primitive` (m,) and middles of the feet (m, 2)."""
        count = self.steps + 1
        states, forces, feet = np.zeros((count, 6)), np.zeros((count, 3)), np.zeros((count, 2))
        kinds = np.zeros(count, dtype=np.int64)
        sample(ground, rules, self.states, self.motions, states, forces, kinds, feet)
        return states, forces, kinds, feet

    @staticmethod
    def joined(trees: Trees, node: int, other: int) -> GlobalPath:
        """The way from the root of tree 0 through ``node``, the joining motion and ``other`` to the root of tree 1."""
        first, last = _line(trees, 0, node)[::-1], _line(trees, 1, other)
        before = [trees.motions[0, each] for each in first[1:]]
        after = [trees.motions[1, each] for each in last[:-1]]
        states = [*(trees.states[0, each] for each in first), *(trees.states[1, each] for each in last)]
        return GlobalPath(np.array(states), np.array([*before, trees.join, *after]))

    @staticmethod
    def stopping(trees: Trees) -> GlobalPath | None:
        """The way to the standstill nearest to the goal; None: that is the start itself."""
        node, stop, motion = int(trees.nearest[1]), trees.nearest[2:8], trees.nearest[8:]
        line = _line(trees, 0, node)[::-1]
        states = [trees.states[0, each] for each in line]
        motions = [trees.motions[0, each] for each in line[1:]]
        if motion[0] > 0.0:
            states.append(stop)
            motions.append(motion)
        return GlobalPath(np.array(states), np.array(motions)) if motions else None


def _line(trees: Trees, tree: int, node: int) -> list[int]:
    """A node, its parent, and so on to the root."""
    line = []
    while node >= 0:
        line.append(node)
        node = int(trees.parents[tree, node])
    return line
