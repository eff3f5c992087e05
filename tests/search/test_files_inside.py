"""Files that a named file names count as input: a changed mesh or network is another robot, another policy."""

from __future__ import annotations

import pytest

from andante.search.files_inside import files_inside
from andante.search.journal import fingerprints


def written(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


HEAD = '<mujoco><compiler meshdir="parts/stl"/>'
MODEL = HEAD + '<include file="arms.xml"/><asset><mesh file="trunk.stl"/></asset></mujoco>'


@pytest.mark.parametrize(
    ("name", "text", "inside"),
    [
        ("robot.xml", MODEL, {"parts/stl/trunk.stl", "arms.xml", "parts/stl/arm 1.obj"}),
        ("urdf/dog.urdf", '<robot><mesh filename="package://dog/meshes/hip.dae"/></robot>', {"dog/meshes/hip.dae"}),
        ("urdf/dog.urdf", "<robot><mesh filename='package://other/meshes/leg.stl'/></robot>", {"meshes/leg.stl"}),
        ("a/dog.sdf", "<sdf><uri>model://dog/meshes/hip.dae</uri></sdf>", {"dog/meshes/hip.dae"}),
        ("a/dog.sdf", "<sdf><uri> model://eye </uri></sdf>", {"eye/new.sdf", "hill.ply"}),
        ("pack.yaml", "model: robot.xml\npolicy: {network: walk.onnx, size: 1.5}\n", {"walk.onnx", "robot.xml"}),
        ("list.yaml", "maps:\n- hill.npz\n- 'far hill.npz' # hill.ply\n", {"hill.npz", "far hill.npz"}),
        ("scene.yaml", "controller: {type: keyframes, library: mine}\nnote: from walk.onnx.\n", {"mine"}),
        ("all.json", '{"scenario": "scene.yaml", "robot": "nao"}', {"scene.yaml", "mine"}),
        ("one.npz", '"robot.xml"', set()),
        ("circle.yaml", "after: circle.yaml\n", set()),
    ],
)
def test_what_a_file_names_is_found_and_what_that_names(tmp_path, name, text, inside):
    written(
        tmp_path,
        {
            "arms.xml": HEAD + '<asset><mesh file="arm 1.obj"/></asset></mujoco>',
            "scene.yaml": "controller: {type: keyframes, library: mine}\n",
            "robot.xml": "<mujoco/>",
            "eye/model.config": "<model><sdf version='1.9'>new.sdf</sdf></model>",
            "eye/new.sdf": "<sdf><uri>../hill.ply</uri></sdf>",
            "mine/nao.yaml": "",
            **dict.fromkeys(("parts/stl/trunk.stl", "parts/stl/arm 1.obj", "dog/meshes/hip.dae", "meshes/leg.stl"), ""),
            **dict.fromkeys(("walk.onnx", "hill.npz", "far hill.npz", "hill.ply"), ""),
            name: text,
        },
    )
    found = {each.resolve() for each in files_inside(tmp_path / name)}
    assert found == {(tmp_path / each).resolve() for each in inside}


def test_a_changed_mesh_changes_the_input(tmp_path):
    written(tmp_path, {"robot.xml": MODEL, "arms.xml": "<mujoco/>", "parts/stl/trunk.stl": "solid"})
    robot = str(tmp_path / "robot.xml")
    before = fingerprints([robot])
    assert len(before) == 3
    written(tmp_path, {"parts/stl/trunk.stl": "solid other"})
    after = fingerprints([robot])
    assert {name for name in before if before[name] != after[name]} == {str(tmp_path / "parts/stl/trunk.stl")}
