"""The search for footsteps once more, in plain Python with sets, tuples and a heap of the standard library.

Written from the descriptions of `SearchTerrain` and `StepMoves`; only the tests of poses, the support triangle and the
height of a swing are the package's own.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field

import numpy as np

from andante.kernels import entry
from andante.kinematics.support_triangle import inner_triangle
from andante.planning.feasibility.pose_room import PoseRules
from andante.planning.feasibility.scene import Scene
from andante.planning.feasibility.steps import look_at_step, swing_apex
from andante.planning.footsteps.records import SearchTerrain, StepMoves

# Inner kernels, compiled for calls from Python.
look_at_step = entry(look_at_step.py_func)
swing_apex = entry(swing_apex.py_func)
inner_triangle = entry(inner_triangle.py_func)


@dataclass
class State:
    """Four feet, and what led to them."""

    feet: np.ndarray
    turn: int
    parent: State | None = None
    leg: int = -1
    apex: float = 0.0
    hold: float = 0.0
    spent: float = 0.0
    order: float = 0.0


@dataclass
class World:
    """What a search works on."""

    scene: Scene
    rules: PoseRules
    field: SearchTerrain
    moves: StepMoves

    def is_front(self, leg: int) -> bool:
        return self.scene.table.hip[leg, 0] > 0.0

    def same_side(self, one: int, other: int) -> bool:
        return (self.moves.sides[one] > 0.0) == (self.moves.sides[other] > 0.0)

    def node(self, x: float, y: float) -> tuple[int, int]:
        spacing = self.scene.spacing
        return math.floor((x - self.scene.x) / spacing + 0.5), math.floor((y - self.scene.y) / spacing + 0.5)

    def on_map(self, node: tuple[int, int]) -> bool:
        return all(0 <= at < size for at, size in zip(node, self.field.front.shape, strict=True))

    def grid(self, leg: int) -> np.ndarray:
        return self.field.front if self.is_front(leg) else self.field.hind

    def along(self, place: np.ndarray) -> float:
        """Length of the path beside a place: of the nearest point, and how far ahead of that the place is."""
        shape = self.field.nearest.shape
        i, j = (min(max(at, 0), size - 1) for at, size in zip(self.node(place[0], place[1]), shape, strict=True))
        k = self.field.nearest[i, j]
        ahead = np.dot(place[:2] - self.field.points[k], self.forward(k))
        return k * self.field.spacing + ahead

    def forward(self, k: int) -> np.ndarray:
        return np.array([self.field.cosines[k], self.field.sines[k]])

    def point(self, length: float) -> int:
        return min(max(math.floor(length / self.field.spacing + 0.5), 0), len(self.field.togo) - 1)

    def left(self, times: np.ndarray, length: float) -> float:
        return float(np.interp(length, self.field.spacing * np.arange(len(times)), times))

    def beside(self, leg: int, k: int, ahead: float, aside: float) -> tuple[int, int]:
        forward = self.forward(k)
        leftward = np.array([-forward[1], forward[0]])
        place = self.field.points[k] + ahead * forward + (self.moves.sides[leg] + aside) * leftward
        return self.node(place[0], place[1])

    def cheapest(self, leg: int, length: float, aside: float) -> tuple[int, int] | None:
        """The best node around the usual place; off the middle costs 0.02 s at the rim, early or late 0.004 s."""
        k = math.floor(length / self.field.spacing + 0.5)
        if not 0 <= k < len(self.field.points):
            return None
        spacing = self.scene.spacing
        half, wide = int(0.5 * self.moves.pitch / spacing), int(aside / spacing)
        best, which = math.inf, None
        for u in range(-half, half + 1):
            for v in range(-wide, wide + 1):
                node = self.beside(leg, k, u * spacing, v * spacing)
                if not self.on_map(node):
                    continue
                cost = self.grid(leg)[node] + 0.02 * (v / max(wide, 1)) ** 2 + 0.004 * (u / max(half, 1)) ** 2
                if cost < best:
                    best, which = cost, node
        return which

    def candidates(self, leg: int, place: np.ndarray, shortest: float) -> set[tuple[int, int]]:
        """Nodes to which a foot may step."""
        moves, here = self.moves, self.along(place)
        found = set()
        for n in range(math.floor((moves.longest - shortest) / moves.pitch + 1e-6) + 1):
            length = here + moves.longest - n * moves.pitch
            found.add(self.cheapest(leg, length, moves.aside) or self.cheapest(leg, length, 2.0 * moves.aside))
        passed = self.field.passed[leg]
        leaps = passed[self.point(here + moves.leap)] > passed[self.point(here)]
        farthest = max(moves.longest, moves.leap) if leaps else moves.longest
        before = None
        length = here + shortest
        while length <= here + farthest + 1e-9:
            k = math.floor(length / self.field.spacing + 0.5)
            length += self.scene.spacing
            node = self.beside(leg, k, 0.0, 0.0) if 0 <= k < len(self.field.points) else None
            if node is None or not self.on_map(node):
                before = None
                continue
            if before is not None:
                was, now = math.isfinite(self.grid(leg)[before]), math.isfinite(self.grid(leg)[node])
                if was and not now:
                    found.add(before)
                if now and not was:
                    found.add(node)
                    if leaps and length > here + moves.longest:
                        found.add(self.cheapest(leg, length + 0.25 * moves.pitch, moves.aside))
            before = node
        return found - {None}

    def stretched(self, feet: np.ndarray) -> float:
        total = 0.0
        for front in range(4):
            for hind in range(4):
                if not self.is_front(front) or self.is_front(hind) or not self.same_side(front, hind):
                    continue
                apart = self.along(feet[front]) - self.along(feet[hind])
                high = swing_apex(self.scene, feet[hind], feet[front], 0.0) - min(feet[front, 2], feet[hind, 2])
                if apart > self.moves.stretch and high >= self.moves.climb:
                    total += self.moves.stretch_penalty * (apart - self.moves.stretch)
        return total

    def left_behind(self, feet: np.ndarray) -> float:
        total = 0.0
        lengths = [self.along(foot) for foot in feet]
        points = [self.point(length) for length in lengths]
        for leg in range(4):
            (partner,) = (each for each in range(4) if each != leg and self.is_front(each) == self.is_front(leg))
            (mate,) = (each for each in range(4) if each != leg and self.same_side(each, leg))
            across = self.field.passed[partner, points[partner]] > self.field.passed[leg, points[leg]]
            brink = self.field.brink[leg, points[leg]]
            if brink < 0.0 or not across:
                continue
            total += brink
            if not self.is_front(leg):
                total += max(lengths[mate] - lengths[leg] - self.moves.near, 0.0)
        return self.moves.left_behind * total

    def followers(self, state: State, closed: set) -> list[State]:
        """All states one step on that have not come up yet."""
        found = []
        lengths = [self.along(foot) for foot in state.feet]
        moves, count = self.moves, len(self.moves.order)
        for skipped in range(count):
            whose = (state.turn + skipped) % count
            leg = int(moves.order[whose])
            if leg == state.leg or not inner_triangle(state.feet, leg, self.rules.margin, np.empty((3, 2))):
                continue
            high = self.field.rises[leg, self.point(lengths[leg])] >= moves.tall
            for node in self.candidates(leg, state.feet[leg], moves.back if high else moves.shortest):
                new = self.stepped(state, leg, node, lengths, high)
                if new is None:
                    continue
                new.turn = (whose + 1) % count
                new.spent += moves.skip * skipped
                if self.key(new) in closed:
                    continue
                after = [self.along(foot) for foot in new.feet]
                rest = self.left(self.field.togo, float(np.mean(after)))
                rest += sum(self.left(self.field.climbs[each], after[each]) for each in range(4))
                new.order = new.spent + moves.heuristic_weight * rest + self.stretched(new.feet)
                new.order += self.left_behind(new.feet)
                found.append(new)
        return found

    def stepped(self, state: State, leg: int, node: tuple[int, int], lengths: list[float], high: bool) -> State | None:
        """The state after a step, where its feet are in order."""
        moves, scene = self.moves, self.scene
        old = state.feet[leg]
        place = np.array(
            [scene.x + node[0] * scene.spacing, scene.y + node[1] * scene.spacing, float(scene.foot[node])]
        )
        if np.hypot(*(place - old)[:2]) < 0.5 * moves.pitch:
            return None
        (mate,) = (each for each in range(4) if each != leg and self.same_side(each, leg))
        ahead = (self.along(place) - lengths[mate]) * (1.0 if self.is_front(leg) else -1.0)
        if not (moves.beside if high else moves.nearest) <= ahead <= moves.farthest:
            return None
        if np.hypot(*(place - state.feet[mate])[:2]) < moves.apart:
            return None
        feet = state.feet.copy()
        feet[leg] = place
        apex = swing_apex(scene, old, place, self.rules.lift)
        top = apex - self.rules.lift
        hold = float(self.grid(leg)[node])
        time = moves.pause + np.hypot(*(place - old)[:2]) / moves.speed
        time += ((top - old[2]) + (top - place[2])) / moves.lifting
        return State(feet, 0, state, leg, apex, hold, state.spent + time + hold)

    def key(self, state: State) -> tuple:
        cells = np.floor((state.feet[:, :2] - [self.scene.x, self.scene.y]) / self.moves.cell).astype(int)
        return (state.turn, *cells.ravel().tolist())


@dataclass
class Outcome:
    """How a search went."""

    why: str
    last: State
    states: list[State]
    tests: int
    looks: int
    spent: int
    closed: set = field(default_factory=set)


def searched(world: World, start: np.ndarray, budget: int, max_poses: int) -> Outcome:
    """Weighted A* over the states; ends as `kernels.search` does."""
    first = State(start.copy(), 0)
    waiting, states, closed = [(0.0, 0, first)], [first], set()
    tests, looks, spent, farthest, best = 0, 0, 0, -math.inf, first
    made: dict[tuple[bytes, int, bytes], float] = {}
    while waiting:
        _, _, state = heapq.heappop(waiting)
        if world.key(state) in closed:
            continue
        if state.parent is not None:
            if tests >= budget or spent >= max_poses:
                return Outcome("spent", best, states, tests, looks, spent, closed)
            tests += 1
            before, place = state.parent.feet, state.feet[state.leg]
            step = before.tobytes(), state.leg, place.tobytes()
            # A tested step counts as fourteen poses, or as six where the same was tested before.
            spent += 6
            if step not in made:
                made[step], more = look_at_step(
                    world.scene, world.rules, before, state.leg, place, state.apex, np.empty((2, 6))
                )
                looks += more
                spent += 8 + more
            room = made[step]
            if room < world.rules.least:
                continue
            spare = (room - world.rules.least) / (world.moves.comfort - world.rules.least)
            state.spent += world.moves.tight * max(1.0 - spare, 0.0)
        closed.add(world.key(state))
        middle = float(np.mean([world.along(foot) for foot in state.feet]))
        if middle > farthest:
            farthest, best = middle, state
        if middle >= world.field.goal:
            return Outcome("found", state, states, tests, looks, spent, closed)
        for new in world.followers(state, closed):
            heapq.heappush(waiting, (new.order, len(states), new))
            states.append(new)
    return Outcome("exhausted", best, states, tests, looks, spent, closed)
