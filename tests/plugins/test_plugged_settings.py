"""Settings of what packages bring: each path that `andante params` prints is one that `--set` takes."""

from __future__ import annotations

import functools
from itertools import count

import pytest
from installed_packages import install
from typer.testing import CliRunner

import andante
from andante.cli.app import app
from andante.documents.paths import PathError
from andante.plugins.kinds import summary
from andante.runs.errors import ScenarioError
from andante.runs.scenario_files import validated, with_settings
from andante.search.errors import SearchError
from andante.search.experiment.observing import observer_kind
from andante.search.experiment.settable import settable, settings_of

NUMBERS = count()
# Only settings are read here: what would run is never called, and says so where it is.
CODE = """
from typing import Literal
from andante.extend import (
    BackendKind, BoardKind, ControlKind, CostTerm, FootholdRule, GaitPolicy, ObserverKind, TaskKind, TrialObserver
)

class Aside(FootholdRule):
    by: float = 0.02
    def choose(self, step):
        return step.wanted

class BySpeed(GaitPolicy):
    fast: float = 0.5
    def choose(self, moment):
        return "trot"

class Low(CostTerm):
    by: float = 0.02
    def errors(self, problem, states):
        raise NotImplementedError

class Swing(ControlKind):
    type: Literal["swing"]
    period: float = 0.8
    legs: tuple[str, ...] = ()
    def controller(self, robot, world):
        raise NotImplementedError

class Rest(ControlKind):
    type: Literal["rest"]
    period: float = 0.5
    def controller(self, robot, world):
        raise NotImplementedError

class Wobble(TaskKind):
    type: Literal["wobble"]

class Sag(ObserverKind):
    tells = ("deepest",)
    joint: str = "HeadPitch"
    def observer(self, scenario, parts):
        raise NotImplementedError

HILL = BoardKind("hill", "a hill", {"rise": (0.0, 0.1)}, lambda course: None)
"""
POINTS = {
    "andante.footholds": {"set-aside": "Aside"},
    "andante.gaits": {"set-by-speed": "BySpeed"},
    "andante.costs": {"set-low": "Low"},
    "andante.controllers": {"swing": "Swing", "rest": "Rest"},
    "andante.tasks": {"wobble": "Wobble"},
    "andante.observers": {"sag": "Sag"},
    "andante.boards": {"hill": "HILL"},
}


@pytest.fixture(autouse=True)
def brought(packages):
    name = f"Settings-Kit{next(NUMBERS)}"
    install(packages, name.replace("-", "_"), CODE, POINTS)
    return name


def parameters_of(name):
    return [each for thing in settings_of(name) for each in thing.read()]


def trot():
    return andante.QuadrupedTask(robot="spirit40", twist=(0.3, 0.0, 0.0), blind=True).scenario()


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("controller.local.foothold", "set-aside"),
        ("controller.gait", "set-by-speed"),
        ("controller.local.nmpc.costs[0]", "set-low"),
    ],
)
def test_a_part_that_is_chosen_by_its_name_has_its_fields_by_path(part, name):
    """The path that was printed had "no parts"."""
    (path,) = [each.path for each in parameters_of(name)]
    assert path.startswith(f"{part}.")
    field = path.rpartition(".")[2]
    for chosen in (f"{part}={name}", f"{part}.type={name}", f"{part}={{type: {name}}}"):
        scenario = with_settings(trot(), [chosen, f"{path}=0.25"])
        local = scenario.controller.local
        found = {"set-aside": local.foothold, "set-by-speed": scenario.controller.gait}.get(name)
        found = local.nmpc.costs[0] if found is None else found
        assert getattr(found, field) == 0.25
    with pytest.raises(PathError, match=rf"{name}' has no such field; got '{field}s'; did you mean '{field}'"):
        with_settings(trot(), [f"{part}={name}", f"{path}s=0.25"])
    with pytest.raises(ScenarioError, match=rf"{field}: must be a number; got 'x'"):
        with_settings(trot(), [f"{part}={name}", f"{path}=x"])


def test_what_is_not_chosen_yet_is_told_with_what_there_is():
    with pytest.raises(PathError, match=r"there is no gait policy yet.*legal: set-by-speed; set controller.gait=NAME"):
        with_settings(trot(), ["controller.gait.fast=0.1"])
    with pytest.raises(PathError, match=r"the foothold rule 'nearest' has no such field; got 'by'; limit: it has none"):
        with_settings(trot(), ["controller.local.foothold.by=0.1"])


def swinging(**own):
    return validated({"name": "swings", "controller": {"type": "swing", **own}})


def test_another_type_leaves_out_what_only_the_first_had_and_nobody_said():
    assert with_settings(swinging(), ["controller.type=rest"]).controller.period == 0.5
    assert with_settings(swinging(period=0.3), ["controller.type=rest"]).controller.period == 0.3
    with pytest.raises(ScenarioError, match=r"controller: there is no such setting; got 'legs'; legal: type, period"):
        with_settings(swinging(legs=["left"]), ["controller.type=rest"])
    with pytest.raises(ScenarioError, match=r"controller.library: is missing; limit: this field must be given"):
        with_settings(swinging(), ["controller.type=keyframes"])
    with pytest.raises(ScenarioError, match=r"controller.type: is not legal; got 'swin'; did you mean 'swing'"):
        with_settings(swinging(), ["controller.type=swin"])


@pytest.mark.parametrize(("part", "name"), [("controller", "rest"), ("tasks[0]", "wobble"), ("backend", "mujoco")])
def test_a_name_alone_is_told_how_it_is_written(part, name):
    """It was no legal name, and the nearest legal one was itself."""
    with pytest.raises(ScenarioError, match=rf"a name alone has no fields, write {{type: {name}}}; got '{name}'"):
        with_settings(swinging(), [f"{part}={name}"])


def test_what_no_installed_package_brings_may_be_of_another_one():
    """A document from elsewhere, or one whose package was uninstalled, read as if it were wrong."""
    may = "a package that is not installed may bring it"
    for pair in ("controller.type=qqqq", "tasks[0].type=qqqq", "controller.local.foothold=qqqq"):
        base = trot() if "local" in pair else swinging()
        with pytest.raises(ScenarioError, match=rf"got 'qqqq'; legal: .*{may}"):
            with_settings(base, [pair])
    with pytest.raises(ScenarioError, match="did you mean 'swing'") as refused:
        with_settings(swinging(), ["controller.type=swin"])
    assert may not in str(refused.value)


def test_observers_have_parameters_and_other_things_are_told_as_what_they_are(brought):
    listed = {each.name: each.what for each in settable()}
    assert listed["wobble"] == f"Kind of task of {brought.replace('-', '_')} 1.2"
    assert [each.path for each in parameters_of("sag")] == ["observers.sag.joint"]
    assert "observers.get-up.tries" in [each.path for each in parameters_of("get-up")]
    both = [each.path for each in parameters_of("quadruped")]
    assert {"controller.legs.longest_lag", "observers.quadruped.axis"} <= set(both)
    told = CliRunner().invoke(app, ["params", "sag"]).stdout
    assert "andante bench EXPERIMENT --set observers.sag.joint=VALUE" in told
    assert "observer growth has no settings" in CliRunner().invoke(app, ["params", "growth"]).stdout
    assert "world.terrain.parameters" in CliRunner().invoke(app, ["params", "hill"]).stdout
    with pytest.raises(SearchError, match="nothing that has settings has this name; got 'wobbel'; did you mean"):
        parameters_of("wobbel")


def test_a_setting_that_an_observer_lacks_is_told_with_the_observer():
    """It was one of "settings", whose nobody knew."""
    with pytest.raises(SearchError, match=r"observers.sag: there is no such setting; got 'joynt'.*legal: joint"):
        observer_kind("sag", {"joynt": "x"})
    with pytest.raises(SearchError, match=r"observers.get-up.tries: is not legal; got 0; limit: at least 1"):
        observer_kind("get-up", {"tries": 0})


def test_nothing_where_a_number_stands_is_told_as_null():
    with pytest.raises(ScenarioError, match=r"controller.period: must be a number; got 'null'"):
        with_settings(swinging(), ["controller.period=null"])


def test_a_function_with_some_arguments_given_is_told_by_its_own_words():
    def even(context, tolerance):
        """Both sides do the same."""

    assert summary(functools.partial(even, tolerance=0.1)) == "Both sides do the same"
