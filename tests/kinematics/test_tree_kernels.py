"""Links' poses, Jacobians and centre of mass of the tree table, against MuJoCo, Pinocchio and finite differences."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from packaged_robots import packaged_robot
from pinocchio_oracle import Oracle

from andante.kernels import entry
from andante.kinematics.forward import Kinematics, KinematicsError
from andante.kinematics.tree_kernels import com_columns, frame_columns, mass_moments, place_links, point_of
from andante.kinematics.tree_table import RobotTree, TreeTable
from andante.robots.robot import Robot
from andante.spatial.arrays import Array1, Array2, Array3, Index1
from andante.spatial.rotations import exp, normalise, to_matrix

NAMES = ["nao", "ers7", "littledog", "spirit40", "go2", "t1", "anymal_c"]


def robot_named(name: str) -> Robot:
    return Robot.load(name) if name in ("nao", "ers7", "littledog", "spirit40") else packaged_robot(name)


@entry
def tree_jacobians(
    table: TreeTable,
    joints: Array1,
    origins: Array2,
    turns: Array3,
    column: Index1,
    floating: bool,
    link: int,
    place: Array1,
    jacobian: Array2,
) -> None:
    """Jacobians of a point of a link (rows 0..5) and of the centre of mass (rows 6..8), (9, n).

    Args:
        table: The tree.
        joints: Joint positions, (nj,) [rad].
        origins: As in `place_links`.
        turns: As in `place_links`.
        column: Column of each link's joint, (nl,); -1 where it is held.
        floating: Whether the first six columns are the base's.
        link: Row of the link.
        place: The point from the link's origin at zero angles, (3,) [m].
        jacobian: Gets the rows.
    """
    axes, moments = np.empty((len(table.parent), 3)), np.empty((len(table.parent), 4))
    place_links(table, joints, origins, turns, axes)
    mass_moments(table, origins, turns, moments)
    x, y, z = point_of(origins, turns, link, place)
    frame_columns(table, origins, axes, column, floating, link, x, y, z, jacobian, 0, True)
    com_columns(table, origins, axes, moments, column, floating, jacobian, 6)


class Tree:
    """Jacobians of one robot by the kernels, at any configuration."""

    def __init__(self, robot: Robot) -> None:
        self.tree = RobotTree.of(robot)
        self.leaders = [robot.index(j.follows) if j.follows else n for n, j in enumerate(robot.joints)]
        self.motors = sorted({*self.leaders})
        first = 6 if self.tree.floating else 0
        columns = {joint: first + n for n, joint in enumerate(self.motors)}
        self.column = np.array([columns.get(int(joint), -1) for joint in self.tree.table.joint], dtype=np.int64)
        self.size = first + len(self.motors)

    def at(self, joints, position, orientation, frame):
        """Place (3,), rotation (3, 3) of a frame, and its and the centre of mass's Jacobians (9, n)."""
        links = len(self.tree.table.parent)
        origins, turns = np.zeros((links, 3)), np.zeros((links, 3, 3))
        origins[0], turns[0] = position, to_matrix(orientation)
        found, jacobian = self.tree.frame(frame), np.empty((9, self.size))
        tree_jacobians(
            self.tree.table,
            np.ascontiguousarray(joints),
            origins,
            turns,
            self.column,
            self.tree.floating,
            found.link,
            found.place,
            jacobian,
        )
        turn = turns[found.link]
        return origins[found.link] + turn @ found.place, turn @ found.rotation, jacobian


def configuration(robot: Robot, rng: np.random.Generator):
    joints = rng.uniform(np.maximum(robot.lower, -3.0), np.minimum(robot.upper, 3.0))
    joints = joints[[robot.index(j.follows) if j.follows else n for n, j in enumerate(robot.joints)]]
    return joints, rng.normal(size=3), normalise(rng.normal(size=4))


@pytest.mark.parametrize("name", NAMES)
def test_every_site_and_body_is_where_mujoco_has_it(name):
    robot, rng = robot_named(name), np.random.default_rng(5)
    tree, kinematics, model = Tree(robot), Kinematics(robot), robot.model
    frames = {model.site(i).name for i in range(model.nsite)} | {model.body(i).name for i in range(1, model.nbody)}
    for _ in range(3):
        place = configuration(robot, rng)
        kinematics.update(*place)
        for frame in frames - {""}:
            position, rotation, _ = tree.at(*place, frame)
            np.testing.assert_allclose(position, kinematics.pose(frame)[0], atol=1e-12, err_msg=frame)
            np.testing.assert_allclose(rotation, kinematics.pose(frame)[1], atol=1e-12, err_msg=frame)


@pytest.mark.parametrize("name", NAMES)
def test_jacobians_are_those_of_mujoco_by_motors(name):
    robot, rng = robot_named(name), np.random.default_rng(6)
    tree, kinematics = Tree(robot), Kinematics(robot)
    frame = robot.feet[-1].site
    for _ in range(20):
        place = configuration(robot, rng)
        kinematics.update(*place)
        ours = tree.at(*place, frame)[2]
        theirs = np.vstack([kinematics.jacobian(frame), kinematics.com_jacobian()]) @ kinematics.coupling
        # Here the base turns about world axes, there about its own.
        theirs[:, 3:6] = theirs[:, 3:6] @ to_matrix(place[2]).T
        # Motors in the order of their joints, as `coupling` has them.
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize("name", ["nao", "t1", "go2"])
def test_jacobians_equal_finite_differences(name):
    robot, rng, step = robot_named(name), np.random.default_rng(7), 1e-6
    tree, kinematics = Tree(robot), Kinematics(robot)
    frame = robot.feet[0].site
    joints, position, orientation = configuration(robot, rng)
    jacobian = tree.at(joints, position, orientation, frame)[2]

    def moved(column: int, way: float):
        q, p, o = joints.copy(), position.copy(), orientation.copy()
        if column < 3:
            p[column] += way
        elif column < 6:
            turn = exp(np.eye(3)[column - 3] * way)
            o = normalise(_product(turn, o))
        else:
            motor = tree.motors[column - 6]
            q[[n for n, leader in enumerate(tree.leaders) if leader == motor]] += way
        kinematics.update(q, p, o)
        place, rotation = kinematics.pose(frame)
        return place, rotation, kinematics.com()

    for column in range(tree.size):
        ahead, behind = moved(column, step), moved(column, -step)
        np.testing.assert_allclose(jacobian[:3, column], (ahead[0] - behind[0]) / (2 * step), atol=1e-8)
        spin = (ahead[1] - behind[1]) @ behind[1].T / (2 * step)
        np.testing.assert_allclose(jacobian[3:6, column], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-5)
        np.testing.assert_allclose(jacobian[6:, column], (ahead[2] - behind[2]) / (2 * step), atol=1e-8)


def _product(a, b):
    from andante.spatial.rotations import multiply

    return multiply(a, b)


def test_pinocchio_finds_the_same_places_and_jacobians():
    robot, rng = robot_named("nao"), np.random.default_rng(8)
    tree, oracle, kinematics = Tree(robot), Oracle(robot), Kinematics(robot)
    for frame in ("left_hand", "right_sole", "Head"):
        place = configuration(robot, rng)
        oracle.place(*place)
        oracle.kinematics()
        position, rotation, jacobian = tree.at(*place, frame)
        np.testing.assert_allclose(position, oracle.pose(frame)[0], atol=1e-12)
        np.testing.assert_allclose(rotation, oracle.pose(frame)[1], atol=1e-12)
        theirs = np.vstack([oracle.jacobian(frame), oracle.com_jacobian()]) @ kinematics.coupling
        theirs[:, 3:6] = theirs[:, 3:6] @ to_matrix(place[2]).T
        np.testing.assert_allclose(jacobian, theirs, atol=1e-12)


def test_a_slide_and_a_passive_joint_and_a_fixed_base(small):
    slid = dataclasses.replace(
        small,
        mjcf=small.mjcf.replace(
            '<joint name="Shoulder" axis="0 1 0"/>', '<joint name="Shoulder" type="slide" axis="0 0.6 0.8"/>'
        ),
    )
    fixed = dataclasses.replace(small, mjcf=small.mjcf.replace('<freejoint name="root"/>', ""))
    for robot in (slid, fixed):
        tree, kinematics = Tree(robot), Kinematics(robot)
        joints = np.linspace(-0.3, 0.4, len(robot.joints))[tree.leaders]
        kinematics.update(joints)
        position, rotation, jacobian = tree.at(joints, np.zeros(3), np.array([1.0, 0, 0, 0]), "hand")
        np.testing.assert_allclose(position, kinematics.pose("hand")[0], atol=1e-14)
        np.testing.assert_allclose(rotation, kinematics.pose("hand")[1], atol=1e-14)
        theirs = np.vstack([kinematics.jacobian("hand"), kinematics.com_jacobian()]) @ kinematics.coupling
        passive = kinematics.velocity_names.index("earFlap.6" if kinematics.floating else "earFlap.0")
        np.testing.assert_allclose(jacobian, np.delete(theirs, passive, axis=1), atol=1e-14)


def test_a_frame_that_is_not_there_is_named():
    with pytest.raises(KinematicsError, match="no such site or body; got 'left_sol'; did you mean 'left_sole'"):
        RobotTree.of(Robot.load("nao")).frame("left_sol")
