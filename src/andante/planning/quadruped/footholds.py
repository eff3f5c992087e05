"""Footholds: where each foot comes down over the horizon, and the swings between.

Source: Quad-SDK's local footstep planner. The nominal foothold is the centre of the smallest circle around the places
of the hip, projected on the ground, over the coming stance, plus sqrt(h / g) times the error of the velocity, plus (h /
g) v x w for the turn. Unlike the source the hips follow the velocity that is asked for, not the measured one, which
with that gain would count the error of the velocity twice.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from andante.kernels import entry, kernel
from andante.planning.nmpc.dynamics import rotation
from andante.planning.quadruped.ground import Ground, at, nearest_to
from andante.planning.quadruped.swing import SWING
from andante.planning.quadruped.swing_timing import time_swing
from andante.spatial.arrays import Array, Array1, Array2, Array3, Flags1, Index1
from andante.spatial.gravity import GRAVITY

MOST_SWINGS = 6
"""Swings of a leg that a horizon can hold."""
_MOST_POINTS = 64
_OWN = 0.05
"""An error of the velocity may always move a foothold so far [m]."""
_PASSING = 0.4
"""A foot passes over edges at this share of its clearance at least."""
_COMMITTED = 0.3
"""From this share of a swing on the foot comes down on the step that it was going to: on its way up one it would
strike the edge, on its way down one its hip would not follow."""
_LEAST_CLEARANCE = 0.5
"""Share of its clearance that a swing keeps below a low hip: a foot that comes no higher than its place on a step
strikes the edge as soon as it lags."""


class StepRules(NamedTuple):
    """Numbers of the foothold and swing planner, for one robot."""

    height: float
    """Height of the centre of mass over the ground [m]."""
    capture: float
    """Share of sqrt(h / g) by which an error of the velocity moves a foothold."""
    catch: float
    """Time constant in which an error of the velocity is caught by steps [s]."""
    clearance: float
    """How high the foot's centre swings over the higher of its two ends [m]."""
    search: float
    """Radius in which a better foothold is looked for [m]."""
    threshold: float
    """Least traversability of a foothold."""
    constancy: float
    """Weight of the distance to the foothold that was chosen before."""
    reach: float
    """Largest distance of a foothold from the hip's projection at touch-down [m]."""
    apart: float
    """Least distance of a foothold from the foot before or behind it that stands [m]."""
    beside: float
    """The same of the foot beside it [m]."""
    hip_room: float
    """Least distance of a swing's apex below the hip [m]."""
    tuck: float
    """Share of the body's rise over standing height in a flight by which swings are higher."""
    landing: float
    """A foot that ends a flight stands where it suits so much of its stance [s]."""


class Horizon(NamedTuple):
    """What is asked of the body over the horizon, and where it is instead; N states, N - 1 intervals."""

    times: Array1
    """Times of the grid, (N,) [s]."""
    contact: Array2
    """1 where a foot stands in an interval, else 0, (N - 1, 4)."""
    flown: Array1
    """How high the centre of mass comes in the flight that an interval belongs to, -inf where it belongs to none,
    (N - 1,) [m]."""
    reference: Array2
    """States that are asked for, (N, 12)."""
    shift: Array1
    """From the reference's place to the measured one, (2,) [m]."""
    error: Array1
    """Measured velocity less the one that is asked for, (2,) [m/s]."""


class LegsNow(NamedTuple):
    """The legs, and where their feet are."""

    hips: Array2
    """Hips from the centre of mass, in body axes, (4, 3) [m]."""
    radius: Array1
    """Radius of each foot, (4,) [m]."""
    stance_times: Array1
    """How long each foot stands in the gait, (4,) [s]."""
    standing: Array2
    """Where each foot stands or stood last (its centre), (4, 3) [m]."""
    lifted: Array1
    """When each foot was lifted that swings now, (4,) [s]."""
    before: Array2
    """Footholds that were chosen last time for the next touch-down, (4, 3) [m]; NaN: none."""


class PlannedFeet(NamedTuple):
    """Where feet are over the horizon."""

    feet: Array3
    """Where each foot's force acts in each interval, (N - 1, 4, 3) [m]."""
    swings: Array3
    """The swings, (4, MOST_SWINGS, SWING)."""
    counts: Index1
    """How many of each leg's swings there are, (4,)."""
    unsafe: Flags1
    """Whether the next foothold of a leg is where no foot can stand, (4,)."""
    wanted: Array3
    """Where each swing would end if the ground allowed it, x and y, and the hip's place then, (4, MOST_SWINGS, 5)
    [m]."""

    @staticmethod
    def empty(intervals: int) -> PlannedFeet:
        """Room for the feet over a number of intervals."""
        swings, counts = np.zeros((4, MOST_SWINGS, SWING)), np.zeros(4, dtype=np.int64)
        unsafe, wanted = np.zeros(4, dtype=np.bool_), np.empty((4, MOST_SWINGS, 5))
        return PlannedFeet(np.empty((intervals, 4, 3)), swings, counts, unsafe, wanted)


FREE = np.full((4, MOST_SWINGS, 2), np.nan)
"""Footholds that nobody has chosen beforehand, for `plan_feet`."""


@entry
def enclosing_circle(points: Array2, count: int) -> tuple[float, float, float]:
    """Centre and radius of the smallest circle around the first ``count`` of points (n, 2)."""
    cx, cy, r = points[0, 0], points[0, 1], 0.0
    # Welzl's algorithm without its recursion: each point outside lies on the circle around those before it.
    for i in range(1, count):
        if _inside(cx, cy, r, points[i, 0], points[i, 1]):
            continue
        cx, cy, r = points[i, 0], points[i, 1], 0.0
        for j in range(i):
            if _inside(cx, cy, r, points[j, 0], points[j, 1]):
                continue
            cx, cy = 0.5 * (points[i, 0] + points[j, 0]), 0.5 * (points[i, 1] + points[j, 1])
            r = 0.5 * math.hypot(points[i, 0] - points[j, 0], points[i, 1] - points[j, 1])
            for k in range(j):
                if not _inside(cx, cy, r, points[k, 0], points[k, 1]):
                    cx, cy, r = _circle(points[i], points[j], points[k])
    return cx, cy, r


@kernel
def _inside(cx: float, cy: float, r: float, x: float, y: float) -> bool:
    return math.hypot(x - cx, y - cy) <= r + 1e-9


@kernel
def _circle(a: Array, b: Array, c: Array) -> tuple[float, float, float]:
    """The circle through three points; where they lie in a line, around the two farthest."""
    bx, by, dx, dy = b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]
    d = 2.0 * (bx * dy - by * dx)
    if abs(d) < 1e-12:
        lx, hx = min(a[0], b[0], c[0]), max(a[0], b[0], c[0])
        ly, hy = min(a[1], b[1], c[1]), max(a[1], b[1], c[1])
        return 0.5 * (lx + hx), 0.5 * (ly + hy), 0.5 * math.hypot(hx - lx, hy - ly)
    bb, dd = bx * bx + by * by, dx * dx + dy * dy
    ux, uy = (dy * bb - by * dd) / d, (bx * dd - dx * bb) / d
    return a[0] + ux, a[1] + uy, math.hypot(ux, uy)


@kernel
def _hip(reference: Array, row: int, shift: Array, hip: Array, late: float) -> tuple[float, float, float]:
    """A hip's place in the world at a row of the reference, ``late`` seconds after it."""
    r = reference[row]
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = rotation(r)
    x = r00 * hip[0] + r01 * hip[1] + r02 * hip[2]
    y = r10 * hip[0] + r11 * hip[1] + r12 * hip[2]
    z = r20 * hip[0] + r21 * hip[1] + r22 * hip[2]
    return (
        r[0] + shift[0] + x + late * r[6],
        r[1] + shift[1] + y + late * r[7],
        r[2] + z + late * r[8],
    )


@entry
def hips_at(state: Array1, hips: Array2) -> Array:
    """Places of the hips in the world, (n, 3) [m], at a state (12,); ``hips`` (n, 3) from the centre of mass [m]."""
    places, shift, rows = np.empty_like(hips), np.zeros(2), state.reshape(1, 12)
    for leg in range(len(hips)):
        places[leg, 0], places[leg, 1], places[leg, 2] = _hip(rows, 0, shift, hips[leg], 0.0)
    return places


@entry
def nominal_foothold(
    rules: StepRules,
    times: Array1,
    reference: Array2,
    shift: Array1,
    error: Array1,
    hip: Array1,
    first: int,
    until: float,
) -> tuple[float, float]:
    """Where a foot comes down if the ground allows it, x and y [m].

    Args:
        rules: Numbers of the planner.
        times: Times of the reference's rows, (N,) [s].
        reference: States that are asked for, (N, 12).
        shift: From the reference's place to the measured one, (2,) [m].
        error: Measured velocity less the one that is asked for, (2,) [m/s].
        hip: The hip from the centre of mass, in body axes, (3,) [m].
        first: Row of the touch-down.
        until: End of the stance [s]; beyond the horizon the body goes on at its last velocity.
    """
    points = np.empty((_MOST_POINTS, 2))
    count, last = 0, len(times) - 1
    for row in range(first, last + 1):
        if times[row] > until + 1e-9 or count == _MOST_POINTS - 1:
            break
        x, y, _ = _hip(reference, row, shift, hip, 0.0)
        points[count, 0], points[count, 1] = x, y
        count += 1
    if until > times[last] + 1e-9:
        x, y, _ = _hip(reference, last, shift, hip, until - times[last])
        points[count, 0], points[count, 1] = x, y
        count += 1
    cx, cy, _ = enclosing_circle(points, count)
    row = reference[first]
    fall = rules.height / GRAVITY
    gain = rules.capture * math.sqrt(fall)
    vx, vy = row[6] + error[0], row[7] + error[1]
    return cx + gain * error[0] + fall * vy * row[11], cy + gain * error[1] - fall * vx * row[11]


@kernel
def _searched(
    ground: Ground, rules: StepRules, x: float, y: float, hx: float, hy: float, before: Array, known: bool
) -> tuple[float, float, bool]:
    """The best place near a nominal foothold, and whether there is one where a foot can stand.

    Never one that is out of reach of the hip at (hx, hy): a foot that shall push off is not put beyond the gap.
    """
    if nearest_to(ground, ground.traversability, x, y) > rules.threshold:
        return x, y, True
    best, bx, by, found = np.inf, x, y, False
    reach = math.ceil(rules.search / ground.spacing)
    for i in range(-reach, reach + 1):
        for j in range(-reach, reach + 1):
            px, py = x + i * ground.spacing, y + j * ground.spacing
            far = math.hypot(px - x, py - y)
            if math.hypot(px - hx, py - hy) > rules.reach:
                continue
            if far > rules.search or nearest_to(ground, ground.traversability, px, py) <= rules.threshold:
                continue
            cost = far
            if known:
                cost += rules.constancy * math.hypot(px - before[0], py - before[1])
            if cost < best:
                best, bx, by, found = cost, px, py, True
    return bx, by, found


@kernel
def _kept_apart(
    rules: StepRules, leg: int, yaw: float, standing: Array, stands: Array, x: float, y: float, x0: float, y0: float
) -> tuple[float, float]:
    """A foothold on its own side of the feet that stand before or behind it and beside it.

    A push moves footholds so far that a hind foot would strike the front leg, or a left one the right. What the gait
    asks for by itself, (x0, y0), is always allowed: at speed a hind foot comes down where the front one leaves.
    """
    c, s = math.cos(yaw), math.sin(yaw)
    for across in range(2):
        # Legs are FL, FR, HL, HR.
        other = leg ^ 1 if across == 1 else leg ^ 2
        if stands[other] < 0.5:
            continue
        sign = 1.0 if leg < other else -1.0
        ux, uy = (-s * sign, c * sign) if across == 1 else (c * sign, s * sign)
        away = (x - standing[other, 0]) * ux + (y - standing[other, 1]) * uy
        wanted = rules.beside if across == 1 else rules.apart
        least = min(wanted, (x0 - standing[other, 0]) * ux + (y0 - standing[other, 1]) * uy - _OWN)
        if away < least:
            x, y = x + (least - away) * ux, y + (least - away) * uy
    return x, y


@kernel
def _behind_front(
    rules: StepRules, leg: int, yaw: float, standing: Array, contact: Array, i: int, down: int, x: float, y: float
) -> tuple[float, float]:
    """A hind foot's place behind the front foot of its side where that stands for all of the swing, rows i to down.

    After a landing feet stand so long that the hind foot's own place lies beyond it, and the leg would strike it.
    """
    if leg < 2:
        return x, y
    for k in range(i, down):
        if contact[k, leg - 2] < 0.5:
            return x, y
    c, s = math.cos(yaw), math.sin(yaw)
    away = (standing[leg - 2, 0] - x) * c + (standing[leg - 2, 1] - y) * s
    short = max(rules.beside - away, 0.0)
    return x - short * c, y - short * s


@kernel
def _on_another_step(ground: Ground, rules: StepRules, before: Array, x: float, y: float) -> bool:
    """Whether a place lies higher or lower than one that was chosen before, by more than the slope between them."""
    rise = at(ground, ground.height, x, y) - at(ground, ground.height, before[0], before[1])
    slope_x = at(ground, ground.slope_x, before[0], before[1])
    slope_y = at(ground, ground.slope_y, before[0], before[1])
    other: bool = abs(rise - slope_x * (x - before[0]) - slope_y * (y - before[1])) > rules.clearance
    return other


@kernel
def _apex(
    ground: Ground, rules: StepRules, start: Array, end: Array, hip_z: float, flown: float, radius: float
) -> float:
    """Height of the foot's centre in the middle of a swing.

    In a flight the body comes up to ``flown``; feet that passed low over the ground would be out of reach.
    """
    top = max(start[2], end[2])
    for k in range(1, 8):
        s = k / 8.0
        z = at(ground, ground.height, start[0] + s * (end[0] - start[0]), start[1] + s * (end[1] - start[1])) + radius
        top = max(top, z)
    rise = max(flown - rules.height - (max(start[2], end[2]) - radius), 0.0)
    highest = max(hip_z - rules.hip_room, top + _LEAST_CLEARANCE * rules.clearance)
    apex: float = min(top + rules.clearance, highest) + rules.tuck * rise
    return apex


@entry
def plan_feet(
    ground: Ground, rules: StepRules, asked: Horizon, legs: LegsNow, chosen: Array3, planned: PlannedFeet
) -> None:
    """Places of all feet over the horizon.

    Args:
        ground: The ground.
        rules: Numbers of the planner.
        asked: What is asked of the body.
        legs: The legs.
        chosen: Where swings end, x and y, (4, MOST_SWINGS, 2) [m]; NaN: at the nearest place where a foot can stand.
        planned: Gets the places.
    """
    times, contact, reference = asked.times, asked.contact, asked.reference
    hips, radius, standing, before = legs.hips, legs.radius, legs.standing, legs.before
    feet, swings, counts = planned.feet, planned.swings, planned.counts
    last = len(contact)
    moved, wrong, still = np.empty(2), np.empty(2), np.zeros(2)
    for leg in range(4):
        place = standing[leg].copy()
        counts[leg] = 0
        planned.unsafe[leg] = False
        i = 0
        off = legs.lifted[leg]
        while i < last:
            if contact[i, leg] > 0.5:
                for axis in range(3):
                    feet[i, leg, axis] = place[axis]
                feet[i, leg, 2] -= radius[leg]
                i += 1
                if i < last and contact[i, leg] < 0.5:
                    off = times[i]
                continue
            down = i
            while down < last and contact[down, leg] < 0.5:
                down += 1
            up = down
            while up < last and contact[up, leg] > 0.5:
                up += 1
            until = times[up] if up < last else max(times[last], times[down] + legs.stance_times[leg])
            high = -np.inf
            for k in range(i, down):
                high = max(high, asked.flown[k])
            if high > -np.inf:
                # Most of the body's speed is lost with the first load; feet far ahead would only turn it in the air.
                until = min(until, times[down] + rules.landing)
            # The error of the velocity is caught by steps; until then the body goes some way with it.
            left = math.exp(-(times[down] - times[0]) / rules.catch)
            for axis in range(2):
                moved[axis] = asked.shift[axis] + asked.error[axis] * rules.catch * (1.0 - left)
                wrong[axis] = asked.error[axis] * (1.0 if counts[leg] == 0 else left)
            x, y = nominal_foothold(rules, times, reference, moved, wrong, hips[leg], down, until)
            hx, hy, hz = _hip(reference, down, moved, hips[leg], 0.0)
            far = math.hypot(x - hx, y - hy)
            if far > rules.reach:
                x, y = hx + (x - hx) * rules.reach / far, hy + (y - hy) * rules.reach / far
            number = counts[leg]
            next_one, listed = number == 0, number < MOST_SWINGS
            if next_one:
                x0, y0 = nominal_foothold(rules, times, reference, asked.shift, still, hips[leg], down, until)
                x, y = _kept_apart(rules, leg, reference[down, 5], standing, contact[0], x, y, x0, y0)
                x, y = _behind_front(rules, leg, reference[down, 5], standing, contact, i, down, x, y)
            known = next_one and not math.isnan(before[leg, 0])
            if listed:
                place_wanted = planned.wanted[leg, number]
                place_wanted[0], place_wanted[1] = x, y
                place_wanted[2], place_wanted[3], place_wanted[4] = hx, hy, hz
            if listed and not math.isnan(chosen[leg, number, 0]):
                x, y, safe = chosen[leg, number, 0], chosen[leg, number, 1], True
            else:
                x, y, safe = _searched(ground, rules, x, y, hx, hy, before[leg], known)
            under_way = known and i == 0 and times[0] - off > _COMMITTED * (times[down] - off)
            reached = math.hypot(before[leg, 0] - hx, before[leg, 1] - hy) <= rules.reach
            if under_way and reached and _on_another_step(ground, rules, before[leg], x, y):
                x, y = before[leg, 0], before[leg, 1]
            if next_one:
                planned.unsafe[leg] = not safe
            end = np.array([x, y, at(ground, ground.height, x, y) + radius[leg]])
            if listed:
                swing = swings[leg, number]
                swing[0], swing[1] = off, times[down]
                for axis in range(3):
                    swing[2 + axis], swing[5 + axis] = place[axis], end[axis]
                swing[8] = _apex(ground, rules, place, end, hz, high, radius[leg])
                time_swing(ground, radius[leg], _PASSING * rules.clearance, swing)
                counts[leg] += 1
            for k in range(i, down):
                for axis in range(3):
                    feet[k, leg, axis] = end[axis]
                feet[k, leg, 2] -= radius[leg]
            place = end
            i = down
