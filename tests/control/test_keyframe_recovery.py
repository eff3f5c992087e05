"""Getting up: tries, sides, help, head touch, malfunctions, balancing out; and what follows a broken motion."""

from __future__ import annotations

import numpy as np
import pytest
from keyframe_run import Run, block, keyframe, library, window

from andante.control.keyframes.configuration import EngineSettings, MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.states import EngineState

S = EngineState
NARROW = window(-0.5, 0.5)


def get_up_library(**more):
    return library(
        {
            "r": block(keyframe(24, {"LShoulderRoll": 0.1})),
            "f": block(keyframe(240, {"LShoulderRoll": 0.2})),
            "s": block(keyframe(24, window=NARROW, window_start=NARROW)),
        },
        {
            "recoverGeneric": {"blocks": ["r"], "follow_ups": [{"motion": "front"}]},
            "front": {"blocks": ["f"]},
            "stand": {"blocks": ["s"]},
            "sit": {"blocks": ["s"]},
        },
        **more,
    )


def start(tiny, request=MotionRequest(None), pitch=1.3, **more):  # noqa: B008
    run = Run(tiny, KeyframeEngine(tiny, get_up_library(**more), request))
    run.tilt(pitch)
    return run


def until(run, *states, most=2000):
    for _ in range(most):
        run.step()
        if run.engine.state in states:
            return run
    raise AssertionError(f"still {run.engine.state} after {most} ticks")


@pytest.mark.parametrize("first", [False, True])
def test_tries_alternate_sides_from_the_side_that_was_asked_for(tiny, first):
    run = start(tiny, MotionRequest(None, mirror=first))
    rolls = ("LShoulderRoll", "RShoulderRoll")
    sides = []
    for _ in range(5):
        until(run, S.WORKING)
        before = run.position.copy()
        run.step(10)
        moved = max(rolls, key=lambda name: abs((run.command.position - before)[tiny.index(name)]))
        sides.append((bool(run.engine.telemetry["mirrored"][0]), moved))
        until(run, S.BREAK_UP)
    expected = [first != (number % 2 == 1) for number in range(5)]
    assert sides == [(side, "RShoulderRoll" if side else "LShoulderRoll") for side in expected]
    assert run.engine.telemetry["tries"][0] == 5


def test_help_after_the_last_try_is_a_failure_until_somebody_helps(tiny):
    run = start(tiny, settings={"max_tries": 2})
    until(run, S.HELP)
    assert run.motions().count("recoverGeneric") == 2
    assert run.engine.failed
    assert not run.engine.done
    assert not run.command.kp.any()
    run.step(200)
    assert run.engine.failed
    run.tilt(0.1)
    until(run, S.FINISHED)
    assert run.engine.motion == "stand"
    assert run.engine.done
    assert not run.engine.failed


def test_a_request_calls_the_engine_out_of_help(tiny):
    run = start(tiny, settings={"max_tries": 1})
    until(run, S.HELP)
    run.engine.request(MotionRequest(None))
    run.step()
    assert run.engine.state is S.WORKING
    assert run.engine.telemetry["tries"][0] == 0


def test_a_robot_on_its_side_is_not_up(tiny):
    run = start(tiny, pitch=0.0)
    run.tilt(0.0, 1.2)
    until(run, S.BREAK_UP)
    assert run.told("break_up") == ["not upright at the get-up's end"]


def test_done_comes_after_the_follow_ups(tiny):
    run = start(tiny)
    run.step(10)
    assert run.motions() == ["recoverGeneric", "front"]
    assert not run.engine.done
    run.tilt(0.0)
    until(run, S.FINISHED)
    assert run.engine.done
    assert run.engine.telemetry["tries"][0] == 0


def test_an_upright_robot_that_should_get_up_just_stands(tiny):
    run = start(tiny, pitch=0.1)
    until(run, S.FINISHED)
    assert run.motions() == ["stand"]


def test_a_request_during_a_get_up_waits_for_its_follow_ups(tiny):
    run = start(tiny)
    run.step()
    run.engine.request("sit")
    run.step(10)
    assert run.motions() == ["recoverGeneric", "front"]
    run.tilt(0.0)
    until(run, S.FINISHED)
    assert run.motions() == ["recoverGeneric", "front", "sit"]


def test_head_touch_hands_over_when_upright(tiny):
    run = start(tiny)
    run.step(3)
    run.buttons[:] = (1.0, 0.0, 1.0)
    run.step()
    assert run.motions() == ["recoverGeneric", "front", "stand"]
    run.tilt(0.0)
    until(run, S.FINISHED)
    assert run.engine.done
    assert run.motions()[-1] == "stand"


def test_head_touch_of_a_lying_robot_ends_in_a_new_try(tiny):
    run = start(tiny)
    run.step(3)
    run.buttons[:] = (0.0, 1.0, 1.0)
    run.step(3)
    # the break-up is off on the way, although the torso is far outside stand's window
    until(run, S.BREAK_UP)
    assert run.told("break_up") == ["not upright at the get-up's end"]
    run.buttons[:] = 0.0
    until(run, S.WORKING)
    assert run.engine.telemetry["tries"][0] == 1
    assert run.motions()[-1] == "recoverGeneric"


def test_head_touch_is_obeyed_once_a_second_and_while_limp(tiny):
    run = start(tiny)
    run.step(3)
    run.buttons[:] = 1.0
    run.step(60)  # stand is over after a few ticks; held buttons do not start it again and again
    assert run.motions().count("stand") == 1
    assert run.engine.state is S.BREAK_UP
    run.step(30)
    assert run.motions().count("stand") == 2


@pytest.mark.parametrize(("buttons", "request_"), [((1.0, 0.0, 0.0), MotionRequest(None)), ((1.0, 1.0, 1.0), "sit")])
def test_one_button_or_another_motion_is_no_head_touch(tiny, buttons, request_):
    run = start(tiny, request_, pitch=0.0 if request_ == "sit" else 1.3)
    run.buttons[:] = buttons
    run.step(2)
    assert not run.told("head_touch")


def test_leg_motor_malfunction_ends_in_help(tiny):
    run = start(tiny)
    run.step(4)
    run.health[tiny.index("LShoulderRoll")] = 0.0
    run.step()
    assert run.engine.state is S.WORKING  # an arm is no reason
    run.health[tiny.index("RKneePitch")] = 0.0
    run.step()
    assert run.engine.state is S.BREAK_UP
    until(run, S.HELP)
    assert run.told("motor") == ["a leg motor reports a malfunction"]
    assert run.engine.failed
    forgiving = start(tiny, settings={"break_up_on_motor_malfunction": False})
    forgiving.health[:] = 0.0
    forgiving.step(6)
    assert forgiving.engine.state is S.WORKING


def test_a_broken_motion_that_is_no_get_up_waits_to_be_upright_and_starts_slowly(tiny):
    lib = library(
        {"a": block(keyframe(120, {"HeadYaw": 0.1}, window=NARROW, window_start=NARROW))}, {"m": {"blocks": ["a"]}}
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    run.step(2)
    run.tilt(0.9)
    until(run, S.RETRY)
    run.step(50)
    assert run.engine.state is S.RETRY  # there is no get-up in this library
    run.tilt(0.0)
    run.step()
    count = 1
    while run.engine.state is S.WORKING:
        run.step()
        count += 1
    assert count - 1 == 167  # 2 s: floor(1997 / 12) + 1


def test_loop_counters_begin_anew_with_a_new_try(tiny):
    again = {"block": "r", "early": {"conditions": []}, "max_block_loops": 1}
    lib = library(
        {"r": block(keyframe(24)), "gate": block(keyframe(1, branches=[again])), "s": block(keyframe(24))},
        {"recoverGeneric": {"blocks": ["gate"]}, "stand": {"blocks": ["s"]}},
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, MotionRequest(None)))
    run.tilt(1.3)
    until(run, S.BREAK_UP)
    until(run, S.WORKING)
    until(run, S.BREAK_UP)
    assert run.keyframes() == ["r[0]", "r[0]"]  # the gate is skipped in favour of the block, once in each try


# Balancing out --------------------------------------------------------------------------------------------------------


def stand_library(**settings):
    legs = {"LHipPitch": -0.3, "LKneePitch": 0.6, "LAnklePitch": -0.3}
    joints = {name.replace("L", side, 1): angle for name, angle in legs.items() for side in "LR"}
    frame = keyframe(240, joints, balance_pitch=[{"joint": "LAnklePitch", "scale": 0.0}])
    lib = library(
        {"a": block(frame)}, {"m": {"blocks": ["a"], "balance_out": True}}, settings={"balance_out": settings}
    )
    return lib.model_copy(update={"robot": "nao"})


def balanced_out(nao, pitch=0.0, wobble=0.0, **settings):
    """Ticks of balancing out, 0 where it was left out."""
    run = Run(nao, KeyframeEngine(nao, stand_library(**settings), "m"))
    count = 0
    for tick in range(400):
        run.tilt(pitch + wobble * (tick % 2))
        run.step()
        count += run.engine.state is S.BALANCE_OUT
        if run.engine.done:
            return count
    raise AssertionError(run.engine.state)


def test_balancing_out_ends_when_the_robot_is_still_and_its_legs_are_long(nao):
    # soles of the posture are about 0.32 m below the torso, more than the 0.228 m of stretched legs
    assert balanced_out(nao) == 0
    assert balanced_out(nao, pitch=0.3) == 125  # leaning 17 deg: until 1.5 s have passed
    assert balanced_out(nao, pitch=0.3, max_time=0.12) == 10
    assert balanced_out(nao, wobble=0.1, max_time=0.12, max_fluctuation=0.25) == 10  # 0.1 + 0.2 rad per tick
    assert balanced_out(nao, wobble=0.1, max_time=0.12, max_fluctuation=0.35) == 0


def test_balancing_out_with_bent_legs_waits_for_the_time(nao):
    lib = stand_library(max_time=0.12)
    engine = KeyframeEngine(nao, lib, "m", EngineSettings(standing_sole_depth=0.4))
    run = Run(nao, engine)
    until(run, S.BALANCE_OUT)
    run.step(9)
    assert run.engine.state is S.BALANCE_OUT
    run.step()
    assert run.engine.done


def test_tipping_over_while_balancing_out_breaks_up(nao):
    run = Run(nao, KeyframeEngine(nao, stand_library(), "m"))
    run.tilt(0.3)
    until(run, S.BALANCE_OUT)
    run.tilt(0.0, 0.6)
    run.step()
    assert run.engine.state is S.BREAK_UP


def test_carry_over_of_balance_has_no_jump(nao):
    """The knee balances in the first keyframe only: the second starts from the full output."""
    phase = {
        name: {"pitch": {"min": 1, "max": 1}, "roll": {"min": 1, "max": 1}} for name in ("max_scaling", "exponent")
    }
    phase |= {f"{a}_{b}": {"base": 20, "max_additional": 0} for a in "pd" for b in ("pitch", "roll")}
    phase["com_range"] = {"pitch": {"min": -0.05, "max": 0.05}, "roll": {"min": -0.05, "max": 0.05}}
    frames = [
        keyframe(240, {"LKneePitch": 0.0}, phase="Split", balance_pitch=[{"joint": "LKneePitch", "scale": 1.0}]),
        keyframe(240, {"LKneePitch": 0.0}),
    ]
    lib = library({"a": block(*frames)}, {"m": {"blocks": ["a"]}}, balance={"Split": phase})
    run = Run(nao, KeyframeEngine(nao, lib.model_copy(update={"robot": "nao"}), "m"))
    run.tilt(0.15)
    path = np.array(run.path(nao.index("LKneePitch"), 40))
    assert abs(path[19]) > 0.02
    assert not run.engine.telemetry["balance"].any()  # the last tick did not balance
    assert not run.engine.telemetry["com_error"].any()
    # 0.24 s = 20 ticks: what balancing had added goes away evenly over the second keyframe
    assert np.diff(path[19:]) == pytest.approx(np.full(20, -path[19] / 20))
