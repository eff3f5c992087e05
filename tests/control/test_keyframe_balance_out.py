"""Balancing out after a motion: when it begins, when it is over, and that nothing jumps where balance ends."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from keyframe_run import Run, block, constant_gains, keyframe, library, until

from andante.control.keyframes.configuration import KeyframeEngineSettings
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.states import EngineState

S = EngineState


def stand_library(**settings):
    legs = {"LHipPitch": -0.3, "LKneePitch": 0.6, "LAnklePitch": -0.3}
    joints = {name.replace("L", side, 1): angle for name, angle in legs.items() for side in "LR"}
    frame = keyframe(240, joints, balance_pitch=[{"joint": "LAnklePitch", "scale": 0.0}])
    lib = library(
        {"a": block(frame)}, {"m": {"blocks": ["a"], "balance_out": True}}, settings={"balance_out": settings}
    )
    return lib.model_copy(update={"robot": "nao"})


def balanced_out(nao, pitch=0.0, wobble=0.0, **settings):
    """Ticks of balancing out, 0 where it was left out."""
    run = Run(nao, KeyframeEngine(nao, stand_library(**settings), "m"))
    count = 0
    for tick in range(400):
        run.tilt(pitch + wobble * (tick % 2))
        run.step()
        count += run.engine.state is S.BALANCE_OUT
        if run.engine.done:
            return count
    raise AssertionError(run.engine.state)


def test_balancing_out_ends_when_the_robot_is_still_and_its_legs_are_long(nao):
    # soles of the posture are about 0.32 m below the torso, more than the 0.228 m of stretched legs
    assert balanced_out(nao) == 0
    assert balanced_out(nao, pitch=0.3) == 125  # leaning 17 deg: until 1.5 s have passed
    assert balanced_out(nao, pitch=0.3, max_time=0.12) == 10
    assert balanced_out(nao, wobble=0.1, max_time=0.12, max_fluctuation=0.25) == 10  # 0.1 + 0.2 rad per tick
    assert balanced_out(nao, wobble=0.1, max_time=0.12, max_fluctuation=0.35) == 0


def test_balancing_out_with_bent_legs_waits_for_the_time(nao):
    lib = stand_library(max_time=0.12)
    engine = KeyframeEngine(nao, lib, "m", KeyframeEngineSettings(standing_sole_depth=0.4))
    run = Run(nao, engine)
    until(run, S.BALANCE_OUT)
    run.step(9)
    assert run.engine.state is S.BALANCE_OUT
    run.step()
    assert run.engine.done


@pytest.mark.parametrize(
    ("bounds", "pitch", "early"),
    [
        ({"min_backward": -0.05, "max_forward": 0.05}, 0.04, True),
        ({"min_backward": -0.05, "max_forward": 0.05}, 0.06, False),
        ({"min_backward": -0.05, "max_forward": 0.05}, -0.04, True),
        ({"min_backward": -0.05, "max_forward": 0.05}, -0.06, False),
        # The bounds themselves are too far.
        ({"min_backward": 0.0, "max_forward": 0.05}, 0.0, False),
        ({"min_backward": -0.05, "max_forward": 0.0}, 0.0, False),
    ],
)
def test_balancing_out_is_over_between_its_bounds(nao, bounds, pitch, early):
    run = Run(nao, KeyframeEngine(nao, stand_library(max_time=0.6, **bounds), "m"))
    run.tilt(pitch)
    until(run, S.BALANCE_OUT, S.FINISHED)
    count = 0 if run.engine.state is S.FINISHED else until(run, S.FINISHED)
    assert (count == 50) is not early
    assert (count == 0) is early


@pytest.mark.parametrize(("settings", "lean", "state"), [({}, 0.0, S.FINISHED), ({}, 0.6, S.FINISHED)])
def test_no_balancing_out_unless_asked_for_and_upright(nao, settings, lean, state):
    lib = stand_library(max_time=0.6)
    motion = lib.motions["m"].model_copy(update={"balance_out": False})
    for each in (lib.model_copy(update={"motions": {"m": motion}}), lib):
        if each is lib and lean == 0.0:
            continue
        run = Run(nao, KeyframeEngine(nao, each, "m"))
        run.tilt(lean)
        until(run, S.FINISHED, S.BALANCE_OUT)
        assert run.engine.state is state


def test_without_feet_nothing_says_that_legs_are_bent(nao):
    footless = dataclasses.replace(nao, feet=())
    lib = library({"a": block(keyframe(120, {"LKneePitch": 0.6}))}, {"m": {"blocks": ["a"], "balance_out": True}})
    run = Run(footless, KeyframeEngine(footless, lib.model_copy(update={"robot": "nao"}), "m"))
    until(run, S.FINISHED, S.BALANCE_OUT)
    assert run.engine.done


def test_tipping_over_while_balancing_out_breaks_up(nao):
    run = Run(nao, KeyframeEngine(nao, stand_library(), "m"))
    run.tilt(0.3)
    until(run, S.BALANCE_OUT)
    run.tilt(0.0, 0.6)
    run.step()
    assert run.engine.state is S.BREAK_UP
    assert run.told("break_up") == ["tipped over while balancing"]


def test_a_fall_while_balancing_out_is_met_though_the_motion_had_no_window(nao):
    """A motion without a window may lean over on purpose, but balancing out keeps the robot upright."""
    lib = stand_library()
    catch = library({"c": block(keyframe(240))}, {f"catch_{side}": {"blocks": ["c"]} for side in ("front", "left")})
    lib = lib.model_copy(update={"blocks": lib.blocks | catch.blocks, "motions": lib.motions | catch.motions})
    run = Run(nao, KeyframeEngine(nao, lib, "m"))
    run.tilt(0.15)
    until(run, S.BALANCE_OUT)
    run.tilt(0.44)  # beyond 25 deg where a fall is seen, inside 30 deg where a robot has tipped over
    run.step(3)
    assert run.motions() == ["m", "catch_front"]


def test_carry_over_of_balance_has_no_jump(nao):
    """The knee balances in the first keyframe only: the second starts from the full output."""
    frames = [
        keyframe(240, {"LKneePitch": 0.0}, phase="Split", balance_pitch=[{"joint": "LKneePitch", "scale": 1.0}]),
        keyframe(240, {"LKneePitch": 0.0}),
    ]
    lib = library({"a": block(*frames)}, {"m": {"blocks": ["a"]}}, balance={"Split": constant_gains(20)})
    run = Run(nao, KeyframeEngine(nao, lib.model_copy(update={"robot": "nao"}), "m"))
    run.tilt(0.15)
    path = np.array(run.path(nao.index("LKneePitch"), 40))
    assert abs(path[19]) > 0.02
    assert not run.engine.telemetry["balance"].any()  # the last tick did not balance
    assert not run.engine.telemetry["com_error"].any()
    # 0.24 s = 20 ticks: what balancing had added goes away evenly over the second keyframe
    assert np.diff(path[19:]) == pytest.approx(np.full(20, -path[19] / 20))
