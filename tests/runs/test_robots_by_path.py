"""Runs of robots from their files: a stand and a wave made by hand from joint groups, and what is refused."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from andante.documents.reader import load_document
from andante.robots.robot import Robot
from andante.runs.build import build
from andante.runs.errors import ScenarioError
from andante.runs.execute import run_scenario
from andante.runs.scenario import Scenario

sys.path.append(str(Path(__file__).resolve().parents[1] / "robots"))
sys.path.append(str(Path(__file__).resolve().parents[1] / "kinematics"))
from humanoids import mjcf_humanoid
from packaged_robots import packaged_robot


def written(folder: Path, **shape: object) -> Robot:
    path = folder / "robot.xml"
    path.write_text(mjcf_humanoid(**shape))  # type: ignore[arg-type]
    return Robot.load(path)


def motions(robot: Robot) -> dict[str, object]:
    """A stand of 20 s; a wave: the right arm goes up by its first joint, its last one swings to and fro."""
    posture = "stand" if "stand" in robot.postures else "zero"
    stand = {name: float(angle) for name, angle in zip(robot.joint_names, robot.posture(posture), strict=True)}
    arm = [robot.joints[robot.index(name)] for name in robot.groups["right_arm"][:4]]

    def frame(duration: float, *shares: float) -> dict[str, object]:
        """``shares`` of the way from the stand to the limits, down below 0, of the arm's first and last joint."""
        angles = dict(stand)
        for joint, share in zip((arm[0], arm[-1]), shares, strict=False):
            limit = joint.upper if share > 0.0 else joint.lower
            angles[joint.name] += abs(share) * (limit - angles[joint.name])
        return {"duration": duration, "joints": angles}

    swings = [frame(0.5, -0.5, share) for share in (0.4, -0.4, 0.4, -0.4)]
    stiff = {"all": 1.0}
    return {
        "format": "andante.motions",
        "version": 1,
        "robot": robot.name,
        "motions": {"stand": {"blocks": ["stand"]}, "wave": {"blocks": ["wave"]}},
        "blocks": {
            "stand": {"base_stiffness": stiff, "keyframes": [frame(20.0)]},
            "wave": {
                "base_stiffness": stiff,
                "interpolation": "sine_min_to_max",
                "keyframes": [frame(1.5, -0.5), *swings, frame(1.5)],
            },
        },
    }


def scenario(folder: Path, robot: Robot, motion: str, **more: object) -> Scenario:
    (folder / "motions.json").write_text(json.dumps(motions(robot)))
    (folder / "motions.json").rename(folder / "motions.yaml")
    document = {
        "format": "andante.scenario",
        "version": 1,
        "name": motion,
        "robot": str(robot.path),
        "controller": {"type": "keyframes", "library": str(folder / "motions.yaml"), "motions": [motion]},
        "success": {"finishes": True, "no_fall": True, "stands_at_end": True},
        "recording": {"video": False, "report": False},
        **more,
    }
    (folder / "scenario.yaml").write_text(json.dumps(document))
    return load_document(folder / "scenario.yaml", Scenario)


@pytest.mark.slow
@pytest.mark.parametrize("motion", ["stand", "wave"])
def test_a_humanoid_from_its_file_stands_and_waves(tmp_path: Path, motion: str) -> None:
    result = run_scenario(scenario(tmp_path, written(tmp_path), motion), tmp_path / "run")
    assert result.verdict == "pass", result.reasons
    assert result.metrics.guard_ticks == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["k1", "t1", "g1", "h1"])
@pytest.mark.parametrize("motion", ["stand", "wave"])
def test_humanoids_of_other_packages_stand_and_wave(tmp_path: Path, name: str, motion: str) -> None:
    result = run_scenario(scenario(tmp_path, packaged_robot(name), motion), tmp_path / "run")
    assert result.verdict == "pass", result.reasons
    assert result.metrics.guard_ticks == 0


def test_no_verdict_rests_on_feet_that_are_unsure(tmp_path: Path) -> None:
    asked = scenario(tmp_path, written(tmp_path, foot="ball"), "wave")
    with pytest.raises(ScenarioError) as caught:
        build(asked)
    assert str(caught.value) == (
        "robot 'walker': the verdict has to tell a foot from another part that touches the ground, and that is only"
        " guessed: Left_foot ends a leg with an ankle, and its shapes have no level underside; write a pack that names"
        " it, or ask for less: success.fall.contact: false"
    )


def test_a_run_that_asks_for_less_goes_on(tmp_path: Path) -> None:
    less = {"finishes": True, "fall": {"contact": False}}
    assert build(scenario(tmp_path, written(tmp_path, foot="ball"), "wave", success=less)).robot.name == "walker"
