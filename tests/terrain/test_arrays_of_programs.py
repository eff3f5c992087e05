"""What programs put beside the heights of an .npz, and numbers by which they say that a height is unknown."""

from __future__ import annotations

import numpy as np
import pytest
import tifffile
from recordings import cloud_message, mcap_of

from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

HEIGHTS = np.add.outer(np.arange(8) * 0.01, np.arange(6) * 0.002)
KNOWN = np.ones(HEIGHTS.shape, np.bool_)
KNOWN[:3, 1] = False
SHOWN = np.where(KNOWN, HEIGHTS, np.nan)


def read(tmp_path, *, options=None, **arrays):
    np.savez(tmp_path / "a.npz", **arrays)
    return load_map(tmp_path / "a.npz", options)


@pytest.mark.parametrize(
    "beside",
    [{"valid_mask": KNOWN}, {"known": KNOWN.astype(np.uint8)}, {"invalid": ~KNOWN},
     {"nodata": -9999.0}, {"fill_value": np.array([-9999.0], np.float32)}],
)  # fmt: skip
def test_flags_and_numbers_in_the_file_say_what_is_unknown(tmp_path, beside):
    heights = np.where(KNOWN, HEIGHTS, -9999.0 if min(beside) in ("nodata", "fill_value") else 0.0)
    found = read(tmp_path, heights=heights, spacing=0.02, **beside)
    assert np.array_equal(found.map.heights, SHOWN, equal_nan=True)
    assert any(f"'{min(beside)}'" in note for note in found.notes)


def test_a_mask_that_does_not_say_what_is_true_in_it_is_told_and_does_nothing(tmp_path):
    found = read(tmp_path, heights=HEIGHTS, spacing=0.02, mask=KNOWN)
    assert found.map.known.all()
    assert found.notes == ("not read: mask", "a mask does not say what is true in it: call it valid or invalid")


@pytest.mark.parametrize(
    ("name", "values"),
    [("variance", 9e-6), ("elevation_variance", np.full(HEIGHTS.shape, 9e-6)), ("std", np.full(HEIGHTS.shape, 0.003)),
     ("sigma", 0.003)],
)  # fmt: skip
def test_variance_and_standard_deviation_are_found_by_what_programs_call_them(tmp_path, name, values):
    found = read(tmp_path, heights=HEIGHTS, spacing=0.02, **{name: values})
    assert found.map.variance == pytest.approx(np.full(HEIGHTS.shape, 9e-6))


def test_heights_in_steps_of_a_simulator_are_in_metres(tmp_path):
    """As legged_gym keeps its ground."""
    raw = np.round(HEIGHTS / 0.002).astype(np.int16)
    found = read(tmp_path, height_field_raw=raw, horizontal_scale=0.1, vertical_scale=0.002).map
    assert found.spacing == 0.1
    assert found.heights == pytest.approx(HEIGHTS)


@pytest.mark.parametrize(
    ("ends", "origin"),
    [({"extent": [1.0, 1.14, 2.0, 2.10]}, (1.0, 2.0)), ({"bounds": [1.0, 2.0, 1.14, 2.10]}, (1.0, 2.0)),
     ({"extent": [1.0, 1.16, 2.0, 2.12]}, (1.01, 2.01)),
     ({"bbox": [1.0, 2.0, 1.16, 2.12], "spacing": 0.02}, (1.01, 2.01))],
)  # fmt: skip
def test_ends_are_those_of_nodes_or_of_cells_as_makes_cells_square(tmp_path, ends, origin):
    found = read(tmp_path, heights=HEIGHTS, **ends).map
    assert found.spacing == pytest.approx(0.02)
    assert found.origin == pytest.approx(origin)
    assert np.array_equal(found.heights, HEIGHTS)


def test_of_a_grid_as_long_as_wide_it_is_told_that_ends_may_be_those_of_cells(tmp_path):
    found = read(tmp_path, heights=HEIGHTS[:6], extent=[0.0, 0.1, 0.0, 0.1])
    assert found.map.spacing == pytest.approx(0.02)
    assert any("read as the ends of nodes" in note for note in found.notes)
    assert read(tmp_path, heights=HEIGHTS[:6], extent=[0.0, 0.12, 0.0, 0.12], spacing=0.02).notes == ()


@pytest.mark.parametrize("more", [{"extent": [1.0, 1.10, 2.0, 2.14]}, {"extent": [1, 1.14, 2, 2.1], "spacing": 0.03}])
def test_ends_that_fit_no_square_cells_are_named(tmp_path, more):
    with pytest.raises(TerrainError, match=r"extent.*ends of the grid do not fit.*8 nodes along x.*6 along y"):
        read(tmp_path, heights=HEIGHTS, **more)


def test_nodata_counts_for_arrays_and_clouds_as_the_message_says(tmp_path):
    heights = np.where(KNOWN, HEIGHTS, -9999.0)
    with pytest.raises(TerrainError, match="give nodata=NUMBER"):
        read(tmp_path, heights=heights, spacing=0.02)
    found = read(tmp_path, heights=heights, spacing=0.02, options=FileOptions(nodata=-9999.0)).map
    assert np.array_equal(found.heights, SHOWN, equal_nan=True)
    i, j = np.indices(HEIGHTS.shape)
    points = np.stack([0.02 * i.ravel(), 0.02 * j.ravel(), heights.ravel()], axis=-1)
    np.save(tmp_path / "a.npy", points)
    (tmp_path / "a.mcap").write_bytes(mcap_of([("/c", 1, "sensor_msgs/msg/PointCloud2", cloud_message(points))]))
    head = f"ply\nformat ascii 1.0\nelement vertex {len(points)}\n"
    head += "".join(f"property double {axis}\n" for axis in "xyz") + "end_header\n"
    (tmp_path / "a.ply").write_text(head + "\n".join(" ".join(map(repr, row)) for row in points.tolist()))
    for name in ("a.npy", "a.mcap", "a.ply"):
        with pytest.raises(TerrainError, match="give nodata=NUMBER"):
            load_map(tmp_path / name)
        assert int((~load_map(tmp_path / name, FileOptions(nodata=-9999.0)).map.known).sum()) == 3


def test_nodata_means_nothing_to_a_mesh(tmp_path):
    head = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
    rows = "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 9500\n3 0 1 2\n"
    (tmp_path / "a.ply").write_text(head + rows)
    with pytest.raises(TerrainError, match="nodata means nothing to a mesh"):
        load_map(tmp_path / "a.ply", FileOptions(nodata=1.0, spacing=0.1))


@pytest.mark.parametrize("number", [1e30, 3.4e38, -3.4028234663852886e38, 1.70141e38])
def test_heights_that_no_ground_has_in_any_unit_are_unknown_and_told(tmp_path, number):
    heights = np.where(KNOWN, HEIGHTS, number)
    np.savetxt(tmp_path / "a.csv", heights, delimiter=",")
    np.savez(tmp_path / "a.npz", heights=heights, spacing=0.02)
    tifffile.imwrite(tmp_path / "a.tif", heights.T[::-1].astype(np.float32))
    for name in ("a.csv", "a.npz", "a.tif"):
        found = load_map(tmp_path / name)
        assert np.array_equal(found.map.known, KNOWN), name
        assert any("3 heights of 1e+30 or more" in note for note in found.notes)


def test_a_nodata_of_infinity_in_an_ascii_grid_leaves_the_rest_known(tmp_path):
    rows = [" ".join(map(str, row)) for row in np.where(KNOWN, HEIGHTS, np.inf).T[::-1].tolist()]
    head = "ncols 8\nnrows 6\nxllcorner 0\nyllcorner 0\ncellsize 0.02\nNODATA_value inf\n"
    (tmp_path / "a.asc").write_text(head + "\n".join(rows) + "\n")
    assert np.array_equal(load_map(tmp_path / "a.asc").map.known, KNOWN)


@pytest.mark.parametrize("name", ["field.npy", "field.npz"])
def test_whole_numbers_of_a_simulator_are_no_metres(tmp_path, name):
    """As Isaac Gym and legged_gym keep height fields: 16 bits, of which vertical_scale says the length."""
    steps = np.round(HEIGHTS / 0.005).astype(np.int16)
    path = tmp_path / name
    np.save(path, steps) if name == "field.npy" else np.savez(path, height_field_raw=steps)
    with pytest.raises(TerrainError) as caught:
        load_map(path, FileOptions(spacing=0.1))
    assert str(caught.value).startswith(
        f"{path}: the heights are whole numbers, and nothing says how many metres one of them is; got 'int16 from "
    )
    assert "height_scale=LENGTH says it, such as 0.005 (vertical_scale in legged_gym)" in str(caught.value)
    found = load_map(path, FileOptions(spacing=0.1, height_scale=0.005)).map
    np.testing.assert_allclose(found.heights, 0.005 * steps)
    # Level ground is level in any unit.
    np.save(tmp_path / "level.npy", np.zeros((20, 10), dtype=np.int16))
    assert load_map(tmp_path / "level.npy").map.heights.max() == 0.0
