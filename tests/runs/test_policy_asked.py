"""A policy that is told how fast to go is judged by whether it goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from andante import run
from andante.control.steering import Heading
from andante.runs.policies.task import policy_scenario


@pytest.mark.slow
def test_a_walk_on_ice_that_does_not_fall_is_no_pass(tmp_path: Path) -> None:
    asked = policy_scenario("nao-walk", heading=Heading(0.2), time=2.0)
    result = run(
        asked.but(world=asked.world.but(friction=0.02), recording=asked.recording.but(report=False)), out=tmp_path
    )
    assert result.verdict == "fail"
    assert any("asked +0.200 m/s ahead, reached +0.0" in reason for reason in result.reasons), result.reasons
