"""Footsteps from where the robot stands to its goal: a schedule of searches, each freer than the one before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from andante.documents.settings import filled
from andante.planning.course import KnownCourse, PlanningError
from andante.planning.footsteps.body_path import BodyPath, SearchedCourse, pace
from andante.planning.footsteps.footholds import OFF
from andante.planning.footsteps.kernels import EXHAUSTED, FOUND, search
from andante.planning.footsteps.obstacles import Gaps, highest_step, highest_wall
from andante.planning.footsteps.records import SearchMemory, SearchTerrain, StepMoves, Tested
from andante.planning.footsteps.refusal import FootLines, Searched, check_footholds, refusal
from andante.planning.footsteps.regular_plan import pose_rules, regular_plan
from andante.planning.footsteps.settings import CLIMB, TALL, FootstepSettings, search_schedule
from andante.planning.plans import Footstep, FootstepPlan
from andante.spatial.arrays import Array

_STATES_PER_TEST = 40
_SPREAD = 0.40
"""Largest distance of the feet of one side along the path, for LittleDog [m]."""
_APART = 0.03
"""Least distance between them in the plane [m]."""
_STRETCH = 0.14
"""How close the feet of a side should stay where one of them stands `CLIMB` higher, for LittleDog [m]."""
_PASSING, _BACK = 0.06, 1.7
"""How much closer feet may come at tall steps, for LittleDog [m]; how many times farther back they step there."""
_LEAP = 0.22
"""Longest step over a wide gap, for LittleDog [m]; elsewhere such steps would only be more places to look at."""
_NEAR, _LEFT_BEHIND = 0.25, 10.0
"""How close to a hind foot before a wide gap the front foot of its side should stay, for LittleDog [m], and what each
metre more counts, or to the brink, once the foot beside it is across [s/m]."""
_CELL = 0.02
_LAST = 8
"""The last of all searches has one share in so many of the work for itself."""
_TIGHT = 0.08
"""Cost of a step without room to spare [s]."""
NOWHERE, USUAL, WIDE = 0, 1, 2
"""Marks of nodes: never looked at; near a foot's usual line; looked at where nothing nearer bears a foot."""


@dataclass(frozen=True, eq=False)
class Attempt:
    """What one search gave."""

    plan: FootstepPlan
    """The plan, or the way that came farthest."""
    complete: bool
    """Whether it reaches the goal."""
    tests: int
    """Steps that were tested for a pose."""
    looks: int
    """Poses that were looked at in these tests."""
    spent: int
    """What it took, in poses (`FootstepSettings.max_poses`)."""
    everything: bool = False
    """Whether it ended with no step left to test."""


def plan_footsteps(
    course: KnownCourse,
    settings: FootstepSettings | None = None,
    avoid: Sequence[Footstep] = (),
    ground: SearchedCourse | None = None,
    begin: int = 0,
) -> FootstepPlan:
    """Footsteps to the goal, the same for the same course and settings.

    Over a noisy map (`KnownCourse.noise`) they are those of a regular gait where that leads to the goal, which another
    draw of the noise hardly changes.

    Args:
        course: The course.
        settings: How they are chosen; None: the defaults.
        avoid: Steps that proved impossible; front feet, or hind feet, keep off their places.
        ground: The course made ready for searches, where it is at hand.
        begin: Number of the search to begin with; those before it are made last.

    Raises:
        NoPlanError: There is no way, or none was found; says which, names what is in the way and its place.
        PlanningError: A robot without four legs, or a gait with unknown feet.
    """
    settings = settings or FootstepSettings()
    ground = ground or SearchedCourse.of(course, settings)
    _check_footholds(ground, settings)
    if course.noise > 0.0:
        steady = regular_plan(ground, settings, usual_sides(course, settings), avoid)
        if steady is not None:
            return steady
    highest = highest_step(course, ground.costs, ground.path, settings)
    ground = replace(ground, costs=ground.costs.avoiding(course, avoid, np.inf))
    reached, tests, looks, spent, everything = list[Array](), 0, 0, 0, True
    wall = highest_wall(course, ground.path) / course.scale
    wide = _wide_gaps(ground, settings)
    searches = list(enumerate(search_schedule(settings, highest=highest / course.scale, wall=wall, wide=wide)))
    *usual, last = searches
    order = [*usual[begin:], *usual[:begin], last] if begin < len(usual) else [last, *usual]
    kept = settings.max_poses // _LAST
    tested = Tested.of(min(sum(stage.max_tests for _, stage in searches), settings.max_poses))
    for number, stage in order:
        kept = 0 if number == last[0] else kept
        left = settings.max_poses - kept - spent
        if left <= 0:
            everything = False
            continue
        attempt = run(ground, stage.changed(max_poses=left), tested)
        tests, looks, spent = tests + attempt.tests, looks + attempt.looks, spent + attempt.spent
        everything &= attempt.everything
        if attempt.complete:
            return replace(attempt.plan, stage=number, tests=tests)
        reached.append(attempt.plan.stances()[-1])
    feet = max(reached, key=lambda each: _middle(ground.path, each), default=course.feet)
    lines = _foot_lines(ground, settings, 2.0 * settings.aside)
    raise refusal(course, lines, Searched(feet, tests, looks, everything), settings)


def _foot_lines(ground: SearchedCourse, settings: FootstepSettings, aside: float) -> FootLines:
    """The lines of the feet, as far aside as given for LittleDog's size [m]."""
    course = ground.course
    sides = _moves(course, settings).sides
    return FootLines.of(course, ground.costs, ground.path, sides, aside * course.scale)


def _check_footholds(ground: SearchedCourse, settings: FootstepSettings) -> None:
    """Refuse at once what no step of any search gets over.

    Raises:
        NoPlanError: There is such a place.
    """
    scale = ground.course.scale
    # Searches go as far in every schedule.
    stages = list(search_schedule(settings))
    aside, longest = max(stage.aside for stage in stages), max(stage.longest for stage in stages)
    # Feet find places up to half a pitch beyond their longest step, and twice as far aside where there is little.
    farthest = max(longest, _LEAP) + max(stage.pitch for stage in stages)
    lines = _foot_lines(ground, settings, 2.0 * aside + OFF)
    check_footholds(ground.course, lines, ground.path, farthest * scale, settings.tolerance * scale)


def _wide_gaps(ground: SearchedCourse, settings: FootstepSettings) -> bool:
    """Whether a foot has to cross a wide gap alone."""
    course, moves = ground.course, _moves(ground.course, settings)
    gaps = Gaps.of(ground.path, course.ground, ground.costs, moves.sides, 2.0 * moves.aside, course.scale)
    return bool(gaps.passed.any())


def run(ground: SearchedCourse, settings: FootstepSettings, tested: Tested | None = None) -> Attempt:
    """One search.

    Args:
        ground: The course made ready.
        settings: How footsteps are chosen.
        tested: What steps came to in searches over the same ground before, and room for those of this one; None: there
            were none.
    """
    course, path, scene = ground.course, ground.path, ground.scene
    scale = course.scale
    moves = _moves(course, settings)
    profile = path.profile(course.ground, moves.sides, scale)
    sized = settings.grown(scale, "length")
    field = filled(
        SearchTerrain,
        ground.costs,
        path,
        Gaps.of(path, course.ground, ground.costs, moves.sides, 2.0 * moves.aside, scale),
        cosines=np.array([math.cos(heading) for heading in path.headings]),
        sines=np.array([math.sin(heading) for heading in path.headings]),
        climbs=path.climbs(profile, settings, scale),
        rises=path.rises(profile, scale),
        goal=path.goal - sized.tolerance,
    )
    budget = settings.max_tests
    memory = SearchMemory.of(_STATES_PER_TEST * budget + 100, budget, len(path.points))
    tested = tested or Tested.of(budget)
    why, last, _, tests, looks, spent = search(
        scene, pose_rules(course, settings), field, moves, course.feet, budget, settings.max_poses, memory, tested
    )
    steps = []
    node = last
    while node > 0:
        leg = int(memory.legs[node])
        place = memory.feet[node, leg].copy()
        steps.append(Footstep(leg, place, float(memory.apexes[node]), float(memory.holds[node])))
        node = int(memory.parents[node])
    cost = float(memory.spent[last])
    least = max(path.goal - _middle(path, course.feet) - sized.tolerance, 0.0) * pace(settings, scale)
    plan = FootstepPlan(course.feet, tuple(reversed(steps)), cost, max(cost / least, 1.0) if least > 0.0 else 1.0)
    return Attempt(plan, why == FOUND, tests, looks, spent, why == EXHAUSTED)


def usual_sides(course: KnownCourse, settings: FootstepSettings) -> Array:
    """Usual distance of each foot from the path, above zero to the left, (4,) [m]."""
    table, outward = course.body.table, settings.outward * course.scale
    hang = table.hip[:, 1] + table.lateral
    return np.where(hang > 0.0, hang + outward, hang - outward)


def _moves(course: KnownCourse, settings: FootstepSettings) -> StepMoves:
    scale = course.scale
    sized = settings.grown(scale, "length")
    return filled(
        StepMoves,
        sized,
        order=np.array([_row(course, name) for name in settings.order], dtype=np.int64),
        sides=usual_sides(course, settings),
        back=_BACK * settings.shortest * scale,
        cell=_CELL * scale,
        nearest=sized.squeeze,
        beside=(settings.squeeze - _PASSING) * scale,
        farthest=_SPREAD * scale,
        apart=_APART * scale,
        speed=settings.speed * scale,
        lifting=settings.lifting * scale,
        tight=_TIGHT,
        climb=CLIMB * scale,
        tall=TALL * scale,
        stretch=_STRETCH * scale,
        stretch_penalty=settings.stretch_penalty / scale,
        leap=_LEAP * scale,
        near=_NEAR * scale,
        left_behind=_LEFT_BEHIND / scale,
    )


def _row(course: KnownCourse, name: str) -> int:
    names = [leg.name for leg in course.body.legs]
    if name not in names:
        raise PlanningError("the gait names a foot that the robot has not", value=name, legal=names)
    return names.index(name)


def _middle(path: BodyPath, feet: Array) -> float:
    """Length of the path at the middle of feet."""
    return float(path.at(feet.mean(axis=0)) * path.spacing)


def swath(ground: SearchedCourse, settings: FootstepSettings | None = None) -> NDArray[np.uint8]:
    """Which nodes are looked at for any foot, (nx, ny): `NOWHERE`, `USUAL` or `WIDE`.

    A foot goes at most `FootstepSettings.aside` beside its usual line, which runs beside the body's path, and twice as
    far where there is no foothold within that. What limits steps along the path depends on the feet and is not shown.

    Args:
        ground: The course made ready for searches.
        settings: How footsteps are chosen; None: the defaults.
    """
    settings = settings or FootstepSettings()
    course, path = ground.course, ground.path
    x, y = np.meshgrid(course.ground.x, course.ground.y, indexing="ij")
    at = path.nearest
    dx, dy = x - path.points[at, 0], y - path.points[at, 1]
    cosine, sine = np.cos(path.headings[at]), np.sin(path.headings[at])
    across, ahead = cosine * dy - sine * dx, cosine * dx + sine * dy
    # Places are looked at in whole spacings around points of the path.
    spacing = course.ground.spacing
    aside = settings.aside * course.scale + 0.5 * spacing
    found = np.zeros(at.shape, dtype=np.uint8)
    off = np.min([np.abs(across - side) for side in usual_sides(course, settings)], axis=0)
    beside = np.abs(ahead) <= 0.5 * settings.pitch * course.scale + spacing
    found[beside & (off <= 2.0 * aside)] = WIDE
    found[beside & (off <= aside)] = USUAL
    return found
