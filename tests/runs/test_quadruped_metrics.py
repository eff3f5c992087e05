"""Numbers of a dynamic quadruped's run, on traces made by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from quadruped_traces import TICK, gliding

from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.robots.records import Layout, axes, scalar
from andante.robots.robot import Robot
from andante.runs.evaluation.touches import Link
from andante.runs.tasks.quadruped.metrics import Window, measure_quadruped
from andante.runs.tasks.quadruped.torque_driven import torque_driven
from andante.runs.tasks.quadruped.trace import QuadrupedTrace, TraceError

QUIET = {part: np.zeros(1000, dtype=bool) for part in (Link.CALF, Link.THIGH, Link.TRUNK)}


@pytest.fixture(scope="module", name="spirit")
def _spirit() -> Robot:
    return torque_driven(Robot.load("spirit40"))


LATER = Window(1.0, 2.0)


def measured(trace, robot, window=LATER, touches=None, **more):
    return measure_quadruped(trace, robot, window, touches=touches or QUIET, lowest=0.0, **more)


def test_twist_is_that_of_the_heading(spirit):
    # Northward at 0.8 m/s, asked forward at 1.0: 0.2 short, and the way of 2 s is 1.6 m.
    trace = gliding(speed=0.8, heading=math.pi / 2)
    asked = np.tile([1.0, 0.0, 0.0], (len(trace.times), 1))
    metrics = measured(gliding(speed=0.8, heading=math.pi / 2, asked=asked), spirit)
    assert metrics.mean == pytest.approx((0.8, 0.0, 0.0), abs=1e-9)
    assert metrics.along(0) == pytest.approx(-0.2)
    assert metrics.rms == pytest.approx((0.2, 0.0, 0.0), abs=1e-9)
    assert metrics.way == pytest.approx(1.6, abs=0.2)
    assert metrics.drift == pytest.approx(0.8, abs=0.01)
    assert metrics.upright
    assert metrics.cause == ""


def test_turning_through_the_jump_of_yaw(spirit):
    metrics = measured(gliding(turn=4.0, heading=3.0), spirit)
    assert metrics.mean == pytest.approx((1.0, 0.0, 4.0), abs=1e-3)
    assert metrics.rms[2] == pytest.approx(0.0, abs=1e-6)


def test_estimate_errors(spirit):
    # 0.1 m/s too fast along x from the first tick on: off by 0.2 m after 2 s of 2 m.
    trace = gliding()
    wrong = trace.estimate.copy()
    wrong[:, 6] += 0.1
    wrong[:, 0] += 0.1 * trace.times
    metrics = measured(gliding(estimate=wrong), spirit)
    assert metrics.estimate_rms == pytest.approx(0.1)
    assert metrics.estimate_drift == pytest.approx(0.2, abs=1e-3)
    assert metrics.estimate_share == pytest.approx(0.1, rel=0.2)


def test_airtime_is_the_longest_flight(spirit):
    trace = gliding()
    force = trace.foot_force.copy()
    force[100:150], force[400:480] = 0.0, 0.0
    metrics = measured(gliding(foot_force=force), spirit)
    assert metrics.airtime == pytest.approx(80 * TICK)
    assert metrics.peak_force == pytest.approx(50.0)


def test_a_foot_that_touches_the_robot_itself_is_in_the_air(spirit):
    # A force on a foot in the middle of 80 ticks above the ground comes from another leg.
    trace = gliding()
    force, grounded = trace.foot_force.copy(), np.ones(len(trace.times), dtype=bool)
    force[400:430], force[435:480] = 0.0, 0.0
    grounded[400:480] = False
    hit = gliding(foot_force=force)
    assert measured(hit, spirit).airtime == pytest.approx(45 * TICK)
    assert measured(hit, spirit, grounded=grounded).airtime == pytest.approx(80 * TICK)


def test_torque_at_its_limit_depends_on_speed_and_sense(spirit):
    most = np.array([servo.max_torque for servo in spirit.servos])
    corner, no_load = np.array([servo.torque_speed for servo in spirit.servos]).T
    n = 1000
    full = measured(gliding(torque=np.tile(most, (n, 1))), spirit)
    assert full.torque_full == 1.0
    half = np.tile(0.6 * most, (n, 1))
    fast = np.tile(0.5 * (corner + no_load), (n, 1))
    # Halfway between corner and no-load speed a motor drives with half its torque, and brakes with all of it.
    assert measured(gliding(torque=half), spirit).torque_full == 0.0
    assert measured(gliding(torque=half, joint_speed=fast), spirit).torque_full == 1.0
    assert measured(gliding(torque=half, joint_speed=-fast), spirit).torque_full == 0.0
    # At 0.7 of its strength a motor is full at 0.7 of its torque.
    assert measured(gliding(torque=np.tile(0.7 * most, (n, 1))), spirit, strength=0.7).torque_full == 1.0


def test_causes(spirit):
    trace = gliding()
    rpy = trace.rpy.copy()
    rpy[600:, 0] = np.linspace(0.0, 1.5, 400)
    torque = np.zeros((1000, 12))
    torque[500:, :3] = 1e3
    tilted = measured(gliding(rpy=rpy, torque=torque), spirit)
    assert not tilted.upright
    # 60 deg of 1.5 rad in 400 ticks from tick 600.
    assert tilted.cause.startswith("1.76 s: tilted more than 60 deg (before: motors at their torque limit 25 %")
    lying = dict(QUIET)
    lying[Link.TRUNK] = np.arange(1000) >= 500
    fallen = measured(gliding(), spirit, touches=lying)
    assert fallen.cause == "1.00 s: the trunk lay on the ground (before: trunk touched)"
    assert fallen.touches["trunk"] == pytest.approx(1.0)
    grazed = dict(QUIET)
    grazed[Link.TRUNK] = np.arange(1000) == 500
    assert measured(gliding(), spirit, touches=grazed).upright
    help_ = [ControlEvent(0.7, EventKind.HELP, "cannot walk on: no plan for 0.12 s")]
    assert measured(gliding(), spirit, events=help_).cause == "0.70 s: cannot walk on: no plan for 0.12 s"


def test_a_window_after_the_end_takes_the_last_rows(spirit):
    metrics = measured(gliding(), spirit, Window(5.0, 6.0))
    assert metrics.mean[0] == pytest.approx(1.0)


def test_no_trace_of_others():
    truth = Layout("truth", (scalar("time"),))
    with pytest.raises(TraceError, match="is no run of a dynamic quadruped: its controller does not tell; got 'drive'"):
        QuadrupedTrace.of(np.zeros(2), (truth, np.zeros((2, 1))), (Layout("crawl", ()), np.zeros((2, 0))))
    biped = Layout("truth", (axes("foot_force", "N", ("l.x", "l.y", "l.z", "r.x", "r.y", "r.z")),))
    names = ("drive", "mode", "estimate", "asked", "planned_contact", "force", "foothold", "reference", "iterations")
    told = Layout("quadruped", tuple(scalar(name) for name in names))
    with pytest.raises(TraceError, match="four feet"):
        QuadrupedTrace.of(np.zeros(2), (biped, np.zeros((2, 6))), (told, np.zeros((2, 9))))
    with pytest.raises(TraceError, match="two rows"):
        QuadrupedTrace.of(np.zeros(1), (biped, np.zeros((1, 6))), (told, np.zeros((1, 9))))
