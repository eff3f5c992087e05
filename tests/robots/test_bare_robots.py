"""MJCF and URDF robots without a pack: what is read, and what is assumed."""

from __future__ import annotations

import math
import pickle
import re
import struct

import mujoco
import numpy as np
import pytest
from bare_files import MESH, load, refusal, with_visual
from quadrupeds import LEGS, PARTS, mjcf_quadruped, stl_box, urdf_joint, urdf_link, urdf_quadruped

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import WorldConfig
from andante.kinematics.roll_pitch_leg import roll_pitch_legs

# Ball centres with all joints at zero: hip place, side offset, two segments of 0.2 m.
FEET = {"FL": (0.2, 0.15), "FR": (0.2, -0.15), "HL": (-0.2, 0.15), "HR": (-0.2, -0.15)}


def feet_in_base(robot):
    data = mujoco.MjData(robot.model)
    mujoco.mj_kinematics(robot.model, data)
    base = data.body(robot.base_body).xpos
    return {foot.name: data.site(foot.site).xpos - base for foot in robot.feet}


@pytest.fixture(scope="module")
def quad(tmp_path_factory):
    return load(tmp_path_factory.mktemp("quad"), mjcf_quadruped())


def test_mjcf_limits_in_degrees_become_radians(quad):
    assert quad.joint_names == tuple(f"{leg}_{part}" for leg in LEGS for part in PARTS)
    by_part = {joint.name[3:]: (joint.lower, joint.upper) for joint in quad.joints}
    expected = {"hip": (-45, 45), "thigh": (-90, 90), "calf": (-150, 0)}
    for part, degrees in expected.items():
        assert by_part[part] == pytest.approx([math.radians(d) for d in degrees], rel=1e-5)


def test_mjcf_efforts_come_from_motors_and_their_gears(quad):
    assert quad.max_effort.tolist() == [24.0] * 12
    calf = quad.servos[quad.index("FL_calf")]
    assert (calf.max_torque, calf.damping, calf.friction) == (24.0, 0.3, 0.2)
    assert calf.kp == pytest.approx(24.0 / 0.15)


def test_mjcf_keyframes_become_postures(quad):
    stand = quad.posture("stand")
    assert stand.tolist() == [0.0, 0.5, -1.0] * 4
    assert not quad.posture("zero").any()


def test_mjcf_world_motors_and_keys_are_left_out(quad):
    model = quad.model
    assert (model.nu, model.nsensor, model.nkey) == (0, 0, 0)
    assert {model.geom(i).type[0] for i in range(model.ngeom)} == {int(mujoco.mjtGeom.mjGEOM_SPHERE)}
    assert "step" not in {model.body(i).name for i in range(model.nbody)}
    assert model.body_mass.sum() == pytest.approx(6 + 4 * 1.3)


def test_every_guess_is_named_in_the_sources(quad):
    assert set(quad.sources) == {
        *("model", "feet", "groups", "speeds", "rotors", "servos", "torque-speed limits", "acceleration limit"),
        *("joint friction", "stand", "trunk"),
    }
    assert quad.sources["feet"] == (
        "guessed, lowest ends of limbs with three or more joints: FL FL_calf (ball of radius 20 mm),"
        " FR FR_calf (ball of radius 20 mm), HL RL_calf (ball of radius 20 mm), HR RR_calf (ball of radius 20 mm)"
    )


@pytest.mark.parametrize("kind", ["mjcf", "urdf"])
def test_feet_are_found_named_and_ordered(tmp_path, kind):
    robot = load(tmp_path, mjcf_quadruped()) if kind == "mjcf" else load(tmp_path, urdf_quadruped(), "quad.urdf")
    assert [foot.name for foot in robot.feet] == ["FL", "FR", "HL", "HR"]
    assert {foot.radius for foot in robot.feet} == {0.02}
    for name, place in feet_in_base(robot).items():
        np.testing.assert_allclose(place, (*FEET[name], -0.4), atol=1e-9)


def test_only_the_lowest_leaf_of_a_leg_is_a_foot(tmp_path, urdf):
    guard = urdf_link("guard", 0.01) + urdf_joint("g", "FL_calf", "guard", "0 0 -0.19", "1 0 0", "", "fixed")
    robot = load(tmp_path, urdf.replace("</robot>", guard + "</robot>"), "quad.urdf")
    assert [foot.body for foot in robot.feet] == ["FL_foot", "FR_foot", "RL_foot", "RR_foot"]


def test_urdf_limits_speeds_efforts_and_mass(tmp_path, urdf):
    robot = load(tmp_path, urdf, "quad.urdf")
    joint = robot.joints[robot.index("RR_KFE")]
    assert (joint.lower, joint.upper, joint.max_effort, joint.max_velocity) == (-1.5, 1.25, 20.0, 30.0)
    assert robot.base_body == "trunk"
    assert robot.model.nv == 18
    assert robot.model.body_mass.sum() == pytest.approx(6 + 4 * 1.3)
    assert "welded" in robot.sources["base"]


@pytest.mark.parametrize("kind", ["mjcf", "urdf"])
def test_mirrored_angles_mirror_the_feet(tmp_path, kind):
    """The URDF's right hips turn about -x, so that they keep their sign; the MJCF's do not."""
    robot = load(tmp_path, mjcf_quadruped()) if kind == "mjcf" else load(tmp_path, urdf_quadruped(), "quad.urdf")
    assert len(robot.mirror.pairs) == 6
    assert robot.mirror.negate == ({f"{leg}_hip" for leg in LEGS} if kind == "mjcf" else frozenset())
    angles = dict(zip(robot.joint_names, np.random.default_rng(1).uniform(robot.lower, robot.upper), strict=True))
    other = {a: b for pair in robot.mirror.pairs for a, b in (pair, pair[::-1])}
    places = []
    for sign, rename in ((1.0, {}), (-1.0, other)):
        data = mujoco.MjData(robot.model)
        for name, angle in angles.items():
            data.joint(rename.get(name, name)).qpos[0] = angle * (sign if name in robot.mirror.negate else 1.0)
        mujoco.mj_kinematics(robot.model, data)
        places.append({foot.name: data.site(foot.site).xpos.copy() for foot in robot.feet})
    for left, right in (("FL", "FR"), ("HL", "HR")):
        np.testing.assert_allclose(places[0][left], places[1][right] * (1, -1, 1), atol=1e-9)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("left_knee", "right_knee"),
        ("LKneePitch", "RKneePitch"),
        ("calf_fl", "calf_fr"),
        ("ankle_pitch_l", "ankle_pitch_r"),
    ],
)
def test_sides_are_paired_by_name(tmp_path, mjcf, left, right):
    robot = load(tmp_path, mjcf.replace('"FL_calf"', f'"{left}"').replace('"FR_calf"', f'"{right}"'))
    assert (left, right) in robot.mirror.pairs


def test_unnamed_joints_and_bodies_get_names(tmp_path):
    chain = "<body pos='0 0 -.1'><joint axis='0 1 0' range='-9 9'/><geom size='.02'/>" * 3 + "</body>" * 3
    robot = load(tmp_path, f"<mujoco><worldbody><body><freejoint/><geom size='.1'/>{chain}</body></worldbody></mujoco>")
    assert len(set(robot.joint_names) - {""}) == 3
    assert robot.base_body
    assert len(robot.feet) == 1


@pytest.mark.parametrize("base", ["trunk", "world", "odom"])
def test_urdf_roots(tmp_path, urdf, base):
    """A trunk alone, one welded to a link called world, and one floating below a link of another name."""
    above = {
        "trunk": "",
        "world": '<link name="world"/><joint name="w" type="fixed"><parent link="world"/><child link="trunk"/></joint>',
        "odom": '<link name="odom"/><joint name="o" type="floating"><parent link="odom"/><child link="trunk"/></joint>',
    }[base]
    robot = load(tmp_path, urdf.replace("</robot>", above + "</robot>"), "quad.urdf")
    assert robot.base_body == "trunk"
    assert robot.model.nv == 18
    assert robot.model.body_mass.sum() == pytest.approx(6 + 4 * 1.3)


def test_links_without_inertia_get_no_mass_from_their_shapes(tmp_path):
    text = urdf_quadruped().replace('radius="0.02"', 'radius="0.5"')
    assert load(tmp_path, text, "quad.urdf").model.body_mass.sum() == pytest.approx(6 + 4 * 1.3)


def test_impossible_products_of_inertia_are_dropped_and_named(tmp_path, urdf):
    broken = urdf.replace('izz="0.002" ixy="0" ixz="0" iyz="0"', 'izz="0.002" ixy="0.002" ixz="0.002" iyz="0.002"', 1)
    robot = load(tmp_path, broken, "quad.urdf")
    assert robot.sources["inertias"].endswith("dropped: trunk")


MOMENTS = 'ixx="0.002" iyy="0.002" izz="0.002" ixy="0" ixz="0" iyz="0"'


@pytest.mark.parametrize(
    ("moments", "kept", "told"),
    [
        # A rod whose moment about its length was rounded away, and a link as no body can be.
        ('ixx="0.003" iyy="0.003" izz="0.0" ixy="0" ixz="0" iyz="0"', (0.003, 0.003, 3e-5), True),
        ('ixx="0.001" iyy="0.001" izz="0.01" ixy="0" ixz="0" iyz="0"', (0.004, 0.004, 0.004), True),
        # Flat plates: the last digit rounded up, and two turned ones that are flat to more digits than MuJoCo writes.
        (
            'ixx="0.0012345" iyy="0.0023456" izz="0.0035802" ixy="0" ixz="0" iyz="0"',
            (0.00358, 0.002346, 0.001234),
            False,
        ),
        (
            'ixx="0.0012345649" iyy="0.0024681349" izz="0.00123457" ixy="0" ixz="0" iyz="0"',
            (0.002468, 0.001235, 0.001235),
            False,
        ),
        (
            'ixx="4.3811817294825e-05" ixy="8.18299639785789e-06" ixz="2.55404234759754e-06"'
            ' iyy="1.66059448592103e-05" iyz="1.1844769255572e-05" izz="4.31323573125218e-05"',
            (5.1775e-05, 4.109e-05, 1.0685e-05),
            False,
        ),
    ],
)
def test_moments_of_inertia_that_cannot_be_are_mended_no_more_than_need_be(tmp_path, urdf, moments, kept, told):
    assert MOMENTS in urdf
    robot = load(tmp_path, urdf.replace(MOMENTS, moments, 1), "quad.urdf")
    found = sorted(robot.model.body("trunk").inertia, reverse=True)
    assert found == pytest.approx(sorted(kept, reverse=True), rel=1e-3)
    assert found[0] < found[1] + found[2]
    assert robot.sources.get("inertias", "").endswith(": trunk") is told


def test_legs_as_long_as_no_robot_s_are_told(tmp_path, urdf):
    """Lengths in centimetres."""
    longer = re.sub(
        r'xyz="([^"]*)"/><axis', lambda m: f'xyz="{" ".join(f"{100 * float(x):g}" for x in m[1].split())}"/><axis', urdf
    )
    assert "size" not in load(tmp_path, urdf, "quad.urdf").sources
    assert load(tmp_path, longer, "quad.urdf").sources["size"].startswith("legs of 40 m, as millimetres or centimetres")


def test_a_urdf_with_an_extension_for_mujoco_loads(tmp_path, urdf):
    extension = (
        '<mujoco><compiler fusestatic="true" discardvisual="false" meshdir="shapes"/><option timestep="9"/></mujoco>'
    )
    robot = load(tmp_path, urdf.replace("</robot>", extension + "</robot>"), "quad.urdf")
    assert len(robot.feet) == 4


@pytest.mark.parametrize(
    ("file", "name", "meshdir"),
    [
        ("meshes/box.stl", "package://quad_description/meshes/box.stl", ""),
        ("urdf/box.STL", "box.STL", ""),
        ("urdf/a/box.stl", "file://a/box.stl", ""),
        ("meshes/box.stl", "../meshes/box.stl", ""),
        ("meshes/box.stl", "..\\meshes\\box.stl", ""),
        ("meshes/box.stl", "model://quad_description/meshes/box.stl", ""),
        ("meshes/a box.stl", "package://quad_description/meshes/a%20box.stl", ""),
        ("meshes/box.stl", "box.stl", "../meshes"),
    ],
)
def test_urdf_meshes_are_found_and_kept(tmp_path, monkeypatch, file, name, meshdir):
    package = tmp_path / "quad_description"
    for folder in ("urdf/a", "meshes"):
        (package / folder).mkdir(parents=True)
    (package / file).write_bytes(stl_box())
    text = urdf_quadruped(shape=MESH.format(name))
    if meshdir:
        text = text.replace("</robot>", f'<mujoco><compiler meshdir="{meshdir}"/></mujoco></robot>')
    robot = load(package / "urdf", text, "quad.urdf")
    (package / file).unlink()
    monkeypatch.chdir(tmp_path)
    model = robot.spec().compile()
    assert model.nmesh == 1
    assert len(robot.assets) == 1


def test_a_urdf_s_mesh_without_volume_is_a_shape_all_the_same(tmp_path):
    """An open shell: MuJoCo would compute a mass of it that nobody needs."""
    corners = [(-0.05, -0.05, 0.0), (0.05, -0.05, 0.0), (0.05, 0.05, 1e-6), (-0.05, 0.05, 0.0)]
    faces = [(corners[0], *corners[1:3]), (corners[0], *corners[2:4])]
    raw = b"".join(struct.pack("<12fH", 0, 0, 0, *np.ravel(face), 0) for face in faces)
    (tmp_path / "box.stl").write_bytes(b"\0" * 80 + struct.pack("<I", len(faces)) + raw)
    robot = load(tmp_path, urdf_quadruped(shape=MESH.format("box.stl")), "quad.urdf")
    assert robot.model.nmesh == 1
    assert robot.model.body_mass.sum() == pytest.approx(6 + 4 * 1.3, abs=0.01)


def test_mjcf_meshes_in_meshdir_are_found_and_kept(tmp_path, mjcf):
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "box.stl").write_bytes(stl_box())
    text = mjcf.replace(
        "<worldbody>", '<compiler meshdir="assets"/><asset><mesh name="b" file="box.stl"/></asset><worldbody>'
    )
    text = text.replace('<site name="imu"', '<geom type="mesh" mesh="b"/><site name="imu"')
    robot = load(tmp_path, text)
    (tmp_path / "assets" / "box.stl").unlink()
    assert robot.spec().compile().nmesh == 1


def test_an_mjcf_with_includes_loads(tmp_path, mjcf):
    (tmp_path / "quad_body.xml").write_text(mjcf)
    robot = load(tmp_path, '<mujoco><include file="quad_body.xml"/><statistic extent="1"/></mujoco>', "scene.xml")
    assert len(robot.joints) == 12


def test_a_bare_robot_stands_in_physics(quad):
    world = MujocoWorld(quad, WorldConfig(timestep=0.002))
    command = quad.command()
    command.position[:] = quad.posture("stand")
    command.kp[:], command.kd[:] = quad.servo_kp, quad.servo_kd
    for _ in range(100):
        world.write(command)
        world.advance(quad.tick)
    sensors = world.read()
    assert sensors.contact.tolist() == [1.0] * 4
    np.testing.assert_allclose(sensors.position, quad.posture("stand"), atol=0.1)
    assert sensors.accelerometer[2] == pytest.approx(9.81, abs=0.5)


def test_a_bare_robot_can_go_to_another_process(quad):
    there = pickle.loads(pickle.dumps(quad))
    assert there.joints == quad.joints
    assert there.mjcf == quad.mjcf
    assert there.postures["stand"] == quad.postures["stand"]


def test_moving_links_without_mass_or_inertia_get_small_ones_and_are_named(tmp_path, urdf):
    """Fingers and frames of real files have none; rounding makes some of their moments less than zero."""
    mass, moments = '<mass value="0.2"/>', 'ixx="0.002" iyy="0.002" izz="0.002"'
    legs = urdf.split(mass)
    assert len(legs) == 5
    flat = legs[2].replace(moments, 'ixx="-5e-20" iyy="0" izz="-1e-21"', 1)
    robot = load(tmp_path, legs[0] + mass + legs[1] + mass + flat + mass + mass.join(legs[3:]), "quad.urdf")
    calf = robot.model.body("FR_calf")
    assert calf.mass[0] == pytest.approx(0.2)
    assert calf.inertia == pytest.approx([0.4 * 0.2 * 0.05**2] * 3)
    assert robot.sources["masses"] == (
        "assumption: the file gives no mass or no moment of inertia; 1 g where there is no mass, and a ball of 5 cm"
        " radius: FR_calf"
    )
    finger = urdf_link("finger", 0.0) + urdf_joint(
        "bend", "trunk", "finger", "0.2 0 0", "0 1 0", '<limit lower="-1" upper="1" effort="1" velocity="5"/>'
    )
    robot = load(tmp_path, urdf.replace("</robot>", finger + "</robot>"), "quad.urdf")
    assert robot.model.body("finger").mass[0] == pytest.approx(0.001)
    assert robot.sources["masses"].endswith(": finger")


def named(urdf, names):
    """The quadruped with other names of its legs, by FL, FR, RL, RR."""
    for leg, name in names.items():
        urdf = urdf.replace(f'"{leg}_', f'"{name}_')
    return urdf


def test_sides_that_names_tell_otherwise_make_left_and_right_doubtful(tmp_path, urdf):
    """Names of sides alone do not say which way a base looks."""
    names = {"FL": "r_one", "FR": "l_one", "RL": "r_two", "RR": "l_two"}
    assert load(tmp_path, named(urdf, names), "quad.urdf").doubts["feet"] == (
        "FL is r_one_foot, whose name says the other side: the base's x axis may point backwards, or its y axis to the"
        " right"
    )
    assert "feet" not in load(tmp_path, urdf, "quad.urdf").doubts


@pytest.mark.parametrize(
    ("names", "front"),
    [
        ({"FL": "r_hind", "FR": "l_hind", "RL": "r_fore", "RR": "l_fore"}, "-x"),
        ({"FL": "LegFrontRight", "FR": "LegRearRight", "RL": "LegFrontLeft", "RR": "LegRearLeft"}, "y"),
        ({"FL": "LH", "FR": "LF", "RL": "RH", "RR": "RF"}, "-y"),
    ],
)
def test_names_of_four_corners_tell_which_way_a_base_looks(tmp_path, urdf, names, front):
    """Exports of CAD programs have their front along y, and iCub's x axis points to its back."""
    robot = load(tmp_path, named(urdf, names), "quad.urdf")
    assert "feet" not in robot.doubts
    assert f"turned: by the names of its legs its front was along {front}, " in robot.sources["base"]
    corners = {"FL": ("l_fore", "LegFrontLeft", "LF"), "HR": ("r_hind", "LegRearRight", "RH")}
    for foot in robot.feet:
        assert foot.name not in corners or foot.body.removesuffix("_foot") in corners[foot.name]


def test_axes_of_legs_without_names_tell_that_a_base_walks_along_y(tmp_path, urdf):
    turned = urdf
    for leg, (x, y) in LEGS.items():
        turned = turned.replace(f'xyz="{x} {y} 0"', f'xyz="{-y} {x} 0" rpy="0 0 1.5707963268"').replace(
            f"{leg}_", f"n{x}{y}"
        )
    robot = load(tmp_path, turned, "quad.urdf")
    assert robot.sources["base"].startswith(
        "turned: by its legs and feet its front was along y, its left along -x, its up z; or its front and its hind are"
        " exchanged, which no name tells"
    )
    assert [leg.name for leg in roll_pitch_legs(robot)] == ["FL", "FR", "HL", "HR"]
    assert [foot.body for foot in robot.feet] == [f"n{x}{y}foot" for x, y in LEGS.values()]
    # Legs that yaw and stretch to the sides, as a spider's, say nothing.
    spider = turned.replace('<axis xyz="1 0 0"/>', '<axis xyz="0 0 1"/>').replace(
        '<axis xyz="-1 0 0"/>', '<axis xyz="0 0 1"/>'
    )
    assert "turned" not in load(tmp_path, spider, "spider.urdf").sources["base"]


def test_limbs_of_two_joints_without_limits_turn_half_a_turn_each_way(tmp_path):
    """Legs of two joints are no wheels."""
    text = "".join(
        urdf_link(f"{side}{part}", 0.2)
        + urdf_joint(
            f"{side}{part}j", "trunk" if part == "a" else f"{side}a", f"{side}{part}", f"0 {y} -0.1", "0 1 0",
            '<limit effort="5" velocity="9"/>', "continuous",
        )
        for side, y in (("l", 0.1), ("r", -0.1))
        for part in "ab"
    )  # fmt: skip
    robot = load(tmp_path, f'<robot name="two">{urdf_link("trunk", 2.0)}{text}</robot>', "two.urdf")
    assert robot.upper == pytest.approx([math.pi] * 4)
    assert robot.sources["position limits"].startswith("assumption: +-180 degrees")


def test_an_stl_in_text_is_the_same_shape_as_a_binary_one(tmp_path):
    raw = stl_box()
    triangles = np.frombuffer(raw, [("n", "<f4", 3), ("c", "<f4", (3, 3)), ("m", "<u2")], offset=84)["c"]
    text = "solid box\n"
    for corners in triangles:
        inside = "".join(f"      vertex {x:e} {y:e} {z:e}\n" for x, y, z in corners)
        text += f"  facet normal 0 0 0\n    outer loop\n{inside}    endloop\n  endfacet\n"
    vertices = []
    for content in (raw, (text + "endsolid box\n").encode()):
        (tmp_path / "box.stl").write_bytes(content)
        model = load(tmp_path, urdf_quadruped(shape=MESH.format("box.stl")), "quad.urdf").model
        vertices.append(model.mesh_vert.copy())
    assert vertices[0] == pytest.approx(vertices[1], abs=1e-6)
    (tmp_path / "box.stl").write_text(text.replace("vertex", "vertex x", 1))
    assert "the model cannot be compiled" in refusal(tmp_path, urdf_quadruped(shape=MESH.format("box.stl")))


LOST = "left out, for their files are missing and the robot collides with none of them: "


def test_meshes_that_are_only_looked_at_may_be_missing(tmp_path, mjcf):
    robot = load(tmp_path, with_visual(mjcf))
    assert robot.sources["shapes"] == LOST + "shell"
    assert robot.model.nmesh == 0
    assert robot.model.body_mass.sum() == pytest.approx(6 + 4 * 1.3)


def test_textures_and_the_world_s_height_fields_may_be_missing(tmp_path, mjcf):
    seen = (
        '<compiler texturedir="pictures"/><asset><texture type="2d" file="wood.png"/>'
        '<material name="wood" texture="wood" rgba="1 0 0 1"/><hfield name="hills" file="hills.png" size="1 1 1 1"/>'
        '</asset><worldbody><geom type="hfield" hfield="hills"/>'
    )
    text = mjcf.replace("<worldbody>", seen).replace('type="sphere"', 'type="sphere" material="wood"')
    robot = load(tmp_path, text)
    assert robot.sources["shapes"] == LOST + "wood, hills"
    assert robot.drawn_spec().compile().mat("wood").rgba[0] == 1.0
    carried = text.replace('<site name="imu"', '<geom type="hfield" hfield="hills"/><site name="imu"')
    assert "hills.png" in refusal(tmp_path, carried, "carried.xml")


def test_feet_that_only_collide_by_a_pair_with_the_file_s_floor_collide_with_ours(tmp_path, mjcf):
    text = mjcf.replace('type="plane"', 'name="floor" type="plane"')
    for leg in LEGS:
        ball = '<geom type="sphere" size="0.02" pos="0 0 -0.2"/>'
        text = text.replace(ball, ball.replace("<geom", f'<geom name="{leg}" contype="0" conaffinity="0"'), 1)
    pairs = "".join(f'<pair geom1="{leg}" geom2="floor"/>' for leg in LEGS)
    robot = load(tmp_path, text.replace("<actuator>", f"<contact>{pairs}</contact><actuator>"))
    assert [foot.radius for foot in robot.feet] == [0.02] * 4
    assert robot.model.npair == 0
    world = MujocoWorld(robot, WorldConfig(timestep=0.002))
    world.advance(0.3)
    assert world.read().contact.tolist() == [1.0] * 4


def test_a_body_that_does_not_touch_the_file_s_world_touches_ours(tmp_path, mjcf):
    apart = '<exclude body1="world" body2="FL_calf"/><exclude body1="FL_calf" body2="FR_calf"/>'
    robot = load(tmp_path, mjcf.replace("</mujoco>", f"<contact>{apart}</contact></mujoco>"))
    assert robot.model.nexclude == 1


def test_solver_options_and_defaults_of_the_file_do_not_reach_the_world(tmp_path, mjcf):
    """One iteration of the solver, and shapes that do not collide unless they say so: nothing would stand."""
    text = mjcf.replace("<worldbody>", '<option iterations="1" ls_iterations="2"/><worldbody>')
    text = text.replace("<worldbody>", '<default><geom contype="0" conaffinity="0"/></default><worldbody>')
    text = text.replace('<geom type="sphere"', '<geom contype="1" conaffinity="1" type="sphere"')
    robot = load(tmp_path, text)
    usual = mujoco.MjSpec().option
    assert (robot.model.opt.iterations, robot.model.opt.ls_iterations) == (usual.iterations, usual.ls_iterations)
    world = MujocoWorld(robot, WorldConfig(timestep=0.002))
    world.advance(0.3)
    assert world.read().contact.tolist() == [1.0] * 4
