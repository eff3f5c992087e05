"""A planned crawl as a scenario: from a document to a walk, and the same bytes from its log."""

from __future__ import annotations

import re

import numpy as np
import pytest

from andante.control.controller import ControlError
from andante.control.events import EventKind
from andante.errors import AndanteError
from andante.runs.build import build
from andante.runs.controls.maps import MapSettings
from andante.runs.errors import ScenarioError
from andante.runs.execute import run_scenario
from andante.runs.logs.replay import replay_log
from andante.runs.scenario_files import validated
from andante.runs.tasks.walk.plan import walk
from andante.runs.tasks.walk.task import WalkTask
from andante.terrain.boards.make import make_board
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.files.save import save_heights

RING = np.array([(np.cos(a), np.sin(a)) for a in np.linspace(0.0, 2.0 * np.pi, 9)])
"""Places around one."""


def scenario(**controller):
    return {
        "name": "crawl",
        "robot": "littledog",
        "controller": {"type": "crawl", "goal": (0.4, 0.0), **controller},
        "world": {"noise": {"pose": {"position": 0.003, "orientation": 0.0087, "latency": 0.02}}},
        "timeout": 15.0,
        "success": {"min_forward": 0.3},
        "recording": {"report": False, "video": False},
    }


@pytest.mark.slow
def test_a_planned_walk_passes_and_its_log_replays(tmp_path):
    result = run_scenario(validated(scenario()), tmp_path / "run")
    assert result.passed, result.reasons
    assert result.metrics.guard_ticks == 0
    told = [moment.text for moment in result.story]
    assert any(text.startswith("walks ") for text in told)
    assert told[-1] == "has walked its plan"
    assert replay_log(tmp_path / "run").identical


def test_a_goal_off_the_map_is_given_up_with_the_reason(tmp_path):
    result = run_scenario(validated(scenario(goal=(9.0, 0.0))), tmp_path / "run")
    assert not result.passed
    assert any("the goal is off the map" in moment.text for moment in result.story)


@pytest.mark.parametrize(
    ("controller", "message"),
    [
        ({"goal": None}, "a crawl on the level floor needs a goal"),
        ({"execution": {"leed": 0.1}}, r"controller\.execution: there is no such setting; got 'leed'"),
        ({"execution": {"lead": -0.1}}, r"controller\.execution\.lead: is not legal; got -0\.1"),
    ],
)
def test_bad_settings_are_named(controller, message):
    with pytest.raises((ControlError, ScenarioError), match=message):
        build(validated(scenario(**controller)))


def test_the_planner_averages_errors_of_single_nodes_and_keeps_edges():
    heights = np.zeros((80, 60))
    heights[40:] = 0.05
    ground = ElevationMap(heights, (0.0, 0.0), 0.005)
    raw, seen = (MapSettings(noise=0.005, median=side).seen(ground) for side in (1, None))
    assert np.std(raw.heights - heights) == pytest.approx(0.005, rel=0.1)
    assert np.std(seen.heights - heights) < 0.002
    assert MapSettings().seen(ground) is ground


def test_a_robot_with_other_legs_is_named():
    with pytest.raises(AndanteError, match="nao"):
        build(validated(scenario() | {"robot": "nao"}))


@pytest.mark.slow
def test_a_map_that_does_not_fit_the_ground_is_named_before_the_fall(tmp_path):
    board = make_board("rocks", 0.5, 50001)
    level = ElevationMap(np.zeros_like(board.map.heights), board.map.origin, board.map.spacing)
    save_heights(tmp_path / "level.npz", level)
    task = WalkTask(board="rocks", difficulty=0.5, seed=50001, map_file=str(tmp_path / "level.npz"), timeout=3.0)
    result = walk(task, out=tmp_path / "run", report=False)
    walked = result.metrics.walk
    assert walked is not None
    assert walked.end == "fell"
    assert re.search(
        r"from 1\.\d s on the ground was not where the map has it \(FR \d+ mm off at x 0\.3", walked.reason
    )
    event = next(each for each in result.log.events if each.kind is EventKind.MAP)
    # What is told is so: the ball touches the board there, and the map is level.
    near = board.heights.nearest(np.array([event.data["x"], event.data["y"]]) + 0.008 * RING)
    assert near.min() - 0.003 <= event.data["found"] <= near.max() + 0.003
    assert event.data["map"] == 0.0
    assert event.time < 1.5
