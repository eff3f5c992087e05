"""The picture of a walk's log or of a plan: footsteps from above, heights along the way, margin and gait over time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from andante.pictures.figures import BarRow, draw_bars, legend_above, new_figure
from andante.pictures.ground import draw_discs, draw_way
from andante.pictures.style import BAD, GOOD, INK, SOFT, drawn, foot_colour
from andante.planning.walk_plan import WalkPlan
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.runs.evaluation.falls import spans_of
from andante.runs.evaluation.finished import FinishedRun
from andante.runs.tasks.walk.footfalls import Footfall
from andante.runs.tasks.walk.goal import WalkCourse
from andante.runs.tasks.walk.metrics import margins_of
from andante.spatial.polygons import convex_hull
from andante.terrain.drawing import draw_map, height_of
from andante.terrain.elevation_map import ElevationMap

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_WIDTH, _SIDE, _MARGIN, _GAIT = 12.0, 2.6, 2.2, 1.9
"""Width of the figure and heights of its lower parts [inch]."""
_SHORTEST_STANCE = 0.05
"""A support polygon that lasts less than this is not drawn [s]."""


@dataclass(frozen=True, eq=False)
class WalkTrace:
    """What the pictures show of a walk that was made or planned."""

    title: str
    """What it is."""
    ground: ElevationMap
    """The ground: of a plan the map by which it was made, of a walk the world's."""
    start: tuple[float, float]
    """Where the way begins [m]."""
    goal: tuple[float, float]
    """Where it ends [m]."""
    via: tuple[tuple[float, float], ...]
    """Places by whose way it goes there [m]."""
    names: tuple[str, ...]
    """Names of the feet."""
    radius: float
    """Radius of a foot [m]."""
    times: Vector
    """Moments, (n,) [s]."""
    com: Vector
    """Centre of mass then, (n, 3) [m]."""
    feet: Vector
    """Centres of the feet then, (n, nl, 3) [m]."""
    air: NDArray[np.bool_]
    """Which feet are in the air then, (n, nl)."""
    margin: Vector
    """Distance from the edge of the support, (n,) [m]; NaN where there is none."""
    margin_name: str
    """What is in the support: centre of mass or zero moment point."""
    footfalls: tuple[Footfall, ...] = ()
    """Where feet came down, or shall."""
    miss: float = 0.02
    """A footfall farther from its planned place has missed [m]."""
    brushing: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """When something else than feet touched the ground, (n,); empty: nobody knows."""


@drawn
def walk_figure(trace: WalkTrace) -> Figure:
    """Four pictures one below the other: from above, from the side, margin over time, gait diagram."""
    top = height_of(trace.ground)
    parts = (top, _SIDE, _MARGIN, _GAIT)
    figure = new_figure(_WIDTH, sum(parts), trace.title)
    above, side, margin, gait = figure.subplots(4, 1, height_ratios=parts)
    _from_above(above, trace)
    _from_the_side(side, trace)
    margin.sharex(gait)
    _margin(margin, trace)
    draw_bars(gait, _gait(trace))
    gait.set(title="Gait: bars are feet in the air", xlim=(0.0, max(float(trace.times[-1:].sum()), 1e-3)))
    return figure


def _from_above(axes: Axes, trace: WalkTrace) -> None:
    """Footsteps over the board: discs where feet came down, rings where they should have, supports, the body's way."""
    from matplotlib.collections import PolyCollection

    draw_map(axes, trace.ground, trace.start, trace.goal)
    for number, place in enumerate(trace.via):
        name = "" if number else "place on the way"
        axes.plot(*place, "D", color=GOOD, markeredgecolor="white", markersize=8, label=name, linestyle="none")
    supports = _supports(trace)
    if supports:
        name = "support while a foot swings"
        areas = PolyCollection(supports, facecolor=f"{INK}0c", edgecolor=f"{INK}48", linewidth=0.6, label=name)
        axes.add_collection(areas, autolim=False)
    draw_way(axes, trace.com[:: max(1, len(trace.com) // 400), :2], "way of the centre of mass")
    for missed, colour in ((False, INK), (True, BAD)):
        falls = [fall for fall in trace.footfalls if fall.planned is not None and _missed(trace, fall) == missed]
        if falls:
            planned = np.array([fall.planned for fall in falls])
            name = "planned and missed" if missed else "planned foothold"
            for fall in falls:
                axes.plot(*np.array([fall.planned, fall.place[:2]]).T, color=colour, linewidth=1.2)
            draw_discs(axes, planned, 1.25 * trace.radius, facecolor="none", edgecolor=colour, linewidth=1.2)
            axes.plot([], [], "o", markerfacecolor="none", markeredgecolor=colour, label=name, linestyle="none")
    for leg, name in enumerate(trace.names):
        places = [fall.place[:2] for fall in trace.footfalls if fall.leg == leg]
        # Where the feet stood before the first step counts too.
        places += [tuple(place[:2]) for place in trace.feet[:1, leg]]
        if places:
            colour = foot_colour(leg)
            draw_discs(axes, np.array(places), trace.radius, facecolor=colour, edgecolor="white", linewidth=0.5)
            axes.plot([], [], "o", color=colour, label=f"{name} foothold", linestyle="none")
    handles, _ = axes.get_legend_handles_labels()
    columns = (len(handles) + 1) // 2
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns, borderaxespad=0.2, columnspacing=1.4)


def _from_the_side(axes: Axes, trace: WalkTrace) -> None:
    """Body, feet, and the ground below the left and the right feet."""
    low, high, *_ = trace.ground.extent
    x, filled = np.linspace(low, high, 600), trace.ground.filled("nearest")
    for row, (side, style) in enumerate((("left", "-"), ("right", ":"))):
        feet = trace.feet[:, row::2] if trace.feet.shape[1] > 1 else trace.feet
        y = float(np.median(feet[..., 1])) if feet.size else 0.0
        below = np.stack([x, np.full_like(x, y)], axis=-1)
        known = trace.ground.known[trace.ground.nodes(below)]
        axes.plot(
            x,
            np.where(known, 100.0 * filled.nearest(below), np.nan),
            color="#8a6d4b",
            linestyle=style,
            label=f"ground below the {side} feet",
        )
    for leg in range(len(trace.names)):
        path = trace.feet[:, leg]
        axes.plot(path[:, 0], 100.0 * path[:, 2], color=foot_colour(leg), linewidth=1.0)
    axes.plot(trace.com[:, 0], 100.0 * trace.com[:, 2], color=INK, linewidth=2.0, label="centre of mass")
    axes.set(title="From the side (heights stretched)", xlabel="x [m]", ylabel="height [cm]", xlim=(low, high))
    legend_above(axes, 8)


def _margin(axes: Axes, trace: WalkTrace) -> None:
    """Distance of the centre of mass or zero moment point from the edge of the support."""
    margin = 1e3 * trace.margin
    axes.axhline(0.0, color=SOFT, linewidth=1.0)
    axes.plot(trace.times, margin, color=INK, linewidth=1.2)
    axes.fill_between(trace.times, margin, 0.0, where=margin < 0.0, color=BAD, alpha=0.35, label="outside the support")
    axes.set(title=f"Margin of the {trace.margin_name} in the support polygon", ylabel="margin [mm]")
    axes.tick_params(labelbottom=False)
    if (margin < 0.0).any():
        legend_above(axes, 8)


def _gait(trace: WalkTrace) -> list[BarRow]:
    """When each foot is in the air, and when something else than feet touched the ground."""
    rows = [(name, foot_colour(leg), trace.air[:, leg]) for leg, name in enumerate(trace.names)]
    if trace.brushing.any():
        rows.append(("other parts touch", BAD, trace.brushing))
    return [BarRow(name, colour, spans_of(trace.times, holds)) for name, colour, holds in rows]


def _supports(trace: WalkTrace) -> list[Vector]:
    """The polygon of the feet on the ground for each time in which the same feet are in the air."""
    if not len(trace.times):
        return []
    found = []
    changes = np.flatnonzero((trace.air[1:] != trace.air[:-1]).any(axis=1)) + 1
    for part in np.split(np.arange(len(trace.times)), changes):
        down = ~trace.air[part[0]]
        if down.sum() >= 3 and not down.all() and trace.times[part[-1]] - trace.times[part[0]] >= _SHORTEST_STANCE:
            found.append(convex_hull(trace.feet[part[len(part) // 2], down, :2]))
    return found


def _missed(trace: WalkTrace, fall: Footfall) -> bool:
    return fall.error is not None and fall.error > trace.miss


def trace_of_run(title: str, run: FinishedRun, course: WalkCourse, footfalls: tuple[Footfall, ...]) -> WalkTrace:
    """What a recorded walk looks like."""
    truth, tracks, threshold = run.log.rows("truth"), run.tracks, run.parts.threshold
    margin, _ = margins_of(truth["com"], tracks, threshold)
    return WalkTrace(
        title=title,
        ground=course.terrain.map,
        start=course.ends[0],
        goal=course.ends[1],
        via=course.goal.via,
        names=tuple(foot.name for foot in run.parts.robot.feet),
        radius=_radius(run.parts.robot, course.terrain.scale),
        times=truth.times,
        com=truth["com"],
        feet=np.stack([track.position for track in tracks], axis=1),
        air=np.stack([track.load <= threshold for track in tracks], axis=1),
        margin=margin,
        margin_name="centre of mass",
        footfalls=footfalls,
        miss=course.miss,
        brushing=truth["other_contacts"][:, 0] > 0.0,
    )


def trace_of_plan(
    title: str, plan: WalkPlan, robot: Robot, ground: ElevationMap, line: WalkCourse, scale: float
) -> WalkTrace:
    """What a planned walk looks like.

    Args:
        title: What it is.
        plan: The plan.
        robot: Whose it is.
        ground: The map by which it was planned.
        line: From the start to the goal.
        scale: Size of the terrain's features, for the robot's.
    """
    count, legs = plan.feet.shape[:2]
    air = plan.swinging[:, None] == np.arange(legs)
    falls = []
    for swing in plan.swings:
        x, y, z = plan.footsteps.steps[swing.step].place.tolist()
        falls.append(Footfall(swing.leg, swing.lift_off * plan.period, swing.touchdown * plan.period, (x, y, z)))
    return WalkTrace(
        title=title,
        ground=ground,
        start=line.ends[0],
        goal=line.ends[1],
        via=line.goal.via,
        names=tuple(foot.name for foot in robot.feet),
        radius=_radius(robot, scale),
        times=np.arange(count, dtype=np.float64) * plan.period,
        com=plan.com,
        feet=plan.feet,
        air=air,
        margin=plan.margin,
        margin_name="zero moment point",
        footfalls=tuple(falls),
    )


def _radius(robot: Robot, scale: float) -> float:
    """Radius in which feet are drawn [m]; a foot without one as large as LittleDog's."""
    return max((foot.radius for foot in robot.feet), default=0.0) or 0.0103 * scale
