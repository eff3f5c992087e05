"""Closed rooms: the floor counts below a ceiling, and what cannot be told is said, in meshes, clouds and octrees."""

from __future__ import annotations

import numpy as np
import pytest
from gltf_scenes import QUAD, Scene, sheet
from octrees import OCCUPIED, bt, ground
from pcd_clouds import write_pcd

from andante.terrain.files import large_clouds, load
from andante.terrain.files.ceilings import ceiling_of_points
from andante.terrain.files.gltf import read_gltf
from andante.terrain.files.load import load_map
from andante.terrain.files.meshes import top_of_mesh
from andante.terrain.files.options import FileOptions
from andante.terrain.files.solid_triangles import box_triangles
from andante.terrain.height_map import TerrainError

LONG, DEEP, TALL = 4.0, 3.0, 2.4


def sheets(low: float, high: float, x: float = LONG, hole: bool = False) -> list[list[tuple[float, float, float]]]:
    """The sides of a closed room that is seen from inside; with a hole in the middle of its floor."""
    y, ends = DEEP, [(0.0, 1.5), (2.5, x)] if hole else [(0.0, x)]
    return [
        *([(a, 0, low), (b, 0, low), (b, y, low), (a, y, low)] for a, b in ends),
        [(0, 0, high), (0, y, high), (x, y, high), (x, 0, high)],
        [(0, 0, low), (0, y, low), (0, y, high), (0, 0, high)],
        [(x, 0, low), (x, 0, high), (x, y, high), (x, y, low)],
    ]


def triangles(corners: list[list[tuple[float, float, float]]]) -> np.ndarray:
    quads = np.array(corners, dtype=float)
    return np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def obj(path, mesh: np.ndarray) -> None:
    lines = [f"v {x:g} {y:g} {z:g}" for x, y, z in mesh.reshape(-1, 3)]
    lines += [f"f {3 * k + 1} {3 * k + 2} {3 * k + 3}" for k in range(len(mesh))]
    path.write_text("\n".join(lines))


def room_cloud(seed: int = 1, count: int = 12_000) -> np.ndarray:
    """Points of a room with a hole in its floor; many cells have points of the ceiling alone."""
    draw = np.random.default_rng(seed)
    places = draw.uniform((0.0, 0.0), (LONG, DEEP), (count, 2))
    z = np.where(draw.random(count) < 0.5, 0.0, TALL) + draw.normal(0.0, 0.003, count)
    hole = (np.abs(places[:, 0] - 2.0) < 0.5) & (np.abs(places[:, 1] - 1.5) < 0.5)
    return np.column_stack([places, z])[~(hole & (z < 1.0))]


def test_the_floor_of_a_scanned_room_counts(tmp_path):
    obj(tmp_path / "room.obj", triangles(sheets(0.1, TALL, hole=True)))
    found = load_map(tmp_path / "room.obj", FileOptions(resolution=0.1))
    beside = np.abs(found.map.x - 2.0) > 0.55
    np.testing.assert_allclose(found.map.heights[beside], 0.1)
    assert np.isnan(found.map.heights[np.abs(found.map.x - 2.0) < 0.45]).all()
    assert any("a ceiling lies 2.3 m over the ground and does not count" in note for note in found.notes)


def test_a_room_with_roof_and_slab_as_thick_bodies():
    slab, roof = triangles(sheets(-0.2, 0.0))[:, ::-1], triangles(sheets(2.0, 2.3))[:, ::-1]
    found = top_of_mesh(np.concatenate([slab, roof]), 0.1, "a")
    np.testing.assert_allclose(found.heights, 0.0, atol=1e-12)


def test_a_closed_body_has_its_upper_surface_and_it_is_told(tmp_path):
    """It may be a block as well as a room that is seen from outside."""
    obj(tmp_path / "room.obj", triangles(sheets(0.0, TALL))[:, ::-1])
    found = load_map(tmp_path / "room.obj", FileOptions(resolution=0.1))
    np.testing.assert_allclose(found.map.heights, TALL)
    assert any("2.4 m lower in 100 % of the mesh" in note and "max_z=HEIGHT" in note for note in found.notes)
    cut = load_map(tmp_path / "room.obj", FileOptions(resolution=0.1, max_z=2.0))
    assert cut.map.heights[1:-1, 1:-1].max() == 0.0
    assert not any("upper surface" in note for note in cut.notes)


def test_a_roof_over_a_part_is_ground_as_before():
    part = triangles(sheets(0.0, TALL, x=1.0)[:2])
    floor = triangles([[(0, 0, 0), (4, 0, 0), (4, DEEP, 0), (0, DEEP, 0)]])
    found = top_of_mesh(np.concatenate([floor, part]), 0.1, "a")
    assert found.heights[5, 5] == TALL
    assert found.heights[25, 5] == 0.0


FLOOR = [(0, 0, 0), (6, 0, 0), (6, 4, 0), (0, 4, 0)]


def block(low: tuple[float, float, float], high: tuple[float, float, float], bottom: bool = True) -> np.ndarray:
    mesh = box_triangles(0.5 * (np.array(high) - low)) + 0.5 * (np.array(high) + low)
    return mesh if bottom else mesh[~(mesh[:, :, 2] == low[2]).all(axis=1)]


DECK = triangles([[(0, 1.5, 1.5), (6, 1.5, 1.5), (6, 2.5, 1.5), (0, 2.5, 1.5)]])


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (block((0, 1.5, 1.5), (6, 2.5, 1.7)), "over 25 % of the mesh something lies 1.5 m over the ground"),
        (block((2, 0, 2.0), (2.2, 0.9, 2.4)), "over 0.7"),
        (DECK[:, ::-1], "over 25 % of the mesh something lies 1.5 m over the ground"),
        (DECK, "in 25 % of the mesh another surface lies 1.5 m below the upper one, which counts"),
    ],
    ids=["bridge", "lintel", "sheet from below", "sheet"],
)
def test_a_bridge_over_a_part_counts_and_is_told(more, told):
    found = top_of_mesh(np.concatenate([triangles([FLOOR]), more]), 0.1, "a")
    (note,) = found.notes
    assert note.startswith(told)
    assert note.endswith("max_z=HEIGHT cuts it off")


@pytest.mark.parametrize("bottom", [True, False])
@pytest.mark.parametrize(
    ("low", "high"), [((2, 0, 0), (2.2, 4, 2.5)), ((1, 1, 0), (4, 3, 0.9)), ((1, 1, 0.4), (4, 3, 0.8))]
)
def test_walls_and_furniture_are_no_bridges(low, high, bottom):
    found = top_of_mesh(np.concatenate([triangles([FLOOR]), block(low, high, bottom)]), 0.1, "a")
    assert found.notes == ()


@pytest.mark.parametrize("floor", [triangles([FLOOR]), block((0, 0, -0.1), (6, 4, 0))], ids=["sheet", "slab"])
@pytest.mark.parametrize("low", [0.0, -0.01, -0.5])
def test_a_solid_block_on_the_floor_is_no_bridge(floor, low):
    found = top_of_mesh(np.concatenate([floor, block((1, 1, low), (3, 3, 1.8))]), 0.1, "a")
    assert [note for note in found.notes if "no block" not in note] == []
    if len(floor) > 2 or low > -0.1:
        assert found.notes == ()


def test_a_room_of_sheets_that_was_mirrored_is_told():
    room = triangles(sheets(0.0, TALL)) * (1.0, -1.0, 1.0)
    (note,) = top_of_mesh(room, 0.1, "a").notes
    assert "2.4 m lower in 100 % of the mesh: if the upper one is a ceiling, max_z=HEIGHT cuts it off" in note
    assert note.endswith("a room that looks so was mirrored on the way, or is seen from outside")


def test_a_mirrored_part_of_a_scene_keeps_its_front():
    scene = Scene()
    scene.triangles(sheet(0.1), QUAD, scale=[-1, 1, 1])
    a, b, c = np.moveaxis(read_gltf(scene.glb(), "a.glb", FileOptions()).places, 1, 0)
    assert (np.cross(b - a, c - a)[:, 2] > 0.0).all()


def test_no_cell_of_a_scanned_room_is_the_ceiling(tmp_path):
    write_pcd(tmp_path / "room.pcd", room_cloud())
    found = load_map(tmp_path / "room.pcd")
    assert np.nanmax(found.map.heights) < 0.02
    i, j = int((2.0 - found.map.x[0]) / found.map.spacing), int(1.5 / found.map.spacing)
    assert np.isnan(found.map.heights[i, j])
    assert any("a ceiling lies 2.4 m over the ground" in note for note in found.notes)


def test_a_room_that_is_read_in_parts_is_the_same(tmp_path, monkeypatch):
    write_pcd(tmp_path / "room.pcd", room_cloud())
    for options in (FileOptions(), FileOptions(max_z=1.2), FileOptions(min_z=-0.002)):
        whole = load_map(tmp_path / "room.pcd", options)
        with monkeypatch.context() as patched:
            patched.setattr(large_clouds, "MOST_BYTES", 1000)
            parts = load_map(tmp_path / "room.pcd", options)
        assert "read in parts" in parts.notes[0]
        np.testing.assert_array_equal(parts.map.heights, whole.map.heights)
        assert sorted(parts.notes[1:]) == sorted(whole.notes)


@pytest.mark.parametrize("stairs", [0.0, 0.9])
def test_ground_without_a_ceiling_has_none(stairs):
    draw = np.random.default_rng(4)
    places = draw.uniform(0.0, 4.0, (8000, 2))
    z = 1.5 * places[:, 0] if not stairs else stairs * np.floor(places[:, 0])
    assert ceiling_of_points(np.column_stack([places, z])) is None


@pytest.mark.parametrize("parts", [False, True])
def test_nodes_of_a_grid_keep_their_heights_however_steep(tmp_path, monkeypatch, parts):
    x, y = np.meshgrid(0.05 * np.arange(60), 0.05 * np.arange(50), indexing="ij")
    z = np.where((np.arange(60)[:, None] + np.arange(50)) % 2, 3.0, 0.0)
    cloud = np.column_stack([x.ravel(), y.ravel(), z.ravel()])
    assert ceiling_of_points(cloud) is not None
    write_pcd(tmp_path / "steep.pcd", cloud)
    if parts:
        monkeypatch.setattr(large_clouds, "MOST_BYTES", 1000)
    np.testing.assert_allclose(load_map(tmp_path / "steep.pcd").map.heights, z)


def test_heights_that_are_said_count_alone(tmp_path):
    write_pcd(tmp_path / "room.pcd", room_cloud())
    shelf = load_map(tmp_path / "room.pcd", FileOptions(min_z=1.0, max_z=99.0, resolution=0.1))
    assert np.nanmin(shelf.map.heights) > 2.3
    assert any("are left out by min_z=1 and max_z=99" in note for note in shelf.notes)
    with pytest.raises(TerrainError, match=r"nothing of the file lies between min_z and max_z.*heights from -0.01"):
        load_map(tmp_path / "room.pcd", FileOptions(max_z=-5.0))
    with pytest.raises(Exception, match="min_z < max_z"):
        FileOptions(min_z=2.0, max_z=1.0)


def test_grids_of_heights_take_no_range(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((5, 6)))
    with pytest.raises(TerrainError, match="max_z means nothing to a grid of heights"):
        load_map(tmp_path / "a.npy", FileOptions(max_z=1.0))


def test_octrees_are_cut_too(tmp_path):
    flat = {(i, j): 1 for i in range(3) for j in range(3) if (i, j) != (1, 1)}
    (tmp_path / "a.bt").write_bytes(bt(ground(flat) | {(1, 1, 24): OCCUPIED}, size=0.1))
    assert load_map(tmp_path / "a.bt").map.heights[1, 1] == pytest.approx(2.5)
    found = load_map(tmp_path / "a.bt", FileOptions(max_z=2.0))
    assert np.isnan(found.map.heights[1, 1])
    assert found.map.heights[0, 0] == pytest.approx(0.1)
    assert any("1 occupied cells are left out by max_z=2" in note for note in found.notes)
    with pytest.raises(TerrainError, match="nothing of the file lies between"):
        load_map(tmp_path / "a.bt", FileOptions(min_z=5.0))
    assert load.HeightRange.of(FileOptions()).all
