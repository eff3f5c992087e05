"""`andante walk` with a dynamic quadruped as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app


def call(*words: str):
    return CliRunner().invoke(app, ["walk", *words])


@pytest.mark.slow
def test_a_quadruped_walks_by_a_twist_from_the_command_line(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    wishes = ("--robot", "spirit40", "--twist", "0.4,0,0", "--seconds", "1", "--no-report", "--json")
    done = call(*wishes, "--out", str(folder))
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert result["verdict"] == "pass"
    assert result["asked"] == [0.4, 0.0, 0.0]
    assert result["metrics"]["travel"][0] > 0.05
    assert {path.name for path in folder.iterdir()} >= {"log.mcap", "metrics.json", "scenario.yaml"}
    assert not (folder / "report.html").exists()


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        (("--twist", "nan,0,0"), "--twist: is no finite number; got 'nan'"),
        (("--gait", "hop"), "there is no such gait; got 'hop'"),
        (("--goal", "3,0"), "a way to a goal needs a map"),
        (("--twist", "1000,0,0"), "cannot walk or turn so fast"),
    ],
)
def test_bad_input_is_named_and_nothing_is_written(wishes: tuple[str, str], message: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    done = call("--robot", "spirit40", *wishes, "--out", str(folder))
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())
    assert not folder.exists()
