"""Declared limits, checked on a run's log alone: commands by differencing, poses against their own velocities.

The check trusts neither guard nor controller: it sees only what was recorded. A run that breaks a limit does not count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from andante.control.events import EventKind
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.runs.logs.log import ChannelRows, Log
from andante.spatial.rotations import conjugate, multiply
from andante.spatial.rotations import log as rotation_vector

_ROUNDING = 1e-6
"""Share by which a sum of rounded numbers may pass a limit."""
_POSE_SLACK = 0.002
"""A base may come this much farther in a tick than its velocities before and after allow [m]."""
_TURN_SLACK = 0.02
"""The same for its turn [rad]."""
_CREEP_SLACK = 0.01
"""A base may come this much farther in `_CREEP_TIME` than its velocities explain [m]; walks over boards come up to 4 mm
farther."""
_CREEP_TIME = 1.0
"""Time over which creeping is looked for [s]."""
_DRIFT_SLACK = 0.05
"""An encoder may come to read this much more or less than at first, in the mean over `_DRIFT_TIME` [rad]; walks over
boards come to 0.002."""
_DRIFT_TIME = 0.25
"""Time over which readings are meaned, so that noise and delays of the reading do not count [s]."""
_ANGLE_SLACK = 0.1
"""A joint may turn this much farther in a tick than its speeds before and after allow, and its encoder may read this
much more or less of a turn than there was [rad]; walks over boards show 0.015 and 0.018."""
_STOP_SLACK = 0.035
"""A joint may be pressed this far beyond its limit by a load, stops being elastic [rad]."""


@dataclass(frozen=True)
class LimitBreach:
    """A declared limit that was not kept."""

    time: float
    """First moment [s]."""
    what: str
    """Limit, value and place, as a clause."""
    ticks: int
    """Ticks at which it was broken."""

    def __str__(self) -> str:
        return f"{self.what} at {self.time:.2f} s ({self.ticks} ticks)"


def breaches(log: Log, robot: Robot) -> tuple[LimitBreach, ...]:
    """Limits that a run broke; empty where it kept all.

    Args:
        log: What was recorded.
        robot: The robot with the limits that were declared for the run.
    """
    found: list[LimitBreach | None] = []
    command, truth = log.channels.get("command"), log.channels.get("truth")
    if command is not None and len(command.rows):
        found += [_command_rate(command, robot), _command_range(command, robot), _command_torque(command, robot)]
    if truth is not None and len(truth.rows):
        found += [_torque(truth, robot), _joint_range(truth, robot), *_base(truth)]
        found += [_joint_jump(truth, robot), _encoder_jump(log, truth, robot), _encoder_drift(log, truth, robot)]
    return tuple(breach for breach in found if breach is not None)


def command_rate(command: ChannelRows, robot: Robot) -> float:
    """Largest change of a command from tick to tick over what its joint's speed limit allows; 0 for a single row."""
    share = _rates(command, robot)
    return float(share.max()) if share.size else 0.0


def _rates(command: ChannelRows, robot: Robot) -> Vector:
    """Change of each command over the allowed one, (n - 1, nj); 0 where the joint is off before or after."""
    step = np.diff(command.times)[:, None]
    on = command["kp"] > 0.0
    rate = np.abs(np.diff(command["position"], axis=0)) / (step * robot.max_velocity)
    shares: Vector = np.where(on[1:] & on[:-1], rate, 0.0)
    return shares


def _command_rate(command: ChannelRows, robot: Robot) -> LimitBreach | None:
    share, most = _rates(command, robot), robot.max_velocity

    def told(row: int, joint: int) -> str:
        speed, limit = share[row, joint] * most[joint], most[joint]
        return f"{robot.joint_names[joint]} was told to move at {speed:.2f} rad/s (limit {limit:.4g})"

    return _breach(command.times[1:], share, 1.0 + _ROUNDING, told)


def _command_range(command: ChannelRows, robot: Robot) -> LimitBreach | None:
    value, low, high = command["position"], robot.lower, robot.upper
    beyond = np.where(command["kp"] > 0.0, np.maximum(low - value, value - high), -1.0)

    def told(row: int, joint: int) -> str:
        limits = f"(limits {low[joint]:.4g} to {high[joint]:.4g})"
        return f"{robot.joint_names[joint]} was told to go to {value[row, joint]:.4f} rad {limits}"

    return _breach(command.times, beyond, _ROUNDING, told)


def _command_torque(command: ChannelRows, robot: Robot) -> LimitBreach | None:
    most = robot.max_effort
    share = np.abs(command["torque"]) / most

    def told(row: int, joint: int) -> str:
        torque, limit = share[row, joint] * most[joint], most[joint]
        return f"{robot.joint_names[joint]} was given {torque:.3f} N m ahead (limit {limit:.4g})"

    return _breach(command.times, share, 1.0 + _ROUNDING, told)


def _torque(truth: ChannelRows, robot: Robot) -> LimitBreach | None:
    """Torque of the motors; joints that share one count with the limit of the leading joint."""
    motors = [joint for joint in robot.joints if joint.follows is None]
    most = np.array([joint.max_effort for joint in motors])
    share = np.abs(truth["motor_torque"]) / most

    def told(row: int, motor: int) -> str:
        return f"{motors[motor].name} gave {share[row, motor] * most[motor]:.3f} N m (limit {most[motor]:.4g})"

    return _breach(truth.times, share, 1.0 + _ROUNDING, told)


def _joint_range(truth: ChannelRows, robot: Robot) -> LimitBreach | None:
    value, (low, high) = _joints(truth, "qpos", robot), robot.stops

    def told(row: int, joint: int) -> str:
        limits = f"(limits {low[joint]:.4g} to {high[joint]:.4g})"
        return f"{robot.joint_names[joint]} stood at {value[row, joint]:.3f} rad {limits}"

    return _breach(truth.times, np.maximum(low - value, value - high), _STOP_SLACK, told)


def _base(truth: ChannelRows) -> list[LimitBreach | None]:
    """Moves of the base that its velocities do not explain: a body set down elsewhere has no speed to show for it.

    A base that creeps is carried along: each tick too little to be a jump, but more and more.
    """
    place, speed, times = truth["qpos"][:, :7], truth["qvel"][:, :6], truth.times
    if place.shape[1] < 7 or len(place) < 2:
        return []
    mean, change = _explained(speed, times)
    odd = np.diff(place[:, :3], axis=0) - mean[:, :3]
    moved = np.linalg.norm(odd, axis=1)
    odd_move = moved - np.linalg.norm(change[:, :3], axis=1)
    turn = rotation_vector(multiply(conjugate(place[:-1, 3:]), place[1:, 3:]))
    odd_turn = np.linalg.norm(turn - mean[:, 3:], axis=1) - np.linalg.norm(change[:, 3:], axis=1)
    way = np.vstack([np.zeros(3), np.cumsum(odd, axis=0)])
    before = np.maximum(np.searchsorted(times, times - _CREEP_TIME - 1e-9), 0)
    gone = np.linalg.norm(way - way[before], axis=1)

    def jumped(row: int, _: int) -> str:
        return f"the base jumped {moved[row] * 1e3:.1f} mm in a tick without the speed for it"

    def turned(row: int, _: int) -> str:
        angle = np.degrees(np.linalg.norm(turn[row]))
        return f"the base turned {angle:.1f} deg in a tick without the speed for it"

    def crept(row: int, _: int) -> str:
        span = times[row] - times[before[row]]
        return f"the base crept {gone[row] * 1e3:.0f} mm in {span:.2g} s without the speed for it"

    return [
        _breach(times[1:], odd_move[:, None], _POSE_SLACK, jumped),
        _breach(times[1:], odd_turn[:, None], _TURN_SLACK, turned),
        _breach(times, gone[:, None], _CREEP_SLACK, crept),
    ]


def _joint_jump(truth: ChannelRows, robot: Robot) -> LimitBreach | None:
    if len(truth.rows) < 2:
        return None
    mean, change = _explained(_joints(truth, "qvel", robot), truth.times)
    moved = np.diff(_joints(truth, "qpos", robot), axis=0)

    def told(row: int, joint: int) -> str:
        name, turn = robot.joint_names[joint], moved[row, joint]
        return f"{name} jumped {turn:.3f} rad in a tick without the speed for it"

    return _breach(truth.times[1:], np.abs(moved - mean) - change, _ANGLE_SLACK, told)


def _encoder_jump(log: Log, truth: ChannelRows, robot: Robot) -> LimitBreach | None:
    """An encoder that reads another turn than the joint made; joints with a declared fault are left out."""
    readings = _readings(log, truth)
    if readings is None:
        return None
    read, moved = np.diff(readings, axis=0), np.diff(_joints(truth, "qpos", robot), axis=0)
    odd = np.where(np.isfinite(read), np.abs(read - moved), np.inf)
    odd[:, _declared(log, robot)] = 0.0

    def told(row: int, joint: int) -> str:
        encoder = f"the encoder of {robot.joint_names[joint]} read a turn of {read[row, joint]:.3f} rad"
        return f"{encoder} in a tick in which it made {moved[row, joint]:.3f}"

    return _breach(truth.times[1:], odd, _ANGLE_SLACK, told)


def _encoder_drift(log: Log, truth: ChannelRows, robot: Robot) -> LimitBreach | None:
    """An encoder that goes on to read more or less than the joint's angle, each tick too little to be a jump."""
    readings = _readings(log, truth)
    count = 0 if readings is None else max(round(_DRIFT_TIME / max(float(np.diff(truth.times).mean()), 1e-9)), 1)
    if readings is None or len(readings) < 2 * count:
        return None
    off = np.where(np.isfinite(readings), readings - _joints(truth, "qpos", robot), 0.0)
    # Jumps are told by themselves.
    steps = np.diff(off, axis=0)
    off = np.vstack([off[:1], off[0] + np.cumsum(np.where(np.abs(steps) > _ANGLE_SLACK, 0.0, steps), axis=0)])
    sums = np.vstack([np.zeros(off.shape[1]), np.cumsum(off, axis=0)])
    mean = (sums[count:] - sums[:-count]) / count
    odd = np.abs(mean - mean[0])
    odd[:, _declared(log, robot)] = 0.0
    times = truth.times[count - 1 :]

    def told(row: int, joint: int) -> str:
        came, span = mean[row, joint] - mean[0, joint], times[row] - times[0]
        return f"the encoder of {robot.joint_names[joint]} drifted by {came:.3f} rad in {span:.2g} s"

    return _breach(times, odd, _DRIFT_SLACK, told)


def _readings(log: Log, truth: ChannelRows) -> Vector | None:
    """What the encoders read at the times of the truth, (n, nj) [rad]; None where that was not recorded."""
    sensors = log.channels.get("sensors")
    if sensors is None or len(truth.rows) < 2 or not np.array_equal(sensors.nanoseconds, truth.nanoseconds):
        return None
    return sensors["position"]


def _declared(log: Log, robot: Robot) -> list[bool]:
    """Which joints a declared fault has hit."""
    hit = {name for event in log.events if event.kind is EventKind.FAULT for name in str(event.data["joints"]).split()}
    return [name in hit for name in robot.joint_names]


def _explained(rates: Vector, times: Vector) -> tuple[Vector, Vector]:
    """What rates explain of the move from each row to the next: by their mean, and more or less by their change."""
    step = np.diff(times)[:, None]
    return 0.5 * (rates[1:] + rates[:-1]) * step, np.abs(np.diff(rates, axis=0)) * step


def _joints(truth: ChannelRows, field: str, robot: Robot) -> Vector:
    """The columns of the robot's joints, (n, nj)."""
    labels = next(each.labels for each in truth.layout.fields if each.name == field)
    return truth[field][:, [labels.index(name) for name in robot.joint_names]]


def _breach(times: Vector, size: Vector, limit: float, told: Callable[[int, int], str]) -> LimitBreach | None:
    """The breach told by its worst value, by row and column; None where no size (n, m) is above the limit."""
    broken = size > limit
    if not broken.any():
        return None
    row, column = np.unravel_index(int(np.argmax(np.where(broken, size, -np.inf))), size.shape)
    first = int(np.argmax(broken.any(axis=1)))
    return LimitBreach(float(times[first]), told(int(row), int(column)), int(broken.any(axis=1).sum()))
