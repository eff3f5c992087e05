"""Tiny policies for tests: networks of one linear layer over all joints of a NAO's legs, and their contracts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import yaml
from onnx import TensorProto, helper, numpy_helper

LEGS = tuple(
    f"{side}{name}"
    for side in "LR"
    for name in ("HipYawPitch", "HipRoll", "HipPitch", "KneePitch", "AnklePitch", "AnkleRoll")
)
SIZE = 3 + 3 + 3 + 12 + 12 + 12
DEFAULT = (0.0, 0.0, -0.367, 0.873, -0.506, 0.0) * 2
KP, KD, TORQUE = (60.0,) * 12, (0.9,) * 12, (3.0,) * 12


def weights(seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.uniform(-0.05, 0.05, (SIZE, 12)).astype(np.float32), random.uniform(-0.05, 0.05, 12).astype(
        np.float32
    )


def save_network(
    path: Path,
    matrix: np.ndarray | None = None,
    bias: np.ndarray | None = None,
    *,
    metadata: dict[str, str] | None = None,
    names: tuple[str, str] = ("obs", "actions"),
    opset: int = 17,
    root: bool = False,
) -> Path:
    """A linear layer as ONNX; ``root`` takes the square root of it, which is no number below zero."""
    made = weights()
    matrix, bias = (made[0] if matrix is None else matrix), (made[1] if bias is None else bias)
    last = "layer" if root else names[1]
    nodes = [helper.make_node("Gemm", [names[0], "w", "b"], [last])]
    if root:
        nodes.append(helper.make_node("Sqrt", [last], [names[1]]))
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(names[0], TensorProto.FLOAT, [1, matrix.shape[0]])],
        [helper.make_tensor_value_info(names[1], TensorProto.FLOAT, [1, matrix.shape[1]])],
        [
            numpy_helper.from_array(matrix.astype(np.float32), "w"),
            numpy_helper.from_array(bias.astype(np.float32), "b"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    for key, value in (metadata or {}).items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    path.write_bytes(model.SerializeToString())
    return path


def contract_of(model: Path, digest: str, **changes: Any) -> dict[str, Any]:
    """A complete contract as plain data; a change to None leaves a fact out."""
    data: dict[str, Any] = {
        "format": "andante.policy",
        "version": 1,
        "name": "tiny",
        "robot": "nao",
        "model": model.name,
        "sha256": digest,
        "inputs": [{"name": "obs", "size": SIZE}],
        "outputs": [{"name": "actions", "size": 12}],
        "rate": 50,
        "physics_step": 0.005,
        "joints": list(LEGS),
        "default_posture": list(DEFAULT),
        "action": {"kind": "position", "scale": 0.25, "offset": "default", "clip": [-2.0, 2.0]},
        "kp": list(KP),
        "kd": list(KD),
        "torque_limits": list(TORQUE),
        "every_term": {"frame": "base", "offset": 0.0, "scale": 1.0, "clip": "none", "delay": 0.0, "history": 1},
        "observations": [
            {"name": "gravity"},
            {"name": "gyro", "scale": 0.25},
            {"name": "command"},
            {"name": "joint_position", "offset": "default"},
            {"name": "joint_velocity", "scale": 0.05},
            {"name": "last_action"},
        ],
        "commands": {"forward": {"range": [-0.2, 0.3]}, "lateral": {"range": [-0.1, 0.1]}, "turn": {"range": [-1, 1]}},
        "others": {"posture": "stand", "stiffness": 1.0},
        "start": "default",
        "licence": "Apache-2.0",
        "ground_truth": False,
    }
    data |= changes
    return {key: value for key, value in data.items() if value is not None}


def save_contract(folder: Path, network: Path | None = None, name: str = "tiny.yaml", **changes: Any) -> Path:
    """Contract and network in a folder."""
    from andante.control.policies.network import digest_of

    network = network or save_network(folder / "tiny.onnx")
    path = folder / name
    path.write_text(yaml.safe_dump(contract_of(network, digest_of(network), **changes), sort_keys=False))
    return path


def read_model(path: Path) -> onnx.ModelProto:
    return onnx.load(path)
