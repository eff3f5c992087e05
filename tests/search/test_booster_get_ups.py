"""The shipped get-ups of Booster's robots, where their models are installed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.motions.checks.run import check_library
from andante.robots.parts import MissingModelError
from andante.robots.robot import Robot
from andante.runs.motion_libraries import load_motions, shipped_libraries
from andante.search.experiment.suite import bench

NAMES = [name for name in ("k1", "t1") if name in shipped_libraries()]


def robot_of(name: str) -> Robot:
    try:
        return Robot.load(name)
    except MissingModelError:
        pytest.skip("needs the package rcsssmj (make robots, or pip install --no-deps rcsssmj)")


@pytest.mark.parametrize("name", NAMES)
def test_the_get_ups_have_no_errors_and_balance_by_the_capture_point(name: str) -> None:
    library = load_motions(name)
    assert [each for each in check_library(library, robot_of(name)) if each.severity == "error"] == []
    assert library.blocks["front_rise"].capture_point is not None
    assert library.blocks["front_push"].capture_point is None


@pytest.mark.parametrize("name", NAMES)
def test_a_library_can_be_looked_at_without_the_robots_model(name: str) -> None:
    library = load_motions(name)
    assert library.robot == name
    assert {"stand", "recoverGeneric", "get_up_front", "get_up_back"} <= set(library.motions)
    assert {"sit_down", "stand_up", "wave", "kick", "dive_left"} <= set(library.motions)


@pytest.mark.slow
@pytest.mark.parametrize("start", ["front", pytest.param("back", marks=pytest.mark.slow)])
def test_k1_stands_up_by_noisy_sensors_and_late_drives(start: str, tmp_path: Path) -> None:
    robot_of("k1")
    words = (
        f"bench getup --library k1 --robot k1 --start {start} --spread noisy --tries 1 --seeds 1 --first-seed 996001"
    )
    words += f" --set world.timestep=0.002 --out {tmp_path / 'k1.json'} --asked 1"
    done = CliRunner().invoke(app, words.split())
    assert done.exit_code == 0, done.output
    assert json.loads((tmp_path / "k1.json").read_text())


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_booster_kicks_on_one_leg_by_noisy_sensors_and_late_drives(name: str) -> None:
    robot_of(name)
    settings = ["world.timestep=0.002", "world.command_delay=[1,2]", "world.noise={position: 0.002, gyro: 0.01}"]
    report = bench("motion", library=name, robot=name, motion=("stand", "kick"), seeds=1, settings=settings)
    assert report.about["failures"] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_keeper_dives_and_gets_up(name: str, tmp_path: Path) -> None:
    robot_of(name)
    done = CliRunner().invoke(app, ["run", f"{name}/dive_left", "--no-report", "--out", str(tmp_path / "dive")])
    assert done.exit_code == 0, done.output
    assert "stands at the end" in done.output
