"""Octrees of OctoMap: every cell where the format has it, columns by hand and by another way, files that lie."""

from __future__ import annotations

import contextlib
import struct

import numpy as np
import pytest
import recordings
from hypothesis import given, settings
from hypothesis import strategies as st
from octrees import FREE, OCCUPIED, binary_stream, bt, full_stream, ground, nodes_of, octree_file, ot, tree_of
from recordings import cloud_message, mcap_of
from ros1_maps import text
from typer.testing import CliRunner

from andante.cli.app import app
from andante.terrain.files.load import load_map, load_terrain
from andante.terrain.files.octree import read_octree
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError
from ros1_bags import bag_of

FIELD = {(i, j): (i * 3 + j * 5) % 4 for i in range(-6, 9) for j in range(-5, 4)}
"""Heights of columns, in cells."""
AXES = {
    "z": ((0, 1), (1, 1), (2, 1)), "-z": ((0, 1), (1, -1), (2, -1)), "y": ((0, 1), (2, -1), (1, 1)),
    "-y": ((2, 1), (0, -1), (1, -1)), "x": ((1, 1), (2, 1), (0, 1)), "-x": ((2, 1), (1, 1), (0, -1)),
}  # fmt: skip


def field() -> np.ndarray:
    return 0.05 * np.array([[FIELD[i, j] for j in range(-5, 4)] for i in range(-6, 9)])


def same(found) -> None:
    np.testing.assert_allclose(found.map.heights, field(), atol=1e-12)
    np.testing.assert_allclose(found.map.origin, (-0.275, -0.225), atol=1e-12)
    assert found.map.spacing == 0.05


def test_a_file_by_hand(tmp_path):
    """Four columns at the origin: the root's last child, then the first one down to the cells."""
    # 2 bits a child: occupied 0 1 (the first bit is the lower), free 1 0, a node 1 1.
    cells = 0b00_00_00_10_10_01_10_10  # children 0, 1, 3 and 4 are occupied, 2 is free
    stream = b"\x00\xc0" + b"\x03\x00" * 14 + struct.pack("<H", cells)
    (tmp_path / "a.bt").write_bytes(octree_file(stream, binary=True, size=0.1, nodes=21))
    found = load_map(tmp_path / "a.bt").map
    # x, y: 0, 0 has two cells, one above the other; at 0, 1 only free space was seen.
    np.testing.assert_allclose(found.heights, [[0.2, np.nan], [0.1, 0.1]])
    assert found.origin == (0.05, 0.05)
    assert found.spacing == 0.1


@pytest.mark.parametrize("write", [bt, ot, lambda cells: ot(cells, kind="ColorOcTree", more=b"\x7f\xff\x80")])
@pytest.mark.parametrize("ending", [".bt", ".ot"])
def test_both_kinds_of_files_under_both_endings(tmp_path, write, ending):
    path = tmp_path / f"a{ending}"
    path.write_bytes(write(ground(FIELD)))
    found = load_map(path)
    same(found)
    assert found.notes == (
        "an octree of 675 cells, 135 of them occupied",
        "heights are the tops of cells that are 50 mm high, and as coarse as these",
    )


def test_cells_that_are_alike_are_one_leaf(tmp_path):
    block = {(i, j, k): OCCUPIED for i in range(16) for j in range(8) for k in range(8)}
    (tmp_path / "a.bt").write_bytes(bt(block))
    found = load_map(tmp_path / "a.bt")
    assert found.notes[0] == "an octree of 2 cells, 2 of them occupied"
    np.testing.assert_allclose(found.map.heights, np.full((16, 8), 0.4))


@pytest.mark.parametrize(
    ("value", "known"), [(0.0, True), (-0.0, True), (1e-30, True), (-1e-30, False), (float("inf"), True)]
)
def test_a_cell_is_occupied_from_a_half_on(tmp_path, value, known):
    (tmp_path / "a.ot").write_bytes(ot({**ground({(0, 0): 1, (1, 0): 1, (0, 1): 1}), (1, 1, 0): value}))
    assert np.isfinite(load_map(tmp_path / "a.ot").map.heights[1, 1]) == known


def column(*spans: tuple[int, int, float]) -> dict[int, float]:
    return {k: value for first, last, value in spans for k in range(first, last)}


@pytest.mark.parametrize(
    ("cells", "height", "told"),
    [
        (column((0, 3, OCCUPIED)), 0.3, ""),
        (column((0, 1, OCCUPIED), (1, 4, FREE), (4, 5, OCCUPIED)), 0.5, ""),  # 0.3 m may be a step
        (column((0, 1, OCCUPIED), (1, 9, FREE), (9, 10, OCCUPIED)), 0.1, "1 columns have layers.*; 0 of these"),
        (column((0, 1, OCCUPIED), (5, 6, OCCUPIED)), np.nan, r"less than 0\.6 m are free"),
        (column((0, 4, FREE), (4, 5, OCCUPIED)), np.nan, "1 columns are unknown, whose lowest occupied cell"),
        (column((0, 3, FREE), (3, 4, OCCUPIED)), 0.4, ""),
        (column((0, 4, FREE)), np.nan, "1 columns are free as far down as they were seen, and unknown"),
        ({}, np.nan, "1 of 9 columns were never seen"),
    ],
)
def test_what_a_column_tells(tmp_path, cells, height, told):
    heights = {(i, j): 1 for i in range(3) for j in range(3) if (i, j) != (1, 1)}
    (tmp_path / "a.bt").write_bytes(bt(ground(heights) | {(1, 1, k): each for k, each in cells.items()}, size=0.1))
    found = load_map(tmp_path / "a.bt", scale=2.0)
    expected = np.full((3, 3), 0.1)
    expected[1, 1] = height
    np.testing.assert_allclose(found.map.heights, expected, atol=1e-12)
    assert len(found.notes) == 2 + bool(told)
    if told:
        with pytest.raises(AssertionError, match=told):
            raise AssertionError(found.notes[-1])


def expected_columns(cells, axes) -> dict[tuple[int, int], float]:
    """The same without an octree: cells sorted by columns, in units of cells."""
    columns: dict[tuple[int, int], list[tuple[int, bool]]] = {}
    for cell, value in cells.items():
        u, v, w = (cell[k] if sign > 0 else -cell[k] - 1 for k, sign in axes)
        columns.setdefault((u, v), []).append((w, value >= 0.0))
    found = {}
    for place, each in columns.items():
        solid = sorted(w for w, occupied in each if occupied)
        if not solid or sum(not occupied and w < solid[0] for w, occupied in each) > 6:
            continue
        top = solid[0]
        for w in solid:
            if w - top - 1 > 6:
                break
            top = w
        found[place] = 0.05 * (top + 1)
    return found


SPACE = st.dictionaries(
    st.tuples(st.integers(-5, 4), st.integers(-3, 6), st.integers(-9, 12)), st.sampled_from([OCCUPIED, FREE]),
    min_size=1, max_size=60,
)  # fmt: skip


@pytest.mark.slow
@given(SPACE, st.sampled_from(sorted(AXES)), st.booleans(), st.lists(st.integers(-4, 2), max_size=3))
@settings(max_examples=60, deadline=None)
def test_any_cells_come_back_along_any_axis(tmp_path_factory, cells, up, binary, blocks):
    for low in blocks:
        # Blocks that are pruned.
        cells |= {
            (4 * low + i, j, 4 * low + k): OCCUPIED if low % 2 else FREE
            for i in range(4) for j in range(4) for k in range(4)
        }  # fmt: skip
    cells |= {(5, 7, 13): OCCUPIED, (7, 9, 15): OCCUPIED}
    path = tmp_path_factory.mktemp("octree") / ("a.bt" if binary else "a.ot")
    path.write_bytes((bt if binary else ot)(cells))
    found = load_map(path, FileOptions(up=up)).map
    first = np.round(np.array(found.origin) / 0.05 - 0.5).astype(int)
    expected = np.full(found.heights.shape, np.nan)
    for (u, v), height in expected_columns(cells, AXES[up]).items():
        expected[u - first[0], v - first[1]] = height
    np.testing.assert_allclose(found.heights, expected, atol=1e-9)


def test_options_as_other_maps_have_them(tmp_path):
    (tmp_path / "a.bt").write_bytes(bt(ground(FIELD)))
    found = load_map(tmp_path / "a.bt", FileOptions(scale=0.5, height_scale=0.1, x=1.0)).map
    np.testing.assert_allclose(found.heights, 0.05 * field(), atol=1e-12)
    assert (found.origin, found.spacing) == ((1.0, -0.1125), 0.025)
    assert load_map(tmp_path / "a.bt", FileOptions(resolution=0.1)).map.spacing == 0.1
    assert load_terrain(tmp_path / "a.bt").heights.extent == pytest.approx((-0.275, 0.425, -0.225, 0.175))
    with pytest.raises(TerrainError, match=r"the option layer means nothing to a file \.bt"):
        load_map(tmp_path / "a.bt", FileOptions(layer="elevation"))


def test_the_commands_take_one(tmp_path):
    path = tmp_path / "a.bt"
    path.write_bytes(bt(ground({(i, j): 1 + (i > 12) for i in range(30) for j in range(12)}, above=6), size=0.04))
    found = CliRunner().invoke(app, ["boards", str(path)])
    assert found.exit_code == 0, found.output
    assert "1.16 x 0.44 m, 30 x 12 nodes" in " ".join(found.output.split())


# Messages.


def octomap(cells, *, binary: bool) -> dict:
    stream = binary_stream(tree_of(cells)) if binary else full_stream(tree_of(cells))
    head = {"stamp": {"sec": 1, "nanosec": 2}, "frame_id": "map"}
    data = [each - 256 if each > 127 else each for each in stream]
    return {"header": head, "binary": binary, "id": "OcTree", "resolution": 0.05, "data": data}


OCTOMAP = "octomap_msgs/msg/Octomap"


@pytest.fixture(autouse=True)
def octomap_type(monkeypatch):
    head = f"{recordings.LINE}\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"
    told = f"std_msgs/Header header\nbool binary\nstring id\nfloat64 resolution\nint8[] data\n{head}"
    monkeypatch.setitem(recordings.TYPES, OCTOMAP, told)


@pytest.mark.parametrize("binary", [True, False])
def test_octrees_of_recordings(tmp_path, binary):
    path = tmp_path / "a.mcap"
    path.write_bytes(mcap_of([("/octomap", 5, OCTOMAP, octomap(ground(FIELD), binary=binary))]))
    found = load_map(path)
    same(found)
    assert "in its own frame 'map'" in found.notes
    same(load_map(path, FileOptions(frame="map")))
    with pytest.raises(TerrainError, match="an octree is read in its own frame; got 'odom'; legal: map"):
        load_map(path, FileOptions(frame="odom"))
    for name, value in (("nodata", 3.0), ("layer", "elevation")):
        with pytest.raises(TerrainError, match=f"the option {name} means nothing to an octree"):
            load_map(path, FileOptions(**{name: value}))


def test_octrees_of_ros1(tmp_path):
    stream = binary_stream(tree_of(ground(FIELD)))
    body = struct.pack("<III", 1, 2, 3) + text("/map") + b"\1" + text("OcTree") + struct.pack("<d", 0.05)
    body += struct.pack("<I", len(stream)) + stream
    (tmp_path / "a.bag").write_bytes(bag_of([("/octomap", 5, "octomap_msgs/Octomap", "", body)]))
    same(load_map(tmp_path / "a.bag"))


def test_a_cloud_beside_an_octree_counts_unless_the_topic_is_said(tmp_path):
    points = np.stack([*np.meshgrid(np.arange(6.0), np.arange(5.0), indexing="ij"), np.zeros((6, 5))], axis=-1)
    cloud = cloud_message(points.reshape(-1, 3))
    told = [
        ("/octomap", 5, OCTOMAP, octomap(ground(FIELD), binary=True)),
        ("/lidar", 6, "sensor_msgs/msg/PointCloud2", cloud),
    ]
    (tmp_path / "a.mcap").write_bytes(mcap_of(told))
    assert load_map(tmp_path / "a.mcap").map.heights.shape == (6, 5)
    same(load_map(tmp_path / "a.mcap", FileOptions(topic="/octomap")))


# Files that are none, or lie.

GOOD = ground({(i, j): 1 for i in range(3) for j in range(3)})


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda raw: b"# Octomap OcTree text file" + raw[28:], "is no octree of OctoMap; got '# Octomap OcTree text"),
        (lambda raw: b"", "the file is empty; copy or export it anew"),
        (lambda raw: raw.replace(b"id OcTree", b"id SemanticOcTree"), "no reader for this kind of octree; got 'Sem"),
        (lambda raw: raw.replace(b"id OcTree\n", b""), "head lacks an entry; got 'id'"),
        (lambda raw: raw.replace(b"res 0.05", b"res nan"), "cells have a size; got nan"),
        (lambda raw: raw.replace(b"res 0.05", b"res -1"), "cells have a size; got -1"),
        (lambda raw: raw.replace(b"res 0.05", b"res five"), "size and res are numbers"),
        (lambda raw: raw.replace(b"data", b"date"), "the octree's head has no end"),
        (lambda raw: raw[:-1], "the octree is cut short"),
        (lambda raw: raw[: raw.index(b"data\n") + 5], "the octree is empty"),
        (lambda raw: raw[: raw.index(b"data\n") + 5] + b"\0\0", "no cell of the octree is occupied"),
        (lambda raw: raw[: raw.index(b"data\n") + 5] + b"\xff" * 5000, "the octree has more than 16 levels"),
        (lambda raw: raw[: raw.index(b"data\n") + 5] + b"\2\0", "the octree does not fit a map"),
        (lambda raw: raw.replace(b"size ", b"size 9") + b"\0", "there is more behind the octree's end"),
    ],
)
def test_what_is_wrong_is_told(tmp_path, change, told):
    (tmp_path / "a.bt").write_bytes(change(bt(GOOD)))
    with pytest.raises(TerrainError, match=told):
        load_map(tmp_path / "a.bt")


def test_more_is_wrong_with_full_ones(tmp_path):
    raw = ot(GOOD)
    # As if colours stood in it, of which no room is left.
    with pytest.raises(TerrainError, match="octree"):
        read_octree(raw.replace(b"id OcTree", b"id ColorOcTree"), "a.ot")
    with pytest.raises(TerrainError, match="the value of a cell is no number"):
        read_octree(raw.replace(struct.pack("<f", OCCUPIED), struct.pack("<f", np.nan)), "a.ot")
    with pytest.raises(TerrainError, match="more than 16 levels"):
        read_octree(octree_file((struct.pack("<f", 0.0) + b"\xff") * 20, binary=False), "a.ot")
    told = read_octree(raw.replace(b"size ", b"size 1"), "a.ot").notes
    assert told[1] == f"its head says that it has 1{nodes_of(tree_of(GOOD))} nodes, it has {nodes_of(tree_of(GOOD))}"


def test_leaves_one_above_the_other_without_end_are_refused(tmp_path, monkeypatch):
    from andante.terrain.files import octree_columns

    monkeypatch.setattr(octree_columns, "_MOST_LOOKED", 30)
    (tmp_path / "a.bt").write_bytes(bt(GOOD))
    with pytest.raises(TerrainError, match="the octree's cells lie one above the other too often; got 38"):
        load_map(tmp_path / "a.bt")


@given(st.binary(max_size=200), st.integers(0, 200), st.booleans())
@settings(max_examples=150, deadline=None)
def test_any_bytes_are_read_or_refused(junk, at, binary):
    raw = bt(GOOD) if binary else ot(GOOD)
    begin = raw.index(b"data\n") + 5
    for stream in (junk, raw[begin : begin + at] + junk + raw[begin + at + 1 :]):
        with contextlib.suppress(TerrainError):
            read_octree(raw[:begin] + stream, "a.bt")


def test_entries_that_nobody_knows_are_passed_over(tmp_path):
    (tmp_path / "a.bt").write_bytes(bt(ground(FIELD)).replace(b"res ", b"clamping 0.12 0.97\nres "))
    same(load_map(tmp_path / "a.bt"))
