"""What the 2025 dialect does differently: its filter, the shaking ankles, the fall, one-sided balance joints."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import pytest
from keyframe_run import RAW, Run, block, constant_gains, keyframe, library, window

from andante.control.keyframes.balancer import ComBalancer
from andante.control.keyframes.configuration import KeyframeEngineSettings, MotionRequest
from andante.control.keyframes.differences import JointDifferences
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.hip_yaw import AnkleOscillation
from andante.control.keyframes.program import Program
from andante.control.keyframes.states import EngineState
from andante.control.keyframes.trend_filter import TrendFilter
from andante.motions.editing.mirror import mirror_library, mirror_posture
from andante.motions.keyframe import JointScale
from andante.motions.settings import Oscillation

DEGREE = math.radians(1.0)
STIFF = {"head": 0.5, "left_arm": 0.5, "right_arm": 0.5, "left_leg": 0.8, "right_leg": 0.8}
PHASE = constant_gains(p_pitch=4, p_roll=4)


def test_filter_believes_a_signal_that_keeps_its_direction():
    trend = TrendFilter(np.zeros(1), 0.4, 0.9)
    seen = []
    for _ in range(4):
        trend.update(np.array([1.0]))
        seen.append(float(trend.value[0]))
    # 0.4 old + 0.6 new three times; then twice with 0.9 of the way and once with 0.4 of it
    left = 1.0 - 0.936
    assert seen == pytest.approx([0.6, 0.84, 0.936, 1.0 - left * 0.1 * 0.1 * 0.6])


def test_filter_holds_back_where_the_signal_flickers():
    trend = TrendFilter(np.zeros(2), 0.7, 0.9)
    for sample in (0.0, 0.0, 0.0, 1.0):
        trend.update(np.array([sample, 0.0]))
    # the newest sample pulls with 0.7
    assert trend.value == pytest.approx([0.7, 0.0])
    trend.update(np.array([-1.0, 0.0]))
    # 0 with 0.9: 0.07; 1 turns, 0.7 of 0.93: 0.721; -1 turns a second time, min(0.7, 0.3) of -1.721: 0.2047
    assert trend.value == pytest.approx([0.2047, 0.0])
    trend.reset()
    assert not trend.value.any()


def test_differences_use_the_adaptive_filter_where_the_library_asks():
    differences = JointDifferences(1, delay=2, adaptive=(0.4, 0.9))
    seen = []
    for _ in range(5):
        differences.update(np.array([0.0]))
        seen.append(float(differences.filtered[0]))
        differences.push(np.array([1.0]))
    assert seen == pytest.approx([0.0, 0.0, 0.6, 0.84, 0.936])
    differences.reset()
    differences.update(np.array([0.0]))
    assert differences.filtered[0] == 0.0


def test_balancer_filters_without_a_step_limit(tiny):
    """An error of 50 mm asks for 0.012 * (50 * 4) = 2.4 deg; the filter keeps 0.2 of the old value, not 1 deg."""
    balancer = ComBalancer(9, 0.012, damped=True, adaptive=True)
    lib = library({"a": block(keyframe(120, **BALANCED))}, {"m": {"blocks": ["a"]}}, balance={"Split": PHASE})
    balancer.start(Program(lib, tiny).blocks["a"].keyframes[0], (0.0, 0.0))
    balancer.update(0, 1.0, 120_000, (0.05, 0.0), settle=True)
    assert balancer.axes[0].output == pytest.approx(0.8 * 2.4)


BALANCED = {"phase": "Split", "balance_pitch": [{"joint": "LKneePitch", "scale": 0.5}]}


@pytest.mark.parametrize("output", [0.4, -0.4])
@pytest.mark.parametrize(
    ("sign", "expected"),
    [
        ("default", lambda change: change),
        ("only_positive", lambda change: max(change, 0.0)),
        ("only_negative", lambda change: min(change, 0.0)),
        ("absolute_positive", abs),
        ("absolute_negative", lambda change: -abs(change)),
    ],
)
def test_balance_joints_of_one_sign_and_their_mirror_image(tiny, output, sign, expected):
    entry = {"joint": "LShoulderRoll", "scale": -0.5, "sign": sign}
    other = {"joint": "LKneePitch", "scale": 2.0, "sign": sign}
    frame = keyframe(120, phase="Split", balance_pitch=[entry, other], balance_roll=[other])
    lib = library({"a": block(frame)}, {"m": {"blocks": ["a"]}}, balance={"Split": PHASE})
    corrections = []
    for mirror in (False, True):
        balancer = ComBalancer(9, 0.012, damped=False)
        balancer.start(Program(lib, tiny, mirror).blocks["a"].keyframes[0], None)
        # output * (0.4 filter) in degrees: an error e gives 0.012 * 4 e; the sideways one is left out for now
        error = output / (0.4 * 0.012 * 4.0) * 1e-3
        balancer.update(0, 1.0, 120_000, (error, (-error if mirror else error)), settle=True)
        assert balancer.axes[0].output == pytest.approx(output)
        corrections.append(balancer.correction.copy())
    plain, mirrored = corrections
    assert plain[tiny.index("LShoulderRoll")] == pytest.approx(expected(-0.5 * output) * DEGREE)
    assert plain[tiny.index("LKneePitch")] == pytest.approx(2 * expected(2.0 * output) * DEGREE)
    assert mirrored[tiny.index("RShoulderRoll")] == pytest.approx(-plain[tiny.index("LShoulderRoll")])
    assert mirrored[tiny.index("RKneePitch")] == pytest.approx(plain[tiny.index("LKneePitch")])


@pytest.mark.parametrize("axis", ["balance_pitch", "balance_roll"])
@pytest.mark.parametrize("joint", ["LShoulderRoll", "LKneePitch", "HeadYaw"])
@pytest.mark.parametrize("error", [0.02, -0.02])
@pytest.mark.parametrize("sign", get_args(JointScale.model_fields["sign"].annotation))
def test_a_mirrored_document_balances_as_the_mirrored_run_of_the_original(tiny, axis, joint, error, sign):
    frame = keyframe(120, phase="Split", **{axis: [{"joint": joint, "scale": 0.5, "sign": sign}]})
    lib = library({"a": block(frame)}, {"m": {"blocks": ["a"]}}, balance={"Split": PHASE})

    def correction(document, side, mirror):
        balancer = ComBalancer(9, 0.012, damped=False)
        balancer.start(Program(document, tiny, mirror).blocks["a"].keyframes[0], None)
        balancer.update(0, 1.0, 120_000, (error, side * error), settle=True)
        return balancer.correction

    image = mirror_library(lib, tiny)
    wanted = mirror_posture(correction(lib, 1.0, mirror=False), tiny)
    np.testing.assert_array_equal(correction(lib, -1.0, mirror=True), wanted)
    np.testing.assert_array_equal(correction(image, -1.0, mirror=False), wanted)
    np.testing.assert_array_equal(correction(image, 1.0, mirror=True), mirror_posture(wanted, tiny))
    assert np.any(wanted) or sign.startswith("only")


SHAKE = Oscillation(period=0.2, amplitude=DEGREE, error_range={"min": 5 * DEGREE, "max": 10 * DEGREE})


@pytest.mark.parametrize(
    ("time_ms", "error", "share"),
    [(50, 7.5, 0.5), (50, -7.5, 0.5), (150, 12.0, -1.0), (250, 10.0, 1.0), (50, 4.0, 0.0), (100, 12.0, 0.0)],
)
def test_oscillation_grows_with_the_hip_error(nao, time_ms, error, share):
    shake = AnkleOscillation(nao, SHAKE)
    assert shake.offset(time_ms * 1000, error * DEGREE) == pytest.approx(share * DEGREE, abs=1e-12)
    assert shake.joints == ((nao.index("LAnkleRoll"), 1.0), (nao.index("RAnkleRoll"), -1.0))


def test_nothing_oscillates_without_settings_or_ankles(nao, tiny):
    assert AnkleOscillation(nao, None).joints == ()
    assert AnkleOscillation(tiny, SHAKE).joints == ()


def nao_library(frame, dialect="bhuman-2025", **settings):
    blocks = {"a": block(frame, stiffness=STIFF)}
    more = {"dialect": dialect, "settings": settings, "balance": {"Split": PHASE}}
    return library(blocks, {"m": {"blocks": ["a"]}}, **more).model_copy(update={"robot": "nao"})


@pytest.mark.parametrize("mirror", [False, True])
def test_a_stuck_hip_makes_the_ankles_shake_in_opposite_directions(nao, mirror):
    frame = keyframe(3000, {"LHipYawPitch": 0.0}, phase="Split", balance_pitch=[{"joint": "LKneePitch", "scale": 0.0}])
    engine = KeyframeEngine(nao, nao_library(frame, oscillation=SHAKE.model_dump()), MotionRequest("m", mirror))
    run, hip = Run(nao, engine), nao.index("LHipYawPitch")
    left, right = nao.index("LAnkleRoll"), nao.index("RAnkleRoll")
    run.step(40)
    assert run.command.position[left] == 0.0
    run.stuck[hip] = -0.3
    run.step(40)
    moves = []
    for _ in range(17):
        run.step()
        moves.append((run.command.position[left], run.command.position[right]))
        expected = DEGREE * math.sin(math.tau * ((run.tick - 1) * 0.012 % 0.2) / 0.2)
        assert moves[-1] == pytest.approx((expected, -expected), abs=1e-9)
    assert max(move[0] for move in moves) > 0.9 * DEGREE


def test_fall_to_the_front_bends_the_elbows_and_holds_the_hips(nao):
    frame = keyframe(500, window=window(-0.5, 0.5), window_start=window(-0.5, 0.5))
    fall = {"hip_pitch_stiffness": 0.3, "elbow_roll_stiffness": 0.2}
    gain = nao.servo_kp
    for pitch, front in ((0.8, True), (-0.8, False)):
        run = Run(nao, KeyframeEngine(nao, nao_library(frame, safe_fall=fall), "m", RAW))
        run.step()
        run.tilt(pitch)
        run.step()
        assert run.engine.state is EngineState.BREAK_UP
        stiffness = run.command.kp / gain
        for name, value in (("LHipPitch", 0.3), ("RElbowRoll", 0.2), ("LElbowYaw", 0.0), ("LKneePitch", 0.1)):
            assert stiffness[nao.index(name)] == pytest.approx(value if front else 0.1), name
        if front:
            assert run.command.position[nao.index("LElbowRoll")] == pytest.approx(-40 * DEGREE)
            assert run.command.position[nao.index("RElbowRoll")] == pytest.approx(40 * DEGREE)
    old = Run(nao, KeyframeEngine(nao, nao_library(frame, "bhuman-2024"), "m"))
    old.step()
    old.tilt(0.8)
    old.step()
    assert (old.command.kp / gain)[nao.index("LHipPitch")] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("dialect", "pitch", "ticks"),
    [("bhuman-2025", 1.3, 84), ("bhuman-2025", 0.9, 84), ("bhuman-2025", -1.3, 9), ("bhuman-2024", 1.3, 9)],
)
def test_first_keyframe_of_a_front_get_up_takes_a_second_after_a_break_up(tiny, dialect, pitch, ticks):
    """1 s is floor((1000 - 3) / 12) + 1 = 84 ticks; the keyframe's own 100 ms are 9."""
    frames = {"r": block(keyframe(100, {"HeadYaw": 0.01})), "s": block(keyframe(24))}
    motions = {"recoverGeneric": {"blocks": ["r"]}, "stand": {"blocks": ["s"]}}
    run = Run(tiny, KeyframeEngine(tiny, library(frames, motions, dialect=dialect), MotionRequest(None)))
    run.tilt(pitch)
    run.step(9)
    assert run.engine.state is EngineState.WORKING  # the first try is not slowed down
    run.step(1)
    assert run.engine.state is EngineState.BREAK_UP
    while run.engine.state is EngineState.BREAK_UP:
        run.step()
    count = 0
    while run.engine.state is EngineState.WORKING:
        run.step()
        count += 1
    assert count == ticks


def test_balancing_can_be_switched_off(tiny):
    lib = library({"a": block(keyframe(120, **BALANCED))}, {"m": {"blocks": ["a"]}}, balance={"Split": PHASE})
    engine = KeyframeEngine(tiny, lib, "m", KeyframeEngineSettings(balance=False))
    Run(tiny, engine).step(3)
    assert not engine.telemetry["balance"].any()
