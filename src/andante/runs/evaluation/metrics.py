"""Metrics: the numbers of a run, computed from its log.

Whether and where the robot fell, moved and touched comes from ground truth; what was asked of it from the commands.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from types import MappingProxyType
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.runs.evaluation.falls import first_fall, first_standing, tilt_of
from andante.runs.evaluation.finished import FinishedRun
from andante.runs.evaluation.observed import observed
from andante.runs.evaluation.standing import Upright
from andante.runs.logs.log import ChannelRows, Log
from andante.runs.scenario import FallRule
from andante.runs.tasks.registry import TASKS
from andante.spatial.rotations import to_rpy

_BLOW = 0.3
"""Time from the first touch in which a blow counts; later it is but the robot's weight [s]."""
_LASTING = 0.5
"""A joint is astray that does not come to its command for so long [s]."""
_BY_CLOCK = frozenset(
    ("real_time_factor", "late_mean", "late_max", "late_missed", "late_p50", "late_p99", "late_p999", "drift")
) | {"waited_p99", "waited_max"}
_OF_TRIALS = frozenset(("passed", "drawn"))
"""Numbers that trials have beside those of their run."""
_FREE = 7
"""Values of a free base in the state: place and quaternion."""


def metrics_by_clock() -> frozenset[str]:
    """Metrics that the computer's clock decides, tasks' own among them: the same run has others each time."""
    return _BY_CLOCK.union(*(kind.by_clock for kind in TASKS.kinds.values()))


@dataclass(frozen=True)
class TaskMetrics:
    """What one task of a run measured."""

    type: str
    """The task's type."""
    block: Any
    """Its own block; None: it could measure nothing."""
    entries: Mapping[str, Any]
    """How that stands in ``metrics.json``."""
    after: str = ""
    """Metric after which it stands there; empty: at the end."""


@dataclass(frozen=True)
class Metrics:
    """Numbers of one run; None where the log does not tell."""

    duration: float
    """Time of the run [s]."""
    finished: bool
    """The controller was done."""
    done_at: float | None = None
    """When the controller was done [s]."""
    observed: bool | None = None
    """True where falls and tilts are told by the robot's own IMU, as there is no ground truth."""
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
    """Way of the base from start to end, x and y [m]; None where the base is held."""
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
    impact: dict[str, float] | None = None
    """Largest force between the ground and trunk and head, by part; None: not measured [N]."""
    impulse: dict[str, float] | None = None
    """Time integral of that force over the 0.3 s from the first touch of either on, by part: how hard the blow was,
    whatever the peak [N s]."""
    astray: float | None = None
    """Largest distance of a joint from where it was told to be that lasted for half a second, by the true angle, on a
    robot by the measured one; joints at less than half their stiffness are left out [rad]."""
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
    """Ticks that began a period or more late; of a run that a robot paces: its cycles that got no command of their
    own."""
    late_p50: float | None = None
    """Half of the ticks were no later [s]."""
    late_p99: float | None = None
    """99 % of the ticks were no later [s]."""
    late_p999: float | None = None
    """99.9 % of the ticks were no later [s]."""
    drift: float | None = None
    """By how much the robot's clock is faster than the computer's, as a share; None: no robot paced the run."""
    waited_p99: float | None = None
    """In 99 % of the ticks of a run that a robot paced it waited no longer for a processor; None: not known [s]."""
    waited_max: float | None = None
    """The longest such wait in one tick; None: not known [s]."""
    tasks: tuple[TaskMetrics, ...] = ()
    """What the tasks of the run measured. Each block is an attribute of its task's name, too, and so is each of its
    entries: ``metrics.walk``."""

    def block(self, task: str) -> Any:
        """What a task measured, by its type; None: nothing, or there was no such task."""
        return next((each.block for each in self.tasks if each.type == task), None)

    def __getattr__(self, name: str) -> Any:
        for each in self.__dict__.get("tasks", ()):
            if each.type == name:
                return each.block
            if name in each.entries:
                return each.entries[name]
        raise AttributeError(f"this run has no metric {name!r}")

    def data(self) -> dict[str, Any]:
        """The metrics as plain data for JSON."""
        data = {name: value for name, value in asdict(replace(self, tasks=())).items() if name != "tasks"}
        waiting = list(self.tasks)
        while waiting:
            # A kind may stand after the entries of another one.
            each = next((each for each in waiting if not each.after or each.after in data), waiting[0])
            waiting.remove(each)
            names = list(data)
            at = names.index(each.after) + 1 if each.after in data else len(names)
            first = {name: data[name] for name in names[:at]}
            data = first | dict(each.entries) | {name: data[name] for name in names[at:]}
        return data


@cache
def own_metrics() -> Mapping[str, Any]:
    """Names of the metrics that every run has, whatever its tasks, with the type of each."""
    return MappingProxyType({name: kind for name, kind in get_type_hints(Metrics).items() if name != "tasks"})


def metric_types() -> dict[str, Any]:
    """Names of all metrics, those of Andante's tasks too, with the type of each; None where nothing is known of it."""
    installed: dict[str, Any] = dict.fromkeys(TASKS.plugged)
    of_tasks = {name: each for kind in TASKS.kinds.values() for name, each in kind.names().items()}
    return installed | dict(own_metrics()) | of_tasks


def measure(run: FinishedRun) -> Metrics:
    """The metrics of a run."""
    log, outcome = run.log, run.outcome
    values: dict[str, Any] = {
        "slip": None if run.balance is None else run.balance[0],
        "duration": outcome.time,
        "finished": outcome.done_at is not None,
        "done_at": outcome.done_at,
        "guard_interventions": len(outcome.interventions),
        "guard_ticks": len(log.channels["request"].rows) if "request" in log.channels else 0,
        "real_time_factor": outcome.time / outcome.wall_time if outcome.wall_time > 0.0 else None,
    }
    if run.truth is not None:
        success, standing = run.scenario.success, run.parts.standing_height
        rises = None if standing is None or not run.scenario.starts_lying else (success.upright, standing)
        values |= _from_truth(run.truth, run.fall_rule, rises, run.touching)
        values |= _blows(run.truth)
    sensors, command = _believed(log), log.channels.get("command")
    if sensors is not None and command is not None and len(command.rows):
        values |= _from_joints(sensors, command, run.parts.robot)
    if run.truth is not None and command is not None and len(command.rows):
        values |= _astray(run.truth, _labels(run.truth), command, run.parts.robot)
    elif run.scenario.moved.source != "simulation" and sensors is not None and command is not None:
        values |= observed(sensors, log, run.fall_rule)
        values |= _astray(sensors, _measured(sensors), command, run.parts.robot)
    if outcome.lateness.count:
        late = outcome.lateness
        values |= {"late_mean": late.mean, "late_max": late.maximum, "late_missed": late.missed}
        values |= {"late_p50": late.p50, "late_p99": late.p99, "late_p999": late.p999}
        values["drift"] = late.drift if run.truth is None else None
        values |= {"waited_p99": late.waited_p99, "waited_max": late.waited_max}
    return Metrics(**values, tasks=tuple(_of_tasks(run)))


def _of_tasks(run: FinishedRun) -> Iterator[TaskMetrics]:
    taken = {each.name for each in fields(Metrics)} | _OF_TRIALS
    for task, block in run.tasks.ask("be measured", lambda task: task.measure(run)):
        entries = run.tasks.entries(task, block, taken)
        if entries is not None:
            taken.update(entries)
            yield TaskMetrics(task.type, block, entries, task.after)


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
    base = truth["qpos"][[0, -1], :2] if _has_place(truth) else None
    return {
        "fell": fall is not None,
        "fall_time": fall.time if fall else None,
        "fall_reason": fall.reason if fall else None,
        "final_height": float(height[-1]),
        "final_tilt": float(tilt[-1]),
        "max_tilt": float(tilt.max()),
        "travel": None if base is None else (float(base[1, 0] - base[0, 0]), float(base[1, 1] - base[0, 1])),
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


def _labels(truth: ChannelRows) -> tuple[str, ...]:
    return next(entry.labels for entry in truth.layout.fields if entry.name == "qpos")


def _has_place(truth: ChannelRows) -> bool:
    """Whether the state begins with the base's place; that of a base which is held begins with a joint."""
    return [label.rpartition(".")[2] for label in _labels(truth)[:2]] == ["x", "y"]


def _turn(truth: ChannelRows) -> float | None:
    labels = _labels(truth)
    if len(labels) < _FREE or not labels[3].endswith(".qw"):
        return None
    begin, end = to_rpy(truth["qpos"][[0, -1], 3:_FREE])[:, 2]
    return math.remainder(float(end - begin), math.tau)


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
        usable = np.isfinite(limit) & (limit > 0.0)
        if usable.any():
            largest = np.nanmax(np.abs(measured), axis=0, initial=0.0)
            ratios = np.where(usable, largest / np.where(usable, limit, 1.0), -1.0)
            joint = int(np.argmax(ratios))
            values[f"peak_{name}_ratio"], values[f"peak_{name}_joint"] = float(ratios[joint]), robot.joint_names[joint]
    return values


def _measured(sensors: ChannelRows) -> tuple[str, ...]:
    """Labels of the measured angles."""
    return next(each.labels for each in sensors.layout.fields if each.name == "position")


def _astray(rows: ChannelRows, labels: Sequence[str], command: ChannelRows, robot: Robot) -> dict[str, Any]:
    """The largest lasting distance of a joint's angle from its command.

    Args:
        rows: True angles, or, where nobody knows those, measured ones.
        labels: Names of its angles.
        command: The commands of the same ticks.
        robot: The robot.
    """
    count = min(len(rows.rows), len(command.rows))
    if count < 2 or not set(robot.joint_names) <= set(labels):
        return {}
    name = "qpos" if "qpos" in rows.layout.slices else "position"
    angles = rows[name][:count, [labels.index(name) for name in robot.joint_names]]
    full = np.array([servo.kp for servo in robot.servos])
    stiff = command["kp"][:count] >= 0.5 * full
    off = np.where(stiff, np.abs(command["position"][:count] - angles), 0.0)
    # A controller may be slower or faster than the robot's tick.
    period = float(rows.times[count - 1] - rows.times[0]) / (count - 1)
    span = max(1, round(_LASTING / period)) if period > 0.0 else count + 1
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
