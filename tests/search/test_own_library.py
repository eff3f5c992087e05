"""The shipped NAO library: sound by every check, and each motion does what its name says in physics."""

from __future__ import annotations

import pytest

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import WorldConfig
from andante.control.events import EventKind
from andante.control.guard import Guard
from andante.control.keyframes.configuration import MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.motions.checks.run import check_library
from andante.runs.motion_libraries import load_motions


@pytest.fixture(scope="module")
def library():
    return load_motions("nao")


def play(nao, library, motion, mirror=False, limit=12.0):
    """Torso height at the end, lowest and last height of its up axis, motions played."""
    world = MujocoWorld(nao, WorldConfig(friction=0.7, impacts=False))
    engine = KeyframeEngine(nao, library, MotionRequest(motion, mirror))
    guard, base = Guard(nao, engine.period), world.data.body(nao.base_body)
    lowest, played = 1.0, []
    while world.time < limit and not engine.done:
        sensors = world.read()
        world.write(guard.apply(engine.step(sensors), sensors))
        world.advance(engine.period)
        lowest = min(lowest, base.xmat[8])
        played += [event.data["motion"] for event in engine.take_events() if event.kind is EventKind.MOTION]
    assert engine.done
    return float(base.xpos[2]), float(lowest), float(base.xmat[8]), played


def test_no_check_finds_an_error(nao, library):
    assert not [finding for finding in check_library(library, nao) if finding.severity == "error"]


@pytest.mark.parametrize("motion", ["stand", "wave", "kick_right", "genuflect"])
@pytest.mark.parametrize("mirror", [False, True])
def test_these_end_standing_without_a_fall(nao, library, motion, mirror):
    height, lowest, up, played = play(nao, library, motion, mirror)
    assert played == [motion]
    assert height > 0.3
    assert lowest > 0.9
    assert up > 0.98


@pytest.mark.parametrize("motion", ["sit", "sit_down"])
def test_these_end_low_and_upright(nao, library, motion):
    height, lowest, up, _ = play(nao, library, motion)
    assert 0.2 < height < 0.25
    assert min(lowest, up) > 0.97


@pytest.mark.parametrize("mirror", [False, True])
def test_dive_reaches_the_floor_and_stands_up_again(nao, library, mirror):
    height, lowest, up, played = play(nao, library, "dive_left", mirror, limit=20.0)
    assert lowest < 0.4
    assert "recoverGeneric" in played
    assert height > 0.28
    assert up > 0.96
