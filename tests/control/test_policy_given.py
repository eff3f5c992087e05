"""What people give in place of a contract or of an ONNX network: each is told for what it is, with the way in."""

from __future__ import annotations

import io
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tiny_policy import SIZE, save_contract, save_network, weights
from trainer_files import isaac_env, legged_gym, rl_sar, unitree_lab

from andante.control.policies.contract import PolicyError
from andante.control.policies.files import load_policy
from andante.control.policies.network import PolicyNetwork
from andante.errors import AndanteError


def archive(*names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        for name in names:
            made.writestr(name, b"\x80\x02.")
    return stream.getvalue()


KINDS: dict[str, tuple[bytes, str]] = {
    "ppo.zip": (archive("data", "policy.pth", "pytorch_variables.pth"), "a model of Stable-Baselines3"),
    "model_1500.ckpt": (archive("archive/data.pkl", "archive/version"), "a checkpoint of PyTorch, weights without"),
    "policy.jit.zip": (archive("policy/data.pkl", "policy/code/__torch__.py"), "a TorchScript module"),
    "weights.npz": (archive("w.npy", "b.npy"), r"arrays of numpy \(NPZ\)"),
    "walk.keras": (archive("config.json", "model.weights.h5"), "a model of Keras"),
    "old.pkl": (pickle.dumps({"a": 1}, 2), "a checkpoint of PyTorch, or another pickle"),
    **{f"p{p}.pkl": (pickle.dumps({"a": 1}, p), "a pickle") for p in (3, 4, 5)},
    "params.msgpack": (b"\x82\xa6params\x81\xa7Dense_0\xc0\xa1b\xc0", r"weights alone \(MessagePack\)"),
    "walk.plan": (b"ftrt" + bytes(99), "an engine of TensorRT"),
    "walk.onnx.gz": (b"\x1f\x8b\x08" + bytes(99), "packed by gzip"),
}


@pytest.mark.parametrize("name", KINDS)
def test_a_file_of_another_kind_is_told_wherever_it_is_given(tmp_path: Path, name: str) -> None:
    """Given alone it was asked whether it is really a text document; most pickles were called torn networks."""
    content, what = KINDS[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(PolicyError, match=rf"this is {what}.*, and no contract of a policy.*then write a document"):
        load_policy(tmp_path / name)
    with pytest.raises(PolicyError, match=rf"this is {what}.*, and no ONNX network"):
        load_policy(save_contract(tmp_path, tmp_path / name))


@pytest.mark.parametrize(
    ("file", "what"),
    [
        ("saved_model.pb", "a SavedModel of TensorFlow"),
        ("000012345/_METADATA", "a checkpoint of Orbax"),
        ("notes.txt", "a folder"),
    ],
)
def test_a_folder_is_told_by_what_is_in_it(tmp_path: Path, file: str, what: str) -> None:
    made = tmp_path / "walk" / file
    made.parent.mkdir(parents=True)
    made.write_bytes(b"x")
    with pytest.raises(PolicyError, match=f"this is {what}, and no contract of a policy.*docs/policies.md"):
        load_policy(tmp_path / "walk")


@pytest.mark.parametrize(
    ("make", "file", "name"),
    [
        (isaac_env, "env.yaml", "isaac-env"),
        (unitree_lab, "deploy.yaml", "unitree-lab"),
        (legged_gym, "nao.yaml", "legged-gym"),
        (rl_sar, "mine/config.yaml", "rl-sar"),
    ],
)
def test_a_trainer_s_file_given_for_the_contract_says_how_it_is_read(
    tmp_path: Path, make: Any, file: str, name: str
) -> None:
    """Isaac Lab's own file was refused for its anchors, others for thirty fields that no contract has."""
    make(tmp_path)
    with pytest.raises(PolicyError, match=f"not the policy's contract.*format: {name}, file: {Path(file).name}"):
        load_policy(tmp_path / file)


def test_a_contract_with_a_mistake_is_told_its_mistake(tmp_path: Path) -> None:
    path = save_contract(tmp_path, kps=3)
    with pytest.raises(AndanteError, match="no such field; got 'kps'"):
        load_policy(path)


def save(path: Path, nodes: list[Any], outputs: dict[str, tuple[int, list[int]]], **arrays: Any) -> Path:
    inputs = [] if not any("obs" in node.input for node in nodes) else ["obs"]
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, SIZE]) for name in inputs],
        [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in outputs.items()],
        [numpy_helper.from_array(np.asarray(values), name) for name, values in arrays.items()],
    )
    domains = [helper.make_opsetid("", 17), helper.make_opsetid("com.acme", 1)]
    path.write_bytes(helper.make_model(graph, opset_imports=domains, ir_version=8).SerializeToString())
    return path


ACTIONS = {"actions": (TensorProto.FLOAT, [1, 12])}


def test_flags_and_counters_beside_the_action_are_let_be(tmp_path: Path) -> None:
    """An output that nobody needs refused the network for its kind of numbers."""
    matrix, bias = weights()
    nodes = [
        helper.make_node("Gemm", ["obs", "w", "b"], ["actions"]),
        helper.make_node("Cast", ["actions"], ["done"], to=TensorProto.BOOL),
    ]
    outputs = {"done": (TensorProto.BOOL, [1, 12]), **ACTIONS}
    network = PolicyNetwork(save(tmp_path / "flag.onnx", nodes, outputs, w=matrix, b=bias))
    assert network.outputs == (("actions", 12),)
    assert network(np.zeros(SIZE)).shape == (12,)


def test_a_network_that_sees_nothing_is_refused(tmp_path: Path) -> None:
    """What is not used is cut away by exporters; it ended in a traceback."""
    nodes = [helper.make_node("Identity", ["b"], ["actions"])]
    network = save(tmp_path / "blind.onnx", nodes, ACTIONS, b=np.zeros((1, 12), np.float32))
    with pytest.raises(PolicyError, match="has no input, so that it sees nothing"):
        PolicyNetwork(network)


def test_an_operator_of_somebody_s_own_is_told_as_that(tmp_path: Path) -> None:
    nodes = [helper.make_node("Sway", ["obs"], ["actions"], domain="com.acme")]
    with pytest.raises(PolicyError, match=r"operators that this onnxruntime does not know.*Sway"):
        PolicyNetwork(save(tmp_path / "own.onnx", nodes, ACTIONS))


def test_a_network_that_is_whole_and_wrong_is_not_called_torn(tmp_path: Path) -> None:
    nodes = [helper.make_node("Gemm", ["obs", "w", "b"], ["actions"])]
    with pytest.raises(PolicyError, match=r"the network is invalid: its exporter made it wrong.*'w'"):
        PolicyNetwork(save(tmp_path / "wrong.onnx", nodes, ACTIONS))


def test_an_input_of_whole_numbers_says_what_to_export(tmp_path: Path) -> None:
    made = save_network(tmp_path / "whole.onnx")
    model = onnx.load(made)
    model.graph.input[0].type.tensor_type.elem_type = TensorProto.INT64
    model.graph.node.insert(0, helper.make_node("Cast", ["obs"], ["x"], to=TensorProto.FLOAT))
    model.graph.node[1].input[0] = "x"
    made.write_bytes(model.SerializeToString())
    with pytest.raises(PolicyError, match=r"int64.*32-bit floating-point numbers there, or as a constant"):
        PolicyNetwork(made)
