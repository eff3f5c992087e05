"""Make a policy of the weights that `train.py` wrote: an ONNX network and its contract.

    python to_policy.py t1 --weights t1.npz --table t1.json --out DIR [--name t1-walk] [--lateral 0.12] [--turn 0.6]

`andante policy check DIR/t1-walk.yaml` reads what it writes. Ranges of commands are those of the training, or smaller.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from andante.control.policies.binding import joints_digest
from andante.control.policies.contract import PolicyContract
from andante.control.policies.network import digest_of
from andante.documents.writer import save_document
from andante.robots.robot import Robot


def network(weights: dict[str, np.ndarray], name: str) -> onnx.ModelProto:
    """Layers with ELU between them, as half precision keeps them (sums are of single precision)."""
    layers = sorted({int(key.split(".")[0]) for key in weights if key[0].isdigit()})
    nodes, arrays, last = [], [], "obs"
    for number, layer in enumerate(layers):
        for part in ("weight", "bias"):
            array = weights[f"{layer}.{part}"].astype(np.float16)
            arrays.append(numpy_helper.from_array(array, f"{part}{number}_half"))
            nodes.append(helper.make_node("Cast", [f"{part}{number}_half"], [f"{part}{number}"], to=TensorProto.FLOAT))
        out = "actions" if layer == layers[-1] else f"sum{number}"
        nodes.append(helper.make_node("Gemm", [last, f"weight{number}", f"bias{number}"], [out], transB=1))
        if out != "actions":
            nodes.append(helper.make_node("Elu", [out], [f"layer{number}"]))
            last = f"layer{number}"
    size, actions = weights["0.weight"].shape[1], weights[f"{layers[-1]}.bias"].shape[0]
    graph = helper.make_graph(
        nodes,
        name,
        [helper.make_tensor_value_info("obs", TensorProto.FLOAT, [1, size])],
        [helper.make_tensor_value_info("actions", TensorProto.FLOAT, [1, actions])],
        arrays,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def contract(table: dict, robot: Robot, model: Path, size: int, note: str) -> PolicyContract:
    """What the network was trained with."""

    def numbers(key: str) -> tuple[float, ...]:
        return tuple(float(f"{each:.6g}") for each in table[key])

    def axis(key: str, acceleration: float, slow: float) -> dict[str, object]:
        return {"range": tuple(table[key]), "acceleration": acceleration, "slow": slow}

    tall = table["start"][2]
    return PolicyContract.model_validate(
        {
            "name": model.stem,
            "robot": table["robot"],
            "model": model.name,
            "sha256": digest_of(model),
            "inputs": ({"name": "obs", "size": size},),
            "outputs": ({"name": "actions", "size": len(table["joints"])},),
            "rate": table["rate"],
            "physics_step": table["step"],
            "joints": tuple(table["joints"]),
            "joints_digest": joints_digest(robot, table["joints"]),
            "default_posture": numbers("default"),
            "action": {"kind": "position", "scale": 1.0, "offset": "default", "clip": (-1.0, 1.0)},
            "kp": numbers("policy_kp"),
            "kd": numbers("policy_kd"),
            "torque_limits": numbers("policy_torque"),
            "every_term": {"frame": "base", "offset": 0.0, "scale": 1.0, "clip": "none", "delay": 0.0, "history": 1},
            "observations": (
                {"name": "gravity"},
                {"name": "gyro"},
                {"name": "command"},
                {"name": "gait_phase"},
                {"name": "joint_position", "offset": "default"},
                {"name": "joint_velocity", "scale": 0.1},
                {"name": "last_action", "clip": (-1.0, 1.0)},
            ),
            "commands": {
                "forward": axis("forward", 2.0 * tall, 0.05 * tall),
                "lateral": axis("lateral", 2.0 * tall, 0.05 * tall),
                "turn": axis("turn", 1.0, 0.1),
                "stand_after": 1.0,
            },
            "gait": {"frequency": table["frequency"]},
            "others": {"posture": "stand", "stiffness": 1.0},
            "start": "default",
            "licence": "Apache-2.0",
            "ground_truth": False,
            "note": note,
        }
    )


def main() -> None:
    """Write network and contract."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robot")
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--table", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path())
    parser.add_argument("--name", help="default: the robot's with -walk")
    for each, unit in (("forward", "m/s"), ("lateral", "m/s"), ("turn", "rad/s")):
        parser.add_argument(f"--{each}", type=float, help=f"largest speed that may be asked [{unit}]")
    parser.add_argument("--note", default="Trained in simulation by examples/train-walk; it has moved no robot.")
    options = parser.parse_args()
    table, weights = json.loads(options.table.read_text()), dict(np.load(options.weights))
    for each in ("forward", "lateral", "turn"):
        most = getattr(options, each)
        if most is not None:
            table[each] = [max(table[each][0], -most), min(table[each][1], most)]
    model = options.out / f"{options.name or options.robot + '-walk'}.onnx"
    model.write_bytes(network(weights, model.stem).SerializeToString())
    size = weights["0.weight"].shape[1]
    document = contract(table, Robot.load(options.robot), model, size, options.note)
    save_document(document, model.with_suffix(".yaml"))
    print(f"{model}: {model.stat().st_size} bytes")


if __name__ == "__main__":
    main()
