"""A workspace that solved other programs before gives the same bytes, and bounds that nobody leaves cost no work."""

from __future__ import annotations

import numpy as np
from bodies import BODY, HEIGHT, problem_of, random_problem, resting, standing_contact

from andante.planning.nmpc.active_set import new_workspace
from andante.planning.nmpc.primal_dual import solve_stages
from andante.planning.nmpc.qp import QpBuilder
from andante.planning.nmpc.settings import NmpcSettings

LOW_ROOF = NmpcSettings(states=5, upper=tuple(HEIGHT - 0.05 if k == 2 else np.inf for k in range(12)))


def solved(stages, work):
    """Rounds, states and forces of the feet that stand."""
    states, forces = np.empty_like(stages.reference), np.empty_like(stages.drift)
    hold = np.zeros((len(stages.inputs), 4), dtype=np.int64)
    rounds = solve_stages(stages, work, hold, 500, states, forces)
    return rounds, states.tobytes(), forces[stages.used].tobytes()


def stages_of(problem, settings):
    builder = QpBuilder(settings, BODY)
    return builder.stages(problem, builder.origin(problem))


def test_what_was_solved_before_changes_nothing():
    plain, used = NmpcSettings(states=5), new_workspace(4)
    for seed in range(12):
        wild = random_problem(np.random.default_rng(seed), LOW_ROOF, wild=3.0)
        # A roof that is left needs the dual method, which leaves multipliers behind.
        solved(stages_of(wild, LOW_ROOF), used)
        for settings in (plain, LOW_ROOF):
            own = stages_of(random_problem(np.random.default_rng(100 + seed), settings, wild=3.0), settings)
            assert solved(own, used) == solved(own, new_workspace(4)), seed


def test_bounds_that_nobody_leaves_take_no_more_rounds():
    high = NmpcSettings(states=5, upper=(9.0,) * 12, lower=(-9.0,) * 12)
    for speed in (0.0, 0.4):
        start = resting()
        start[7] = speed
        counts = [
            solved(stages_of(problem_of(standing_contact(each), start, settings=each), each), new_workspace(4))[0]
            for each in (NmpcSettings(states=5), high)
        ]
        assert counts[0] == counts[1]
    # One that is left at its upper side alone takes more.
    rounds = [
        solved(stages_of(problem_of(standing_contact(each), settings=each), each), new_workspace(4))[0]
        for each in (NmpcSettings(states=5), LOW_ROOF)
    ]
    assert rounds[1] > rounds[0]
