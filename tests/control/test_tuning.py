"""Settings that change while a controller runs, over every kind of controller that a scenario may name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from crawl_plan import level_walk

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Start, WorldConfig
from andante.control.controller import ControlError, Controller, Planned, Tunable
from andante.control.crawl.crawl import CrawlController
from andante.control.guard import Guard
from andante.control.keyframes.configuration import KeyframeEngineSettings
from andante.control.trot.settings import TrotSettings
from andante.documents.settings import Settings
from andante.kinematics.leg_table import LeggedBody
from andante.planning.planner import Planner
from andante.robots.records import Sensors
from andante.robots.robot import Robot
from andante.runs.controls.kind import ControlKind
from andante.runs.controls.registry import CONTROLLERS

TICKS, CHANGED = 110, 70


@dataclass(frozen=True)
class Case:
    """A controller, and a change of its settings."""

    robot: str
    control: dict[str, Any]
    change: dict[str, Any]
    start: str = "stand"
    walk: bool = False
    later: int = 0
    """Ticks after the change within which it must show; 0: at once."""


AHEAD = [{"time": 0.0, "forward": 0.05}]
CASES = {
    "keyframes": Case("nao", {"library": "nao-kick", "motions": ["kick"]}, {"step_mode": True}, later=3),
    "openr": Case("ers7", {"library": "ers7", "motions": ["walk", "walk"]}, {"stiffness": 0.5}, "walk"),
    "reactive-crawl": Case("littledog", {"steering": AHEAD}, {"height": 0.6}),
    "crawl": Case("littledog", {"goal": [1.0, 0.0]}, {"velocity_share": 0.1}, walk=True),
    "trot": Case("littledog", {"steering": AHEAD}, {"height": 0.7}),
    "crawl-or-trot": Case("littledog", {}, {"trot": TrotSettings(height=0.7)}),
    "quadruped": Case("spirit40", {"steering": AHEAD}, {"frequency": 50.0}, "ready"),
}


def made(name: str) -> Controller:
    case = CASES[name]
    if case.walk:
        body = LeggedBody.of(Robot.load(case.robot))
        return CrawlController(body, level_walk(body, 6))
    return kind_of(name).controller(robot_of(name), WorldConfig())


def kind_of(name: str) -> ControlKind:
    return CONTROLLERS.kinds[name].model_validate({"type": name, **CASES[name].control})


def robot_of(name: str) -> Robot:
    robot = Robot.load(CASES[name].robot)
    return robot if CASES[name].walk else kind_of(name).driven(robot)


def planner_of(name: str, controller: Controller) -> Planner[Any, Any] | None:
    """What answers a controller that cannot do without plans."""
    return kind_of(name).planner(controller, WorldConfig()) if name == "quadruped" else None


def answer(controller: Controller, planner: Planner[Any, Any] | None) -> None:
    if planner is not None and isinstance(controller, Planned):
        request = controller.take_request()
        if request is not None:
            controller.accept(planner.plan(request))


def seen(name: str) -> list[Sensors]:
    """Sensors of a run with unchanged settings."""
    case = CASES[name]
    robot, controller = robot_of(name), made(name)
    planner = planner_of(name, controller)
    world = MujocoWorld(robot, WorldConfig(start=Start(posture=case.start)))
    world.reset(1)
    guard, sensors = Guard(robot, controller.period), []
    for _ in range(TICKS):
        sensors.append(world.read())
        answer(controller, planner)
        world.write(guard.apply(controller.step(sensors[-1]), sensors[-1]))
        world.advance(controller.period)
    return sensors


def commands(name: str, controller: Controller, sensors: list[Sensors], change: Settings | None = None) -> np.ndarray:
    """What a controller commands on given sensors, its settings changed on the way."""
    rows, planner = [], planner_of(name, controller)
    for tick, reading in enumerate(sensors):
        if tick == CHANGED and change is not None:
            assert isinstance(controller, Tunable)
            controller.change(change)
        answer(controller, planner)
        rows.append(controller.step(reading).vector.copy())
    return np.array(rows)


def test_every_kind_is_tried():
    # A policy is what its contract says; a sequence has no settings beside those of its parts.
    assert set(CASES) == set(CONTROLLERS.kinds) - {"policy", "sequence"}


@pytest.mark.parametrize("name", CASES)
def test_a_change_shows_from_the_next_step_on_and_no_change_never(name):
    sensors, controller = seen(name), made(name)
    assert isinstance(controller, Tunable)
    begun = controller.settings
    plain = commands(name, controller, sensors)
    controller.reset()
    same = commands(name, controller, sensors, type(begun).model_validate(begun.model_dump()))
    assert same.tobytes() == plain.tobytes()
    controller.reset()
    wanted = begun.changed(**CASES[name].change)
    other = commands(name, controller, sensors, wanted)
    assert other[:CHANGED].tobytes() == plain[:CHANGED].tobytes()
    shown = slice(CHANGED, CHANGED + 1 + CASES[name].later)
    assert (other[shown] != plain[shown]).any()
    # It stays until it is changed again, over a reset too.
    assert controller.settings == wanted
    controller.reset()
    assert controller.settings == wanted
    controller.change(begun)
    controller.reset()
    assert commands(name, controller, sensors).tobytes() == plain.tobytes()


@pytest.mark.parametrize("name", CASES)
def test_another_controllers_settings_are_refused_and_nothing_changes(name):
    controller = made(name)
    assert isinstance(controller, Tunable)
    before = controller.settings
    strange = TrotSettings() if name != "trot" else KeyframeEngineSettings()
    with pytest.raises(ControlError, match=f"these are another controller's settings; got '{type(strange).__name__}'"):
        controller.change(strange)
    assert controller.settings is before


def test_a_change_that_one_gait_refuses_changes_neither():
    selector = made("crawl-or-trot")
    assert isinstance(selector, Tunable)
    before = selector.settings
    crawl = before.crawl.changed(step_height=0.02)
    with pytest.raises(ControlError, match="the legs cannot step so fast"):
        selector.change(before.changed(crawl=crawl, trot=before.trot.changed(lift=0.2)))
    assert selector.settings is before
    assert selector._crawl.settings == before.crawl
