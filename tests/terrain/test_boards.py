"""Boards: what each promises, at every seed and difficulty, and their bodies against their maps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.documents.problems import DocumentError
from andante.pictures.figures import save
from andante.terrain.boards.course import BoardKind
from andante.terrain.boards.make import BOARDS, LANES, SUITE, make_board
from andante.terrain.drawing import terrain_figure
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.height_map import HeightMap, TerrainError
from andante.terrain.solids import Box, LyingLog, Rock, Stone
from andante.terrain.terrain import Terrain

NAMES = sorted(LANES)
SEEDS = st.integers(0, 10_000)
SHARES = st.floats(0.0, 1.0)


def test_thirteen_kinds_scale_and_ten_of_them_are_counted():
    assert len(LANES) == 13
    assert len(set(SUITE)) == 10
    assert set(SUITE) < set(LANES) < set(BOARDS)


def test_a_lane_of_ones_own_may_have_a_length_of_its_own():
    """It had the usual one, and what its kind said was dropped without a word."""
    BOARDS.register("avenue", BoardKind("avenue", "an avenue", {"length": (1.0, 5.0)}, lambda course: None))
    BOARDS.register("doorstep", BoardKind("doorstep", "a doorstep", {"length": (0.1, 0.5)}, lambda course: None))
    try:
        assert make_board("avenue", 1.0).extent == pytest.approx((0.0, 5.0, -0.3, 0.3))
        assert make_board("avenue", values={"length": 3.0}).extent[1] == pytest.approx(3.0)
        with pytest.raises(TerrainError, match=r"no such length; got 0\.3.*limit: a lane is 0\.9 to 50 m long"):
            make_board("doorstep")
    finally:
        BOARDS.unregister("avenue")
        BOARDS.unregister("doorstep")


@pytest.mark.slow
@given(st.sampled_from(NAMES), SEEDS, SHARES)
@settings(max_examples=60, deadline=None)
def test_every_board_has_level_ends_a_floor_and_room_to_start(name, seed, difficulty):
    board = make_board(name, difficulty, seed)
    z, x = board.heights.heights, board.heights.x
    assert board.extent == pytest.approx((0.0, 2.0, -0.3, 0.3))
    ends = z[(x < 0.295) | (x > 1.705)]
    assert np.abs(ends).max() < 1e-9
    assert board.floor <= z.min() + 1e-12
    assert board.heights.at(board.start) == 0.0
    assert board.goal[0] - board.start[0] == pytest.approx(1.7)


@given(st.sampled_from(NAMES), SEEDS, SHARES)
@settings(max_examples=20, deadline=None)
def test_the_same_arguments_give_the_same_board(name, seed, difficulty):
    one, again = make_board(name, difficulty, seed), make_board(name, difficulty, seed)
    assert (one.heights.heights == again.heights.heights).all()
    assert one.surface is one.heights
    assert not one.solids


@pytest.mark.parametrize("name", NAMES)
def test_another_seed_gives_another_board(name):
    boards = [make_board(name, 0.5, seed).heights.heights for seed in range(4)]
    same = all((board == boards[0]).all() for board in boards[1:])
    assert same == (name in ("flat", "gully"))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "flat"])
def test_difficulty_makes_boards_harder(name):
    easy, hard = ([make_board(name, difficulty, seed).facts() for seed in range(5)] for difficulty in (0.0, 1.0))
    if name == "stepping-stones":
        assert max(each.steppable for each in hard) < 0.8 * min(each.steppable for each in easy)
    else:
        assert np.mean([each.roughness_large for each in hard]) > 1.2 * np.mean([each.roughness_large for each in easy])


@pytest.mark.parametrize("name", NAMES)
def test_boards_scale_with_the_robot(name):
    small, large = make_board(name, 0.5, 3), make_board(name, 0.5, 3, leg_length=0.374)
    np.testing.assert_allclose(large.heights.heights, 2.0 * small.heights.heights, atol=1e-9)
    assert large.extent == pytest.approx(tuple(2.0 * each for each in small.extent))
    assert large.facts().steppable == pytest.approx(small.facts().steppable, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "values", "step"),
    [
        ("mesa", {"height": 0.075}, 0.075),
        ("mesa", {"height": 0.108, "yaw": math.radians(20.0)}, 0.108),
        ("steps", {"riser": 0.05, "count": 1}, 0.05),
        ("barrier", {"height": 0.04, "thickness": 0.04}, 0.04),
        ("gaps", {"width": 0.10, "holes": 0.0}, 0.10),
    ],
)
def test_a_parameter_can_be_given(name, values, step):
    board = make_board(name, 0.5, 7, values=values)
    assert board.facts().largest_step == pytest.approx(step, abs=1e-6)
    assert dict(board.values) == dict(board.values) | values


def test_parameters_follow_the_difficulty_linearly():
    assert make_board("blocks", 0.5).values["height"] == pytest.approx(0.035)
    assert make_board("gaps", 0.0).values["width"] == pytest.approx(0.03)
    assert make_board("steps", 1.0).values["riser"] == pytest.approx(0.108)
    assert make_board("side-slope", 0.5).values["slope"] == pytest.approx(math.radians(15.0))


def test_a_trench_is_as_wide_as_it_says():
    board = make_board("gaps", 0.5, 2, values={"width": 0.14, "holes": 0.0})
    row = board.heights.heights[:, 60]
    deep = np.flatnonzero(row < -0.05)
    runs = np.split(deep, np.flatnonzero(np.diff(deep) > 1) + 1)
    assert len(runs) == 2
    # Rims lie between nodes of 5 mm.
    assert all(abs((len(run) + 0.0) * 0.005 - 0.14) <= 0.0051 for run in runs)


def test_stairs_go_up_and_down_by_their_riser():
    board = make_board("steps", 0.5, 4, values={"riser": 0.03, "count": 3})
    jumps = np.diff(board.heights.heights[:, 60])
    assert np.round(jumps[jumps != 0.0], 9).tolist() == [0.03] * 3 + [-0.03] * 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "mesas"}, r"there is no such board; got 'mesas'; did you mean 'mesa'\?; legal: rolling"),
        ({"name": "mesa", "difficulty": 1.5}, r"mesa: difficulty is out of range; got 1.5; limit: 0 to 1"),
        ({"name": "mesa", "difficulty": math.nan}, "difficulty is out of range"),
        ({"name": "mesa", "leg_length": 0.0}, "the leg length must be above zero"),
        ({"name": "mesa", "seed": -1}, "a seed is not below zero"),
        ({"name": "mesa", "values": {"hight": 0.1}}, r"no such parameter; got 'hight'; did you mean 'height'\?"),
        ({"name": "mesa", "values": {"height": math.inf}}, "height: a board's parameter must be finite"),
        ({"name": "logs", "values": {"spacing": -1.0}}, "spacing: a board's parameter must be finite"),
        ({"name": "blocks", "values": {"size": 0.0}}, "blocks: these parameters make no board"),
        ({"name": "gaps", "values": {"width": 0.5}}, "gaps: these parameters make no board"),
        ({"name": "logs", "values": {"spacing": 0.0}}, "logs: these parameters make no board"),
    ],
)
def test_what_makes_no_board_is_refused(arguments, message):
    with pytest.raises(TerrainError, match=message):
        make_board(**arguments)


def test_tops_of_bodies_by_hand():
    x = np.array([0.0, 0.1, 0.3])
    y = np.zeros(3)
    nothing = -np.inf
    assert Box((0.0, 0.0, 0.5), (0.2, 0.1, 0.5)).tops(x, y).tolist() == [1.0, 1.0, nothing]
    # Turned by a quarter, length and width change places.
    assert Box((0.0, 0.0, 0.5), (0.05, 0.2, 0.5), math.pi / 2).tops(x, y).tolist() == [1.0, 1.0, nothing]
    assert Stone((0.0, 0.0, -0.05), 0.15, 0.05).tops(x, y).tolist() == [0.0, 0.0, nothing]
    log = LyingLog((0.0, 0.0, 0.0), (0.0, 1.0, 0.0), 0.2, 1.0).tops(x, y)
    assert log.tolist() == pytest.approx([0.2, math.sqrt(0.03), nothing])
    tent = Rock(np.array([[-1, -1, 0], [-1, 1, 0], [1, -1, 0], [1, 1, 0], [0, -1, 1], [0, 1, 1]], dtype=float))
    assert tent.tops(x, y).tolist() == pytest.approx([1.0, 0.9, 0.7])
    assert tent.tops(np.array([1.1]), np.array([0.0])).tolist() == [nothing]


def test_a_flat_rock_is_refused():
    with pytest.raises(TerrainError, match="four corners that span a volume"):
        Rock(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0.0]]))


def test_pictures_tell_heights_start_and_goal(tmp_path):
    board = make_board("mesa", 0.5, 1)
    figure = terrain_figure(board)
    axes = figure.axes[0]
    (image,) = axes.images
    shades = image.get_array()
    assert shades.shape == (121, 401, 3)
    # Nodes lie in the middle of their pixels.
    half = 0.5 * board.heights.spacing
    low_x, high_x, low_y, high_y = board.extent
    assert image.get_extent() == pytest.approx((low_x - half, high_x + half, low_y - half, high_y + half))
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_aspect()) == ("x [m]", "y [m]", 1.0)
    # Ground and plateau have each one colour, and the plateau is the lighter.
    x = board.heights.x
    top = board.heights.heights[:, 60] > 0.0
    inner = slice(int(np.argmax(top)) + 3, len(x) - int(np.argmax(top[::-1])) - 3)
    assert len({tuple(each) for each in shades[60, inner].tolist()}) == 1
    assert shades[60, 200].sum() > shades[60, 0].sum()
    (scale,) = axes.child_axes
    assert scale.get_ylabel() == "height [cm]"
    assert scale.get_ylim() == pytest.approx((0.0, 100.0 * board.heights.heights.max()))
    ends = {line.get_label(): line.get_xydata()[0].tolist() for line in axes.get_lines()}
    assert ends == {"start": list(board.start), "goal": list(board.goal)}
    assert figure.get_suptitle().startswith("mesa: height 0.0")
    save(figure, tmp_path / "mesa.png")
    assert (tmp_path / "mesa.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(DocumentError, match=r"mesa.png: cannot be written: No such file"):
        save(figure, tmp_path / "no" / "mesa.png")


@pytest.mark.slow
def test_a_large_map_is_thinned():
    heights = HeightMap(np.arange(4_000_000.0).reshape(2000, 2000) * 1e-6, (0.0, 0.0), 0.01)
    figure = terrain_figure(Terrain("large", heights, ElevationMap.of(heights), surface=heights, goal=(19.0, 19.0)))
    (image,) = figure.axes[0].images
    assert image.get_array().shape == (1000, 1000, 3)
    assert image.get_extent()[1] == pytest.approx(20.0, abs=0.02)
