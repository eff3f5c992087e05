"""A quadruped that stops, or takes another gait, stays as high as it walked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from andante.runs.controls.quadruped import GaitChange
from andante.runs.execute import run_scenario
from andante.runs.tasks.quadruped.task import QuadrupedTask


@pytest.mark.slow
@pytest.mark.parametrize("gait", ["trot", "pace"])
def test_a_stop_does_not_drop_the_body(gait: str, tmp_path: Path) -> None:
    task = QuadrupedTask(robot="spirit40", twist=(0.5, 0.0, 0.0), seconds=2.0, gait=gait)
    result = run_scenario(task.scenario(), tmp_path)
    assert result.verdict == "pass", result.reasons
    truth, telemetry = result.log.channels["truth"], result.log.channels["telemetry"]
    column = next(n for n, name in enumerate(truth.layout.columns) if name.endswith("root.z"))
    heights = truth.rows[: len(telemetry.rows), column]
    mode = telemetry.rows[: len(heights), telemetry.layout.columns.index("mode")]
    changes = np.flatnonzero(np.diff(mode))
    assert len(changes) == 2
    # Before the mend a trot sank to 0.248 m of 0.291, and a pace to 0.129 m.
    assert heights[changes[1] :].min() > 0.285


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), [("trot", "pace"), ("walk", "trot")])
def test_another_gait_does_not_drop_the_body(first: str, second: str, tmp_path: Path) -> None:
    scenario = QuadrupedTask(robot="spirit40", twist=(0.5, 0.0, 0.0), seconds=2.5, gait=first).scenario()
    gaits = (GaitChange(gait=first), GaitChange(time=1.5, gait=second))
    changed = scenario.model_copy(update={"controller": scenario.controller.model_copy(update={"gaits": gaits})})
    result = run_scenario(changed, tmp_path)
    assert result.verdict == "pass", result.reasons
    truth = result.log.channels["truth"]
    column = next(n for n, name in enumerate(truth.layout.columns) if name.endswith("root.z"))
    heights = truth.rows[(truth.times > 1.5) & (truth.times < 2.4), column]
    assert heights.min() > 0.28
