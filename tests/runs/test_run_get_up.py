"""LIBRARY/get-up: a robot that lies gets up by whatever motion of the library fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from andante.errors import AndanteError
from andante.runs.build import load_declared
from andante.runs.execute import RunResult, run_scenario
from andante.runs.logs.log import Log
from andante.runs.scenario import Scenario
from andante.runs.task import scenario_of


def test_a_library_s_get_up_begins_on_the_front_and_ends_standing() -> None:
    scenario: Scenario = scenario_of("nao/get-up")
    assert scenario.controller.get_up
    assert scenario.controller.motions == ()
    assert scenario.world.start.lying == "prone"
    assert scenario.success.stands_at_end
    assert scenario.name == "get-up"


def test_another_start_is_kept() -> None:
    assert scenario_of("nao/get-up", start="left").world.start.lying == "left"


def test_a_library_without_one_says_what_it_has() -> None:
    scenario = scenario_of("ers7/get-up")
    with pytest.raises(AndanteError, match=r"'get-up'.*kick"):
        scenario.controller.controller(load_declared(scenario), scenario.world)


SITS = {"LHipPitch": -1.48, "RHipPitch": -1.48, "LShoulderPitch": 1.0, "RShoulderPitch": 1.0}
"""A NAO's legs straight ahead; its elbows cannot be at 0."""


def ran(folder: Path, start: dict[str, object], **more: object) -> RunResult:
    data = {
        "name": "odd",
        "controller": {"type": "keyframes", "library": "nao", "get_up": True},
        "world": {"start": start, "timestep": 0.003},
        "recording": {"report": False},
        **more,
    }
    return run_scenario(Scenario.model_validate(data), folder)


@pytest.mark.parametrize("start", [{"pitch": -0.44}, {"pitch": -0.9}, {"roll": 0.5}])
def test_a_robot_that_sits_or_leans_has_not_fallen_before_it_stood(start: dict[str, float], tmp_path: Path) -> None:
    result = ran(tmp_path, {"posture": SITS, **start}, success={"stands_at_end": True})
    truth = Log.open(tmp_path / "log.mcap").rows("truth")
    assert truth["qpos"][-1, 2] > 0.3
    assert result.metrics.fall_time is None
    assert (result.verdict, result.metrics.final_height) == ("pass", pytest.approx(truth["qpos"][-1, 2], abs=0.01))


def test_one_that_turned_upside_down_has_not_fallen_either(tmp_path: Path) -> None:
    assert ran(tmp_path, {"pitch": 2.97}).verdict == "pass"


def test_a_get_up_ends_standing_though_nobody_asks_for_it(tmp_path: Path) -> None:
    # The time limit ends it while the robot still lies.
    result = ran(tmp_path, {"lying": "supine"}, timeout=1.0, success={"finishes": False})
    assert result.verdict == "fail"
    assert result.reasons[0].startswith("does not stand at the end")


@pytest.mark.slow
def test_a_get_up_from_the_stand_counts_each_fall(tmp_path: Path) -> None:
    pushed = {"start": {}, "timestep": 0.003, "pushes": [{"time": 0.2, "duration": 0.2, "force": [60.0, 0.0, 0.0]}]}
    result = ran(tmp_path, {}, world=pushed)
    assert result.metrics.fall_time is not None
    assert result.verdict == "fail"
