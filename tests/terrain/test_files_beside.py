"""Files that a terrain is made of beside its own: what is kept of it is old where one of them was written anew."""

from __future__ import annotations

import os

import pytest

from andante.backends.terrain import TerrainChoice
from andante.search.experiment.inputs import files_named

INCLUDE = "<include><uri>model://stone</uri></include>"
MESH = "<geometry><mesh><uri>{}</uri></mesh></geometry>"
WORLD = '<sdf version="1.6"><world name="w">{}</world></sdf>'
STONE = f'<sdf version="1.6"><model name="stone"><static>1</static>{MESH.format("model://stone/meshes/a.dae")}</model></sdf>'
SCENE = """<mujoco><compiler meshdir="assets"/><include file="parts/ground.xml"/>
  <asset><mesh name="a" file="rock.stl"/></asset></mujoco>"""
GROUND = "<mujoco><asset><hfield name='h' file='heights.png'/></asset></mujoco>"


def written(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return TerrainChoice(file=str(folder / next(iter(files)).replace("__", "/").replace("_", ".")))


@pytest.mark.parametrize(
    ("files", "changed"),
    [
        ({"a_world": WORLD.format(MESH.format("b%20c.stl")), "b c_stl": ""}, "b c.stl"),
        ({"a_world": WORLD.format(INCLUDE), "stone__model_sdf": STONE, "stone__meshes__a_dae": ""}, "stone/model.sdf"),
        (
            {"a_world": WORLD.format(INCLUDE), "stone__model_sdf": STONE, "stone__meshes__a_dae": ""},
            "stone/meshes/a.dae",
        ),
        (
            {
                "a_sdf": WORLD.format("<heightmap><uri> file://media/h&amp;1.png\n</uri></heightmap>"),
                "media__h&1_png": "",
            },
            "media/h&1.png",
        ),
        ({"a_xml": SCENE, "parts__ground_xml": GROUND, "assets__heights_png": ""}, "assets/heights.png"),
        ({"a_xml": SCENE, "parts__ground_xml": GROUND}, "parts/ground.xml"),
        ({"a_mjcf": SCENE, "assets__rock_stl": ""}, "assets/rock.stl"),
        ({"a_gltf": '{"buffers": [{"uri": "below/a%20b.data"}]}', "below__a b_data": ""}, "below/a b.data"),
    ],
)
def test_a_terrain_is_another_one_where_a_file_that_it_names_is_written_anew(tmp_path, files, changed):
    terrain = written(tmp_path, **files)
    before = terrain.version
    assert before == terrain.version
    (tmp_path / changed).write_text("something else")
    assert terrain.version != before
    named = {os.path.normpath(each) for each in files_named({"terrain": {"file": terrain.file}})}
    assert str(tmp_path / changed) in named


def test_a_file_that_appears_where_a_terrain_looks_for_it_makes_it_another_one(tmp_path):
    terrain = written(tmp_path, a_xml=SCENE)
    before = terrain.version
    written(tmp_path, assets__rock_stl="")
    assert terrain.version != before


def test_scenes_that_include_each_other_or_are_no_text_name_what_they_can(tmp_path):
    terrain = written(tmp_path, a_xml='<include file="b.xml"/>', b_xml='<include file="a.xml"/><mesh file="c.stl"/>')
    (tmp_path / "c.stl").write_bytes(b"")
    assert len(terrain.version) == 3 * 3
    (tmp_path / "b.xml").write_bytes(b"\xff\xfe\x00")
    assert len(terrain.version) == 3 * 2


def test_what_a_robots_pack_names_counts_as_an_input(tmp_path, monkeypatch):
    written(tmp_path, pack_yaml="model: a.urdf\n", a_urdf='<robot><mesh filename="package://x/b.stl"/></robot>')
    written(tmp_path, x__b_stl="")
    monkeypatch.chdir(tmp_path)
    named = [os.path.normpath(each) for each in files_named({"robot": "./pack.yaml"})]
    assert sorted(named) == ["a.urdf", "pack.yaml", "x/b.stl"]
