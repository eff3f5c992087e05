"""Heights whose nodes stand in matrices beside them, as Quad-SDK keeps its terrain."""

from __future__ import annotations

import numpy as np
import pytest

from andante.backends.terrain import TerrainChoice
from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

X, Y = np.meshgrid(np.linspace(-5.0, 6.0, 56), np.linspace(-3.0, 3.0, 31))
Z = np.where(X > 1.5, 0.2, 0.01 * Y)


def save(folder, name="{}_data.csv", **changed):
    for axis, values in {"x": X, "y": Y, "z": Z, **changed}.items():
        np.savetxt(folder / name.format(axis), values, delimiter=",", fmt="%.6g")
    return folder / name.format("z")


@pytest.mark.parametrize("name", ["{}_data.csv", "{}Data.csv", "{}.txt"])
def test_rows_go_along_y_where_the_places_beside_say_so(tmp_path, name):
    found = load_map(save(tmp_path, name))
    assert found.map.origin == pytest.approx((-5.0, -3.0))
    assert found.map.spacing == pytest.approx(0.2)
    np.testing.assert_allclose(found.map.heights, Z.T, atol=1e-6)
    assert f"{name.format('x')} and {name.format('y')} beside it say where its nodes are" in found.notes
    assert not any("the file does not say how far" in note for note in found.notes)


def test_a_unit_scales_the_places_too(tmp_path):
    found = load_map(save(tmp_path, x=1e3 * X, y=1e3 * Y, z=1e3 * Z), FileOptions(scale=0.001))
    assert found.map.origin == pytest.approx((-5.0, -3.0))
    assert np.nanmax(found.map.heights) == pytest.approx(0.2)


def test_a_spacing_that_is_given_counts(tmp_path):
    found = load_map(save(tmp_path), FileOptions(spacing=0.1))
    assert found.map.heights.shape == Z.shape


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"x": X[:-1]}, "no matrix of their shape"),
        ({"x": X + 0.05 * np.sin(X)}, "on no grid"),
        ({"y": np.where(Y > 1.0, np.nan, Y)}, "a place beside the heights is not finite"),
    ],
)
def test_places_that_do_not_fit_are_refused(tmp_path, changed, message):
    with pytest.raises(TerrainError, match=message):
        load_map(save(tmp_path, **changed))


def test_the_folder_is_told_which_file_has_the_heights(tmp_path):
    save(tmp_path)
    with pytest.raises(TerrainError, match=r"name the heights in it: .*z_data\.csv"):
        load_map(tmp_path)


def test_a_terrain_is_another_one_where_the_places_beside_it_are_written_anew(tmp_path):
    for name in ("x_data.csv", "y_data.csv", "z_data.csv"):
        (tmp_path / name).write_text("0,1\n0,1\n")
    terrain = TerrainChoice(file=str(tmp_path / "z_data.csv"))
    before = terrain.version
    (tmp_path / "x_data.csv").write_text("0,1,2\n0,1,2\n")
    assert terrain.version != before
