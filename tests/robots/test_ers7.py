"""The AIBO's pack against what Sony published, and standing in physics."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Start, WorldConfig
from andante.kinematics.collision import self_collisions
from andante.kinematics.forward import Kinematics
from andante.robots.coupling import FloorCoupling, SafeSets
from andante.robots.robot import Robot

LEGS = {"LF": (1, 1), "LR": (-1, 1), "RF": (1, -1), "RR": (-1, -1)}
"""Front +1 / rear -1 and left +1 / right -1 per leg."""


def angles(robot: Robot, **degrees: float) -> np.ndarray:
    posture = np.zeros(len(robot.joints))
    for name, value in degrees.items():
        posture[robot.index(name)] = math.radians(value)
    return posture


def rotation_y(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def rotation_x(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def published_foot(leg: str, j1: float, j2: float, j3: float) -> np.ndarray:
    """Foot ball centre of the published leg [m], written from the drawing and not from the model."""
    f, s = LEGS[leg]
    reach, bend = (65.434e-3, math.radians(4.409)) if f > 0 else (67.647e-3, math.radians(11.537))
    shank = np.array([f * (9e-3 + reach * math.sin(j3 - bend)), s * 4.7e-3, -69.5e-3 - reach * math.cos(j3 - bend)])
    return np.array([f * 65e-3, s * 62.5e-3, 0.0]) + rotation_y(-f * j1) @ rotation_x(s * j2) @ shank


@pytest.mark.parametrize(
    ("leg", "ahead", "below"), [("LF", 28.3, 71.5), ("RF", 28.3, 71.5), ("LR", -21.3, 76.5), ("RR", -21.3, 76.5)]
)
def test_feet_are_where_the_drawing_has_them(ers7: Robot, leg: str, ahead: float, below: float) -> None:
    # With J1 = J2 = 0 and J3 = 30 deg the drawing gives foot to knee and the foot's track of 134.4 mm.
    kinematics = Kinematics(ers7)
    kinematics.update(angles(ers7, **{f"{leg}J3": 30.0}))
    foot, knee = kinematics.pose(f"{leg}_foot")[0] * 1e3, kinematics.pose(f"{leg}Shank")[0] * 1e3
    assert foot[0] - knee[0] == pytest.approx(ahead, abs=0.2)
    assert knee[2] - foot[2] + 12.5 == pytest.approx(below, abs=0.2)
    assert abs(foot[1]) == pytest.approx(67.2, abs=0.2)
    assert 12.5 - foot[2] == pytest.approx(141.0 if leg.endswith("F") else 146.0, abs=0.2)


def test_forward_kinematics_agree_with_the_published_leg_everywhere(ers7: Robot) -> None:
    kinematics, rng = Kinematics(ers7), np.random.default_rng(1)
    lower, upper = ers7.stops
    for _ in range(200):
        posture = rng.uniform(lower, upper)
        kinematics.update(posture)
        for leg in LEGS:
            values = [float(posture[ers7.index(f"{leg}J{k}")]) for k in (1, 2, 3)]
            assert np.abs(kinematics.pose(f"{leg}_foot")[0] - published_foot(leg, *values)).max() < 1e-9


@pytest.mark.parametrize(
    ("joint", "site", "axis", "sign"),
    [
        ("LFJ1", "LF_foot", 0, 1),
        ("LRJ1", "LR_foot", 0, -1),
        ("RRJ1", "RR_foot", 0, -1),
        ("LFJ2", "LF_foot", 1, 1),
        ("RFJ2", "RF_foot", 1, -1),
        ("LFJ3", "LF_foot", 0, 1),
        ("RRJ3", "RR_foot", 0, -1),
        ("Tilt1", "camera", 2, 1),
        ("Tilt2", "camera", 2, 1),
        ("Pan", "camera", 1, 1),
        ("TailTilt", "Tail", 2, 0),
    ],
)
def test_a_positive_angle_moves_as_published(ers7: Robot, joint: str, site: str, axis: int, sign: int) -> None:
    kinematics = Kinematics(ers7)
    kinematics.update(angles(ers7))
    before = kinematics.pose(site)[0][axis]
    kinematics.update(angles(ers7, **{joint: 10.0}))
    assert np.sign(round(kinematics.pose(site)[0][axis] - before, 9)) == sign


def level_pitch(feet: dict[str, np.ndarray]) -> float:
    """Torso pitch that puts the foot balls on one level, nose up positive [deg]."""
    way = feet["LF"] - feet["LR"]
    return math.degrees(math.atan2(-way[2], way[0]))


def test_sitting_has_the_published_pitch_and_proves_the_rear_legs_sign(ers7: Robot) -> None:
    posture = ers7.postures["sit"]
    kinematics = Kinematics(ers7)
    kinematics.update(ers7.posture("sit"))
    feet = {leg: kinematics.pose(f"{leg}_foot")[0] for leg in LEGS}
    assert level_pitch(feet) == pytest.approx(37.0, abs=0.2)
    assert np.ptp([(rotation_y(-math.radians(37.0)) @ foot)[2] for foot in feet.values()]) < 5e-4
    turned = published_foot("LR", -posture["LRJ1"], posture["LRJ2"], posture["LRJ3"])
    assert abs(level_pitch(feet | {"LR": turned}) - 37.0) > 10.0


def test_limits_speeds_and_locators_are_the_published_ones(ers7: Robot) -> None:
    joint = ers7.joints[ers7.index("LRJ1")]
    assert (joint.lower, joint.upper) == pytest.approx((math.radians(-130), math.radians(115)))
    assert joint.stops == pytest.approx((math.radians(-135), math.radians(120)), abs=1e-5)
    # 2.23 deg in 8 ms
    assert math.degrees(joint.max_velocity) == pytest.approx(2.23 / 0.008)
    assert joint.locator == "PRM:/r3/c1-Joint2:31"
    assert len({joint.locator for joint in ers7.joints}) == len(ers7.joints) == 20
    # The order of the joints is that of Sony's motion files.
    assert [joint.locator.rsplit(":", 1)[1] for joint in ers7.joints] == (
        [
            "11",
            "12",
            "13",
            "14",
            "15",
            "16",
            "21",
            "22",
            "23",
            "31",
            "32",
            "33",
            "41",
            "42",
            "43",
            "51",
            "52",
            "53",
            "61",
            "62",
        ]
    )


@pytest.mark.parametrize(
    ("j1", "least"),
    [(-115, -1), (-76, -1), (-75.5, -1), (-75, -2), (0, -10), (20, -10), (20.4, -9), (130, -2), (135, -2), (-120, -1)],
)
def test_the_shoulder_coupling_rounds_to_the_safe_side(ers7: Robot, j1: float, least: float) -> None:
    coupling = next(c for c in ers7.couplings if isinstance(c, FloorCoupling) and c.joint == "RFJ2")
    assert math.degrees(coupling.least(math.radians(j1))) == pytest.approx(least)
    inside = {"RFJ1": math.radians(j1), "RFJ2": math.radians(least)}
    assert coupling.breach(inside, math.radians(1e-6)) is None
    found = coupling.breach(inside | {"RFJ2": math.radians(least - 1.0)})
    assert found is not None
    assert math.degrees(found.excess) == pytest.approx(1.0)


def test_the_head_is_safe_in_one_of_two_sets(ers7: Robot) -> None:
    (head,) = (c for c in ers7.couplings if isinstance(c, SafeSets))

    def breach(mouth: float, tilt1: float, tilt2: float) -> object:
        return head.breach({"Mouth": math.radians(mouth), "Tilt1": math.radians(tilt1), "Tilt2": math.radians(tilt2)})

    assert breach(-3, -75, 5) is None
    assert breach(-30, 0, -5) is None
    found = head.breach({"Mouth": math.radians(-10), "Tilt1": math.radians(-60), "Tilt2": math.radians(0)})
    assert found is not None
    assert found.joint == "Tilt2"
    assert math.degrees(found.limit) == pytest.approx(5.0)
    assert breach(-40, -20, 0) is not None


def test_all_postures_are_legal_and_free_of_collisions(ers7: Robot) -> None:
    kinematics = Kinematics(ers7)
    for name in ers7.postures:
        posture = ers7.posture(name)
        assert (posture >= ers7.lower - 1e-9).all(), name
        assert (posture <= ers7.upper + 1e-9).all(), name
        named = dict(zip(ers7.joint_names, posture.tolist(), strict=True))
        assert not any(coupling.breach(named, 1e-9) for coupling in ers7.couplings), name
        if name != "sleep":
            assert not self_collisions(kinematics, posture, 0.002), name


@pytest.mark.parametrize("friction", [0.5, 0.9])
def test_it_stands_for_five_seconds(ers7: Robot, friction: float) -> None:
    world = MujocoWorld(ers7, WorldConfig(friction=friction, start=Start(posture="walk")))
    for _ in range(625):
        world.advance(0.008)
    truth = world.truth()
    assert abs(truth["pitch"][0]) < math.radians(2.0)
    assert abs(truth["roll"][0]) < math.radians(1.0)
    assert truth["other_contacts"][0] == 0.0
    assert np.abs(world.read().position - ers7.posture("walk")).max() < math.radians(2.0)


def test_every_number_has_a_source(ers7: Robot) -> None:
    assert "assumption" in ers7.sources["masses"]
    assert "assumption" in ers7.sources["efforts"]
    assert float(ers7.model.body_mass.sum()) == pytest.approx(1.63, abs=0.03)
