"""How long the first keyframe of a motion is stretched, and which one is not."""

from __future__ import annotations

import pytest
from keyframe_run import NARROW, RAW, Run, block, keyframe, library, request_library, until

from andante.control.keyframes.configuration import KeyframeEngineSettings
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.states import EngineState

S = EngineState


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
    settings = KeyframeEngineSettings(start_speed_share=share, respect_limits=False)
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
    run = Run(tiny, KeyframeEngine(tiny, lib, "m", KeyframeEngineSettings(retry_duration=0.6)))
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
