"""No option of `andante walk` is dropped: it changes the run, or it is refused by name."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.cli.walk import walk_task
from andante.cli.walk_options import WalkOptions
from andante.errors import AndanteError
from andante.runs.scenario import Scenario

WAYS: dict[str, dict[str, Any]] = {
    "crawl over a board": {"board": "rocks"},
    "crawl over a file": {"board": "MAP"},
    "either gait": {"board": "rocks", "controller": "auto"},
    "crawl by its feet": {"board": "rocks", "controller": "reactive-crawl"},
    "trot over a board": {"board": "rocks", "controller": "trot"},
    "trot by a twist": {"twist": "0.2,0,0"},
    "crawl by a twist": {"twist": "0.05,0,0", "controller": "reactive-crawl"},
    "trot by hand": {"live": "keyboard"},
    "quadruped by a twist": {"robot": "spirit40", "twist": "0.4,0,0"},
    "quadruped by a twist over a board": {"robot": "spirit40", "twist": "0.4,0,0", "board": "step-20"},
    "quadruped to a goal": {"robot": "spirit40", "goal": "2,0"},
    "quadruped over a board": {"robot": "spirit40", "board": "step-20"},
    "quadruped over a file": {"robot": "spirit40", "board": "MAP"},
    "quadruped by hand": {"robot": "spirit40", "live": "keyboard"},
}
OTHERS: dict[str, Any] = {
    "difficulty": 0.7,
    "seed": 3,
    "seconds": 3.0,
    "gait": "pace",
    "push": "1,0,10,0",
    "blind": True,
    "start": "0.31,0.41",
    "goal": "1.57,0.41",
    "via": ["0.9,0.41"],
    "map_error": 5.0,
    "map_shift": 4.0,
    "map_window": 2.0,
    "map_file": "MAP",
    "effort": 2.0,
    "torque": 2.0,
    "speed_limit": 9.0,
    "pose_noise": "1,0.2",
    "load": "none",
    "gains": "stiff",
    "friction": 0.4,
    "payload": 0.3,
    "report": False,
    "video": True,
}
"""Another value of each option than its default."""
APART = {"robot", "board", "controller", "twist", "live", "values", "map_correlation", "out"}
"""Those that make the ways, are no matter of the run, or mean something beside another."""


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ground") / "low step.npz"
    heights = np.zeros((121, 41))
    heights[60:] = 0.02
    np.savez(path, heights=heights, spacing=0.02, origin=(0.0, -0.4))
    return path


def scenario(asked: dict[str, Any], ground: Path) -> Scenario:
    said = {name: str(ground) if value == "MAP" else value for name, value in asked.items()}
    return walk_task(WalkOptions(**said)).scenario(report=said.get("report", True), video=said.get("video", False))


def test_all_options_are_tried() -> None:
    assert {each.name for each in fields(WalkOptions)} == set(OTHERS) | APART


@pytest.mark.parametrize("way", WAYS)
def test_every_option_counts_or_is_refused(way: str, ground: Path) -> None:
    usual = scenario(WAYS[way], ground).model_dump_json()
    dropped = []
    for name, value in OTHERS.items():
        if name in WAYS[way]:
            continue
        try:
            if scenario(WAYS[way] | {name: value}, ground).model_dump_json() == usual:
                dropped.append(name)
        except AndanteError:
            continue
    assert dropped == []


@pytest.mark.parametrize("way", ["quadruped by a twist over a board", "quadruped over a board", "either gait"])
def test_whoever_walks_by_a_map_gets_the_one_that_is_given(way: str, ground: Path) -> None:
    """Until it was, a quadruped was shown the ground itself in place of the file."""
    given = {"map_file": "MAP", "map_error": 5.0, "map_correlation": 30.0, "map_shift": 4.0, "seed": 6}
    shown = scenario(WAYS[way] | given, ground).controller.map
    size = shown.noise / 0.005
    assert (shown.terrain.file, shown.seed) == (str(ground), 6)
    assert (shown.correlation, shown.registration) == pytest.approx((0.03 * size, 0.004 * size))
    assert size == 1.0 or way == "either gait"


@pytest.mark.slow
def test_a_body_is_planned_by_the_map_that_is_given(ground: Path) -> None:
    wall = ground.with_name("wall.npz")
    heights = np.zeros((121, 41))
    heights[55:65] = 1.0
    np.savez(wall, heights=heights, spacing=0.02, origin=(0.0, -0.4))
    asked = ["plan", "--robot", "spirit40", "--board", str(ground), "--start", "0.5,0", "--goal", "2,0", "--json"]
    free, walled = CliRunner().invoke(app, asked), CliRunner().invoke(app, [*asked, "--map-file", str(wall)])
    assert (free.exit_code, walled.exit_code) == (0, 1), free.output + walled.output


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--map-error", "5", "--blind", "--board", "step-20"), "map: a blind robot knows no map"),
        (
            ("--map-error", "5", "--twist", "0.3,0,0"),
            "map: the level floor is not surveyed; give a board, or --map-file",
        ),
        (("--map-window", "2", "--board", "step-20"), "--map-window: means nothing to a dynamic quadruped; got 2.0"),
        (("--seconds", "5", "--board", "step-20"), "--seconds: means nothing to a walk to a goal; got 5.0"),
        (("--difficulty", "0.2", "--goal", "2,0"), "--difficulty: means nothing to a file or the level floor; got 0.2"),
    ],
)
def test_what_means_nothing_is_refused(given: tuple[str, ...], told: str) -> None:
    done = CliRunner().invoke(app, ["walk", "--robot", "spirit40", *given])
    assert done.exit_code == 2
    assert told in " ".join(done.output.split())


def test_runs_in_physics_mean_nothing_to_a_check_without() -> None:
    done = CliRunner().invoke(app, ["check", "nao-kick", "--seeds", "5"])
    assert done.exit_code == 2
    assert "--seeds: means nothing to a check without --physics; got 5" in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("boards", "MAP", "--difficulty", "0.2"), "--difficulty: means nothing to a terrain file; got 0.2"),
        (("boards", "MAP", "--robot", "nao"), "--robot: means nothing to a terrain file; got 'nao'"),
        (("boards", "--seed", "3"), "--seed: means nothing to the list of boards; got 3"),
        (("doctor", "--robot", "nao"), "--robot: means nothing to a look at this machine, without --controller"),
        (("share", "a-run", "--plot", "truth.com.z"), "--plot: means nothing to a page without --video"),
    ],
)
def test_other_commands_refuse_what_means_nothing_to_them(asked: tuple[str, ...], told: str, ground: Path) -> None:
    done = CliRunner().invoke(app, [str(ground) if word == "MAP" else word for word in asked])
    assert done.exit_code == 2
    assert told in " ".join(done.output.split())
