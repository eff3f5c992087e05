"""The design rules, each on a motion that breaks it by an amount worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from andante.documents.settings import SettingsError
from andante.motions.checks.aibo.context import declared_ends
from andante.motions.checks.aibo.rules import AiboRules
from andante.motions.checks.aibo.run import AIBO_CHECKS, check_aibo
from andante.motions.editing.timing import retime_motion
from andante.motions.errors import MotionError
from andante.motions.findings import Finding
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.robots.robot import Robot


@pytest.fixture(scope="module")
def ers7() -> Robot:
    return Robot.load("ers7")


def library(*keyframes: dict[str, Any], name: str = "test") -> MotionLibrary:
    """One motion; ``ms`` is a keyframe's duration, ``curve`` its curve, everything else joints in degrees."""
    made = []
    for entry in keyframes:
        joints = {joint: math.radians(value) for joint, value in entry.items() if joint not in ("ms", "curve")}
        made.append(
            Keyframe(duration=entry["ms"] / 1e3, interpolation=entry.get("curve", "sine_min_to_max"), joints=joints)
        )
    return MotionLibrary(
        robot="ers7", motions={name: Motion(blocks=("block",))}, blocks={"block": Block(keyframes=tuple(made))}
    )


def found(robot: Robot, document: MotionLibrary, rule: str, **rules: Any) -> list[Finding]:
    return [f for f in check_aibo(document, robot, AiboRules(**rules), only=[rule]) if f.rule == rule]


def test_a_motion_that_comes_back_to_the_walk_posture_has_good_ends(ers7: Robot) -> None:
    assert found(ers7, library({"ms": 400, "Pan": 30}, {"ms": 400, "Pan": 4.9}), "ends") == []


@pytest.mark.parametrize(("off", "severity"), [(5.1, "warning"), (9.9, "warning"), (10.1, "error")])
def test_an_end_away_from_the_walk_posture_is_named_with_the_gap(ers7: Robot, off: float, severity: str) -> None:
    (finding, *others) = found(ers7, library({"ms": 400, "LFJ1": -33 + off}), "ends")
    assert (finding.severity, finding.joint, finding.motion) == (severity, "LFJ1", "test")
    assert math.degrees(finding.value) == pytest.approx(off)
    assert math.degrees(finding.limit) == pytest.approx(5.0)
    assert finding.time == pytest.approx(0.4)
    assert f"the way takes {off / 278.75 * 1e3:.0f} ms at full speed" in finding.message
    # 115 mm of leg turned by more than 5 degrees moves the foot by about 10 mm.
    assert all("foot FL" in other.message for other in others)


def test_a_first_pose_that_is_set_at_once_is_judged_as_the_begin(ers7: Robot) -> None:
    jump = library({"ms": 8, "Pan": 20}, {"ms": 400, "Pan": 0})
    (finding,) = found(ers7, jump, "ends")
    assert finding.message.startswith("begins with Pan 20.0 deg from posture 'walk'")


def test_postures_declared_in_the_name_are_the_ends(ers7: Robot) -> None:
    assert declared_ends("a_stand#sit_down", ers7, "walk") == ("stand", "sit")
    assert declared_ends("a_sit_wave", ers7, "walk") == ("sit", "sit")
    assert declared_ends("standing_ovation", ers7, "walk") == ("walk", "walk")
    assert declared_ends("a_KickB", ers7, "walk") == ("walk", "walk")
    posture = {joint: math.degrees(angle) for joint, angle in ers7.postures["sit"].items()}
    assert found(ers7, library({"ms": 1200, **posture}, name="a_stand#sit_down"), "ends") == []
    assert found(ers7, library({"ms": 1200, **posture}), "ends") != []


@pytest.mark.parametrize(("ms", "severities"), [(2000, []), (2200, ["warning"]), (2600, ["error"])])
def test_duration(ers7: Robot, ms: int, severities: list[str]) -> None:
    assert [f.severity for f in found(ers7, library({"ms": ms, "Pan": 0}), "duration")] == severities
    assert found(ers7, library({"ms": ms, "Pan": 0}, name="celebrate"), "duration") == []


def test_the_seeds_kick_takes_a_little_too_long(ers7: Robot) -> None:
    # 2.48 s, between 2.0 and 2.5
    (finding,) = found(ers7, library({"ms": 2400, "Pan": 0}, {"ms": 80, "Pan": 0}), "duration")
    assert (finding.severity, finding.value) == ("warning", pytest.approx(2.48))


def test_speed_names_the_share_and_the_time_needed(ers7: Robot) -> None:
    swing = {"curve": "linear", "RFJ1": 27}
    (warning,) = found(ers7, library({"ms": 120, **swing}), "speed")
    # 60 deg in 120 ms are 500 deg/s, 1.79 of 278.75; 60 / 278.75 s = 215 ms
    assert warning.severity == "warning"
    assert math.degrees(warning.value) == pytest.approx(500.0)
    assert "1.79 of its limit of 279 deg/s; the way of 60 deg needs 215 ms" in warning.message
    (error,) = found(ers7, library({"ms": 80, **swing}), "speed")
    assert error.severity == "error"
    assert found(ers7, library({"ms": 216, **swing}), "speed") == []
    # A smooth way has 1.57 times the speed in its middle.
    assert "needs 338 ms" in found(ers7, library({"ms": 216, "RFJ1": 27}), "speed")[0].message


def test_velocity_jumps_count_from_rest_and_to_rest(ers7: Robot) -> None:
    # 60 deg in 240 ms: 250 deg/s at once at the start and at the end
    jumps = found(ers7, library({"ms": 240, "curve": "linear", "RFJ1": 27}), "velocity-jump")
    assert [(f.severity, f.joint) for f in jumps] == [("warning", "RFJ1")]
    assert math.degrees(jumps[0].value) == pytest.approx(250.0, rel=1e-6)
    assert found(ers7, library({"ms": 320, "curve": "linear", "RFJ1": 27}), "velocity-jump") == []
    assert [f.severity for f in found(ers7, library({"ms": 48, "curve": "linear", "RFJ1": 27}), "velocity-jump")] == [
        "error"
    ]


def test_limits_tell_the_software_from_the_stop(ers7: Robot) -> None:
    # Sony's own motion from sitting to standing reaches 125 degrees.
    (warning,) = found(ers7, library({"ms": 800, "LRJ3": 125}), "limit")
    assert (warning.severity, warning.joint) == ("warning", "LRJ3")
    assert "software's limit of 122.0 deg" in warning.message
    (error,) = found(ers7, library({"ms": 800, "LRJ3": 128}), "limit")
    assert error.severity == "error"
    assert "mechanical stop of 127.0 deg" in error.message


def test_couplings_are_looked_at_on_the_way_too(ers7: Robot) -> None:
    # Both ends are legal (-9 at J1 = -12, -9 at 22), as is the middle (-10); at J1 = 60 the least is -3.
    document = library({"ms": 800, "RFJ1": -5, "RFJ2": -9}, {"ms": 800, "RFJ1": 60})
    (finding,) = found(ers7, document, "coupling")
    assert (finding.joint, finding.severity) == ("RFJ2", "warning")
    assert math.degrees(finding.limit) == pytest.approx(-3.0)
    assert "with RFJ1 at" in finding.message
    head = library({"ms": 800, "Tilt1": -70, "Tilt2": 0})
    assert [f.joint for f in found(ers7, head, "coupling")] == ["Tilt2"]


def test_a_fast_head_loses_pictures(ers7: Robot) -> None:
    # 2 px x 56.9 deg / (208 px x 0.01 s) = 54.7 deg/s is still sharp
    assert found(ers7, library({"ms": 800, "curve": "linear", "Pan": 40}), "camera") == []
    (finding,) = found(ers7, library({"ms": 400, "curve": "linear", "Pan": 40}), "camera")
    assert finding.severity == "info"
    assert finding.value == pytest.approx(0.4 * 30)
    assert "blurs about 12 of 12 pictures: the camera turns at up to 100 deg/s; sharp below 55 deg/s" in finding.message
    assert found(ers7, library({"ms": 400, "curve": "linear", "Pan": 40}), "camera", lost_frames=10)[0].severity == (
        "warning"
    )


def test_missing_joints_are_counted(ers7: Robot) -> None:
    (finding,) = found(ers7, library({"ms": 400, "Pan": 0}), "complete")
    assert finding.message.startswith("never names 15 of 16 joints: Tilt1, Tilt2, Mouth, LFJ1")
    whole = {joint: math.degrees(angle) for joint, angle in ers7.postures["walk"].items()}
    assert found(ers7, library({"ms": 400, **whole}), "complete") == []


def test_durations_off_the_robots_clock_are_told_with_what_they_become(ers7: Robot) -> None:
    (finding,) = found(ers7, library({"ms": 250, "Pan": 0}), "period")
    assert finding.message == "250 ms is no multiple of 8 ms; it lasts 256 ms"
    assert found(ers7, library({"ms": 240, "Pan": 0}), "period", file_period=0.016) == []


def test_colliding_legs_are_found_between_the_keys(ers7: Robot) -> None:
    # The front leg swings back through the rear leg's place.
    document = library({"ms": 800, "LFJ1": -100, "LFJ3": 60}, {"ms": 800, "LFJ1": -33, "LFJ3": 75})
    collisions = found(ers7, document, "self-collision")
    errors = [f for f in collisions if f.severity == "error"]
    assert errors
    assert {"LFShank", "LFThigh"} & set(errors[0].message.split())
    assert found(ers7, library({"ms": 400, "Pan": 30}), "self-collision") == []


def test_lifting_a_leg_without_shifting_the_weight_is_unbalanced(ers7: Robot) -> None:
    lifted = {"LFJ1": -33, "LFJ3": 115}
    (finding,) = found(ers7, library({"ms": 800, **lifted}), "static-balance")
    assert finding.severity == "warning"
    assert finding.value < 0.010
    assert "limit: 10 mm inside" in finding.message
    assert found(ers7, library({"ms": 800, **lifted}), "static-balance", supported=(("test", 0.0, 9.0),)) == []


def test_a_far_way_is_noted_and_its_acceleration_judged(ers7: Robot) -> None:
    document = library({"ms": 600, "RFJ1": 60})
    assert [f.severity for f in found(ers7, document, "distance")] == ["info"]
    # 93 deg x (pi^2 / 2) / (0.25 s)^2 = 7343 deg/s^2
    (finding,) = found(ers7, library({"ms": 250, "RFJ1": 60}), "acceleration")
    assert math.degrees(finding.value) == pytest.approx(93 * math.pi**2 / 2 / 0.0625)


def test_retiming_removes_all_speed_findings(ers7: Robot) -> None:
    document = library(
        {"ms": 120, "RFJ1": 27}, {"ms": 80, "curve": "linear", "RFJ1": -33, "Pan": 60}, {"ms": 40, "Pan": 0}
    )
    assert len(found(ers7, document, "speed")) >= 3
    fixed, changes = retime_motion(document, ers7, "test", ers7.posture("walk"))
    assert len(changes) == 3
    assert found(ers7, fixed, "speed") == []
    last = fixed.blocks["block"].keyframes[-1]
    assert last.joints == document.blocks["block"].keyframes[-1].joints


def test_the_worst_comes_first_and_unknown_names_are_refused(ers7: Robot) -> None:
    document = library({"ms": 80, "RFJ1": 60, "LRJ3": 128})
    severities = [f.severity for f in check_aibo(document, ers7)]
    assert severities == sorted(severities, key=["error", "warning", "info"].index)
    assert severities[0] == "error"
    with pytest.raises(MotionError, match=r"no such design rule; got 'speeed'"):
        check_aibo(document, ers7, only=["speeed"])
    with pytest.raises(SettingsError, match=r"must rise"):
        AiboRules(end_pass=0.5)
    assert "self-collision" in AIBO_CHECKS


def test_a_motion_that_names_what_does_not_exist_is_told_before_anything_else(ers7: Robot) -> None:
    document = library({"ms": 400, "RFJ9": 10})
    (finding, *_) = check_aibo(document, ers7)
    assert finding.severity == "error"
    assert "RFJ9" in str(finding)


def test_clearance_and_overlap_agree_with_mujocos_own_distance(ers7: Robot) -> None:
    import mujoco

    from andante.kinematics.collision import Clearances

    joints = ers7.posture("walk")
    joints[ers7.index("LFJ1")] = math.radians(-70)
    near = Clearances(ers7, 0.05).at(joints)
    data = mujoco.MjData(ers7.model)
    for name, angle in zip(ers7.joint_names, joints, strict=True):
        data.joint(name).qpos[0] = angle
    mujoco.mj_forward(ers7.model, data)
    shanks = [
        mujoco.mj_geomDistance(ers7.model, data, int(a), int(b), 1.0, None)
        for a in np.flatnonzero(ers7.model.geom_bodyid == ers7.model.body("LFShank").id)
        for b in np.flatnonzero(ers7.model.geom_bodyid == ers7.model.body("LRShank").id)
        if ers7.model.geom_contype[a] and ers7.model.geom_contype[b]
    ]
    pair = next(each for each in near if {each.first, each.second} == {"LFShank", "LRShank"})
    assert pair.distance == pytest.approx(min(shanks), abs=1e-6)
