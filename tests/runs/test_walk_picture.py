"""The picture of a walk: what it draws against what happened, in the colours of the feet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.collections import EllipseCollection, PolyCollection
from matplotlib.colors import to_hex, to_rgb

from andante.pictures.figures import picture_bytes
from andante.pictures.style import BAD, FOOT_COLOURS, UNKNOWN
from andante.runs.tasks.walk.footfalls import Footfall
from andante.runs.tasks.walk.pictures import WalkTrace, trace_of_plan, walk_figure
from andante.runs.tasks.walk.plan import plan
from andante.runs.tasks.walk.task import WalkTask
from andante.terrain.boards.make import make_board
from andante.terrain.elevation_map import ElevationMap

NAMES = ("FL", "FR", "HL", "HR")
BOARD = make_board("steps", 0.3, 1)
HOME = np.array([[0.3, 0.08, 0.01], [0.3, -0.08, 0.01], [0.1, 0.08, 0.01], [0.1, -0.08, 0.01]])


def trace() -> WalkTrace:
    """The left fore foot makes a step of 10 cm in a walk of a second, with its planned place 3 cm beside."""
    times = np.linspace(0.0, 1.0, 101)
    air = np.zeros((101, 4), dtype=bool)
    air[30:61, 0] = True
    feet = np.repeat(HOME[None], 101, axis=0)
    feet[30:61, 0, 0] += np.linspace(0.0, 0.1, 31)
    feet[61:, 0, 0] += 0.1
    margin = np.full(101, 0.03)
    margin[50:55] = -0.01
    margin[70] = np.nan
    return WalkTrace(
        title="a walk",
        ground=BOARD.map,
        start=(0.25, 0.05),
        goal=(1.5, -0.1),
        via=((0.7, 0.1), (1.0, -0.05)),
        names=NAMES,
        radius=0.01,
        times=times,
        com=np.stack([0.2 + 0.1 * times, 0.0 * times, 0.12 + 0.0 * times], axis=1),
        feet=feet,
        air=air,
        margin=margin,
        margin_name="centre of mass",
        footfalls=(Footfall(0, 0.3, 0.6, (0.4, 0.08, 0.01), planned=(0.4, 0.11)),),
        miss=0.02,
        brushing=times > 0.9,
    )


@pytest.fixture(scope="module")
def parts():
    return walk_figure(trace()).axes


def test_every_axis_has_its_name_and_unit(parts) -> None:
    above, side, margin, gait = parts
    labels = [(axes.get_xlabel(), axes.get_ylabel()) for axes in (above, side, margin, gait)]
    assert labels == [("x [m]", "y [m]"), ("x [m]", "height [cm]"), ("", "margin [mm]"), ("time [s]", "")]
    assert above.get_aspect() == 1.0
    assert margin.get_xlim() == gait.get_xlim() == (0.0, 1.0)


def test_footholds_are_discs_of_the_feet_at_their_places(parts) -> None:
    discs = [each for each in parts[0].collections if isinstance(each, EllipseCollection)]
    missed, *feet = discs
    assert to_hex(missed.get_edgecolor()[0]) == BAD
    assert missed.get_offsets().tolist() == [[0.4, 0.11]]
    assert [to_hex(each.get_facecolor()[0]) for each in feet] == list(FOOT_COLOURS)
    # The foot that stepped has the place where it came down and the one where it stood.
    assert feet[0].get_offsets().tolist() == [[0.4, 0.08], [0.3, 0.08]]
    assert feet[3].get_offsets().tolist() == [[0.1, -0.08]]
    assert feet[0].get_widths() == pytest.approx([0.02, 0.02])


def test_the_support_is_the_triangle_of_the_feet_on_the_ground(parts) -> None:
    (supports,) = [each for each in parts[0].collections if isinstance(each, PolyCollection)]
    (triangle,) = supports.get_paths()
    assert {tuple(corner) for corner in triangle.vertices.round(6).tolist()} == {
        (0.3, -0.08),
        (0.1, 0.08),
        (0.1, -0.08),
    }


def test_the_legend_names_all_that_is_drawn(parts) -> None:
    named = [text.get_text() for text in parts[0].get_legend().get_texts()]
    feet = [f"{name} foothold" for name in NAMES]
    others = ["support while a foot swings", "way of the centre of mass", "planned and missed"]
    assert sorted(named) == sorted(["start", "place on the way", "goal", *others, *feet])


def test_the_ways_of_feet_and_body_are_drawn_in_centimetres(parts) -> None:
    lines = {line.get_label(): line for line in parts[1].get_lines()}
    assert lines["centre of mass"].get_ydata() == pytest.approx(np.full(101, 12.0))
    feet = [line for line in parts[1].get_lines() if line.get_color() in FOOT_COLOURS]
    assert [line.get_color() for line in feet] == list(FOOT_COLOURS)
    assert feet[0].get_xdata()[-1] == pytest.approx(0.4)


def test_margin_and_gait_stand_over_one_time(parts) -> None:
    _, _, margin, gait = parts
    assert margin.get_lines()[-1].get_ydata()[52] == pytest.approx(-10.0)
    rows = [label.get_text() for label in gait.get_yticklabels()]
    assert rows == [*NAMES, "other parts touch"]
    bars = gait.collections
    assert [to_hex(each.get_facecolor()[0]) for each in bars if len(each.get_paths())] == [FOOT_COLOURS[0], BAD]
    swing = bars[0].get_paths()[0].get_extents()
    assert (swing.x0, swing.x1) == pytest.approx((0.3, 0.61))


@pytest.mark.slow
def test_the_same_walk_gives_the_same_bytes() -> None:
    assert picture_bytes(walk_figure(trace())) == picture_bytes(walk_figure(trace()))


def test_a_walk_that_was_over_at_once_and_a_biped_are_drawn_too() -> None:
    walk = trace()
    nothing = replace(
        walk,
        times=walk.times[:0],
        com=walk.com[:0],
        feet=walk.feet[:0],
        air=walk.air[:0],
        margin=walk.margin[:0],
        brushing=walk.brushing[:0],
        footfalls=(),
    )
    assert len(walk_figure(nothing).axes) == 4
    biped = replace(walk, names=("left", "right"), feet=walk.feet[:, :2], air=walk.air[:, :2], footfalls=())
    assert [label.get_text() for label in walk_figure(biped).axes[3].get_yticklabels()][:2] == ["left", "right"]


def test_start_goal_and_places_between_are_those_of_the_walk_and_not_of_the_board(parts) -> None:
    marks = {line.get_label(): line.get_xydata().tolist() for line in parts[0].lines}
    assert (marks["start"], marks["goal"]) == ([[0.25, 0.05]], [[1.5, -0.1]])
    assert [line.get_xydata().tolist() for line in parts[0].lines if line.get_marker() == "D"] == [
        [[0.7, 0.1]],
        [[1.0, -0.05]],
    ]


def test_what_nobody_knows_of_the_ground_is_not_drawn_as_ground() -> None:
    known = np.array(BOARD.map.heights)
    hole = (BOARD.map.x > 0.4) & (BOARD.map.x < 0.7)
    known[hole] = np.nan
    ground = ElevationMap(known, BOARD.map.origin, BOARD.map.spacing)
    above, side, *_ = walk_figure(replace(trace(), ground=ground)).axes
    shades = np.asarray(above.images[0].get_array())
    assert (shades[:, hole] == to_rgb(UNKNOWN)).all()
    assert not (shades[:, ~hole] == to_rgb(UNKNOWN)).all(axis=-1).any()
    assert "height unknown" in above.get_legend_handles_labels()[1]
    x, z = side.lines[0].get_xydata().T
    within = (x > 0.41) & (x < 0.69)
    assert np.isnan(z[within]).all()
    assert np.isfinite(z[(x < 0.39) | (x > 0.71)]).all()


@pytest.mark.parametrize("end", [None, (1.3, 0.25)])
def test_the_picture_of_a_plan_shows_the_map_by_which_it_was_made(tmp_path, end) -> None:
    """The world is level; the map has a step of 3 cm, a hole, and lies elsewhere."""
    heights = np.zeros((181, 51))
    heights[80:] = 0.03
    heights[100:110, 3:8] = np.nan
    np.savez(tmp_path / "map.npz", heights=heights, spacing=0.01, origin=(0.0, 0.0))
    task = WalkTask(board="flat", map_file=str(tmp_path / "map.npz"), start=(0.3, 0.25), goal=end or (1.4, 0.25))
    made = plan(task, warm=False)
    assert made.plan is not None
    drawn = trace_of_plan("a plan", made.plan, made.robot, made.known, made.line, made.terrain.scale)
    np.testing.assert_array_equal(drawn.ground.heights, heights)
    assert (drawn.start, drawn.goal) == ((0.3, 0.25), pytest.approx(end or (1.4, 0.25)))
    # Every foot that stands, stands on what is drawn.
    fall = np.array([each.place for each in drawn.footfalls])
    below = drawn.ground.heights[drawn.ground.nodes(fall[:, :2])]
    assert np.abs(fall[:, 2] - drawn.radius - below).max() < 0.005
