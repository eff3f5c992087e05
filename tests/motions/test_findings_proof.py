"""Findings proved by the files' text: all that is shown first of shipped libraries holds, and a false one is told."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from andante.motions.assessment import assess
from andante.motions.checks.choice import check
from andante.robots.robot import Robot
from andante.runs.motion_libraries import library_path, load_motions

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "findings.py"


@pytest.fixture(scope="module", name="script")
def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("findings_benchmark", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("name", "least"), [("nao", 100), ("ers7", 10)])
def test_what_is_shown_first_of_a_shipped_library_is_true(script, name, least):
    found = script.proved(name)
    assert found["members"] >= least
    assert found["not_proved"] == []


def test_findings_of_b_human_s_libraries_are_true(script, bhuman_folder):
    for file in ("2023", "keyframeMotionEngine.cfg", "2025"):
        if (bhuman_folder / file).exists():
            found = script.proved(str(bhuman_folder / file))
            assert found["members"] > 200
            assert found["not_proved"] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nao", "ers7"])
def test_a_false_finding_is_not_proved(script, name):
    library, robot = load_motions(name), Robot.load(name)
    proof = script.Proof(script.read_text(library_path(name)), robot, 0.008 if name == "ers7" else robot.tick)
    rules = "aibo" if name == "ers7" else "library"
    worst = {cause.worst.rule: cause.worst for cause in assess(check(library, robot, rules=rules), library).first}
    assert len(worst) >= 2
    for finding in worst.values():
        assert proof.prove(finding) == ""
        # The same said of another moment, or of another number.
        digits = "".join(str((int(each) + 5) % 10) if each.isdigit() else each for each in finding.message)
        assert proof.prove(replace(finding, message=digits))
        if finding.rule in ("self-collision", "static-balance"):
            first = proof.way(finding)[0][0][2]
            assert proof.prove(replace(finding, time=first * proof.tick))
