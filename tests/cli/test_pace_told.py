"""The line of a run's pace against real time."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from andante.cli.run import judged


@pytest.mark.parametrize(("factor", "told"), [(0.04, "0.04"), (0.964, "0.96"), (1.6, "2"), (31.2, "31")])
def test_a_run_slower_than_real_time_tells_by_how_much(capsys, factor, told):
    """A controller that takes twice its period was told as "0 x real time"."""
    metrics = SimpleNamespace(real_time_factor=factor, duration=1.0, guard_ticks=0)
    judged("slow", 0, SimpleNamespace(metrics=metrics, verdict="pass", evidence="simulation", reasons=(), story=()))
    assert f"1.00 s simulated, {told} x real time; " in capsys.readouterr().out
