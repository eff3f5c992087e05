"""Policies that track a motion which their network has in itself, as BeyondMimic's and mjlab's: read, bound and run."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
import yaml
from onnx import TensorProto, helper, numpy_helper
from tiny_policy import DEFAULT, KD, KP, LEGS, TORQUE
from typer.testing import CliRunner

from andante.cli.app import app
from andante.control.policies.anchor_turn import AnchorTurn
from andante.control.policies.binding import bind
from andante.control.policies.contract import PolicyError
from andante.control.policies.controller import PolicyController
from andante.control.policies.files import load_policy
from andante.control.steering import SteeringScript
from andante.robots.robot import Robot
from andante.spatial.rotations import from_matrix, rotation_x, rotation_z

NAMES = ("command", "motion_anchor_ori_b", "base_ang_vel", "joint_pos", "joint_vel", "actions")
SIZES = {"command": 24, "motion_anchor_ori_b": 6, "motion_anchor_pos_b": 3, "base_ang_vel": 3}
FRAMES = 4
BODIES = ("Torso", "LFoot")
TEXTS = {
    "joint_names": ",".join(LEGS),
    "joint_stiffness": ",".join(f"{each:.3f}" for each in KP),
    "joint_damping": ",".join(f"{each:.3f}" for each in KD),
    "default_joint_pos": ",".join(f"{each:.3f}" for each in DEFAULT),
    "action_scale": ",".join(["0.250"] * 12),
    "command_names": "motion",
    "anchor_body_name": "Torso",
    "body_names": ",".join(BODIES),
}


def motion() -> dict[str, np.ndarray]:
    random = np.random.default_rng(3)
    turns = from_matrix([[rotation_z(0.5 + 0.1 * frame), rotation_x(0.2)] for frame in range(FRAMES)])
    return {
        "joint_pos": np.array(DEFAULT) + random.uniform(-0.05, 0.05, (FRAMES, 12)),
        "joint_vel": random.uniform(-0.5, 0.5, (FRAMES, 12)),
        "body_pos_w": random.uniform(-1.0, 1.0, (FRAMES, len(BODIES), 3)),
        "body_quat_w": turns,
    }


def save_network(path: Path, names: tuple[str, ...], lengths: str = "") -> Path:
    """A linear layer beside a motion that is read by its frame, as whole_body_tracking exports it."""
    size = sum(SIZES.get(name, 12) for name in names) * (int(lengths.split(",")[0].split(".")[0]) if lengths else 1)
    matrix = np.random.default_rng(1).uniform(-0.02, 0.02, (size, 12)).astype(np.float32)
    nodes = [
        helper.make_node("Gemm", ["obs", "w"], ["actions"]),
        helper.make_node("Clip", ["time_step", "least", "most"], ["inside"]),
        helper.make_node("Cast", ["inside"], ["whole"], to=TensorProto.INT64),
        helper.make_node("Reshape", ["whole", "one"], ["index"]),
    ]
    made = {"w": matrix, "least": np.float32(0.0), "most": np.float32(FRAMES - 1), "one": np.array([1])}
    outputs = [helper.make_tensor_value_info("actions", TensorProto.FLOAT, [1, 12])]
    for name, table in motion().items():
        made[f"{name}_table"] = table.astype(np.float32)
        nodes.append(helper.make_node("Gather", [f"{name}_table", "index"], [name], axis=0))
        outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, *table.shape[1:]]))
    graph = helper.make_graph(
        nodes,
        "tracker",
        [
            helper.make_tensor_value_info("obs", TensorProto.FLOAT, [1, size]),
            helper.make_tensor_value_info("time_step", TensorProto.FLOAT, [1, 1]),
        ],
        outputs,
        [numpy_helper.from_array(np.asarray(value), name) for name, value in made.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    texts = (
        TEXTS | {"observation_names": ",".join(names)} | ({"observation_history_lengths": lengths} if lengths else {})
    )
    for key, value in texts.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.save(model, path)
    return path


def save_contract(folder: Path, names: tuple[str, ...] = NAMES, lengths: str = "", **changes) -> Path:
    save_network(folder / "policy.onnx", names, lengths)
    every = {"frame": "base", "scale": 1.0, "clip": "none", "delay": 0.0}
    said = {
        "format": "andante.policy",
        "version": 1,
        "name": "tracker",
        "reads": {"format": "mjlab", "file": "policy.onnx"},
        "robot": "nao",
        "rate": 50,
        "physics_step": 0.005,
        "action": {"clip": "none"},
        "torque_limits": list(TORQUE),
        "every_term": every if lengths else every | {"history": 1},
        "others": {"posture": "stand", "stiffness": 1.0},
        "start": "default",
        "licence": "mine",
        "ground_truth": False,
    }
    path = folder / "tracker.yaml"
    path.write_text(yaml.safe_dump(said | changes))
    return path


@pytest.fixture(scope="module")
def robot() -> Robot:
    return replace(Robot.load("nao"), tick=0.02)


def bound(path: Path, robot: Robot):
    file = load_policy(path)
    return bind(file.contract, robot, file.network)


def test_the_motion_in_a_network_is_tracked_frame_by_frame(tmp_path, robot):
    policy = bound(save_contract(tmp_path), robot)
    assert [part for part, _ in policy.observation().parts][:3] == ["motion_joints", "motion_orientation", "gyro"]
    controller = PolicyController(policy, SteeringScript(()))
    sensors = robot.sensors()
    heading = 1.2
    sensors.orientation[:] = from_matrix(rotation_z(heading))
    tracked, last = motion(), np.zeros(12)
    matrix = np.random.default_rng(1).uniform(-0.02, 0.02, (24 + 6 + 3 + 36, 12)).astype(np.float32)
    for call in range(FRAMES + 2):
        frame = min(call, FRAMES - 1)
        # The motion began at a heading of 0.5 rad, the robot at one of its own, and both turn from there.
        ahead = rotation_z(0.1 * frame)
        seen = np.concatenate(
            (
                *(tracked["joint_pos"][frame], tracked["joint_vel"][frame]),
                *(ahead[:, :2].ravel(), sensors.gyro),
                *(sensors.position[policy.joints] - DEFAULT, sensors.velocity[policy.joints], last),
            )
        )
        last = seen @ matrix
        for _ in range(policy.ticks):
            command = controller.step(sensors)
        # One motor turns both hips' yaw and pitch; the left one decides.
        wanted = (np.array(DEFAULT) + 0.25 * last)[[0, 1, 2, 3, 4, 5, 0, 7, 8, 9, 10, 11]]
        np.testing.assert_allclose(command.position[policy.joints], wanted, atol=1e-5)
    controller.reset()
    np.testing.assert_allclose(controller._inputs.frame().joint_position, tracked["joint_pos"][0], atol=1e-6)


def test_histories_of_the_metadata_are_taken(tmp_path, robot):
    path = save_contract(tmp_path, lengths="2.0,2.0,2.0,2.0,2.0,2.0")
    assert load_policy(path).contract.observations[0].order == "oldest-first"
    assert bound(path, robot).observation().size == 2 * (24 + 6 + 3 + 36)


@pytest.mark.parametrize(
    ("names", "changes", "message"),
    [
        (
            ("command", "motion_anchor_pos_b", *NAMES[1:]),
            {},
            "the policy sees motion_position: no robot measures where it is, against a motion either; train it without",
        ),
        (
            NAMES,
            {"motion": {"frame": "time_step", "joint_position": "joint_pos", "joint_velocity": "actions"}},
            "the document says otherwise than its mjlab file",
        ),
        (NAMES, {"robot": "ers7"}, "trained for another robot"),
    ],
)
def test_what_cannot_be_tracked_is_refused_by_name(tmp_path, robot, names, changes, message):
    with pytest.raises(PolicyError, match=message):
        bound(save_contract(tmp_path, names, **changes), robot)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"frame": "clock"}, r"the contract does not say inputs\[1\].state"),
        ({"frame": "obs"}, r"the contract does not say inputs\[1\].state"),
        ({"joint_position": "joints"}, r"motion.joint_position: the network has no such output; got 'joints'"),
        ({"joint_velocity": "body_quat_w"}, r"motion.joint_velocity: the output has another size than joints"),
        ({"anchor": "head"}, r"the anchor is one of the motion's bodies|has no such body"),
    ],
)
def test_a_motion_that_the_network_lacks_is_refused_by_name(tmp_path, robot, change, message):
    file = load_policy(save_contract(tmp_path))
    motion_of = file.contract.motion.model_copy(update=change)
    with pytest.raises(PolicyError, match=message):
        bind(file.contract.model_copy(update={"motion": motion_of}), robot, file.network)


def test_an_anchor_is_compared_in_the_robot_s_own_axes(tmp_path, robot):
    turn = AnchorTurn(robot, "Torso")
    standing = np.zeros(len(robot.joints))
    first = turn.update(np.eye(3), standing, from_matrix(rotation_z(2.0)))
    np.testing.assert_allclose(first, np.eye(3)[:, :2].ravel(), atol=1e-9)
    leaning = turn.update(rotation_x(0.1), standing, from_matrix(rotation_z(2.0)))
    wanted = rotation_x(-0.1)
    np.testing.assert_allclose(leaning, wanted[:, :2].ravel(), atol=1e-9)
    assert leaning[3] == pytest.approx(math.cos(0.1))


def test_inspect_tells_which_motion_is_tracked(tmp_path):
    told = CliRunner().invoke(app, ["policy", "inspect", str(save_contract(tmp_path))]).stdout
    assert "tracks the network's own motion: frame time_step, joint_position joint_pos" in told
    assert "missing" not in told
