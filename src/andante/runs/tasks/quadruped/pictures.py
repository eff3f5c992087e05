"""Pictures of a dynamic quadruped's run and plans: forces, steps, speeds, a horizon beside what came, solving."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from andante.pictures.figures import BarRow, draw_bars, legend_above, new_figure
from andante.pictures.ground import draw_discs, draw_way
from andante.pictures.style import BAD, INK, SERIES, SOFT, drawn, foot_colour
from andante.planning.quadruped.local_plan import LocalPlan, Mode
from andante.runs.evaluation.falls import spans_of
from andante.runs.tasks.quadruped.trace import QuadrupedViews
from andante.terrain.drawing import draw_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_WIDTH = 12.0
_FORCES, _GAIT = 1.6, 3.0
"""Length of the excerpts with forces and with the gait [s]."""
_LIGHT = "66"
"""Opacity of what is planned, beside what was."""
_DEGREES = 180.0 / math.pi
_LEAST_SIDE = 0.7
"""Least width of the ground that is shown [m]."""
_BEFORE = 0.4
"""Of a run that failed, a plan so long before is shown [s]."""
_ROWS = (
    (("x [cm]", 0, 100.0), ("y [cm]", 1, 100.0), ("height [cm]", 2, 100.0)),
    (("roll [deg]", 3, _DEGREES), ("pitch [deg]", 4, _DEGREES), ("yaw [deg]", 5, _DEGREES)),
    (("speed along x [m/s]", 6, 1.0), ("along y [m/s]", 7, 1.0), ("up [m/s]", 8, 1.0)),
)
"""Panels: name, column of the state, factor."""
_LEAST = (2.0, 2.0, 0.2)
"""Least height of the panels of a row in their units."""


@drawn
def forces_figure(views: QuadrupedViews) -> Figure:
    """Per foot: vertical force, planned and true, and how far both are from the edge of the friction cone.

    The cone is that of the ground's friction and that of the plans'; a foot slides at 0. Forces between two feet count,
    too; they stick out of the cone.
    """
    trace = views.trace
    begin, end = views.excerpt(_FORCES)
    rows = trace.rows(begin, end)
    times = trace.times[rows]
    figure = new_figure(_WIDTH, 9.0, f"{views.title}: forces on the feet")
    axes = figure.subplots(len(views.names), 2, sharex=True, sharey="col", squeeze=False)
    true, planned = trace.foot_force[rows], trace.planned_force[rows]
    margins = views.margins(true, views.friction), views.margins(planned, views.believed)
    for leg, name in enumerate(views.names):
        colour = foot_colour(leg)
        left, right = axes[leg]
        left.fill_between(times, true[:, leg, 2], color=colour, alpha=0.35, linewidth=0.0, label="true")
        left.plot(times, planned[:, leg, 2], color=INK, linewidth=1.2, label="planned")
        left.set_ylabel(f"{name}  [N]")
        right.axhline(0.0, color=SOFT, linewidth=1.0)
        right.plot(times, margins[0][:, leg], color=colour, label=f"true, at {views.friction:g}")
        right.plot(times, margins[1][:, leg], color=INK, linewidth=1.2, label=f"planned, at {views.believed:g}")
        low = np.nan_to_num(margins[0][:, leg], nan=1.0) <= 0.0
        right.fill_between(times, 0.0, margins[0][:, leg], where=low, color=BAD, alpha=0.5, linewidth=0.0)
    # Blows of some milliseconds would hide everything else.
    most = max(float(np.quantile(true[..., 2], 0.99)), float(planned[..., 2].max()), 0.1 * views.weight)
    axes[0, 0].set_ylim(-0.05 * most, 1.15 * most)
    known = np.concatenate([each[np.isfinite(each)] for each in margins])
    if len(known):
        low, high = np.quantile(known, (0.01, 0.99)).tolist()
        axes[0, 1].set_ylim(min(1.2 * low, -0.1 * high), 1.15 * max(high, 1.0))
    axes[0, 0].set_title("Vertical force")
    axes[0, 1].set_title("Friction-cone margin")
    for side in axes[0]:
        legend_above(side, 6)
    for side in axes[-1]:
        side.set(xlabel="time [s]", xlim=(begin, end))
    _mark_end(views, [axis for line in axes for axis in line])
    return figure


@drawn
def steps_figure(views: QuadrupedViews) -> Figure:
    """From above: the way of the body, true and estimated, and footholds; below: the gait, planned and true."""
    trace = views.trace
    side = _extent(views)
    tall = min(max((_WIDTH - 1.0) * (side[3] - side[2]) / (side[1] - side[0]) + 1.2, 2.8), 8.0)
    figure = new_figure(_WIDTH, tall + 3.6, f"{views.title}: steps")
    above, gait = figure.subplots(2, 1, height_ratios=(tall, 3.6))
    _from_above(above, views, side)
    begin, end = views.excerpt(_GAIT)
    rows = trace.rows(begin, end)
    times, touching, planned = trace.times[rows], trace.touching()[rows], trace.planned_contact[rows]
    bars = []
    for leg, name in enumerate(views.names):
        colour = foot_colour(leg)
        bars.append(BarRow(f"{name} planned", colour + _LIGHT, spans_of(times, planned[:, leg])))
        bars.append(BarRow(f"{name} true", colour, spans_of(times, touching[:, leg])))
    draw_bars(gait, bars)
    gait.set(title="Gait: bars are feet on the ground", xlim=(begin, end))
    _mark_end(views, [gait])
    return figure


@drawn
def speeds_figure(views: QuadrupedViews) -> Figure:
    """Over the whole run: forward, lateral and turning speed asked, estimated and true; attitude; height."""
    trace = views.trace
    times, asked, true, estimate = trace.times, trace.asked, trace.twist, trace.estimated_twist
    figure = new_figure(_WIDTH, 10.0, f"{views.title}: speeds and attitude")
    axes = figure.subplots(5, 1, sharex=True)
    names = ("forward [m/s]", "lateral [m/s]", "turn [rad/s]")
    for axis, name in enumerate(names):
        part = axes[axis]
        part.plot(times, true[:, axis], color=SERIES[1], linewidth=1.0, label="true")
        part.plot(times, estimate[:, axis], color=SERIES[2], linewidth=1.0, linestyle=":", label="estimated")
        part.plot(times, asked[:, axis], color=INK, linewidth=1.6, linestyle="--", label="asked")
        part.set_ylabel(name)
        low, high = _span(np.concatenate([true[:, axis], asked[:, axis]]))
        part.set_ylim(low, high)
    axes[0].set_title("Speed of the centre of mass in the heading of the body")
    legend_above(axes[0], 6)
    for axis, (name, colour) in enumerate((("roll", SERIES[0]), ("pitch", SERIES[3]))):
        axes[3].plot(times, _DEGREES * trace.rpy[:, axis], color=colour, linewidth=1.0, label=name)
        wanted = _DEGREES * trace.reference[:, 3 + axis]
        axes[3].plot(times, wanted, color=colour, linewidth=1.2, linestyle="--", label=f"{name}, reference")
    axes[3].set_ylabel("[deg]")
    legend_above(axes[3], 6)
    axes[4].plot(times, 100.0 * trace.com[:, 2], color=SERIES[1], linewidth=1.0, label="true")
    axes[4].plot(times, 100.0 * trace.estimate[:, 2], color=SERIES[2], linewidth=1.0, linestyle=":", label="estimated")
    ready = trace.reference[:, 2] != 0.0
    height = np.where(ready, 100.0 * trace.reference[:, 2], np.nan)
    axes[4].plot(times, height, color=INK, linewidth=1.2, linestyle="--", label="reference")
    axes[4].set(ylabel="height [cm]", xlabel="time [s]", xlim=(times[0], times[-1]))
    legend_above(axes[4], 6)
    _mark_end(views, list(axes))
    return figure


def _from_above(axes: Axes, views: QuadrupedViews, side: tuple[float, float, float, float]) -> None:
    """Footholds as discs, planned ones as rings, the way of the body."""
    trace = views.trace
    if views.ground is not None:
        draw_map(axes, views.ground, views.start, views.goal)

    stride = max(1, len(trace.com) // 2000)
    falls, shift = views.footfalls(), views.shift
    for leg, name in enumerate(views.names):
        mine = [fall for fall in falls if fall.leg == leg]
        places = [tuple(views.feet[0, leg, :2].tolist()), *(fall.place for fall in mine)]
        draw_discs(axes, np.array(places), views.radius, facecolor=foot_colour(leg), edgecolor="white", linewidth=0.4)
        axes.plot([], [], "o", color=foot_colour(leg), label=name, linestyle="none")
        aimed = []
        for fall in mine:
            if fall.planned is not None:
                # Plans live in the estimated world.
                x, y = shift[np.searchsorted(trace.times, fall.time)].tolist()
                aimed.append((fall.planned[0] + x, fall.planned[1] + y))
        if aimed:
            draw_discs(axes, np.array(aimed), 1.6 * views.radius, facecolor="none", edgecolor=INK, linewidth=0.7)
    axes.plot([], [], "o", markerfacecolor="none", markeredgecolor=INK, label="planned foothold", linestyle="none")
    draw_way(axes, trace.com[::stride, :2], "centre of mass")
    begin = trace.com[0, :2] - trace.estimate[0, :2]
    estimate = trace.estimate[::stride, :2] + begin
    axes.plot(estimate[:, 0], estimate[:, 1], color=BAD, linewidth=1.0, linestyle="--", label="estimated")
    axes.set(xlim=side[:2], ylim=side[2:], xlabel="x [m]", ylabel="y [m]")
    axes.set_aspect("equal", adjustable="box")
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=9, borderaxespad=0.2, columnspacing=1.2)


def _extent(views: QuadrupedViews) -> tuple[float, float, float, float]:
    """Least and largest x and y of what is shown from above [m]."""
    places = np.concatenate([views.feet[:, :, :2].reshape(-1, 2), views.trace.com[:, :2]])
    low, high = places.min(axis=0) - 0.1, places.max(axis=0) + 0.1
    middle, half = 0.5 * (low + high), np.maximum(0.5 * (high - low), 0.5 * _LEAST_SIDE)
    # The longer side decides the scale; the picture is at most as high as wide.
    half[0] = max(half[0], half[1])
    x, y = middle.tolist()
    dx, dy = half.tolist()
    return x - dx, x + dx, y - dy, y + dy


def _span(values: NDArray[np.float64]) -> tuple[float, float]:
    """Limits that show nearly all values, with room for small ones."""
    low, high = np.quantile(values, (0.002, 0.998)).tolist()
    room = max(0.15 * (high - low), 0.05)
    return low - room, high + room


def _mark_end(views: QuadrupedViews, parts: list[Axes]) -> None:
    """Mark when the robot fell or gave up."""
    if views.end is not None:
        for axes in parts:
            axes.axvline(views.end, color=BAD, linewidth=1.2)


@drawn
def horizon_figure(views: QuadrupedViews) -> Figure:
    """One plan: its states, its reference, what truly came and what was estimated; below, planned forces of the feet.

    Places are shown as seen from where the robot believed to be.
    """
    plan = _chosen(views)
    figure = new_figure(_WIDTH, 9.5, f"{views.title}: the plan of {plan.time:.2f} s")
    axes = figure.subplots(4, 3, sharex=True)
    trace = views.trace
    rows = trace.rows(plan.time, float(plan.times[-1]))
    times = trace.times[rows]
    # Where the estimate has drifted, what came is moved to where the plan thinks that the robot is.
    true = np.concatenate([trace.com, trace.rpy, trace.velocity], axis=1)[rows]
    estimate = trace.estimate[rows, :9].copy()
    if len(times):
        true[:, :3] += estimate[0, :3] - true[0, :3]
        turn = 2.0 * math.pi * round((plan.states[0, 5] - true[0, 5]) / (2.0 * math.pi))
        true[:, 5] += turn
    for row, panels in enumerate(_ROWS):
        for column, (name, state, factor) in enumerate(panels):
            part = axes[row, column]
            zero = plan.states[0, state] if state < 2 else 0.0
            for source, when, look in (
                (plan.problem.reference, plan.times, {"color": SOFT, "linestyle": "--", "label": "reference"}),
                (true, times, {"color": SERIES[1], "linewidth": 2.0, "label": "came"}),
                (estimate, times, {"color": SERIES[2], "linestyle": ":", "label": "estimated"}),
                (plan.states, plan.times, {"color": INK, "marker": ".", "linewidth": 0.8, "label": "planned"}),
            ):
                part.plot(when, factor * (source[:, state] - zero), **look)
            part.set_ylabel(name)
            _open_up(part, _LEAST[row])
    _legend(axes[0, 2], wide=True)
    for column, axis in enumerate("xyz"):
        part = axes[3, column]
        for leg, name in enumerate(views.names):
            steps = np.concatenate([plan.forces[:, leg, column], plan.forces[-1:, leg, column]])
            part.step(plan.times, steps, where="post", color=foot_colour(leg), label=name)
        part.set(ylabel=f"force along {axis} [N]", xlabel="time [s]", xlim=(plan.times[0], plan.times[-1]))
    _legend(axes[3, 2])
    return figure


@drawn
def solver_figure(views: QuadrupedViews) -> Figure:
    """Time of each solve by the clock on the wall, with median and 95 %, and iterations; failed solves are marked."""
    figure = new_figure(_WIDTH, 5.0, f"{views.title}: solving for forces")
    above, below = figure.subplots(2, 1, sharex=True)
    times = np.array([each.time for each in views.figures])
    wall = 1e3 * np.array([each.wall for each in views.figures])
    solved = np.array([each.solved for each in views.figures], dtype=np.bool_)
    iterations = np.array([each.iterations for each in views.figures], dtype=np.float64)
    above.plot(times, wall, ".", color=SERIES[0], markersize=3.0)
    for share, style in ((0.5, "-"), (0.95, "--")):
        value = float(np.quantile(wall, share))
        above.axhline(value, color=INK, linewidth=1.2, linestyle=style, label=f"{100.0 * share:.0f} %: {value:.2f} ms")
    above.set(ylabel="time of a solve [ms]", yscale="log")
    above.set_title(f"{len(times)} plans, {int((~solved).sum())} without forces")
    below.plot(times, iterations, ".", color=SERIES[3], markersize=3.0)
    below.set(ylabel="iterations", xlabel="time [s]", ylim=(-0.5, max(float(iterations.max()), 4.0) + 0.5))
    for part in (above, below):
        for number, moment in enumerate(times[~solved].tolist()):
            part.axvline(moment, color=BAD, linewidth=1.0, alpha=0.6, label=None if number else "no forces found")
    _legend(above)
    return figure


def _chosen(views: QuadrupedViews) -> LocalPlan:
    """The plan to show: some time before the end of a run that failed, else in the middle of the walk."""
    plans = views.plans
    wanted = views.end - _BEFORE if views.end is not None else views.excerpt(1.0)[0] + 0.25
    stepping = [plan for plan in plans if plan.mode is Mode.STEP] or list(plans)
    return min(stepping, key=lambda plan: abs(plan.time - wanted))


def _open_up(axes: Axes, least: float) -> None:
    """Show at least so much, so that noise does not look like motion."""
    low, high = axes.get_ylim()
    if high - low < least:
        middle = 0.5 * (low + high)
        axes.set_ylim(middle - 0.5 * least, middle + 0.5 * least)


def _legend(axes: Axes, wide: bool = False) -> None:
    legend = axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=4, borderaxespad=0.2, columnspacing=1.0)
    # One that is wider than its panel does not widen it.
    legend.set_in_layout(not wide)
