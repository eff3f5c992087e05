"""Bare robots whose base looks backwards, whose names tell no side, or that have no legs."""

from __future__ import annotations

import re

import mujoco
import numpy as np
import pytest
from humanoids import mjcf_humanoid
from quadrupeds import mjcf_quadruped

from andante.robots.bare.facing import _UPS, turn_base
from andante.robots.robot import Robot
from andante.search.errors import SearchError
from andante.search.studies.sagittal import Sagittal

HALF = np.diag([-1.0, -1.0, 1.0])


def load(folder, text: str) -> Robot:
    path = folder / "robot.xml"
    path.write_text(text)
    return Robot.load(path)


@pytest.fixture(scope="module")
def forward(tmp_path_factory) -> Robot:
    return load(tmp_path_factory.mktemp("forward"), mjcf_humanoid())


def turned_text() -> str:
    spec = mujoco.MjSpec.from_string(mjcf_humanoid())
    spec.compile()
    turn_base(spec.body("Trunk"), HALF)
    spec.compile()
    return spec.to_xml()


def test_a_base_that_looks_backwards_is_turned(forward, tmp_path):
    robot = load(tmp_path, turned_text())
    assert robot.sources["base"].startswith("turned by half a turn about z")
    assert {foot.name: foot.body for foot in robot.feet} == {foot.name: foot.body for foot in forward.feet}
    assert robot.doubts == {}
    for one, two in zip(robot.feet, forward.feet, strict=True):
        np.testing.assert_allclose(one.outline, two.outline, atol=1e-6)
    assert robot.model.body_mass.sum() == pytest.approx(forward.model.body_mass.sum())


FULL = '<inertial pos="0 .01 .1" mass="12" fullinertia=".2 .15 .12 .01 .02 -.01"/>'


@pytest.mark.parametrize(
    "inertial",
    [
        f'<frame axisangle="0 0 1 3.14159265">{FULL}</frame>',
        f'<frame childclass="main">{FULL}</frame>',
        '<frame pos=".02 .03 .01" euler=".3 .2 .1"><inertial pos="0 .01 .1" mass="12" diaginertia=".2 .15 .08"'
        ' euler=".5 .2 .1"/></frame>',
    ],
)
def test_an_inertial_in_a_frame_is_turned_once(tmp_path, inertial):
    text = turned_text()
    begin = text.index("<inertial")
    text = text[:begin] + inertial + text[text.index("/>", begin) + 2 :]
    moments = []
    for model in (mujoco.MjModel.from_xml_string(text), load(tmp_path, text).model):
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        from_hip = data.body("Trunk").xipos - data.body("Left_hip").xpos
        turn = data.body("Trunk").ximat.reshape(3, 3)
        tensor = turn @ np.diag(model.body("Trunk").inertia) @ turn.T
        # The robot looks backwards before, and forwards then.
        half = HALF if not moments else np.eye(3)
        moments.append([half @ from_hip, half @ tensor @ half])
    for was, now in zip(*moments, strict=True):
        np.testing.assert_allclose(now, was, atol=1e-6)


def test_an_imu_in_a_frame_keeps_its_turn_against_the_base(tmp_path):
    site = '<site name="imu" pos=".02 0 .1" euler=".1 0 0"/>'
    text = turned_text()
    begin = text.index('<site name="imu"')
    before, after = text[:begin], text[text.index("/>", begin) + 2 :]
    one, other = (load(tmp_path, before + each + after).model for each in (site, f"<frame>{site}</frame>"))
    np.testing.assert_allclose(other.site("imu").quat, one.site("imu").quat, atol=1e-6)
    np.testing.assert_allclose(other.site("imu").pos, one.site("imu").pos, atol=1e-6)


def test_what_is_turned_stays_where_it_is():
    # Moments of the base with all products, a shape in a frame and one that is told by its ends.
    text = """<mujoco><worldbody><body name="b"><freejoint/>
      <inertial pos=".1 .02 0" mass="2" fullinertia=".02 .03 .04 .001 .002 .003"/>
      <geom type="box" size=".1 .1 .2" euler="10 20 30" pos=".1 0 0"/>
      <frame pos="0 .1 0" euler="0 0 20"><geom type="sphere" size=".05" pos=".1 0 0"/></frame>
      <body pos=".1 .2 -.2" euler="0 10 0"><joint name="j" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 .1 0 -.3" size=".03"/></body>
      <site pos="0 .2 .1"/></body></worldbody></mujoco>"""

    def seen(turned: bool) -> list[np.ndarray]:
        spec = mujoco.MjSpec.from_string(text)
        if turned:
            turn_base(spec.body("b"), HALF)
        model = spec.compile()
        data = mujoco.MjData(model)
        data.qpos[3:] = (0.0, 0.0, 0.0, 1.0, 0.3) if turned else (1.0, 0.0, 0.0, 0.0, 0.3)
        mujoco.mj_forward(model, data)
        turns = [np.array(data.ximat[body]).reshape(3, 3) for body in (1, 2)]
        moments = [turn @ np.diag(model.body_inertia[at + 1]) @ turn.T for at, turn in enumerate(turns)]
        return [data.geom_xpos.copy(), data.geom_xmat.copy(), data.site_xpos.copy(), data.xipos.copy(), *moments]

    for one, two in zip(seen(False), seen(True), strict=True):
        np.testing.assert_allclose(one, two, atol=1e-12)


@pytest.mark.parametrize("up", range(len(_UPS)))
def test_four_legs_tell_the_up_of_a_base_whatever_its_axes(tmp_path, up):
    (tmp_path / "plain").mkdir()
    plain = load(tmp_path / "plain", mjcf_quadruped())
    spec = mujoco.MjSpec.from_string(mjcf_quadruped())
    for key in list(spec.keys):
        spec.delete(key)
    spec.compile()
    turn_base(spec.body("trunk"), _UPS[up].T)
    spec.compile()
    robot = load(tmp_path, spec.to_xml())
    assert robot.sources["base"].startswith("turned: by the names of its legs")
    assert {foot.name: foot.body for foot in robot.feet} == {foot.name: foot.body for foot in plain.feet}
    assert {"FL", "FR", "HL", "HR"} <= robot.groups.keys()
    assert "stand" in robot.postures
    # The turn is taken back, so that the model is the one that was not turned.
    np.testing.assert_allclose(robot.model.body_inertia, plain.model.body_inertia, atol=1e-6)
    np.testing.assert_allclose(robot.model.jnt_axis, plain.model.jnt_axis, atol=1e-6)


@pytest.mark.parametrize(("thigh", "calf"), [(90, 180), (90, 0), (-90, 150), (60, 120)])
def test_legs_that_are_folded_or_level_at_zero_stand(tmp_path, thigh, calf):
    text = mjcf_quadruped().replace('range="-90 90"', 'range="-180 180"').replace('range="-150 0"', 'range="-180 180"')
    text = re.sub(r'_thigh" pos="([^"]*)"', rf'_thigh" pos="\1" euler="0 {thigh} 0"', text)
    text = re.sub(r'_calf" pos="([^"]*)"', rf'_calf" pos="\1" euler="0 {calf} 0"', text)
    robot = load(tmp_path, re.sub("<keyframe>.*</keyframe>", "", text))
    assert "stand" not in robot.doubts
    data = mujoco.MjData(robot.model)
    for name, angle in robot.postures["stand"].items():
        data.joint(name).qpos[0] = angle
    mujoco.mj_kinematics(robot.model, data)
    hip, foot = data.joint("FL_thigh").xanchor, data.site(robot.feet[0].site).xpos
    # Legs of 0.2 m each, bent to 0.77 of their length, with the feet below the hips.
    np.testing.assert_allclose((hip - foot)[[0, 2]], [0.0, 0.77 * 0.4], atol=2e-3)


def test_a_stand_at_the_joints_limits_is_inside_them(tmp_path):
    # A thigh that hardly turns: up to 0.0030456 rad, which six digits round up.
    text = mjcf_quadruped().replace('range="-90 90"', 'range="-.5236 .1745"')
    robot = load(tmp_path, re.sub("<keyframe>.*</keyframe>", "", text))
    at = [(joint, robot.postures["stand"][joint.name]) for joint in robot.joints]
    assert all(joint.lower <= angle <= joint.upper for joint, angle in at)
    assert any(angle == joint.upper for joint, angle in at)


def test_a_skin_is_left_out(tmp_path):
    text = mjcf_quadruped().replace("<worldbody>", '<asset><skin name="fur" file="fur.skn"/></asset><worldbody>', 1)
    assert len(load(tmp_path, text).feet) == 4


def test_soles_as_long_behind_as_before_turn_nothing(tmp_path):
    text = mjcf_humanoid().replace('size=".1 .05 .01" pos=".03 0 -.03"', 'size=".1 .05 .01" pos="-.01 0 -.03"')
    assert "base" not in load(tmp_path, text).sources


def test_feet_without_shapes_are_told_and_do_not_turn_a_robot_whose_sides_have_names(tmp_path):
    """The ankles before them reach farther back."""
    ankle = '<body name="{0}_foot"><joint name="{0}_Ankle_Roll"'
    text = mjcf_humanoid().replace('<geom type="box" size=".1 .05 .01" pos=".03 0 -.03"/>', "")
    for side in ("Left", "Right"):
        shape = '<geom type="box" size=".03 .02 .02" pos="-.02 0 0"/>'
        text = text.replace(ankle.format(side), shape + ankle.format(side))
    robot = load(tmp_path, text)
    assert "base" not in robot.sources
    assert {foot.name: foot.body for foot in robot.feet} == {"left": "Left_ankle", "right": "Right_ankle"}
    assert robot.doubts["feet"] == (
        "Left_foot, Right_foot end legs, and nothing of them collides, so that what is before them counts as feet"
    )


def test_joints_whose_names_tell_no_side_are_pairs_by_place_and_axis(forward, tmp_path):
    spec = mujoco.MjSpec.from_string(mjcf_humanoid())
    names = {joint.name: f"zo{7 * at % 23}rk" for at, joint in enumerate(spec.joints) if joint.name}
    text = re.sub(
        r'(name|joint)="(\w+)"', lambda found: f'{found[1]}="{names.get(found[2], found[2])}"', mjcf_humanoid()
    )
    robot = load(tmp_path, text)
    assert set(robot.joint_names) == set(names.values())

    def pairs(of: Robot, told: dict[str, str]) -> set[frozenset[str]]:
        return {frozenset(told.get(name, name) for name in pair) for pair in of.mirror.pairs}

    assert pairs(robot, {}) == pairs(forward, names)
    assert {*robot.mirror.negate} == {names[name] for name in forward.mirror.negate}


@pytest.mark.parametrize("hands", [False, True])
def test_an_upper_body_has_no_legs(tmp_path, hands):
    spec = mujoco.MjSpec.from_string(mjcf_humanoid(waist=False, hands=hands))
    for actuator in list(spec.actuators):
        spec.delete(actuator)
    for side in ("Left", "Right"):
        spec.delete(spec.body(f"{side}_hip"))
    spec.compile()
    robot = load(tmp_path, spec.to_xml())
    assert robot.doubts["legs"].startswith("no legs: what ends lowest are two arms")
    assert robot.feet == ()
    assert {"left_arm", "right_arm", "arms", "head"} <= robot.groups.keys()
    assert not {"left_leg", "right_leg", "legs"} & robot.groups.keys()
    with pytest.raises(SearchError, match="needs two legs"):
        Sagittal(robot, "a get-up")


def test_legs_alone_are_legs(tmp_path):
    spec = mujoco.MjSpec.from_string(mjcf_humanoid())
    for side in ("Left", "Right"):
        spec.delete(spec.body(f"{side}_shoulder"))
    spec.delete(spec.body("neck"))
    spec.compile()
    robot = load(tmp_path, spec.to_xml())
    assert "legs" not in robot.doubts
    with pytest.raises(SearchError, match="arms of two joints or more"):
        Sagittal(robot, "a get-up")


def test_the_origin_of_an_upper_body_stays_where_it_is(tmp_path):
    text = mjcf_humanoid(waist=False)
    box = '<geom type="box" size=".03 .03 .02" pos="0 0 -.14"/>'
    text = text.replace('<geom type="capsule" size=".03" fromto="0 0 -.02 0 0 -.14"/>', box)
    spec = mujoco.MjSpec.from_string(text)
    for actuator in list(spec.actuators):
        spec.delete(actuator)
    for side in ("Left", "Right"):
        spec.delete(spec.body(f"{side}_hip"))
    trunk = spec.body("Trunk")
    # The base is a point below the hands, as of a torso on a pelvis that the file leaves out.
    spec.compile()
    turn_base(trunk, np.eye(3), np.array([0.0, 0.0, -0.3]))
    spec.compile()
    robot = load(tmp_path, spec.to_xml())
    assert "base" not in robot.sources
    assert robot.doubts["legs"].startswith("no legs")


def shapeless(up: np.ndarray | None = None) -> str:
    """A humanoid of which nothing collides, with another up of its base."""
    spec = mujoco.MjSpec.from_string(mjcf_humanoid())
    for geom in [each for body in spec.bodies[1:] for each in body.geoms]:
        geom.contype = geom.conaffinity = 0
    spec.compile()
    if up is not None:
        turn_base(spec.body("Trunk"), up.T)
        spec.compile()
    return spec.to_xml()


@pytest.mark.parametrize("up", [None, *range(len(_UPS))])
def test_legs_of_which_nothing_collides_tell_the_up_of_a_base(tmp_path, up):
    robot = load(tmp_path, shapeless(None if up is None else _UPS[up]))
    assert {foot.body for foot in robot.feet} == {"Left_foot", "Right_foot"}
    assert len(robot.groups["left_leg"]) == len(robot.groups["right_leg"]) == 6
    assert robot.doubts["feet"].endswith("the file gives it no collision shape to stand on")
    assert ("base" in robot.sources) == (up is not None)


@pytest.mark.parametrize(("name", "group"), [("Spine_Z", "waist"), ("Head_yaw", "head")])
def test_a_joint_of_the_spine_is_no_head(tmp_path, name, group):
    text = mjcf_humanoid(waist=False).replace('name="Head_yaw"', f'name="{name}"')
    spec = mujoco.MjSpec.from_string(text)
    for side in ("Left", "Right"):
        spec.delete(spec.body(f"{side}_shoulder"))
    spec.delete(spec.body("head"))
    spec.compile()
    groups = load(tmp_path, spec.to_xml()).groups
    assert groups[group] == (name,)
    assert not {"head", "waist"} - {group} & groups.keys()


def test_legs_that_point_straight_aside_assume_no_speeds(tmp_path):
    def link(name: str, place: str, axis: str, inside: str) -> str:
        mass = '<inertial pos="0 0 0" mass=".2" diaginertia="1e-3 1e-3 1e-3"/>'
        joint = f'<joint name="{name}" axis="{axis}" range="-1 1"/>'
        return f'<body name="{name}_link" pos="{place}">{joint}{mass}{inside}</body>'

    legs = ""
    for name, x, y in (("FL", 0.2, 0.1), ("FR", 0.2, -0.1), ("HL", -0.2, 0.1), ("HR", -0.2, -0.1)):
        calf = link(f"{name}_calf", f"0 {y} 0", "0 1 0", "")
        legs += link(f"{name}_hip", f"{x} {y} 0", "1 0 0", link(f"{name}_thigh", f"0 {y} 0", "0 1 0", calf))
    trunk = f'<freejoint/><inertial pos="0 0 0" mass="2" diaginertia=".1 .1 .1"/>{legs}'
    text = f'<mujoco><compiler angle="radian"/><worldbody><body name="trunk">{trunk}</body></worldbody></mujoco>'
    robot = load(tmp_path, text)
    assert {foot.name for foot in robot.feet} == {"FL", "FR", "HL", "HR"}
    assert robot.sources["speeds"] == "assumption: 10 rad/s where the file has none"
