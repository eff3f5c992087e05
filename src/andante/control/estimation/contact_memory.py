"""What the contact-aided filter knows of its robot and remembers between ticks, as plain arrays for its kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from andante.spatial.arrays import Array1, Array2

TURN, SPEED, PLACE, GYRO, FORCE, FOOT = 0, 3, 6, 9, 12, 15
"""First rows of attitude, velocity, position, offsets of gyro and accelerometer, and feet in the error state."""
YAW, WAY, FLIGHT, CONTRADICTION, NO_GYRO, NO_FORCE, STRAIN, ASKEW = 0, 1, 3, 4, 5, 6, 7, 8
"""Places in `ContactMemory.clocks`."""
OUTPUTS = 36
"""Numbers of a state before those of its legs."""
LEG_OUTPUTS = 6
"""Numbers of a state for each leg."""


class ContactModel(NamedTuple):
    """Mounting, noises and limits; what each number means is told by `ContactKalmanSettings`."""

    mount: Array2
    """IMU's to base's axes, (3, 3)."""
    lever: Array1
    """Place of the IMU in the base's frame, (3,) [m]."""
    gravity: float
    gyro: float
    accelerometer: float
    impact: float
    gyro_offset: float
    accelerometer_offset: float
    gyro_walk: float
    accelerometer_walk: float
    encoder: float
    encoder_rate: float
    leg: float
    leg_speed: float
    foot_drift: float
    landing_drift: float
    landing_speed: float
    landing: float
    ground: float
    ground_interval: float
    tilt: float
    tilt_time: float
    gate: float
    early: float
    still: float
    moving: float
    switch_timeout: float
    repeat: float
    contradiction: float
    askew: float
    doubted: float
    strain: float
    strain_time: float
    flight: float
    blind: float
    blind_rate: float
    blind_force: float
    blind_time: float
    worst_speed: float
    worst_tilt: float
    rolling: float


class ContactMemory(NamedTuple):
    """State and counters of one filter; every array is changed in place."""

    rotation: Array2
    """Base to world, (3, 3)."""
    motion: Array2
    """Velocity and place of the IMU in the world, (2, 3)."""
    feet: Array2
    """Centres of the feet in the world, (nl, 3) [m]."""
    offsets: Array2
    """Offsets of gyro and accelerometer in base axes, (2, 3)."""
    covariance: Array2
    """Of the error state, (n, n)."""
    lever: Array2
    """Room for the kernels, (n, 3)."""
    shift: Array1
    """Correction of the error state in this tick, (n,)."""
    imu: Array2
    """Last readings of gyro and accelerometer in base axes, and by how much each changed, (4, 3)."""
    raw: Array1
    """Last readings of the IMU as they came, (10,)."""
    joints: Array2
    """Last angles and rates, legs below each other, (2 nl, 3)."""
    readings: Array2
    """Last angles and rates as they came, (2 nl, 3)."""
    ground: Array2
    """Normal of the ground below each foot and height of its centre standing there (NaN: not known), (nl, 4)."""
    stood: Array1
    """For how long each foot has carried the estimate; below zero: it does not, (nl,) [s]."""
    closed: Array1
    """For how long each switch has been closed, (nl,) [s]."""
    reopened: Array1
    """Whether a foot's switch has been open since the plan let the foot swing, (nl,)."""
    stuck: Array1
    """Evidence that a switch is closed while its foot moves, (nl,) [s]."""
    lost: Array1
    """Evidence that a switch is open while its foot stands, (nl,) [s]."""
    repeated: Array1
    """For how long each leg's encoders, then gyro and accelerometer have repeated themselves, (nl + 2,) [s]."""
    measured: Array1
    """Time since the height of each foot was last measured, (nl,) [s]."""
    clocks: Array1
    """Yaw [rad], way x and y [m]; time without stance, of contradiction, without gyro, without accelerometer [s]; mean
    squared error of the velocities over standing feet, in standard deviations; time for which the
    IMU's own tilt has been another [s]. (9,)"""
    output: Array1
    """State of this tick, (OUTPUTS + LEG_OUTPUTS nl,)."""


def empty_memory(legs: int) -> ContactMemory:
    """Memory of a filter that knows nothing."""
    size = FOOT + 3 * legs
    return ContactMemory(
        rotation=np.eye(3),
        motion=np.zeros((2, 3)),
        feet=np.zeros((legs, 3)),
        offsets=np.zeros((2, 3)),
        covariance=np.zeros((size, size)),
        lever=np.zeros((size, 3)),
        shift=np.zeros(size),
        imu=np.zeros((4, 3)),
        raw=np.full(10, np.nan),
        joints=np.zeros((2 * legs, 3)),
        readings=np.full((2 * legs, 3), np.nan),
        ground=np.tile([0.0, 0.0, 1.0, np.nan], (legs, 1)),
        stood=np.full(legs, -1.0),
        closed=np.zeros(legs),
        reopened=np.zeros(legs),
        stuck=np.zeros(legs),
        lost=np.zeros(legs),
        repeated=np.zeros(legs + 2),
        measured=np.full(legs, np.inf),
        clocks=np.zeros(9),
        output=np.zeros(OUTPUTS + LEG_OUTPUTS * legs),
    )
