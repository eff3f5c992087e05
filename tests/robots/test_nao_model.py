"""The shipped NAO against the published numbers, written out here a second time in their own units."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from andante.robots.robot import Robot
from andante.spatial.polygons import area, convex_hull, signed_distance

LIMITS_DEG = {
    "HeadYaw": (-119.5, 119.5),
    "HeadPitch": (-38.5, 29.5),
    "LShoulderPitch": (-119.5, 119.5),
    "LShoulderRoll": (-18, 76),
    "LElbowYaw": (-119.5, 119.5),
    "LElbowRoll": (-88.5, -2),
    "LWristYaw": (-104.5, 104.5),
    "LHand": (0, 57.2958),
    "RShoulderPitch": (-119.5, 119.5),
    "RShoulderRoll": (-76, 18),
    "RElbowYaw": (-119.5, 119.5),
    "RElbowRoll": (2, 88.5),
    "RWristYaw": (-104.5, 104.5),
    "RHand": (0, 57.2958),
    "LHipYawPitch": (-65.62, 42.44),
    "LHipRoll": (-21.74, 45.29),
    "LHipPitch": (-88, 27.73),
    "LKneePitch": (-5.29, 121.04),
    "LAnklePitch": (-68.15, 52.86),
    "LAnkleRoll": (-22.79, 44.06),
    "RHipYawPitch": (-65.62, 42.44),
    "RHipRoll": (-45.29, 21.74),
    "RHipPitch": (-88, 27.73),
    "RKneePitch": (-5.9, 121.47),
    "RAnklePitch": (-67.97, 53.4),
    "RAnkleRoll": (-44.06, 22.8),
}
SPEEDS = {
    4.16174: ("HipYawPitch", "HipRoll", "AnkleRoll"),
    6.40239: ("HipPitch", "KneePitch", "AnklePitch"),
    8.26797: ("HeadYaw", "ShoulderPitch", "ElbowYaw"),
    7.19407: ("HeadPitch", "ShoulderRoll", "ElbowRoll"),
    24.6229: ("WristYaw",),
}
MASSES_G = {
    "Torso": 1049.56,
    "Head": 659.73,
    "Neck": 78.42,
    "Pelvis": 69.81,
    "Hip": 140.53,
    "Thigh": 389.68,
    "Tibia": 301.42,
    "Ankle": 134.16,
    "Foot": 171.84,
    "Shoulder": 93.04,
    "Bicep": 157.77,
    "Elbow": 64.83,
    "ForeArm": 77.61,
    "Wrist": 185.33,
}
# Left sole in the torso for hip yaw pitch, hip roll, hip pitch, knee, ankle pitch, ankle roll.
FEET = [
    ((0, 0, 0, 0, 0, 0), (0, 0.05, -0.33309), None),
    ((0, 0, -0.5, 1, -0.5, 0), (-0.00139, 0.05, -0.308252), ((1, 0, 0), (0, 0, 1))),
    (
        (-0.4, 0.2, -0.6, 1.1, -0.5, -0.1),
        (0.054896, 0.09774, -0.290465),
        ((0.921061, -0.301475, -0.246495), (0.27536, 0.056621, 0.959672)),
    ),
    (
        (0.3, -0.1, -0.3, 0.8, -0.4, 0.1),
        (-0.075094, 0.042089, -0.304256),
        ((0.927724, 0.218372, 0.302725), (-0.304814, -0.024899, 0.952086)),
    ),
]
LEG = ("HipYawPitch", "HipRoll", "HipPitch", "KneePitch", "AnklePitch", "AnkleRoll")
FLIP = np.diag([1.0, -1.0, 1.0])


def posed(robot: Robot, angles: dict[str, float]) -> mujoco.MjData:
    """The model with the torso at the origin and these joint angles."""
    data = mujoco.MjData(robot.model)
    data.qpos[:] = 0.0
    data.qpos[3] = 1.0
    for name, angle in angles.items():
        data.joint(name).qpos[0] = angle
    mujoco.mj_forward(robot.model, data)
    return data


def full_inertia(model: mujoco.MjModel, body: int) -> np.ndarray:
    """Inertia about the centre of mass in the body's frame, (3, 3)."""
    axes = np.zeros(9)
    mujoco.mju_quat2Mat(axes, model.body_iquat[body])
    axes = axes.reshape(3, 3)
    return axes @ np.diag(model.body_inertia[body]) @ axes.T


def side_bodies(model: mujoco.MjModel) -> list[tuple[int, int]]:
    names = [model.body(index).name for index in range(model.nbody)]
    return [(names.index(name), names.index("R" + name[1:])) for name in names if name.startswith("L")]


def test_joint_order_is_head_left_arm_right_arm_left_leg_right_leg(nao: Robot) -> None:
    assert nao.joint_names == tuple(LIMITS_DEG)


def test_one_motor_moves_both_hip_yaw_pitch_joints(nao: Robot) -> None:
    assert {joint.name: joint.follows for joint in nao.joints if joint.follows} == {"RHipYawPitch": "LHipYawPitch"}
    assert sum(1 for joint in nao.joints if joint.follows is None) == 25


@pytest.mark.parametrize("name", LIMITS_DEG)
def test_position_limits(nao: Robot, name: str) -> None:
    joint = nao.joints[nao.index(name)]
    assert (math.degrees(joint.lower), math.degrees(joint.upper)) == pytest.approx(LIMITS_DEG[name], abs=0.006)


def test_speeds(nao: Robot) -> None:
    for speed, endings in SPEEDS.items():
        for joint in nao.joints:
            if joint.name in endings or joint.name[1:] in endings:
                assert joint.max_velocity == speed, joint.name


def test_efforts(nao: Robot) -> None:
    efforts = dict(zip(nao.joint_names, nao.max_effort, strict=True))
    assert {efforts[side + name] for side in "LR" for name in ("HipYawPitch", "HipRoll", "AnkleRoll")} == {3.348}
    assert {efforts[side + name] for side in "LR" for name in ("HipPitch", "KneePitch", "AnklePitch")} == {3.023}
    for name in ("ShoulderPitch", "ShoulderRoll", "ElbowYaw", "ElbowRoll"):
        assert 1.329 <= efforts["L" + name] == efforts["R" + name] <= 1.7835


def test_masses(nao: Robot) -> None:
    model = nao.model
    for index in range(1, model.nbody):
        name = model.body(index).name
        mass = MASSES_G.get(name, MASSES_G.get(name[1:], 2e-3))
        assert model.body_mass[index] == pytest.approx(mass / 1000.0, rel=1e-12), name
    assert model.body_mass.sum() == pytest.approx(5.35975, abs=1e-5)


def test_centre_of_mass_of_the_zero_pose(nao: Robot) -> None:
    np.testing.assert_allclose(posed(nao, {}).subtree_com[1], (0.02122, 0.00018, -0.03281), atol=1e-5)


def test_inertias_are_about_the_centre_of_mass(nao: Robot) -> None:
    # About the joint the thigh has 1636.72 on x: the table that must not be taken as it stands.
    thigh = full_inertia(nao.model, nao.model.body("LThigh").id) * 1e6
    np.testing.assert_allclose(np.diag(thigh), (509.84, 465.36, 301.10), atol=0.01)


def test_head_inertia_is_the_v6_table_shifted_to_its_centre_of_mass(nao: Robot) -> None:
    mass, com = 659.73, np.array([1.09, 1.46, 57.19])
    table = np.array(
        [[2929818.72, 3717.10, -31446.71], [3717.10, 2838592.56, -73773.31], [-31446.71, -73773.31, 716895.93]]
    )
    shifted = table - mass * (com @ com * np.eye(3) - np.outer(com, com))
    found = full_inertia(nao.model, nao.model.body("Head").id) * 1e9
    np.testing.assert_allclose(found, shifted, atol=2.0)


def test_every_inertia_is_one_of_a_real_body(nao: Robot) -> None:
    for index in range(1, nao.model.nbody):
        small, middle, large = sorted(nao.model.body_inertia[index])
        assert small > 0.0
        assert large <= (small + middle) * (1.0 + 1e-6), nao.model.body(index).name


@pytest.mark.parametrize(("angles", "position", "rows"), FEET)
def test_forward_kinematics_reference(nao: Robot, angles, position, rows) -> None:
    site = posed(nao, {"L" + name: angle for name, angle in zip(LEG, angles, strict=True)}).site("left_sole")
    np.testing.assert_allclose(site.xpos, position, atol=1e-5)
    if rows is not None:
        np.testing.assert_allclose(site.xmat.reshape(3, 3)[[0, 2]], rows, atol=1e-5)


def test_right_links_mirror_the_left_ones(nao: Robot) -> None:
    model = nao.model
    pairs = side_bodies(model)
    assert len(pairs) == 12
    for left, right in pairs:
        assert model.body_mass[left] == model.body_mass[right]
        np.testing.assert_allclose(model.body_pos[right], FLIP @ model.body_pos[left], atol=1e-12)
        np.testing.assert_allclose(model.body_ipos[right], FLIP @ model.body_ipos[left], atol=1e-12)
        np.testing.assert_allclose(
            full_inertia(model, right), FLIP @ full_inertia(model, left) @ FLIP, rtol=0.0, atol=1e-12
        )


def test_shapes_mirror(nao: Robot) -> None:
    model, data = nao.model, posed(nao, {})
    shapes: dict[bool, list[tuple[float, ...]]] = {False: [], True: []}
    for index in range(model.ngeom):
        if model.geom_contype[index] == 0:
            continue
        for flip in (False, True):
            position = data.geom_xpos[index] * ((1.0, -1.0, 1.0) if flip else (1.0, 1.0, 1.0))
            radius = model.geom_rbound[index]
            shapes[flip].append(tuple(np.round([model.geom_type[index], radius, *position], 6) + 0.0))
    assert sorted(shapes[False]) == sorted(shapes[True])


@pytest.mark.parametrize("seed", range(5))
def test_mirrored_angles_mirror_the_whole_robot(nao: Robot, seed: int) -> None:
    random = np.random.default_rng(seed)
    angles = dict(zip(nao.joint_names, random.uniform(nao.lower, nao.upper), strict=True))
    angles["RHipYawPitch"] = angles["LHipYawPitch"]
    other = {left: right for pair in nao.mirror.pairs for left, right in (pair, pair[::-1])}
    mirrored = {other.get(name, name): -angle if name in nao.mirror.negate else angle for name, angle in angles.items()}
    here, there = posed(nao, angles), posed(nao, mirrored)
    for left, right in side_bodies(nao.model):
        np.testing.assert_allclose(there.xipos[right], FLIP @ here.xipos[left], atol=1e-9)
        np.testing.assert_allclose(there.xipos[left], FLIP @ here.xipos[right], atol=1e-9)


def test_soles_have_the_published_extents(nao: Robot) -> None:
    left, right = (np.array(foot.outline) for foot in nao.feet)
    front, outer = left.max(axis=0)
    back, inner = left.min(axis=0)
    assert (front, back) == pytest.approx((0.100, -0.050), abs=1e-3)
    assert (inner, outer) == (-0.03877, 0.05002)
    np.testing.assert_allclose(sorted(map(tuple, right * (1, -1))), sorted(map(tuple, left)))


@pytest.mark.parametrize("side", [0, 1])
def test_outline_is_convex_and_counter_clockwise(nao: Robot, side: int) -> None:
    points = np.array(nao.feet[side].outline)
    edges = np.roll(points, -1, axis=0) - points
    following = np.roll(edges, -1, axis=0)
    assert (edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0] > 0.0).all()


@pytest.mark.parametrize("side", [0, 1])
def test_the_shape_that_touches_the_ground_is_the_outline(nao: Robot, side: int) -> None:
    """Three boxes fill the outline: nowhere more than 2 mm beyond it, 98 % of its area."""
    foot, model = nao.feet[side], nao.model
    corners = []
    for part in ("wide", "middle", "long"):
        geom = model.geom(f"{foot.site}_{part}")
        low, high = geom.pos - geom.size, geom.pos + geom.size
        assert low[2] == pytest.approx(model.site(foot.site).pos[2], abs=1e-9)
        corners += [(x, y) for x in (low[0], high[0]) for y in (low[1], high[1])]
    assert signed_distance(np.array(foot.outline), np.array(corners)).min() > -2e-3
    hull = convex_hull(np.array(corners))
    assert signed_distance(hull, np.array(foot.outline)).min() > -6e-3
    assert area(hull) > 0.98 * area(np.array(foot.outline))


def test_pressure_cells_lie_under_the_soles_and_mirror(nao: Robot) -> None:
    left, right = ({name: (x, y) for name, x, y in foot.cells} for foot in nao.feet)
    assert left == {
        "front_left": (0.07025, 0.0299),
        "front_right": (0.07025, -0.0231),
        "back_left": (-0.03025, 0.0299),
        "back_right": (-0.02965, -0.0191),
    }
    for here, there in (("left", "right"), ("right", "left")):
        for end in ("front", "back"):
            x, y = left[f"{end}_{here}"]
            assert right[f"{end}_{there}"] == (x, -y)


def test_shapes_behind_lying_and_rising(nao: Robot) -> None:
    """Thin waist and hands of 95 mm: a full-depth waist or shorter hands keep a lying NAO from rising."""
    data = posed(nao, {})
    waist = nao.model.geom("waist")
    assert waist.pos[0] - waist.size[0] == pytest.approx(-0.030, abs=1e-9)
    hand = nao.model.geom("left_hand")
    tip = data.geom("left_hand").xpos[0] + hand.size[0] + hand.size[1]
    assert tip - data.body("LWrist").xpos[0] == pytest.approx(0.095, abs=1e-9)


@pytest.mark.parametrize("posture", ["zero", "stand", "sit"])
def test_postures_are_symmetric_inside_the_limits_and_touch_nothing(nao: Robot, posture: str) -> None:
    angles = nao.posture(posture)
    legal = [nao.joints[i].name for i in range(len(angles)) if nao.lower[i] <= angles[i] <= nao.upper[i]]
    # At zero the elbows are 2 degrees outside of their range, as on the real robot.
    assert set(nao.joint_names) - set(legal) <= ({"LElbowRoll", "RElbowRoll"} if posture == "zero" else set())
    for left, right in nao.mirror.pairs:
        sign = -1.0 if left in nao.mirror.negate else 1.0
        assert angles[nao.index(right)] == sign * angles[nao.index(left)]
    assert posed(nao, dict(zip(nao.joint_names, angles, strict=True))).ncon == 0


@pytest.mark.parametrize("posture", ["stand", "sit"])
def test_centre_of_mass_is_over_level_soles(nao: Robot, posture: str) -> None:
    data = posed(nao, dict(zip(nao.joint_names, nao.posture(posture), strict=True)))
    left, right = data.site("left_sole"), data.site("right_sole")
    np.testing.assert_allclose(left.xmat.reshape(3, 3), np.eye(3), atol=0.03)
    forward = data.subtree_com[1][0] - left.xpos[0]
    assert -0.02 < forward < 0.07
    assert left.xpos[2] == pytest.approx(right.xpos[2], abs=1e-12)


def test_buttons_and_groups(nao: Robot) -> None:
    assert len(nao.buttons) == len(set(nao.buttons)) == 3 + 1 + 6 + 4
    assert sorted(name for group in nao.groups.values() for name in group) == sorted(nao.joint_names)


def test_servos_follow_the_stated_calibration(nao: Robot) -> None:
    for joint, servo in zip(nao.joints, nao.servos, strict=True):
        assert servo.max_velocity == joint.max_velocity
        if joint.name.endswith("Hand"):
            continue
        # A third of torque limit over no-load speed, by servo class.
        assert servo.damping == pytest.approx(servo.max_torque / joint.max_velocity / 3.0, rel=0.15)


@pytest.mark.parametrize(
    "topic",
    [
        "dimensions",
        "masses",
        "inertias",
        "position limits",
        "speeds",
        "efforts",
        "acceleration limit",
        "servos",
        "sole",
        "pressure cells",
        "imu",
        "shapes",
        "head pitch range",
        "tick",
        "delay",
        "postures",
        "hand",
    ],
)
def test_every_topic_names_its_source(nao: Robot, topic: str) -> None:
    assert nao.sources[topic].strip()


@pytest.mark.parametrize("topic", ["acceleration limit", "servos", "shapes", "delay", "hand"])
def test_assumptions_are_marked(nao: Robot, topic: str) -> None:
    assert "assumption" in nao.sources[topic]
