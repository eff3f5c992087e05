"""One policy, written in four formats, does the same; what a format lacks is asked for by its name."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import yaml
from tiny_policy import DEFAULT, KD, KP, LEGS, TORQUE, save_contract, save_network
from trainer_files import isaac_env, legged_gym, rl_sar, unitree_lab

from andante.control.policies.binding import bind
from andante.control.policies.contract import PolicyError, missing_facts
from andante.control.policies.controller import PolicyController
from andante.control.policies.files import load_policy
from andante.control.steering import Heading, SteeringScript, Turn
from andante.errors import AndanteError
from andante.robots.robot import Robot

SCALE = 0.25
BESIDE: dict[str, Any] = {
    "format": "andante.policy",
    "version": 1,
    "name": "tiny",
    "robot": "nao",
    "torque_limits": list(TORQUE),
    "commands": {"forward": {"range": [-0.2, 0.3]}, "lateral": {"range": [-0.1, 0.1]}, "turn": {"range": [-1, 1]}},
    "others": {"posture": "stand", "stiffness": 1.0},
    "start": "default",
    "licence": "Apache-2.0",
    "ground_truth": False,
}
"""What no other format says."""


def write(path: Path, data: dict[str, Any]) -> Path:
    """A document without the facts that are None."""
    said = {key: value for key, value in data.items() if value is not None}
    path.write_text(yaml.safe_dump(said, sort_keys=False))
    return path


def own(folder: Path) -> Path:
    action = {"kind": "position", "scale": SCALE, "offset": "default", "clip": [-2.0, 2.0]}
    return save_contract(folder, action=action)


def mjlab(folder: Path, **changes: Any) -> Path:
    def row(values: tuple[float, ...]) -> str:
        return ",".join(f"{value:.3f}" for value in values)

    texts = {
        "run_path": "somewhere",
        "joint_names": ",".join(f"robot/{name}" for name in LEGS),
        "default_joint_pos": row(DEFAULT),
        "action_scale": row((SCALE,) * 12),
        "joint_stiffness": row(KP),
        "joint_damping": row(KD),
        "observation_names": "projected_gravity,base_ang_vel,command,joint_pos,joint_vel,actions",
        "command_names": "twist",
    }
    save_network(folder / "mjlab.onnx", metadata=texts)
    terms = [{}, {"scale": 0.25}, {}, {}, {"scale": 0.05}, {}]
    names = ("gravity", "gyro", "command", "joint_position", "joint_velocity", "last_action")
    data = BESIDE | {
        "reads": {"format": "mjlab", "file": "mjlab.onnx"},
        "rate": 50,
        "physics_step": 0.005,
        "action": {"clip": [-2.0, 2.0]},
        "every_term": {"frame": "base", "scale": 1.0, "clip": "none", "delay": 0.0, "history": 1},
        "observations": [{"name": name, **term} for name, term in zip(names, terms, strict=True)],
    }
    return write(folder / "from_mjlab.yaml", data | changes)


def isaac(folder: Path, **changes: Any) -> Path:
    save_network(folder / "isaac.onnx", names=("obs", "action"))

    def term(name: str, scale: float | None = None, **more: Any) -> dict[str, Any]:
        loads = {"clip": None, "flatten_history_dim": True, "history_length": 0, "scale": scale}
        return {"dtype": "torch.float32", "mdp_type": "Observation", "name": name, "overloads": loads, **more}

    low, high = ([round(angle + SCALE * end, 6) for angle in DEFAULT] for end in (-2.0, 2.0))
    data = {
        "actions": [
            {
                "action_type": "JointAction",
                "clip": [[a, b] for a, b in zip(low, high, strict=True)],
                "full_path": "isaaclab.envs.mdp.actions.joint_actions.JointPositionAction",
                "joint_names": list(LEGS),
                "name": "joint_position_action",
                "offset": list(DEFAULT),
                "scale": SCALE,
                "shape": [12],
            }
        ],
        "articulations": {
            "robot": {
                # Articulations list their joints in an order of their own.
                "joint_names": list(reversed(LEGS)),
                "default_joint_pos": list(reversed(DEFAULT)),
                "default_joint_stiffness": list(reversed(KP)),
                "default_joint_damping": list(reversed(KD)),
            }
        },
        "observations": {
            "policy": [
                term("projected_gravity"),
                term("base_ang_vel", 0.25),
                term("generated_commands"),
                term("joint_pos_rel", joint_names=list(LEGS), joint_pos_offsets=list(DEFAULT)),
                term("joint_vel_rel", 0.05, joint_names=list(LEGS), joint_vel_offsets=[0.0] * 12),
                term("last_action"),
            ]
        },
        "scene": {"decimation": 4, "dt": 0.02, "physics_dt": 0.005},
    }
    (folder / "IO_descriptors.yaml").write_text(yaml.safe_dump(data))
    beside = BESIDE | {
        "reads": {"format": "isaac", "file": "IO_descriptors.yaml", "model": "isaac.onnx"},
        "every_term": {"delay": 0.0},
    }
    return write(folder / "from_isaac.yaml", beside | changes)


def mjswan(folder: Path, **changes: Any) -> Path:
    save_network(folder / "swan.onnx")
    data = {
        "policy_joint_names": [f"robot/{name}" for name in LEGS],
        "default_joint_pos": list(DEFAULT),
        "obs_config": {
            "obs": [
                {"name": "ProjectedGravityB"},
                {"name": "BaseAngularVelocity", "scale": 0.25},
                {"name": "SimpleVelocityCommand"},
                {"name": "JointPos", "pos_steps": [0], "subtract_default": True, "scale": 1.0},
                {"name": "JointVelocities", "scale": 0.05},
                {"name": "PrevActions", "history_steps": 1},
            ]
        },
        "action_scale": [SCALE] * 12,
        "stiffness": list(KP),
        "damping": list(KD),
        "control_type": "joint_position",
        # The network calls its output otherwise.
        "onnx": {"meta": {"in_keys": ["obs"], "out_keys": ["action"]}, "path": "swan.onnx"},
    }
    (folder / "swan.json").write_text(json.dumps(data))
    beside = BESIDE | {
        "reads": {"format": "mjswan", "file": "swan.json"},
        "rate": 50,
        "physics_step": 0.005,
        "action": {"clip": [-2.0, 2.0]},
        "every_term": {"clip": "none", "delay": 0.0},
    }
    return write(folder / "from_swan.yaml", beside | changes)


FORMATS = {"andante": own, "mjlab": mjlab, "isaac": isaac, "mjswan": mjswan}
TRAINERS = {"isaac-env": isaac_env, "unitree-lab": unitree_lab, "legged-gym": legged_gym, "rl-sar": rl_sar}


def actions(path: Path, robot: Robot) -> np.ndarray:
    """Targets of 40 ticks of sensors that move."""
    file = load_policy(path)
    steering = SteeringScript((Turn(0.1, Heading(0.2, 0.05, -0.4)),))
    controller = PolicyController(bind(file.contract, robot, file.network), steering)
    random, rows = np.random.default_rng(3), []
    for tick in range(40):
        sensors = robot.sensors()
        sensors.vector[0] = tick * robot.tick
        sensors.position[:] = robot.posture("stand") + random.uniform(-0.2, 0.2, len(robot.joints))
        sensors.velocity[:] = random.uniform(-2.0, 2.0, len(robot.joints))
        turn = random.normal(size=4) * (1.0, 0.1, 0.1, 0.1)
        sensors.orientation[:] = turn / np.linalg.norm(turn)
        sensors.gyro[:] = random.normal(size=3)
        rows.append(controller.step(sensors).vector)
    return np.array(rows)


def test_all_formats_give_the_same_commands(tmp_path: Path) -> None:
    robot = Robot.load("nao").at(0.01)
    reference, *others = (actions(make(tmp_path), robot) for make in (FORMATS | TRAINERS).values())
    assert np.ptp(reference[:, : len(robot.joints)], axis=0).max() > 0.01
    for found in others:
        np.testing.assert_allclose(found, reference, rtol=0.0, atol=1e-6)


LACKS = {
    "mjlab": ("rate", "torque_limits", "physics_step", "action", "every_term", "commands", "robot"),
    "isaac": ("torque_limits", "every_term", "commands", "start", "robot"),
    "mjswan": ("rate", "torque_limits", "action", "every_term", "licence"),
}


@pytest.mark.parametrize(("name", "fact"), [(name, fact) for name, facts in LACKS.items() for fact in facts])
def test_what_a_format_lacks_has_no_default(tmp_path: Path, name: str, fact: str) -> None:
    missing = missing_facts(load_policy(FORMATS[name](tmp_path, **{fact: None})).contract)
    found = {"action": "action.clip", "every_term": "observations[0].delay"}.get(fact, fact)
    assert found in missing
    assert missing_facts(load_policy(FORMATS[name](tmp_path)).contract) == []


@pytest.mark.parametrize("name", ["mjlab", "isaac", "mjswan"])
def test_what_the_document_says_beside_is_told_as_assumed(tmp_path: Path, name: str) -> None:
    assumed = load_policy(FORMATS[name](tmp_path)).contract.assumed
    assert f"torque_limits: said by the document, not by {name}" in assumed
    assert "sha256: as the network's file has it" in assumed


def test_a_document_that_contradicts_its_file_is_refused(tmp_path: Path) -> None:
    swapped = [*LEGS[6:], *LEGS[:6]]
    with pytest.raises(PolicyError, match="says otherwise than its mjlab file") as refused:
        load_policy(mjlab(tmp_path, joints=swapped))
    assert refused.value.place.endswith("joints")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda data: data["actions"].append({}), "one kind of action"),
        (lambda data: data["actions"][0].update(full_path="x.RelativeJointPositionAction"), "kind is not known"),
        (lambda data: data["observations"]["policy"][0].update(name="image"), "is not known"),
        (
            lambda data: data["observations"]["policy"][0].update(extras={"modifiers": [{"func": "bias"}]}),
            r"policy\[0\]\.extras\.modifiers: a term that is modified",
        ),
        (lambda data: data["articulations"]["robot"]["default_joint_pos"].pop(), "a joint has no such value"),
        (lambda data: data["actions"][0]["clip"].__setitem__(0, [-1.0]), r"actions\[0\].clip: a list has another"),
        (lambda data: data.pop("observations"), "no IO descriptor"),
        (lambda data: data["scene"].update(dt="fast"), "a number is needed"),
    ],
)
def test_a_descriptor_that_is_not_understood_is_refused(tmp_path: Path, change: Any, what: str) -> None:
    path = isaac(tmp_path)
    data = yaml.safe_load((tmp_path / "IO_descriptors.yaml").read_text())
    change(data)
    (tmp_path / "IO_descriptors.yaml").write_text(yaml.safe_dump(data))
    with pytest.raises(PolicyError, match=what):
        load_policy(path)


def test_each_joint_of_a_descriptor_may_have_a_clip(tmp_path: Path) -> None:
    path = isaac(tmp_path)
    data = yaml.safe_load((tmp_path / "IO_descriptors.yaml").read_text())
    data["actions"][0]["clip"][2] = [DEFAULT[2] - 0.5, DEFAULT[2] + 0.25]
    (tmp_path / "IO_descriptors.yaml").write_text(yaml.safe_dump(data))
    clip = load_policy(path).contract.action.clip
    np.testing.assert_allclose(np.array(clip)[:3], [[-2.0, 2.0], [-2.0, 2.0], [-2.0, 1.0]], atol=1e-6)


def test_a_negative_scale_turns_the_bounds_of_a_descriptor_round(tmp_path: Path) -> None:
    """A joint whose motor turns the other way, and one that is not cut."""
    path = isaac(tmp_path)
    data = yaml.safe_load((tmp_path / "IO_descriptors.yaml").read_text())
    action = data["actions"][0]
    action["scale"] = [-0.5, *[SCALE] * 11]
    action["clip"][0] = [DEFAULT[0] - 1.0, DEFAULT[0] + 0.5]
    action["clip"][2] = [-math.inf, math.inf]
    (tmp_path / "IO_descriptors.yaml").write_text(yaml.safe_dump(data))
    file = load_policy(path)
    bound = bind(file.contract, Robot.load("nao").at(0.01), file.network)
    told = np.linspace(-9.0, 9.0, 19)
    for number in told:
        found = bound.targets(np.full(12, number))
        assert found[0] == pytest.approx(np.clip(DEFAULT[0] - 0.5 * number, DEFAULT[0] - 1.0, DEFAULT[0] + 0.5))
        assert found[2] == pytest.approx(DEFAULT[2] + SCALE * number)
        assert found[3] == pytest.approx(np.clip(DEFAULT[3] + SCALE * number, *action["clip"][3]), abs=1e-6)


def test_gains_of_zero_in_a_descriptor_say_nothing(tmp_path: Path) -> None:
    path = isaac(tmp_path)
    data = yaml.safe_load((tmp_path / "IO_descriptors.yaml").read_text())
    data["articulations"]["robot"]["default_joint_stiffness"] = [0.0] * 12
    (tmp_path / "IO_descriptors.yaml").write_text(yaml.safe_dump(data))
    assert missing_facts(load_policy(path).contract) == ["kp"]


def test_networks_with_several_inputs_are_refused(tmp_path: Path) -> None:
    path = mjswan(tmp_path)
    data = json.loads((tmp_path / "swan.json").read_text())
    data["onnx"]["meta"]["in_keys"] = ["obs", "adapt_hx"]
    (tmp_path / "swan.json").write_text(json.dumps(data))
    with pytest.raises(PolicyError, match="one input is needed"):
        load_policy(path)


def test_a_bare_network_is_none_of_the_known_walks(tmp_path: Path) -> None:
    save_network(tmp_path / "walk.onnx")
    path = write(tmp_path / "walk.yaml", BESIDE | {"reads": {"format": "bhuman", "file": "walk.onnx"}})
    with pytest.raises(PolicyError, match="none of B-Human's walks"):
        load_policy(path)


def k1_walk(folder: Path, **said: Any) -> Path:
    """A network of the sizes of B-Human's K1 walk, and a document beside it."""
    save_network(folder / "K1.onnx", np.zeros((48, 13)), np.zeros(13))
    facts = {"format": "andante.policy", "version": 1, "name": "walk", "reads": {"format": "bhuman", "file": "K1.onnx"}}
    return write(folder / "walk.yaml", facts | {"physics_step": 0.002} | said)


def test_what_a_reader_only_assumes_may_be_said_otherwise(tmp_path: Path) -> None:
    before = load_policy(k1_walk(tmp_path)).contract
    said = {"kp": [100.0] * 12, "others": {"stiffness": 0.5}}
    after = load_policy(k1_walk(tmp_path, **said)).contract
    assert after.kp == (100.0,) * 12
    assert after.kd == before.kd
    assert after.others is not None
    assert before.others is not None
    assert (after.others.stiffness, after.others.posture) == (0.5, before.others.posture)
    assert any(line.startswith("kp, kd: gains") for line in before.assumed)
    assert any(line.startswith("kd: gains") for line in after.assumed)
    assert "kp: said by the document, not by bhuman" in after.assumed
    assert any(line.startswith("torque_limits: the robots' own") for line in after.assumed)


def test_what_a_reader_knows_may_not_be_said_otherwise(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="says otherwise than its bhuman file"):
        load_policy(k1_walk(tmp_path, rate=40.0))
    with pytest.raises(PolicyError, match="says otherwise than its bhuman file") as refused:
        load_policy(k1_walk(tmp_path, action={"scale": 0.5}))
    assert refused.value.place.endswith("action.scale")


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["actions"][0].update(clip="none"),
        lambda data: data["actions"][0].update(scale=0.0),
        lambda data: data["articulations"].update(robot=None),
        lambda data: data["articulations"]["robot"].update(default_joint_stiffness=[-1.0] * 12),
        lambda data: data["articulations"]["robot"].update(default_joint_pos=[float("nan")] * 12),
        lambda data: data["observations"]["policy"].insert(0, "gravity"),
        lambda data: data["observations"]["policy"][0]["overloads"].update(history_length="three"),
        lambda data: data["scene"].update(dt=[0.02]),
        lambda data: data.update(actions={}),
    ],
)
def test_a_descriptor_of_another_shape_is_one_message(tmp_path: Path, change: Any) -> None:
    path = isaac(tmp_path)
    data = yaml.safe_load((tmp_path / "IO_descriptors.yaml").read_text())
    change(data)
    (tmp_path / "IO_descriptors.yaml").write_text(yaml.safe_dump(data))
    with pytest.raises(AndanteError):
        load_policy(path)


@pytest.mark.parametrize(
    ("key", "text"), [("default_joint_pos", "a,b"), ("joint_stiffness", "nan"), ("joint_damping", "-1")]
)
def test_metadata_that_make_no_sense_are_one_message(tmp_path: Path, key: str, text: str) -> None:
    path = mjlab(tmp_path)
    model = onnx.load(tmp_path / "mjlab.onnx")
    for entry in model.metadata_props:
        entry.value = text if entry.key == key else entry.value
    onnx.save(model, tmp_path / "mjlab.onnx")
    with pytest.raises(PolicyError, match=r"no list of numbers|what no contract may say"):
        load_policy(path)


def with_json(folder: Path, **more: str) -> Path:
    """The same metadata as forks of its exporter write them: JSON, with the names of Isaac Lab's functions."""
    path = mjlab(folder)
    model = onnx.load(folder / "mjlab.onnx")
    isaacs = {"command": "velocity_commands", "joint_pos": "joint_pos_rel", "joint_vel": "joint_vel_rel"}
    for entry in model.metadata_props:
        if entry.key != "run_path":
            listed = [isaacs.get(word, word.replace("actions", "last_action")) for word in entry.value.split(",")]
            of_numbers = listed[0].lstrip("-")[0].isdigit()
            entry.value = json.dumps([float(word) for word in listed] if of_numbers else listed)
    for key, value in more.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.save(model, folder / "mjlab.onnx")
    return path


def test_metadata_may_be_json(tmp_path: Path) -> None:
    robot = Robot.load("nao").at(0.01)
    (tmp_path / "json").mkdir()
    (tmp_path / "commas").mkdir()
    reference, found = actions(mjlab(tmp_path / "commas"), robot), actions(with_json(tmp_path / "json"), robot)
    np.testing.assert_array_equal(found, reference)


def test_a_history_may_be_told_by_the_names_of_observations(tmp_path: Path) -> None:
    names = ("projected_gravity", "base_ang_vel", "velocity_commands", "joint_pos_rel", "joint_vel_rel", "last_action")
    ages = dict(zip(names, (1, 2, 3, 4, 5, 6), strict=True))
    path = with_json(tmp_path, observation_history_lengths=json.dumps(ages))
    path.write_text(path.read_text().replace("  history: 1\n", ""))
    terms = load_policy(path).contract.observations or ()
    assert [term.history for term in terms] == [1, 2, 3, 4, 5, 6]
    path = with_json(tmp_path, observation_history_lengths='{"base_ang_vel": 2}')
    with pytest.raises(PolicyError, match="observation_history_lengths: projected_gravity: a number is needed"):
        load_policy(path)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"policy_joint_names": 3, "obs_config": {}}', "not json"])
def test_other_files_than_mjswan_s_are_one_message(tmp_path: Path, text: str) -> None:
    path = mjswan(tmp_path)
    (tmp_path / "swan.json").write_text(text)
    with pytest.raises(AndanteError):
        load_policy(path)


def test_a_network_given_for_its_contract_is_told(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="a network and not its contract"):
        load_policy(save_network(tmp_path / "walk.onnx"))


def test_an_unknown_format_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    path = write(tmp_path / "w.yaml", BESIDE | {"reads": {"format": "isaaclab", "file": "x.yaml"}})
    with pytest.raises(AndanteError, match="mjswan"):
        load_policy(path)


METADATA = {
    "joint_names": ",".join(f"robot/{name}" for name in LEGS),
    "default_joint_pos": ",".join(f"{angle:.3f}" for angle in DEFAULT),
    "joint_stiffness": ",".join(f"{gain:.3f}" for gain in KP),
    "joint_damping": ",".join(f"{gain:.3f}" for gain in KD),
    "action_scale": "0.250",
    "observation_names": "projected_gravity,base_ang_vel,command,joint_pos,joint_vel,actions",
}


@pytest.mark.parametrize(
    ("told", "fact"),
    [
        ({"joint_names": ",".join(LEGS[6:] + LEGS[:6])}, "joints"),
        ({"default_joint_pos": ",".join(["0.1"] * 12)}, "default_posture, joint LHipYawPitch"),
        ({"joint_stiffness": ",".join(["60"] * 11 + ["20"])}, "kp, joint RAnkleRoll"),
        ({"action_scale": "0.5"}, "action.scale, joint LHipYawPitch"),
        (
            {"observation_names": "base_ang_vel,projected_gravity,command,joint_pos,joint_vel,actions"},
            "observations",
        ),
    ],
)
def test_a_contract_against_the_metadata_of_its_own_network_is_refused(tmp_path: Path, told: dict, fact: str) -> None:
    network = save_network(tmp_path / "told.onnx", metadata=METADATA | told)
    with pytest.raises(PolicyError, match="otherwise than the metadata in its network's file") as refused:
        load_policy(save_contract(tmp_path, network))
    assert refused.value.place.endswith(f": {fact}")


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"joint_names": ",".join(f"leg_{number}" for number in range(12))},
        {
            "joint_names": "HeadYaw," + METADATA["joint_names"],
            "default_joint_pos": "0," + METADATA["default_joint_pos"],
        },
        {"default_joint_pos": "[?]", "action_scale": "", "observation_names": "motion_anchor_pos_b"},
    ],
)
def test_metadata_that_agree_or_say_nothing_are_no_contradiction(tmp_path: Path, told: dict) -> None:
    network = save_network(tmp_path / "told.onnx", metadata=METADATA | told)
    assert load_policy(save_contract(tmp_path, network)).contract.joints == LEGS
