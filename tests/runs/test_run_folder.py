"""A run's folder: one run at a time, results of this run only, and something to read whatever ends the process."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from andante.runs.errors import RecordingError, RunError, ScenarioError
from andante.runs.execute import run_scenario
from andante.runs.logs.folder import claimed, claimed_fresh
from andante.runs.logs.log import Log
from andante.runs.logs.recorder import LogRecorder
from andante.runs.scenario_files import Overrides, load_scenario, overridden

SLOW = [
    *("run", "sit-and-stand", "--no-video", "--no-report", "--real-time", "--out"),
]
"""A run of more than five seconds."""


def short():
    return overridden(load_scenario("sit-and-stand"), Overrides(video=False, report=False)).model_copy(
        update={"timeout": 0.5}
    )


def begun(out: Path) -> subprocess.Popen[str]:
    """A process that runs, when its log has a chunk."""
    command = [sys.executable, "-c", "from andante.cli.app import main; main()", *SLOW, str(out)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60.0
    while not ((out / "log.mcap").exists() and (out / "log.mcap").stat().st_size > 60_000):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.02)
    return process


def test_a_folder_is_for_one_run_at_a_time(tmp_path: Path) -> None:
    with (
        claimed(tmp_path / "run"),
        pytest.raises(RunError, match=r"run: another run writes into this folder; wait for its end"),
    ):
        run_scenario(short(), tmp_path / "run")
    assert not list((tmp_path / "run").iterdir())
    run_scenario(short(), tmp_path / "run")
    assert (tmp_path / "run" / "metrics.json").exists()


def test_runs_without_a_folder_that_begin_at_once_get_one_each(tmp_path: Path) -> None:
    base = tmp_path / "runs" / "stand-0"
    with claimed_fresh(base) as first, claimed_fresh(base) as second, claimed_fresh(base) as third:
        assert [path.name for path in (first, second, third)] == ["stand-0", "stand-0-2", "stand-0-3"]
        (second / "log.mcap").write_bytes(b"")
    with claimed_fresh(base) as again, claimed_fresh(base) as next_one:
        assert [path.name for path in (again, next_one)] == ["stand-0", "stand-0-3"]


def test_results_of_an_earlier_run_do_not_outlive_the_begin_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from andante.backends.mujoco_world import MujocoWorld

    run_scenario(short(), tmp_path)
    (tmp_path / "video.mp4").write_text("old")

    def broken(self: MujocoWorld) -> None:
        raise OSError("the cable came off")

    monkeypatch.setattr(MujocoWorld, "read", broken)
    with pytest.raises(OSError, match="cable"):
        run_scenario(short(), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"log.mcap", "scenario.yaml"}


def test_what_cannot_be_run_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    run_scenario(short(), tmp_path / "run")
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    # NAO's 12 ms are no whole number of these.
    uneven = short().model_copy(update={"world": short().world.model_copy(update={"timestep": 0.005})})
    for out in (tmp_path / "run", tmp_path / "other"):
        with pytest.raises(ScenarioError, match="is not a whole number of times"):
            run_scenario(uneven, out)
    assert not (tmp_path / "other").exists()
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before


def test_a_log_that_somebody_else_wrote_gives_no_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_scenario(short(), tmp_path / "long")
    other = (tmp_path / "long" / "log.mcap").read_bytes()
    close = LogRecorder.close

    def replaced(self: LogRecorder) -> None:
        close(self)
        self.path.write_bytes(other)

    monkeypatch.setattr(LogRecorder, "close", replaced)
    with pytest.raises(RunError, match="somebody else wrote into this run's log"):
        run_scenario(short().model_copy(update={"timeout": 0.4}), tmp_path / "run")


def test_links_are_not_followed(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("precious")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "log.mcap").symlink_to(mine)
    with pytest.raises(RecordingError, match="the log cannot be created"):
        run_scenario(short(), tmp_path / "run")
    (tmp_path / "run" / "log.mcap").unlink()
    (tmp_path / "run" / "scenario.yaml").unlink()
    (tmp_path / "run" / "scenario.yaml").symlink_to(mine)
    with pytest.raises(RunError, match="is a link and is not followed"):
        run_scenario(short(), tmp_path / "run")
    assert mine.read_text() == "precious"


@pytest.mark.slow
def test_a_process_that_is_asked_to_end_leaves_log_metrics_and_verdict(tmp_path: Path) -> None:
    process = begun(tmp_path)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 2
    assert process.stderr is not None
    assert "interrupted" in process.stderr.read()
    result = json.loads((tmp_path / "metrics.json").read_text())
    assert result["verdict"] == "fail"
    assert result["reasons"][0].startswith("interrupted after ")
    log = Log.open(tmp_path / "log.mcap")
    assert log.complete
    assert len(log.rows("sensors").rows) == round(result["metrics"]["duration"] / 0.012)


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_a_log_to_its_last_flush(tmp_path: Path) -> None:
    process = begun(tmp_path)
    process.kill()
    process.wait(60)
    log = Log.open(tmp_path / "log.mcap")
    assert not log.complete
    rows = len(log.rows("sensors").rows)
    assert rows == len(log.rows("command").rows) >= 40
    # and the folder is free again
    run_scenario(short(), tmp_path)
    assert Log.open(tmp_path / "log.mcap").complete


def test_the_claim_ends_with_the_process(tmp_path: Path) -> None:
    code = "import os, sys, pathlib; from andante.runs.logs.folder import claimed\n"
    code += "with claimed(pathlib.Path(sys.argv[1])): os._exit(9)"
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False).returncode == 9
    with claimed(tmp_path):
        pass
