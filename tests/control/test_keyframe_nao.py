"""The engine on the NAO with the real 2024 library: the structure runs, whole, on both sides."""

from __future__ import annotations

import numpy as np
import pytest

from andante.control.events import EventKind
from andante.control.guard import Guard
from andante.control.keyframes.configuration import KeyframeEngineSettings, MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.features import Body


@pytest.fixture(scope="module")
def real(bhuman_folder):
    from andante.formats.registry import read

    return read(bhuman_folder)


def play(robot, engine, position, ticks=2200, pitch=0.0):
    """Run with perfect servos and a fixed torso until done; returns the outputs and the events."""
    guard = Guard(robot, engine.period)
    rows, events = [], []
    for tick in range(ticks):
        sensors = robot.sensors()
        sensors.vector[0] = tick * engine.period
        sensors.position[:] = position
        sensors.health[:] = 1.0
        sensors.orientation[:] = (np.cos(pitch / 2), 0.0, np.sin(pitch / 2), 0.0)
        command = guard.apply(engine.step(sensors), sensors)
        position = command.position.copy()
        rows.append(position)
        events += engine.take_events()
        if engine.done:
            break
    return np.array(rows), events


@pytest.mark.parametrize("mirror", [False, True])
def test_every_real_motion_runs_to_its_end(nao, real, mirror):
    for name in real.motions:
        engine = KeyframeEngine(nao, real, MotionRequest(name, mirror), KeyframeEngineSettings(break_up=False))
        rows, _ = play(nao, engine, np.zeros(len(nao.joints)))
        assert engine.done, name
        assert np.isfinite(rows).all()


def test_real_get_up_takes_the_time_that_the_file_states(nao, real):
    # the torso does not rise here, so every wait would run into its limit
    engine = KeyframeEngine(
        nao, real, "recoverGeneric", KeyframeEngineSettings(break_up=False, balance=False, waits=False)
    )
    rows, events = play(nao, engine, np.zeros(len(nao.joints)), pitch=1.4)
    motions = [event.text for event in events if event.kind is EventKind.MOTION]
    assert motions == ["motion recoverGeneric", "motion front"]
    assert len(rows) * engine.period == pytest.approx(3.3, abs=0.03)  # the reference's sum of the keyframes


def test_real_stand_sits_up_first_when_the_centre_of_mass_is_low(nao, real):
    def blocks(position):
        engine = KeyframeEngine(nao, real, "stand")
        _, events = play(nao, engine, position)
        return [event.text for event in events if event.kind is EventKind.KEYFRAME]

    upright = np.zeros(len(nao.joints))
    crouched = upright.copy()
    for joint, angle in (("HipPitch", -0.87), ("KneePitch", 2.1), ("AnklePitch", -1.18)):
        crouched[[nao.index(f"L{joint}"), nao.index(f"R{joint}")]] = angle
    assert blocks(upright) == ["stand[0]", "stand[1]"]
    assert blocks(crouched) == ["sit[0]", "stand[1]"]


def test_body_features_of_the_zero_posture(nao):
    body = Body(nao, (0.07, -0.04, 0.04))
    body.update(np.zeros(len(nao.joints)), (0.0, 0.0, 1.0))
    # published: CoM (0.0212, 0.0002, -0.0328) in the torso, soles at -0.33319, both feet straight below the hips
    assert body.com_height() == pytest.approx(-0.0328 + 0.3332, abs=0.003)
    # support centre along x: mean of +0.07 twice and the sole's back edge (about -0.05) twice
    x, y = body.com_offset()
    assert x == pytest.approx(0.0212 - 0.0099, abs=0.003)
    assert abs(y) < 1e-3
    assert body.com_outside_support_x() == pytest.approx(0.0212 - 0.07, abs=0.003)
    assert body.wrist_y(0) == pytest.approx(0.113, abs=0.02)
    assert body.wrist_y(1) == pytest.approx(-body.wrist_y(0), abs=1e-6)
    legacy = Body(nao, (0.07, -0.04, 0.04), first_corner_missing=True)
    legacy.update(np.zeros(len(nao.joints)), (0.0, 0.0, 1.0))
    assert legacy.com_offset()[0] - x == pytest.approx(0.07 / 4)


def test_random_sensors_on_the_real_get_up_stay_within_the_guard(nao, real):
    engine = KeyframeEngine(nao, real, MotionRequest(None), KeyframeEngineSettings(catch_falls=True))
    rng = np.random.default_rng(7)
    guard = Guard(nao, engine.period)
    states = set()
    for tick in range(10_000):
        sensors = nao.sensors(rng.normal(0.0, 1.0, nao.sensors_layout.size))
        sensors.vector[0] = tick * engine.period
        sensors.health[:] = 1.0
        sensors.buttons[:] = 0.0
        hit = rng.random(sensors.vector.size) < 0.02
        sensors.vector[hit] = rng.choice([np.nan, np.inf, -np.inf, 1e308], hit.sum())
        out = guard.apply(engine.step(sensors), sensors)
        states.add(engine.state)
        assert np.isfinite(out.vector).all()
        assert np.isfinite(engine.telemetry.vector).all()
        assert (out.position >= nao.lower).all()
        assert (out.position <= nao.upper).all()
        assert (out.kp >= 0.0).all()
    assert len(states) >= 3
