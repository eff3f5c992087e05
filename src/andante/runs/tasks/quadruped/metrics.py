"""QuadrupedMetrics: how a dynamic quadruped walked, measured from ground truth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.control.quadruped.drive_mode import DriveMode
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.runs.evaluation.falls import runs_of
from andante.runs.evaluation.touches import Holds, Link
from andante.runs.tasks.quadruped.trace import QuadrupedTrace

_FULL = 0.98
"""A motor at this share of what it can do is at its limit."""
_CHORD = 0.25
"""The way is measured by chords of this time, so that swaying does not count as way [s]."""
_BEFORE = 0.4
"""What led to a fall is looked for in this time before it [s]."""
_TILTED = math.radians(60.0)
_LYING = 0.1
"""A trunk that touches the ground for so long has fallen [s]."""


@dataclass(frozen=True)
class Window:
    """Part of a run in which the gait is steady."""

    begin: float
    """Begin [s]."""
    end: float
    """End [s]."""


@dataclass(frozen=True)
class QuadrupedMetrics:
    """Numbers of one run. Means and errors are those of the window, the others of the whole run."""

    upright: bool
    """Neither fell nor gave up."""
    cause: str
    """Why it did not stay upright, with what led to it; empty where it did."""
    time: float
    """How long the run took [s]."""
    asked: tuple[float, float, float]
    """Mean asked twist: forward, lateral [m/s], yaw rate [rad/s]."""
    mean: tuple[float, float, float]
    """Mean true twist in the body's heading."""
    rms: tuple[float, float, float]
    """Root mean square of true minus asked twist, by component."""
    height: float
    """Mean height of the centre of mass over the floor, or over height 0 of a terrain [m]."""
    drift: float
    """Farthest that the centre of mass came from where it was at the window's begin, in the plane [m]."""
    way: float
    """Length of the way in the plane [m]."""
    roll: float
    """Largest roll [rad]."""
    pitch: float
    """Largest pitch off the mean of the window [rad]."""
    mean_pitch: float
    """Mean pitch [rad]; below zero with the head up."""
    end_speed: float
    """Speed off what is asked in the plane, mean over the last half second [m/s]."""
    end_tilt: float
    """Largest tilt in the same time [rad]."""
    touches: Mapping[str, float]
    """How long calf, thigh and trunk touched the ground [s]."""
    itself: float
    """How long the robot touched itself [s]."""
    lowest: float
    """Lowest point of a foot over the floor, or over height 0 of a terrain [m]."""
    airtime: float
    """Longest time in which no foot touched the ground [s]; feet that touch the robot itself do not count."""
    peak_force: float
    """Largest force on a foot [N]."""
    torque_full: float
    """Share of motor-ticks at the torque limit."""
    speed_full: float
    """Share of motor-ticks above the speed limit."""
    peak_speed: float
    """Largest joint speed over its limit."""
    estimate_rms: float
    """Root mean square error of the estimated velocity, by component the worst of forward, lateral and up [m/s]."""
    estimate_drift: float
    """Error of the estimated position at the end, less that at the begin [m]."""
    estimate_share: float
    """The same as a share of the way; nan where it went nowhere."""
    guard: int
    """Ticks in which the guard intervened, over all joints."""
    unsolved: int
    """Plans with the fallback's forces."""
    unsafe: int
    """Footholds without a place to stand."""

    def along(self, axis: int) -> float:
        """Difference of true and asked mean of one component of the twist."""
        return self.mean[axis] - self.asked[axis]


def measure_quadruped(
    trace: QuadrupedTrace,
    robot: Robot,
    window: Window,
    *,
    touches: Mapping[Link, Holds],
    lowest: float,
    itself: Holds | None = None,
    grounded: Holds | None = None,
    events: Sequence[ControlEvent] = (),
    guard: int = 0,
    unsolved: int = 0,
    strength: float = 1.0,
) -> QuadrupedMetrics:
    """The numbers of a run.

    Args:
        trace: What it did.
        robot: The robot, as it was driven.
        window: When the gait is steady; as much of it as there is.
        touches: When parts touched the ground, (n,) each.
        lowest: Lowest point of a foot [m].
        itself: When the robot touched itself, (n,); None: never.
        grounded: When a foot touched the ground, (n,); None: when there was a force on one.
        events: What controller and planner told.
        guard: Ticks of interventions.
        unsolved: Plans with the fallback's forces.
        strength: Factor on the motors' torque.
    """
    rows = trace.rows(window.begin, window.end)
    if rows.stop - rows.start < 2:
        rows = slice(max(0, len(trace.times) - 2), len(trace.times))
    last = slice(trace.rows(trace.times[-1] - 0.5, trace.times[-1]).start, len(trace.times))
    twist, asked = trace.twist, trace.asked
    error = twist - asked
    full, fast, peak = _limits(trace, robot, strength)
    grounded = np.asarray(trace.touching().any(axis=1)) if grounded is None else grounded
    itself = np.zeros(len(trace.times), np.bool_) if itself is None else itself
    cause = cause_of_end(trace, touches, events, full, itself)
    velocity = _estimate_error(trace)
    estimated = trace.estimate[:, :3] - trace.com
    lost, way = float(np.linalg.norm(estimated[-1] - estimated[0])), _way(trace)
    period = float(np.median(np.diff(trace.times)))
    air = ~grounded & (trace.drive == DriveMode.READY)
    pitch = float(trace.rpy[rows, 1].mean())
    return QuadrupedMetrics(
        upright=not cause,
        cause=cause,
        time=float(trace.times[-1]) + period,
        asked=_three(asked[rows].mean(axis=0)),
        mean=_three(twist[rows].mean(axis=0)),
        rms=_three(np.sqrt((error[rows] ** 2).mean(axis=0))),
        height=float(trace.com[rows, 2].mean()),
        drift=float(np.hypot(*(trace.com[rows, :2] - trace.com[rows.start, :2]).T).max()),
        way=way,
        roll=float(np.abs(trace.rpy[:, 0]).max()),
        pitch=float(np.abs(trace.rpy[:, 1] - pitch).max()),
        mean_pitch=pitch,
        end_speed=float(np.hypot(*error[last, :2].mean(axis=0))),
        end_tilt=float(np.abs(trace.rpy[last, :2] - (0.0, pitch)).max()),
        touches={str(part): period * int(holds.sum()) for part, holds in touches.items()},
        itself=period * int(itself.sum()),
        lowest=lowest,
        airtime=period * max((end - begin + 1 for begin, end in runs_of(air)), default=0),
        peak_force=float(np.linalg.norm(trace.foot_force, axis=2).max()),
        torque_full=float(full.mean()),
        speed_full=float(fast.mean()),
        peak_speed=peak,
        estimate_rms=float(np.sqrt((velocity**2).mean(axis=0)).max()),
        estimate_drift=lost,
        estimate_share=lost / way if way > 0.1 else math.nan,
        guard=guard,
        unsolved=unsolved,
        unsafe=sum(event.kind is EventKind.UNSAFE_FOOTHOLD for event in events),
    )


def cause_of_end(
    trace: QuadrupedTrace,
    touches: Mapping[Link, Holds],
    events: Sequence[ControlEvent],
    full: Holds,
    itself: Holds,
) -> str:
    """Why a robot did not stay upright, and what stood out before; empty where it stayed upright.

    Args:
        trace: What it did.
        touches: When parts touched the ground, (n,) each.
        events: What controller and planner told.
        full: Motors at their torque limit, (n, 12).
        itself: When the robot touched itself, (n,).
    """
    moments: list[tuple[float, str]] = []
    tilt = np.arccos(np.clip(np.cos(trace.rpy[:, 0]) * np.cos(trace.rpy[:, 1]), -1.0, 1.0))
    tilted = np.flatnonzero(tilt > _TILTED)
    if len(tilted):
        moments.append((float(trace.times[tilted[0]]), "tilted more than 60 deg"))
    trunk = touches.get(Link.TRUNK)
    walking = trace.drive == DriveMode.READY
    if trunk is not None:
        lying = [begin for begin, end in runs_of(trunk & walking) if trace.times[end] - trace.times[begin] >= _LYING]
        moments += [(float(trace.times[begin]), "the trunk lay on the ground") for begin in lying[:1]]
    moments += [(event.time, event.text) for event in events if event.kind is EventKind.HELP][:1]
    if not moments:
        return ""
    time, text = min(moments)
    return f"{time:.2f} s: {text}" + _before(trace, time, touches, events, full, itself)


def _before(
    trace: QuadrupedTrace,
    time: float,
    touches: Mapping[Link, Holds],
    events: Sequence[ControlEvent],
    full: Holds,
    itself: Holds,
) -> str:
    """What stood out in the time before a fall."""
    rows = trace.rows(time - _BEFORE, time)
    if rows.stop - rows.start < 2:
        return ""
    off, torque = np.linalg.norm(_estimate_error(trace)[rows], axis=1).max(), full[rows].mean()
    missing = (trace.planned_contact & ~trace.touching())[rows].mean()
    early = (~trace.planned_contact & trace.touching())[rows].mean()
    seen = [
        (off > 0.15, f"velocity estimate off by {off:.2f} m/s"),
        (torque > 0.05, f"motors at their torque limit {100.0 * torque:.0f} % of the time"),
        *((holds[rows].any(), f"{part} touched") for part, holds in touches.items()),
        (itself[rows].any(), "touched itself"),
        (missing > 0.15, f"feet in the air that should stand {100.0 * missing:.0f} % of the time"),
        (early > 0.2, f"feet down that should swing {100.0 * early:.0f} % of the time"),
        (trace.fallback[rows].any(), "no forces found"),
    ]
    told = [text for holds, text in seen if holds]
    told += sorted({e.text for e in events if e.kind is EventKind.ESTIMATE and time - _BEFORE <= e.time <= time})
    late = [event.text for event in events if event.kind is EventKind.LATE and event.time <= time]
    if late and not late[-1].endswith("again"):
        told.insert(0, late[-1])
    return f" (before: {', '.join(told)})" if told else ""


def _limits(trace: QuadrupedTrace, robot: Robot, strength: float) -> tuple[Holds, Holds, float]:
    """Motors at the torque that they can give at their speed (n, 12), above their speed limit (n, 12), and the largest
    speed over its limit."""
    most = strength * np.array([servo.max_torque for servo in robot.servos])
    speed = trace.joint_speed
    corner, no_load = np.array([servo.torque_speed or (1e9, 2e9) for servo in robot.servos]).T
    # What drives falls with the speed, what brakes keeps the full limit.
    driving = np.clip((no_load - np.sign(trace.torque) * speed) / (no_load - corner), 0.0, 1.0)
    full = np.abs(trace.torque) >= _FULL * np.maximum(driving, 0.02) * most
    ratio = np.abs(speed) / np.minimum(robot.max_velocity, 1e9)
    return full, ratio > 1.0, float(ratio.max())


def _estimate_error(trace: QuadrupedTrace) -> Vector:
    """Estimated minus true velocity of the centre of mass, (n, 3) [m/s]."""
    error: Vector = trace.estimate[:, 6:9] - trace.velocity
    return error


def _way(trace: QuadrupedTrace) -> float:
    """Length of the way of the centre of mass in the plane [m]."""
    stride = max(1, round(_CHORD / float(np.median(np.diff(trace.times)))))
    places = trace.com[::stride, :2]
    return float(np.hypot(*np.diff(places, axis=0).T).sum())


def _three(values: Vector) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z
