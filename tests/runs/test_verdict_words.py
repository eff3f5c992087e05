"""Words of verdicts that were not so: falls that begin as a run ends, balls that rest, what never comes."""

from __future__ import annotations

import numpy as np
import pytest

import andante

LIBRARY = """
format: andante.motions
version: 1
units: {angle: deg, time: ms, length: mm}
robot: nao
motions: {tip: {blocks: [ready, tip]}, bend: {blocks: [ready, ready]}}
blocks:
  ready: {keyframes: [{duration: 600, joints: {LHipPitch: -21, RHipPitch: -21, LKneePitch: 50, RKneePitch: 50,
    LAnklePitch: -29, RAnklePitch: -29}}]}
  tip: {keyframes: [{duration: 900, joints: {LAnklePitch: -52, RAnklePitch: -52}}]}
"""
BALL = "world.ball={diameter: 0.1, mass: 0.046, position: [0.6, 0.0]}"


@pytest.fixture
def play(tmp_path):
    (tmp_path / "own.yaml").write_text(LIBRARY, encoding="utf-8")

    def played(motion, *settings):
        out = tmp_path / "out"
        source = str(tmp_path / "own.yaml")
        return andante.run(library=source, motion=motion, robot="nao", out=out, report=False, settings=settings)

    return played


@pytest.mark.slow
def test_who_falls_as_the_run_ends_does_not_pass(play):
    """The log ends at 27 degrees of tilt, on the way to the floor; nothing counts as a fall yet."""
    run = play("tip", "settle=0")
    assert run.metrics.fell is False
    assert run.verdict == "fail"
    (reason,) = run.reasons
    assert reason.startswith("was falling to the front when the run ended at 1.50 s")
    assert play("tip", "settle=2").metrics.fell


def test_who_sways_as_the_run_ends_passes(play):
    run = play("bend", "settle=0", "world.pushes=[{time: 1.1, duration: 0.05, impulse: [0.8, 0, 0]}]")
    assert run.passed, run.reasons


def test_what_never_came_is_noted_and_what_came_is_not(play):
    late = play(
        "bend",
        "world.pushes=[{time: 50, duration: 0.1, impulse: [9, 0, 0]}, {time: 0.3, duration: 0.1, impulse: [1, 0, 0]}]",
        "world.faults=[{type: weak, factor: 0.9, joints: [HeadYaw], start: 30}, {type: stuck, joints: [HeadYaw],"
        " when: {block: redy}}, {type: dead, joints: [LHand], name: broken}, {type: dead, joints: [RHand],"
        " when: {block: ready}}]",
    )
    notes = [note for note in late.notes if "never came" in note]
    end = f"{late.outcome.time:.2f}"
    assert notes == [
        f"the push at 50 s never came: the run ended at {end} s",
        f"the fault weak of HeadYaw at 30 s never came: the run ended at {end} s",
        "the fault stuck of HeadYaw never came: keyframe redy[0] was not played",
        "the fault dead of LHand never came: nothing triggered 'broken'",
    ]
    assert [moment.text for moment in late.story if "pushed" in moment.text] == ["Torso is pushed by 1 N s for 0.1 s"]


def test_of_many_pushes_that_never_came_the_first_ten_are_noted(play):
    pushes = ", ".join(f"{{time: {50 + number}, duration: 0.1, impulse: [9, 0, 0]}}" for number in range(12))
    notes = [note for note in play("bend", f"world.pushes=[{pushes}]").notes if "never came" in note]
    assert len(notes) == 11
    assert notes[9].startswith("the push at 59 s never came")
    assert notes[10] == "2 more of the scenario's pushes, presses and faults never came"


def test_a_ball_that_rests_goes_nowhere(play):
    run = play("bend", BALL, "success.ball={direction: [-0.3, 0.3]}")
    assert run.reasons == ("the ball does not move (asked: towards -17 to 17 deg)",)
    reach = play("bend", BALL, "success.ball={min_reach: 0.5, max_speed_at_end: 0.1}")
    assert reach.reasons == ("the ball reaches 0.00 m (limit 0.50 m), at up to 0.00 m/s",)
    ball = [each for each in reach.criteria if each.name == "ball"]
    assert [(each.asked, each.unit) for each in ball] == [(0.5, "m"), (0.1, "m/s")]


def test_joints_are_away_from_their_command_by_their_true_angles(play):
    """Encoders that are as noisy as 17 degrees made every joint one that did not follow."""
    run = play(
        "bend",
        "world.faults=[{type: noisy, joints: [LHipPitch, RHipPitch], angle: 0.3, start: 0.5}]",
        "world.pushes=[{time: 0.9, duration: 0.1, impulse: [9, 0, 0]}]",
    )
    assert run.metrics.fell
    truth, command = run.log.rows("truth"), run.log.rows("command")
    labels = next(each.labels for each in truth.layout.fields if each.name == "qpos")
    before = (truth.times > 0.74) & (truth.times < 0.94)
    robot = andante.Robot.load("nao")
    for name in ("LHipPitch", "RHipPitch"):
        angles = truth["qpos"][before, labels.index(name)]
        off = np.abs(command["position"][: len(truth.rows)][before, robot.index(name)] - angles)
        assert off.mean() < np.radians(6.0)
        assert not any(f"{name} is" in moment.text for moment in run.story)


def test_a_push_after_the_motion_is_not_in_its_last_keyframe(play):
    run = play("bend", "settle=2", "world.pushes=[{time: 1.5, duration: 0.1, impulse: [9, 0, 0]}]")
    assert any("balance is lost to the front after it had finished: " in moment.text for moment in run.story)


def test_an_arm_that_lags_is_no_first_cause(tmp_path):
    run = andante.run("nao/get_up_front", out=tmp_path / "out", report=False)
    assert any("RElbowYaw is" in moment.text for moment in run.story)
    assert run.fall_cause == "balance lost to the front"


def test_a_run_of_which_nothing_is_asked_says_so(play):
    run = play("bend", "timeout=0.2", "success.finishes=false", "success.no_fall=false")
    assert (run.verdict, run.reasons) == ("pass", ("nothing was asked of this run",))
