"""Causes of a fall: when and to which side balance was lost, what the drives did then, and what touched first.

A robot on its feet is lost to a side once its capture point stays outside of what its feet cover: from there on no
torque of its ankles stops it, only a step or a hand does. The capture point of an inverted pendulum of the height h is
x + v sqrt(h / g) (Pratt et al. 2006; the extrapolated centre of mass of Hof et al. 2005). All of it is worked out after
the run, from ground truth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

import numpy as np

from andante.control.events import EventKind
from andante.robots.records import Vector
from andante.robots.tree import upwards
from andante.runs.evaluation.balance import FootTrack, foot_tracks, slips, support_at
from andante.runs.evaluation.finished import FinishedRun
from andante.runs.evaluation.moment import Moment
from andante.runs.evaluation.touches import touches_of
from andante.runs.logs.log import ChannelRows
from andante.spatial.polygons import convex_hull, signed_distance
from andante.spatial.rotations import to_rpy

_BEFORE = 2.0
"""So long before a fall its cause is looked for [s]."""
_AFTER = 1.0
"""So long after it the first touch is looked for [s]."""
_LAST = 0.2
"""So long before balance is lost the drives are looked at [s]."""
_SLIDES = 0.015
"""Feet that roll over their edges slide a few millimetres; so far is more [m]."""
_ALL = 0.95
"""A drive that gives this share of its torque gives all of it."""
_BEHIND = math.radians(6.0)
"""A joint this far from its command does not follow [rad]."""
_STIFF = 0.5
"""Joints below this share of their stiffness are let go of on purpose."""
_SWING = 0.3
"""A foot that carried something so lately may be in the air for a step [s]."""
_CONSTANTS = 6.0
"""Who lost balance is down within so many time constants sqrt(h / g) of the pendulum, in which it grows 400-fold."""
_FALLING = 0.1
"""Who falls has lost balance for so long, at least [s]."""
_MOVING = 0.1
"""Who falls moves so fast, at least [m/s]."""
_NAMED = 3
"""So many joints are named."""
_GROWN = 0.02
"""Way of the capture point from losing balance to the fall that tells a side [m]."""
_LEAST_HEIGHT = 0.02
"""Height of the centre of mass over the feet, at least, for a pendulum [m]."""
_SIDES = ("front", "front left", "left", "back left", "back", "back right", "right", "front right")
"""Sides in eighths of a turn, to the left."""


@dataclass(frozen=True)
class FallCauses:
    """Why a robot fell."""

    moments: tuple[Moment, ...] = ()
    """What is told of it, in order."""
    first: str = ""
    """What came first, without numbers, so that falls can be counted by it; empty: nothing was seen. What slid or did
    not follow just before balance was lost comes before the side to which it was lost."""


def fall_causes(run: FinishedRun, fall: float) -> FallCauses:
    """Why a robot whose base is free fell, as far as ground truth tells.

    Args:
        run: The run.
        fall: When it fell [s].
    """
    truth, robot = run.truth, run.parts.robot
    if truth is None or not robot.feet:
        return FallCauses()
    lost, side = _lost(run, _within(truth, fall - _BEFORE, fall))
    told: list[Moment] = []
    names: list[str] = []
    if lost is not None:
        before = _within(truth, lost.time - _LAST, lost.time)
        found = [each for each in (_sliding(run, before), _drives(run, lost.time)) if each[0]]
        told = [lost, *(Moment(lost.time, text) for text, _ in found)]
        names = [*(name for _, name in found if name), f"balance lost to the {side}"]
    since = fall - 0.5 * _BEFORE if lost is None else lost.time
    touched = touches_of(_within(truth, since, fall + _AFTER), robot, run.parts.model)
    first = min(
        ((float(touched.times[int(np.argmax(holds))]), name) for name, holds in touched.bodies.items()), default=None
    )
    if first is not None:
        told.append(Moment(first[0], f"{first[1]} touches the ground"))
        names.append(f"{first[1]} touched the ground")
    return FallCauses(tuple(told), names[0] if names else "")


def falling_at_end(run: FinishedRun) -> str:
    """How the robot falls as the run ends, before anything counts as a fall; empty: it does not.

    The capture point left its feet for good at least `_FALLING` before, and the centre of mass moves that way.
    """
    truth, robot = run.truth, run.parts.robot
    if truth is None or not robot.feet or len(truth.rows) < 3:
        return ""
    end = float(truth.times[-1])
    window = _within(truth, end - _BEFORE, end)
    lost, side = _lost(run, window)
    if lost is None or end - lost.time < _FALLING:
        return ""
    last = _within(truth, lost.time, end)
    pace = float(np.linalg.norm(np.gradient(last["com"], last.times, axis=0)[-1, :2]))
    if pace < _MOVING or (last["other_contacts"] > 0.0).any():
        return ""
    return (
        f"was falling to the {side} when the run ended at {end:.2f} s: its capture point has been outside of its feet"
        f" since {lost.time:.2f} s, and its centre of mass moves at {pace:.2f} m/s"
    )


def _within(rows: ChannelRows, since: float, until: float) -> ChannelRows:
    kept = (rows.times >= since) & (rows.times <= until)
    return ChannelRows(rows.layout, rows.nanoseconds[kept], rows.rows[kept])


def _lost(run: FinishedRun, truth: ChannelRows) -> tuple[Moment | None, str]:
    """When the capture point left the feet for good, and to which side; None: it was not over them before."""
    count = len(truth.rows)
    if count < 3:
        return None, ""
    robot = run.parts.robot
    tracks = _lately_loaded(foot_tracks(truth, robot, run.parts.model, np.arange(count)), truth)
    speed = np.gradient(truth["com"], truth.times, axis=0)[:, :2]
    gravity = float(np.linalg.norm(run.scenario.world.gravity))
    if gravity <= 0.0:
        return None, ""
    left, margin, constant = -1, math.nan, math.inf
    aside = last = np.zeros(2)
    for row in range(count - 1, -1, -1):
        points = support_at(robot, tracks, row, run.parts.threshold)
        if not len(points):
            continue
        com = truth["com"][row]
        feet = min(float(track.position[row, 2]) for track in tracks)
        height = max(float(com[2]) - feet, _LEAST_HEIGHT)
        constant = math.sqrt(height / gravity)
        capture = com[:2] + speed[row] * constant
        hull = convex_hull(points)
        if float(signed_distance(hull, capture)) >= 0.0:
            break
        aside = capture - 0.5 * (points.min(axis=0) + points.max(axis=0))
        last = aside if left < 0 else last
        left, margin = row, float(signed_distance(hull, com[:2]))
    else:
        return None, ""
    if left < 0:
        return None, ""
    time, pace = float(truth.times[left]), float(np.hypot(*speed[left]))
    if float(truth.times[-1]) - time > _CONSTANTS * constant:
        # A pendulum would have been down long before: it walked, with its capture point ahead of its feet.
        return None, ""
    where = f"{1e3 * abs(margin):.0f} mm {'inside' if margin >= 0.0 else 'outside'}"
    # One that walks fast has its capture point ahead of its feet: where it goes from there is the side.
    grown = last - aside
    side = _side(grown if float(np.hypot(*grown)) > _GROWN else aside, truth, left)
    text = (
        f"balance is lost to the {side}{_place(run, time)}: the capture point leaves the feet for"
        f" good (centre of mass {where}, {pace:.2f} m/s)"
    )
    return Moment(time, text), side


def _lately_loaded(tracks: Sequence[FootTrack], truth: ChannelRows) -> list[FootTrack]:
    """The same tracks with the largest load of the last `_SWING`: a foot in the air for a step carries again soon."""
    first = np.searchsorted(truth.times, truth.times - _SWING - 1e-9)
    return [
        replace(each, load=np.array([each.load[begin : row + 1].max() for row, begin in enumerate(first)]))
        for each in tracks
    ]


def _side(aside: Vector, truth: ChannelRows, row: int) -> str:
    """The side of the robot that a way in the world points to."""
    yaw = float(to_rpy(truth["qpos"][row : row + 1, 3:7])[0, 2])
    angle = math.atan2(aside[1], aside[0]) - yaw
    return _SIDES[round(angle / (0.25 * math.pi)) % len(_SIDES)]


def _place(run: FinishedRun, time: float) -> str:
    """Which keyframe was played, or that the controller had finished."""
    done = run.outcome.done_at
    if done is not None and time > done:
        return " after it had finished"
    played = [event for event in run.log.events if event.kind is EventKind.KEYFRAME and event.time <= time + 1e-9]
    return f" in {max(played, key=lambda event: event.time).text}" if played else ""


def _sliding(run: FinishedRun, truth: ChannelRows) -> tuple[str, str]:
    """How far feet that carry something slid, and which; empty: none did."""
    robot = run.parts.robot
    tracks = foot_tracks(truth, robot, run.parts.model, np.arange(len(truth.rows)))
    ways = slips(tracks, [foot.radius for foot in robot.feet], run.parts.threshold)
    slid = {foot.name: way for foot, way in zip(robot.feet, ways, strict=True) if way > _SLIDES}
    if not slid:
        return "", ""
    told = ", ".join(f"{name} by {1e3 * way:.0f} mm" for name, way in slid.items())
    return f"feet that carry it slid in the {_LAST:g} s before: {told}", f"feet slid ({', '.join(slid)})"


def _drives(run: FinishedRun, lost: float) -> tuple[str, str]:
    """Which joints did not follow their commands just before, whether they gave all that they have, and the worst one
    of a leg: an arm that lags throws nobody over."""
    sensors, command, robot = run.log.channels.get("sensors"), run.log.channels.get("command"), run.parts.robot
    angles = _angles(run)
    if sensors is None or command is None or angles is None:
        return "", ""
    count = min(len(sensors.rows), len(command.rows), len(angles))
    rows = np.flatnonzero((sensors.times[:count] >= lost - _LAST) & (sensors.times[:count] <= lost + 1e-9))
    if not len(rows):
        return "", ""
    full, most = (np.array([getattr(servo, name) for servo in robot.servos]) for name in ("kp", "max_torque"))
    stiff = (command["kp"][rows] >= _STIFF * full).all(axis=0)
    off = np.abs(command["position"][:count] - angles[:count])
    behind = np.where(stiff, off[rows].mean(axis=0), 0.0)
    usual = _most_of_means(off[: rows[0]], len(rows))
    spent = (np.abs(sensors["effort"][rows]) >= _ALL * most).mean(axis=0) > 0.5
    worst = [int(each) for each in np.argsort(-behind) if behind[each] >= max(_BEHIND, usual[each])][:_NAMED]
    if not worst:
        return "", ""
    told = [
        f"{robot.joint_names[each]} is {math.degrees(behind[each]):.0f} deg from its command"
        + (", with all its torque" if spent[each] else "")
        for each in worst
    ]
    legs = _leg_joints(run)
    name = next((robot.joint_names[each] for each in worst if robot.joint_names[each] in legs), "")
    return "; ".join(told), f"{name} behind its command" if name else ""


def _most_of_means(off: Vector, span: int) -> Vector:
    """The largest mean of each column over any ``span`` rows, (nj,): policies and springs are always some way off."""
    if len(off) < span:
        return np.zeros(off.shape[1])
    sums = np.vstack((np.zeros(off.shape[1]), np.cumsum(off, axis=0)))
    most: Vector = (sums[span:] - sums[:-span]).max(axis=0) / span
    return most


def _angles(run: FinishedRun) -> Vector | None:
    """True angles of the robot's joints in each row of the truth, (n, nj) [rad]: what encoders read may be wrong."""
    if run.truth is None:
        return None
    labels = next(each.labels for each in run.truth.layout.fields if each.name == "qpos")
    names = run.parts.robot.joint_names
    return run.truth["qpos"][:, [labels.index(name) for name in names]] if set(names) <= set(labels) else None


def _leg_joints(run: FinishedRun) -> set[str]:
    """Names of the joints between the base and the feet."""
    robot, model = run.parts.robot, run.parts.model
    base = int(model.body(robot.base_body).id)
    bodies = {
        body
        for foot in robot.feet
        for body in takewhile(lambda body: body != base, upwards(model, int(model.body(foot.body).id)))
    }
    return {name for name in robot.joint_names if int(model.joint(name).bodyid[0]) in bodies}
