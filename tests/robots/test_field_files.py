"""Model files as people of the field write them: what was read wrongly in silence, or refused without need."""

from __future__ import annotations

import re

import mujoco
import numpy as np
import pytest
from bare_files import load, refusal
from humanoids import mjcf_humanoid
from quadrupeds import LEGS, mjcf_quadruped, urdf_quadruped

from andante.backends.backend import BackendError
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Start, WorldConfig
from andante.robots.parts import RobotError
from andante.robots.robot import Robot


def test_a_motor_with_a_control_and_a_force_range_has_the_smaller_effort(tmp_path):
    text = mjcf_quadruped().replace('ctrlrange="-12 12"', 'ctrlrange="-12 12" forcerange="-500 500"')
    assert {joint.max_effort for joint in load(tmp_path, text).joints} == {24.0}


@pytest.mark.parametrize("wrong", ["90 -90", "30 30"])
def test_an_empty_range_is_refused_by_name(tmp_path, wrong):
    text = mjcf_quadruped().replace('name="FL_thigh" axis="0 1 0" range="-90 90"', f'name="FL_thigh" range="{wrong}"')
    assert refusal(tmp_path, text, "quad.xml") == (
        f"quad.xml: joint 'FL_thigh': range: the joint's range is empty: lower is not below upper; got '{wrong}';"
        " limit: lower below upper"
    )


def test_a_turned_base_keeps_an_inertia_given_by_euler_angles(tmp_path):
    plain = mjcf_humanoid()
    base = '<inertial pos="0 0 .1" mass="12" diaginertia=".2 .15 .08"/>'
    begin, end = plain.index(base) + len(base), plain.index("</body></worldbody>")
    turned = (
        plain[: begin - len(base)]
        + '<inertial pos="0 -.1 0" euler="1.57079633 0 0" mass="12" diaginertia=".2 .15 .08"/>'
        + f'<frame euler="1.57079633 0 0">{plain[begin:end]}</frame>{plain[end:]}'
    )
    robot = load(tmp_path, turned)
    assert robot.sources["base"].startswith("turned: ")
    body = robot.model.body("Trunk")
    axes = np.zeros(9)
    mujoco.mju_quat2Mat(axes, body.iquat)
    tensor = axes.reshape(3, 3) @ np.diag(body.inertia) @ axes.reshape(3, 3).T
    np.testing.assert_allclose(tensor, np.diag([0.2, 0.15, 0.08]), atol=1e-6)


@pytest.mark.parametrize("loop", ["knee", "elbow"])
def test_a_stand_has_the_angles_that_ties_want(tmp_path, loop):
    one, other, factor = {
        "knee": ("{}_Ankle_Pitch", "{}_Knee", "0 -.5 0 0 0"),
        "elbow": ("{}_Elbow_Pitch", "{}_Shoulder_Roll", ".3 1 0 0 0"),
    }[loop]
    ties = "".join(
        f'<joint joint1="{one.format(side)}" joint2="{other.format(side)}" polycoef="{factor}"/>'
        for side in ("Left", "Right")
    )
    robot = load(tmp_path, mjcf_humanoid().replace("</mujoco>", f"<equality>{ties}</equality></mujoco>"))
    assert robot.doubts == {}
    offset, slope = (float(word) for word in factor.split()[:2])
    stand = robot.postures["stand"]
    for side in ("Left", "Right"):
        assert stand[one.format(side)] == pytest.approx(offset + slope * stand[other.format(side)], abs=1e-5)


def test_a_stand_that_ties_forbid_is_doubted(tmp_path):
    tie = '<equality><joint joint1="Left_Ankle_Pitch" polycoef=".45 0 0 0 0"/></equality>'
    robot = load(tmp_path, mjcf_humanoid().replace("</mujoco>", f"{tie}</mujoco>"))
    assert "stand" not in robot.postures
    assert robot.doubts["stand"].startswith("the computed posture does not stand: ")


def test_wheels_at_the_ends_of_legs_are_no_feet_to_rely_on(tmp_path):
    ball = '<geom type="sphere" size="0.02" pos="0 0 -0.2"/>'
    wheel = """<body name="{}_wheel" pos="0 0 -.2"><joint axis="0 1 0"/>
      <geom type="cylinder" size=".05 .02" euler="90 0 0" mass=".3"/></body>"""
    text = mjcf_quadruped()
    for leg in LEGS:
        text = text.replace(ball, wheel.format(leg), 1)
    text = re.sub("<keyframe>.*</keyframe>", "", text)
    assert load(tmp_path, text).doubts["feet"] == (
        "FL_wheel, FR_wheel, RL_wheel, RR_wheel end legs in wheels, which roll; here each is held like an ankle"
    )


def test_four_legs_of_four_joints_stand_on_balls(tmp_path):
    text = urdf_quadruped()
    for leg in LEGS:
        joint = f'<joint name="{leg}_ankle" type="'
        text = text.replace(f"{joint}fixed", f"{joint}revolute")
        text = text.replace(
            f'<link name="{leg}_foot">', f'<link name="{leg}_foot"><inertial><mass value=".1"/></inertial>'
        )
    text = text.replace('<axis xyz="1 0 0"/></joint>', '<axis xyz="0 1 0"/><limit lower="-1" upper="1"/></joint>')
    robot = load(tmp_path, text, "quad.urdf")
    assert [len(robot.groups[leg]) for leg in ("FL", "FR", "HL", "HR")] == [4] * 4
    assert "feet" not in robot.doubts


def test_inertias_of_something_longer_than_a_leg_are_told(tmp_path):
    text = urdf_quadruped()
    thigh = '<link name="FL_thigh"><inertial><mass value="0.6"/>\n      <inertia ixx="{0}" iyy="{0}" izz="{0}"'
    assert "inertias" not in load(tmp_path, text, "quad.urdf").sources
    robot = load(tmp_path, text.replace(thigh.format("0.002"), thigh.format("1.0")), "quad.urdf")
    assert robot.sources["inertias"] == (
        "taken as they are, though their radius of gyration is longer than a leg: FL_thigh"
    )


def test_gains_of_the_file_s_actuators_that_are_not_taken_are_told(tmp_path):
    text = mjcf_quadruped().replace("<motor ", '<position kp="75" forcerange="-12 12" ').replace('gear="2" ', "")
    told = load(tmp_path, text).sources["servos"]
    assert "the file's own position gains, 75 to 75 N m/rad, are not taken" in told


def test_a_mimic_of_no_joint_is_told_as_that(tmp_path):
    text = urdf_quadruped().replace("<limit", '<mimic joint="FL_KFEE"/><limit', 1)
    assert load(tmp_path, text, "quad.urdf").sources["mimic joints"] == (
        "the joint to follow is none that turns, so each has a drive of its own: FL_HAA (of 'FL_KFEE')"
    )


def test_a_declaration_after_empty_lines_is_read_and_lines_keep_their_numbers(tmp_path):
    assert load(tmp_path, "\n\n" + urdf_quadruped(), "quad.urdf").name == "quad"
    assert refusal(tmp_path, '\n\n<?xml version="1.0"?>\n<a/>').startswith(
        "quad.urdf:4:1: is neither MJCF, URDF nor SDF"
    )


def test_collision_shapes_of_one_name_print_nothing(tmp_path, capfd):
    text = urdf_quadruped().replace("<collision>", '<collision name="shape">')
    load(tmp_path, text, "quad.urdf")
    assert capfd.readouterr() == ("", "")


def test_a_folder_of_ros_names_its_models_and_no_other_xml(tmp_path):
    (tmp_path / "urdf").mkdir()
    (tmp_path / "urdf" / "quad.urdf").write_text(urdf_quadruped())
    (tmp_path / "package.xml").write_text("<package/>")
    with pytest.raises(RobotError) as caught:
        Robot.load(tmp_path)
    assert str(caught.value).endswith(f"name its model file: {tmp_path / 'urdf' / 'quad.urdf'}")


def test_a_root_on_the_ground_between_four_legs_is_brought_between_the_hips(tmp_path, urdf):
    raised = '<link name="base_footprint"/><joint name="up" type="fixed"><parent link="base_footprint"/>'
    raised += '<child link="trunk"/><origin xyz="0.03 0 0.42"/></joint></robot>'
    robot = load(tmp_path, urdf.replace("</robot>", raised), "quad.urdf")
    plain = load(tmp_path, urdf, "plain.urdf")
    assert robot.base_body == "base_footprint"
    assert robot.sources["base"].startswith("its origin was between the feet, and is between the hips")
    assert robot.doubts == plain.doubts == {}
    assert robot.postures["stand"] == pytest.approx(plain.postures["stand"], abs=1e-3)
    data = mujoco.MjData(robot.model)
    data.qpos[:7] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    mujoco.mj_kinematics(robot.model, data)
    hips = [data.joint(robot.groups[foot.name][0]).xanchor for foot in robot.feet]
    np.testing.assert_allclose(np.mean(hips, axis=0), np.zeros(3), atol=1e-6)
    # Where it is assumed.
    np.testing.assert_array_equal(robot.model.site(robot.imu_site).pos, np.zeros(3))


def test_a_motor_without_a_name_is_told_by_its_tendon(tmp_path, mjcf):
    belt = '<tendon><fixed name="belt"><joint joint="FL_thigh" coef="1"/><joint joint="FL_calf" coef="1"/></fixed>'
    text = mjcf.replace("<actuator>", f'{belt}</tendon><actuator><motor tendon="belt"/>')
    told = load(tmp_path, text).sources["drives"]
    assert told.startswith("the file's actuator of tendon 'belt' move no joint")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ('soft_lower_limit="-0.5" soft_upper_limit="0.5"', "-0.5 to 0.5"),
        ('soft_upper_limit="0.25"', " to 0.25"),
        ('soft_lower_limit="-9" soft_upper_limit="9"', ""),
        ("", ""),
    ],
)
def test_limits_of_ros_safety_controllers_are_told_not_taken(tmp_path, said, told):
    text = urdf_quadruped()
    begin = text.index("<limit", text.index('joint name="FL_HFE"'))
    safety = f'<safety_controller k_position="10" k_velocity="1" {said}/>'
    plain = load(tmp_path, text, "plain.urdf")
    robot = load(tmp_path, text[:begin] + safety + text[begin:], "quad.urdf")
    np.testing.assert_array_equal(robot.lower, plain.lower)
    if not told:
        assert "soft limits" not in robot.sources
    else:
        assert robot.sources["soft limits"].startswith("those of ROS' safety controllers do not count")
        assert robot.sources["soft limits"].endswith(told)
        assert "FL_HFE" in robot.sources["soft limits"]


def feet_only() -> str:
    """A humanoid whose feet alone collide, as in files for learning to walk."""
    untouched = '<geom contype="0" conaffinity="0" '
    text, sole = mjcf_humanoid().replace("<geom ", untouched), 'type="box" size=".1 .05 .01"'
    return text.replace(f"{untouched}{sole}", f"<geom {sole}")


def test_a_trunk_that_touches_nothing_is_told(tmp_path):
    assert "trunk" not in load(tmp_path, mjcf_humanoid()).sources
    robot = load(tmp_path, feet_only())
    assert robot.sources["trunk"] == (
        "nothing of Trunk collides, so that it sinks into the floor where it falls or lies: only Left_foot, Right_foot"
        " collide"
    )


@pytest.mark.slow
def test_a_robot_that_sinks_into_the_floor_is_told_why_it_does_not_lie(tmp_path):
    robot = load(tmp_path, feet_only())
    with pytest.raises(BackendError, match="nothing of its trunk collides, and it sinks into the floor"):
        MujocoWorld(robot, WorldConfig(start=Start(lying="prone")))


def test_a_gear_beside_the_way_to_the_foot_is_no_ankle(tmp_path):
    """A leg whose motor drives a gear of its own, tied to the joint."""
    text = re.sub("(Left|Right)_(?!foot)", r"\1_x_", mjcf_humanoid())
    text = text.replace("_Hip_Yaw", "_turn").replace("_Ankle_Roll", "_tilt")
    gear = """<body name="{0}_gear"><joint name="{0}_gear" axis="0 0 1" range="-1 1"/>
      <inertial pos="0 0 0" mass=".01" diaginertia="1e-6 1e-6 1e-6"/></body>"""
    for side in ("Left", "Right"):
        shank = f'<body name="{side}_x_shank"'
        text = text.replace(shank, gear.format(side) + shank)
    robot = load(tmp_path, text)
    assert robot.groups["left_leg"][-1] == "Left_gear"
    assert "Left_gear" not in robot.aliases.values()
    assert robot.aliases["left_hip_yaw"] == "Left_x_turn"


def test_six_spread_legs_stand_as_the_file_draws_them(tmp_path):
    legs = "".join(
        f"""<body name="{name}" pos="{x} {y} 0" euler="0 0 {turn}"><joint name="{name}1" axis="0 0 1" range="-10 10"/>
          <inertial pos="0 0 0" mass=".1" diaginertia="1e-4 1e-4 1e-4"/>
          <body pos=".05 0 0"><joint name="{name}2" axis="0 1 0" range="-30 30"/>
            <inertial pos="0 0 0" mass=".1" diaginertia="1e-4 1e-4 1e-4"/>
            <body pos=".08 0 0"><joint name="{name}3" axis="0 1 0" range="-30 30"/>
              <inertial pos="0 0 -.05" mass=".1" diaginertia="1e-4 1e-4 1e-4"/>
              <geom type="capsule" size=".01" fromto="0 0 0 0 0 -.12"/></body></body></body>"""
        for name, x, y, turn in (
            *(("lf", 0.12, 0.06, 45), ("lm", 0.0, 0.1, 90), ("lr", -0.12, 0.06, 135)),
            *(("rf", 0.12, -0.06, -45), ("rm", 0.0, -0.1, -90), ("rr", -0.12, -0.06, -135)),
        )
    )
    trunk = '<body name="body" pos="0 0 .13"><freejoint/><geom type="box" size=".12 .06 .02" mass="1"/>'
    robot = load(tmp_path, f"<mujoco><worldbody>{trunk}{legs}</body></worldbody></mujoco>")
    assert robot.sources["stand"] == "all joints at zero, as the file draws it"
    assert set(robot.postures["stand"].values()) == {0.0}
    assert "stand" not in robot.doubts


def test_what_turns_on_and_on_upon_a_robot_with_legs_is_told(tmp_path):
    lidar = '<body name="lidar" pos=".1 0 .1"><joint name="spin" axis="0 0 1"/><geom size=".02" mass=".1"/></body>'
    text = re.sub("<keyframe>.*</keyframe>", "", mjcf_quadruped())
    robot = load(tmp_path, text.replace('<site name="imu"', f'{lidar}<site name="imu"'))
    assert robot.sources["position limits"] == "assumption: +-180 degrees where the file has none: spin"
    assert robot.doubts == {}


def test_limits_in_radians_that_are_read_as_degrees_are_told(tmp_path):
    """An MJCF that does not say in which unit its angles are has degrees."""
    said = '<compiler angle="radian"/>'
    assert "narrow limits" not in load(tmp_path, mjcf_humanoid()).sources
    robot = load(tmp_path, mjcf_humanoid().replace(said, ""), "unsaid.xml")
    assert robot.sources["narrow limits"] == (
        "no joint of a leg turns by more than 3.3 degrees, as radians in the place of degrees would make it"
    )
