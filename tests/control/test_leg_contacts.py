"""Leg control against MuJoCo: contacts that come early, late or not at all, and legs in a flight."""

from __future__ import annotations

import numpy as np
import pytest
from mujoco_legs import RULES, Legs, Moment, Walker

from andante.control.quadruped.leg_kernels import _flying, _turn_with_body
from andante.kernels import entry
from andante.spatial import rotations

turn_with_body = entry(_turn_with_body.py_func)
flying = entry(_flying.py_func)


def swinging(walker: Walker) -> Legs:
    """The left fore leg swings for two intervals and then stands; all others stand."""
    legs = Legs(Moment(walker, 1))
    legs.forces[:] = (0.0, 0.0, 40.0)
    legs.swing(0, 0.0, 0.06, legs.moment.foot(0) + np.array([0.05, 0.0, 0.0]))
    legs.touching(1, 2, 3)
    return legs


def test_a_foot_that_touches_late_in_its_swing_stands(walker: Walker) -> None:
    legs = swinging(walker)
    legs.step(0.002)
    assert legs.memory.landed.tolist() == [False, True, True, True]
    legs.touching(0, 1, 2, 3)
    # 0.6 of the swing are 36 ms: until then it may be the ground that it leaves.
    legs.step(0.034)
    assert not legs.memory.landed[0]
    gains = legs.step(0.04)[2, 0]
    assert legs.memory.landed[0]
    assert gains == pytest.approx(0.1 * 40.0**2 * np.diag(legs.moment.state.inertia)[legs.moment.model.dofs[0]])
    # It goes on to stand, although the switch bounces.
    legs.touching(1, 2, 3)
    legs.step(0.044)
    assert legs.memory.landed[0]


def test_a_foot_that_finds_no_ground_goes_on_down_until_it_does(walker: Walker) -> None:
    legs = swinging(walker)
    for time in np.arange(0.0, 0.06, 0.002):
        legs.step(time)
    end = legs.moment.foot(0) + np.array([0.05, 0.0, 0.0])
    assert legs.memory.end[0] == pytest.approx(end)
    asked = []
    for time in np.arange(0.062, 0.12, 0.002):
        out = legs.step(time)
        asked.append(legs.moment.foot(0) + _motion(legs, out))
        assert not legs.memory.landed[0]
        # It does not push: no share of a standing leg's gains.
        assert out[2, 0] == pytest.approx(40.0**2 * np.diag(legs.moment.state.inertia)[legs.moment.model.dofs[0]])
    assert asked[-1][2] < asked[0][2]
    legs.touching(0, 1, 2, 3)
    legs.step(0.12)
    assert legs.memory.landed[0]
    # And it does not probe again where the switch stays closed.
    legs.step(0.122)
    assert legs.memory.landed[0]
    assert not legs.memory.swung[0]


def _motion(legs: Legs, out: np.ndarray) -> np.ndarray:
    """Where the foot is sent from where it is, to first order, (3,) [m]."""
    rows = legs.moment.walker.dofs[:3]
    jacobian = legs.moment.jacobian(0, legs.moment.foot(0))[:, rows]
    return np.asarray(jacobian @ (out[0, 0] - legs.moment.angles[0]))


@pytest.mark.parametrize(("flight", "speed"), [((0,), 0.3), ((0, 1, 2, 3), 0.1)])
def test_a_foot_that_comes_down_from_a_flight_looks_for_the_ground_at_a_speed_of_its_own(
    walker: Walker, flight: tuple[int, ...], speed: float
) -> None:
    legs = Legs(Moment(walker, 1), RULES._replace(landing_probe=0.1, lost=1.0)).loosen()
    for leg in flight:
        legs.swing(leg, 0.0, 0.06, legs.moment.foot(leg), apex=0.0)
    legs.touching(*(leg for leg in range(4) if leg not in flight))
    for time in np.arange(0.0, 0.08, 0.002):
        out = legs.step(time)
    # It is 18 ms late.
    assert _motion(legs, out) == pytest.approx([0.0, 0.0, -0.018 * speed], abs=1e-4)
    # Once it has stood, the next swing is an ordinary one.
    legs.touching(0, 1, 2, 3)
    legs.step(0.08)
    legs.step(0.082)
    assert not legs.memory.flown[0]


def test_without_probing_a_late_foot_pushes_by_its_plan(walker: Walker) -> None:
    legs = swinging(walker)
    legs.rules = RULES._replace(probe=0.0, lost=1.0)
    for time in np.arange(0.0, 0.068, 0.002):
        legs.step(time)
    assert legs.memory.landed[0]


def test_a_standing_foot_that_loses_the_ground_looks_for_it(walker: Walker) -> None:
    legs = Legs(Moment(walker, 4))
    legs.forces[:] = (0.0, 0.0, 40.0)
    stands = legs.step(0.0)[2, 2].copy()
    legs.touching(0, 1, 3)
    # 20 ms without the switch are forgiven, as switches bounce.
    assert legs.step(0.018)[2, 2] == pytest.approx(stands)
    looks = legs.step(0.024)
    assert looks[2, 2] == pytest.approx(10.0 * stands)
    assert legs.memory.landed.tolist() == [True, True, False, True]
    assert legs.memory.end[2] == pytest.approx(legs.moment.foot(2))
    legs.touching(0, 1, 2, 3)
    assert legs.step(0.03)[2, 2] == pytest.approx(stands)
    assert legs.memory.landed.all()


@pytest.mark.parametrize("seed", range(6))
def test_in_a_flight_a_swing_turns_with_the_body(walker: Walker, seed: int) -> None:
    moment, random = Moment(walker, seed), np.random.default_rng(seed)
    state, small = moment.state, 1e-6
    yaw = np.arctan2(moment.rotation[1, 0], moment.rotation[0, 0])
    tilt = moment.rotation @ rotations.rotation_z(-yaw)
    away, speed = random.uniform(-0.3, 0.3, 3), random.uniform(-2.0, 2.0, 3)
    place, velocity = state.com + away, state.velocity + speed
    turn_with_body(state, 1.0, place, velocity)
    assert place == pytest.approx(state.com + tilt @ away)
    # The same place a moment later, with the body turned on about the level axes.
    level = np.array([state.angular[0], state.angular[1], 0.0])
    later = rotations.to_matrix(rotations.exp(level * small)) @ tilt @ (away + speed * small)
    assert velocity - state.velocity == pytest.approx((later - tilt @ away) / small, abs=1e-4)
    half, slow = state.com + away, state.velocity + speed
    turn_with_body(state, 0.5, half, slow)
    assert half == pytest.approx(state.com + 0.5 * (away + tilt @ away))


def test_legs_turn_with_the_body_only_far_from_landings(walker: Walker) -> None:
    legs = Legs(Moment(walker, 1))
    legs.touching()
    stands = np.zeros(4)
    for leg in range(4):
        legs.swing(leg, -0.1, 0.20 + 0.01 * leg, legs.moment.foot(leg))
    # The first lands in 0.2 s; from 0.12 to 0.06 s before that it fades.
    for time, share in ((0.0, 1.0), (0.08, 1.0), (0.11, 0.5), (0.14, 0.0), (0.2, 0.0)):
        assert flying(RULES, legs.moment.state, legs.swings, stands, time) == pytest.approx(share)
    stands[3] = 1.0
    assert flying(RULES, legs.moment.state, legs.swings, stands, 0.0) == 0.0
    stands[3] = 0.0
    legs.touching(2)
    assert flying(RULES, legs.moment.state, legs.swings, stands, 0.0) == 0.0
