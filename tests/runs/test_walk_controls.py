"""Scenarios that walk: the controllers that they name, overrides that make no sense, and a run that repeats."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from andante.control.controller import ControlError
from andante.robots.robot import Robot
from andante.runs.errors import ScenarioError
from andante.runs.execute import run_scenario
from andante.runs.logs.replay import replay_log
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import Overrides, overridden, read_scenario, scenario_text

CRAWL = """
format: andante.scenario
version: 1
name: crawl
robot: littledog
controller:
  type: reactive-crawl
  steering: [{time: 0, forward: 0.06}, {time: 2}]
  crawl: {step_height: 0.035}
world: {start: {posture: stand}}
recording: {video: false, report: false}
"""


@pytest.mark.slow
def test_a_crawl_runs_and_its_log_replays_to_the_same_bytes(tmp_path):
    scenario = read_scenario(CRAWL, "crawl.yaml")
    assert scenario.controller.crawl.step_height == pytest.approx(0.035)
    result = run_scenario(scenario, tmp_path / "run")
    assert result.passed, result.reasons
    replay = replay_log(tmp_path / "run")
    assert replay.identical
    assert replay.ticks > 200


def test_a_scenario_reads_back_as_it_is_written():
    scenario = read_scenario(CRAWL, "crawl.yaml")
    assert read_scenario(scenario_text(scenario), "again") == scenario


@pytest.mark.parametrize(
    ("control", "kind"),
    [
        ({"type": "trot", "steering": [{"forward": 0.4}]}, "Trot"),
        ({"type": "crawl-or-trot", "distance": 0.5}, "GaitSelector"),
        ({"type": "reactive-crawl"}, "ReactiveCrawl"),
    ],
)
def test_every_kind_makes_its_controller(control, kind):
    scenario = Scenario.model_validate({"name": "walk", "robot": "littledog", "controller": control})
    made = scenario.controller.controller(Robot.load("littledog"), scenario.world)
    assert type(made).__name__ == kind


def test_on_a_rough_board_it_chooses_the_crawl():
    world = {"terrain": {"board": "blocks", "parameters": {"height": 0.03}}, "start": {"x": 0.15, "posture": "stand"}}
    control = {"type": "crawl-or-trot", "distance": 1.5}
    scenario = Scenario.model_validate({"name": "walk", "robot": "littledog", "controller": control, "world": world})
    selector = scenario.controller.controller(Robot.load("littledog"), scenario.world)
    assert selector.gait == "crawl"


def test_what_does_not_fit_is_named():
    read = {"type": "reactive-crawl", "crawl": {"step_hight": 0.03}}
    with pytest.raises(ValidationError, match=r"controller\.crawl\.step_hight"):
        Scenario.model_validate({"name": "walk", "controller": read})
    scenario = read_scenario(CRAWL, "crawl.yaml")
    with pytest.raises(ScenarioError, match=r"plays no motions.*reactive-crawl"):
        overridden(scenario, Overrides(motions=("squat",)))
    with pytest.raises(ControlError, match="robot 'nao' has not the four legs"):
        scenario.controller.controller(Robot.load("nao"), scenario.world)
