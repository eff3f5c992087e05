"""Events of the engine: their time, what they name, and what is told at the begin of every run."""

from __future__ import annotations

import pytest
from keyframe_run import NARROW, Run, block, keyframe, library, request_library

from andante.control.keyframes.engine import KeyframeEngine

TICK = 0.012


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


def test_events_that_nobody_takes_do_not_pile_up(tiny):
    lib = library({"a": block(keyframe(1))}, {"m": {"blocks": ["a"], "follow_ups": [{"motion": "m"}]}})
    engine = KeyframeEngine(tiny, lib, "m")
    for tick in range(5000):
        sensors = tiny.sensors()
        sensors.vector[0] = tick * 0.012
        sensors.health[:] = 1.0
        engine.step(sensors)
    events = engine.take_events()
    assert len(events) == 4096
    assert events[-1].time > 59.9
