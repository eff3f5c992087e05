"""Leg control against MuJoCo: stance torques, swing torques and velocity products."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from mujoco_legs import RULES, STEP, Legs, Moment, Walker

from andante.control.quadruped.leg_kernels import _velocity_product
from andante.kernels import entry

GRAVITY = 9.81
SEEDS = range(6)
velocity_product = entry(_velocity_product.py_func)


@pytest.mark.parametrize("seed", SEEDS)
def test_standing_legs_push_as_planned_at_the_point_of_contact(walker: Walker, seed: int) -> None:
    moment = Moment(walker, seed)
    legs = Legs(moment).loosen()
    legs.forces[:] = np.random.default_rng(seed + 100).uniform(-60.0, 60.0, (4, 4, 3))
    # Interval 1 begins at 0.03 s.
    out = legs.step(0.04)
    assert legs.interval == 1
    for leg, foot in enumerate(walker.robot.feet):
        point = moment.foot(leg) - [0.0, 0.0, foot.radius]
        rows = walker.dofs[3 * leg : 3 * leg + 3]
        torque = moment.data.qfrc_bias[rows] - moment.jacobian(leg, point)[:, rows].T @ legs.forces[1, leg]
        assert out[4, leg] == pytest.approx(torque, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_standing_joints_turn_so_that_the_point_of_contact_rests(walker: Walker, seed: int) -> None:
    moment = Moment(walker, seed)
    legs = Legs(moment).loosen()
    # Halfway through interval 0 the planned velocity of the centre of mass is the mean of two.
    legs.planned[0, 6:9], legs.planned[1, 6:9] = (0.4, 0.0, 0.1), (0.8, 0.2, -0.1)
    out = legs.step(0.5 * STEP)
    com = moment.data.subtree_com[walker.model.body(walker.robot.base_body).id]
    for leg, foot in enumerate(walker.robot.feet):
        point = moment.foot(leg) - [0.0, 0.0, foot.radius]
        rows = walker.dofs[3 * leg : 3 * leg + 3]
        carried = np.array([0.6, 0.1, 0.0]) + np.cross(moment.rotation @ moment.turn, point - com)
        assert carried + moment.jacobian(leg, point)[:, rows] @ out[1, leg] == pytest.approx(np.zeros(3), abs=2e-3)
        assert out[0, leg] == pytest.approx(moment.angles[leg])


@pytest.mark.parametrize("seed", SEEDS)
def test_velocity_products_are_what_a_foot_does_while_nothing_accelerates(walker: Walker, seed: int) -> None:
    moment, small = Moment(walker, seed), 1e-5
    before, after = moment.at(-small), moment.at(small)
    for leg in range(4):
        ways = [moment.jacobian(leg, moment.foot(leg, data), data) @ data.qvel for data in (before, after)]
        found = np.zeros(3)
        velocity_product(moment.state, leg, moment.speeds, moment.state.feet[leg].copy(), found)
        assert found == pytest.approx((ways[1] - ways[0]) / (2.0 * small), abs=2e-5)


@pytest.mark.parametrize("seed", SEEDS)
def test_swinging_legs_get_the_torques_of_inverse_dynamics(walker: Walker, seed: int) -> None:
    """The foot accelerates as its way asks while the body does as the planned forces let it."""
    moment = Moment(walker, seed)
    # Without gains there are no errors, with no joint friction nothing else.
    legs = Legs(moment, RULES._replace(frequency=0.0)).loosen()
    legs.forces[:, 1:] = (8.0, -3.0, 40.0)
    push = np.array([24.0, -9.0, 120.0]) / RULES.mass - [0.0, 0.0, GRAVITY]
    time, begin, end = 0.045, 0.0, 0.12
    goal = moment.foot(0) + np.array([0.12, 0.03, 0.02])
    legs.swing(0, begin, end, goal)
    legs.touching(1, 2, 3)
    torque = legs.step(time)[4, 0]
    # A cubic from rest to rest: way (6 - 12 s) / T^2; up in the first half of the time.
    share, up = time / 0.12, time / 0.06
    way = goal - moment.foot(0)
    asked = way * (6.0 - 12.0 * share) / 0.12**2
    asked[2] = (way[2] + 0.05) * (6.0 - 12.0 * up) / 0.06**2
    small, rows = 1e-5, walker.dofs[:3]
    ways = [
        moment.jacobian(0, moment.foot(0, data), data) @ data.qvel for data in (moment.at(-small), moment.at(small))
    ]
    product = (ways[1] - ways[0]) / (2.0 * small)
    data = moment.data
    data.qacc[:3] = push
    data.qacc[rows] = np.linalg.solve(moment.jacobian(0, moment.foot(0))[:, rows], asked - push - product)
    # Other legs do not accelerate against the body; with links that turn on it they change nothing here.
    mujoco.mj_inverse(walker.model, data)
    passive = data.qfrc_passive[rows] + data.qfrc_constraint[rows]
    inverse = data.qfrc_inverse[rows] + passive
    assert np.abs(inverse).max() > 0.5
    assert torque == pytest.approx(inverse, rel=0.02, abs=0.02)


def test_a_swinging_joint_gets_the_torque_that_its_friction_takes(walker: Walker) -> None:
    torques = []
    for friction in (False, True):
        legs = Legs(Moment(walker, 3), friction=friction).loosen()
        legs.friction[:], legs.viscous[:] = 0.4 * friction, 0.02 * friction
        legs.swing(0, 0.0, 0.12, legs.moment.foot(0) + np.array([0.1, 0.0, 0.0]))
        legs.touching(1, 2, 3)
        out = legs.step(0.05)
        torques.append(out[4, 0].copy())
    speed = out[1, 0]
    assert torques[1] - torques[0] == pytest.approx(0.4 * np.tanh(speed / 0.5) + 0.02 * speed, abs=1e-9)


def test_errors_of_a_swing_act_as_one_natural_frequency(walker: Walker) -> None:
    moment = Moment(walker, 2)
    legs = Legs(moment).loosen()
    legs.swing(0, 0.0, 0.12, moment.foot(0) + np.array([0.02, 0.0, 0.0]), apex=0.01)
    legs.touching(1, 2, 3)
    out = legs.step(0.06)
    rows = walker.dofs[:3]
    inertia = np.zeros((walker.model.nv, walker.model.nv))
    mujoco.mj_fullM(walker.model, moment.data, inertia)
    assert out[2, 0] == pytest.approx(40.0**2 * np.diag(inertia)[rows])
    assert out[3, 0] == pytest.approx(2.0 * 40.0 * np.diag(inertia)[rows])
    calm = Legs(moment, RULES._replace(frequency=0.0)).loosen()
    calm.swings, calm.contact = legs.swings, legs.contact
    base = calm.step(0.06)[4, 0]
    # What the drives add is the diagonal; together it is M (w^2 e + 2 w e').
    error = 40.0**2 * (out[0, 0] - moment.angles[0]) + 80.0 * (out[1, 0] - moment.speeds[0])
    drives = out[2, 0] * (out[0, 0] - moment.angles[0]) + out[3, 0] * (out[1, 0] - moment.speeds[0])
    assert out[4, 0] + drives - base == pytest.approx(inertia[np.ix_(rows, rows)] @ error, abs=1e-9)


@pytest.mark.parametrize(("away", "acted_on"), [(0.04, 0.04), (0.3, RULES.error)])
def test_a_foot_far_from_its_way_is_drawn_there_by_a_bounded_error(
    walker: Walker, away: float, acted_on: float
) -> None:
    """A push moves footholds by far more than a leg can follow at once."""
    moment = Moment(walker, 2)
    legs = Legs(moment).loosen()
    way = np.array([0.0, away, 0.0])
    legs.swing(0, 0.0, 0.12, moment.foot(0) + way, apex=1e-6)
    legs.touching(1, 2, 3)
    out = legs.step(0.12)
    found = moment.jacobian(0, moment.foot(0))[:, walker.dofs[:3]] @ (out[0, 0] - moment.angles[0])
    assert found == pytest.approx(way * acted_on / away, abs=2e-3)


def test_the_interval_is_that_of_the_time(walker: Walker) -> None:
    legs = Legs(Moment(walker, 0))
    found = []
    for time in (-0.01, 0.0, 0.029, 0.03, 0.0899, 0.09, 0.5):
        legs.step(time)
        found.append(legs.interval)
    assert found == [0, 0, 0, 1, 2, 3, 3]
