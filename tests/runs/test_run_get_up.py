"""LIBRARY/get-up: a robot that lies gets up by whatever motion of the library fits."""

from __future__ import annotations

import pytest

from andante.errors import AndanteError
from andante.runs.build import load_declared
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
