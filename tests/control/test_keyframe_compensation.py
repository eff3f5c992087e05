"""Stuck-joint compensation and the two rules that take it out again, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from keyframe_run import NARROW, Run, block, keyframe, library, request_library, until

from andante.control.keyframes.compensation import JointCompensator
from andante.control.keyframes.configuration import KeyframeEngineSettings
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.program import Program
from andante.control.keyframes.states import EngineState

KNEE = {
    "joint": "LKneePitch",
    "range": {"min": 0.1, "max": 0.3},
    "targets": [{"joint": "LShoulderPitch", "scale": 0.5}],
    "predict": True,
}
"""Full correction of the shoulder: 0.5 * 0.3 = 0.15 rad at a knee error of 0.3 rad."""
HIPS = {
    "joint": "HeadYaw",
    "hip_pitch_difference": True,
    "range": {"min": 0.1, "max": 0.3},
    "targets": [{"joint": "LAnklePitch", "scale": 1.0}],
}
"""Full correction of the ankle: 0.3 rad at a difference of 0.3 rad between the hip pitches."""


class Errors:
    """Joint errors as a test sets them."""

    def __init__(self, count):
        self.filtered = np.zeros(count)
        self.ahead = np.zeros(count)

    def set(self, joint, error, ahead=None):
        self.filtered[joint] = error
        self.ahead[joint] = error if ahead is None else ahead

    def predicted(self, joint):
        return float(self.ahead[joint])


def compensator(robot, errors, recompute=False, clip=True):
    hips = [robot.joint_index.get(f"{side}HipPitch") for side in "LR"]
    return JointCompensator(errors, *hips, clip=clip, recompute=recompute, reduce_difference=0.01)


def frames(robot, *rules, mirror=False, factor=0.2):
    """Compiled keyframes, one per list of rules."""
    blocks = {"a": block(*(keyframe(100, compensation=r, compensation_reduce_factor=factor) for r in rules))}
    lib = library(blocks, {"m": {"blocks": ["a"]}}).model_copy(update={"robot": robot.name})
    if robot.name != "tiny":
        lib = lib.model_copy(update={"blocks": {"a": lib.blocks["a"].model_copy(update={"base_stiffness": {}})}})
    return Program(lib, robot, mirror).blocks["a"].keyframes


@pytest.fixture
def scene(tiny):
    knee, shoulder = tiny.index("LKneePitch"), tiny.index("LShoulderPitch")
    return tiny, Errors(9), knee, shoulder, np.zeros(9)


def test_correction_grows_with_the_error_and_is_clipped_unless_told_otherwise(scene):
    tiny, errors, knee, shoulder, measured = scene
    for clip, expected in ((True, (0.0, 0.075, 0.15, 0.15)), (False, (0.0, 0.075, 0.15, 0.30))):
        comp = compensator(tiny, errors, clip=clip)
        comp.start(frames(tiny, [KNEE])[0])
        seen = []
        for error in (0.05, 0.2, 0.3, 0.5):
            errors.set(knee, error)
            comp.update(measured)
            seen.append(comp.correction[shoulder])
        # shares (0.2 - 0.1) / 0.2 = 0.5 and (0.5 - 0.1) / 0.2 = 2
        assert seen == pytest.approx(expected)


def test_rules_on_one_joint_add_up(scene):
    tiny, errors, knee, shoulder, measured = scene
    second = KNEE | {"targets": [{"joint": "LShoulderPitch", "scale": 1.0}, {"joint": "HeadYaw", "scale": -1.0}]}
    comp = compensator(tiny, errors)
    comp.start(frames(tiny, [KNEE, second])[0])
    errors.set(knee, 0.2)
    comp.update(measured)
    assert comp.correction[[shoulder, 0]] == pytest.approx([0.075 + 0.15, -0.15])


def test_removal_of_2024_takes_a_fifth_per_tick_while_the_joint_moves_free(scene):
    tiny, errors, knee, shoulder, measured = scene
    first, second = frames(tiny, [KNEE], [])
    comp = compensator(tiny, errors)
    comp.start(first)
    errors.set(knee, 0.2)
    comp.update(measured)
    comp.start(second)
    seen = []
    for ahead in (0.2, 0.195, 0.1, 0.1, 0.2, 0.1, 0.1, 0.1, 0.1):
        errors.set(knee, 0.2, ahead)
        comp.update(measured)
        seen.append(comp.start_change[shoulder])
    # 0.075 in fifths of 0.015; a fall of 0 or 0.005 rad is below the threshold of 0.01; all of it is out after five
    steps = [0, 0, 1, 2, 2, 3, 4, 5, 5]
    assert seen == pytest.approx([-0.015 * step for step in steps])


def test_removal_of_2024_counts_negative_errors_as_well(scene):
    tiny, errors, knee, shoulder, measured = scene
    rule = KNEE | {"range": {"min": -0.1, "max": -0.3}}
    first, second = frames(tiny, [rule], [])
    comp = compensator(tiny, errors)
    comp.start(first)
    errors.set(knee, -0.2)
    comp.update(measured)
    assert comp.correction[shoulder] == pytest.approx(-0.075)
    comp.start(second)
    errors.set(knee, -0.2, -0.1)
    comp.update(measured)
    assert comp.start_change[shoulder] == pytest.approx(0.015)


def test_removal_of_2024_takes_out_only_what_the_free_joint_put_in(scene):
    tiny, errors, knee, shoulder, measured = scene
    other = KNEE | {"joint": "RKneePitch"}
    first, second = frames(tiny, [KNEE, other], [], factor=1.0)
    comp = compensator(tiny, errors)
    comp.start(first)
    errors.set(knee, 0.2)
    errors.set(tiny.index("RKneePitch"), 0.3)
    comp.update(measured)
    assert comp.correction[shoulder] == pytest.approx(0.075 + 0.15)
    comp.start(second)
    errors.set(knee, 0.2, 0.0)
    comp.update(measured)
    assert comp.start_change[shoulder] == pytest.approx(-0.075)


def test_removal_of_2025_follows_the_present_error(scene):
    tiny, errors, knee, shoulder, measured = scene
    first, second = frames(tiny, [KNEE], [])
    comp = compensator(tiny, errors, recompute=True)
    comp.start(first)
    errors.set(knee, 0.2)
    comp.update(measured)
    comp.start(second)
    seen = []
    for error in (0.2, 0.15, 0.05, 0.3):
        errors.set(knee, error)
        comp.update(measured)
        seen.append(comp.start_change[shoulder])
    # new minus old: 0.075 - 0.075, 0.0375 - 0.075, 0 - 0.075, 0.15 - 0.075
    assert seen == pytest.approx([0.0, -0.0375, -0.075, 0.075])


@pytest.mark.parametrize("recompute", [False, True])
def test_a_keyframe_that_was_cut_leaves_only_the_share_that_it_reached(scene, recompute):
    tiny, errors, knee, shoulder, measured = scene
    first, second = frames(tiny, [KNEE], [], factor=1.0)
    comp = compensator(tiny, errors, recompute)
    comp.start(first)
    errors.set(knee, 0.2)
    comp.update(measured)
    comp.start(second, reached=0.4)
    errors.set(knee, 0.05, 0.0)
    comp.update(measured)
    assert comp.start_change[shoulder] == pytest.approx(-0.4 * 0.075)


def test_mirrored_rule_turns_range_and_amounts_where_the_joints_turn(tiny):
    rule = {
        "joint": "LShoulderRoll",
        "range": {"min": 0.1, "max": 0.3},
        "targets": [{"joint": "LShoulderPitch", "scale": 0.5}, {"joint": "LShoulderRoll", "scale": -1.0}],
    }
    compiled = frames(tiny, [rule], mirror=True)[0].compensation[0]
    assert compiled.joint == tiny.index("RShoulderRoll")
    assert (compiled.low, compiled.high) == (-0.1, -0.3)
    joints, amounts = zip(*compiled.targets, strict=True)
    assert joints == (tiny.index("RShoulderPitch"), tiny.index("RShoulderRoll"))
    assert amounts == pytest.approx((0.15, 0.3))


@pytest.mark.parametrize(("mirror", "difference", "ankle"), [(False, 0.2, "LAnklePitch"), (True, -0.2, "RAnklePitch")])
def test_hip_pitch_difference_is_measured_clipped_and_mirrored(nao, mirror, difference, ankle):
    comp = compensator(nao, Errors(26), clip=False)
    comp.start(frames(nao, [HIPS], mirror=mirror)[0])
    measured = np.zeros(26)
    measured[nao.index("LHipPitch")] = difference
    comp.update(measured)
    assert comp.correction[nao.index(ankle)] == pytest.approx(0.15)  # half of 0.3
    measured[nao.index("LHipPitch")] = 5.0 * difference
    comp.update(measured)
    assert comp.correction[nao.index(ankle)] == pytest.approx(0.3)  # clipped, whatever the setting
    measured[nao.index("RHipPitch")] = 6.0 * difference
    comp.update(measured)
    assert not comp.correction.any()


def test_hip_pitch_difference_of_the_last_keyframe_is_never_removed_by_the_2024_rule(nao):
    first, second = frames(nao, [HIPS], [])
    comp = compensator(nao, Errors(26))
    comp.start(first)
    measured = np.zeros(26)
    measured[nao.index("LHipPitch")] = 0.2
    comp.update(measured)
    comp.start(second)
    comp.update(np.zeros(26))
    assert not comp.start_change.any()


@pytest.mark.parametrize("how", ["stop", "break up", "another motion", "end"])
def test_no_correction_outlives_its_motion(tiny, how):
    rule = KNEE | {"predict": False}
    frame = keyframe(600, {"LKneePitch": 0.0}, compensation=[rule], window=NARROW, window_start=NARROW)
    lib = request_library(m=[frame], n=[keyframe(600)])
    run = Run(tiny, KeyframeEngine(tiny, lib, "m", KeyframeEngineSettings(delay_ticks=2)))
    run.stuck[tiny.index("LKneePitch")] = -0.4
    run.step(30)
    assert run.engine.telemetry["compensation"].any()
    if how == "stop":
        run.engine.request_stop()
    elif how == "break up":
        run.tilt(0.9)
    elif how == "another motion":
        run.engine.request("n", replace=True)
    else:
        until(run, EngineState.FINISHED)
        # What it had corrected is held.
        held = run.command.position.copy()
        run.step(20)
        np.testing.assert_array_equal(run.command.position, held)
        return
    run.step()
    states = {"stop": EngineState.STOPPING, "break up": EngineState.BREAK_UP, "another motion": EngineState.WORKING}
    assert run.engine.state is states[how]
    assert not run.engine.telemetry["compensation"].any()
