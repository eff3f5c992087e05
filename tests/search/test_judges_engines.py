"""Judges with an engine of their own: trials run in the engine that was tried, and one that misbehaves is named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import pytest

import andante
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import WorldConfig
from andante.errors import AndanteError
from andante.extend import BackendKind
from andante.robots.records import Sensors
from andante.robots.robot import Robot
from andante.runs.backends.registry import BACKENDS
from andante.runs.task import scenario_of
from andante.search.errors import SearchError
from andante.search.experiment.cases import groups_of
from andante.search.judging.judges import JUDGES, Judge
from andante.search.judging.judging import JUDGE, check_qualified, scenario_experiment, with_judges
from andante.search.judging.qualify import Test as Trial

PASSES = Trial("free fall", 0.2, 0.2, "m")


class Blind(MujocoWorld):
    """An engine whose sensors give no numbers."""

    def read(self) -> Sensors:
        sensors = super().read()
        sensors["position"][:] = np.nan
        return sensors


class OwnEngine(BackendKind):
    """An engine of a package."""

    type: Literal["own-engine"] = "own-engine"
    """Kind of backend."""
    makes: str = "world"
    """What it makes."""

    def backend(self, robot: Robot, world: WorldConfig) -> Any:
        if self.makes == "nothing":
            return object()
        if self.makes == "error":
            raise OSError("licence server not found")
        return (Blind if self.makes == "blind" else MujocoWorld)(robot, world)

    def physics_period(self, world: WorldConfig) -> float:
        return world.timestep


@pytest.fixture
def engine() -> Iterator[None]:
    andante.register("backends", "own-engine", OwnEngine)
    yield
    BACKENDS.unregister("own-engine")
    if "mine" in JUDGES:
        JUDGES.unregister("mine")


def judged(judge: Judge) -> Any:
    andante.register("judges", "mine", judge)
    return with_judges(scenario_experiment(scenario_of("nao/wave"), 1), {"mine": judge})


def engine_of(experiment: Any) -> str:
    (group,) = (each for each in groups_of(experiment) if each.labels[JUDGE] == "mine")
    return group.setup.scenario(0)[0].moved.type


def test_trials_run_in_the_engine_that_a_judge_names(engine: None) -> None:
    """A judge that said `backend` alone was qualified as that engine; then its trials ran in MuJoCo, and agreed."""
    assert engine_of(judged(Judge("mine", backend="own-engine"))) == "own-engine"


@pytest.mark.parametrize(
    "said", [{"backend": {"type": "own-engine", "makes": "blind"}}, {"backend.type": "own-engine"}]
)
def test_what_a_judge_sets_of_its_engine_stays(engine: None, said: dict[str, Any]) -> None:
    judge = Judge("mine", set=said, backend="own-engine")
    assert judge.changes == said
    assert engine_of(judged(judge)) == "own-engine"


@pytest.mark.parametrize("backend", ["mujoco", "drake"])
def test_an_engine_that_would_judge_untried_is_refused(engine: None, backend: str) -> None:
    """Taken for a twin it was asked without any test."""
    with pytest.raises(SearchError, match="another engine than the one that is qualified; got 'own-engine'"):
        judged(Judge("mine", set={"backend": {"type": "own-engine"}}, backend=backend))


@pytest.mark.parametrize(
    ("makes", "says"),
    [
        ("blind", "its judge 'mine' failed: position.HeadYaw at 0.000 s: a command must be finite; got nan"),
        ("nothing", "kind of backend 'own-engine': makes no backend"),
        ("error", "its kind of backend 'own-engine' failed: OSError: licence server not found"),
    ],
)
def test_an_engine_that_misbehaves_while_it_is_tried_is_named(engine: None, makes: str, says: str) -> None:
    judge = Judge("mine", set={"backend": {"type": "own-engine", "makes": makes}}, backend="own-engine")
    with pytest.raises(AndanteError) as refused:
        list(check_qualified(judged(judge), {"mine": judge}))
    assert says in str(refused.value)


def test_an_engine_that_nothing_was_tried_of_gives_no_verdict(engine: None) -> None:
    """It was called qualified by 0 tests."""
    judge = Judge("mine", backend="own-engine", tests=lambda robot: iter(()))
    with pytest.raises(SearchError, match="judge 'mine' is tried by nothing for robot 'nao', so it gives no verdict"):
        list(check_qualified(judged(judge), {"mine": judge}))


@pytest.mark.parametrize(("version", "says"), [(lambda: 1 / 0, "ZeroDivisionError"), (lambda: None, "NoneType")])
def test_a_judge_without_a_version_that_can_be_told_is_named(engine: None, version: Any, says: str) -> None:
    judge = Judge("mine", backend="own-engine", tests=lambda robot: iter((PASSES,)), version=version)
    with pytest.raises(AndanteError, match=rf"its judge 'mine'.*{says}"):
        list(check_qualified(judged(judge), {"mine": judge}))


@pytest.mark.parametrize(
    ("judge", "says"),
    [
        (Judge(3), "what: is no text"),  # type: ignore[arg-type]
        (Judge("nan", scale={"world.friction": float("nan")}), "scale.world.friction: is no finite number; got 'nan'"),
    ],
)
def test_a_judge_that_makes_no_sense_is_refused_when_it_comes(judge: Judge, says: str) -> None:
    with pytest.raises(AndanteError) as refused:
        andante.register("judges", "mine", judge)
    assert says in str(refused.value)
