"""The path of a kicking foot: worked by hand at its knots, smooth between them, and refused where it makes no sense."""

from __future__ import annotations

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.motions.errors import MotionError
from andante.motions.foot_kick import FootKick

KICK = FootKick(
    step=0.02,
    shift=0.4,
    lift_off=0.3,
    back=0.5,
    front=0.7,
    leave=0.8,
    put_down=1.0,
    unshift=0.9,
    end=1.4,
    back_x=-0.1,
    back_height=0.07,
    back_pitch=0.4,
    strike_x=0.02,
    strike_height=0.03,
    front_x=0.14,
    front_height=0.05,
    front_pitch=-0.2,
)


def test_the_knots():
    assert [KICK.forward(t) for t in (0.0, 0.3, 0.5, 0.7, 0.8, 0.96, 2.0)] == [0.0, 0.0, -0.1, 0.14, 0.14, 0.0, 0.0]
    assert [KICK.height(t) for t in (0.3, 0.5, 0.7, 0.8, 1.0)] == pytest.approx([0.0, 0.07, 0.05, 0.05, 0.0])
    assert [KICK.pitch(t) for t in (0.3, 0.5, 0.7, 0.8, 0.96)] == pytest.approx([0.0, 0.4, -0.2, -0.2, 0.0])
    assert [KICK.weight(t) for t in (0.0, 0.2, 0.4, 0.9, 1.4)] == pytest.approx([0.0, 0.5, 1.0, 1.0, 0.0])


def test_the_foot_is_level_and_lowest_where_it_meets_the_ball():
    # strike_x is the middle of the way, so the moment is the middle of the swing and the speed pi/2 * way / time.
    assert KICK.strike_time == pytest.approx(0.6)
    assert KICK.strike_speed == pytest.approx(0.5 * math.pi * 0.24 / 0.2)
    assert (KICK.forward(0.6), KICK.height(0.6), KICK.pitch(0.6)) == pytest.approx((0.02, 0.03, 0.0), abs=1e-12)


def test_height_grows_with_the_square_of_the_distance_and_pitch_with_the_distance():
    # Half way between back and strike in time of the cosine: x = -0.1 + 0.24 * 0.5 * (1 - cos(60 deg)) = -0.04.
    time = 0.5 + 0.2 / 3.0
    assert KICK.forward(time) == pytest.approx(-0.04)
    assert KICK.height(time) == pytest.approx(0.03 + 0.04 * 0.25)
    assert KICK.pitch(time) == pytest.approx(0.4 * 0.5)


@given(st.floats(-0.09, 0.13))
def test_the_speed_at_the_strike_is_the_derivative_of_the_way(strike_x: float) -> None:
    kick = dataclasses.replace(KICK, strike_x=strike_x)
    at, small = kick.strike_time, 1e-6
    assert kick.forward(at) == pytest.approx(strike_x, abs=1e-9)
    assert (kick.forward(at + small) - kick.forward(at - small)) / (2 * small) == pytest.approx(
        kick.strike_speed, abs=1e-4
    )


@given(st.floats(0.0, 1.5))
def test_nothing_jumps(time: float) -> None:
    for way in (KICK.forward, KICK.height, KICK.pitch, KICK.weight, KICK.lifted):
        # No way is faster than 5 per second: the fastest is the weight's pi/2 / 0.2 s while the foot is lifted.
        assert abs(way(time + 1e-4) - way(time)) < 10e-4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"front": 0.5},
            "the moments of a kick must follow one another; got (0.02, 0.3, 0.5, 0.5, 0.8, 1.0, 1.4); limit: 0 < step"
            " and 0 < lift_off < back < front < leave < put_down < end",
        ),
        ({"back": 0.51}, "back: a moment of a kick is no whole number of steps; got 0.51; limit: multiples of 0.02 s"),
        (
            {"unshift": 0.38},
            "the weight must shift over the foot and back before the end; got (0.4, 0.38, 1.4); limit: 0 < shift <="
            " unshift < end",
        ),
        (
            {"strike_x": 0.15},
            "the foot meets the ball between back and front; got (-0.1, 0.15, 0.14); limit: back_x < strike_x"
            " < front_x",
        ),
    ],
)
def test_what_makes_no_sense_is_named(change: dict[str, float], message: str) -> None:
    with pytest.raises(MotionError) as error:
        dataclasses.replace(KICK, **change)
    assert str(error.value) == message


@pytest.mark.parametrize("name", ["step", "lift_off", "back", "front", "shift", "unshift", "end", "strike_x", "back_x"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_none_are_refused(name: str, value: float) -> None:
    with pytest.raises(MotionError):
        dataclasses.replace(KICK, **{name: value})


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(FootKick) if field.name != "com"])
def test_no_number_may_be_nan(name: str) -> None:
    with pytest.raises(MotionError):
        dataclasses.replace(KICK, **{name: math.nan})
