"""The engine's state machine at its edges: what a reset forgets, what a motion leaves to the next, in which tick."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from keyframe_run import RAW, UNHURRIED, Run, block, keyframe, library, pitch_above, request_library, window

from andante.control.keyframes.configuration import EngineSettings, MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.states import EngineState

S = EngineState
NARROW = window(-0.5, 0.5)
TICK = 0.012


def until(run, *states, most=2000):
    for count in range(most):
        run.step()
        if run.engine.state in states:
            return count + 1
    raise AssertionError(f"still {run.engine.state} after {most} ticks")


def get_ups(frames=None, **more):
    """A get-up that leads over a front motion to nothing, stand and a motion that looks at the front hack."""
    hacked = {"conditions": [{"variable": "front_hack", "min": 0.5, "max": 1.5}]}
    return library(
        {
            "r": block(keyframe(24, {"LShoulderRoll": 0.1})),
            "s": block(keyframe(24, window=NARROW, window_start=NARROW)),
            "gate": block(keyframe(24, branches=[{"block": "hack", "early": hacked}])),
            "hack": block(keyframe(24)),
            **(frames or {}),
        },
        {
            "recoverGeneric": {"blocks": ["r"]},
            "stand": {"blocks": ["s"]},
            "sit": {"blocks": ["s"]},
            "look": {"blocks": ["gate"]},
        },
        **more,
    )


# What a reset forgets -------------------------------------------------------------------------------------------------


def test_a_reset_forgets_the_motion_its_loops_and_all_that_was_asked_for(tiny):
    once = keyframe(24, branches=[{"block": "extra", "pre": pitch_above(0.3), "max_block_loops": 1}])
    lib = library(
        {"a": block(once, keyframe(24)), "extra": block(keyframe(24))}, {"m": {"blocks": ["a"]}, "n": {"blocks": ["a"]}}
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    run.tilt(0.4)
    run.step(12)
    first = run.keyframes()
    assert first == ["a[0]", "extra[0]", "a[1]"]
    run.engine.request(MotionRequest("n", mirror=True))
    run.engine.reset()
    assert run.engine.motion == ""
    assert run.engine.state is S.OFF
    run.events.clear()
    run.step(12)
    assert run.keyframes() == first
    assert run.motions() == ["m"]
    # The same from the middle of a motion, with a stop asked for.
    run.engine.reset()
    run.step(2)
    run.engine.request_stop()
    run.engine.reset()
    run.events.clear()
    run.step(12)
    assert run.keyframes() == first


def test_without_a_first_motion_nothing_happens_after_a_reset(tiny):
    run = Run(tiny, KeyframeEngine(tiny, request_library(m=[keyframe(240)])))
    run.step(3)
    run.engine.request("m")
    run.step(3)
    assert run.engine.state is S.WORKING
    run.engine.reset()
    run.events.clear()
    run.step(5)
    assert run.engine.state is S.OFF
    assert run.events == []
    assert not run.engine.done
    assert not run.command.kp.any()


def test_a_get_up_is_forgotten_with_its_tries_and_its_broken_motor(tiny):
    run = Run(tiny, KeyframeEngine(tiny, get_ups(), MotionRequest(None)))
    run.tilt(1.3)
    run.step(4)
    run.health[tiny.index("RKneePitch")] = 0.0
    until(run, S.HELP)
    run.health[:] = 1.0
    run.engine.reset()
    run.events.clear()
    run.step(2)
    assert run.engine.telemetry["tries"][0] == 0
    until(run, S.BREAK_UP)
    assert run.told("break_up") == ["not upright at the get-up's end"]
    until(run, S.WORKING)
    assert not run.told("help")


def test_what_a_library_is_warned_of_is_told_at_time_zero_of_every_run(tiny):
    inverted = {"variable": "torso_pitch", "min": 0.5, "max": -0.5}
    lib = request_library(m=[keyframe(24, branches=[{"block": "m", "early": {"conditions": [inverted]}}])])
    engine = KeyframeEngine(tiny, lib, "m")
    told = [event for event in engine.take_events() if event.kind == "library"]
    assert told
    assert all(event.time == 0.0 for event in told)
    Run(tiny, engine).step(30)
    engine.take_events()
    engine.reset()
    assert [(event.time, event.text) for event in engine.take_events()] == [(0.0, event.text) for event in told]


# Starts ---------------------------------------------------------------------------------------------------------------


def test_only_the_first_keyframe_with_angles_is_stretched(tiny):
    lib = library(
        {"a": block(keyframe(24), keyframe(12, {"HeadYaw": 1.5}), keyframe(120, {"HeadYaw": -1.5}))},
        {"m": {"blocks": ["a"]}},
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m", RAW))
    path = run.path(0, 40)
    # Two ticks without angles, 1.5 rad at 5 rad/s in 25 ticks, then 3 rad in the 10 ticks that are written.
    assert path[1] == 0.0
    assert path[2] == pytest.approx(1.5 / 25)
    assert path[26] == pytest.approx(1.5)
    assert path[27] == pytest.approx(1.5 - 3.0 / 10)
    assert path[36] == pytest.approx(-1.5)


@pytest.mark.parametrize(("share", "ticks"), [(1.0, 25), (0.5, 50), (2.0, 13)])
def test_a_share_of_the_speed_stretches_the_start(tiny, share, ticks):
    settings = EngineSettings(start_speed_share=share, respect_limits=False)
    run = Run(tiny, KeyframeEngine(tiny, request_library(m=[keyframe(12, {"HeadYaw": 1.5})]), "m", settings))
    path = run.path(0, 60)
    # 1.5 rad at 5 rad/s take 0.3 s, 25 ticks.
    assert path[ticks - 1] == pytest.approx(1.5)
    assert path[ticks - 2] < 1.5 - 1e-9


def test_a_keyframe_that_is_slow_enough_is_not_stretched_and_a_new_motion_may_be(tiny):
    lib = request_library(slow=[keyframe(480, {"HeadYaw": 1.5})], fast=[keyframe(12, {"HeadYaw": 0.0})])
    run = Run(tiny, KeyframeEngine(tiny, lib, ("slow", "fast"), RAW))
    path = run.path(0, 80)
    assert path[39] == pytest.approx(1.5)
    # The second begins in the tick after; from the measured posture it takes 0.3 s again.
    assert path[40] == pytest.approx(1.5 - 1.5 / 25)
    assert path[64] == pytest.approx(0.0)


def test_a_follow_up_is_not_stretched(tiny):
    lib = library(
        {"a": block(keyframe(480, {"HeadYaw": 0.0})), "b": block(keyframe(12, {"HeadYaw": 1.5}))},
        {"m": {"blocks": ["a"], "follow_ups": [{"motion": "n"}]}, "n": {"blocks": ["b"]}},
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m", RAW))
    assert run.path(0, 41)[39:] == pytest.approx([0.0, 1.5])


def test_the_slow_start_after_a_break_up_is_for_one_keyframe(tiny):
    narrow = keyframe(120, {"HeadYaw": 0.1}, window=NARROW, window_start=NARROW)
    lib = library({"a": block(narrow, keyframe(120, {"HeadYaw": 0.0}))}, {"m": {"blocks": ["a"]}})
    run = Run(tiny, KeyframeEngine(tiny, lib, "m", EngineSettings(retry_duration=0.6)))
    run.step(2)
    run.tilt(0.9)
    until(run, S.RETRY)
    run.tilt(0.0)
    run.step()
    count = 1
    while not run.engine.done:
        run.step()
        count += 1
    # floor(597 / 12) + 1 = 50 and floor(117 / 12) + 1 = 10 ticks, and the one in which it is over.
    assert count == 61


# Ends and what comes after --------------------------------------------------------------------------------------------


def test_the_wait_counts_from_its_begin_and_is_none_outside(tiny):
    wait = {"variable": "torso_pitch", "min": -0.2, "max": 0.2, "max_wait": 0.12}
    run = Run(tiny, KeyframeEngine(tiny, request_library(m=[keyframe(24, waits=[wait]), keyframe(24)]), "m"))
    run.tilt(0.4)
    times = []
    for _ in range(18):
        run.step()
        times.append(float(run.engine.telemetry["wait_time"][0]))
    waited = [TICK * number for number in range(11)]
    begin = times.index(pytest.approx(TICK)) - 1
    assert times[:begin] == [0.0] * begin
    assert times[begin : begin + 10] == pytest.approx(waited[:10])
    assert times[begin + 11 :] == [0.0] * (len(times) - begin - 11)


def test_a_motion_can_end_in_a_wait(tiny):
    wait = {"variable": "torso_pitch", "min": -0.2, "max": 0.2, "max_wait": 1.2}
    run = Run(tiny, KeyframeEngine(tiny, request_library(m=[keyframe(24, waits=[wait])]), "m"))
    run.tilt(0.4)
    until(run, S.WAITING)
    run.tilt(0.0)
    run.step()
    assert run.engine.done


@pytest.mark.parametrize(("outside", "state"), [(0.6, S.BREAK_UP), (0.4, S.WAITING)])
def test_a_wait_watches_the_window_it_began_with(tiny, outside, state):
    wait = {"variable": "torso_pitch", "min": -0.2, "max": 0.2, "max_wait": 1.2}
    frame = keyframe(24, waits=[wait], window=NARROW, window_start=NARROW)
    run = Run(tiny, KeyframeEngine(tiny, request_library(m=[frame]), "m"))
    run.tilt(0.4)
    until(run, S.WAITING)
    run.tilt(outside)
    run.step()
    assert run.engine.state is state


def test_the_front_hack_ends_with_the_get_up(tiny):
    run = Run(tiny, KeyframeEngine(tiny, get_ups(), MotionRequest(None)))
    run.tilt(1.3)
    run.step()
    while run.engine.telemetry["tries"][0] < 3:
        run.step()
    run.tilt(0.0)
    until(run, S.FINISHED)
    assert run.engine.telemetry["tries"][0] == 0
    run.events.clear()
    run.engine.request("look")
    until(run, S.FINISHED)
    assert run.keyframes() == ["gate[0]"]


def test_a_request_begins_with_no_tries_of_the_one_before(tiny):
    run = Run(tiny, KeyframeEngine(tiny, get_ups(), MotionRequest(None)))
    run.tilt(1.3)
    run.step()
    while run.engine.telemetry["tries"][0] < 2:
        run.step()
    until(run, S.WORKING)
    run.engine.request("look", replace=True)
    run.step()
    assert run.engine.motion == "look"
    assert run.engine.telemetry["tries"][0] == 0


def test_a_stop_that_is_asked_for_at_rest_stands_or_is_forgotten(tiny):
    lib = request_library(m=[keyframe(24)], stand=[keyframe(24, {"HeadYaw": 0.1})])
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    until(run, S.FINISHED)
    run.engine.request_stop("stand")
    assert not run.engine.done
    run.step()
    assert run.engine.motion == "stand"
    assert run.engine.state is S.WORKING
    until(run, S.FINISHED)
    run.engine.request_stop()
    run.step()
    assert run.engine.done
    assert run.motions() == ["m", "stand"]
    assert run.told("state")[-1] == "working -> finished"


def test_a_stop_before_the_first_motion_stops_nothing_later(tiny):
    run = Run(tiny, KeyframeEngine(tiny, request_library(m=[keyframe(240)])))
    run.engine.request_stop()
    run.step(2)
    run.engine.request("m")
    run.step(5)
    assert run.engine.state is S.WORKING


def test_several_motions_follow_each_other_without_a_tick_between(tiny):
    lib = request_library(m=[keyframe(24, {"HeadYaw": 0.2})], n=[keyframe(24, {"HeadYaw": 0.4})])
    run = Run(tiny, KeyframeEngine(tiny, lib, ("m", "n", MotionRequest("m")), UNHURRIED))
    assert run.path(0, 7) == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.3, 0.2, 0.2])
    assert run.engine.done


def test_a_request_during_a_motion_cuts_its_follow_ups_and_the_queue(tiny):
    lib = library(
        {"a": block(keyframe(48))},
        {
            "m": {"blocks": ["a"], "follow_ups": [{"motion": "after"}]},
            "after": {"blocks": ["a"]},
            "n": {"blocks": ["a"]},
        },
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, ("m", "m")))
    run.step(2)
    run.engine.request("n")
    run.step(12)
    assert run.motions() == ["m", "n"]
    assert run.engine.done


def test_a_request_that_replaces_begins_in_the_next_tick_from_where_the_robot_is(tiny):
    lib = request_library(m=[keyframe(120, {"HeadYaw": 1.0})], n=[keyframe(120, {"HeadYaw": 0.0})])
    run = Run(tiny, KeyframeEngine(tiny, lib, "m", UNHURRIED))
    assert run.path(0, 5)[-1] == pytest.approx(0.5)
    run.engine.request("n", replace=True)
    assert run.path(0, 10) == pytest.approx([0.5 - 0.05 * number for number in range(1, 11)])
    assert run.motions() == ["m", "n"]


def test_follow_ups_in_a_circle_without_time_end_the_motion(tiny):
    late = {"variable": "torso_pitch", "min": 0.3, "max": 3.0}
    lib = library(
        {"a": block(keyframe(24)), "none": block(keyframe(24, branches=[{"motion": "m", "early": pitch_above(0.3)}]))},
        {
            "m": {"blocks": ["a"], "follow_ups": [{"motion": "n", "conditions": [late]}]},
            "n": {"blocks": [], "follow_ups": [{"motion": "o", "conditions": [late]}]},
            "o": {"blocks": ["a"]},
        },
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    run.tilt(0.4)
    run.step(10)
    assert run.motions() == ["m", "n", "o"]
    assert run.engine.done


def test_a_motion_begins_without_the_window_of_the_one_before(tiny):
    lib = request_library(m=[keyframe(24, window=NARROW, window_start=NARROW)], n=[keyframe(600)])
    run = Run(tiny, KeyframeEngine(tiny, lib, ("m", "n")))
    run.step(2)
    assert run.engine.telemetry["window"][1] == pytest.approx(0.5)
    run.step()
    assert run.motions() == ["m", "n"]
    assert run.engine.telemetry["window"][1] > 30.0
    run.tilt(0.9)
    run.step()
    assert run.engine.state is S.WORKING


def test_a_motion_that_is_tried_again_is_not_in_the_front_hack(tiny):
    hacked = {"conditions": [{"variable": "front_hack", "min": 0.5, "max": 1.5}]}
    lib = request_library(
        look=[keyframe(120, branches=[{"block": "hack", "early": hacked}], window=NARROW, window_start=NARROW)],
        hack=[keyframe(24)],
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "look"))
    for _ in range(3):
        run.step(2)
        run.tilt(0.9)
        until(run, S.RETRY)
        run.tilt(0.0)
        until(run, S.WORKING)
    until(run, S.FINISHED)
    assert run.keyframes() == ["look[0]"] * 4


# Being upright --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pitch", "roll", "up"),
    [
        (0.51, 0.0, True),
        (0.53, 0.0, False),
        (-0.51, 0.0, True),
        (-0.53, 0.0, False),
        (0.0, 0.51, True),
        (0.0, 0.53, False),
        (0.0, -0.51, True),
        (0.0, -0.53, False),
        (0.4, 0.6, False),
        (0.6, 0.4, False),
    ],
)
def test_a_get_up_ends_well_below_thirty_degrees_either_way(tiny, pitch, roll, up):
    # 30 degrees are 0.5236 rad.
    run = Run(tiny, KeyframeEngine(tiny, get_ups(), MotionRequest(None)))
    run.tilt(1.3)
    run.step()
    run.tilt(pitch, roll)
    until(run, S.FINISHED, S.BREAK_UP)
    assert run.engine.state is (S.FINISHED if up else S.BREAK_UP)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-1.0, 0.0), ("keep", 0.0), (0.0, "keep"), ("keep", "keep")])
@pytest.mark.parametrize("axis", ["pitch", "roll"])
def test_the_bounds_of_the_upright_window_belong_to_it(tiny, axis, low, high):
    other = {"pitch": "roll", "roll": "pitch"}[axis]
    safe = {axis: {"min": low, "max": high}, other: {"min": -1.0, "max": 1.0}}
    run = Run(tiny, KeyframeEngine(tiny, get_ups(settings={"safe_upright": safe}), MotionRequest(None)))
    run.step()
    assert run.motions() == ["stand"]


def test_somebody_who_helps_is_told_that_the_robot_is_upright_again(tiny):
    run = Run(tiny, KeyframeEngine(tiny, get_ups(settings={"max_tries": 1}), MotionRequest(None)))
    run.tilt(1.3)
    until(run, S.HELP)
    run.tilt(0.0)
    run.step()
    assert run.told("help") == ["the robot needs help: 1 tries are used up", "upright again"]
    assert run.engine.motion == "stand"
    # From now on it is a robot that stands: what breaks up later is no failed try of a get-up.
    until(run, S.FINISHED)
    run.engine.request("look")
    until(run, S.FINISHED)
    assert run.engine.done


def test_without_breaking_up_a_get_up_ends_wherever_it_ends(tiny):
    run = Run(tiny, KeyframeEngine(tiny, get_ups(), MotionRequest(None), EngineSettings(break_up=False)))
    run.tilt(1.3)
    until(run, S.FINISHED)
    assert run.engine.done
    assert not run.told("break_up")


def test_without_breaking_up_a_window_is_no_window(tiny):
    frame = keyframe(120, window=NARROW, window_start=NARROW)
    run = Run(tiny, KeyframeEngine(tiny, request_library(m=[frame]), "m", EngineSettings(break_up=False)))
    run.tilt(0.9)
    until(run, S.FINISHED)
    assert run.engine.telemetry["window"][1] == pytest.approx(0.5)


def test_a_robot_that_lies_after_a_break_up_gets_up_only_where_that_is_wanted_and_possible(tiny):
    frame = {"long": block(keyframe(240, window=NARROW, window_start=NARROW))}
    lib = get_ups(frame)
    lib = lib.model_copy(
        update={"motions": lib.motions | {"m": lib.motions["sit"].model_copy(update={"blocks": ("long",)})}}
    )
    for settings, pitch, state in (
        (EngineSettings(), 1.3, S.WORKING),
        (EngineSettings(), 0.49, S.WORKING),
        (EngineSettings(get_up_after_break_up=False), 1.3, S.RETRY),
    ):
        run = Run(tiny, KeyframeEngine(tiny, lib, "m", settings))
        run.step(2)
        run.tilt(1.3)
        until(run, S.BREAK_UP)
        run.tilt(pitch)
        until(run, S.WORKING, S.RETRY)
        assert run.engine.state is state
        # Upright by itself: the motion that was asked for begins anew.
        assert run.engine.motion == ("recoverGeneric" if state is S.WORKING and pitch > 1.0 else "m")


def test_a_robot_that_stands_again_after_a_break_up_repeats_its_motion(tiny):
    frame = keyframe(240, window=NARROW, window_start=NARROW)
    lib = library(
        {"a": block(frame), "s": block(keyframe(24))},
        {"m": {"blocks": ["a"]}, "stand": {"blocks": ["s"]}, "recoverGeneric": {"blocks": ["s"]}},
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    run.step(2)
    run.tilt(0.9)
    until(run, S.BREAK_UP)
    run.tilt(0.1)
    until(run, S.WORKING)
    assert run.motions() == ["m", "m"]


# Balancing out --------------------------------------------------------------------------------------------------------


def balanced(nao, **settings):
    legs = {"LHipPitch": -0.3, "LKneePitch": 0.6, "LAnklePitch": -0.3}
    joints = {name.replace("L", side, 1): angle for name, angle in legs.items() for side in "LR"}
    frame = keyframe(240, joints, balance_pitch=[{"joint": "LAnklePitch", "scale": 0.0}])
    lib = library(
        {"a": block(frame)}, {"m": {"blocks": ["a"], "balance_out": True}}, settings={"balance_out": settings}
    )
    return lib.model_copy(update={"robot": "nao"})


@pytest.mark.parametrize(
    ("bounds", "pitch", "early"),
    [
        ({"min_backward": -0.05, "max_forward": 0.05}, 0.04, True),
        ({"min_backward": -0.05, "max_forward": 0.05}, 0.06, False),
        ({"min_backward": -0.05, "max_forward": 0.05}, -0.04, True),
        ({"min_backward": -0.05, "max_forward": 0.05}, -0.06, False),
        # The bounds themselves are too far.
        ({"min_backward": 0.0, "max_forward": 0.05}, 0.0, False),
        ({"min_backward": -0.05, "max_forward": 0.0}, 0.0, False),
    ],
)
def test_balancing_out_is_over_between_its_bounds(nao, bounds, pitch, early):
    run = Run(nao, KeyframeEngine(nao, balanced(nao, max_time=0.6, **bounds), "m"))
    run.tilt(pitch)
    until(run, S.BALANCE_OUT, S.FINISHED)
    count = 0 if run.engine.state is S.FINISHED else until(run, S.FINISHED)
    assert (count == 50) is not early
    assert (count == 0) is early


@pytest.mark.parametrize(("settings", "lean", "state"), [({}, 0.0, S.FINISHED), ({}, 0.6, S.FINISHED)])
def test_no_balancing_out_unless_asked_for_and_upright(nao, settings, lean, state):
    lib = balanced(nao, max_time=0.6)
    motion = lib.motions["m"].model_copy(update={"balance_out": False})
    for each in (lib.model_copy(update={"motions": {"m": motion}}), lib):
        if each is lib and lean == 0.0:
            continue
        run = Run(nao, KeyframeEngine(nao, each, "m"))
        run.tilt(lean)
        until(run, S.FINISHED, S.BALANCE_OUT)
        assert run.engine.state is state


def test_without_feet_nothing_says_that_legs_are_bent(nao):
    footless = dataclasses.replace(nao, feet=())
    lib = library({"a": block(keyframe(120, {"LKneePitch": 0.6}))}, {"m": {"blocks": ["a"], "balance_out": True}})
    run = Run(footless, KeyframeEngine(footless, lib.model_copy(update={"robot": "nao"}), "m"))
    until(run, S.FINISHED, S.BALANCE_OUT)
    assert run.engine.done


# Events ---------------------------------------------------------------------------------------------------------------


def test_events_have_the_time_of_their_tick_and_name_block_keyframe_and_motion(tiny):
    lib = library({"a": block(keyframe(24), keyframe(24))}, {"m": {"blocks": ["a"]}})
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    run.tick = 100
    run.step(8)
    told = {event.text: event for event in run.events}
    assert told["motion m"].time == pytest.approx(1.2)
    assert told["motion m"].data == {"motion": "m"}
    assert told["a[0]"].time == pytest.approx(1.2)
    assert told["a[1]"].time == pytest.approx(1.2 + 2 * TICK)
    assert told["a[1]"].data == {"block": "a", "keyframe": 1}
    assert told["working -> finished"].time == pytest.approx(1.2 + 4 * TICK)


@pytest.mark.parametrize("lean", [(0.7, 0.0), (-0.7, 0.0), (0.0, 1.1), (0.0, -1.1)])
def test_a_break_up_tells_the_torso(tiny, lean):
    frame = keyframe(240, window=NARROW, window_start=NARROW)
    run = Run(tiny, KeyframeEngine(tiny, request_library(m=[frame]), "m"))
    run.step(2)
    run.tilt(*lean)
    run.step()
    (event,) = (event for event in run.events if event.kind == "break_up")
    assert (event.data["pitch"], event.data["roll"]) == pytest.approx(lean)


# Step mode ------------------------------------------------------------------------------------------------------------


def test_step_mode_goes_on_once_for_each_call(tiny):
    settings = EngineSettings(step_mode=True, step_duration=0.06)
    frames = [keyframe(600, {"HeadYaw": angle}) for angle in (0.1, 0.2, 0.3)]
    run = Run(tiny, KeyframeEngine(tiny, request_library(m=frames), "m", settings))
    run.step(20)
    assert run.keyframes() == ["m[0]"]
    run.engine.advance()
    run.step(20)
    assert run.keyframes() == ["m[0]", "m[1]"]
    # A call in the middle of a keyframe counts at its end.
    run.engine.advance()
    run.step(2)
    run.engine.advance()
    run.step(3)
    assert run.keyframes() == ["m[0]", "m[1]", "m[2]"]
    run.step(5)
    assert run.engine.done
    # A motion begins with no call left over.
    run.engine.advance()
    run.engine.request("m")
    run.step(20)
    assert run.keyframes()[3:] == ["m[0]"]


def test_a_get_up_in_step_mode_ends_where_it_ends(tiny):
    settings = EngineSettings(step_mode=True, step_duration=0.06)
    run = Run(tiny, KeyframeEngine(tiny, get_ups(), MotionRequest(None), settings))
    run.tilt(1.3)
    run.step(6)
    run.engine.advance()
    until(run, S.FINISHED)
    assert not run.told("break_up")


# Health ---------------------------------------------------------------------------------------------------------------


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


# Compensation and blocked joints --------------------------------------------------------------------------------------

RULE = {
    "joint": "LKneePitch",
    "range": {"min": 0.1, "max": 0.3},
    "targets": [{"joint": "LShoulderPitch", "scale": 0.5}],
}


@pytest.mark.parametrize("how", ["stop", "break up", "another motion", "end"])
def test_no_correction_outlives_its_motion(tiny, how):
    frame = keyframe(600, {"LKneePitch": 0.0}, compensation=[RULE], window=NARROW, window_start=NARROW)
    lib = request_library(m=[frame], n=[keyframe(600)])
    run = Run(tiny, KeyframeEngine(tiny, lib, "m", EngineSettings(delay_ticks=2)))
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
        until(run, S.FINISHED)
        # What it had corrected is held.
        held = run.command.position.copy()
        run.step(20)
        np.testing.assert_array_equal(run.command.position, held)
        return
    run.step()
    assert run.engine.state is {"stop": S.STOPPING, "break up": S.BREAK_UP, "another motion": S.WORKING}[how]
    assert not run.engine.telemetry["compensation"].any()


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


def blocked_knee(tiny, **motions):
    settings = EngineSettings(blocked_time=0.5)
    lib = library(
        {"long": block(keyframe(6000, {"LKneePitch": 1.0})), "r": block(keyframe(24)), "s": block(keyframe(24))},
        {"long": {"blocks": ["long"]}, "recoverGeneric": {"blocks": ["r"]}, "stand": {"blocks": ["s"]}, **motions},
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "long", settings))
    run.stuck[tiny.index("LKneePitch")] = -1.0
    return run


def test_a_blocked_knee_ends_no_motion_that_is_no_get_up(tiny):
    run = blocked_knee(tiny)
    until(run, S.FINISHED)
    assert run.motions() == ["long"]
    assert not run.told("break_up")


def test_a_get_up_suspects_no_joint_for_what_was_before_it(tiny):
    run = blocked_knee(tiny, m={"blocks": ["long"], "follow_ups": [{"motion": "recoverGeneric"}]})
    run.engine.request("m", replace=True)
    run.step()
    run.tilt(1.3)
    until(run, S.BREAK_UP)
    assert run.told("break_up") == ["not upright at the get-up's end"]
    until(run, S.WORKING, S.HELP)
    assert run.engine.state is S.WORKING


def test_a_blocked_knee_does_not_end_the_stand_motion_after_a_head_touch(tiny):
    lib = library(
        {"r": block(keyframe(6000, {"LKneePitch": 1.0})), "s": block(keyframe(3000, {"LKneePitch": 1.0}))},
        {"recoverGeneric": {"blocks": ["r"]}, "stand": {"blocks": ["s"]}},
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, MotionRequest(None), EngineSettings(blocked_time=0.5)))
    run.tilt(1.3)
    run.stuck[tiny.index("LKneePitch")] = -1.0
    run.step(60)
    run.buttons[:] = 1.0
    run.step()
    assert run.engine.motion == "stand"
    run.buttons[:] = 0.0
    run.tilt(0.0)
    until(run, S.FINISHED, S.BREAK_UP)
    assert run.engine.done
    assert not run.told("break_up")


# Catching a fall ------------------------------------------------------------------------------------------------------


def test_after_a_fall_that_was_none_the_robot_is_watched_again(tiny):
    """A catch that ends upright leads to standing, and a second lean outside a window breaks up as the first would."""
    frame = keyframe(2400, window=NARROW, window_start=NARROW)
    lib = library(
        {"a": block(frame), "c": block(keyframe(120)), "s": block(keyframe(24))},
        {"m": {"blocks": ["a"]}, "stand": {"blocks": ["s"]}}
        | {f"catch_{side}": {"blocks": ["c"]} for side in ("front", "back", "left", "right")},
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    run.step(5)
    run.tilt(0.6)
    run.step(2)
    assert run.motions()[-1] == "catch_front"
    run.tilt(0.0)
    until(run, S.FINISHED)
    run.step(10)
    assert run.motions() == ["m", "catch_front", "stand"]
    caught, stood = (event.time for event in run.events if event.text in ("motion catch_front", "motion stand"))
    assert stood - caught == pytest.approx(0.12)  # in the tick in which the catch is over
    assert run.engine.telemetry["tries"][0] == 0
    run.engine.request("m")
    run.step(5)
    assert run.engine.motion == "m"
    run.tilt(-0.6)
    run.step(2)
    assert run.motions()[-1] == "catch_back"
    # This one is a fall: no try of a get-up has failed yet.
    run.tilt(-1.3)
    until(run, S.BREAK_UP)
    assert run.engine.telemetry["tries"][0] == 0


@pytest.mark.parametrize("side", ["front", "back", "left", "right"])
def test_a_lean_to_a_side_without_a_window_is_meant(tiny, side):
    lean = {"front": (0.7, 0.0), "back": (-0.7, 0.0), "left": (0.0, -0.7), "right": (0.0, 0.7)}[side]
    wide, narrow = (-9.0, 9.0), (-0.5, 0.5)
    bounds = {"pitch": {"min": narrow[0], "max": narrow[1]}, "roll": {"min": narrow[0], "max": narrow[1]}}
    axis, end = {
        "front": ("pitch", "max"),
        "back": ("pitch", "min"),
        "left": ("roll", "min"),
        "right": ("roll", "max"),
    }[side]
    for open_there in (False, True):
        window_ = {name: dict(each) for name, each in bounds.items()}
        if open_there:
            window_[axis][end] = wide[end == "max"]
        frame = keyframe(2400, window=window_, window_start=window_)
        lib = library(
            {"a": block(frame), "c": block(keyframe(120))},
            {"m": {"blocks": ["a"]}}
            | {f"catch_{each}": {"blocks": ["c"]} for each in ("front", "back", "left", "right")},
        )
        run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
        run.step(5)
        run.tilt(*lean)
        run.step(3)
        assert run.motions() == (["m"] if open_there else ["m", f"catch_{side}"])
