"""Files of trainers without names of joints, what they lack, and settings of booster_gym."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import yaml
from onnx import TensorProto, helper, numpy_helper
from tiny_policy import KP, SIZE, save_network
from trainer_files import isaac_env, legged_gym, unitree_lab, write

from andante.control.policies.binding import bind
from andante.control.policies.contract import PolicyError, missing_facts
from andante.control.policies.files import load_policy
from andante.errors import AndanteError
from andante.robots.robot import Robot


def changed(path: Path, change: Any) -> None:
    data = yaml.safe_load(path.read_text().partition("viewer:")[0])
    change(data)
    path.write_text(yaml.safe_dump(data, sort_keys=False))


LACKS = {
    isaac_env: ("joints", "every_term", "start", "robot"),
    unitree_lab: ("joints", "physics_step", "torque_limits", "every_term"),
    legged_gym: ("joints", "commands", "torque_limits", "every_term"),
}


@pytest.mark.parametrize(("make", "fact"), [(make, fact) for make, facts in LACKS.items() for fact in facts])
def test_what_a_file_lacks_has_no_default(tmp_path: Path, make: Any, fact: str) -> None:
    assert missing_facts(load_policy(make(tmp_path)).contract) == []
    found = "observations[0].delay" if fact == "every_term" else fact
    assert found in missing_facts(load_policy(make(tmp_path, **{fact: None})).contract)


def test_gains_in_the_order_of_the_maker_s_interface(tmp_path: Path) -> None:
    contract = load_policy(unitree_lab(tmp_path, last=61.0)).contract
    assert contract.kp == (61.0, *KP[1:])
    np.testing.assert_allclose(np.array(contract.action.clip), [[-2.0, 2.0]] * 12)
    # A list of the joints there are, with places in a longer one: nobody knows which is which.
    changed(tmp_path / "deploy.yaml", lambda data: data.update(joint_ids_map=list(range(12, 0, -1))))
    assert missing_facts(load_policy(tmp_path / "from_lab.yaml").contract) == ["kp", "kd"]


def test_a_negative_scale_turns_the_bounds_of_target_angles_round(tmp_path: Path) -> None:
    path = unitree_lab(tmp_path)
    action = yaml.safe_load((tmp_path / "deploy.yaml").read_text())["actions"]["JointPositionAction"]
    bounds = [[angle - 1.0, angle + 0.5] for angle in action["offset"]]
    said = {"scale": [-0.5, *action["scale"][1:]], "clip": bounds}
    changed(tmp_path / "deploy.yaml", lambda data: data["actions"]["JointPositionAction"].update(said))
    np.testing.assert_allclose(np.array(load_policy(path).contract.action.clip)[0], [-1.0, 2.0], atol=1e-6)


def test_a_phase_is_sine_then_cosine_there(tmp_path: Path) -> None:
    unitree_lab(tmp_path)
    term = {"params": {"period": 0.8}, "clip": None, "scale": [1.0, 1.0], "history_length": 3}
    changed(tmp_path / "deploy.yaml", lambda data: data["observations"].update(gait_phase=term))
    contract = load_policy(tmp_path / "from_lab.yaml").contract
    phase = (contract.observations or ())[-1]
    assert (phase.waves, phase.history, phase.order) == (("sin", "cos"), 3, "oldest-first")
    assert contract.gait is not None
    assert contract.gait.frequency == pytest.approx(1.25)


def test_what_is_cut_before_it_is_scaled_is_cut_to_scaled_bounds(tmp_path: Path) -> None:
    isaac_env(tmp_path)
    changed(tmp_path / "env.yaml", lambda data: data["observations"]["policy"]["base_ang_vel"].update(clip=[-8, 8]))
    assert load_policy(tmp_path / "from_env.yaml").contract.observations[1].clip == (-2.0, 2.0)  # type: ignore[index]
    unitree_lab(tmp_path)
    term = {"clip": [-8.0, 8.0], "scale": [0.5, 0.5, 0.25]}
    changed(tmp_path / "deploy.yaml", lambda data: data["observations"]["base_ang_vel"].update(term))
    file = load_policy(tmp_path / "from_lab.yaml")
    assert file.contract.observations[1].clip == ((-4.0, 4.0), (-4.0, 4.0), (-2.0, 2.0))  # type: ignore[index]
    assert bind(file.contract, Robot.load("nao").at(0.01), file.network).observation().size == SIZE
    changed(tmp_path / "deploy.yaml", lambda data: data["observations"].update(scale_first=True))
    assert load_policy(tmp_path / "from_lab.yaml").contract.observations[1].clip == (-8.0, 8.0)  # type: ignore[index]


def test_a_history_of_whole_observations_is_a_stack(tmp_path: Path) -> None:
    path = unitree_lab(tmp_path)
    save_network(tmp_path / "lab.onnx", np.zeros((3 * SIZE, 12)), np.zeros(12))

    def longer(data: Any) -> None:
        for term in data["observations"].values():
            term["history_length"] = 3
        data["observations"]["use_gym_history"] = True

    changed(tmp_path / "deploy.yaml", longer)
    file = load_policy(path)
    assert file.contract.inputs[0].stack.frames == 3  # type: ignore[index, union-attr]
    assert bind(file.contract, Robot.load("nao").at(0.01), file.network).observation().size == SIZE
    changed(tmp_path / "deploy.yaml", lambda data: data["observations"]["last_action"].update(history_length=1))
    with pytest.raises(PolicyError, match="need one history_length"):
        load_policy(path)


def test_observations_may_stand_in_a_table_for_each_input(tmp_path: Path) -> None:
    """As unitree_rl_lab's program reads them: the name of a table is that of an input."""
    path = unitree_lab(tmp_path)
    whole = load_policy(path).contract.observations
    changed(tmp_path / "deploy.yaml", lambda data: data.update(observations={"obs": data["observations"]}))
    assert load_policy(path).contract.observations == whole

    def parted(data: Any) -> None:
        terms = list(data["observations"]["obs"].items())
        past = {name: term | {"history_length": 4} for name, term in terms[3:]}
        data["observations"] = {"obs": dict(terms[:3]), "past": past | {"use_gym_history": True}}

    changed(tmp_path / "deploy.yaml", parted)
    with pytest.raises(PolicyError, match=r"no input of this name; got 'past'; .*legal: obs"):
        load_policy(path)
    two_inputs(tmp_path / "lab.onnx", 9, 4 * 36)
    file = load_policy(path)
    first, second = file.contract.inputs or ()
    assert (first.terms, first.stack, second.terms) == ((0, 1, 2), None, (3, 4, 5))
    assert second.stack is not None
    assert second.stack.frames == 4
    assert bind(file.contract, Robot.load("nao").at(0.01), file.network).observation().size == SIZE


def two_inputs(path: Path, first: int, second: int) -> None:
    """A network of ``obs`` and ``past``, which gives twelve zeros."""
    sizes = {"obs": first, "past": second}
    nodes = [
        helper.make_node("Concat", list(sizes), ["both"], axis=1),
        helper.make_node("MatMul", ["both", "w"], ["actions"]),
    ]
    ins = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, size]) for name, size in sizes.items()]
    outs = [helper.make_tensor_value_info("actions", TensorProto.FLOAT, [1, 12])]
    weight = numpy_helper.from_array(np.zeros((first + second, 12), np.float32), "w")
    model = helper.make_model(
        helper.make_graph(nodes, "two", ins, outs, [weight]), opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    )
    onnx.save(model, path)


@pytest.mark.parametrize(("name", "missing"), [("mean", ["outputs"]), ("actions", [])])
def test_which_output_is_the_action_is_not_guessed(tmp_path: Path, name: str, missing: list[str]) -> None:
    path = isaac_env(tmp_path)
    model = onnx.load(save_network(tmp_path / "lab.onnx", names=("obs", name)))
    model.graph.node.append(onnx.helper.make_node("Exp", [name], ["std"]))
    model.graph.output.insert(0, onnx.helper.make_tensor_value_info("std", onnx.TensorProto.FLOAT, [1, 12]))
    onnx.save(model, tmp_path / "lab.onnx")
    contract = load_policy(path).contract
    assert missing_facts(contract) == missing
    assert contract.outputs is None or contract.outputs[0].name == "actions"


def test_the_size_tells_what_legged_gym_shows(tmp_path: Path) -> None:
    seen = {}
    for size in (45, 47, 48, 60):
        legged_gym(tmp_path)
        changed(tmp_path / "nao.yaml", lambda data, size=size: data.update(num_obs=size, lin_vel_scale=2.0))
        contract = load_policy(tmp_path / "from_gym.yaml").contract
        seen[size] = [term.name for term in contract.observations or ()]
    rest = ["gyro", "gravity", "command", "joint_position", "joint_velocity", "last_action"]
    assert seen == {45: rest, 47: [*rest, "gait_phase"], 48: ["base_velocity", *rest], 60: []}


def test_what_the_group_says_of_history_counts_for_its_terms(tmp_path: Path) -> None:
    isaac_env(tmp_path)
    save_network(tmp_path / "lab.onnx", np.zeros((5 * SIZE, 12)), np.zeros(12))
    changed(tmp_path / "env.yaml", lambda data: data["observations"]["policy"].update(history_length=5))
    file = load_policy(tmp_path / "from_env.yaml")
    assert {term.history for term in file.contract.observations or ()} == {5}
    robot = Robot.load("nao").at(0.01)
    assert bind(file.contract, robot, file.network).observation().size == 5 * SIZE


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda data: data["actions"]["joint_pos"].update(class_type="x:BinaryJointAction"), "kind is not known"),
        (lambda data: data["actions"].update(gripper={"class_type": "x:y"}), "one kind of action"),
        (lambda data: data["observations"]["policy"]["last_action"].update(func="m:camera"), "name is not known"),
        (lambda data: data["observations"]["policy"]["last_action"].update(modifiers=["x"]), "modified"),
        (
            lambda data: data["actions"]["joint_pos"].update(
                class_type="x:RelativeJointPositionAction", use_zero_offset=False, offset=0.1
            ),
            "an offset beside the measured angles is not known",
        ),
        (lambda data: data["scene"]["robot"].update(actuators=3), r"no env\.yaml of Isaac Lab"),
        (lambda data: data["sim"].update(dt="fast"), "a number is needed"),
        (
            lambda data: data["scene"]["robot"]["actuators"]["hips"].update(joint_names_expr=[".Hi.*Pitch"]),
            "no pattern",
        ),
        (lambda data: data["scene"]["robot"]["init_state"]["joint_pos"].update({"[": 0.0}), "no regular expression"),
    ],
)
def test_an_env_yaml_that_is_not_understood_is_refused(tmp_path: Path, change: Any, what: str) -> None:
    path = isaac_env(tmp_path)
    changed(tmp_path / "env.yaml", change)
    with pytest.raises(PolicyError, match=what):
        load_policy(path)


def test_targets_that_go_on_with_the_joints_are_told_as_taken_at_the_call(tmp_path: Path) -> None:
    """Isaac Lab adds the measured angle in each step of physics, which is softer than a target that stays."""
    path = isaac_env(tmp_path)
    kind = {"class_type": "x:RelativeJointPositionAction", "use_default_offset": False}
    changed(tmp_path / "env.yaml", lambda data: data["actions"]["joint_pos"].update(kind))
    contract = load_policy(path).contract
    assert contract.action.offset == "measured"
    assert any(line.startswith("action.offset: where joints are at the call") for line in contract.assumed)


@pytest.mark.parametrize("text", ["", "[]", "a: [", "a: !!python/object:os.system x", "kps: 3\n", "{" * 5000])
def test_other_files_are_one_message(tmp_path: Path, text: str) -> None:
    for make, name in ((isaac_env, "env.yaml"), (unitree_lab, "deploy.yaml"), (legged_gym, "nao.yaml")):
        path = make(tmp_path)
        (tmp_path / name).write_text(text)
        with pytest.raises(AndanteError):
            load_policy(path)


def test_values_by_the_model_are_missing(tmp_path: Path) -> None:
    path = isaac_env(tmp_path)
    changed(tmp_path / "env.yaml", lambda data: data["scene"]["robot"]["actuators"]["hips"].update(stiffness=None))
    assert missing_facts(load_policy(path).contract) == ["kp"]


def test_settings_of_booster_gym_are_a_contract_for_t1(tmp_path: Path) -> None:
    save_network(tmp_path / "T1.onnx", np.zeros((47, 12)), np.zeros(12))
    common = {
        "dt": 0.002,
        "stiffness": [*([20] * 10), 200, *([50, 50, 50, 50, 30, 30] * 2)],
        "damping": [*([0.5] * 10), 5, *([3] * 12)],
        "default_qpos": [0, 0, 0.2, -1.35, 0, -0.5, 0.2, 1.35, 0, 0.5, 0, *([-0.2, 0, 0, 0.4, -0.25, 0] * 2)],
        "torque_limit": [*([7] * 10), 30, *([60, 25, 30, 60, 24, 15] * 2)],
    }
    scales = {"gravity": 1.0, "lin_vel": 1.0, "ang_vel": 1.0, "dof_pos": 1.0, "dof_vel": 0.1, "clip_actions": 1.0}
    policy = {
        "num_actions": 12,
        "num_observations": 47,
        "gait_frequency": 1.5,
        "normalization": scales,
        "control": {"action_scale": 1.0, "decimation": 10},
    }
    write(tmp_path / "T1.yaml", {"common": common, "policy": policy})
    axes = {name: {"range": [-1, 1], "acceleration": 1.0} for name in ("forward", "lateral", "turn")}
    beside = {
        "format": "andante.policy",
        "version": 1,
        "name": "walk",
        "reads": {"format": "booster-gym", "file": "T1.yaml", "model": "T1.onnx"},
        "physics_step": 0.002,
        "every_term": {"delay": 0.0},
        "commands": axes | {"stand_after": 0},
        "start": "default",
        "licence": "mine",
        "ground_truth": False,
        # Some copies of the program smooth nothing; the reader only assumes it.
        "action": {"low_pass": {"keep": 0.0, "every": 0.002}},
    }
    file = load_policy(write(tmp_path / "walk.yaml", beside))
    bound = bind(file.contract, Robot.load("t1"), file.network)
    assert file.contract.rate == pytest.approx(50.0)
    assert file.contract.action.low_pass is not None
    assert file.contract.action.low_pass.keep == 0.0
    assert bound.kp.tolist() == [50, 50, 50, 50, 30, 30] * 2
    assert bound.rest[bound.robot.index("Left_Shoulder_Roll")] == -1.35


def bounds(path: Path) -> tuple[Any, Any, Any]:
    """Bounds of the action, of the last action that is seen, and of joint speeds."""
    contract = load_policy(path).contract
    seen = {term.name: term.clip for term in contract.observations or ()}
    return contract.action.clip, seen["last_action"], seen["joint_velocity"]


@pytest.mark.parametrize(
    ("agent", "found"),
    [
        ("seed: 42\nclip_actions: 1.5\n", ((-1.5, 1.5), (-1.5, 1.5), "none")),
        ("seed: 42\nclip_actions: null\n", ("none", "none", "none")),
        (
            "params:\n  env:\n    clip_observations: 5.0\n    clip_actions: 100.0\n",
            ((-100.0, 100.0), (-5.0, 5.0), (-5.0, 5.0)),
        ),
        ("models:\n  policy:\n    clip_actions: false\ntrainer: {}\n", ("none", "none", "none")),
    ],
)
def test_what_the_trainer_s_wrapper_cuts_is_read_beside_the_environment(tmp_path: Path, agent: str, found: Any) -> None:
    """Isaac Lab's env.yaml knows nothing of it: a policy that was cut at training went uncut, and nothing said so."""
    path = isaac_env(tmp_path)
    (tmp_path / "agent.yaml").write_text(agent)
    assert bounds(path) == found
    assert not any("agent.yaml" in line for line in load_policy(path).contract.assumed)


def test_without_the_agent_s_file_no_bound_is_only_assumed(tmp_path: Path) -> None:
    """The document could not say the bound: it was refused as another one than the file's."""
    assert any(line.startswith("action.clip, observations[5].clip: none") for line in told(isaac_env(tmp_path)))
    path = isaac_env(tmp_path, action={"clip": [-1.5, 1.5]})
    assert bounds(path)[0] == (-1.5, 1.5)


@pytest.mark.parametrize("agent", ["clip_actions: high\n", "clip_actions: -1.0\n"])
def test_a_bound_of_the_agent_that_is_none_is_refused(tmp_path: Path, agent: str) -> None:
    path = isaac_env(tmp_path)
    (tmp_path / "agent.yaml").write_text(agent)
    with pytest.raises(PolicyError, match=r"agent\.yaml\.clip_actions|agent\.yaml: clip_actions"):
        load_policy(path)


def told(path: Path) -> tuple[str, ...]:
    return load_policy(path).contract.assumed


def test_keys_of_copies_of_legged_gym_s_programs_are_told(tmp_path: Path) -> None:
    """A clip or a history that such a file has was dropped without a word."""
    path = legged_gym(tmp_path)
    assert not any("not read" in line for line in told(path))
    changed(
        tmp_path / "nao.yaml", lambda data: data.update(clip_actions=1.5, history_length=6, leg_joint2motor_idx=[0])
    )
    assert "nao.yaml: keys of another program, which are not read, clip_actions, history_length" in told(path)
    assert bounds(legged_gym(tmp_path, action={"clip": [-1.5, 1.5]}))[0] == (-1.5, 1.5)
