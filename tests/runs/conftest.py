"""Fixtures of the runs room."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from run_biped import squats, squatter
from run_fakes import FakeBackend, FakeController, twin

from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot


@dataclass(frozen=True)
class Squatter:
    robot: Robot
    library: MotionLibrary


@pytest.fixture(scope="session", name="squatter")
def _squatter() -> Squatter:
    return Squatter(squatter(), squats())


@pytest.fixture(scope="module")
def squatter_files(tmp_path_factory: pytest.TempPathFactory, squatter: Squatter) -> Iterator[Path]:
    """The squatter's motions as a file; the robot is known by its name meanwhile."""
    from andante.motions.storage import save_library

    path = tmp_path_factory.mktemp("squats") / "squats.yaml"
    save_library(squatter.library, path)
    with pytest.MonkeyPatch.context() as patch:
        load = Robot.load
        patch.setattr(Robot, "load", staticmethod(lambda name: squatter.robot if name == "squatter" else load(name)))
        yield path


@pytest.fixture
def robot() -> Robot:
    return twin()


@pytest.fixture
def backend(robot: Robot) -> FakeBackend:
    return FakeBackend(robot)


@pytest.fixture
def controller(robot: Robot) -> FakeController:
    return FakeController(robot)
