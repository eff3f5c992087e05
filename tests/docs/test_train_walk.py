"""The example that trains a walk: what it writes for the graphics card, and what it makes of weights."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np

from andante.control.policies.contract import missing_facts
from andante.control.policies.files import load_policy
from andante.robots.robot import Robot
from andante.runs.policies.check import check_policy

FOLDER = Path(__file__).parents[2] / "examples" / "train-walk"


def run(script: str, *arguments: str) -> None:
    """Run one of its scripts."""
    subprocess.run([sys.executable, str(FOLDER / script), *arguments], check=True, capture_output=True)


def test_weights_become_a_policy_of_the_robot_that_was_exported(tmp_path: Path) -> None:
    run("export.py", "nao", "--out", str(tmp_path / "nao"))
    table = json.loads((tmp_path / "nao.json").read_text())
    model = mujoco.MjModel.from_binary_path(str(tmp_path / "nao.mjb"))
    robot = Robot.load("nao")
    assert model.nu == len(robot.leaders) - len(robot.followers)
    assert float(model.body_mass.sum()) == float(robot.model.body_mass.sum())
    data = mujoco.MjData(model)
    data.qpos[:] = table["start"]
    mujoco.mj_forward(model, data)
    # It begins with its soles two millimetres above the floor.
    assert data.ncon == 0
    assert table["mirror_sign"] == [1, -1, 1, 1, 1, -1] * 2
    assert [table["joints"][i] for i in table["mirror_index"]] == table["joints"][6:] + table["joints"][:6]
    random, size = np.random.default_rng(3), 11 + 3 * 12
    shapes = ((256, size), (128, 256), (12, 128))
    weights = {f"{2 * i}.weight": 0.1 * random.normal(size=shape) for i, shape in enumerate(shapes)}
    weights |= {f"{2 * i}.bias": 0.1 * random.normal(size=shape[0]) for i, shape in enumerate(shapes)}
    np.savez(tmp_path / "nao.npz", **weights)
    options = ("--weights", str(tmp_path / "nao.npz"), "--table", str(tmp_path / "nao.json"), "--turn", "0.6")
    run("to_policy.py", "nao", *options, "--out", str(tmp_path))
    file = load_policy(tmp_path / "nao-walk.yaml")
    assert missing_facts(file.contract) == []
    assert check_policy(file, robot).good
    assert file.contract.commands.turn.range == (-0.6, 0.6)
    seen = layer = random.normal(size=size)
    for i in range(3):
        layer = weights[f"{2 * i}.weight"] @ layer + weights[f"{2 * i}.bias"]
        layer = np.where(layer > 0.0, layer, np.expm1(layer)) if i < 2 else layer
    np.testing.assert_allclose(file.network(seen), layer, atol=2e-2)
