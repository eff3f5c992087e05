"""Which files of a folder the studio offers to open."""

from __future__ import annotations

from pathlib import Path

import pytest
from studio_text import TEXT

from andante.formats.registry import write
from andante.motions.storage import load_library
from andante.robots.robot import Robot
from andante.runs.scenario_files import motion_scenario, scenario_text
from andante.studio.motion_files import motion_files
from andante.studio.workspace import Workspace


def test_motions_are_offered_and_what_says_to_be_something_else_is_not(tmp_path: Path) -> None:
    (tmp_path / "wave.yaml").write_text(TEXT)
    (tmp_path / "broken.yml").write_text("units: [\n")
    library = load_library(tmp_path / "wave.yaml")
    write(library, tmp_path / "keys.xml", "mujoco", robot=Robot.load("nao"))
    for name in ("beast.xml", "arm.urdf"):
        (tmp_path / name).write_text("<mujoco><worldbody><body/></worldbody></mujoco>")
    folder = tmp_path / "runs" / "wave"
    folder.mkdir(parents=True)
    scenario = motion_scenario("nao", "wave.yaml", ("wave",))
    (folder / "scenario.yaml").write_text(scenario_text(scenario))
    (folder / "motions.yaml").write_text(TEXT)
    (folder / "metrics.json").write_text("{}")
    (tmp_path / "robot.yaml").write_text('"format": andante.robot\nversion: 1\n')
    (tmp_path / "gone.xml").symlink_to(tmp_path / "nowhere.xml")
    offered = motion_files(Workspace(tmp_path))
    assert offered.names == ("broken.yml", "keys.xml", "runs/wave/motions.yaml", "wave.yaml")


@pytest.mark.parametrize("padding", [0, 200_000])
def test_keyframes_at_the_end_of_a_model_are_found(tmp_path: Path, padding: int) -> None:
    model = "<mujoco><!--" + "x" * padding + "--><keyframe><key qpos='0'/></keyframe></mujoco>"
    (tmp_path / "model.xml").write_text(model)
    assert motion_files(Workspace(tmp_path)).names == ("model.xml",)
