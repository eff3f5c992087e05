"""A package outside the tree brings one thing of each kind; the command line knows all of them, in fresh processes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from outside_packages import private_imports

sys.path.append(str(Path(__file__).resolve().parents[1] / "plugins"))
from installed_packages import install_project

from andante.plugins.kinds import KINDS

PROJECT = Path(__file__).parent / "andante-example"
BROUGHT = {
    "robots": "crane",
    "formats": "crane-log",
    "boards": "sleepers",
    "checks": "jerky-boom",
    "controllers": "lift",
    "backends": "still",
    "tasks": "lifted",
    "experiments": "crane-lift",
}
SCENARIO = """
format: andante.scenario
name: lift
robot: crane
controller: {type: lift, angle: 1.0}
tasks: [{type: lifted, least: 0.9}]
timeout: 3
settle: 0.2
"""
Run = Callable[..., str]


@pytest.fixture
def andante(tmp_path: Path) -> Run:
    """Runs `andante` in a process of its own in an empty folder, with the package installed."""
    places = [*install_project(tmp_path / "site", PROJECT), *filter(None, [os.environ.get("PYTHONPATH")])]
    folder = tmp_path / "empty"
    folder.mkdir()
    code = "from andante.cli.app import main; main()"

    def run(*words: str, code_of: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-c", code, *words],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(places), "PYTHONDONTWRITEBYTECODE": "1"},
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == code_of, done.stdout + done.stderr
        return done.stdout

    (folder / "lift.yaml").write_text(SCENARIO)
    (folder / "wave.crane").write_text("crane log\n0.5 30\n0.5 10\n0.5 30\n")
    run.folder = folder  # type: ignore[attr-defined]
    return run


def test_it_imports_public_names_only() -> None:
    assert private_imports(PROJECT) == []


def test_a_private_import_would_be_seen(tmp_path: Path) -> None:
    lines = ["import andante.runs.session", "from andante.robots.robot import Robot", "import andante", "andante.runs"]
    (tmp_path / "bad.py").write_text("\n".join(lines))
    assert [line.partition(": ")[0] for line in private_imports(tmp_path)] == ["bad.py:1", "bad.py:2", "bad.py:4"]


def test_andante_says_nothing_of_it() -> None:
    """No line of Andante names what the package brings."""
    root = Path(__file__).resolve().parents[2] / "src"
    words = re.compile(r"andante[-_]example|crane|jerky-boom|\bLiftedTask\b")
    assert [str(file) for file in root.rglob("*.py") if words.search(file.read_text(encoding="utf-8"))] == []


@pytest.mark.slow
def test_it_brings_one_of_each_kind(andante: Run) -> None:
    told = json.loads(andante("plugins", "--json"))
    assert told["verdict"] == "pass"
    assert {each["kind"]: each["name"] for each in told["plugins"]} == BROUGHT
    assert {each["source"] for each in told["plugins"]} == {"andante-example 0.3"}
    elsewhere = {"footholds", "gaits", "costs", "solvers", "estimators", "observers"}
    # tests/search/test_judging.py, tests/control/test_policy_controller.py, tests/env/test_plugged_terms.py: these.
    elsewhere |= {"judges", "policy_terms", "policy_formats", "observation_terms", "reward_terms"}
    assert set(BROUGHT) | elsewhere >= set(KINDS), "a new kind: bring one, or say why not"
    listed = andante("list")
    assert [name for name in BROUGHT.values() if f"  {name} " not in listed] == []


@pytest.mark.slow
def test_its_robot_and_its_motions_are_shown_checked_converted_and_run(andante: Run) -> None:
    assert "model crane with one joint: 1 joints, 8.400 kg" in andante("robots")
    assert "motion wave, robot crane" in andante("show", "wave.crane/wave")
    assert "the boom turns back at 10 deg [jerky-boom]" in andante("check", "wave.crane", "--all")
    andante("convert", "wave.crane", "wave.yaml")
    andante("convert", "wave.yaml", "again.crane")
    folder = andante.folder  # type: ignore[attr-defined]
    assert (folder / "again.crane").read_text() == (folder / "wave.crane").read_text()
    assert "PASS" in andante("run", "wave.crane/wave", "--no-report", "--out", "waved")


@pytest.mark.slow
def test_its_controller_backend_and_task_make_runs(andante: Run) -> None:
    told = andante("run", "lift.yaml", "--out", "lifted")
    assert "lift, seed 0, in simulation: PASS" in told
    assert "the boom is at its highest" in told
    folder = andante.folder  # type: ignore[attr-defined]
    metrics = json.loads((folder / "lifted" / "metrics.json").read_text())["metrics"]
    assert metrics["lifted"]["highest"] == pytest.approx(1.0, abs=0.05)
    report = (folder / "lifted" / "report.html").read_text()
    assert "Angle of the boom" in report
    assert (folder / "lifted" / "boom.png").is_file()
    still = SCENARIO + "backend: {type: still}\nsuccess: {no_fall: false}\n"
    (folder / "still.yaml").write_text(still)
    assert "PASS" in andante("run", "still.yaml", "--no-report", "--out", "still")
    low = andante("run", "lift.yaml", "--set", "controller.angle=0.3", "--no-report", "--out", "low", code_of=1)
    assert re.search(r"the boom is lifted to 0\.[23]\d rad \(asked: 0\.9 rad\)", low)
    refused = json.loads(andante("run", "lift.yaml", "--set", "controller.angel=0.3", "--json", code_of=2))["error"]
    assert "did you mean 'angle'?" in refused


@pytest.mark.slow
def test_its_experiment_is_a_bench(andante: Run) -> None:
    assert "How high does the crane lift at several speeds?" in andante("bench", "--help")
    told = andante("bench", "crane-lift", "--seeds", "1")
    assert "slow" in told
    assert "quick" in told


@pytest.mark.slow
def test_its_board_is_drawn_and_planned_over(andante: Run) -> None:
    assert "401 x 121 nodes" in andante("boards", "sleepers", "--draw", "sleepers.png")
    assert "sleepers" in andante("plan", "--board", "sleepers", "--difficulty", "0.2")
