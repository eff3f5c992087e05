"""Maps written to files and read again."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from andante.backends.terrain import TerrainChoice
from andante.terrain.files.load import load_heights
from andante.terrain.files.save import SAVED, save_heights
from andante.terrain.height_map import HeightMap, TerrainError

HEIGHTS = arrays(np.float64, st.tuples(st.integers(2, 6), st.integers(2, 6)), elements=st.floats(-3.0, 3.0, width=64))


@pytest.mark.parametrize("suffix", SAVED)
@given(heights=HEIGHTS, x=st.floats(-5.0, 5.0), y=st.floats(-5.0, 5.0), spacing=st.sampled_from([0.005, 0.01, 0.1]))
@settings(max_examples=25, deadline=None)
def test_what_is_written_is_read_again(tmp_path_factory, suffix, heights, x, y, spacing):
    path = tmp_path_factory.mktemp("boards") / f"board{suffix}"
    save_heights(path, HeightMap(heights, (x, y), spacing))
    found = load_heights(path)
    assert (found.heights == heights).all()
    assert found.origin == pytest.approx((x, y), abs=1e-12)
    assert found.spacing == pytest.approx(spacing, rel=1e-9)
    if suffix == ".npz":
        assert (found.origin, found.spacing) == ((x, y), spacing)


def test_what_holds_no_map_whole_is_refused(tmp_path):
    ground = HeightMap(np.zeros((2, 2)), (0.0, 0.0), 0.1)
    with pytest.raises(TerrainError, match="not written to this kind of file"):
        save_heights(tmp_path / "board.png", ground)
    with pytest.raises(TerrainError, match="cannot be written"):
        save_heights(tmp_path / "nowhere" / "board.npz", ground)


def test_a_file_that_was_written_anew_is_read_anew(tmp_path):
    path = tmp_path / "board.npz"
    choice = TerrainChoice(file=str(path))
    save_heights(path, HeightMap(np.zeros((50, 50)), (0.0, 0.0), 0.01))
    first = choice.load()
    assert choice.load() is first
    save_heights(path, HeightMap(np.full((50, 50), 0.1), (0.0, 0.0), 0.01))
    os.utime(path, (1.0, 1.0))
    assert choice.load().heights.heights[0, 0] == 0.1
