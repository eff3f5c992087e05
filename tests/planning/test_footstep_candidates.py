"""Which steps are tried, on straight lanes whose lengths are exact in binary, so that borders are met exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from courses import stand

from andante.kernels import entry
from andante.planning.footsteps import records
from andante.planning.footsteps import search as module
from andante.planning.footsteps.candidates import along_path, candidates
from andante.planning.footsteps.kernels import SPENT, search
from andante.planning.footsteps.records import SearchMemory, SearchTerrain, StepMoves
from andante.planning.footsteps.search import SearchedCourse
from andante.planning.footsteps.settings import FootstepSettings
from andante.terrain.boards.make import make_board

# Inner kernels, compiled for calls from Python.
along_path = entry(along_path.py_func)
candidates = entry(candidates.py_func)

NODE = 2.0**-8
"""Distance of nodes, and of the points of the path [m]."""
COUNT, HALF = 257, 32
"""Nodes along a lane; nodes from its middle to either side."""
FL, FR, HL, HR = range(4)


@dataclass
class Lane:
    """Level ground, 1 m long and 0.25 m wide, with a straight path from its first to its last node along ``axis``."""

    axis: int
    scene: object
    rules: object
    field: SearchTerrain
    moves: StepMoves

    def node(self, along: int, aside: int) -> tuple[int, int]:
        """Row and column, numbered along the path and to its left from its first point."""
        return (along, HALF + aside) if self.axis == 0 else (HALF - aside, along)

    def place(self, along: int, aside: int) -> np.ndarray:
        i, j = self.node(along, aside)
        return np.array([self.scene.x + i * NODE, self.scene.y + j * NODE, 0.0])

    def close(self, first: int, last: int) -> None:
        """Take the footholds between two nodes along the path, right across."""
        for grid in (self.field.front, self.field.hind):
            (grid if self.axis == 0 else grid.T)[first : last + 1] = math.inf

    def found(self, leg: int, along: int, shortest: float | None = None) -> list[int]:
        """How far from its place each node is to which a foot on its line may step, all on the line [nodes]."""
        aside = round(self.moves.sides[leg] / NODE)
        nodes, best = np.empty((64, 2), dtype=np.int64), SearchMemory.of(1, 1, COUNT).best
        back = self.moves.shortest if shortest is None else shortest
        number = candidates(self.scene, self.field, self.moves, best, leg, self.place(along, aside), back, nodes)
        line = {self.node(k, aside): k - along for k in range(COUNT)}
        return sorted(line[tuple(map(int, node))] for node in nodes[:number])

    def steps(self, **changes) -> dict[int, list[int]]:
        """What follows a stance with 64 nodes between front and hind feet: how far each foot may step [nodes]."""
        moves, memory = self.moves._replace(**changes), SearchMemory.of(400, 1, COUNT)
        start = np.array([self.place(128 + ahead, aside) for ahead in (32, -32) for aside in (16, -16)])
        with np.errstate(over="ignore"):
            why, last, count, *_ = search(
                self.scene, self.rules, self.field, moves, start, 0, 10**9, memory, records.Tested.of(1)
            )
        assert (why, last) == (SPENT, 0)
        ways = {leg: [] for leg in range(4)}
        for node in range(1, count):
            leg = int(memory.legs[node])
            (way,) = (k for k in range(-64, 64) if (start[leg] + self.ahead(k) == memory.feet[node, leg]).all())
            ways[leg].append(way)
            cost = 0.125 + abs(way) * NODE / 0.5 + 0.25 * list(moves.order).index(leg)
            assert memory.spent[node] == pytest.approx(cost, abs=1e-12)
        return {leg: sorted(found) for leg, found in ways.items()}

    def ahead(self, nodes: int) -> np.ndarray:
        return self.place(nodes, 0) - self.place(0, 0)


@pytest.fixture(scope="module")
def littledog():
    """Scene and rules of LittleDog on level ground, and its usual moves."""
    course, settings, seen = stand(make_board("flat", 0.5, 0)), FootstepSettings(), []
    with pytest.MonkeyPatch.context() as patch:

        def caught(*arguments):
            seen.extend(arguments)
            raise InterruptedError

        patch.setattr(module, "search", caught)
        with pytest.raises(InterruptedError):
            module.run(SearchedCourse.of(course, settings), settings)
    scene, rules, _, moves, *_ = seen
    return scene, rules, moves


def straight(scene, axis):
    """Level ground with a straight path along an axis."""
    level = np.zeros((COUNT, 2 * HALF + 1))
    along = NODE * np.arange(COUNT) - 0.5
    points = np.column_stack([along, np.zeros(COUNT)])
    nearest = np.repeat(np.arange(COUNT)[:, None], 2 * HALF + 1, axis=1)
    if axis == 1:
        level, nearest, points = level.T.copy(), nearest.T.copy(), points[:, ::-1].copy()
    low = points[0] - 0.125 * np.array([axis, 1 - axis])
    field = SearchTerrain(
        front=level.copy(),
        hind=level.copy(),
        points=points,
        cosines=np.full(COUNT, 1.0 - axis),
        sines=np.full(COUNT, 0.0 + axis),
        spacing=NODE,
        togo=np.linspace(2.0, 0.0, COUNT),
        climbs=np.zeros((4, COUNT)),
        rises=np.zeros((4, COUNT)),
        passed=np.zeros((4, COUNT), dtype=np.int64),
        brink=np.full((4, COUNT), -1.0),
        nearest=nearest,
        goal=0.9,
    )
    scene = scene._replace(foot=level.copy(), clear=level.copy(), x=float(low[0]), y=float(low[1]), spacing=NODE)
    return scene, field


@pytest.fixture(params=[0, 1], ids=["along x", "along y"])
def lane(littledog, request):
    scene, rules, moves = littledog
    scene, field = straight(scene, request.param)
    moves = moves._replace(
        order=np.array([HR, FR, HL, FL]),
        sides=16 * NODE * np.array([1.0, -1.0, 1.0, -1.0]),
        shortest=-8 * NODE,
        back=-16 * NODE,
        longest=32 * NODE,
        pitch=8 * NODE,
        aside=4 * NODE,
        cell=4 * NODE,
        nearest=40 * NODE,
        beside=32 * NODE,
        farthest=88 * NODE,
        apart=8 * NODE,
        pause=0.125,
        speed=0.5,
        skip=0.25,
        tall=0.0625,
        leap=48 * NODE,
    )
    return Lane(request.param, scene, rules, field, moves)


@pytest.mark.parametrize(
    ("place", "node"),
    [
        ((3.0, 2.0), (3, 2)),
        ((3.49, 1.51), (3, 2)),
        ((3.51, 1.49), (4, 1)),
        ((0.0, 0.0), (0, 0)),
        ((-9.0, -3.0), (0, 0)),
        ((256.0, 64.0), (256, 64)),
        ((255.4, 63.4), (255, 63)),
        ((300.0, 90.0), (256, 64)),
        ((-9.0, 90.0), (0, 64)),
    ],
)
def test_a_place_lies_beside_the_point_of_its_node_and_off_the_map_of_that_on_the_rim(littledog, place, node):
    scene, field = straight(littledog[0], 0)
    # Without directions only the point counts, here one of its own for each node.
    field = field._replace(
        cosines=np.zeros(COUNT), sines=np.zeros(COUNT), nearest=(np.arange(COUNT)[:, None] + 5 * np.arange(65)) % COUNT
    )
    length = along_path(scene, field, scene.x + place[0] * NODE, scene.y + place[1] * NODE)
    assert length == (node[0] + 5 * node[1]) % COUNT * NODE


@pytest.mark.slow
def test_on_even_ground_a_foot_may_step_to_the_middle_of_each_stretch(lane):
    # From 32 nodes ahead to 8 back, which is five pitches: the last stretch is the farthest step back itself.
    assert lane.found(FL, 128) == [-8, 0, 8, 16, 24, 32]
    assert lane.found(HR, 128, shortest=-16 * NODE) == [-16, -8, 0, 8, 16, 24, 32]
    # What is left of a pitch makes no stretch.
    assert lane.found(FL, 128, shortest=-7.9 * NODE) == [0, 8, 16, 24, 32]


def test_the_first_and_the_last_node_of_a_map_bear_a_foot_and_nothing_lies_beyond(lane):
    assert lane.found(FR, 8) == [-8, 0, 8, 16, 24, 32]
    assert lane.found(FR, 7) == [0, 8, 16, 24, 32]
    assert lane.found(FR, 0) == [0, 8, 16, 24, 32]
    assert lane.found(HL, 240) == [-8, 0, 8, 16]
    assert lane.found(HL, 249) == [-8, 0]
    assert lane.found(HL, 256) == [-8, 0]


def test_a_lonely_foothold_at_either_end_of_a_path_is_found_as_an_edge(lane):
    lane.close(1, 4)
    lane.close(253, 255)
    # The stretches around 4 and 252 have better ones nearer to their middles.
    assert lane.found(FR, 4) == [-4, 1, 8, 16, 24, 32]
    assert lane.found(HL, 252) == [-8, 0, 4]


@pytest.mark.parametrize("leg", [FL, FR])
def test_a_line_may_lie_on_the_rim_of_the_map(lane, leg):
    lane.moves = lane.moves._replace(sides=HALF * NODE * np.array([1.0, -1.0, 1.0, -1.0]))
    assert lane.found(leg, 128) == [-8, 0, 8, 16, 24, 32]
    lane.close(140, 150)
    assert lane.found(leg, 128) == [-8, 0, 8, 11, 23, 24, 32]


def test_a_gap_adds_the_last_foothold_before_it_and_the_first_behind_it(lane):
    lane.close(140, 150)
    # The stretch around 16 nodes ahead has no foothold.
    assert lane.found(FL, 128) == [-8, 0, 8, 11, 23, 24, 32]


@pytest.mark.parametrize("leg", [FL, FR])
@pytest.mark.parametrize("rim", [False, True])
def test_over_a_wide_gap_a_foot_may_step_farther_than_its_longest_step(lane, leg, rim):
    if rim:
        lane.moves = lane.moves._replace(sides=HALF * NODE * np.array([1.0, -1.0, 1.0, -1.0]))
    lane.close(140, 167)
    assert lane.found(leg, 128) == [-8, 0, 8, 11]
    # Its first foothold is 40 nodes ahead and so within a leap; what is good there lies a quarter of a pitch behind it.
    lane.field.passed[leg, 168:] = 1
    assert lane.found(leg, 128) == [-8, 0, 8, 11, 40, 43]
    # A gap that ends farther ahead than a leap, or lies behind, is none to leap over.
    assert lane.found(leg, 119) == [-8, 0, 8, 16, 20]
    assert lane.found(leg, 120) == [-8, 0, 8, 16, 19, 48, 51]
    lane.field.passed[leg] = 1
    assert lane.found(leg, 128) == [-8, 0, 8, 11]


def test_what_a_path_leaves_and_enters_again_is_no_edge(lane):
    lane.close(150, 200)
    before = lane.found(FL, 128)
    assert 21 in before
    # Around the edge the path is so far aside that the foot's line is off the map.
    lane.field.points[145:156, 1 - lane.axis] += 0.25 * (1 if lane.axis == 0 else -1)
    assert 21 not in lane.found(FL, 128)


def test_places_are_kept_by_foot_and_by_how_far_aside_they_are(lane):
    best = SearchMemory.of(1, 1, COUNT).best
    nodes = np.empty((64, 2), dtype=np.int64)
    for leg, aside in ((FL, 16), (FR, -16), (HL, 16), (HR, -16), (FL, 16)):
        number = candidates(
            lane.scene, lane.field, lane.moves, best, leg, lane.place(128, aside), lane.moves.shortest, nodes
        )
        assert [tuple(map(int, node)) for node in nodes[:number]] == [
            lane.node(128 + way, aside) for way in (32, 24, 16, 8, 0, -8)
        ]


def test_on_sparse_ground_a_foot_goes_twice_as_far_aside_and_no_farther(lane):
    lane.close(0, COUNT)
    for off in (8, 9):
        i, j = lane.node(160, 16 + off)
        lane.field.front[i, j] = 0.0
        nodes, best = np.empty((64, 2), dtype=np.int64), SearchMemory.of(1, 1, COUNT).best
        number = candidates(
            lane.scene, lane.field, lane.moves, best, FL, lane.place(128, 16), lane.moves.shortest, nodes
        )
        assert [tuple(map(int, node)) for node in nodes[:number]] == ([(i, j)] if off == 8 else [])
        lane.field.front[i, j] = math.inf


def test_feet_of_a_side_keep_their_distances_which_they_may_just_reach(lane):
    # Front 64 nodes before hind: a step of 24 makes 88 or 40, the most and the least; one of -8 makes 56 or 72.
    usual, short, ahead = [-8, 8, 16, 24], [-8, 8, 16], [8, 16, 24]
    assert lane.steps() == {FL: usual, FR: usual, HL: usual, HR: usual}
    assert lane.steps(farthest=87.9 * NODE) == {FL: short, FR: short, HL: usual, HR: usual}
    assert lane.steps(nearest=40.1 * NODE) == {FL: usual, FR: usual, HL: short, HR: short}
    assert lane.steps(farthest=90.0 * NODE, nearest=56.1 * NODE) == {FL: ahead, FR: ahead, HL: [-8], HR: [-8]}
    assert lane.steps(apart=40 * NODE) == {FL: usual, FR: usual, HL: usual, HR: usual}
    assert lane.steps(apart=40.1 * NODE) == {FL: usual, FR: usual, HL: short, HR: short}


def test_a_step_is_at_least_half_a_pitch_long(lane):
    assert lane.steps(longest=20 * NODE) == {leg: [-4, 4, 12, 20] for leg in range(4)}
    assert lane.steps(longest=19 * NODE) == {leg: [-5, 11, 19] for leg in range(4)}


def test_ground_as_high_as_a_tall_step_lets_feet_come_closer_and_step_farther_back(lane):
    lane.field.rises[HL, 96] = 0.0625
    lane.field.rises[FR, 160] = 0.0624
    ways = lane.steps()
    assert ways == {FL: [-8, 8, 16, 24], FR: [-8, 8, 16, 24], HL: [-16, -8, 8, 16, 24, 32], HR: [-8, 8, 16, 24]}
