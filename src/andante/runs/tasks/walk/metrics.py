"""Metrics of a walk, from the log, the ground truth and the terrain, and from how long its planner took.

Processor time stands beside the log, which must be the same on every computer. A simulated planner answers after its
declared latency whatever it takes. What an answer took beyond that while the robot walked is overtime: the robot would
have had to wait for it, so it counts in the speed. Processor time does not grow when other programs run beside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from andante.control.events import EventKind
from andante.robots.records import Vector
from andante.runs.evaluation.balance import FootTrack, slips
from andante.runs.evaluation.falls import first_fall, runs_of, tilt_of
from andante.runs.evaluation.finished import FinishedRun
from andante.runs.logs.log import ChannelRows, Log
from andante.runs.loop.outcome import Ending
from andante.runs.tasks.walk.footfalls import STILL, Footfall, footfalls
from andante.runs.tasks.walk.goal import WalkCourse
from andante.runs.tasks.walk.limits import breaches, command_rate
from andante.spatial.polygons import convex_hull, signed_distance

_WHY = (EventKind.HELP, EventKind.STOP)
"""Events that say why a walk ended."""
_SET_OUT = (EventKind.WALK, EventKind.LIFT_OFF, EventKind.TROT)
"""Events that say that a walk has begun."""
WalkEnd = Literal["arrived", "fell", "off course", "timeout", "gave up", "refused", "void"]
"""How a walk ended; a void one broke a declared limit and does not count."""
_CLAMPS = "clamps"
"""Field of the telemetry that counts ticks without an answer of inverse kinematics."""
_TIPPED = math.radians(40.0)
"""A controller that gives up while the body is tilted so far gives up because it falls [rad]."""


@dataclass(frozen=True)
class WalkMetrics:
    """Numbers of one walk."""

    end: WalkEnd
    """How it ended."""
    reason: str
    """Why, as a sentence for people; empty for an arrival."""
    length: float
    """Way from start to goal [m]."""
    way: float
    """Largest progress of the centre of mass along the line from start to goal, from where the walk began [m]."""
    time: float
    """Time from the begin of the walk to the arrival, or to the end of the run [s]."""
    waited: float
    """Time before the walk began, for planning on the spot; not counted in the speed [s]."""
    overtime: float
    """What planning while walking took beyond its declared latency, in processor time [s]."""
    speed: float
    """Way over time and overtime of a walk that arrived, pauses counted in; 0 for all others [m/s]."""
    aside: float
    """Largest distance of the centre of mass from the line [m]."""
    steps: int
    """Footfalls."""
    planned: int
    """Footfalls of which it is known where they should have been."""
    misses: int
    """Footfalls too far from there."""
    worst_miss: float | None
    """Largest distance of a footfall from where it should have been [m]."""
    slip: float
    """Way that all feet slid while they carried [m]."""
    worst_slip: float
    """The same of the worst foot [m]."""
    margin: float | None
    """Smallest distance of the centre of mass from the edge of the support polygon, while three feet or more carry;
    below zero: outside; None: never so many carried [m]."""
    low_support: float
    """Share of the time in which fewer than three feet carried."""
    energy: float
    """Integral of sum |torque x speed| over all motors from the begin to the arrival or the end [J]."""
    transport: float | None
    """Energy over weight times way; None where there is no way."""
    brushes: dict[str, float]
    """Time for which other bodies than feet touched the ground, by body [s]."""
    planning: float | None
    """Processor time to plan before the walk began, not counted in its speed; None: nothing was planned [s]."""
    replanning: float | None
    """Longest processor time of one plan while walking; None: there was none [s]."""
    command_rate: float
    """Largest command step over what the joint's speed limit allows."""
    clamps: int | None
    """Ticks in which inverse kinematics had no answer and a leg stayed where it was; None: no such count."""
    breaches: tuple[str, ...]
    """Declared limits that were broken."""
    footfalls: tuple[Footfall, ...] = ()
    """Every footfall."""

    @property
    def arrived(self) -> bool:
        """True for a walk that counts as a success."""
        return self.end == "arrived"


def measure_walk(run: FinishedRun) -> WalkMetrics | None:
    """The metrics of a run that was to walk over a terrain; None where no walk was asked for or nothing was seen."""
    course, truth = run.scenario.course(), run.truth
    if course is None or truth is None:
        return None
    log, tracks, planner, threshold = run.log, run.tracks, run.parts.planner, run.parts.threshold
    robot, model = run.parts.robot, run.parts.model
    ahead, beside = course.along(truth["com"])
    there, aside = ahead >= course.arrival, float(np.abs(beside).max())
    arrival = int(np.argmax(there)) if there.any() else None
    last = len(truth.rows) - 1 if arrival is None else arrival
    first = _begin(log, truth.times)
    waited = float(truth.times[first])
    time, way = float(truth.times[last]) - waited, float(ahead[: last + 1].max() - ahead[first])
    names = [foot.name for foot in robot.feet]
    falls = footfalls(truth.times, tracks, threshold, log.events, names, STILL * course.terrain.scale)
    errors = [each.error for each in falls if each.error is not None]
    slid = slips(tracks, [foot.radius for foot in robot.feet], threshold)
    margins, low = margins_of(truth["com"][: last + 1], tracks, threshold)
    energy = float(truth["energy"][last, 0] - truth["energy"][first, 0])
    weight = float(model.body_subtreemass[model.body(robot.base_body).id]) * float(np.linalg.norm(model.opt.gravity))
    broken, clamps = [str(each) for each in breaches(log, robot)], clamp_count(log)
    if clamps:
        broken.append(f"inverse kinematics was clamped in {clamps} ticks")
    end, reason = _end(run, course, truth, arrival is not None, aside, way, broken)
    if end in ("fell", "off course", "timeout", "gave up"):
        reason += _doubt_of_map(log)
    set_out = any(event.kind is EventKind.WALK for event in log.events)
    begin, latency = waited if set_out else math.inf, 0.0 if planner is None else planner.latency
    planned_before = [spent for moment, spent in run.outcome.plans if moment <= begin]
    replanned = [spent for moment, spent in run.outcome.plans if begin < moment <= waited + time]
    overtime = sum(max(spent - latency, 0.0) for spent in replanned)
    return WalkMetrics(
        end=end,
        reason=reason,
        length=course.length,
        way=way,
        time=time,
        waited=waited,
        overtime=overtime,
        speed=way / (time + overtime) if end == "arrived" and time > 0.0 else 0.0,
        aside=aside,
        steps=len(falls),
        planned=len(errors),
        misses=sum(error > course.miss for error in errors),
        worst_miss=max(errors, default=None),
        slip=float(slid.sum()),
        worst_slip=float(slid.max(initial=0.0)),
        margin=None if np.isnan(margins).all() else float(np.nanmin(margins)),
        low_support=low,
        energy=energy,
        transport=energy / (weight * way) if way > 0.05 * course.length and weight > 0.0 else None,
        brushes={name: round(run.touches.period * int(holds.sum()), 6) for name, holds in run.touches.bodies.items()},
        planning=sum(planned_before) if planned_before else None,
        replanning=max(replanned, default=None),
        command_rate=command_rate(log.rows("command"), robot),
        clamps=clamps,
        breaches=tuple(broken),
        footfalls=falls,
    )


def _doubt_of_map(log: Log) -> str:
    """What feet had found by then of a map that does not fit the ground, as a clause; empty: nothing."""
    told = [event for event in log.events if event.kind is EventKind.MAP]
    if not told:
        return ""
    worst = max(told, key=lambda event: float(event.data["off"]))
    foot, off, x, y = (worst.data[name] for name in ("foot", "off", "x", "y"))
    where = f"{foot} {1e3 * float(off):.0f} mm off at x {x:.3f}, y {y:.3f} m"
    return f"; from {told[0].time:.1f} s on the ground was not where the map has it ({where})"


def _begin(log: Log, times: Vector) -> int:
    """Row at which the walk began: when the controller first said so; the first row where it says nothing."""
    told = [event.time for event in log.events if event.kind is EventKind.WALK]
    return int(np.clip(np.searchsorted(times, min(told) - 1e-9), 0, len(times) - 1)) if told else 0


def margins_of(com: Vector, tracks: Sequence[FootTrack], threshold: float) -> tuple[Vector, float]:
    """Margin of the centre of mass at each row, (n,) [m], NaN where fewer than three feet carry; share of those.

    Args:
        com: Centre of mass, (n, 3) [m].
        tracks: Place and load of each foot, of at least n rows.
        threshold: Force above which a foot carries [N].
    """
    count = len(com)
    carries = np.array([track.load[:count] > threshold for track in tracks]).reshape(len(tracks), count)
    places = np.array([track.position[:count, :2] for track in tracks]).reshape(len(tracks), count, 2)
    margins = np.full(count, np.nan)
    for row in np.flatnonzero(carries.sum(axis=0) >= 3):
        margins[row] = float(signed_distance(convex_hull(places[carries[:, row], row]), com[row, :2]))
    return margins, float(np.mean(carries.sum(axis=0) < 3)) if count else 0.0


def clamp_count(log: Log) -> int | None:
    """Ticks in which inverse kinematics was clamped, as the controller's telemetry counts them; None: it does not."""
    telemetry = log.channels.get("telemetry")
    if telemetry is None or _CLAMPS not in telemetry.layout.slices or not len(telemetry.rows):
        return None
    return int(telemetry[_CLAMPS].max())


def _end(
    run: FinishedRun,
    course: WalkCourse,
    truth: ChannelRows,
    arrived: bool,
    aside: float,
    way: float,
    broken: Sequence[str],
) -> tuple[WalkEnd, str]:
    """How the walk ended and why; a broken limit counts before everything else, a fall after the arrival too."""
    if broken:
        return "void", broken[0]
    events, ending = run.log.events, run.outcome.ending
    fallen = first_fall(truth, run.scenario.success.fall)
    if fallen is not None:
        return "fell", f"fell after {fallen.time:.2f} s at {way:.2f} m: {fallen.reason}"
    if aside > course.aside:
        return "off course", f"came {aside:.2f} m off the line to the goal (limit {course.aside:.2f} m)"
    if not arrived:
        gone = float(truth.times[-1])
        if ending is Ending.TIMEOUT:
            return "timeout", f"did not arrive in {gone:.1f} s: {way:.2f} m on the way"
        lean = float(tilt_of(truth)[-1])
        if ending is Ending.FAILED and lean > _TIPPED:
            return "fell", f"fell after {gone:.2f} s at {way:.2f} m: tilted {math.degrees(lean):.0f} deg at the end"
        why = next((event.text for event in reversed(events) if event.kind in _WHY), "").removeprefix("gives up: ")
        if not any(event.kind in _SET_OUT for event in events) and ending is Ending.FAILED:
            return "refused", f"did not set out: {why}"
        return "gave up", f"ended after {gone:.1f} s, {way:.2f} m on the way" + (f": {why}" if why else "")
    return "arrived", ""


def pauses_of(
    truth: ChannelRows, course: WalkCourse, slow: float = 0.2, least: float = 0.4
) -> list[tuple[float, float]]:
    """Where the walk was slow: begin and end [s] of each time of ``least`` seconds or more below ``slow`` of its mean.

    The speed is that of the centre of mass along the line from start to goal, over half a second.
    """
    ahead, _ = course.along(truth["com"])
    times = truth.times
    if len(times) < 3 or ahead[-1] <= ahead[0]:
        return []
    half = max(1, round(0.25 / max(float(np.median(np.diff(times))), 1e-6)))
    low, high = np.maximum(np.arange(len(times)) - half, 0), np.minimum(np.arange(len(times)) + half, len(times) - 1)
    speed = (ahead[high] - ahead[low]) / np.maximum(times[high] - times[low], 1e-9)
    mean = (ahead[-1] - ahead[0]) / (times[-1] - times[0])
    spans = [(float(times[a]), float(times[b])) for a, b in runs_of(speed < slow * mean)]
    return [(a, b) for a, b in spans if b - a >= least and math.isfinite(a)]
