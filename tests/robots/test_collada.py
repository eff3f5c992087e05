"""COLLADA meshes of URDFs: their units and axes, what is left out, and files that mean harm."""

from __future__ import annotations

import contextlib
import importlib.util
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quadrupeds import urdf_quadruped

from andante.robots import collada
from andante.robots.collada import read_collada
from andante.robots.parts import RobotError
from andante.robots.robot import Robot

CORNERS = {"x": (30.0, 0.0, 0.0), "y": (0.0, 20.0, 0.0), "z": (0.0, 0.0, 10.0)}
"""A tetrahedron with one corner at the origin and one on each axis, in the file's units."""
NODE = '<node id="n">{inside}<instance_geometry url="#g"/></node>'
UNIT_CM = '<unit name="centimeter" meter="0.01"/>'


def dae(asset: str = "", scene: str = NODE.format(inside=""), faces: str = "", extra: str = "") -> str:
    """A tetrahedron as COLLADA 1.4.1."""
    numbers = " ".join(str(number) for corner in ((0.0, 0.0, 0.0), *CORNERS.values()) for number in corner)
    faces = faces or '<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/>' + (
        "<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>"
    )
    return f"""<?xml version="1.0" encoding="utf-8"?>
    <COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>{asset}</asset>{extra}
    <library_geometries><geometry id="g"><mesh>
      <source id="p"><float_array id="a" count="12">{numbers}</float_array><technique_common>
        <accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
        <param name="Z" type="float"/></accessor></technique_common></source>
      <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>{faces}</mesh></geometry></library_geometries>
    <library_visual_scenes><visual_scene id="s">{scene}</visual_scene></library_visual_scenes>
    <scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def corners(text: str) -> np.ndarray:
    """Corners of the triangles in the STL file that is made, (n, 3) [m]."""
    mesh = read_collada(text.encode(), "m.dae")
    record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
    assert len(mesh.stl) == 84 + 50 * mesh.triangles
    return np.frombuffer(mesh.stl, record, offset=84)["corners"].reshape(-1, 3)


@pytest.mark.parametrize(
    ("axis", "largest"),
    [
        # How far the tetrahedron reaches: to +x, +y, +z; to -x, -y, -z (all in cm).
        ("<up_axis>Z_UP</up_axis>", ((30, 20, 10), (0, 0, 0))),
        # y is up: what pointed along y points along z now, and z, towards the viewer, along -y.
        ("<up_axis>Y_UP</up_axis>", ((30, 0, 20), (0, -10, 0))),
        ("", ((30, 0, 20), (0, -10, 0))),
        # x is up, y to the left, z towards the viewer.
        ("<up_axis>X_UP</up_axis>", ((0, 0, 30), (-20, -10, 0))),
    ],
)
def test_centimetres_and_the_axis_that_is_up_become_metres_and_z_up(axis: str, largest: tuple) -> None:
    found = corners(dae(UNIT_CM + axis))
    assert found.max(0) == pytest.approx(np.array(largest[0]) / 100, abs=1e-7)
    assert found.min(0) == pytest.approx(np.array(largest[1]) / 100, abs=1e-7)


def test_turned_meshes_are_not_mirrored() -> None:
    for axis in ("X_UP", "Y_UP", "Z_UP"):
        a, b, c = np.moveaxis(corners(dae(f"<up_axis>{axis}</up_axis>")).reshape(-1, 3, 3), 1, 0)
        assert float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6 == pytest.approx(1000.0, rel=1e-5)


def test_nodes_move_turn_and_repeat_a_shape() -> None:
    """Two copies below one node: 90 degrees about z, then 100 along x, in the order of the file."""
    inside = '<translate>100 0 0</translate><rotate>0 0 1 90</rotate><node><instance_geometry url="#g"/></node>'
    found = corners(dae("<up_axis>Z_UP</up_axis>", NODE.format(inside=inside)))
    assert len(found) == 24
    assert found.min(0) == pytest.approx((80, 0, 0), abs=1e-4)
    assert found.max(0) == pytest.approx((100, 30, 10), abs=1e-4)


def test_polygons_become_triangles_and_lines_are_nothing() -> None:
    shape = (
        '<lines count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1</p></lines>'
        '<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount><p>0 1 2 3</p>'
        "</polylist>"
    )
    assert len(corners(dae(faces=shape))) == 6


def test_pictures_lights_and_materials_that_are_gone_do_not_matter() -> None:
    extra = (
        '<library_images><image id="i"><init_from>../gone.png</init_from></image></library_images>'
        '<library_cameras><camera id="c"/></library_cameras>'
    )
    scene = NODE.format(inside="") + '<node id="m"><instance_camera url="#c"/><instance_light url="#gone"/></node>'
    bound = scene.replace(
        '<instance_geometry url="#g"/>',
        '<instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="a" target="#no"/>'
        "</technique_common></bind_material></instance_geometry>",
    )
    assert len(corners(dae(scene=bound, extra=extra))) == 12


FIRST = NODE.format(inside="").replace('"n"', '"b0"')
COPIES = "".join(f'<node id="b{n}">' + f'<instance_node url="#b{n - 1}"/>' * 2 + "</node>" for n in range(1, 26))
BOMB = (
    '<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY a{n} "' + f"&a{n - 1 or ''};" * 10 + '">' for n in range(1, 10))
    + "]>"
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "m.dae:1: cannot be read as XML: no element found"),
        ("<COLLADA/>", "the COLLADA scene shows no triangles"),
        ("<robot/>", "is no COLLADA file"),
        (dae().replace("?>", "?>" + BOMB, 1), "document type declarations are refused"),
        (dae(scene=NODE.format(inside="<node>" * 200 + "</node>" * 200)), "nested too deeply"),
        (
            dae(
                scene='<node><instance_node url="#b25"/></node>',
                extra=f"<library_nodes>{FIRST}{COPIES}</library_nodes>",
            ),
            "the COLLADA scene has too many nodes, copies counted; limit: 5000",
        ),
        (dae('<unit meter="0"/>'), "the unit of length is out of range; got '0'; limit: above 0 m"),
        (dae('<unit meter="nan"/>'), "the unit of length is out of range"),
        (dae('<unit meter="wide"/>'), "the unit of length is no number; got 'wide'"),
        (
            dae("<up_axis>UP</up_axis>"),
            "there is no such up axis; got 'UP'; did you mean 'Z_UP'?; legal: X_UP, Y_UP, Z_UP",
        ),
        (dae().replace("0 2 1 0", "0 2 99 0"), "cannot be read as COLLADA"),
        (dae().replace("0 2 1 0", "0 2 -9 0"), "COLLADA"),
        (dae().replace("30.0", "inf"), "a corner of the mesh is out of range; limit: 1e+06 m"),
        (dae().replace('url="#g"', 'url="http://elsewhere/g.dae#g"'), "COLLADA"),
        (dae(scene=""), "the COLLADA scene shows no triangles"),
    ],
)
def test_files_that_are_no_meshes_give_one_message(text: str, message: str) -> None:
    with pytest.raises(RobotError) as caught:
        read_collada(text.encode(), "m.dae")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_damaged_files_are_read_or_refused(data: st.DataObject) -> None:
    raw = bytearray(dae(UNIT_CM).encode())
    for at in data.draw(st.lists(st.integers(0, len(raw) - 1), min_size=1, max_size=4)):
        raw[at] = data.draw(st.integers(0, 255))
    # Anything but this error fails the test.
    with contextlib.suppress(RobotError):
        assert read_collada(bytes(raw), "m.dae").triangles > 0


def test_too_large_a_file_is_refused_by_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collada, "MAX_BYTES", 100)
    with pytest.raises(RobotError, match="the COLLADA file is too large"):
        read_collada(dae().encode(), "m.dae")


def test_without_pycollada_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collada, "find_spec", lambda name: None)
    with pytest.raises(RobotError) as caught:
        read_collada(dae().encode(), "m.dae")
    assert str(caught.value) == (
        "m.dae: COLLADA meshes need the package pycollada; pip install 'andante[meshes]', or convert the mesh to STL"
    )
    assert importlib.util.find_spec("collada") is not None


def test_a_robot_collides_with_its_collada_mesh_and_says_how_it_was_read(tmp_path: Path) -> None:
    (tmp_path / "body.dae").write_text(dae(UNIT_CM))
    shape = '<collision><geometry><mesh filename="body.dae"/></geometry></collision>'
    path = tmp_path / "quad.urdf"
    path.write_text(urdf_quadruped(shape=shape + shape))
    robot = Robot.load(path)
    model = robot.spec().compile()
    mesh = model.mesh(0)
    extent = np.ptp(model.mesh_vert[mesh.vertadr[0] : mesh.vertadr[0] + mesh.vertnum[0]], axis=0)
    # MuJoCo turns a mesh into its principal axes; the tetrahedron's longest edge, 36 cm, bounds its extents.
    assert 0.2 < extent.max() < 0.37
    assert robot.sources["meshes"] == (
        "1 COLLADA files, turned to metres and z up as each says (1 with Y_UP; 1 in units of 0.01 m)"
    )
