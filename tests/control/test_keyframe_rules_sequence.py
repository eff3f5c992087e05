"""Rules of waits, branches, get-up choice, falls and mirroring that other tests leave out (reference 2.8 to 2.10)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from keyframe_run import RAW, UNHURRIED, Run, block, constant_gains, keyframe, library, pitch_above, window

from andante.control.keyframes.conditions import bind_check
from andante.control.keyframes.configuration import MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.states import EngineState
from andante.motions.conditions import Condition, Variable

V = Variable
DEGREE = math.radians(1.0)


def run_of(robot, blocks, motions, request="m", settings=None, **more):
    lib = library(blocks, motions, **more)
    if robot.name != "tiny":
        lib = lib.model_copy(update={"robot": robot.name})
    return Run(robot, KeyframeEngine(robot, lib, request, settings))


# Waits ----------------------------------------------------------------------------------------------------------------


def test_waiting_goes_on_compensating(tiny):
    rule = {"joint": "LKneePitch", "range": {"min": 0.1, "max": 0.3}, "targets": [{"joint": "HeadYaw", "scale": 1.0}]}
    wait = {"variable": "torso_pitch", "min": 1.0, "max": 2.0, "max_wait": 5.0}
    frame = keyframe(12, {"LKneePitch": 0.0}, compensation=[rule], waits=[wait], forbid_wait_break=True)
    run = run_of(tiny, {"a": block(frame)}, {"m": {"blocks": ["a"]}})
    run.step(2)
    assert run.engine.state is EngineState.WAITING
    run.stuck[tiny.index("LKneePitch")] = -0.2
    run.step(60)
    assert run.engine.state is EngineState.WAITING
    # ratio 1: the whole of 0.5 * 0.3
    assert run.command.position[0] == pytest.approx(0.15)
    run.stuck.clear()
    run.step(60)
    assert run.command.position[0] == pytest.approx(0.0)


# Branches -------------------------------------------------------------------------------------------------------------

HOLDS = pitch_above(-9.0)


def taken(tiny, *branches, ticks=8, motions=None, second=()):
    """Keyframes that ran, of a block with two keyframes whose first one has these branches."""
    blocks = {"a": block(keyframe(12, branches=list(branches)), keyframe(12, branches=list(second)))}
    blocks |= {name: block(keyframe(12)) for name in "bcd"}
    run = run_of(tiny, blocks, {"m": {"blocks": ["a", "d"]}, "n": {"blocks": ["c"]}} | (motions or {}))
    run.step(ticks)
    return run.keyframes()


def test_a_precondition_without_conditions_is_never_looked_at(tiny):
    assert taken(tiny, {"block": "b", "pre": {"conditions": []}}) == ["a[0]", "a[1]", "d[0]"]


def test_the_first_branch_that_holds_wins(tiny):
    assert taken(tiny, {"block": "b", "pre": HOLDS}, {"block": "c", "pre": HOLDS}) == ["a[0]", "b[0]", "a[1]", "d[0]"]


def test_an_exhausted_pre_branch_ends_the_search(tiny):
    spent = {"block": "b", "pre": HOLDS, "max_block_loops": 0}
    assert taken(tiny, spent, {"block": "c", "pre": HOLDS}) == ["a[0]", "a[1]", "d[0]"]


def test_a_motion_drops_all_pending_blocks_and_hides_the_block(tiny):
    assert taken(tiny, {"block": "b", "motion": "n", "pre": HOLDS}) == ["a[0]", "c[0]"]


def test_loops_count_per_block_not_per_branch(tiny):
    once = {"block": "b", "pre": HOLDS, "max_block_loops": 1}
    assert taken(tiny, once, second=[once]) == ["a[0]", "b[0]", "a[1]", "d[0]"]


def test_without_a_limit_a_branch_is_taken_again_and_again(tiny):
    assert taken(tiny, {"motion": "m", "pre": HOLDS}, ticks=50) == ["a[0]"] * 50


@pytest.mark.parametrize(("every", "expected"), [(True, ["a[0]", "a[1]", "d[0]"]), (False, ["b[0]", "a[1]", "d[0]"])])
def test_conditions_are_joined_by_and_or_or(tiny, every, expected):
    conditions = [*HOLDS["conditions"], {"variable": "torso_pitch", "min": 1.0, "max": 2.0}]
    assert taken(tiny, {"block": "b", "early": {"conditions": conditions, "all": every}}) == expected


# Get-up ---------------------------------------------------------------------------------------------------------------

GET_UP = (
    {"r": block(keyframe(24)), "s": block(keyframe(24))},
    {"recoverGeneric": {"blocks": ["r"]}, "stand": {"blocks": ["s"]}},
)


@pytest.mark.parametrize(
    ("pitch", "roll", "motion"),
    [
        (-19, 0, "stand"),
        (-21, 0, "recoverGeneric"),
        (39, 0, "stand"),
        (41, 0, "recoverGeneric"),
        (0, 39, "stand"),
        (0, 41, "recoverGeneric"),
        (0, -39, "stand"),
        (0, -41, "recoverGeneric"),
        (180, 0, "recoverGeneric"),
    ],
)
def test_a_robot_inside_the_upright_window_stands_and_any_other_gets_up(tiny, pitch, roll, motion):
    run = run_of(tiny, *GET_UP, MotionRequest(None))
    run.tilt(pitch * DEGREE, roll * DEGREE)
    run.step()
    assert run.motions() == [motion]


def test_six_tries_are_all_unless_the_library_says_otherwise(tiny):
    run = run_of(tiny, *GET_UP, MotionRequest(None))
    run.tilt(1.3)
    while not run.engine.failed:
        run.step()
    assert run.motions() == ["recoverGeneric"] * 6


@pytest.mark.parametrize(("pitch", "head"), [(40.0, -25.0), (-40.0, 25.0)])
def test_the_head_turns_away_from_the_ground_and_goes_soft(nao, pitch, head):
    frame = keyframe(600, window=window(-0.5, 0.5), window_start=window(-0.5, 0.5))
    run = run_of(nao, {"a": block(frame)}, {"m": {"blocks": ["a"]}}, settings=RAW)
    run.step()
    run.tilt(pitch * DEGREE)
    index, stiffness = nao.index("HeadPitch"), []
    for _ in range(85):
        run.step()
        stiffness.append(float(run.command.kp[index] / nao.servo_kp[index]))
        if len(stiffness) == 1:
            assert run.command.position[index] == pytest.approx(head * DEGREE)
    # 0.5 while fewer than 30 ms have passed (ticks at 0, 12, 24 ms), then 0.1, off from 1000 ms on (tick 84)
    assert stiffness == pytest.approx([0.5] * 3 + [0.1] * 81 + [0.0])


@pytest.mark.parametrize(("pitch", "calm"), [(-1.5, True), (-2.5, False), (6.5, True), (7.5, False)])
def test_balancing_out_ends_early_only_near_the_vertical(nao, pitch, calm):
    frame = keyframe(24, balance_pitch=[{"joint": "LAnklePitch", "scale": 0.0}])
    run = run_of(nao, {"a": block(frame)}, {"m": {"blocks": ["a"], "balance_out": True}})
    run.tilt(pitch * DEGREE)
    run.step(3)
    assert run.engine.done is calm


def test_balancing_out_goes_on_while_the_centre_of_mass_moves_fast(nao):
    """The limit is 60 mm/s at a D gain of 1; the arms swing, the torso does not."""
    done = []
    for gain in (1, 100):
        frame = keyframe(24, phase="up", balance_pitch=[{"joint": "LAnklePitch", "scale": 0.0}])
        motions = {"m": {"blocks": ["a"], "balance_out": True}}
        run = run_of(nao, {"a": block(frame)}, motions, balance={"up": constant_gains(1, d_pitch=gain)})
        for tick in range(20):
            run.position[[nao.index("LShoulderPitch"), nao.index("RShoulderPitch")]] = 1.5 + 0.02 * (tick % 2)
            run.step()
        done.append(run.engine.done)
    # hanging arms that swing by 0.02 rad move it by less than 0.72 mm per tick (60 mm/s), but by more than 0.0072 mm
    assert done == [True, False]


# Mirror ---------------------------------------------------------------------------------------------------------------

TURNED = {"HeadYaw", *(s + n for s in "LR" for n in ("ShoulderRoll", "ElbowYaw", "ElbowRoll", "WristYaw"))}
TURNED |= {side + name for side in "LR" for name in ("HipRoll", "AnkleRoll")}


def test_every_joint_of_a_nao_changes_side_and_those_of_yaw_and_roll_their_sign(nao):
    rng = np.random.default_rng(8)
    asked = {name: float(rng.uniform(0.6 * nao.lower[i], 0.6 * nao.upper[i])) for i, name in enumerate(nao.joint_names)}
    asked["RHipYawPitch"] = asked["LHipYawPitch"]  # one motor
    lib = library({"a": block(keyframe(12, asked))}, {"m": {"blocks": ["a"]}}).model_copy(update={"robot": "nao"})
    run = Run(nao, KeyframeEngine(nao, lib, MotionRequest("m", mirror=True), UNHURRIED))
    run.step()
    for name, value in asked.items():
        other = {"L": "R", "R": "L"}.get(name[0], name[0]) + name[1:]
        got = run.engine.telemetry["request"][nao.index(other)]
        assert got == pytest.approx(-value if name in TURNED else value), name


@pytest.mark.parametrize("variable", list(V))
def test_every_condition_variable_mirrored(nao, variable):
    sides = {
        V.LEFT_SHOULDER_PITCH: V.RIGHT_SHOULDER_PITCH,
        V.LEFT_SHOULDER_ROLL: V.RIGHT_SHOULDER_ROLL,
        V.LEFT_WRIST_Y: V.RIGHT_WRIST_Y,
    }
    sides |= {right: left for left, right in sides.items()}
    turned = variable in (V.FOOT_SUPPORT, V.TORSO_ROLL) or variable.value.endswith(
        ("shoulder_roll", "wrist_y", "point_y")
    )
    bound = bind_check(Condition(variable=variable, min=0.1, max=0.4, negate=True), nao, "here", mirror=True)
    assert bound.variable is sides.get(variable, variable)
    assert (bound.low, bound.high) == ((-0.4, -0.1) if turned else (0.1, 0.4))
    assert bound.negate
