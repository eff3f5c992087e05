"""The contract of a learned policy: what it does not say, or says wrong, is refused by name before anything moves."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
import yaml
from tiny_policy import DEFAULT, LEGS, SIZE, read_model, save_contract, save_network, weights

from andante.control.policies.binding import bind, joints_digest
from andante.control.policies.contract import PolicyError
from andante.control.policies.files import load_policy
from andante.errors import AndanteError
from andante.robots.robot import Robot


@pytest.fixture(scope="module")
def nao() -> Robot:
    return Robot.load("nao").at(0.01)


def bound(path: Path, robot: Robot):
    file = load_policy(path)
    return bind(file.contract, robot, file.network, str(path))


def test_a_complete_contract_binds_to_its_robot(tmp_path: Path, nao: Robot) -> None:
    policy = bound(save_contract(tmp_path), nao)
    assert policy.ticks == 2
    assert policy.observation().size == SIZE
    assert nao.joint_names[policy.joints[3]] == "LKneePitch"
    np.testing.assert_allclose(policy.targets(np.full(12, 9.0)), np.array(DEFAULT) + 0.25 * 2.0)


FACTS = (
    *("robot", "sha256", "inputs", "outputs", "rate", "physics_step", "joints", "default_posture", "kp", "kd"),
    *("torque_limits", "observations", "commands", "start", "licence", "ground_truth"),
)


@pytest.mark.parametrize("fact", FACTS)
def test_each_missing_fact_is_refused_by_its_name(tmp_path: Path, nao: Robot, fact: str) -> None:
    with pytest.raises(PolicyError, match=rf"does not say {fact}\b"):
        bound(save_contract(tmp_path, **{fact: None}), nao)


@pytest.mark.parametrize("fact", ["kind", "scale", "offset", "clip"])
def test_each_missing_fact_of_the_action_is_refused(tmp_path: Path, nao: Robot, fact: str) -> None:
    action = {"kind": "position", "scale": 0.25, "offset": "default", "clip": "none"}
    action.pop(fact)
    with pytest.raises(PolicyError, match=rf"does not say action\.{fact}\b"):
        bound(save_contract(tmp_path, action=action), nao)


@pytest.mark.parametrize("fact", ["offset", "scale", "clip", "delay", "history", "frame"])
def test_each_missing_fact_of_a_term_is_refused(tmp_path: Path, nao: Robot, fact: str) -> None:
    every = {"frame": "base", "offset": 0.0, "scale": 1.0, "clip": "none", "delay": 0.0, "history": 1}
    every.pop(fact)
    with pytest.raises(PolicyError, match=rf"does not say observations\[0\]\.{fact}\b"):
        bound(save_contract(tmp_path, every_term=every), nao)


def test_several_observations_without_their_order_are_refused(tmp_path: Path, nao: Robot) -> None:
    terms = [{"name": "gravity", "history": 3}]
    with pytest.raises(PolicyError, match=r"does not say observations\[0\]\.order"):
        bound(save_contract(tmp_path, observations=terms, commands=None), nao)


@pytest.mark.parametrize(
    ("changes", "what", "place"),
    [
        ({"robot": "t1"}, "trained for another robot", "robot"),
        ({"joints": [*LEGS[:-1], "LeftKnee"]}, "has no such joint", r"joints\[11\]"),
        ({"joints": [*LEGS[:-1], LEGS[0]]}, "stands twice", "joints"),
        ({"joints": list(LEGS[:-1])}, "another number of actions", "joints"),
        ({"default_posture": list(DEFAULT[:-1])}, "another length than there are joints", "default_posture"),
        ({"kp": [1.0] * 13}, "another length", "kp"),
        (
            {"default_posture": [*DEFAULT[:2], DEFAULT[3], DEFAULT[2], *DEFAULT[4:]]},
            "outside the robot's limits",
            "LHipPitch",
        ),
        ({"inputs": [{"name": "observation", "size": SIZE}]}, "other inputs than the contract", "inputs"),
        ({"outputs": [{"name": "actions", "size": 11}]}, "other outputs", "outputs"),
        ({"ground_truth": True}, "ground truth", "ground_truth"),
        ({"others": None}, "does not say how 14 other joints are held", "others"),
        ({"joints_digest": "0" * 64}, "other names, limits or order", "joints_digest"),
        ({"rate": 60}, "no whole number of the robot's motion cycles", "rate"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(tmp_path: Path, nao: Robot, changes: dict, what: str, place: str) -> None:
    with pytest.raises(PolicyError, match=what) as refused:
        bound(save_contract(tmp_path, **changes), nao)
    assert re.search(place, refused.value.place)


def test_terms_of_another_size_than_the_input_are_listed(tmp_path: Path, nao: Robot) -> None:
    terms = [{"name": "gravity"}, {"name": "joint_position", "offset": "default"}, {"name": "last_action"}]
    with pytest.raises(PolicyError, match="gravity 3, joint_position 12, last_action 12") as refused:
        bound(save_contract(tmp_path, observations=terms), nao)
    assert refused.value.limit == str(SIZE)


@pytest.mark.parametrize(
    ("term", "why"),
    [("base_position", "ground truth"), ("height_scan", "a map of the ground"), ("base_height", "ground truth")],
)
def test_what_no_robot_measures_is_refused_with_the_reason(tmp_path: Path, nao: Robot, term: str, why: str) -> None:
    with pytest.raises(PolicyError, match=why) as refused:
        bound(save_contract(tmp_path, observations=[{"name": "gravity"}, {"name": term}], commands=None), nao)
    assert refused.value.place == f"{tmp_path / 'tiny.yaml'}.observations[1]"


@pytest.mark.parametrize(
    ("name", "meant"),
    [("joint_positions", "joint_position"), ("base_ang_vel", "gyro"), ("base_lin_vel", "base_velocity")],
)
def test_an_unknown_term_is_refused_with_the_nearest_name(tmp_path: Path, nao: Robot, name: str, meant: str) -> None:
    """Names of Isaac Lab mean a term here; of others the most similar name is told."""
    with pytest.raises(PolicyError, match=rf"observations\[0\]: .*did you mean '{meant}'"):
        bound(save_contract(tmp_path, observations=[{"name": name}], commands=None), nao)


def test_another_network_than_the_contract_says_is_refused(tmp_path: Path) -> None:
    path = save_contract(tmp_path)
    save_network(tmp_path / "tiny.onnx", *weights(2))
    with pytest.raises(PolicyError, match="another one than the contract says") as refused:
        load_policy(path)
    assert "sha256" in refused.value.place


def test_a_torn_network_is_refused(tmp_path: Path) -> None:
    network = save_network(tmp_path / "tiny.onnx")
    network.write_bytes(network.read_bytes()[:-200])
    with pytest.raises(PolicyError, match="no ONNX network, or its file is torn"):
        load_policy(save_contract(tmp_path, network))


def test_a_network_without_numbers_is_refused_before_anything_moves(tmp_path: Path, nao: Robot) -> None:
    matrix, bias = weights()
    bias[4] = np.nan
    network = save_network(tmp_path / "tiny.onnx", matrix, bias)
    with pytest.raises(PolicyError, match="gives no numbers, even for zeros"):
        bound(save_contract(tmp_path, network), nao)


def test_operators_of_the_future_are_refused(tmp_path: Path) -> None:
    network = save_network(tmp_path / "tiny.onnx", opset=200)
    with pytest.raises(PolicyError, match="operators that this onnxruntime does not know"):
        load_policy(save_contract(tmp_path, network))


def test_a_network_that_is_not_there_is_refused(tmp_path: Path) -> None:
    path = save_contract(tmp_path)
    (tmp_path / "tiny.onnx").unlink()
    with pytest.raises(AndanteError, match=r"tiny\.onnx"):
        load_policy(path)


def test_without_onnxruntime_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save_contract(tmp_path)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(PolicyError, match=r"pip install 'andante\[policy\]'"):
        load_policy(path)


def test_a_posture_may_be_in_degrees(tmp_path: Path, nao: Robot) -> None:
    degrees = np.degrees(DEFAULT).tolist()
    path = save_contract(tmp_path, default_posture=degrees, units={"angle": "deg"})
    np.testing.assert_allclose(bound(path, nao).default, DEFAULT)


def test_a_mistyped_field_is_refused_with_the_nearest(tmp_path: Path) -> None:
    path = save_contract(tmp_path)
    path.write_text(path.read_text().replace("torque_limits", "torque_limit"))
    with pytest.raises(AndanteError, match="torque_limits"):
        load_policy(path)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"kp": -1.0}, "kp"),
        ({"kd": [*([0.9] * 11), -0.1]}, "kd"),
        ({"rate": 0}, "rate"),
        ({"action": {"kind": "position", "scale": 1.0, "offset": 0.0, "clip": [1.0, -1.0]}}, "lowest stands first"),
        ({"commands": {"forward": {"range": [0.3, -0.2]}}}, "lowest stands first"),
        ({"action": {"kind": "velocity", "scale": 1.0, "offset": 0.0, "clip": "none"}}, "kind"),
        ({"observations": []}, "observations"),
        ({"sha256": "ABC"}, "sha256"),
        ({"observations": [{"name": "gravity", "history": 0}]}, "history"),
    ],
)
def test_values_that_make_no_sense_are_refused(tmp_path: Path, changes: dict, what: str) -> None:
    with pytest.raises(AndanteError, match=what):
        load_policy(save_contract(tmp_path, **changes))


def test_other_files_than_networks_are_refused(tmp_path: Path) -> None:
    network = tmp_path / "tiny.onnx"
    for content in (b"", b"not a network", bytes(1000)):
        network.write_bytes(content)
        with pytest.raises(PolicyError, match=r"no ONNX network|no vector|several inputs|no input"):
            load_policy(save_contract(tmp_path, network))
    network.unlink()
    path = save_contract(tmp_path)
    network.unlink()
    network.mkdir()
    with pytest.raises(AndanteError, match=r"tiny\.onnx"):
        load_policy(path)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"PK\x03\x04archive/data.pkl" + bytes(99), "TorchScript module or a checkpoint of PyTorch.*torch.onnx.export"),
        (b"\x1c\x00\x00\x00TFL3" + bytes(99), "TensorFlow Lite"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "pointer of Git LFS.*git lfs pull"),
        ((40).to_bytes(8, "little") + b'{"a": 1}' + bytes(99), "safetensors"),
    ],
)
def test_networks_of_other_kinds_are_refused_by_name(tmp_path: Path, content: bytes, what: str) -> None:
    (tmp_path / "tiny.onnx").write_bytes(content)
    with pytest.raises(PolicyError, match=what):
        load_policy(save_contract(tmp_path, tmp_path / "tiny.onnx"))
    (tmp_path / "walk.pt").write_bytes(content)
    with pytest.raises(PolicyError, match="a network and not its contract"):
        load_policy(tmp_path / "walk.pt")


@pytest.mark.parametrize(
    ("rate", "tick", "ticks"), [(83.333, 0.012, 1), (83.3, 0.012, 1), (333.0, 0.003, 1), (33.3, 0.01, 3)]
)
def test_a_rate_may_be_rounded(tmp_path: Path, rate: float, tick: float, ticks: int) -> None:
    assert bound(save_contract(tmp_path, rate=rate), Robot.load("nao").at(tick)).ticks == ticks


def test_a_rate_that_does_not_fit_tells_which_cycle_would(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"got '0\.01 s'.*by --tick.*as 0\.01"):
        bound(save_contract(tmp_path, rate=100), Robot.load("nao"))


def test_an_input_that_nobody_told_is_refused(tmp_path: Path, nao: Robot) -> None:
    model = read_model(save_network(tmp_path / "tiny.onnx"))
    model.graph.input.append(onnx.helper.make_tensor_value_info("memory", onnx.TensorProto.FLOAT, [1, 4]))
    (tmp_path / "tiny.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(PolicyError, match=r"other inputs than the contract says.*memory \(4\)"):
        bound(save_contract(tmp_path, tmp_path / "tiny.onnx"), nao)


def test_a_network_of_other_numbers_is_refused(tmp_path: Path) -> None:
    for kind, shape in ((onnx.TensorProto.FLOAT, [1, "n"]), (onnx.TensorProto.INT64, [1, SIZE])):
        graph = onnx.helper.make_graph(
            [onnx.helper.make_node("Identity", ["obs"], ["actions"])],
            "other",
            [onnx.helper.make_tensor_value_info("obs", kind, shape)],
            [onnx.helper.make_tensor_value_info("actions", kind, shape)],
        )
        made = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
        (tmp_path / "tiny.onnx").write_bytes(made.SerializeToString())
        with pytest.raises(PolicyError, match="no row of floating-point numbers of a known size"):
            load_policy(save_contract(tmp_path, tmp_path / "tiny.onnx"))


def test_not_a_number_in_a_contract_is_refused(tmp_path: Path) -> None:
    path = save_contract(tmp_path)
    data = yaml.safe_load(path.read_text())
    data["kp"][2] = float("nan")
    path.write_text(yaml.safe_dump(data))
    with pytest.raises(AndanteError, match=r"kp.*finite"):
        load_policy(path)


def test_the_digest_of_the_joints_tells_another_order(tmp_path: Path, nao: Robot) -> None:
    digest = joints_digest(nao, LEGS)
    assert bound(save_contract(tmp_path, joints_digest=digest), nao).contract.joints_digest == digest
    # Left and right exchanged: every size and every limit fits, and the robot would fall.
    swapped = [*LEGS[6:], *LEGS[:6]]
    with pytest.raises(PolicyError, match="other names, limits or order"):
        bound(save_contract(tmp_path, joints=swapped, joints_digest=digest), nao)
