"""Step mode, energy saving, standing high, and what holds after a motion."""

from __future__ import annotations

import math

import numpy as np
import pytest
from keyframe_run import Run, block, keyframe, library, lone_get_up_library, pitch_above, request_library, until, window

from andante.control.keyframes.configuration import KeyframeEngineSettings, MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.states import EngineState

STEPPING = KeyframeEngineSettings(step_mode=True, start_speed_share=99.0)
STIFF = {"head": 1.0, "left_arm": 0.3, "right_arm": 0.3, "left_leg": 0.8, "right_leg": 0.8}


def stepping_library(*frames, **more):
    return library({"a": block(*frames, stiffness=STIFF)}, {"m": {"blocks": ["a"]}}, **more)


def test_step_mode_takes_two_seconds_and_waits_for_the_call(tiny):
    lib = stepping_library(keyframe(60, {"HeadYaw": 0.5}), keyframe(9000, {"HeadYaw": 0.1}))
    engine = KeyframeEngine(tiny, lib, "m", STEPPING)
    run = Run(tiny, engine)
    path = run.path(0, 400)
    # 2 s are 167 ticks at 0.012 / 2 of the way each; then it holds
    assert path[:2] == pytest.approx([0.5 * 0.006, 1.0 * 0.006])
    assert path[166] == path[-1] == 0.5
    assert path[165] < 0.5
    assert run.keyframes() == ["a[0]"]
    assert not engine.done
    engine.advance()
    assert run.path(0, 1)[0] == pytest.approx(0.5 - 0.4 * 0.006)
    run.step(300)
    assert run.keyframes() == ["a[0]", "a[1]"]
    engine.advance()
    run.step()
    assert engine.done


def test_step_mode_caps_the_stiffness(tiny):
    run = Run(tiny, KeyframeEngine(tiny, stepping_library(keyframe(60)), "m", STEPPING))
    run.step()
    # the library's 40 % caps head and legs; the arms have less anyway
    assert run.command.kp[[0, 1, 4]] / 40.0 == pytest.approx([0.4, 0.3, 0.4])
    lower = stepping_library(keyframe(60), settings={"step_mode_stiffness": 0.2})
    run = Run(tiny, KeyframeEngine(tiny, lower, "m", STEPPING))
    run.step()
    assert run.command.kp[[0, 1, 4]] / 40.0 == pytest.approx([0.2, 0.2, 0.2])


def test_chest_button_advances_once_per_press(nao):
    lib = stepping_library(*(keyframe(60, {"HeadYaw": 0.01 * step}) for step in range(4)))
    run = Run(nao, KeyframeEngine(nao, lib.model_copy(update={"robot": "nao"}), "m", STEPPING))
    chest = nao.buttons.index("chest")
    run.step(200)
    run.buttons[chest] = 1.0
    run.step(400)
    assert run.keyframes() == ["a[0]", "a[1]"]  # held down, it counts once
    run.buttons[chest] = 0.0
    run.step()
    run.buttons[chest] = 1.0
    run.step()
    assert run.keyframes()[-1] == "a[2]"


def test_step_mode_neither_waits_nor_breaks_up_but_branches(tiny):
    wait = {"variable": "torso_pitch", "min": 5.0, "max": 6.0}
    narrow = window(-0.1, 0.1)
    frame = keyframe(60, waits=[wait], window=narrow, window_start=narrow)
    gate = keyframe(60, branches=[{"block": "b", "early": pitch_above(0.3)}])
    lib = library({"a": block(frame, gate), "b": block(keyframe(60))}, {"m": {"blocks": ["a"]}})
    engine = KeyframeEngine(tiny, lib, "m", STEPPING)
    run = Run(tiny, engine)
    run.tilt(0.2)
    run.step(300)
    assert engine.state is EngineState.WORKING
    engine.advance()
    run.step()
    assert run.keyframes() == ["a[0]", "a[1]"]
    run.tilt(0.4)
    run.step()
    assert run.keyframes() == ["a[0]", "a[1]", "b[0]"]


def test_step_mode_goes_on_once_for_each_call(tiny):
    settings = KeyframeEngineSettings(step_mode=True, step_duration=0.06)
    frames = [keyframe(600, {"HeadYaw": angle}) for angle in (0.1, 0.2, 0.3)]
    run = Run(tiny, KeyframeEngine(tiny, request_library(m=frames), "m", settings))
    run.step(20)
    assert run.keyframes() == ["m[0]"]
    run.engine.advance()
    run.step(20)
    assert run.keyframes() == ["m[0]", "m[1]"]
    # A call in the middle of a keyframe counts at its end.
    run.engine.advance()
    run.step(2)
    run.engine.advance()
    run.step(3)
    assert run.keyframes() == ["m[0]", "m[1]", "m[2]"]
    run.step(5)
    assert run.engine.done
    # A motion begins with no call left over.
    run.engine.advance()
    run.engine.request("m")
    run.step(20)
    assert run.keyframes()[3:] == ["m[0]"]


def test_a_get_up_in_step_mode_ends_where_it_ends(tiny):
    settings = KeyframeEngineSettings(step_mode=True, step_duration=0.06)
    run = Run(tiny, KeyframeEngine(tiny, lone_get_up_library(), MotionRequest(None), settings))
    run.tilt(1.3)
    run.step(6)
    run.engine.advance()
    until(run, EngineState.FINISHED)
    assert not run.told("break_up")


def saving_library(legs="none", arms="none", **end):
    request = {"energy_saving_legs": legs, "energy_saving_arms": arms, **end}
    frames = {"a": block(keyframe(120, {"LKneePitch": 0.5, "LShoulderPitch": 0.2}, stiffness=[]), stiffness=STIFF)}
    motions = {"m": {"blocks": ["a"], "end_request": request}, "n": {"blocks": ["a"]}}
    return library(frames, motions)


RATE = math.radians(1.0) * 0.012


def test_waiting_limbs_creep_towards_the_measurement(tiny):
    knee, shoulder = tiny.index("LKneePitch"), tiny.index("LShoulderPitch")
    engine = KeyframeEngine(tiny, saving_library(legs="in_wait"), "m")
    run = Run(tiny, engine)
    run.stuck = {knee: 0.4, shoulder: 0.1}
    run.step(30)
    assert engine.done
    first = run.command.position.copy()
    run.step(10)
    assert run.command.position[knee] - first[knee] == pytest.approx(-10 * RATE)
    assert run.command.position[shoulder] == first[shoulder]  # arms are not named
    run.step(200)
    assert run.command.position[knee] == pytest.approx(0.5 - math.radians(1.0))  # and no farther
    assert engine.telemetry["request"][knee] == pytest.approx(0.5)  # only the command changes
    run.stuck = {}
    run.position[knee] = 0.5
    run.step()
    assert run.command.position[knee] > 0.5 - math.radians(1.0)


def test_a_joint_near_its_request_is_left_alone(tiny):
    knee = tiny.index("LKneePitch")
    run = Run(tiny, KeyframeEngine(tiny, saving_library(legs="in_wait"), "m"))
    run.stuck = {knee: 0.5 - math.radians(0.2)}
    run.step(200)
    assert run.command.position[knee] == pytest.approx(0.5)


def test_energy_saving_always_works_in_motion_too_and_ends_with_the_next_motion(tiny):
    knee = tiny.index("LKneePitch")
    engine = KeyframeEngine(tiny, saving_library(legs="always", arms="always"), "m")
    run = Run(tiny, engine)
    run.stuck = {knee: 0.0}
    run.step(5)
    assert run.command.position[knee] < engine.telemetry["request"][knee]
    run.step(200)
    assert run.command.position[knee] == pytest.approx(0.5 - math.radians(1.0))
    engine.request("n")
    changes = []
    for _ in range(12):
        run.step()
        changes.append(engine.telemetry["request"][knee] - run.command.position[knee])
    # back at 10 deg/s: 0.12 deg per tick
    assert np.diff(changes[:6]) == pytest.approx(-10 * RATE)
    assert changes[-1] == 0.0


def test_energy_saving_off(tiny):
    knee = tiny.index("LKneePitch")
    engine = KeyframeEngine(tiny, saving_library(legs="always"), "m", KeyframeEngineSettings(energy_saving=False))
    run = Run(tiny, engine)
    run.stuck = {knee: 0.0}
    run.step(100)
    assert run.command.position[knee] == 0.5


def test_stand_high_is_told_once_the_motion_is_over(tiny):
    engine = KeyframeEngine(tiny, saving_library(stand_high=True), "m")
    run = Run(tiny, engine)
    run.step(3)
    assert not engine.stand_high
    run.step(20)
    assert engine.done
    assert engine.stand_high
    engine.request("n")
    run.step(30)
    assert engine.done
    assert not engine.stand_high
