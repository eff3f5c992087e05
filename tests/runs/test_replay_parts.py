"""Parts of a log, as other programs cut them out: what is missing is told, and no controller is blamed for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from andante.runs.errors import LogError
from andante.runs.execute import run_scenario
from andante.runs.logs import replay
from andante.runs.logs.log import ChannelRows, Log
from andante.runs.logs.recorder import LogRecorder
from andante.runs.logs.replay import replay_log
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import scenario_text


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    controller = {"library": "nao", "motions": ["wave"]}
    scenario = Scenario.model_validate({"name": "part", "controller": controller})
    run_scenario(scenario, folder)
    return folder


def without(rows: ChannelRows, part: slice) -> ChannelRows:
    """The rows of a channel without some of them."""
    keep = [row for row in range(len(rows.rows)) if row not in range(*part.indices(len(rows.rows)))]
    return replace(rows, nanoseconds=rows.nanoseconds[keep], rows=rows.rows[keep])


@pytest.mark.slow
def test_the_whole_log_replays(run: Path) -> None:
    assert replay_log(run).identical


@pytest.mark.parametrize(
    ("channels", "part", "what"),
    [
        (("sensors", "command"), slice(0, 20), "begins in the midst of its run"),
        (("command",), slice(20, 21), "not of the same ticks"),
        (("sensors",), slice(20, 21), "not of the same ticks"),
        (("sensors", "command"), slice(20, 25), "rows are missing"),
    ],
)
def test_a_log_that_lacks_ticks_is_refused(
    run: Path, monkeypatch: pytest.MonkeyPatch, channels: tuple[str, ...], part: slice, what: str
) -> None:
    whole = Log.open(run / "log.mcap")
    cut = {name: without(rows, part) if name in channels else rows for name, rows in whole.channels.items()}
    opened: Callable[[Path], Log] = lambda path: replace(whole, channels=cut)  # noqa: E731
    monkeypatch.setattr(replay.Log, "open", staticmethod(opened))
    with pytest.raises(LogError, match=what):
        replay_log(run)


def test_a_run_that_never_began_says_so(tmp_path: Path) -> None:
    """As where no robot answered: it was told that the log has no channel of sensors."""
    text = scenario_text(
        Scenario.model_validate({"name": "none", "controller": {"library": "nao", "motions": ["wave"]}})
    )
    LogRecorder(tmp_path / "log.mcap", {"run": {"robot": "nao"}, "scenario": {"text": text}}).close()
    with pytest.raises(LogError, match="the log holds no ticks; its run ended before the first tick"):
        replay_log(tmp_path)
    (tmp_path / "above" / "one").mkdir(parents=True)
    (tmp_path / "above" / "one" / "log.mcap").write_bytes(b"")
    with pytest.raises(LogError, match=r"it has no log; got 'log\.mcap'; runs are below it: one"):
        replay_log(tmp_path / "above")
