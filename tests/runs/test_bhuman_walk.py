"""B-Human's learned walk of the code release 2025, where its files are there: ANDANTE_POLICIES names their folder."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import yaml

from andante.control.policies.files import load_policy
from andante.control.steering import Heading
from andante.robots.robot import Robot
from andante.runs.build import build
from andante.runs.execute import session_of
from andante.runs.policies.check import check_policy
from andante.runs.policies.task import policy_scenario
from andante.runs.scenario_files import with_settings

SIZES = {"T1": ("t1", 51, 14), "K1": ("k1", 48, 13), "nao": ("nao", 47, 12)}


def contract(name: str, folder: Path) -> Path:
    """The contract of one of the networks."""
    found = os.environ.get("ANDANTE_POLICIES")
    file = None if found is None else Path(found) / f"{name}.onnx"
    if file is None or not file.is_file():
        pytest.skip("needs B-Human's networks; ANDANTE_POLICIES names their folder")
    robot = SIZES[name][0]
    if robot != "nao":
        pytest.importorskip("rcsssmj", reason="needs the package rcsssmj (make robots)")
    path = folder / f"{name}.yaml"
    data = {"format": "andante.policy", "version": 1, "name": name, "reads": {"format": "bhuman", "file": str(file)}}
    path.write_text(yaml.safe_dump(data | {"physics_step": 0.002}))
    return path


@pytest.mark.parametrize("name", SIZES)
def test_its_contract_follows_from_its_sizes(name: str, tmp_path: Path) -> None:
    robot, inputs, outputs = SIZES[name]
    file = load_policy(contract(name, tmp_path))
    assert (file.contract.robot, file.network.inputs[0][1], file.network.outputs[0][1]) == (robot, inputs, outputs)
    assert check_policy(file, Robot.load(robot).at(0.02)).good


@pytest.mark.slow
@pytest.mark.parametrize("name", ["T1", "K1"])
def test_it_walks_under_the_guard(name: str, tmp_path: Path) -> None:
    document = policy_scenario(str(contract(name, tmp_path)), heading=Heading(0.4), time=5.0)
    document = with_settings(document, ["limits.delay_ticks=0"])
    with session_of(document, build(document)) as session:
        places = []
        while session.time < 6.0:
            session.step()
            places.append(session.backend.truth()["qpos"][:3].copy())
    speed = np.linalg.norm(places[-1][:2] - places[-101][:2]) / (100 * session.controller.period)
    assert 0.25 < speed < 0.45
    assert min(place[2] for place in places) > 0.4
