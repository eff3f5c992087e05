"""Contracts that are begun for what a trainer left: what is read, what is proposed, and that nothing is filled in."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from tiny_policy import LEGS, SIZE, save_network
from trainer_files import isaac_env, legged_gym, rl_sar, unitree_lab
from typer.testing import CliRunner

from andante.cli.app import app
from andante.control.policies.binding import bind
from andante.control.policies.contract import missing_facts
from andante.control.policies.draft import draft
from andante.control.policies.files import load_policy
from andante.robots.robot import Robot


@pytest.fixture(scope="module")
def nao() -> Robot:
    return Robot.load("nao")


def taken(text: str, **others: Any) -> str:
    """The text with all that it proposes, but some facts otherwise."""
    lines = [re.sub(r"^# (\w+): ", r"\1: ", line) for line in text.splitlines()]
    own = tuple(f"{name}:" for name in others)
    return "\n".join([line for line in lines if not line.startswith(own)] + [yaml.safe_dump(others) if others else ""])


FILES = {isaac_env: "env.yaml", unitree_lab: "deploy.yaml", legged_gym: "nao.yaml", rl_sar: "config.yaml"}


@pytest.mark.parametrize("make", FILES)
def test_nothing_is_filled_in_and_what_is_proposed_completes_it(tmp_path: Path, nao: Robot, make: Any) -> None:
    make(tmp_path)
    file = next(tmp_path.rglob(FILES[make]))
    path = tmp_path / "begun" / "walk.yaml"
    path.parent.mkdir()
    network = next(tmp_path.rglob("*.onnx"))
    begun = draft(file, path, network, nao)
    path.write_text(begun.text)
    assert missing_facts(load_policy(path).contract) == list(begun.missing) != []
    path.write_text(taken(begun.text, joints=list(LEGS)) if "joints" in begun.missing else taken(begun.text))
    complete = load_policy(path)
    assert missing_facts(complete.contract) == []
    bind(complete.contract, nao.at(0.01), complete.network)


def test_a_network_alone_tells_its_sizes(tmp_path: Path, nao: Robot) -> None:
    path = tmp_path / "walk.yaml"
    begun = draft(save_network(tmp_path / "tiny.onnx"), path, robot=nao)
    assert begun.reads == ""
    path.write_text(begun.text)
    contract = load_policy(path).contract
    assert [tensor.size for tensor in contract.inputs or ()] == [SIZE]
    seen = [{"name": "joint_position", "joints": list(LEGS[:3])}, *([{"name": "last_action"}] * 3), {"name": "gyro"}]
    path.write_text(taken(begun.text, joints=list(LEGS), observations=json.loads(json.dumps(seen))))
    assert missing_facts(load_policy(path).contract) == []


def test_metadata_of_mjlab_is_read(tmp_path: Path) -> None:
    texts = {"joint_names": ",".join(LEGS), "default_joint_pos": ",".join(["0.0"] * 12)}
    begun = draft(save_network(tmp_path / "tiny.onnx", metadata=texts), tmp_path / "walk.yaml")
    assert begun.reads == "mjlab"
    assert "joints" not in begun.missing


def test_joints_of_isaac_lab_are_proposed_level_by_level(tmp_path: Path, nao: Robot) -> None:
    """Siblings stand by their names, as those of a Go2 and of a G1 with 29 joints do there."""
    isaac_env(tmp_path, joints=None)
    text = draft(tmp_path / "env.yaml", tmp_path / "walk.yaml", None, nao).text
    found = re.search(r"^# joints: \[(.*)\]$", text, re.MULTILINE)
    assert found is not None
    model, paths = nao.model, {}
    for name in nao.joint_names:
        body, path = int(model.joint(name).bodyid[0]), [name]
        while body := int(model.body_parentid[body]):
            path += [model.joint(int(at)).name for at in np.flatnonzero(model.jnt_bodyid == body) if body > 1]
        paths[name] = [each for each in reversed(path) if each in nao.joint_index]
    expected = sorted(nao.joint_names, key=lambda name: (len(paths[name]), paths[name]))
    assert found[1].split(", ") == expected
    assert "the network gives 12 numbers" in text
    assert "# joints: [a, b, c]" in draft(tmp_path / "env.yaml", tmp_path / "walk.yaml").text


def told(*words: str | Path, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["policy", "draft", *map(str, words)])
    assert done.exit_code == code, done.output
    return " ".join(done.output.split())


def test_the_command_finds_the_network_and_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "params").mkdir()
    (tmp_path / "exported").mkdir()
    isaac_env(tmp_path / "params")
    (tmp_path / "params" / "lab.onnx").rename(tmp_path / "exported" / "policy.onnx")
    file, path = tmp_path / "params" / "env.yaml", tmp_path / "walk.yaml"
    assert "to be said: joints" in told(file, "--write", path, "--robot", "nao")
    assert yaml.safe_load(path.read_text())["reads"]["model"] == "exported/policy.onnx"
    assert "the file exists" in told(file, "--write", path, code=2)
    save_network(tmp_path / "exported" / "older.onnx")
    other = tmp_path / "other.yaml"
    assert "several networks are there; got 'older.onnx, policy.onnx'; give --model" in told(
        file, "--write", other, code=2
    ).replace(str(tmp_path), "")
    for each in (tmp_path / "exported").iterdir():
        each.unlink()
    assert "there is no network" in told(file, "--write", other, code=2)
    assert "no reader of policies knows this file" in told(path, "--write", other, code=2)
    assert not other.exists()
