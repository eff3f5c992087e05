"""A whole tick of the contact-aided filter against one written with matrices: readings, prediction, tilt, state told.

Which feet carry and what they measure is tested by `test_contact_stance`; here that kernel runs on both sides.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import expm

from andante.control.estimation.contact_kalman import ContactKalmanSettings
from andante.control.estimation.contact_kernels import advance
from andante.control.estimation.contact_memory import (
    ASKEW,
    CONTRADICTION,
    FLIGHT,
    FOOT,
    FORCE,
    GYRO,
    LEG_OUTPUTS,
    NO_FORCE,
    NO_GYRO,
    OUTPUTS,
    PLACE,
    SPEED,
    STRAIN,
    TURN,
    WAY,
    YAW,
    ContactModel,
    empty_memory,
)
from andante.control.estimation.contact_stance import stand
from andante.control.estimation.floating_base import Doubt
from andante.documents.settings import filled
from andante.kernels import entry
from andante.kinematics.leg_table import LeggedBody
from andante.robots.robot import Robot
from andante.spatial.rotations import from_rpy, to_matrix

stand = entry(stand.py_func)
STEP, EARTH = 0.125, 9.75
# Times of whole eighths, so that limits are met exactly.
SETTINGS = ContactKalmanSettings(
    landing=0.5, early=0.25, switch_timeout=0.25, repeat=0.25, contradiction=0.25, askew=0.25, doubted=0.5, strain=3.0,
    strain_time=0.5, flight=0.5, blind=0.25, blind_rate=0.7, blind_force=4.0, blind_time=0.3, worst_speed=0.2,
    worst_tilt=0.1, gyro=0.05, accelerometer=0.2, impact=0.4, gyro_walk=0.003, accelerometer_walk=0.02,
    gyro_offset=0.02, accelerometer_offset=0.06, tilt=0.03, tilt_time=1.0, leg=0.01, gate=12.0,
)  # fmt: skip
MOUNT = to_matrix(from_rpy(np.array([0.3, -0.2, 1.1])))
LEVER = np.array([0.03, -0.02, 0.05])
MODEL = filled(ContactModel, SETTINGS, mount=MOUNT, lever=LEVER, gravity=EARTH)


def skew(v):
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


class Tick:
    """One tick on copies, by matrices."""

    def __init__(self, body, memory):
        self.body, self.m = body, type(memory)(*(each.copy() for each in memory))

    def legs(self, readings, step):
        """Which legs' angles and rates are believed, and whether any encoder changed."""
        m, count = self.m, len(self.body.legs)
        was = m.readings[:count].copy(), m.readings[count:].copy()
        possible = np.abs(readings[0]) < 100.0
        self.alive = bool((possible & (readings[0] != was[0])).any())
        self.good, self.rated = np.zeros(count), np.zeros(count)
        for leg in range(count):
            angles, rates, health = readings[:, leg]
            if (angles == was[0][leg]).all() and (rates == was[1][leg]).all():
                m.repeated[leg] += step if self.alive else 0.0
            else:
                m.repeated[leg] = 0.0
            finite = possible[leg].all() and (health > 0.5).all()
            believed = finite and m.repeated[leg] <= SETTINGS.repeat
            quick = believed and (np.abs(rates) < 1000.0).all()
            self.good[leg], self.rated[leg] = believed, quick
            slope = np.zeros(3)
            if finite:
                slope = (angles - m.joints[leg]) / step if step else slope
                m.joints[leg] = angles
            m.joints[count + leg] = rates if quick else slope
        m.readings[:count], m.readings[count:] = readings[0], readings[1]

    def imu(self, raw, step):
        """Mean rate and force over the tick."""
        m, count, doubts, means = self.m, len(self.body.legs), 0, []
        for number, (most, clock, doubt) in enumerate(
            ((60.0, NO_GYRO, Doubt.GYRO), (1000.0, NO_FORCE, Doubt.ACCELEROMETER))
        ):
            own = slice(4 + 3 * number, 7 + 3 * number)
            if (raw[own] == m.raw[own]).all():
                m.repeated[count + number] += step if self.alive else 0.0
            else:
                m.repeated[count + number] = 0.0
            if (np.abs(raw[own]) < most).all() and m.repeated[count + number] <= SETTINGS.repeat:
                now = MOUNT @ raw[own]
                last = now if m.clocks[clock] > 0.0 else m.imu[number].copy()
                m.imu[number], m.imu[2 + number] = now, np.abs(now - last)
                m.clocks[clock] = 0.0
                means.append((now + last) / 2.0 - m.offsets[number])
                continue
            doubts |= int(doubt)
            m.clocks[clock] += step
            m.imu[2 + number] = 0.0
            if number == 0:
                rate = (m.imu[0] - m.offsets[0]) * math.exp(-step / SETTINGS.blind_time)
                m.imu[0] = rate + m.offsets[0]
                means.append(rate)
            else:
                means.append(m.rotation.T @ [0.0, 0.0, EARTH])
        m.raw[:] = raw
        return doubts, *means

    def predict(self, before, rate, force, step):
        m, s, size = self.m, SETTINGS, len(self.m.shift)
        blind, numb = m.clocks[NO_GYRO] > 0.0, m.clocks[NO_FORCE] > 0.0
        turn_noise = s.blind_rate**2 * s.blind_time * step if blind else (s.gyro * step) ** 2
        jump = float(np.linalg.norm(m.imu[3]))
        speed_noise = ((s.accelerometer + s.impact * jump) * step) ** 2
        if blind or numb:
            speed_noise = s.blind_force**2 * s.blind_time * step
        walks = s.gyro_walk, s.accelerometer_walk
        if m.clocks[ASKEW] > s.doubted:
            turn_noise += 0.2**2 * step
            walks = s.gyro_offset, s.accelerometer_offset
        down, half = skew([0.0, 0.0, -EARTH]), step**2 / 2.0
        lever = np.zeros((size, 3))
        lever[TURN : TURN + 3] = m.rotation
        vectors = {SPEED: m.motion[0], PLACE: m.motion[1]} | {FOOT + 3 * k: foot for k, foot in enumerate(m.feet)}
        for first, vector in vectors.items():
            lever[first : first + 3] = skew(vector) @ m.rotation
        carry = np.eye(size)
        carry[SPEED : SPEED + 3, TURN : TURN + 3] = step * down
        carry[PLACE : PLACE + 3, TURN : TURN + 3] = half * down
        carry[PLACE : PLACE + 3, SPEED : SPEED + 3] = step * np.eye(3)
        carry[:, GYRO : GYRO + 3] -= step * lever
        carry[SPEED : SPEED + 3, FORCE : FORCE + 3] -= step * m.rotation
        carry[PLACE : PLACE + 3, FORCE : FORCE + 3] -= half * m.rotation
        push = np.zeros((size, 3))
        push[SPEED : SPEED + 3], push[PLACE : PLACE + 3] = np.eye(3), step / 2.0 * np.eye(3)
        noise = turn_noise * lever @ lever.T + speed_noise * push @ push.T
        # The part of the place's own noise is a quarter of the square of the step: that of the mean velocity.
        m.covariance[:] = carry @ m.covariance @ carry.T + noise
        for first, walk in ((GYRO, walks[0]), (FORCE, walks[1])):
            m.covariance[first : first + 3, first : first + 3] += walk**2 * step * np.eye(3)
        middle = m.rotation @ expm(skew(rate) * step / 2.0)
        m.rotation[:] = m.rotation @ expm(skew(rate) * step)
        push = middle @ force - [0.0, 0.0, EARTH]
        m.motion[1] += step * m.motion[0] + half * push
        m.motion[0] += step * push
        table, count = self.body.table, len(self.body.legs)
        for leg in range(count):
            if m.stood[leg] >= 0.0:
                turned = table.signs[leg] * (m.joints[leg] - before[leg])
                roll = table.signs[leg, 0] * (m.joints[leg, 0] + before[leg, 0]) / 2.0
                axis = np.array([0.0, math.cos(roll), math.sin(roll)])
                spin = step * rate + [turned[0], 0.0, 0.0] + (turned[1] + turned[2]) * axis
                radius = SETTINGS.rolling * table.radius[leg]
                m.feet[leg] += np.cross(middle @ spin, radius * m.ground[leg, :3])

    def level(self, raw, step):
        m, s = self.m, SETTINGS
        quaternion = raw[:4]
        size = float(quaternion @ quaternion)
        if not 0.25 < size < 4.0:
            return int(Doubt.ORIENTATION)
        if step == 0.0:
            return 0
        up = m.rotation @ MOUNT @ to_matrix(quaternion / math.sqrt(size)).T @ [0.0, 0.0, 1.0]
        doubts, blind = 0, m.clocks[NO_GYRO] > 0.0
        noise = s.tilt**2 * (1.0 if blind else max(s.tilt_time / step, 1.0))
        for axis, seen in ((TURN, up[1]), (TURN + 1, -up[0])):
            error, own = seen - m.shift[axis], m.covariance[axis, axis]
            if not blind and error**2 > s.gate * (own + s.tilt**2):
                doubts = int(Doubt.TILT)
                continue
            gain = m.covariance[:, axis] / (own + noise)
            m.shift[:] += gain * error
            m.covariance[:] = m.covariance - np.outer(gain, m.covariance[axis])
        m.clocks[ASKEW] = m.clocks[ASKEW] + step if doubts else 0.0
        return doubts

    def apply(self):
        m = self.m
        turn = skew(m.shift[TURN : TURN + 3])
        # The integral of the turn's exponential over the way, by the exponential of one larger matrix (Van Loan).
        along = expm(np.block([[turn, np.eye(3)], [np.zeros((3, 6))]]))[:3, 3:]
        m.rotation[:] = expm(turn) @ m.rotation
        vectors = {SPEED: m.motion[0], PLACE: m.motion[1]} | {FOOT + 3 * k: foot for k, foot in enumerate(m.feet)}
        for first, vector in vectors.items():
            vector[:] = expm(turn) @ vector + along @ m.shift[first : first + 3]
        m.offsets[0] += m.shift[GYRO : GYRO + 3]
        m.offsets[1] += m.shift[FORCE : FORCE + 3]

    def told(self, doubts, leg_doubts, touching, step):
        """What the filter tells."""
        m, s = self.m, SETTINGS
        rate = m.imu[0] - m.offsets[0]
        position = m.motion[1] - m.rotation @ LEVER
        velocity = m.motion[0] - m.rotation @ np.cross(rate, LEVER)
        yaw = math.atan2(m.rotation[1, 0], m.rotation[0, 0])
        # The yaw that is nearest to the last.
        m.clocks[YAW] = min((yaw + 2.0 * math.pi * n for n in range(-4, 5)), key=lambda y: abs(y - m.clocks[YAW]))
        if step > 0.0:
            c, t = math.cos(yaw), math.sin(yaw)
            m.clocks[WAY : WAY + 2] += np.array([[c, t], [-t, c]]) @ (position[:2] - m.output[:2])
        deviations = []
        for first, vector in ((PLACE, position), (SPEED, velocity)):
            rows = np.zeros((3, len(m.shift)))
            rows[:, first : first + 3], rows[:, TURN : TURN + 3] = np.eye(3), -skew(vector)
            deviations.append(np.sqrt(np.maximum(np.diag(rows @ m.covariance @ rows.T), 0.0)))
        turned = np.sqrt(np.maximum(np.diag(m.covariance)[TURN : TURN + 3], 0.0))
        if m.clocks[FLIGHT] > s.flight:
            doubts |= int(Doubt.NO_STANCE)
        if m.clocks[CONTRADICTION] > s.contradiction or m.clocks[STRAIN] > s.strain:
            doubts |= int(Doubt.CONTRADICTION)
        for each in leg_doubts:
            doubts |= int(each)
        trusted = (
            m.clocks[NO_GYRO] <= s.blind
            and m.clocks[CONTRADICTION] <= 2.0 * s.contradiction
            and m.clocks[ASKEW] <= s.askew
            and deviations[1].max() < s.worst_speed
            and turned[:2].max() < s.worst_tilt
        )
        roll = math.atan2(m.rotation[2, 1], m.rotation[2, 2])
        pitch = math.atan2(-m.rotation[2, 0], math.hypot(m.rotation[2, 1], m.rotation[2, 2]))
        out = np.concatenate([position, m.rotation.ravel(), [roll, pitch, m.clocks[YAW]], velocity, rate,
                              deviations[0], turned, deviations[1], m.clocks[WAY : WAY + 2],
                              [doubts, trusted, 1.0]])  # fmt: skip
        rows = []
        for leg in range(len(m.feet)):
            share = min(m.stood[leg] / s.landing, 1.0) if m.stood[leg] > 0.0 else 0.0
            rows.append([*m.feet[leg], touching[leg], share, leg_doubts[leg]])
        return out, np.array(rows)

    def advance(self, readings, raw, switches, plan, step):
        m, count = self.m, len(self.body.legs)
        before = m.joints[:count].copy()
        self.legs(readings, step)
        doubts, rate, force = self.imu(raw, step)
        m.shift[:] = 0.0
        if step > 0.0:
            self.predict(before, rate, force, step)
        leg_doubts, touching = np.empty(count), np.empty(count)
        stand(self.body.table, MODEL, m, switches, plan, self.good, self.rated, step, leg_doubts, touching)
        doubts |= self.level(raw, step)
        self.apply()
        return self.told(doubts, leg_doubts, touching, step)


def moment(rng, count):
    """A filter in the middle of a walk whose numbers are of no path, and what is read next."""
    memory, near = empty_memory(count), lambda *each: each[rng.integers(len(each))]
    memory.rotation[:] = to_matrix(from_rpy(rng.normal([0.0, 0.0, near(0.0, 2.0, -3.0)], 0.3)))
    memory.motion[0], memory.motion[1] = rng.normal(0.0, 0.5, 3), rng.normal(0.0, 2.0, 3)
    memory.offsets[:] = rng.normal(0.0, 0.05, (2, 3))
    root = rng.normal(0.0, near(0.003, 0.01, 0.03), memory.covariance.shape)
    memory.covariance[:] = root @ root.T
    memory.shift[:] = rng.normal(0.0, 1.0, len(memory.shift))
    memory.imu[:] = rng.normal(0.0, 1.0, (4, 3))
    memory.joints[:count] = np.array([0.1, -0.6, 1.2]) * rng.uniform(0.5, 1.0, (count, 3))
    memory.joints[count:] = rng.normal(0.0, 1.0, (count, 3))
    memory.feet[:] = memory.motion[1] + rng.normal(0.0, 0.3, (count, 3))
    tilt = rng.normal(0.0, 0.2, (count, 3)) + np.array([0.0, 0.0, 1.0])
    memory.ground[:, :3] = tilt / np.linalg.norm(tilt, axis=1)[:, None]
    memory.output[:] = rng.normal(0.0, 1.0, len(memory.output))
    for leg in range(count):
        memory.stood[leg] = near(-1.0, 0.0, 0.125, 0.375, 0.5, 2.0)
        memory.measured[leg] = near(0.0, 0.25, math.inf)
    memory.repeated[:] = rng.choice([0.0, 0.125, 0.25], count + 2)
    clocks = memory.clocks
    clocks[[FLIGHT, CONTRADICTION, STRAIN]] = near(0.0, 0.375, 0.5), near(0.0, 0.125, 0.375, 0.5), near(1.0, 3.0, 3.5)
    clocks[[NO_GYRO, NO_FORCE, ASKEW]] = (
        near(0.0, 0.0, 0.125, 0.25),
        near(0.0, 0.0, 0.125),
        near(0.0, 0.125, 0.25, 0.5, 0.625),
    )
    clocks[[YAW, WAY, WAY + 1]] = near(0.0, 3.5, -9.0), *rng.normal(0.0, 1.0, 2)
    readings = np.ones((3, count, 3))
    readings[0] = memory.joints[:count] + rng.normal(0.0, 0.02, (count, 3))
    readings[1] = rng.normal(0.0, 1.0, (count, 3))
    memory.readings[:] = rng.normal(0.0, 1.0, memory.readings.shape)
    up = memory.rotation @ MOUNT
    lean = near(0.01, 0.1, 0.4) * rng.normal(0.0, 1.0, 3)
    quaternion = from_matrix_near(expm(skew(lean)) @ up)
    raw = np.concatenate(
        [near(0.8, 1.0, 1.5) * quaternion, rng.normal(0.0, 1.0, 3), rng.normal([0.0, 0.0, EARTH], 2.0)]
    )
    memory.raw[:] = rng.normal(0.0, 1.0, 10)
    spoil(rng, memory, readings, raw)
    return memory, readings, raw


def from_matrix_near(matrix):
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(matrix).as_quat()
    return np.array([w, x, y, z])


def spoil(rng, memory, readings, raw):
    """Repeat, leave out or falsify some of what is read."""
    count = readings.shape[1]
    if rng.random() < 0.2:
        # All encoders repeat themselves; perhaps what changes is beyond every joint.
        memory.readings[:count], memory.readings[count:] = readings[0], readings[1]
        if rng.random() < 0.5:
            readings[0, 1, 2] = rng.choice([100.0, -200.0, math.nan])
    leg, joint = rng.integers(count), rng.integers(3)
    fault = rng.integers(12)
    if fault == 0:
        readings[0, leg, joint] = rng.choice([100.0, -100.0, 99.5, math.nan])
    elif fault == 1:
        readings[1, leg, joint] = rng.choice([1000.0, -1000.0, 999.0, math.nan])
    elif fault == 2:
        readings[2, leg, joint] = rng.choice([0.5, 0.0, 0.75])
    elif fault <= 4:
        memory.readings[leg], memory.readings[count + leg] = readings[0, leg], readings[1, leg]
        if fault == 4:
            memory.readings[leg + count * rng.integers(2), joint] += 0.25
    elif fault <= 6:
        first = 4 + 3 * rng.integers(2)
        memory.raw[first : first + 3] = raw[first : first + 3]
        if fault == 6:
            memory.raw[first + rng.integers(3)] += 1.0
    elif fault == 7:
        raw[4 + rng.integers(3)] = rng.choice([60.0, -60.0, 59.0, math.nan])
    elif fault == 8:
        raw[7 + rng.integers(3)] = rng.choice([1000.0, -1000.0, math.inf])
    elif fault == 9:
        raw[:4] = [rng.choice([0.5, 2.0, 0.25, math.nan]), 0.0, 0.0, 0.0]


@pytest.fixture(scope="module")
def dog():
    return LeggedBody.of(Robot.load("littledog"))


@pytest.mark.parametrize("block", range(8))
def test_a_tick_is_that_of_matrices(dog, block):
    for seed in range(10 * block, 10 * block + 10):
        rng = np.random.default_rng(seed)
        memory, readings, raw = moment(rng, len(dog.legs))
        plain = Tick(dog, memory)
        switches, plan = rng.choice([0.0, 1.0, 1.0], 4), rng.choice([1.0, 0.0, -1.0], 4)
        step = 0.0 if seed % 10 == 9 else STEP
        advance(dog.table, MODEL, memory, readings, raw, switches, plan, step)
        out, legs = plain.advance(readings, raw, switches, plan, step)
        for name in ("rotation", "motion", "feet", "offsets", "covariance", "imu", "joints", "stood", "repeated",
                     "clocks", "raw", "readings"):  # fmt: skip
            np.testing.assert_allclose(getattr(memory, name), getattr(plain.m, name), rtol=1e-7, atol=1e-9,
                                       err_msg=f"{seed} {name}")  # fmt: skip
        assert memory.output[: len(out)] == pytest.approx(out, rel=1e-6, abs=1e-8), seed
        assert memory.output[OUTPUTS:].reshape(-1, LEG_OUTPUTS) == pytest.approx(legs, rel=1e-6, abs=1e-8), seed


def test_what_is_no_number_is_told(dog):
    memory, readings, raw = moment(np.random.default_rng(0), len(dog.legs))
    memory.motion[0, 1] = math.nan
    advance(dog.table, MODEL, memory, readings, raw, np.ones(4), np.ones(4), STEP)
    assert memory.output[34] == 0.0


def calm(count):
    """A filter at rest in the air that knows all well; no time passes and no orientation comes."""
    memory = empty_memory(count)
    memory.covariance[:] = 1e-6 * np.eye(len(memory.covariance))
    readings = np.ones((3, count, 3))
    readings[0], readings[1] = [0.1, -0.6, 1.2], 0.0
    return memory, readings, np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, EARTH])


@pytest.mark.parametrize(
    ("row", "deviation", "trusted"),
    [(SPEED, 0.19, True), (SPEED, 0.21, False), (SPEED + 1, 0.21, False), (SPEED + 2, 0.21, False),
     (TURN, 0.095, True), (TURN, 0.105, False), (TURN + 1, 0.105, False), (TURN + 2, 1.0, True), (PLACE, 9.0, True)],
)  # fmt: skip
def test_a_state_whose_velocity_or_tilt_is_too_uncertain_is_not_trusted(dog, row, deviation, trusted):
    memory, readings, raw = calm(4)
    memory.covariance[row, row] = deviation**2
    advance(dog.table, MODEL, memory, readings, raw, np.zeros(4), np.zeros(4), 0.0)
    assert memory.output[33] == trusted
    place = {SPEED: 27, TURN: 24, PLACE: 21}[row // 3 * 3] + row % 3
    assert memory.output[place] == pytest.approx(deviation)


@pytest.mark.parametrize(
    ("clock", "time", "trusted", "doubt"),
    [(CONTRADICTION, 0.5, True, Doubt.CONTRADICTION), (FLIGHT, 0.5, True, 0), (FLIGHT, 0.625, True, Doubt.NO_STANCE),
     (STRAIN, 3.0, True, 0), (STRAIN, 3.01, True, Doubt.CONTRADICTION), (ASKEW, 0.25, True, 0),
     (ASKEW, 0.26, False, 0)],
)  # fmt: skip
def test_clocks_are_told_beyond_their_limits(dog, clock, time, trusted, doubt):
    memory, readings, raw = calm(4)
    memory.clocks[clock] = time
    # A foot that is tried and not believed keeps the contradiction's clock going.
    if clock == CONTRADICTION:
        memory.stood[:] = 0.0
        memory.feet[:] = 5.0
    switches = np.full(4, float(clock == CONTRADICTION))
    advance(dog.table, MODEL, memory, readings, raw, switches, -np.ones(4), 0.0)
    assert memory.output[33] == trusted
    told = int(memory.output[32]) & int(Doubt.NO_STANCE | Doubt.CONTRADICTION)
    assert told == int(doubt)


@pytest.mark.parametrize(("time", "trusted"), [(0.125, True), (0.25, False)])
def test_without_a_gyro_a_state_is_trusted_for_a_while(dog, time, trusted):
    loose = MODEL._replace(worst_speed=99.0, worst_tilt=99.0)
    memory, readings, raw = calm(4)
    raw[4] = math.nan
    memory.clocks[NO_GYRO] = time
    advance(dog.table, loose, memory, readings, raw, np.zeros(4), np.zeros(4), STEP)
    assert memory.output[33] == trusted
