"""Rules of joint errors, starts and compensation that the other tests leave out (reference 2.3 to 2.6)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from keyframe_run import ALL, UNHURRIED, Run, block, keyframe, library, pitch_above

from andante.control.keyframes.compensation import JointCompensator, correction_share
from andante.control.keyframes.configuration import KeyframeEngineSettings
from andante.control.keyframes.differences import JointDifferences
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.posture import PosturePlayer
from andante.control.keyframes.program import Program


@pytest.mark.parametrize(
    ("low", "high", "error", "share"),
    [
        (0.0, -10.0, -4.0, 0.4),
        (0.0, -10.0, 4.0, 0.0),
        (10.0, -5.0, -4.0, 0.8),
        (10.0, -5.0, 4.0, 0.4),
        (-10.0, 20.0, 0.0, 0.0),
        (10.0, 1.0, 0.5, 9.5 / 9.0),  # begins with the larger error: told as an inverted range
        (-10.0, 0.0, -5.0, 0.5),
        (-10.0, -30.0, -9.0, 0.0),
    ],
)
def test_shares_of_every_case_of_signs(low, high, error, share):
    assert correction_share(low, high, error) == pytest.approx(share)


def test_prediction_of_falling_negative_errors():
    differences = JointDifferences(1, delay=1)
    seen = []
    for request, measured in ((-1.0, 0.0), (-1.0, 0.0), (-1.0, -0.7), (-1.0, -1.0)):
        differences.update(np.array([measured]))
        seen.append((float(differences.filtered[0]), differences.predicted(0)))
        differences.push(np.array([request]))
    # -0.4 and growing; 0.6 * -0.4 + 0.4 * -0.3 = -0.36, ahead -0.36 + 3 * 0.04 = -0.24;
    # 0.6 * -0.36 = -0.216, ahead -0.216 + 3 * 0.144 > 0: 0 lies between
    assert seen == [pytest.approx(row) for row in ((0.0, 0.0), (-0.4, -0.4), (-0.36, -0.24), (-0.216, 0.0))]


class Errors:
    """An error of 0.3 rad now that will be 0.2 rad three ticks ahead."""

    filtered = np.full(9, 0.3)

    def predicted(self, joint):
        return 0.2


@pytest.mark.parametrize(("predict", "share"), [(True, 0.5), (False, 1.0)])
def test_only_rules_that_ask_for_it_use_the_prediction(tiny, predict, share):
    rule = {
        "joint": "LKneePitch",
        "range": {"min": 0.1, "max": 0.3},
        "targets": [{"joint": "HeadYaw", "scale": 1.0}],
        "predict": predict,
    }
    lib = library({"a": block(keyframe(100, compensation=[rule]))}, {"m": {"blocks": ["a"]}})
    comp = JointCompensator(Errors(), None, None, clip=True, recompute=True, reduce_difference=0.0)
    comp.start(Program(lib, tiny).blocks["a"].keyframes[0])
    comp.update(np.zeros(9))
    assert comp.correction[0] == pytest.approx(share * 0.3)


def test_a_limp_joint_is_compared_with_its_own_measurement(tiny):
    knee = tiny.index("LKneePitch")
    lib = library({"a": block(keyframe(600, {"LKneePitch": "off"}))}, {"m": {"blocks": ["a"]}})
    engine = KeyframeEngine(tiny, lib, "m", KeyframeEngineSettings(delay_ticks=2))
    run = Run(tiny, engine)
    for tick in range(1, 9):
        run.position[knee] = 0.05 * tick
        run.step()
    # moved by hand, 0.05 rad per tick: two ticks ago it was 0.1 rad less; six values since the ring is full
    assert engine.telemetry["difference"][knee] == pytest.approx(-0.1 * (1.0 - 0.6**6))


def test_a_new_motion_begins_without_joint_errors(tiny):
    knee = tiny.index("LKneePitch")
    lib = library(
        {"a": block(keyframe(120, {"LKneePitch": 0.0})), "b": block(keyframe(120, {"LKneePitch": 0.0}))},
        {"m": {"blocks": ["a"], "follow_ups": [{"motion": "n"}]}, "n": {"blocks": ["b"]}},
    )
    engine = KeyframeEngine(tiny, lib, "m", KeyframeEngineSettings(delay_ticks=2))
    run, seen = Run(tiny, engine), []
    run.stuck[knee] = -0.2
    for _ in range(14):
        run.step()
        seen.append((engine.motion, float(engine.telemetry["difference"][knee])))
    before = [error for motion, error in seen if motion == "m"]
    after = [error for motion, error in seen if motion == "n"]
    assert before[-1] > 0.15
    # the ring holds two requests before the first error is known: 0.4 of 0.2
    assert after[:3] == pytest.approx([0.0, 0.0, 0.08])


@pytest.mark.parametrize("how", ["gate", "follow-up", "request"])
def test_a_motion_begins_without_the_joint_errors_of_the_one_before(tiny, how):
    gate = keyframe(12, branches=[{"motion": "n", "early": pitch_above(0.3)}] if how == "gate" else [])
    follow_ups = [{"motion": "n"}] if how == "follow-up" else []
    lib = library(
        {"a": block(keyframe(360, {"LKneePitch": 0.0}), gate), "b": block(keyframe(360))},
        {"m": {"blocks": ["a"], "follow_ups": follow_ups}, "n": {"blocks": ["b"]}},
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    knee = tiny.index("LKneePitch")
    run.stuck[knee] = -0.3
    run.step(25)
    assert run.engine.telemetry["difference"][knee] > 0.2
    if how == "request":
        run.engine.request("n", replace=True)
    run.tilt(0.4)
    while run.engine.motion == "m":
        run.step()
    assert run.engine.telemetry["difference"][knee] == 0.0


def test_changes_of_start_and_target_share_the_way(tiny):
    player = PosturePlayer(tiny)
    lib = library({"a": block(keyframe(100, {"HeadYaw": 1.0}))}, {"m": {"blocks": ["a"]}})
    compiled = Program(lib, tiny).blocks["a"]
    measured = np.zeros(9)
    measured[0] = 0.2
    player.begin(compiled.keyframes[0], compiled, measured)
    change, correction = np.zeros(9), np.zeros(9)
    change[0], correction[0] = -0.1, 0.3
    # from 0.1 to 1.3, a quarter of the way
    player.play(0.25, change, correction)
    assert player.request[0] == pytest.approx(0.4)
    player.play(1.0, change, correction)
    assert player.request[0] == pytest.approx(1.3)


def test_a_joint_without_stiffness_starts_from_its_measurement(tiny):
    lib = library(
        {
            "a": block(keyframe(24, {"HeadYaw": 0.3}), stiffness=ALL | {"head": 0.0}),
            "b": block(keyframe(24, {"HeadYaw": 0.0})),
        },
        {"m": {"blocks": ["a", "b"]}},
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m", UNHURRIED))
    run.position[0] = 0.1
    run.step(2)
    assert run.command.kp[0] == 0.0
    assert run.command.position[0] == pytest.approx(0.1)  # asked for 0.3, but limp
    run.position[0] = 0.4
    assert run.path(0, 2) == pytest.approx([0.2, 0.0])


def test_a_correction_taken_out_moves_the_start_of_the_next_keyframe(tiny):
    """The knee sticks in the first keyframe and comes free in the second: the shoulder goes back with it."""
    rule = {"joint": "LKneePitch", "range": {"min": 0.1, "max": 0.3}, "targets": [{"joint": "HeadYaw", "scale": 1.0}]}
    lib = library(
        {"a": block(keyframe(600, {"LKneePitch": 0.0}, compensation=[rule]), keyframe(2400))},
        {"m": {"blocks": ["a"]}},
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m", KeyframeEngineSettings(delay_ticks=2)))
    run.stuck[tiny.index("LKneePitch")] = -0.2
    run.step(50)
    assert run.command.position[0] == pytest.approx(0.15)  # half of 0.3
    run.stuck[tiny.index("LKneePitch")] = 0.0
    run.step(60)
    # the correction is gone from the start; the target is where the first keyframe ended: 60 of 200 ticks of 0.15
    assert run.command.position[0] == pytest.approx(0.15 * 60 / 200)


@pytest.mark.parametrize("curve", ["linear", "sine_min_to_max", "sine_zero_to_max"])
def test_curves_at_five_places(tiny, curve):
    """u = r; 0.5 sin(pi r - pi / 2) + 0.5; sin(pi r / 2)."""
    frame = keyframe(480, {"HeadYaw": 1.0}, interpolation=curve)
    run = Run(tiny, KeyframeEngine(tiny, library({"a": block(frame)}, {"m": {"blocks": ["a"]}}), "m", UNHURRIED))
    path = run.path(0, 40)
    half = math.sqrt(0.5)
    expected = {
        "linear": (0.1, 0.25, 0.5, 0.75, 1.0),
        "sine_min_to_max": (0.5 - 0.5 * math.cos(math.pi / 10), 0.5 - half / 2, 0.5, 0.5 + half / 2, 1.0),
        "sine_zero_to_max": (math.sin(math.pi / 20), math.sin(math.pi / 8), half, math.cos(math.pi / 8), 1.0),
    }[curve]
    assert [path[tick - 1] for tick in (4, 10, 20, 30, 40)] == pytest.approx(expected)
