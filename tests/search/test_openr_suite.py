"""The suite `openr`: stops at sampled ticks of every shipped motion, and that the suite sees what is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.control.openr.frames import FRAME
from andante.control.openr.player import OpenRPlayer
from andante.control.openr.settings import PlayerSettings
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.robots.robot import Robot
from andante.runs.motion_libraries import load_motions
from andante.search.suites.openr import (
    FRAMES,
    SUITE,
    Followed,
    Halt,
    MotionStreams,
    OpenROptions,
    Stops,
    equal_streams,
    rows,
    run_trial,
    stop_sweep,
)


@pytest.fixture(scope="module")
def ers7() -> Robot:
    return Robot.load("ers7")


@pytest.mark.slow
@pytest.mark.parametrize("frames", FRAMES)
def test_every_shipped_motion_stops_at_sampled_ticks(ers7, frames):
    library = load_motions("ers7")
    for number, motion in enumerate(library.motions):
        # Other ticks for other motions, so that together they meet all places in a vector.
        found = stop_sweep(library, ers7, motion, frames, every=61 + number)
        assert found.stops >= 1
        assert (found.refused, found.unrest) == (0, 0), motion
        assert found.late <= frames, motion
        assert found.speed <= 1.0, (motion, found.joint)


@pytest.mark.slow
def test_every_shipped_motion_has_one_stream_for_all_frame_counts(ers7):
    library = load_motions("ers7")
    assert [motion for motion in library.motions if not equal_streams(library, ers7, motion)] == []


def test_a_robot_that_is_stopped_in_a_step_stays_on_its_feet():
    options = OpenROptions(motion=("walk",), every=45, physics=True)
    cases = [case for case in SUITE.cases(options) if case.setup.physics]
    found = [run_trial(case.setup, case.seed) for case in cases]
    assert [halt.tick for halt in found] == [1, 46, 91, 136]
    assert [halt.fell for halt in found] == [""] * 4
    stops = [Stops("walk", 4, ticks=9, stops=9, refused=0, late=0, speed=0.5, joint="Pan", unrest=0)]
    results = {
        "stops": stops,
        "streams": [MotionStreams("walk", True)],
        "halts": [*found, Halt("walk", 9, "left after 0.50 s")],
    }
    report = SUITE.report(options, results)
    assert report.rows[-1].value == pytest.approx(0.8)
    assert report.data()["falls"] == [{"motion": "walk", "tick": 9, "fell": "left after 0.50 s"}]


def test_a_step_above_a_limit_is_seen(ers7):
    # 40 deg in 200 ms are 200 deg/s; the limit of Tilt1 is 182.5. Unstretched, that is 1.096 of it.
    block = Block(keyframes=(Keyframe(duration=0.2, joints={"Tilt1": float(np.radians(-50))}),))
    library = MotionLibrary(robot="ers7", motions={"nod": Motion(blocks=("b",))}, blocks={"b": block})
    player = OpenRPlayer(ers7, library, ["nod"], settings=PlayerSettings(retime=False))
    stream = Followed(ers7, player).finish()
    steps = np.abs(np.diff(stream, axis=0)).max(axis=0) / (ers7.max_velocity * FRAME)
    assert steps[ers7.index("Tilt1")] == pytest.approx(200 / 182.5, rel=1e-3)
    # As the player sends it, it is stretched and legal.
    assert stop_sweep(library, ers7, "nod", 4).speed <= 1.0


def test_rows_tell_what_is_missed():
    bad = Stops("m", 4, ticks=9, stops=9, refused=1, late=6, speed=1.2, joint="Pan", unrest=2)
    found = {row.name: (row.value, row.ok) for row in rows([bad], ["m"])}
    assert found["stops not accepted"] == (1.0, False)
    assert found["stops without rest"] == (2.0, False)
    assert found["begins after, 4 frames"] == (6, False)
    assert found["begins after, 1 frames"] == (0, True)
    assert found["fastest step (Pan)"] == (1.2, False)
    assert found["streams that differ"] == (1.0, False)


@pytest.mark.slow
def test_the_command_prints_its_rows_and_names_an_unknown_motion():
    done = CliRunner().invoke(app, ["bench", "openr", "--motion", "stop", "--every", "20"])
    assert done.exit_code == 0, done.output
    assert "stops not accepted" in done.output
    halted = CliRunner().invoke(app, ["bench", "openr", "--motion", "stop", "--every", "40", "--physics"])
    assert "on its feet after a stop" in halted.output
    refused = CliRunner().invoke(app, ["bench", "openr", "--motion", "stopp"])
    assert refused.exit_code == 2
