"""Which feet carry the contact-aided filter and what they measure, against a Kalman filter written with matrices."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.control.estimation.contact_kalman import ContactKalmanSettings
from andante.control.estimation.contact_memory import (
    CONTRADICTION,
    FLIGHT,
    FOOT,
    GYRO,
    NO_GYRO,
    PLACE,
    SPEED,
    STRAIN,
    TURN,
    ContactModel,
    empty_memory,
)
from andante.control.estimation.contact_stance import stand
from andante.control.estimation.floating_base import Doubt
from andante.documents.settings import filled
from andante.kernels import entry
from andante.kinematics.leg_table import LeggedBody
from andante.robots.robot import Robot
from andante.spatial.gravity import GRAVITY
from andante.spatial.rotations import from_rpy, to_matrix

stand = entry(stand.py_func)
STEP = 0.125
# Times of whole eighths, so that limits are met exactly.
SETTINGS = ContactKalmanSettings(
    landing=0.5, early=0.25, switch_timeout=0.25, ground_interval=0.25, contradiction=0.25, strain_time=0.5, leg=0.01,
    foot_drift=0.02, gyro=0.05, encoder=0.003, encoder_rate=0.1,
)  # fmt: skip


@pytest.fixture(scope="module")
def dog():
    return LeggedBody.of(Robot.load("littledog"))


def skew(v):
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def moment(rng, count=4):
    """A filter in the middle of a walk whose numbers are of no path."""
    memory, near = empty_memory(count), lambda *each: each[rng.integers(len(each))]
    memory.rotation[:] = to_matrix(from_rpy(rng.normal(0.0, 0.3, 3)))
    memory.motion[0] = rng.normal(0.0, near(0.002, 0.05, 0.1, 0.6), 3)
    memory.motion[1] = rng.normal(0.0, 1.0, 3)
    memory.offsets[:] = rng.normal(0.0, 0.01, (2, 3))
    root = rng.normal(0.0, near(0.003, 0.02), memory.covariance.shape)
    memory.covariance[:] = root @ root.T
    memory.shift[:] = rng.normal(0.0, 0.002, len(memory.shift))
    memory.imu[:2] = rng.normal(0.0, 0.1, (2, 3))
    memory.joints[:count] = np.array([0.1, -0.6, 1.2]) * rng.uniform(0.5, 1.0, (count, 3))
    memory.joints[count:] = rng.normal(0.0, near(0.01, 0.5, 3.0), (count, 3))
    tilt = rng.normal(0.0, 0.2, (count, 3)) + np.array([0.0, 0.0, 1.0])
    memory.ground[:, :3] = tilt / np.linalg.norm(tilt, axis=1)[:, None]
    for leg in range(count):
        memory.stood[leg] = near(-1.0, 0.0, 0.125, 0.375, 0.5, 2.0)
        memory.closed[leg] = near(0.0, 0.125, 0.25, 1.0)
        memory.reopened[leg] = near(0.0, 1.0)
        memory.stuck[leg] = near(0.0, 0.03125, 0.125, 0.28125, 0.25, 0.5)
        memory.lost[leg] = near(0.0, 0.0625, 0.125, 0.3125, 0.25, 0.5)
        memory.measured[leg] = near(0.0, 0.125, 0.25, math.inf)
    memory.clocks[[FLIGHT, CONTRADICTION, NO_GYRO, STRAIN]] = near(0.0, 0.7), near(0.0, 0.25, 0.3), near(0.0, 0.1), 1.5
    return memory


class Model:
    """The same on copies, by matrices."""

    def __init__(self, body, model, memory):
        self.body, self.model = body, model
        self.m = type(memory)(*(each.copy() for each in memory))

    def look(self, leg):
        m, table, count = self.m, self.body.table, len(self.body.legs)
        angles, rates, kind = m.joints[leg], m.joints[count + leg], self.body.legs[leg]
        near = 1e-6 * np.eye(3)
        jacobian = np.stack([(kind.place(angles + d) - kind.place(angles - d)) / 2e-6 for d in near], axis=1)
        place, rate = kind.place(angles) - self.model.lever, m.imu[0] - m.offsets[0]
        self.arm = m.rotation @ place
        roll = table.signs[leg, 0] * angles[0]
        link = rate + np.array([table.signs[leg, 0] * rates[0], 0.0, 0.0])
        link = link + np.array([0.0, math.cos(roll), math.sin(roll)]) * (table.signs[leg, 1:] @ rates[1:])
        normal, radius = m.ground[leg, :3], self.model.rolling * table.radius[leg]
        over = m.rotation @ (jacobian @ rates + np.cross(rate, place))
        self.error = radius * np.cross(m.rotation @ link, normal) - over - m.motion[0]
        self.touch = self.arm - radius * normal
        turned = m.rotation @ jacobian
        self.sway = turned @ turned.T

    def correct(self, h, noise, z):
        """One update by rows h; the squared error."""
        m = self.m
        p = 0.5 * (m.covariance + m.covariance.T)
        spread, error = h @ p @ h.T + noise, z - h @ m.shift
        square = float(error @ np.linalg.solve(spread, error))
        if square <= self.model.gate:
            gain = np.linalg.solve(spread, h @ p).T
            m.shift[:] += gain @ error
            m.covariance[:] = p - gain @ h @ p
        return square

    def speed(self, landing):
        model, h = self.model, np.zeros((3, len(self.m.shift)))
        h[:, SPEED : SPEED + 3], h[:, GYRO : GYRO + 3] = np.eye(3), skew(self.touch) @ self.m.rotation
        gyro = model.blind_rate if self.m.clocks[NO_GYRO] > 0.0 else model.gyro
        even = model.leg_speed**2 + gyro**2 * (self.touch @ self.touch) + (landing * model.landing_speed) ** 2
        square = self.correct(h, even * np.eye(3) + model.encoder_rate**2 * self.sway, self.error)
        if square > model.gate:
            return False
        self.m.clocks[STRAIN] += min(STEP / model.strain_time, 1.0) * (square - self.m.clocks[STRAIN])
        return True

    def place(self, leg):
        m, model, first = self.m, self.model, FOOT + 3 * leg
        h = np.zeros((3, len(m.shift)))
        h[:, first : first + 3], h[:, PLACE : PLACE + 3] = np.eye(3), -np.eye(3)
        noise = model.leg**2 * np.eye(3) + model.encoder**2 * self.sway
        return self.correct(h, noise, self.arm - m.feet[leg] + m.motion[1]) <= model.gate

    def height(self, leg):
        m, first = self.m, FOOT + 3 * leg + 2
        h = np.zeros((1, len(m.shift)))
        h[0, [first, TURN, TURN + 1]] = 1.0, m.feet[leg, 1], -m.feet[leg, 0]
        self.correct(h, np.array([[self.model.ground**2]]), np.array([m.ground[leg, 3] - m.feet[leg, 2]]))
        m.measured[leg] = 0.0

    def watch(self, leg, switch, plan, speed):
        m, model = self.m, self.model
        if plan > 0.5:
            m.reopened[leg] = 0.0
        if switch > 0.5:
            m.closed[leg] += STEP
            m.lost[leg] = 0.0
            way = STEP if math.isfinite(speed) and speed > model.moving else -STEP / 4.0
            m.stuck[leg] = np.clip(m.stuck[leg] + way, 0.0, 2.0 * model.switch_timeout)
        else:
            m.closed[leg] = m.stuck[leg] = 0.0
            if plan == 0.0:
                m.reopened[leg] = 1.0
            if plan > 0.5:
                way = STEP if speed < model.still else -STEP / 2.0
                m.lost[leg] = np.clip(m.lost[leg] + way, 0.0, 2.0 * model.switch_timeout)
        if m.stuck[leg] > model.switch_timeout:
            return Doubt.SWITCH_CLOSED
        return Doubt.SWITCH_OPEN if m.lost[leg] > model.switch_timeout or not math.isfinite(switch) else 0

    def stand(self, switches, plans, good, rated):
        m, model, doubts, touching, tried, believed = self.m, self.model, [], [], 0, 0
        desperate = m.clocks[CONTRADICTION] > model.contradiction
        if desperate:
            m.covariance[SPEED : SPEED + 3, SPEED : SPEED + 3] += 0.01 * np.eye(3)
        for leg, (switch, plan) in enumerate(zip(switches, plans, strict=True)):
            self.look(leg)
            speed = float(np.linalg.norm(self.error)) if good[leg] else math.inf
            doubt, closed, still = self.watch(leg, switch, plan, speed), switch > 0.5, speed < model.still
            allowed, free = plan == 1.0, plan == -1.0
            if doubt == Doubt.SWITCH_OPEN:
                touches, stands = allowed, allowed and still
            elif doubt == Doubt.SWITCH_CLOSED:
                touches = allowed or (free and still)
                stands = desperate or (touches and still)
            else:
                again = m.reopened[leg] == 1.0 and m.closed[leg] > model.early and still
                touches, stands = closed, closed and (allowed or free or again)
            touching.append(float(touches))
            if not good[leg]:
                doubt, stands = doubt | Doubt.ENCODER, False
            elif stands or (closed and doubt == Doubt.SWITCH_CLOSED):
                tried += 1
            carried = stands and m.stood[leg] >= 0.0
            if carried:
                landing = max(0.0, 1.0 - m.stood[leg] / model.landing) if model.landing else 0.0
                own = slice(FOOT + 3 * leg, FOOT + 3 * leg + 3)
                m.covariance[own, own] += (model.foot_drift + landing * model.landing_drift) ** 2 * STEP * np.eye(3)
                carried = (not rated[leg] or self.speed(landing)) and self.place(leg)
                if carried:
                    believed += 1
                    m.stood[leg] += STEP
                else:
                    doubt |= Doubt.SLIP
            if not carried:
                m.feet[leg] = m.motion[1] + self.arm
                moved = np.eye(len(m.shift))
                own = slice(FOOT + 3 * leg, FOOT + 3 * leg + 3)
                moved[own] = moved[PLACE : PLACE + 3]
                m.covariance[:] = moved @ m.covariance @ moved.T
                m.covariance[own, own] += model.encoder**2 * self.sway + model.leg**2 * np.eye(3)
                m.shift[own] = m.shift[PLACE : PLACE + 3]
                m.stood[leg], m.measured[leg] = (0.0 if stands else -1.0), math.inf
            m.measured[leg] += STEP
            settled = m.stood[leg] > 0.0 and m.stood[leg] >= model.landing
            if math.isfinite(m.ground[leg, 3]) and settled and m.measured[leg] > model.ground_interval and not doubt:
                self.height(leg)
            doubts.append(float(doubt))
        m.clocks[FLIGHT] = 0.0 if believed else m.clocks[FLIGHT] + STEP
        m.clocks[CONTRADICTION] = m.clocks[CONTRADICTION] + STEP if tried and not believed else 0.0
        return doubts, touching


@pytest.mark.parametrize("landing", [0.5, 0.0])
def test_feet_carry_and_measure_as_matrices_have_it(dog, landing):
    settings = SETTINGS.changed(landing=landing)
    model = filled(ContactModel, settings, mount=np.eye(3), lever=np.array([0.03, -0.02, 0.05]), gravity=GRAVITY)
    seen: set[int] = set()
    kept = measured = 0
    for seed in range(90 if landing else 10):
        rng = np.random.default_rng(seed)
        memory = moment(rng)
        plain = Model(dog, model, memory)
        for leg in range(4):
            plain.look(leg)
            memory.feet[leg] = memory.motion[1] + plain.arm + rng.normal(0.0, rng.choice([0.003, 0.02]), 3)
            memory.ground[leg, 3] = rng.choice([memory.feet[leg, 2] + 0.005, memory.feet[leg, 2] - 0.2, math.nan])
        plain = Model(dog, model, memory)
        usual = rng.random() < 0.6
        switches = np.ones(4) if usual else rng.choice([0.0, 1.0, 0.5, math.nan], 4)
        plans = rng.choice([1.0, -1.0] if usual else [1.0, 0.0, -1.0], 4)
        good, rated = (rng.random((2, 4)) > 0.1).astype(float)
        doubts, touching = np.empty(4), np.empty(4)
        stand(dog.table, model, memory, switches, plans, good, rated, STEP, doubts, touching)
        wanted = plain.stand(switches, plans, good, rated)
        assert (doubts.tolist(), touching.tolist()) == wanted, seed
        for name in ("feet", "shift", "covariance", "stood", "closed", "reopened", "stuck", "lost", "measured",
                     "clocks"):  # fmt: skip
            np.testing.assert_allclose(getattr(memory, name), getattr(plain.m, name), rtol=1e-6, atol=2e-8,
                                       err_msg=f"{seed} {name}")  # fmt: skip
        seen |= {int(each) for each in doubts}
        kept += int((memory.stood > 0.0).sum())
        measured += int((memory.measured == 0.0).sum())
    assert kept > 5
    if landing:
        assert measured > 3
        assert {0, int(Doubt.SLIP), int(Doubt.SWITCH_OPEN), int(Doubt.SWITCH_CLOSED), int(Doubt.ENCODER)} <= seen
