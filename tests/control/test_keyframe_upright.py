"""Being upright: where a get-up ends, and what becomes of a robot that breaks up, lies or is helped."""

from __future__ import annotations

import pytest
from keyframe_run import NARROW, Run, block, keyframe, library, lone_get_up_library, request_library, until

from andante.control.keyframes.configuration import KeyframeEngineSettings, MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.states import EngineState

S = EngineState


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
    run = Run(tiny, KeyframeEngine(tiny, lone_get_up_library(), MotionRequest(None)))
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
    run = Run(tiny, KeyframeEngine(tiny, lone_get_up_library(settings={"safe_upright": safe}), MotionRequest(None)))
    run.step()
    assert run.motions() == ["stand"]


def test_somebody_who_helps_is_told_that_the_robot_is_upright_again(tiny):
    run = Run(tiny, KeyframeEngine(tiny, lone_get_up_library(settings={"max_tries": 1}), MotionRequest(None)))
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
    run = Run(
        tiny, KeyframeEngine(tiny, lone_get_up_library(), MotionRequest(None), KeyframeEngineSettings(break_up=False))
    )
    run.tilt(1.3)
    until(run, S.FINISHED)
    assert run.engine.done
    assert not run.told("break_up")


def test_without_breaking_up_a_window_is_no_window(tiny):
    frame = keyframe(120, window=NARROW, window_start=NARROW)
    run = Run(tiny, KeyframeEngine(tiny, request_library(m=[frame]), "m", KeyframeEngineSettings(break_up=False)))
    run.tilt(0.9)
    until(run, S.FINISHED)
    assert run.engine.telemetry["window"][1] == pytest.approx(0.5)


def test_a_robot_that_lies_after_a_break_up_gets_up_only_where_that_is_wanted_and_possible(tiny):
    frame = {"long": block(keyframe(240, window=NARROW, window_start=NARROW))}
    lib = lone_get_up_library(frame)
    lib = lib.model_copy(
        update={"motions": lib.motions | {"m": lib.motions["sit"].model_copy(update={"blocks": ("long",)})}}
    )
    for settings, pitch, state in (
        (KeyframeEngineSettings(), 1.3, S.WORKING),
        (KeyframeEngineSettings(), 0.49, S.WORKING),
        (KeyframeEngineSettings(get_up_after_break_up=False), 1.3, S.RETRY),
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
