"""Settings of the local planner and gaits: what the rows of RESULTS were measured with, and other sizes of robot."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from andante.documents.settings import SettingsError
from andante.planning.nmpc.problem import RigidBody
from andante.planning.nmpc.settings import NmpcSettings
from andante.planning.quadruped.body_plan import BodyPlan, Primitive
from andante.planning.quadruped.gait import GAITS, Gait, GaitError, contact_schedule, of_size, quicker
from andante.planning.quadruped.settings import GO2_LEG, GO2_TURNING, LocalSettings, turning

DEFAULTS = {
    "interval": 0.01, "latency": 0.01, "standing": 0.66, "stand_speed": 0.1, "stand_command": 0.02,
    "stand_offset": 0.05, "stand_tilt": 0.15, "settling": 2, "leash": 0.05, "yaw_leash": 0.2, "trim": 0.25,
    "trim_time": 0.7, "capture": 1.0, "catch": 0.2, "hurry_swing": 0.12, "hurry_error": 0.8,
    "hurry_weights": (5.0, 5.0, 100.0, 60.0, 60.0, 10.0, 2.0, 2.0, 1.0, 0.5, 0.5, 0.2), "missing": 0.02,
    "clearance": 0.05, "stumble": 0.02, "stumble_time": 0.06, "surprise": 0.01, "uneven": 1.0, "search": 0.25,
    "traversability": 0.6, "constancy": 0.5, "reach": 0.3, "stretch": 0.97, "apart": 0.26, "beside": 0.04,
    "hip_room": 0.10, "tuck": 0.4, "course_time": 0.15, "landing": 0.1, "landing_low": 0.03, "landing_tilt": 0.05,
    "landing_time": 1.0,
}  # fmt: skip
"""Of Go2."""
FORCES = {
    "states": 26, "step": 0.03, "growth": 2.0, "share_weight": 1.1127, "friction": 0.6, "least_force": 0.05,
    "largest_force": 1.5, "slack_weight": 200.0, "lower": (-math.inf,) * 12, "upper": (math.inf,) * 12,
    "weights": (5.0, 5.0, 100.0, 20.0, 20.0, 10.0, 5.0, 5.0, 1.0, 0.2, 0.2, 0.2), "costs": (), "solver": "stages",
}  # fmt: skip


def body(leg: float, mass: float, inertia: Any, length: float, width: float) -> Any:
    """What settings look at of a body."""
    hips = np.array([[x, y, 0.0] for x in (length, -length) for y in (width, -width)])
    hips += np.array([0.1, 0.02, 0.0])
    return SimpleNamespace(legs=SimpleNamespace(leg_length=leg), rigid=RigidBody(mass, np.diag(inertia)), hips=hips)


def test_defaults_are_those_that_figures_were_measured_with():
    own = LocalSettings()
    assert {name: getattr(own, name) for name in DEFAULTS} == DEFAULTS
    assert set(type(own).model_fields) == {*DEFAULTS, "foothold", "nmpc"}
    assert own.nmpc == NmpcSettings()
    assert own.nmpc.model_dump() == FORCES
    assert pytest.approx(0.448009) == GO2_LEG


@pytest.mark.parametrize("values", [{"interval": 1e-300}, {"interval": 1e9}, {"latency": 1e6}])
def test_times_that_no_plan_can_have_are_refused(values):
    with pytest.raises(SettingsError, match=next(iter(values))):
        LocalSettings(**values)


@pytest.mark.parametrize(
    ("name", "legal", "refused"),
    [("interval", (1e-4, 60.0), (0.99e-4, 60.1)), ("latency", (0.0, 60.0), (-1e-9, 60.1))],
)
def test_times_of_a_computer_are_legal_up_to_a_minute(name, legal, refused):
    for value in legal:
        assert getattr(LocalSettings(**{name: value}), name) == value
    for value in refused:
        with pytest.raises(SettingsError, match=name):
            LocalSettings(**{name: value})
    assert Gait(period=60.0).period == 60.0
    with pytest.raises(SettingsError, match="period"):
        Gait(period=60.1)


def test_a_robot_of_go2_s_shape_is_turned_as_go2_is():
    # Inertia over mass, leg and arm: 6 / (2 * 0.5 * arm) with arms 0.2, 0.3 and their hypotenuse.
    own = body(0.5, 2.0, (0.06, 0.12, 0.18), 0.3, 0.2)
    assert turning(own) == pytest.approx([0.06 / 0.2, 0.12 / 0.3, 0.18 / math.hypot(0.2, 0.3)])
    assert GO2_TURNING == (0.1823, 0.3704, 0.3265)


def test_a_body_that_is_turned_half_as_fast_has_errors_of_its_attitude_weighed_four_times():
    size = 4.0
    leg = size * GO2_LEG
    arms = np.array([0.2, 0.3, math.hypot(0.2, 0.3)])
    own = body(leg, 5.0, 5.0 * leg * arms * np.array(GO2_TURNING) * [2.0, 1.0, 0.5], 0.3, 0.2)
    fitted, scaled = LocalSettings().fitted(own), LocalSettings().scaled(size)
    factor = np.array([1.0] * 3 + [4.0, 1.0, 0.25] + [1.0] * 3 + [4.0, 1.0, 0.25])
    assert fitted.hurry_weights == pytest.approx(factor * scaled.hurry_weights)
    assert fitted.nmpc.weights == pytest.approx(factor * scaled.nmpc.weights)
    # Lengths grow as the legs, times and speeds as their root; what a computer needs stays.
    assert (fitted.leash, fitted.reach, fitted.landing_low) == pytest.approx((0.2, 1.2, 0.12))
    assert (fitted.trim, fitted.hurry_error, fitted.catch, fitted.missing) == pytest.approx((0.5, 1.6, 0.4, 0.04))
    assert (fitted.interval, fitted.latency, fitted.stand_tilt, fitted.stretch) == (0.01, 0.01, 0.15, 0.97)
    units = np.array([4.0] * 3 + [1.0] * 3 + [2.0] * 3 + [0.5] * 3)
    assert scaled.hurry_weights == pytest.approx(np.array(DEFAULTS["hurry_weights"]) / units**2)


def test_gaits_are_those_of_the_source():
    half, walk = (0.5,) * 4, (0.25, 0.75, 0.0, 0.5)
    assert {name: (gait.period, gait.duty, gait.offsets) for name, gait in GAITS.items()} == {
        "trot": (0.36, half, (0.0, 0.5, 0.5, 0.0)),
        "running-trot": (0.30, (0.4,) * 4, (0.0, 0.5, 0.5, 0.0)),
        "walk": (0.72, (0.75,) * 4, walk),
        "pace": (0.30, half, (0.0, 0.5, 0.0, 0.5)),
        "bound": (0.30, half, (0.0, 0.0, 0.5, 0.5)),
        "pronk": (0.36, half, (0.0,) * 4),
        "gallop": (0.36, half, (0.5, 0.6666666667, 0.0, 0.1666666667)),
    }
    with pytest.raises(SettingsError, match="a gait lifts a foot"):
        Gait(duty=(1.0,) * 4)
    assert Gait(duty=(1.0, 1.0, 1.0, 0.5)).duty[3] == 0.5


@pytest.mark.parametrize(
    ("name", "size", "steps"),
    [("trot", 1.0, 12), ("trot", 4.0, 24), ("trot", 2.0, 16), ("walk", 2.0, 32), ("gallop", 2.0, 18),
     ("trot", 0.02, 2), ("pronk", 2.0, 17)],
)  # fmt: skip
def test_a_gait_of_another_size_has_the_nearest_period_in_which_stances_begin_with_an_interval(name, size, steps):
    # The root of the size times 12 (trot, gallop, pronk) or 24 steps (walk); halves, quarters, sixths must be whole.
    assert of_size(GAITS[name], size, 0.03).period == pytest.approx(0.03 * steps)


def test_a_gait_whose_stances_begin_nowhere_on_the_grid_stays():
    odd = Gait(offsets=(0.0, 0.123456, 0.5, 0.7))
    assert of_size(odd, 2.0, 0.03) is odd


@pytest.mark.parametrize(
    ("period", "duty", "good"),
    [(0.06, 0.5, True), (0.044, 0.5, False), (0.09, 1 / 3, True), (0.09, 0.3, False), (0.09, 2 / 3, True),
     (0.09, 0.7, False), (0.03, 0.5, False), (0.03, 1.0, False)],
)  # fmt: skip
def test_feet_stand_and_swing_a_whole_step_at_least(period, duty, good):
    gait = Gait(period=period, duty=(duty, 0.5, 0.5, 0.5))
    if period == 0.09:
        gait = gait.changed(duty=(duty, 0.4, 0.4, 0.4))
    if good:
        assert gait.steps(0.03) == round(period / 0.03)
        return
    with pytest.raises(GaitError, match=r"gait\.period.*steps of 0\.03 s"):
        gait.steps(0.03)


def test_a_swing_that_is_shorter_by_nothing_is_no_quicker_gait():
    trot = GAITS["trot"]
    assert quicker(trot, 0.18 - 5e-7, 0.03) is trot
    assert quicker(trot, 0.179, 0.03).period == pytest.approx(0.358)
    standing = Gait(period=0.36, duty=(1.0, 0.75, 0.5, 0.5), offsets=(0.0,) * 4)
    assert quicker(standing, 0.06, 0.03).period == pytest.approx(0.24)


def test_flight_without_legs_that_landed_lifts_all():
    kinds = np.array([Primitive.FLIGHT, Primitive.LAND_STANCE, Primitive.CONNECT])
    contact = contact_schedule(GAITS["trot"].pattern(0.03), 0, 3, kinds)
    assert contact.tolist() == [[False] * 4, [True] * 4, [True, False, False, True]]
    assert [int(each) for each in Primitive] == [0, 1, 2, 3]


def test_a_body_plan_has_a_duration_and_a_way():
    states = np.zeros((4, 12))
    states[:, 0], states[:, 1], states[:, 2] = [0.0, 3.0, 3.0, 0.0], [0.0, 4.0, 4.0, 0.0], [0.0, 9.0, 0.0, 9.0]
    plan = BodyPlan(0.05, states, np.zeros((4, 3)), np.zeros(4, dtype=np.int64))
    assert plan.duration == pytest.approx(0.15)
    assert plan.length == pytest.approx(10.0)
    assert not plan.partial
