"""Pictures of local plans: one horizon beside what came, and what solving took."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from andante.pictures.figures import new_figure
from andante.pictures.style import BAD, INK, SERIES, SOFT, drawn, foot_colour
from andante.planning.quadruped.local_plan import LocalPlan, Mode
from andante.runs.quadruped.views import QuadrupedViews

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH = 12.0
_BEFORE = 0.4
"""Of a run that failed, a plan so long before is shown [s]."""
_DEGREES = 180.0 / math.pi
_ROWS = (
    (("x [cm]", 0, 100.0), ("y [cm]", 1, 100.0), ("height [cm]", 2, 100.0)),
    (("roll [deg]", 3, _DEGREES), ("pitch [deg]", 4, _DEGREES), ("yaw [deg]", 5, _DEGREES)),
    (("speed along x [m/s]", 6, 1.0), ("along y [m/s]", 7, 1.0), ("up [m/s]", 8, 1.0)),
)
"""Panels: name, column of the state, factor."""
_LEAST = (2.0, 2.0, 0.2)
"""Least height of the panels of a row in their units."""


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
