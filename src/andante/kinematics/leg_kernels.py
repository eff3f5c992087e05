"""The closed forms of `RollPitchLeg` as compiled kernels over rows of a `LegTable`, without memory of their own.

Turns are angles about +x, +y, +y whatever the sense of the joint; a joint's angle is its sign times its turn. A
kernel that finds a place out of reach gives the nearest turns that exist, so that an iteration can pass through.
"""

from __future__ import annotations

import math

from andante.kernels import entry, inlined, kernel
from andante.kinematics.leg_table import LegTable
from andante.spatial.arrays import Array, Array1
from andante.spatial.rotation_kernels import seen_from

ROLL, PITCH, KNEE, SPAN = 0, 1, 2, 3
"""What keeps a foot from its place: a joint's limit, or the leg is too short."""


@entry
def obstacle(table: LegTable, leg: int, x: float, y: float, z: float) -> int:
    """What keeps the foot of a leg from a place in the base's frame: `ROLL` to `SPAN`, or -1 where nothing does.

    No trigonometry: limits are compared as cosines of the angle from the middle of the range, which is exact.
    """
    hip = table.hip
    return hip_obstacle(table, leg, x - hip[leg, 0] - table.offset[leg, 0], y - hip[leg, 1], z - hip[leg, 2])


@inlined
def hip_obstacle(table: LegTable, leg: int, x: float, y: float, z: float) -> int:
    """As `obstacle`, of a place relative to the hip, along x to the pitch axis."""
    side = table.lateral[leg]
    from_axis2 = y * y + z * z
    depth2 = from_axis2 - side * side
    if depth2 < 0.0:
        return ROLL
    depth = math.sqrt(depth2)
    down = -depth - table.offset[leg, 2]
    distance2 = x * x + down * down
    if distance2 > table.reach2[leg, 1]:
        size = table.lengths[leg, 0] + table.lengths[leg, 1]
        return SPAN if distance2 > size * size else KNEE
    if distance2 < table.reach2[leg, 0]:
        return KNEE
    # The roll turns (side, -depth) into (y, z).
    cosine = y * side - z * depth
    sine = z * side + y * depth
    wedges = table.wedges
    if cosine * wedges[leg, 0, 0] + sine * wedges[leg, 0, 1] < from_axis2 * wedges[leg, 0, 2]:
        return ROLL
    upper, lower = table.lengths[leg, 0], table.lengths[leg, 1]
    bent = (distance2 - upper * upper - lower * lower) / (2.0 * upper * lower)
    square = 1.0 - bent * bent
    sideways = math.sqrt(square) if square > 0.0 else 0.0
    foot_x = table.upper[leg, 0] + bent * table.along[leg, 0] + sideways * table.across[leg, 0]
    foot_z = table.upper[leg, 2] + bent * table.along[leg, 1] + sideways * table.across[leg, 1]
    cosine = x * foot_x + down * foot_z
    sine = x * foot_z - down * foot_x
    if cosine * wedges[leg, 1, 0] + sine * wedges[leg, 1, 1] < distance2 * wedges[leg, 1, 2]:
        return PITCH
    return -1


@inlined
def directions(
    table: LegTable, leg: int, x: float, y: float, z: float
) -> tuple[float, float, float, float, float, float, float, float, float]:
    """Cosine and sine of the roll, of the pitch, of the lower link's turn and of the knee's bend, and as in `turns`.

    No trigonometry, which is most of what inverse kinematics cost. Limits do not count here.
    """
    x -= table.hip[leg, 0] + table.offset[leg, 0]
    y -= table.hip[leg, 1]
    z -= table.hip[leg, 2]
    side = table.lateral[leg]
    missing = 0.0
    from_axis2 = y * y + z * z
    depth2 = from_axis2 - side * side
    size = from_axis2
    if depth2 < 0.0:
        size = abs(side) * math.sqrt(from_axis2)
        missing = abs(side) - math.sqrt(from_axis2)
        depth2 = 0.0
    depth = math.sqrt(depth2)
    # The roll turns (side, -depth) into (y, z).
    c1, s1 = 1.0, 0.0
    if size > 0.0:
        c1, s1 = (side * y - depth * z) / size, (side * z + depth * y) / size
    down = -depth - table.offset[leg, 2]
    upper, lower = table.lengths[leg, 0], table.lengths[leg, 1]
    distance2 = x * x + down * down
    distance = math.sqrt(distance2)
    missing = max(missing, distance - upper - lower, abs(upper - lower) - distance)
    bent = (distance2 - upper * upper - lower * lower) / (2.0 * upper * lower)
    clipped = min(1.0, max(-1.0, bent))
    sideways = math.sqrt(1.0 - clipped * clipped)
    low_x = clipped * table.along[leg, 0] + sideways * table.across[leg, 0]
    low_z = clipped * table.along[leg, 1] + sideways * table.across[leg, 1]
    foot_x, foot_z = table.upper[leg, 0] + low_x, table.upper[leg, 2] + low_z
    size = distance2
    if bent != clipped:
        size = distance * math.sqrt(foot_x * foot_x + foot_z * foot_z)
    # The pitch turns (foot_x, foot_z) into (x, down), the lower link's turn its place at zero angles into its own.
    c2, s2 = 1.0, 0.0
    if size > 0.0:
        c2, s2 = (x * foot_x + down * foot_z) / size, (x * foot_z - down * foot_x) / size
    f0, f2 = table.lower[leg, 0], table.lower[leg, 2]
    low_x, low_z = c2 * low_x + s2 * low_z, c2 * low_z - s2 * low_x
    c3, s3 = (low_x * f0 + low_z * f2) / (lower * lower), (low_x * f2 - low_z * f0) / (lower * lower)
    return c1, s1, c2, s2, c3, s3, clipped, sideways, missing


@inlined
def turns(table: LegTable, leg: int, x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """Roll turn, pitch turn, bend of the knee [rad], and how far the place was from one that the leg spans [m].

    Limits do not count here. Roll and pitch are in the turn in which their limits are.
    """
    c1, s1, c2, s2, _, _, bent, sideways, missing = directions(table, leg, x, y, z)
    roll, pitch, bend = turns_of(table, leg, c1, s1, c2, s2, bent, sideways)
    return roll, pitch, bend, missing


@inlined
def turns_of(
    table: LegTable, leg: int, c1: float, s1: float, c2: float, s2: float, bent: float, sideways: float
) -> tuple[float, float, float]:
    """Roll turn, pitch turn and bend of the knee [rad] of their cosines and sines."""
    roll = _near(math.atan2(s1, c1), 0.5 * (table.limits[leg, 0, 0] + table.limits[leg, 0, 1]))
    pitch = _near(math.atan2(s2, c2), 0.5 * (table.limits[leg, 1, 0] + table.limits[leg, 1, 1]))
    return roll, pitch, math.atan2(sideways, bent)


@inlined
def slack(table: LegTable, leg: int, roll: float, pitch: float, bend: float) -> tuple[float, int]:
    """Smallest angle left to a limit of the leg [rad], and the joint; the stretched and the folded knee are limits."""
    least, joint = math.inf, 0
    for number, turn in ((0, roll), (1, pitch), (2, bend)):
        left = min(turn - table.limits[leg, number, 0], table.limits[leg, number, 1] - turn)
        if left < least:
            least, joint = left, number
    return least, joint


@inlined
def leg_moment(
    table: LegTable,
    leg: int,
    c1: float,
    s1: float,
    c2: float,
    s2: float,
    c3: float,
    s3: float,
    moment: Array,
    change: Array,
    wanted: bool,
) -> None:
    """Add mass times centre of a leg's links in the base's frame, and how that changes as the foot is moved.

    Args:
        table: The legs.
        leg: Row.
        c1: Cosine of the turn about x.
        s1: Its sine.
        c2: Cosine of the upper link's turn about y.
        s2: Its sine.
        c3: Cosine of the lower link's turn about y from zero angles, pitch and knee.
        s3: Its sine.
        moment: Sum to add to, (3,) [kg m].
        change: Derivative by the foot's place to add to, (3, 3) [kg]; where the leg is stretched it gets nothing.
        wanted: Whether the derivative is wanted.
    """
    m1, m2, m3 = table.mass[leg, 0], table.mass[leg, 1], table.mass[leg, 2]
    o, u, f = table.offset[leg], table.upper[leg], table.lower[leg]
    g1, g2, g3 = table.centre[leg, 0], table.centre[leg, 1], table.centre[leg, 2]
    # In the rolled frame: pitch axis at o, knee at k, foot at p, centres of the links.
    kx, ky, kz = o[0] + c2 * u[0] + s2 * u[2], o[1] + u[1], o[2] + c2 * u[2] - s2 * u[0]
    px, py, pz = kx + c3 * f[0] + s3 * f[2], ky + f[1], kz + c3 * f[2] - s3 * f[0]
    ax, ay, az = o[0] + c2 * g2[0] + s2 * g2[2], o[1] + g2[1], o[2] + c2 * g2[2] - s2 * g2[0]
    bx, by, bz = kx + c3 * g3[0] + s3 * g3[2], ky + g3[1], kz + c3 * g3[2] - s3 * g3[0]
    mx = m1 * g1[0] + m2 * ax + m3 * bx
    my = m1 * g1[1] + m2 * ay + m3 * by
    mz = m1 * g1[2] + m2 * az + m3 * bz
    total = m1 + m2 + m3
    moment[0] += total * table.hip[leg, 0] + mx
    moment[1] += total * table.hip[leg, 1] + c1 * my - s1 * mz
    moment[2] += total * table.hip[leg, 2] + s1 * my + c1 * mz
    if not wanted:
        return
    # Columns in the rolled frame: x cross r for the roll, y cross (r - anchor) = (z, 0, -x) for pitch and knee.
    j10, j12 = pz - o[2], -(px - o[0])
    j20, j22 = pz - kz, -(px - kx)
    size = j10 * j22 - j20 * j12
    if abs(size) < 1e-9 or abs(pz) < 1e-6:
        return
    n10, n12 = m2 * (az - o[2]) + m3 * (bz - o[2]), -(m2 * (ax - o[0]) + m3 * (bx - o[0]))
    n20, n22 = m3 * (bz - kz), -m3 * (bx - kx)
    # Foot: (dx, dy, dz) = roll (0, -pz, py) + pitch (j10, 0, j12) + knee (j20, 0, j22), solved for the three turns.
    for column in range(3):
        # A unit move of the foot along a base axis, seen in the rolled frame.
        dx = 1.0 if column == 0 else 0.0
        dy = c1 if column == 1 else (s1 if column == 2 else 0.0)
        dz = -s1 if column == 1 else (c1 if column == 2 else 0.0)
        t1 = -dy / pz
        rest = dz - t1 * py
        t2 = (dx * j22 - j20 * rest) / size
        t3 = (j10 * rest - dx * j12) / size
        vx = t2 * n10 + t3 * n20
        vy = -t1 * mz
        vz = t1 * my + t2 * n12 + t3 * n22
        change[0, column] += vx
        change[1, column] += c1 * vy - s1 * vz
        change[2, column] += s1 * vy + c1 * vz


@inlined
def _near(angle: float, middle: float) -> float:
    """The same direction within half a turn of ``middle`` [rad]."""
    return angle - 2.0 * math.pi * math.floor((angle - middle) / (2.0 * math.pi) + 0.5)


_TOUCHING = 1e-9
"""Length by which a place may miss what a leg spans, from rounding [m]."""


@inlined
def joint_angles(table: LegTable, leg: int, x: float, y: float, z: float, angles: Array) -> tuple[float, int, float]:
    """Joint angles of a foot's place in the base's frame.

    Args:
        table: The robot.
        leg: Row of the leg.
        x: The place [m].
        y: The same to the left [m].
        z: The same upward [m].
        angles: Gets the angles, (3,) [rad].

    Returns:
        The smallest angle left to a limit [rad], its joint, and by how much the leg is too short or too long [m].
    """
    roll, pitch, bend, missing = turns(table, leg, x, y, z)
    left, joint = slack(table, leg, roll, pitch, bend)
    angles[0] = table.signs[leg, 0] * roll
    angles[1] = table.signs[leg, 1] * pitch
    angles[2] = table.signs[leg, 2] * (table.stretched[leg] + table.bend[leg] * bend)
    return left, joint, missing


@entry
def leg_angles(table: LegTable, leg: int, x: float, y: float, z: float, angles: Array1) -> float:
    """Joint angles (3,) [rad] of a foot's place in the base's frame, and the smallest angle left to a limit [rad].

    Far below zero where the leg is too short or too long.
    """
    left, _, missing = joint_angles(table, leg, x, y, z, angles)
    return -10.0 - missing if missing > _TOUCHING else left


@kernel
def leg_ik(table: LegTable, leg: int, position: Array, rotation: Array, foot: Array, angles: Array) -> float:
    """Joint angles (3,) [rad] for a foot under a body.

    Args:
        table: The robot.
        leg: Row of the leg.
        position: Origin of the base, (3,) [m].
        rotation: Rotation of the base, (3, 3).
        foot: Centre of the foot, (3,) [m].
        angles: Gets the angles, (3,) [rad].

    Returns:
        The smallest angle left to a limit [rad]; -1 where the leg is too short.
    """
    x, y, z = seen_from(position, rotation, foot)
    left, _, missing = joint_angles(table, leg, x, y, z, angles)
    return -1.0 if missing > 0.0 else left
