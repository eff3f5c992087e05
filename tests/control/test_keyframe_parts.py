"""Formulas of the engine's parts against values worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.control.keyframes.balancer import AxisGains, ComBalancer, axis_output, error_scaling
from andante.control.keyframes.clock import KeyframeClock, MicrosecondClock
from andante.control.keyframes.compensation import correction_share
from andante.control.keyframes.conditions import Check, JoinedConditions
from andante.control.keyframes.differences import JointDifferences
from andante.control.keyframes.features import Body, TorsoAngles
from andante.control.keyframes.program import Program
from andante.motions.conditions import Variable
from andante.motions.interpolation import keyframe_ticks
from andante.motions.library import MotionLibrary
from andante.motions.settings import GainPair
from andante.robots.roles import joint_with_role


@pytest.mark.parametrize("period", [1_000, 4_000, 10_000, 12_000])
def test_clock_agrees_with_the_tick_formula(period):
    rng = np.random.default_rng(1)
    for duration in [1, 1_000, 3_000, *rng.integers(1, 3_000_000, 40).tolist()]:
        clock = KeyframeClock(period)
        now = 5 * period
        clock.start(now, duration)
        ticks = 1
        while clock.update(now) < 1.0:
            now += period
            ticks += 1
        assert ticks == keyframe_ticks(duration * 1e-6, period * 1e-6)


def test_clock_survives_time_that_stops_or_is_no_number():
    clock = MicrosecondClock(12_000)
    times = [0.0, 0.012, 0.012, math.nan, 0.001, 1e300, 0.1]
    assert [clock.update(time) for time in times] == [0, 12_000, 12_000, 24_000, 24_000, 36_000, 100_000]


@pytest.mark.parametrize(
    ("low", "high", "error", "share"),
    [
        (1.0, 10.0, 5.5, 0.5),
        (1.0, 10.0, 0.5, 0.0),
        (0.0, 10.0, 4.0, 0.4),
        (-5.0, 10.0, 4.0, 0.4),
        (-5.0, 10.0, -4.0, 0.8),
        (-10.0, -30.0, -20.0, 0.5),
        (1.0, 10.0, 19.0, 2.0),
        (3.0, 3.0, 3.0, 0.0),
    ],
)
def test_share_of_the_correction(low, high, error, share):
    assert correction_share(low, high, error) == pytest.approx(share)


def test_differences_wait_for_the_ring_then_filter_and_predict():
    differences = JointDifferences(1, delay=2)
    measured = np.array([0.0])
    seen = []
    for _ in range(5):
        differences.update(measured)
        seen.append(float(differences.filtered[0]))
        differences.push(np.array([1.0]))
    # requests of two ticks ago are compared from the third tick on: 0.4, 0.64, 0.784
    assert seen == pytest.approx([0.0, 0.0, 0.4, 0.64, 0.784])
    assert differences.predicted(0) == pytest.approx(0.784)  # growing: the present value is nearer to 0
    measured[0] = 1.0
    differences.update(measured)
    # 0.6 * 0.784 = 0.4704; ahead 0.4704 + 3 * (0.4704 - 0.784) = -0.4704: 0 lies between
    assert differences.predicted(0) == 0.0
    measured[0] = 0.3
    differences.update(measured)
    # 0.6 * 0.4704 + 0.4 * 0.7 = 0.56224, growing again
    assert differences.predicted(0) == pytest.approx(0.56224)


def test_scaling_of_the_gains():
    assert error_scaling(25.0, -50.0, 2.0, 3.0) == 0.25
    assert error_scaling(-100.0, 20.0, 2.0, 3.0) == 3.0
    assert error_scaling(3.0, 0.0, 2.0, 100.0) == 9.0
    assert error_scaling(0.0, 5.0, 0.0, 7.0) == 1.0
    assert error_scaling(1e200, 1.0, 4.0, 5.0) == 5.0


SPLIT = AxisGains(
    p=GainPair(base=4.0, max_additional=5.0),
    d=GainPair(base=1.0, max_additional=1.0),
    cap=(1.0, 3.0),
    exponent=(2.0, 2.0),
    base=(-50.0, 20.0),
)


def test_output_of_one_direction():
    # error +10 mm of base 20: scaling 0.25; P 10 * 4.25 = 42.5; I 0.02 * 100 = 2; D 3/0.012 * 1.25 = 312.5
    output, derivative = axis_output(10.0, 3.0, 100.0, SPLIT, 0.012, damped=False)
    assert derivative == pytest.approx(312.5)
    assert output == pytest.approx(0.012 * (42.5 + 2.0 + 312.5))
    # error -25 mm of base -50: scaling 0.25, growing outwards is no matter while it is not damped
    assert axis_output(-25.0, 3.0, 0.0, SPLIT, 0.012, damped=False)[1] == pytest.approx(312.5)
    assert axis_output(-25.0, 3.0, 0.0, SPLIT, 0.012, damped=True)[1] == pytest.approx(250.0)


PHASE = {
    "max_scaling": {"pitch": {"min": 1, "max": 3}, "roll": {"min": 1, "max": 2}},
    "exponent": {"pitch": {"min": 2, "max": 2}, "roll": {"min": 2, "max": 3}},
    "p_pitch": {"base": 4, "max_additional": 5},
    "p_roll": {"base": 1, "max_additional": 2},
    "d_pitch": {"base": 1, "max_additional": 1},
    "d_roll": {"base": 1, "max_additional": 0},
    "com_range": {"pitch": {"min": -0.05, "max": 0.02}, "roll": {"min": -0.02, "max": 0.06}},
}


def balanced_keyframe(tiny, mirror=False, **more):
    frame = {
        "duration": 0.12,
        "phase": "Split",
        "com_goal": (0.01, 0.004),
        "balance_pitch": [{"joint": "LKneePitch", "scale": 0.5}, {"joint": "LShoulderRoll", "scale": 0.2}],
        "balance_roll": [{"joint": "LShoulderRoll", "scale": 1.0}, {"joint": "RKneePitch", "scale": 0.3}],
    }
    lib = MotionLibrary.model_validate(
        {"robot": "tiny", "blocks": {"a": {"keyframes": [frame | more]}}, "balance": {"Split": PHASE}}
    )
    return Program(lib, tiny, mirror).blocks["a"].keyframes[0]


def test_balancer_follows_the_formula_for_three_ticks(tiny):
    keyframe = balanced_keyframe(tiny)
    balancer = ComBalancer(9, 0.012, damped=False)
    balancer.start(keyframe, (0.0, 0.0))
    offsets = (0.004, 0.007, 0.009)
    old, growth, integral, filtered = 4.0, 0.0, 0.0, 0.0
    for tick, offset in enumerate(offsets):
        ratio = (tick + 1) * 0.1
        balancer.update(tick * 12_000, ratio, 120_000, (offset, 0.0), settle=False)
        # goal 10 mm * ratio, its speed 10 mm * 12/120 = 1 mm per tick through the 0.75/0.25 filter
        error = offset * 1e3 - 10.0 * ratio
        growth = 0.75 * growth + 0.25 * 1.0
        change = offset * 1e3 - old - growth
        old = offset * 1e3
        integral += error
        scaling = (error / 20.0) ** 2
        raw = 0.012 * (error * (4 + scaling) + 0.02 * integral + change / 0.012 * (1 + scaling))
        filtered += max(-1.0, min(1.0, 0.4 * (raw - filtered)))
        assert balancer.axes[0].output == pytest.approx(filtered)
    assert balancer.correction[tiny.index("LKneePitch")] == pytest.approx(math.radians(0.5 * filtered))


def test_balancer_limits_its_change_and_forgets_after_a_pause(tiny):
    balancer = ComBalancer(9, 0.012, damped=False)
    balancer.start(balanced_keyframe(tiny), (0.0, 0.0))
    balancer.update(0, 1.0, 120_000, (0.5, 0.0), settle=False)
    assert balancer.axes[0].output == 1.0  # one degree per tick
    balancer.update(12_000, 1.0, 120_000, (0.5, 0.0), settle=False)
    assert balancer.axes[0].output == 2.0
    balancer.update(60_000, 1.0, 120_000, (0.5, 0.0), settle=False)
    assert balancer.axes[0].output == 1.0


def test_settling_shrinks_the_integral_by_84_mm_per_tick(tiny):
    balancer = ComBalancer(9, 0.012, damped=False)
    balancer.start(balanced_keyframe(tiny), (0.0, 0.0))
    balancer.update(0, 1.0, 120_000, (0.2, -0.2), settle=False)
    assert balancer.axes[0].integral == pytest.approx(190.0)
    balancer.update(12_000, 1.0, 120_000, (0.2, -0.2), settle=True)
    assert balancer.axes[0].integral == pytest.approx(106.0)
    assert balancer.axes[1].integral == pytest.approx(-120.0)


def test_mirrored_balancer_is_the_mirror_image(tiny):
    plain, mirrored = ComBalancer(9, 0.012, False), ComBalancer(9, 0.012, False)
    plain.start(balanced_keyframe(tiny), (0.0, 0.0))
    mirrored.start(balanced_keyframe(tiny, mirror=True), (0.0, 0.0))
    rng = np.random.default_rng(2)
    for tick in range(20):
        x, y = rng.normal(0.0, 0.03, 2)
        plain.update(tick * 12_000, tick / 20, 240_000, (x, y), settle=False)
        mirrored.update(tick * 12_000, tick / 20, 240_000, (x, -y), settle=False)
        for name, other, sign in (
            ("LKneePitch", "RKneePitch", 1.0),
            ("LShoulderRoll", "RShoulderRoll", -1.0),
            ("RKneePitch", "LKneePitch", 1.0),
        ):
            value = plain.correction[tiny.index(name)]
            assert mirrored.correction[tiny.index(other)] == pytest.approx(sign * value, abs=1e-12)
    assert np.abs(plain.correction).max() > 1e-3


def orientation(robot, pitch=0.0, roll=0.0):
    sensors = robot.sensors()
    a, b = math.cos(pitch / 2), math.sin(pitch / 2)
    c, s = math.cos(roll / 2), math.sin(roll / 2)
    sensors.orientation[:] = (a * c, a * s, b * c, -b * s)
    return sensors


@pytest.mark.parametrize("pitch", [-110.0, -89.0, 0.0, 30.0, 89.0, 150.0])
@pytest.mark.parametrize("roll", [-40.0, 0.0, 60.0])
def test_torso_angles_over_the_full_circle(tiny, pitch, roll):
    torso = TorsoAngles()
    torso.update(orientation(tiny, math.radians(pitch), math.radians(roll)))
    p, r = math.radians(pitch), math.radians(roll)
    # up in the torso frame is the last row of Ry(p) Rx(r)
    assert torso.up == pytest.approx((-math.sin(p), math.sin(r) * math.cos(p), math.cos(r) * math.cos(p)))
    assert torso.pitch == pytest.approx(math.atan2(math.sin(p), math.cos(r) * math.cos(p)))
    assert math.sin(torso.roll) == pytest.approx(math.sin(r) * math.cos(p))
    if roll == 0.0:
        assert math.degrees(torso.pitch) == pytest.approx(pitch)


def test_fluctuation_is_change_plus_change_of_change(tiny):
    torso = TorsoAngles()
    for pitch in (0.0, 0.1, 0.15):
        torso.update(orientation(tiny, pitch))
    assert torso.fluctuation == pytest.approx(0.05 + 0.05)
    torso.update(tiny.sensors())  # no rotation at all: everything stays
    assert torso.pitch == pytest.approx(0.15)


def test_level_frame_brings_up_to_the_vertical(tiny):
    body = Body(tiny, (0.07, -0.04, 0.04))
    rng = np.random.default_rng(4)
    for _ in range(50):
        up = rng.normal(size=3)
        up /= np.linalg.norm(up)
        body.update(np.zeros(9), tuple(up.tolist()))
        level = body.level()
        assert level @ up == pytest.approx([0.0, 0.0, 1.0], abs=1e-9)
        assert level @ level.T == pytest.approx(np.eye(3), abs=1e-9)
        assert np.linalg.det(level) == pytest.approx(1.0)


def test_circular_ranges_and_groups():
    wrapped = Check(Variable.TORSO_PITCH, 3.0, -3.0, False)
    assert wrapped.holds(3.1)
    assert wrapped.holds(-3.1)
    assert not wrapped.holds(0.0)
    assert Check(Variable.TORSO_PITCH, 3.0, -3.0, True).holds(0.0)
    low = Check(Variable.TORSO_PITCH, -1.0, 0.0, False)
    assert low.distance(0.4) == pytest.approx(0.4)
    assert low.distance(-0.5) == 0.0
    assert not JoinedConditions((low, wrapped), all=True).holds(lambda _: -0.5)
    assert JoinedConditions((low, wrapped), all=False).holds(lambda _: -0.5)
    assert JoinedConditions((), all=False).holds(lambda _: 0.0)


def test_roles_find_joints_whatever_the_spelling(tiny):
    for role in ("left_shoulder_pitch", "lShoulderPitch", "LShoulderPitch"):
        assert joint_with_role(tiny, role) == tiny.index("LShoulderPitch")
    assert joint_with_role(tiny, "left_wrist_yaw") is None
