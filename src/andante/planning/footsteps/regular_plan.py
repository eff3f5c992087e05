"""Footsteps over a noisy map: a regular gait whose places give way to the ground, so that noise hardly changes them.

Each place goes to the nearest sound ground, as the minimum of a smooth bowl: what it should be against what the ground
is like. That minimum moves little where heights change little. Where a step is not possible with these, places are
moved by little, or other places of some feet are tried, the least dear first (`RegularSearch`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from andante.planning.course import KnownCourse
from andante.planning.feasibility.clearance import height_at
from andante.planning.feasibility.pose_room import PoseRules
from andante.planning.feasibility.scene import Scene
from andante.planning.feasibility.steps import swing_apex
from andante.planning.footsteps.body_path import SearchedCourse, pace
from andante.planning.footsteps.footholds import FootholdCosts
from andante.planning.footsteps.price_basins import MOST_BASINS, find_basins, find_minima
from andante.planning.footsteps.regular_gait import RegularSteps, regular_steps
from andante.planning.footsteps.regular_search import PARTED, WIDTH, RegularSearch, StepPlaces
from andante.planning.footsteps.settings import FootstepSettings
from andante.planning.footsteps.soundness import unsoundness
from andante.planning.plans import Footstep, FootstepPlan
from andante.spatial.arrays import Array

_ANCHORS = ((0.025, 0.0), (-0.025, 0.0), (0.05, 0.0), (-0.05, 0.0), (0.0, 0.02), (0.0, -0.02))
"""Places around which ground is looked for where a step is not possible with the basins around where it should go:
ahead of that and beside it, for LittleDog [m]."""
_AROUND, _FINE = 0.03, 0.0025
"""How far around each, and how finely, for LittleDog [m]."""
_FAR, _COARSE = 0.07, 0.0025
"""How far around where a step should go basins are looked for, and how finely, for LittleDog [m]."""
_KERNEL = 0.008
"""Width over which places are summed up, for LittleDog [m]."""
_WORST, _POLE = 0.9, 1.03
"""Ground less sound than this bears no foot; where its price would be infinite."""
_DEAREST = _WORST / (_POLE - _WORST)
"""Price of the ground that is just sound enough."""
_MARGIN = 2.0
"""How many times the margin of the settings a step shall have, rather than once."""
_LEAST = 0.25
"""Share of the room of a pose of the settings that must be left with it."""
_TESTS = 300
"""Steps that are tested for each stride ..."""
_ALL_TESTS = 3000
"""... and for all of them: enough that what the long strides take leaves as much for each of the short ones."""
_ALLOWED, _MEAN = (0.2, 0.45), 1.0
"""Share of the nodes around a place that the limits of footholds allow from which on it bears a foot, and at which it
is sound, where the smooth measure finds no ground; standard deviation of that mean [nodes]."""
_UNKNOWN_COST = 0.5
"""Cost of a foothold that only the smoother measure allows [s]."""


def regular_plan(
    ground: SearchedCourse, settings: FootstepSettings, sides: Array, avoid: Sequence[Footstep] = ()
) -> FootstepPlan | None:
    """Footsteps of a regular gait straight to the goal; None where there are none with any stride.

    Args:
        ground: The course made ready, with the costs of footholds, of which plans tell.
        settings: How footsteps are chosen.
        sides: Usual distance of each foot from the way, above zero to the left, (4,) [m].
        avoid: Steps that proved impossible; front feet, or hind feet, keep off their places.
    """
    course, scene = ground.course, ground.scene
    ways = regular_steps(course, settings, sides)
    if not ways:
        return None
    grids = _grids(course, settings, avoid)
    narrow = _narrow_grids(course, ground.costs, avoid)
    rules = pose_rules(course, settings, _MARGIN, _LEAST), pose_rules(course, settings, 1.0, _LEAST)
    tests = 0
    for steps in ways:
        if tests >= _ALL_TESTS:
            break
        choices = _choices(course, scene, steps, grids, narrow)
        if choices is None:
            continue
        search = RegularSearch(course, scene, rules, steps, choices, grids, _DEAREST)
        found = search.run(min(_TESTS, _ALL_TESTS - tests))
        tests += search.tests
        if found is not None:
            return _plan(ground, settings, rules[0].lift, steps, found, tests)
    return None


def _grids(course: KnownCourse, settings: FootstepSettings, avoid: Sequence[Footstep]) -> FootholdCosts:
    """Price of the ground, (nx, ny) each."""
    unsound = unsoundness(course, settings.limits)
    found = FootholdCosts(unsound, unsound).avoiding(course, avoid, 1.0)
    return FootholdCosts(_price(found.front), _price(found.hind))


def _narrow_grids(course: KnownCourse, costs: FootholdCosts, avoid: Sequence[Footstep]) -> FootholdCosts:
    """Price of the ground where that of `_grids` finds none, (nx, ny) each.

    The smooth measure sees the edges of a small stone everywhere on it. Which nodes the limits allow is noisy, their
    share around a node less so.
    """
    from scipy import ndimage

    least, enough = _ALLOWED
    found = list[Array]()
    front, hind = np.isfinite(costs.front).astype(np.float64), np.isfinite(costs.hind).astype(np.float64)
    allowed = FootholdCosts(front, hind).avoiding(course, avoid, 0.0)
    for grid in (allowed.front, allowed.hind):
        share = ndimage.gaussian_filter(grid, _MEAN, mode="nearest")
        found.append(_price(np.clip(_WORST * (enough - share) / (enough - least), 0.0, 1.0)))
    return FootholdCosts(*found)


def _price(unsound: Array) -> Array:
    return np.asarray(unsound / (_POLE - unsound))


def _choices(
    course: KnownCourse, scene: Scene, steps: RegularSteps, grids: FootholdCosts, narrow: FootholdCosts
) -> list[StepPlaces] | None:
    """Where each step may go; None where one may go nowhere."""
    scale = course.scale
    across = np.array([-steps.ahead[1], steps.ahead[0]])
    anchors = np.array([scale * (a * steps.ahead + b * across) for a, b in _ANCHORS])
    line = np.arange(-_AROUND, _AROUND + 1e-9, _FINE) * scale
    around = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1).reshape(-1, 2)
    around = around[np.hypot(*around.T) <= _AROUND * scale + 1e-9]
    lattice = np.arange(-_FAR, _FAR + 1e-9, _COARSE) * scale
    width, kernel_width = WIDTH * scale, _KERNEL * scale
    found = list[StepPlaces]()
    spots, prices, ground = np.empty((MOST_BASINS + len(anchors), 2)), *np.empty((2, MOST_BASINS + len(anchors)))
    for place, leg in zip(steps.places, steps.legs.tolist(), strict=True):
        for grid in (grids.of_leg(course.body, leg), narrow.of_leg(course.body, leg)):
            count = find_basins(scene, grid, place, lattice, width, kernel_width, spots, prices, ground)
            end = count + len(anchors)
            find_minima(scene, grid, place, anchors, around, width, kernel_width, spots[count:end], ground[count:end])
            others = ground[count:end] + ((spots[count:end] - place) ** 2).sum(axis=-1) / width**2
            # A basin comes before all that is only looked at where it does not do.
            prices[count:end] = np.maximum(others, prices[:count].min() if count else 0.0)
            kept = list[int]()
            for k in np.flatnonzero(ground[:end] <= _DEAREST).tolist():
                if all(np.hypot(*(spots[k] - spots[other])) >= PARTED * scale for other in kept):
                    kept.append(k)
            if kept:
                break
        else:
            return None
        heights = [height_at(scene, scene.foot, float(x), float(y)) for x, y in spots[kept]]
        found.append(StepPlaces(np.column_stack([spots[kept], heights]), prices[kept] - prices[kept].min(), grid))
    return found


def pose_rules(course: KnownCourse, settings: FootstepSettings, margin: float = 1.0, least: float = 1.0) -> PoseRules:
    """Rules of poses for the robot's size, with shares of the margin and the least room that settings ask for."""
    leg, sized = course.body.leg_length, settings.grown(course.scale, "length")
    return PoseRules.of(
        leg,
        margin=margin * sized.margin / leg,
        least=least * sized.slack / leg,
        enough=sized.comfort / leg,
        lift=sized.lift / leg,
    )


def _plan(
    ground: SearchedCourse, settings: FootstepSettings, lift: float, steps: RegularSteps, found: list[Array], tests: int
) -> FootstepPlan:
    """The steps with what each costs, as the search counts it."""
    course, scale = ground.course, ground.course.scale
    feet, made, cost = course.feet.copy(), list[Footstep](), 0.0
    for leg, place in zip(steps.legs.tolist(), found, strict=True):
        old = feet[leg].copy()
        hold = min(float(ground.costs.of_leg(course.body, leg)[course.ground.nodes(place[:2])]), _UNKNOWN_COST)
        apex = float(swing_apex(ground.scene, old, place, lift))
        climb = 2.0 * (apex - lift) - float(old[2] + place[2])
        way = float(np.hypot(*(place - old)[:2]))
        cost += settings.pause + way / (settings.speed * scale) + climb / (settings.lifting * scale) + hold
        made.append(Footstep(leg, place.copy(), apex, hold))
        feet[leg] = place
    least = float((feet - course.feet)[:, :2].mean(axis=0) @ steps.ahead) * pace(settings, scale)
    return FootstepPlan(course.feet, tuple(made), cost, max(cost / least, 1.0) if least > 0.0 else 1.0, tests=tests)
