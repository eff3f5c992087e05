"""A trot without a controller: a body on a path given by formulas, feet that stand or roll below it, what sensors read.

Nothing here is shared with the estimators but the closed-form inverse kinematics: how balls roll is found from the
rotation of the last link itself, IMU readings from differences of the path.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path as FilePath

import numpy as np

from andante.control.estimation.state import imu_mount
from andante.kernels import entry
from andante.kinematics.leg_kernels import joint_angles
from andante.kinematics.leg_table import LeggedBody, LegTable
from andante.robots.records import Sensors
from andante.robots.robot import Robot
from andante.spatial import rotations
from andante.spatial.arrays import Array3

GRAVITY = 9.81
_LEG = """
      <body name="{name}_hip" pos="{x} {y} 0"><inertial pos="0 0 0" mass="0.7" diaginertia="1e-3 1e-3 1e-3"/>
        <joint name="{name}_hip_joint" axis="1 0 0" range="-1.05 1.05"/>
        <body name="{name}_thigh" pos="0 {side} 0"><inertial pos="0 0 -0.03" mass="1.1" diaginertia="5e-3 5e-3 1e-3"/>
          <joint name="{name}_thigh_joint" axis="0 1 0" range="-1.5 3.5"/>
          <body name="{name}_calf" pos="0 0 -0.213"><inertial pos="0 0 -0.1" mass="0.2" diaginertia="2e-3 2e-3 1e-4"/>
            <joint name="{name}_calf_joint" axis="0 1 0" range="-2.7 -0.8"/>
            <geom name="{name}_foot" type="sphere" size="0.022" pos="-0.002 0 -0.213"/>
          </body></body></body>"""


def long_legs(folder: FilePath) -> LeggedBody:
    """Twelve joints with lengths as of a robot of 15 kg, and an IMU off the middle, turned by a quarter turn."""
    legs = "".join(
        _LEG.format(name=name, x=0.1934 * front, y=0.0465 * left, side=0.0955 * left)
        for name, front, left in (("FL", 1, 1), ("FR", 1, -1), ("RL", -1, 1), ("RR", -1, -1))
    )
    text = f"""<mujoco model="long-legs"><compiler angle="radian"/><worldbody>
    <body name="base" pos="0 0 0.3"><freejoint/>
      <inertial pos="0 0 0" mass="7" diaginertia="0.03 0.1 0.1"/><geom type="box" size="0.19 0.05 0.05"/>
      <site name="imu" pos="-0.1 0.02 0.04" quat="0.70710678 0 0 0.70710678"/>{legs}
    </body></worldbody></mujoco>"""
    file = folder / "long-legs.xml"
    file.write_text(text)
    return LeggedBody.of(Robot.load(file))


_H = 1e-4


@entry
def angles_of(table: LegTable, places: Array3, angles: Array3) -> float:
    """Joint angles of feet in the base's frame, both (n, nl, 3); the least room to a limit."""
    least = 10.0
    for n in range(places.shape[0]):
        for leg in range(places.shape[1]):
            p = places[n, leg]
            left, _, missing = joint_angles(table, leg, p[0], p[1], p[2], angles[n, leg])
            least = min(least, left, -10.0 if missing > 1e-9 else least)
    return least


@dataclass(frozen=True)
class Path:
    """A path over the ground; the body is turned along it."""

    place: Callable[[np.ndarray], np.ndarray]
    """x and y (2, n) [m] at times (n,) [s]."""
    yaw: Callable[[np.ndarray], np.ndarray]
    """Heading (n,) [rad]."""
    height: Callable[[np.ndarray, np.ndarray], np.ndarray] = lambda x, y: 0.0 * x
    """Of the ground below, (n,) [m]."""


def started(time: np.ndarray, still: float = 0.4, ramp: float = 1.0) -> np.ndarray:
    """Time that begins to run smoothly after a moment of standing."""
    t = np.clip((time - still) / ramp, 0.0, None)
    # Integral of a smooth step, 3 u^2 - 2 u^3 up to 1, then 1.
    soft = np.minimum(t, 1.0)
    return ramp * (soft**3 - 0.5 * soft**4 + np.maximum(t - 1.0, 0.0))


def circle(speed: float, radius: float, x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> Path:
    """Round and round to the left, from a place with a heading."""

    def angle(time: np.ndarray) -> np.ndarray:
        return started(time) * speed / radius

    def place(time: np.ndarray) -> np.ndarray:
        a = angle(time)
        px, py = radius * np.sin(a), radius * (1.0 - np.cos(a))
        return np.stack([x + np.cos(yaw) * px - np.sin(yaw) * py, y + np.sin(yaw) * px + np.cos(yaw) * py])

    return Path(place, lambda time: yaw + angle(time))


def weave(speed: float, turn: float = 0.8, period: float = 6.0) -> Path:
    """Along x with turns to both sides: the heading swings by ``turn`` [rad]."""
    fine = np.linspace(0.0, 200.0, 400_001)
    heading = turn * np.sin(2.0 * np.pi * fine / period)
    steps = speed * np.stack([np.cos(heading), np.sin(heading)]) * (fine[1] - fine[0])
    summed = np.concatenate([np.zeros((2, 1)), np.cumsum(0.5 * (steps[:, 1:] + steps[:, :-1]), axis=1)], axis=1)
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(fine[::20], summed[:, ::20], axis=1)
    return Path(
        lambda time: spline(started(time)),
        lambda time: turn * np.sin(2.0 * np.pi * started(time) / period),
    )


@dataclass(eq=False, repr=False)
class Walk:
    """Truth and perfect readings of a trot, one row per tick."""

    body: LeggedBody
    period: float
    time: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    rpy: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    feet: np.ndarray
    contact: np.ndarray
    angles: np.ndarray
    rates: np.ndarray
    gyro: np.ndarray
    force: np.ndarray
    distance: float = field(default=0.0)


def trot(
    body: LeggedBody,
    path: Path,
    seconds: float,
    *,
    period: float = 0.002,
    stride: float = 0.36,
    duty: float = 0.5,
    clearance: float = 0.15,
    wobble: float = 0.03,
    rolling: bool = True,
    height: float = 0.75,
) -> Walk:
    """A trot along a path; lengths follow the legs.

    Args:
        body: The robot.
        path: Its way.
        seconds: How long [s].
        period: Time of a tick [s].
        stride: Period of the gait [s].
        duty: Share of it for which a foot stands.
        clearance: Height of a swing as a share of the leg's length.
        wobble: Amplitude of roll and pitch [rad].
        rolling: Whether feet are balls that roll; else their centres stay.
        height: Of the pitch axes over the feet as a share of the stretched leg.
    """
    table, legs = body.table, len(body.legs)
    time = period * np.arange(round(seconds / period) + 1)
    leg = float(table.lengths.sum(axis=1).mean())
    hips = table.hip + table.offset
    nominal = hips + np.array([0.0, 0.0, 0.0])
    nominal[:, 1] = table.hip[:, 1] + table.lateral
    nominal[:, 2] = hips[:, 2] - height * leg
    stand = float(-nominal[:, 2].mean() + table.radius.mean())

    def pose(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        xy, yaw = path.place(at), path.yaw(at)
        moving = np.clip((at - 0.4) / 0.5, 0.0, 1.0)
        moving = moving**3 * (10.0 - 15.0 * moving + 6.0 * moving**2)
        phase = 2.0 * np.pi * at / stride
        z = path.height(*xy) + stand + 0.02 * leg * moving * np.sin(2.0 * phase)
        roll, pitch = wobble * moving * np.sin(phase + 0.3), 0.7 * wobble * moving * np.sin(2.0 * phase + 1.0)
        rpy = np.stack([roll, pitch, yaw], axis=-1)
        return np.stack([xy[0], xy[1], z], axis=-1), rpy

    def turned(at: np.ndarray) -> np.ndarray:
        return rotations.to_matrix(rotations.from_rpy(pose(at)[1]))

    position, rpy = pose(time)
    rotation = turned(time)
    lever, mount = imu_mount(body.robot)

    def imu_place(at: np.ndarray) -> np.ndarray:
        return pose(at)[0] + turned(at) @ lever

    velocity = (pose(time + _H)[0] - pose(time - _H)[0]) / (2.0 * _H)
    push = (imu_place(time + _H) - 2.0 * imu_place(time) + imu_place(time - _H)) / _H**2
    push[:, 2] += GRAVITY
    change = np.einsum("nji,njk->nik", turned(time - _H), turned(time + _H))
    rate = _vector(change) / (2.0 * _H)
    mounted = rotations.to_matrix(mount)
    force = np.einsum("nji,nj->ni", rotation @ mounted, push)

    contact = np.ones((len(time), legs), dtype=bool)
    offsets = np.array([0.0, 0.5, 0.5, 0.0])[:legs]
    phases = (time[:, None] / stride + offsets) % 1.0
    trotting = time > 0.4
    contact[trotting] = phases[trotting] < duty
    feet = _feet(body, path, time, position, rotation, contact, nominal, rolling, clearance * leg, stride * duty, pose)
    places = np.einsum("nji,nlj->nli", rotation, feet - position[:, None])
    angles = np.empty_like(places)
    assert angles_of(table, np.ascontiguousarray(places), angles) > 0.0, "the walk is out of the legs' reach"
    rates = np.gradient(angles, period, axis=0)
    return Walk(
        body,
        period,
        time,
        position,
        rotation,
        rpy,
        velocity,
        rate,
        feet,
        contact,
        angles,
        rates,
        np.einsum("ji,nj->ni", mounted, rate),
        force,
        float(np.hypot(*np.diff(position[:, :2], axis=0).T).sum()),
    )


def _feet(body, path, time, position, rotation, contact, nominal, rolling, clearance, stance, pose):
    """Centres of the feet, (n, nl, 3): standing feet roll by the turn of their last link, found by iteration."""
    table, legs = body.table, contact.shape[1]
    feet = np.empty((len(time), legs, 3))
    begins = [np.flatnonzero(np.diff(contact[:, leg].astype(int), prepend=0) == 1) for leg in range(legs)]
    ends = [np.flatnonzero(np.diff(contact[:, leg].astype(int), append=0) == -1) for leg in range(legs)]
    downs = []
    for leg in range(legs):
        middle = np.maximum(time[begins[leg]] + 0.5 * stance, 0.0)
        middle[0] = 0.0
        at, rpy = pose(middle)
        level = rotations.to_matrix(rotations.from_rpy(rpy * [0.0, 0.0, 1.0]))
        spot = at + level @ nominal[leg]
        spot[:, 2] = path.height(spot[:, 0], spot[:, 1]) + table.radius[leg]
        downs.append(spot)
    rolled = np.zeros((len(time), legs, 3))
    for _ in range(8 if rolling else 1):
        for leg in range(legs):
            for number, (first, last) in enumerate(zip(begins[leg], ends[leg], strict=True)):
                rows = slice(first, last + 1)
                way = np.cumsum(rolled[rows, leg], axis=0)
                feet[rows, leg] = downs[leg][number] + way - rolled[first, leg]
                if number + 1 < len(begins[leg]):
                    swing = slice(last + 1, begins[leg][number + 1])
                    count = swing.stop - swing.start
                    u = (np.arange(count) + 1.0)[:, None] / (count + 1.0)
                    smooth = u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
                    a, b = feet[last, leg], downs[leg][number + 1]
                    feet[swing, leg] = a + smooth * (b - a)
                    feet[swing, leg, 2] += clearance * 64.0 * (u * (1.0 - u))[:, 0] ** 3
            if ends[leg][-1] + 1 < len(time):
                feet[ends[leg][-1] + 1 :, leg] = feet[ends[leg][-1], leg] + [0.0, 0.0, clearance]
        places = np.einsum("nji,nlj->nli", rotation, feet - position[:, None])
        angles = np.empty_like(places)
        angles_of(table, np.ascontiguousarray(places), angles)
        turn = angles * table.signs
        link = (
            rotation[:, None] @ rotations.rotation_x(turn[..., 0]) @ rotations.rotation_y(turn[..., 1] + turn[..., 2])
        )
        spin = rotations.log(rotations.from_matrix(link[1:] @ np.swapaxes(link[:-1], -1, -2)))
        rolled[1:] = np.cross(spin, [0.0, 0.0, 1.0]) * table.radius[:, None]
        if not rolling:
            rolled[:] = 0.0
    return feet


def _vector(rotation: np.ndarray) -> np.ndarray:
    return rotations.log(rotations.from_matrix(rotation))


@dataclass(frozen=True)
class Noise:
    """Errors of the sensors: standard deviations, offsets drawn once, spikes at touchdown."""

    gyro: float = 0.01
    gyro_offset: float = 0.003
    accelerometer: float = 0.1
    accelerometer_offset: float = 0.03
    encoder: float = 0.0005
    encoder_offset: float = 0.0
    rate: float = 0.03
    orientation: float = 0.002
    orientation_offset: float = 0.01
    impact: float = 0.0
    """Vertical acceleration at a touchdown that rings out in 10 ms and moves nothing [m/s^2]."""
    late: int = 2
    """Ticks by which switches close late; they open that much early."""


QUIET = Noise(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0)


def readings(walk: Walk, noise: Noise = QUIET, seed: int = 0) -> list[Sensors]:
    """What the sensors read at every tick."""
    rng = np.random.default_rng(seed)
    count, robot = len(walk.time), walk.body.robot
    legs = walk.angles.shape[1]
    mount = imu_mount(robot)[1]
    force = walk.force.copy()
    if noise.impact > 0.0:
        down = np.diff(walk.contact.astype(float), axis=0, prepend=1.0).clip(0.0).sum(axis=1)
        ring = np.exp(-np.arange(0.0, 0.03, walk.period) / 0.005) * np.cos(
            2.0 * np.pi * 90.0 * np.arange(0.0, 0.03, walk.period) + 1.0
        )
        kick = noise.impact * np.convolve(down, ring)[:count]
        force += kick[:, None] * (walk.rotation @ np.array(_matrix(mount)))[:, 2]
    gyro = walk.gyro + noise.gyro_offset * rng.standard_normal(3) + noise.gyro * rng.standard_normal((count, 3))
    force += noise.accelerometer_offset * rng.standard_normal(3)
    force += noise.accelerometer * rng.standard_normal((count, 3))
    angles = walk.angles + noise.encoder_offset * rng.standard_normal((legs, 3))
    angles = angles + noise.encoder * rng.standard_normal((count, legs, 3))
    rates = walk.rates + noise.rate * rng.standard_normal((count, legs, 3))
    tilt = rotations.multiply(rotations.from_rpy(walk.rpy), mount)
    tilt = rotations.multiply(tilt, rotations.exp(noise.orientation_offset * rng.standard_normal(3)))
    tilt = rotations.multiply(tilt, rotations.exp(noise.orientation * rng.standard_normal((count, 3))))
    switch = walk.contact.copy()
    for _ in range(noise.late):
        switch[1:-1] = switch[1:-1] & switch[:-2] & switch[2:]
    columns = np.array([leg.indices for leg in walk.body.legs])
    records = []
    for tick in range(count):
        sensors = robot.sensors()
        sensors["time"][:] = walk.time[tick]
        sensors["health"][:] = 1.0
        sensors["position"][columns] = angles[tick]
        sensors["velocity"][columns] = rates[tick]
        sensors["orientation"][:] = tilt[tick]
        sensors["gyro"][:] = gyro[tick]
        sensors["accelerometer"][:] = force[tick]
        sensors["contact"][:] = switch[tick]
        records.append(sensors)
    return records


def _matrix(quaternion: np.ndarray) -> np.ndarray:
    return rotations.to_matrix(quaternion)


@dataclass(eq=False, repr=False)
class Result:
    """States of an estimator along a walk, one row per tick, and their errors."""

    walk: Walk
    states: list

    def __post_init__(self) -> None:
        stack = lambda name: np.array([getattr(state, name) for state in self.states])  # noqa: E731
        self.position, self.velocity, self.rpy = stack("position"), stack("velocity"), stack("rpy")
        self.rotation, self.deviation, self.feet = stack("rotation"), stack("deviation"), stack("feet")
        self.velocity_error = self.velocity - self.walk.velocity
        self.position_error = self.position - self.walk.position

    def rms(self, after: float = 1.0) -> np.ndarray:
        """Of the velocity's error, (3,) [m/s]."""
        return np.sqrt(np.mean(self.velocity_error[self.walk.time > after] ** 2, axis=0))

    @property
    def drift(self) -> float:
        """Distance of the last place from the true one, seen from above, as a share of the way."""
        return float(np.hypot(*self.position_error[-1, :2])) / self.walk.distance


def follow(estimator, walk: Walk, records: list[Sensors], *, planned: bool = True) -> Result:
    """Feed a walk's readings to an estimator that begins where the walk does."""
    estimator.reset(walk.position[0], float(walk.rpy[0, 2]))
    states = [
        estimator.update(sensors, walk.contact[tick] if planned else None) for tick, sensors in enumerate(records)
    ]
    return Result(walk, states)
