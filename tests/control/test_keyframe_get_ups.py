"""Get-ups reached by follow-ups, given up for a joint that never moves, handed over to a walk; calls for help."""

from __future__ import annotations

import pytest
from keyframe_run import Run, block, constant_gains, keyframe, library, until, window

from andante.control.events import EventKind
from andante.control.keyframes.configuration import KeyframeEngineSettings, MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.reach import motions_from
from andante.control.keyframes.release import RULES
from andante.control.keyframes.states import EngineState

S = EngineState
WIDE = window(-1.4, 1.4)
LIES = [{"variable": "torso_pitch", "min": 0.3, "max": 3.0}]


def dive_library(**more):
    """A dive whose follow-up is the get-up, which leans far while it rises; a catch motion for the front."""
    rise = keyframe(600, {"HeadYaw": 0.2}, window=WIDE, window_start=WIDE)
    blocks = {name: block(keyframe(60)) for name in ("dive", "r", "s", "again")} | {"up": block(rise), "c": block(rise)}
    motions = {
        "dive": {"blocks": ["dive"], "follow_ups": [{"motion": "recoverGeneric", "conditions": LIES}]},
        "recoverGeneric": {"blocks": ["r"], "follow_ups": [{"motion": "up"}]},
        "up": {"blocks": ["up"]},
        "stand": {"blocks": ["s"]},
        "catch_front": {"blocks": ["c"]},
    }
    return library(blocks, motions, **more)


def dived(tiny, request="dive", pitch=1.3, **settings):
    """A robot that stood, dived and lies."""
    run = Run(tiny, KeyframeEngine(tiny, dive_library(), request, KeyframeEngineSettings(**settings)))
    if request != MotionRequest(None):
        run.step(2)
    run.tilt(pitch)
    return run


def rise(run):
    """Upright for a moment, then leaning by 30 degrees, as robots do that get up."""
    run.step(16)
    run.tilt(0.0)
    run.step(3)
    run.tilt(0.5)
    run.step(3)


@pytest.mark.parametrize("request_", ["dive", MotionRequest("dive", True), "recoverGeneric", "up", MotionRequest(None)])
def test_no_fall_is_caught_in_a_get_up_however_it_was_reached(tiny, request_):
    run = dived(tiny, request_)
    rise(run)
    assert run.engine.motion == "up"
    assert run.told(EventKind.FALL) == []
    run.tilt(0.0)
    until(run, S.FINISHED)
    run.tilt(0.6)  # it is over: now a lean is a fall
    run.step(3)
    assert run.motions()[-1] == "catch_front"


def test_the_same_lean_is_a_fall_in_another_motion(tiny):
    run = Run(tiny, KeyframeEngine(tiny, dive_library(), "catch_front"))
    run.step(3)
    run.tilt(0.5)
    run.step(3)
    assert run.told(EventKind.FALL) == ["falls to the front"]


def test_a_get_up_reached_by_a_follow_up_breaks_up_and_is_tried_again(tiny):
    run = dived(tiny)
    run.step(16)
    assert run.engine.motion == "up"
    run.tilt(1.5)  # outside the window
    until(run, S.BREAK_UP)
    until(run, S.WORKING)
    assert run.motions() == ["dive", "recoverGeneric", "up", "recoverGeneric"]
    assert run.engine.telemetry["tries"][0] == 1
    run.engine.request("stand")
    run.tilt(0.0)
    until(run, S.FINISHED)
    # A get-up comes to its end before another motion begins, which is no get-up any more.
    assert run.motions()[3:] == ["recoverGeneric", "up", "stand"]
    run.tilt(0.7)
    run.step(3)
    assert run.motions()[-1] == "catch_front"


def test_a_get_up_after_a_fall_that_was_met_is_one_too(tiny):
    """The catch motion's own follow-up leads there: its windows hold, and its tries count."""
    lib = dive_library()
    follow_up = lib.motions["dive"].follow_ups
    motions = dict(lib.motions) | {
        "catch_front": lib.motions["catch_front"].model_copy(update={"follow_ups": follow_up})
    }
    run = Run(tiny, KeyframeEngine(tiny, lib.model_copy(update={"motions": motions}), "stand"))
    run.step(10)
    run.tilt(0.7)
    until(run, S.WORKING)
    while run.engine.motion != "up":
        run.step()
    run.tilt(1.5)
    run.step(2)
    assert run.engine.state is S.BREAK_UP
    assert run.engine.telemetry["tries"][0] == 1


def test_get_ups_are_all_that_the_recover_motion_leads_to():
    pitched = {"conditions": LIES}
    blocks = {
        "a": block(keyframe(24, branches=[{"block": "b", "pre": pitched}])),
        "b": block(keyframe(24, branches=[{"motion": "anew", "early": pitched}])),
        "c": block(keyframe(24)),
    }
    motions = {
        "recoverGeneric": {"blocks": ["a"], "follow_ups": [{"motion": "front"}, {"motion": "stand"}]},
        "front": {"blocks": ["c"]},
        "anew": {"blocks": ["c"], "follow_ups": [{"motion": "recoverGeneric"}]},
        "stand": {"blocks": ["c"], "follow_ups": [{"motion": "wave"}]},
        "wave": {"blocks": ["c"]},
    }
    written = library(blocks, motions)
    assert set(motions_from(written, ["recoverGeneric"], "stand")) == {"recoverGeneric", "front", "anew"}
    assert motions_from(written, ["nothing"], "stand") == []


def test_a_dive_of_the_original_is_followed_by_a_get_up(tiny):
    blocks = {name: block(keyframe(60)) for name in ("d", "r", "s")}
    motions = {"keeperJumpLeft": {"blocks": ["d"]}, "recoverGeneric": {"blocks": ["r"]}, "stand": {"blocks": ["s"]}}
    for dialect, pitch, played in (
        ("bhuman-2024", 1.3, ["keeperJumpLeft", "recoverGeneric"]),
        ("bhuman-2024", 0.0, ["keeperJumpLeft", "stand"]),
        ("andante", 1.3, ["keeperJumpLeft"]),
    ):
        run = Run(tiny, KeyframeEngine(tiny, library(blocks, motions, dialect=dialect), "keeperJumpLeft"))
        run.tilt(pitch)
        run.step(8)
        assert run.motions() == played


def test_a_request_during_a_dive_comes_in_place_of_the_get_up(tiny):
    blocks = {name: block(keyframe(60)) for name in ("d", "r", "s")}
    motions = {"keeperJumpLeft": {"blocks": ["d"]}, "recoverGeneric": {"blocks": ["r"]}, "stand": {"blocks": ["s"]}}
    run = Run(tiny, KeyframeEngine(tiny, library(blocks, motions, dialect="bhuman-2024"), "keeperJumpLeft"))
    run.step(2)
    run.engine.request("stand")
    run.tilt(1.3)
    run.step(8)
    assert run.motions() == ["keeperJumpLeft", "stand"]


@pytest.mark.parametrize(("dialect", "state"), [("bhuman-2025", S.BREAK_UP), ("andante", S.FINISHED)])
def test_the_original_watches_its_window_after_the_motion(tiny, dialect, state):
    narrow = window(-0.5, 0.5)
    lib = library(
        {"a": block(keyframe(60, window=narrow, window_start=narrow))}, {"m": {"blocks": ["a"]}}, dialect=dialect
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    until(run, S.FINISHED)
    run.tilt(0.6)
    run.step(2)
    assert run.engine.state is state


def test_releases_of_one_kind_share_their_rules():
    assert RULES["bhuman-2023"] is RULES["bhuman-2024"] is RULES["bhuman-2022"]
    assert RULES["bhuman-2024"].first_corner_missing
    assert not RULES["bhuman-2024"].recompute
    assert RULES["bhuman-2025"].adaptive
    assert RULES["andante"].given_up == "worse"


# Help -----------------------------------------------------------------------------------------------------------------


def lost(tiny, **more):
    """A robot that lies and whose get-up never brings it up."""
    frame = keyframe(1500, {"LKneePitch": 1.0, "HeadYaw": 0.2})
    lib = library(
        {"r": block(frame), "s": block(keyframe(24))},
        {"recoverGeneric": {"blocks": ["r"]}, "stand": {"blocks": ["s"]}},
        **more,
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, MotionRequest(None)))
    run.tilt(1.3)
    return run


def test_a_robot_that_lies_calls_for_help_every_five_seconds(tiny):
    run = lost(tiny, settings={"max_tries": 1})
    until(run, S.HELP)
    run.step(1000)  # 12 s
    assert run.told(EventKind.HELP) == ["the robot needs help: 1 tries are used up"] * 3
    assert not run.command.kp.any()  # head and all


def test_a_knee_that_never_moves_is_told_and_ends_the_get_up(tiny):
    run = lost(tiny)
    run.stuck[tiny.index("LKneePitch")] = 0.1
    until(run, S.HELP, most=1500)
    said = "LKneePitch does not move, whatever is asked"
    assert run.told(EventKind.HELP) == [f"the robot needs help: {said}"]
    assert run.tick * 0.012 < 15.0
    assert run.engine.telemetry["tries"][0] < 6


def test_a_knee_that_comes_free_is_not_given_up(tiny):
    run = lost(tiny, settings={"max_tries": 4})
    knee = tiny.index("LKneePitch")
    run.stuck[knee] = 0.1
    for tick in range(4000):
        run.step()
        run.stuck[knee] = 0.1 + 0.05 * (tick // 100 % 2)  # it gives way by 3 degrees every 1.2 s
        if run.engine.state is S.HELP:
            break
    assert run.told(EventKind.HELP) == ["the robot needs help: 4 tries are used up"]


# A walk takes over ----------------------------------------------------------------------------------------------------


def test_a_get_up_that_only_balances_tells_that_a_walk_may_take_over(nao):
    frame = keyframe(120, {}, phase="P", balance_pitch=[{"joint": "LAnklePitch", "scale": 0.0}])
    stiff = {"left_leg": 0.8, "right_leg": 0.8}
    lib = library(
        {
            "r": block(keyframe(24), stiffness=stiff),
            "u": block(frame, stiffness=stiff),
            "s": block(frame, stiffness=stiff),
        },
        {
            "recoverGeneric": {"blocks": ["r"], "follow_ups": [{"motion": "up"}]},
            "up": {"blocks": ["u"], "balance_out": True},
            "stand": {"blocks": ["s"], "balance_out": True},
        },
        balance={"P": constant_gains()},
        settings={"balance_out": {"max_time": 0.3}},
    ).model_copy(update={"robot": "nao"})
    for load, told in ((0.0, 0), (20.0, 1)):
        run = Run(nao, KeyframeEngine(nao, lib, "recoverGeneric"))
        step = run.sensors

        def sensors(step=step, load=load):
            found = step()
            found.force[:] = load / 2.0
            return found

        run.sensors = sensors
        run.tilt(0.3)  # leaning, so that balancing takes its 25 ticks, in which it is told once
        for times in (1, 2):
            until(run, S.FINISHED)
            assert len(run.told(EventKind.HAND_OVER)) == told * times
            run.engine.request("recoverGeneric")
            run.step()
