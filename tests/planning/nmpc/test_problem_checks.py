"""What a body, a problem or a plan is refused for: each limit from both sides, and the words that name the place."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from bodies import BODY, problem_of, standing_contact

from andante.planning.nmpc.checks import (
    NmpcError,
    UnsolvedError,
    check_body,
    check_form,
    check_numbers,
    check_plan,
    require,
)
from andante.planning.nmpc.problem import NmpcSolution, NmpcStatus, RigidBody
from andante.planning.nmpc.settings import NmpcSettings

SHORT = NmpcSettings(states=14)
INFEASIBLE, NOT_FINITE = NmpcStatus.INFEASIBLE, NmpcStatus.NOT_FINITE


def problem(contact=None):
    return problem_of(standing_contact(SHORT) if contact is None else contact, settings=SHORT)


def changed(name, place, value, contact=None):
    """A problem with one number changed."""
    own = problem(contact)
    array = getattr(own, name).copy()
    array[place] = value
    return replace(own, **{name: array})


def refused(problem):
    with pytest.raises(UnsolvedError) as error:
        check_numbers(problem)
    assert str(error.value) == error.value.reason
    return error.value.status, error.value.reason


def test_the_first_flag_that_is_not_set_is_named():
    flags = np.ones((2, 3), dtype=bool)
    require(INFEASIBLE, flags, lambda i, j: f"{i} {j}")
    require(INFEASIBLE, np.ones((0, 3), dtype=bool), lambda i, j: f"{i} {j}")
    flags[1, 0] = flags[1, 2] = False
    with pytest.raises(UnsolvedError, match=r"^1 0$") as error:
        require(NmpcStatus.LIMIT, flags, lambda i, j: f"{i} {j}", 7)
    assert (error.value.status, error.value.iterations) == (NmpcStatus.LIMIT, 7)
    assert UnsolvedError(INFEASIBLE, "x").iterations == 0
    with pytest.raises(UnsolvedError) as error:
        require(INFEASIBLE, flags, lambda i, j: "")
    assert error.value.iterations == 0


@pytest.mark.parametrize(
    ("mass", "inertia", "told"),
    [
        (0.0, np.eye(3), r"mass: the mass must be above zero; got 0(\.0)?; limit: > 0 kg"),
        (-1.0, np.eye(3), "the mass must be above zero"),
        (math.nan, np.eye(3), "the mass must be above zero"),
        (math.inf, np.eye(3), "the mass must be above zero"),
        (1.0, np.eye(2), r"inertia: the inertia is a matrix; got \(2, 2\); limit: shape \(3, 3\)"),
        (1.0, np.diag([1.0, math.nan, 1.0]), "the inertia must be finite and symmetric"),
        (1.0, np.array([[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]), "the inertia must be finite and symmetric"),
        (1.0, np.diag([1.0, 0.0, 1.0]), "moments of inertia must be above zero"),
        (1.0, np.diag([1.0, 1.0, -1.0]), "moments of inertia must be above zero"),
    ],
)
def test_bodies_that_cannot_be_are_named(mass, inertia, told):
    with pytest.raises(NmpcError, match=told):
        check_body(RigidBody(mass, inertia))


def test_bodies_that_can_be_pass():
    check_body(BODY)
    check_body(RigidBody(0.001, 1e-9 * np.eye(3)))
    nearly = np.diag([1.0, 2.0, 3.0])
    nearly[0, 1], nearly[1, 0] = 0.1, 0.1 * (1.0 + 5e-10)
    check_body(RigidBody(1.0, nearly))
    # Products that cancelled out in a sum, as those of a body that is alike on both sides.
    nearly[0, 2], nearly[2, 0] = -4.3e-18, -6.1e-18
    check_body(RigidBody(1.0, nearly))


def test_arrays_have_the_horizon_s_shapes():
    own = problem()
    check_form(own, SHORT)
    for name, shape in (("start", (12,)), ("reference", (14, 12)), ("durations", (13,)), ("contact", (13, 4)),
                        ("feet", (13, 4, 3)), ("ground", (14,))):  # fmt: skip
        array = getattr(own, name)
        told = f"{name}: the array has another shape; got {(len(array) - 1, *shape[1:])}; limit: shape {shape}"
        with pytest.raises(NmpcError) as error:
            check_form(replace(own, **{name: array[1:]}), SHORT)
        assert str(error.value) == told
    with pytest.raises(NmpcError, match="contact: contacts are flags; got 'float64'; limit: bool"):
        check_form(replace(own, contact=own.contact.astype(float)), SHORT)
    guess = NmpcSolution(NmpcStatus.SOLVED, np.zeros((14, 12)), np.zeros((13, 4, 3)), 0.0, 1, 0.0)
    check_form(own, SHORT, guess)
    with pytest.raises(
        NmpcError, match=r"guess: the guess has another horizon; got \(13, 12\); limit: shape \(14, 12\)"
    ):
        check_form(own, SHORT, replace(guess, states=np.zeros((13, 12))))


@pytest.mark.parametrize(
    ("name", "place", "most", "beyond", "told"),
    [
        ("start", 0, 1e5, 1.1e5, "start: x is 110000, beyond 100000"),
        ("start", 1, -1e5, -1.1e5, "start: y is -110000, beyond 100000"),
        ("start", 3, 20.0, 20.5, "start: roll is 20.5, beyond 20"),
        ("start", 6, 100.0, 100.5, "start: vx is 100.5, beyond 100"),
        ("start", 11, -100.0, -101.0, "start: wz is -101, beyond 100"),
        ("start", 4, 1.4, 1.41, "start: pitch is 1.410 rad, beyond 1.4, where rates of roll and yaw blow up"),
        ("start", 4, -1.4, 20.5, "start: pitch is 20.5, beyond 20"),
        ("reference", (3, 2), 1e5, 2e5, "reference, state 3: z is 200000, beyond 100000"),
        ("reference", (4, 8), -100.0, -100.5, "reference, state 4: vz is -100.5, beyond 100"),
        ("reference", (5, 4), 1.4, 1.41, "reference, state 5: pitch is 1.410 rad, beyond 1.4"),
        ("durations", 2, 10.0, 10.5, "interval 2: the duration is 10.5 s, beyond 10 s"),
        ("durations", 2, 1e-6, 0.0, "interval 2: the duration is 0 s, it must be above zero"),
        ("ground", 6, 1e5, 1.5e5, "state 6: the height of the ground is 150000 m, beyond 100000 m"),
        ("ground", 6, -math.inf, math.inf, "state 6: the height of the ground is inf"),
        ("ground", 0, 0.3, 0.31, "start: height 0.290 m is below the ground, 0.310 m"),
    ],
)  # fmt: skip
def test_numbers_up_to_their_limits_pass_and_those_beyond_are_named(name, place, most, beyond, told):
    if name == "start" and place in (0, 1):
        # Feet and body go together.
        own = changed(name, place, most)
        own.feet[:, :, place] += most
        check_numbers(own)
    else:
        check_numbers(changed(name, place, most))
    assert refused(changed(name, place, beyond))[1] == told


def test_a_wanted_heading_within_a_turn_of_the_start_s_passes():
    check_numbers(changed("reference", (2, 5), 2.0 * math.pi))
    check_numbers(changed("reference", (2, 5), -2.0 * math.pi))
    status, reason = refused(changed("reference", (2, 5), 6.3))
    assert status is INFEASIBLE
    assert reason == (
        "reference, state 2: yaw is 6.300 rad, 6.300 from the start's; turns are counted as there, within 6.283"
    )
    own = changed("reference", (slice(None), 5), 7.0)
    own.start[5] = 1.0
    check_numbers(own)


def test_feet_stand_within_ten_metres_of_the_body_along_each_axis():
    check_numbers(changed("feet", (1, 3, 1), 10.0))
    status, reason = refused(changed("feet", (1, 3, 1), -10.5))
    assert (status, reason) == (
        INFEASIBLE, "interval 1, foot HR: stands 10.5 m from the body along y, beyond 10 m",
    )  # fmt: skip
    contact = standing_contact(SHORT)
    contact[1, 3] = False
    check_numbers(changed("feet", (1, 3, 1), -10.5, contact))
    check_numbers(changed("feet", (1, 3, 1), math.nan, contact))
    assert refused(changed("feet", (1, 3, 2), math.nan)) == (
        NOT_FINITE, "interval 1, foot HR: stands at (-0.19, -0.14, nan) m",
    )  # fmt: skip


def test_a_fall_is_told_where_it_first_is_a_centimetre_deep():
    contact = standing_contact(SHORT)
    contact[:9] = False
    # From 0.29 m: after 8 intervals of 0.03 s 0.0075 m above the ground, after 9 0.0676 m below it.
    assert refused(problem(contact)) == (
        INFEASIBLE, "no foot stands in intervals 0 to 8: in free fall the body is 0.068 m below the ground at state 9",
    )  # fmt: skip
    contact[8] = True
    check_numbers(problem(contact))
    # Thrown up at 0.3 m/s it is 0.0135 m higher after 9: still below.
    contact[8] = False
    thrown = changed("start", 8, 0.15, contact)
    assert "0.027 m below the ground at state 9" in refused(thrown)[1]
    check_numbers(changed("start", 8, 0.22, contact))
    # Nobody ever stands: the flight is all there is.
    assert "intervals 0 to 12: in free fall the body is 0.068 m" in refused(problem(contact & False))[1]
    # One foot in the first interval: no free fall.
    contact[0, 2] = True
    check_numbers(problem(contact))


def planned(**changes):
    states = np.zeros((14, 12))
    states[:, 2] = 0.29
    for name, (k, value) in changes.items():
        states[k, {"z": 2, "pitch": 4, "vx": 6}[name]] = value
    return states


def no_use(states, contact=None):
    with pytest.raises(UnsolvedError) as error:
        check_plan(problem(contact), states)
    return error.value.status, error.value.reason


def test_the_first_ten_states_of_a_plan_are_those_of_a_robot():
    check_plan(problem(), planned(z=(10, -0.01), pitch=(10, -1.4)))
    check_plan(problem(), planned(z=(11, -0.5), pitch=(11, 3.0)))
    assert no_use(planned(pitch=(10, 1.41))) == (INFEASIBLE, "state 10: planned pitch is 1.410 rad, beyond 1.4")
    assert no_use(planned(z=(10, -0.02))) == (INFEASIBLE, "state 10: planned height is 0.020 m below the ground")


@pytest.mark.parametrize(
    ("flying", "told"),
    [
        ((), ""),
        ((0,), "; no foot stands in intervals 0 to 0"),
        ((2, 3, 4), "; no foot stands in intervals 2 to 4"),
        ((1, 4, 5, 6, 7), "; no foot stands in intervals 4 to 7"),
        ((5, 6, 7), ""),
        ((1, 2, 7), "; no foot stands in intervals 1 to 2"),
        ((4, *range(5, 13)), "; no foot stands in intervals 4 to 12"),
    ],
)
def test_a_flight_before_a_height_below_the_ground_is_named(flying, told):
    contact = standing_contact(SHORT)
    contact[list(flying)] = False
    text = f"state 5: planned height is 0.500 m below the ground{told}"
    assert no_use(planned(z=(5, -0.5)), contact) == (INFEASIBLE, text)


def test_plans_beyond_all_numbers_say_what_came_before():
    assert no_use(planned(pitch=(3, 1.5), vx=(6, math.inf))) == (
        INFEASIBLE, "state 3: planned pitch is 1.5 rad, beyond 1.4; from state 6 on the plan is none",
    )  # fmt: skip
    # Of several states that tip over the first is told.
    states = planned(pitch=(3, 1.5), vx=(6, math.inf))
    states[4, 4] = -1.7
    assert no_use(states)[1].startswith("state 3: planned pitch is 1.5 rad")
    own = problem()
    own.start[:] = [0.0, 3.0, 0.29, 0.1, -0.2, 0.0, 5.0, 0.0, -6.0, 0.0, 7.0, 0.0]
    with pytest.raises(UnsolvedError) as error:
        check_plan(own, planned(pitch=(7, 1.5), vx=(6, math.nan)))
    assert (error.value.status, error.value.reason) == (
        NOT_FINITE,
        "state 6: the plan grows beyond all numbers; the start is 3 m, 0.2 rad, 6 m/s and 7 rad/s off what is wanted",
    )


@pytest.mark.parametrize(("seconds", "status"), [(0.0, INFEASIBLE), (-0.01, INFEASIBLE), (math.nan, NOT_FINITE)])
def test_a_duration_that_is_none_is_infeasible_and_one_that_is_no_number_not_finite(seconds, status):
    found, reason = refused(changed("durations", 1, seconds))
    assert found is status
    assert reason.startswith("interval 1: the duration is ")
