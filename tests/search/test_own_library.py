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
from andante.runs.loop.outcome import RunLimits
from andante.runs.loop.runner import run
from andante.runs.loop.tick import Observer
from andante.runs.motion_libraries import load_motions
from andante.runs.session import Session
from andante.search.errors import SearchError
from andante.search.experiment.cases import read_fault
from andante.search.suites.getup import get_up, setup_for

GET_UPS = ("get_up_front", "get_up_back", "get_up_front_one_arm", "get_up_back_one_arm")


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


@pytest.mark.slow
@pytest.mark.parametrize("motion", ["stand", "wave", "kick_right", "genuflect"])
@pytest.mark.parametrize("mirror", [False, True])
def test_these_end_standing_without_a_fall(nao, library, motion, mirror):
    height, lowest, up, played = play(nao, library, motion, mirror)
    assert played == [motion]
    assert height > 0.3
    assert lowest > 0.9
    assert up > 0.98


@pytest.mark.slow
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


class _Story(Observer):
    """Breaks and caught falls of a run."""

    def begin(self, backend):
        self.events = []

    def see(self, tick):
        self.events += [event for event in tick.events if event.kind in (EventKind.BREAK_UP, EventKind.FALL)]


def run_of(nao, library, request, seed, start="front", **world):
    """What broke in a run of one request in a world of the standard spread, and what the guard had to do."""
    engine, story = KeyframeEngine(nao, library, request), _Story()
    guard = Guard(nao, engine.period)
    if request.motion is None:
        config = setup_for(start).base.world
    else:
        config = WorldConfig(friction=(0.4, 1.0), servo_strength=(0.85, 1.15), command_delay=(2, 4), impacts=False)
    world = MujocoWorld(nao, config)
    outcome = run(Session(world, engine, guard, limits=RunLimits(30.0, 0.5), observers=(story,), seed=seed))
    return engine, story.events, guard.log.counts.sum(), outcome


@pytest.mark.slow
@pytest.mark.parametrize("mirror", [False, True])
@pytest.mark.parametrize("motion", ["dive_left", "catch_front", "catch_back", "catch_left"])
def test_no_get_up_is_thrown_down_by_the_engines_own_catching(nao, library, motion, mirror):
    engine, broken, _, _ = run_of(nao, library, MotionRequest(motion, mirror), 76001)
    assert broken == []
    assert engine.done


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nao", "nao-basics", "nao-kick"])
def test_the_guard_has_nothing_to_do(nao, name):
    shipped = load_motions(name)
    for motion in shipped.motions:
        if motion not in ("recoverGeneric", *GET_UPS):
            assert run_of(nao, shipped, MotionRequest(motion), 76000)[2] == 0, motion


@pytest.mark.slow
@pytest.mark.parametrize("start", ["front", "back", "left"])
def test_the_guard_has_nothing_to_do_in_a_get_up(nao, library, start):
    engine, _, interventions, _ = run_of(nao, library, MotionRequest(None), 76000, start)
    assert engine.done
    assert interventions == 0


@pytest.mark.slow
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("start", ["front", "back"])
def test_one_limp_arm_is_no_reason_to_stay_down(start, side):
    setup = setup_for(start, faults=[read_fault(f"dead:{side}_arm", "nao", "--fault")])
    trials = [get_up(setup, seed) for seed in (79000, 79001)]
    assert all(trial.stood for trial in trials)


@pytest.mark.slow
def test_after_a_failure_a_get_up_goes_another_way(library):
    ways = {
        each.motion: each.alternatives for each in library.motions["recoverGeneric"].follow_ups if each.alternatives
    }
    assert ways == {motion: (f"{motion}_one_arm",) for motion in GET_UPS[:2]}


@pytest.mark.slow
@pytest.mark.parametrize("start", ["front", "back"])
def test_a_knee_that_is_locked_for_good_is_told(start):
    faults = [read_fault("stuck:LKneePitch", "nao", "--fault")]
    trial = get_up(setup_for(start, spread="none", faults=faults, changes={"observers.get-up.tries": 6}), 79000)
    assert not trial.stood
    assert trial.time < 15.0
    assert trial.stops[-1].why == "asked for help: LKneePitch does not move, whatever is asked"


@pytest.mark.parametrize("text", ["weak:LKneePitch", "LKneePitch", "dead:left", ""])
def test_faults_that_cannot_be_read_are_refused(text):
    with pytest.raises(SearchError) as caught:
        read_fault(text, "nao", "--fault")
    assert caught.value.place == "--fault"
    assert caught.value.legal
