"""Visual meshes: no part of what is simulated, and there again in whatever is drawn."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

from andante.backends.model_builder import build_model, build_spec
from andante.backends.world import WorldConfig
from andante.robots.bare.loading import load_bare
from andante.robots.parts import RobotError
from andante.robots.robot import Robot
from andante.robots.starter_pack import write_pack

CORNERS = np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.2, 0], [0, 0, 0.3]], dtype=float)
SHAPE = '<geom type="mesh" mesh="{mesh}" pos="0.02 0 0.01" euler="0 90 0" rgba="1 0 0 1" {more}/>'
LEG = """
<body name="{name}_thigh" pos="{x} {y} 0">
  <inertial pos="0 0 0" mass="0.5" diaginertia="0.001 0.001 0.001"/>
  <joint name="{name}_roll" axis="1 0 0" range="-40 40"/>{shell}
  <body name="{name}_upper"><inertial pos="0 0 0" mass="0.5" diaginertia="0.001 0.001 0.001"/>
    <joint name="{name}_pitch" axis="0 1 0" range="-90 90"/>
    <body name="{name}_lower" pos="0 0 -0.2"><inertial pos="0 0 0" mass="0.2" diaginertia="0.001 0.001 0.001"/>
      <joint name="{name}_knee" axis="0 1 0" range="-120 0"/><geom type="sphere" size="0.02" pos="0 0 -0.2"/>
    </body>
  </body>
</body>"""


def write_model(folder: Path, *, trunk: str = "", shell: str = SHAPE.format(mesh="shell", more=""), more: str = ""):
    """A quadruped whose thighs have a visual mesh, in a folder with its mesh."""
    facets = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    lines = [f"v {x:g} {y:g} {z:g}" for x, y, z in CORNERS] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in facets]
    (folder / "shell.obj").write_text("\n".join(lines))
    places = {"FL": (0.2, 0.1), "FR": (0.2, -0.1), "HL": (-0.2, 0.1), "HR": (-0.2, -0.1)}
    legs = "".join(LEG.format(name=name, x=x, y=y, shell=shell) for name, (x, y) in places.items())
    path = folder / "dog.xml"
    path.write_text(f"""<mujoco model="dog">
      <default><geom contype="0" conaffinity="0"/></default>
      <asset><mesh name="shell" file="shell.obj"/></asset>
      <worldbody><body name="trunk"><freejoint/>
        <inertial pos="0 0 0" mass="6" diaginertia="0.05 0.1 0.1"/>
        <geom type="box" size="0.2 0.1 0.05" contype="1" conaffinity="1"/>{trunk}{legs}
      </body></worldbody>{more}</mujoco>""")
    return path


def corners_in_world(model: mujoco.MjModel) -> np.ndarray:
    """Corners of all meshes in the reference posture, (n, 3), sorted."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    found = []
    for geom in np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_MESH):
        mesh = model.geom_dataid[geom]
        first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        turn = data.geom_xmat[geom].reshape(3, 3)
        found += (data.geom_xpos[geom] + model.mesh_vert[first : first + count] @ turn.T).round(5).tolist()
    return np.array(sorted(found))


@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_what_is_simulated_has_no_visual_mesh_and_what_is_drawn_has_all_in_their_places(tmp_path, scale):
    path = write_model(tmp_path)
    # A scale of all meshes, as files in millimetres have, counts once.
    path.write_text(path.read_text().replace("<default>", f"<default><mesh scale='{scale} {scale} {scale}'/>"))
    robot, whole = Robot.load(str(path)), load_bare(path, Robot, visuals=True)
    assert robot.model.nmesh == 0
    assert not robot.assets
    drawn = robot.drawn_spec().compile()
    assert drawn.nmesh == 4
    np.testing.assert_allclose(corners_in_world(drawn), corners_in_world(whole.model), atol=2e-5)
    red = drawn.geom_rgba[drawn.geom_type == mujoco.mjtGeom.mjGEOM_MESH]
    assert (red == [1, 0, 0, 1]).all()
    # Nothing that moves differs: masses, inertias and what collides.
    for name in ("body_mass", "body_inertia", "body_ipos", "jnt_range", "qpos0"):
        assert np.array_equal(getattr(drawn, name), getattr(robot.model, name)), name
        assert np.array_equal(getattr(whole.model, name), getattr(robot.model, name)), name
    assert (drawn.geom_contype > 0).sum() == (robot.model.geom_contype > 0).sum()


def test_the_world_runs_without_them_and_its_picture_has_them(tmp_path):
    robot = Robot.load(str(write_model(tmp_path)))
    assert build_model(robot, WorldConfig()).nmesh == 0
    picture = build_spec(robot, WorldConfig(), drawn=True).compile()
    assert picture.nmesh == 4
    assert picture.nq == build_model(robot, WorldConfig()).nq


def test_a_changed_and_a_pickled_robot_are_drawn_alike(tmp_path):
    robot = Robot.load(str(write_model(tmp_path)))
    for other in (replace(robot, tick=0.02), pickle.loads(pickle.dumps(robot))):
        assert other.drawn_spec().compile().nmesh == 4


def test_meshes_that_collide_weigh_or_are_paired_stay(tmp_path):
    collides = SHAPE.format(mesh="shell", more='contype="1"')
    assert Robot.load(str(write_model(tmp_path, shell=collides))).model.nmesh == 1
    heavy = '<body name="tail"><joint name="wag" axis="0 1 0" range="-9 9"/><geom type="mesh" mesh="shell"/></body>'
    robot = Robot.load(str(write_model(tmp_path, trunk=heavy)))
    assert robot.model.nmesh == 1
    assert robot.drawn_spec().compile().nmesh == 5
    named = SHAPE.format(mesh="shell", more='name="horn"')
    paired = '<contact><pair geom1="horn" geom2="belly"/></contact>'
    belly = '<geom name="belly" type="sphere" size="0.01"/>' + named
    assert Robot.load(str(write_model(tmp_path, trunk=belly, more=paired))).model.nmesh == 1


def test_a_pack_of_it_has_its_meshes(tmp_path):
    robot = Robot.load(str(write_model(tmp_path)))
    files = write_pack(robot, tmp_path / "pack")
    assert tmp_path / "pack" / "shell.obj" in files
    again = Robot.load(str(tmp_path / "pack"))
    assert again.model.ngeom > robot.model.ngeom
    assert again.visuals is None


def test_meshes_that_are_gone_meanwhile_are_named(tmp_path):
    robot = Robot.load(str(write_model(tmp_path)))
    (tmp_path / "dog.xml").unlink()
    with pytest.raises(RobotError, match=r"dog\.xml"):
        robot.drawn_spec()
