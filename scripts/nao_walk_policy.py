"""Make the small walk of a NAO that Andante ships as a learned policy: a network fitted to a walk of sines.

    python scripts/nao_walk_policy.py [--out src/andante/runs/policies/shipped]

The teacher is written down here: feet that swing by sines, closed-form inverse kinematics, and ankles and hips that
answer to lean and gyro. Its numbers were set by hand and tried in simulation; nothing was trained on rewards. The
network has one hidden layer of random features, fitted by least squares to the teacher's joint angles, and the
teacher's feedback, which is linear, beside it. It needs the package onnx.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from andante.control.policies.binding import joints_digest
from andante.control.policies.contract import PolicyContract
from andante.control.policies.network import digest_of
from andante.documents.writer import save_document
from andante.kinematics.forward import Kinematics
from andante.kinematics.leg import biped_legs
from andante.kinematics.nao_leg import solve_leg_at
from andante.robots.robot import Robot

FREQUENCY = 2.0
"""Cycles of two steps per second [1/s]."""
LIFT, DOUBLE, SWAY = 0.02, 0.15, 0.006
"""Height of a swinging foot [m], share of its sine that stays on the ground, sideways sway of the trunk [m]."""
ANKLE_PITCH, ANKLE_ROLL, HIP_PITCH = (0.2, 0.03), (0.1, 0.03), (-0.2, -0.02)
"""Answer of joints to the lean [rad/rad] and to the gyro [rad/(rad/s)]."""
FORWARD, LATERAL = (-0.1, 0.15), (-0.05, 0.05)
"""Speeds that the network is fitted for [m/s]."""
SIZE, HIDDEN, SAMPLES, SEED = 11, 160, 12_000, 33
"""Numbers that the network sees, its hidden units, samples of the fit, seed of both."""
COMMAND, PHASE = slice(6, 9), slice(9, 11)


class Teacher:
    """The walk of sines.

    Args:
        robot: A NAO.
    """

    def __init__(self, robot: Robot) -> None:
        self.legs = biped_legs(robot)
        self.joints = [name for leg in self.legs for name in leg.joints]
        self.stand = robot.posture("stand")[[robot.index(name) for name in self.joints]]
        kinematics = Kinematics(robot)
        kinematics.update(robot.posture("stand"))
        place, turn = kinematics.pose(robot.base_body)
        self.feet = [turn.T @ (kinematics.pose(foot.site)[0] - place) for foot in robot.feet]

    def walk(self, command: np.ndarray, phase: np.ndarray) -> np.ndarray:
        """Joint angles less those of standing, (12,) [rad], for a command and cosine and sine of the phase."""
        if float(phase @ phase) < 0.25:
            return np.zeros(len(self.joints))
        share = math.atan2(phase[1], phase[0]) / math.tau
        sway = -SWAY * math.sin(math.tau * share)
        rows = []
        for number, (leg, foot) in enumerate(zip(self.legs, self.feet, strict=True)):
            angle = math.tau * (share + 0.5 * number)
            lift = LIFT * max(0.0, (math.sin(angle) - DOUBLE) / (1.0 - DOUBLE))
            ahead, aside = -command[:2] / (4.0 * FREQUENCY) * math.cos(angle)
            goal = foot + np.array([ahead, aside - sway, lift])
            rows.append(solve_leg_at(leg, 0.0, goal, np.eye(3), self.stand[6 * number : 6 * number + 6])[0])
        return np.concatenate(rows) - self.stand

    def feedback(self) -> np.ndarray:
        """Change of the joints per number that the network sees, (11, 12): gravity, gyro, command, phase."""
        matrix = np.zeros((SIZE, len(self.joints)))
        for side in (0, 6):
            for joint, (lean, rate), gravity, gyro in (
                (2, HIP_PITCH, (0, 1.0), 4),
                (4, ANKLE_PITCH, (0, 1.0), 4),
                (5, ANKLE_ROLL, (1, -1.0), 3),
            ):
                matrix[gravity[0], side + joint] = gravity[1] * lean
                matrix[gyro, side + joint] = rate
        return matrix

    def __call__(self, seen: np.ndarray) -> np.ndarray:
        """What the network should give for what it sees, (12,) [rad]."""
        return self.walk(seen[COMMAND], seen[PHASE]) + seen @ self.feedback()


def fitted(teacher: Teacher) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Hidden weights (11, n) and bias (n,), and weights (n, 12) of the network."""
    random = np.random.default_rng(SEED)
    seen = np.zeros((SAMPLES, SIZE))
    seen[:, 6], seen[:, 7] = random.uniform(*FORWARD, SAMPLES), random.uniform(*LATERAL, SAMPLES)
    angle = random.uniform(0.0, math.tau, SAMPLES)
    seen[:, 9], seen[:, 10] = np.cos(angle), np.sin(angle)
    # One sample of twenty stands.
    seen[::20, 6:] = 0.0
    wanted = np.array([teacher.walk(row[COMMAND], row[PHASE]) for row in seen])
    hidden = np.zeros((SIZE, HIDDEN))
    hidden[6:8] = random.normal(0.0, 4.0, (2, HIDDEN))
    hidden[9:11] = random.normal(0.0, 2.0, (2, HIDDEN))
    bias = random.normal(0.0, 1.5, HIDDEN)
    features = np.tanh(seen @ hidden + bias)
    square = features.T @ features + 1e-4 * np.eye(HIDDEN)
    return hidden, bias, np.linalg.solve(square, features.T @ wanted)


def network(teacher: Teacher) -> onnx.ModelProto:
    """The network."""
    hidden, bias, weights = fitted(teacher)
    arrays = {"hidden": hidden, "bias": bias, "weights": weights, "feedback": teacher.feedback()}
    graph = helper.make_graph(
        [
            helper.make_node("Gemm", ["obs", "hidden", "bias"], ["layer"]),
            helper.make_node("Tanh", ["layer"], ["features"]),
            helper.make_node("MatMul", ["features", "weights"], ["walk"]),
            helper.make_node("MatMul", ["obs", "feedback"], ["answer"]),
            helper.make_node("Add", ["walk", "answer"], ["actions"]),
        ],
        "nao-walk",
        [helper.make_tensor_value_info("obs", TensorProto.FLOAT, [1, SIZE])],
        [helper.make_tensor_value_info("actions", TensorProto.FLOAT, [1, len(teacher.joints)])],
        [numpy_helper.from_array(array.astype(np.float32), name) for name, array in arrays.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def contract(teacher: Teacher, robot: Robot, model: Path) -> PolicyContract:
    """The contract of the network."""
    index = [robot.index(name) for name in teacher.joints]

    def axis(bounds: tuple[float, float]) -> dict[str, object]:
        return {"range": bounds, "acceleration": 0.1, "slow": 0.02}

    return PolicyContract.model_validate(
        {
            "name": "nao-walk",
            "robot": "nao",
            "model": model.name,
            "sha256": digest_of(model),
            "inputs": ({"name": "obs", "size": SIZE},),
            "outputs": ({"name": "actions", "size": len(index)},),
            "rate": 1.0 / robot.tick,
            "physics_step": 0.002,
            "joints": tuple(teacher.joints),
            "joints_digest": joints_digest(robot, teacher.joints),
            "default_posture": tuple(float(f"{angle:.6g}") for angle in teacher.stand),
            "action": {"kind": "position", "scale": 1.0, "offset": "default", "clip": (-1.0, 1.0)},
            "kp": tuple(robot.servo_kp[index].tolist()),
            "kd": tuple(robot.servo_kd[index].tolist()),
            "torque_limits": tuple(robot.max_effort[index].tolist()),
            "every_term": {
                "frame": "base",
                "offset": 0.0,
                "scale": 1.0,
                "clip": "none",
                "delay": 0.0,
                "history": 1,
            },
            "observations": ({"name": "gravity"}, {"name": "gyro"}, {"name": "command"}, {"name": "gait_phase"}),
            "commands": {
                "forward": axis(FORWARD),
                "lateral": axis(LATERAL),
                "turn": {"range": (0.0, 0.0)},
                "stand_after": 0.6,
            },
            "gait": {"frequency": FREQUENCY},
            "others": {"posture": "stand", "stiffness": 1.0},
            "start": "stand",
            "licence": "Apache-2.0",
            "ground_truth": False,
            "note": "A network fitted to a walk of sines, made by scripts/nao_walk_policy.py; it does not turn.",
        }
    )


def main() -> None:
    """Write network and contract."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    folder = Path(__file__).parents[1] / "src" / "andante" / "runs" / "policies" / "shipped"
    parser.add_argument("--out", type=Path, default=folder)
    options = parser.parse_args()
    robot = Robot.load("nao")
    teacher = Teacher(robot)
    model = options.out / "nao-walk.onnx"
    model.write_bytes(network(teacher).SerializeToString())
    save_document(contract(teacher, robot, model), options.out / "nao-walk.yaml")
    print(f"{model}: {model.stat().st_size} bytes")


if __name__ == "__main__":
    main()
