"""Branches: early ones that cut a keyframe, those of its end, their loops, and circles of them."""

from __future__ import annotations

import pytest
from keyframe_run import NARROW, UNHURRIED, Run, block, keyframe, library, pitch_above, until

from andante.control.keyframes.configuration import KeyframeEngineSettings
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.states import EngineState


def test_early_branch_skips_the_gate_inserts_and_resumes(tiny):
    gate = keyframe(1, branches=[{"block": "detour", "early": pitch_above(0.3)}])
    lib = library(
        {
            "a": block(gate, keyframe(12, {"HeadYaw": 0.1})),
            "detour": block(keyframe(12, {"HeadYaw": 0.5}), stiffness={"head": 0.7}),
        },
        {"m": {"blocks": ["a"]}},
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m", UNHURRIED))
    run.tilt(0.4)
    run.step()
    assert run.command.kp[0] == pytest.approx(28.0)
    run.step()
    assert run.command.kp[0] == pytest.approx(20.0)  # the resumed block's base stiffness is set again
    assert run.told("keyframe") == ["detour[0]", "a[1]"]
    upright = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    upright.step(3)
    assert upright.told("keyframe") == ["a[0]", "a[1]"]


def test_early_branch_cuts_a_running_keyframe_and_drops_only_its_block(tiny):
    long = keyframe(
        600,
        {"HeadYaw": 0.5},
        branches=[
            {"block": "detour", "early": pitch_above(0.3), "remove_current_block": True, "init_stiffness": False}
        ],
    )
    lib = library(
        {
            "a": block(long, keyframe(12)),
            "b": block(keyframe(12)),
            "detour": block(keyframe(12), stiffness={"head": 0.9}),
        },
        {"m": {"blocks": ["a", "b"]}},
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    run.step(5)
    run.tilt(0.4)
    run.step()
    assert run.command.kp[0] == pytest.approx(20.0)  # init_stiffness off keeps what there was
    run.step(3)
    assert run.told("keyframe") == ["a[0]", "detour[0]", "b[0]"]


def test_pre_branch_is_looked_at_at_the_keyframes_end_and_counts_loops(tiny):
    first = keyframe(24, branches=[{"motion": "m", "pre": pitch_above(0.3), "max_motion_loops": 2}])
    lib = library({"a": block(first, keyframe(12))}, {"m": {"blocks": ["a"]}})
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    run.tilt(0.4)
    run.step(12)
    # started, then twice again; the third time the limit is reached and the motion goes on
    assert run.told("keyframe") == ["a[0]", "a[0]", "a[0]", "a[1]"]
    assert run.engine.done


def test_exhausted_early_branch_falls_through_to_the_next(tiny):
    gate = keyframe(
        12,
        branches=[
            {"block": "b", "early": pitch_above(0.3), "max_block_loops": 0},
            {"block": "c", "early": pitch_above(0.3), "max_block_loops": 1},
        ],
    )
    lib = library({"a": block(gate), "b": block(keyframe(12)), "c": block(keyframe(12))}, {"m": {"blocks": ["a", "a"]}})
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    run.tilt(0.4)
    run.step(5)
    assert run.told("keyframe") == ["c[0]", "a[0]"]


def test_a_keyframe_that_is_cut_takes_no_branch_of_its_end(tiny):
    branches = [{"block": "end", "pre": pitch_above(0.3)}, {"block": "cut", "early": pitch_above(0.3)}]
    blocks = {"a": block(keyframe(600, branches=branches)), "end": block(keyframe(12)), "cut": block(keyframe(12))}
    run = Run(tiny, KeyframeEngine(tiny, library(blocks, {"m": {"blocks": ["a"]}}), "m"))
    run.step(5)
    run.tilt(0.4)
    until(run, EngineState.FINISHED)
    assert run.keyframes() == ["a[0]", "cut[0]"]


@pytest.mark.parametrize("breaks", [False, True])
def test_a_motion_that_may_not_break_up_can_branch_where_it_would(tiny, breaks):
    outside = {"conditions": [{"variable": "break_up", "min": 0.5, "max": 1.5}]}
    frame = keyframe(600, branches=[{"block": "detour", "early": outside}], window=NARROW, window_start=NARROW)
    blocks = {"a": block(frame), "detour": block(keyframe(12))}
    config = KeyframeEngineSettings(break_up=breaks)
    run = Run(tiny, KeyframeEngine(tiny, library(blocks, {"m": {"blocks": ["a"]}}), "m", config))
    run.step(5)
    assert run.keyframes() == ["a[0]"]
    run.tilt(0.6)
    run.step()
    assert run.keyframes() == (["a[0]"] if breaks else ["a[0]", "detour[0]"])
    assert (run.engine.state is EngineState.BREAK_UP) is breaks


def test_branches_in_a_circle_do_not_stop_the_robot(tiny):
    gate = keyframe(12, {"HeadYaw": 0.1}, branches=[{"block": "a", "early": pitch_above(0.3)}])
    lib = library({"a": block(gate)}, {"m": {"blocks": ["a"]}})
    run = Run(tiny, KeyframeEngine(tiny, lib, "m"))
    run.tilt(0.4)
    run.step(3)
    assert any("lead in a circle" in text for text in run.told("branch_loop"))
