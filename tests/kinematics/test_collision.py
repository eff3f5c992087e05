"""Self-collision by hand-placed overlaps."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from andante.kinematics.collision import Clearance, self_collisions
from andante.kinematics.forward import Kinematics


def test_a_posture_without_overlap(kinematics, small):
    assert self_collisions(kinematics, np.zeros(len(small.joints))) == ()


def test_overlap_by_hand(small):
    """Feet that are wider than their distance overlap by a known depth."""
    wide = dataclasses.replace(small, mjcf=small.mjcf.replace("0.075 0.04 0.015", "0.075 0.06 0.015"))
    kinematics = Kinematics(wide)
    found = self_collisions(kinematics, np.zeros(len(small.joints)))
    # Half widths 0.06 at y = +-0.05: 0.02 m of each other.
    assert [(hit.first, hit.second) for hit in found] == [("LFoot", "RFoot")]
    assert found[0].depth == pytest.approx(0.02, abs=1e-9)
    assert self_collisions(kinematics, allowance=0.025) == ()
    assert self_collisions(kinematics, allowance=0.015) == found


def test_an_arm_in_the_thigh(small):
    longer = dataclasses.replace(small, mjcf=small.mjcf.replace("0 0 0 0.15 0 0", "0 0 0 0.25 0 0"))
    kinematics = Kinematics(longer)
    joints = np.zeros(len(small.joints))
    joints[small.index("Shoulder")] = math.pi / 2
    joints[small.index("LRoll")] = 0.5
    found = self_collisions(kinematics, joints)
    # In the plane x = 0: the arm's capsule ends at y 0.1, z -0.15 (radius 0.02), the thigh's 0.08 m below the hip
    # along the leg rolled out by 0.5 rad (radius 0.03); their ends are nearest.
    end = np.array([0.05 + 0.08 * math.sin(0.5), -0.085 - 0.08 * math.cos(0.5)])
    depth = 0.05 - float(np.linalg.norm(end - [0.1, -0.15]))
    hits = {(hit.first, hit.second): hit.depth for hit in found}
    assert hits[("LThigh", "arm")] == pytest.approx(depth, abs=1e-9)
    assert all(isinstance(hit, Clearance) and hit.depth > 0.0 for hit in found)
    assert [hit.depth for hit in found] == sorted((hit.depth for hit in found), reverse=True)
    # Asking again, and about another posture in between, gives the same.
    assert self_collisions(kinematics) == found
    assert self_collisions(kinematics, np.zeros(len(small.joints))) == ()
    assert self_collisions(kinematics, joints) == found


def test_the_ground_is_no_part_of_the_robot(small):
    floor = '<worldbody><geom name="floor" type="plane" size="1 1 1"/>'
    grounded = dataclasses.replace(small, mjcf=small.mjcf.replace("<worldbody>", floor, 1))
    assert self_collisions(Kinematics(grounded), np.zeros(len(small.joints))) == ()


def test_nao_stands_without_touching_itself_and_can_hit_itself(nao):
    kinematics = Kinematics(nao)
    assert self_collisions(kinematics, nao.posture("stand"), allowance=0.001) == ()
    joints = nao.posture("stand").copy()
    joints[nao.index("LHipRoll")], joints[nao.index("RHipRoll")] = (
        nao.lower[nao.index("LHipRoll")],
        nao.upper[nao.index("RHipRoll")],
    )
    found = self_collisions(kinematics, joints)
    assert found
    assert {hit.first[0] + hit.second[0] for hit in found} <= {"LR", "RL", "lr", "rl"}
