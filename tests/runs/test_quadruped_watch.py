"""What is seen of a quadruped while it runs agrees with what the physics counts."""

from __future__ import annotations

import numpy as np
import pytest

from andante.control.quadruped.drive_mode import DriveMode
from andante.runs.build import build
from andante.runs.evaluation.touches import Link
from andante.runs.execute import session_of
from andante.runs.loop.tick import Observer
from andante.runs.tasks.quadruped.task import QuadrupedTask
from andante.runs.tasks.quadruped.trace import QuadrupedTrace
from andante.runs.tasks.quadruped.watch import QuadrupedWatch


class Others(Observer):
    """Counts contacts of anything but feet, as the world's own sensors do."""

    def __init__(self):
        self.counts = []

    def see(self, tick):
        self.counts.append(float(tick.truth["other_contacts"][0]))


@pytest.fixture(scope="module", name="thrown")
def _thrown() -> tuple[QuadrupedWatch, Others, QuadrupedTrace]:
    task = QuadrupedTask("spirit40", (0.3, 0.0, 0.0), seconds=1.0, push=(1.0, 0.0, 110.0, 0.0))
    scenario = task.scenario()
    parts = build(scenario)
    watch, others = QuadrupedWatch(parts.backend, parts.controller, 0.6, (0.0, 1e4)), Others()
    with session_of(scenario, parts, observers=(watch, others)) as session:
        while session.ending is None and session.time < 4.0:
            session.step()
    return watch, others, watch.trace


@pytest.mark.slow
def test_parts_touch_when_the_physics_says_so(thrown):
    watch, others, _ = thrown
    counted = np.array(others.counts) > 0.0
    seen = np.any(list(watch.touches.values()), axis=0)
    assert seen.any()
    # A calf may touch beside its foot with the foot's own shape, so that more is seen than counted, never less.
    assert (seen == counted).mean() > 0.99
    assert Link.FOOT not in watch.touches


def test_feet_are_on_the_ground_when_they_feel_a_force_and_nothing_else_touches(thrown):
    watch, others, trace = thrown
    alone = (np.array(others.counts) == 0.0) & ~watch.itself
    assert alone.sum() > 100
    # Around a touch-down they differ by a tick: forces are those of the tick, contacts those of its end.
    assert (watch.grounded == trace.touching().any(axis=1))[alone].mean() > 0.97


def test_plans_are_told_once_each_and_keep_their_limits(thrown):
    watch, _, trace = thrown
    times = [plan.time for plan in watch.plans]
    assert times == sorted(set(times))
    assert len(times) == pytest.approx((trace.drive == DriveMode.READY).sum() / 5, abs=2)
    assert max(plan.excess for plan in watch.plans if plan.solved) <= 1e-6
    assert watch.lowest > -0.02


def test_the_trace_is_whole(thrown):
    _, _, trace = thrown
    assert np.diff(trace.times) == pytest.approx(0.002)
    assert trace.velocity.shape == (len(trace.times), 3)
    # The push of 110 N s to the left on some 12 kg.
    assert trace.twist[:, 1].max() > 3.0
    assert np.abs(trace.rpy[:, 0]).max() > 0.8
