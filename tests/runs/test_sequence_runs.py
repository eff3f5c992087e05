"""Runs in which controllers follow each other: keyframes, a gait of four legs, a policy, and a get-up between walks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
import yaml
from onnx import TensorProto, helper, numpy_helper

import andante
from andante.control.controller import ControlError
from andante.control.policies.network import digest_of
from andante.robots.robot import Robot
from andante.runs.build import build
from andante.runs.execute import session_of
from andante.runs.scenario_files import read_scenario


def bowing(folder: Path, name: str = "littledog") -> Path:
    """A quadruped's motion: it stands for a moment and bends its knees by 0.1 rad."""
    robot = Robot.load(name)
    stand = dict(zip(robot.joint_names, robot.posture("stand").tolist(), strict=True))
    bent = {joint: angle + 0.1 * ("kn" in joint.casefold()) for joint, angle in stand.items()}
    block = {
        "base_stiffness": dict.fromkeys(robot.groups, 1.0),
        "keyframes": [{"duration": 0.3, "joints": stand}, {"duration": 0.3, "joints": bent}],
    }
    data = {"format": "andante.motions", "version": 1, "robot": name, "motions": {"bow": {"blocks": ["bow"]}}}
    path = folder / "bow.yaml"
    path.write_text(yaml.safe_dump(data | {"blocks": {"bow": block}}))
    return path


def standing(folder: Path, *, root_of_gravity: bool = False) -> Path:
    """A policy of a NAO that asks for the posture that it stands in, whatever it sees.

    ``root_of_gravity`` takes the root of gravity's share along the torso: no number for a robot on its head.
    """
    robot = Robot.load("nao")
    joints = [name for name in robot.joint_names if "Hip" in name or "Knee" in name or "Ankle" in name]
    weights = np.zeros((3, len(joints)), dtype=np.float32)
    nodes = [helper.make_node("Gemm", ["obs", "w", "b"], ["actions"])]
    if root_of_gravity:
        weights[2] = -1e-6
        nodes = [helper.make_node("Gemm", ["obs", "w", "b"], ["h"]), helper.make_node("Sqrt", ["h"], ["actions"])]
    graph = helper.make_graph(
        nodes,
        "stand",
        [helper.make_tensor_value_info("obs", TensorProto.FLOAT, [1, 3])],
        [helper.make_tensor_value_info("actions", TensorProto.FLOAT, [1, len(joints)])],
        [
            numpy_helper.from_array(weights, "w"),
            numpy_helper.from_array(np.zeros(len(joints), dtype=np.float32), "b"),
        ],
    )
    model = folder / "stand.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
    legs = [robot.index(name) for name in joints]
    data = {
        "format": "andante.policy",
        "version": 1,
        "name": "stand",
        "robot": "nao",
        "model": "stand.onnx",
        "sha256": digest_of(model),
        "inputs": [{"name": "obs", "size": 3}],
        "outputs": [{"name": "actions", "size": len(joints)}],
        "rate": 50,
        "physics_step": 0.002,
        "joints": joints,
        "default_posture": robot.posture("stand")[legs].tolist(),
        "action": {"kind": "position", "scale": 1.0, "offset": "default", "clip": [-1.0, 1.0]},
        "kp": robot.servo_kp[legs].tolist(),
        "kd": robot.servo_kd[legs].tolist(),
        "torque_limits": 3.0,
        "every_term": {"frame": "base", "offset": 0.0, "scale": 1.0, "clip": "none", "delay": 0.0, "history": 1},
        "observations": [{"name": "gravity"}],
        "others": {"posture": "stand", "stiffness": 1.0},
        "start": "stand",
        "licence": "Apache-2.0",
        "ground_truth": False,
    }
    path = folder / "stand.yaml"
    path.write_text(yaml.safe_dump(data))
    return path


def parts_of(session) -> list[str]:
    found = []
    while session.ending is None:
        found += [str(event.data["part"]) for event in session.step().events if event.kind == "part"]
    return found


@pytest.mark.slow
def test_a_robot_that_is_pushed_over_gets_up_and_the_policy_takes_over_again(tmp_path: Path) -> None:
    document = read_scenario(
        f"""
format: andante.scenario
version: 1
name: loop
robot: nao
limits: {{tick: 0.01}}
controller:
  type: sequence
  begin: stand
  parts:
    stand:
      controller: {{type: policy, policy: {standing(tmp_path)}, live: {{}}}}
      ways: [{{to: up, when: [falls]}}, {{to: up, when: [lies], held: 0.3}}]
    up:
      controller: {{type: keyframes, library: nao, get_up: true}}
      ways: [{{to: stand, when: [done, upright, calm], blend: 0.3}}]
world: {{pushes: [{{time: 0.5, duration: 0.1, impulse: [9, 0, 0]}}]}}
timeout: 9
success: {{finishes: false, no_fall: false}}
""",
        "test",
    )
    with session_of(document, build(document)) as session:
        assert parts_of(session) == ["up", "stand"]
        assert session.backend.truth()["base_height"][0] > 0.28
        assert session.error is None


def test_a_network_without_numbers_ends_a_run_as_failed_and_names_itself(tmp_path: Path) -> None:
    document = read_scenario(
        f"""
format: andante.scenario
version: 1
name: none
robot: nao
limits: {{tick: 0.02}}
controller: {{type: policy, policy: {standing(tmp_path, root_of_gravity=True)}, live: {{}}}}
world: {{pushes: [{{time: 0.2, duration: 0.1, impulse: [20, 0, 0]}}], start: {{posture: stand}}}}
timeout: 6
success: {{finishes: false, no_fall: false}}
""",
        "test",
    )
    told = []
    with session_of(document, build(document)) as session:
        while session.ending is None:
            told += [event.text for event in session.step().events if event.kind in ("policy", "no_numbers", "help")]
        assert session.ending == "failed"
        assert session.error is None
    assert told == [
        "policy 'stand' gives no numbers: the last targets are held",
        "policy 'stand' gives no numbers: the joints are released",
    ]


@pytest.mark.slow
def test_keyframes_and_a_trot_follow_each_other(tmp_path: Path) -> None:
    document = read_scenario(
        f"""
format: andante.scenario
version: 1
name: bow
robot: littledog
controller:
  type: sequence
  begin: bow
  steering: [{{time: 0.8, forward: 0.05}}, {{time: 1.6}}]
  parts:
    bow:
      controller: {{type: keyframes, library: {bowing(tmp_path)}, motions: [bow]}}
      ways: [{{to: trot, when: [walk-asked], blend: 0.2}}]
    trot:
      controller: {{type: trot}}
      ways: [{{to: bow, when: [stop-asked], held: 0.8, blend: 0.2}}]
timeout: 3.0
success: {{finishes: false, no_fall: false, steering: null}}
""",
        "test",
    )
    with session_of(document, build(document)) as session:
        assert parts_of(session) == ["trot", "bow"]
        assert session.error is None


@pytest.mark.slow
def test_keyframes_and_predictive_control_follow_each_other(tmp_path: Path) -> None:
    document = read_scenario(
        f"""
format: andante.scenario
version: 1
name: spirit
robot: spirit40
controller:
  type: sequence
  begin: hold
  steering: [{{time: 0.6, forward: 0.3}}, {{time: 1.4}}]
  parts:
    hold:
      controller: {{type: keyframes, library: {bowing(tmp_path, "spirit40")}, motions: [bow]}}
      ways: [{{to: trot, when: [walk-asked]}}]
    trot:
      controller: {{type: quadruped, blind: true}}
      ways: [{{to: hold, when: [stop-asked], held: 0.6, blend: 0.2}}]
world: {{timestep: 0.001}}
timeout: 3.5
settle: 0.2
success: {{finishes: false, no_fall: false, steering: null}}
""",
        "test",
    )
    with session_of(document, build(document)) as session:
        assert parts_of(session) == ["trot", "hold"]
        assert session.error is None
        # It went ahead while it trotted, and stands on its legs at the end.
        x, _, z = session.backend.truth()["qpos"][:3]
        assert x > 0.1
        assert z > 0.15


def test_a_sequence_is_asked_for_by_its_parts(tmp_path: Path) -> None:
    text = """
format: andante.scenario
version: 1
name: s
robot: nao
controller: {type: sequence, begin: walk, parts: {up: {controller: {library: nao, get_up: true}}}}
"""
    with pytest.raises(ControlError, match="there is no such part"):
        build(read_scenario(text, "test"))
    with pytest.raises(andante.AndanteError, match=r"feet-carry"):
        read_scenario(text.replace("get_up: true}", "get_up: true}, ways: [{to: walk, when: [feet-cary]}]"), "test")
