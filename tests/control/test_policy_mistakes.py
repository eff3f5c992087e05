"""Contracts with a mistake that fits every size: each is refused or told with its place, and none is taken silently."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from tiny_policy import read_model, save_contract, save_network

from andante.control.policies.asked import AskedSpeeds
from andante.control.policies.binding import bind
from andante.control.policies.contract import AxisCommand, PolicyCommands, PolicyError
from andante.control.policies.files import load_policy
from andante.control.policies.network import PolicyNetwork
from andante.control.steering import Heading
from andante.errors import AndanteError
from andante.robots.robot import Robot
from andante.runs.policies.check import check_policy

TERMS = [
    {"name": "gravity"},
    {"name": "gyro"},
    {"name": "command"},
    {"name": "joint_position", "offset": "default"},
    {"name": "joint_velocity"},
    {"name": "last_action"},
]
OTHERS = {"posture": "stand", "stiffness": 1.0}
ACTION = {"kind": "position", "scale": 0.25, "offset": "default", "clip": [-1, 1]}


@pytest.fixture(scope="module")
def nao() -> Robot:
    return Robot.load("nao").at(0.02)


def bound(path: Path, robot: Robot) -> Any:
    file = load_policy(path)
    return bind(file.contract, robot, file.network, str(path))


def terms(at: int, **facts: Any) -> list[dict[str, Any]]:
    """Terms that see what the network sees, one of them with other facts."""
    return [term | facts if number == at else term for number, term in enumerate(TERMS)]


@pytest.mark.parametrize(
    ("changes", "place", "what"),
    [
        ({"observations": terms(3, joints=[])}, r"observations\[3\]\.joints", "too few entries"),
        ({"observations": terms(0, scale=[1, 1])}, r"observations\[0\]\.scale", "length than the term has values"),
        ({"observations": terms(3, offset=[0.0])}, r"observations\[3\]\.offset", "length than the term has values"),
        ({"observations": terms(0, name="grav")}, r"observations\[0\]", "did you mean 'gravity'"),
        ({"observations": terms(0, delay=0.005)}, r"observations\[0\]\.delay", "no whole number"),
        ({"rate": 0.02}, "rate", "limit: at least 1"),
        ({"rate": 1e9}, "rate", "called more often than the robot moves; .*limit: 50 1/s"),
        ({"others": OTHERS | {"posture": "sitt"}}, r"others\.posture", "did you mean 'sit'"),
        ({"others": OTHERS | {"angles": {"HeadYa": 0.0}}}, r"others\.angles", "did you mean 'HeadYaw'"),
        ({"others": OTHERS | {"angles": {"LKneePitch": 0.1}}}, r"others\.angles", "drives this joint itself"),
    ],
)
def test_a_mistake_is_refused_with_its_file_and_place(
    tmp_path: Path, nao: Robot, changes: dict[str, Any], place: str, what: str
) -> None:
    with pytest.raises(AndanteError, match=rf"tiny\.yaml\S* ?{place}.*{what}"):
        bound(save_contract(tmp_path, **changes), nao)


def test_a_time_of_standing_is_not_below_zero(tmp_path: Path) -> None:
    still = {name: {"range": [0, 0]} for name in ("forward", "lateral", "turn")}
    with pytest.raises(AndanteError, match=r"commands\.stand_after is not legal; got -1; limit: at least 0"):
        load_policy(save_contract(tmp_path, commands=still | {"stand_after": -1}))


def test_a_start_that_the_robot_lacks_is_refused_with_its_place(tmp_path: Path, nao: Robot) -> None:
    file = load_policy(save_contract(tmp_path, start="nowhere"))
    with pytest.raises(PolicyError, match=r"tiny\.yaml: start: .*legal: default, zero, stand"):
        check_policy(file, nao)


@pytest.mark.parametrize(
    ("action", "fact", "severity"),
    [
        (ACTION | {"scale": 0.0}, "action.scale", "error"),
        (ACTION | {"scale": [0.0, *[0.25] * 11]}, "action.scale", "warning"),
        (ACTION | {"clip": [0, 0]}, "action.clip", "error"),
        (ACTION | {"kind": "torque", "offset": 0.0}, "torque_limits", "error"),
    ],
)
def test_joints_that_no_number_moves_are_told(
    tmp_path: Path, nao: Robot, action: dict[str, Any], fact: str, severity: str
) -> None:
    found = check_policy(load_policy(save_contract(tmp_path, action=action, torque_limits=0.0)), nao)
    told = [finding for finding in found.findings if finding.rule == "no-effect"]
    assert [(finding.place.split(": ")[1], finding.severity) for finding in told] == [(fact, severity)]
    assert "LHipYawPitch" in told[0].message
    assert found.good is (severity == "warning")


def test_a_policy_that_only_walks_forward_may_be_steered_forward() -> None:
    """Humanoids of Isaac Lab are trained for 0 to 1 m/s: live steering let them go at 0 m/s at most."""
    forward = AxisCommand(range=(0.0, 1.0))
    asked = AskedSpeeds(PolicyCommands(forward=forward, lateral=forward, turn=AxisCommand(range=(-2.0, 1.0))), 0.02)
    assert asked.largest == Heading(1.0, 1.0, 2.0)
    asked.update(Heading(forward=-1.0, turn=1.5))
    np.testing.assert_array_equal(asked.told, [0.0, 0.0, 1.0])


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"ir_version": 99}, "a newer version of ONNX .*IR version: 99, max supported IR version: .*newer onnxruntime"),
        ({"opset": 60}, "operators that this onnxruntime does not know: ONNX Runtime only .*Opset 60"),
        ({"size": 4}, "the network is invalid: .*Dimension mismatch"),
    ],
)
def test_why_a_network_is_not_read_is_told_in_words(tmp_path: Path, change: dict[str, int], what: str) -> None:
    """What onnxruntime says begins with a long place in its own code, and the reason was cut off behind it."""
    path = save_network(tmp_path / "tiny.onnx")
    model = read_model(path)
    model.ir_version = change.get("ir_version", model.ir_version)
    model.opset_import[0].version = change.get("opset", 17)
    if "size" in change:
        del model.graph.input[:]
        model.graph.input.append(helper.make_tensor_value_info("obs", TensorProto.FLOAT, [1, change["size"]]))
    onnx.save(model, path)
    with pytest.raises(PolicyError, match=what) as refused:
        PolicyNetwork(path)
    assert "onnxruntime_src" not in str(refused.value)
