"""Packs: a pack folder by path, what is refused and how, and that a robot cannot be changed."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
from quadrupeds import mjcf_quadruped, stl_box

from andante.documents.problems import DocumentError
from andante.errors import AndanteError
from andante.robots.parts import RobotError, UnknownJointError
from andante.robots.register import ROBOTS, pack_folder
from andante.robots.robot import Robot

MODEL = """<mujoco><compiler angle="degree"/><worldbody><body name="base"><freejoint name="root"/><geom size=".1"/>
  <site name="imu"/><body name="thigh"><joint name="hip" range="-45 90"/><geom size=".1"/>
  <body name="shank"><joint name="knee" range="-10 10"/><geom size=".1"/><site name="sole"/></body></body>
  </body></worldbody></mujoco>"""
PACK = """format: andante.robot
version: 1
name: hopper
title: Hopper
model: hopper.xml
base_body: base
imu_site: imu
tick: 0.01
delay_ticks: 1
max_acceleration: 500
servos:
  leg: {kp: 10, max_torque: 2, damping: 0.1, friction: 0.1, armature: 0.01}
joints:
  knee: {speed: 5, effort: 2, servo: leg}
  hip: {speed: 6, effort: 3, servo: leg}
groups: {leg: [hip, knee]}
mirror: {pairs: [], negate: [hip]}
feet:
  - {name: foot, body: shank, site: sole, outline: [[0, 0], [0.1, 0], [0, 0.1]]}
postures: {bent: {knee: 0.1}}
sources: {all: made here}
"""


@pytest.fixture
def pack(tmp_path):
    """Writes a pack folder, changed by (old, new) in the pack or the model, and loads it."""

    def load(old="", new="", *, model_old="", model_new="", model=MODEL):
        text = PACK.replace(old, new, 1) if old else PACK
        assert not old or text != PACK
        (tmp_path / "pack.yaml").write_text(text)
        (tmp_path / "hopper.xml").write_text(model.replace(model_old, model_new, 1) if model_old else model)
        return Robot.load(tmp_path)

    return load


@pytest.fixture
def refusal(pack, tmp_path):
    def message(*args, **kwargs):
        with pytest.raises(AndanteError) as caught:
            pack(*args, **kwargs)
        assert isinstance(caught.value, RobotError | DocumentError)
        return str(caught.value).replace(f"{tmp_path}/", "")

    return message


def test_a_pack_folder_loads_by_path(pack, tmp_path):
    robot = pack()
    assert robot.joint_names == ("knee", "hip")
    np.testing.assert_allclose(robot.lower, np.radians([-10, -45]))
    np.testing.assert_allclose(robot.upper, np.radians([10, 90]))
    assert robot.max_velocity.tolist() == [5, 6]
    assert robot.posture("bent").tolist() == [0.1, 0.0]
    assert robot.path == tmp_path / "pack.yaml"
    assert Robot.load(tmp_path / "pack.yaml").joints == robot.joints


def test_a_pack_with_units_reads_degrees(pack):
    robot = pack("version: 1", "version: 1\nunits: {angle: deg}")
    assert robot.max_velocity == pytest.approx(np.radians([5, 6]))


def test_a_pack_can_give_the_limits(pack):
    robot = pack("effort: 2, servo", "effort: 2, range: [-1, 2], servo", model_old=' range="-10 10"')
    assert (robot.lower[0], robot.upper[0]) == (-1.0, 2.0)


def test_a_pack_with_meshes_works_from_any_folder(pack, tmp_path, monkeypatch):
    (tmp_path / "box.stl").write_bytes(stl_box())
    mesh = '<geom size=".1" type="mesh" mesh="box"/>'
    asset = '<asset><mesh file="box.stl"/></asset></mujoco>'
    robot = pack(model=MODEL.replace('<geom size=".1"/>', mesh, 1).replace("</mujoco>", asset))
    (tmp_path / "box.stl").unlink()
    monkeypatch.chdir("/")
    assert robot.spec().compile().nmesh == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "tick: 0.01",
            "tik: 0.01",
            "pack.yaml:8:1: the document has no such field; got 'tik'; did you mean 'tick'?; legal: format, version, ",
        ),
        (
            "speed: 5",
            "sped: 5",
            "pack.yaml:14:10: joints.knee has no such field; got 'sped'; did you mean 'speed'?; legal: speed, effort, ",
        ),
        ("  hip: {", "  knee: {", "pack.yaml:15:3: the key 'knee' stands twice (first in line 14)"),
        ("speed: 5", "speed: -5", "pack.yaml:14:17: joints.knee.speed is not legal; got -5; limit: above 0"),
        ("speed: 5", "speed: .nan", "pack.yaml:14:17: joints.knee.speed must be a finite number; got nan"),
        (
            "speed: 5",
            "speed: 5, range: [1, 1]",
            "pack.yaml:14:9: joints.knee: a range needs lower < upper, got 1 and 1",
        ),
        (
            "max_torque: 2,",
            "max_torque: 2, torque_speed: [9, 8],",
            "pack.yaml:12:8: servos.leg: a torque-speed limit needs 0 <= corner < no-load speed, got 9 and 8",
        ),
        (
            "[0.1, 0], [0, 0.1]",
            "[0, 0.1], [0.1, 0]",
            "pack.yaml:19:5: feet[0]: an outline needs three or more corners of a convex polygon, counter-",
        ),
        ("version: 1", "version: 2", "pack.yaml:2:10: version must be 1; got 2"),
        (
            "servo: leg",
            "servo: lek",
            "pack.yaml: joints.knee.servo: there is no such servo class; got 'lek'; did you mean 'leg'?; legal: leg",
        ),
        (
            "  hip: {",
            "  hop: {",
            "pack.yaml: joints.hop: the model has no such joint; got 'hop'; did you mean 'hip'?; legal: hip, knee",
        ),
        (
            "  hip: {speed: 6, effort: 3, servo: leg}\n",
            "",
            "pack.yaml: joints: the model has a joint that the pack does not name; got 'hip'",
        ),
        (
            "effort: 3",
            "follows: kne, effort: 3",
            "pack.yaml: joints.hip.follows: the joint to follow is not in the pack; got 'kne'; did you mean 'knee'?",
        ),
        (
            "effort: 3",
            "follows: hip, effort: 3",
            "pack.yaml: joints.hip.follows: a joint can only follow one with its own motor; got 'hip'",
        ),
        (
            "[hip, knee]",
            "[hip, nee]",
            "pack.yaml: groups.leg: unknown joint; got 'nee'; did you mean 'knee'?; legal: knee, hip",
        ),
        ("negate: [hip]", "negate: [x]", "pack.yaml: mirror.negate: unknown joint; got 'x'; legal: knee, hip"),
        ("pairs: []", "pairs: [[hip, x]]", "pack.yaml: mirror.pairs: unknown joint; got 'x'; legal: knee, hip"),
        (
            "{knee: 0.1}",
            "{kne: 0.1}",
            "pack.yaml: postures.bent: unknown joint; got 'kne'; did you mean 'knee'?; legal: knee, hip",
        ),
        (
            "base_body: base",
            "base_body: bas",
            "pack.yaml: base_body: the model has no such body; got 'bas'; did you mean 'base'?",
        ),
        (
            "tick: 0.01",
            "tick: 0.01\naliases: {LKnee: kne}",
            "pack.yaml: aliases.LKnee: unknown joint; got 'kne'; did you mean 'knee'?; legal: knee, hip",
        ),
        (
            "tick: 0.01",
            "tick: 0.01\ngains: {soft: {toe: [1, 2]}}",
            "pack.yaml: gains.soft: no such joint or servo class; got 'toe'; legal: knee, hip, leg",
        ),
        ("imu_site: imu", "imu_site: x", "pack.yaml: imu_site: the model has no such site; got 'x'; legal: imu, sole"),
        (
            "site: sole",
            "site: soul",
            "pack.yaml: feet[0].site: the model has no such site; got 'soul'; did you mean 'sole'?; legal: imu, sole",
        ),
        (
            "body: shank",
            "body: shnk",
            "pack.yaml: feet[0].body: the model has no such body; got 'shnk'; did you mean 'shank'?",
        ),
        ("model: hopper.xml", "model: none.xml", "none.xml: cannot be read: No such file or directory"),
        (
            "model: hopper.xml",
            "model: pack.yaml",
            "pack.yaml:1:1: cannot be read as XML: syntax error",
        ),
    ],
)
def test_what_is_wrong_in_a_pack_is_named(refusal, old, new, message):
    assert message in refusal(old, new)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            ' range="-10 10"',
            "",
            "pack.yaml: joints.knee: the joint has no position limits in the model; give it a range",
        ),
        ('name="hip"', 'name="hip" type="slide"', "pack.yaml: model: joint 'hip': only hinge joints are supported"),
        ('size=".1"', 'size="x"', "hopper.xml: the model cannot be compiled: "),
        ("<mujoco>", "<robot>", "hopper.xml:4:24: cannot be read as XML: mismatched tag"),
    ],
)
def test_what_is_wrong_in_a_packs_model_is_named(refusal, old, new, message):
    assert refusal(model_old=old, model_new=new).startswith(message)


def test_gain_sets_aliases_and_standing_height_come_from_the_pack(pack):
    more = (
        "gains: {deploy: {leg: [20, 1], hip: [30, 2]}}\naliases: {LKneePitch: knee}\nabsent: [LHand]\n"
        "standing_height: 0.4\nservos:"
    )
    robot = pack("servos:", more)
    deployed = robot.with_gains("deploy")
    assert dict(zip(robot.joint_names, deployed.servos, strict=True))["hip"].kp == 30.0
    assert {name: (servo.kp, servo.kd) for name, servo in zip(robot.joint_names, deployed.servos, strict=True)} == {
        "knee": (20.0, 1.0),
        "hip": (30.0, 2.0),
    }
    assert {servo.kp for servo in robot.servos} == {10.0}
    assert (dict(robot.aliases), robot.absent, robot.standing_height) == ({"LKneePitch": "knee"}, {"LHand"}, 0.4)
    with pytest.raises(
        RobotError, match=r"robot 'hopper' has no such set of gains; got 'deploi'; did you mean 'deploy'"
    ):
        robot.with_gains("deploi")


def test_a_packs_model_must_be_mjcf(refusal):
    assert refusal(model="<robot name='r'/>") == "pack.yaml: model: a pack's model must be MJCF; got 'hopper.xml'"


def test_a_folder_without_a_pack_is_refused(tmp_path):
    with pytest.raises(RobotError, match=r"the folder is no robot's pack, it has no pack\.yaml; name a pack, a MJCF"):
        Robot.load(tmp_path)
    (tmp_path / "hopper.xml").write_text("<mujoco/>")
    with pytest.raises(RobotError, match=r"name its model file: .*hopper\.xml"):
        Robot.load(tmp_path)


@pytest.mark.parametrize("name", ["na0", "", "x" * 5000, "a\0b"])
def test_unknown_robots_name_the_legal_ones(name):
    with pytest.raises(RobotError) as caught:
        Robot.load(name)
    assert "there is no such robot" in str(caught.value)
    assert "legal: bootcamp-leg, ers7, k1, littledog, nao, spirit40, t1" in str(caught.value)
    assert "path of a pack folder" in str(caught.value)


def test_a_file_that_is_missing_is_told_as_such():
    with pytest.raises(RobotError, match=r"no/such\.xml: there is no such file of a robot"):
        Robot.load("no/such.xml")


def test_a_nearly_right_name_is_offered():
    with pytest.raises(RobotError, match=r"got 'naoo'; did you mean 'nao'\?"):
        Robot.load("naoo")


def test_the_nao_is_shipped_without_mesh_files(nao):
    assert "nao" in ROBOTS
    assert not nao.assets
    assert "file=" not in nao.mjcf


def test_a_robot_cannot_be_changed(pack):
    robot = pack()
    with pytest.raises(dataclasses.FrozenInstanceError):
        robot.name = "other"
    with pytest.raises(dataclasses.FrozenInstanceError):
        robot.joints[0].lower = 0.0
    for array in (robot.lower, robot.upper, robot.max_velocity, robot.max_acceleration, robot.max_effort):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0
    for array in (robot.servo_kp, robot.servo_kd):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0
    for mapping in (robot.groups, robot.postures, robot.postures["bent"], robot.assets, robot.sources):
        with pytest.raises(TypeError):
            mapping["new"] = 0


def test_a_posture_array_is_the_callers_own(pack):
    robot = pack()
    robot.posture("bent")[:] = 9.0
    assert robot.posture("bent").tolist() == [0.1, 0.0]


def test_mappings_given_to_a_robot_are_copied(pack):
    groups = {"leg": ("hip",)}
    robot = dataclasses.replace(pack(), groups=groups)
    groups["leg"] = ()
    assert robot.groups == {"leg": ("hip",)}


@pytest.mark.parametrize("through", [lambda robot: pickle.loads(pickle.dumps(robot)), copy.deepcopy, copy.copy])
def test_copies_are_whole_and_read_only(pack, through):
    robot = pack()
    _ = robot.model, robot.lower
    there = through(robot)
    for field in dataclasses.fields(Robot):
        assert getattr(there, field.name) == getattr(robot, field.name), field.name
    with pytest.raises(TypeError):
        there.postures["bent"]["knee"] = 0.0
    assert there.model.nv == 8


def test_unknown_joints_and_postures_are_named(pack):
    robot = pack()
    assert robot.index("hip") == 1
    with pytest.raises(UnknownJointError, match=r"robot 'hopper' has no such joint; got 'hop'; did you mean 'hip'\?"):
        robot.index("hop")
    with pytest.raises(RobotError, match=r"no such posture; got 'bend'; did you mean 'bent'\?; legal: bent"):
        robot.posture("bend")


def test_a_model_with_its_own_motors_and_floor_can_have_a_pack(pack, refusal):
    assert refusal(model=mjcf_quadruped()).startswith("pack.yaml: joints.knee: the model has no such joint")


def test_a_path_that_is_none_says_that_names_are_text():
    with pytest.raises(RobotError) as caught:
        Robot.load(Path("nao"))
    assert "names of robots are text, not a Path" in str(caught.value)
    assert "Robot.load('nao') without Path loads it" in str(caught.value)
    with pytest.raises(
        RobotError, match=r"legal: bootcamp-leg, .*; a path is that of a pack folder, a MJCF, URDF or SDF"
    ):
        Robot.load(Path("na0"))


def test_a_pack_in_a_zip_file_says_that_it_must_be_unpacked(tmp_path):
    with zipfile.ZipFile(tmp_path / "lamp.zip", "w") as packed:
        packed.writestr("lamp/robot/pack.yaml", "name: lamp")
    unpacked = "install its package unpacked, as pip does"
    with pytest.raises(RobotError, match=rf"lies in a file, and must be in a folder; got 'lamp\.zip'; {unpacked}"):
        pack_folder(tmp_path / "lamp.zip" / "lamp" / "robot")
    with pytest.raises(RobotError, match=rf"a robot is the folder of its pack, .*; got 'zipfile\..*Path'; {unpacked}"):
        pack_folder(zipfile.Path(tmp_path / "lamp.zip", "lamp/robot/"))
    with pytest.raises(RobotError, match=r"got 'int'$"):
        pack_folder(7)
