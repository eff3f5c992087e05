"""Worlds of real size: what stands where, whatever the robot, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from andante.terrain.boards.make import make_board
from andante.terrain.boards.worlds import PIT, WORLDS
from andante.terrain.height_map import TerrainError

NAMES = [kind.name for kind in WORLDS]


def along(board, y=0.0):
    """Height over x along a line, by runs of one height: (from, to, height)."""
    x = board.heights.x
    z = np.round(board.heights.at(np.column_stack([x, np.full(len(x), y)])), 9)
    starts = np.concatenate([[0], np.flatnonzero(np.diff(z)) + 1])
    return [
        (round(float(x[a]), 3), round(float(x[b - 1]), 3), float(z[a]))
        for a, b in zip(starts, [*starts[1:], len(z)], strict=True)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_worlds_have_the_same_lengths_for_every_robot_and_a_level_start(name):
    board, large = make_board(name, 0.2, 3), make_board(name, 0.9, 3, leg_length=0.448)
    np.testing.assert_array_equal(board.heights.heights, large.heights.heights)
    assert large.scale == pytest.approx(0.448 / 0.187)
    assert board.start == (0.0, 0.0)
    assert board.goal == ((6.0, 0.0) if name in ("gap-40-local-min", "parkour-local-min") else (5.0, 0.0))
    near = board.heights.heights[np.ix_(np.abs(board.heights.x) < 0.4, np.abs(board.heights.y) < 0.3)]
    assert np.abs(near).max() < 1e-9
    assert board.heights.nearest(board.goal) == pytest.approx(
        board.heights.nearest((board.goal[0] + 0.2, 0.0)), abs=1e-6
    )
    size = {"rough-25": (-2.0, 8.0, -4.0, 4.0), "rough-40-huge": (-15.0, 15.0, -15.0, 15.0)}
    assert board.extent == pytest.approx(size.get(name, (-2.0, 7.0, -2.0, 2.0)))


@pytest.mark.parametrize("cm", [20, 30, 40, 50, 80])
def test_a_gap_begins_at_3_m(cm):
    # A node on a rim belongs to the ground.
    expected = [(-2.0, 3.0, 0.0), (3.01, round(3.0 + 0.01 * cm - 0.01, 3), -PIT), (round(3.0 + 0.01 * cm, 3), 7.0, 0.0)]
    assert along(make_board(f"gap-{cm}")) == expected
    assert along(make_board("gap-20", values={"width": 0.01 * cm}), 1.9) == expected
    assert make_board(f"gap-{cm}").pits.any()


@pytest.mark.parametrize("cm", [10, 15, 20, 25, 30])
def test_a_step_rises_at_3_m(cm):
    assert along(make_board(f"step-{cm}")) == [(-2.0, 2.99, 0.0), (3.0, 7.0, 0.01 * cm)]
    assert not make_board(f"step-{cm}").pits.any()


def test_stairs_rise_by_riser_and_tread():
    runs = along(make_board("stairs-13x28"))
    assert [run[0] for run in runs] == [-2.0, 2.5, 2.78, 3.06, 3.34, 3.62]
    assert [run[2] for run in runs] == pytest.approx([0.0, 0.13, 0.26, 0.39, 0.52, 0.65])


def test_a_slope_rises_from_1_to_5_m_and_may_have_a_hole():
    board, holed = make_board("slope-20"), make_board("slope-20-hole")
    for x, z in ((0.9, 0.0), (1.5, 0.1), (3.0, 0.4), (4.5, 0.7), (5.5, 0.8)):
        assert board.heights.at((x, 0.0)) == pytest.approx(z, abs=1e-9)
        assert holed.heights.at((x, 0.8)) == pytest.approx(z, abs=1e-9)
    assert make_board("slope-40").heights.at((3.0, 0.0)) == pytest.approx(0.8)
    deep = np.argwhere(holed.pits)
    low, high = holed.heights.x[deep[:, 0]], holed.heights.y[deep[:, 1]]
    assert (low.min(), low.max()) == pytest.approx((2.26, 3.74))
    assert (high.min(), high.max()) == pytest.approx((-0.74, 0.74))


def test_walls_make_a_dead_end_and_the_corridor_has_gaps():
    board = make_board("gap-40-local-min")
    assert along(board, -1.0) == [(-2.0, 2.0, 0.0), (2.01, 2.39, -PIT), (2.4, 7.0, 0.0)]
    assert along(board, 1.0) == [(-2.0, 4.79, 0.0), (4.8, 5.0, 1.0), (5.01, 7.0, 0.0)]
    assert along(board, 0.0) == [(-2.0, 1.99, 0.0), (2.0, 5.0, 1.0), (5.01, 7.0, 0.0)]
    parkour = make_board("parkour-local-min")
    assert [run[:2] for run in along(parkour, -1.5) if run[2] == -PIT] == [(2.01, 2.6), (3.84, 4.43)]
    # The bank rises by 45 degrees towards the wall.
    for y in (-0.9, -0.5, -0.2):
        assert parkour.heights.at((3.2, y)) == pytest.approx(y + 0.96, abs=0.011)


def test_pits_lie_beside_the_way_to_a_step():
    board = make_board("step-10-local-min")
    assert along(board, 0.0) == [(-2.0, 2.99, 0.0), (3.0, 7.0, 0.1)]
    for y in (-0.9, 0.9):
        assert along(board, y)[1] == (1.61, 2.39, -PIT)


def test_rough_ground_is_as_high_as_it_says_and_another_with_another_seed():
    one, other = make_board("rough-25", seed=1), make_board("rough-25", seed=2)
    # Levelling start and goal may take the highest or lowest place away.
    assert 0.2 < np.ptp(one.heights.heights) <= 0.246 + 1e-9
    assert np.abs(one.heights.heights - other.heights.heights).max() > 0.05
    assert 2.0 < np.ptp(make_board("rough-40-huge").heights.heights) <= 2.5 + 1e-9
    assert np.ptp(make_board("rough-25", values={"height": 0.1}).heights.heights) <= 0.1 + 1e-9


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("gap-20", {"widht": 0.3}, r"no such parameter; got 'widht'; did you mean 'width'\?"),
        ("gap-20", {"width": 4.5}, "gap-20: these parameters make no board"),
        ("gap-20", {"width": -0.1}, "width: a board's parameter must be finite and not below zero"),
        ("gap-25", {}, r"there is no such board; got 'gap-25'; did you mean 'gap-50'\?"),
    ],
)
def test_what_makes_no_world_is_refused(name, values, message):
    with pytest.raises(TerrainError, match=message):
        make_board(name, values=values)
