"""What the sensors of a simulated robot read without noise, in one call."""

from __future__ import annotations

import math

from andante.kernels import inlined, lazy_entry
from andante.kernels.held import Table, floats1, floats2, index1, index2
from andante.spatial.arrays import Array1, Array2

POSITION, VELOCITY, EFFORT, HEALTH, IMU, CONTACT, FORCE = range(7)
"""Places of fields of Sensors."""
_FOOT = 10
"""Values of a foot in MuJoCo's sensors: found, force (3), torque (3), position (3)."""


@inlined
def press_cells(
    out: Array1, first: int, cells: Array2, begin: int, end: int, load: float, moment_x: float, moment_y: float
) -> None:
    """Forces of the pressure cells of a foot under a load with its moments.

    The sole is a rigid plate on equal springs, one per cell: the force of a cell is ``a + b x + c y``, with a, b, c
    from the load and its moments. Cells only push, so negative ones are cut and the rest scaled; the sum stays the
    load.
    """
    if load <= 0.0:
        return
    total = 0.0
    for cell in range(begin, end):
        force = cells[cell, 0] * load - cells[cell, 1] * moment_y + cells[cell, 2] * moment_x
        out[first + cell] = max(force, 0.0)
        if force >= 0.0:
            total += force
    for cell in range(begin, end):
        out[first + cell] = out[first + cell] * (load / total) if total > 0.0 else load / (end - begin)


@lazy_entry
def read_sensors(table: Table, out: Array1, health: Array1, gap: Array1, imu: int, threshold: float) -> None:
    """Write what joints, IMU and feet read into a vector of Sensors.

    Args:
        table: Of ten arrays: where the fields of Sensors begin, (7,); places of each joint in qpos, qvel and among the
            motors, (3, nj); site, first pressure cell and the one after the last of each foot, (nf, 3); how a cell's
            force follows from load and moments, (nc, 3); MuJoCo's positions, velocities and forces of motors, (nu,)
            [N m]; its sensors, ten values of the IMU, ten of each foot; its places of sites, (ns, 3) [m], and their
            rotations, (ns, 9).
        out: The vector; all its other values must be 0.
        health: What drivers report, (nj,).
        gap: How far each motor's encoder is ahead of its link, (nu,) [rad]; empty: nowhere.
        imu: Where the IMU begins among MuJoCo's sensors.
        threshold: Force above which a foot touches [N].
    """
    places, joints, feet, cells = index1(table, 0), index2(table, 1), index2(table, 2), floats2(table, 3)
    qpos, qvel, force = floats1(table, 4), floats1(table, 5), floats1(table, 6)
    sensordata, sites, turns = floats1(table, 7), floats2(table, 8), floats2(table, 9)
    for joint in range(joints.shape[1]):
        motor = joints[2, joint]
        angle = qpos[joints[0, joint]]
        out[places[POSITION] + joint] = angle + gap[motor] if len(gap) else angle
        out[places[VELOCITY] + joint] = qvel[joints[1, joint]]
        out[places[EFFORT] + joint] = force[motor]
        out[places[HEALTH] + joint] = health[joint]
    for value in range(10):
        out[places[IMU] + value] = sensordata[imu + value]
    for foot in range(feet.shape[0]):
        at = imu + 10 + _FOOT * foot
        begin, end = feet[foot, 1], feet[foot, 2]
        if sensordata[at] == 0.0:
            continue
        fx, fy, fz = sensordata[at + 1], sensordata[at + 2], sensordata[at + 3]
        if math.sqrt(fx * fx + fy * fy + fz * fz) > threshold:
            out[places[CONTACT] + foot] = 1.0
        if begin == end:
            continue
        tx, ty, tz = sensordata[at + 4], sensordata[at + 5], sensordata[at + 6]
        site = feet[foot, 0]
        rx = sensordata[at + 7] - sites[site, 0]
        ry = sensordata[at + 8] - sites[site, 1]
        rz = sensordata[at + 9] - sites[site, 2]
        mx, my, mz = tx + ry * fz - rz * fy, ty + rz * fx - rx * fz, tz + rx * fy - ry * fx
        # MuJoCo gives the force that the foot exerts; the sole feels its opposite.
        load = -(turns[site, 2] * fx + turns[site, 5] * fy + turns[site, 8] * fz)
        moment_x = -(turns[site, 0] * mx + turns[site, 3] * my + turns[site, 6] * mz)
        moment_y = -(turns[site, 1] * mx + turns[site, 4] * my + turns[site, 7] * mz)
        press_cells(out, places[FORCE], cells, begin, end, load, moment_x, moment_y)
