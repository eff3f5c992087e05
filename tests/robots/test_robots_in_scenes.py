"""Robots as their owners keep them: in scenes with doors and balls, with few joints, with joints that share a motor."""

from __future__ import annotations

import pytest
from bare_files import load, refusal
from quadrupeds import mjcf_quadruped, urdf_joint, urdf_link

LIMIT = '<limit lower="-1.5" upper="1.5" effort="3" velocity="6"/>'
DOOR = '<body name="door" pos="2 0 1"><joint name="hinge" axis="0 0 1"/><geom type="box" size=".02 .4 .5"/></body>'
CUPBOARD = (
    '<body name="cupboard" pos="2 0 1"><freejoint/><geom type="box" size=".2 .4 .5"/><body name="leaf">'
    '<joint name="hinge" axis="0 0 1"/><geom type="box" size=".02 .4 .5"/></body></body>'
)
BALL = '<body name="ball" pos="1 0 .1"><freejoint/><geom type="sphere" size=".1"/></body>'


@pytest.mark.parametrize(("thing", "left_out"), [(DOOR, "door"), (CUPBOARD, "cupboard"), (BALL, "")])
def test_what_else_moves_in_a_scene_is_left_out(tmp_path, mjcf, thing, left_out):
    scene = mjcf.replace("</worldbody>", thing + "</worldbody>").replace(
        "</actuator>", '<motor joint="hinge"/></actuator>' if left_out else "</actuator>"
    )
    wide = {"": " 1 0 .1 1 0 0 0", "door": " .3", "cupboard": " 2 0 1 1 0 0 0 .3"}[left_out]
    scene = scene.replace('0 0.5 -1"/>', f'0 0.5 -1{wide}"/>')
    robot, alone = load(tmp_path, scene), load(tmp_path, mjcf)
    assert robot.joint_names == alone.joint_names
    assert robot.postures["stand"] == pytest.approx(alone.postures["stand"])
    told = "guessed: the robot is body 'trunk'; left out, with joints of their own: "
    assert robot.sources.get("scene") == (told + left_out if left_out else None)


def biped(joints, more=""):
    """A trunk on two legs of hinges about y, each with a flat foot."""
    text = urdf_link("trunk", 1.0)
    for side, y in (("left", 0.05), ("right", -0.05)):
        parent = "trunk"
        for number in range(joints):
            last = number == joints - 1
            sole = '<collision><origin xyz="0.01 0 -0.02"/><geometry><box size="0.1 0.06 0.02"/></geometry></collision>'
            name = f"{side}_{number}"
            text += urdf_link(f"{name}_link", 0.1, sole if last else "")
            place = f"0 {y} -0.06" if number == 0 else "0 0 -0.08"
            text += urdf_joint(name, parent, f"{name}_link", place, "0 1 0", LIMIT).replace("</joint>", "@</joint>")
            parent = f"{name}_link"
    for number in range(2 * joints):
        text = text.replace("@", more if number == 2 * joints - 1 else "", 1)
    return f'<robot name="hobby">{text}</robot>'


@pytest.mark.parametrize(("joints", "least"), [(2, "two"), (3, "three")])
def test_small_bipeds_stand_on_their_soles(tmp_path, joints, least):
    robot = load(tmp_path, biped(joints), "hobby.urdf")
    assert [len(foot.outline) for foot in robot.feet] == [4, 4]
    assert robot.sources["feet"].startswith(f"guessed, lowest ends of limbs with {least} or more joints: left ")
    assert "stand" in robot.postures


def test_quadrupeds_with_eight_servos_have_feet(tmp_path):
    text = urdf_link("trunk", 1.0)
    ball = '<collision><origin xyz="0 0 -0.1"/><geometry><sphere radius="0.01"/></geometry></collision>'
    for leg, (x, y) in {"FL": (0.1, 0.05), "FR": (0.1, -0.05), "RL": (-0.1, 0.05), "RR": (-0.1, -0.05)}.items():
        text += urdf_link(f"{leg}_a", 0.1) + urdf_link(f"{leg}_b", 0.05, ball)
        text += urdf_joint(f"{leg}_hip", "trunk", f"{leg}_a", f"{x} {y} 0", "0 1 0", LIMIT)
        text += urdf_joint(f"{leg}_knee", f"{leg}_a", f"{leg}_b", "0 0 -0.1", "0 1 0", LIMIT)
    robot = load(tmp_path, f'<robot name="cat">{text}</robot>', "cat.urdf")
    assert [foot.name for foot in robot.feet] == ["FL", "FR", "HL", "HR"]
    assert "stand" in robot.postures
    assert not robot.doubts


def test_a_joint_that_mimics_another_has_its_motor(tmp_path):
    robot = load(tmp_path, biped(3, '<mimic joint="left_2"/>'), "hobby.urdf")
    assert robot.joints[robot.index("right_2")].follows == "left_2"
    assert robot.sources["mimic joints"] == "with the motor of another joint: right_2 follows left_2"
    robot = load(tmp_path, biped(3, '<mimic joint="left_2" multiplier="-2" offset="0.1"/>'), "hobby.urdf")
    assert robot.joints[robot.index("right_2")].follows is None
    assert robot.sources["mimic joints"].endswith("so command both: right_2 (-2 x left_2 +0.1)")


def test_files_without_masses_and_files_for_xacro_are_refused_and_a_base_without_mass_is_told(tmp_path):
    text = biped(3)
    bare = text.replace("<inertial>", "<!--").replace("</inertial>", "-->")
    assert refusal(tmp_path, bare).startswith("quad.urdf: no link of the file has a mass, and what a robot weighs")
    xacro = text.replace('mass value="1.0"', 'mass value="${trunk_mass}"')
    assert refusal(tmp_path, xacro).endswith("the file is for xacro: run it first, `xacro FILE > robot.urdf`")
    light = text.replace("<inertial>", "<!--", 1).replace("</inertial>", "-->", 1)
    assert load(tmp_path, light, "hobby.urdf").sources["masses"].endswith(" radius: trunk")


def test_limits_in_degrees_are_told(tmp_path):
    robot = load(tmp_path, biped(3).replace('lower="-1.5" upper="1.5"', 'lower="-90" upper="90"'), "hobby.urdf")
    assert robot.sources["wide limits"].startswith("these turn by more than 20 rad, as degrees in the place of radians")


def test_what_holds_a_robot_in_the_world_is_left_out_and_told(tmp_path):
    """A weld that hangs it up, a default of all joints that brakes its free joint, and weight that is taken off it."""
    held = (
        mjcf_quadruped()
        .replace("<worldbody>", '<default><joint damping="1" armature="0.1"/></default><worldbody>')
        .replace("<freejoint/>", '<joint type="free"/>')
        .replace('<body name="FL_hip"', '<body name="FL_hip" gravcomp="1"')
        .replace("<sensor>", '<equality><weld name="crane" body1="trunk"/><joint joint1="FL_hip"/></equality><sensor>')
    )
    robot = load(tmp_path, held)
    assert robot.sources["held"] == (
        "left out, for nothing holds a robot in the world: a tie 'crane' to the world, friction or inertia of its free"
        " joint, gravity compensation of FL_hip"
    )
    model = robot.model
    assert model.neq == 1
    assert not model.body_gravcomp.any()
    assert not model.dof_damping[:6].any()
    assert not model.dof_armature[:6].any()
    assert model.dof_damping[6] == 1.0
    assert "held" not in load(tmp_path, mjcf_quadruped()).sources


def test_keyframes_of_another_model_are_left_out_and_told(tmp_path):
    """MuJoCo fills up those that are too short with what the joints begin with, and takes a NaN."""
    for wrong, count in (("1 0 0 0.1", 16), ("0 0 nan 1 0 0 0", 19)):
        text = mjcf_quadruped().replace('qpos="0 0 0.4 1 0 0 0', f'qpos="{wrong}')
        robot = load(tmp_path, text)
        told = f"left out, for they are not the 19 finite numbers of this model: stand ({count})"
        assert robot.sources["keyframes"] == told
        assert robot.sources["stand"].startswith("computed")
    ball = '<body name="ball"><freejoint/><geom size="1"/></body><body name="trunk"'
    scene = mjcf_quadruped().replace('<body name="trunk"', ball).replace('qpos="', 'qpos="9 9 9 1 0 0 0 ')
    assert load(tmp_path, scene).postures["stand"] == load(tmp_path, mjcf_quadruped()).postures["stand"]
