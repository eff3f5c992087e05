"""What the NAO's pack adds to its model: IMU, soles under the postures, sites that mirror."""

from __future__ import annotations

import dataclasses

import mujoco
import numpy as np
import pytest

from andante.spatial.polygons import convex_hull, signed_distance


def posed(robot, posture):
    data = mujoco.MjData(robot.model)
    data.qpos[:7] = (0, 0, 0, 1, 0, 0, 0)
    for name, angle in zip(robot.joint_names, robot.posture(posture), strict=True):
        data.joint(name).qpos[0] = angle
    mujoco.mj_forward(robot.model, data)
    return data


def test_the_imu_is_where_it_was_published(nao):
    """(-8, 6.06, 112) mm from the hips, which lie 85 mm below the torso's origin."""
    site = posed(nao, "zero").site(nao.imu_site)
    np.testing.assert_allclose(site.xpos, (-0.008, 0.00606, 0.112 - 0.085), atol=1e-9)
    np.testing.assert_allclose(site.xmat.reshape(3, 3), np.eye(3), atol=1e-12)


@pytest.mark.parametrize("posture", ["stand", "sit"])
def test_the_centre_of_mass_lies_inside_the_soles(nao, posture):
    data = posed(nao, posture)
    corners = [data.site(foot.site).xpos[:2] + corner for foot in nao.feet for corner in np.array(foot.outline)]
    assert signed_distance(convex_hull(np.array(corners)), data.subtree_com[1][:2]) > 0.02


@pytest.mark.parametrize("posture", ["zero", "stand", "sit"])
def test_sites_mirror(nao, posture):
    data = posed(nao, posture)
    for left, right in (("left_sole", "right_sole"), ("left_hand", "right_hand")):
        np.testing.assert_allclose(data.site(left).xpos * (1, -1, 1), data.site(right).xpos, atol=1e-12)


def test_joints_of_one_motor_share_the_narrowest_limit(nao):
    left, right, head = nao.index("LHipYawPitch"), nao.index("RHipYawPitch"), nao.index("HeadYaw")
    assert nao.followers.tolist() == [right]
    assert [joint for joint, leader in enumerate(nao.leaders.tolist()) if leader != joint] == [right]
    assert nao.leaders[right] == left
    # The other hip and the head follow too.
    joints = tuple(dataclasses.replace(j, follows="LHipYawPitch") if n == head else j for n, j in enumerate(nao.joints))
    robot = dataclasses.replace(nao, joints=joints)
    limits = np.arange(1.0, 1.0 + len(joints))
    limits[[left, right, head]] = 7.0, 5.0, 6.0
    shared = robot.shared(limits, np.minimum)
    assert shared[[left, right, head]].tolist() == [5.0, 5.0, 5.0]
    assert robot.shared(limits, np.maximum)[[left, right, head]].tolist() == [7.0, 7.0, 7.0]
    others = np.setdiff1d(np.arange(len(joints)), [left, right, head])
    assert shared[others].tolist() == limits[others].tolist()
