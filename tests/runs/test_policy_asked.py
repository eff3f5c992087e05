"""A policy that is told how fast to go is judged by whether it goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from andante import run
from andante.control.policies.contract import PolicyContract
from andante.control.policies.files import PolicyFile, load_policy
from andante.control.steering import Heading, SteeringScript, Turn
from andante.robots.robot import Robot
from andante.runs.policies.check import check_policy
from andante.runs.policies.files import policy_path
from andante.runs.policies.task import policy_scenario


@pytest.mark.slow
def test_a_walk_on_ice_that_does_not_fall_is_no_pass(tmp_path: Path) -> None:
    asked = policy_scenario("nao-walk", heading=Heading(0.2), time=2.0)
    result = run(
        asked.but(world=asked.world.but(friction=0.02), recording=asked.recording.but(report=False)), out=tmp_path
    )
    assert result.verdict == "fail"
    assert any("asked +0.200 m/s ahead, reached +0.0" in reason for reason in result.reasons), result.reasons


def test_who_is_only_to_stand_stands_for_as_long() -> None:
    asked = policy_scenario("nao-walk", time=0.6)
    steering = SteeringScript([Turn(each.time, Heading()) for each in asked.controller.steering])
    assert [steering.over(time) for time in (0.0, 1.5, 1.6)] == [False, False, True]


@pytest.mark.parametrize(
    ("changes", "rule", "severity"),
    [
        ({"kp": 0}, "no-gain", "error"),
        ({"kp": [60.0] * 11 + [0.0]}, "no-gain", "warning"),
        ({"others": {"posture": "stand", "angles": {"HeadYaw": 5.0}, "stiffness": 1.0}}, "held-limit", "warning"),
    ],
)
def test_a_check_tells_what_moves_nothing_and_what_cannot_be_held(
    tmp_path: Path, changes: dict[str, Any], rule: str, severity: str
) -> None:
    file = load_policy(policy_path("nao-walk"))
    found = check_policy(
        PolicyFile(file.path, PolicyContract.model_validate(file.contract.model_dump() | changes), file.network),
        Robot.load("nao").at(1.0 / (file.contract.rate or 50.0)),
    )
    assert (rule, severity) in {(each.rule, str(each.severity)) for each in found.findings}
