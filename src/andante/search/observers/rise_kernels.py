"""What the observer `rise` sees of one tick, in one call each."""

from __future__ import annotations

import math

from andante.kernels import lazy_entry
from andante.spatial.arrays import Array1, Array2, Index1

TORQUE, SATURATED, SPEED, SPEEDS, HEIGHT, UPRIGHT, FLAT, LOWEST, SLOW, TURN, DOWN = range(11)
"""Places of what is seen: largest torque over its limit, motors at their limit, largest and mean speed of joints over
their limits, height of the base [m], cosine of its tilt, mean cosine of the feet's tilt, height of the lower foot [m],
speed of the base [m/s], its fastest turn about an axis [rad/s], how far its front looks down."""
SEEN = 11
_FULL = 0.98


@lazy_entry
def see_rise(
    force: Array1,
    per_torque: Array1,
    velocity: Array1,
    dofs: Index1,
    per_speed: Array1,
    position: Array1,
    matrix: Array1,
    normal: Array1,
    places: Array2,
    turns: Array2,
    feet: Index1,
    radii: Array1,
    seen: Array1,
) -> None:
    """Look at a robot that gets up.

    Args:
        force: Torques of the motors, (nu,) [N m].
        per_torque: One over their limits, (nu,) [1/(N m)].
        velocity: MuJoCo's velocities, (nv,).
        dofs: Places of the joints in them, (nj,).
        per_speed: One over the joints' speed limits, (nj,) [s/rad].
        position: Of the base, (3,) [m].
        matrix: Rotation of the base, (9,).
        normal: Of the floor, (3,).
        places: Of all sites, (n, 3) [m].
        turns: Their rotations, (n, 9).
        feet: Sites of the feet, (k,).
        radii: Their radii, (k,) [m].
        seen: Gets what is seen, see `TORQUE`, (11,).
    """
    most, full = 0.0, 0.0
    for motor in range(len(force)):
        torque = abs(force[motor] * per_torque[motor])
        most = max(most, torque)
        if torque >= _FULL:
            full += 1.0
    fastest, total = 0.0, 0.0
    for joint in range(len(dofs)):
        speed = abs(velocity[dofs[joint]] * per_speed[joint])
        fastest = max(fastest, speed)
        total += speed
    up, height, down = 0.0, 0.0, 0.0
    for axis in range(3):
        down -= matrix[3 * axis] * normal[axis]
        up += matrix[3 * axis + 2] * normal[axis]
        height += position[axis] * normal[axis]
    flat, lowest = 0.0, math.inf
    for foot in range(len(feet)):
        level, high = 0.0, 0.0
        for axis in range(3):
            level += turns[feet[foot], 3 * axis + 2] * normal[axis]
            high += places[feet[foot], axis] * normal[axis]
        flat += max(level, 0.0)
        lowest = min(lowest, high - radii[foot])
    seen[TORQUE], seen[SATURATED], seen[SPEED] = most, full, fastest
    seen[SPEEDS] = total / max(len(dofs), 1)
    seen[HEIGHT], seen[UPRIGHT] = height, up
    seen[FLAT], seen[LOWEST] = flat / max(len(feet), 1), lowest
    seen[SLOW] = math.sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2])
    seen[DOWN] = down
    seen[TURN] = max(abs(velocity[3]), abs(velocity[4]), abs(velocity[5]))


@lazy_entry
def point_supported(
    com: Array1,
    speed: Array1,
    places: Array2,
    turns: Array2,
    sites: Index1,
    corners: Array2,
    matrix: Array1,
    normal: Array1,
    lowest: float,
    gravity: float,
    inside: float,
) -> bool:
    """Whether the capture point lies well within the box around the soles along the heading of the base.

    Args:
        com: Centre of mass, (3,) [m].
        speed: Its velocity, (3,) [m/s].
        places: Of all sites, (n, 3) [m].
        turns: Their rotations, (n, 9).
        sites: Site of the sole that each corner belongs to, (k,).
        corners: Corners of the soles in their frames, (k, 2) [m].
        matrix: Rotation of the base, (9,).
        normal: Of the floor, (3,).
        lowest: Least height of the centre of mass [m].
        gravity: Gravity [m/s^2].
        inside: Share of the box's half length and width that counts.
    """
    ahead_x, ahead_y, ahead_z = matrix[0], matrix[3], matrix[6]
    up = ahead_x * normal[0] + ahead_y * normal[1] + ahead_z * normal[2]
    ahead_x, ahead_y, ahead_z = ahead_x - normal[0] * up, ahead_y - normal[1] * up, ahead_z - normal[2] * up
    size = max(math.sqrt(ahead_x * ahead_x + ahead_y * ahead_y + ahead_z * ahead_z), 1e-9)
    ahead_x, ahead_y, ahead_z = ahead_x / size, ahead_y / size, ahead_z / size
    aside_x = normal[1] * ahead_z - normal[2] * ahead_y
    aside_y = normal[2] * ahead_x - normal[0] * ahead_z
    aside_z = normal[0] * ahead_y - normal[1] * ahead_x
    back, front, right, left = math.inf, -math.inf, math.inf, -math.inf
    level = 0.0
    for corner in range(len(sites)):
        site, x, y = sites[corner], corners[corner, 0], corners[corner, 1]
        px = places[site, 0] + turns[site, 0] * x + turns[site, 1] * y
        py = places[site, 1] + turns[site, 3] * x + turns[site, 4] * y
        pz = places[site, 2] + turns[site, 6] * x + turns[site, 7] * y
        level += px * normal[0] + py * normal[1] + pz * normal[2]
        along = px * ahead_x + py * ahead_y + pz * ahead_z
        across = px * aside_x + py * aside_y + pz * aside_z
        back, front = min(back, along), max(front, along)
        right, left = min(right, across), max(left, across)
    height = com[0] * normal[0] + com[1] * normal[1] + com[2] * normal[2] - level / len(sites)
    lead = math.sqrt(max(height, lowest) / gravity)
    px, py, pz = com[0] + speed[0] * lead, com[1] + speed[1] * lead, com[2] + speed[2] * lead
    along = px * ahead_x + py * ahead_y + pz * ahead_z
    across = px * aside_x + py * aside_y + pz * aside_z
    if abs(along - 0.5 * (back + front)) > inside * 0.5 * (front - back):
        return False
    well: bool = abs(across - 0.5 * (right + left)) <= inside * 0.5 * (left - right)
    return well
