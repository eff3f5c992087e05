"""Which axis is up, and what clouds tell of how they were written."""

from __future__ import annotations

import numpy as np
import pytest
from field_maps import nodes, write_ply_cloud, write_ply_mesh
from hypothesis import given, settings
from hypothesis import strategies as st
from pcd_clouds import pcd

from andante.documents.settings import SettingsError
from andante.terrain.files.cloud_findings import cloud_findings
from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions
from andante.terrain.files.upward import upright
from andante.terrain.height_map import TerrainError

X, Y = nodes((40, 30), (0.2, -0.4), 0.02)
HEIGHTS = 0.1 * np.sin(3.0 * X) + 0.05 * Y
POINTS = np.stack([X, Y, HEIGHTS], axis=-1).reshape(-1, 3)
WRITTEN = {  # what a program whose axes are these writes of a point x, y, z
    "z": lambda x, y, z: (x, y, z),
    "-z": lambda x, y, z: (x, -y, -z),
    "y": lambda x, y, z: (x, z, -y),
    "-y": lambda x, y, z: (-y, -z, x),
    "x": lambda x, y, z: (z, x, y),
    "-x": lambda x, y, z: (-z, y, x),
}


@pytest.mark.parametrize("up", WRITTEN)
def test_a_cloud_of_any_axes_is_the_same_map_and_is_never_mirrored(tmp_path, up):
    other = np.stack(WRITTEN[up](*POINTS.T), axis=-1)
    write_ply_cloud(tmp_path / "a.ply", other)
    found = load_map(tmp_path / "a.ply", FileOptions(up=up))
    np.testing.assert_allclose(found.map.heights, HEIGHTS, atol=1e-6)
    np.testing.assert_allclose(found.map.origin, (0.2, -0.4), atol=1e-6)
    assert not any("up=" in note for note in found.notes)
    corners = np.stack(WRITTEN[up](*np.eye(3)), axis=0)
    assert np.linalg.det(corners) == pytest.approx(1.0)


def test_meshes_have_it_too_and_grids_refuse_it(tmp_path):
    text = "".join(f"v {x} {z} {-y}\n" for x, y, z in POINTS.tolist())
    quads = ((30 * i + j + 1, 30 * i + j + 31, 30 * i + j + 32, 30 * i + j + 2) for i in range(39) for j in range(29))
    (tmp_path / "a.obj").write_text(text + "".join(f"f {a} {b} {c} {d}\n" for a, b, c, d in quads))
    found = load_map(tmp_path / "a.obj", FileOptions(up="y"))
    np.testing.assert_allclose(found.map.heights, HEIGHTS, atol=1e-6)
    write_ply_mesh(tmp_path / "a.ply", HEIGHTS, (0.2, -0.4), 0.02)
    assert load_map(tmp_path / "a.ply").notes == ("the mesh's corners lie on a grid of 20 mm",)
    np.save(tmp_path / "a.npy", HEIGHTS)
    with pytest.raises(TerrainError, match="the option up means nothing to a grid of heights; got 'y'"):
        load_map(tmp_path / "a.npy", FileOptions(up="y"))
    np.savez(tmp_path / "a.npz", heights=HEIGHTS)
    with pytest.raises(TerrainError, match="the option up means nothing to a grid of heights"):
        load_map(tmp_path / "a.npz", FileOptions(up="-z"))


@given(st.integers(0, 99), st.sampled_from(["x", "y", "-x", "-y"]), st.floats(0.0, 0.15))
@settings(max_examples=20, deadline=None)
def test_another_vertical_is_told(seed, up, relief):
    rng = np.random.default_rng(seed)
    places = rng.uniform(0.0, 1.5, (3000, 2))
    ground = np.column_stack([places, rng.uniform(-0.5, 0.5) + relief * np.sin(places[:, 0])])
    other = np.stack(WRITTEN[up](*ground.T), axis=-1)
    name = up[-1]
    assert f"say up={name} or up=-{name}" in cloud_findings(other, up="z")[0]
    assert cloud_findings(ground, up="z") == cloud_findings(other, up=up) == ()


def test_a_corridor_whose_walls_are_higher_than_it_is_wide_is_not_taken_for_one_that_lies(tmp_path):
    rng = np.random.default_rng(1)
    floor = np.column_stack([rng.uniform(0.0, 8.0, 4000), rng.uniform(0.0, 1.5, 4000), np.zeros(4000)])
    wall = np.column_stack([rng.uniform(0.0, 8.0, 8000), 1.5 * rng.integers(0, 2, 8000), rng.uniform(0.0, 2.5, 8000)])
    assert cloud_findings(np.concatenate([floor, wall]), up="z") == ()


def test_single_precision_at_places_of_a_survey_says_how_coarse_it_is(tmp_path):
    far = POINTS + np.array([468_000.0, 5_428_000.0, 500.0])
    single = {axis: far[:, k].astype(np.float32) for k, axis in enumerate("xyz")}
    (tmp_path / "a.pcd").write_bytes(pcd(single))
    notes = load_map(tmp_path / "a.pcd", FileOptions(resolution=0.5)).notes
    assert notes[0].startswith("x is in single precision, whose numbers near 468001 m are 31.2 mm apart: write it in")
    assert notes[1].startswith("y is in single precision, whose numbers near 5428000 m are 500 mm apart")
    (tmp_path / "a.pcd").write_bytes(pcd({axis: far[:, k] for k, axis in enumerate("xyz")}))
    assert not any("precision" in note for note in load_map(tmp_path / "a.pcd").notes)
    whole = np.stack([*np.mgrid[468_000:468_020, 5_428_000:5_428_020], np.zeros((20, 20))], axis=-1).reshape(-1, 3)
    assert cloud_findings(whole, up="z") == ()


def tilted_camera(pitch, count=6000, seed=3):
    """What a camera half a metre above level ground sees, looking ahead and down: x right, y down, z ahead."""
    rng = np.random.default_rng(seed)
    rays = np.column_stack([rng.uniform(-0.7, 0.7, count), rng.uniform(-0.5, 0.5, count), np.ones(count)])
    down = np.array([0.0, np.cos(pitch), np.sin(pitch)])
    rays = rays[rays @ down > 0.15]
    return rays * (0.5 / (rays @ down))[:, None]


@pytest.mark.parametrize("pitch", [0.4, 0.6, 0.9])
def test_a_cloud_of_a_tilted_camera_is_told_with_the_direction_that_is_up_and_is_level_by_it(tmp_path, pitch):
    write_ply_cloud(tmp_path / "a.ply", tilted_camera(pitch))
    told = next(note for note in load_map(tmp_path / "a.ply").notes if "up=" in note)
    assert "as a tilted camera sees it" in told
    found = load_map(tmp_path / "a.ply", FileOptions(up=told.rpartition("up=")[2]))
    assert not any("up=" in note for note in found.notes)
    heights = found.map.heights[found.map.known]
    np.testing.assert_allclose(heights, -0.5, atol=2e-3)
    if pitch < 0.8:
        # Ahead is x, as for up=-y, which is the nearest axis.
        assert found.map.origin[0] > 0.0


def test_level_ground_that_a_level_camera_saw_is_no_grid_and_the_refusal_says_which_axis_is_up(tmp_path):
    write_ply_cloud(tmp_path / "a.ply", tilted_camera(0.0))
    with pytest.raises(TerrainError, match=r"if y is the vertical of the file, say up=y or up=-y"):
        load_map(tmp_path / "a.ply")
    found = load_map(tmp_path / "a.ply", FileOptions(up="-y")).map
    np.testing.assert_allclose(found.heights[found.known], -0.5, atol=1e-6)


@pytest.mark.parametrize("pitch", [0.5, 0.9])
def test_a_direction_near_an_axis_turns_as_the_axis_does(pitch):
    down = np.array([0.0, np.cos(pitch), np.sin(pitch)])
    places = np.random.default_rng(0).normal(size=(50, 3))
    up = ",".join(map(str, (-down).tolist()))
    made = upright(places, up)
    np.testing.assert_allclose(made[:, 2], places @ -down, atol=1e-12)
    np.testing.assert_allclose(made @ made.T, places @ places.T, atol=1e-9)
    exact = upright(places, "-y" if pitch < 0.8 else "-z")
    np.testing.assert_allclose(upright(places, "0,-1,0" if pitch < 0.8 else "0,0,-2"), exact, atol=1e-12)


def test_a_mesh_on_its_side_is_told_however_few_triangles_it_has(tmp_path):
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 3 0 0\nv 3 0.1 -1\nv 0 0.1 -1\nf 1 2 3 4\n")
    notes = load_map(tmp_path / "a.obj").notes
    assert any(
        "100 % of the surface faces along y: if y is the vertical of the file, say up=y" in note for note in notes
    )
    assert not any("up=" in note for note in load_map(tmp_path / "a.obj", FileOptions(up="y")).notes)


@pytest.mark.parametrize("up", ["yy", "0,0,0", "1,2", "nan,0,1", "0,0,inf"])
def test_what_is_no_direction_is_refused(up):
    with pytest.raises(SettingsError, match=r"is no direction; legal: z, -z, y, -y, x, -x, or three numbers such as"):
        FileOptions(up=up)
