"""RRT-Connect over position and velocity, as one kernel: two trees that walk and leap towards each other.

Source: Quad-SDK's `RRTConnectClass` (Kuffner and LaValle, ICRA 2000). Apart from it: the tree of the goal holds states
as they will be passed, with motions that end in them, so nothing is flipped; a leap is tried from the last moments
before walking fails; and where two trees cannot be joined by walking, a straight leap between two walks is tried too.
"""

from __future__ import annotations

import math

from andante.kernels import entry, inlined, kernel
from andante.planning.quadruped.global_plan.connect import (
    clearance,
    connect_at,
    connect_fault,
    connect_steps,
    grips,
    slower_walk,
)
from andante.planning.quadruped.global_plan.draws import between, lognormal, uniform, whole
from andante.planning.quadruped.global_plan.leap import leap_fault, leap_strains, set_leap
from andante.planning.quadruped.global_plan.tables import CHECKS, ITERATIONS, LEAPS, GroundLayers, Rules, Trees
from andante.planning.quadruped.global_plan.validity import LEAP, climb_rate, fault, look
from andante.spatial.arrays import Array1, Array2, Index1
from andante.spatial.gravity import GRAVITY

_BEFORE = 12
"""A leap begins at most so many steps before walking fails."""
_STRAIGHT, _AT_ROOTS = 6, 200
"""Straight leaps tried between two nodes, and between start and goal."""
_SCAN, _BEHIND = 0.03, 0.6
"""The straight line is looked at in such steps, from so far before the place where walking fails [m]."""
_HALVINGS = 4
"""... and then halved so often."""
_SPARE = 0.1
"""Feet are put up to this farther from what is leapt over than they must [m]."""
_PROGRESS = 0.01
"""A better end of a partial way is nearer by this [m]."""
_DETOUR = 0.15
"""A partial way with a leap more must end nearer by this [m]."""
_BRAKING = 0.7
"""Share of the friction with which a body brakes at the end of a partial way."""


@kernel
def obstacle(
    ground: GroundLayers, rules: Rules, a: Array1, b: Array1, room: Array1, counters: Index1
) -> tuple[float, float]:
    """Where, on the line from a state to another, a standing body has to stop, and where it can stand again [m].

    Looked for from a little before the state in ``room`` (6,) on, which is used for others then; the second is below
    zero where there is no such place.
    """
    far = math.hypot(b[0] - a[0], b[1] - a[1])
    if far < 1e-6:
        return 0.0, -1.0
    ux, uy = (b[0] - a[0]) / far, (b[1] - a[1]) / far
    at = max((room[0] - a[0]) * ux + (room[1] - a[1]) * uy - _BEHIND, 0.0)
    stop = -1.0
    while at <= far:
        good = _stands(ground, rules, a, ux, uy, at, room, counters)
        if stop >= 0.0 and good:
            return stop, _edge(ground, rules, a, ux, uy, at, good, room, counters)
        if stop < 0.0 and not good:
            if at < _SCAN:
                break
            stop = _edge(ground, rules, a, ux, uy, at, good, room, counters)
        at += _SCAN
    return 0.0, -1.0


@kernel
def _stands(
    ground: GroundLayers, rules: Rules, a: Array1, ux: float, uy: float, at: float, room: Array1, counters: Index1
) -> bool:
    """Whether a body can stand so far along a line; ``room`` gets its state."""
    room[:] = 0.0
    room[0], room[1] = a[0] + at * ux, a[1] + at * uy
    room[2] = look(ground, ground.smooth, room[0], room[1]) + rules.standing
    counters[CHECKS] += 1
    return fault(ground, rules, room, ux, uy, LEAP, room[0], room[1]) == 0


@kernel
def _edge(
    ground: GroundLayers,
    rules: Rules,
    a: Array1,
    ux: float,
    uy: float,
    at: float,
    ok: bool,
    room: Array1,
    counters: Index1,
) -> float:
    """The last place at which a body can stand, between one along a line, where it can or not, and one scan before."""
    good, bad = (at, at - _SCAN) if ok else (at - _SCAN, at)
    for _ in range(_HALVINGS):
        middle = 0.5 * (good + bad)
        if _stands(ground, rules, a, ux, uy, middle, room, counters):
            good = middle
        else:
            bad = middle
    return good


@kernel
def straight_leap(
    ground: GroundLayers,
    rules: Rules,
    trees: Trees,
    a: Array1,
    b: Array1,
    stop: float,
    go: float,
    ends: Array2,
    motion: Array1,
) -> bool:
    """A random leap straight from a state towards another, over the line's part from ``stop`` to ``go`` [m].

    Its two states are put into ``ends``.
    """
    draw = trees.random
    motion[1] = whole(draw, rules.push_low, rules.push_high)
    motion[2] = whole(draw, rules.flight_low, rules.flight_high)
    motion[3] = whole(draw, rules.push_low, rules.push_high)
    before, after = between(draw, 0.0, _SPARE), between(draw, 0.0, _SPARE)
    low = max(between(draw, -rules.crouch, rules.crouch), 0.0)
    # The feet stand below the middles of push-off and landing.
    duration = (0.5 * motion[1] + motion[2] + 0.5 * motion[3]) * rules.step
    speed = (go - stop + before + after) / duration
    trees.counters[LEAPS] += 1
    if speed > rules.largest_speed:
        return False
    far = math.hypot(b[0] - a[0], b[1] - a[1])
    ux, uy = (b[0] - a[0]) / far, (b[1] - a[1]) / far
    vx, vy = speed * ux, speed * uy
    first, last = ends[0], ends[1]
    start = stop - before - 0.5 * motion[1] * rules.step * speed
    first[0], first[1], first[3], first[4] = a[0] + start * ux, a[1] + start * uy, vx, vy
    first[2] = look(ground, ground.smooth, first[0], first[1]) + rules.standing - low
    first[5] = climb_rate(ground, first[0], first[1], vx, vy)
    set_leap(ground, rules, first, vx, vy, vx, vy, low, motion, False, last)
    if leap_strains(rules, first, last, motion) < 0.0:
        return False
    return not leap_fault(ground, rules, first, last, motion, trees.counters, ends[2])


@kernel
def _nearest(trees: Trees, tree: int, state: Array1) -> int:
    """The node whose position and velocity differ least from a state's."""
    best, found = math.inf, 0
    states = trees.states[tree]
    for n in range(trees.counts[tree]):
        dx, dy, dz = states[n, 0] - state[0], states[n, 1] - state[1], states[n, 2] - state[2]
        place = dx * dx + dy * dy + dz * dz
        if place >= best * best:
            continue
        distance = math.sqrt(place) + math.hypot(states[n, 3] - state[3], states[n, 4] - state[4])
        if distance < best:
            best, found = distance, n
    return found


@kernel
def _add(trees: Trees, tree: int, parent: int, state: Array1, motion: Array1) -> int:
    """A new node; -1 where the tree is full."""
    node = trees.counts[tree]
    if node >= len(trees.parents[tree]):
        return -1
    trees.states[tree, node] = state
    trees.parents[tree, node] = parent
    trees.motions[tree, node] = motion
    trees.counts[tree] += 1
    return int(node)


@inlined
def _walked(motion: Array1, steps: int) -> None:
    motion[:] = 0.0
    motion[0] = steps


@kernel
def _sample(ground: GroundLayers, rules: Rules, trees: Trees, out: Array1) -> None:
    """A place on the map at standing height, with a walking speed in any direction."""
    draw = trees.random
    nx, ny = ground.height.shape
    out[0] = ground.x + uniform(draw) * (nx - 1) * ground.spacing
    out[1] = ground.y + uniform(draw) * (ny - 1) * ground.spacing
    out[2] = look(ground, ground.smooth, out[0], out[1]) + rules.standing
    spread = max((rules.largest_speed - rules.nominal_speed) / 3.0, 1e-3)
    speed = min(lognormal(draw, rules.nominal_speed, spread), rules.largest_speed)
    if uniform(draw) < rules.resting:
        speed = 0.0
    way = between(draw, -math.pi, math.pi)
    out[3], out[4] = speed * math.cos(way), speed * math.sin(way)
    out[5] = climb_rate(ground, out[0], out[1], out[3], out[4])


@kernel
def _leap_from(
    ground: GroundLayers,
    rules: Rules,
    trees: Trees,
    tree: int,
    here: Array1,
    wanted: Array1,
    rooms: Array2,
    motion: Array1,
) -> bool:
    """The leap of some random ones that comes nearest to a wanted state; its other end is put into rooms[0]."""
    draw, there, best, at = trees.random, rooms[1], math.inf, rooms[2]
    tried = rooms[3]
    for _ in range(rules.leap_samples):
        tried[1] = whole(draw, rules.push_low, rules.push_high)
        tried[2] = whole(draw, rules.flight_low, rules.flight_high)
        tried[3] = whole(draw, rules.push_low, rules.push_high)
        ax = ay = bx = by = 0.0
        if uniform(draw) < 0.5:
            size, way = rules.sideways * math.sqrt(uniform(draw)), between(draw, -math.pi, math.pi)
            ax, ay = size * math.cos(way), size * math.sin(way)
            size, way = rules.sideways * math.sqrt(uniform(draw)), between(draw, -math.pi, math.pi)
            bx, by = size * math.cos(way), size * math.sin(way)
        fx, fy = here[3] + ax, here[4] + ay
        set_leap(ground, rules, here, fx, fy, fx + bx, fy + by, 0.0, tried, tree == 1, there)
        trees.counters[LEAPS] += 1
        distance = math.hypot(there[0] - wanted[0], there[1] - wanted[1])
        distance += math.hypot(there[3] - wanted[3], there[4] - wanted[4])
        first, last = (there, here) if tree == 1 else (here, there)
        if distance >= best or leap_strains(rules, first, last, tried) < 0.0:
            continue
        if not leap_fault(ground, rules, first, last, tried, trees.counters, at):
            best = distance
            rooms[0] = there
            motion[:] = tried
    return best < math.inf


@kernel
def _leap_towards(
    ground: GroundLayers, rules: Rules, trees: Trees, tree: int, node: int, wanted: Array1, rooms: Array2
) -> int:
    """Walk from a node to a straight leap over what is in the way (at rooms[0]): the node behind it, or -1."""
    near, backward = trees.states[tree, node], tree == 1
    first, last = (wanted, near) if backward else (near, wanted)
    if trees.counts[tree] + 2 > len(trees.parents[tree]):
        return -1
    halt, go = obstacle(ground, rules, first, last, rooms[0], trees.counters)
    if go < 0.0:
        return -1
    ends, motion = rooms[1:4], rooms[4]
    for _ in range(_STRAIGHT):
        if not straight_leap(ground, rules, trees, first, last, halt, go, ends, motion):
            continue
        begin, end = (ends[1], near) if backward else (near, ends[0])
        steps = connect_steps(rules, begin, end)
        if steps == 0 or connect_fault(ground, rules, begin, end, steps, backward, trees.counters, rooms[5]) >= 0:
            continue
        _walked(rooms[5], steps)
        inner = _add(trees, tree, node, begin if backward else end, rooms[5])
        return _add(trees, tree, inner, ends[0] if backward else ends[1], motion)
    return -1


@kernel
def _leap_from_behind(
    ground: GroundLayers, rules: Rules, trees: Trees, tree: int, wanted: Array1, rooms: Array2
) -> int:
    """As `_leap_towards`, from any node."""
    node = whole(trees.random, 0, trees.counts[tree] - 1)
    near, backward = trees.states[tree, node], tree == 1
    first, last = (wanted, near) if backward else (near, wanted)
    steps = connect_steps(rules, first, last)
    if steps == 0 or connect_fault(ground, rules, first, last, steps, backward, trees.counters, rooms[0]) < 0:
        return -1
    return _leap_towards(ground, rules, trees, tree, node, wanted, rooms)


@kernel
def _extend(ground: GroundLayers, rules: Rules, trees: Trees, tree: int, wanted: Array1, rooms: Array2) -> int:
    """Grow a tree towards a state by walking, else by a leap, else by part of the walk; the new node, or -1."""
    node = _nearest(trees, tree, wanted)
    near, backward = trees.states[tree, node], tree == 1
    first, last = (wanted, near) if backward else (near, wanted)
    steps = connect_steps(rules, first, last)
    if steps == 0:
        return -1
    stop = connect_fault(ground, rules, first, last, steps, backward, trees.counters, rooms[0])
    motion, cut = rooms[4], rooms[5]
    if stop < 0:
        _walked(motion, steps)
        return _add(trees, tree, node, wanted, motion)
    gone = steps - stop if backward else stop
    if gone == 0:
        return -1
    fresh = _leap_towards(ground, rules, trees, tree, node, wanted, rooms)
    if fresh < 0:
        # The nearest node has often no room left for a run-up; one farther behind has.
        fresh = _leap_from_behind(ground, rules, trees, tree, wanted, rooms)
    if fresh >= 0:
        return fresh
    low, high = clearance(ground, first), clearance(ground, last)
    walked = max(gone - 1 - int(uniform(trees.random) * _BEFORE), 0)
    connect_at(ground, first, last, steps, steps - walked if backward else walked, rules.step, low, high, cut)
    if _leap_from(ground, rules, trees, tree, cut, wanted, rooms, rooms[6]):
        if walked > 0:
            _walked(motion, walked)
            node = _add(trees, tree, node, cut, motion)
        return _add(trees, tree, node, rooms[0], rooms[6]) if node >= 0 else -1
    walked = int((1.0 - rules.backup) * gone)
    if walked <= rules.least_connect:
        return -1
    connect_at(ground, first, last, steps, steps - walked if backward else walked, rules.step, low, high, cut)
    _walked(motion, walked)
    return _add(trees, tree, node, cut, motion)


@kernel
def _join(ground: GroundLayers, rules: Rules, trees: Trees, node: int, other: int, tries: int, rooms: Array2) -> int:
    """Walk from a node of tree 0 to one of tree 1, or walk, leap and walk, with what is between as new nodes of tree 0.

    Returns the node from which the last walk starts, -1: there is none.
    """
    a, b = trees.states[0, node], trees.states[1, other]
    steps = connect_steps(rules, a, b)
    if steps == 0:
        return -1
    stop = connect_fault(ground, rules, a, b, steps, False, trees.counters, rooms[0])
    steps, stop = slower_walk(ground, rules, a, b, steps, stop, trees.counters, rooms[0])
    if stop < 0:
        _walked(trees.join, steps)
        return node
    if stop == 0:
        return -1
    halt, go = obstacle(ground, rules, a, b, rooms[0], trees.counters)
    if go < 0.0:
        return -1
    ends, motion = rooms[1:4], rooms[4]
    for _ in range(tries):
        if not straight_leap(ground, rules, trees, a, b, halt, go, ends, motion):
            continue
        up, down = connect_steps(rules, a, ends[0]), connect_steps(rules, ends[1], b)
        if up == 0 or down == 0:
            continue
        if connect_fault(ground, rules, a, ends[0], up, False, trees.counters, rooms[5]) >= 0:
            continue
        if connect_fault(ground, rules, ends[1], b, down, False, trees.counters, rooms[5]) >= 0:
            continue
        if trees.counts[0] + 2 > len(trees.parents[0]):
            return -1
        _walked(rooms[5], up)
        begun = _add(trees, 0, node, ends[0], rooms[5])
        _walked(trees.join, down)
        return _add(trees, 0, begun, ends[1], motion)
    return -1


@kernel
def _remember(ground: GroundLayers, rules: Rules, trees: Trees, node: int, goal: Array1, rooms: Array2) -> None:
    """Keep a node of tree 0 from which the body can stop nearer to the goal than from all before."""
    state, stop, at = trees.states[0, node], rooms[0], rooms[1]
    speed = math.hypot(state[3], state[4])
    steps = math.ceil(speed / (_BRAKING * rules.friction * GRAVITY * rules.step))
    stop[:] = 0.0
    stop[0] = state[0] + 0.5 * state[3] * steps * rules.step
    stop[1] = state[1] + 0.5 * state[4] * steps * rules.step
    stop[2] = look(ground, ground.smooth, stop[0], stop[1]) + clearance(ground, state)
    distance, each = math.hypot(goal[0] - stop[0], goal[1] - stop[1]), node
    while trees.parents[0, each] >= 0:
        if trees.motions[0, each, 0] == 0.0:
            distance += _DETOUR
        each = trees.parents[0, each]
    if distance > trees.nearest[0] - _PROGRESS:
        return
    if steps > 0:
        if not grips(rules, state, stop, steps):
            return
        if connect_fault(ground, rules, state, stop, steps, False, trees.counters, at) >= 0:
            return
    trees.nearest[0], trees.nearest[1] = distance, node
    trees.nearest[2:8] = stop
    trees.nearest[8:] = 0.0
    trees.nearest[8] = steps


@entry
def grow(
    ground: GroundLayers, rules: Rules, start: Array1, goal: Array1, horizon: int, trees: Trees
) -> tuple[bool, int, int]:
    """Grow both trees until they meet or so many states were tested.

    Args:
        ground: The ground.
        rules: Body and settings.
        start: State at the start, (6,).
        goal: State at the goal, (6,).
        horizon: States that may be tested.
        trees: Room for the trees; the random numbers and counters go on.

    Returns:
        Whether they met, and the last node of tree 0 and of tree 1; ``trees.join`` leads from one to the other.
    """
    rooms, limit = trees.states[0, :7] * 0.0, trees.counters[CHECKS] + horizon
    none, wanted = start * 0.0, start * 0.0
    trees.counts[:] = 0
    trees.nearest[0] = math.inf
    _add(trees, 0, -1, start, none)
    _add(trees, 1, -1, goal, none)
    _remember(ground, rules, trees, 0, goal, rooms)
    node = _join(ground, rules, trees, 0, 0, _AT_ROOTS, rooms)
    if node >= 0:
        return True, node, 0
    tree = 0
    while trees.counters[CHECKS] < limit:
        trees.counters[ITERATIONS] += 1
        # Every iteration counts, so that a ground on which nothing can be tested ends too.
        trees.counters[CHECKS] += 1
        _sample(ground, rules, trees, wanted)
        before = trees.counts[0]
        node = _extend(ground, rules, trees, tree, wanted, rooms)
        for fresh in range(before, trees.counts[0]):
            _remember(ground, rules, trees, fresh, goal, rooms)
        if node >= 0:
            partner = _nearest(trees, 1 - tree, trees.states[tree, node])
            for other in range(0, partner + 1, max(partner, 1)):
                first, second = (node, other) if tree == 0 else (other, node)
                last = _join(ground, rules, trees, first, second, _STRAIGHT, rooms)
                if last >= 0:
                    return True, last, second
        elif trees.counts[tree] >= len(trees.parents[tree]):
            break
        tree = 1 - tree
    return False, 0, 0
