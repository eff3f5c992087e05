"""Several motions for one situation: after a failure at a keyframe the alternative that failed least is tried."""

from __future__ import annotations

import pytest
from keyframe_run import Run, block, keyframe, library, until, window

from andante.control.controller import ControlError
from andante.control.events import EventKind
from andante.control.keyframes.configuration import MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.states import EngineState
from andante.formats.registry import FORMATS
from andante.motions.checks.run import check_library

NARROW = window(-0.5, 0.5)


def plans_library(*alternatives, **more):
    """Lying robots try `up`, or one of the alternatives; each plan fails in its second keyframe while they lie."""
    names = ("up", *alternatives)
    blocks = {name: block(keyframe(24), keyframe(60, window=NARROW, window_start=NARROW)) for name in names}
    motions = {name: {"blocks": [name]} for name in names}
    follow = {"motion": "up", "alternatives": list(alternatives)}
    return library(
        {"r": block(keyframe(24)), "s": block(keyframe(24)), **blocks},
        {"recoverGeneric": {"blocks": ["r"], "follow_ups": [follow]}, "stand": {"blocks": ["s"]}, **motions},
        **more,
    )


def tried(run):
    """The plans in order."""
    return [
        text.split()[1] for text in run.told(EventKind.MOTION) if text.split()[1] not in ("recoverGeneric", "stand")
    ]


def lying(tiny, lib):
    run = Run(tiny, KeyframeEngine(tiny, lib, MotionRequest(None)))
    run.tilt(1.3)
    until(run, EngineState.HELP, most=4000)
    return run


def test_every_alternative_is_tried_before_one_is_repeated(tiny):
    run = lying(tiny, plans_library("slowly", "one_arm", settings={"max_tries": 5}))
    assert tried(run) == ["up", "slowly", "one_arm", "up", "slowly"]


def test_without_alternatives_the_same_plan_is_tried_again(tiny):
    run = lying(tiny, plans_library(settings={"max_tries": 3}))
    assert tried(run) == ["up", "up", "up"]


def test_a_get_up_that_succeeds_forgets_the_failures(tiny):
    run = Run(tiny, KeyframeEngine(tiny, plans_library("slowly"), MotionRequest(None)))
    run.tilt(1.3)
    until(run, EngineState.BREAK_UP, most=400)
    run.tilt(0.0)
    until(run, EngineState.FINISHED, most=2000)
    run.tilt(1.3)
    run.engine.request(MotionRequest(None))
    until(run, EngineState.BREAK_UP, most=2000)
    assert tried(run)[-1] == "up"


def test_an_alternative_that_does_not_exist_is_named(tiny):
    lib = plans_library("slowly")
    lacking = lib.but(motions={name: motion for name, motion in lib.motions.items() if name != "slowly"})
    with pytest.raises(ControlError, match=r"motions\.recoverGeneric\.follow_ups\[0\]\.alternatives\[0\]"):
        KeyframeEngine(tiny, lacking, MotionRequest(None))


def test_the_checks_name_an_alternative_that_does_not_exist(nao):
    lib = plans_library("slowly").but(robot="nao")
    lacking = lib.but(motions={name: motion for name, motion in lib.motions.items() if name != "slowly"})
    found = [finding.place for finding in check_library(lacking, nao) if finding.rule == "unknown-reference"]
    assert found == ["motions.recoverGeneric.follow_ups[0].alternatives[0]"]


def test_files_without_alternatives_say_what_is_left_out(tiny):
    losses = FORMATS["bhuman"].losses(plans_library("slowly").but(robot="nao"))
    assert any("alternatives" in loss and "slowly" in loss for loss in losses)
