"""The picture of a body plan: the ground with the way from above, and from the side the body over the ground."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from andante.pictures.figures import legend_above, new_figure
from andante.pictures.style import INK, SERIES, SOFT, drawn
from andante.planning.quadruped.body_plan import Primitive
from andante.runs.tasks.quadruped.body_planned import BodyPlanError, BodyPlanned
from andante.terrain.drawing import draw_map

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH = 12.0
_LOOK = {
    Primitive.CONNECT: ("walk", INK),
    Primitive.LEAP_STANCE: ("push off", SERIES[1]),
    Primitive.FLIGHT: ("flight", SERIES[3]),
    Primitive.LAND_STANCE: ("landing", "#e69f00"),
}
_BODY_EVERY = 0.3
"""Time between two bodies that are drawn from the side [s]."""


@drawn
def body_figure(planned: BodyPlanned, title: str) -> Figure:
    """The plan: from above, from the side, and its speed, each kind of motion in its colour.

    Args:
        planned: A plan with states.
        title: Heading.

    Raises:
        BodyPlanError: There is no plan to be drawn.
    """
    plan = planned.answer.body
    if plan is None:
        raise BodyPlanError("there is no plan to be drawn", value=str(planned.answer.status))
    states, step = plan.states, plan.step
    known, heights = planned.known, planned.known.filled("nearest")
    low_x, high_x, low_y, high_y = known.extent
    top = min(max((_WIDTH - 1.6) * (high_y - low_y) / (high_x - low_x), 2.5), 8.0)
    figure = new_figure(_WIDTH, top + 5.0, title)
    above, side, pace = figure.subplots(3, 1, height_ratios=(top, 2.4, 1.6))
    draw_map(above, known, planned.start, planned.goal)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(states[:, :2], axis=0).T))])
    times = step * np.arange(len(states))
    ground = np.array([float(heights.nearest((x, y))) for x, y in states[:, :2]])
    side.fill_between(along, ground, ground.min() - 0.05, color=SOFT, alpha=0.35, linewidth=0)
    side.plot(along, ground, color=SOFT, linewidth=1.0, label="ground below")
    speed, named = np.hypot(states[:, 6], states[:, 7]), set[Primitive]()
    begins = np.flatnonzero(np.diff(plan.primitives, prepend=-1))
    for first, last in zip(begins, [*begins[1:], len(states)], strict=True):
        kind = Primitive(int(plan.primitives[first]))
        name, colour = _LOOK[kind]
        label = name if kind not in named else None
        named.add(kind)
        rows, thick = slice(first, min(last + 1, len(states))), 1.8 if kind is Primitive.CONNECT else 4.0
        for axes, across, up in (
            (above, states[:, 0], states[:, 1]),
            (side, along, states[:, 2]),
            (pace, times, speed),
        ):
            axes.plot(across[rows], up[rows], color=colour, linewidth=thick, label=label, solid_capstyle="butt")
    body = planned.body
    for row in range(0, len(states), max(1, round(_BODY_EVERY / step))):
        # From the side the body is a line as long as the distance of its hips, pitched as it is.
        pitch = states[row, 4]
        way = np.array([-1.0, 1.0]) * body.half_length
        side.plot(
            along[row] + way * np.cos(pitch), states[row, 2] - way * np.sin(pitch), color=INK, alpha=0.25, linewidth=3
        )
    above.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=6)
    side.set(xlabel="way [m]", ylabel="height [m]", aspect="equal", adjustable="datalim")
    legend_above(side, 5)
    pace.set(xlabel="time [s]", ylabel="speed [m/s]", ylim=(0.0, 1.15 * max(float(speed.max()), 0.1)))
    return figure
