"""Footsteps over a noisy map: a regular gait whose places give way to the ground, so that noise hardly changes them.

Each place goes to the nearest sound ground, as the minimum of a smooth bowl: what it should be against what the ground
is like. That minimum moves little where heights change little. Where a step is not possible with these, other places
of some feet are tried, the least dear first; prices are distances, of which noise changes nothing.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from andante.planning.course import KnownCourse
from andante.planning.feasibility.clearance import height_at
from andante.planning.feasibility.pose_room import PoseRules
from andante.planning.feasibility.scene import Scene
from andante.planning.feasibility.steps import step_apex, step_room
from andante.planning.footsteps.body_path import pace
from andante.planning.footsteps.footholds import FootholdCosts
from andante.planning.footsteps.price_basins import MOST_BASINS, find_basins, find_minima
from andante.planning.footsteps.regular_gait import RegularSteps, regular_steps
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
_WIDTH = 0.02
"""Distance that counts as 1, for LittleDog [m]; twice as far counts as 4."""
_KERNEL = 0.008
"""Width over which places are summed up, for LittleDog [m]."""
_WORST, _POLE = 0.9, 1.03
"""Ground less sound than this bears no foot; where its price would be infinite."""
_PARTED = 0.012
"""Least distance of the places of one step, for LittleDog [m]."""
_APART, _AHEAD, _FARTHEST = 0.03, 0.02, 0.40
"""Least distance of the feet of one side, least and largest distance of the front foot before the hind one, for
LittleDog [m]."""
_MARGIN, _THIN = 2.0, 0.4
"""How many times the margin of the settings a step shall have, and the price of one that has only that margin."""
_LEAST = 0.25
"""Share of the room of a pose of the settings that must be left with it."""
_TESTS = 300
"""Steps that are tested for each stride ..."""
_ALL_TESTS = 1000
"""... and for all of them: where a regular gait leads to the goal, it does so soon."""
_PROGRESS = 0.5
"""Price that a state has less in the order of the search for each step of the way: places of feet near the step that
fails are changed before those far behind it."""
_OFF = 0.0125
"""Distance that feet keep from the place of a step that proved impossible, for LittleDog [m]."""
_UNKNOWN_COST = 0.5
"""Cost of a foothold that only the smoother measure allows [s]."""


@dataclass(frozen=True, eq=False)
class _Choice:
    """Where one step may go."""

    places: Array
    """Centres of the foot, (n, 3) [m]."""
    prices: Array
    """Price of each above that of the cheapest, (n,)."""


def regular_plan(
    course: KnownCourse,
    settings: FootstepSettings,
    scene: Scene,
    costs: FootholdCosts,
    sides: Array,
    avoid: Sequence[Footstep] = (),
) -> FootstepPlan | None:
    """Footsteps of a regular gait straight to the goal; None where there are none with any stride.

    Args:
        course: The course.
        settings: How footsteps are chosen.
        scene: Robot and ground.
        costs: Costs of footholds, of which plans tell.
        sides: Usual distance of each foot from the way, above zero to the left, (4,) [m].
        avoid: Steps that proved impossible; front feet, or hind feet, keep off their places.
    """
    ways = regular_steps(course, settings, sides)
    if not ways:
        return None
    grids = _grids(course, settings, avoid)
    rules = _rules(course, settings, _MARGIN), _rules(course, settings, 1.0)
    tests = 0
    for steps in ways:
        if tests >= _ALL_TESTS:
            break
        choices = _choices(course, scene, steps, grids)
        if choices is None:
            continue
        search = _Search(course, scene, rules, steps, choices)
        found = search.run(min(_TESTS, _ALL_TESTS - tests))
        tests += search.tests
        if found is not None:
            return _plan(course, settings, scene, rules[0], costs, steps, found, tests)
    return None


def _grids(course: KnownCourse, settings: FootstepSettings, avoid: Sequence[Footstep]) -> tuple[Array, Array]:
    """Price of the ground for front feet and for hind feet, (nx, ny) each."""
    front = unsoundness(course, settings.limits)
    hind, ground = front.copy(), course.ground
    if avoid:
        x, y = np.meshgrid(ground.x, ground.y, indexing="ij")
        for step in avoid:
            near = np.hypot(x - step.place[0], y - step.place[1]) < _OFF * course.scale
            (front if course.body.table.hip[step.leg, 0] > 0.0 else hind)[near] = 1.0
    return _price(front), _price(hind)


def _price(unsound: Array) -> Array:
    return np.asarray(unsound / (_POLE - unsound))


def _choices(
    course: KnownCourse, scene: Scene, steps: RegularSteps, grids: tuple[Array, Array]
) -> list[_Choice] | None:
    """Where each step may go; None where one may go nowhere."""
    scale = course.scale
    across = np.array([-steps.ahead[1], steps.ahead[0]])
    anchors = np.array([scale * (a * steps.ahead + b * across) for a, b in _ANCHORS])
    line = np.arange(-_AROUND, _AROUND + 1e-9, _FINE) * scale
    around = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1).reshape(-1, 2)
    around = around[np.hypot(*around.T) <= _AROUND * scale + 1e-9]
    lattice = np.arange(-_FAR, _FAR + 1e-9, _COARSE) * scale
    width, kernel_width = _WIDTH * scale, _KERNEL * scale
    is_front = course.body.table.hip[steps.legs, 0] > 0.0
    found = list[_Choice]()
    spots, prices, ground = np.empty((MOST_BASINS + len(anchors), 2)), *np.empty((2, MOST_BASINS + len(anchors)))
    most = _WORST / (_POLE - _WORST)
    for place, front in zip(steps.places, is_front.tolist(), strict=True):
        grid = grids[0 if front else 1]
        count = find_basins(scene, grid, place, lattice, width, kernel_width, spots, prices, ground)
        end = count + len(anchors)
        find_minima(scene, grid, place, anchors, around, width, kernel_width, spots[count:end], ground[count:end])
        others = ground[count:end] + ((spots[count:end] - place) ** 2).sum(axis=-1) / width**2
        # A basin comes before all that is only looked at where it does not do.
        prices[count:end] = np.maximum(others, prices[:count].min() if count else 0.0)
        kept = list[int]()
        for k in np.flatnonzero(ground[:end] <= most).tolist():
            if all(np.hypot(*(spots[k] - spots[other])) >= _PARTED * scale for other in kept):
                kept.append(k)
        if not kept:
            return None
        heights = [height_at(scene, scene.foot, float(x), float(y)) for x, y in spots[kept]]
        found.append(_Choice(np.column_stack([spots[kept], heights]), prices[kept] - prices[kept].min()))
    return found


def _rules(course: KnownCourse, settings: FootstepSettings, share: float) -> PoseRules:
    leg, sized = course.body.leg_length, settings.grown(course.scale, "length")
    return PoseRules.of(
        leg,
        margin=share * sized.margin / leg,
        least=_LEAST * sized.slack / leg,
        enough=sized.comfort / leg,
        lift=sized.lift / leg,
    )


class _Search:
    """Best-first search over the choices of each step; a state is the choice of the last step of each foot.

    Args:
        course: The course.
        scene: Robot and ground.
        rules: What a step shall keep, and what it must keep.
        steps: The gait.
        choices: Where each step may go.
    """

    def __init__(
        self,
        course: KnownCourse,
        scene: Scene,
        rules: tuple[PoseRules, PoseRules],
        steps: RegularSteps,
        choices: list[_Choice],
    ) -> None:
        self._course, self._scene, self._rules, self._steps, self._choices = course, scene, rules, steps, choices
        self._scale, self._hip = course.scale, course.body.table.hip
        self.tests = 0
        """Steps that were tested."""
        # Number of each foot's step before each step, -1: where it stands.
        self._before = np.full((len(steps.legs) + 1, 4), -1, dtype=np.int64)
        for number, leg in enumerate(steps.legs):
            self._before[number + 1] = self._before[number]
            self._before[number + 1, leg] = number

    def run(self, most: int) -> list[Array] | None:
        """The place of each step (3,) [m], or None where none was found with so many tests."""
        legs = self._steps.legs
        State = tuple[int, tuple[int, ...]]
        start: State = (0, (-1, -1, -1, -1))
        parents: dict[State, State | None] = {}
        # Of states of the same price the one that is farther comes up first, then the one found first.
        heap: list[tuple[float, int, int, State, State | None, int]] = [(0.0, 0, 0, start, None, 0)]
        count = 0
        while heap:
            price, _, _, state, parent, thin = heapq.heappop(heap)
            if state in parents:
                continue
            if parent is not None:
                if self.tests >= most:
                    return None
                possible = self._possible(parent, state, self._rules[thin])
                if possible is None:
                    continue
                if not possible:
                    if not thin:
                        count += 1
                        heapq.heappush(heap, (price + _THIN, -state[0], count, state, parent, 1))
                    continue
            parents[state] = parent
            number, chosen = state
            if number == len(legs):
                return self._way(parents, state)
            leg = int(legs[number])
            for k, more in enumerate(self._choices[number].prices.tolist()):
                count += 1
                after = (*chosen[:leg], k, *chosen[leg + 1 :])
                heapq.heappush(heap, (price + more - _PROGRESS, -number - 1, count, (number + 1, after), state, 0))
        return None

    def _feet(self, state: tuple[int, tuple[int, ...]]) -> Array:
        number, chosen = state
        feet = self._course.feet.copy()
        for leg, last in enumerate(self._before[number].tolist()):
            if last >= 0:
                feet[leg] = self._choices[last].places[chosen[leg]]
        return feet

    def _possible(
        self, before: tuple[int, tuple[int, ...]], after: tuple[int, tuple[int, ...]], rules: PoseRules
    ) -> bool | None:
        """Whether a step keeps some rules; None where feet would be too near to each other or too far apart."""
        leg = int(self._steps.legs[before[0]])
        feet = self._feet(before)
        place = self._choices[before[0]].places[after[1][leg]]
        scale, hip = self._scale, self._hip
        for other in range(4):
            if other == leg or (hip[other, 1] > 0.0) != (hip[leg, 1] > 0.0):
                continue
            way = place[:2] - feet[other, :2]
            ahead = float(way @ self._steps.ahead) * (1.0 if hip[leg, 0] > 0.0 else -1.0)
            near = float(np.hypot(*way)) < _APART * scale
            if near or not _AHEAD * scale <= ahead <= _FARTHEST * scale:
                return None
        self.tests += 1
        apex = float(step_apex(self._scene, feet[leg], place, rules.lift))
        return float(step_room(self._scene, rules, feet, leg, place, apex)) >= rules.least

    def _way(
        self,
        parents: dict[tuple[int, tuple[int, ...]], tuple[int, tuple[int, ...]] | None],
        last: tuple[int, tuple[int, ...]],
    ) -> list[Array]:
        places = list[Array]()
        state, parent = last, parents[last]
        while parent is not None:
            leg = int(self._steps.legs[parent[0]])
            places.append(self._choices[parent[0]].places[state[1][leg]])
            state, parent = parent, parents[parent]
        return places[::-1]


def _plan(
    course: KnownCourse,
    settings: FootstepSettings,
    scene: Scene,
    rules: PoseRules,
    costs: FootholdCosts,
    steps: RegularSteps,
    places: list[Array],
    tests: int,
) -> FootstepPlan:
    """The steps with what each costs, as the search counts it."""
    scale, ground, shape = course.scale, course.ground, np.array(course.ground.heights.shape)
    feet, made, cost = course.feet.copy(), list[Footstep](), 0.0
    for leg, place in zip(steps.legs.tolist(), places, strict=True):
        old = feet[leg].copy()
        i, j = np.clip(np.rint((place[:2] - ground.origin) / ground.spacing), 0, shape - 1).astype(np.int64)
        hold = min(float(costs.of_leg(course.body, leg)[i, j]), _UNKNOWN_COST)
        apex = float(step_apex(scene, old, place, rules.lift))
        climb = 2.0 * (apex - rules.lift) - float(old[2] + place[2])
        way = float(np.hypot(*(place - old)[:2]))
        cost += settings.pause + way / (settings.speed * scale) + climb / (settings.lifting * scale) + hold
        made.append(Footstep(leg, place.copy(), apex, hold))
        feet[leg] = place
    least = float((feet - course.feet)[:, :2].mean(axis=0) @ steps.ahead) * pace(settings, scale)
    return FootstepPlan(course.feet, tuple(made), cost, max(cost / least, 1.0) if least > 0.0 else 1.0, tests=tests)
