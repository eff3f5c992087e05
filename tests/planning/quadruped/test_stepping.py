"""When a quadruped stands and when it steps, and how its gait goes on in time: worked out by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from andante.planning.quadruped.body_plan import BodyPlan, Primitive
from andante.planning.quadruped.gait import GAITS
from andante.planning.quadruped.local_plan import LocalRequest, Mode
from andante.planning.quadruped.settings import LocalSettings
from andante.planning.quadruped.stepping import Stepping

STEP = 0.03
SETTINGS = LocalSettings()
FEET = np.array([[0.2, 0.1, 0.0], [0.2, -0.1, 0.0], [-0.2, 0.1, 0.0], [-0.2, -0.1, 0.0]])
BODY: Any = SimpleNamespace(com=np.array([0.03, 0.01, 0.0]), hips=FEET + np.array([0.01, 0.0, 0.0]))
CALM = np.zeros(2)


def request(state=None, gait="trot", plan=None) -> LocalRequest:
    now = resting() if state is None else state
    return LocalRequest(0.0, now, FEET, np.ones(4, dtype=np.bool_), np.zeros(3), GAITS[gait], plan)


def resting(yaw: float = 0.0, **changes: float) -> np.ndarray:
    """Over the middle of its feet."""
    state = np.zeros(12)
    c, s = math.cos(yaw), math.sin(yaw)
    # The centre of mass is 2 cm ahead and 1 cm to the left of the middle of the hips.
    state[:2] = c * 0.02 - s * 0.01, s * 0.02 + c * 0.01
    state[5] = yaw
    for name, value in changes.items():
        state[{"x": 0, "y": 1, "roll": 3, "pitch": 4, "vx": 6, "vy": 7}[name]] += value
    return state


def stepping() -> Stepping:
    return Stepping(SETTINGS, BODY, STEP)


def rows(own: Stepping, index: int, count: int = 1) -> list[list[bool]]:
    return own.contact(index, count, np.zeros(count, dtype=np.int64), np.zeros((count, 4), dtype=np.bool_)).tolist()


@pytest.mark.parametrize("yaw", [0.0, 1.3, -2.8])
def test_the_middle_is_where_the_centre_of_mass_is_over_the_hips_turned_with_the_body(yaw):
    own = stepping()
    assert own.middle(resting(yaw), FEET) == pytest.approx(resting(yaw)[:2])
    assert own.middle(resting(yaw), FEET + np.array([1.0, 2.0, 3.0])) == pytest.approx(
        resting(yaw)[:2] + np.array([1.0, 2.0])
    )


@pytest.mark.parametrize(
    ("changes", "level", "steps"),
    [
        ({}, (0.0, 0.0), False),
        ({"vx": 0.06, "vy": 0.079}, (0.0, 0.0), False), ({"vx": 0.06, "vy": 0.081}, (0.0, 0.0), True),
        ({"vx": -0.101}, (0.0, 0.0), True), ({"vy": -0.101}, (0.0, 0.0), True),
        ({"x": 0.03, "y": 0.039}, (0.0, 0.0), False), ({"x": 0.03, "y": 0.041}, (0.0, 0.0), True),
        ({"x": -0.051}, (0.0, 0.0), True), ({"y": -0.051}, (0.0, 0.0), True),
        ({"roll": 0.149}, (0.0, 0.0), False), ({"roll": 0.151}, (0.0, 0.0), True),
        ({"roll": -0.151}, (0.0, 0.0), True), ({"pitch": 0.151}, (0.0, 0.0), True),
        ({"pitch": -0.151}, (0.0, 0.0), True), ({"roll": 0.3, "pitch": -0.2}, (0.25, -0.15), False),
        ({}, (0.151, 0.0), True), ({}, (0.0, -0.151), True),
    ],
)  # fmt: skip
def test_a_standing_robot_steps_where_it_moves_leaves_its_feet_or_tilts(changes, level, steps):
    own = stepping()
    own.choose(request(resting(**changes)), CALM, np.array(level), False, 3)
    assert own.mode is (Mode.STEP if steps else Mode.STAND)
    assert rows(own, 3) == ([[True, False, False, True]] if steps else [[True] * 4])


def test_steps_begin_with_the_interval_in_which_they_are_asked_for():
    own = stepping()
    own.choose(request(), CALM, CALM, True, 7)
    assert own.stance_times == pytest.approx([0.18] * 4)
    # Six intervals of one pair, then six of the other.
    pair, other = [True, False, False, True], [False, True, True, False]
    assert rows(own, 7, 14) == [pair] * 6 + [other] * 6 + [pair] * 2
    assert rows(own, 12, 2) == [pair, other]
    assert not own.catching


def stop(gait: str, asked_until: int, *, unrest: float = 0.0, interval: float = 0.01) -> int:
    """Interval in which it stands again."""
    own = stepping()
    for tick in range(2000):
        index = math.floor(tick * interval / STEP + 1e-9)
        own.choose(request(resting(vx=unrest if index <= asked_until else 0.0), gait), CALM, CALM,
                   index <= asked_until, index)  # fmt: skip
        if own.mode is Mode.STAND:
            return index
    raise AssertionError("it never stands")


@pytest.mark.parametrize(
    ("gait", "asked_until", "stands"),
    # Two periods after the last wish, then where the last feet come down: every half period of a trot or bound, in the
    # intervals in which a pronk stands or is just lifted.
    [
        ("trot", 3, 30),
        ("trot", 5, 30),
        ("trot", 6, 30),
        ("trot", 7, 36),
        ("bound", 3, 25),
        ("pronk", 3, 27),
        ("pronk", 6, 30),
        ("pronk", 7, 36),
        ("pronk", 13, 37),
    ],
)
def test_it_stops_two_periods_after_the_last_wish_where_no_foot_stays_in_the_air(gait, asked_until, stands):
    assert stop(gait, asked_until) == stands


@pytest.mark.parametrize(("gait", "stands"), [("trot", 30), ("bound", 25), ("walk", None)])
def test_the_plan_before_a_stop_lifts_no_foot_any_more(gait, stands):
    # Legs go by the plan before until the next one is used: a foot that it lifts swings on while the next counts on it.
    own, before = stepping(), [[True] * 4]
    for index in range(200):
        own.choose(request(resting(), gait), CALM, CALM, index <= 3, index)
        if own.mode is Mode.STAND:
            break
        before = rows(own, index, 3)
    assert index == stands or stands is None
    assert before[0] != [True] * 4
    assert before[1:] == [[True] * 4] * 2


def test_why_it_steps_is_told_until_a_stop_is_decided():
    own, moved = stepping(), request(resting(vx=0.3))
    for index in range(4):
        own.choose(moved, CALM, CALM, True, index)
    assert own.why(True) == ""
    assert own.why(False).startswith("moves at 0.3 m/s (local.stand_speed: 0.1 for this robot)")
    told = []
    for index in range(4, 200):
        own.choose(request(), CALM, CALM, False, index)
        if own.mode is Mode.STAND:
            break
        mean = own._unrest.copy()
        own._unrest[0] = 1.0
        told.append((own.why(False) == "", all(rows(own, index, 3)[-1])))
        own._unrest[:] = mean
    # Once the plan lets all feet stand, the stop is decided, and however restless it was, nothing is told.
    assert {silent for silent, stops in told if stops} == {True}
    assert {silent for silent, stops in told if not stops} == {False}


def test_why_it_steps_names_each_limit_by_its_own_numbers():
    own = stepping()
    own.choose(request(resting(vx=0.3)), CALM, CALM, True, 0)
    own._unrest[:] = [0.0, 0.0, 0.3, -0.4, -0.2, 0.1]
    assert own.why(False) == (
        "is off the middle of its feet by 0.5 m (local.stand_offset: 0.05 for this robot)"
        " and tilts by 0.2 rad (local.stand_tilt: 0.15 for this robot)"
    )


def test_feet_land_by_the_time_of_a_leap_while_one_is_followed():
    kinds = np.repeat(
        [Primitive.CONNECT, Primitive.LEAP_STANCE, Primitive.FLIGHT, Primitive.LAND_STANCE], [20, 5, 4, 5]
    )
    course: Any = SimpleNamespace(primitives=kinds.astype(np.int64))
    own, plain = stepping(), stepping()
    for each in (own, plain):
        each.choose(request(), CALM, CALM, True, 0)
    own.contact(0, 25, kinds.astype(np.int64)[:25], np.zeros((25, 4), dtype=np.bool_), course, 0)
    assert own._timing is not None
    landing = [index for index in range(1, 20) if plain._all_land(index)]
    leaping = [index for index in range(1, 20) if own._all_land(index)]
    passed = [int(own._timing.phase(index, len(kinds)) + 1e-6) for index in leaping]
    assert {steps % 6 for steps in passed} == {index % 6 for index in landing} == {0}
    # A trot is quicker before this leap, so that it comes to its landings sooner.
    assert leaping != landing


def test_a_stop_is_called_off_where_motion_is_asked_for_again():
    own = stepping()
    for index in range(30):
        own.choose(request(), CALM, CALM, index <= 3, index)
    assert rows(own, 29, 2)[1] == [True] * 4
    own.choose(request(), CALM, CALM, True, 30)
    assert own.mode is Mode.STEP
    assert rows(own, 30, 2) == [[False, True, True, False]] * 2 or rows(own, 30, 2) == [[True, False, False, True]] * 2


def test_what_a_gait_sways_when_it_stops_is_caught_by_four_feet_and_a_push_later_is_not():
    own = stepping()
    for index in range(31):
        own.choose(request(), CALM, CALM, index <= 3, index)
    assert own.mode is Mode.STAND
    own.choose(request(resting(vy=0.15)), CALM, CALM, False, 30)
    assert own.mode is Mode.STAND
    # A push lasts.
    for _ in range(80):
        own.choose(request(resting(vy=0.5)), CALM, CALM, False, 31)
    assert own.mode is Mode.STEP
    late = stepping()
    for index in range(60):
        late.choose(request(), CALM, CALM, index <= 3, index)
    late.choose(request(resting(vy=0.15)), CALM, CALM, False, 60)
    assert late.mode is Mode.STEP


def test_a_running_trot_stops_though_it_has_no_interval_with_all_feet_down():
    found = stop("running-trot", 3)
    assert 23 <= found <= 33
    assert found == stop("running-trot", 3)


@pytest.mark.parametrize(("first", "second"), [("trot", "pace"), ("trot", "bound"), ("walk", "trot"), ("pace", "trot")])
def test_the_plan_before_another_gait_says_already_which_feet_it_lifts(first, second):
    # As before a stop: a foot that legs lift by the old gait swings on while the new one counts on it.
    own, before, changed = stepping(), None, 0
    for index in range(60):
        own.choose(request(resting(), first if index < 4 else second), CALM, CALM, True, index)
        row, after = rows(own, index, 2)
        assert before in (None, row)
        before, changed = after, changed or (own.gait == GAITS[second] and index)
    assert 4 < changed <= len(GAITS[first].pattern(STEP))


def test_a_gait_that_is_asked_for_no_more_before_it_begins_is_not_taken():
    own = stepping()
    for index in range(30):
        # The last interval of a trot's period is the eleventh.
        own.choose(request(resting(), "pace" if 4 <= index <= 10 else "trot"), CALM, CALM, True, index)
        assert own.gait == GAITS["trot"]
    assert rows(own, 30, 1) == [[False, True, True, False]]


def test_unrest_is_a_mean_over_a_period():
    # 0.3 m/s from before count as (35/36)^n of themselves after n plans: 0.1 after 39, 13 intervals after the last.
    plain, shaken = stop("trot", 5), stop("trot", 5, unrest=0.3)
    assert plain == 30
    # 13 intervals later than 5 the unrest is below its limit; two periods after that is 42.
    assert shaken == 42


def test_a_velocity_that_is_far_off_makes_steps_quicker_for_a_period():
    own = stepping()
    own.choose(request(), CALM, CALM, True, 0)
    own.choose(request(), np.array([0.48, 0.639]), CALM, True, 1)
    assert not own.catching
    own.choose(request(), np.array([0.48, 0.641]), CALM, True, 3)
    assert own.catching
    # Eight intervals in a period in place of twelve; a quarter of the way through: two since it began, at 1.
    assert own.stance_times == pytest.approx([0.12] * 4)
    pair, other = [True, False, False, True], [False, True, True, False]
    assert rows(own, 3, 8) == [pair] * 2 + [other] * 4 + [pair] * 2
    for index in range(4, 11):
        own.choose(request(), CALM, CALM, True, index)
        assert own.catching
    # A period after the last: index 11. Half through the quick one (of 1, 9, ...) is a quarter: three of twelve.
    own.choose(request(), CALM, CALM, True, 11)
    assert not own.catching
    assert own.stance_times == pytest.approx([0.18] * 4)
    assert rows(own, 11, 4) == [pair] * 3 + [other]


def test_a_push_again_goes_on_with_the_quick_steps():
    own = stepping()
    own.choose(request(), CALM, CALM, True, 0)
    for index in (2, 8):
        own.choose(request(), np.array([0.9, 0.0]), CALM, True, index)
        quick = rows(own, index, 16)
    # From 2 on (a sixth of the period: 1.33 of 8, so it began at 1).
    pair, other = [True, False, False, True], [False, True, True, False]
    assert quick == [other] + [pair] * 4 + [other] * 4 + [pair] * 4 + [other] * 3
    for index in range(9, 16):
        own.choose(request(), CALM, CALM, True, index)
        assert own.catching
    own.choose(request(), CALM, CALM, True, 16)
    assert not own.catching


def test_a_body_plan_is_followed_in_the_gait_s_own_time():
    own = stepping()
    own.choose(request(), CALM, CALM, True, 0)
    own.choose(request(), np.array([0.9, 0.0]), CALM, True, 2)
    assert own.catching
    course = BodyPlan(STEP, np.zeros((30, 12)), np.zeros((30, 3)), np.zeros(30, dtype=np.int64))
    own.choose(request(plan=course), np.array([0.9, 0.0]), CALM, True, 3)
    assert not own.catching
    assert own.stance_times == pytest.approx([0.18] * 4)
    own.choose(request(plan=course), np.array([0.9, 0.0]), CALM, True, 4)
    assert not own.catching


def test_another_gait_begins_where_the_old_one_begins_anew():
    own = stepping()
    own.choose(request(), CALM, CALM, True, 2)
    for index in (3, 8, 13):
        own.choose(request(gait="pace"), CALM, CALM, True, index)
        assert own.gait == GAITS["trot"]
    own.choose(request(gait="pace"), CALM, CALM, True, 14)
    assert own.gait == GAITS["pace"]
    assert own.stance_times == pytest.approx([0.15] * 4)
    left, right = [True, False, True, False], [False, True, False, True]
    assert rows(own, 14, 11) == [left] * 5 + [right] * 5 + [left]
    # A robot that stands takes it at once.
    still = stepping()
    still.choose(request(gait="walk"), CALM, CALM, False, 5)
    assert still.gait == GAITS["walk"]
    assert still.mode is Mode.STAND
    assert still.stance_times == pytest.approx([0.54] * 4)


def test_a_standing_robot_that_caught_a_push_begins_in_its_own_time_again():
    own = stepping()
    own.choose(request(resting(vx=2.0)), np.array([2.0, 0.0]), CALM, False, 0)
    own.choose(request(resting(vx=2.0)), np.array([2.0, 0.0]), CALM, False, 1)
    assert own.catching
    index = 1
    while own.mode is Mode.STEP:
        index += 1
        own.choose(request(), CALM, CALM, False, index)
    assert index > 25
    own.choose(request(), CALM, CALM, True, index + 1)
    assert own.stance_times == pytest.approx([0.18] * 4)
    assert rows(own, index + 1, 7) == [[True, False, False, True]] * 6 + [[False, True, True, False]]


def test_legs_that_have_landed_stand_in_a_planned_flight():
    kinds = np.array(
        [0] * 4 + [Primitive.LEAP_STANCE] * 4 + [Primitive.FLIGHT] * 6 + [Primitive.LAND_STANCE] * 3 + [0] * 9
    )
    course = BodyPlan(STEP, np.zeros((len(kinds), 12)), np.zeros((len(kinds), 3)), kinds)
    own = stepping()
    own.choose(request(plan=course), CALM, CALM, True, 0)
    landed = np.zeros((12, 4), dtype=np.bool_)
    landed[:, 2] = True
    planned = own.contact(4, 12, kinds[4:16], landed & False, course, 4)
    contact = own.contact(4, 12, kinds[4:16], landed, course, 4)
    flight = kinds[4:16] == Primitive.FLIGHT
    assert not planned[flight].any()
    assert contact[flight].tolist() == [[False, False, True, False]] * 6
    assert contact[~flight].tolist() == planned[~flight].tolist()
    # Without a leap the gait goes on by its own count.
    level = BodyPlan(STEP, np.zeros((26, 12)), np.zeros((26, 3)), np.zeros(26, dtype=np.int64))
    again = own.contact(4, 3, np.zeros(3, dtype=np.int64), landed[:3], level, 4)
    assert again.tolist() == [[True, False, False, True]] * 2 + [[False, True, True, False]]
