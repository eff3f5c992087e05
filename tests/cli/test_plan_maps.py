"""`andante plan` over one terrain in every kind of file: one plan; and over maps that know nothing where it matters."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.terrain.boards.make import make_board

sys.path.insert(0, str(Path(__file__).parents[1] / "terrain"))
from field_maps import write_all

CELL = 0.01


def planned(path: Path, options: dict, *more: str) -> tuple[int, str]:
    """Exit code and output of `andante plan` over a file."""
    words = [word for name, value in options.items() for word in ("--set", f"{name}={value}")]
    done = CliRunner().invoke(app, ["plan", "--board", str(path), *words, *more])
    return done.exit_code, done.output


@pytest.mark.slow
@pytest.mark.parametrize(("board", "difficulty"), [("blocks", 0.3), ("rolling", 0.5)])
def test_one_terrain_in_six_kinds_of_file_has_one_plan(tmp_path, board, difficulty):
    """Holes, and in each file a millimetre of noise of its own on heights and, in clouds, on places too."""
    ground = make_board(board, difficulty, 1).heights
    true = ground.heights[::2, ::2]
    spots = np.random.default_rng(7).integers(0, np.array(true.shape) - 2, (60, 2))
    found = {}
    for number, kind in enumerate(("npz", "png", "ply", "tif", "asc", "mcap")):
        heights = true + np.random.default_rng(number).uniform(-0.001, 0.001, true.shape)
        for i, j in spots:
            heights[i : i + 2, j : j + 2] = np.nan
        heights[90:96, 3:9] = np.nan
        files = write_all(tmp_path, heights, ground.origin, 2.0 * ground.spacing, jitter=0.001, seed=number)
        code, output = planned(*files[kind], "--json")
        assert code == 0, (kind, output)
        data = json.loads(output[output.index("{") :])
        found[kind] = [(step["foot"], *step["place"]) for step in data["footsteps"]]
        assert any("are unknown; the simulated ground has" in note for note in data["notes"])
    for kind, steps in found.items():
        assert [step[0] for step in steps] == [step[0] for step in found["npz"]], kind
        off = np.abs(np.array([step[1:] for step in steps]) - [step[1:] for step in found["npz"]])
        assert off.max() < CELL, kind


@pytest.mark.slow
def test_a_map_that_knows_nothing_under_the_feet_is_refused_with_the_nearest_place(tmp_path):
    heights = np.zeros((200, 60))
    heights[:45] = np.nan
    np.savez(tmp_path / "field.npz", heights=heights, spacing=CELL)
    code, output = planned(tmp_path / "field.npz", {})
    assert code == 2
    text = " ".join(output.split())
    assert "the map knows no height under any foot" in text
    assert "the nearest known is node (45, " in text
    code, output = planned(tmp_path / "field.npz", {}, "--start", "0.8,0.3")
    assert code == 0, output


def test_options_of_files_are_told_from_parameters_of_boards(tmp_path):
    np.savez(tmp_path / "field.npz", heights=np.zeros((200, 60)), spacing=CELL)
    code, output = planned(tmp_path / "field.npz", {"riser": 0.1})
    assert code == 2
    assert "there is no such setting; got 'riser'" in " ".join(output.split())
    code, output = planned(tmp_path / "field.npz", {"holes": "fill"})
    assert code == 2
    assert "terrain.holes" in output
    done = CliRunner().invoke(app, ["boards", str(tmp_path / "field.npz"), "--set", "resolution=2cm", "--json"])
    assert done.exit_code == 0, done.output
    data = json.loads(done.output)
    assert (data["spacing"], data["unknown"]) == (0.02, 0)
    assert data["notes"] == ["resampled to 20 mm along x and y"]
