"""Leg control against MuJoCo: limits of angles, rates and torques, whatever is asked, and brakes before stops."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from mujoco_legs import RULES, Legs, Moment, Walker


@pytest.mark.parametrize("seed", range(20))
def test_targets_keep_limits_and_rates_whatever_is_asked(walker: Walker, seed: int) -> None:
    random = np.random.default_rng(seed)
    # Also from beyond the limits.
    moment = Moment(walker, seed, random.uniform(-1.0, 1.0, (4, 3)))
    legs = Legs(moment, friction=True)
    inside = np.clip(moment.angles, legs.limits[..., 0] + 0.03, legs.limits[..., 1] - 0.03)
    legs.memory.target[:] = inside
    legs.forces[:] = random.uniform(-300.0, 300.0, (4, 4, 3))
    for leg in range(2):
        legs.swing(leg, 0.0, 0.12, moment.foot(leg) + random.uniform(-1.0, 1.0, 3))
    legs.touching(2, 3)
    before = legs.memory.target.copy()
    for tick in range(20):
        out = legs.step(0.002 * tick)
        assert np.isfinite(out).all()
        assert (out[0] >= legs.limits[..., 0] + 0.03 - 1e-12).all()
        assert (out[0] <= legs.limits[..., 1] - 0.03 + 1e-12).all()
        assert (np.abs(out[0] - before) <= 0.002 * legs.most * 0.95 + 1e-12).all()
        assert (np.abs(out[1]) <= legs.most).all()
        assert (np.abs(out[4]) <= legs.efforts).all()
        assert (out[2:4] >= 0.0).all()
        before = out[0].copy()


def test_a_joint_beyond_its_limit_is_pushed_back_and_no_farther(walker: Walker) -> None:
    moment = Moment(walker, 0)
    legs = Legs(moment)
    moment.angles[1, 2] = legs.limits[1, 2, 1] - 0.01
    legs.forces[:] = (0.0, 0.0, -200.0)
    out = legs.step(0.0)
    # 0.03 rad are kept, 0.02 of them are gone: that many times the gain pushes back at least.
    assert out[1, 1, 2] <= 0.0
    assert out[4, 1, 2] <= -0.02 * out[2, 1, 2] + 1e-9


@pytest.mark.parametrize("side", [0, 1])
def test_a_joint_that_would_strike_its_stop_is_braked(walker: Walker, side: int) -> None:
    sign, room = (-1.0, 1.0)[side], 0.2
    moment = Moment(walker, 4)
    full = np.zeros((walker.model.nv, walker.model.nv))
    mujoco.mj_fullM(walker.model, moment.data, full)
    inertia = full[walker.dofs[2], walker.dofs[2]]

    def knee(speed: float, share: float = 0.5) -> tuple[np.ndarray, float]:
        """Its targets, and the torque that they come to."""
        moment.speeds[0, 2] = sign * speed
        legs = Legs(moment, RULES._replace(brake=share, frequency=5.0))
        legs.limits[0, 2, side] = moment.angles[0, 2] + sign * room
        legs.limits[0, 2, 1 - side] = moment.angles[0, 2] - sign * 2.0
        legs.touching(1, 2, 3)
        legs.swing(0, 0.0, 0.12, moment.foot(0))
        out = legs.step(0.05)[:, 0, 2]
        return out, out[4] + out[2] * (out[0] - moment.angles[0, 2]) + out[3] * (out[1] - sign * speed)

    most = walker.robot.max_effort[walker.legs.legs[0].indices[2]]
    # v^2 = 2 a s: what stops it takes 0.4 of the torque limit, which is let be, then 0.8.
    calm, quick = np.sqrt(2.0 * room * np.array([0.4, 0.8]) * most / inertia)
    assert knee(calm)[0] == pytest.approx(knee(calm, 1e6)[0])
    out, torque = knee(quick)
    assert sign * torque <= -0.8 * most + 1e-9 or out[4] == pytest.approx(-sign * most)
    assert sign * torque < sign * knee(quick, 1e6)[1]
    # Away from the stop it may be as fast as it likes.
    assert knee(-quick)[0] == pytest.approx(knee(-quick, 1e6)[0])
