"""What a robot did that was told how fast or how far to go, and whether that is what was asked: by ground truth alone.

A robot that stands still, walks on the spot at a wall, slides, goes another way, falls into a pit or walks on its knees
does not what it was asked, however upright it stays.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from andante.control.events import EventKind
from andante.control.steering import STILL as STANDING
from andante.control.steering import Heading, Turn
from andante.robots.records import Vector
from andante.runs.evaluation.criterion import Criterion
from andante.runs.evaluation.falls import runs_of, tilt_of
from andante.runs.evaluation.finished import FinishedRun
from andante.runs.evaluation.touches import Link
from andante.runs.loop.outcome import Ending
from andante.runs.tasks.steered.goal import SteeringGoal
from andante.runs.tasks.steered.spans import Span, spans_asked
from andante.spatial.rotations import to_rpy

_WINDOW = 0.25
"""Falls into pits are looked for over this time [s]."""
_STANDSTILL, _SHARE = 0.5, 0.25
"""A robot is stopped where over so long [s] it comes no farther than this share of what is asked."""
_ARRIVED = 0.1
"""A place is reached within this share of the way to it, and at least within `_NEAR`."""
_NEAR = 0.1
"""[m]"""
_WORTH_TELLING = 0.02
"""Speeds below this that were not asked are not told [m/s, rad/s]."""
STILL = 0.05
"""A robot that stands moves no faster than this [m/s]."""


@dataclass(frozen=True)
class SteeredMetrics:
    """Numbers of a run in which speeds or a way were asked, and what they say."""

    criteria: tuple[Criterion, ...]
    """Each thing that was asked, and what was reached."""
    moments: tuple[tuple[float, str], ...]
    """What is worth telling, with its time [s]."""
    asked: tuple[float, float, float] | None
    """Mean asked twist over the times that are judged: forward, left [m/s], turn [rad/s]; None: none are."""
    reached: tuple[float, float, float] | None
    """Mean true twist over the same times."""
    height: float
    """Mean height of the base over the feet [m]."""
    touched: dict[str, float]
    """How long each kind of link touched the ground [s]."""


def measure_steered(run: FinishedRun) -> SteeredMetrics | None:
    """What a robot did with the speeds or the way that it was asked; None where none was, or none is looked at."""
    scenario, asked, truth = run.scenario, run.parts.asked, run.truth
    goal, turns = scenario.success.steering, turns_of(run)
    moves = asked.moves or bool(turns) or scenario.success.walk is not None
    if goal is None or truth is None or not moves or truth["qpos"].shape[1] < 7:
        return None
    over = run.outcome.time
    pushed = [(push.time, push.time + push.duration + goal.recovery) for push in scenario.world.pushes]
    # A course over a terrain judges the way by itself.
    spans = spans_asked(truth, turns, goal, pushed, over) if turns and scenario.success.walk is None else ()
    told = list(_touches(run, goal))
    if scenario.success.walk is None:
        told = [*_speeds(run, goal, spans), *_place(run, goal), *_carriage(run, goal, spans), *told]
    moments = [*_first_touches(run), *_stops(run), *_tilts(run, goal)]
    judged = [span for span in spans if span.reached is not None and not span.asked.still]
    return SteeredMetrics(
        tuple(told),
        tuple(sorted(moments)),
        _mean(judged, [span.asked for span in judged]),
        _mean(judged, [span.reached for span in judged if span.reached is not None]),
        float(_heights(run).mean()),
        {str(link): run.touches.time(link) for link in (Link.CALF, Link.THIGH, Link.TRUNK)},
    )


def _mean(spans: list[Span], headings: list[Heading]) -> tuple[float, float, float] | None:
    total = sum(span.end - span.begin for span in spans)
    if total <= 0.0:
        return None
    rows = [(each.forward, each.lateral, each.turn) for each in headings]
    weights = [(span.end - span.begin) / total for span in spans]
    x, y, z = (np.array(weights) @ np.array(rows)).tolist()
    return x, y, z


def speeds_text(heading: Heading, asked: Heading | None = None) -> str:
    """A twist in words, without components as good as zero that were not asked either."""
    wanted = asked or heading
    parts = [
        f"{value:+.3f} {unit}"
        for value, unit, wish in (
            (heading.forward, "m/s ahead", wanted.forward),
            (heading.lateral, "m/s left", wanted.lateral),
            (heading.turn, "rad/s left", wanted.turn),
        )
        if wish != 0.0 or abs(value) >= _WORTH_TELLING
    ]
    return ", ".join(parts) or "0 m/s"


def _speeds(run: FinishedRun, goal: SteeringGoal, spans: tuple[Span, ...]) -> Iterator[Criterion]:
    """Speeds asked and reached, and whether the run lasted as long as they were asked."""
    turns, over, ending = turns_of(run), run.outcome.time, run.outcome.ending
    for span in spans:
        off, did = span.off(goal), span.reached
        if span.asked.still and not off:
            continue
        when = f"from {span.begin:.2f} to {span.end:.2f} s"
        wanted, got = speeds_text(span.asked), "nothing" if did is None else speeds_text(did, span.asked)
        text = f"asked {wanted}, reached {got} {when}" + (f": {off}" if off else "")
        yield Criterion("speed" if span.steady else "way", not off, text, wanted, got)
    if not turns:
        return
    last = next((number for number in range(len(turns) - 1, -1, -1) if not turns[number].heading.still), None)
    if last is None:
        return
    script = run.parts.asked.turns
    until = turns[last + 1].time if last + 1 < len(turns) else math.inf
    if script and over < until and ending in (Ending.FAILED, Ending.BROKEN, Ending.STOPPED):
        wanted = "to the end of the run" if until == math.inf else f"until {until:.2f} s"
        text = f"asked to walk {wanted}, the run was over after {over:.2f} s"
        yield Criterion("time", False, text, wanted, over, "s")
    elif not any(not span.asked.still for span in spans):
        pushed = " between pushes" if run.scenario.world.pushes else ""
        text = f"asked {speeds_text(turns[last].heading)}, for too short a time{pushed} to say what was reached"
        # Who is pushed all the time, or steered by hand, is judged by whether it stays on its feet.
        yield Criterion("speed", bool(pushed) or not script, text, speeds_text(turns[last].heading), "not known")


def _place(run: FinishedRun, goal: SteeringGoal) -> Iterator[Criterion]:
    """The way or the place that was asked."""
    truth, asked = run.log.rows("truth"), run.parts.asked
    begin, end = truth["qpos"][0], truth["qpos"][-1]
    if asked.ahead is not None:
        yaw = float(to_rpy(begin[3:7])[2])
        (dx, dy), bound = end[:2] - begin[:2], max(_NEAR, goal.share * asked.ahead)
        ahead, aside = dx * math.cos(yaw) + dy * math.sin(yaw), dy * math.cos(yaw) - dx * math.sin(yaw)
        good = abs(ahead - asked.ahead) <= bound and abs(aside) <= bound
        text = f"asked to go {asked.ahead:.2f} m ahead, came {ahead:.2f} m ahead and {abs(aside):.2f} m aside"
        yield Criterion("way", good, f"{text} (limit {bound:.2f} m off)", asked.ahead, float(ahead), "m")
    if asked.goal is not None:
        place = np.array(asked.goal)
        way, short = float(np.linalg.norm(place - begin[:2])), float(np.linalg.norm(place - end[:2]))
        bound = max(_NEAR, _ARRIVED * way)
        text = f"asked to go to {asked.goal[0]:.2f}, {asked.goal[1]:.2f} m, ended {short:.2f} m from there"
        yield Criterion("place", short <= bound, f"{text} (limit {bound:.2f} m)", 0.0, short, "m")


def _carriage(run: FinishedRun, goal: SteeringGoal, spans: tuple[Span, ...]) -> Iterator[Criterion]:
    """How it carried itself: tilt, height, falls into pits."""
    truth, standing = run.log.rows("truth"), run.parts.standing_height
    tilts = tilt_of(truth)
    if goal.tilt is not None:
        row, limit = int(np.argmax(tilts)), math.degrees(goal.tilt)
        tilt = math.degrees(float(tilts[row]))
        text = f"the torso tilted up to {tilt:.0f} deg (limit {limit:.3g} deg)"
        good = tilt <= limit
        yield Criterion("tilt", good, text if good else f"{text}{_at(run, row)}", limit, tilt, "deg")
    if standing is None:
        return
    heights, walking = _heights(run), np.zeros(len(truth.rows), np.bool_)
    for span in spans:
        if not span.asked.still:
            walking |= (truth.times >= span.begin) & (truth.times <= span.end)
    if walking.any():
        mean, least = float(heights[walking].mean()), goal.height_share * standing
        text = f"walked {mean:.3f} m high over its feet (limit {least:.3f} m)"
        yield Criterion("height", mean >= least, text, least, mean, "m")
    if goal.drop_share is not None and len(truth.rows) > 1:
        ahead = np.minimum(np.searchsorted(truth.times, truth.times + _WINDOW), len(truth.rows) - 1)
        drops = truth["qpos"][:, 2] - truth["qpos"][ahead, 2]
        row, limit = int(np.argmax(drops)), goal.drop_share * standing
        drop = float(drops[row])
        if drop > limit:
            text = f"dropped {drop:.2f} m (limit {limit:.2f} m){_at(run, row)}"
            yield Criterion("drop", False, text, limit, drop, "m")


def _touches(run: FinishedRun, goal: SteeringGoal) -> Iterator[Criterion]:
    """What touched the ground beside the feet."""
    rule, touches, duration = goal.touches, run.touches, max(run.outcome.time, 1e-9)
    limits = {
        Link.TRUNK: rule.trunk,
        Link.THIGH: rule.thigh,
        Link.CALF: rule.calf_share * duration if rule.calf is None else rule.calf,
    }
    held = True
    for link, limit in limits.items():
        time, first = touches.time(link), touches.first(link)
        if limit is None or first is None or time <= limit:
            continue
        held = False
        begin, body, place = first
        text = f"{link} touched the ground for {time:.2f} s (limit {limit:.2f} s)"
        text = f"{text}: {body} first, at {begin:.2f} s, {_where(place)}"
        yield Criterion("touches", False, text, limit, time, "s")
    if held:
        told = [f"{name} {period:.2f} s" for name, period in _grazes(run).items()]
        text = f"walked on its feet{' (touched: ' + ', '.join(told) + ')' if told else ''}"
        yield Criterion("touches", True, text, "feet", "feet")


def _grazes(run: FinishedRun) -> dict[str, float]:
    touches = run.touches
    return {name: touches.period * int(holds.sum()) for name, holds in touches.bodies.items()}


def _heights(run: FinishedRun) -> Vector:
    """Height of the base over the mean of its feet, (n,) [m]; over the ground where it has none."""
    truth, feet = run.log.rows("truth"), run.parts.robot.feet
    if not feet:
        return np.asarray(truth["base_height"][:, 0])
    lowest = np.array([track.position[:, 2] - foot.radius for track, foot in zip(run.tracks, feet, strict=True)])
    heights: Vector = truth["qpos"][:, 2] - lowest.mean(axis=0)
    return heights


def _at(run: FinishedRun, row: int) -> str:
    """When and where the base was at a row of the truth."""
    truth = run.log.rows("truth")
    return f" at {truth.times[row]:.2f} s, {_where(truth['qpos'][row])}"


def _where(place: Vector | tuple[float, float]) -> str:
    return f"x {place[0]:.2f}, y {place[1]:.2f} m"


def _first_touches(run: FinishedRun) -> Iterator[tuple[float, str]]:
    for name, period in _grazes(run).items():
        row = int(np.argmax(run.touches.bodies[name]))
        where, when = _where(run.touches.places[row]), float(run.touches.times[row])
        yield when, f"{name} touches the ground ({period:.2f} s in all), {where}"


def _stops(run: FinishedRun) -> Iterator[tuple[float, str]]:
    """Where a robot that was asked to go on did not."""
    truth, turns = run.log.rows("truth"), turns_of(run)
    times, place = truth.times, truth["qpos"][:, :2]
    later = np.searchsorted(times, times + _STANDSTILL)
    for number, turn in enumerate(turns):
        speed = math.hypot(turn.heading.forward, turn.heading.lateral)
        until = turns[number + 1].time if number + 1 < len(turns) else math.inf
        if speed == 0.0:
            continue
        rows = np.flatnonzero((times >= turn.time + 1.0) & (later < len(times)) & (times + _STANDSTILL <= until))
        if not len(rows):
            continue
        way = np.linalg.norm(place[later[rows]] - place[rows], axis=1)
        for first, last in runs_of(way < _SHARE * speed * _STANDSTILL):
            begin, end = times[rows[first]], times[rows[last]] + _STANDSTILL
            where = _where(place[rows[first]])
            yield float(begin), f"does not come on until {end:.2f} s, {where} (asked {speed:.3g} m/s)"


def _tilts(run: FinishedRun, goal: SteeringGoal) -> Iterator[tuple[float, str]]:
    truth = run.log.rows("truth")
    tilts, limit = tilt_of(truth), math.radians(30.0) if goal.tilt is None else 0.6 * goal.tilt
    for first, last in runs_of(tilts > limit):
        most = first + int(np.argmax(tilts[first : last + 1]))
        angle, where = math.degrees(tilts[most]), _where(truth["qpos"][most])
        yield float(truth.times[first]), f"tilts up to {angle:.0f} deg, {where}"


def stands_still(run: FinishedRun, goal: SteeringGoal) -> bool:
    """Whether the robot was told to stand at last, so that it has to stand at the end."""
    asked, turns = run.parts.asked, turns_of(run)
    to_a_place = asked.ahead is not None or asked.goal is not None
    return goal.stands and (to_a_place or bool(turns and turns[-1].heading.still))


def turns_of(run: FinishedRun) -> tuple[Turn, ...]:
    """The speeds that were asked: by the scenario's script, or by hand while it ran."""
    asked = [
        Turn(event.time, Heading(*(float(event.data[name]) for name in ("forward", "lateral", "turn"))))
        for event in run.log.events
        if event.kind is EventKind.STEER and "forward" in event.data
    ]
    over = [Turn(event.time, STANDING) for event in run.log.events if "over" in event.data and asked]
    return run.parts.asked.turns or tuple(sorted((*asked, *over), key=lambda turn: turn.time))
