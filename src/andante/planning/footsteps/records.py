"""What a search for footsteps works on: the ground and the way, the steps that are tried, room for its states."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from andante.spatial.arrays import Array1, Array2, Array3, Index1, Index2, Index3

NO_NODE, NOT_LOOKED = -1, -2
"""Instead of a node's number: there is none, and nobody has looked."""


class SearchTerrain(NamedTuple):
    """What the search knows of the ground and the way."""

    front: Array2
    """Cost of a foothold for a front foot, infinite where there is none, (nx, ny) [s]."""
    hind: Array2
    """The same for a hind foot."""
    points: Array2
    """Points of the body's path, (n, 2) [m]."""
    cosines: Array1
    """Cosine of its direction, (n,)."""
    sines: Array1
    """Sine of its direction, (n,)."""
    spacing: float
    """Distance of its points [m]."""
    togo: Array1
    """Time to the goal from each, (n,) [s]."""
    climbs: Array2
    """Time that each foot climbs from each point to the goal, (4, n) [s]."""
    rises: Array2
    """Largest height difference near each point on each foot's line, (4, n) [m]."""
    passed: Index2
    """Number of wide gaps before each point on each foot's line, (4, n)."""
    brink: Array2
    """Way from there to the last foothold before the next one, below 0 where none follows, (4, n) [m]."""
    nearest: Index2
    """Point nearest to each node of the map, (nx, ny)."""
    goal: float
    """Length of the path at which the middle of the feet is there [m]."""


class StepMoves(NamedTuple):
    """Which steps are tried and what they cost; lengths are the robot's own."""

    order: Index1
    """Rows of the feet in the order of their turns."""
    sides: Array1
    """Usual distance of each foot from the path, above zero to the left, (4,) [m]."""
    shortest: float
    """Farthest step back [m]."""
    back: float
    """The same near high steps [m]."""
    longest: float
    """Longest step [m]."""
    pitch: float
    """Distance of the places that are looked at [m]."""
    aside: float
    """How far beside its usual place a foot may go [m]."""
    cell: float
    """Two states whose feet are in the same cells of this width count as one [m]."""
    nearest: float
    """Least distance of a front foot from the hind foot of its side, along the path [m]."""
    beside: float
    """The same near high steps [m]."""
    farthest: float
    """Largest such distance [m]."""
    apart: float
    """Least distance of the feet of one side [m]."""
    pause: float
    """Time of a step besides its way [s]."""
    speed: float
    """Speed over the ground [m/s]."""
    lifting: float
    """Speed up and down [m/s]."""
    skip: float
    """Cost of a skipped turn [s]."""
    tight: float
    """Cost of a step without any room to spare [s]."""
    comfort: float
    """Room at which it costs nothing [m]."""
    heuristic_weight: float
    """Factor on the estimated rest."""
    climb: float
    """Height difference of the feet of one side from which on they should stay close [m]."""
    tall: float
    """Height difference of the ground from which on feet of one side may stand beside each other [m]."""
    stretch: float
    """Largest distance of theirs along the path then [m]."""
    stretch_penalty: float
    """What each metre above that counts in the order of the search [s/m]."""
    leap: float
    """Longest step over a wide gap [m]."""
    near: float
    """Largest distance of a hind foot that is left behind a gap from the front foot of its side [m]."""
    left_behind: float
    """What each metre counts that a foot left behind a gap is off its brink or above that distance [s/m]."""


class SearchMemory(NamedTuple):
    """Room for the states of a search, one row each."""

    parents: Index1
    """State from which each came, -1 for the first, (n,)."""
    legs: Index1
    """Row of the foot that moved, (n,)."""
    turns: Index1
    """Place in the order whose turn is next, (n,)."""
    feet: Array3
    """Centres of the feet, (n, 4, 3) [m]."""
    apexes: Array1
    """Height of the foot that moved on its way, (n,) [m]."""
    spent: Array1
    """Cost so far, (n,) [s]."""
    holds: Array1
    """Cost of the foothold that was stepped on, (n,) [s]."""
    order: Array1
    """Order in which states come up, least first, (n,) [s]."""
    heap: Index1
    """Heap of states that wait, (n,)."""
    closed: Index1
    """Hash table of the states that came up, 0 where empty."""
    best: Index3
    """Cheapest node near the usual place of each foot at each point of the path, within the usual distance aside and
    within twice that, as its number in the map, (4, n points, 2); `NOT_LOOKED` and `NO_NODE` are none."""

    @staticmethod
    def of(states: int, tests: int, points: int) -> SearchMemory:
        """Room for a number of states, of which a number is tested, along a path of a number of points."""
        parents, legs, turns, heap = (np.empty(states, dtype=np.int64) for _ in range(4))
        apexes, spent, holds, order = (np.empty(states) for _ in range(4))
        closed = np.zeros(4 * tests + 64, dtype=np.int64)
        best = np.full((4, points, 2), NOT_LOOKED, dtype=np.int64)
        return SearchMemory(
            parents, legs, turns, np.empty((states, 4, 3)), apexes, spent, holds, order, heap, closed, best
        )


class Tested(NamedTuple):
    """What tests of steps over one ground came to: searches that differ in weights or places ask for many of them
    again."""

    keys: Index1
    """Hash table of the steps, 0 where empty, (n,)."""
    rooms: Array1
    """Room of each [m], (n,)."""

    @staticmethod
    def of(tests: int) -> Tested:
        """Room for a number of tests."""
        size = 2 * tests + 64
        return Tested(np.zeros(size, dtype=np.int64), np.empty(size))
