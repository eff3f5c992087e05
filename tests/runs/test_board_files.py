"""A board and a file of its heights are one ground: the same bodies in the world, the same layers, the same walk."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.backends.terrain import TerrainChoice
from andante.backends.terrain_bodies import add_terrain
from andante.kinematics.leg_table import LeggedBody
from andante.robots.robot import Robot
from andante.runs.execute import run_scenario
from andante.runs.tasks.steered.kind import SteeredTask
from andante.runs.tasks.walk.task import WalkTask
from andante.terrain.boards.make import LANES, make_board
from andante.terrain.files.save import SAVED, save_heights
from andante.terrain.layers import Layers

LAYERS = (
    *("unknown", "deviation", "slope", "roughness", "curvature", "edge_distance", "pits", "traversability"),
    *("smooth", "relief", "pit_distance", "foothold_distance"),
)


def compiled(terrain):
    """The bytes of a world of nothing but a terrain."""
    spec = mujoco.MjSpec()
    add_terrain(spec, terrain, 0.8, 0.02, 1.0)
    model = spec.compile()
    raw = np.zeros(mujoco.mj_sizeModel(model), dtype=np.uint8)
    mujoco.mj_saveModel(model, None, raw)
    return raw


def same(board, file):
    assert (board.heights.origin, board.heights.spacing) == (file.heights.origin, file.heights.spacing)
    np.testing.assert_array_equal(board.heights.heights, file.heights.heights)
    assert board.floor == file.floor
    np.testing.assert_array_equal(board.pits, file.pits)
    np.testing.assert_array_equal(compiled(board), compiled(file))
    # The settings of the layers are the robot's, not the terrain's.
    one, other = (Layers.of(each.map) for each in (board, file))
    for name in LAYERS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@pytest.mark.slow
@given(st.sampled_from(sorted(LANES)), st.floats(0.0, 1.0), st.integers(0, 10_000), st.floats(0.1, 0.4))
@settings(max_examples=12, deadline=None)
def test_any_board_as_npz_is_the_same_world_and_the_same_layers(tmp_path_factory, name, difficulty, seed, leg):
    board = make_board(name, difficulty, seed, leg_length=leg)
    path = tmp_path_factory.mktemp("boards") / f"{name}.npz"
    save_heights(path, board.heights)
    same(board, TerrainChoice(file=str(path)).load())


@pytest.mark.slow
@pytest.mark.parametrize("suffix", sorted(set(SAVED) - {".npz"}))
@pytest.mark.parametrize("name", ["stepping-stones", "rolling"])
def test_a_board_of_littledogs_size_as_text_is_too(tmp_path, suffix, name):
    board = make_board(name, 0.6, 11)
    path = tmp_path / f"board{suffix}"
    save_heights(path, board.heights)
    same(board, TerrainChoice(file=str(path)).load())


def test_what_differs_in_one_height_is_another_world(tmp_path):
    board = make_board("stepping-stones", 0.6, 11)
    heights = board.heights.heights.copy()
    heights[200, 60] += 1e-3
    path = tmp_path / "board.npz"
    save_heights(path, type(board.heights)(heights, board.heights.origin, board.heights.spacing))
    found = compiled(TerrainChoice(file=str(path)).load())
    assert found.shape != compiled(board).shape or (found != compiled(board)).any()


def test_a_board_of_real_size_keeps_its_bodies():
    board = make_board("gap-40")
    assert board.solids
    assert board.surface is None


@pytest.mark.slow
def test_a_walk_over_a_board_and_over_its_file_is_the_same_to_the_last_bit(tmp_path):
    task = WalkTask(board="stepping-stones", difficulty=0.6, seed=97003)
    leg = LeggedBody.of(Robot.load(task.robot)).leg_length
    board = task.choice(leg).load()
    path = tmp_path / "stepping-stones.npz"
    save_heights(path, board.heights)
    ends = {"start": board.start, "goal": (0.5, 0.0)}
    logs = []
    for number, each in enumerate((replace(task, **ends), WalkTask(board=str(path), seed=task.seed, **ends))):
        result = run_scenario(each.scenario(), tmp_path / str(number))
        assert result.metrics.walk is not None
        assert result.metrics.walk.arrived
        logs.append(result.log)
    for channel in ("truth", "sensors", "command"):
        one, other = (log.rows(channel).rows for log in logs)
        assert one.tobytes() == other.tobytes(), channel


@pytest.mark.parametrize("goal", [None, (1.6, 0.0)])
def test_a_walk_ends_as_it_may_whether_its_goal_is_the_boards_or_named(goal):
    """On stones feet stand at several heights at the end: a named goal asked for a level trunk, the board's did not."""
    scenario = WalkTask(board="stepping-stones", goal=goal).scenario()
    asked = scenario.controller.asked(Robot.load("littledog"))
    run = SimpleNamespace(scenario=scenario, parts=SimpleNamespace(asked=asked), log=SimpleNamespace(events=()))
    assert asked.goal == goal
    assert SteeredTask().end_posture(run) is None
    # Without a walk that judges itself a robot that is told a place stands there.
    success = scenario.success.model_copy(update={"walk": None})
    run.scenario = scenario.model_copy(update={"success": success})
    assert (SteeredTask().end_posture(run) is None) is (goal is None)
