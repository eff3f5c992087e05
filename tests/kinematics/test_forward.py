"""Kinematics against Pinocchio, finite differences and hand-worked values."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
from pinocchio_oracle import Oracle

from andante.kinematics.forward import Kinematics, KinematicsError
from andante.robots.robot import Robot
from andante.spatial.rotations import exp, from_matrix, log, multiply, normalise, to_matrix
from property_examples import configurations


@pytest.fixture(params=["small", "nao"])
def robot(request: pytest.FixtureRequest) -> Robot:
    return request.getfixturevalue(request.param)


def random_joints(robot: Robot, rng: np.random.Generator) -> np.ndarray:
    joints = rng.uniform(robot.lower, robot.upper)
    for index, joint in enumerate(robot.joints):
        if joint.follows:
            joints[index] = joints[robot.index(joint.follows)]
    return joints


def random_base(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(size=3), normalise(rng.normal(size=4))


def frames(robot: Robot) -> list[str]:
    """The frames that control asks for: soles and IMU."""
    return [*(foot.site for foot in robot.feet), robot.imu_site]


@pytest.mark.slow
def test_positions_com_and_jacobians_equal_pinocchio_on_10000_configurations(robot, rng):
    kinematics, oracle, names = Kinematics(robot), Oracle(robot), frames(robot)
    worst = dict.fromkeys(("position", "rotation", "com", "jacobian", "com jacobian"), 0.0)
    for count in range(configurations(10_000)):
        joints, (position, orientation) = random_joints(robot, rng), random_base(rng)
        kinematics.update(joints, position, orientation)
        oracle.place(joints, position, orientation)
        oracle.kinematics()
        name = names[count % len(names)]
        ours, theirs = kinematics.pose(name), oracle.pose(name)
        found = {
            "position": ours[0] - theirs[0],
            "rotation": ours[1] - theirs[1],
            "com": kinematics.com() - oracle.com(),
            "jacobian": kinematics.jacobian(name) - oracle.jacobian(name),
            "com jacobian": kinematics.com_jacobian() - oracle.com_jacobian(),
        }
        for what, difference in found.items():
            worst[what] = max(worst[what], float(np.abs(difference).max()))
    print(robot.name, worst)  # shown by `pytest -s`
    assert max(worst.values()) <= 1e-9, worst


def test_velocities_are_the_jacobians_times_the_speeds(robot, rng):
    kinematics, first = Kinematics(robot), -len(robot.joints)
    for _ in range(50):
        speeds = rng.normal(size=len(robot.joints))
        kinematics.update(random_joints(robot, rng))
        kinematics.move(speeds)
        np.testing.assert_allclose(
            kinematics.com_velocity(), kinematics.com_jacobian()[:, first:] @ speeds, rtol=0.0, atol=1e-9
        )
        for name in (*frames(robot), robot.base_body):
            turning, moving = (
                kinematics.jacobian(name)[3:, first:] @ speeds,
                kinematics.jacobian(name)[:3, first:] @ speeds,
            )
            np.testing.assert_allclose(kinematics.twist(name), [*turning, *moving], rtol=0.0, atol=1e-9)


def test_a_robot_that_stood_still_in_dynamics_moves_by_its_joints_alone(robot, rng):
    kinematics, joints = Kinematics(robot), random_joints(robot, rng)
    size = len(kinematics.velocity_names)
    kinematics.inverse_dynamics(joints, rng.normal(size=size), rng.normal(size=size))
    kinematics.move(np.zeros(len(robot.joints)))
    np.testing.assert_array_equal(kinematics.com_velocity(), np.zeros(3))


def test_every_body_and_site_equals_pinocchio(robot, rng):
    kinematics, oracle = Kinematics(robot), Oracle(robot)
    model = robot.model
    names = [model.site(i).name for i in range(model.nsite)] + [model.body(i).name for i in range(1, model.nbody)]
    joints, (position, orientation) = random_joints(robot, rng), random_base(rng)
    kinematics.update(joints, position, orientation)
    oracle.place(joints, position, orientation)
    oracle.kinematics()
    for name in names:
        np.testing.assert_allclose(kinematics.pose(name)[0], oracle.pose(name)[0], atol=1e-12, err_msg=name)
        np.testing.assert_allclose(kinematics.pose(name)[1], oracle.pose(name)[1], atol=1e-12, err_msg=name)


@pytest.mark.slow
def test_inverse_dynamics_and_mass_matrix_equal_pinocchio_on_10000_configurations(robot, rng):
    kinematics, oracle = Kinematics(robot), Oracle(robot)
    size = len(kinematics.velocity_names)
    assert kinematics.mass() == pytest.approx(oracle.mass(), abs=1e-12)
    worst = inertia = 0.0
    for count in range(configurations(10_000)):
        joints, (position, orientation) = random_joints(robot, rng), random_base(rng)
        velocity, acceleration = rng.normal(size=(2, size)) * [[3.0], [20.0]]
        ours = kinematics.inverse_dynamics(joints, velocity, acceleration, position, orientation)
        oracle.place(joints, position, orientation)
        worst = max(worst, float(np.abs(ours - oracle.inverse_dynamics(velocity, acceleration)).max()))
        if count % 10 == 0:
            inertia = max(inertia, float(np.abs(kinematics.mass_matrix() - oracle.mass_matrix()).max()))
    print(robot.name, "inverse dynamics", worst, "mass matrix", inertia)  # shown by `pytest -s`
    assert worst <= 1e-9
    assert inertia <= 1e-9


def test_jacobians_equal_finite_differences(robot, rng):
    kinematics, step = Kinematics(robot), 1e-6
    names = kinematics.velocity_names
    first = len(names) - len(robot.joints)
    for _ in range(20):
        joints, (position, orientation) = random_joints(robot, rng), random_base(rng)
        kinematics.update(joints, position, orientation)
        jacobians = {name: kinematics.jacobian(name) @ kinematics.coupling for name in frames(robot)}
        com = kinematics.com_jacobian() @ kinematics.coupling
        columns = [label for label in names if label not in {j.name for j in robot.joints if j.follows}]
        for column, label in enumerate(columns):
            if label not in names[:6] and label not in names[first:]:
                continue
            results = []
            for sign in (1.0, -1.0):
                q, p, turn = joints.copy(), position.copy(), orientation
                if label in names[:3]:
                    p[names.index(label)] += sign * step
                elif label in names[3:6]:
                    turn = multiply(orientation, exp(sign * step * np.eye(3)[names.index(label) - 3]))
                else:
                    q[robot.index(label)] += sign * step
                kinematics.update(q, p, turn)
                results.append(({name: kinematics.pose(name) for name in frames(robot)}, kinematics.com()))
            (plus, com_plus), (minus, com_minus) = results
            np.testing.assert_allclose(com[:, column], (com_plus - com_minus) / (2 * step), atol=1e-6)
            for name, jacobian in jacobians.items():
                linear = (plus[name][0] - minus[name][0]) / (2 * step)
                angular = log(from_matrix(plus[name][1] @ minus[name][1].T)) / (2 * step)
                np.testing.assert_allclose(jacobian[:, column], [*linear, *angular], atol=1e-6, err_msg=label)


def test_inverse_dynamics_is_mass_times_acceleration_plus_the_rest(robot, rng):
    kinematics = Kinematics(robot)
    size = len(kinematics.velocity_names)
    joints, base = random_joints(robot, rng), random_base(rng)
    velocity, acceleration = rng.normal(size=(2, size))
    rest = kinematics.inverse_dynamics(joints, velocity, np.zeros(size), *base)
    whole = kinematics.inverse_dynamics(joints, velocity, acceleration, *base)
    np.testing.assert_allclose(whole - rest, kinematics.mass_matrix() @ acceleration, atol=1e-10)


def test_still_robot_weighs_on_its_base(robot, rng):
    kinematics = Kinematics(robot)
    size = len(kinematics.velocity_names)
    joints, (position, orientation) = random_joints(robot, rng), random_base(rng)
    force = kinematics.inverse_dynamics(joints, np.zeros(size), np.zeros(size), position, orientation)
    weight = kinematics.mass() * 9.81 * np.array([0, 0, 1])
    np.testing.assert_allclose(force[:3], weight, atol=1e-10)
    torque = np.cross(kinematics.com() - position, weight)
    np.testing.assert_allclose(force[3:6], to_matrix(orientation).T @ torque, atol=1e-10)


def test_without_a_base_pose_the_torso_frame_is_the_world(robot, rng):
    kinematics = Kinematics(robot)
    joints, (position, orientation) = random_joints(robot, rng), random_base(rng)
    site = robot.feet[0].site
    kinematics.update(joints, position, orientation)
    world, com = kinematics.pose(site)[0], kinematics.com()
    # An update without pose after one with pose forgets it.
    kinematics.update(joints)
    turn = to_matrix(orientation)
    np.testing.assert_allclose(turn @ kinematics.pose(site)[0] + position, world, atol=1e-14)
    np.testing.assert_allclose(turn @ kinematics.com() + position, com, atol=1e-14)
    np.testing.assert_array_equal(kinematics.pose(robot.base_body)[1], np.eye(3))
    kinematics.update(joints, base_position=position)
    np.testing.assert_array_equal(kinematics.pose(robot.base_body)[0], position)
    np.testing.assert_array_equal(kinematics.pose(robot.base_body)[1], np.eye(3))
    kinematics.update(joints)
    np.testing.assert_array_equal(kinematics.pose(robot.base_body)[0], np.zeros(3))


def test_a_follower_takes_its_leaders_angle(small, kinematics):
    joints = np.zeros(len(small.joints))
    joints[small.index("LYaw")] = -0.4
    kinematics.update(joints)
    alone = kinematics.pose("R_sole")
    joints[small.index("RYaw")] = 0.7
    kinematics.update(joints)
    np.testing.assert_array_equal(kinematics.pose("R_sole")[1], alone[1])
    # -0.4 about (0, 1, 1) / sqrt 2.
    np.testing.assert_allclose(log(from_matrix(alone[1])), -0.4 * math.sqrt(0.5) * np.array([0, 1, 1]), atol=1e-14)


def test_coupling_joins_the_columns_of_leader_and_follower(small, kinematics):
    kinematics.update(np.zeros(len(small.joints)))
    names, jacobian = kinematics.velocity_names, kinematics.com_jacobian()
    reduced = jacobian @ kinematics.coupling
    assert reduced.shape[1] == len(names) - 1
    free = [name for name in names if name != "RYaw"]
    both = jacobian[:, names.index("LYaw")] + jacobian[:, names.index("RYaw")]
    np.testing.assert_array_equal(reduced[:, free.index("LYaw")], both)
    np.testing.assert_array_equal(reduced[:, free.index("LKnee")], jacobian[:, names.index("LKnee")])


def test_columns_are_named_and_in_the_robots_order(small, kinematics):
    assert kinematics.velocity_names == (
        *("base.vx", "base.vy", "base.vz", "base.wx", "base.wy", "base.wz", "earFlap.6"),
        *small.joint_names,
    )
    kinematics.update(np.zeros(len(small.joints)))
    shoulder = kinematics.jacobian("hand")[:, kinematics.velocity_names.index("Shoulder")]
    # The hand is 0.15 m ahead of a shoulder that turns about y: it goes down.
    np.testing.assert_allclose(shoulder, [0, 0, -0.15, 0, 1, 0], atol=1e-15)


def test_reference_soles(small, kinematics):
    joints = np.zeros(len(small.joints))
    joints[[small.index("L" + name) for name in ("Yaw", "Roll", "Pitch", "Knee", "Flex", "Tilt")]] = (
        -0.4,
        0.2,
        -0.6,
        1.1,
        -0.5,
        -0.1,
    )
    kinematics.update(joints)
    position, rotation = kinematics.pose("L_sole")
    np.testing.assert_allclose(position, [0.054896, 0.09774, -0.290465], atol=1e-6)
    np.testing.assert_allclose(rotation[0], [0.921061, -0.301475, -0.246495], atol=1e-6)
    np.testing.assert_allclose(rotation[2], [0.27536, 0.056621, 0.959672], atol=1e-6)


def test_answers_are_copies_and_scratches_are_independent(small, kinematics):
    joints = np.zeros(len(small.joints))
    kinematics.update(joints)
    position, rotation = kinematics.pose("hand")
    com = kinematics.com()
    before = position.copy(), rotation.copy(), com.copy()
    other = Kinematics(small)
    other.update(joints + 0.3)
    kinematics.update(joints + 0.1)
    for kept, copy in zip((position, rotation, com), before, strict=True):
        np.testing.assert_array_equal(kept, copy)
    kinematics.update(joints)
    np.testing.assert_array_equal(kinematics.pose("hand")[0], before[0])
    assert not np.allclose(other.pose("hand")[0], before[0])


def test_two_threads_share_a_robot(small):
    postures = np.random.default_rng(3).uniform(small.lower, small.upper, size=(2, 500, len(small.joints)))
    results: dict[int, np.ndarray] = {}

    def work(index: int) -> None:
        kinematics = Kinematics(small)
        found = []
        for joints in postures[index]:
            kinematics.update(joints)
            found.append(kinematics.pose("L_sole")[0])
        results[index] = np.array(found)

    threads = [threading.Thread(target=work, args=(index,)) for index in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    together = dict(results)
    for index in (0, 1):
        work(index)
        np.testing.assert_array_equal(results[index], together[index])


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_joint_that_is_not_finite_is_named(small, kinematics, bad):
    joints = np.zeros(len(small.joints))
    joints[small.index("LKnee")] = bad
    with pytest.raises(KinematicsError) as caught:
        kinematics.update(joints)
    assert str(caught.value) == f"small.LKnee: a joint position must be finite; got {bad}"


def test_opposite_infinities_do_not_cancel(small, kinematics):
    joints = np.zeros(len(small.joints))
    joints[0], joints[1] = math.inf, -math.inf
    with pytest.raises(KinematicsError, match=r"^small\.Shoulder: "):
        kinematics.update(joints)


def test_wrong_input_is_named(small, kinematics):
    zeros = np.zeros(len(small.joints))
    with pytest.raises(KinematicsError, match=r"do not fit robot 'small'; got \(3,\); limit: \(13,\)"):
        kinematics.update(np.zeros(3))
    with pytest.raises(KinematicsError, match=r"base orientation must be a unit quaternion wxyz; got \[2.0, 0.0"):
        kinematics.update(zeros, base_orientation=[2, 0, 0, 0])
    with pytest.raises(KinematicsError, match="base orientation"):
        kinematics.update(zeros, base_orientation=[math.nan, 0, 0, 0])
    with pytest.raises(KinematicsError, match="base position must be three finite numbers"):
        kinematics.update(zeros, base_position=[0, math.inf, 0])
    with pytest.raises(KinematicsError, match="no such site or body; got 'L_sol'; did you mean 'L_sole'"):
        kinematics.pose("L_sol")
    with pytest.raises(KinematicsError, match="generalised velocity does not fit"):
        kinematics.inverse_dynamics(zeros, np.zeros(3), np.zeros(20))
    with pytest.raises(KinematicsError, match="generalised acceleration does not fit"):
        kinematics.inverse_dynamics(zeros, np.zeros(20), np.full(20, math.nan))


def test_a_fixed_base_has_no_base_columns_and_takes_no_pose(small):
    import dataclasses

    fixed = dataclasses.replace(small, mjcf=small.mjcf.replace('<freejoint name="root"/>', ""))
    kinematics = Kinematics(fixed)
    assert not kinematics.floating
    assert kinematics.velocity_names == ("earFlap.0", *small.joint_names)
    joints = np.full(len(small.joints), 0.1)
    kinematics.update(joints)
    free = Kinematics(small)
    free.update(joints)
    np.testing.assert_allclose(kinematics.com(), free.com(), atol=1e-15)
    np.testing.assert_allclose(kinematics.jacobian("L_sole"), free.jacobian("L_sole")[:, 6:], atol=1e-15)
    with pytest.raises(KinematicsError, match="fixed and takes no pose"):
        kinematics.update(joints, base_position=[0, 0, 1])


def test_a_pack_that_names_what_the_model_lacks(small):
    import dataclasses

    with pytest.raises(KinematicsError, match="no base body of this name; got 'trnk'; did you mean 'trunk'"):
        Kinematics(dataclasses.replace(small, base_body="trnk"))
    joints = (dataclasses.replace(small.joints[0], name="Shouler"), *small.joints[1:])
    with pytest.raises(KinematicsError, match="no joint of this name; got 'Shouler'; did you mean 'Shoulder'"):
        Kinematics(dataclasses.replace(small, joints=joints))
    joints = (dataclasses.replace(small.joints[0], name="root"), *small.joints[1:])
    with pytest.raises(KinematicsError, match="must be a hinge or a slide; got 'root'"):
        Kinematics(dataclasses.replace(small, joints=joints))
