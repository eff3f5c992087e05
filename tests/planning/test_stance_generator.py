"""The stance generator: brute force on small cases, independent tests of every state, and what it is for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.documents.settings import SettingsError
from andante.kinematics.com_ik import stance_com
from andante.kinematics.leg_table import LeggedBody, StanceError
from andante.kinematics.three_joint_leg import LegReachError
from andante.planning.course import NoPlanError, PlanningError
from andante.planning.plans import Footstep, FootstepPlan
from andante.planning.stances.generator import GeneratorSettings, generate_stances, stance_table
from andante.robots.robot import Robot
from andante.spatial.polygons import convex_hull, signed_distance
from andante.spatial.rotations import from_rpy, to_matrix

BODY = LeggedBody.of(Robot.load("littledog"))
LEG = BODY.leg_length
HOME = np.array([[0.07 * x, 0.0735 * y, 0.0103] for x in (1, -1) for y in (1, -1)])
FL, FR, HL, HR = range(4)


def plan(*steps, feet=HOME):
    """Footsteps of (leg, dx, dy, dz)."""
    places, made = np.array(feet), []
    for leg, *way in steps:
        places[leg] += way
        made.append(Footstep(leg, places[leg].copy(), places[leg, 2] + 0.02))
    return FootstepPlan(np.array(feet), tuple(made))


def crawl(strides, stride=0.06):
    return plan(*[(leg, stride, 0.0, 0.0) for _ in range(strides) for leg in (HR, FR, HL, FL)])


def phases(footsteps):
    """Feet, standing feet, and places to reach besides, of each phase in turn."""
    stances = footsteps.stances()
    for number, step in enumerate(footsteps.steps):
        others = [leg for leg in range(4) if leg != step.leg]
        yield stances[number], list(range(4)), None
        yield stances[number], others, (step.leg, step.place)
        yield stances[number + 1], others, (step.leg, stances[number][step.leg])
    yield stances[-1], list(range(4)), None


def allowed(feet, standing, other, position, pitch, margin):
    """Whether a place of the body is possible, by full inverse kinematics; and the margin."""
    rotation = to_matrix(from_rpy([0.0, pitch, 0.0]))
    moved = feet.copy()
    try:
        pose = stance_com(BODY, position, feet, rotation)
        if other is not None:
            moved[other[0]] = other[1]
            stance_com(BODY, position, moved, rotation)
    except (StanceError, LegReachError):
        return False, math.nan
    inside = float(signed_distance(convex_hull(feet[standing][:, :2]), pose.com[:2]))
    return inside >= margin, inside


def test_every_place_is_judged_as_by_full_inverse_kinematics():
    footsteps = plan((HR, 0.06, 0.0, 0.02), (FR, 0.05, 0.01, 0.03), (HL, 0.06, 0.0, -0.01))
    rules = GeneratorSettings(spacing=0.06)
    table = stance_table(BODY, footsteps, rules)
    starts, seen, near = table.grids.starts, set(), 0.0004
    for phase, (feet, standing, other) in enumerate(phases(footsteps)):
        hind, front = feet[2:].mean(axis=0), feet[:2].mean(axis=0)
        assert table.pitch[phase] == pytest.approx(math.atan2(hind[2] - front[2], front[0] - hind[0]))
        assert table.height[phase] == pytest.approx(feet[:, 2].mean() + 0.66 * LEG)
        costs = table.grids.stage(phase)
        margins = table.margin[starts[phase] : starts[phase + 1]].reshape(costs.shape)
        for cell in np.ndindex(*costs.shape):
            x, y = (table.grids.first[phase] + cell) * table.spacing
            good, margin = allowed(
                feet, standing, other, [x, y, table.height[phase]], table.pitch[phase], rules.margin * LEG
            )
            if not math.isnan(margin):
                # The centre of mass is interpolated between places of the body two centimetres apart.
                assert margins[cell] == pytest.approx(margin, abs=near)
            if math.isnan(margin) or abs(margin - rules.margin * LEG) > near:
                assert np.isfinite(costs[cell]) == good
            if good and np.isfinite(costs[cell]):
                assert costs[cell] == pytest.approx(0.5 / LEG * max(0.13 * LEG - margins[cell], 0.0))
            seen.add(good)
    assert seen == {True, False}


@pytest.mark.parametrize("seed", range(6))
def test_the_stances_are_the_cheapest_of_all(seed):
    rng = np.random.default_rng(seed)
    step = (int(rng.integers(4)), rng.uniform(0.0, 0.06), rng.uniform(-0.02, 0.02), rng.uniform(-0.02, 0.02))
    table = stance_table(BODY, plan(step), GeneratorSettings(spacing=0.1, reach=0.1, margin=0.05))
    cells = [
        [tuple(table.grids.first[t] + cell) for cell in np.argwhere(np.isfinite(table.grids.stage(t)))]
        for t in range(len(table.height))
    ]

    def ways(way, spent):
        """Costs of all sequences that go on from a beginning; moves are at most one cell."""
        stage = len(way)
        if stage == len(cells):
            yield spent
            return
        for cell in cells[stage]:
            if way and max(abs(cell[0] - way[-1][0]), abs(cell[1] - way[-1][1])) > 1:
                continue
            cost = float(table.grids.stage(stage)[tuple(np.array(cell) - table.grids.first[stage])])
            move = math.dist(way[-1], cell) * table.spacing / LEG if way else 0.0
            yield from ways((*way, cell), spent + cost + move)

    costs = list(ways((), 0.0))
    assert len(costs) > 10
    assert generate_stances(table).cost == pytest.approx(min(costs))


def test_pruned_places_are_never_chosen_and_moves_stay_within_reach():
    footsteps = crawl(3)
    rules = GeneratorSettings()
    table = stance_table(BODY, footsteps, rules)
    found = generate_stances(table)
    for phase, (feet, standing, other) in enumerate(phases(footsteps)):
        good, margin = allowed(
            feet, standing, other, found.position[phase], found.rpy[phase, 1], rules.margin * LEG - 0.0004
        )
        assert good
        assert found.margin[phase] == pytest.approx(margin, abs=0.0004)
    assert abs(np.diff(found.position[:, :2], axis=0)).max() < 3.001 * table.spacing
    assert found.position[-1, 0] - found.position[0, 0] > 0.13


def test_a_mirrored_walk_costs_the_same():
    steps = [(HR, 0.06, 0.01, 0.02), (FR, 0.05, 0.0, 0.01), (HL, 0.06, 0.0, 0.0), (FL, 0.06, -0.01, 0.03)]
    mirror = {FL: FR, FR: FL, HL: HR, HR: HL}
    mirrored = [(mirror[leg], dx, -dy, dz) for leg, dx, dy, dz in steps]
    one = generate_stances(stance_table(BODY, plan(*steps)))
    other = generate_stances(stance_table(BODY, plan(*mirrored)))
    # Places where the centre of mass is computed are not mirrored, those between are near.
    assert one.cost == pytest.approx(other.cost, rel=1e-3)


def test_the_body_goes_backward_to_let_a_front_foot_leave():
    # Both front feet far ahead, then the body's own weight must come off one to lift it again.
    footsteps = plan(
        (FL, 0.03, 0.0, 0.0), (FR, 0.03, 0.0, 0.0), (HR, 0.05, 0.0, 0.0), (FL, 0.02, 0.0, 0.0), (HL, 0.05, 0.0, 0.0)
    )
    found = generate_stances(stance_table(BODY, footsteps))
    assert np.diff(found.position[:, 0]).min() < -0.004


@pytest.mark.parametrize(
    ("problem", "kind", "message"),
    [
        (
            lambda: stance_table(BODY, FootstepPlan(HOME, ())),
            PlanningError,
            "there are no footsteps to generate stances for",
        ),
        (
            lambda: GeneratorSettings(spacing=0.1, reach=0.05),
            SettingsError,
            "stance generator.reach: the body cannot move to the next place; got 0.05; limit: at least spacing = 0.1",
        ),
        (
            lambda: GeneratorSettings(spacing=0.0),
            SettingsError,
            "stance generator.spacing: is not legal; got 0.0; limit: above 0",
        ),
        (
            lambda: GeneratorSettings(margin=math.nan),
            SettingsError,
            "stance generator.margin: must be a finite number; got nan",
        ),
        (
            lambda: generate_stances(stance_table(BODY, plan((HR, 0.05, 0.0, 0.0), (FR, 0.25, 0.0, 0.0)))),
            NoPlanError,
            "step to x 0.320, y -0.073, z 0.010 m: no place of the body has reach and margin"
            " (footstep 1, the foot leaves); limit: margin 12.2 mm, 15 mm between phases",
        ),
        (
            lambda: stance_table(BODY, plan((HR, 0.1, 0.0, 0.0), feet=HOME * [1.0, 0.0, 1.0])),
            PlanningError,
            "phase 0: the standing feet are on one line; got [[-0.07, 0.0], [0.07, 0.0]]",
        ),
    ],
)
def test_what_is_not_possible_is_named(problem, kind, message):
    with pytest.raises(kind) as caught:
        problem()
    assert str(caught.value) == message


@given(st.integers(0, 2**32 - 1), st.sampled_from([(0.010, 2), (0.010, 4), (0.005, 2), (0.0075, 3)]))
@settings(max_examples=8, deadline=None)
def test_a_finer_grid_never_gives_a_dearer_walk(seed, grids):
    rng = np.random.default_rng(seed)
    legs = (HR, FR, HL, FL)
    steps = [(legs[k % 4], rng.uniform(0.0, 0.05), *rng.uniform(-0.008, 0.008, 2)) for k in range(rng.integers(2, 6))]
    coarse, finer = grids

    def cost(spacing):
        try:
            return generate_stances(stance_table(BODY, plan(*steps), GeneratorSettings(spacing=spacing / LEG))).cost
        except NoPlanError:
            return math.inf

    assert cost(coarse / finer) <= cost(coarse) + 1e-9


def test_of_several_bad_steps_the_first_is_named():
    far = [(HR, 0.03, 0.0, 0.0), (FR, 0.03, 0.0, 0.0), (HL, 0.03, 0.0, 0.0), (FL, 0.2, 0.0, 0.0), (FR, 0.03, 0.0, 0.0)]
    with pytest.raises(NoPlanError, match=r"footstep 3, the foot leaves"):
        generate_stances(stance_table(BODY, plan(*far, (HR, 0.25, 0.0, 0.0), (FR, 0.3, 0.0, 0.0))))


def test_bodies_that_cannot_come_along_in_time_are_told_from_feet_out_of_reach():
    # Each step alone is possible; from one to the next the body would have to jump.
    slow = GeneratorSettings(spacing=0.002 / LEG, reach=0.002 / LEG)
    with pytest.raises(NoPlanError, match=r"no place with reach and margin is near enough \(footstep \d, "):
        generate_stances(stance_table(BODY, crawl(1), slow))
