"""Rules of waiting: how long a wait lasts, what ends it, what goes on meanwhile."""

from __future__ import annotations

import pytest
from keyframe_run import NARROW, Run, block, keyframe, library, request_library, until

from andante.control.keyframes.configuration import KeyframeEngineSettings
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.program import Program
from andante.control.keyframes.states import EngineState
from andante.control.keyframes.waiting import Wait
from andante.motions.conditions import Variable

S = EngineState
V = Variable
TICK = 0.012


class Values:
    """Condition values that a test sets."""

    def __init__(self):
        self.values = {}

    def value(self, variable):
        return self.values[variable]


def waiting(tiny, waits, given_up="worse", **more):
    lib = library({"a": block(keyframe(12, waits=waits, **more))}, {"m": {"blocks": ["a"]}})
    frame = Program(lib, tiny).blocks["a"].keyframes[0]
    values = Values()
    return Wait(values, given_up), frame, values.values


def wait_for(variable, low, high, max_wait=5.0):
    return {"variable": variable, "min": low, "max": high, "max_wait": max_wait}


@pytest.mark.parametrize(
    ("waits", "limit"),
    [
        ([wait_for("torso_pitch", 1.0, 2.0, 0.3)], 300_000),
        ([wait_for("torso_pitch", 1.0, 2.0, 7.0)], 7_000_000),
        # with several conditions one second counts, whatever they say
        ([wait_for("torso_pitch", 1.0, 2.0, 0.3), wait_for("knee_flexion", 1.0, 2.0, 0.1)], 1_000_000),
        ([wait_for("torso_pitch", 1.0, 2.0, 7.0), wait_for("knee_flexion", 1.0, 2.0, 9.0)], 1_000_000),
    ],
)
def test_limit_of_a_wait(tiny, waits, limit):
    wait, frame, values = waiting(tiny, waits)
    values |= {V.TORSO_PITCH: 0.0, V.KNEE_FLEXION: 0.0}
    wait.start(0, frame)
    assert not wait.over(limit - 1, frame)
    assert wait.over(limit, frame)
    assert wait.given_up == "time is up"


def test_all_conditions_must_hold(tiny):
    wait, frame, values = waiting(tiny, [wait_for("torso_pitch", 1.0, 2.0), wait_for("knee_flexion", 1.0, 2.0)])
    values |= {V.TORSO_PITCH: 1.5, V.KNEE_FLEXION: 0.0}
    wait.start(0, frame)
    assert not wait.over(12_000, frame)
    values[V.KNEE_FLEXION] = 1.0
    assert wait.over(24_000, frame)
    assert wait.given_up == ""


@pytest.mark.parametrize(
    ("variable", "change", "forbid", "ticks"),
    [
        ("torso_pitch", -0.01, False, 7),  # 7 * 1.2 = 8.4 > 8
        ("torso_pitch", 0.0, False, None),  # it does not get worse
        ("torso_pitch", 0.01, False, None),  # it gets better
        ("torso_pitch", -0.01, True, None),  # may not be given up
        ("torso_pitch_fluctuation", -0.01, False, 15),  # 1.2 + 14 * (1.2 - 0.7) = 8.2 > 8
    ],
)
def test_a_wait_that_gets_worse_is_given_up(tiny, variable, change, forbid, ticks):
    wait, frame, values = waiting(tiny, [wait_for(variable, 1.0, 2.0)], forbid_wait_break=forbid)
    value = 0.0
    values[Variable(variable)] = value
    wait.start(0, frame)
    for tick in range(1, 60):
        value += change
        values[Variable(variable)] = value
        if wait.over(tick * 12_000, frame):
            break
    else:
        tick = None
    assert tick == ticks


@pytest.mark.parametrize(
    ("variable", "change", "ticks"),
    [
        ("torso_pitch", 0.01, 7),  # 7 * 1.2 = 8.4 > 8: progress ends the wait
        ("torso_pitch", -0.01, None),
        ("torso_pitch", 0.0, None),
        ("torso_pitch_fluctuation", 0.01, 15),
    ],
)
def test_the_original_since_2022_counts_progress(tiny, variable, change, ticks):
    wait, frame, values = waiting(tiny, [wait_for(variable, 1.0, 2.0)], "better")
    value = 0.0
    values[Variable(variable)] = value
    wait.start(0, frame)
    over = None
    for tick in range(1, 60):
        value += change
        values[Variable(variable)] = value
        if wait.over(tick * 12_000, frame):
            over = tick
            break
    assert over == ticks


def test_the_dialect_decides_what_ends_a_wait_and_a_setting_overrides_it(tiny):
    """The robot leans ever more towards the range, 0.01 rad per tick: the original's wait lasts seven ticks."""
    lib = library(
        {"a": block(keyframe(12, waits=[wait_for("torso_pitch", 2.0, 3.0)]))},
        {"m": {"blocks": ["a"]}},
        dialect="bhuman-2024",
    )
    said = {}
    for release in (None, "andante"):
        run = Run(tiny, KeyframeEngine(tiny, lib, "m", KeyframeEngineSettings(release=release)))
        for tick in range(40):
            run.tilt(0.01 * tick)
            run.step()
        said[release] = run.told("wait")
    assert said[None] == ["wait given up: it gets better, which ends waits of this release"]
    assert said["andante"] == []


def test_waiting_goes_on_compensating_and_watching_the_window(tiny):
    waits = [wait_for("torso_pitch", 1.0, 2.0)]
    lib = library(
        {
            "a": block(
                keyframe(12, waits=waits, window={"pitch": {"min": -0.5, "max": 9}, "roll": {"min": -9, "max": 9}})
            )
        },
        {"m": {"blocks": ["a"]}},
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    run.step(4)
    assert run.engine.state is EngineState.WAITING
    run.tilt(-0.6)
    run.step()
    assert run.engine.state is EngineState.BREAK_UP


@pytest.mark.parametrize(("outside", "state"), [(0.6, S.BREAK_UP), (0.4, S.WAITING)])
def test_a_wait_watches_the_window_it_began_with(tiny, outside, state):
    wait = wait_for("torso_pitch", -0.2, 0.2, 1.2)
    frame = keyframe(24, waits=[wait], window=NARROW, window_start=NARROW)
    run = Run(tiny, KeyframeEngine(tiny, request_library(m=[frame]), "m"))
    run.tilt(0.4)
    until(run, S.WAITING)
    run.tilt(outside)
    run.step()
    assert run.engine.state is state


def test_an_early_branch_ends_a_wait(tiny):
    early = {"conditions": [{"variable": "wait_time", "min": 0.05, "max": 9.0}]}
    frame = keyframe(12, waits=[wait_for("torso_pitch", 1.0, 2.0)], branches=[{"block": "b", "early": early}])
    run = Run(
        tiny,
        KeyframeEngine(tiny, library({"a": block(frame), "b": block(keyframe(12))}, {"m": {"blocks": ["a"]}}), "m"),
    )
    run.step(7)
    # the wait began at the second tick: 0.06 s have passed at the seventh
    assert run.keyframes() == ["a[0]", "b[0]"]


def test_without_waits_a_keyframe_just_ends(tiny):
    frame = keyframe(12, waits=[wait_for("torso_pitch", 1.0, 2.0)])
    run = Run(
        tiny,
        KeyframeEngine(
            tiny, library({"a": block(frame)}, {"m": {"blocks": ["a"]}}), "m", KeyframeEngineSettings(waits=False)
        ),
    )
    run.step(2)
    assert run.engine.done


def test_the_wait_counts_from_its_begin_and_is_none_outside(tiny):
    wait = wait_for("torso_pitch", -0.2, 0.2, 0.12)
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
    wait = wait_for("torso_pitch", -0.2, 0.2, 1.2)
    run = Run(tiny, KeyframeEngine(tiny, request_library(m=[keyframe(24, waits=[wait])]), "m"))
    run.tilt(0.4)
    until(run, S.WAITING)
    run.tilt(0.0)
    run.step()
    assert run.engine.done
