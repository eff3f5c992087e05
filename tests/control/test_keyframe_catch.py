"""Falls from standing: seen early, met on the right side, and followed by a get-up."""

from __future__ import annotations

import math

import pytest
from keyframe_run import NARROW, Run, block, keyframe, library, until, window

from andante.control.keyframes.catch import FallCatcher
from andante.control.keyframes.configuration import KeyframeEngineSettings, MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.features import TorsoAngles
from andante.control.keyframes.states import EngineState
from andante.documents.settings import SettingsError

S = EngineState
SIDES = ("front", "back", "left", "right")
KICK = window(-0.6, 0.6)


def catch_library(*sides):
    """Stand, a get-up, a kick with a window, a dive without, and catch motions for some sides."""
    blocks = {
        "r": block(keyframe(24)),
        "s": block(keyframe(24)),
        "kick": block(keyframe(1200, {"HeadYaw": 0.5}, window=KICK, window_start=KICK)),
        "dive": block(keyframe(1200, {"HeadYaw": 0.5})),
        "c": block(keyframe(120, {"LShoulderRoll": 0.8}, stiffness=[{"joint": "LShoulderRoll", "stiffness": 1.0}])),
    }
    motions = {
        "recoverGeneric": {"blocks": ["r"], "follow_ups": [{"motion": "stand"}]},
        "stand": {"blocks": ["s"]},
        "kick": {"blocks": ["kick"]},
        "dive": {"blocks": ["dive"]},
    }
    return library(blocks, motions | {f"catch_{side}": {"blocks": ["c"]} for side in sides})


def run_of(tiny, request, *sides, config=None):
    run = Run(tiny, KeyframeEngine(tiny, catch_library(*sides), request, config))
    run.step(4)
    return run


def seen(robot, postures, config=None):
    """What the catcher says to a sequence of (pitch, roll, roll rate, pitch rate)."""
    catcher = FallCatcher(config or KeyframeEngineSettings(catch_falls=True), catch_library())
    torso, said = TorsoAngles(), []
    run = Run(robot, None)
    for pitch, roll, wx, wy in postures:
        run.tilt(pitch, roll)
        run.gyro = (wx, wy, 0.0)
        sensors = run.sensors()
        torso.update(sensors)
        catcher.update(torso, sensors)
        said.append(catcher.falling)
    return said, catcher


UP = (0.0, 0.0, 0.0, 0.0)


def test_a_fall_is_the_lean_one_horizon_ahead(tiny):
    # sin 0.2 + 0.16 * w * cos 0.2 against sin 25 deg = 0.4226: 0.418 at 1.4 rad/s, 0.434 at 1.5 rad/s
    assert seen(tiny, [UP, (0.2, 0, 0, 1.4), (0.2, 0, 0, 1.4)])[0] == ["", "", ""]
    said, catcher = seen(tiny, [UP, (0.2, 0, 0, 1.5), (0.2, 0, 0, 1.5)])
    assert said == ["", "", "front"]  # two ticks must agree
    assert math.sin(catcher.ahead) == pytest.approx(math.sin(0.2) + 0.16 * 1.5 * math.cos(0.2))


def test_speed_alone_is_no_fall(tiny):
    assert seen(tiny, [UP, (0.1, 0, 0, 9.0), (0.1, 0, 0, 9.0)])[0] == ["", "", ""]


@pytest.mark.parametrize(
    ("posture", "side"),
    [
        ((0.6, 0.0, 0.0, 0.0), "front"),
        ((-0.6, 0.0, 0.0, 0.0), "back"),
        ((0.0, 0.6, 0.0, 0.0), "right"),
        ((0.0, -0.6, 0.0, 0.0), "left"),
        # leaning a little to the front while turning fast to the left
        ((0.2, -0.05, -4.0, 0.0), "left"),
        ((0.05, 0.2, 0.0, -5.0), "back"),
        ((2.5, 0.0, 0.0, 0.0), "front"),
    ],
)
def test_side_of_a_fall(tiny, posture, side):
    assert seen(tiny, [UP, posture, posture])[0][-1] == side


def test_a_robot_that_never_stood_does_not_fall_and_one_that_lies_fell_once(tiny):
    lying = (1.4, 0.0, 0.0, 0.0)
    assert set(seen(tiny, [lying] * 5)[0]) == {""}
    _, catcher = seen(tiny, [UP, lying, lying])
    catcher.obeyed()
    assert catcher.falling == ""


def test_a_broken_gyroscope_leaves_the_lean(tiny):
    broken = (0.3, 0.0, math.nan, math.inf)
    assert seen(tiny, [UP, broken, broken])[0][-1] == ""
    worse = (0.6, 0.0, math.nan, 0.0)
    assert seen(tiny, [UP, worse, worse])[0][-1] == "front"


@pytest.mark.parametrize(
    ("pitch", "roll", "side"), [(0.8, 0, "front"), (-0.8, 0, "back"), (0, 0.8, "right"), (0, -0.8, "left")]
)
def test_a_standing_robot_that_is_pushed_catches_itself_and_gets_up(tiny, pitch, roll, side):
    run = run_of(tiny, "stand", *SIDES)
    assert run.engine.done
    run.tilt(pitch, roll)
    run.step(2)
    assert run.motions() == ["stand", f"catch_{side}"]
    assert not run.engine.done
    arm = tiny.index("LShoulderRoll")
    assert run.command.kp[arm] == 40.0
    run.step(10)
    assert run.position[arm] > 0.55  # 0.12 s at 5 rad/s, the joint's limit; not stretched to a gentle start
    until(run, S.BREAK_UP)
    until(run, S.WORKING)
    assert run.motions()[2] == "recoverGeneric"
    assert run.engine.telemetry["tries"][0] == 0  # a fall that was met is no failed try
    assert run.engine.telemetry["mirrored"][0] == 0
    run.tilt(0.0)
    until(run, S.FINISHED)
    assert run.engine.motion == "stand"
    assert run.engine.done


def test_one_side_stands_in_for_the_other(tiny):
    run = run_of(tiny, "stand", "front", "left")
    run.tilt(0.0, 0.8)
    run.step(14)
    assert run.motions() == ["stand", "catch_left"]
    assert run.position[tiny.index("RShoulderRoll")] < -0.55


def test_a_fall_that_was_none_ends_standing(tiny):
    run = run_of(tiny, "stand", *SIDES)
    run.tilt(0.55)
    run.step(3)
    run.tilt(0.05)
    until(run, S.FINISHED)
    until(run, S.FINISHED)
    run.step(6)
    assert run.motions() == ["stand", "catch_front", "stand"]
    assert run.engine.done


def test_without_catch_motions_nothing_happens_unless_asked_for(tiny):
    held = run_of(tiny, "stand")
    held.tilt(0.9)
    held.step(5)
    assert held.engine.done
    soft = run_of(tiny, "stand", config=KeyframeEngineSettings(catch_falls=True))
    soft.tilt(0.9)
    soft.step(2)
    assert soft.engine.state is S.BREAK_UP
    until(soft, S.WORKING)
    assert soft.motions()[-1] == "recoverGeneric"
    off = run_of(tiny, "stand", *SIDES, config=KeyframeEngineSettings(catch_falls=False))
    off.tilt(0.9)
    off.step(5)
    assert off.engine.done


def test_a_kick_is_caught_but_a_dive_is_meant(tiny):
    kick = run_of(tiny, "kick", *SIDES)
    kick.tilt(0.55)  # inside the window of 0.6, beyond 25 deg
    kick.step(2)
    assert kick.motions() == ["kick", "catch_front"]
    left_window = run_of(tiny, "kick", *SIDES)
    left_window.tilt(0.0, -1.1)
    left_window.step(1)
    assert left_window.motions() == ["kick", "catch_left"]
    dive = run_of(tiny, "dive", *SIDES)
    dive.tilt(0.0, -1.2)
    dive.step(20)
    assert dive.motions() == ["dive"]
    assert dive.engine.state is S.WORKING


def test_a_get_up_has_its_own_windows(tiny):
    run = Run(tiny, KeyframeEngine(tiny, catch_library(*SIDES), MotionRequest(None)))
    run.tilt(1.3)
    run.step()
    run.tilt(0.0)
    run.step()
    run.tilt(0.9)
    run.step()
    assert "catch_front" not in run.motions()


def test_nothing_interrupts_a_catch(tiny):
    run = run_of(tiny, "stand", *SIDES)
    run.tilt(0.8)
    run.step(3)
    run.engine.request("kick", replace=True)
    run.engine.request_stop()
    run.step(3)
    assert run.engine.motion == "catch_front"


def test_catch_settings_are_checked():
    for name, value in (("catch_tilt", 2.0), ("catch_tilt", -0.1), ("catch_horizon", 0.0)):
        with pytest.raises(SettingsError) as caught:
            KeyframeEngineSettings(**{name: value})
        assert caught.value.place == f"engine.{name}"


def test_after_a_fall_that_was_none_the_robot_is_watched_again(tiny):
    """A catch that ends upright leads to standing, and a second lean outside a window breaks up as the first would."""
    frame = keyframe(2400, window=NARROW, window_start=NARROW)
    lib = library(
        {"a": block(frame), "c": block(keyframe(120)), "s": block(keyframe(24))},
        {"m": {"blocks": ["a"]}, "stand": {"blocks": ["s"]}} | {f"catch_{side}": {"blocks": ["c"]} for side in SIDES},
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    run.step(5)
    run.tilt(0.6)
    run.step(2)
    assert run.motions()[-1] == "catch_front"
    run.tilt(0.0)
    until(run, S.FINISHED)
    run.step(10)
    assert run.motions() == ["m", "catch_front", "stand"]
    caught, stood = (event.time for event in run.events if event.text in ("motion catch_front", "motion stand"))
    assert stood - caught == pytest.approx(0.12)  # in the tick in which the catch is over
    assert run.engine.telemetry["tries"][0] == 0
    run.engine.request("m")
    run.step(5)
    assert run.engine.motion == "m"
    run.tilt(-0.6)
    run.step(2)
    assert run.motions()[-1] == "catch_back"
    # This one is a fall: no try of a get-up has failed yet.
    run.tilt(-1.3)
    until(run, S.BREAK_UP)
    assert run.engine.telemetry["tries"][0] == 0


@pytest.mark.parametrize("side", SIDES)
def test_a_lean_to_a_side_without_a_window_is_meant(tiny, side):
    lean = {"front": (0.7, 0.0), "back": (-0.7, 0.0), "left": (0.0, -0.7), "right": (0.0, 0.7)}[side]
    wide, narrow = (-9.0, 9.0), (-0.5, 0.5)
    bounds = {"pitch": {"min": narrow[0], "max": narrow[1]}, "roll": {"min": narrow[0], "max": narrow[1]}}
    axis, end = {
        "front": ("pitch", "max"),
        "back": ("pitch", "min"),
        "left": ("roll", "min"),
        "right": ("roll", "max"),
    }[side]
    for open_there in (False, True):
        window_ = {name: dict(each) for name, each in bounds.items()}
        if open_there:
            window_[axis][end] = wide[end == "max"]
        frame = keyframe(2400, window=window_, window_start=window_)
        lib = library(
            {"a": block(frame), "c": block(keyframe(120))},
            {"m": {"blocks": ["a"]}} | {f"catch_{each}": {"blocks": ["c"]} for each in SIDES},
        )
        run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
        run.step(5)
        run.tilt(*lean)
        run.step(3)
        assert run.motions() == (["m"] if open_there else ["m", f"catch_{side}"])


def test_a_limp_fall_is_off_from_the_tick_in_which_it_is_seen(tiny):
    limp = KeyframeEngineSettings(catch_falls=True, limp_falls=True)
    run, other = (run_of(tiny, "stand", *SIDES, config=each) for each in (limp, limp.changed(limp_falls=False)))
    for each in (run, other):
        each.tilt(0.8)
        each.step(1)
    assert run.command.vector.tolist() == other.command.vector.tolist()
    for each in (run, other):
        each.step(1)
    assert not run.command.vector.any()
    assert other.command.kp.any()
    run.step(20)
    assert not run.command.vector.any()
    run.engine.reset()
    run.tilt(0.0)
    run.step(4)
    assert run.command.kp.any()
