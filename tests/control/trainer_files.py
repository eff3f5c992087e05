"""The tiny policy in the files of trainers that give no names of joints: the document beside says them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import yaml
from tiny_policy import DEFAULT, KD, KP, LEGS, TORQUE, save_network, weights

SCALE = 0.25
BESIDE: dict[str, Any] = {
    "format": "andante.policy",
    "version": 1,
    "name": "tiny",
    "robot": "nao",
    "joints": list(LEGS),
    "every_term": {"delay": 0.0},
    "others": {"posture": "stand", "stiffness": 1.0},
    "start": "default",
    "licence": "Apache-2.0",
    "ground_truth": False,
}
"""What none of these files says."""
RANGES = {"lin_vel_x": [-0.2, 0.3], "lin_vel_y": [-0.1, 0.1], "ang_vel_z": [-1.0, 1.0]}
COMMANDS = {"forward": {"range": [-0.2, 0.3]}, "lateral": {"range": [-0.1, 0.1]}, "turn": {"range": [-1, 1]}}
SEEN = (
    ("projected_gravity", None, 3),
    ("base_ang_vel", 0.25, 3),
    ("velocity_commands", None, 3),
    ("joint_pos_rel", None, 12),
    ("joint_vel_rel", 0.05, 12),
    ("last_action", None, 12),
)


def write(path: Path, data: dict[str, Any]) -> Path:
    path.write_text(yaml.safe_dump({key: value for key, value in data.items() if value is not None}, sort_keys=False))
    return path


def isaac_env(folder: Path, **changes: Any) -> Path:
    """Isaac Lab's env.yaml, with the tags, anchors and aliases of Python's YAML."""
    save_network(folder / "lab.onnx")
    joints = {".HipPitch": -0.367, ".KneePitch": 0.873, ".AnklePitch": -0.506}
    terms = {
        name: {"func": f"isaaclab.envs.mdp.observations:{name}", "params": {}, "clip": None, "scale": scale}
        for name, scale, _ in SEEN
    }
    terms["velocity_commands"]["func"] = "isaaclab.envs.mdp.observations:generated_commands"
    data = {
        "sim": {"dt": 0.005},
        "decimation": 4,
        "scene": {
            "num_envs": 4096,
            "robot": {
                "init_state": {"joint_pos": joints, "joint_vel": {".*": 0.0}},
                "actuators": {
                    "hips": {
                        "joint_names_expr": [".Hip.*"],
                        "stiffness": KP[0],
                        "damping": {".*": KD[0]},
                        "effort_limit": None,
                        "effort_limit_sim": TORQUE[0],
                    },
                    "others": {
                        "joint_names_expr": [".Knee.*", ".Ankle.*"],
                        "stiffness": {".*": KP[0]},
                        "damping": KD[0],
                        "effort_limit": {".*": TORQUE[0]},
                    },
                },
            },
        },
        "observations": {"policy": {"concatenate_terms": True, "history_length": None, **terms}, "critic": {}},
        "actions": {
            "joint_pos": {
                "class_type": "isaaclab.envs.mdp.actions.joint_actions:JointPositionAction",
                "clip": None,
                "joint_names": [".*"],
                "scale": SCALE,
                "offset": 0.0,
                "use_default_offset": True,
            }
        },
        "commands": {"base_velocity": {"heading_command": True, "ranges": RANGES}},
    }
    text = yaml.safe_dump(data, sort_keys=False)
    tail = "viewer:\n  eye: &id001 !!python/tuple\n  - 7.5\n  - 7.5\n  lookat: *id001\n"
    slices = "slice: !!python/object/apply:builtins.slice\n- null\n- null\n- null\n"
    (folder / "env.yaml").write_text(text + tail + slices)
    reads = {"format": "isaac-env", "file": "env.yaml", "model": "lab.onnx"}
    return write(folder / "from_env.yaml", BESIDE | {"reads": reads} | changes)


def unitree_lab(folder: Path, last: float = KP[0], **changes: Any) -> Path:
    """unitree_rl_lab's deploy.yaml; gains stand in another order there, backwards here."""
    save_network(folder / "lab.onnx")
    gains = [*KP[:-1], last]
    data = {
        "joint_ids_map": list(range(11, -1, -1)),
        "step_dt": 0.02,
        "stiffness": gains,
        "damping": list(KD),
        "default_joint_pos": list(DEFAULT),
        "commands": {"base_velocity": {"ranges": RANGES | {"heading": None}}},
        "actions": {
            "JointPositionAction": {
                "clip": [[angle - 2.0 * SCALE, angle + 2.0 * SCALE] for angle in DEFAULT],
                "joint_names": [".*"],
                "scale": [SCALE] * 12,
                "offset": list(DEFAULT),
                "joint_ids": None,
            }
        },
        "observations": {
            name: {"params": {}, "clip": None, "scale": [scale or 1.0] * size, "history_length": 1}
            for name, scale, size in SEEN
        },
    }
    write(folder / "deploy.yaml", data)
    reads = {"format": "unitree-lab", "file": "deploy.yaml", "model": "lab.onnx"}
    more = {"reads": reads, "physics_step": 0.005, "torque_limits": list(TORQUE)}
    return write(folder / "from_lab.yaml", BESIDE | more | changes)


def legged_gym(folder: Path, **changes: Any) -> Path:
    """Settings of unitree_rl_gym's programs, which show the gyro before gravity."""
    matrix, bias = weights()
    save_network(folder / "gym.onnx", np.concatenate((matrix[3:6], matrix[:3], matrix[6:])), bias)
    data = {
        "policy_path": "{LEGGED_GYM_ROOT_DIR}/deploy/pre_train/nao/motion.pt",
        "simulation_dt": 0.005,
        "control_decimation": 4,
        "kps": list(KP),
        "kds": list(KD),
        "default_angles": list(DEFAULT),
        "ang_vel_scale": 0.25,
        "dof_pos_scale": 1.0,
        "dof_vel_scale": 0.05,
        "action_scale": SCALE,
        "cmd_scale": [1.0, 1.0, 1.0],
        "num_actions": 12,
        "num_obs": 45,
        "cmd_init": [0.5, 0, 0],
    }
    write(folder / "nao.yaml", data)
    reads = {"format": "legged-gym", "file": "nao.yaml", "model": "gym.onnx"}
    more = {"reads": reads, "torque_limits": list(TORQUE), "commands": COMMANDS}
    return write(folder / "from_gym.yaml", BESIDE | more | changes)


def rl_sar(folder: Path, **config: Any) -> Path:
    """rl_sar's two files: joints stand backwards in the robot's, and the policy's order is a mapping of them."""
    matrix, bias = weights()
    save_network(folder / "sar.onnx", np.concatenate((matrix[3:6], matrix[:3], matrix[6:])), bias)
    base = {
        "dt": 0.005,
        "decimation": 4,
        "num_of_dofs": 12,
        "torque_limits": [1.0] * 12,
        "default_dof_pos": list(DEFAULT),
        "joint_names": list(reversed(LEGS)),
        "joint_controller_names": [f"{name}_controller" for name in reversed(LEGS)],
        "joint_mapping": list(range(11, -1, -1)),
        "wheel_indices": [],
    }
    data = {
        "model_name": "sar.onnx",
        "num_observations": 45,
        "observations": ["ang_vel", "gravity_vec", "commands", "dof_pos", "dof_vel", "actions"],
        "observations_history": [],
        "clip_obs": 100.0,
        "clip_actions_lower": [-2.0] * 12,
        "clip_actions_upper": [2.0] * 12,
        "rl_kp": list(KP),
        "rl_kd": list(KD),
        "torque_limits": list(TORQUE),
        "action_scale": [SCALE] * 12,
        "ang_vel_scale": 0.25,
        "dof_pos_scale": 1.0,
        "dof_vel_scale": 0.05,
        "commands_scale": [1.0, 1.0, 1.0],
    }
    (folder / "mine").mkdir(exist_ok=True)
    write(folder / "base.yaml", {"nao": base})
    data |= config
    write(folder / "mine" / "config.yaml", {"nao/mine": {key: each for key, each in data.items() if each is not None}})
    reads = {"format": "rl-sar", "file": "mine/config.yaml", "model": "sar.onnx"}
    more = {"reads": reads, "physics_step": 0.005, "commands": COMMANDS, "joints": None}
    return write(folder / "from_sar.yaml", BESIDE | more)
