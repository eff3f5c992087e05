"""Getting up: tries, sides, help, head touch, malfunctions; and what follows a broken motion."""

from __future__ import annotations

import numpy as np
import pytest
from keyframe_run import NARROW, Run, block, keyframe, library, request_library, until

from andante.control.keyframes.configuration import MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.states import EngineState

S = EngineState


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


def test_after_a_head_touch_a_robot_at_rest_is_watched_as_before(tiny):
    """On the way into the stand motion nothing breaks up; once it is over the releases up to 2025 watch again."""
    run = start(tiny, dialect="bhuman-2024")
    run.step(2)
    run.buttons[:] = (1.0, 0.0, 1.0)
    run.step()
    run.tilt(0.0)
    until(run, S.FINISHED)
    run.buttons[:] = 0.0
    run.tilt(0.9)
    run.step()
    assert run.engine.state is S.BREAK_UP


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


def test_a_broken_leg_motor_counts_only_at_zero_and_in_the_legs(tiny):
    run = Run(tiny, KeyframeEngine(tiny, request_library(m=[keyframe(600)]), "m"))
    run.health[:] = 0.01
    run.step(3)
    assert run.engine.state is S.WORKING
    run.health[tiny.index("HeadYaw")] = 0.0
    run.step(3)
    assert run.engine.state is S.WORKING
    run.health[tiny.index("LHipYawPitch")] = 0.0
    run.step()
    assert run.engine.state is S.BREAK_UP
    assert np.isfinite(run.command.vector).all()


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
