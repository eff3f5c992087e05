"""`andante policy`: what is printed of a contract, whether it fits, and a run with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from andante.cli.app import app
from andante.runs.policies.files import policy_path


def told(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["policy", *words])
    assert done.exit_code == code, done.output
    return done.output


def data_of(*words: str, code: int = 0) -> dict:
    return json.loads(told(*words, "--json", code=code))


def without(folder: Path, *facts: str) -> str:
    """The shipped walk's contract without some facts."""
    shipped = policy_path("nao-walk")
    data = yaml.safe_load(shipped.read_text())
    data["model"] = str(shipped.parent / data["model"])
    path = folder / "walk.yaml"
    path.write_text(yaml.safe_dump({key: value for key, value in data.items() if key not in facts}))
    return str(path)


def test_inspect_prints_every_fact() -> None:
    output = told("inspect", "nao-walk")
    for words in ("for robot nao", "input obs: 11 numbers", "LKneePitch", "sees gait_phase", "licence: Apache-2.0"):
        assert words in output
    assert data_of("inspect", "nao-walk")["missing"] == []


def test_inspect_fails_where_facts_are_missing(tmp_path: Path) -> None:
    path = without(tmp_path, "rate", "licence")
    assert "missing: rate" in told("inspect", path, code=1)
    assert data_of("inspect", path, code=1)["missing"] == ["rate", "licence"]


def test_inspect_tells_what_the_network_has_otherwise_and_stands_what_is_missing(tmp_path: Path) -> None:
    path = without(tmp_path, "joints")
    assert "missing: joints" in told("inspect", path, code=1)
    data = yaml.safe_load(Path(without(tmp_path)).read_text())
    data["inputs"][0]["size"] += 1
    data["joints"][1] = data["joints"][0]
    Path(path).write_text(yaml.safe_dump(data))
    output = told("inspect", path, code=1)
    assert "contradicts: inputs are obs (12), the network has obs (11)" in output
    assert "contradicts: joints name LHipYawPitch more than once" in output
    assert len(data_of("inspect", path, code=1)["contradicts"]) == 2


def test_what_is_written_is_complete_and_vouches_for_the_joints(tmp_path: Path) -> None:
    pinned = tmp_path / "pinned.yaml"
    told("inspect", without(tmp_path, "joints_digest"), "--write", str(pinned))
    assert data_of("check", str(pinned))["good"]
    assert yaml.safe_load(pinned.read_text())["joints_digest"]


def test_check_tells_terms_time_and_what_is_unsure(tmp_path: Path) -> None:
    output = told("check", without(tmp_path, "joints_digest"))
    assert "gravity 3, gyro 3, command 3, gait_phase 2" in output
    assert "nobody vouches for the order of the joints" in output
    assert output.endswith("fits\n")
    found = data_of("check", "nao-walk")
    assert 0.0 < found["call_median"] <= found["call_p99"]


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("check", "nao-walk", "--robot", "ers7"), "trained for another robot"),
        (("check", "nao-walk", "--tick", "0.01"), "no whole number of the robot's motion cycles"),
        (("inspect", "nao-run"), "no such policy"),
        (("run", "nao-walk", "--robot", "littledog"), "trained for another robot"),
    ],
)
def test_what_does_not_fit_is_one_message(words: tuple[str, ...], what: str) -> None:
    done = CliRunner().invoke(app, ["policy", *words])
    assert done.exit_code == 2
    assert what in done.output + (done.stderr or "")


@pytest.mark.slow
def test_a_run_walks_to_a_verdict(tmp_path: Path) -> None:
    words = ("run", "nao-walk", "--forward", "0.1", "--time", "1.5", "--set", "recording.report=false")
    output = told(*words, "--out", str(tmp_path / "run"))
    assert "nao-walk, seed 0, in simulation: PASS" in output
    assert (tmp_path / "run" / "log.mcap").is_file()
