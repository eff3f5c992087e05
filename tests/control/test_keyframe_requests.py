"""Requests, stops and follow-ups: what comes after a motion, and what the next one has left of it."""

from __future__ import annotations

import pytest
from keyframe_run import (
    FRONT_HACK,
    NARROW,
    UNHURRIED,
    Run,
    block,
    constant_gains,
    keyframe,
    library,
    lone_get_up_library,
    pitch_above,
    request_library,
    until,
)

from andante.control.keyframes.configuration import MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.states import EngineState

S = EngineState


def failed_tries(tiny, count):
    """A get-up of a robot that lies, after so many tries."""
    run = Run(tiny, KeyframeEngine(tiny, lone_get_up_library(), MotionRequest(None)))
    run.tilt(1.3)
    run.step()
    while run.engine.telemetry["tries"][0] < count:
        run.step()
    return run


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


def test_the_front_hack_ends_with_the_get_up(tiny):
    run = failed_tries(tiny, 3)
    run.tilt(0.0)
    until(run, S.FINISHED)
    assert run.engine.telemetry["tries"][0] == 0
    run.events.clear()
    run.engine.request("look")
    until(run, S.FINISHED)
    assert run.keyframes() == ["gate[0]"]


def test_a_request_begins_with_no_tries_of_the_one_before(tiny):
    run = failed_tries(tiny, 2)
    until(run, S.WORKING)
    run.engine.request("look", replace=True)
    run.step()
    assert run.engine.motion == "look"
    assert run.engine.telemetry["tries"][0] == 0


def test_a_request_in_the_third_try_is_not_in_the_front_hack(tiny):
    run = failed_tries(tiny, 2)
    until(run, S.WORKING)
    run.tilt(0.0)
    run.events.clear()
    run.engine.request("look", replace=True)
    until(run, S.FINISHED)
    assert run.keyframes() == ["gate[0]"]


def test_a_stand_after_a_stop_is_balanced_as_if_nothing_had_been_before(nao):
    """Its goal sets out from the support centre, not from the goal of the motion that was stopped."""
    knee = [{"joint": "LKneePitch", "scale": 0.0}]
    frames = {
        name: keyframe(240, {"LKneePitch": 0.0}, phase="Split", balance_pitch=knee, com_goal=[goal, 0.0])
        for name, goal in (("m", 0.03), ("stand", 0.0))
    }
    lib = library(
        {name: block(frame) for name, frame in frames.items()},
        {name: {"blocks": [name]} for name in frames},
        balance={"Split": constant_gains(20)},
    ).model_copy(update={"robot": "nao"})
    errors = []
    for before in (None, "m"):
        run = Run(nao, KeyframeEngine(nao, lib, before))
        if before is None:
            run.engine.request("stand")
        else:
            run.step(15)
            run.engine.request_stop("stand")
        while run.engine.motion != "stand":
            run.step()
        errors.append(run.engine.telemetry["com_error"][0])
    assert errors[1] == pytest.approx(errors[0], abs=1e-4)  # 28 mm apart otherwise


def test_a_motion_that_is_tried_again_is_not_in_the_front_hack(tiny):
    lib = request_library(
        look=[keyframe(120, branches=[{"block": "hack", "early": FRONT_HACK}], window=NARROW, window_start=NARROW)],
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
