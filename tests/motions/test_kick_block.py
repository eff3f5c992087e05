"""From the path to keyframes: forward kinematics finds foot and centre of mass where the path wants them."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from andante.kinematics.forward import Kinematics
from andante.kinematics.leg_model import LegGeometryError
from andante.kinematics.nao_leg import UnreachableError
from andante.kinematics.support import static_margin
from andante.motions.errors import MotionError
from andante.motions.foot_kick import FootKick
from andante.motions.kick_block import ball_place, kick_block, kick_postures
from andante.robots.robot import Robot
from andante.runs.motion_libraries import load_motions

# What the load bends at the hip is not part of the geometry.
KICK = dataclasses.replace(FootKick(), sag=0.0)
TIMES = np.linspace(0.0, KICK.end, 67)


@pytest.fixture(scope="module")
def nao() -> Robot:
    return Robot.load("nao")


@pytest.fixture(scope="module")
def rows(nao: Robot) -> np.ndarray:
    return kick_postures(nao, KICK, TIMES)


def seen_from_the_left_sole(nao: Robot, row: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Place and rotation of the right sole, and centre of mass."""
    kinematics = Kinematics(nao)
    kinematics.update(row)
    (origin, axes), (place, turn) = kinematics.pose("left_sole"), kinematics.pose("right_sole")
    return axes.T @ (place - origin), axes.T @ turn, axes.T @ (kinematics.com() - origin)


def test_it_begins_and_ends_in_the_stand(nao, rows):
    assert rows[0] == pytest.approx(nao.posture("stand"), abs=1e-6)
    assert rows[-1] == pytest.approx(nao.posture("stand"), abs=1e-6)


def test_the_foot_follows_its_path(nao, rows):
    home, _, _ = seen_from_the_left_sole(nao, nao.posture("stand"))
    for time, row in zip(TIMES, rows, strict=True):
        place, turn, _ = seen_from_the_left_sole(nao, row)
        assert place - home == pytest.approx([KICK.forward(time), 0.0, KICK.height(time)], abs=1e-9)
        # The sole's normal, first pitched, then rolled: the turn about it is left to the hips' one motor.
        pitch, roll = KICK.pitch(time), KICK.roll * KICK.lifted(time)
        normal = [math.sin(pitch), math.sin(roll) * math.cos(pitch), math.cos(roll) * math.cos(pitch)]
        assert turn[:, 2] == pytest.approx(normal, abs=1e-9)


def test_the_centre_of_mass_stays_over_the_carrying_foot(nao, rows):
    kinematics = Kinematics(nao)
    for time, row in zip(TIMES, rows, strict=True):
        if KICK.shift <= time <= KICK.unshift:
            _, _, com = seen_from_the_left_sole(nao, row)
            wanted = (KICK.com[0] + KICK.carry * KICK.forward(time), KICK.com[1])
            assert com[:2] == pytest.approx(wanted, abs=1e-6)
            assert static_margin(kinematics, row, ("left",)) > 0.02


def test_speed_limits_are_kept(nao, rows):
    assert (np.abs(np.diff(rows, axis=0)) / KICK.step <= 0.95 * nao.max_velocity).all()


def test_the_tip_touches_the_ball_in_the_moment_of_the_strike(nao):
    x, y = ball_place(nao, KICK, 0.05)
    kinematics = Kinematics(nao)
    kinematics.update(nao.posture("stand"))
    stand = kinematics.pose("left_sole")[0]
    place, _, _ = seen_from_the_left_sole(nao, kick_postures(nao, KICK, np.array([KICK.strike_time]))[0])
    # 99.42 mm is the foremost point of the sole's published outline.
    assert stand[0] + place[0] + 0.09942 + 0.05 == pytest.approx(x, abs=1e-9)
    assert y == pytest.approx(-0.05, abs=0.002)


def test_the_shipped_kick_is_the_generated_one(nao):
    shipped, made = load_motions("nao-kick").blocks["kick"], kick_block(nao, FootKick())
    assert len(shipped.keyframes) == len(made.keyframes) == 66
    assert shipped.base_stiffness == made.base_stiffness
    assert [k.window for k in shipped.keyframes] == [k.window for k in made.keyframes]
    for there, here in zip(shipped.keyframes, made.keyframes, strict=True):
        assert there.duration == here.duration
        assert there.joints == pytest.approx(here.joints, abs=math.radians(0.005001))


def test_what_cannot_be_kicked_is_named(nao):
    with pytest.raises(UnreachableError, match=r"right leg: the foot"):
        kick_block(nao, dataclasses.replace(KICK, front_x=0.4))
    with pytest.raises(MotionError) as error:
        kick_block(nao, dataclasses.replace(KICK, arms=8.0))
    assert str(error.value) == (
        "kick at 0.552 s: a kick bends LShoulderPitch too far; got 120.34; limit: -119.50..119.50 deg"
    )
    slow = FootKick()
    moments = ("shift", "lift_off", "back", "front", "leave", "put_down", "unshift", "end")
    odd = dataclasses.replace(slow, step=0.02, **{name: round(getattr(slow, name) / 0.024) * 0.02 for name in moments})
    with pytest.raises(
        MotionError, match=r"a kick's keyframes are no whole ticks; got 0.02; limit: multiples of 0.012 s"
    ):
        kick_block(nao, odd)
    with pytest.raises(LegGeometryError, match="no biped"):
        kick_block(Robot.load("ers7"), KICK, posture="walk")
