"""Joints, their order and bounds of targets in Isaac Lab's env.yaml, as trainings for real robots write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from tiny_policy import LEGS, save_contract
from trainer_files import isaac_env

from andante.control.policies.binding import bind
from andante.control.policies.contract import PolicyError, missing_facts
from andante.control.policies.controller import PolicyController
from andante.control.policies.files import load_policy
from andante.control.steering import SteeringScript
from andante.robots.robot import Robot

OWN = LEGS[6:] + LEGS[:6]
"""An order of the policy's own, right leg first, as the maker of a robot counts."""


@pytest.fixture(scope="module")
def nao() -> Robot:
    return Robot.load("nao").at(0.01)


def changed(path: Path, action: Any = None, seen: Any = None) -> None:
    data = yaml.safe_load(path.read_text().partition("viewer:")[0])
    data["actions"]["joint_pos"].update(action or {})
    for name in ("joint_pos_rel", "joint_vel_rel"):
        if seen is not None:
            data["observations"]["policy"][name]["params"] = {"asset_cfg": {"name": "robot", **seen}}
    path.write_text(yaml.safe_dump(data, sort_keys=False))


def test_joints_that_keep_their_order_are_in_the_file(tmp_path: Path, nao: Robot) -> None:
    path = isaac_env(tmp_path, joints=None)
    assert "joints" in missing_facts(load_policy(path).contract)
    listed = {"joint_names": list(OWN), "preserve_order": True}
    changed(tmp_path / "env.yaml", listed, listed)
    file = load_policy(path)
    assert file.contract.joints == OWN
    assert missing_facts(file.contract) == []
    assert [term.joints for term in file.contract.observations or ()] == [None] * 6
    assert bind(file.contract, nao, file.network).joints.tolist() == [nao.index(name) for name in OWN]
    # The document's other order fitted every size, and moved the wrong joints.
    with pytest.raises(PolicyError, match="the document says otherwise than its isaac-env file"):
        load_policy(isaac_env_beside(tmp_path))


def isaac_env_beside(folder: Path) -> Path:
    path = folder / "from_env.yaml"
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | {"joints": list(LEGS)}))
    return path


@pytest.mark.parametrize(
    ("action", "seen"),
    [
        # A list whose order is not kept counts in the simulation's order.
        ({}, {"joint_names": list(OWN), "preserve_order": False}),
        ({}, {"joint_names": list(OWN)}),
        ({}, {"joint_names": [".*Hip.*", ".*Knee.*"]}),
        # Actions in an order of their own, and angles in the simulation's.
        ({"joint_names": list(OWN), "preserve_order": True}, None),
        ({"joint_names": ["R.*", "L.*"], "preserve_order": True}, None),
    ],
)
def test_joints_in_the_simulation_s_order_are_not_taken_for_another(tmp_path: Path, action: Any, seen: Any) -> None:
    path = isaac_env(tmp_path, joints=None)
    changed(tmp_path / "env.yaml", action, seen)
    with pytest.raises(PolicyError, match=r"in the simulation's order, which the file does not say.*joints of this"):
        load_policy(path)


@pytest.mark.parametrize("kept", [True, False])
def test_the_same_patterns_select_the_same_joints(tmp_path: Path, nao: Robot, kept: bool) -> None:
    path = isaac_env(tmp_path)
    legs = {"joint_names": [".*Hip.*", ".*(Knee|Ankle).*"], "preserve_order": kept}
    changed(tmp_path / "env.yaml", legs, legs)
    file = load_policy(path)
    assert [term.joints for term in file.contract.observations or ()] == [None] * 6
    bind(file.contract, nao, file.network)


def test_bounds_of_targets_by_patterns_are_a_range(tmp_path: Path, nao: Robot) -> None:
    path = isaac_env(tmp_path)
    changed(tmp_path / "env.yaml", {"clip": {".*Knee.*": [0.8, 0.9], ".*Hip.*": [-100.0, 100.0]}})
    file = load_policy(path)
    assert missing_facts(file.contract) == []
    action = file.contract.action
    assert action.clip == "none"
    assert action.range == tuple(
        (0.8, 0.9) if "Knee" in name else (-100.0, 100.0) if "Hip" in name else (-1e6, 1e6) for name in LEGS
    )
    bound = bind(file.contract, nao, file.network)
    np.testing.assert_array_equal(bound.high[[0, 3, 5]], [100.0, 0.9, 1e6])
    changed(tmp_path / "env.yaml", {"clip": [-1.0, 1.0]})
    with pytest.raises(PolicyError, match="a table of bounds by patterns is needed; got"):
        load_policy(path)


def test_target_angles_stay_within_their_range(tmp_path: Path, nao: Robot) -> None:
    """The network sees its last action as it was; what is sent is cut."""
    ranges = {".*HipRoll": [0.01, 0.02], "(?!.*HipRoll).*": [-3.0, 3.0]}
    action = {"kind": "position", "scale": 0.25, "offset": "default", "clip": "none", "range": ranges}
    file = load_policy(save_contract(tmp_path, action=action))
    controller = PolicyController(bind(file.contract, nao, file.network), SteeringScript(()))
    free = load_policy(save_contract(tmp_path, name="free.yaml"))
    other = PolicyController(bind(free.contract, nao, free.network), SteeringScript(()))
    sensors = nao.sensors()
    sensors.orientation[0] = 1.0
    asked, uncut = controller.step(sensors), other.step(sensors)
    at = [nao.index(name) for name in LEGS]
    assert 0.01 <= asked.position[nao.index("LHipRoll")] <= 0.02
    rest = [i for i, name in zip(at, LEGS, strict=True) if "HipRoll" not in name]
    np.testing.assert_allclose(asked.position[rest], uncut.position[rest])
    np.testing.assert_allclose(controller.telemetry["action"], other.telemetry["action"])
    limits = {"kind": "position", "scale": 0.25, "offset": "default", "clip": "none", "range": "limits"}
    held = load_policy(save_contract(tmp_path, name="held.yaml", action=limits))
    np.testing.assert_array_equal(bind(held.contract, nao, held.network).low, nao.lower[at])


def test_all_that_is_missing_is_told_before_a_run(tmp_path: Path, nao: Robot) -> None:
    from andante.runs.policies.check import start_posture

    file = load_policy(save_contract(tmp_path, start=None, kp=None, licence=None))
    with pytest.raises(PolicyError, match="does not say kp, start, licence"):
        start_posture(file, nao)
