"""Which of its places each step of a regular gait takes: the cheapest of them with which all steps are possible.

Where a step fails by little, its place is moved by little. To take another place there instead would be a threshold:
noise would decide on which side of it a step is, and the foot would go elsewhere.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass

import numpy as np

from andante.planning.course import KnownCourse
from andante.planning.feasibility.clearance import height_at
from andante.planning.feasibility.pose_room import PoseRules
from andante.planning.feasibility.scene import Scene
from andante.planning.feasibility.steps import step_room, swing_apex
from andante.planning.footsteps.footholds import FootholdCosts
from andante.planning.footsteps.regular_gait import RegularSteps
from andante.spatial.arrays import Array

WIDTH = 0.02
"""Distance that counts as 1, for LittleDog [m]; twice as far counts as 4."""
PARTED = 0.012
"""Least distance of the places of one step, for LittleDog [m]."""
_APART, _AHEAD, _FARTHEST = 0.03, 0.02, 0.40
"""Least distance of the feet of one side, least and largest distance of the front foot before the hind one, for
LittleDog [m]."""
_BEYOND = 1e-9
"""How much farther than the least distance a place is moved, as a share of it: rounding leaves it beyond."""
_EASE, _RINGS, _TURNS = 0.003, (0.5, 1.0), 8
"""How far a place is moved at most where a step is not possible, for LittleDog [m]; at which shares of that, and in how
many directions, places are looked at. Any two of them are less than a cell apart."""
_LACKS = 0.003
"""Room that may be missing where such places are looked at, for LittleDog [m]: room changes by less than the place."""
_THIN = 0.4
"""Price of a step that has only the margin of the settings."""
_PROGRESS = 0.5
"""Price that a state has less in the order of the search for each step of the way: places of feet near the step that
fails are changed before those far behind it."""

_State = tuple[int, tuple[int, ...]]
"""How many steps are made, and the place of the last step of each foot: its number among the places of that step."""


@dataclass(frozen=True, eq=False)
class StepPlaces:
    """Where one step may go."""

    places: Array
    """Centres of the foot, (n, 3) [m]."""
    prices: Array
    """Price of each above that of the cheapest, (n,)."""
    ground: Array | None = None
    """Price of the ground by which they were found, (nx, ny); None: the one that the search is given."""


class RegularSearch:
    """Best-first search over the places of each step; a state is the place of the last step of each foot.

    Args:
        course: The course.
        scene: Robot and ground.
        rules: What a step shall keep, and what it must keep.
        steps: The gait.
        choices: Where each step may go.
        grids: Price of the ground for front feet and for hind feet, (nx, ny) each.
        dearest: Price of the ground from which on it bears no foot.
    """

    def __init__(
        self,
        course: KnownCourse,
        scene: Scene,
        rules: tuple[PoseRules, PoseRules],
        steps: RegularSteps,
        choices: list[StepPlaces],
        grids: FootholdCosts,
        dearest: float,
    ) -> None:
        self._course, self._scene, self._rules, self._steps, self._choices = course, scene, rules, steps, choices
        self._scale, self._hip = course.scale, course.body.table.hip
        self._grids, self._dearest = grids, dearest
        # Places that were moved, of each step; their numbers follow those of its choices.
        self._moved = [list[Array]() for _ in choices]
        self.tests = 0
        """Steps that were tested; places beside one that failed are part of its test."""
        # Number of each foot's step before each step, -1: where it stands.
        self._before = np.full((len(steps.legs) + 1, 4), -1, dtype=np.int64)
        for number, leg in enumerate(steps.legs):
            self._before[number + 1] = self._before[number]
            self._before[number + 1, leg] = number

    def run(self, most: int) -> list[Array] | None:
        """The place of each step (3,) [m], or None where none was found with so many tests."""
        legs = self._steps.legs
        start: _State = (0, (-1, -1, -1, -1))
        parents: dict[_State, _State | None] = {}
        # Of states of the same price the one that is farther comes up first, then the one found first.
        heap: list[tuple[float, int, int, _State, _State | None, int]] = [(0.0, 0, 0, start, None, 0)]
        count = 0
        while heap:
            price, _, _, state, parent, thin = heapq.heappop(heap)
            if state in parents:
                continue
            if parent is not None:
                if self.tests >= most:
                    return None
                room, least = self._room(parent, state, self._rules[thin]), self._rules[thin].least
                if room is None or room < least:
                    others = [self._apart(parent, state) if room is None else None]
                    if room is not None and room > least - _LACKS * self._scale:
                        others.append(self._eased(parent, state, thin))
                    if room is not None and not thin:
                        others.append((_THIN, state, 1))
                    for more, other, margin in (each for each in others if each is not None):
                        count += 1
                        heapq.heappush(heap, (price + more, -state[0], count, other, parent, margin))
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

    def _feet(self, state: _State) -> Array:
        number, chosen = state
        feet = self._course.feet.copy()
        for leg, last in enumerate(self._before[number].tolist()):
            if last >= 0:
                feet[leg] = self._place(last, chosen[leg])
        return feet

    def _place(self, number: int, choice: int) -> Array:
        """A place of a step, (3,) [m]."""
        places = self._choices[number].places
        return np.asarray(places[choice]) if choice < len(places) else self._moved[number][choice - len(places)]

    def _room(self, before: _State, after: _State, rules: PoseRules) -> float | None:
        """Room of a step under some rules [m]; None where feet would be too near to each other or too far apart."""
        leg = int(self._steps.legs[before[0]])
        feet, place = self._feet(before), self._place(before[0], after[1][leg])
        if not self._in_order(feet, leg, place):
            return None
        self.tests += 1
        return self._room_at(feet, leg, place, rules)

    def _room_at(self, feet: Array, leg: int, place: Array, rules: PoseRules) -> float:
        apex = float(swing_apex(self._scene, feet[leg], place, rules.lift))
        return float(step_room(self._scene, rules, feet, leg, place, apex))

    def _in_order(self, feet: Array, leg: int, place: Array) -> bool:
        """Whether a foot at a place is neither too near to the other foot of its side nor too far from it."""
        scale, ahead = self._scale, self._ahead(leg)
        for other in self._beside(leg):
            way = place[:2] - feet[other, :2]
            if float(np.hypot(*way)) < _APART * scale or not _AHEAD * scale <= float(way @ ahead) <= _FARTHEST * scale:
                return False
        return True

    def _beside(self, leg: int) -> list[int]:
        """The other feet of a foot's side."""
        left = self._hip[:, 1] > 0.0
        return [other for other in range(4) if other != leg and left[other] == left[leg]]

    def _ahead(self, leg: int) -> Array:
        """Direction in which a foot is ahead of a hind foot, or behind a front foot, of its side, (2,)."""
        return np.asarray(self._steps.ahead * (1.0 if self._hip[leg, 0] > 0.0 else -1.0))

    def _apart(self, before: _State, after: _State) -> tuple[float, _State, int] | None:
        """A step whose place is moved away from a foot of its side that is too near: what it costs above the step as it
        is, the state after it, and 0, the margin that it shall have; None where it would be moved far, or to ground
        that bears no foot.

        How far it is moved grows from nothing.
        """
        number, leg = before[0], int(self._steps.legs[before[0]])
        choice, feet, ahead = after[1][leg], self._feet(before), self._ahead(leg)
        if choice >= len(self._choices[number].places):
            return None
        old = self._place(number, choice)[:2]
        place, scale = old.copy(), self._scale * (1.0 + _BEYOND)
        for other in self._beside(leg):
            way = place - feet[other, :2]
            way += max(_AHEAD * scale - float(way @ ahead), 0.0) * ahead
            place = feet[other, :2] + way * max(_APART * scale / float(np.hypot(*way)), 1.0)
        more = self._price(number, place) - self._price(number, old)
        if not 0.0 < float(np.hypot(*(place - old))) < PARTED * scale or not math.isfinite(more):
            return None
        return max(more, 0.0), self._moved_to(after, number, place), 0

    def _eased(self, before: _State, after: _State, thin: int) -> tuple[float, _State, int] | None:
        """A step to the cheapest place near by where it is possible, which it is not at its own: what it costs above
        the step as it is, the state after it, and the margin as given; None where it is possible at none of them.
        """
        number, leg = before[0], int(self._steps.legs[before[0]])
        feet, old = self._feet(before), self._place(number, after[1][leg])[:2]
        usual, found = self._price(number, old), list[tuple[float, Array]]()
        for share in _RINGS:
            for turn in 2.0 * math.pi / _TURNS * np.arange(_TURNS):
                place = old + share * _EASE * self._scale * np.array([math.cos(turn), math.sin(turn)])
                more = max(self._price(number, place) - usual, 0.0) + (share * _EASE / WIDTH) ** 2
                if math.isfinite(more) and self._in_order(feet, leg, place):
                    found.append((more, place))
        for more, place in sorted(found, key=lambda each: each[0]):
            if self._room_at(feet, leg, self._on_ground(place), self._rules[thin]) >= self._rules[thin].least:
                return more, self._moved_to(after, number, place), thin
        return None

    def _price(self, number: int, place: Array) -> float:
        """Price of a place of a step (2,) [m], ground and distance; infinite where the ground bears no foot."""
        grid = self._choices[number].ground
        if grid is None:
            grid = self._grids.of_leg(self._course.body, int(self._steps.legs[number]))
        ground = float(height_at(self._scene, grid, float(place[0]), float(place[1])))
        if ground > self._dearest:
            return math.inf
        return ground + float(((place - self._steps.places[number]) ** 2).sum()) / (WIDTH * self._scale) ** 2

    def _on_ground(self, place: Array) -> Array:
        x, y = place.tolist()
        return np.array([x, y, height_at(self._scene, self._scene.foot, x, y)])

    def _moved_to(self, state: _State, number: int, place: Array) -> _State:
        """A state whose last step goes to another place (2,) [m]."""
        leg, moved, whole = int(self._steps.legs[number]), self._moved[number], self._on_ground(place)
        at = next((k for k, known in enumerate(moved) if (known == whole).all()), len(moved))
        if at == len(moved):
            moved.append(whole)
        return state[0], (*state[1][:leg], len(self._choices[number].places) + at, *state[1][leg + 1 :])

    def _way(self, parents: dict[_State, _State | None], last: _State) -> list[Array]:
        places = list[Array]()
        state, parent = last, parents[last]
        while parent is not None:
            places.append(self._place(parent[0], state[1][int(self._steps.legs[parent[0]])]))
            state, parent = parent, parents[parent]
        return places[::-1]
