"""How far thighs, shanks and belly are above the ground at a pose: kernels over points of the robot's shape."""

from __future__ import annotations

import math

from andante.kernels import inlined, inlined_entry
from andante.kinematics.leg_table import LegTable
from andante.planning.feasibility.scene import Scene
from andante.spatial.arrays import Array, Array2
from andante.spatial.rotation_kernels import Three
from andante.terrain.lookup import bilinear


@inlined_entry
def height_at(scene: Scene, grid: Array2, x: float, y: float) -> float:
    """A grid of a scene at a place [m], bilinear; off the map that of its rim."""
    return bilinear(grid, (x - scene.x) / scene.spacing, (y - scene.y) / scene.spacing)


@inlined
def placed(position: Three, rotation: Array, place: Three) -> tuple[float, float, float]:
    """A place in the base's frame as seen in the world [m]."""
    x: float = position[0] + rotation[0, 0] * place[0] + rotation[0, 1] * place[1] + rotation[0, 2] * place[2]
    y: float = position[1] + rotation[1, 0] * place[0] + rotation[1, 1] * place[1] + rotation[1, 2] * place[2]
    z: float = position[2] + rotation[2, 0] * place[0] + rotation[2, 1] * place[1] + rotation[2, 2] * place[2]
    return x, y, z


@inlined
def leg_axes(table: LegTable, leg: int, angles: Three) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Where the axes of a leg's pitch and of its knee are in the base's frame [m]."""
    roll, pitch = table.signs[leg, 0] * angles[0], table.signs[leg, 1] * angles[1]
    c1, s1, c2, s2 = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
    hx, hy, hz = table.hip[leg, 0], table.hip[leg, 1], table.hip[leg, 2]
    ox, oy, oz = table.offset[leg, 0], table.offset[leg, 1], table.offset[leg, 2]
    ux, uy, uz = table.upper[leg, 0], table.upper[leg, 1], table.upper[leg, 2]
    kx, ky, kz = ox + c2 * ux + s2 * uz, oy + uy, oz + c2 * uz - s2 * ux
    pitch_axis = ox + hx, c1 * oy - s1 * oz + hy, s1 * oy + c1 * oz + hz
    return pitch_axis, (kx + hx, c1 * ky - s1 * kz + hy, s1 * ky + c1 * kz + hz)


@inlined
def belly_clearance(scene: Scene, position: Array, rotation: Array, enough: float) -> float:
    """Least height of the trunk's underside over the ground [m]; ends early once it is below ``enough``."""
    least = math.inf
    for n in range(len(scene.belly)):
        x, y, z = placed(position, rotation, (scene.belly[n, 0], scene.belly[n, 1], scene.belly[n, 2]))
        least = min(least, z - scene.skin - height_at(scene, scene.clear, x, y))
        if least < enough:
            break
    return least


@inlined
def leg_clearance(scene: Scene, leg: int, position: Array, rotation: Array, angles: Three, foot: Three) -> float:
    """Least height of a leg's thigh and shank over the ground [m], of points that leave out the foot.

    Args:
        scene: Robot and ground.
        leg: Row of the leg.
        position: Origin of the base, (3,) [m].
        rotation: Rotation of the base, (3, 3).
        angles: The leg's joint angles, (3,) [rad].
        foot: Centre of its foot at these angles in the world, (3,) [m].
    """
    pitch_axis, knee = leg_axes(scene.table, leg, angles)
    wax, way, waz = placed(position, rotation, pitch_axis)
    wbx, wby, wbz = placed(position, rotation, knee)
    least = math.inf
    for n in range(2, 5):
        t = 0.25 * n
        x, y, z = wax + t * (wbx - wax), way + t * (wby - way), waz + t * (wbz - waz)
        least = min(least, z - scene.upper[leg] - height_at(scene, scene.clear, x, y))
    for n in range(1, 5):
        # The lowest fifth of the shank is the foot's neighbourhood, where the ball stands out.
        t = 0.2 * n
        x, y, z = wbx + t * (foot[0] - wbx), wby + t * (foot[1] - wby), wbz + t * (foot[2] - wbz)
        least = min(least, z - scene.lower[leg] - height_at(scene, scene.clear, x, y))
    return least
