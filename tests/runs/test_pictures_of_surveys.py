"""Pictures of runs whose coordinates are those of a survey: single precision has half a metre there."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from andante.runs.reports.video import rendered

SURVEY = np.array([512_345.0, 5_412_345.0, 312.0])


def pictures(origin: np.ndarray) -> np.ndarray:
    """Two pictures of a box that moves over a step, (2, height, width, 3)."""
    x, y, z = (float(each) for each in origin)
    model = mujoco.MjModel.from_xml_string(f"""
        <mujoco><worldbody><light pos="{x} {y} {z + 3}" dir="0 0 -1"/>
        <geom type="box" size="1 0.5 0.1" pos="{x} {y} {z - 0.1}" rgba="0.8 0.2 0.2 1"/>
        <geom type="box" size="0.3 0.5 0.1" pos="{x + 0.7} {y} {z}" rgba="0.2 0.8 0.2 1"/>
        <body pos="{x} {y} {z + 0.2}"><freejoint/><geom type="box" size="0.1 0.06 0.05" rgba="0.1 0.1 0.6 1"/></body>
        </worldbody></mujoco>""")
    states = np.array([[x, y, z + 0.2, 1, 0, 0, 0], [x + 0.4, y + 0.1, z + 0.3, 1, 0, 0, 0]])
    return np.stack(list(rendered(states, model, (160, 120)))).astype(np.float64)


def test_a_run_in_coordinates_of_a_survey_is_drawn_as_it_is_at_the_origin() -> None:
    near, far = pictures(np.zeros(3)), pictures(SURVEY)
    assert near.std() > 20.0, "there is something to see"
    assert np.abs(far - near).mean() < 2.0
    assert np.abs(pictures(np.array([-SURVEY[1], 0.0, 0.0])) - near).mean() < 2.0


@pytest.mark.parametrize("place", [0.0, 900.0])
def test_near_the_origin_nothing_is_moved(place: float) -> None:
    assert np.abs(pictures(np.array([place, 0.0, 0.0])) - pictures(np.zeros(3))).mean() < 2.0
