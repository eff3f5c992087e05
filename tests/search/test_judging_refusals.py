"""What a judging cannot do: one message that names it and says what to do."""

from __future__ import annotations

import builtins
import importlib.util
import json
import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.runs.logs.recorder import LogRecorder
from andante.search.errors import SearchError
from andante.search.judging.judges import JUDGES, Judge

needs_drake = pytest.mark.skipif(
    importlib.util.find_spec("pydrake") is None,
    reason="needs the package drake (make robots, or pip install --no-deps drake)",
)


def test_an_engine_that_is_not_installed_is_named_with_what_to_do(monkeypatch):
    true = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("pydrake"):
            raise ImportError("No module named 'pydrake'")
        return true(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    done = CliRunner().invoke(app, ["judge", "nao/wave", "--in", "drake", "--seeds", "1"])
    assert done.exit_code == 2
    assert "Drake is not installed" in done.output
    assert "pip install --no-deps drake" in done.output
    assert done.output.count("\n") == 1


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["quadruped", "--only", "uphill"], "--only: there is no such condition; got 'uphill'"),
        (
            ["quadruped", "--option", "table=speed,slope"],
            "quadruped: one experiment or table is judged at a time; got 2",
        ),
        (["quadruped", "--option", "table=hills"], "--table: there is no such table; got 'hills'"),
    ],
)
def test_a_table_or_condition_that_is_not_there_is_named(asked, message):
    done = CliRunner().invoke(app, ["judge", *asked, "--in", "soft", "--seeds", "1"])
    assert done.exit_code == 2, done.output
    assert message in done.output


def test_a_motion_of_another_robot_is_refused():
    done = CliRunner().invoke(app, ["judge", "nao/wave", "--robot", "littledog", "--in", "soft", "--seeds", "1"])
    assert done.exit_code == 2
    assert "the motion library is for another robot" in done.output


@pytest.mark.slow
def test_a_judge_that_breaks_in_the_middle_leaves_the_journal(tmp_path):
    kept = tmp_path / "kept.jsonl"
    try:
        JUDGES.register("breaks", Judge("a step that does not divide the cycle", set={"world.timestep": 0.0031}))
        asked = ["judge", "nao/wave", "--in", "breaks", "--seeds", "1", "--journal", str(kept)]
        done = CliRunner().invoke(app, asked)
    finally:
        JUDGES.unregister("breaks")
    assert done.exit_code == 2
    assert "is not a whole number of times the physics period" in done.output
    lines = [json.loads(line) for line in kept.read_text().splitlines()]
    results = [line["result"] for line in lines if "result" in line]
    assert [each["passed"] for each in results] == [True]


@pytest.mark.slow
def test_results_stay_in_the_journal_where_they_cannot_be_explained_or_written(tmp_path, monkeypatch):
    kept, no_folder = tmp_path / "kept.jsonl", tmp_path / "file"
    no_folder.write_text("")
    asked = ["judge", "nao/wave", "--in", "soft", "--seeds", "1", "--journal", str(kept)]
    refused = CliRunner().invoke(app, [*asked, "--out", str(no_folder / "said.json")])
    assert refused.exit_code == 2

    def breaks(*_: object) -> list[str]:
        raise SearchError("its log cannot be read", place="explained")

    monkeypatch.setattr("andante.search.judging.explain.explained", breaks)
    unexplained = CliRunner().invoke(app, [*asked, "--resume", "--explain"])
    assert (unexplained.exit_code, unexplained.output) == (2, "andante: explained: its log cannot be read\n")
    results = [line for line in map(json.loads, kept.read_text().splitlines()) if "result" in line]
    assert len(results) == 2
    done = CliRunner().invoke(app, [*asked, "--resume"])
    assert done.exit_code == 0, done.output
    assert "1 of 1 passed as asked" in done.output
    assert not kept.exists()


def test_results_and_journal_of_a_judging_are_two_files(tmp_path):
    same = str(tmp_path / "said.json")
    done = CliRunner().invoke(app, ["judge", "nao/wave", "--in", "soft", "--journal", same, "--out", same])
    assert done.exit_code == 2
    assert f"--journal: results and journal are two files; got {same!r}" in done.output


@pytest.mark.slow
def test_the_log_of_a_run_on_a_robot_moves_no_robot(tmp_path: Path) -> None:
    """The address of the robot stands in its log; a socket listens there, and nothing is asked of it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as robot:
        robot.bind(("127.0.0.1", 0))
        robot.setblocking(False)
        text = (
            "format: andante.scenario\nversion: 1\nname: wave\ncontroller: {library: nao, motions: [wave]}\n"
            f"backend: {{type: udp, address: '127.0.0.1:{robot.getsockname()[1]}'}}\n"
        )
        LogRecorder(tmp_path / "log.mcap", {"scenario": {"text": text}}).close()
        words = ["judge", str(tmp_path / "log.mcap"), "--in", "half-step", "--seeds", "1"]
        refused = CliRunner().invoke(app, words)
        assert refused.exit_code == 2
        assert "trials are run in simulation, and this scenario moves a robot over a link" in refused.output
        with pytest.raises(BlockingIOError):
            robot.recv(65536)
    simulated = CliRunner().invoke(app, [*words, "--set", "backend={type: mujoco}"])
    assert simulated.exit_code == 0, simulated.output
    # The folder of a run is as good as its log.
    assert "moves a robot over a link" in CliRunner().invoke(app, ["judge", str(tmp_path), "--in", "half-step"]).output
