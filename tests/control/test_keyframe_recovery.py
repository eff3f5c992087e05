"""Recovery composed for any library: the side is sensed, a roll is checked and repeated, sides are mirrored."""

from __future__ import annotations

import math

import pytest
from keyframe_run import Run, block, keyframe, library, until, window

from andante.control.events import EventKind
from andante.control.keyframes.configuration import KeyframeEngineSettings, MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.states import EngineState
from andante.formats.registry import FORMATS
from andante.motions.errors import MotionError
from andante.motions.library import MotionLibrary
from andante.motions.recovery import LEANING, ON_A_SIDE, lies_on, with_recovery
from andante.runs.motion_libraries import load_motions

QUARTER = math.pi / 2
WIDE = window(-9.0, 9.0) | {"roll": {"min": -9.0, "max": 9.0}}


def parts(**more):
    """Get-ups, a roll from the back and one from the left; each is one keyframe that moves a shoulder by its own."""
    frames = {
        "front": keyframe(24),
        "roll": keyframe(48, {"LShoulderRoll": 0.2}, window=WIDE, window_start=WIDE),
        "side": keyframe(48, {"LShoulderRoll": 0.3}, window=WIDE, window_start=WIDE),
        "s": keyframe(24),
    }
    return library(
        {name: block(frame) for name, frame in frames.items()},
        {"get_up_front": {"blocks": ["front"]}, "stand": {"blocks": ["s"]}},
        **more,
    )


ROLLS = {"back": ("roll", "front"), "left": ("side", "front")}


def recovering(tiny, pitch, roll=0.0, lib=None):
    lib = lib or with_recovery(parts(), {"front": "get_up_front"}, ROLLS)
    run = Run(tiny, KeyframeEngine(tiny, lib, MotionRequest(None)))
    run.tilt(pitch, roll)
    return run


@pytest.mark.parametrize(
    ("pitch", "roll", "motion"),
    [
        (QUARTER, 0.0, "get_up_front"),
        (2.6, 0.2, "get_up_front"),
        (-QUARTER, 0.0, "get_up_back"),
        (-2.6, -0.2, "get_up_back"),
        (0.0, -QUARTER, "get_up_left"),
        (0.0, QUARTER, "get_up_left"),
    ],
)
def test_the_side_is_sensed(tiny, pitch, roll, motion):
    run = recovering(tiny, pitch, roll)
    run.step(4)
    assert run.motions()[:2] == ["recoverGeneric", motion]


def test_from_the_right_the_roll_is_the_mirror_image(tiny):
    left, right = recovering(tiny, 0.0, -QUARTER), recovering(tiny, 0.0, QUARTER)
    for run in (left, right):
        run.step(8)
    joints = [tiny.index(name) for name in ("LShoulderRoll", "RShoulderRoll")]
    ours, theirs = left.command.position[joints], right.command.position[joints]
    assert ours[0] > 0.1
    assert ours[1] == 0.0
    assert theirs == pytest.approx([-ours[1], -ours[0]])


def test_a_roll_that_worked_is_followed_by_the_get_up(tiny):
    run = recovering(tiny, -QUARTER)
    run.step(4)
    run.tilt(QUARTER)
    run.step(12)
    assert run.motions() == ["recoverGeneric", "get_up_back", "get_up_front"]


def test_a_roll_that_led_elsewhere_is_followed_by_what_fits_there(tiny):
    run = recovering(tiny, 0.0, -QUARTER)
    run.step(4)
    run.tilt(-QUARTER)
    run.step(6)
    assert run.motions() == ["recoverGeneric", "get_up_left", "get_up_back"]


def test_a_robot_that_does_not_come_round_rolls_five_times_and_then_the_try_is_over(tiny):
    run = recovering(tiny, -QUARTER)
    until(run, EngineState.BREAK_UP, most=400)
    assert run.motions() == ["recoverGeneric", *["get_up_back"] * 5]
    assert run.told(EventKind.BREAK_UP) == ["not upright at the get-up's end"]


def test_a_later_get_up_may_roll_as_often_as_the_first(tiny):
    run = recovering(tiny, -QUARTER)
    until(run, EngineState.BREAK_UP, most=400)
    run.tilt(0.0)
    until(run, EngineState.FINISHED, most=4000)
    before = len(run.motions())
    run.tilt(-QUARTER)
    run.engine.request(MotionRequest(None))
    until(run, EngineState.BREAK_UP, most=4000)
    assert run.motions()[before:] == ["recoverGeneric", *["get_up_back"] * 5]


def test_a_robot_with_less_recovers_from_less(tiny):
    lib = with_recovery(parts(), {"front": "get_up_front"})
    assert [each.motion for each in lib.motions["recoverGeneric"].follow_ups] == ["get_up_front"]
    run = recovering(tiny, -QUARTER, lib=lib)
    until(run, EngineState.BREAK_UP, most=400)
    assert run.motions() == ["recoverGeneric"]


@pytest.mark.parametrize(("name", "on_back"), [("k1", ON_A_SIDE), ("t1", LEANING)])
def test_shipped_libraries_recover_as_composed(name, on_back):
    shipped = load_motions(name)
    bare = shipped.but(motions={key: each for key, each in shipped.motions.items() if key != "get_up_left"})
    rolls = {"back": ("roll_over", "front"), "left": ("roll_side", "front")}
    made = with_recovery(bare, {"front": "get_up_front"}, rolls, on_back=on_back)
    assert made.motions["recoverGeneric"] == shipped.motions["recoverGeneric"]
    assert made.motions["get_up_left"].follow_ups == shipped.motions["get_up_left"].follow_ups
    assert made.motions["get_up_left"].blocks == shipped.motions["get_up_left"].blocks
    assert made.blocks["check_front"].keyframes == shipped.blocks["check_front"].keyframes


@pytest.mark.parametrize(
    ("get_ups", "rolls", "message"),
    [
        ({}, {}, "nothing to recover with"),
        ({"front": "up"}, {}, r"get_ups\.front.*'up'"),
        ({"front": "get_up_front"}, {"back": ("turn", "front")}, r"rolls\.back.*'turn'"),
        ({"front": "get_up_front"}, {"left": ("roll", "back")}, r"rolls\.left.*'back'"),
    ],
)
def test_what_leads_nowhere_is_refused(get_ups, rolls, message):
    with pytest.raises(MotionError, match=message):
        with_recovery(parts(), get_ups, rolls)


def test_a_robot_lies_on_one_side_at_a_time():
    sides = {side: lies_on(side) for side in ("front", "back", "left", "right")}
    for degrees, side in ((90.0, "front"), (-90.0, "back")):
        pitch = math.radians(degrees)
        values = {"torso_pitch": pitch, "torso_roll": 0.0, "torso_roll_magnitude": 0.0}
        assert [name for name, group in sides.items() if all(_holds(each, values) for each in group)] == [side]


@pytest.mark.parametrize(("roll", "motion"), [(10.0, "get_up_front"), (30.0, "get_up_left"), (-30.0, "get_up_left")])
def test_a_robot_that_leans_on_its_front_rolls_first_where_it_can(roll, motion):
    made = with_recovery(parts(), {"front": "get_up_front"}, {"left": ("roll", "front")})
    pitch, turn = math.radians(70.0), math.radians(roll)
    values = {"torso_pitch": pitch, "torso_roll": turn, "torso_roll_magnitude": abs(turn)}
    fit = [
        each for each in made.motions["recoverGeneric"].follow_ups if all(_holds(c, values) for c in each.conditions)
    ]
    assert fit[0].motion == motion
    assert fit[0].mirror == (roll > 20.0)
    alone = with_recovery(parts(), {"front": "get_up_front"})
    assert [each.motion for each in alone.motions["recoverGeneric"].follow_ups] == ["get_up_front"]
    assert all(_holds(each, values) for each in alone.motions["recoverGeneric"].follow_ups[0].conditions)


def _holds(condition, values):
    return condition.min <= values[condition.variable] <= condition.max


@pytest.mark.parametrize(("on_back", "motion"), [(ON_A_SIDE, "get_up_back"), (LEANING, "get_up_left")])
def test_a_robot_that_leans_on_its_back_rolls_as_from_a_side_where_asked(on_back, motion):
    rolls = {"back": ("roll", "front"), "left": ("roll", "front")}
    made = with_recovery(parts(), {"front": "get_up_front"}, rolls, on_back=on_back)
    pitch, turn = math.radians(-120.0), math.radians(30.0)
    values = {"torso_pitch": pitch, "torso_roll": turn, "torso_roll_magnitude": turn}
    fit = [
        each for each in made.motions["recoverGeneric"].follow_ups if all(_holds(c, values) for c in each.conditions)
    ]
    assert fit[0].motion == motion
    assert fit[0].mirror == (motion == "get_up_left")


def test_files_that_mirror_no_follow_up_say_so():
    lib: MotionLibrary = with_recovery(parts(), {"front": "get_up_front"}, ROLLS)
    losses = FORMATS["bhuman"].losses(lib.but(robot="nao"))
    assert any("follow_ups" in loss and "mirror" in loss for loss in losses)


@pytest.mark.parametrize("pitch", [-0.42, -0.36, 0.0, 0.42])
def test_a_robot_that_sits_between_all_sides_is_not_done_before_it_stood_up(tiny, pitch):
    # Beyond the window of the upright, and on no side yet: no follow-up holds.
    safe = {"pitch": {"min": -0.35, "max": -0.2}, "roll": {"min": -1.0, "max": 1.0}}
    lib = with_recovery(parts(settings={"safe_upright": safe}), {"front": "get_up_front"}, ROLLS)
    run = recovering(tiny, pitch, lib=lib)
    until(run, EngineState.FINISHED, EngineState.BREAK_UP)
    assert run.engine.state is EngineState.FINISHED
    assert run.motions() == ["recoverGeneric", "stand"]


def test_a_side_without_a_motion_is_told_as_what_it_is(tiny):
    run = recovering(tiny, -QUARTER, lib=with_recovery(parts(), {"front": "get_up_front"}))
    until(run, EngineState.BREAK_UP)
    assert run.told(EventKind.BREAK_UP) == ["no get-up fits how it lies"]


def test_a_robot_that_falls_when_all_is_done_gets_up_again(tiny):
    run = recovering(tiny, 0.0)
    until(run, EngineState.FINISHED)
    run.tilt(1.0)
    run.step(50)
    assert run.engine.state is EngineState.FINISHED, "57 degrees are no fall for who has no catch motion"
    run.tilt(QUARTER)
    until(run, EngineState.WORKING)
    assert run.told(EventKind.BREAK_UP) == ["fell after the motion was over"]
    assert run.motions() == ["stand", "recoverGeneric"]


def test_a_motion_that_ends_lying_is_no_fall(tiny):
    lib = parts()
    lying = lib.but(motions=lib.motions | {"lie": lib.motions["stand"]})
    lib = with_recovery(lying, {"front": "get_up_front"}, ROLLS)
    run = Run(tiny, KeyframeEngine(tiny, lib, MotionRequest("lie")))
    run.tilt(QUARTER)
    until(run, EngineState.FINISHED)
    run.step(100)
    assert run.engine.state is EngineState.FINISHED


def test_a_fall_at_rest_is_left_to_who_asked_for_no_get_up(tiny):
    lib = with_recovery(parts(), {"front": "get_up_front"}, ROLLS)
    settings = KeyframeEngineSettings(get_up_after_break_up=False)
    run = Run(tiny, KeyframeEngine(tiny, lib, MotionRequest(None), settings))
    until(run, EngineState.FINISHED)
    run.tilt(QUARTER)
    run.step(100)
    assert run.engine.state is EngineState.FINISHED
