"""Observers of packages in experiments: a good one, and bad ones that are named and cost only themselves."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path

import pytest
from installed_packages import install
from typer.testing import CliRunner

from andante.cli.app import app
from andante.plugins.errors import PluginError
from andante.search.experiment.observing import OBSERVERS, ObserverKind

NUMBERS = count()
EXPERIMENT = """\
format: andante.experiment
version: 1
name: counted
what: How many ticks are there?
scenario: SCENARIO
observers: {counter: {}}
figures: {ticks: {metric: counter.ticks, statistic: mean}}
seeds: {count: 1}
"""
CODE = """
print("Hello from a community")
import sys
import numpy as np
from typing import Literal
from andante.extend import ControlKind, ControllerBase, ObserverKind, TrialObserver

class Counter(TrialObserver):
    ticks = 0
    def see(self, tick):
        self.ticks += 1
        {see}
    def values(self):
        return {values}

class Quits(ControllerBase):
    done = False
    def __init__(self, robot):
        super().__init__(robot.tick)
    def step(self, sensors):
        return 1 / 0

class QuitsControl(ControlKind):
    type: Literal["quits"]
    def controller(self, robot, world):
        return Quits(robot)

class CounterKind(ObserverKind):
    tells = ("ticks",)
    def observer(self, scenario, parts):
        return {made}
"""


STANDS = "{name: x, robot: nao, timeout: 0.1, controller: {type: keyframes, library: nao-basics, motions: [stand]}}"


def bench(folder: Path, scenario: str = STANDS, **parts: str) -> tuple[str, int, str, str]:
    """What `andante bench` says, with the package's observer."""
    name = f"counting{next(NUMBERS)}"
    parts = {"see": "pass", "values": "{'ticks': np.int64(self.ticks)}", "made": "Counter()"} | parts
    code = CODE
    for part, text in parts.items():
        code = code.replace(f"{{{part}}}", text)
    points = {"andante.observers": {"counter": "CounterKind"}, "andante.controllers": {"quits": "QuitsControl"}}
    install(folder, name, code, points)
    file = folder / "counted.yaml"
    file.write_text(EXPERIMENT.replace("SCENARIO", scenario))
    done = CliRunner().invoke(app, ["bench", str(file), "--json"])
    assert "Traceback" not in done.output
    return name, done.exit_code, done.stdout, done.stderr


def test_what_it_tells_is_a_figure_and_what_it_prints_is_no_answer(packages: Path) -> None:
    _, code, answer, beside = bench(packages)
    assert code == 0
    assert json.loads(answer)["rows"][0]["value"] == 9
    assert "Hello from a community" in beside


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"values": "None"}, "TypeError: it tells a NoneType, no mapping"),
        ({"values": "{'ticks': np.nan}"}, "ValueError: its metric 'ticks' is NaN"),
        ({"see": "sys.exit(0)"}, "SystemExit: 0"),
        ({"made": "None"}, "TypeError: it makes a NoneType, no TrialObserver"),
        ({"made": "Counter()\n    def model_post_init(self, told): raise OSError('no disk')"}, "OSError: no disk"),
    ],
)
def test_one_that_fails_is_named(packages: Path, part: dict[str, str], message: str) -> None:
    name, code, _, beside = bench(packages, **part)
    assert code == 2
    assert f"plug-in {name} 1.2: its observer 'counter' failed: {message}" in beside


def test_one_that_leaves_a_method_open_is_refused() -> None:
    with pytest.raises(PluginError, match="leaves a method of its base undefined; got 'observer'"):
        OBSERVERS.register("opened", type("Open", (ObserverKind,), {"tells": (), "__module__": __name__}))


@pytest.mark.slow
def test_a_robot_that_was_stopped_is_no_success_whatever_an_observer_thinks(packages: Path) -> None:
    """The observer has nothing against any trial, and does not look how it ended."""
    _, code, answer, _ = bench(packages, scenario="{name: x, robot: nao, timeout: 0.1, controller: {type: quits}}")
    assert code == 0
    (trial,) = json.loads(answer)["cells"][0]["trials"]
    assert trial["passed"] is False
    assert "the controller broke off: ZeroDivisionError: division by zero" in trial["reasons"][0]
