"""The page of a run over terrain: it shows no ground, so the robot stands where the page has its floor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from andante.runs.build import build
from andante.runs.scenario_files import load_scenario
from andante.studio.sharing import recorded

SCENARIO = """\
format: andante.scenario
version: 1
units: {{angle: rad, time: s, length: m}}
name: survey
robot: littledog
controller: {{type: trot, steering: [{{forward: 0.2}}, {{time: 0.2}}]}}
world: {{terrain: {{file: "{file}"}}, start: {{x: {x}, y: {y}}}}}
timeout: 0.4
success: {{finishes: false}}
"""


@pytest.mark.parametrize("first", [(512_345.0, 5_412_345.0), (0.0, 0.0)])
def test_places_count_from_the_ground_below_the_start_in_full_precision(tmp_path: Path, first) -> None:
    np.savez(tmp_path / "survey.npz", heights=np.full((60, 40), 312.0), spacing=0.05, origin=np.array(first))
    path = tmp_path / "survey.yaml"
    path.write_text(SCENARIO.format(file=tmp_path / "survey.npz", x=first[0] + 1.0, y=first[1] + 1.0))
    scenario = load_scenario(path)
    parts = build(scenario)
    try:
        rows = np.array(recorded(scenario, parts).rows)
    finally:
        parts.backend.close()
    places = rows[:, 1:4]
    np.testing.assert_allclose(places[0, :2], 0.0, atol=0.01)
    assert 0.1 < places[0, 2] < 0.2, "as high as LittleDog stands"
    assert np.abs(places).max() < 0.3
    assert np.abs(np.diff(places, axis=0)).max() < 0.01, "no jumps of half a metre"
