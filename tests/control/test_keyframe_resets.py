"""What a reset forgets: the motion, its loops, tries, and all that was asked for."""

from __future__ import annotations

from keyframe_run import Run, block, keyframe, library, lone_get_up_library, pitch_above, request_library, until

from andante.control.keyframes.configuration import MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.states import EngineState

S = EngineState


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
    run = Run(tiny, KeyframeEngine(tiny, lone_get_up_library(), MotionRequest(None)))
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
