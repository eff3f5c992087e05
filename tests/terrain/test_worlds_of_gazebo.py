"""Worlds of Gazebo: what is static in them is ground, where the world has it."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from PIL import Image

from andante.terrain.files.load import load_map, load_terrain
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

STAIRS = """<?xml version="1.0" ?>
<sdf version="1.5">
  <world name="default">
    <physics type="ode"><max_step_size>0.001</max_step_size><gravity>0 0 -9.81</gravity></physics>
    <include><uri>model://sun</uri></include>
    <include><uri>model://ground_plane</uri></include>
    <model name="static_environment">
      <static>true</static>
      <link name="floor">
        <pose>0.5 0 0.05 0 0 0</pose>
        <collision name="c"><geometry><box><size>1 1 0.1</size></box></geometry></collision>
        <visual name="v"><geometry><box><size>9 9 9</size></box></geometry></visual>
      </link>
      <link name="floor2">
        <pose>1.5 0 0.1 0 0 0</pose>
        <collision name="c"><pose>0 0 0.05 0 0 0</pose><geometry><box><size>1 1 0.2</size></box></geometry></collision>
      </link>
    </model>
{more}
  </world>
</sdf>
"""
FINE = FileOptions(resolution=0.05)


def world(folder, more=""):
    path = folder / "stairs.world"
    path.write_text(STAIRS.format(more=more))
    return path


def height(found, x, y):
    i, j = (round((at - first) / found.map.spacing) for at, first in zip((x, y), found.map.origin, strict=True))
    return float(found.map.heights[i, j])


def test_boxes_of_a_static_model_stand_where_link_and_collision_put_them(tmp_path):
    found = load_map(world(tmp_path), FINE)
    assert height(found, 0.5, 0.0) == pytest.approx(0.1)
    assert height(found, 1.5, 0.3) == pytest.approx(0.25)
    # The level ground goes on beside it.
    assert height(found, -0.3, 0.0) == pytest.approx(0.0)
    assert "of the world 3 shapes that are static" in found.notes
    assert load_terrain(world(tmp_path), FINE).name == "stairs"


def test_models_that_move_are_left_out_by_name(tmp_path):
    more = """<model name="ball"><link name="l"><collision name="c"><geometry><sphere><radius>3</radius></sphere>
      </geometry></collision></link></model>"""
    found = load_map(world(tmp_path, more), FINE)
    assert "1 models that are not static are left out: ball" in found.notes
    assert np.nanmax(found.map.heights) == pytest.approx(0.25)


def test_a_world_that_was_saved_has_its_models_where_its_state_says(tmp_path):
    more = """<state world_name="default"><model name="static_environment"><pose frame="">10 0 1 0 0 0</pose></model>
      </state>"""
    found = load_map(world(tmp_path, more), FINE)
    assert height(found, 10.5, 0.0) == pytest.approx(1.1)


def test_models_beside_the_world_are_included(tmp_path):
    corners = np.array([[0, 0, 0], [1000, 0, 0], [1000, 1000, 500], [0, 1000, 500]], "<f4")
    facets = b"".join(bytes(12) + corners[list(each)].tobytes() + bytes(2) for each in ((0, 1, 2), (0, 2, 3)))
    (tmp_path / "ramp" / "meshes").mkdir(parents=True)
    (tmp_path / "ramp" / "meshes" / "ramp.stl").write_bytes(bytes(80) + struct.pack("<I", 2) + facets)
    (tmp_path / "ramp" / "model.config").write_text(
        '<model><name>ramp</name><sdf version="1.6">model.sdf</sdf></model>'
    )
    (tmp_path / "ramp" / "model.sdf").write_text("""<sdf version="1.6"><model name="ramp"><static>1</static>
      <link name="l"><collision name="c"><geometry><mesh><uri>model://ramp/meshes/ramp.stl</uri>
      <scale>0.001 0.001 0.001</scale></mesh></geometry></collision></link></model></sdf>""")
    more = """<include><uri>model://ramp</uri><pose>3 0 0 0 0 0</pose></include>
      <include><uri>model://nowhere</uri></include>"""
    found = load_map(world(tmp_path, more), FINE)
    assert height(found, 3.5, 0.5) == pytest.approx(0.25)
    assert any(note.startswith("1 included models are not found and left out") for note in found.notes)
    # A model is read by itself, too.
    assert height(load_map(tmp_path / "ramp" / "model.sdf", FINE), 0.5, 0.9) == pytest.approx(0.45)


def test_the_lightest_pixel_of_a_heightmap_is_as_high_as_its_size_says(tmp_path):
    grey = np.zeros((5, 9), np.uint16)
    grey[0, 8] = 20_000  # Far right of the picture: large x, large y.
    Image.fromarray(grey).save(tmp_path / "hills.png")
    more = """<model name="hills"><static>true</static><pose>20 0 0 0 0 0</pose><link name="l"><collision name="c">
      <geometry><heightmap><uri>file://hills.png</uri><size>8 4 2</size><pos>0 0 1</pos></heightmap></geometry>
      </collision></link></model>"""
    found = load_map(world(tmp_path, more), FINE)
    assert height(found, 24.0, 2.0) == pytest.approx(3.0)
    assert height(found, 16.0, -2.0) == pytest.approx(1.0)


@pytest.mark.parametrize("kind", ["cylinder", "capsule", "cone", "sphere", "ellipsoid"])
def test_round_shapes_stand_along_z(tmp_path, kind):
    text = {"sphere": "<radius>0.5</radius>", "ellipsoid": "<radii>0.2 0.3 0.5</radii>"}.get(
        kind, f"<radius>0.2</radius><length>{0.6 if kind == 'capsule' else 1.0}</length>"
    )
    more = f"""<model name="post"><static>true</static><pose>5 0 0 0 0 0</pose><link name="l"><collision name="c">
      <geometry><{kind}>{text}</{kind}></geometry></collision></link></model>"""
    assert height(load_map(world(tmp_path, more), FINE), 5.0, 0.0) == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<sdf version='1.6'><model name='m'><link name='l'/></model></sdf>", "no ground stands in the world"),
        ("<sdf version='1.2'><world name='w'/></sdf>", "this version of SDF is not read"),
        ("<mujoco/>", "is no world of Gazebo"),
        ("<robot name='r'><link name='l'/></robot>", "is no world of Gazebo"),
        ("<sdf version='1.6'><world name='a'/><world name='b'/></sdf>", "several worlds"),
        (STAIRS.format(more="").replace("1 1 0.1", "1 -1 0.1"), "is not above 0"),
        (STAIRS.format(more="").replace("<box>", "<mesh><uri>none.stl</uri></mesh><box>"), "mesh file cannot be found"),
    ],
)
def test_what_is_no_world_or_has_no_ground_is_refused(tmp_path, text, message):
    (tmp_path / "a.world").write_text(text)
    with pytest.raises(TerrainError, match=message):
        load_map(tmp_path / "a.world")
