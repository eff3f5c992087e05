"""Libraries that cannot run are refused with the path to the entry, oddities are told, bad sensors do no harm."""

from __future__ import annotations

import math

import numpy as np
import pytest
from keyframe_run import Run, block, get_up_library, keyframe, library, pitch_above

from andante.control.controller import ControlError
from andante.control.events import EventKind
from andante.control.guard import Guard
from andante.control.keyframes.configuration import KeyframeEngineSettings, MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.motions.library import MotionLibrary

RULE = {"joint": "LKneePitch", "range": {"min": 0.1, "max": 0.3}, "targets": []}
WRIST = {"variable": "right_wrist_y", "min": 0, "max": 1}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"motions": {"m": {"blocks": ["aa"]}}}, "motions.m.blocks[0]: the library has no such block; got 'aa'"),
        (
            {"motions": {"m": {"blocks": ["a"], "follow_ups": [{"motion": "n"}]}}},
            "motions.m.follow_ups[0].motion: the library has no such motion; got 'n'",
        ),
        (
            {"blocks": {"a": block(keyframe(9, {"HeadYow": 0.0}))}},
            "blocks.a.keyframes[0].joints: robot 'tiny' has no such joint; got 'HeadYow'; did you mean 'HeadYaw'?",
        ),
        (
            {"blocks": {"a": block(keyframe(9), stiffness={"tail": 0.5})}},
            "blocks.a.base_stiffness: robot 'tiny' has no such joint group; got 'tail'",
        ),
        (
            {"blocks": {"a": block(keyframe(9, branches=[{"early": {}}]))}},
            "blocks.a.keyframes[0].branches[0]: a branch names neither block nor motion",
        ),
        (
            {"blocks": {"a": block(keyframe(9, waits=[{"variable": "left_wrist_y", "min": 0, "max": 1}]))}},
            "blocks.a.keyframes[0].waits[0].variable: robot 'tiny' has no joint for this condition's variable",
        ),
        ({"robot": "ers7"}, "robot: the library's motions are not for robot 'tiny'; got 'ers7'"),
        (
            {"blocks": {"a": block(keyframe(9, branches=[{"block": "gone", "early": {}}]))}},
            "blocks.a.keyframes[0].branches[0].block: the library has no such block; got 'gone'",
        ),
        (
            {"blocks": {"a": block(keyframe(9, branches=[{"motion": "n", "early": {}}]))}},
            "blocks.a.keyframes[0].branches[0].motion: the library has no such motion; got 'n'",
        ),
        (
            {"blocks": {"a": block(keyframe(9, compensation=[RULE | {"joint": "FLHip"}]))}},
            "blocks.a.keyframes[0].compensation[0].joint: robot 'tiny' has no such joint; got 'FLHip'",
        ),
        (
            {"blocks": {"a": block(keyframe(9, compensation=[RULE | {"targets": [{"joint": "FLKnee", "scale": 1}]}]))}},
            "blocks.a.keyframes[0].compensation[0].targets[0]: robot 'tiny' has no such joint; got 'FLKnee'",
        ),
        (
            {"blocks": {"a": block(keyframe(9, compensation=[RULE | {"hip_pitch_difference": True}]))}},
            "blocks.a.keyframes[0].compensation[0].hip_pitch_difference: robot 'tiny' has no hip pitch on both sides",
        ),
        (
            {"blocks": {"a": block(keyframe(9, balance_roll=[{"joint": "LAnkleRoll", "scale": 1}]))}},
            "blocks.a.keyframes[0].balance_roll[0]: robot 'tiny' has no such joint; got 'LAnkleRoll'",
        ),
        (
            {"blocks": {"a": block(keyframe(9, stiffness=[{"joint": "Tail", "stiffness": 1}]))}},
            "blocks.a.keyframes[0].stiffness[0]: robot 'tiny' has no such joint; got 'Tail'",
        ),
        (
            {"blocks": {"a": block(keyframe(9, branches=[{"block": "a", "pre": {"conditions": [WRIST]}}]))}},
            "blocks.a.keyframes[0].branches[0].pre.conditions[0].variable: robot 'tiny' has no joint for this",
        ),
        (
            {"motions": {"m": {"blocks": ["a"], "follow_ups": [{"motion": "m", "conditions": [WRIST]}]}}},
            "motions.m.follow_ups[0].conditions[0].variable: robot 'tiny' has no joint for this condition's variable",
        ),
    ],
)
def test_what_does_not_exist_is_named_with_its_path(tiny, change, message):
    good = {"robot": "tiny", "blocks": {"a": block(keyframe(9))}, "motions": {"m": {"blocks": ["a"]}}}
    lib = MotionLibrary.model_validate(good | change)
    with pytest.raises(ControlError) as caught:
        KeyframeEngine(tiny, lib, "m")
    assert str(caught.value).startswith(message)


def test_unknown_motion_offers_the_nearest(tiny):
    lib = get_up_library()
    with pytest.raises(ControlError, match="did you mean 'stand'"):
        KeyframeEngine(tiny, lib, "stant")
    engine = KeyframeEngine(tiny, lib)
    with pytest.raises(ControlError, match="no such motion"):
        engine.request("dance")
    with pytest.raises(ControlError, match="hold, stand"):
        engine.request_stop("sit")


ALWAYS = {"early": {"conditions": []}}
HOLDS = pitch_above(-9.0)


@pytest.mark.parametrize(
    ("blocks", "motions", "place", "circle"),
    [
        (
            {},
            {"m": {"follow_ups": [{"motion": "n"}]}, "n": {"follow_ups": [{"motion": "m"}]}},
            "motions.m",
            "motion m -> motion n -> motion m",
        ),
        (
            {"a": block(keyframe(9, branches=[{"block": "a"} | ALWAYS]))},
            {"m": {"blocks": ["a"]}},
            "blocks.a",
            "block a -> block a",
        ),
        (
            {"a": block(keyframe(9, branches=[{"motion": "m"} | ALWAYS]))},
            {"m": {"blocks": ["a"]}},
            "motions.m",
            "motion m -> block a -> motion m",
        ),
    ],
)
def test_endless_loops_without_duration_are_refused(tiny, blocks, motions, place, circle):
    with pytest.raises(ControlError, match="runs for ever without time passing") as caught:
        KeyframeEngine(tiny, library(blocks, motions), "m")
    assert caught.value.place == place
    assert circle in str(caught.value)


def test_loops_that_end_or_take_time_are_legal(tiny):
    limited = {"block": "a", "max_block_loops": 3} | ALWAYS
    lib = library(
        {"a": block(keyframe(9, branches=[limited]))}, {"m": {"blocks": ["a"], "follow_ups": [{"motion": "m"}]}}
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    run.step(20)
    assert len(run.keyframes()) >= 20


def test_a_circle_of_conditions_that_all_hold_does_not_stop_the_robot(tiny):
    """Nobody can see this one in the library: whether it is endless depends on the sensors."""
    follow = {"conditions": [{"variable": "torso_pitch", "min": -9, "max": 9}]}
    motions = {"m": {"follow_ups": [{"motion": "n"} | follow]}, "n": {"follow_ups": [{"motion": "m"} | follow]}}
    run = Run(tiny, KeyframeEngine(tiny, library({}, motions), "m"))
    run.step(3)
    assert run.engine.done
    assert run.told("follow_up_loop") == ["follow-ups lead in a circle without time passing"]
    gate = keyframe(9, branches=[{"motion": "m", "early": HOLDS}])
    run = Run(tiny, KeyframeEngine(tiny, library({"a": block(gate)}, {"m": {"blocks": ["a"]}}), "m"))
    run.step(3)
    assert run.told("branch_loop")


def test_inverted_ranges_are_told_once_per_run_and_run_as_circles(tiny):
    wait = {"variable": "torso_pitch", "min": 3.0, "max": -3.0}
    narrow = {"pitch": {"min": 0.5, "max": -0.5}, "roll": {"min": -1, "max": 1}}
    lib = library({"a": block(keyframe(12, waits=[wait]), keyframe(12, window=narrow))}, {"m": {"blocks": ["a"]}})
    engine = KeyframeEngine(tiny, lib, "m")
    told = [event.text for event in engine.take_events() if event.kind is EventKind.LIBRARY]
    assert told[0].startswith(
        "blocks.a.keyframes[0].waits[0]: torso_pitch 171.887..-171.887 deg has its lower end above"
    )
    assert told[1].startswith("blocks.a.keyframes[1].window.pitch: no angle lies between")
    run = Run(tiny, engine)
    run.tilt(3.1)
    run.step(2)
    assert run.keyframes() == ["a[0]", "a[1]"]
    engine.reset()
    assert len([event for event in engine.take_events() if event.kind is EventKind.LIBRARY]) == 2


@pytest.mark.slow
def test_random_sensors_never_stop_it_and_stay_within_the_guard(tiny):
    engine = KeyframeEngine(tiny, get_up_library(), MotionRequest(None), KeyframeEngineSettings(catch_falls=True))
    guard = Guard(tiny, 0.012)
    rng, states = np.random.default_rng(11), set()
    for tick in range(10_000):
        sensors = tiny.sensors(rng.normal(0.0, 2.0, tiny.sensors_layout.size))
        sensors.vector[0] = tick * 0.012
        # Pure noise hardly ever lets a state last; between it the robot lies or stands for a while.
        if tick // 300 % 4 != 0:
            sensors.orientation[:] = (1, 0, 0, 0) if tick // 300 % 4 == 1 else (0.7, 0, 0.7, 0)
        hit = rng.random(sensors.vector.size) < 0.05
        sensors.vector[hit] = rng.choice([math.nan, math.inf, -math.inf, 1e308], hit.sum())
        command = engine.step(sensors)
        assert np.isfinite(command.vector).all()
        out = guard.apply(command, sensors)
        states.add(engine.state)
        assert np.isfinite(out.vector).all()
        assert (out.position >= tiny.lower).all()
        assert (out.position <= tiny.upper).all()
        if tick % 1000 == 999:
            engine.request(("stand", "sit", MotionRequest(None))[tick // 1000 % 3], replace=tick > 5000)
    assert {"working", "finished", "break_up", "help"} <= states
