"""Meshes in millimetres that a file takes for metres are told with what to write."""

from __future__ import annotations

import pytest
from bare_files import MESH, load
from quadrupeds import stl_box, urdf_quadruped


@pytest.mark.parametrize(("half", "doubted"), [(200.0, True), (0.15, False)])
def test_a_mesh_in_millimetres_is_doubted(tmp_path, half, doubted):
    (tmp_path / "trunk.stl").write_bytes(stl_box(half))
    robot = load(tmp_path, urdf_quadruped(shape=MESH.format("trunk.stl")), "quad.urdf")
    assert ("meshes" in robot.doubts) == doubted
    if doubted:
        assert robot.doubts["meshes"] == (
            "meshes of trunk are up to 400 m long, where all joints are within 0.4 m; if they are millimetres,"
            " andante robots quad.urdf --mesh-scale 0.001 --pack FOLDER writes a pack in metres"
        )
