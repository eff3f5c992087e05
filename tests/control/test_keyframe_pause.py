"""A get-up's keyframe stands still while the hip yaw pitch lags, worked out by hand."""

from __future__ import annotations

import math

import pytest
from keyframe_run import Run, block, keyframe, library, window

from andante.control.keyframes.clock import KeyframeClock
from andante.control.keyframes.configuration import KeyframeEngineSettings, MotionRequest
from andante.control.keyframes.differences import JointDifferences
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.hip_yaw import LagPause
from andante.control.keyframes.states import EngineState
from andante.documents.settings import SettingsError

TICK = 12_000
HIP = 3


def test_the_clock_leaves_out_the_time_in_which_it_stands():
    clock = KeyframeClock(TICK)
    clock.start(0, 10 * TICK)
    assert clock.update(0) == pytest.approx(0.1)
    assert clock.update(TICK) == pytest.approx(0.2)
    clock.stand(2 * TICK)
    assert clock.update(2 * TICK) == pytest.approx(0.2)
    # A late tick stands for as long as it came late.
    clock.stand(5 * TICK)
    assert clock.update(5 * TICK) == pytest.approx(0.2)
    assert clock.update(6 * TICK) == pytest.approx(0.3)


def test_a_keyframe_stands_above_the_limit_and_for_a_limited_time():
    differences = JointDifferences(1, 1)
    pause = LagPause(differences, 0, 0.2, 30_000)
    differences.filtered[0] = 0.2
    assert not pause.stands(TICK)
    differences.filtered[0] = -0.21
    # two ticks of 12 ms fit into 30 ms, a third does not
    assert [pause.stands(TICK) for _ in range(3)] == [True, True, False]
    assert pause.used == 2 * TICK
    pause.start()
    assert pause.stands(TICK)
    assert not LagPause(differences, None, 0.2, 30_000).stands(TICK)


def rising(robot, get_up=True, **settings):
    """A robot that lies, asked to get up: the hip goes 0.5 rad in ten ticks, then the head turns in five."""
    windows = {"window_start": window(-1.0, 5.0), "window": window(-1.0, 3.0)}
    frames = (keyframe(120, {"LHipYawPitch": 0.5, "HeadYaw": 0.2}, **windows), keyframe(60, {"HeadYaw": -0.2}))
    motions = {"recoverGeneric": {"blocks": ["up"]}, "stand": {"blocks": ["up"]}, "wave": {"blocks": ["up"]}}
    config = KeyframeEngineSettings(start_speed_share=99.0, pause_time=0.12, **settings)
    request = MotionRequest(None if get_up else "wave")
    run = Run(robot, KeyframeEngine(robot, library({"up": block(*frames)}, motions), request, config))
    run.tilt(pitch=1.5)
    return run


def ticks_of_the_first(run):
    run.stuck[HIP] = 0.0
    for tick in range(60):
        run.step()
        if "up[1]" in run.keyframes():
            return tick
    raise AssertionError("the second keyframe never began")


def test_a_get_up_waits_for_a_stuck_hip(tiny):
    run = rising(tiny)
    # 10 ticks on the way and 10 more, 120 ms, for the hip that never comes
    assert ticks_of_the_first(run) == 20
    assert run.told("pause")[0] == "up[0] waits for the hip yaw pitch"


def test_every_keyframe_may_wait_for_the_hip_anew(tiny):
    run = rising(tiny)
    first = ticks_of_the_first(run)
    while run.engine.state is EngineState.WORKING:
        run.step()
    # 5 ticks on the way and 10 more for the hip, after the one in which it began.
    assert run.tick - 1 - first == 15
    assert run.told("pause") == ["up[0] waits for the hip yaw pitch", "up[1] waits for the hip yaw pitch"]


@pytest.mark.parametrize("other", [{"pauses": False}, {"get_up": False}, {"pause_error": 1.0}])
def test_nothing_waits_without_pauses_in_other_motions_and_below_the_limit(tiny, other):
    run = rising(tiny, **other)
    assert ticks_of_the_first(run) == 10
    assert run.told("pause") == []


def test_everything_stands_with_the_hip(tiny):
    run = rising(tiny)
    run.stuck[HIP] = 0.0
    # The hip is asked for 0.05 rad more per tick; its error shows three ticks later through 0.6 old + 0.4 new:
    # 0.020, 0.052, 0.091, 0.135, 0.181 rad at ticks 3 to 7, and 10 degrees are 0.175.
    assert run.path(0, 7) == pytest.approx([0.02 * (tick + 1) for tick in range(7)])
    high = run.engine.telemetry["window"][1]
    assert high == pytest.approx(5.0 - 0.7 * 2.0)
    assert run.path(0, 10) == pytest.approx([0.14] * 10)
    assert run.engine.telemetry["window"][1] == high
    # 120 ms are used up
    assert run.path(0, 3) == pytest.approx([0.16, 0.18, 0.20])


def test_the_keyframe_goes_on_when_the_hip_comes(tiny):
    run = rising(tiny)
    run.stuck[HIP] = 0.0
    run.step(9)
    del run.stuck[HIP]
    # From tick 10 on the hip is where it was asked to be three ticks before; the error of tick 9 was
    # 0.6 (0.6 * 0.181 + 0.4 * 0.3) + 0.4 * 0.35 = 0.277, then 0.166 rad: below 10 degrees, the way goes on.
    assert run.path(0, 3) == pytest.approx([0.14, 0.16, 0.18])


@pytest.mark.parametrize("name", ["pause_error", "pause_time"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan])
def test_settings_must_be_above_zero(name, value):
    with pytest.raises(SettingsError, match=f"engine.{name}"):
        KeyframeEngineSettings(**{name: value})
