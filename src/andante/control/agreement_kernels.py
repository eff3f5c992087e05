"""What sensors say of the same motion, added up over a block of readings, and where they contradict each other.

Each number is told twice: how far something turned between two readings (orientation, angle of a joint), and by which
rate (gyro, speed of a joint). A regression of the first on the second has the slope 1 where both are right, whatever
noise and constant offsets they have; its standard error says when nothing can be said yet.
"""

from __future__ import annotations

import math

from andante.kernels import inlined, lazy_entry
from andante.spatial.arrays import Array1, Array2, Index1

COUNT, TURN, RATE, TURN2, RATE2, BOTH, NEXT, RATE_NEXT = range(8)
"""Columns of what is added up of a pair: differences, turns, rates times time, their squares, their products, and the
products of each turn, and of each rate, with the next one."""
COLUMNS = 8
_CALM_RATE = (0.06, 0.3)
"""Rates of gyro and joints that say nothing when they are smaller, as root of the mean square [rad/s]."""
_CALM_TURN = (0.5, 0.8)
"""The same of rates by the differences of orientations and angles, which are noisier [rad/s]."""
_MOSTLY = 2.4
"""Turns are mostly motion, not noise, from here on; 3 without noise."""
_FINE, _SMOOTH = 4, 0.75
"""With fewer readings between two that are compared a rate tells nothing of what shakes faster than that: it must go
on from one difference to the next, by this share of its square."""
_STEPS = 12.0
"""So many differences at least must have been added up."""
_SURE = 3.0
"""So many standard errors a slope must be off."""
_SMALLEST, _LARGEST = 0.5, 2.0
"""Slopes between these are agreement: filters lag, impacts come between two readings."""
_SWEPT, _SUMMED, _TURNS, _RATES = range(4)
"""Rows of room: what the gyro swept, and forces; what speeds of joints summed up to; the last turns and rates."""
_PART, _PUSHED = 3, 7
"""Where forces begin in the first row: those between two readings that are compared, those of the whole block."""
AGREES, SILENT, CONTRADICTS = 1, 0, -1
"""What a pair says."""


@inlined
def _slope(turn2: float, rate2: float, both: float, count: float) -> int:
    """What the regression of turns on rates says, both centred."""
    if rate2 <= 0.0:
        return SILENT
    slope = both / rate2
    rest = max(turn2 - slope * both, 0.0)
    error = _SURE * math.sqrt(rest / (rate2 * max(count - 2.0, 1.0)))
    if slope + error < _SMALLEST or slope - error > _LARGEST:
        return CONTRADICTS
    if slope - error > _SMALLEST and slope + error < _LARGEST:
        return AGREES
    return SILENT


@inlined
def _judge(sums: Array2, pair: int, lag: float, kind: int, coarse: bool) -> int:
    """What a pair says of which everything up to now was added up."""
    count = sums[pair, COUNT]
    if count < _STEPS:
        return SILENT
    turn2 = sums[pair, TURN2] - sums[pair, TURN] * sums[pair, TURN] / count
    rate2 = sums[pair, RATE2] - sums[pair, RATE] * sums[pair, RATE] / count
    both = sums[pair, BOTH] - sums[pair, TURN] * sums[pair, RATE] / count
    calm_rate, calm_turn = lag * _CALM_RATE[kind], lag * _CALM_TURN[kind]
    if rate2 > count * (calm_rate * calm_rate):
        if coarse and sums[pair, RATE_NEXT] - sums[pair, RATE] * sums[pair, RATE] / count < _SMOOTH * rate2:
            return SILENT
        return _slope(turn2, rate2, both, count)
    # Noise of an angle is in two differences with opposite signs: this is three times the square of what moves.
    moved2 = turn2 + 2.0 * (sums[pair, NEXT] - sums[pair, TURN] * sums[pair, TURN] / count)
    if moved2 > 3.0 * count * (calm_turn * calm_turn) and moved2 > _MOSTLY * turn2:
        # What moves is not seen by the other at all.
        return _slope(rate2, turn2, both, count)
    return SILENT


@inlined
def _between(rows: Array2, begin: int, end: int, turn: int) -> tuple[float, float, float]:
    """The shortest turn from one reading's orientation to another's, in the axes of the first [rad]."""
    a, b, c, d = rows[begin, turn], rows[begin, turn + 1], rows[begin, turn + 2], rows[begin, turn + 3]
    e, f, g, h = rows[end, turn], rows[end, turn + 1], rows[end, turn + 2], rows[end, turn + 3]
    w = a * e + b * f + c * g + d * h
    x = a * f - b * e - c * h + d * g
    y = a * g + b * h - c * e - d * f
    z = a * h - b * g + c * f - d * e
    sine = math.sqrt(x * x + y * y + z * z)
    share = 2.0 if sine < 1e-12 else 2.0 * math.atan2(sine, abs(w)) / sine
    if w < 0.0:
        share = -share
    return share * x, share * y, share * z


@inlined
def _up(rows: Array2, at: int, turn: int) -> tuple[float, float, float]:
    """The world's vertical in the axes of a reading."""
    w, x, y, z = rows[at, turn], rows[at, turn + 1], rows[at, turn + 2], rows[at, turn + 3]
    return 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z


@inlined
def _tilted(before: tuple[float, float, float], after: tuple[float, float, float]) -> tuple[float, float, float]:
    """The turn by which the vertical went from one place to another, without any about itself [rad]."""
    a, b, c = before
    d, e, f = after
    x, y, z = e * c - f * b, f * a - d * c, d * b - e * a
    sine = math.sqrt(x * x + y * y + z * z)
    share = 1.0 if sine < 1e-12 else math.atan2(sine, a * d + b * e + c * f) / sine
    return share * x, share * y, share * z


@inlined
def _add(sums: Array2, pair: int, turn: float, rate: float, last_turn: float, last_rate: float, weight: float) -> None:
    sums[pair, NEXT] += weight * turn * last_turn
    sums[pair, RATE_NEXT] += weight * rate * last_rate
    sums[pair, COUNT] += 1.0
    sums[pair, TURN] += turn
    sums[pair, RATE] += rate
    sums[pair, TURN2] += turn * turn
    sums[pair, RATE2] += rate * rate
    sums[pair, BOTH] += turn * rate


@lazy_entry
def add_block(
    rows: Array2,
    places: Index1,
    lag: int,
    longest: float,
    decay: float,
    joints: Array2,
    turns: Array2,
    force: Array1,
    said: Index1,
    room: Array2,
) -> None:
    """Add a block of readings to what is known, and say what each pair says now.

    Args:
        rows: Readings, (1 + n * lag, size); the first is the last of the block before.
        places: Where a reading has angles, speeds of joints, orientation, gyro and accelerometer.
        lag: Readings between two that are compared.
        longest: Differences over more time are left out, as something was missed meanwhile [s].
        decay: What is left of what was added up before.
        joints: Sums of the joints, (nj, 8).
        turns: Sums of orientation and gyro, (3, 8).
        force: Gets the mean specific force in the world's axes [m/s^2] and its mean size, (4,).
        said: Gets what joints, then the gyro's three axes say, (nj + 3,).
        room: For what is added up meanwhile, (4, at least nj + 3 and 11): code that makes arrays takes long to load.
    """
    angle, speed, turn, gyro, accelerometer = places[0], places[1], places[2], places[3], places[4]
    nj, last = len(joints), len(rows) - 1
    for column in range(COLUMNS):
        for joint in range(nj):
            joints[joint, column] *= decay
        for axis in range(3):
            turns[axis, column] *= decay
    for row in range(4):
        for place in range(room.shape[1]):
            room[row, place] = 0.0
    # The first difference of a block has none before it, so the others count more.
    weight = last / max(last - lag, 1)
    span, used = 0.0, 0
    level = rows[0, turn] * rows[0, turn + 3] + rows[0, turn + 1] * rows[0, turn + 2]
    headed = False
    for at in range(1, last + 1):
        other = rows[at, turn] * rows[at, turn + 3] + rows[at, turn + 1] * rows[at, turn + 2]
        headed = headed or abs(other - level) > 1e-9
    up = _up(rows, 0, turn)
    for begin in range(0, last, lag):
        for place in range(_PUSHED):
            room[_SWEPT, place] = 0.0
        for joint in range(nj):
            room[_SUMMED, joint] = 0.0
        passed = 0.0
        for at in range(begin + 1, begin + lag + 1):
            step = max(rows[at, 0] - rows[at - 1, 0], 0.0)
            passed += step
            half = 0.5 * step
            for axis in range(3):
                room[_SWEPT, axis] += half * (rows[at, gyro + axis] + rows[at - 1, gyro + axis])
            for joint in range(nj):
                room[_SUMMED, joint] += half * (rows[at, speed + joint] + rows[at - 1, speed + joint])
            fx, fy, fz = rows[at, accelerometer], rows[at, accelerometer + 1], rows[at, accelerometer + 2]
            w, x, y, z = rows[at, turn], rows[at, turn + 1], rows[at, turn + 2], rows[at, turn + 3]
            tx, ty, tz = 2.0 * (y * fz - z * fy), 2.0 * (z * fx - x * fz), 2.0 * (x * fy - y * fx)
            room[_SWEPT, _PART] += step * (fx + w * tx + y * tz - z * ty)
            room[_SWEPT, _PART + 1] += step * (fy + w * ty + z * tx - x * tz)
            room[_SWEPT, _PART + 2] += step * (fz + w * tz + x * ty - y * tx)
            room[_SWEPT, _PART + 3] += step * math.sqrt(fx * fx + fy * fy + fz * fz)
        end = begin + lag
        if passed <= 0.0 or passed > longest:
            up = _up(rows, end, turn)
            continue
        span += passed
        used += 1
        for place in range(4):
            room[_SWEPT, _PUSHED + place] += room[_SWEPT, _PART + place]
        for joint in range(nj):
            way = rows[end, angle + joint] - rows[begin, angle + joint]
            rate = room[_SUMMED, joint]
            _add(joints, joint, way, rate, room[_TURNS, joint], room[_RATES, joint], weight)
            room[_TURNS, joint], room[_RATES, joint] = way, rate
        if headed:
            turned = _between(rows, begin, end, turn)
        else:
            # A robot that tells no heading turns about the vertical unseen: nobody may count that.
            a, b, c = _up(rows, end, turn)
            turned = _tilted(up, (a, b, c))
            x, y, z = up[0] + a, up[1] + b, up[2] + c
            along = room[_SWEPT, 0] * x + room[_SWEPT, 1] * y + room[_SWEPT, 2] * z
            about = along / max(x * x + y * y + z * z, 1e-12)
            room[_SWEPT, 0] -= about * x
            room[_SWEPT, 1] -= about * y
            room[_SWEPT, 2] -= about * z
            up = (a, b, c)
        for axis in range(3):
            way, rate = turned[axis], room[_SWEPT, axis]
            _add(turns, axis, way, rate, room[_TURNS, nj + axis], room[_RATES, nj + axis], weight)
            room[_TURNS, nj + axis], room[_RATES, nj + axis] = way, rate
    for place in range(4):
        force[place] = 0.0
    if span > 0.0:
        for place in range(4):
            force[place] = room[_SWEPT, _PUSHED + place] / span
    spacing = span / max(used, 1)
    for joint in range(nj):
        said[joint] = _judge(joints, joint, spacing, 1, lag < _FINE)
    for axis in range(3):
        said[nj + axis] = _judge(turns, axis, spacing, 0, lag < _FINE)
