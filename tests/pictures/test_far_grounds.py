"""Ground in coordinates of a survey: numbers of its axes count from near it, and nothing stands in a corner."""

from __future__ import annotations

import numpy as np
import pytest

from andante.pictures.figures import new_figure
from andante.pictures.ground import draw_ground


@pytest.mark.parametrize(
    ("origin", "labels", "first"),
    [
        ((450_012.5, 5_200_003.0), ("x [m], from 450000 m", "y [m], from 5200000 m"), "13"),
        ((-2.0, 12.0), ("x [m]", "y [m]"), None),
    ],
)
def test_axes_of_a_map_far_away_say_where_they_count_from(origin, labels, first):
    figure = new_figure(4.0, 4.0)
    axes = figure.subplots()
    draw_ground(axes, np.zeros((40, 30)), origin, 0.1)
    figure.canvas.draw()
    assert (axes.get_xlabel(), axes.get_ylabel()) == labels
    assert axes.yaxis.get_offset_text().get_text() == ""
    if first is not None:
        assert first in [each.get_text() for each in axes.get_xticklabels()]
