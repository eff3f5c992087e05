"""A trial that is judged by its log tells its observers why it ended, as one without a log does."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from andante.backends.fault import Fault
from andante.runs.execute import run_scenario
from andante.runs.loop.outcome import Ending
from andante.runs.task import scenario_of
from andante.search.experiment import trial


class Told:
    """Keeps what it is told."""

    def ended(self, ending: Ending | None, reason: str = "") -> None:
        self.ending, self.reason = ending, reason

    def values(self) -> dict[str, Any]:
        return {}


def test_a_judged_trial_tells_that_it_was_broken_off_and_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fault = Fault(type="imu_dropped", reading="nan", start=0.5)
    scenario = scenario_of("nao/wave", report=False)
    told = Told()
    faulty = scenario.model_copy(update={"world": scenario.world.but(faults=(fault,))})
    result = run_scenario(faulty, tmp_path)
    monkeypatch.setattr(trial, "run_forgotten", lambda _, watching: result if watching(None) else None)
    monkeypatch.setattr(trial, "observers_of", lambda *_: {"told": told})
    monkeypatch.setattr(trial, "beginning", lambda *_: [])
    trial.run_judged(SimpleNamespace(), scenario, {})  # type: ignore[arg-type]
    assert told.ending is Ending.BROKEN
    assert "imu" in told.reason
