"""Networks as exporters write them: memories, stacked observations, several inputs, other numbers, weights beside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tiny_policy import DEFAULT, LEGS, SIZE, save_contract, save_network, weights

from andante.control.policies.binding import bind
from andante.control.policies.contract import PolicyError, missing_facts
from andante.control.policies.controller import PolicyController
from andante.control.policies.files import contradictions, load_policy
from andante.control.policies.network import PolicyNetwork, digest_of
from andante.control.steering import Heading, SteeringScript, Turn
from andante.robots.robot import Robot


@pytest.fixture(scope="module")
def nao() -> Robot:
    return Robot.load("nao").at(0.01)


def save(
    path: Path, nodes: list[Any], inputs: dict[str, list[Any]], outputs: dict[str, list[Any]], **arrays: Any
) -> Path:
    """A network of some nodes, all numbers of 32 bits."""

    def told(shapes: dict[str, list[Any]]) -> list[Any]:
        return [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]

    made = [numpy_helper.from_array(np.asarray(value), name) for name, value in arrays.items()]
    graph = helper.make_graph(nodes, "made", told(inputs), told(outputs), made)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(model.SerializeToString())
    return path


def controller(folder: Path, robot: Robot, network: Path, *turns: Turn, **changes: Any) -> PolicyController:
    file = load_policy(save_contract(folder, network, **changes))
    return PolicyController(bind(file.contract, robot, file.network), SteeringScript(turns))


def actions(policy: PolicyController, count: int, **values: Any) -> np.ndarray:
    """What the network gives at some ticks; the gyro's first number is the tick."""
    rows = []
    for tick in range(count):
        sensors = policy.robot.sensors()
        sensors.vector[0] = tick * policy.robot.tick
        sensors.orientation[0] = 1.0
        sensors.gyro[0] = tick
        for name, value in values.items():
            sensors[name][:] = value
        policy.step(sensors)
        rows.append(policy.telemetry["action"].copy())
    return np.array(rows)


GYRO = {"observations": [{"name": "gyro"}], "commands": None}


def counting(path: Path, layers: int = 2) -> Path:
    """Gives its memory plus the gyro, and adds one to the memory at each call."""
    nodes = [
        helper.make_node("Add", ["h_in", "one"], ["h_out"]),
        helper.make_node("ReduceSum", ["h_in", "axes"], ["sum"], keepdims=0),
        helper.make_node("Gather", ["obs", "zeros"], ["seen"], axis=1),
        helper.make_node("Add", ["seen", "sum"], ["actions"]),
    ]
    return save(
        path,
        nodes,
        {"obs": [1, 3], "h_in": [layers, 1, 4]},
        {"actions": [1, 12], "h_out": [layers, 1, 4]},
        one=np.float32(1.0),
        axes=np.array([0, 1, 2]),
        zeros=np.zeros(12, dtype=np.int64),
    )


MEMORY = {
    "inputs": [{"name": "obs", "size": 3}, {"name": "h_in", "size": 8, "state": "h_out"}],
    "outputs": [{"name": "actions", "size": 12}, {"name": "h_out", "size": 8}],
}


def test_a_memory_goes_on_from_call_to_call_and_is_forgotten_at_a_reset(tmp_path: Path, nao: Robot) -> None:
    policy = controller(tmp_path, nao, counting(tmp_path / "m.onnx"), **GYRO, **MEMORY)
    # Called at every second tick; the memory has eight numbers.
    assert actions(policy, 6)[:, 0].tolist() == [0, 0, 2 + 8, 2 + 8, 4 + 16, 4 + 16]
    policy.reset()
    assert actions(policy, 3)[:, 0].tolist() == [0, 0, 10]


def test_a_second_input_has_to_be_told(tmp_path: Path, nao: Robot) -> None:
    network = counting(tmp_path / "m.onnx")
    bare = [{"name": "obs", "size": 3}, {"name": "h_in", "size": 8}]
    file = load_policy(save_contract(tmp_path, network, **GYRO, **MEMORY | {"inputs": bare}))
    assert missing_facts(file.contract) == ["inputs[1].state (or stack, or terms)"]
    for wrong in ({"state": "h_next"}, {"state": "actions"}, {"state": "h_out", "terms": [0]}, {"terms": [1]}):
        inputs = [bare[0], bare[1] | wrong]
        file = load_policy(save_contract(tmp_path, network, **GYRO, **MEMORY | {"inputs": inputs}))
        with pytest.raises(PolicyError) as refused:
            bind(file.contract, nao, file.network)
        assert refused.value.place.startswith("policy.inputs[1]")


@pytest.mark.parametrize(("order", "columns"), [("oldest-first", (0, 12)), ("newest-first", (12, 0))])
def test_whole_observations_are_stacked(tmp_path: Path, nao: Robot, order: str, columns: tuple[int, int]) -> None:
    # Two terms of three calls; the network gives the gyro's first number in the oldest and in the newest.
    matrix = np.zeros((18, 12))
    matrix[columns[0], 0] = matrix[columns[1], 1] = 1.0
    inputs = [{"name": "obs", "size": 18, "stack": {"frames": 3, "order": order, "before": "zeros"}}]
    network = save_network(tmp_path / "s.onnx", matrix, np.zeros(12))
    terms = [{"name": "gyro"}, {"name": "gravity"}]
    found = actions(controller(tmp_path, nao, network, observations=terms, commands=None, inputs=inputs), 7)
    assert found[::2, 0].tolist() == [0, 0, 0, 2]
    assert found[::2, 1].tolist() == [0, 2, 4, 6]


def test_what_stands_before_the_first_call(tmp_path: Path, nao: Robot) -> None:
    matrix = np.zeros((6, 12))
    matrix[2, 0] = 1.0
    network = save_network(tmp_path / "s.onnx", matrix, np.zeros(12))
    for before, expected in (("zeros", 0.0), ("first", -1.0)):
        stack = {"frames": 2, "order": "oldest-first", "before": before}
        inputs = [{"name": "obs", "size": 6, "stack": stack}]
        policy = controller(tmp_path, nao, network, observations=[{"name": "gravity"}], commands=None, inputs=inputs)
        assert actions(policy, 1)[0, 0] == expected


def test_an_input_of_several_observations_is_recognised(tmp_path: Path, nao: Robot) -> None:
    network = save_network(tmp_path / "s.onnx", np.zeros((15, 12)), np.zeros(12))
    file = load_policy(save_contract(tmp_path, network, **GYRO, inputs=[{"name": "obs", "size": 15}]))
    with pytest.raises(PolicyError, match=r"does it see 5 whole observations\? Say so: inputs\[0\]\.stack"):
        bind(file.contract, nao, file.network)


def test_inputs_by_name_get_their_terms(tmp_path: Path, nao: Robot) -> None:
    nodes = [
        helper.make_node("Concat", ["command", "body", "rest"], ["actions"], axis=1),
    ]
    network = save(
        tmp_path / "d.onnx",
        nodes,
        {"body": [1, 3], "command": [1, 3]},
        {"value": [1, 1], "actions": [1, 12]},
        rest=np.zeros((1, 6), dtype=np.float32),
        value=np.zeros((1, 1), dtype=np.float32),
    )
    facts = {
        "observations": [{"name": "gravity"}, {"name": "command"}],
        "inputs": [{"name": "command", "size": 3, "terms": [1]}, {"name": "body", "size": 3, "terms": [0]}],
        "outputs": [{"name": "actions", "size": 12}],
    }
    policy = controller(tmp_path, nao, network, Turn(0.0, Heading(0.2, 0.1, 0.5)), **facts)
    np.testing.assert_allclose(actions(policy, 1)[0, :6], [0.2, 0.1, 0.5, 0.0, 0.0, -1.0], atol=1e-6)
    assert contradictions(load_policy(tmp_path / "tiny.yaml")) == []


@pytest.mark.parametrize(
    ("kind", "shape"),
    [
        (TensorProto.DOUBLE, [1, SIZE]),
        (TensorProto.FLOAT16, ["batch", SIZE]),
        (TensorProto.FLOAT, [4, SIZE]),
        (TensorProto.FLOAT, [1, 1, SIZE]),
        (TensorProto.FLOAT, [SIZE]),
    ],
)
def test_other_numbers_and_shapes_give_the_same(tmp_path: Path, kind: int, shape: list[Any]) -> None:
    matrix, bias = weights()
    numbers = helper.tensor_dtype_to_np_dtype(kind)
    arrays = [numpy_helper.from_array(matrix.astype(numbers), "w"), numpy_helper.from_array(bias.astype(numbers), "b")]
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["obs", "w"], ["m"]), helper.make_node("Add", ["m", "b"], ["actions"])],
        "other",
        [helper.make_tensor_value_info("obs", kind, shape)],
        # The shape of what comes out is often left unsaid.
        [helper.make_tensor_value_info("actions", kind, None)],
        arrays,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (tmp_path / "n.onnx").write_bytes(model.SerializeToString())
    network = PolicyNetwork(tmp_path / "n.onnx")
    assert (network.inputs, network.outputs) == ((("obs", SIZE),), (("actions", 12),))
    seen = np.random.default_rng(0).uniform(-1.0, 1.0, SIZE)
    np.testing.assert_allclose(network(seen), seen @ matrix + bias, atol=2e-3)


@pytest.mark.parametrize(("row", "actions"), [((1, -1), [1, 12]), ((-1,), [12]), ((1, -1), None)])
def test_a_table_of_past_observations_is_no_table_of_robots(
    tmp_path: Path, row: tuple[int, ...], actions: list[Any] | None
) -> None:
    matrix = np.random.default_rng(2).uniform(-0.05, 0.05, (3 * SIZE, 12)).astype(np.float32)
    nodes = [helper.make_node("Reshape", ["obs", "row"], ["x"]), helper.make_node("MatMul", ["x", "w"], ["actions"])]
    path = tmp_path / "past.onnx"
    save(path, nodes, {"obs": [3, SIZE]}, {"actions": actions}, row=np.array(row, dtype=np.int64), w=matrix)
    network = PolicyNetwork(path)
    assert (network.inputs, network.outputs) == ((("obs", 3 * SIZE),), (("actions", 12),))
    seen = np.random.default_rng(0).uniform(-1.0, 1.0, 3 * SIZE)
    np.testing.assert_allclose(network(seen), seen @ matrix, atol=1e-5)


def test_weights_beside_the_network_are_read_and_vouched_for(tmp_path: Path) -> None:
    path = save_network(tmp_path / "inside.onnx")
    model = onnx.load(path)
    outside = tmp_path / "policy.onnx"
    onnx.save_model(model, str(outside), save_as_external_data=True, location="policy.onnx.data", size_threshold=0)
    assert b"policy.onnx.data" in outside.read_bytes()
    seen = np.random.default_rng(0).uniform(-1.0, 1.0, SIZE)
    np.testing.assert_array_equal(PolicyNetwork(outside)(seen), PolicyNetwork(path)(seen))
    contract, digest, data = save_contract(tmp_path, outside), digest_of(outside), tmp_path / "policy.onnx.data"
    changed = bytearray(data.read_bytes())
    changed[3] ^= 1
    data.write_bytes(changed)
    assert digest_of(outside) != digest
    with pytest.raises(PolicyError, match="another one than the contract says"):
        load_policy(contract)
    data.unlink()
    with pytest.raises(PolicyError, match=r"weights are in another file, which is not there.*policy\.onnx\.data"):
        PolicyNetwork(outside)


@pytest.mark.parametrize("place", ["./policy.data", "weights/policy.data", "constants.data"])
def test_weights_in_the_network_s_folder_are_read_however_they_are_called(tmp_path: Path, place: str) -> None:
    """By a path with a dot, in a folder below, and those of constants, which are nodes of the network."""
    path, outside = save_network(tmp_path / "inside.onnx"), tmp_path / "policy.onnx"
    model, constants = onnx.load(path), place.startswith("constants")
    (tmp_path / "weights").mkdir()
    if constants:
        nodes = [helper.make_node("Constant", [], [each.name], value=each) for each in model.graph.initializer]
        nodes += list(model.graph.node)
        del model.graph.initializer[:], model.graph.node[:]
        model.graph.node.extend(nodes)
    how: dict[str, Any] = {"save_as_external_data": True, "size_threshold": 0, "convert_attribute": constants}
    onnx.save_model(model, str(outside), location=place, **how)
    seen = np.random.default_rng(0).uniform(-1.0, 1.0, SIZE)
    np.testing.assert_array_equal(PolicyNetwork(outside)(seen), PolicyNetwork(path)(seen))


@pytest.mark.parametrize("place", ["../policy.data", "/tmp/policy.data", "weights/../../policy.data"])
def test_weights_elsewhere_are_refused(tmp_path: Path, place: str) -> None:
    model = onnx.load(save_network(tmp_path / "inside.onnx"))
    onnx.external_data_helper.convert_model_to_external_data(model, location="x" * len(place), size_threshold=0)
    onnx.external_data_helper.write_external_data_tensors(model, str(tmp_path))
    outside = tmp_path / "policy.onnx"
    outside.write_bytes(model.SerializeToString().replace(b"x" * len(place), place.encode()))
    with pytest.raises(PolicyError, match="not in the network's folder"):
        PolicyNetwork(outside)


def test_gains_and_postures_by_patterns(tmp_path: Path, nao: Robot) -> None:
    facts = {
        "kp": {".*Hip.*": 80.0, ".*(Knee|Ankle).*": 40.0},
        "default_posture": {".HipPitch": -0.3, ".KneePitch": 0.8, ".*(Yaw|Roll|Ankle).*": 0.0},
        "action": {"kind": "position", "scale": {".*": 0.25}, "offset": "default", "clip": "none"},
    }
    bound = controller(tmp_path, nao, save_network(tmp_path / "p.onnx"), **facts).policy
    assert bound.kp.tolist() == [80.0, 80.0, 80.0, 40.0, 40.0, 40.0] * 2
    assert bound.default.tolist() == [0.0, 0.0, -0.3, 0.8, 0.0, 0.0] * 2
    assert bound.scale.tolist() == [0.25] * 12


@pytest.mark.parametrize(
    ("kp", "what"),
    [
        ({".*Hip.*": 80.0}, "no pattern fits a joint"),
        ({".*": 80.0, ".*Knee.*": 40.0}, "several patterns fit a joint"),
        ({"*Hip": 80.0}, "no regular expression"),
    ],
)
def test_patterns_that_do_not_say_each_joint_are_refused(tmp_path: Path, kp: dict[str, float], what: str) -> None:
    with pytest.raises(PolicyError, match=what):
        load_policy(save_contract(tmp_path, kp=kp))


def bias_network(folder: Path, *numbers: float, size: int = SIZE) -> Path:
    return save_network(folder / "b.onnx", np.zeros((size, 12)), np.array([*numbers, *([0.0] * (12 - len(numbers)))]))


def commands(policy: PolicyController, ticks: int, angle: float = 0.0) -> list[float]:
    rows = []
    for tick in range(ticks):
        sensors = policy.robot.sensors()
        sensors.vector[0], sensors.orientation[0] = tick * policy.robot.tick, 1.0
        sensors.position[policy.robot.index("LHipRoll")] = angle
        rows.append(float(policy.step(sensors).position[policy.robot.index("LHipRoll")]))
    return rows


def test_each_joint_may_have_a_clip(tmp_path: Path, nao: Robot) -> None:
    clips = [[-1.0, 1.0], [-0.2, 0.4], *([-1.0, 1.0] for _ in range(10))]
    action = {"kind": "position", "scale": 0.5, "offset": "default", "clip": clips}
    policy = controller(tmp_path, nao, bias_network(tmp_path, 0.0, 3.0), action=action)
    assert commands(policy, 1) == [pytest.approx(0.2)]
    with pytest.raises(PolicyError, match="another length than there are joints"):
        controller(tmp_path, nao, bias_network(tmp_path), action=action | {"clip": clips[:-1]})


def test_targets_may_count_from_where_the_joint_is(tmp_path: Path, nao: Robot) -> None:
    action = {"kind": "position", "scale": 0.5, "offset": "measured", "clip": "none"}
    policy = controller(tmp_path, nao, bias_network(tmp_path, 0.0, 0.2), action=action)
    assert commands(policy, 2, angle=0.3) == [pytest.approx(0.4)] * 2
    with pytest.raises(PolicyError, match="only target angles can be so"):
        controller(tmp_path, nao, bias_network(tmp_path), action=action | {"kind": "torque"})


def test_targets_are_smoothed_at_each_call_or_all_the_time(tmp_path: Path, nao: Robot) -> None:
    action = {"kind": "position", "scale": 1.0, "offset": "default", "clip": "none"}
    network = bias_network(tmp_path, 0.0, 0.4)
    slow = controller(tmp_path, nao, network, action=action | {"low_pass": {"keep": 0.75, "every": "call"}})
    assert commands(slow, 4) == pytest.approx([0.1, 0.1, 0.175, 0.175])
    # 0.9 kept every 2 ms is 0.9 to the fifth in a tick of 10 ms.
    even = controller(tmp_path, nao, network, action=action | {"low_pass": {"keep": 0.9, "every": 0.002}})
    assert commands(even, 3) == pytest.approx([0.4 * (1.0 - 0.9 ** (5 * n)) for n in (1, 2, 3)])


def test_waves_constants_and_picked_numbers(tmp_path: Path, nao: Robot) -> None:
    terms = [
        {"name": "gait_phase", "waves": ["cos", "cos", "sin", "sin"], "ahead": [0.0, 0.5, 0.0, 0.5]},
        {"name": "constant", "values": [3.0, -0.5]},
        {"name": "gyro", "pick": [2, 0]},
        {"name": "joint_position", "offset": "default", "pick": [3]},
        {"name": "euler_angles"},
    ]
    network = save_network(tmp_path / "w.onnx", np.eye(12), np.zeros(12))
    facts = {"observations": terms, "inputs": [{"name": "obs", "size": 12}]}
    gait = {"frequency": 12.5, "standing": 0.5}
    still = {"forward": {"range": [-1, 1]}, "lateral": {"range": [-1, 1]}, "turn": {"range": [-1, 1]}}
    walks = controller(tmp_path, nao, network, gait=gait, commands=still, **facts)
    turned = (np.cos(0.35), 0.0, np.sin(0.35), 0.0)
    position = np.zeros(len(nao.joints))
    position[[nao.index(name) for name in LEGS]] = np.array(DEFAULT) + 0.1
    seen = actions(walks, 3, gyro=(1.0, 2.0, 3.0), position=position, orientation=turned)[2]
    # A quarter of a cycle in 20 ms; the other foot is half a cycle ahead.
    np.testing.assert_allclose(seen, [0, 0, 1, -1, 3, -0.5, 3, 1, 0.1, 0.0, 0.7, 0.0], atol=1e-6)
    stands = controller(tmp_path, nao, network, gait=gait, commands=still | {"stand_after": 0.0}, **facts)
    np.testing.assert_allclose(actions(stands, 1)[0, :4], [-1, -1, 0, 0], atol=1e-6)


@pytest.mark.parametrize(
    ("term", "place"),
    [
        ({"name": "gyro", "pick": [3]}, "pick"),
        ({"name": "gyro", "waves": ["sin"]}, "waves"),
        ({"name": "gyro", "values": [1.0]}, "values"),
        ({"name": "gait_phase", "waves": ["sin"], "ahead": [0.0, 0.5]}, "ahead"),
    ],
)
def test_a_term_that_makes_no_sense_is_refused(tmp_path: Path, nao: Robot, term: dict[str, Any], place: str) -> None:
    file = load_policy(save_contract(tmp_path, observations=[term], commands=None, gait={"frequency": 1.0}))
    with pytest.raises(PolicyError) as refused:
        bind(file.contract, nao, file.network)
    assert refused.value.place == f"policy.observations[0].{place}"


def test_a_constant_says_its_numbers(tmp_path: Path) -> None:
    file = load_policy(save_contract(tmp_path, observations=[{"name": "constant"}], commands=None))
    assert "observations[0].values" in missing_facts(file.contract)


def test_a_network_that_draws_its_actions_is_refused(tmp_path: Path, nao: Robot) -> None:
    """Exported with its sampling, or with dropout on: no run of it could be made again."""
    matrix, bias = weights()
    nodes = [
        helper.make_node("Gemm", ["obs", "w", "b"], ["mean"]),
        helper.make_node("RandomNormalLike", ["mean"], ["noise"], scale=0.5),
        helper.make_node("Add", ["mean", "noise"], ["actions"]),
    ]
    network = save(tmp_path / "draws.onnx", nodes, {"obs": [1, SIZE]}, {"actions": [1, 12]}, w=matrix, b=bias)
    with pytest.raises(PolicyError, match=r"draws random numbers.*export the mean action"):
        controller(tmp_path, nao, network)


def test_a_network_for_no_robot_at_all_is_refused(tmp_path: Path) -> None:
    matrix, bias = weights()
    nodes = [helper.make_node("Gemm", ["obs", "w", "b"], ["actions"])]
    network = save(tmp_path / "none.onnx", nodes, {"obs": [0, SIZE]}, {"actions": [0, 12]}, w=matrix, b=bias)
    with pytest.raises(PolicyError, match=r"obs: an input of the network is no row.*\[0, 45\]"):
        PolicyNetwork(network)
