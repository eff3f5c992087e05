"""Falls, metrics and verdicts on hand-made truths."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from run_fakes import twin

from andante.robots.records import Field, Layout, axes, scalar
from andante.runs.clock import Lateness
from andante.runs.falls import first_fall, runs_of, tilt_of, why_not_standing
from andante.runs.log import ChannelRows, Log
from andante.runs.metrics import Metrics, measure
from andante.runs.scenario import FallRule, Scenario, Success, Upright
from andante.runs.session import Ending, Outcome
from andante.runs.verdict import judge

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


def outcome(ending: Ending = Ending.DONE, done_at: float | None = 0.8) -> Outcome:
    return Outcome(ending, 100, 1.0, done_at, 0.5, Lateness(), ())


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
    assert measure(log_with(turned), twin(), outcome(), FallRule()).turn == pytest.approx(math.radians(20.0))
    assert measure(log_with(truth()), twin(), outcome(), FallRule()).turn is None


def test_metrics_of_a_hand_made_run() -> None:
    rows = truth(pitch={40: -0.5}, energy={99: 12.5}, qpos={99: (0.2, -0.1, 0.0)})
    metrics = measure(log_with(rows), twin(), outcome(), FallRule())
    assert (metrics.fell, metrics.finished, metrics.done_at, metrics.duration) == (False, True, 0.8, 1.0)
    assert metrics.max_tilt == pytest.approx(0.5)
    assert metrics.energy == 12.5
    assert metrics.travel == (0.2, -0.1)
    assert (metrics.peak_torque_ratio, metrics.peak_torque_joint) == (0.75, "JointB")
    assert (metrics.peak_velocity_ratio, metrics.peak_velocity_joint) == (0.4, "JointA")
    assert metrics.tracking_error == pytest.approx(0.2)
    assert metrics.worst_tracking_joint == "JointA"
    assert metrics.real_time_factor == 2.0


def test_a_log_without_truth_has_no_falls_to_tell() -> None:
    metrics = measure(Log({}), twin(), outcome(), FallRule())
    assert metrics.fell is None
    verdict = judge(scenario(), Log({}), metrics, Ending.DONE)
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
    peak_torque_ratio=1.2,
    peak_torque_joint="LKneePitch",
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
        ({"finishes": False, "no_fall": False}, {"finished": False, "fell": True}, "pass", []),
        ({"max_tilt": 0.2}, {}, "fail", ["the torso tilted up to 17.2 deg (limit 11.5 deg)"]),
        (
            {"max_torque_ratio": 1.0},
            {},
            "fail",
            ["torque up to 1.20 of the published limit at LKneePitch (asked: 1)"],
        ),
        ({"max_tracking_error": 0.02}, {}, "fail", ["tracking error 2.86 deg (limit 1.15 deg)"]),
        ({"max_tilt": 0.2}, {"max_tilt": None}, "fail", ["the torso tilted up to inf deg (limit 11.5 deg)"]),
    ],
)
def test_verdicts_and_their_texts(
    success: dict[str, object], changes: dict[str, object], verdict: str, reasons: list[str]
) -> None:
    metrics = Metrics(**{**METRICS.data(), **changes})  # type: ignore[arg-type]
    judged = judge(scenario(**success), Log({"truth": truth()}), metrics, Ending.DONE)
    assert (judged.verdict, list(judged.reasons)) == (verdict, reasons)


def test_an_interrupted_run_fails_whatever_else_holds() -> None:
    judged = judge(scenario(), Log({"truth": truth()}), METRICS, Ending.INTERRUPTED)
    assert (judged.verdict, judged.reasons) == ("fail", ("interrupted after 1.00 s",))
