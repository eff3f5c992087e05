"""Problems in coordinates of surveys have the forces of the same problem near the origin."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from bodies import BODY, problem_of, standing_contact

from andante.planning.nmpc.settings import NmpcSettings
from andante.planning.nmpc.solver import make_solver, solve_near

SHORT = NmpcSettings(states=14)


def test_a_problem_far_away_has_the_same_forces_and_states_that_are_moved():
    solver, near = make_solver(SHORT, BODY), problem_of(standing_contact(SHORT), settings=SHORT)
    away = np.zeros(12)
    away[:2] = 468_000.0, 5_428_000.0
    far = replace(near, start=near.start + away, reference=near.reference + away, feet=near.feet + away[:3])
    expected, found = solve_near(solver, near), solve_near(solver, far)
    assert expected.solved
    assert found.solved
    np.testing.assert_allclose(found.forces, expected.forces, atol=1e-4)
    np.testing.assert_allclose(found.states, expected.states + away, rtol=0.0, atol=1e-6)
    again = solve_near(solver, far, found)
    np.testing.assert_allclose(again.states, found.states, rtol=0.0, atol=1e-4)


def test_what_is_no_number_is_told_by_the_solver():
    near = problem_of(standing_contact(SHORT), settings=SHORT)
    start = near.start.copy()
    start[0] = math.nan
    assert "start: x" in solve_near(make_solver(SHORT, BODY), replace(near, start=start)).reason
