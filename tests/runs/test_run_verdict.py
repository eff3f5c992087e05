"""Falls, metrics and verdicts on hand-made truths."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from run_fakes import twin

from andante.backends.world import Start, WorldConfig
from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.robots.records import Field, Layout, Record, axes, scalar
from andante.robots.robot import Robot
from andante.runs.build import Parts
from andante.runs.evaluation.falls import FallWatch, first_fall, first_standing, runs_of, tilt_of, why_not_standing
from andante.runs.evaluation.finished import FinishedRun
from andante.runs.evaluation.metrics import Metrics, measure
from andante.runs.evaluation.standing import Upright
from andante.runs.evaluation.verdict import judge
from andante.runs.logs.log import ChannelRows, Log
from andante.runs.loop.clock import ClockLateness
from andante.runs.loop.outcome import Ending, Outcome
from andante.runs.scenario import FallRule, Scenario, Success

LAYOUT = Layout(
    "truth",
    (
        Field("qpos", ("x", "y", "z")),
        scalar("base_height", "m"),
        scalar("pitch", "rad"),
        scalar("roll", "rad"),
        scalar("other_contacts"),
        scalar("energy", "J"),
        axes("com", "m"),
    ),
)
TICK = 10_000_000


def truth(ticks: int = 100, **changes: object) -> ChannelRows:
    """A robot that stands 0.3 m high; changes give a field's values from some ticks on: {tick: value}."""
    rows = np.zeros((ticks, LAYOUT.size))
    fields = {"base_height": {0: 0.3}, **changes}
    for name, steps in fields.items():
        for start, value in steps.items():  # type: ignore[attr-defined]
            rows[start:, LAYOUT.slices[name]] = value
    return ChannelRows(LAYOUT, np.arange(ticks) * TICK, rows)


def run_of(
    asked: Scenario, log: Log, ending: Ending = Ending.DONE, robot: Robot | None = None, standing: float | None = None
) -> FinishedRun:
    """A run with this log; its robot has no feet, as these truths do not tell what feet carry."""
    robot = replace(robot or twin(), feet=())
    parts = Parts(robot, None, None, None, robot.model, 1.0, standing)  # type: ignore[arg-type]
    return FinishedRun(asked, parts, log, outcome(ending))


def measured(log: Log, robot: Robot | None = None, rises: tuple[Upright, float] | None = None) -> Metrics:
    """The metrics of a run with this log."""
    upright, standing = rises or (Upright(), None)
    asked = scenario(upright=upright)
    if rises is not None:
        asked = asked.but(world=WorldConfig(start=Start(lying="prone")))
    return measure(run_of(asked, log, robot=robot, standing=standing))


def outcome(ending: Ending = Ending.DONE, done_at: float | None = 0.8) -> Outcome:
    return Outcome(ending, 100, 1.0, done_at, 0.5, ClockLateness(), ())


@given(st.floats(-math.pi, math.pi), st.floats(-1.5, 1.5))
def test_tilt_is_the_angle_of_the_up_axis(pitch: float, roll: float) -> None:
    """Oracle: build an up axis u with pitch = atan2(-u_x, u_z), roll = asin(u_y) and take its angle from z."""
    up = np.array([-math.sin(pitch) * math.cos(roll), math.sin(roll), math.cos(pitch) * math.cos(roll)])
    assert np.linalg.norm(up) == pytest.approx(1.0)
    expected = math.atan2(math.hypot(up[0], up[1]), up[2])
    assert tilt_of(truth(1, pitch={0: pitch}, roll={0: roll}))[0] == pytest.approx(expected, abs=1e-7)


def test_no_fall_while_standing() -> None:
    assert first_fall(truth(), FallRule()) is None


def test_tipping_over_is_a_fall_from_its_first_moment() -> None:
    fall = first_fall(truth(pitch={40: 1.2}), FallRule())
    assert fall is not None
    assert (fall.time, fall.reason) == (0.4, "the torso tilted more than 60 deg")


def test_a_short_touch_is_no_fall_but_a_long_one_is() -> None:
    rule = FallRule(persistence=0.05)
    assert first_fall(truth(other_contacts={40: 1.0, 45: 0.0}), rule) is None
    fall = first_fall(truth(other_contacts={40: 1.0, 46: 0.0}), rule)
    assert fall is not None
    assert fall.reason == "something other than a foot touched the ground"


def test_the_first_of_several_conditions_counts() -> None:
    fall = first_fall(truth(pitch={60: 2.0}, base_height={0: 0.3, 50: 0.1}), FallRule(height=0.2))
    assert fall is not None
    assert (fall.time, fall.reason) == (0.5, "the base came below 0.2 m")


def test_what_the_rule_does_not_look_at_is_no_fall() -> None:
    lying = truth(pitch={0: 2.0}, base_height={0: 0.05}, other_contacts={0: 4.0})
    assert first_fall(lying, FallRule(tilt=None, height=None, contact=False)) is None


@given(st.lists(st.booleans(), max_size=30))
def test_runs_cover_exactly_what_holds(holds: list[bool]) -> None:
    covered = [False] * len(holds)
    for start, end in runs_of(np.array(holds, bool)):
        assert not any(covered[max(start - 1, 0) : end + 1])
        covered[start : end + 1] = [True] * (end - start + 1)
    assert covered == holds


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({}, ""),
        ({"pitch": {10: 1.0, 40: 0.0}}, ""),
        ({"pitch": {90: 0.3}}, "the torso tilted 17.2 deg at the end (limit 16 deg)"),
        ({"base_height": {0: 0.3, 70: 0.26}}, "the base was 0.260 m high at the end (limit 0.270 m)"),
    ],
)
def test_standing_at_the_end(changes: dict[str, dict[int, float]], missing: str) -> None:
    assert why_not_standing(truth(**changes), Upright()) == missing


def log_with(rows: ChannelRows) -> Log:
    robot = twin()
    sensors = np.zeros((100, robot.sensors_layout.size))
    command = np.zeros((100, robot.command_layout.size))
    part, asked = robot.sensors_layout.slices, robot.command_layout.slices
    sensors[:, part["effort"]] = [0.5, -1.5]
    sensors[50, part["velocity"]] = [-20.0, 10.0]
    command[:, asked["position"]] = [0.3, 9.0]
    command[:, asked["kp"]] = [10.0, 0.0]
    sensors[:, part["position"]] = [0.1, 0.0]
    channels = {
        "truth": rows,
        "sensors": ChannelRows(robot.sensors_layout, rows.nanoseconds, sensors),
        "command": ChannelRows(robot.command_layout, rows.nanoseconds, command),
    }
    return Log(channels)


def test_the_turn_counts_the_short_way_round_and_only_what_can_turn() -> None:
    state = Field("qpos", tuple(f"base.{axis}" for axis in ("x", "y", "z", "qw", "qx", "qy", "qz")))
    layout = Layout("truth", (state, *(field for field in LAYOUT.fields if field.name != "qpos")))
    rows = np.zeros((100, layout.size))
    rows[:, layout.slices["base_height"]] = 0.3
    # From 170 to -170 degrees about z: 20 degrees to the left.
    for span, degrees in ((slice(0, 50), 170.0), (slice(50, 100), -170.0)):
        half = math.radians(degrees) / 2.0
        rows[span, layout.slices["qpos"]] = [0.0, 0.0, 0.3, math.cos(half), 0.0, 0.0, math.sin(half)]
    turned = ChannelRows(layout, np.arange(100) * TICK, rows)
    assert measured(log_with(turned)).turn == pytest.approx(math.radians(20.0))
    assert measured(log_with(truth())).turn is None


def test_metrics_of_a_hand_made_run() -> None:
    rows = truth(pitch={40: -0.5}, energy={99: 12.5}, qpos={99: (0.2, -0.1, 0.0)})
    robot = twin()
    # 1.5 N m: the servos give 2 at most, a published effort of 3 is another number.
    robot = replace(robot, joints=tuple(replace(joint, max_effort=3.0) for joint in robot.joints))
    metrics = measured(log_with(rows), robot)
    assert (metrics.fell, metrics.finished, metrics.done_at, metrics.duration) == (False, True, 0.8, 1.0)
    assert metrics.max_tilt == pytest.approx(0.5)
    assert metrics.energy == 12.5
    assert metrics.travel == (0.2, -0.1)
    assert (metrics.peak_torque_ratio, metrics.peak_torque_joint) == (0.75, "JointB")
    assert (metrics.peak_effort_ratio, metrics.peak_effort_joint) == (0.5, "JointB")
    assert (metrics.peak_velocity_ratio, metrics.peak_velocity_joint) == (0.4, "JointA")
    assert metrics.tracking_error == pytest.approx(0.2)
    assert metrics.worst_tracking_joint == "JointA"
    assert metrics.real_time_factor == 2.0


def joints_alone(period: int, angle: dict[int, float]) -> Log:
    """A robot whose base is held, under a controller of this period [ns]; JointA is told to be at 0.3."""
    layout = Layout("truth", (Field("qpos", ("JointA", "JointB")), *LAYOUT.fields[1:]))
    rows = np.zeros((100, layout.size))
    rows[:, layout.slices["base_height"]] = 0.3
    for start, value in angle.items():
        rows[start:, layout.slices["qpos"].start] = value
    return log_with(ChannelRows(layout, np.arange(100) * period, rows))


def test_a_base_that_is_held_goes_nowhere_whatever_its_joints_do() -> None:
    log = joints_alone(TICK, {50: 0.9})
    metrics = measured(log)
    assert metrics.travel is None
    verdict = judge(run_of(scenario(min_forward=0.1), log), metrics)
    assert "nothing tells how far it came forward (limit 0.10 m)" in verdict.reasons


@pytest.mark.parametrize("period", [8_000_000, 10_000_000, 50_000_000])
@pytest.mark.parametrize(("off_for", "astray"), [(0.4, 0.0), (0.6, 0.3)])
def test_a_joint_is_astray_after_half_a_second_at_any_period(period: int, off_for: float, astray: float) -> None:
    ticks = round(off_for * 1e9 / period)
    assert measured(joints_alone(period, {0: 0.3, 1: 0.0, 1 + ticks: 0.3})).astray == pytest.approx(astray)


def test_a_log_without_truth_has_no_falls_to_tell() -> None:
    metrics = measured(Log({}))
    assert metrics.fell is None
    verdict = judge(run_of(scenario(), Log({}), Ending.DONE), metrics)
    assert verdict.reasons == ("there is no ground truth to tell whether it fell",)


def scenario(**success: object) -> Scenario:
    return Scenario.model_validate(
        {
            "name": "x",
            "controller": {"library": "l", "motions": ("m",)},
            "timeout": 4.0,
            "success": Success.model_validate(success),
        }
    )


METRICS = Metrics(
    duration=1.0,
    finished=True,
    done_at=0.8,
    fell=False,
    final_height=0.31,
    final_tilt=0.02,
    max_tilt=0.3,
    peak_torque_ratio=0.9,
    peak_torque_joint="LHipPitch",
    peak_effort_ratio=1.2,
    peak_effort_joint="LKneePitch",
    tracking_error=0.05,
)


@pytest.mark.parametrize(
    ("success", "changes", "verdict", "reasons"),
    [
        ({}, {}, "pass", ["finished after 0.80 s", "did not fall"]),
        (
            {"stands_at_end": True},
            {},
            "pass",
            [
                "finished after 0.80 s",
                "did not fall",
                "stands at the end: base 0.310 m high, torso tilted 1.1 deg",
            ],
        ),
        ({}, {"finished": False, "done_at": None}, "fail", ["not finished after 1.00 s (limit 4.00 s)"]),
        (
            {},
            {"fell": True, "fall_time": 0.3, "fall_reason": "the base came below 0.2 m"},
            "fail",
            ["fell after 0.30 s: the base came below 0.2 m"],
        ),
        (
            {"finishes": False, "no_fall": False},
            {"finished": False, "fell": True},
            "pass",
            ["nothing was asked of this run"],
        ),
        ({"max_tilt": 0.2}, {}, "fail", ["the torso tilted up to 17.2 deg (limit 11.5 deg)"]),
        (
            {"max_torque_ratio": 1.0},
            {},
            "fail",
            ["torque up to 1.20 of the published effort at LKneePitch (asked: 1)"],
        ),
        ({"max_tracking_error": 0.02}, {}, "fail", ["tracking error 2.86 deg (limit 1.15 deg)"]),
        ({"max_tilt": 0.2}, {"max_tilt": None}, "fail", ["nothing tells the tilt (limit 11.5 deg)"]),
    ],
)
def test_verdicts_and_their_texts(
    success: dict[str, object], changes: dict[str, object], verdict: str, reasons: list[str]
) -> None:
    metrics = Metrics(**{**METRICS.data(), **changes})  # type: ignore[arg-type]
    judged = judge(run_of(scenario(**success), Log({"truth": truth()}), Ending.DONE), metrics)
    assert (judged.verdict, list(judged.reasons)) == (verdict, reasons)
    # What is infinite is no number of JSON.
    json.dumps([each.data() for each in judged.criteria], allow_nan=False)


def test_an_interrupted_run_fails_whatever_else_holds() -> None:
    judged = judge(run_of(scenario(), Log({"truth": truth()}), Ending.INTERRUPTED), METRICS)
    assert (judged.verdict, judged.reasons) == ("fail", ("interrupted after 1.00 s",))


RISES = (Upright(tilt=0.3, height=0.28, hold=0.1), 0.31)
"""Stands when tilted by less than 0.3 rad, 0.28 m high, for 0.1 s."""


def getting_up(**later: object) -> ChannelRows:
    """On the floor for 0.3 s, folded for 0.2 s, on its feet from 0.5 s on."""
    return truth(
        200,
        pitch={0: 1.5, 30: 2.2, 50: 0.1, **later.get("pitch", {})},  # type: ignore[attr-defined]
        base_height={0: 0.1, 50: 0.3, **later.get("base_height", {})},  # type: ignore[attr-defined]
        other_contacts={0: 3.0, 50: 0.0},
    )


def test_a_robot_that_gets_up_does_not_fall() -> None:
    rows = getting_up()
    assert first_standing(rows, *RISES) == pytest.approx(0.5)
    assert measured(Log({"truth": rows}), rises=RISES).fell is False
    assert measured(Log({"truth": rows})).fell is True  # for one that was to stand from the start


def test_a_robot_that_got_up_can_fall() -> None:
    rows = getting_up(pitch={120: 1.4}, base_height={120: 0.1})
    metrics = measured(Log({"truth": rows}), rises=RISES)
    assert (metrics.fell, metrics.fall_time) == (True, pytest.approx(1.2))


def test_a_robot_that_never_stood_did_not_fall() -> None:
    rows = truth(pitch={0: 1.5, 40: 0.1, 45: 1.5}, base_height={0: 0.1, 40: 0.3, 45: 0.1})
    assert first_standing(rows, *RISES) is None  # upright for 0.05 s only
    assert measured(Log({"truth": rows}), rises=RISES).fell is False


def test_a_get_up_is_not_ended_for_lying() -> None:
    rule = FallRule(stop_after=0.1)
    layout = Layout("truth", (scalar("time", "s"), *LAYOUT.fields))
    # Fallen at 1.2 s, for the rule's 0.05 s of persistence and 0.1 s more.
    for rows, ends in ((getting_up(), None), (getting_up(pitch={120: 1.4}), 1.35)):
        watch = FallWatch(rule, RISES)
        ended = [
            time
            for time, row in zip(rows.times, rows.rows, strict=True)
            if watch.ended(Record(layout, np.concatenate(([time], row))))
        ]
        assert (ended[0] if ended else None) == (None if ends is None else pytest.approx(ends, abs=0.011))


def test_restarts_stand_behind_the_reasons_of_either_verdict() -> None:
    events = [
        ControlEvent(0.0, EventKind.MOTION, "motion recoverGeneric"),
        ControlEvent(0.4, EventKind.KEYFRAME, "rise[1]"),
        ControlEvent(0.5, EventKind.BREAK_UP, "torso outside its window", {"pitch": math.radians(64.0), "roll": 0.0}),
        ControlEvent(1.5, EventKind.MOTION, "motion recoverGeneric"),
        ControlEvent(1.8, EventKind.KEYFRAME, "fold[0]"),
        ControlEvent(1.9, EventKind.BRANCH, "motion anew replaces front"),
        ControlEvent(1.95, EventKind.BRANCH, "block b inserted"),
        ControlEvent(3.0, EventKind.FALL, "falls to the front", {"pitch": math.radians(20.0), "roll": 0.0}),
    ]
    told = (
        "began anew after 0.50 s: in rise[1]: torso outside its window (pitch 64 deg, roll 0 deg)",
        "began anew after 1.90 s: in fold[0]: motion anew replaces front",
    )
    log = Log({"truth": truth()}, events=tuple(events))
    assert judge(run_of(scenario(), log, Ending.DONE), METRICS).reasons == (
        "finished after 0.80 s",
        "did not fall",
        *told,
    )
    failed = Metrics(**METRICS.data() | {"fell": True, "fall_time": 3.0, "fall_reason": "it tilted"})
    assert judge(run_of(scenario(), log, Ending.DONE), failed).reasons == ("fell after 3.00 s: it tilted", *told)
    many = [ControlEvent(float(n), kind, "x") for n in range(5) for kind in (EventKind.BREAK_UP, EventKind.MOTION)]
    assert (
        judge(run_of(scenario(), Log({"truth": truth()}, events=tuple(many)), Ending.DONE), METRICS).reasons[-1]
        == "and 2 more times"
    )


def test_a_run_that_gave_up_says_why() -> None:
    events = [ControlEvent(1.0, EventKind.HELP, "the robot needs help: no knee", {"why": "no knee"})]
    metrics = Metrics(**METRICS.data() | {"finished": False, "done_at": None})
    judged = judge(run_of(scenario(), Log({"truth": truth()}, events=tuple(events)), Ending.FAILED), metrics)
    assert judged.reasons == ("gave up after 1.00 s: no knee",)
