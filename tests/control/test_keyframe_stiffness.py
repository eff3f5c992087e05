"""A motion that states no stiffness is stiff; one that states some means what it leaves out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from keyframe_run import ALL, Run, block, keyframe, library

from andante.control.keyframes.engine import KeyframeEngine
from andante.motions.library import stiff_blocks

FRAME = keyframe(48, {"HeadYaw": 0.2})
SILENT = {"keyframes": [FRAME]}
KEEPING = {"base_stiffness": dict.fromkeys(ALL), "keyframes": [FRAME]}


def gains(robot, blocks, motions):
    run = Run(robot, KeyframeEngine(robot, library(blocks, motions), "m"))
    return run.step(2).kp


def test_a_motion_without_stiffness_is_stiff(tiny):
    silent = gains(tiny, {"a": SILENT}, {"m": {"blocks": ["a"]}})
    stated = gains(tiny, {"a": {**SILENT, "base_stiffness": dict.fromkeys(ALL, 1.0)}}, {"m": {"blocks": ["a"]}})
    assert np.array_equal(silent, stated)
    assert (silent > 0.0).all()


@pytest.mark.parametrize(
    "blocks",
    [
        {"a": KEEPING},
        {"a": SILENT, "b": block(FRAME)},
        {"a": {"keyframes": [keyframe(48, {}, stiffness=[{"joint": "HeadYaw", "stiffness": 0.0}])]}},
    ],
    ids=["told to keep", "stated later", "stated for a joint"],
)
def test_what_a_motion_that_says_something_leaves_out_keeps_what_held(tiny, blocks):
    assert (gains(tiny, blocks, {"m": {"blocks": list(blocks)}}) == 0.0).all()


@given(
    states=st.lists(st.booleans(), min_size=1, max_size=5),
    runs=st.lists(st.lists(st.integers(0, 4), max_size=4), max_size=4),
    inserted=st.integers(0, 4),
)
def test_only_blocks_of_silent_motions_that_no_branch_inserts_are_stiff(states, runs, inserted):
    names = [f"b{index}" for index in range(len(states))]
    blocks = {
        name: {**({"base_stiffness": {"head": 0.5}} if stated else {}), "keyframes": [FRAME]}
        for name, stated in zip(names, states, strict=True)
    }
    if inserted < len(names):
        blocks[names[0]] = {**blocks[names[0]], "keyframes": [{**FRAME, "branches": [{"block": names[inserted]}]}]}
    motions = {f"m{index}": {"blocks": [names[at] for at in run if at < len(names)]} for index, run in enumerate(runs)}
    for name in stiff_blocks(library(blocks, motions)):
        users = [motion["blocks"] for motion in motions.values() if name in motion["blocks"]]
        assert users
        assert not any(states[names.index(other)] for blocks_run in users for other in blocks_run)
        assert inserted >= len(names) or name != names[inserted]
