"""Scenes of glTF as phones' scanners export them: axes, nodes, ways of storing, files beside, and what is refused."""

from __future__ import annotations

import base64
import contextlib
import copy
import json
import os
import struct

import numpy as np
import pytest
from gltf_scenes import QUAD, Scene, glb, sheet
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.backends.terrain import TerrainChoice
from andante.terrain.files import gltf, load
from andante.terrain.files.gltf import read_gltf
from andante.terrain.files.load import load_map
from andante.terrain.files.meshes import top_of_mesh
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

USUAL = FileOptions()


def places(scene: Scene, layer: str | None = None, **more) -> np.ndarray:
    """Triangles as the map has them."""
    return read_gltf(scene.glb(**more), "a.glb", FileOptions(layer=layer)).places


def two_steps(scene: Scene) -> None:
    """Level squares side by side, 0.1 and 0.2 m high."""
    scene.triangles(sheet(0.1), QUAD)
    scene.triangles(sheet(0.2, 1.0), QUAD)


def test_a_scan_by_hand(tmp_path):
    """y is up; the map's y runs against z."""
    scene = Scene()
    scene.triangles([[0, 0.25, 0], [3, 0.25, 0], [0, 0.75, -2]], (0, 1, 2), name="scan")
    (tmp_path / "a.glb").write_bytes(scene.glb())
    found = load_map(tmp_path / "a.glb", FileOptions(resolution=0.5))
    heights = found.map.heights
    assert found.map.origin == (0.0, 0.0)
    assert heights.shape == (7, 5)
    # At x, y the height is 0.25 + y / 4 where x / 3 + y / 2 <= 1.
    assert heights[0].tolist() == pytest.approx([0.25, 0.375, 0.5, 0.625, 0.75])
    assert heights[6, 0] == pytest.approx(0.25)
    assert np.isnan(heights[6, 1])
    assert found.notes[0] == "a scene of 1 meshes, 1 triangles, turned from y up to z up"


def test_nodes_place_meshes(tmp_path):
    scene = Scene()
    mesh = scene.mesh({"attributes": {"POSITION": scene.accessor([[1, 0, 0], [0, 2, 0], [0, 0, 3]])}})
    turned = [0, np.sqrt(0.5), 0, np.sqrt(0.5)]  # a quarter about y: x to -z, z to x
    inner = scene.node(mesh=mesh, scale=[1, 2, 1], rotation=turned, translation=[10, 0, 0], scene=None)
    columns = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 100, 0, 1]
    scene.node(children=[inner], matrix=columns)
    # 1, 0, 0 -> 0, 0, -1 -> 10, 100, -1 of y up -> 10, 1, 100 of z up, and so on.
    np.testing.assert_allclose(places(scene)[0], [[10, 1, 100], [10, 0, 104], [13, 0, 100]], atol=1e-12)
    scene.node(mesh=mesh)
    assert places(scene).shape == (2, 3, 3)


@pytest.mark.parametrize("kind", ["u1", "u2", "u4", None])
@pytest.mark.parametrize(("pad", "lead"), [(0, 0), (4, 0), (20, 8)])
def test_ways_of_storing_corners(kind, pad, lead):
    corners = sheet(0.5)
    scene = Scene()
    if kind is None:
        primitive = {"attributes": {"POSITION": scene.accessor(corners[list(QUAD)], pad=pad, lead=lead)}}
    else:
        primitive = {"attributes": {"POSITION": scene.accessor(corners, pad=pad, lead=lead)}}
        primitive |= {"indices": scene.accessor(QUAD, kind), "mode": 4}
    scene.node(mesh=scene.mesh(primitive))
    expected = np.array([[0, 0, 0.5], [1, 0, 0.5], [1, 1, 0.5], [0, 0, 0.5], [1, 1, 0.5], [0, 1, 0.5]])
    np.testing.assert_allclose(places(scene).reshape(6, 3), expected)


@pytest.mark.parametrize(
    ("mode", "expected"), [(5, [(0, 1, 2), (3, 2, 1), (2, 3, 4)]), (6, [(0, 1, 2), (0, 2, 3), (0, 3, 4)])]
)
def test_strips_and_fans(mode, expected):
    corners = np.random.default_rng(0).normal(size=(5, 3)).astype("<f4")
    scene = Scene()
    scene.node(mesh=scene.mesh({"attributes": {"POSITION": scene.accessor(corners)}, "mode": mode}))
    x, y, z = corners[np.array(expected)].transpose(2, 0, 1)
    np.testing.assert_allclose(places(scene), np.stack([x, -z, y], axis=-1))


@pytest.mark.parametrize(("kind", "most"), [("i2", 32767), ("u2", 65535), ("i1", 127), ("u1", 255)])
def test_corners_as_whole_numbers(kind, most):
    """KHR_mesh_quantization: shares of the largest number, or the numbers themselves, that the node scales."""
    scene = Scene()
    whole = [[0, 0, 0], [most, 0, 0], [0, 0, most]]
    shares = scene.accessor(whole, kind, pad=8 - 3 * (1 if kind.endswith("1") else 2), normalized=True)
    plain = scene.accessor([[0, 0, 0], [100, 0, 0], [0, 0, 100]], kind)
    scene.node(mesh=scene.mesh({"attributes": {"POSITION": shares}}))
    scene.node(mesh=scene.mesh({"attributes": {"POSITION": plain}}), scale=[0.01, 0.01, 0.01])
    found = places(scene, extensionsRequired=["KHR_mesh_quantization"], extensionsUsed=["KHR_mesh_quantization"])
    np.testing.assert_allclose(found, [[[0, 0, 0], [1, 0, 0], [0, -1, 0]]] * 2, atol=1e-12)


CORNERS = st.lists(st.tuples(*[st.integers(-40, 40)] * 3), min_size=3, max_size=12)


@given(
    CORNERS, st.data(), st.sampled_from(["u1", "u2", "u4"]), st.sampled_from([0, 4, 16]),
    st.tuples(*[st.integers(-9, 9)] * 3),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_any_mesh_is_that_of_its_triangles(corners, data, kind, pad, moved):
    faces = data.draw(st.lists(st.tuples(*[st.integers(0, len(corners) - 1)] * 3), min_size=1, max_size=9))
    scene = Scene()
    primitive = {"attributes": {"POSITION": scene.accessor(corners, pad=pad)}}
    primitive["indices"] = scene.accessor(np.ravel(faces), kind)
    scene.node(mesh=scene.mesh(primitive), translation=list(moved))
    x, y, z = (np.array(corners, dtype=float) + moved)[np.array(faces)].transpose(2, 0, 1)
    np.testing.assert_array_equal(places(scene), np.stack([x, -z, y], axis=-1))


def test_heights_are_those_of_the_upper_surface(tmp_path):
    scene = Scene()
    two_steps(scene)
    scene.triangles(sheet(0.4, 0.5, 0.25), QUAD)
    (tmp_path / "a.glb").write_bytes(scene.glb())
    found = load_map(tmp_path / "a.glb", FileOptions(resolution=0.0625)).map
    expected = top_of_mesh(places(scene), 0.0625, "a").heights
    np.testing.assert_array_equal(found.heights, expected)
    assert sorted(np.unique(np.round(found.heights, 6))) == [0.1, 0.2, 0.4]
    scaled = load_map(tmp_path / "a.glb", FileOptions(scale=0.5, height_scale=0.1, resolution=0.0625, x=3.0)).map
    assert np.nanmax(scaled.heights) == pytest.approx(0.02)
    assert scaled.origin == (3.0, 0.0)


def test_a_file_that_has_z_up_against_the_format_says_up(tmp_path):
    # What the file calls z is up; by the format it is -y of the map.
    scene = Scene()
    x, y = (each.ravel() for each in np.meshgrid(np.arange(20.0), np.arange(20.0)))
    corner = np.arange(400).reshape(20, 20)
    faces = np.stack([corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:]], axis=-1)
    scene.triangles(np.stack([x, y, 0.1 + 0.0 * x], axis=-1), faces.ravel())
    (tmp_path / "a.glb").write_bytes(scene.glb())
    found = load_map(tmp_path / "a.glb", FileOptions(up="-y", resolution=1.0))
    assert np.nanmax(found.map.heights) == pytest.approx(0.1)


# Scenes.


def test_the_scene_that_the_file_says_counts_or_the_one_that_is_asked_for():
    scene = Scene()
    scene.data["scenes"] = [{"nodes": [], "name": "house"}, {"nodes": [], "name": "1"}, {"nodes": [], "name": "garden"}]
    scene.data["scene"] = 2
    for number in range(3):
        scene.triangles(sheet(1.0 + number), QUAD, scene=number)
    told = read_gltf(scene.glb(), "a.glb", USUAL)
    assert set(told.places[..., 2].ravel()) == {3.0}
    assert told.notes[1] == "scene 2 (garden) of 3; layer=NUMBER chooses another"
    for layer, height in (("house", 1.0), ("0", 1.0), ("1", 2.0), ("garden", 3.0)):
        assert set(places(scene, layer)[..., 2].ravel()) == {height}
    with pytest.raises(TerrainError, match=r"no such scene; got 'cellar'; legal: 0 \(house\), 1 \(1\), 2 \(garden\)"):
        places(scene, "cellar")
    del scene.data["scene"]
    assert set(places(scene)[..., 2].ravel()) == {1.0}
    # A library of nodes: those that stand in no other.
    scene.data["scenes"] = []
    scene.node(children=[0], translation=[0, 10, 0], scene=None)
    assert set(places(scene)[..., 2].ravel()) == {2.0, 3.0, 11.0}


def test_lines_points_and_bones_are_left_out():
    scene = Scene()
    two_steps(scene)
    corners = scene.accessor(sheet(9.0))
    lines, dots = ({"attributes": {"POSITION": corners}, "mode": mode} for mode in (1, 0))
    scene.node(mesh=scene.mesh(lines, dots))
    scene.node(mesh=scene.mesh({"attributes": {"POSITION": corners}, "mode": 5}), skin=0)
    told = read_gltf(scene.glb(), "a.glb", USUAL)
    assert told.places[..., 2].max() == pytest.approx(0.2)
    assert told.notes[-2:] == ("1 meshes that bones move are left out", "lines, points are left out")
    scene.data["scenes"][0]["nodes"] = [2]
    with pytest.raises(TerrainError, match=r"the scene has no triangles; got 'lines, points'; points alone are read"):
        read_gltf(scene.glb(), "a.glb", USUAL)


# Files of several parts.


def test_a_document_and_its_buffer_beside_it_or_in_it(tmp_path):
    scene = Scene()
    two_steps(scene)
    expected = places(scene)
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "a b.bin").write_bytes(scene.raw)
    told = base64.b64encode(scene.raw).decode()
    for uri in (
        "more/a%20b.bin",
        "more/a b.bin",
        "./more/../more/a%20b.bin",
        f"data:application/gltf-buffer;base64,{told}",
    ):
        (tmp_path / "a.gltf").write_bytes(b"\xef\xbb\xbf" + scene.document(uri))
        path = str(tmp_path / "a.gltf")
        np.testing.assert_array_equal(read_gltf((tmp_path / "a.gltf").read_bytes(), path, USUAL).places, expected)
    load_map(tmp_path / "a.gltf", FileOptions(resolution=0.1))
    # Whichever ending a file has.
    np.testing.assert_array_equal(read_gltf(scene.glb(), "a.gltf", USUAL).places, expected)


def test_a_buffer_that_is_written_anew_makes_another_terrain(tmp_path):
    low, high = Scene(), Scene()
    low.triangles(sheet(0.1), QUAD)
    high.triangles(sheet(0.3), QUAD)
    (tmp_path / "a.gltf").write_bytes(low.document("a.bin"))
    choice = TerrainChoice(file=str(tmp_path / "a.gltf"), resolution=0.1)
    for scene, height in ((low, 0.1), (high, 0.3)):
        (tmp_path / "new").write_bytes(scene.raw)
        (tmp_path / "new").rename(tmp_path / "a.bin")
        assert choice.load().heights.heights.max() == pytest.approx(height)


@pytest.mark.parametrize(
    ("uri", "told"),
    [
        ("../a.bin", "a buffer lies outside of the file's folder; got '../a.bin'"),
        ("%2e%2e/a.bin", "a buffer lies outside of the file's folder"),
        ("in/out.bin", "a buffer lies outside of the file's folder"),
        ("/etc/passwd", "a buffer is read from a file beside alone; got '/etc/passwd'"),
        ("https://somewhere/a.bin", "a buffer is read from a file beside alone"),
        ("file:///etc/passwd", "a buffer is read from a file beside alone"),
        ("data:text/plain,abc", "a buffer is read from a file beside alone"),
        ("..\\a.bin", "a buffer is read from a file beside alone"),
        ("data:;base64,@@@@", "a buffer is no base64"),
        ("data:;base64,AAAA", "a buffer is cut short; got 3; limit: 48 bytes"),
        ("none.bin", r"none\.bin: a buffer cannot be read.*the \.bin of a \.gltf lies beside it"),
        ("in", "a buffer cannot be read: Is a directory"),
    ],
)
def test_buffers_elsewhere_are_refused(tmp_path, uri, told):
    scene = Scene()
    two_steps(scene)
    folder = tmp_path / "scan"
    (folder / "in").mkdir(parents=True)
    (tmp_path / "a.bin").write_bytes(scene.raw)
    (folder / "in" / "out.bin").symlink_to(tmp_path / "a.bin")
    (folder / "a.gltf").write_bytes(scene.document(uri))
    with pytest.raises(TerrainError, match=told):
        load_map(folder / "a.gltf")


def test_of_a_large_file_only_the_corners_are_read(tmp_path, monkeypatch):
    scene = Scene()
    scene.raw = b"a picture" * 100_000
    two_steps(scene)
    (tmp_path / "a.glb").write_bytes(scene.glb())
    (tmp_path / "b.glb").write_bytes(b"no such" * 100_000)
    whole = load_map(tmp_path / "a.glb", FileOptions(resolution=0.1))
    taken: list[int] = []
    monkeypatch.setattr(gltf, "took", taken.append)
    monkeypatch.setattr(load, "MOST_BYTES", 500_000)
    found = load_map(tmp_path / "a.glb", FileOptions(resolution=0.1))
    np.testing.assert_array_equal(found.map.heights, whole.map.heights)
    assert found.notes == whole.notes
    assert sum(taken) < 4000
    with pytest.raises(TerrainError, match="is no GLB file"):
        load_map(tmp_path / "b.glb")


# What is refused.


@pytest.mark.parametrize("name", ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"])
def test_packed_meshes_say_what_unpacks_them(name):
    scene = Scene()
    two_steps(scene)
    with pytest.raises(TerrainError, match=rf"the mesh is packed, which is not read; got '{name}'; gltf-transform cp"):
        places(scene, extensionsRequired=[name])


def test_meshes_that_are_packed_without_being_said_so():
    scene = Scene()
    two_steps(scene)
    packed = {"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}}
    scene.data["meshes"][0]["primitives"][0]["extensions"] = packed
    places(scene)  # as the format has it, what stands beside is the same mesh
    del scene.data["accessors"][0]["bufferView"]
    with pytest.raises(TerrainError, match="got 'KHR_draco_mesh_compression'"):
        places(scene)
    scene = Scene()
    two_steps(scene)
    scene.data["bufferViews"][0] |= {"buffer": 1, "extensions": {"EXT_meshopt_compression": {}}}
    with pytest.raises(TerrainError, match="got 'EXT_meshopt_compression'"):
        places(scene, buffers=[{"byteLength": len(scene.raw)}, {"byteLength": 999}])


def _twice(data) -> None:
    data["scenes"][0]["nodes"] = [0, 0]


def _circle(data) -> None:
    data["nodes"][0]["children"] = [1]
    data["nodes"][1]["children"] = [0]


def _set(*path, value):
    def change(data) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_set("asset", value={"version": "1.0"}), "no reader for this version of glTF; got '1.0'; limit: 2.0"),
        (_set("asset", value={}), "no reader for this version of glTF; got 'nothing'"),
        (
            _set("extensionsRequired", value=["MAKER_shape"]),
            "requires an extension that is not read; got 'MAKER_shape'",
        ),
        (_twice, "a node stands in the scene twice; got 0"),
        (_circle, "a node stands in the scene twice"),
        (_set("scene", value=5), "there is no such scene; got 5; limit: 1"),
        (_set("scenes", value={}), "scenes is a list"),
        (_set("scenes", 0, "nodes", value=[7]), "there is no such entry of nodes; got 7; limit: 2 of them"),
        (_set("scenes", 0, "nodes", value=[-1]), "nodes is a list of whole numbers"),
        (_set("nodes", 0, value=3), r"nodes\[0\]: an entry is an object; got '3'"),
        (_set("nodes", 0, "mesh", value="a"), r"nodes\[0\]: mesh is a whole number; got 'a'"),
        (_set("nodes", 0, "matrix", value=[1.0] * 15), "matrix has 16 numbers"),
        (_set("nodes", 0, "scale", value=[1, 1, 1e999]), "a.glb"),
        (_set("nodes", 0, "rotation", value=[0, 0, 0, 0]), "rotation is no quaternion"),
        (_set("meshes", 0, "primitives", 0, "mode", value=7), "there is no such mode; got 7; limit: 0 to 6"),
        (_set("meshes", 0, "primitives", 0, "attributes", "POSITION", value=9), "no such entry of accessors; got 9"),
        (_set("accessors", 0, "type", value="VEC2"), r"accessors\[0\]: an accessor is of another type; got 'VEC2'"),
        (_set("accessors", 0, "componentType", value=5124), "an accessor has no such components; got 5124"),
        (_set("accessors", 0, "count", value=10**9), "there are too many corners"),
        (_set("accessors", 0, "count", value=100), "an accessor reaches beyond its view; got 1200"),
        (_set("accessors", 0, "count", value=3), "names a corner that does not exist; got 3; limit: 3 corners"),
        (_set("accessors", 0, "sparse", value={}), "a sparse accessor is not read"),
        (_set("accessors", 0, "byteOffset", value=-4), "byteOffset is a whole number"),
        (_set("bufferViews", 0, "byteStride", value=4), "byteStride is out of range; got 4; limit: 12 bytes or more"),
        (_set("bufferViews", 0, "byteOffset", value=10**6), "a view reaches beyond its buffer"),
        (_set("bufferViews", 0, "buffer", value=2), "there is no such entry of buffers; got 2"),
        (_set("extensionsRequired", value="KHR"), "extensionsRequired is a list of texts"),
    ],
)
def test_what_contradicts_itself_is_told(change, told):
    scene = Scene()
    two_steps(scene)
    change(scene.data)
    with pytest.raises(TerrainError, match=told):
        places(scene)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda raw: b"", "glTF document is no JSON"),
        (lambda raw: b"[]", "is no glTF document"),
        (lambda raw: raw[:10], "is no GLB file"),
        (lambda raw: raw[:200], "the GLB is cut short; got '200 bytes'"),
        (lambda raw: raw[:4] + b"\1" + raw[5:], "no reader for this version of glTF; got 1; legal: 2"),
        (lambda raw: raw[:12] + b"\xff\xff\xff\x7f" + raw[16:], "a part of the GLB is cut short"),
        (lambda raw: raw[:16] + b"TEXT" + raw[20:], "the GLB has no JSON in front; got 'TEXT'"),
        (lambda raw: glb(b"[" * 100 + b"]" * 100), "nested too deeply"),
        (lambda raw: raw.replace(b"BIN\0", b"BON\0"), "a buffer has neither bytes nor a name"),
    ],
)
def test_files_that_are_cut_or_none(change, told):
    scene = Scene()
    two_steps(scene)
    with pytest.raises(TerrainError, match=told):
        read_gltf(change(scene.glb()), "a.glb", USUAL)


def test_a_corner_that_is_nowhere_is_refused():
    scene = Scene()
    scene.triangles([[0, 0, 0], [1, np.nan, 0], [0, 0, 1]])
    with pytest.raises(TerrainError, match="a vertex is not finite"):
        places(scene)


@given(st.binary(max_size=40), st.integers(0, 2000))
@settings(max_examples=150, deadline=None)
def test_any_bytes_are_read_or_refused(junk, at):
    scene = Scene()
    two_steps(scene)
    raw = scene.glb()
    at %= len(raw)
    for changed in (raw[:at] + junk + raw[at + len(junk) :], raw[:at], b"glTF" + struct.pack("<II", 2, 99) + junk):
        with contextlib.suppress(TerrainError):
            read_gltf(changed, os.devnull, USUAL)


def paths_in(data, path=()):
    """Every place in plain data."""
    yield path
    children = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, child in children:
        yield from paths_in(child, (*path, step))


ODD = [None, 5, -1, 2**60, 10**400, 1.5, 1e308, True, "x", "", [], [5], [None], [{}], {}, {"a": 5}]


@pytest.mark.slow
def test_any_value_in_any_place_is_read_or_refused():
    """Each value of a document, those left out and those of extensions among them, is replaced by odd ones."""
    scene = Scene()
    told = {"rotation": [0, 0, 0, 1], "scale": [1, 1, 1], "translation": [0, 0, 0], "children": [], "name": "a"}
    scene.triangles(sheet(), QUAD, **told)
    scene.node(matrix=np.eye(4).ravel().tolist())
    uri = "data:application/octet-stream;base64," + base64.b64encode(scene.raw).decode()
    whole = json.loads(scene.document(uri, extensionsRequired=["KHR_mesh_quantization"], extensionsUsed=[]))
    for entries in (*whole["meshes"][0]["primitives"], *whole["bufferViews"], *whole["accessors"], *whole["nodes"]):
        entries["extensions"] = {"EXT_x": {}}
    whole["meshes"][0]["primitives"][0]["mode"] = 4
    whole["bufferViews"][0]["byteStride"] = 12
    whole["accessors"][0] |= {"normalized": False, "byteOffset": 0}
    assert len(read_gltf(json.dumps(whole).encode(), "a.gltf", USUAL).places) == 2
    for path in paths_in(whole):
        for odd in ODD:
            data = {"": copy.deepcopy(whole)}
            holder, step = data, ""
            for each in path:
                holder, step = holder[step], each
            holder[step] = odd
            with contextlib.suppress(TerrainError):
                read_gltf(json.dumps(data[""]).encode(), "a.gltf", USUAL)
