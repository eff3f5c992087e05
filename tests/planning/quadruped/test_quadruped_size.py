"""Robots of one shape and any size and mass move alike: times as the root of the lengths, forces as the weights."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.planning.nmpc.online import OnlineNmpc
from andante.planning.nmpc.settings import NmpcSettings
from andante.planning.quadruped.body import QuadrupedBody
from andante.planning.quadruped.gait import GAITS, of_size
from andante.planning.quadruped.local_plan import LocalPlan, LocalRequest
from andante.planning.quadruped.local_planner import LocalPlanner
from andante.planning.quadruped.settings import GO2_LEG, GO2_TURNING, LocalSettings, turning
from andante.planning.quadruped.speed_trim import SpeedTrim
from andante.robots.robot import Robot
from andante.runs.tasks.quadruped.task import QuadrupedTask
from andante.runs.tasks.quadruped.torque_driven import torque_driven
from andante.search.experiment.trial import TrialSetup, run_trial

sys.path.append(str(Path(__file__).resolve().parent))
from made_quadrupeds import Made

PLANS = 40


def body_of(folder: Path, made: Made) -> QuadrupedBody:
    path = folder / f"made-{made.size}-{made.mass}.xml"
    path.write_text(made.mjcf)
    return QuadrupedBody.of(torque_driven(Robot.load(path)))


def test_a_robot_alike_on_all_sides_has_an_inertia_alike_on_both_sides_of_its_diagonal(tmp_path):
    inertia = body_of(tmp_path, Made(size=0.7, knees=(-1, 1))).rigid.inertia
    assert abs(inertia[0, 2]) < 1e-12 * inertia[0, 0]
    assert np.array_equal(inertia, inertia.T)


def plans_of(body: QuadrupedBody) -> list[LocalPlan]:
    """Plans of a robot that walks off, is pushed to the side and stands again; all times grow with its size."""
    size = body.legs.leg_length / GO2_LEG
    root = math.sqrt(size)
    usual = LocalSettings()
    # Those of a computer stay in use; here they shall be as much longer too.
    local = usual.changed(interval=0.01 * root, latency=0.0)
    fitted = local.fitted(body)
    step = 0.03 * root
    solvers = [
        OnlineNmpc(fitted.nmpc.changed(step=step, weights=weights), body.rigid)
        for weights in (fitted.nmpc.weights, fitted.hurry_weights)
    ]
    planner = LocalPlanner(body, solvers[0], local, None, solvers[1])
    gait = GAITS["trot"].changed(period=0.36 * root)
    feet = body.hips - body.com
    feet[:, 2] = body.radius
    found = []
    for tick in range(PLANS):
        time = tick * 0.01 * root
        state = np.zeros(12)
        state[:3] = 0.3 * root * time, 0.01 * size, body.height - 0.01 * size
        state[3:6] = 0.03, -0.02, 0.05
        state[6:9] = 0.3 * root, (1.2 if 15 <= tick < 25 else 0.1) * root, 0.05 * root
        state[9:] = np.array([0.2, -0.3, 0.1]) / root
        twist = np.array([0.5 * root, 0.1 * root, 0.3 / root])
        moved = feet + np.array([state[0], 0.0, 0.0])
        found.append(planner.plan(LocalRequest(time, state, moved, np.ones(4, dtype=np.bool_), twist, gait)))
    return found


@pytest.fixture(scope="module", name="middle")
def _middle(tmp_path_factory: pytest.TempPathFactory) -> tuple[QuadrupedBody, list[LocalPlan]]:
    body = body_of(tmp_path_factory.mktemp("made"), Made())
    return body, plans_of(body)


@pytest.mark.parametrize(("size", "mass"), [(0.16, 2.5), (0.45, 60.0), (0.9, 130.0), (1.8, 15.0)])
def test_a_robot_of_another_size_and_mass_plans_the_same(
    tmp_path: Path, middle: tuple[QuadrupedBody, list[LocalPlan]], size: float, mass: float
) -> None:
    first, plans = middle
    body = body_of(tmp_path, Made(mass=mass, size=size))
    s = body.legs.leg_length / first.legs.leg_length
    weight = body.rigid.mass / first.rigid.mass
    units = np.array([s] * 3 + [1.0] * 3 + [math.sqrt(s)] * 3 + [1.0 / math.sqrt(s)] * 3)
    assert any(plan.solution.solved for plan in plans)
    for plan, other in zip(plans, plans_of(body), strict=True):
        assert other.mode is plan.mode
        np.testing.assert_array_equal(other.contact, plan.contact)
        np.testing.assert_allclose(other.times, math.sqrt(s) * plan.times, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(other.states, units * plan.states, rtol=1e-6, atol=1e-6 * units.max())
        np.testing.assert_allclose(other.forces, weight * plan.forces, rtol=1e-6, atol=1e-5 * weight)


def test_settings_are_for_go2_and_a_body_that_turns_slower_weighs_tilts_more(tmp_path: Path) -> None:
    usual = LocalSettings()
    short, long = body_of(tmp_path, Made(mass=15.0)), body_of(tmp_path, Made(mass=16.0, length=0.75))
    assert turning(short) == pytest.approx(GO2_TURNING, rel=0.3)
    weights = [usual.fitted(body).nmpc.weights for body in (short, long)]
    ratio = (turning(long) / turning(short))[1] ** 2
    assert ratio > 1.3
    assert weights[1][4] / weights[0][4] == pytest.approx(ratio)
    assert weights[1][:3] == pytest.approx(weights[0][:3])


@given(size=st.floats(0.2, 4.0))
def test_weights_of_a_size_leave_the_cost_of_like_errors_as_it_is(size: float) -> None:
    usual, scaled = NmpcSettings(), NmpcSettings().scaled(size)
    root = math.sqrt(size)
    errors = np.array([size] * 3 + [1.0] * 3 + [root] * 3 + [1.0 / root] * 3)
    assert scaled.weights * errors**2 == pytest.approx(np.array(usual.weights))
    assert (scaled.step, scaled.share_weight, scaled.states) == (usual.step, usual.share_weight, usual.states)
    assert usual.scaled(size).scaled(1.0 / size).weights == pytest.approx(usual.weights)


@given(name=st.sampled_from(sorted(GAITS)), size=st.floats(0.3, 4.0))
def test_a_gait_by_name_takes_longer_for_longer_legs_and_all_feet_stand_alike(name: str, size: float) -> None:
    gait = of_size(GAITS[name], size, 0.03)
    assert of_size(GAITS[name], 1.0, 0.03).period == pytest.approx(GAITS[name].period)
    assert gait.period == pytest.approx(GAITS[name].period * math.sqrt(size), abs=0.5 * 0.03 * 6 + 0.031)
    standing = gait.pattern(0.03).sum(axis=0)
    assert standing.min() == standing.max()


def test_a_steady_error_of_the_speed_is_made_up_for_and_a_push_teaches_nothing() -> None:
    trim, twist = SpeedTrim(LocalSettings()), np.array([0.5, 0.0, 0.0])
    speed, state = 0.0, np.zeros(12)
    state[5] = 0.5 * math.pi
    for tick in range(400):
        asked = trim.asked(0.01 * tick, twist, state, stepping=True, caught=False)
        # A body that runs 6 % and 2 cm/s too fast, ahead along y.
        speed += 0.1 * (1.06 * asked[0] + 0.02 - speed)
        state[7] = speed
    assert speed == pytest.approx(0.5, abs=2e-3)
    before = asked.copy()
    state[7] = 2.0
    for tick in range(400, 450):
        asked = trim.asked(0.01 * tick, twist, state, stepping=True, caught=True)
    np.testing.assert_array_equal(asked, before)
    assert trim.asked(4.5, twist, state, stepping=False, caught=False).tolist() == twist.tolist()


@settings(max_examples=20)
@given(speed=st.floats(-5.0, 5.0), side=st.floats(-5.0, 5.0))
def test_what_is_asked_in_addition_stays_within_its_bound(speed: float, side: float) -> None:
    local = LocalSettings()
    trim, state = SpeedTrim(local), np.zeros(12)
    state[6:8] = speed, side
    for tick in range(300):
        asked = trim.asked(0.01 * tick, np.array([0.4, 0.1, 0.2]), state, stepping=True, caught=False)
    assert math.hypot(asked[0] - 0.4, asked[1] - 0.1) <= local.trim + 1e-9
    assert asked[2] == 0.2


@pytest.mark.slow
@pytest.mark.parametrize("made", [Made(2.5, 0.2), Made(130.0, 0.8, legs=0.3), Made(20.0, 0.5, width=0.4, knees=(1, 1))])
def test_quadrupeds_that_nobody_built_walk_as_fast_and_as_high_as_they_are_asked_to(tmp_path: Path, made: Made) -> None:
    path = tmp_path / "made.xml"
    path.write_text(made.mjcf)
    twist = (0.5 * math.sqrt(QuadrupedBody.of(Robot.load(path)).legs.leg_length / GO2_LEG), 0.0, 0.0)
    setup = TrialSetup(QuadrupedTask(str(path), twist, seconds=5.0), observers={"quadruped": {}}, judged=False)
    metrics = run_trial(setup, 980001).metrics["quadruped"]
    assert metrics["upright"], metrics["cause"]
    assert metrics["along"]["share"] <= 0.03
    assert metrics["height_off"] == pytest.approx(0.0, abs=0.01)
