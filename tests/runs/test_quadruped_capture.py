"""A dynamic quadruped that walks by motion capture and the complementary filter."""

from __future__ import annotations

import pytest

from andante.backends.motion_capture import Blackout, PoseNoise
from andante.control.events import EventKind
from andante.runs.build import build
from andante.runs.execute import session_of
from andante.runs.loop.outcome import Ending
from andante.runs.scenario_files import validated
from andante.runs.tasks.quadruped.task import QuadrupedTask
from andante.runs.tasks.quadruped.watch import QuadrupedWatch

NOISE = PoseNoise(position=0.001, orientation=0.004, period=1.0 / 360.0, latency=0.004)
"""As of Quad-SDK's captures, with noise."""


def walked(noise: PoseNoise):
    data = QuadrupedTask("spirit40", (0.5, 0.0, 0.3), seconds=3.0).scenario().model_dump(exclude_unset=True)
    data["controller"]["estimator"] = "complementary"
    data["world"].setdefault("noise", {})["pose"] = noise.model_dump()
    scenario = validated(data)
    parts = build(scenario)
    watch = QuadrupedWatch(parts.backend, parts.controller, 0.6, (0.0, 1e3))
    with session_of(scenario, parts, observers=(watch,)) as session:
        while session.ending is None:
            session.step()
        return watch, session.outcome(), parts


@pytest.mark.slow
def test_it_walks_by_motion_capture():
    watch, outcome, parts = walked(NOISE)
    assert parts.robot.motion_capture
    assert outcome.ending is Ending.DONE
    trace = watch.trace
    rows = (trace.times > 1.5) & (trace.times < 3.0)
    assert trace.twist[rows, 0].mean() == pytest.approx(0.5, abs=0.05)
    assert trace.twist[rows, 2].mean() == pytest.approx(0.3, abs=0.05)
    wrong = trace.estimate[rows, 6:9] - trace.velocity[rows]
    assert ((wrong**2).mean(axis=0) ** 0.5).max() < 0.05
    # Captures do not drift, whatever the way.
    assert abs(trace.estimate[-1, :3] - trace.com[-1]).max() < 0.02


def test_out_of_sight_it_lies_down_and_says_why():
    watch, outcome, parts = walked(NOISE.model_copy(update={"blackouts": (Blackout(time=1.5, duration=5.0),)}))
    assert outcome.ending is Ending.FAILED
    assert parts.controller.failed
    told = [(event.time, event.text) for event in watch.events if event.kind is EventKind.HELP]
    time, text = told[0]
    # The accelerometer carries the velocity on for 0.3 s, and legs wait for 0.25 s for a state that is doubted.
    assert time == pytest.approx(1.5 + 0.3 + 0.25, abs=0.03)
    assert "capture" in text
