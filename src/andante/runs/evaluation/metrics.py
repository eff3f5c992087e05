"""Metrics: the numbers of a run, computed from its log.

Whether and where the robot fell, moved and touched comes from ground truth; what was asked of it from the commands.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.runs.evaluation.ball import ball_of
from andante.runs.evaluation.falls import first_fall, first_standing, tilt_of
from andante.runs.evaluation.finished import FinishedRun
from andante.runs.evaluation.standing import Upright
from andante.runs.logs.log import ChannelRows, Log
from andante.runs.scenario import FallRule
from andante.runs.tasks.walk.metrics import WalkMetrics, measure_walk
from andante.runs.tasks.walk.steered_metrics import SteeredMetrics, measure_steered
from andante.spatial.rotations import to_rpy

_BLOW = 0.3
"""Time from the first touch in which a blow counts; later it is but the robot's weight [s]."""
_LASTING = 0.5
"""A joint is astray that does not come to its command for so long [s]."""
_FREE = 7
"""Values of a free base in the state: place and quaternion."""


@dataclass(frozen=True)
class Metrics:
    """Numbers of one run; None where the log does not tell."""

    duration: float
    """Time of the run [s]."""
    finished: bool
    """The controller was done."""
    done_at: float | None = None
    """When the controller was done [s]."""
    fell: bool | None = None
    """The robot fell, by the scenario's rule; one that begins on the floor can fall only once it has stood."""
    fall_time: float | None = None
    """When it fell [s]."""
    fall_reason: str | None = None
    """What counted as the fall."""
    final_height: float | None = None
    """Height of the base at the end [m]."""
    final_tilt: float | None = None
    """Tilt of the torso at the end [rad]."""
    max_tilt: float | None = None
    """Largest tilt of the torso [rad]."""
    travel: tuple[float, float] | None = None
    """Way of the base from start to end, x and y [m]."""
    turn: float | None = None
    """Turn of the base from start to end, to the left positive [rad]; None where the base cannot turn."""
    peak_torque_ratio: float | None = None
    """Largest measured torque over the torque limit: what the joint's servo gives at most, as its pack rates it.
    Benches use the same. Above 1 only where the world makes servos stronger than rated."""
    peak_torque_joint: str | None = None
    """The joint it was at."""
    peak_effort_ratio: float | None = None
    """Largest measured torque over the joint's published effort, which may be what the motor holds for long, not what
    it gives at most."""
    peak_effort_joint: str | None = None
    """The joint it was at."""
    peak_velocity_ratio: float | None = None
    """Largest measured speed over the joint's limit."""
    peak_velocity_joint: str | None = None
    """The joint it was at."""
    energy: float | None = None
    """Integral of sum |torque x speed| over all motors [J]."""
    slip: float | None = None
    """Largest way that one foot slid while it carried load, see `andante.runs.evaluation.balance.slips` [m]."""
    tracking_error: float | None = None
    """Root mean square of position asked minus position measured, over joints that are on [rad]."""
    worst_tracking_error: float | None = None
    """Largest such difference [rad]."""
    worst_tracking_joint: str | None = None
    """The joint it was at."""
    ball_speed: float | None = None
    """Largest speed of the ball along the floor [m/s]."""
    ball_direction: float | None = None
    """Direction of the ball's way, from x towards y [rad]."""
    ball_distance: float | None = None
    """Distance of the ball from its start at the end of the run [m]."""
    ball_reach: float | None = None
    """Distance from its start to where the ball comes to rest [m]."""
    ball_speed_at_end: float | None = None
    """Speed of the ball at the end of the run [m/s]."""
    impact: dict[str, float] | None = None
    """Largest force between the ground and trunk and head, by part; None: not measured [N]."""
    impulse: dict[str, float] | None = None
    """Time integral of that force over the 0.3 s from the first touch of either on, by part: how hard the blow was,
    whatever the peak [N s]."""
    walk: WalkMetrics | None = None
    """Numbers of a walk over terrain; None where the scenario asks for none."""
    steered: SteeredMetrics | None = None
    """Numbers of a robot that is told how fast or how far to go; None where nothing is told."""
    astray: float | None = None
    """Largest distance of a joint from where it was told to be that lasted for half a second, by the true angle; joints
    at less than half their stiffness are left out [rad]."""
    astray_joint: str | None = None
    """The joint it was at."""
    guard_interventions: int = 0
    """Kinds and joints with which the guard interfered."""
    guard_ticks: int = 0
    """Ticks on which the guard changed the command."""
    real_time_factor: float | None = None
    """Time of the run over real time; None where no real time passed."""
    late_mean: float | None = None
    """Mean lateness of the ticks, real-time runs only [s]."""
    late_max: float | None = None
    """Largest lateness of a tick [s]."""
    late_missed: int | None = None
    """Ticks that began a period or more late."""

    def data(self) -> dict[str, Any]:
        """The metrics as plain data for JSON."""
        return asdict(self)


def measure(run: FinishedRun) -> Metrics:
    """The metrics of a run."""
    log, outcome = run.log, run.outcome
    values: dict[str, Any] = {
        "slip": None if run.balance is None else run.balance[0],
        "walk": measure_walk(run),
        "duration": outcome.time,
        "finished": outcome.done_at is not None,
        "done_at": outcome.done_at,
        "guard_interventions": len(outcome.interventions),
        "guard_ticks": len(log.channels["request"].rows) if "request" in log.channels else 0,
        "real_time_factor": outcome.time / outcome.wall_time if outcome.wall_time > 0.0 else None,
    }
    if run.truth is not None:
        success, ball, standing = run.scenario.success, run.scenario.world.ball, run.parts.standing_height
        rises = None if standing is None or not run.scenario.starts_lying else (success.upright, standing)
        values |= _from_truth(run.truth, run.fall_rule, rises, run.touching)
        values |= _blows(run.truth)
        values |= {"steered": measure_steered(run)}
        values |= _from_ball(run.truth, 0.0 if ball is None else ball.deceleration)
    sensors, command = _believed(log), log.channels.get("command")
    if sensors is not None and command is not None and len(command.rows):
        values |= _from_joints(sensors, command, run.parts.robot)
    if run.truth is not None and command is not None and len(command.rows):
        values |= _astray(run.truth, command, run.parts.robot)
    if outcome.lateness.count:
        late = outcome.lateness
        values |= {"late_mean": late.mean, "late_max": late.maximum, "late_missed": late.missed}
    return Metrics(**values)


def _believed(log: Log) -> ChannelRows | None:
    """The sensors as the controller saw them: what was read, but for readings that could not be true."""
    sensors, checked = log.channels.get("sensors"), log.channels.get("checked")
    if sensors is None or checked is None or not len(checked.rows):
        return sensors
    rows = sensors.rows.copy()
    places = np.searchsorted(sensors.nanoseconds, checked.nanoseconds)
    known = places < len(rows)
    known[known] = sensors.nanoseconds[places[known]] == checked.nanoseconds[known]
    rows[places[known]] = checked.rows[known]
    return ChannelRows(sensors.layout, sensors.nanoseconds, rows)


def _from_truth(
    truth: ChannelRows, rule: FallRule, rises: tuple[Upright, float] | None, touching: NDArray[np.bool_] | None
) -> dict[str, Any]:
    tilt, height = tilt_of(truth), truth["base_height"][:, 0]
    since = -math.inf if rises is None else first_standing(truth, *rises)
    fall = None if since is None else first_fall(truth, rule, since, touching)
    base = truth["qpos"][:, :2]
    return {
        "fell": fall is not None,
        "fall_time": fall.time if fall else None,
        "fall_reason": fall.reason if fall else None,
        "final_height": float(height[-1]),
        "final_tilt": float(tilt[-1]),
        "max_tilt": float(tilt.max()),
        "travel": (float(base[-1, 0] - base[0, 0]), float(base[-1, 1] - base[0, 1])),
        "turn": _turn(truth),
        "energy": float(truth["energy"][-1, 0]),
    }


def _blows(truth: ChannelRows) -> dict[str, Any]:
    """How hard trunk and head hit the ground, as peaks and as impulses; nothing where neither did."""
    parts = next((entry.labels for entry in truth.layout.fields if entry.name == "impact"), ())
    if not parts:
        return {}
    hit = np.flatnonzero((truth["impact"] > 0.0).any(axis=1))
    if not len(hit):
        return {}
    blow = (truth.times >= truth.times[hit[0]]) & (truth.times < truth.times[hit[0]] + _BLOW)
    peaks, sums = truth["impact"].max(axis=0).tolist(), truth["impulse"][blow].sum(axis=0).tolist()
    return {"impact": dict(zip(parts, peaks, strict=True)), "impulse": dict(zip(parts, sums, strict=True))}


def _turn(truth: ChannelRows) -> float | None:
    labels = next(entry.labels for entry in truth.layout.fields if entry.name == "qpos")
    if len(labels) < _FREE or not labels[3].endswith(".qw"):
        return None
    begin, end = to_rpy(truth["qpos"][[0, -1], 3:_FREE])[:, 2]
    return math.remainder(float(end - begin), math.tau)


def _from_ball(truth: ChannelRows, deceleration: float) -> dict[str, Any]:
    track = ball_of(truth, deceleration)
    return {} if track is None else {f"ball_{name}": value for name, value in asdict(track).items()}


def _from_joints(sensors: ChannelRows, command: ChannelRows, robot: Robot) -> dict[str, Any]:
    count = min(len(sensors.rows), len(command.rows))
    position = sensors["position"][:count]
    error = np.where(command["kp"][:count] > 0.0, np.abs(command["position"][:count] - position), np.nan)
    values: dict[str, Any] = {}
    if np.isfinite(error).any():
        worst = int(np.nanargmax(error) % error.shape[1])
        values["tracking_error"] = float(np.sqrt(np.nanmean(error**2)))
        values["worst_tracking_error"] = float(np.nanmax(error))
        values["worst_tracking_joint"] = robot.joint_names[worst]
    servo_limit = np.array([servo.max_torque for servo in robot.servos])
    for name, measured, limit in (
        ("torque", sensors["effort"], servo_limit),
        ("effort", sensors["effort"], robot.max_effort),
        ("velocity", sensors["velocity"], robot.max_velocity),
    ):
        ratio, joint = _peak(measured, limit)
        if joint is not None:
            values[f"peak_{name}_ratio"], values[f"peak_{name}_joint"] = ratio, robot.joint_names[joint]
    return values


def _astray(truth: ChannelRows, command: ChannelRows, robot: Robot) -> dict[str, Any]:
    """The largest lasting distance of a true joint angle from its command."""
    count = min(len(truth.rows), len(command.rows))
    labels = next(entry.labels for entry in truth.layout.fields if entry.name == "qpos")
    if count < 2 or not set(robot.joint_names) <= set(labels):
        return {}
    angles = truth["qpos"][:count, [labels.index(name) for name in robot.joint_names]]
    full = np.array([servo.kp for servo in robot.servos])
    stiff = command["kp"][:count] >= 0.5 * full
    off = np.where(stiff, np.abs(command["position"][:count] - angles), 0.0)
    span = max(1, round(_LASTING / robot.tick))
    if count < span:
        return {}
    lasting = _least_within(off, span).max(axis=0)
    worst = int(np.argmax(lasting))
    return {"astray": float(lasting[worst]), "astray_joint": robot.joint_names[worst]}


def _least_within(values: Vector, span: int) -> Vector:
    """Least values of all windows of ``span`` rows, (n - span + 1, nj), from windows that double their length."""
    width = 1
    while 2 * width <= span:
        values = np.minimum(values[:-width], values[width:])
        width *= 2
    # Two overlapping windows make one of any length.
    rest = span - width
    return values if rest == 0 else np.minimum(values[:-rest], values[rest:])


def _peak(measured: Vector, limit: Vector) -> tuple[float, int | None]:
    """Largest measured value over its limit and the column it is in; None where no column has a limit."""
    usable = np.isfinite(limit) & (limit > 0.0)
    if not usable.any():
        return 0.0, None
    peaks = np.where(usable, np.nanmax(np.abs(measured), axis=0, initial=0.0) / np.where(usable, limit, 1.0), -1.0)
    joint = int(np.argmax(peaks))
    return float(peaks[joint]), joint
