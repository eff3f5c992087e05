"""Balance by the capture point: what is estimated from honest sensors, and how ankles and hips answer to it."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from keyframe_run import RAW, Run, block, keyframe, library

from andante.control.controller import ControlError
from andante.control.keyframes.capture_point import CapturePoint
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.features import Body, TorsoAngles
from andante.kinematics.forward import Kinematics
from andante.motions.checks.run import check_library
from andante.motions.wording import motion_lines

TICK = 0.012
CROUCH = {"HipPitch": -0.3, "KneePitch": 0.6, "AnklePitch": -0.3}
LEGS = {f"{side}{name}": angle for name, angle in CROUCH.items() for side in "LR"}


class Watcher:
    """An estimator and the sensors that it is given."""

    def __init__(self, robot, delay=0.0):
        self.robot, self.torso, self.body = robot, TorsoAngles(), Body(robot, (0.07, -0.04, 0.04))
        self.point = CapturePoint(robot, self.body)
        self.point.delay = delay
        self.sensors = robot.sensors()

    def see(self, position, pitch=0.0, pitch_rate=0.0, speeds=0.0):
        self.sensors.velocity[:] = speeds
        self.sensors.orientation[:] = (math.cos(pitch / 2), 0.0, math.sin(pitch / 2), 0.0)
        self.sensors.gyro[:] = (0.0, pitch_rate, 0.0)
        self.torso.update(self.sensors)
        self.body.update(position, self.torso.up)
        self.point.update(self.sensors)


def posture(robot, **angles):
    position = np.zeros(len(robot.joints))
    for name, angle in {**LEGS, **angles}.items():
        position[robot.index(name)] = angle
    return position


def com_over_feet(robot, position, pitch):
    """Where the centre of mass is ahead of the soles' middle, and its height, with the trunk leaning: the oracle."""
    kinematics = Kinematics(robot)
    kinematics.update(position, np.zeros(3), np.array([math.cos(pitch / 2), 0.0, math.sin(pitch / 2), 0.0]))
    soles = []
    for foot in robot.feet:
        place, turn = kinematics.pose(foot.site)
        xs = [x for x, _ in foot.outline]
        soles.append(place + turn @ np.array([0.5 * (min(xs) + max(xs)), 0.0, 0.0]))
    offset = kinematics.com() - np.mean(soles, axis=0)
    return offset[0], kinematics.com()[2] - kinematics.pose(robot.feet[0].site)[0][2]


@pytest.mark.parametrize("whole_body", [True, False])
def test_the_velocity_is_that_of_the_centre_of_mass_over_feet_that_stand(nao, whole_body):
    """Leaning about the ankles turns trunk and gyro; folding at the hips moves joints as well."""
    watcher, rate = Watcher(nao), 2.0
    found, true = [], []
    for tick in range(60):
        pitch = 0.25 * math.sin(rate * tick * TICK)
        turning = 0.25 * rate * math.cos(rate * tick * TICK)
        ankle = -0.3 - pitch if whole_body else -0.3
        hip = -0.3 if whole_body else -0.3 - pitch
        angles = {f"{side}AnklePitch": ankle for side in "LR"} | {f"{side}HipPitch": hip for side in "LR"}
        position = posture(nao, **angles)
        moving = "AnklePitch" if whole_body else "HipPitch"
        speeds = np.zeros(len(nao.joints))
        speeds[[nao.index(f"{side}{moving}") for side in "LR"]] = -turning
        watcher.see(position, pitch, turning, speeds)
        found.append(watcher.point.velocity[0])
        true.append(com_over_feet(nao, position, pitch))
    xs = np.array([x for x, _ in true])
    speeds = np.gradient(xs, TICK)
    assert watcher.point.trust == 1.0
    assert np.ptp(speeds[10:]) > 0.01
    assert found[10:-1] == pytest.approx(speeds[10:-1], abs=2e-4)
    x, height = true[-1]
    assert watcher.point.offset[0] == pytest.approx(x, abs=1e-9)
    assert watcher.point.point[0] == pytest.approx(x + found[-1] * math.sqrt(height / 9.81), abs=1e-9)


def test_the_point_is_that_of_the_moment_when_a_command_acts(nao):
    now, later = Watcher(nao), Watcher(nao, delay=0.036)
    for watcher in (now, later):
        watcher.see(posture(nao), 0.0, 0.5)
    assert now.point.velocity[0] > 0.1
    assert later.point.point[0] - now.point.point[0] == pytest.approx(0.036 * now.point.velocity[0])


def test_turning_about_the_vertical_is_no_velocity(nao):
    watcher = Watcher(nao)
    watcher.sensors.gyro[:] = (0.0, 0.0, 3.0)
    watcher.torso.update(watcher.sensors)
    watcher.sensors.orientation[:] = (1.0, 0.0, 0.0, 0.0)
    watcher.torso.update(watcher.sensors)
    watcher.body.update(posture(nao), watcher.torso.up)
    watcher.point.update(watcher.sensors)
    assert watcher.point.velocity == (0.0, 0.0)


@pytest.mark.parametrize(("tilt", "trust"), [(10.0, 1.0), (30.0, 0.614), (50.0, 0.0)])
def test_the_velocity_counts_less_where_the_soles_are_tilted(nao, tilt, trust):
    watcher = Watcher(nao)
    watcher.see(posture(nao), math.radians(tilt), 0.5)
    assert watcher.point.trust == pytest.approx(trust, abs=1e-3)
    assert (abs(watcher.point.velocity[0]) > 0.01) is (trust > 0.0)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_an_ankle_that_lifts_the_heel_is_no_velocity(nao, side):
    """The body stands still on its toes or heels; the soles' middle moves, the edge on the ground does not."""
    watcher, rate, tilt = Watcher(nao), 1.0, 0.1
    angles = {f"{foot}AnklePitch": -0.3 + side * tilt for foot in "LR"}
    speeds = np.zeros(len(nao.joints))
    speeds[[nao.index(f"{foot}AnklePitch") for foot in "LR"]] = side * rate
    watcher.see(posture(nao, **angles), 0.0, 0.0, speeds)
    kinematics = Kinematics(nao)
    kinematics.update(posture(nao, **angles))
    place, turn = kinematics.pose(nao.feet[0].site)
    xs = [x for x, _ in nao.feet[0].outline]
    ankle = kinematics.pose(nao.feet[0].body)[0]
    # In the torso's frame the edge moves with the ankle's speed times its depth below the ankle, and the trunk against
    # it. The softness of the edge's choice leaves a tenth.
    edge = place + turn @ np.array([max(xs) if side > 0 else min(xs), 0.0, 0.0]) - ankle
    assert watcher.point.velocity[0] == pytest.approx(-side * rate * edge[2], rel=0.15)
    # Relative to the other edge it would be another velocity: that edge is higher.
    other = place + turn @ np.array([min(xs) if side > 0 else max(xs), 0.0, 0.0]) - ankle
    assert abs(watcher.point.velocity[0] + side * rate * other[2]) > 0.01


@pytest.mark.parametrize("spoiled", ["gyro", "orientation", "velocity"])
def test_lost_readings_spoil_nothing(nao, spoiled):
    watcher = Watcher(nao)
    watcher.see(posture(nao))
    watcher.sensors[spoiled][:] = math.nan
    watcher.torso.update(watcher.sensors)
    watcher.body.update(posture(nao), watcher.torso.up)
    watcher.point.update(watcher.sensors)
    assert np.isfinite(watcher.point.point).all()


GAINS = {"ankle_pitch": 2.0, "hip_pitch": -1.0, "ankle_roll": 1.5, "blend": 0.06}


def balancing(*frames, more=None, **gains):
    frames = frames or (keyframe(600, LEGS),)
    lib = library({"a": block(*frames, capture_point=GAINS | gains)}, {"m": {"blocks": ["a"]}}, **(more or {}))
    return lib.model_copy(update={"robot": "nao"})


def lean(nao, lib, pitch=0.05, roll=0.0, ticks=30, mirror=False):
    """Telemetry after some ticks of a crouching robot whose trunk leans."""
    engine = KeyframeEngine(nao, lib, None, RAW)
    engine.request("m", mirror)
    run = Run(nao, engine, posture(nao))
    run.tilt(pitch, roll)
    run.step(ticks)
    return run


def moved(nao, run):
    """Change of joints by the feedback."""
    values = run.engine.telemetry["capture_correction"]
    return {name: float(values[nao.index(name)]) for name in nao.joint_names if values[nao.index(name)]}


def test_ankles_and_hips_answer_in_proportion(nao):
    run = lean(nao, balancing())
    telemetry = run.engine.telemetry
    ahead, left = telemetry["capture_error"]
    assert ahead > 0.005
    changes = moved(nao, run)
    assert changes["LAnklePitch"] == changes["RAnklePitch"] == pytest.approx(2.0 * ahead)
    assert changes["LHipPitch"] == changes["RHipPitch"] == pytest.approx(-ahead)
    assert changes["LAnkleRoll"] == pytest.approx(-1.5 * left, abs=1e-12)
    output = run.command.position[nao.index("LAnklePitch")]
    assert output == pytest.approx(telemetry["request"][nao.index("LAnklePitch")] + changes["LAnklePitch"])


def test_a_fall_to_the_right_presses_the_right_edges_down(nao):
    # Roll is positive to the right side down, and the ankle rolls of a NAO turn about the forward axis.
    run = lean(nao, balancing(), pitch=0.0, roll=0.08)
    assert run.engine.telemetry["capture_error"][1] < -0.005
    assert moved(nao, run)["RAnkleRoll"] > 0.005


def test_a_mirrored_motion_answers_the_same(nao):
    goal = (keyframe(600, LEGS, com_goal=[0.01, 0.02]),)
    image = (keyframe(600, LEGS, com_goal=[0.01, -0.02]),)
    plain = moved(nao, lean(nao, balancing(*goal), roll=0.04))
    assert plain == moved(nao, lean(nao, balancing(*image), roll=0.04, mirror=True))


def test_the_feedback_comes_into_force_over_its_time(nao):
    shares = [lean(nao, balancing(), ticks=ticks).engine.telemetry["capture_share"][1] for ticks in (1, 3, 5, 8)]
    assert shares == pytest.approx([0.2, 0.6, 1.0, 1.0])
    assert lean(nao, balancing(blend=0.0), ticks=1).engine.telemetry["capture_share"][1] == 1.0


def test_hands_on_the_ground_take_their_share(nao):
    free = lean(nao, balancing(hands=0.25))
    assert free.engine.telemetry["capture_share"][1] == 1.0
    # Folded at the hips with straight knees, arms reaching down.
    pike = {"HipPitch": -1.5, "KneePitch": 0.0, "AnklePitch": 0.0, "ShoulderPitch": 0.2}
    angles = {f"{side}{name}": angle for name, angle in pike.items() for side in "LR"}
    held = lean(nao, balancing(keyframe(600, angles), hands=0.25), pitch=1.5, ticks=80)
    assert held.engine.telemetry["capture_share"][1] == 0.25


def test_corrections_and_errors_are_cut_off(nao):
    run = lean(nao, balancing(ankle_pitch=10.0, max_error=0.01, max_correction=0.05), pitch=0.3)
    assert run.engine.telemetry["capture_error"][0] == 0.01
    assert moved(nao, run)["LAnklePitch"] == 0.05


def test_the_goal_moves_from_keyframe_to_keyframe(nao):
    frames = keyframe(240, LEGS, com_goal=[0.01, 0.0]), keyframe(240, LEGS, com_goal=[0.03, 0.0])
    run = lean(nao, balancing(*frames), pitch=0.0, ticks=1)
    goals = []
    for _ in range(42):
        point, error = run.engine.telemetry["capture_point"][0], run.engine.telemetry["capture_error"][0]
        goals.append(point - error)
        run.step()
    assert goals[:20] == pytest.approx([0.01] * 20)
    assert goals[-1] == pytest.approx(0.03)
    assert np.diff(goals).max() < 0.002


def test_after_the_motion_the_posture_is_held_and_balanced_without_a_jump(nao):
    run = lean(nao, balancing(keyframe(120, LEGS)))
    assert run.engine.done
    before = run.command.position.copy()
    run.step()
    assert run.command.position == pytest.approx(before, abs=1e-3)
    ankle = nao.index("LAnklePitch")
    run.tilt(0.0)
    run.step(40)
    upright = run.command.position[ankle]
    run.tilt(0.08)
    run.step(40)
    assert run.command.position[ankle] > upright + 0.02


def test_a_stop_holds_the_posture_without_feedback(nao):
    run = lean(nao, balancing())
    run.engine.request_stop()
    run.step(60)
    assert run.engine.done
    held = run.command.position.copy()
    run.tilt(0.15)
    run.step(20)
    assert (run.command.position == held).all()


def test_without_balance_nothing_is_corrected(nao):
    engine = KeyframeEngine(nao, balancing(), "m", RAW.but(balance=False))
    run = Run(nao, engine, posture(nao))
    run.tilt(0.1)
    run.step(30)
    assert not moved(nao, run)


def test_a_wait_ends_when_the_capture_point_is_within_bounds(nao):
    condition = {"variable": "capture_point_x", "min": -0.2, "max": 0.03, "max_wait": 5.0}
    frames = keyframe(120, LEGS, waits=[condition], forbid_wait_break=True), keyframe(120, LEGS)
    lib = library({"a": block(*frames)}, {"m": {"blocks": ["a"]}}).model_copy(update={"robot": "nao"})
    run = lean(nao, lib, pitch=0.3, ticks=60)
    assert run.keyframes() == ["a[0]"]
    run.tilt(0.0)
    run.step(3)
    assert run.keyframes() == ["a[0]", "a[1]"]


def test_libraries_without_it_record_and_compute_nothing(nao):
    lib = library({"a": block(keyframe(120, LEGS))}, {"m": {"blocks": ["a"]}}).model_copy(update={"robot": "nao"})
    run = lean(nao, lib)
    assert "capture_point" not in run.engine.telemetry.layout.slices
    assert run.engine._parts.situation.capture.point == (0.0, 0.0)


def test_the_sign_follows_the_axis_of_a_joint(nao):
    model = nao.mjcf
    place = model.index('name="LAnklePitch"')
    turned = model[:place] + model[place:].replace('axis="0 1 0"', 'axis="0 -1 0"', 1)
    assert turned != model
    other = dataclasses.replace(nao, mjcf=turned)
    changes = moved(other, lean(other, balancing()))
    assert changes["LAnklePitch"] < 0.0 < changes["RAnklePitch"]


@pytest.mark.parametrize(
    ("gains", "what"),
    [({"ankle_pitch": 10.5}, "less than or equal to 10"), ({"blend": -1.0}, "greater than or equal to 0")],
)
def test_gains_and_times_are_bounded(gains, what):
    with pytest.raises(ValueError, match=what):
        balancing(**gains)


def test_a_robot_without_the_joints_is_told_what_it_lacks(tiny):
    lib = balancing(keyframe(600)).model_copy(update={"robot": "tiny"})
    with pytest.raises(ControlError, match=r"lacks joints .* needs left_ankle_pitch, right_ankle_pitch"):
        KeyframeEngine(tiny, lib, "m")
    found = [each for each in check_library(lib, tiny, ["robot-lacks"]) if each.place == "blocks.a.capture_point"]
    assert [each.severity for each in found] == ["error"]


def test_it_is_told_in_words():
    lines = [line.strip() for line in motion_lines(balancing(), "m")]
    assert (
        "balances by the capture point: ankle_pitch 2, hip_pitch -1, ankle_roll 1.5 (rad/m), in force after 60 ms"
        in lines
    )


def test_the_velocity_is_that_of_jacobians_over_the_corners_that_stand(nao):
    """The kernel against plain numpy with the Jacobians, at soles that are tilted and turned."""
    seen, rng = Watcher(nao), np.random.default_rng(3)
    for _ in range(40):
        position = posture(nao) + 0.1 * rng.normal(size=len(nao.joints))
        speeds, (pitch, rate) = rng.normal(size=len(nao.joints)), 0.1 * rng.normal(size=2)
        seen.see(position, pitch, rate, speeds)
        kinematics, first = Kinematics(nao), -len(nao.joints)
        kinematics.update(position)
        corners, rates, flatness = [], [], 0.0
        up, level = np.array(seen.torso.up), seen.body.level()
        for foot in nao.feet:
            place, turn = kinematics.pose(foot.site)
            moving = kinematics.jacobian(foot.site)[:, first:] @ speeds
            flatness += 0.5 * (up @ turn[:, 2])
            for x, y in foot.outline:
                arm = turn @ np.array([x, y, 0.0])
                corners.append(kinematics.com() - place - arm)
                rates.append(kinematics.com_jacobian()[:, first:] @ speeds - moving[:3] - np.cross(moving[3:], arm))
        heights = np.array(corners) @ up
        stands = np.exp((heights - heights.max()) / 0.005)
        stands /= stands.sum()
        gyro = kinematics.pose(nao.imu_site)[1] @ seen.sensors.gyro
        turning = np.cross(gyro - up * (up @ gyro), stands @ np.array(corners))
        velocity = level @ (stands @ np.array(rates) + turning)
        trust = np.clip(
            (flatness - math.cos(math.radians(45))) / (math.cos(math.radians(15)) - math.cos(math.radians(45))), 0, 1
        )
        np.testing.assert_allclose(seen.point.velocity, trust * velocity[:2], rtol=0.0, atol=1e-9)


def test_a_gyro_in_single_precision_is_read_as_the_same(nao):
    """Backends of others may hand over float32, which machine code would read as something else."""
    seen, same = Watcher(nao), Watcher(nao)
    same.sensors = type(same.sensors)(same.sensors.layout, same.sensors.vector.astype(np.float32))
    for watcher in (seen, same):
        watcher.see(posture(nao), 0.0, 0.5)
    np.testing.assert_allclose(same.point.velocity, seen.point.velocity, rtol=0.0, atol=1e-6)
    assert abs(seen.point.velocity[0]) > 0.05
